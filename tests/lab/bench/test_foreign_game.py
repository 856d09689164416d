"""Whether events tell what changed: true ones do, and each thing that is not told is found."""

from typing import Any

import pytest

from lab.bench.foreign_client import heard
from lab.bench.foreign_game import ReadersGame, Round, unexplained
from lab.bench.observed import Sent
from lab.bench.rules_oracle import Oracle
from tests.lab.bench.spoiling import Document, spoilt, true_run


def _messages(name: str) -> tuple[Sent, ...]:
    return (*true_run(name).sent, *true_run(name).encore)


def _stacked(state: Document) -> bool:
    stack = next((s for s in state["board"].values() if len(s) > 1), None)
    return stack is not None and stack.reverse() is None


def _turn(state: Document) -> bool:
    if state["phase"] != "roll" or not state["board"]:
        return False
    other = next(p["name"] for p in state["players"] if p["name"] != state["turn"]["player"])
    state["turn"]["player"] = other
    return True


def _in(state: Document, key: str, value: Any) -> bool:
    fits = bool(state["board"]) and state["phase"] in ("roll", "act")
    if fits:
        state[key] = value
    return fits


def _placed(event: Document, **other: Any) -> bool:
    fits = event["type"] == "placed"
    if fits:
        event["data"].update(other)
    return fits


def _by_hand(event: Document) -> bool:
    return "cell" in event["data"] and "confidence" not in event["data"]


def _score(state: Document) -> bool:
    if not state["board"]:
        return False
    state["players"][0]["score"] += 1
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "change", "words"),
    [
        ("state", _stacked, "c3 shows"),
        ("state", _turn, "turn, told was"),
        ("state", _score, "the score is"),
        ("state", lambda s: _in(s, "phase", "over"), "the phase is over, by the rules"),
        ("state", lambda s: _in(s, "undo_depth", 0), "steps back and forth"),
        ("state", lambda s: _in(s, "last", None), "the last thing was None"),
        ("state", lambda s: _in(s, "history", [[9, 9]]), "the newest row of history is"),
        ("state", lambda s: _in(s, "winners", ["Ann"]), "winners are ['Ann']"),
        ("state", lambda s: _in(s, "pending", {"id": "cell-1"}), "cell-1 is pending"),
        ("event", lambda e: _placed(e, points=17), "is told to give"),
        ("event", lambda e: _placed(e, cell="e5"), "e5 shows [], there is"),
        ("event", lambda e: _by_hand(e) and _placed(e, cell="a1"), "was done as"),
    ],
)
def test_what_no_event_tells_is_found(suffix: str, change: Any, words: str) -> None:
    messages = spoilt(_messages("rule_stack"), suffix, change, 4)
    assert words in "; ".join(heard(true_run("rule_stack").orders, messages))


def test_a_topple_is_worth_what_the_rules_say_in_every_document() -> None:
    def kinder(state: Document) -> bool:
        if state["phase"] != "clear":
            return False
        for player in state["players"]:
            player["score"] = max(0, player["score"])
        return True

    messages = spoilt(_messages("rule_topple_placing"), "state", kinder, 0)
    words = "; ".join(heard(true_run("rule_topple_placing").orders, messages))
    assert "by the rules {'Ann': 3, 'Bob': -10}" in words


def test_undo_leads_to_the_document_that_was_shown_before() -> None:
    def another(state: Document) -> bool:
        if not state["redo_depth"] or not state["board"]:
            return False
        cell, pile = next(iter(state["board"].items()))
        state["board"]["e5" if cell != "e5" else "e1"] = state["board"].pop(cell)
        return bool(pile)

    messages = spoilt(_messages("undo_redo"), "state", another, 0)
    words = "; ".join(heard(true_run("undo_redo").orders, messages))
    assert "there is []" in words


def before_the_first_roll() -> Document:
    """The document of a game that begins, with an empty board."""
    return next(m.document() for m in _messages("rule_stack") if m.suffix == "state"
                and m.document()["phase"] == "roll" and not m.document()["board"])  # fmt: skip


