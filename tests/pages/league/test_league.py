"""The league as the pages get it."""

import json
from pathlib import Path

import pytest

from controller.common.errors import BadInput
from controller.league.store import opened
from pages.league.league import FRESH_S, MOST_LINES, LeagueDocument
from tests.controller.league.tables import NOW, Table


def write(where: Path, *tables: Table) -> None:
    with opened(str(where)) as store:
        store.write([table.heard() for table in tables], NOW)


def test_the_standings_are_read_now_and_then_however_many_ask(tmp_path: Path) -> None:
    where, now_s = tmp_path / "l.sqlite", [0.0]
    attic = Table("attic").ends(("Ann", 9), ("Anna", 1))
    write(where, attic)
    document = LeagueDocument(str(where), clock=lambda: now_s[0])
    first = json.loads(document.read())
    write(where, attic.ends(("Ann", 9), ("Anna", 1)))

    assert json.loads(document.read()) == first
    now_s[0] = FRESH_S
    again = json.loads(document.read())

    assert [one["games"] for one in (*first["standings"], *again["standings"])] == [1, 2]
    assert first["alike"] == []


def test_a_page_gets_the_leaders_and_not_everybody(tmp_path: Path) -> None:
    tables = [
        Table(f"t{n}").ends((f"Ann {n}", 2), (f"Bob {n}", 1)) for n in range(MOST_LINES // 2 + 10)
    ]
    write(tmp_path / "l.sqlite", *tables)

    found = json.loads(LeagueDocument(str(tmp_path / "l.sqlite")).read())

    assert len(found["standings"][0]["lines"]) == MOST_LINES


def test_a_league_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no such league"):
        LeagueDocument(str(tmp_path / "l.sqlite")).read()

    assert list(tmp_path.iterdir()) == []
