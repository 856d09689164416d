"""What a running table hands over to be kept, and what it asks about that."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from controller.table.pipeline import Output
from engine.trouble import Trouble
from hw.source import Item


class JournalWriter(Protocol):
    """Where decisions are kept before anybody sees them."""

    def write(self, output: Output) -> None:
        """Make `output` durable; returns when it is."""

    def tend(self) -> None:
        """Called in each step, so that what need not be durable at once becomes it in time."""

    @property
    def trouble(self) -> Trouble | None:
        """That there is hardly room left, and what to do; None when there is."""


class StoredPlaces(Protocol):
    """Where the files of a table lie."""

    def watched(self, now_s: float) -> Mapping[str, Trouble]:
        """What is wrong with these places, by what lies there; `now_s` is steady time."""


class EveningRecorder(Protocol):
    """What records the evening; it never waits and never fails."""

    @property
    def on(self) -> bool | None:
        """Whether it does; None for a table that cannot."""

    @property
    def trouble(self) -> Trouble | None:
        """Why parts of the recording are missing, and what to check; None when none are."""

    def write(self, items: Sequence[Item]) -> None:
        """Take what sensors and people said since the last step."""

    def switch(self, on: bool) -> None:
        """Begin or end to record."""


class NullRecorder:
    """A tape that records nothing."""

    on, trouble = None, None

    def write(self, items: Sequence[Item]) -> None:
        """Record nothing."""

    def switch(self, on: bool) -> None:
        """There is nothing to switch."""


class NullJournal:
    """A journal that keeps nothing."""

    trouble = None

    def write(self, output: Output) -> None:
        """Keep nothing."""

    def tend(self) -> None:
        """There is nothing to tend."""
