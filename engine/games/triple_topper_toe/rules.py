"""The rules of Triple Topper Toe (docs/rules.md): four in a line through a cube of cards.

The order of the deck and of a reshuffle comes with the action, so a record replays exactly.
Hands are hidden: `public_view` shows how many cards, never which.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from engine.errors import IllegalAction
from engine.games.checks import chosen_options, distinct_names, rule_for
from engine.games.contract import Action, View
from engine.games.triple_topper_toe.cube import CELLS, DECK, INDEX, LINES_AT, TARGETS
from engine.games.triple_topper_toe.state import (
    DECK_CARDS,
    HAND,
    QUIZ,
    SEATS,
    STANDARD,
    Cards,
    TripleTopperState,
    unseen_cards,
)
from engine.plainly import as_said

_with = msgspec.structs.replace


class TripleTopper:
    """Triple Topper Toe under the contract of all games."""

    id = "triple-topper-toe"
    title = "Triple Topper Toe"
    options: Mapping[str, tuple[Any, ...]] = {}

    def start(self, action: Action, options: Mapping[str, Any] | None = None) -> TripleTopperState:
        """Open a game between `x` and `o` with a `deck` of 125 cards, the top first."""
        chosen_options(self.options, options)
        variant, deck = action.get("variant", STANDARD), action.get("deck")
        players = (action.get("x"), action.get("o"))
        if not distinct_names(players):
            raise IllegalAction("bad_players", "Triple Topper Toe needs two names, x and o")
        if variant not in (STANDARD, QUIZ):
            raise IllegalAction(
                "bad_variant", f"there is no version {as_said(variant)}: standard or quiz"
            )
        if not _is_order_of(deck, DECK_CARDS):
            raise IllegalAction("bad_deck", "the deck must hold each of the 125 cards once")
        cards = tuple(deck or ())
        return TripleTopperState(
            players=(str(players[0]), str(players[1])),
            variant=variant,
            phase=_opening(variant),
            hands=(cards[0 : 2 * HAND : 2], cards[1 : 2 * HAND : 2]),  # dealt alternately (X6)
            pile=cards[2 * HAND :],
        )

    def current_player(self, state: TripleTopperState) -> str | None:
        """Who is to act; nobody while a question is open."""
        return state.players[state.current] if state.phase in ("turn", "play") else None

    def legal_actions(self, state: TripleTopperState) -> Sequence[Action]:
        """Draw, discards, plays or buzzes (X3, X4). A needed reshuffle is one order for all."""
        if state.phase == "over":
            return ()
        if state.phase == "play":
            return [play for card in state.hands[state.current] for play in _plays(state, card)]
        if state.phase == "turn":
            return _turns(state)
        buzzes: list[Action] = [
            {"type": "buzz", "player": seat, "correct": correct}
            for seat in SEATS
            for correct in (True, False)
        ]
        return [*buzzes, {"type": "nobuzz"}]

    def apply(self, state: TripleTopperState, action: Action) -> TripleTopperState:
        """The state after a draw, play, discard, buzz or a question nobody answered."""
        return rule_for(action, _RULES, over=state.phase == "over")(state, action)

    def is_over(self, state: TripleTopperState) -> bool:
        """Whether there is a line, or no empty cell and no question left (rule X9)."""
        return state.phase == "over"

    def winners(self, state: TripleTopperState) -> tuple[str, ...]:
        """The winner; nobody in a tie."""
        return (state.players[SEATS.index(state.winner)],) if state.winner in SEATS else ()

    def scores(self, state: TripleTopperState) -> Mapping[str, int]:
        """Marks in the cube."""
        return {
            name: state.marks.count(seat) for name, seat in zip(state.players, SEATS, strict=True)
        }

    def view(self, state: TripleTopperState) -> View:
        """The view that docs/rules.md describes, both hands open."""
        acting = state.phase in ("turn", "play")
        return {
            "phase": state.phase,
            "current": SEATS[state.current] if acting else None,
            "hands": {seat: list(hand) for seat, hand in zip(SEATS, state.hands, strict=True)},
            "pile": len(state.pile),
            "facedown": state.facedown,
            "faceup": state.faceup,
            "board": {cell: mark for cell, mark in zip(CELLS, state.marks, strict=True) if mark},
            "marks": {seat: state.marks.count(seat) for seat in SEATS},
            "winner": state.winner,
            "won_by": state.won_by,
            "lines": sorted(sorted(CELLS[at] for at in line) for line in state.lines),
            "last": None if state.last is None else dict(state.last),
        }

    def public_view(self, state: TripleTopperState) -> View:
        """What everybody may see: how many cards each holds (rule X12)."""
        return _hidden(self.view(state), seen_by=None)

    def player_view(self, state: TripleTopperState, player: str) -> View:
        """The public view with the player's own hand and own drawn cards."""
        seat = SEATS[state.players.index(player)] if player in state.players else None
        return _hidden(self.view(state), seen_by=seat)


