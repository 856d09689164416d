"""A second writing of Topple's rules, for comparison: slow, mutable, rule by rule.

It shares no code with the engine. It keeps the history of turns and looks things up in it,
where the engine carries what it needs along. It takes legal actions only.
"""

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
    """One game of Topple."""

    def __init__(self, start: dict[str, Any], options: dict[str, Any]) -> None:
        self.rule = options.get
        self.names = [player["name"] for player in start["players"]]
        self.hands = {player["name"]: list(player["colours"]) for player in start["players"]}
        self.scored = start.get("variant", "standard") != "young"
        self.target = start.get("target") or inf
        self.colours = [colour for name in self.names for colour in self.hands[name]]
        self.score = dict.fromkeys(self.colours, 0)
        self.first = self.starter = self.current = start["first"]
        self.out: list[str] = []
        self.round = 1
        self.rounds: list[list[tuple[str, str | None]]] = [[]]  # (player, colour or None) of turns
        self.last_turns: list[tuple[str, str | None]] = []  # of each round that is over
        self.last: dict[str, Any] | None = None
        self.round_end: dict[str, Any] | None = None
        self.winners: list[str] = []
        self.clear()

    def clear(self) -> None:
        self.board: dict[str, list[str]] = {}
        self.die: int | None = None

    def left(self, colour: str) -> int:
        return 12 - sum(stack.count(colour) for stack in self.board.values())

    def next_in(self, name: str, needs_piece: bool) -> str | None:
        order = self.names + self.names
        at = self.names.index(name)
        for other in order[at + 1 : at + 1 + len(self.names)]:
            has = any(self.left(colour) for colour in self.hands[other])
            if other not in self.out and (has or not needs_piece):
                return other
        return None

    def last_colour(self, name: str) -> str | None:
        turns = [turn for turns in self.rounds for turn in turns]
        placed = [colour for player, colour in turns if player == name and colour in self.colours]
        return placed[-1] if placed else None

    def apply(self, action: dict[str, Any]) -> None:
        self.round_end = None
        getattr(self, "on_" + action["type"])(action)

    def on_roll(self, action: dict[str, Any]) -> None:
        self.die = action["value"]
        self.last = {"type": "roll", "player": self.current}

    def on_pass(self, _: dict[str, Any]) -> None:
        self.last = {"type": "pass", "player": self.current, "changes": {}}
        self.turn_done(None)

    def on_place(self, action: dict[str, Any]) -> None:
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
        self.turn_done(colour)

    def turn_done(self, colour: str | None) -> None:
        self.rounds[-1].append((self.current, colour))
        self.die = None
        following = self.next_in(self.current, needs_piece=True)
        if following is None:
            self.last_turns.append((self.current, colour))
            self.close("all_played", self.next_in(self.current, needs_piece=False))
        else:
            self.current = following

    def on_topple(self, action: dict[str, Any]) -> None:
        placing = action["cause"] == "placing"
        who = action.get("player", self.current)
        before, bonus, blamed = dict(self.score), None, None
        self.last = {"type": "topple", "cause": action["cause"], "player": who}
        if self.scored:
            bonus = self.bonus(who) if placing else None
            blamed = self.blamed(who, placing, action.get("colour"))
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
        self.last_turns.append((who, blamed) if placing else self.rounds[-1][-1])
        if placing:
            following = self.next_in(who, needs_piece=False)
        elif self.current in self.out:
            following = self.next_in(self.current, needs_piece=False)
        else:
            following = self.current
        self.close("topple", following)

    def blamed(self, who: str, placing: bool, named: str | None) -> str:
        if named:
            return named
        last = self.last_colour(who)
        wishes = [colour for colour in [last, *self.hands[who]] if colour]
        return next(colour for colour in wishes if not placing or self.left(colour))

    def bonus(self, who: str) -> tuple[str, str] | None:
        """Player and colour that get the +3."""
        turns = self.rounds[-1]
        rule = self.rule("first_move_bonus", "none")
        if turns and self.rule("bonus_to", "previous_turn") == "last_placer":
            turns = [turn for turn in turns if turn[1] is not None]
        elif not turns and rule == "right_neighbour":
            turns = [(self.names[self.names.index(who) - 1], None)]
        elif not turns and rule == "previous_round" and self.round > 1:
            turns = [self.last_turns[-1]]
        if not turns or turns[-1][0] == who:
            return None
        name, colour = turns[-1]
        return name, colour or self.last_colour(name) or self.hands[name][0]

    def close(self, reason: str, following: str | None) -> None:
        rule = self.rule("next_starter", "continue")
        if rule == "same":
            gone = self.first in self.out
            following = self.next_in(self.first, needs_piece=False) if gone else self.first
        elif rule == "rotate":
            following = self.next_in(self.starter, needs_piece=False)
        self.winners = self.winners_now()
        self.round_end = {"reason": reason, "game_over": bool(self.winners)}
        self.clear()
        if not self.winners:
            self.round += 1
            self.rounds.append([])
            self.current = self.starter = str(following)

    def winners_now(self) -> list[str]:
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

    def cells(self) -> list[str] | None:
        if self.die is None or self.winners:
            return None
        return [cell for cell in CELLS if self.die in (6, LEVELS[cell])]

    def may_pass(self) -> bool:
        rule = self.rule("pass", "always")
        return rule == "always" or (rule == "not_on_one" and self.die != 1)

    def legal(self) -> list[dict[str, Any]]:
        if self.winners:
            return []
        if self.die is None:
            return [{"type": "roll", "value": value} for value in range(1, 7)]
        return [
            {"type": "place", "colour": colour, "cell": cell}
            for colour in self.hands[self.current]
            if self.left(colour)
            for cell in self.cells() or []
        ] + ([{"type": "pass"}] if self.may_pass() else [])

    def view(self) -> dict[str, Any]:
        over = bool(self.winners)
        turns = [] if over else self.rounds[-1]
        totals = {name: [self.score[c] for c in self.hands[name]] for name in self.names}
        return {
            "round": self.round,
            "phase": "over" if over else "roll" if self.die is None else "act",
            "current": None if over else self.current,
            "die": self.die,
            "previous": turns[-1][0] if turns else None,
            "cells": self.cells(),
            "board": {cell: stack for cell, stack in self.board.items() if stack},
            "left": {colour: self.left(colour) for colour in self.colours},
            "colour_scores": dict(self.score) if self.scored else None,
            "player_best": {n: max(s) for n, s in totals.items()} if self.scored else None,
            "player_total": {n: sum(s) for n, s in totals.items()} if self.scored else None,
            "out": self.out,
            "last": self.last,
            "round_end": self.round_end,
            "winners": self.winners,
        }
