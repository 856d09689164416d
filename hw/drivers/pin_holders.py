"""Says of a pin that cannot be had who holds it, by the name that its holder gave the kernel."""

from pathlib import Path

from engine.trouble import Trouble
from hw.troubles import PIN_HELD, PIN_REFUSED

AGAIN_S = 10.0
"""Pins are tried again after so long: another program that is just ending has let go by then."""

DEVICES = Path("/dev")
HEADER = "pinctrl-"
"""How the chips of a Pi's header are labelled: pinctrl-bcm2711, pinctrl-rp1."""


def pin_trouble(pin: int, key: str, error: Exception) -> Trouble:
    """A pin, by BCM number, that cannot be had; `key` names it in `[source.pi]`."""
    said = " ".join(str(error).split()) or type(error).__name__
    if holder := holder_of_pin(pin):
        return PIN_HELD(pin=pin, key=key, holder=holder)
    return PIN_REFUSED(pin=pin, key=key, error=said)


def holder_of_pin(pin: int, devices: Path | None = None) -> str:
    """Driver or program that holds a pin; empty when nobody does, or it cannot be seen."""
    for device in sorted((devices or DEVICES).glob("gpiochip*")):
        try:
            if holder := _on_chip(str(device), pin):
                return holder
        except Exception:  # noqa: BLE001, S112 - gpiod raises what it likes; it only helps to explain
            continue
    return ""


def _on_chip(device: str, pin: int) -> str:
    import gpiod  # noqa: PLC0415 - only where there are pins

    chip = gpiod.Chip(device)
    try:
        if not chip.get_info().label.startswith(HEADER):
            return ""
        line = chip.get_line_info(pin)
        return (line.consumer or "?") if line.used else ""
    finally:
        chip.close()
