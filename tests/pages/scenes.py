"""A scripted evening as documents: what the pages are shown in tests and looked at by people."""

import math
import random
from itertools import islice
from typing import Any

import msgspec

from controller.mqtt import topics
from controller.mqtt.topics import Publication
from controller.table.film import Film, FilmBoard
from controller.table.riskmap import risk_map
from controller.table.trace import TracePoint
from engine.events import HumanInput, Placed
from engine.games.playthrough import play_through
from engine.public_events import LastShown
from engine.referee import RefereeState, handle_input, observe
from engine.scoreboard import (
    EventPayload,
    OptionShown,
    PieceShown,
    PlayerShown,
    QuestionShown,
    Scoreboard,
    TurnShown,
    document,
)
from engine.tabletop import CELLS, PIECES_PER_COLOUR, level
from tests.controller.evenings import TABLETOP

NAMES = ("Ada", "Björn", "Chidi", "Wilhelmina")
COLOURS = ("red", "blue", "yellow", "green")
MARKS = "●▲■◆"
SCORES = (64, 38, -10, 102)

TOWER = {
    "c3": "red blue red yellow red",
    "b3": "blue",
    "c2": "yellow red yellow",
    "d3": "green red",
    "c4": "blue green",
    "e5": "yellow",
    "a1": "red",
    "d2": "blue yellow",
    "a4": "green",
    "b1": "blue blue green",
    "e2": "red",
    "b5": "yellow",
}


