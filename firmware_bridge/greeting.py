"""Checks the greeting of the board: its version, and why it started. Pure."""

from firmware_bridge import troubles
from firmware_bridge.messages import (
    FIRMWARE_ID,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    SCHEMA_HASH,
    Hello,
    ResetCause,
)
from firmware_bridge.troubles import LinkTrouble

OURS = f"{PROTOCOL_MAJOR}.{PROTOCOL_MINOR}"


def refusal(hello: Hello) -> LinkTrouble | None:
    """Why this board cannot be used; None if it can."""
    if hello.firmware_id != FIRMWARE_ID:
        return troubles.STRANGER(id=f"{hello.firmware_id:#010x}")
    if hello.protocol_major != PROTOCOL_MAJOR:
        return troubles.PROTOCOL(theirs=_protocol(hello), ours=OURS)
    if hello.protocol_minor == PROTOCOL_MINOR and hello.schema_hash != SCHEMA_HASH:
        return troubles.TABLE(theirs=f"{hello.schema_hash:08x}", ours=f"{SCHEMA_HASH:08x}")
    return None


def warning_for(hello: Hello) -> LinkTrouble | None:
    """What to say when the versions differ in a way that does no harm."""
    if hello.protocol_minor == PROTOCOL_MINOR:
        return None
    return troubles.PROTOCOL_MINOR(theirs=_protocol(hello), ours=OURS)


def _protocol(hello: Hello) -> str:
    return f"{hello.protocol_major}.{hello.protocol_minor}"


_RESETS = {
    ResetCause.WATCHDOG: troubles.HUNG,
    ResetCause.BROWN_OUT: troubles.BROWN_OUT,
    ResetCause.EXTERNAL: troubles.RESET,
    ResetCause.POWER_ON: troubles.POWERED,
}


def reset_trouble(hello: Hello) -> LinkTrouble:
    """Why the microcontroller restarted, and what to check."""
    kinds = [kind for cause, kind in _RESETS.items() if hello.reset_cause & cause]
    return (kinds or [troubles.RESTARTED])[0]()
