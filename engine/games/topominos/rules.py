"""The rules of Topominos (docs/rules.md): see-through pieces stacked to nine dots.

The record says which pieces were drawn, so nothing here is random. Racks and the bag are hidden:
`public_view` shows only how many pieces they hold.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.errors import IllegalAction
from engine.games.checks import is_whole, rule_for
from engine.games.contract import Action, View
from engine.games.topominos.dots import DOTS, FULL, ORBITS, TEXTS, pattern_of
from engine.games.topominos.offers import OFFERS, mode_in
from engine.games.topominos.start import (
    TopominosMatch,
    check_racks,
    match_of,
    racks_of,
)
from engine.games.topominos.state import (
    COMPARTMENTS,
    Pieces,
    TopominosState,
    draw_count,
    fits,
    turn_points,
)
from engine.plainly import as_said

_with = msgspec.structs.replace


class Topominos:
    """Topominos under the contract of all games."""

    id = "topominos"
    title = "Topominos"
    options: Mapping[str, tuple[Any, ...]] = {}

    def start(self, action: Action, options: Mapping[str, Any] | None = None) -> TopominosState:
        """Open a match: `players`, `first`, `pieces`, `racks`, `match`, `firstdraw`."""
        match, first, racks = match_of(action, options)
        return TopominosState(
            match=match,
            round=1,
            phase="turn",
            current=first,
            first=first,
            racks=racks,
            bag=_bag_without(match, racks),
            scores=(0,) * len(racks),
            match_scores=(0,) * len(racks),
        )

    def current_player(self, state: TopominosState) -> str | None:
        """Who is to act; nobody between rounds."""
        if state.phase in ("between", "over"):
            return None
        return state.match.players[state.current]

    def legal_actions(self, state: TopominosState) -> Sequence[Action]:
        """Placements, the end of the turn, passes. Drawn pieces are the lowest of the bag."""
        actions: list[Action] = []
        for offer in OFFERS[state.phase]:
            actions += offer(state)
        return actions

    def apply(self, state: TopominosState, action: Action) -> TopominosState:
        """The state after a placement, a draw, a pass, the end of a turn, or a new round."""
        rule = rule_for(action, _RULES, over=state.phase == "over")
        if (state.phase == "between") != (rule is _next_round):
            raise _wrong_time(state)
        return rule(state, action)

    def is_over(self, state: TopominosState) -> bool:
        """Whether the match is over."""
        return state.phase == "over"

    def winners(self, state: TopominosState) -> tuple[str, ...]:
        """Winners of the match in seating order; several share it."""
        return tuple(state.match.players[player] for player in state.match_winners)

    def scores(self, state: TopominosState) -> Mapping[str, int]:
        """Points of the match, the running round included."""
        running = state.scores if state.result is None else (0,) * len(state.scores)
        return _named(state, [a + b for a, b in zip(state.match_scores, running, strict=True)])

    def view(self, state: TopominosState) -> View:
        """The view that docs/rules.md describes, racks and bag open."""
        return {
            "round": state.round,
            "phase": state.phase,
            "current": self.current_player(state),
            "mode": state.mode,
            "touched": [at + 1 for at in state.touched],
            "completed": state.completed,
            "turn_points": turn_points(state),
            "board": {
                str(at + 1): {"dots": TEXTS[dots], "pieces": list(state.stacks[at])}
                for at, dots in enumerate(state.dots)
                if dots
            },
            "racks": _named(state, map(list, state.racks)),
            "bag": list(state.bag),
            "aside": list(state.aside),
            "scores": _named(state, state.scores),
            "final": state.final,
            "result": _result_view(state),
            "match_scores": _named(state, state.match_scores),
            "match_winners": list(self.winners(state)),
            "last": None if state.last is None else dict(state.last),
        }

    def public_view(self, state: TopominosState) -> View:
        """What everybody may see: how many pieces each rack and the bag hold."""
        return _hidden(self.view(state), seen_by=None)

    def player_view(self, state: TopominosState, player: str) -> View:
        """The public view with the player's own rack."""
        return _hidden(self.view(state), seen_by=player)


TOPOMINOS = Topominos()


def _bag_without(match: TopominosMatch, racks: tuple[Pieces, ...]) -> Pieces:
    held = {piece for rack in racks for piece in rack}
    return tuple(piece for piece in range(len(match.patterns)) if piece not in held)


def _named(state: TopominosState, values: Any) -> dict[str, Any]:
    return dict(zip(state.match.players, values, strict=True))


