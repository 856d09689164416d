"""One game of simulated people, recorded once, and lived through by the table in each mode."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal, cast

from controller.app.wiring import pipeline
from controller.table.pipeline import Pipeline
from engine.events import HumanInput, Placed
from engine.scoreboard import document
from engine.tabletop import Tabletop
from hw.source import Item, item_time_s
from lab.demo.demo import Answering
from lab.people.objecting import SAME_PIECE_S, Objecting, shown
from lab.people.simulation import LONGEST_GAME_S, SimulatedEvening
from lab.people.ways import WayName, ways_of
from lab.twin.parameters import Preset
from lab.twin.sets import SetName
from tests.benchmarks.detection_evenings import Memory
from tests.benchmarks.detection_falls import Claim
from tests.benchmarks.detection_games import in_play
from tests.benchmarks.detection_lived import Recalled

Told = Literal["all", "passes", "nothing"]
TOLD: tuple[Told, ...] = ("all", "passes", "nothing")

Mode = Literal["untouched", "answered", "watched"]
MODES: tuple[Mode, ...] = ("untouched", "answered", "watched")

WATCHES = 0.8
"""Probability with each look that people who watch notice what is wrong: they are no oracle."""

STEP_S = 0.25
LOOK_S = 0.5
"""So often people look whether the table asks something."""

AFTER_ROLL_S = 0.6
"""By then after a roll the table should believe that it is the turn of who rolled."""

SAME_FALL_S = 45.0
"""A fall is told by the clearing at the latest."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a game ended at the table, beside what the people counted.

    Attributes:
        scores: by the table.
        exact, winner: whether scores and winners are right.
        asked: questions that were ever open for people to see.
        turns_out_of_step: longest run of turns for which the table took the wrong player.
        divergence: where table and people first disagreed, in words; empty if nowhere.
        colours: of each piece as it was announced, how probable its colour was held, and whether
            it was that.
    """

    scores: Mapping[str, int]
    exact: bool
    winner: bool
    asked: int
    turns_out_of_step: int
    divergence: str
    colours: Sequence[Claim] = ()


@dataclass(frozen=True, slots=True)
class Played:
    """A game; `scores` are the people's."""

    preset: Preset
    people: WayName
    seed: int
    minutes: float
    scores: Mapping[str, int]
    ended: Mapping[Mode, Ended]


@dataclass(slots=True)
class Game:
    """A recorded game with all that is needed to judge it."""

    tabletop: Tabletop
    items: list[Item]
    truth: list[dict[str, Any]]
    names: tuple[str, ...]
    scores: dict[str, int]
    winners: tuple[str, ...]
    end_s: float


@dataclass(frozen=True, slots=True)
class Evenings:
    """What kind of games are played.

    Attributes:
        target: points that win.
        pieces: what the colours weigh.
        told: what people tell of the die and of passes.
        weighed: whether the table knows what it may know of masses; else they are withheld.
        longest_s: at the next roll a game is broken off: on rough tables hardly any ends by its
            target.
    """

    target: int = 40
    pieces: SetName = "equal"
    told: Told = "all"
    weighed: bool = True
    longest_s: float = LONGEST_GAME_S


def played(
    preset: Preset, people: WayName, seed: int, evenings: Evenings, modes: tuple[Mode, ...]
) -> Played:
    """Play a game to its end, and live through it in these modes."""
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "seen.jsonl"
        game = recorded(preset, people, seed, evenings, seen)
        errs = ways_of(people, seed).errs
        lives = {mode: _life(game, seen, mode, seed, errs, evenings.weighed) for mode in modes}
        ended = {mode: lived(game, life) for mode, life in lives.items()}
    return Played(preset, people, seed, game.end_s / 60.0, game.scores, ended)


def recorded(preset: Preset, people: WayName, seed: int, evenings: Evenings, seen: Path) -> Game:
    """A game of two players, as `topple-table demo --headless` plays it."""
    evening = SimulatedEvening.begin(
        seed, preset, players=2, two_colours=False, target=evenings.target,
        ways=ways_of(people, seed), pieces=evenings.pieces, tell_dice=evenings.told == "all",
    )  # fmt: skip
    memory, items, now_s = Memory(evening), list[Item](), 0.0
    while not evening.ended and (now_s < evenings.longest_s or not _begins_a_turn(evening)):
        now_s += STEP_S
        items += (item for item in evening.poll(now_s) if _is_told(item, evenings.told))
        memory.look()
    memory.write(seen)
    started = next(item for item in items if isinstance(item, HumanInput) and item.type == "start")
    seats = started.data["players"]
    return Game(
        evening.tabletop, items, evening.truth(), tuple(seat["name"] for seat in seats),
        dict(evening.people.scores), tuple(evening.people.winners), now_s,
    )  # fmt: skip


def _begins_a_turn(evening: SimulatedEvening) -> bool:
    """Whether somebody has rolled just now: then all that fell before has been counted."""
    return bool(evening.tower.truth.in_order()[-1]["type"] == "turn")


