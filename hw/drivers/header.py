"""The pins of the 40-pin header that the load cells are on, by Blinka."""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from hw.drivers.cells import Untaken, Wire
from hw.drivers.libraries import not_installed, quiet_blinka
from hw.drivers.line_pins import quick_input, quick_output
from hw.drivers.pin_holders import pin_trouble
from hw.errors import NoPins


@dataclass(frozen=True, slots=True)
class HeaderWires:
    """Takes DOUT and PD_SCK of each cell, by BCM number; PD_SCK low, so that the chips have power.

    It can be sent to the process that is to hold the pins.
    """

    data: tuple[int, ...]
    clock: tuple[int, ...]

    def __call__(self, stack: ExitStack) -> list[Wire | Untaken]:
        """Take the pins of each cell; of one that cannot be had, say why and how to try again.

        Raises:
            NoPins: this machine has none, or none of the cells' is for us.
        """
        self._load()
        wires = [self._take(number, stack) for number in range(len(self.data))]
        refused = [wire for wire in wires if isinstance(wire, Untaken)]
        if len(refused) == len(wires):
            raise NoPins(refused[0].trouble.sentence)
        return wires

    def _load(self) -> None:
        quiet_blinka()
        try:
            # Blinka needs it on every Pi; its own message ends in a command that we do not want.
            import gpiod  # noqa: F401, I001, PLC0415
            import board  # noqa: F401, PLC0415
            import digitalio  # noqa: F401, PLC0415
        except ImportError as error:
            raise NoPins(not_installed(error, "pi")) from None
        except Exception as error:
            # Blinka raises NotImplementedError, RuntimeError and more, by board.
            raise NoPins(not_ours(error)) from error

    def _take(self, number: int, stack: ExitStack) -> Wire | Untaken:
        """Both pins of a cell, or neither."""
        from digitalio import Direction, Pull  # noqa: PLC0415

        place = "hx711_data", self.data[number]
        with ExitStack() as taking:
            try:
                data = _pin(self.data[number], taking)
                # Without it the pin of an unplugged cell floats and seems to be there.
                data.switch_to_input(Pull.UP)
                place = "hx711_clock", self.clock[number]
                clock = _pin(self.clock[number], taking)
                clock.direction = Direction.OUTPUT
            except Exception as error:  # noqa: BLE001 - the kernel's, and whatever Blinka raises
                trouble = pin_trouble(place[1], f"source.pi.{place[0]}[{number}]", error)
                return Untaken(trouble, lambda: self._take(number, stack))
            stack.push(taking.pop_all())
        return quick_input(data), quick_output(clock)


def _pin(number: int, stack: ExitStack) -> Any:
    import board  # noqa: PLC0415
    from digitalio import DigitalInOut  # noqa: PLC0415

    taken = DigitalInOut(getattr(board, f"D{number}"))
    stack.callback(taken.deinit)
    return taken


def not_ours(error: Exception) -> str:
    """Pins that cannot be taken, as a person reads it."""
    return (
        f"the pins cannot be used ({error or type(error).__name__}); this must run on a Raspberry "
        "Pi, as a user of the group gpio, and no other program may hold the pins"
    )