def _result_view(state: TopominosState) -> View | None:
    if state.result is None:
        return None
    return {
        "left": _named(state, state.left),
        "final": _named(state, state.result),
        "winners": [state.match.players[player] for player in state.winners],
    }


def _hidden(view: View, seen_by: str | None) -> View:
    view["bag"] = len(view["bag"])
    view["racks"] = {
        name: rack if name == seen_by else len(rack) for name, rack in view["racks"].items()
    }
    return view


def _wrong_time(state: TopominosState) -> IllegalAction:
    if state.phase == "between":
        return IllegalAction("round_over", "the round is over; the next one must be opened first")
    return IllegalAction("round_not_over", "the round is not over yet")


# --- a turn ----------------------------------------------------------------------------------


def _place(state: TopominosState, action: Action) -> TopominosState:
    rack = state.racks[state.current]
    if state.phase == "draw":
        raise IllegalAction("must_draw", "the rack is empty; one piece must be drawn first")
    piece = _own(rack, action.get("piece"))
    at = _compartment(action.get("compartment"))
    way = _way(state, piece, action.get("dots"))
    mode = mode_in(state.mode, state.opened, at, state.dots[at])
    if mode is None:
        raise _mixed(state)
    if way & state.dots[at]:
        raise IllegalAction("overlap", f"dots would overlap in compartment {at + 1}")
    held = tuple(other for other in rack if other != piece)
    placed = _with(
        state,
        phase="placing" if held or not state.bag else "draw",
        racks=_replaced(state.racks, state.current, held),
        dots=_replaced(state.dots, at, state.dots[at] | way),
        stacks=_replaced(state.stacks, at, (*state.stacks[at], piece)),
        mode=mode,
        opened=at if mode == "A" else None,
        touched=tuple(sorted({*state.touched, at})),
        last={"type": "place", "player": state.match.players[state.current], "nine": False},
    )
    return _nine(placed, at) if placed.dots[at] == FULL else placed


def _nine(state: TopominosState, at: int) -> TopominosState:
    """Set a completed stack aside and let the player choose A or B afresh (rule M1)."""
    return _with(
        state,
        dots=_replaced(state.dots, at, 0),
        stacks=_replaced(state.stacks, at, ()),
        aside=tuple(sorted((*state.aside, *state.stacks[at]))),
        mode=None,
        opened=None,
        touched=tuple(other for other in state.touched if other != at),
        completed=state.completed + 1,
        last={**(state.last or {}), "nine": True},
    )


def _draw(state: TopominosState, action: Action) -> TopominosState:
    if state.phase != "draw":
        raise IllegalAction("rack_not_empty", "a piece is drawn only when the rack is empty")
    piece = action.get("piece")
    (drawn,) = _drawn(state, [piece], 1)
    return _with(
        state,
        phase="placing",
        racks=_replaced(state.racks, state.current, (drawn,)),
        bag=_without(state.bag, (drawn,)),
        last={"type": "draw", "player": state.match.players[state.current]},
    )


def _end(state: TopominosState, action: Action) -> TopominosState:
    if state.phase == "turn":
        raise IllegalAction("nothing_placed", "nothing was placed; to do nothing is to pass")
    if state.phase == "draw":
        raise IllegalAction("must_draw", "the rack is empty; one piece must be drawn first")
    drawn = _drawn(state, action.get("drawn"), draw_count(state))
    points = turn_points(state)
    player = state.current
    return _next_turn(
        _with(
            state,
            racks=_replaced(state.racks, player, (*state.racks[player], *drawn)),
            bag=_without(state.bag, drawn),
            scores=_replaced(state.scores, player, state.scores[player] + points),
            last={"type": "end", "player": state.match.players[player], "points": points},
        )
    )


def _pass(state: TopominosState, action: Action) -> TopominosState:
    if state.phase != "turn":
        raise IllegalAction("already_placed", "a piece was placed; the turn can only be ended")
    if state.opening:
        raise IllegalAction("must_place", "the first player must place in the opening turn")
    rack = state.racks[state.current]
    give = action.get("give", [])
    if not isinstance(give, (list, tuple)):
        raise IllegalAction("not_on_rack", "the pieces to give back must be a list")
    given = tuple(_own(rack, piece) for piece in give)
    if len(set(given)) != len(given):
        raise IllegalAction("not_on_rack", "a piece can be given back only once")
    drawn = _drawn(state, action.get("drawn", []), len(given))
    held = tuple(piece for piece in rack if piece not in given)
    last = {
        "type": "pass",
        "player": state.match.players[state.current],
        "exchanged": len(given),
    }
    return _next_turn(
        _with(
            state,
            racks=_replaced(state.racks, state.current, (*held, *drawn)),
            bag=tuple(sorted((*_without(state.bag, drawn), *given))),
            last=last,
        )
    )


