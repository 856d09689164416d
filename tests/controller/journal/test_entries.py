"""Seals: whatever was changed, left out or put in is noticed, and order is by number."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal.entries import (
    NO_GAME,
    Entry,
    GameLog,
    GameRow,
    flaw,
    from_json,
    game_with_checksum,
    to_json,
    with_checksum,
)
from engine.events import Fault
from engine.troubles import CELL_REPEATS

CODED = Fault.of(3.0, "scale.2", CELL_REPEATS(n="C2"))
GAME = game_with_checksum(GameRow(7, "g1", 3, 12, 40, 2))


def game_log(*causes: str, game: GameRow = GAME, times: tuple[float, ...] = ()) -> GameLog:
    entries: list[Entry] = []
    before = game.seal
    for at, cause in enumerate(causes):
        number = (game.first_entry or 1) + at
        t_s = times[at] if times else 2.0 * at
        entries.append(with_checksum(Entry(number, "HumanInput", t_s, cause, "[]"), before))
        before = entries[-1].seal
    return GameLog(game, tuple(entries))


def test_what_was_written_is_whole_and_only_a_missing_end_cannot_be_seen() -> None:
    for whole in (game_log("a", "b", "c"), GameLog(), game_log("a", game=NO_GAME)):
        assert flaw(whole) == ""
    # Order is by number, and a clock that goes back changes nothing.
    found = game_log("a", "b", "c", times=(5.0, -3.0, 1e9))
    assert flaw(found) == ""
    assert flaw(GameLog(GAME, found.entries[:2])) == ""


def test_an_entry_left_out_and_a_changed_game_are_named() -> None:
    found = game_log("a", "b", "c")
    changed = msgspec.structs.replace(GAME, rev=13)
    before_games = game_log("a", "b", "c", game=NO_GAME)

    assert flaw(GameLog(GAME, (found.entries[0], found.entries[2]))) == "entry 8 is missing"
    assert flaw(GameLog(GAME, found.entries[1:])) == "entry 7 is missing"
    assert "entry 2" in flaw(GameLog(NO_GAME, before_games.entries[1:]))
    assert "entry 7 was changed" in flaw(GameLog(changed, found.entries))


@given(
    at=st.integers(0, 2),
    field=st.sampled_from(["kind", "t_s", "cause", "outcomes", "seal"]),
    value=st.integers(-5, 5) | st.text(max_size=3),
)
def test_any_changed_field_of_an_entry_is_noticed(at: int, field: str, value: object) -> None:
    entries = list(game_log("a", "b", "c").entries)
    before = entries[at]
    entries[at] = msgspec.structs.replace(before, **{field: value})
    if entries[at] == before:
        return

    assert flaw(GameLog(GAME, tuple(entries))) == f"entry {at + 7} was changed"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_chapter_goes_on_in_itself_and_in_the_next_game(count: int) -> None:
    whole = game_log("a", "b", "c")
    part = GameLog(GAME, whole.entries[:count])
    after = game_log("x", game=game_with_checksum(GameRow(7 + count, "g2", 1, 1, 1, 3)))
    other = game_log("a", "B", "c")

    assert part.goes_on_in(whole)
    assert part.goes_on_in(after)
    assert GameLog().goes_on_in(whole)
    assert part.goes_on_in(other) is (count == 1)


def test_an_entry_is_found_by_its_number_and_no_other() -> None:
    found = game_log("a", "b")

    assert [found.checksum_of(n) for n in (6, 7, 8, 9)] == [
        None, found.entries[0].seal, found.entries[1].seal, None,
    ]  # fmt: skip
    assert (GameLog().first_entry, GameLog().last_entry, GameLog().checksum_of(0)) == (0, 0, None)


@pytest.mark.parametrize(
    ("kept", "fault"),
    [
        (to_json(CODED), CODED),
        ('{"t_s":3.0,"sensor":"imu","reason":"Check."}', Fault(3.0, "imu", "Check.")),
    ],
    ids=["with code and arguments", "from before there were codes"],
)
def test_a_fault_comes_back(kept: str, fault: Fault) -> None:
    assert from_json("Fault", kept) == fault
