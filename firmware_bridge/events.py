"""What a connection to the microcontroller can tell its owner."""

from dataclasses import dataclass

from firmware_bridge.framing import Frame
from firmware_bridge.messages import Command, CommandResult, Hello


@dataclass(frozen=True, slots=True)
class Connected:
    """A microcontroller we can work with said who it is; streaming is being started.

    Attributes:
        hello: what it said.
        warning: a sentence when its version is not quite ours, else empty.
    """

    hello: Hello
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Rebooted:
    """The microcontroller started anew in mid-conversation; counts may have shifted.

    Attributes:
        hello: what it said after the start; `reset_cause` tells why.
        reason: a sentence for people.
    """

    hello: Hello
    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """What answers is not a board for this version.

    Nothing more is said to it; if it is flashed and says Hello again, it is greeted.

    Attributes:
        reason: which board it is and what to do, for people.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Nobody answers, or nobody any more; we go on asking. Sent once per silence."""

    reason: str


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
    reason: str


Event = Connected | Rebooted | Refused | NoAnswer | Arrived | CommandDone | CommandFailed
