import random

import msgspec
import pytest
from hypothesis import given

from engine.games.chance import shuffled
from engine.games.registry import GAMES
from engine.games.triple_topper_toe.cube import CELLS, DECK, INDEX, LINES_AT
from engine.games.triple_topper_toe.rules import TRIPLE_TOPPER
from engine.games.triple_topper_toe.state import TripleTopperState, unseen_cards
from tests.engine.games.helpers import code_of, opened, states_of
from tests.rules_cases import cases_of, play, run_case
from tests.soaked import examples

GAME = "triple-topper-toe"


def start(*top: str, variant: str = "standard") -> dict:
    """A start whose deck has these cards on top, dealt to x and o alternately."""
    rest = [card for card in DECK if card not in top]
    return {"type": "start", "x": "Ann", "o": "Bob", "variant": variant, "deck": [*top, *rest]}


def card_play(card: str, cell: str | None = "") -> dict:
    return {"type": "play", "card": card, "cell": card if cell == "" else cell}


DRAW = {"type": "draw"}


@pytest.mark.parametrize("case", cases_of(GAME))
def test_worked_case(case: dict) -> None:
    run_case(case)


def naive_fits(card: str, cell: str) -> bool:
    pairs = zip(card.split("-"), cell.split("-"), strict=True)
    return all(mine in (theirs, "black", "blob", "?") for mine, theirs in pairs)


@examples(25)
@given(states_of(GAME))
def test_plays_are_those_of_the_naive_rules(state: TripleTopperState) -> None:
    if state.phase != "play":
        return
    taken = set(TRIPLE_TOPPER.view(state)["board"])
    expected: set[tuple[str, str | None]] = set()
    for card in state.hands[state.current]:
        free = [cell for cell in CELLS if naive_fits(card, cell) and cell not in taken]
        expected |= {(card, cell) for cell in free} or {(card, None)}

    legal = {(play["card"], play["cell"]) for play in TRIPLE_TOPPER.legal_actions(state)}

    assert legal == expected
    for card in state.hands[state.current]:
        for cell in (*CELLS, None):
            accepted = code_of(TRIPLE_TOPPER, state, card_play(card, cell)) is None
            assert accepted == ((card, cell) in expected)


@examples(25)
@given(states_of(GAME, steps=400))
def test_nobody_sees_more_than_they_may(state: TripleTopperState) -> None:
    """Whatever the hidden cards are, the views are the same."""
    hidden = sorted([*state.hands[1], *state.pile])
    mixed = shuffled(hidden, random.Random(len(hidden)).random)
    count = len(state.hands[1])
    other = msgspec.structs.replace(
        state, hands=(state.hands[0], tuple(mixed[:count])), pile=tuple(mixed[count:])
    )
    if state.last and state.last.get("player") == "o" and "cards" in state.last:
        drawn = list(other.hands[1][: len(state.last["cards"])])
        other = msgspec.structs.replace(other, last={**state.last, "cards": drawn})

    assert TRIPLE_TOPPER.player_view(other, "Ann") == TRIPLE_TOPPER.player_view(state, "Ann")
    assert TRIPLE_TOPPER.public_view(other) == TRIPLE_TOPPER.public_view(state)
    assert TRIPLE_TOPPER.player_view(state, "Ann")["hands"]["x"] == list(state.hands[0])
    assert TRIPLE_TOPPER.player_view(state, "Zoe") == TRIPLE_TOPPER.public_view(state)


def test_drawn_card_is_shown_to_its_owner_only() -> None:
    state = play(GAME, [start(), DRAW])[-1]

    assert TRIPLE_TOPPER.player_view(state, "Ann")["last"]["cards"] == [state.hands[0][3]]
    assert TRIPLE_TOPPER.player_view(state, "Bob")["last"]["cards"] == 1
    assert TRIPLE_TOPPER.public_view(state)["hands"] == {"x": 4, "o": 3}


