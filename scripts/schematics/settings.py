"""The configuration of each variant: pins and source as `controller/common/config.py` reads it."""

from typing import Any

from scripts.schematics.plan import Plan

SOURCE_KINDS = {"bridge": "bridge", "direct": "pi", "starter": "pi"}
I2C_BUS = 1
"""GPIO2 and GPIO3 are bus 1 on every Raspberry Pi with 40 contacts."""

CALIBRATION = 'calibration = "calibration.json"    # relative to this file'
REAL = {
    "bridge": (CALIBRATION, 'port = ""    # the only serial device there is, or its path'),
    "pi": (CALIBRATION,),
}
"""What a real source needs besides its kind."""

SINGLE = {
    "TILT": "tilt_switch",
    "BUTTON_PASS": "pass_button",
    "BUTTON_UNDO": "undo_button",
    "BUTTON_BUMPED": "bumped_button",
    "BUZZER": "buzzer",
}
ROWS = {"DOUT": "hx711_data", "SCK": "hx711_clock", "LIGHT": "lights"}


def pi_pins(plan: Plan, name: str) -> dict[str, Any]:
    """The keys of `[source.pi]`: BCM numbers by the name of what they drive."""
    variant = plan.variants[name]
    bcm = {
        wire.signal: int(wire.pi.removeprefix("GPIO"))
        for wire in variant.wires
        if wire.pi.startswith("GPIO")
    }
    keys: dict[str, Any] = {
        key: pins
        for row, key in ROWS.items()
        if (pins := [bcm[signal] for signal in sorted(bcm) if signal.rstrip("0123456789") == row])
    }
    keys |= {key: bcm[signal] for signal, key in SINGLE.items() if signal in bcm}
    if not variant.panel:
        keys |= {key: 0 for signal, key in SINGLE.items() if signal not in bcm} | {"lights": []}
    addresses = [part.address for part in variant.parts.values() if part.address is not None]
    if "SDA" in bcm and addresses:
        keys |= {"i2c_bus": I2C_BUS, "imu_address": addresses[0]}
    return keys


def snippet(plan: Plan, name: str) -> str:
    """The configuration of a variant, as `topple-table run` takes it."""
    kind = SOURCE_KINDS[name]
    pins = [f"{key} = {_toml(key, value)}" for key, value in pi_pins(plan, name).items()]
    lines = [
        f"# {plan.variants[name].title}: topple-table run --config config.toml",
        "# Made from ../pins.yaml by `make schematics`: change it there.",
        "",
        "[source]",
        f'kind = "{kind}"',
        *REAL[kind],
        *(["", "[source.pi]", *pins] if pins else []),
    ]
    return "\n".join(lines) + "\n"


def _toml(key: str, value: Any) -> str:
    return f"0x{value:02x}" if key == "imu_address" else str(value)
