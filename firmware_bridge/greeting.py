"""Checks the greeting of the board: its version, and why it started. Pure."""

from firmware_bridge.messages import (
    FIRMWARE_ID,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    SCHEMA_HASH,
    Hello,
    ResetCause,
)


def refusal(hello: Hello) -> str | None:
    """Why this board cannot be used; None if it can."""
    if hello.firmware_id != FIRMWARE_ID:
        return (
            f"a device answers, but it is not a Topple Table board (id {hello.firmware_id:#010x}). "
            "Check the port in the configuration."
        )
    if hello.protocol_major != PROTOCOL_MAJOR:
        return (
            f"the board speaks protocol {hello.protocol_major}.{hello.protocol_minor}, we speak "
            f"{PROTOCOL_MAJOR}.{PROTOCOL_MINOR}. Flash the firmware that came with this version: "
            "topple-table firmware flash"
        )
    if hello.protocol_minor == PROTOCOL_MINOR and hello.schema_hash != SCHEMA_HASH:
        return (
            f"the board was built from another table of messages ({hello.schema_hash:08x}, ours is "
            f"{SCHEMA_HASH:08x}). Build and flash it again: topple-table firmware flash"
        )
    return None


def warning_for(hello: Hello) -> str:
    """A sentence when the versions differ in a way that does no harm, else empty."""
    if hello.protocol_minor == PROTOCOL_MINOR:
        return ""
    return (
        f"the board speaks protocol {hello.protocol_major}.{hello.protocol_minor}, we speak "
        f"{PROTOCOL_MAJOR}.{PROTOCOL_MINOR}; it works, but flash it when convenient"
    )


_RESET_TEXTS = {
    ResetCause.WATCHDOG: "its program hung, the watchdog restarted it; report it if that repeats",
    ResetCause.BROWN_OUT: "its supply dipped; try another USB cable or a powered hub",
    ResetCause.EXTERNAL: "its reset line was pulled; is another program opening the port?",
    ResetCause.POWER_ON: "it lost power; check the USB plug",
}


def text_for_reset(hello: Hello) -> str:
    """Why the microcontroller restarted, and what to check, in one sentence."""
    for cause, text in _RESET_TEXTS.items():
        if hello.reset_cause & cause:
            return f"the microcontroller restarted: {text}"
    return "the microcontroller restarted and does not know why; check its supply"
