"""The film of a topple: against the simulated tower's own tilt, and when there is none."""

import math
from itertools import pairwise

import msgspec
import numpy as np
import pytest

from controller.app.wiring import pipeline
from controller.table.film import AFTER_S, BEFORE_S, KEPT_S, Film, FilmReel, Toppling
from controller.table.keepers import NullJournal
from controller.table.loop import LiveTable
from controller.table.publisher import Announcer, Identity
from engine.detect.front.ticks import TICK_S
from engine.scoreboard import Scoreboard
from lab.people.simulation import SimulatedEvening
from tests.controller import evenings
from tests.controller.evenings import PLACED, START, TABLETOP, Wire, samples, still

STEP_S = 0.05
LONGEST_S = 900.0
FRAMES = round((BEFORE_S + AFTER_S) / TICK_S)


class Watched:
    """An evening on the simulated tower until its first film, with the tower's own tilt."""

    def __init__(self, seed: int) -> None:
        self.wire, evening = Wire(), SimulatedEvening.begin(seed, "normal", players=2)
        identity = Identity("t1", "boot-1", simulated=True)
        self.boards: list[Scoreboard] = []
        self.true_deg: list[float] = []
        table = LiveTable(
            evening, pipeline(evening.tabletop), NullJournal(), Announcer(self.wire, identity),
            identity, listener=lambda _outcome, board: self.boards.append(board),
        )  # fmt: skip
        table.open(0.0)
        while "film" not in self.wire.rows():
            now_s = (len(self.true_deg) + 1) * STEP_S
            assert now_s < LONGEST_S, "nothing fell"
            table.step(now_s, now_s)
            self.true_deg.append(math.degrees(evening.tower.board.tilt_rad))
        self.film = msgspec.json.decode(self.wire.sent[-1].payload, type=Film)


@pytest.fixture(scope="module", params=[2, pytest.param(3, marks=pytest.mark.slow)])
def watched(request: pytest.FixtureRequest) -> Watched:
    return Watched(int(request.param))


@pytest.mark.slow
def test_a_film_shows_how_the_board_really_hung(watched: Watched) -> None:
    seen = np.array([math.hypot(*pair) for pair in watched.film.tilt_deg])[
        :: round(STEP_S / TICK_S)
    ]
    true = np.array(watched.true_deg)
    # When the table had the last sample of it is not known to the second; the curve is found again.
    fits = [np.abs(true[at : at + len(seen)] - seen) for at in range(len(true) - len(seen) + 1)]
    best = min(fits, key=np.mean)

    assert np.mean(best) < 0.3
    assert watched.film.steepest_deg == pytest.approx(true[-len(seen) - 200 :].max(), abs=1.0)


@pytest.mark.slow
def test_a_film_has_frames_of_equal_length_and_few_bytes(watched: Watched) -> None:
    film = watched.film

    assert FRAMES - 2 <= len(film.tilt_deg) == len(film.mass_g) <= FRAMES
    assert film.every_s == TICK_S
    assert film.jolt_s == pytest.approx(BEFORE_S, abs=2 * TICK_S)
    assert 0 < film.hope_s <= AFTER_S
    assert len(watched.wire.sent[-1].payload) < 8_000
    assert watched.wire.sent[-1].retain


def test_a_film_belongs_to_the_topple_and_holds_what_stood_before(watched: Watched) -> None:
    film = watched.film
    before, after = next(
        (one, other)
        for other, one in pairwise(reversed(watched.boards))
        if other.phase == "clear" and one.phase != "clear"
    )

    assert film.game == after.game
    assert after.last is not None
    assert film.player == after.last.player
    stacks = {cell: tuple(p.colour for p in stack) for cell, stack in before.board.items()}
    assert film.before.stacks == stacks
    assert film.before.players == {player.name: player.colours for player in before.players}


def shown() -> Scoreboard:
    """A board in a game."""
    evening = evenings.Evening(START, samples(5.0), events=(PLACED,))
    evening.step(6.0)
    return evening.table.board


def test_there_is_no_film_while_nothing_fell_and_none_before_its_last_sample() -> None:
    reel = FilmReel(TABLETOP)
    for second in range(20):
        reel.samples(still(second, second + 1.0))
    before = reel.take()
    reel.toppled(Toppling(18.0, 7, "Ann", "placing", shown()))
    early = reel.take()
    reel.samples(still(20.0, 21.5))
    film = reel.take()

    assert before is None
    assert early is None
    assert film is not None
    assert (film.seq, film.player, film.steepest_deg) == (7, "Ann", 0.0)
    assert reel.take() is None


@pytest.mark.parametrize(
    ("has_imu", "at_s"), [(False, 15.0), (True, 10.0)], ids=["no sensor", "its samples are gone"]
)
def test_a_topple_without_samples_of_the_inertial_sensor_has_no_film(
    has_imu: bool, at_s: float
) -> None:
    reel = FilmReel(TABLETOP)
    for second in range(60):
        reel.samples(still(second, second + 1.0) if has_imu else samples(float(second)))
    reel.toppled(Toppling(at_s, 7, "Ann", "placing", shown()))

    assert reel.take() is None
    assert len(reel._kept) <= KEPT_S + 2
