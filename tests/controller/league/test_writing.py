"""Many games in few statements."""

from typing import Any

import pytest

from controller.league import writing
from controller.league.databases import Row, Statements, open_database
from controller.league.store import Store
from controller.league.writing import last_words
from tests.controller.league.tables import NOW, Table


def test_of_several_documents_the_last_word_about_a_game_counts() -> None:
    table = Table("attic").ends(("Ann", 5), rev=7)
    old = table.heard()
    new = table.change().play().heard()

    words = last_words([new, old], {("attic", "attic-boot-1"): 1})

    assert {key: word.order for key, word in words.items()} == {
        ("attic", "attic-0"): (1, 8),
        ("attic", "attic-1"): (1, table.games[1].rev),
    }


class Counted(Statements):
    """Statements, counted."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.count = 0

    def rows(self, statement: str, values: Any = ()) -> list[Row]:
        self.count += 1
        found: list[Row] = self._inner.rows(statement, values)
        return found


def test_a_hundred_new_games_cost_four_statements_and_known_ones_one(where: str) -> None:
    database = open_database(where)
    Store(database)
    heard = [Table(f"hall-{n}").play().heard() for n in range(100)]
    words = last_words(heard, {(h.table, h.boot): 1 for h in heard})

    with database.transaction() as statements:
        counted = Counted(statements)
        assert len(writing.write(counted, words, "")) == 100
        assert counted.count == 4
        assert writing.write(counted, words, "") == []
        assert counted.count == 5
    database.close()


def test_more_than_fit_into_a_statement_are_written_in_pieces(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "MOST_ROWS", 7)
    table = Table("attic")
    for _ in range(20):
        table.play()
    store = Store(open_database(where))

    assert len(store.write([table.heard()], NOW).games) == 20
    assert len(list(store.games())) == 20
    store.close()


def test_a_word_that_came_between_question_and_writing_is_compared_all_the_same(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker has just written down what the question has not seen."""
    database = open_database(where)
    Store(database)
    table = Table("attic").ends(("Ann", 5), ("Bob", 3))
    runs = {("attic", "attic-boot-1"): 1}
    old = last_words([table.heard()], runs)
    new = last_words([table.change(winners=("Bob",)).heard()], runs)
    newest = last_words([table.change(winners=("Ann",)).heard()], runs)
    monkeypatch.setattr(writing, "_known", lambda *_: {})

    with database.transaction() as statements:
        assert writing.write(statements, new, "") == [("attic", "attic-0")]
        assert writing.write(statements, old, "") == []
        assert writing.write(statements, new, "") == []
        assert writing.write(statements, newest, "") == [("attic", "attic-0")]
    (game,) = Store(database).games()
    assert [player.won for player in game.players] == [True, False]
    database.close()
