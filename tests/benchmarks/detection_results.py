"""What a run has found: a tally for each detector, kind of evening, preset, and die told or not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lab.twin.parameters import PRESETS
from tests.benchmarks.detection_figures import Miss, Tally, merged
from tests.benchmarks.detection_kinds import GROUPS, group_of
from tests.benchmarks.detection_limit import Limit

NOW, OFF, NAIVE = "now", "priors off", "naive"
"""Detectors; the one of an earlier commit is called after it."""


class Key(NamedTuple):
    """Which evenings, lived through by whom."""

    detector: str
    kind: str
    preset: str
    die: bool


@dataclass(slots=True)
class Results:
    """What a run has found.

    Attributes:
        tallies: of each `Key`.
        limits: of each preset: one rest, and three rests averaged.
        evenings: by detector and whether the die was told, each evening with its kind.
    """

    tallies: dict[Key, Tally] = field(default_factory=dict)
    limits: dict[str, tuple[Limit, Limit]] = field(default_factory=dict)
    evenings: dict[tuple[str, bool], list[tuple[str, Tally]]] = field(default_factory=dict)
    _put_together: dict[tuple[object, ...], Tally | None] = field(default_factory=dict)

    def add(self, key: Key, tally: Tally) -> None:
        """One more game."""
        self.tallies[key] = merged((self.tallies.get(key, Tally()), tally))
        self.evenings.setdefault((key.detector, key.die), []).append((key.kind, tally))
        self._put_together.clear()

    @property
    def detectors(self) -> list[str]:
        """All but the naive one, ours of today first."""
        return [
            each for each in dict.fromkeys(key.detector for key in self.tallies) if each != NAIVE
        ]

    @property
    def kinds(self) -> list[str]:
        """Kinds of evenings in the order in which they were played."""
        return list(dict.fromkeys(key.kind for key in self.tallies))

    @property
    def groups(self) -> list[str]:
        """Groups of kinds that were played."""
        played = {group_of(kind) for kind in self.kinds}
        return [group for group in GROUPS if group in played]

    @property
    def presets(self) -> list[str]:
        """Presets that were played."""
        played = {key.preset for key in self.tallies}
        return [preset for preset in PRESETS if preset in played]

    def of(
        self,
        detector: str,
        *,
        kind: str | None = None,
        group: str | None = None,
        preset: str | None = None,
        die: bool = True,
    ) -> Tally | None:
        """All that fits put together; None when there is nothing."""
        asked = (detector, kind, group, preset, die)
        if asked not in self._put_together:
            fitting = [
                tally
                for key, tally in self.tallies.items()
                if key.detector == detector
                and key.die == die
                and kind in (None, key.kind)
                and preset in (None, key.preset)
                and (group is None or group_of(key.kind) == group)
            ]
            self._put_together[asked] = merged(fitting) if fitting else None
        return self._put_together[asked]

    @property
    def misses(self) -> Iterator[tuple[bool, Miss]]:
        """Everything today's detector got wrong, with whether the die was told."""
        for key, tally in self.tallies.items():
            if key.detector == NOW:
                for miss in tally.misses:
                    yield key.die, miss


STRIP_KINDS = (
    "topple unseen",
    "wrong cell, silent",
    "missed",
    "topple invented",
    "invented",
    "kept a fallen piece",
)
"""What the film strip shows: what people find wrong on the screen and were not asked about."""


def film_strip(misses: Iterable[tuple[bool, Miss]], count: int) -> list[Miss]:
    """The misses most worth a look: of every sort and from many kinds of evenings.

    Args:
        misses: with whether the die was told; those without it are not shown.
        count: how many at most.
    """
    waiting = {
        sort: [miss for die, miss in misses if die and miss.kind == sort]
        for misses in [list(misses)]
        for sort in STRIP_KINDS
    }
    strip, shown = list[Miss](), dict[str, int]()
    while len(strip) < count and any(waiting.values()):
        for sort in STRIP_KINDS:
            if waiting[sort] and len(strip) < count:
                # The one from the kind of evening that has been shown least.
                miss = min(waiting[sort], key=lambda one: shown.get(one.run.game.kind, 0))
                waiting[sort].remove(miss)
                shown[miss.run.game.kind] = shown.get(miss.run.game.kind, 0) + 1
                strip.append(miss)
    return strip
