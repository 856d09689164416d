"""Heap of Pearls, a game that nobody plays: what a fifth game needs, and no more.

Players take pearls in turn, one or two as they like, or dip in and get what comes. Everybody has a
wish, dealt in secret, that counts in the end. No module of the program knows of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.errors import IllegalAction
from engine.games.checks import chosen_options, distinct_names, is_whole, rule_for
from engine.games.contract import Action, View

HEAPS = {"tall": 60, "low": 9}
MOST_FOUND = 3


class PearlState(msgspec.Struct, frozen=True, kw_only=True):
    players: tuple[str, ...]
    wishes: tuple[int, ...]
    heap: int
    taken: tuple[int, ...]
    current: int = 0


class HeapOfPearls:
    id = "heap-of-pearls"
    title = "Heap of Pearls"
    options: Mapping[str, tuple[Any, ...]] = {"heap": tuple(HEAPS)}

    def start(self, action: Action, options: Mapping[str, Any] | None = None) -> PearlState:
        rules = chosen_options(self.options, options)
        names, wishes = action.get("players"), action.get("wishes")
        if not isinstance(names, (list, tuple)) or not 1 <= len(names) <= 3:
            raise IllegalAction("bad_players", "this game is for 1 to 3 players")
        if not distinct_names(names):
            raise IllegalAction("bad_players", "each player needs a name of their own")
        if not isinstance(wishes, Mapping) or set(wishes) != set(names):
            raise IllegalAction("bad_wishes", "everybody needs a wish")
        if not all(is_whole(wish) and 1 <= wish <= 6 for wish in wishes.values()):
            raise IllegalAction("bad_wishes", "a wish is a number from 1 to 6")
        return PearlState(
            players=tuple(names), wishes=tuple(wishes[name] for name in names),
            heap=HEAPS[rules["heap"]], taken=(0,) * len(names),
        )  # fmt: skip

    def current_player(self, state: PearlState) -> str | None:
        return state.players[state.current] if state.heap else None

    def legal_actions(self, state: PearlState) -> Sequence[Action]:
        if not state.heap:
            return ()
        takes = [{"type": "take", "pearls": n} for n in (1, 2) if n <= state.heap]
        return [*takes, {"type": "dip", "found": 1}]

    def apply(self, state: PearlState, action: Action) -> PearlState:
        fields = {"take": ("pearls", 2), "dip": ("found", MOST_FOUND)}
        name, most = rule_for(action, fields, over=not state.heap)
        count = action.get(name)
        if not is_whole(count) or not 1 <= count <= min(most, state.heap):
            raise IllegalAction("bad_number", f"{count!r} pearls cannot be taken now")
        at = state.current
        return msgspec.structs.replace(
            state, heap=state.heap - count, current=(at + 1) % len(state.players),
            taken=(*state.taken[:at], state.taken[at] + count, *state.taken[at + 1 :]),
        )  # fmt: skip

    def is_over(self, state: PearlState) -> bool:
        return not state.heap

    def winners(self, state: PearlState) -> tuple[str, ...]:
        totals = self.scores(state)
        best = max(totals.values())
        return tuple(n for n, points in totals.items() if points == best and not state.heap)

    def scores(self, state: PearlState) -> Mapping[str, int]:
        counted = state.taken if state.heap else map(sum, zip(state.taken, state.wishes))  # noqa: B905
        return dict(zip(state.players, counted, strict=True))

    def view(self, state: PearlState) -> View:
        return {
            "phase": "play" if state.heap else "over",
            "heap": state.heap,
            "wishes": dict(zip(state.players, state.wishes, strict=True)),
        }

    def public_view(self, state: PearlState) -> View:
        return {**self.view(state), "wishes": len(state.wishes)}

    def player_view(self, state: PearlState, player: str) -> View:
        return {**self.public_view(state), "wish": self.view(state)["wishes"].get(player)}


HEAP_OF_PEARLS = HeapOfPearls()