def test_the_sensors_may_know_better_and_the_reader_looks_on_until_the_next_round() -> None:
    """An event of the sensors tells one move; what it says of others stands in the document."""
    first = before_the_first_roll()
    reader = ReadersGame()
    assert reader.follow(first, first, [], gap=False) == ()
    assert reader.now is not None
    other = {**first, "board": {"a1": [{"ref": 1, "colour": "red"}]}}
    assert "a1 shows ['red']" in reader.follow(first, other, [], gap=False)[0]
    assert reader.now is None  # and says so once
    assert reader.follow(first, other, [], gap=False) == ()
    reader.follow(first, first, [], gap=False)
    asked = {"type": "asked", "data": {"id": "placed-1", "kind": "placed", "ref": 1}}
    assert reader.follow(first, other, [asked], gap=False) == ()


@pytest.mark.parametrize(("ref", "looks_on"), [(7, True), (8, False)])
def test_a_piece_of_an_earlier_round_that_counts_again_lies_on_no_board(
    ref: int, looks_on: bool
) -> None:
    """Its fall was a bump, as people said; and Ann has had her turn."""
    first = before_the_first_roll()
    reader = ReadersGame(told={7})
    reader.follow(first, first, [], gap=False)
    player = first["turn"]["player"]
    colour = next(p["colours"][0] for p in first["players"] if p["name"] == player)
    data = {"ref": ref, "cell": "a1", "colour": colour, "points": 0}
    placed = {"type": "placed", "player": player, "rev": first["rev"] + 1, "data": data}

    found = reader.follow(first, {**first, "rev": first["rev"] + 1}, [placed], gap=False)

    assert (found == ()) == looks_on


@pytest.mark.parametrize(("evidence", "remembered"), [([], 2), (["retracted"], 1)])
def test_undo_into_an_earlier_round_that_was_rewritten_may_lead_anywhere(
    evidence: list[str], remembered: int
) -> None:
    first = before_the_first_roll()
    later = {**first, "undo_depth": first["undo_depth"] + 3}
    reader = ReadersGame()
    reader.follow(first, first, [], gap=False)
    named = {"type": "turn", "data": {"ref": 8}}
    told = [{"type": kind, "data": {"ref": 9}} for kind in evidence]

    reader.follow(first, later, [*told, named], gap=False)

    assert reader.now is not None
    assert len(reader.steps) == remembered


def test_a_piece_that_is_none_after_the_next_roll_leaves_open_whose_the_next_piece_is() -> None:
    """Bob rolled early, or Ann passed: the table learns it from the next piece."""
    rolled, placed = {"type": "roll", "player": "Ann"}, {"type": "place", "player": "Ann"}
    moves: tuple[tuple[int, Document], ...] = ((1, rolled), (2, placed), (3, rolled))
    known = Round(Oracle.shown(before_the_first_roll(), {}), moves)
    none = {"type": "corrected", "data": {"ref": 2, "of": "nothing"}}

    assert known.leaves_open(none)
    assert not known.but(3).leaves_open(none)
    same = {"type": "corrected", "player": "Ann", "data": {"ref": 2, "of": "placed"}}
    assert not known.leaves_open(same)
    fall = {"type": "topple", "player": "Bob", "cause": "placing"}  # whose, without a roll?
    assert Round(known.began, (*moves[:2], (3, fall))).leaves_open(none)


def test_a_piece_that_comes_to_light_later_leaves_open_whose_the_moves_after_it_are() -> None:
    """The table asked whether it was placed, nobody knew, and a fall has shown it since."""
    moves: tuple[tuple[int, Document], ...] = (
        (1, {"type": "roll", "player": "Ann", "value": 6, "now": True}),
        (3, {"type": "place", "player": "Ann", "cell": "a1", "colour": "red"}),
    )
    known = Round(Oracle.shown(before_the_first_roll(), {}), moves)

    def corrected(kind: str) -> Document:
        return {"type": "corrected", "player": "Ann", "data": {"ref": 2, "of": kind, "was": None}}

    assert known.leaves_open(corrected("placed"))
    assert known.leaves_open(corrected("nothing"))  # of an earlier round
    assert not known.leaves_open({**corrected("placed"), "type": "retracted"})