def scene(players: int = 2, **changes: Any) -> Scoreboard:
    """A moment of a Topple game with 2 to 4 players; `changes` are fields of the document."""
    colours, scores = COLOURS[:players], SCORES[:players]
    fields: dict[str, Any] = {
        "table": "t1",
        "boot": "boot-1",
        "game": "game-1",
        "rev": 40,
        "seq": 40,
        "kind": "topple",
        "phase": "act",
        "round": 2,
        "target": 100,
        "turn": TurnShown(NAMES[1], die=3, cells=tuple(c for c in CELLS if level(c) == 3)),
        "players": tuple(
            PlayerShown(
                name,
                (colour,),
                mark,
                score,
                provisional=index == 0,
                left={colour: 7 - index},
                colour_scores={colour: score},
            )
            for index, (name, colour, mark, score) in enumerate(
                zip(NAMES[:players], colours, MARKS[:players], scores, strict=True)
            )
        ),
        "board": tower(colours),
        "last": LastShown(
            type="placed",
            player="Ada",
            colour="red",
            cell="c3",
            points=7,
            ways=(
                {"way": "add", "where": "3", "points": 4},
                {"way": "stack", "where": "c3", "points": 3},
            ),
            confidence=0.982,
            status="provisional",
            ref=12,
        ),
        "pending": None,
        "can": {"any": ("undo",), NAMES[1]: ("pass",)},
        "undo_depth": 40,
        "redo_depth": 0,
        "simulated": True,
        "history": tuple(
            tuple(score * turn // 24 + (turn * 7 + score) % 5 * (turn < 24) for score in scores)
            for turn in range(1, 25)
        ),
        **changes,
    }
    return Scoreboard(**fields)


def tower(colours: tuple[str, ...]) -> dict[str, tuple[PieceShown, ...]]:
    """`TOWER` in the colours of those who play; the last red piece is provisional."""
    return {
        cell: tuple(
            PieceShown(
                colour if colour in colours else colours[index % max(1, len(colours))],
                status="provisional" if (cell, index) == ("c3", 4) else "confirmed",
            )
            for index, colour in enumerate(stack.split())
        )
        for cell, stack in (TOWER.items() if colours else ())
    }


def asked(players: int = 3) -> Scoreboard:
    """The table asks for a cell."""
    options = (
        OptionShown("b3", "b3", 0.71),
        OptionShown("b4", "b4", 0.21),
        OptionShown("none", "nothing was placed", 0.08),
    )
    question = QuestionShown("q-17", "cell", "Where is Ada's last piece?", options, ref=12)
    last = LastShown(
        type="placed", player="Ada", colour="red", cell="b3", points=0, confidence=0.71,
        status="asked",
    )  # fmt: skip
    return scene(players, pending=question, last=last, phase="roll", rev=41, seq=41)


def meant(players: int = 3) -> Scoreboard:
    """The same question as the table asks it: which piece, what hangs on it, every answer."""
    options = (
        OptionShown("b3", "b3", 0.71),
        OptionShown("b4", "b4", 0.21),
        OptionShown("fell", "It fell", 0.05),
        OptionShown("none", "nothing was placed", 0.03),
        OptionShown("unknown", "I do not know"),
    )
    text = "Where is Ada's last piece?"
    question = QuestionShown(
        "cell-12", "cell", text, options, ref=12, player="Ada", worth=3, cell="b3"
    )
    can = {"any": ("turn", "correct", "answer", "undo"), NAMES[1]: ("roll",)}
    board = asked(players)
    return msgspec.structs.replace(board, pending=question, can=can, rev=50, seq=50)


def turn_asked(players: int = 3, phase: str = "roll") -> Scoreboard:
    """After a bump nobody knows whether the last piece counts, and so who begins."""
    options = (
        OptionShown(NAMES[1], f"{NAMES[1]} begins", 0.7),
        OptionShown(NAMES[0], f"{NAMES[0]} begins", 0.3),
    )
    text = f"{NAMES[1]} begins? Did {NAMES[0]}'s last piece count before the bump?"
    question = QuestionShown("turn-13", "turn", text, options, ref=13, player=NAMES[1], worth=4)
    can = {"any": ("blame", "turn", "correct", "answer", "undo"), NAMES[1]: ("roll",)}
    return scene(
        players, phase=phase, board={}, last=LastShown(type="cleared", ref=14), pending=question,
        turn=TurnShown(NAMES[1], p=0.7), can=can, rev=51, seq=51,
    )  # fmt: skip


def turn_doubted(players: int = 3) -> Scoreboard:
    """Nothing is asked, but it may be another player's turn."""
    can = {"any": ("turn", "correct", "undo"), NAMES[1]: ("roll",)}
    return scene(players, phase="roll", turn=TurnShown(NAMES[1], p=0.72), can=can, rev=52, seq=52)


def blamed(players: int = 4) -> Scoreboard:
    """Pieces fell, and the table asks who did it: the longest question there is."""
    options = (
        *(OptionShown(name, f"{name} bumped it") for name in NAMES[:players]),
        OptionShown("placing", "It fell while placing"),
        OptionShown("none", "Nothing fell"),
    )
    question = QuestionShown("q-18", "blame", "Pieces fell. Who bumped the table?", options, ref=13)
    return scene(players, pending=question, phase="clear", rev=44, seq=44)


def blamed_later(players: int = 4) -> Scoreboard:
    """The same question while play goes on: it is in nobody's way."""
    board = scene(players)
    return msgspec.structs.replace(board, pending=blamed(players).pending, rev=48, seq=48)


def emptied(players: int = 3) -> Scoreboard:
    """The board was emptied after pieces that nobody saw fall; play goes on."""
    board = blamed_later(players)
    assert board.pending is not None
    text = "The board was cleared. What fell?"
    question = msgspec.structs.replace(board.pending, text=text, of="cleared")
    can = {"any": ("blame", "turn", "correct", "answer", "undo"), NAMES[1]: ("pass",)}
    return msgspec.structs.replace(board, pending=question, can=can, board={}, rev=54, seq=54)


def doubted(players: int = 2, phase: str = "clear") -> Scoreboard:
    """Somebody toppled it, as the table believes; whoever knows better may say so."""
    options = (
        *(OptionShown(name, f"{name} bumped it") for name in NAMES[:players]),
        OptionShown("none", "Nothing fell"),
    )
    text = f"It fell while {NAMES[1]} was placing. Or who bumped it?"
    doubt = QuestionShown("blame-13", "blame", text, options, ref=13, player=NAMES[1])
    last = LastShown(
        type="toppled", player=NAMES[1], kind="off_board", cause="placing", confidence=0.93,
        changes={"blue": -10, "red": 3}, status="provisional", ref=13,
    )  # fmt: skip
    fields = {"phase": phase, "board": {}, "last": last, "turn": None, "doubt": doubt}
    board = scene(players, rev=49, seq=49, **fields)
    unsettled = (msgspec.structs.replace(one, provisional=True) for one in board.players)
    return msgspec.structs.replace(board, players=tuple(unsettled))


def toppled(players: int = 2) -> Scoreboard:
    """Somebody toppled it; the board is to be cleared."""
    last = LastShown(
        type="toppled", player=NAMES[1], kind="off_board", cause="placing", confidence=0.99,
        changes={"blue": -10, "red": 3},
    )  # fmt: skip
    return scene(players, phase="clear", board={}, last=last, rev=42, seq=42, turn=None)


def toppled_clear(players: int = 2) -> Scoreboard:
    """All pieces rolled off the plate at once: no document says that they are to be taken away."""
    turn = TurnShown(NAMES[1])
    last = LastShown(type="cleared")
    return scene(players, phase="roll", board={}, last=last, rev=41, seq=45, round=3, turn=turn)


def suspicion(
    kind: str, number: int = 7, *, game: str = "game-1", table: str = "t1", **data: Any
) -> Publication:
    """The event by which pieces may be falling in `scene` (`suspected`), or are not."""
    if kind == "suspected":
        data = {"probability": 0.6, "kind": "off_board", "valid_s": 6.0, **data}
    told = EventPayload(
        table, "boot-1", game, seq=40, rev=40, t=1.0, type=kind, data={"id": number, **data}, v=1
    )
    return topics.event(table, told)


FILM_EVERY_S, JOLT_S, STEEPEST_S, FILM_S = 0.025, 2.0, 2.6, 5.0


def hanging_deg(t_s: float) -> float:
    """At rest, up to 9.4 degrees after the jolt, and a swing that dies down."""
    if t_s < JOLT_S:
        return 1.0
    if t_s < STEEPEST_S:
        return 1.0 + 8.4 * (t_s - JOLT_S) / (STEEPEST_S - JOLT_S)
    return abs(9.4 * math.exp(STEEPEST_S - t_s) * math.cos((t_s - STEEPEST_S) * 8.7))


def film_of(board: Scoreboard, *, player: str | None = "Björn", cause: str = "placing") -> Film:
    """Of a topple towards file e and rank 5."""
    times = [frame * FILM_EVERY_S for frame in range(round(FILM_S / FILM_EVERY_S))]
    tilts = [(round(0.9 * deg, 2), round(0.44 * deg, 2)) for deg in map(hanging_deg, times)]
    stacks = scene(2).board.items()
    assert board.game is not None
    return Film(
        boot=board.boot, game=board.game, seq=board.seq, player=player, cause=cause,
        every_s=FILM_EVERY_S, jolt_s=JOLT_S, tilt_deg=tuple(tilts), mass_g=(60.0,) * len(times),
        steepest_deg=9.4, hope_s=0.6, round=board.round,
        before=FilmBoard(
            {cell: tuple(piece.colour for piece in stack) for cell, stack in stacks},
            {player.name: player.colours for player in board.players},
        ),
    )  # fmt: skip


def over(players: int = 2) -> Scoreboard:
    """A game is won with the last piece, as the table itself would publish it."""
    state = RefereeState()
    hands = [{"name": n, "colours": [c]} for n, c in zip(NAMES, COLOURS, strict=False)]
    state = _heard(state, "start", players=hands[:players], first=0, target=5)
    for number in range(PIECES_PER_COLOUR * players):
        cell = CELLS[number % 20]
        state = _heard(state, "roll", value=level(cell))
        t_s = 3.0 * state.rev
        state = observe(state, Placed(number + 1, t_s, t_s, cell, 0.99)).state
    return document(state, table="t1", boot="boot-1")


def _heard(state: RefereeState, verb: str, **data: Any) -> RefereeState:
    ruling = handle_input(state, HumanInput(3.0 * state.rev, verb, data))
    assert ruling.refused is None, ruling.refused
    return ruling.state


def undecided(players: int = 3) -> Scoreboard:
    """The game is over, and two answers may change who has won it."""
    place, cause = meant(players).pending, blamed(players).pending
    assert place is not None
    assert cause is not None
    unknown = OptionShown("unknown", "I do not know")
    asked = (
        msgspec.structs.replace(cause, options=(*cause.options, unknown), round=3),
        msgspec.structs.replace(place, round=1, cell=msgspec.UNSET),
    )
    last = toppled(players).last
    return scene(
        players, phase="over", round=3, board={}, turn=None, last=last, winners=("Ada",),
        result="open", before_winner=asked, pending=asked[0],
        can={"any": ("start", "answer", "undo")}, rev=53, seq=53,
    )  # fmt: skip


def broken_off(players: int = 2) -> Scoreboard:
    """People ended the game: nobody has won."""
    last = LastShown(type="ended")
    return scene(players, phase="over", turn=None, last=last, rev=46, seq=46)


def taken_back() -> Scoreboard:
    """The table asked about a piece, and there was none."""
    last = LastShown(type="corrected", player="Ada", of="nothing", was="c3", ref=12)
    return scene(2, last=last, rev=47, seq=47)


def idle() -> Scoreboard:
    """Before the first game."""
    return scene(
        0, game=None, kind=None, phase="idle", round=0, target=None, turn=None, board={},
        last=None, rev=0, seq=0, can={}, undo_depth=0,
    )  # fmt: skip


def by_hand(game: str, moves: int) -> Scoreboard:
    """A game of decent players after so many moves, as the table itself would publish it."""
    steps = islice(play_through(game, random.Random(21).random), moves + 1)
    state = RefereeState()
    for number, step in enumerate(steps):
        data = {**step.action, "game": game, "id": "game-1"}
        verb = "start" if number == 0 else "action"
        ruling = handle_input(state, HumanInput(float(number), verb, data))
        assert ruling.refused is None
        state = ruling.state
    return document(state, table="t1", boot="boot-1")


LOPSIDED = ("c3", "d3", "c2", "d4", "c4", "b3", "c3", "c5", "d2", "b2", "d3", "c3", "d4", "c4",
            "e4", "d5")  # fmt: skip


def hinted(players: int = 2) -> Scoreboard:
    """The risk map, before the roll: all 25 cells, as the physics of a table has it."""
    state = RefereeState()
    colours = COLOURS[:players]
    hands = [{"name": n, "colours": [c]} for n, c in zip(NAMES, colours, strict=False)]
    said = [("start", {"players": hands, "first": 0, "options": {"dice": "untold"}})]
    said += [("place", {"cell": cell}) for cell in LOPSIDED]
    for number, (verb, data) in enumerate(said):
        ruling = handle_input(state, HumanInput(3.0 * number, verb, data))
        assert ruling.refused is None, ruling.refused
        state = ruling.state
    return document(state, table="t1", boot="boot-1", hints=risk_map(state, TABLETOP))


def vitals(**changes: Any) -> dict[str, Any]:
    """The health of a table that works, as published; `changes` replace whole parts of it."""
    sensor = {"ok": True, "age_s": 0.02, "reason": ""}
    return {
        "boot": "boot-1",
        "t_s": 1843.2,
        "sensors": {
            **{
                f"scale.{n}": {**sensor, "rate_hz": 79.8 + n / 5, "noise_g": 0.21} for n in range(4)
            },
            "imu": {**sensor, "rate_hz": 198.6},
        },
        "step_ms": (1.4, 6.8),
        "dropped": 0,
        "table": {
            "words": "The pivot is good: it sticks within 0.12 degrees.",
            "friction_deg": 0.12,
            "friction_sd_deg": 0.02,
            "period_s": 0.721,
            "damping_s": 3.4,
            "noise_g": 0.163,
            "zero_drift_g": 0.8,
            "scale_hz": 79.91,
            "imu_hz": 198.6,
        },
        "sureness": {
            "placements": 50,
            "mean_confidence": 0.984,
            "asked": 3,
            "expected_wrong": 0.8,
            "corrected": 1,
            "recalibrate": False,
        },
        "link": {"frames": 184320, "crc_errors": 2, "lost": 0, "round_trip_ms": 1.7},
        "v": 1,
        **changes,
    }


def unwell() -> dict[str, Any]:
    """The health of a table with everything the matter at once."""
    well = vitals()
    dead = {"ok": False, "age_s": 93.1, "rate_hz": 0.0,
            "reason": "gives no valid values; check its plug and its supply"}  # fmt: skip
    return vitals(
        sensors={**well["sensors"], "scale.2": dead},
        table={**well["table"], "friction_deg": 0.61, "zero_drift_g": -7.2,
               "words": "The pivot is rough: it sticks within 0.61 degrees (aim: 0.25)."},
        sureness={**well["sureness"], "corrected": 6, "recalibrate": True},
        step_ms=(12.0, 480.0),
        dropped=14,
        too_large={"results": 70_123},
        pieces={"masses_g": {"red": 3.0, "blue": 3.98}, "certainty": 0.99997,
                "lost": [{"colour": "blue", "like": "red", "times": 3}]},
    )  # fmt: skip


def trace(at_s: float, unix_s: float) -> TracePoint:
    """A point of a trace in which a piece lands, swings and stays."""
    swing = math.exp(-at_s / 3.4) * math.cos(8.7 * at_s)
    return TracePoint(
        "boot-1", at_s, unix_s, 6.0, 38.2 + 4 * abs(swing), (9.1, 9.9, 9.0, 10.2),
        (1.8 + 2.4 * swing, -1.1 + 0.8 * swing),
    )  # fmt: skip


SCENES = {
    "play-2": scene(2),
    "play-3": scene(3),
    "play-4": scene(4),
    "asked-3": asked(3),
    "meant-3": meant(3),
    "turn-asked-2": turn_asked(2),
    "turn-asked-4": turn_asked(4),
    "turn-doubted-3": turn_doubted(3),
    "blamed-3": blamed(3),
    "blamed-4": blamed(4),
    "blamed-later-4": blamed_later(4),
    "doubted-3": doubted(3),
    "toppled-2": toppled(2),
    "over-2": over(2),
    "over-4": over(4),
    "broken-off": broken_off(),
    "undecided-3": undecided(3),
    "taken-back": taken_back(),
    "idle": idle(),
    "topolo": by_hand("topolo", 41),
    "cube": by_hand("triple-topper-toe", 10_000),
    "topominos": by_hand("topominos", 24),
    "hints": hinted(),
}
