"""What a connection to the microcontroller can tell its owner."""

from dataclasses import dataclass

from firmware_bridge.framing import Frame
from firmware_bridge.messages import Command, CommandResult, Hello
from firmware_bridge.troubles import LinkTrouble


@dataclass(frozen=True, slots=True)
class Connected:
    """A microcontroller we can work with said who it is; streaming is being started.

    Attributes:
        hello: what it said.
        warning: when its version is not quite ours.
    """

    hello: Hello
    warning: LinkTrouble | None = None


@dataclass(frozen=True, slots=True)
class Rebooted:
    """The microcontroller started anew in mid-conversation; counts may have shifted.

    Attributes:
        hello: what it said after the start; `reset_cause` tells why.
        trouble: why, for people.
    """

    hello: Hello
    trouble: LinkTrouble


@dataclass(frozen=True, slots=True)
class Refused:
    """What answers is not a board for this version.

    Nothing more is said to it; if it is flashed and says Hello again, it is greeted.

    Attributes:
        trouble: which board it is and what to do, for people.
    """

    trouble: LinkTrouble


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Nobody answers, or nobody any more; we go on asking. Sent once per silence."""

    trouble: LinkTrouble


@dataclass(frozen=True, slots=True)
class Arrived:
    """A frame with samples or a heartbeat.

    Attributes:
        frame: as it came.
        device_us: its time in ticks that never wrap, from this boot on.
        host_s: the same in host time; None in the first moments, before the clock is known.
    """

    frame: Frame
    device_us: int
    host_s: float | None


@dataclass(frozen=True, slots=True)
class CommandDone:
    """A command was answered.

    Attributes:
        command: as it was sent, with its id.
        result: what the microcontroller made of it.
    """

    command: Command
    result: CommandResult


@dataclass(frozen=True, slots=True)
class CommandFailed:
    """A command was never answered, whether it was carried out or not."""

    command: Command
    trouble: LinkTrouble


Event = Connected | Rebooted | Refused | NoAnswer | Arrived | CommandDone | CommandFailed
