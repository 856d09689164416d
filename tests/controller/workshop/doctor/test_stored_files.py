"""Passwords that others may read, journals that cannot be written, are damaged or too new."""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from controller.common.config import parse
from controller.common.places import Places
from controller.journal.journal import Journal
from controller.journal.known import KnownJournals
from controller.workshop.doctor.people import UnixUser, myself
from controller.workshop.doctor.results import CheckResult
from controller.workshop.doctor.stored_files import (
    journal,
    look_at_stored_files,
    pieces,
    secrets,
    storage,
)
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


def test_a_missing_password_is_named_and_all_that_is_kept_is_looked_at(tmp_path: Path) -> None:
    missing = parse(f'[broker]\nuser = "table"\npassword_file = "{tmp_path}/none"')
    config = parse(f'[table]\njournal = "{tmp_path}/games"')

    assert last(secrets(missing, myself())).verdict == "wrong"
    nowhere = places(tmp_path, tmp_path)
    found = look_at_stored_files(config, myself(), nowhere, None)
    assert [f.about for f in found] == ["disk", "journal"]


def places(folder: Path, root: Path) -> Places:
    return Places({"journal": folder / "games"}, changing=frozenset(("journal",)), root=root)


def on(root: Path, line: str) -> None:
    (root / "proc/self").mkdir(parents=True, exist_ok=True)
    (root / "proc/self/mountinfo").write_text(line)


def test_a_journal_that_ends_with_the_power_is_wrong_and_a_worn_card_worth_a_note(
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    on(root, "1 0 0:9 / / rw - tmpfs tmpfs rw\n")
    (found,) = storage(places(tmp_path, root))
    assert (found.verdict, found.about) == ("wrong", "storage")
    assert found.words == f"{tmp_path}/games lies in memory (tmpfs on /) and is gone with the power"
    assert found.advice == "put it on the card or a stick"

    on(root, "1 0 179:0 / / rw - ext4 /dev/mmcblk0 rw\n")
    card = root / "sys/dev/block/179:0/device"
    card.mkdir(parents=True)
    (card / "pre_eol_info").write_text("0x03\n")
    (found,) = storage(places(tmp_path, root))
    assert (found.verdict, found.advice) == ("note", "copy it to a new one soon")


def test_a_journal_that_is_gone_is_missed(tmp_path: Path) -> None:
    config, stick = tmp_path / "config", tmp_path / "stick"
    config.mkdir()
    known = KnownJournals(stick / "games", [config], "/media/stick")
    assert last(journal(str(stick / "games"), myself(), known)).advice == f"mkdir {stick}"
    known.write(42, 1)

    found = last(journal(str(stick / "games"), myself(), known))
    assert found.verdict == "wrong"
    assert found.words == f"{stick}/games is gone; 42 entries of games were in it, on /media/stick"


def whole(path: Path) -> None:
    Journal(path).close()


def of_a_newer_version(path: Path) -> None:
    whole(path)
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("PRAGMA user_version=99")


def damaged_once(path: Path) -> None:
    whole(path)
    path.with_name("games.damaged-1").write_bytes(b"spoilt")


@pytest.mark.parametrize(
    ("made", "verdict", "words"),
    [
        (whole, "ok", "0 games"),
        (of_a_newer_version, "wrong", "newer version"),
        (
            lambda path: path.write_bytes(b"this is no database at all, not in the least"),
            "wrong",
            "",
        ),
        (lambda path: path.write_bytes(b"\0" * 9000), "wrong", ""),
        # It warns of the card.
        (damaged_once, "note", "games.damaged-1"),
    ],
)
def test_a_journal_is_counted_or_what_is_wrong_with_it_is_named(
    made: Callable[[Path], None], verdict: str, words: str, tmp_path: Path
) -> None:
    made(tmp_path / "games")

    found = last(journal(str(tmp_path / "games"), myself()))

    assert found.verdict == verdict
    assert words in found.words


@pytest.mark.parametrize(
    ("where", "reader", "verdict", "words", "advice"),
    [
        ("", myself(), "note", "", None),
        ("{}/none/games", myself(), "wrong", "", "mkdir {}/none"),
        ("{}/games", STRANGER, "wrong", "may not write", "chown stranger {}"),
    ],
    ids=["no journal", "no folder", "not the service's"],
)
def test_a_journal_that_cannot_be_kept_is_named_with_what_to_do(
    where: str, reader: UnixUser, verdict: str, words: str, *, advice: str | None, tmp_path: Path
) -> None:
    found = last(journal(where.format(tmp_path), reader))

    assert found.verdict == verdict
    assert words in found.words
    assert advice is None or found.advice == advice.format(tmp_path)


def test_a_journal_in_use_is_not_disturbed(tmp_path: Path) -> None:
    with Journal(tmp_path / "games"):
        found = last(journal(str(tmp_path / "games"), myself()))
    assert (found.verdict, "in use" in found.words) == ("ok", True)

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
