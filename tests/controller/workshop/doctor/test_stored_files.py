"""Passwords that others may read, journals that cannot be written, are damaged or too new."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from controller.common.config import parse
from controller.journal.journal import Journal
from controller.workshop.doctor.people import UnixUser, myself
from controller.workshop.doctor.results import CheckResult
from controller.workshop.doctor.stored_files import journal, look_at_stored_files, pieces, secrets
from engine.tabletop import ColourPiece
from hw.building.design import drawn_table
from hw.calibration import calibration_json

STRANGER = UnixUser("stranger", 4001, frozenset({4001}))


def last(results: Iterable[CheckResult]) -> CheckResult:
    return list(results)[-1]


@pytest.mark.parametrize(
    ("mode", "reader", "verdict", "words"),
    [
        (0o600, myself(), "ok", "only"),
        (0o640, myself(), "wrong", "others may read"),
        (0o604, myself(), "wrong", "others may read"),
        (0o600, STRANGER, "wrong", "not stranger"),
    ],
)
def test_a_password_is_for_one_user(
    mode: int, reader: UnixUser, verdict: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "secret"
    file.write_text("p\n")
    file.chmod(mode)
    config = parse(f'[broker]\nkind = "mqtt"\nuser = "table"\npassword_file = "{file}"')

    (found,) = secrets(config, reader)

    assert found.verdict == verdict
    assert words in found.words


def test_a_missing_password_is_named(tmp_path: Path) -> None:
    config = parse(f'[broker]\nuser = "table"\npassword_file = "{tmp_path}/none"')

    assert last(secrets(config, myself())).verdict == "wrong"


def test_no_journal_is_worth_a_note() -> None:
    assert last(journal("", myself())).verdict == "note"


def test_a_whole_journal_is_counted(tmp_path: Path) -> None:
    Journal(tmp_path / "games").close()

    found = last(journal(str(tmp_path / "games"), myself()))

    assert found.verdict == "ok"
    assert "0 games" in found.words


def test_a_journal_in_use_is_not_disturbed(tmp_path: Path) -> None:
    kept = Journal(tmp_path / "games")

    found = last(journal(str(tmp_path / "games"), myself()))

    assert found.verdict == "ok"
    assert "in use" in found.words
    kept.close()


def test_a_journal_from_a_newer_version_is_named(tmp_path: Path) -> None:
    Journal(tmp_path / "games").close()
    with closing(sqlite3.connect(tmp_path / "games")) as opened:
        opened.execute("PRAGMA user_version=99")

    found = last(journal(str(tmp_path / "games"), myself()))

    assert found.verdict == "wrong"
    assert "newer version" in found.words


@pytest.mark.parametrize("content", [b"this is no database at all, not in the least", b"\0" * 9000])
def test_a_damaged_journal_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "games").write_bytes(content)

    assert last(journal(str(tmp_path / "games"), myself())).verdict == "wrong"


def test_a_journal_that_was_damaged_once_warns_of_the_card(tmp_path: Path) -> None:
    Journal(tmp_path / "games").close()
    (tmp_path / "games.damaged-1").write_bytes(b"spoilt")

    found = last(journal(str(tmp_path / "games"), myself()))

    assert (found.verdict, "games.damaged-1" in found.words) == ("note", True)


def test_a_journal_that_a_table_holds_is_in_use(tmp_path: Path) -> None:
    Journal(tmp_path / "games").close()
    with closing(sqlite3.connect(tmp_path / "games", isolation_level=None)) as table:
        table.execute("PRAGMA locking_mode=EXCLUSIVE")
        table.execute("BEGIN EXCLUSIVE")
        found = last(journal(str(tmp_path / "games"), myself()))

    assert (found.verdict, "in use by a running table" in found.words) == ("ok", True)


def test_a_journal_that_cannot_be_opened_is_left_to_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Journal(tmp_path / "games").close()
    address = (tmp_path / "none").as_uri() + "?mode=ro"
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *_, **__: connect(address, uri=True))

    found = last(journal(str(tmp_path / "games"), myself()))

    assert (found.verdict, found.advice) == ("note", "sudo topple-table doctor")


def test_a_journal_the_service_may_not_write_is_named(tmp_path: Path) -> None:
    found = last(journal(str(tmp_path / "games"), STRANGER))

    assert found.verdict == "wrong"
    assert "may not write" in found.words
    assert found.advice == f"chown stranger {tmp_path}"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    found = last(journal(str(tmp_path / "none" / "games"), myself()))

    assert found.verdict == "wrong"
    assert "mkdir" in found.advice


def test_all_of_it_is_looked_at(tmp_path: Path) -> None:
    config = parse(f'[table]\njournal = "{tmp_path}/games"')

    assert [f.about for f in look_at_stored_files(config, myself())] == ["disk", "journal"]


@pytest.mark.parametrize(
    ("blue_g", "verdict", "words"),
    [
        (None, "ok", "not weighed by colour"),
        (4.0, "ok", "Red and blue differ by 1.00 g: whose piece it is will be known in 99.99 of"),
        (3.02, "note", "cannot be told apart"),
    ],
)
def test_how_surely_colours_are_told_apart_by_weight_is_said(
    blue_g: float | None, verdict: str, words: str, tmp_path: Path
) -> None:
    drawn = drawn_table()
    colours = () if blue_g is None else (
        ColourPiece("red", 3.0, 0.03), ColourPiece("blue", blue_g, 0.03)
    )  # fmt: skip
    file = tmp_path / "calibration.json"
    file.write_text(calibration_json(replace(drawn, piece=replace(drawn.piece, colours=colours))))

    found = last(pieces(file))

    assert (found.about, found.verdict) == ("pieces", verdict)
    assert words in found.words


def test_of_pieces_nothing_is_said_without_a_whole_calibration(tmp_path: Path) -> None:
    (tmp_path / "torn.json").write_text("{")

    for file in (None, tmp_path / "none.json", tmp_path / "torn.json"):
        assert list(pieces(file)) == []
