"""The moves and films of finished games are kept, with what was asked, and told to who asks."""

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.common.errors import JournalError
from controller.journal.journal import KEPT_FILMS, Journal
from controller.table.commands import CommandDesk
from controller.table.film import Film, FilmBoard
from controller.table.game_moves import unpacked
from controller.table.loop import LiveTable
from controller.table.pipeline import Pipeline
from controller.table.publisher import Announcer, Identity
from controller.table.resultbook import ResultBook
from controller.table.shelf import MOST_FILMS, MOST_GAMES, GameShelf, InMemory, KeptMoves
from engine.events import HumanInput, Placed, ToppleCause, Toppled, ToppleKind
from engine.results import GameResult, PlayerResult
from tests.controller.evenings import PLACED, START, Detector, Evening, Kept, Source, Wire, samples


def film(game: str, seq: int) -> Film:
    board = FilmBoard({"c3": ("red",)}, {"Ann": ("red",)})
    return Film(
        "b", game, seq, "Ann", "placing", 0.025, 1.0, ((0.0, 1.0),), (3.0,), 1.0, 0.1, board
    )


@pytest.fixture(params=["in memory", "in the journal"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> KeptMoves:
    return InMemory() if request.param == "in memory" else Journal(tmp_path / "j", kept_games=20)


def test_a_shelf_keeps_so_many_games_and_films_and_the_last_word_about_each(
    kept: KeptMoves,
) -> None:
    assert (kept.moves("g1"), kept.films("g1"), kept.film("g1", 7)) == ("", (), None)
    for number in range(MOST_GAMES + 2):
        kept.keep_moves(f"g{number}", f"moves {number}")
    kept.keep_moves("g5", "corrected")
    kept.keep_moves("g6", "")

    assert [kept.moves(f"g{n}") for n in (1, 2, 5, 6)] == ["", "moves 2", "corrected", ""]
    most = MOST_FILMS if isinstance(kept, InMemory) else KEPT_FILMS
    for seq in range(most + 1):
        kept.keep_film(film("g1", seq))
    kept.keep_film(film("g1", 4))
    assert kept.films("g1") == tuple(range(1, most + 1))
    assert kept.film("g1", 4) == film("g1", 4)
    assert (kept.film("g1", 0), kept.film("g2", 4), kept.film("g1", 10**30)) == (None, None, None)


def test_what_is_forgotten_is_kept_nowhere(kept: KeptMoves) -> None:
    for game in ("g1", "g2"):
        kept.keep_moves(game, "moves")
        kept.keep_film(film(game, 7))
    kept.forget("g1")
    kept.forget("nothing of it")

    assert (kept.moves("g1"), kept.films("g1"), kept.film("g1", 7)) == ("", (), None)
    assert (kept.moves("g2"), kept.films("g2")) == ("moves", (7,))


FELL = Toppled(2, 8.0, 9.0, ToppleKind.OFF_BOARD, ToppleCause.BUMP, 0.99, 0.6)
UNSURE = Placed(1, 4.0, 4.3, "d3", 0.6, (("c4", 0.4),))


def an_evening(*events: Any, die: int = 1) -> Evening:
    evening = Evening(
        START, HumanInput(1.0, "roll", {"value": die}), samples(5.0), samples(10.0), samples(14.0),
        events=events,
    )  # fmt: skip
    for t_s in (2.0, 6.0, 11.0, 15.0):
        evening.step(t_s)
    return evening


def asked_for(evening: Evening, verb: str, **data: Any) -> Any:
    evening.command(verb, id=f"{verb}{data}", client="p", data=data)
    evening.step(90.0)
    return evening.wire.last("reply/p")


def game_of(evening: Evening) -> str:
    return str(evening.wire.last("results")["games"][-1]["game"])


def test_a_table_tells_a_finished_game_with_what_was_asked_and_answered() -> None:
    evening = an_evening(UNSURE, die=2)
    pending = evening.table.board.pending
    assert pending is not None
    evening.command("answer", id="a", data={"value": "c4", "question": pending.id})
    evening.step(20.0)
    evening.command("end", id="e")
    evening.step(21.0)
    reply = asked_for(evening, "moves", game=game_of(evening))
    moments = json.loads(unpacked(reply["moves"]))["moments"]

    assert reply["ok"]
    (asked,) = [one for moment in moments for one in moment.get("asked", ())]
    assert (asked["kind"], asked["player"], asked["answer"]) == ("cell", "Ann", "c4")
    assert next(m for m in moments if m["last"]["type"] == "placed")["board"] == {"c4": ["red"]}


@pytest.mark.parametrize(
    ("verbs", "answer"), [((), "c4"), (("undo",), None), (("undo", "redo"), "c4")], ids=str
)
def test_an_answer_that_was_undone_is_none_until_it_is_done_again(
    verbs: tuple[str, ...], answer: str | None
) -> None:
    evening = an_evening(UNSURE, die=2)
    pending = evening.table.board.pending
    assert pending is not None
    evening.command("answer", id="a", data={"value": "c4", "question": pending.id})
    for verb in (*verbs, "end"):
        evening.command(verb, id=verb)
    evening.step(21.0)
    reply = asked_for(evening, "moves", game=game_of(evening))
    moments = json.loads(unpacked(reply["moves"]))["moments"]

    (asked,) = [one for moment in moments for one in moment.get("asked", ())]
    assert asked.get("answer") == answer


def fallen(evening: Evening) -> tuple[str, int]:
    """Game and number of the fall of an evening."""
    told = (json.loads(p.payload) for p in evening.wire.sent if p.topic.endswith("/event"))
    fell = next(event for event in told if event["type"] == "toppled")
    return str(fell["game"]), int(fell["seq"])


def test_a_fall_leads_to_its_film_and_an_undone_end_takes_the_game_off_the_shelf() -> None:
    evening = an_evening(PLACED, FELL)
    played, seq = fallen(evening)
    evening.table._shelf.keep_film(film(played, seq))
    evening.command("end", id="e")
    evening.step(21.0)
    game = game_of(evening)
    reply = asked_for(evening, "moves", game=game)
    moments = json.loads(unpacked(reply["moves"]))["moments"]

    assert reply["films"] == [seq]
    assert [m["seq"] for m in moments if m["last"]["type"] == "toppled"] == [seq]
    assert asked_for(evening, "film", game=game, seq=seq)["film"]["steepest_deg"] == 1.0
    evening.command("undo", id="u")
    evening.step(91.0)
    evening.command("moves", id="again", client="p", data={"game": game})
    evening.step(92.0)
    assert evening.wire.last("reply/p")["code"] == "illegal"


def test_a_film_names_the_culprit_once_it_is_known_and_nobody_after_undo() -> None:
    evening = an_evening(PLACED, FELL)
    game, seq = fallen(evening)
    nobody = msgspec.structs.replace(film(game, seq), player=None, cause="bump")
    evening.table._shelf.keep_film(nobody)
    pending = evening.table.board.pending
    assert pending is not None
    evening.command("answer", id="a", data={"value": "Bob", "question": pending.id})
    evening.step(20.0)
    rows = evening.wire.rows()
    last = rows[len(rows) - 1 - rows[::-1].index("film") :]

    assert "state" in last[1:], "pages hear of the answer when the film has it"
    assert evening.wire.last("/film")["player"] == "Bob"
    kept = evening.table._shelf.film(game, seq)
    assert kept is not None
    assert kept["player"] == "Bob"
    evening.command("undo", id="u")
    evening.step(21.0)
    assert evening.wire.last("/film")["player"] is None
    assert evening.wire.rows().count("film") == 2


def test_an_answer_that_comes_before_the_film_is_made_is_in_it() -> None:
    evening = an_evening(PLACED, FELL)
    shelf, (game, seq) = evening.table._shelf, fallen(evening)
    evening.command("answer", id="a", data={"value": "placing"})
    evening.step(20.0)
    nobody = msgspec.structs.replace(film(game, seq), player=None, cause="bump")
    state = evening.pipeline.state
    made = shelf.blaming(nobody, state)

    assert "film" not in evening.wire.rows()
    assert (made.player, made.cause) == ("Ann", "placing")
    assert shelf.blaming(film(game, 999), state) == film(game, 999)


@pytest.mark.parametrize(
    ("verb", "data", "code"),
    [
        ("moves", {"game": "nobody's"}, "illegal"),
        ("moves", {}, "bad-json"),
        ("moves", {"game": 7}, "bad-json"),
        ("film", {"game": "g1", "seq": 1}, "illegal"),
        ("film", {"game": "g1"}, "bad-json"),
        ("film", {"game": "g1", "seq": "x"}, "bad-json"),
    ],
)
def test_what_is_not_there_or_was_not_named_is_refused(
    verb: str, data: dict[str, Any], code: str
) -> None:
    reply = asked_for(an_evening(), verb, **data)

    assert (reply["ok"], reply["code"]) == (False, code)
    assert reply["msg"]


def test_a_game_is_forgotten_with_its_moves_and_everybody_is_told_the_results_without_it() -> None:
    evening = an_evening(PLACED)
    evening.command("end", id="e")
    evening.step(21.0)
    game = game_of(evening)
    (past,) = json.loads(unpacked(asked_for(evening, "past")["past"]))
    assert (past["game"], past["highlights"].get("scores")) == (game, None)

    assert asked_for(evening, "forget", game=game)["forgotten"] == 1
    assert evening.wire.last("results")["games"] == []
    assert asked_for(evening, "moves", game=game)["code"] == "illegal"
    evening.command("past", id="later", client="p")
    evening.step(95.0)
    assert unpacked(evening.wire.last("reply/p")["past"]) == b"[]"


@pytest.mark.parametrize(
    ("data", "code"),
    [({}, "bad-json"), ({"game": 3}, "bad-json"), ({"player": ""}, "bad-json"),
     ({"game": "g9"}, "illegal"), ({"player": "Eve"}, "illegal")],
)  # fmt: skip
def test_who_is_to_be_forgotten_must_be_said_and_known(data: dict[str, Any], code: str) -> None:
    evening = an_evening(PLACED)
    evening.command("end", id="e")
    evening.step(21.0)

    assert asked_for(evening, "forget", **data)["code"] == code
    assert len(json.loads(unpacked(asked_for(evening, "past")["past"]))) == 1


@pytest.mark.parametrize(
    "outcomes",
    [[{}], [{"type": "asked"}], [{"type": "asked", "data": {"id": "q"}}], [{"type": "toppled"}],
     [{"type": "settled", "data": None}], ["asked"], [None]],
    ids=str,
)  # fmt: skip
def test_what_an_older_version_told_is_no_reason_not_to_start(outcomes: Any) -> None:
    shelf = GameShelf(heard=[(None, outcomes)])

    assert shelf.moves("g1") == ("", ())


def test_a_damaged_journal_of_results_stops_nobody(tmp_path: Path) -> None:
    class Broken:
        def results(self, most: int) -> tuple[GameResult, ...]:
            raise JournalError(f"table.journal: {most} results cannot be read")

        def forget(self, game: str) -> None:
            """Nothing can be forgotten."""

    ended = GameResult("g1", "topple", 1, "2026-11-28T20:00:00+00:00", ())
    assert [game.game for game in ResultBook([ended], store=Broken()).past()] == ["g1"]
    with Journal(tmp_path / "j") as journal:
        journal.keep_film(film("g1", 7))
    with contextlib.closing(sqlite3.connect(tmp_path / "j")) as database, database:
        database.execute("UPDATE films SET film = '{'")
    with Journal(tmp_path / "j") as journal:
        assert (journal.film("g1", 7), journal.moves("g1")) == (None, "")


def test_all_games_of_a_player_are_forgotten_in_the_journal_too(tmp_path: Path) -> None:
    def ended(number: int, *names: str) -> GameResult:
        players = tuple(PlayerResult(name, 1) for name in names)
        return GameResult(f"g{number}", "topple", 1, "2026-11-28T20:00:00+00:00", players)

    with Journal(tmp_path / "j") as journal:
        for result in (ended(1, "Ann", "Bob"), ended(2, "Bob", "Cat"), ended(3, "Cat", "Ann")):
            journal.keep(result)
            journal.keep_moves(result.game, "moves")
        desk = CommandDesk(
            Pipeline(Detector()), shelf=GameShelf(journal),
            results=ResultBook(journal.results(20), journal.keep, journal),
        )  # fmt: skip
        reply = desk.receive("forget", b'{"data":{"player":"Ann"}}', t_s=0.0, unix_s=0.0).reply

        assert reply.forgotten == 2
        assert [game.game for game in journal.results(20)] == ["g2"]
        assert [journal.moves(f"g{n}") for n in (1, 2, 3)] == ["", "moves", ""]


def test_after_a_restart_it_is_still_known_what_was_asked_before(tmp_path: Path) -> None:
    with Journal(tmp_path / "j") as journal:
        pipeline = Pipeline(Detector(UNSURE))
        for item in (START, HumanInput(1.0, "roll", {"value": 2}), samples(5.0)):
            for output in pipeline.feed(item):
                journal.write(output)
        (question,) = pipeline.state.questions()
        said = HumanInput(6.0, "answer", {"value": "c4", "question": question.id})
        for output in pipeline.say(said):
            journal.write(output)
    with Journal(tmp_path / "j") as journal:
        found, wire, me = journal.resume(), Wire(), Identity("t1", "b2")
        table = LiveTable(
            Source(), Pipeline(Detector(), found.state, resume_s=found.resume_s), Kept(wire),
            Announcer(wire, me), me, shelf=GameShelf(journal, journal.heard()),
        )  # fmt: skip
        table.open(0.0)
        evening = Evening()
        evening.wire, evening.table = wire, table
        evening.command("end", id="e")
        table.step(1.0, 0.0)
        reply = asked_for(evening, "moves", game=game_of(evening))
    moments = json.loads(unpacked(reply["moves"]))["moments"]

    (asked,) = [one for moment in moments for one in moment.get("asked", ())]
    assert (asked["kind"], asked["answer"]) == ("cell", "c4")
