"""The rules oracle: docs/rules.md written a second time, slowly, rule by rule. Pure.

It can know what any sequence of actions is worth, who is in turn and who has won; it shares no code
with the engine, keeps the history of turns and looks things up in it. It cannot know whether the
actions happened, nor what a doubtful one was: whoever asks it brings actions that are certain.
"""

from collections.abc import Mapping
from math import inf
from typing import Any

FILES, RANKS = "abcde", "12345"
CELLS = [file + rank for rank in RANKS for file in FILES]
ROWS = {
    **{rank: [file + rank for file in FILES] for rank in RANKS},
    **{file: [file + rank for rank in RANKS] for file in FILES},
    "a1e5": ["a1", "b2", "c3", "d4", "e5"],
    "a5e1": ["a5", "b4", "c3", "d2", "e1"],
}
LEVELS = {"c3": 1, **dict.fromkeys(["c2", "b3", "d3", "c4"], 2)}
LEVELS |= dict.fromkeys(["c1", "b2", "d2", "a3", "e3", "b4", "d4", "c5"], 3)
LEVELS |= dict.fromkeys(["b1", "d1", "a2", "e2", "a4", "e4", "b5", "d5"], 4)
LEVELS |= dict.fromkeys(["a1", "e1", "a5", "e5"], 5)


