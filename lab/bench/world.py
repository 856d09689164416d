"""The world of a case, drawn by its seed: what differs from table to table and must not matter.

A scenario says what happens. On which table it happens is left to chance in every scenario, not
only in those that are about it: how the board is built and how well its owner measured it, how the
inertial sensor is mounted and how far it is off, gain, sign and zero of each load cell, which
evening was played before, and after which turn the process is started again. Pure.
"""

from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from lab.bench.scenario import Case, Scenario
from lab.mock import living_parameters
from lab.twin.drawing import draw
from lab.twin.parameters import FourFloats, Preset, TwinParameters

DAY_S = 86_400.0
LONGEST_DAYS = 40.0
"""A table that is never switched off counts on for weeks, and a restart goes on from there."""

NUMBERS = (70_000, 1_000_000)
"""Numbers that neither one byte nor two can hold: of sensor events, moves, revisions, messages."""

ZONES = ("UTC0", "CHAT-12:45", "LINT-14", "NPT-5:45", "NST3:30", "HST10", "CET-1CEST")
"""Of all computers: no table of zones need be installed for these. The last has a summer time."""

RESTARTED = 0.5
"""Share of the cases in which the process is started again after one of the turns."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The evening that was played on this table before.

    Attributes:
        ended_s: table time at which it ended; days.
        last_id: number of its last sensor event.
        next_ref, rev, seq, games: the counters of the referee as it began.
    """

    ended_s: float
    last_id: int
    next_ref: int
    rev: int
    seq: int
    games: int


@dataclass(frozen=True, slots=True)
class World:
    """What chance decides about the surroundings of a case.

    Attributes:
        parameters: the tower, its sensors, and what its owner measured.
        earlier: the evening before.
        restart_after: the process is started again after so many turns; None for never.
        zone: where the table's computer believes to be, as in the environment variable TZ.
    """

    parameters: TwinParameters
    earlier: Earlier
    restart_after: int | None = None
    zone: str = "UTC0"


def world_of(case: Case) -> World:
    """The world of a case: another one for each scenario, value of a sweep, and seed."""
    scenario = case.scenario
    rng = np.random.default_rng([case.seed, crc32(case.id.encode())])
    table, earlier, restart = _table(rng, scenario), _earlier(rng), _restart(rng, scenario)
    return World(table, earlier, restart, ZONES[rng.integers(len(ZONES))])


def _table(rng: np.random.Generator, scenario: Scenario) -> TwinParameters:
    preset: Preset = "calm" if scenario.table == "quiet" else scenario.table
    found = draw(
        rng,
        preset,
        spread=scenario.drawn,
        turned_imu=True,
        inverted_cells=True,
        unlike_cells=True,
    )
    return quietened(found) if scenario.table == "quiet" else found


def quietened(table: TwinParameters) -> TwinParameters:
    """The same table with a good pivot, a steady hand, and sensors that hardly flicker."""
    quiet = living_parameters()
    body = {name: getattr(quiet.body, name) for name in ("friction_band_deg", "seat_step_mm")}
    steady = ("drift_g", "creep", "jitter_s", "missing", "glitch", "reset", "stray")
    scale = {name: getattr(quiet.scale, name) for name in steady}
    still = ("accel_noise_g", "gyro_noise_dps", "jitter_s", "missing")
    imu = {name: getattr(quiet.imu, name) for name in still}
    return replace(
        table,
        body=replace(table.body, **body),
        piece=replace(table.piece, mass_std_g=0.0),
        scale=replace(table.scale, noise_counts=_as_many_grams(table, quiet), **scale),
        imu=replace(table.imu, **imu),
        manners=quiet.manners,
    )


def _as_many_grams(table: TwinParameters, quiet: TwinParameters) -> FourFloats:
    """Counts of noise that weigh as much as those of the quiet table, whatever the gain."""
    noise_g = np.divide(quiet.scale.noise_counts, quiet.scale.counts_per_gram)
    a, b, c, d = np.abs(noise_g * table.scale.counts_per_gram).tolist()
    return a, b, c, d


def _earlier(rng: np.random.Generator) -> Earlier:
    ended_s = float(rng.uniform(DAY_S, LONGEST_DAYS * DAY_S))
    last_id, next_ref, rev, seq = (int(number) for number in rng.integers(*NUMBERS, 4))
    return Earlier(ended_s, last_id, next_ref, rev, seq, games=int(rng.integers(256, 999)))


def _restart(rng: np.random.Generator, scenario: Scenario) -> int | None:
    """After which turn, where nothing else happens to the table that a restart would spoil."""
    wanted, after = rng.random() < RESTARTED, int(rng.integers(1, 9))
    turns = sum(len(step.turns or ()) for step in scenario.steps)
    return 1 + after % (turns - 1) if wanted and turns > 1 and scenario.can_restart else None