def _next_turn(state: TopominosState) -> TopominosState:
    """The next player, or the end of the round once the table round is complete (rule M13)."""
    following = (state.current + 1) % len(state.racks)
    done = _with(
        state,
        phase="turn",
        current=following,
        opening=False,
        mode=None,
        opened=None,
        touched=(),
        completed=0,
        final=state.final or _end_triggered(state),
    )
    return _end_round(done) if done.final and following == state.first else done


def _end_triggered(state: TopominosState) -> bool:
    """A rack and the bag are empty, or no piece in play fits anywhere (rule M12)."""
    if not state.bag and not all(state.racks):
        return True
    if 0 in state.dots:
        return False
    return not any(fits(state, piece) for rack in (*state.racks, state.bag) for piece in rack)


def _end_round(state: TopominosState) -> TopominosState:
    patterns = state.match.patterns
    left = tuple(sum(DOTS[patterns[piece]] for piece in rack) for rack in state.racks)
    result = tuple(score - dots for score, dots in zip(state.scores, left, strict=True))
    totals = tuple(before + now for before, now in zip(state.match_scores, result, strict=True))
    over = state.match.is_over(state.round, totals)
    return _with(
        state,
        phase="over" if over else "between",
        left=left,
        result=result,
        winners=_best(result),
        match_scores=totals,
        match_winners=_best(totals) if over else (),
    )


def _best(points: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(player for player, score in enumerate(points) if score == max(points))


def _next_round(state: TopominosState, action: Action) -> TopominosState:
    """All pieces go back; a winner of the last round begins (rule M16)."""
    first = action.get("first")
    candidates = [state.match.players[winner] for winner in state.winners]
    if first not in candidates:
        raise IllegalAction("bad_first", f"the winner begins: {' or '.join(candidates)}")
    racks = racks_of(action.get("racks"), state.match.players)
    check_racks(racks, len(state.match.patterns))
    beginner = state.match.players.index(first)
    return TopominosState(
        match=state.match,
        round=state.round + 1,
        phase="turn",
        current=beginner,
        first=beginner,
        racks=racks,
        bag=_bag_without(state.match, racks),
        scores=(0,) * len(racks),
        match_scores=state.match_scores,
        last={"type": "next_round"},
    )


# --- small questions -------------------------------------------------------------------------


def _own(rack: Pieces, piece: Any) -> int:
    if not is_whole(piece) or piece not in rack:
        raise IllegalAction("not_on_rack", f"piece {as_said(piece)} is not on the rack")
    return piece


def _compartment(number: Any) -> int:
    if not is_whole(number) or not 1 <= number <= COMPARTMENTS:
        raise IllegalAction(
            "unknown_compartment", f"there is no compartment {as_said(number)}: 1 to 9"
        )
    return number - 1


def _way(state: TopominosState, piece: int, text: Any) -> int:
    ways = ORBITS[state.match.patterns[piece]]
    if not isinstance(text, str) or text not in (TEXTS[way] for way in ways):
        raise IllegalAction("wrong_dots", f"piece {piece} cannot lie as {as_said(text)}")
    return pattern_of(text)


def _mixed(state: TopominosState) -> IllegalAction:
    if state.mode == "A":
        at = (state.opened or 0) + 1
        return IllegalAction("one_compartment", f"this turn builds in compartment {at} only")
    return IllegalAction("stack_needed", "this turn adds to stacks begun before, until a nine")


def _drawn(state: TopominosState, pieces: Any, wanted: int) -> Pieces:
    """Pieces said to be drawn: as many as wanted, all different, all from the bag."""
    drawn = tuple(pieces) if isinstance(pieces, (list, tuple)) else (None,)
    if not all(is_whole(piece) and piece in state.bag for piece in drawn):
        raise IllegalAction("bad_draw", "the pieces drawn must come out of the bag")
    if len(drawn) != wanted or len(set(drawn)) != wanted:
        raise IllegalAction("bad_draw", f"{wanted} different pieces must be drawn")
    return drawn


def _without(pieces: Pieces, taken: Pieces) -> Pieces:
    return tuple(piece for piece in pieces if piece not in taken)


def _replaced(values: tuple[Any, ...], at: int, value: Any) -> tuple[Any, ...]:
    return (*values[:at], value, *values[at + 1 :])


_RULES = {"place": _place, "draw": _draw, "end": _end, "pass": _pass, "next_round": _next_round}
