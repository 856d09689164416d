"""Profiles: only of who asked for one, each game once, corrected and taken back, deletable."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.results import Fallen, Feat, GameResult, Highlights, PlayerResult, Results
from pages.phone.profiles import (
    MOST_GAMES,
    MOST_PROFILES,
    Profile,
    ProfileBook,
    counted,
    shown,
)

TOLD = Highlights(
    highest=Feat("Ann", 8, "c3"), boldest=Feat("Bob", 0.4, "a1"), topples=(Fallen("Bob", "Ann"),)
)
GAME = GameResult(
    "g1", "topple", 9, "2026-11-22T20:00:00+00:00",
    (PlayerResult("Ann", 42, ("red",)), PlayerResult("Bob", 31, ("blue",))), ("Ann",),
    highlights=TOLD,
)  # fmt: skip


def results(*games: GameResult) -> Results:
    return Results("t1", "boot-1", games)


def test_only_who_asked_has_a_profile_and_gets_the_games_of_tonight() -> None:
    book = ProfileBook()
    book.hear(results(GAME))
    assert book.shown() == ()
    book.stay("Ann", results(GAME))
    (ann,) = book.shown()

    assert (ann.name, ann.colour, ann.games, ann.wins, ann.topples) == ("Ann", "red", 1, 1, 0)
    assert (ann.highest, ann.boldest) == (8, 0)  # the boldest was Bob
    assert ann.achievements == ("first_win", "tall")


def test_a_game_counts_once_and_a_correction_replaces_it() -> None:
    book = ProfileBook()
    book.stay("bob ", None)
    for _ in range(3):
        book.hear(results(GAME))
    (bob,) = book.shown()
    assert (bob.name, bob.games, bob.wins, bob.topples) == ("Bob", 1, 0, 1)

    book.hear(results(replace(GAME, rev=12, winners=("Bob",))))
    book.hear(results(GAME))  # an echo of the past
    (bob,) = book.shown()
    assert (bob.games, bob.wins) == (1, 1)


@pytest.mark.parametrize("change", [{"over": False}, {"broken_off": True}])
def test_a_game_taken_back_or_broken_off_does_not_count(change: dict[str, bool]) -> None:
    ann, zoe = counted(Profile("Ann"), GAME), Profile("Zoe")
    after = counted(ann, replace(GAME, rev=12, **change))

    assert len(ann.games) == 1
    assert after.games == {}
    # While the table still asks a game waits, and who did not play is not touched.
    assert counted(Profile("Ann"), replace(GAME, asked=True)).games == {}
    assert counted(zoe, GAME) is zoe


def test_years_of_games_keep_the_newest() -> None:
    ann = Profile("Ann")
    for number in range(MOST_GAMES + 3):
        ann = counted(ann, replace(GAME, game=f"g{number}"))

    assert len(ann.games) == MOST_GAMES
    assert "g2" not in ann.games
    assert shown(ann).achievements == ("first_win", "ten_games", "ten_wins", "tall")


def test_they_are_there_after_a_restart_and_gone_when_deleted(tmp_path: Path) -> None:
    path = tmp_path / "profiles.json"
    ProfileBook(path).stay("Ann", results(GAME))
    again = ProfileBook(path)
    assert [one.wins for one in again.shown()] == [1]
    assert path.stat().st_mode & 0o077 == 0

    again.leave("ANN")
    assert again.shown() == ()
    assert json.loads(path.read_bytes()) == {}
    assert not ProfileBook(path).stays("Ann")


@pytest.mark.parametrize("spoilt", [b"", b"[1]", b'{"ann": 3}', b"\xff"])
def test_a_spoilt_file_is_put_aside_and_said(
    spoilt: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "profiles.json"
    path.write_bytes(spoilt)
    book = ProfileBook(path)

    assert book.shown() == ()
    assert "cannot be read" in caplog.text
    assert path.with_name("profiles.json.unreadable").read_bytes() == spoilt
    assert book.stay("Ann", None)


def test_a_disk_that_takes_nothing_costs_no_evening(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    book = ProfileBook(tmp_path / "no" / "such" / "folder")
    assert book.stay("Ann", results(GAME))

    assert [one.name for one in book.shown()] == ["Ann"]
    assert "could not be written" in caplog.text


def test_there_is_room_for_a_family_and_not_for_a_town() -> None:
    book = ProfileBook()
    made = [book.stay(f"Player {number}", None) for number in range(MOST_PROFILES + 1)]

    assert made == [True] * MOST_PROFILES + [False]