def test_a_piece_that_waits_for_its_roll_leaves_open_what_a_correction_before_it_makes() -> None:
    """Soak 157052: Bob's piece lies there untold, so that it is his turn and not Ann's again."""
    first = before_the_first_roll()
    reader = ReadersGame()
    reader.follow(first, first, [], gap=False)
    placed = {"type": "place", "player": "Ann", "cell": "a1", "colour": "red"}
    reader.now = Round(Oracle.shown(first, {}), ((2, placed),))
    none = {"type": "corrected", "data": {"ref": 2, "of": "nothing"}}
    untold = {**first, "undo_depth": first["undo_depth"] + 1}
    rolled = {"type": "rolled", "rev": 1, "player": "Bob", "data": {"ref": 3, "die": 5}}

    assert not reader._left_open(none)
    reader.follow(first, untold, [], gap=True)
    reader.now = Round(Oracle.shown(first, {}), ((2, placed),))
    assert reader._left_open(none)
    reader.follow(untold, untold, [rolled], gap=True)
    assert not reader.waits


def test_a_piece_that_is_another_players_leaves_open_whose_the_rolls_are() -> None:
    """By its colours a whole round is other players'; only the document tells the rolls then."""
    moves: tuple[tuple[int, Document], ...] = (
        (1, {"type": "roll", "player": "Ann", "value": 6, "now": True}),
        (2, {"type": "place", "player": "Ann", "cell": "a1", "colour": "red"}),
        (3, {"type": "roll", "player": "Bob", "value": 5, "now": True}),
    )
    known = Round(Oracle.shown(before_the_first_roll(), {}), moves)
    data = {"ref": 2, "of": "placed", "cell": "a1", "colour": "blue"}

    assert known.leaves_open({"type": "corrected", "player": "Bob", "data": data})
    assert not known.leaves_open({"type": "corrected", "player": "Ann", "data": data})


def test_a_fall_that_is_another_players_leaves_open_how_the_turn_before_it_ended() -> None:
    """Ann's piece stood after all, and Bob let it fall with a roll that nobody told."""
    moves: tuple[tuple[int, Document], ...] = (
        (1, {"type": "roll", "player": "Ann", "value": 6, "now": True}),
        (2, {"type": "topple", "player": "Ann", "cause": "placing"}),
    )
    known = Round(Oracle.shown(before_the_first_roll(), {}), moves)

    def corrected(player: str, cause: str) -> Document:
        data = {"ref": 2, "of": "toppled", "cause": cause}
        return {"type": "corrected", "player": player, "data": data}

    assert known.leaves_open(corrected("Bob", "placing"))
    assert not known.leaves_open(corrected("Ann", "placing"))
    assert known.leaves_open(corrected("Bob", "bump"))  # Ann's piece may count again
    bumped = Round(known.began, (moves[0], (2, {**moves[1][1], "cause": "bump"})))
    assert not bumped.leaves_open(corrected("Bob", "bump"))


def test_a_roll_that_is_told_again_with_its_piece_stays_where_it_stood() -> None:
    moves: tuple[tuple[int, Document], ...] = (
        (1, {"type": "roll", "player": "Ann", "value": 1, "now": True}),
        (2, {"type": "roll", "player": "Bob", "value": 2, "now": False}),
    )
    known = Round(Oracle.shown(before_the_first_roll(), {}), moves)
    again = {"type": "roll", "player": "Ann", "value": 1, "now": False}

    assert known.and_then(1, again) == known