TRIPLE_TOPPER = TripleTopper()


def _opening(variant: str) -> str:
    return "question" if variant == QUIZ else "turn"


def _is_order_of(cards: Any, wanted: frozenset[str]) -> bool:
    """Whether `cards` are exactly the wanted ones in some order."""
    return (
        isinstance(cards, (list, tuple))
        and len(cards) == len(wanted)
        and all(isinstance(card, str) for card in cards)
        and wanted == frozenset(cards)
    )


def _hidden(view: View, seen_by: str | None) -> View:
    for seat in SEATS:
        if seat != seen_by:
            view["hands"][seat] = len(view["hands"][seat])
            last = view["last"]
            if last and last.get("player") == seat and "cards" in last:
                view["last"] = last | {"cards": len(last["cards"])}
    return view


# --- what may be done ------------------------------------------------------------------------


def _turns(state: TripleTopperState) -> list[Action]:
    hand = state.hands[state.current]
    discards = [cards for count in (2, 3) for cards in combinations(hand, count)]
    actions: list[Action] = [_with_reshuffle(state, {"type": "draw"}, (), 1)]
    return actions + [
        _with_reshuffle(state, {"type": "discard", "cards": list(cards)}, cards, len(cards))
        for cards in discards
    ]


def _with_reshuffle(
    state: TripleTopperState, action: dict[str, Any], thrown: Cards, wanted: int
) -> Action:
    if len(state.pile) >= wanted:
        return action
    return action | {"reshuffle": sorted(unseen_cards(state).union(thrown))}


_PLAYS: Mapping[str, tuple[Action, ...]] = {
    card: tuple({"type": "play", "card": card, "cell": CELLS[at]} for at in TARGETS[card])
    for card in DECK
}
_WASTES: Mapping[str, Action] = {
    card: {"type": "play", "card": card, "cell": None} for card in DECK
}
"""Every play there is; the same values each time, for speed."""


def _plays(state: TripleTopperState, card: str) -> list[Action]:
    marks = state.marks
    plays = [play for play, at in zip(_PLAYS[card], TARGETS[card], strict=True) if not marks[at]]
    return plays or [_WASTES[card]]


# --- actions ---------------------------------------------------------------------------------


def _require_turn(state: TripleTopperState) -> None:
    if state.phase in ("question", "tiebreak"):
        raise IllegalAction("not_your_turn", "a question must be answered first")
    if state.phase == "play":
        raise IllegalAction("already_drawn", "a card was drawn; now one must be played")


def _draw(state: TripleTopperState, action: Action) -> TripleTopperState:
    _require_turn(state)
    return _with(_drawn(state, action, state.hands[state.current], (), 1), phase="play")


def _discard(state: TripleTopperState, action: Action) -> TripleTopperState:
    _require_turn(state)
    cards, hand = action.get("cards"), state.hands[state.current]
    if not isinstance(cards, (list, tuple)) or len(cards) not in (2, 3):
        raise IllegalAction("bad_discard", "exactly 2 or all 3 cards are discarded")
    kept = tuple(card for card in hand if card not in cards)
    if len(kept) + len(cards) != len(hand):
        raise IllegalAction("not_in_hand", "only own cards, each once, can be discarded")
    thrown = tuple(cards)
    discarded = _with(state, facedown=state.facedown + len(thrown))
    return _next_turn(_drawn(discarded, action, kept, thrown, len(thrown)))


def _drawn(
    state: TripleTopperState, action: Action, kept: Cards, thrown: Cards, wanted: int
) -> TripleTopperState:
    """Cards from the pile into the hand; the old pile first, then a reshuffled one (rule X5)."""
    pile, reshuffle = state.pile, action.get("reshuffle")
    facedown, faceup = state.facedown, state.faceup
    if len(pile) < wanted:
        used = unseen_cards(state).union(thrown)
        if reshuffle is None:
            raise IllegalAction("reshuffle_needed", f"{len(pile)} cards are left; reshuffle first")
        if not _is_order_of(reshuffle, used):
            raise IllegalAction("bad_reshuffle", f"the new pile must be the {len(used)} used cards")
        pile, facedown, faceup = (*pile, *reshuffle), 0, 0
    elif reshuffle is not None:
        raise IllegalAction("bad_reshuffle", f"{len(pile)} cards are left; nothing to reshuffle")
    drawn, hand = pile[:wanted], (*kept, *pile[:wanted])
    last = {
        "type": action["type"],
        "player": SEATS[state.current],
        "cards": list(drawn),
    }
    return _with(
        state,
        hands=_replaced(state.hands, state.current, hand),
        pile=pile[wanted:],
        facedown=facedown,
        faceup=faceup,
        last=last,
    )


