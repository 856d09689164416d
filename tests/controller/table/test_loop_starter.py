"""A whole round on a starter table: it weighs, people tap where each piece went, the score is true.

The table hears the answers as commands, as from a phone; nothing else is told to it.
"""

import json
import random
from typing import Any

import pytest

from controller.app import wiring
from controller.mqtt.client import Message
from controller.table.keepers import NullJournal
from controller.table.loop import LiveTable
from controller.table.publisher import Announcer, Identity
from engine.events import HumanInput
from engine.games.contract import Action
from engine.referee import Outcome
from engine.scoreboard import Scoreboard
from hw.source import Item
from lab.people.players import People
from lab.people.simulation import SimulatedEvening
from tests.controller.evenings import Wire

STEP_S = 0.25
THINKING_S = 2.5


class Phone:
    """Somebody at the table who taps the cell of each piece, once, on the phone."""

    def __init__(self, evening: SimulatedEvening) -> None:
        self.happened_s: dict[int, float] = {}
        self.taps = 0
        self._evening = evening
        self._asked: tuple[str, float] = ("", 0.0)

    def heard(self, outcome: Outcome, _board: Scoreboard) -> None:
        ref = outcome.data.get("ref")
        if outcome.type in ("placed", "toppled") and ref is not None:
            self.happened_s[int(ref)] = outcome.t_s

    def look(self, board: Scoreboard, now_s: float) -> dict[str, Any] | None:
        question = board.pending
        if question is None:
            return None
        if question.id != self._asked[0]:
            self._asked = (question.id, now_s + THINKING_S)
        if now_s != self._asked[1]:
            return None
        about_s = self.happened_s.get(question.ref or 0, now_s)
        options = tuple(option.value for option in question.options)
        value = self._evening.people.answer(question.kind, about_s, options)
        if value is None:
            return None
        self.taps += 1
        command = {"v": 1, "id": f"tap-{self.taps}", "client": "phone", "rev": board.rev}
        return command | {"data": {"question": question.id, "value": value}}


class Round:
    """A starter evening at a live table."""

    def __init__(
        self, seed: int, preset: Any, evening: SimulatedEvening | None = None, masses: Any = None
    ) -> None:
        self.evening = evening or SimulatedEvening.begin(
            seed, preset, players=2, two_colours=False, target=40, starter=True
        )
        self.phone, self.wire = Phone(self.evening), Wire()
        me = Identity("t1", "boot-1", simulated=True)
        chance = random.Random(seed).random
        self.table = LiveTable(
            self.evening, wiring.pipeline(self.evening.tabletop, chance=chance, masses=masses),
            NullJournal(),
            Announcer(self.wire, me), me, listener=self.phone.heard,
        )  # fmt: skip
        self.table.open(0.0)
        self.now_s = 0.0

    def play(self, until_s: float) -> None:
        while self.now_s < until_s:
            self.now_s += STEP_S
            tap = self.phone.look(self.table.board, self.now_s)
            if tap is not None:
                payload = json.dumps(tap).encode()
                self.table.receive(Message("topple/1/t1/cmd/answer", payload, retained=False))
            self.table.step(self.now_s, self.now_s)

    def play_to_the_end(self) -> None:
        while not self.evening.people.done:
            self.play(self.now_s + 1.0)
        # The last questions are answered, one after the other.
        self.play(self.now_s + 3 * THINKING_S)

    def truth(self, kind: str) -> list[dict[str, Any]]:
        return [entry for entry in self.evening.truth() if entry["type"] == kind]

    @property
    def scores(self) -> dict[str, int | None]:
        return {player.name: player.score for player in self.table.board.players}

    @property
    def status(self) -> Any:
        return self.wire.last("status")


