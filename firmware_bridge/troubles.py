"""What is wrong with port, line, board and inertial chip: codes with arguments, and in English.

The same as `engine.trouble`, which this package does not know; `hw.serial` makes the one of the
other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LinkTrouble:
    """Something that people should see to.

    Attributes:
        code: for programs; empty for a sentence without one.
        english: the sentence, with `{name}` for each of `args`; without `args` as it stands.
        args: what is filled in.
    """

    code: str
    english: str
    args: Mapping[str, str | int | float] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """What is wrong and what to check next, in English."""
        return self.english.format_map(self.args) if self.args else self.english


@dataclass(frozen=True, slots=True)
class LinkKind:
    """A kind of trouble: called with what its sentence has gaps for, it makes one."""

    code: str
    english: str

    def __call__(self, **args: str | float) -> LinkTrouble:
        """A trouble of this kind."""
        return LinkTrouble(self.code, self.english, args)


GONE = LinkKind("mcu_gone", "{port} went away ({error}). Check the USB plug; we keep trying.")
NOT_THERE = LinkKind(
    "mcu_not_there",
    "{port} is not there. Check the USB plug and the name in the configuration.",
)
DENIED = LinkKind(
    "mcu_denied",
    "No permission for {port}. Add the user to the group dialout and log in again.",
)
BUSY = LinkKind(
    "mcu_busy",
    "{port} is in use by another program (Arduino IDE, a second topple-table?). This shows which: "
    "sudo fuser -v {port}",
)
HELD = LinkKind("mcu_held", "{port} is in use by {program}. Close that program; we keep trying.")
FORBIDDEN = LinkKind(
    "mcu_closed", "{port} is closed to this program by its service. Restart the service."
)
UNOPENED = LinkKind("mcu_unopened", "{port} cannot be opened: {error}")
NONE = LinkKind(
    "mcu_none",
    "No serial device in {folder}. Plug the microcontroller in; with a charge-only cable it lights "
    "up but does not appear here.",
)
SEVERAL = LinkKind(
    "mcu_several", "{n} serial devices: {names}. Name the right one in the configuration."
)
NONE_GREETS = LinkKind(
    "mcu_none_greets",
    "No microcontroller of ours greets on {names}; nothing was sent there. If one of them is "
    "the board, write the firmware: topple-table firmware flash --port NAME",
)

DEAF = LinkKind(
    "mcu_deaf",
    "No answer to {command} in {n} tries; the line to the microcontroller loses too much",
)
QUIET = LinkKind(
    "mcu_quiet",
    "Nothing answered in {seconds} s. Is the firmware on the board (topple-table firmware flash), "
    "and is it the right port?",
)
BABBLE = LinkKind(
    "mcu_babble",
    "{n} bytes came in {seconds} s but no HELLO. Another device, another baud rate (ours is "
    "250000), or a bad cable: check the port, then flash the firmware.",
)
RESTARTED_FIRST = LinkKind(
    "mcu_restarted_first", "The microcontroller restarted before it answered"
)
CLOSED_HERE = LinkKind("mcu_closed_here", "This program has closed the port")
SAYS_NOTHING = LinkKind(
    "mcu_says_nothing",
    "The microcontroller has said nothing for {seconds} s although its port is open. Check its "
    "power light and the USB plug; we keep asking.",
)

STRANGER = LinkKind(
    "mcu_stranger",
    "A device answers, but it is not a Topple Table board (id {id}). Check the port in the "
    "configuration.",
)
PROTOCOL = LinkKind(
    "mcu_protocol",
    "The board speaks protocol {theirs}, we speak {ours}. Flash the firmware that came with this "
    "version: topple-table firmware flash",
)
PROTOCOL_MINOR = LinkKind(
    "mcu_protocol_minor",
    "The board speaks protocol {theirs}, we speak {ours}; it works, but flash it when convenient",
)
TABLE = LinkKind(
    "mcu_table",
    "The board was built from another table of messages ({theirs}, ours is {ours}). Build and "
    "flash it again: topple-table firmware flash",
)

HUNG = LinkKind(
    "mcu_hung",
    "The microcontroller restarted: its program hung, the watchdog restarted it; report it if that "
    "repeats",
)
BROWN_OUT = LinkKind(
    "mcu_brown_out",
    "The microcontroller restarted: its supply dipped; try another USB cable or a powered hub",
)
RESET = LinkKind(
    "mcu_reset",
    "The microcontroller restarted: its reset line was pulled; is another program opening the "
    "port?",
)
POWERED = LinkKind(
    "mcu_powered", "The microcontroller restarted: it lost power; check the USB plug"
)
RESTARTED = LinkKind(
    "mcu_restarted",
    "The microcontroller restarted and does not know why; check its supply",
)

IMU_VARIANT = LinkKind("imu_variant", "It says it is a {name} ({who}); that one works too")
IMU_UNKNOWN_CHIP = LinkKind(
    "imu_unknown_chip",
    "The inertial sensor says it is {who}, which is none of the chips that are known to work; it "
    "is tried",
)