class Oracle:
    """One game of Topple.

    Args:
        start: players with colours, the name of the first, target and variant.
        options: house rules by name; the others are as the book says.
    """

    def __init__(self, start: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        self.rule = options.get
        self.told = options.get("dice", "told") == "told"
        self.names: list[str] = [player["name"] for player in start["players"]]
        self.hands: dict[str, list[str]] = {
            player["name"]: list(player["colours"]) for player in start["players"]
        }
        self.scored = start.get("variant", "standard") != "young"
        self.target = start.get("target") or inf
        self.colours = [colour for name in self.names for colour in self.hands[name]]
        self.score = dict.fromkeys(self.colours, 0)
        self.first = self.starter = self.current = start["first"]
        self.out: list[str] = []
        self.round = 1
        self.rounds: list[list[tuple[str, str | None]]] = [[]]  # (player, colour or None) of turns
        self.last_turns: list[tuple[str, str | None] | None] = []  # of each round that is over
        self.last: dict[str, Any] | None = None
        self.round_end: dict[str, Any] | None = None
        self.winners: list[str] = []
        self.ended = self.clearing = False
        self.standing: dict[str, list[str]] = {}  # of a round that was played out
        self._clear()

    @classmethod
    def shown(cls, state: Mapping[str, Any], options: Mapping[str, Any]) -> "Oracle":
        """A game as a document shows it whose round has just begun."""
        start = {**state, "first": state["turn"]["player"]}
        if all(player["score"] is None for player in state["players"]):
            start["variant"] = "young"
        game = cls(start, options)
        for player in state["players"]:
            alone = {player["colours"][0]: player["score"] or 0}
            game.score |= player["colour_scores"] or alone
        game.out = [player["name"] for player in state["players"] if player["out"]]
        game.round = state["round"]
        game.clearing = state["phase"] == "clear"
        return game

    def _clear(self) -> None:
        self.board: dict[str, list[str]] = {}
        self.die: int | None = None

    # --- what the document shows of it ---------------------------------------------------------

    @property
    def phase(self) -> str:
        """As in the document: `roll`, `act`, `clear`, `over`."""
        if self.winners or self.ended:
            return "over"
        if self.clearing:
            return "clear"
        return "roll" if self.told and self.die is None else "act"

    @property
    def lying(self) -> dict[str, list[str]]:
        """Stacks on the board, bottom first; a round played out lies there until cleared."""
        return {c: stack for c, stack in (self.standing or self.board).items() if stack}

    def scores(self) -> dict[str, int | None]:
        """Points by player; None where nobody counts (T36). Two colours: T31."""
        best = self.rule("two_colour_winner", "best") == "best"
        each = {name: [self.score[c] for c in self.hands[name]] for name in self.names}
        if not self.scored:
            return dict.fromkeys(self.names)
        return {name: max(points) if best else sum(points) for name, points in each.items()}

    def allows(self, action: Mapping[str, Any]) -> bool:
        """Whether the rules take this now (T2, T4, T5, T27)."""
        kind = action["type"]
        if kind == "cleared":
            return self.clearing
        if kind == "end":
            return self.phase != "over"
        if kind == "roll":
            return self.phase == "roll" and action["value"] in range(1, 7)
        if kind == "place":
            fits = self.die is None or self.die in (6, LEVELS[action["cell"]])
            own = action["colour"] in self.hands[self.current]
            return self.phase == "act" and fits and own and self.left(action["colour"]) > 0
        if kind == "pass":
            return self.phase == "act" and self.may_pass()
        on = self.phase in ("roll", "act")
        fell = action.get("fell") is True or action.get("cause") == "placing"
        return on and (bool(self.board) or fell)

    def left(self, colour: str) -> int:
        """How many pieces of a colour are off the board."""
        return 12 - sum(stack.count(colour) for stack in self.board.values())

    def _next_in(self, name: str, needs_piece: bool) -> str | None:
        order = self.names + self.names
        at = self.names.index(name)
        for other in order[at + 1 : at + 1 + len(self.names)]:
            has = any(self.left(colour) for colour in self.hands[other])
            if other not in self.out and (has or not needs_piece):
                return other
        return None

    def _last_colour(self, name: str) -> str | None:
        turns = [turn for turns in self.rounds for turn in turns]
        placed = [colour for player, colour in turns if player == name and colour in self.colours]
        return placed[-1] if placed else None

    def _on_cleared(self, _: Mapping[str, Any]) -> None:
        self.clearing, self.standing = False, {}

    def _on_end(self, _: Mapping[str, Any]) -> None:
        self.ended = True

    def _on_end_round(self, _: Mapping[str, Any]) -> None:
        self.last_turns.append(self.rounds[-1][-1] if self.rounds[-1] else (self.current, None))
        self._close("agreed", self.current)

    def apply(self, action: Mapping[str, Any]) -> None:
        """Do what the rules allow now (`allows`)."""
        self.round_end = None
        if action["type"] != "cleared":
            self._on_cleared(action)
        getattr(self, "_on_" + action["type"])(action)

    def _on_roll(self, action: Mapping[str, Any]) -> None:
        self.die = action["value"]
        self.last = {"type": "roll", "player": self.current}

    def _on_pass(self, _: Mapping[str, Any]) -> None:
        self.last = {"type": "pass", "player": self.current, "changes": {}}
        self._turn_done(None)

    def _on_place(self, action: Mapping[str, Any]) -> None:
        cell, colour = action["cell"], action["colour"]
        stack = self.board.setdefault(cell, [])
        was_empty, height = not stack, len(stack)
        stack.append(colour)
        ways = []
        for name, cells in ROWS.items():
            if cell in cells and all(self.board.get(other) for other in cells):
                tops = sum(self.board[c][-1] == colour for c in cells if c != cell)
                way = ("complete", 3 + tops) if was_empty else ("add", 1 + tops)
                ways.append({"way": way[0], "where": name, "points": way[1]})
        if height >= 3:
            ways.append({"way": "stack", "where": cell, "points": stack.count(colour)})
        ways = ways if self.scored else []
        points = sum(way["points"] for way in ways)
        if self.rule("share", "each") == "once":
            shared = [way for way in ways if way["way"] != "complete"]
            points -= max(len(shared) - 1, 0)
        self.score[colour] += points
        self.last = {
            "type": "place",
            "player": self.current,
            "colour": colour,
            "cell": cell,
            "points": points,
            "ways": ways,
            "changes": {colour: points} if points else {},
        }
        self._turn_done(colour)

    def _turn_done(self, colour: str | None) -> None:
        self.rounds[-1].append((self.current, colour))
        self.die = None
        following = self._next_in(self.current, needs_piece=True)
        if following is None:
            self.last_turns.append((self.current, colour))
            self.standing = self.board
            self._close("all_played", self._next_in(self.current, needs_piece=False))
        else:
            self.current = following

    def _on_topple(self, action: Mapping[str, Any]) -> None:
        placing = action["cause"] == "placing"
        who = self.current if placing else action.get("player", self.current)
        if who is None:
            self._on_end_round(action)  # nobody has been named yet, so nobody pays
            return
        before, bonus, blamed = dict(self.score), None, None
        self.last = {"type": "topple", "cause": action["cause"], "player": who}
        if self.scored:
            bonus = self._bonus(who) if placing else None
            blamed = self._blamed(who, placing, action.get("colour"))
            self.score[blamed] -= 10
            if bonus is not None:
                self.score[bonus[1]] += 3
            if self.rule("floor_zero", False):
                self.score = {colour: max(score, 0) for colour, score in self.score.items()}
        else:
            self.out.append(who)
        self.last["bonus"] = bonus[0] if bonus else None
        self.last["changes"] = {
            colour: self.score[colour] - before[colour]
            for colour in self.colours
            if self.score[colour] != before[colour]
        }
        turns = [*self.rounds[-1], (who, blamed)] if placing else self.rounds[-1]
        self.last_turns.append(turns[-1] if turns else None)  # none: the only piece fell
        if placing:
            following = self._next_in(who, needs_piece=False)
        elif self.current in self.out:
            following = self._next_in(self.current, needs_piece=False)
        else:
            following = self.current
        self._close("topple", following)

    def _blamed(self, who: str, placing: bool, named: str | None) -> str:
        if named:
            return named
        last = self._last_colour(who)
        wishes = [colour for colour in [last, *self.hands[who]] if colour]
        return next(colour for colour in wishes if not placing or self.left(colour))

    def _bonus(self, who: str) -> tuple[str, str] | None:
        """Player and colour that get the +3."""
        turns = self.rounds[-1]
        rule = self.rule("first_move_bonus", "none")
        if turns and self.rule("bonus_to", "previous_turn") == "last_placer":
            turns = [turn for turn in turns if turn[1] is not None]
        elif not turns and rule == "right_neighbour":
            turns = [(self.names[self.names.index(who) - 1], None)]
        elif not turns and rule == "previous_round" and self.round > 1:
            turns = [turn for turn in self.last_turns[-1:] if turn is not None]
        if not turns or turns[-1][0] == who:
            return None
        name, colour = turns[-1]
        return name, colour or self._last_colour(name) or self.hands[name][0]

    def _close(self, reason: str, following: str | None) -> None:
        rule = self.rule("next_starter", "continue")
        if rule == "same":
            gone = self.first in self.out
            following = self._next_in(self.first, needs_piece=False) if gone else self.first
        elif rule == "rotate":
            following = self._next_in(self.starter, needs_piece=False)
        self.winners = self._winners_now()
        self.round_end = {"reason": reason, "game_over": bool(self.winners)}
        self.clearing = not self.winners
        self._clear()
        if not self.winners:
            self.round += 1
            self.rounds.append([])
            self.current = self.starter = str(following)

    def _winners_now(self) -> list[str]:
        staying = [name for name in self.names if name not in self.out]
        if not self.scored:
            return staying if len(staying) == 1 else []
        rule = self.rule("two_colour_winner", "best")
        worth = {}
        for name in self.names:
            scores = [self.score[colour] for colour in self.hands[name]]
            enough = {"best": max(scores), "sum": sum(scores), "both": min(scores)}[rule]
            if enough >= self.target:
                worth[name] = max(scores) if rule == "best" else sum(scores)
        winners = [name for name in worth if worth[name] == max(worth.values())]
        another = self.rule("tie", "shared") == "another_round"
        return [] if another and len(winners) > 1 else winners

    def may_pass(self) -> bool:
        """What the house rule says of passing (T4)."""
        rule = self.rule("pass", "always")
        return rule == "always" or (rule == "not_on_one" and self.die != 1)
