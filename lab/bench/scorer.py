"""Keeps the score of the tower's game from docs/rules.md alone, as a person with a pencil does.

Pure, and shares no code with the program's own rules: whoever changes one does not change both.
Rules are cited by their ids (T1 and so on).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

FILES, RANKS = "abcde", "12345"
ROWS = (
    *([file + rank for file in FILES] for rank in RANKS),
    *([file + rank for rank in RANKS] for file in FILES),
    [file + rank for file, rank in zip(FILES, RANKS, strict=True)],
    [file + rank for file, rank in zip(FILES, reversed(RANKS), strict=True)],
)
"""Five ranks, five files, two diagonals (T7)."""

PIECES = 12
ANY_CELL = 6

HOUSE_RULES = {
    "share": "each",
    "pass": "always",
    "bonus_to": "previous_turn",
    "first_move_bonus": "none",
    "next_starter": "continue",
    "tie": "shared",
    "floor_zero": False,
    "two_colour_winner": "best",
    "dice": "told",
}


class AgainstTheRules(Exception):  # noqa: N818 - the rule book's words
    """Nobody may do this now."""


def level(cell: str) -> int:
    """Steps from the centre, plus one (T1).

    >>> level("c3"), level("a1")
    (1, 5)
    """
    return abs(FILES.index(cell[0]) - 2) + abs(RANKS.index(cell[1]) - 2) + 1


def is_cell(word: str) -> bool:
    """Whether it names a cell.

    >>> is_cell("c3"), is_cell("none")
    (True, False)
    """
    return len(word) == 2 and word[0] in FILES and word[1] in RANKS


@dataclass(slots=True)
class Turn:
    """A turn of this round: whose, and which colour was placed (None: passed)."""

    seat: int
    colour: str | None


@dataclass(slots=True)
class ScoreSheet:
    """The game as people at the table would write it down.

    Attributes:
        names, hands: players in seating order, and their colours.
        board: cell -> (colour, number of the piece) bottom first.
        standing: all pieces of a round that was played out; they lie there until cleared.
        clearing: pieces must come off before anybody goes on.
    """

    names: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    rules: dict[str, Any]
    target: int | None
    young: bool = False
    current: int = 0
    first: int = 0
    starter: int = 0
    die: int | None = None
    board: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    standing: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    points: dict[str, int] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)
    turn_before_round: Turn | None = None
    newest_colour: dict[int, str] = field(default_factory=dict)
    out: set[int] = field(default_factory=set)
    clearing: bool = False
    over: bool = False
    winners: tuple[str, ...] = ()

    @classmethod
    def begin(cls, start: Mapping[str, Any]) -> "ScoreSheet":
        """A new game, from what was said at its start."""
        names = tuple(player["name"] for player in start["players"])
        hands = tuple(tuple(player["colours"]) for player in start["players"])
        young = start.get("variant") == "young"
        first = start.get("first", 0)
        seat = names.index(first) if isinstance(first, str) else first
        return cls(
            names,
            hands,
            {**HOUSE_RULES, **(start.get("options") or {})},
            None if young else start.get("target", 100),
            young,
            seat,
            seat,
            seat,
            points={colour: 0 for hand in hands for colour in hand},
        )

    def copy(self) -> "ScoreSheet":
        """Another sheet with the same on it."""
        return replace(
            self,
            board={cell: [*stack] for cell, stack in self.board.items()},
            points={**self.points},
            turns=[*self.turns],
            newest_colour={**self.newest_colour},
            out={*self.out},
        )

    # --- what can be read from it --------------------------------------------------------------

    @property
    def phase(self) -> str:
        """As in the document: `roll`, `act`, `clear`, `over`."""
        if self.over:
            return "over"
        if self.clearing:
            return "clear"
        told = self.rules["dice"] == "told"
        return "roll" if told and self.die is None else "act"

    @property
    def scores(self) -> dict[str, int | None]:
        """Points by player; None where nobody counts (T36). Two colours: the better (T31)."""
        if self.young:
            return dict.fromkeys(self.names)
        best = self.rules["two_colour_winner"] == "best"
        each = ([self.points[colour] for colour in hand] for hand in self.hands)
        return {
            name: max(points) if best else sum(points)
            for name, points in zip(self.names, each, strict=True)
        }

    @property
    def seen(self) -> dict[str, list[str]]:
        """What lies on the board, colours bottom first."""
        lying = self.standing or self.board
        return {cell: [colour for colour, _ in stack] for cell, stack in lying.items()}

    def left(self, colour: str) -> int:
        """How many pieces of a colour are off the board."""
        return PIECES - sum(c == colour for stack in self.board.values() for c, _ in stack)

    def _can_play(self, seat: int) -> bool:
        return seat not in self.out and any(self.left(colour) for colour in self.hands[seat])

    # --- what people do -------------------------------------------------------------------------

    def roll(self, value: int) -> None:
        """Tell the die."""
        self._playing()
        if self.die is not None or value not in range(1, 7):
            raise AgainstTheRules("no roll now")
        self.die = value

    def pass_(self) -> None:
        """Pass after the roll (T4, T5)."""
        self._playing()
        rule = self.rules["pass"]
        if self.die is None and self.rules["dice"] == "told":
            raise AgainstTheRules("nobody passes before rolling")
        if rule == "never" or (rule == "not_on_one" and self.die == 1):
            raise AgainstTheRules("no passing here")
        self._turn_done(Turn(self.current, None))

    def place(self, cell: str, colour: str, number: int = 0) -> int:
        """Lay a piece; gives its points."""
        self._playing()
        if self.die is None and self.rules["dice"] == "told":
            raise AgainstTheRules("nobody places before rolling")
        if self.die not in (None, ANY_CELL, level(cell)):
            raise AgainstTheRules(f"the die shows {self.die}")
        if colour not in self.hands[self.current] or not self.left(colour):
            raise AgainstTheRules(f"no {colour} piece to place")
        before = len(self.board.get(cell, []))
        self.board.setdefault(cell, []).append((colour, number))
        won = 0 if self.young else sum(self._ways(cell, colour, before))
        self.points[colour] += won
        self.newest_colour[self.current] = colour
        self._turn_done(Turn(self.current, colour))
        return won

    def _ways(self, cell: str, colour: str, before: int) -> Iterator[int]:
        """Points for each way in which a piece scores (T8 to T14)."""
        added = 0
        for row in ROWS:
            if cell not in row or not all(self.board.get(each) for each in row):
                continue
            own = sum(self.board[each][-1][0] == colour for each in row if each != cell)
            if before == 0:
                yield 3 + own
            else:
                yield 1 + own - (self.rules["share"] == "once" and added > 0)
                added += 1
        if before >= 3:
            buried = sum(each == colour for each, _ in self.board[cell])
            yield buried - (self.rules["share"] == "once" and added > 0)

    def topple(self, cause: str, seat: int | None, colour: str | None = None) -> None:
        """Pieces fell. `seat` None: nobody has been named yet, so nobody pays."""
        self._playing()
        if cause == "bump" and not self.board:
            raise AgainstTheRules("there is nothing to topple")
        if cause == "placing":
            seat = self.current
        if seat is not None and self.young:
            self.out.add(seat)
        elif seat is not None:
            self._pay(cause, seat, colour)
        self._round_done(Turn(self.current, colour) if cause == "placing" else None)

    def _pay(self, cause: str, seat: int, colour: str | None) -> None:
        hand = self.hands[seat]
        newest = self.newest_colour.get(seat, hand[0])
        if cause == "placing" and not self.left(newest):
            newest = next((each for each in hand if self.left(each)), newest)
        self.points[colour or newest] -= 10
        if self.rules["floor_zero"]:
            self.points[colour or newest] = max(0, self.points[colour or newest])
        before = self._bonus() if cause == "placing" else None
        if before is not None and before.seat != seat:
            hers = self.hands[before.seat]
            gets = before.colour or self.newest_colour.get(before.seat, hers[0])
            self.points[gets] += 3

    def _bonus(self) -> Turn | None:
        """Whose turn earns the bonus (T17 to T19)."""
        if self.rules["bonus_to"] == "last_placer":
            return next((turn for turn in reversed(self.turns) if turn.colour), None)
        if self.turns:
            return self.turns[-1]
        if self.rules["first_move_bonus"] == "right_neighbour":
            return Turn((self.current - 1) % len(self.names), None)
        if self.rules["first_move_bonus"] == "previous_round":
            return self.turn_before_round
        return None

    def end_round(self) -> None:
        """The players agree to stop the round."""
        self._playing()
        self._round_done(None)

    def clear(self) -> None:
        """The board is empty."""
        if not self.clearing:
            raise AgainstTheRules("there is nothing to clear")
        self.clearing, self.standing = False, {}

    def end(self) -> None:
        """People end the game."""
        if self.over:
            raise AgainstTheRules("it is over")
        self.over = True

    def _playing(self) -> None:
        if self.over or self.clearing:
            raise AgainstTheRules("nobody plays now")

    # --- turns and rounds -----------------------------------------------------------------------

    def _turn_done(self, turn: Turn) -> None:
        self.turns.append(turn)
        self.die = None
        following = self._next(turn.seat)
        if following is None:
            self.standing, self.out = self.board, set()
            self._round_done(turn)
        else:
            self.current = following

    def _next(self, seat: int) -> int | None:
        """The next to the left who is still in and has a piece (T21)."""
        count = len(self.names)
        order = [(seat + step) % count for step in range(1, count + 1)]
        return next((each for each in order if self._can_play(each)), None)

    def _round_done(self, last: Turn | None) -> None:
        """All pieces go back; then somebody has won, or the next round begins (T20, T24)."""
        self.turn_before_round = last or (self.turns[-1] if self.turns else None)
        self.board, self.turns, self.die, self.clearing = {}, [], None, True
        begins = self.current if last is None else (last.seat + 1) % len(self.names)
        if self.rules["next_starter"] == "same":
            begins = self.first
        elif self.rules["next_starter"] == "rotate":
            begins = (self.starter + 1) % len(self.names)
        while begins in self.out and len(self.out) < len(self.names):
            begins = (begins + 1) % len(self.names)
        self.current = self.starter = begins
        self.winners = self._winners()
        self.over = bool(self.winners)
        self.clearing = not self.over

    def _winners(self) -> tuple[str, ...]:
        if self.young:
            still_in = [name for seat, name in enumerate(self.names) if seat not in self.out]
            return tuple(still_in) if len(still_in) == 1 else ()
        scores = {name: points or 0 for name, points in self.scores.items()}
        if self.rules["two_colour_winner"] == "both":
            reached = any(all(self.points[c] >= (self.target or 0) for c in h) for h in self.hands)
        else:
            reached = max(scores.values()) >= (self.target or 0)
        best = tuple(name for name in self.names if scores[name] == max(scores.values()))
        tied = self.rules["tie"] == "another_round" and len(best) > 1
        return best if reached and not tied else ()
