"""Queues that keep samples and events in order of time until they are due."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Generic, TypeVar

import numpy as np

from engine.events import HumanInput
from engine.samples import ImuSamples, ScaleSamples, SensorReport, SwitchSample
from hw.source import Item, item_time_s

Event = HumanInput | SwitchSample | SensorReport

Block = TypeVar("Block", bound=ScaleSamples | ImuSamples)

_COLUMNS: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind)) for kind in (ScaleSamples, ImuSamples)
}


class BlockQueue(Generic[Block]):
    """Blocks of one sensor, in order of time, never overlapping."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []

    def __bool__(self) -> bool:
        """True while samples wait."""
        return bool(self._blocks)

    def put(self, new: Block) -> None:
        """Add a block that is sorted in itself; samples that stand in its way are merged."""
        if not len(new.t_s):
            return
        before = self.take(float(new.t_s[0]))
        after = [joined([*self._blocks, new])] if self._blocks else [new]
        self._blocks = before + after

    def take(self, until_s: float) -> list[Block]:
        """Take out everything up to and including `until_s`."""
        due: list[Block] = []
        rest: list[Block] = []
        for block in self._blocks:
            if block.t_s[-1] <= until_s:
                due.append(block)
            elif block.t_s[0] > until_s:
                rest.append(block)
            else:
                count = int(np.searchsorted(block.t_s, until_s, side="right"))
                due.append(cut(block, slice(None, count)))
                rest.append(cut(block, slice(count, None)))
        self._blocks = rest
        return due

    def clear(self) -> None:
        """Forget everything that waits."""
        self._blocks = []


class ItemQueue:
    """All that a source holds back until it is asked for, in the order of `SampleSource`."""

    def __init__(self) -> None:
        self.scale = BlockQueue[ScaleSamples]()
        self.imu = BlockQueue[ImuSamples]()
        self._events: list[Event] = []

    def __bool__(self) -> bool:
        """True while anything waits."""
        return bool(self.scale or self.imu or self._events)

    def put_events(self, events: Iterable[Event]) -> None:
        """Add events in any order; those of one time keep theirs."""
        self._events = sorted([*self._events, *events], key=lambda event: event.t_s)

    def take(self, until_s: float) -> list[Item]:
        """Take out everything up to and including `until_s`, blocks cut at the events."""
        items: list[Item] = []
        due = [event for event in self._events if event.t_s <= until_s]
        self._events = self._events[len(due) :]
        for event in due:
            items += [*self._samples(event.t_s), event]
        return [*items, *self._samples(until_s)]

    def _samples(self, until_s: float) -> list[Item]:
        """Blocks of both sensors up to `until_s`, neither further ahead than it must be."""
        blocks: list[Item] = [*self.scale.take(until_s), *self.imu.take(until_s)]
        return sorted(blocks, key=item_time_s)

    def clear(self) -> None:
        """Forget everything that waits."""
        self.scale.clear()
        self.imu.clear()
        self._events = []


def cut(block: Block, part: slice) -> Block:
    """Part of a block; a view, nothing is copied."""
    return type(block)(*(getattr(block, name)[part] for name in _COLUMNS[type(block)]))


def joined(blocks: list[Block]) -> Block:
    """One block of several, sorted by time."""
    order = np.argsort(np.concatenate([block.t_s for block in blocks]), kind="stable")
    columns = [
        np.concatenate([getattr(block, name) for block in blocks])[order]
        for name in _COLUMNS[type(blocks[0])]
    ]
    return type(blocks[0])(*columns)
