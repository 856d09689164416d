"""What people ask a league on the command line, and what they read."""

import csv
import io
import json
from pathlib import Path

import pytest

from controller.cli import main
from controller.league.command import _in_words
from controller.league.databases import open_database
from controller.league.result_messages import TableResults
from controller.league.store import Store
from tests.controller.league.postgres import Server
from tests.controller.league.tables import NOW, Table


@pytest.fixture
def kept(where: str) -> str:
    """A league of two tables."""
    attic = Table("attic").ends(("Ann", 42), ("Bob", 30)).ends(("Anna", 10), ("Bob", 41))
    attic.ends(("Ann", 3), ("Bob", 8), broken_off=True, winners=())
    toy = Table("toy", simulated=True).ends(("=HYPERLINK(1)", 9), ("Bob", 1))
    write(where, attic.heard(), toy.heard())
    return where


def write(where: str, *heard: TableResults) -> None:
    store = Store(open_database(where))
    store.write(heard, NOW)
    store.close()


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["league", *arguments]) == code
    printed = capsys.readouterr()
    return printed.out if code == 0 else printed.err


def test_the_standings_are_a_table_with_remarks(
    kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = said(capsys, "standings", "--database", kept)

    assert "Topple: 2 games at one table" in shown
    lines = [line.split() for line in shown.splitlines()]
    cells = [[word for word in line if word not in "│┃"] for line in lines]
    assert ["1.", "Ann", "1", "1", "42", "42.0", "1516?", "2026-11-21"] in cells
    assert "not counted: 1 broken off" in shown
    assert "not counted: 1 of simulated tables; --simulated counts them" in shown
    assert 'one person? "ann" and "anna"; if so: topple-table league same "anna" "ann"' in shown


def test_the_standings_are_also_for_programs(kept: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(
        said(capsys, "standings", "--database", kept, "--json", "--by", "rating", "--simulated")
    )

    (topple,) = told["standings"]
    ratings = [line["rating"] for line in topple["lines"]]
    assert ratings == sorted(ratings, reverse=True)
    assert {line["name"] for line in topple["lines"]} == {"Ann", "Anna", "Bob", "=HYPERLINK(1)"}
    assert (told["simulated"], told["broken_off"]) == (0, 1)


def test_brackets_in_a_name_are_a_name(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(where, Table("attic").ends(("[red]Ann[/red]", 4), ("Bob", 1)).heard())

    assert "[red]Ann[/red]" in said(capsys, "standings", "--database", where)


def test_csv_has_a_row_for_each_player_and_no_formula(
    kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = list(csv.DictReader(io.StringIO(said(capsys, "export", "--database", kept))))

    assert len(rows) == 8
    bob = next(row for row in rows if row["name"] == "Bob")
    assert (bob["table"], bob["kind"], bob["player"], bob["score"]) == (
        "attic", "topple", "bob", "30",
    )  # fmt: skip
    assert [row["name"] for row in rows if row["simulated"] == "1"] == ["'=HYPERLINK(1)", "Bob"]


def test_json_lines_have_a_line_for_each_game(
    kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = said(capsys, "export", "--database", kept, "--format", "json").splitlines()

    assert len(lines) == 4
    assert json.loads(lines[0])["players"][0] == {
        "key": "ann", "name": "Ann", "score": 42, "won": True,
    }  # fmt: skip


def test_two_names_become_one_person_and_two_again(
    kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "same", "Anna", "Ann", "--database", kept) == '"anna" is "ann"\n'
    assert "Anna" not in said(capsys, "standings", "--database", kept)
    assert "nothing changed" in said(capsys, "same", "Anna", "Ann", "--database", kept, code=1)
    said(capsys, "same", "Anna", "--no-longer", "--database", kept)
    assert "Anna" in said(capsys, "standings", "--database", kept)


def test_a_time_can_be_chosen(kept: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "standings", "--database", kept, "--since", "2027-01-01")

    assert shown == "No games yet.\n"


def test_the_database_may_stand_in_a_file_and_before_the_command(
    postgres: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = postgres.fresh()
    write(where, Table("attic").ends(("Ann", 42)).heard())
    secret = tmp_path / "database"
    secret.write_text(f"{where}\n")

    assert "Ann" in said(capsys, "standings", "--database-file", str(secret))
    assert "Ann" in said(capsys, "--database-file", str(secret), "standings")
    assert "Ann" in said(capsys, "--database", where, "standings")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["standings", "--by", "luck"], "--by luck: it can be wins, rating"),
        (["standings", "--game", "chess"], "--game chess: there is no such game; there are topple"),
        (["standings", "--since", "yesterday"], "give a day such as 2026-09-01"),
        (["standings", "--database", "nowhere.sqlite"], "nowhere.sqlite: there is no such league"),
        (["export", "--format", "xml"], "--format xml: it can be csv, json"),
        (["same", "Ann"], "give the name and who is meant by it"),
        (["same", "Ann", "Bob", "--no-longer"], "give the name and who is meant by it"),
        (["standings", "--database", "a", "--database-file", "b"], "exclude each other"),
        (["standings", "--database-file", "/nowhere"], "--database-file /nowhere: it cannot be"),
        (["standings", "--database-file", "/dev/null"], "its first line is empty"),
        (["--broker", "a b c:x"], "is no broker"),
        (["--password-file", "x"], "--password-file needs --user"),
        (["--user", "league", "--password-file", "/nowhere"], "it cannot be read"),
        (["--share", "a/b"], "--share a/b: use up to 64 letters"),
        (["--name", "a+b"], "--name a+b: use up to 64 letters"),
        (["--database", "mysql://x/y"], "mysql:// is no database this league knows"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    complaint = said(capsys, *arguments, code=2)

    assert words in complaint
    assert complaint.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "topple: Ann won (Ann 5, Bob 3)"),
        ({"winners": ("Ann", "Bob")}, "topple: Ann and Bob won (Ann 5, Bob 3)"),
        ({"winners": ()}, "topple: a draw (Ann 5, Bob 3)"),
        ({"broken_off": True, "winners": ()}, "topple broken off (Ann 5, Bob 3)"),
        ({"over": False, "winners": ()}, "topple goes on, its end was taken back (Ann 5, Bob 3)"),
    ],
)
def test_a_result_is_told_in_words(fields: dict[str, object], words: str) -> None:
    table = Table("attic").ends(("Ann", 5), ("Bob", 3), **fields)

    assert _in_words(table.heard().games[0]) == words