def _replaced(hands: tuple[Cards, Cards], seat: int, hand: Cards) -> tuple[Cards, Cards]:
    return (hands[0], hand) if seat else (hand, hands[1])


def _play(state: TripleTopperState, action: Action) -> TripleTopperState:
    if state.phase == "turn":
        raise IllegalAction("not_drawn", "first a card is drawn, then one of the four is played")
    _require_answered(state)
    card, hand = action.get("card"), state.hands[state.current]
    if not isinstance(card, str) or card not in hand:
        raise IllegalAction("not_in_hand", f"{as_said(card)} is not in the hand")
    at = _aimed(state, card, action.get("cell"))
    last = {
        "type": "play",
        "player": SEATS[state.current],
        "card": card,
        "cell": None if at is None else CELLS[at],
        "wasted": at is None,
    }
    kept = tuple(other for other in hand if other != card)
    played = _with(
        state,
        hands=_replaced(state.hands, state.current, kept),
        faceup=state.faceup + 1,
        last=last,
    )
    return _next_turn(played) if at is None else _marked(played, at)


def _require_answered(state: TripleTopperState) -> None:
    if state.phase in ("question", "tiebreak"):
        raise IllegalAction("not_your_turn", "a question must be answered first")


def _aimed(state: TripleTopperState, card: str, cell: Any) -> int | None:
    """The cell to mark; None when the turn is wasted (rules X1, X2)."""
    if cell is None:
        if any(not state.marks[at] for at in TARGETS[card]):
            raise IllegalAction("cell_required", f"{card} still has an empty cell to mark")
        return None
    if not isinstance(cell, str) or cell not in INDEX:
        raise IllegalAction("unknown_cell", f"there is no cell {as_said(cell)} in the cube")
    at = INDEX[cell]
    if at not in TARGETS[card]:
        raise IllegalAction("wrong_cell", f"{card} does not allow {cell}")
    if state.marks[at]:
        raise IllegalAction("occupied", f"{cell} is taken by {state.marks[at]}")
    return at


def _marked(state: TripleTopperState, at: int) -> TripleTopperState:
    seat = SEATS[state.current]
    marks = (*state.marks[:at], seat, *state.marks[at + 1 :])
    marked = _with(state, marks=marks)
    lines = tuple(line for line in LINES_AT[at] if all(marks[cell] == seat for cell in line))
    if lines:
        return _with(marked, phase="over", winner=seat, won_by="line", lines=lines)
    return _next_turn(marked) if "" in marks else _full(marked)


def _full(state: TripleTopperState) -> TripleTopperState:
    """No line in a full cube: a tie, or in a quiz more marks, or one last question (rule X8)."""
    if state.variant == STANDARD:
        return _with(state, phase="over", winner="tie")
    x, o = (state.marks.count(seat) for seat in SEATS)
    if x == o:
        return _with(state, phase="tiebreak")
    return _with(state, phase="over", winner="x" if x > o else "o", won_by="marks")


def _next_turn(state: TripleTopperState) -> TripleTopperState:
    return _with(state, phase=_opening(state.variant), current=1 - state.current)


# --- quiz ------------------------------------------------------------------------------------


def _require_question(state: TripleTopperState) -> None:
    if state.phase not in ("question", "tiebreak"):
        raise IllegalAction("not_a_question", "no question has been asked")


def _buzz(state: TripleTopperState, action: Action) -> TripleTopperState:
    _require_question(state)
    seat, correct = action.get("player"), action.get("correct")
    if seat not in SEATS:
        raise IllegalAction("unknown_player", f"{as_said(seat)} cannot buzz; x and o can")
    if not isinstance(correct, bool):
        raise IllegalAction("bad_answer", f"an answer is true or false, not {as_said(correct)}")
    taker = SEATS.index(seat) if correct else 1 - SEATS.index(seat)
    answered = _with(state, last={"type": "buzz", "player": seat, "correct": correct})
    if state.phase == "tiebreak":
        return _with(answered, phase="over", winner=SEATS[taker], won_by="tiebreak")
    return _with(answered, phase="turn", current=taker)


def _nobuzz(state: TripleTopperState, action: Action) -> TripleTopperState:  # noqa: ARG001
    _require_question(state)
    return _with(state, last={"type": "nobuzz"})


_RULES = {"draw": _draw, "play": _play, "discard": _discard, "buzz": _buzz, "nobuzz": _nobuzz}
