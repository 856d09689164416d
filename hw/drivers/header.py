"""The pins of the 40-pin header that the load cells are on, by Blinka."""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from hw.drivers.hx711 import ClockOutput, DataInput
from hw.drivers.libraries import not_installed, quiet_blinka
from hw.errors import NoPins


@dataclass(frozen=True, slots=True)
class HeaderWires:
    """Takes DOUT and PD_SCK of each cell, by BCM number; PD_SCK low, so that the chips have power.

    It can be sent to the process that is to hold the pins.
    """

    data: tuple[int, ...]
    clock: tuple[int, ...]

    def __call__(self, stack: ExitStack) -> list[tuple[DataInput, ClockOutput]]:
        """Take the pins.

        Raises:
            NoPins: this machine has none, or they are not for us.
        """
        quiet_blinka()
        try:
            # Blinka needs it on every Pi; its own message ends in a command that we do not want.
            import gpiod  # noqa: F401, I001, PLC0415
            import board  # noqa: PLC0415
            from digitalio import DigitalInOut, Direction, Pull  # noqa: PLC0415
        except ImportError as error:
            raise NoPins(not_installed(error, "pi")) from None
        except Exception as error:
            # Blinka raises NotImplementedError, RuntimeError and more, by board.
            raise NoPins(not_ours(error)) from error

        def pin(number: int) -> Any:
            taken = DigitalInOut(getattr(board, f"D{number}"))
            stack.callback(taken.deinit)
            return taken

        def data(number: int) -> Any:
            taken = pin(number)
            # Without it the pin of an unplugged cell floats, and is taken for one that is there.
            taken.switch_to_input(Pull.UP)
            return taken

        def clock(number: int) -> Any:
            taken = pin(number)
            taken.direction = Direction.OUTPUT
            return taken

        try:
            return [
                (data(dout), clock(sck)) for dout, sck in zip(self.data, self.clock, strict=True)
            ]
        except Exception as error:
            raise NoPins(not_ours(error)) from error


def not_ours(error: Exception) -> str:
    """Pins that cannot be taken, as a person reads it."""
    return (
        f"the pins cannot be used ({error or type(error).__name__}); this must run on a Raspberry "
        "Pi, as a user of the group gpio, and no other program may hold the pins"
    )