def test_a_roll_that_turns_out_to_be_the_next_players_comes_after_the_piece() -> None:
    """Ann's roll was never told: Bob's was taken for it until her piece was seen."""
    known = Round(
        Oracle.shown(before_the_first_roll(), {}),
        ((1, {"type": "roll", "player": "Ann", "value": 3, "now": True}),),
    )
    placed = {"type": "place", "player": "Ann", "cell": "c3", "colour": "red"}
    bobs = {"type": "roll", "player": "Bob", "value": 3, "now": True}

    assert [ref for ref, _ in known.and_then(2, placed).and_then(1, bobs).moves] == [2, 1]


def test_a_fall_that_was_none_since_play_went_on_leaves_open_what_stands_again() -> None:
    moves: tuple[tuple[int, Document], ...] = (
        (1, {"type": "roll", "player": "Ann", "value": 6, "now": True}),
        (2, {"type": "topple", "player": "Ann", "cause": "placing"}),
    )
    known = Round(Oracle.shown(before_the_first_roll(), {}), moves)
    none = {"ref": 2, "of": "nothing"}

    went_on = {**none, "assumed": "play went on, so nothing had fallen"}
    assert known.leaves_open({"type": "corrected", "data": went_on})
    assert not known.leaves_open({"type": "corrected", "data": none})
    assert known.leaves_open({"type": "retracted", "data": {"ref": 2, "reason": "play went on"}})


def test_a_piece_that_did_not_stand_leaves_open_whose_the_roll_ahead_of_it_is() -> None:
    """Bob told his roll before Ann's piece was seen, and she took it back: is her turn over?"""
    rolled = {"type": "roll", "player": "Bob", "value": 3, "now": False}
    placed = {"type": "place", "player": "Ann", "cell": "a1", "colour": "red"}
    moves: tuple[tuple[int, Document], ...] = ((2, placed), (3, rolled))
    known = Round(Oracle.shown(before_the_first_roll(), {}), moves)
    gone = {"type": "retracted", "player": "Ann", "data": {"ref": 2, "cell": "a1"}}

    assert known.leaves_open(gone)
    assert not known.but(3).leaves_open(gone)


def test_a_roll_may_be_told_with_the_undo_before_it() -> None:
    """Ann's piece is undone, and Bob's roll comes before the document is shown."""
    first = before_the_first_roll()
    ann, bob = (player["name"] for player in first["players"][:2])
    turn, rev, depth = first["turn"], first["rev"], first["undo_depth"]

    def event(ahead: int, kind: str, player: str, **data: Any) -> Document:
        return {"type": kind, "player": player, "data": data, "rev": rev + ahead}

    roll = event(1, "rolled", ann, ref=1, die=6)
    place = event(2, "placed", ann, ref=2, cell="a1", colour="red", points=0)
    undo = event(3, "undone", ann, ref=2, verb="place", cell="a1", changes={})
    next_roll = event(4, "rolled", bob, ref=3, die=3)
    red = first["players"][0]
    fewer = {**red, "left": {"red": 11}}
    acting = {**first, "rev": rev + 1, "undo_depth": depth + 1, "phase": "act",
              "turn": {**turn, "player": ann, "die": 6}}  # fmt: skip
    placed = {**first, "rev": rev + 2, "undo_depth": depth + 2, "turn": {**turn, "player": bob},
              "board": {"a1": [{"ref": 2, "colour": "red"}]},
              "players": [fewer, *first["players"][1:]]}  # fmt: skip
    undone = {**acting, "rev": rev + 4, "undo_depth": depth + 2}

    reader = ReadersGame()
    reader.follow(first, first, [], gap=False)
    assert reader.follow(first, acting, [roll], gap=False) == ()
    assert reader.follow(acting, placed, [place], gap=False) == ()
    assert reader.follow(placed, undone, [undo, next_roll], gap=False) == ()


