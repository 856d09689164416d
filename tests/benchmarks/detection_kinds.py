"""Kinds of evenings that detection is measured on: usual people, other people, odd tables.

People have no more to do with the detector than a table has: `lab.people.ways` and the
changes below are known to the simulated tower only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

from hw.building.measures import STANDARD, Measures
from lab.fit.fitted import drawn_owner
from lab.people.ways import USUAL, WAYS, Ways, drawn
from lab.twin.faults import FaultKind, InjectedFault
from lab.twin.parameters import TwinParameters
from tests.hw.building.games import TRAVEL, WOODEN

USUAL_PEOPLE, OTHER_PEOPLE, ODD, PUBLIC = "usual people", "other people", "odd tables", "public"
OTHER_GAMES = "other games"
GROUPS = (PUBLIC, USUAL_PEOPLE, OTHER_PEOPLE, ODD, OTHER_GAMES)

CLOTH_SINK_MM = 1.0
"""A folded tablecloth under a table of 0.9 kg on four feet."""

Change = Callable[[TwinParameters], TwinParameters]


@dataclass(frozen=True, slots=True)
class OddTable:
    """A table that is not as our drawings want it.

    Attributes:
        change: of the drawn table.
        faults: what goes wrong on the way.
    """

    change: Change = lambda table: table
    faults: tuple[InjectedFault, ...] = ()


def _scale(**changes: Any) -> OddTable:
    return OddTable(lambda table: replace(table, scale=replace(table.scale, **changes)))


def _imu(**changes: Any) -> OddTable:
    return OddTable(lambda table: replace(table, imu=replace(table.imu, **changes)))


def _body(**changes: Any) -> OddTable:
    return OddTable(lambda table: replace(table, body=replace(table.body, **changes)))


def _noisy_imu(table: TwinParameters) -> TwinParameters:
    imu = table.imu
    louder = replace(
        imu, accel_noise_g=5 * imu.accel_noise_g, gyro_noise_dps=5 * imu.gyro_noise_dps
    )
    return replace(table, imu=louder)


ODD_TABLES: Mapping[str, OddTable] = {
    "10 samples a second": _scale(rate_hz=10.0),
    "a cell five times noisier": OddTable(
        faults=(InjectedFault(FaultKind.NOISY, 5, cell=1, size=5),)
    ),
    "a cell dead from 120 s": OddTable(faults=(InjectedFault(FaultKind.DEAD_CELL, 120.0, cell=2),)),
    "gain drifts 1 % in ten minutes": _scale(gain_drift=0.01 / 600),
    "inertial sensor at 100 Hz": _imu(rate_hz=100.0),
    "inertial sensor five times noisier": OddTable(_noisy_imu),
    "soft tablecloth": _body(cloth_sink_mm=CLOTH_SINK_MM),
    "friction 0.6 degrees": _body(friction_band_deg=0.6),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of evening.

    Attributes:
        group: one of `GROUPS`.
        ways: of the people; None draws them anew for each table.
        game: on its own table.
    """

    name: str
    group: str
    ways: Ways | None = USUAL
    odd: OddTable = OddTable()
    game: Measures = STANDARD

    def people(self, seed: int) -> Ways:
        """The people of one evening."""
        return drawn(Random(seed)) if self.ways is None else self.ways


KINDS: Sequence[Kind] = (
    Kind("usual", USUAL_PEOPLE),
    *(Kind(name, OTHER_PEOPLE, ways) for name, ways in WAYS.items() if name != "usual"),
    Kind("drawn", OTHER_PEOPLE, None),
    *(Kind(name, ODD, USUAL, odd) for name, odd in ODD_TABLES.items()),
    Kind("travel edition", OTHER_GAMES, game=TRAVEL),
    Kind("large wooden game", OTHER_GAMES, game=WOODEN),
)


FITTED = "fitted table"
MEASURED = "measured game"


def measured_kind(game: Measures) -> Kind:
    """Usual people at a table for the game of one file of measures."""
    return Kind(MEASURED, OTHER_GAMES, game=game)


def fitted_kind(twin: TwinParameters) -> Kind:
    """Usual people at the twin of one real table, each evening with an owner who measured anew."""

    def owned(drawn_table: TwinParameters) -> TwinParameters:
        # The drawn table is left aside; it differs from evening to evening, as the owners do.
        seed = [abs(round(counts)) for counts in drawn_table.scale.tare_counts]
        return drawn_owner(twin, np.random.default_rng(seed))

    return Kind(FITTED, ODD, USUAL, OddTable(owned))


def group_of(name: str) -> str:
    """The group of a kind; the public games are a group of their own."""
    if name in {FITTED, MEASURED}:
        return ODD if name == FITTED else OTHER_GAMES
    return next((kind.group for kind in KINDS if kind.name == name), PUBLIC)
