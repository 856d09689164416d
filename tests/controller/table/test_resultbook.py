"""Results are noted when games end, written anew when they change, and taken back when undone."""

import json
from pathlib import Path

import msgspec
import pytest

from controller.journal.journal import Journal
from controller.table.loop import LiveTable
from controller.table.pipeline import Pipeline
from controller.table.publisher import Announcer, Identity
from controller.table.resultbook import MOST_GAMES, ResultBook
from engine.games.registry import GAMES
from engine.results import GameResult, Results
from tests.controller.evenings import (
    START,
    TABLETOP,
    Detector,
    Evening,
    Kept,
    Source,
    Wire,
)
from tests.controller.whole_games import whole_game
from tests.engine.referee.script import begin


def documents(wire: Wire) -> list[Results]:
    said = [p for p in wire.sent if p.topic == "topple/1/t1/results"]
    return [msgspec.json.decode(p.payload, type=Results) for p in said]


def test_an_end_is_told_once_with_its_time_and_retained() -> None:
    evening = Evening(START)
    evening.step(1.0)
    evening.command("end", id="a")
    evening.step(2.0, unix_s=1_780_000_000.0)
    evening.step(3.0)
    (told,) = documents(evening.wire)

    assert [p.retain for p in evening.wire.sent if p.topic.endswith("/results")] == [True]
    assert (told.table, told.boot, told.simulated) == ("t1", "boot-1", True)
    (game,) = told.games
    assert game.over
    assert game.ended == "2026-05-28T20:26:40+00:00"


def test_an_undone_end_is_taken_back_and_told_again_when_it_comes() -> None:
    evening = Evening(START)
    evening.step(1.0)
    for t_s, verb in enumerate(("end", "undo", "redo"), start=2):
        evening.command(verb, id=verb)
        evening.step(float(t_s), unix_s=1000.0 * t_s)
    games = [told.games for told in documents(evening.wire)]

    assert [len(told) for told in games] == [1, 1, 1]
    assert [told[0].over for told in games] == [True, False, True]
    revisions = [told[0].rev for told in games]
    assert revisions == sorted(set(revisions))
    assert games[0][0].ended < games[2][0].ended


def test_a_correction_after_the_end_keeps_the_time_of_the_end() -> None:
    game, book = begin(), ResultBook()
    game.say("roll", value=4)
    ref = game.placed("a2", p=0.7, alternatives=(("a4", 0.2),))
    game.say("end")
    assert book.note(game.state, 1000.0, TABLETOP)
    (before,) = book.games

    game.say("answer", value="a2")

    assert before.asked
    assert book.note(game.state, 2000.0, TABLETOP)
    (after,) = book.games
    assert (after.asked, after.ended) == (False, before.ended)
    assert after.rev > before.rev
    assert ref


def test_what_changes_no_result_is_not_told() -> None:
    game, kept = begin(), list[GameResult]()
    book = ResultBook(keep=kept.append)
    assert not book.note(game.state, 0.0, TABLETOP)
    game.say("end")
    assert book.note(game.state, 0.0, TABLETOP)

    assert not book.note(game.state, 5.0, TABLETOP)
    assert len(kept) == 1


def test_only_the_last_games_are_told() -> None:
    old = [GameResult(f"g{n}", "topple", 1, "", ()) for n in range(MOST_GAMES + 5)]

    assert ResultBook(old).games == tuple(old[5:])


@pytest.mark.parametrize("noted", [True, False], ids=["", "the plug was pulled between the two"])
def test_a_restarted_table_tells_the_games_of_its_journal_at_once(
    noted: bool, tmp_path: Path
) -> None:
    game = begin(id="g1")
    game.say("end")
    with Journal(tmp_path / "j") as journal:
        if noted:
            ResultBook(keep=journal.keep).note(game.state, 1000.0, TABLETOP)
    with Journal(tmp_path / "j") as journal:
        wire, me = Wire(), Identity("t1", "boot-2")
        pipeline = Pipeline(Detector()) if noted else Pipeline(Detector(), game.state)
        table = LiveTable(
            Source(), pipeline, Kept(wire), Announcer(wire, me), me,
            results=ResultBook(journal.results(MOST_GAMES), journal.keep),
        )  # fmt: skip
        table.open(0.0)

    (told,) = documents(wire)
    assert told.boot == "boot-2"
    assert [found.game for found in told.games] == ["g1"]
    assert wire.rows().index("results") < wire.rows().index("availability")


@pytest.mark.parametrize("kind", list(GAMES))
def test_a_whole_game_of_every_kind_ends_with_what_its_rules_say(kind: str) -> None:
    found, last = whole_game(kind, 11)
    rules = GAMES[kind].rules
    assert found.over
    assert not found.broken_off
    assert found.winners == rules.winners(last)
    assert {p.name: p.score for p in found.players} == dict(rules.scores(last))
    assert json.loads(msgspec.json.encode(found))["kind"] == kind