def test_a_roll_told_ahead_goes_with_the_round_that_it_was_told_in() -> None:
    """Ann told her roll before Bob's piece was seen, and then the tower fell."""
    moves: tuple[tuple[int, Document], ...] = (
        (1, {"type": "roll", "player": "Ann", "value": 6, "now": True}),
        (2, {"type": "place", "player": "Ann", "cell": "a1", "colour": "red"}),
        (3, {"type": "roll", "player": "Bob", "value": 5, "now": True}),
        (4, {"type": "roll", "player": "Ann", "value": 3, "now": False}),
        (5, {"type": "topple", "player": "Bob", "cause": "bump"}),
        (6, {"type": "cleared"}),
    )
    assert Round(Oracle.shown(before_the_first_roll(), {}), moves).game().phase == "roll"


def test_what_was_told_after_a_piece_had_fallen_came_too_soon() -> None:
    """Bob's piece fell; before it was told he passed, Cleo rolled, and Ann ahead of her turn."""
    moves: tuple[tuple[int, Document], ...] = (
        (1, {"type": "roll", "player": "Ann", "value": 6, "now": True}),
        (2, {"type": "place", "player": "Ann", "cell": "a1", "colour": "red"}),
        (3, {"type": "roll", "player": "Bob", "value": 5, "now": True}),
        (4, {"type": "pass", "player": "Bob"}),
        (5, {"type": "roll", "player": "Cleo", "value": 3, "now": True}),
        (6, {"type": "roll", "player": "Ann", "value": 3, "now": False}),
    )
    fell = {"type": "topple", "player": "Bob", "cause": "placing"}
    known = Round(Oracle.shown(before_the_first_roll(), {}), moves).and_then(7, fell)

    assert [ref for ref, _ in known.moves] == [1, 2, 3, 7]


def test_a_game_that_is_over_and_is_not_has_its_turn_told_again() -> None:
    """A fall ended the game; in the same document it is the player's before, and play goes on."""
    first = before_the_first_roll()
    turn = {"type": "turn", "player": first["turn"]["player"], "data": {"phase": "roll"}, "rev": 1}
    over = {"type": "over", "data": {"winners": [turn["player"]]}, "rev": 1}

    assert list(unexplained(first, first, [over, turn])) == []
    assert "it was already" in next(unexplained(first, first, [turn]))
    assert "told was None" in next(unexplained(first, first, [over]))


def test_a_turn_that_a_weight_named_is_a_move_and_may_be_told_again() -> None:
    first = before_the_first_roll()
    ann = first["turn"]["player"]
    placed = {"type": "placed", "player": ann, "data": {"ref": 7, "cell": "c4"}, "rev": 1}
    turn = {"type": "turn", "player": ann, "data": {"ref": 8}, "rev": 1}
    after = {**first, "last": {"type": "turn", "player": ann, "ref": 8}}

    assert list(unexplained(first, after, [placed, turn])) == []
    silent = {**turn, "data": {}}
    assert len(list(unexplained(first, after, [placed, silent]))) == 2


def test_who_plays_again_since_nobody_else_has_a_piece_may_roll_ahead() -> None:
    """The die of the turn stays what it was; the next one's is told ahead of the piece."""
    first = before_the_first_roll()
    ann = first["turn"]["player"]
    acting = {**first, "phase": "act", "turn": {**first["turn"], "die": 2}}
    reader = ReadersGame()
    reader.follow(first, first, [], gap=False)
    roll = {"type": "rolled", "player": ann, "data": {"ref": 1, "die": 2}, "rev": 1}
    reader.follow(first, acting, [roll], gap=False)
    ahead = {"type": "rolled", "player": ann, "data": {"ref": 2, "die": 1}, "rev": 2}

    assert reader.follow(acting, acting, [ahead], gap=False) == ()
    assert reader.now is not None


def test_who_begins_after_a_bump_is_what_people_answer() -> None:
    first = before_the_first_roll()
    asked = {**first, "pending": {"id": "turn-7", "kind": "turn"}}
    settled = {"type": "settled", "data": {"id": "turn-7"}}
    reader = ReadersGame()
    reader.follow(first, first, [], gap=False)
    known = reader.now
    clear = {**first, "phase": "clear"}

    reader.follow(asked, clear, [settled], gap=False)
    assert known is not None
    assert reader.now is None
