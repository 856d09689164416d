"""The configuration of each variant: pins and source as `controller.common.config` reads them."""

from typing import Any

from controller.common import config
from controller.common.errors import BadConfig
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
    """A configuration that this version accepts.

    A source that this version does not know yet leaves the simulated tower in its place, and the
    pins as comments.
    """
    wired = _text(plan, name, SOURCE_KINDS[name], known=True)
    try:
        config.parse(wired)
    except BadConfig:
        return _text(plan, name, "twin", known=False)
    return wired


def _text(plan: Plan, name: str, kind: str, *, known: bool) -> str:
    lines = [
        f"# {plan.variants[name].title}: topple-table run --config config.toml",
        "# Made from ../pins.yaml by `make schematics`: change it there.",
        "",
        "[source]",
    ]
    if not known:
        lines += [
            (
                "# This version cannot read such a table yet (it would be "
                f'kind = "{SOURCE_KINDS[name]}"), so here is the simulated one.'
            )
        ]
    lines += [f'kind = "{kind}"']
    lines += REAL.get(kind, ())
    pins = [f"{key} = {_toml(key, value)}" for key, value in pi_pins(plan, name).items()]
    if pins:
        mark = "" if known else "# "
        lines += ["", *(mark + line for line in ("[source.pi]", *pins))]
    return "\n".join(lines) + "\n"


def _toml(key: str, value: Any) -> str:
    return f"0x{value:02x}" if key == "imu_address" else str(value)