@dataclass(slots=True)
class _Life:
    """The table in one game; with people who answer and object, or without."""

    table: Pipeline
    people: Recalled
    answering: Answering | None
    objecting: Objecting | None
    asked: set[str] = field(default_factory=set)
    turns: list[tuple[float, str | None]] = field(default_factory=list)
    announced: list[tuple[float, str, float]] = field(default_factory=list)

    def feed(self, item: Item) -> None:
        outputs = self.table.feed(item)
        for output in outputs:
            for outcome in output.outcomes:
                if self.answering is not None:
                    self.answering.note(outcome)
                self._note_colour(output.cause, outcome.data)
            player = output.state.position.player
            if not self.turns or self.turns[-1][1] != player:
                cause: Any = output.cause
                t_s = cause.decided_s if hasattr(cause, "decided_s") else cause.t_s
                self.turns.append((t_s, player))
        if not outputs:
            return
        # What is asked and answered by one and the same word, nobody has seen.
        self.asked |= {question.id for question in self.table.state.questions()}

    def _note_colour(self, cause: object, data: Mapping[str, Any]) -> None:
        if isinstance(cause, Placed) and data.get("colour_p") is not None:
            self.announced.append((cause.t_s, data["colour"], data["colour_p"]))

    def look(self, now_s: float) -> None:
        """People see what happens, answer what is asked, and object to what is wrong."""
        if self.answering is None:
            return
        self.people.now(now_s)
        asks = bool(self.table.state.questions())
        pending = document(self.table.state, table="t", boot="b").pending if asks else None
        self.answering.act(pending, now_s)
        if self.objecting is not None:
            seen = self.people.truth.entries
            objection = self.objecting.look(seen, self.table.state, now_s)
            if objection is not None:
                self.people.say(objection[0], **objection[1])
        for said in self.people.take_said():
            self.feed(said)


def _is_told(item: Item, told: Told) -> bool:
    return not (told == "nothing" and isinstance(item, HumanInput) and item.type == "pass")


def _life(  # noqa: PLR0917
    game: Game, seen: Path, mode: Mode, seed: int, errs: float, weighed: bool
) -> _Life:
    people = Recalled(seen)
    answers = Answering(cast("Any", people), errs=errs, chance=Random(seed))
    return _Life(
        pipeline(game.tabletop, masses=None if weighed else {}),
        people,
        None if mode == "untouched" else answers,
        Objecting(game.names, WATCHES, Random(seed)) if mode == "watched" else None,
    )


def lived(game: Game, life: _Life) -> Ended:
    """The table lives through a game."""
    due_s = 0.0
    for item in game.items:
        while item_time_s(item) > due_s:
            life.look(due_s)
            due_s += LOOK_S
        life.feed(item)
    for _ in range(int(20.0 / LOOK_S)):
        life.look(due_s)
        due_s += LOOK_S
    position = life.table.state.position
    winners = position.rules.winners(position.game_state)
    return Ended(
        dict(position.scores),
        dict(position.scores) == game.scores,
        tuple(winners) == game.winners,
        len(life.asked),
        _out_of_step(game, life.turns),
        _divergence(game, life.table),
        _colours(game, life.announced),
    )


def _colours(game: Game, announced: list[tuple[float, str, float]]) -> list[Claim]:
    """How probable the colour of each announced piece was held, and whether it had that colour."""
    put = [
        (each.get("t_release", each["t"]), each["colour"])
        for each in game.truth
        if each["type"] in {"place", "release_void"}  # the latter after something fell
    ]
    claims = []
    for t_s, colour, p in announced:
        late_s, true = min((abs(t_s - at_s), true) for at_s, true in put)
        if late_s < SAME_PIECE_S:
            claims.append((p, colour == true))
    return claims


def _out_of_step(game: Game, turns: list[tuple[float, str | None]]) -> int:
    """Longest run of turns for which the table took another player to be in turn."""
    longest = run = 0
    for roll in (entry for entry in game.truth if entry["type"] == "turn"):
        until_s = roll["t"] + AFTER_ROLL_S
        believed = next((who for t_s, who in reversed(turns) if t_s <= until_s), None)
        run = 0 if believed == game.names[roll["player"]] else run + 1
        longest = max(longest, run)
    return longest


Act = tuple[float, str, str | None, str | None]
"""Time, `placed` or `toppled`, player, cell."""


def _divergence(game: Game, table: Pipeline) -> str:
    """Where the table's account of the game first differs from what happened."""
    believed, used = _by_table(table), set[int]()
    for t_s, kind, player, cell in _by_truth(game):
        late_s = SAME_PIECE_S if kind == "placed" else SAME_FALL_S
        near = [
            (abs(act[0] - t_s), at)
            for at, act in enumerate(believed)
            if at not in used and act[1] == kind and -SAME_PIECE_S < act[0] - t_s < late_s
        ]
        if not near:
            return f"at {t_s:.1f} s {kind} by {player} on {cell or 'the tower'} was not seen"
        at = min(near)[1]
        used.add(at)
        if believed[at][2] != player:
            return f"at {t_s:.1f} s {kind} by {player} counted for {believed[at][2] or 'nobody'}"
        if kind == "placed" and believed[at][3] != cell:
            return f"at {t_s:.1f} s {player}'s piece on {cell} was taken to be on {believed[at][3]}"
    extra = next((act for at, act in enumerate(believed) if at not in used), None)
    return "" if extra is None else f"at {extra[0]:.1f} s {extra[1]} by {extra[2]} was none"


def _by_truth(game: Game) -> list[Act]:
    acts: list[Act] = []
    by = None
    for entry in in_play(game.truth):
        if entry["type"] == "turn":
            by = game.names[entry["player"]]
        elif entry["type"] == "place" and not entry["ended_in_topple"]:
            acts.append((entry["t"], "placed", by, entry["cell"]))
        elif entry["type"] == "topple" and entry["player"] is not None:
            acts.append((entry["t"], "toppled", game.names[entry["player"]], None))
    return acts


def _by_table(table: Pipeline) -> list[Act]:
    told = shown(table.state, "placed", "toppled")
    return [(t_s, each.type, each.player, each.cell) for t_s, each in told]