@pytest.mark.slow
def test_a_whole_round_tapped_on_the_phone_has_the_true_score() -> None:
    """Eighteen pieces, a bump that brings all down, the board cleared: seed 3, 111 seconds."""
    played = Round(3, "calm")
    played.play(111.0)
    placed = played.truth("place")
    pieces = len(placed)
    # After a one the die says where the piece lies.
    on_c3 = sum(entry["cell"] == "c3" for entry in placed)

    assert pieces >= 18
    assert len(played.truth("topple")) == 1
    assert played.phone.taps >= pieces - on_c3 - 1
    assert played.scores == dict(played.evening.people.scores)
    assert any(score for score in played.scores.values())
    assert not any(played.table.board.board.values())
    assert (played.status["phase"], played.status["troubles"]) == ("ready", [])


@pytest.mark.soak
@pytest.mark.parametrize("preset", ["calm", "normal"])
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_whole_game_tapped_on_the_phone_has_the_true_score(preset: str, seed: int) -> None:
    """Five to twenty minutes each, 1446 pieces together."""
    played = Round(seed, preset)
    played.play_to_the_end()

    assert played.scores == dict(played.evening.people.scores)
    assert played.table.board.phase == "over"
    assert played.table.board.pending is None


def test_a_starter_is_well_with_one_cell_and_no_inertial_sensor() -> None:
    played = Round(4, "calm")
    played.play(12.0)
    health = played.wire.last("health")

    assert set(health["sensors"]) == {"scale"}
    assert health["sensors"]["scale"]["ok"]
    assert health["sensors"]["scale"]["rate_hz"] > 70
    assert health["table"]["words"].startswith("One load cell")
    assert played.status["phase"] == "ready"


def test_a_piece_is_seen_within_half_a_second_and_asked_about_with_every_cell() -> None:
    played = Round(4, "calm")
    while not played.truth("place"):
        played.play(played.now_s + STEP_S)
    first = played.truth("place")[0]
    while played.table.board.pending is None and played.now_s < first["t"] + 2.0:
        played.play(played.now_s + STEP_S)
    question = played.table.board.pending

    assert question is not None
    assert played.now_s - first["t"] < 0.8
    assert question.kind == "cell"
    assert first["cell"] in [option.value for option in question.options]


# --- marked pieces, and nothing told ---------------------------------------------------------


class Passing(People):
    """People of whom every seventh turn is a pass."""

    turns = 0

    def _place(self, action: Action) -> Any:
        self.turns += 1
        if self.turns % 7:
            yield from super()._place(action)
        else:
            self._pass({"type": "pass"})


class Silent(SimulatedEvening):
    """Nobody tells a pass; that no die is told `tell_dice` says."""

    def poll(self, until_s: float) -> list[Item]:
        found = super().poll(until_s)
        return [x for x in found if not (isinstance(x, HumanInput) and x.type == "pass")]


def credited(masses: Any = None) -> tuple[Round, int, int]:
    """A round of 24 marked pieces: how many were credited to whom they belong, and of how many."""
    evening = Silent.begin(
        4, "normal", players=2, two_colours=False, target=40, starter=True, kind=Passing,
        pieces="marked", tell_dice=False,
    )  # fmt: skip
    played = Round(4, "normal", evening, masses)
    while len(played.truth("place")) < 24:
        played.play(played.now_s + 1.0)
    played.play(played.now_s + 2 * THINKING_S)
    lying = {(cell, at): piece.colour for cell, stack in played.table.board.board.items()
             for at, piece in enumerate(stack)}  # fmt: skip
    true: dict[tuple[str, int], str] = {}
    for piece in played.truth("place"):
        height = sum(cell == piece["cell"] for cell, _ in true)
        true[piece["cell"], height] = piece["colour"]
    return played, sum(lying.get(place) == colour for place, colour in true.items()), len(true)


@pytest.mark.slow
def test_on_a_starter_marked_pieces_say_who_placed_them_and_people_where() -> None:
    played, right, pieces = credited()

    assert (right, pieces, len(played.truth("pass"))) == (24, 24, 3)
    assert played.scores == dict(played.evening.people.scores)
    assert played.status["pieces_tell"] == "all"


@pytest.mark.slow
def test_on_a_starter_that_may_not_use_their_weights_untold_passes_leave_half_wrong() -> None:
    _, right, pieces = credited(masses={})

    assert pieces == 24
    assert right <= 16