def test_one_mark_can_complete_several_lines() -> None:
    corner = "red-circle-1"
    row = ["red-heart-1", "red-triangle-1", "red-square-1"]
    column = ["yellow-circle-1", "green-circle-1", "blue-circle-1"]
    others = ["yellow-heart-2", "yellow-heart-3", "green-heart-2", "green-heart-3",
              "blue-heart-2", "blue-heart-4"]  # fmt: skip
    mine = [*row, *column, corner]
    deck = [mine[0], others[0], mine[1], others[1], mine[2], others[2]]
    draws = [card for pair in zip(mine[3:], others[3:], strict=False) for card in pair]
    state = TRIPLE_TOPPER.start(start(*deck, *draws))
    for number in range(13):
        state = TRIPLE_TOPPER.apply(state, DRAW)
        card = mine[number // 2] if number % 2 == 0 else others[number // 2]
        state = TRIPLE_TOPPER.apply(state, card_play(card))

    view = TRIPLE_TOPPER.view(state)

    assert view["winner"] == "x"
    assert view["lines"] == [sorted([corner, *column]), sorted([corner, *row])]
    assert TRIPLE_TOPPER.winners(state) == ("Ann",)


def full_cube(variant: str, x_marks: int) -> TripleTopperState:
    """One empty cell, an O on every line through it, and X to play the card for it."""
    last = "green-heart-2"
    free = INDEX[last]
    blocked = {next(cell for cell in line if cell != free) for line in LINES_AT[free]}
    marks = ["o" if at in blocked else "" for at in range(64)]
    for at in range(64):
        if not marks[at] and at != free:
            marks[at] = "x" if marks.count("x") < x_marks else "o"
    state = TRIPLE_TOPPER.start(start(last, variant=variant))
    return msgspec.structs.replace(state, phase="play", marks=tuple(marks))


@pytest.mark.parametrize(
    ("variant", "x_marks", "winner", "won_by", "phase"),
    [
        ("standard", 40, "tie", None, "over"),
        ("quiz", 40, "x", "marks", "over"),
        ("quiz", 20, "o", "marks", "over"),
        ("quiz", 31, None, None, "tiebreak"),
    ],
)
def test_full_cube_without_a_line(
    variant: str, x_marks: int, winner: str | None, won_by: str | None, phase: str
) -> None:
    state = full_cube(variant, x_marks)

    after = TRIPLE_TOPPER.apply(state, card_play("green-heart-2"))

    assert (after.winner, after.won_by, after.phase) == (winner, won_by, phase)


@pytest.mark.parametrize(("correct", "winner"), [(True, ("Bob",)), (False, ("Ann",))])
def test_tiebreak_question_decides(correct: bool, winner: tuple[str, ...]) -> None:
    state = TRIPLE_TOPPER.apply(full_cube("quiz", 31), card_play("green-heart-2"))
    state = TRIPLE_TOPPER.apply(state, {"type": "nobuzz"})
    assert state.phase == "tiebreak"

    state = TRIPLE_TOPPER.apply(state, {"type": "buzz", "player": "o", "correct": correct})

    assert TRIPLE_TOPPER.winners(state) == winner
    assert state.won_by == "tiebreak"


def test_wrong_answer_gives_the_turn_to_the_other() -> None:
    state = play(GAME, [start(variant="quiz"), {"type": "buzz", "player": "x", "correct": False}])[
        -1
    ]

    assert TRIPLE_TOPPER.current_player(state) == "Bob"


def test_empty_pile_needs_an_order_of_exactly_the_used_cards() -> None:
    state = opened(GAME, seed=3)
    while len(state.pile) > 1:
        cards = list(state.hands[state.current][:2])
        state = TRIPLE_TOPPER.apply(state, {"type": "discard", "cards": cards})
    cards = list(state.hands[state.current][:2])
    discard = {"type": "discard", "cards": cards}
    used = sorted(unseen_cards(state).union(cards))

    assert code_of(TRIPLE_TOPPER, state, discard) == "reshuffle_needed"
    assert code_of(TRIPLE_TOPPER, state, discard | {"reshuffle": used[1:]}) == "bad_reshuffle"
    assert code_of(TRIPLE_TOPPER, state, DRAW | {"reshuffle": used}) == "bad_reshuffle"
    filled = GAMES[GAME].outcomes.completed(state, discard, random.Random(1).random)
    assert code_of(TRIPLE_TOPPER, state, filled) is None


def test_wild_may_not_be_aimed_outside_its_line() -> None:
    state = play(GAME, [start("black-heart-2"), DRAW])[-1]

    assert code_of(TRIPLE_TOPPER, state, card_play("black-heart-2", "red-heart-3")) == "wrong_cell"
    assert code_of(TRIPLE_TOPPER, state, card_play("black-heart-2", "nowhere")) == "unknown_cell"


def test_card_twice_is_no_discard() -> None:
    state = TRIPLE_TOPPER.start(start())
    card = state.hands[0][0]

    assert (
        code_of(TRIPLE_TOPPER, state, {"type": "discard", "cards": [card, card]}) == "not_in_hand"
    )
