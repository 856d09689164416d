"""The people's own account of a game: what they truly did and said, put to the rules oracle. Pure.

People know what happened (the twin's truth), what they said, and whether the table took it (its
answer). They cannot know what a table makes of a piece that the die does not allow, of rolls told
in another order than played, or of pieces taken off: then they wait for the next round.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from lab.bench.rules_oracle import Oracle

Entry = Mapping[str, Any]

SAME_PIECE_S = 8.0
"""A piece entered by hand and one laid within this time are one."""

FELL_WITHIN_S = 3.0
"""A piece that falls so soon after it was let go was not placed, whoever reaches for the next."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened or was said.

    Attributes:
        number: its own.
        action: as the oracle takes it; empty where nothing changes.
        laid: what the truth says of a piece; empty of one that was entered by hand.
    """

    number: int
    t_s: float
    action: Entry
    laid: Entry = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Of the action."""
        return str(self.action.get("type", ""))


@dataclass(frozen=True, slots=True)
class Page:
    """What people know at one moment, and what led from there to the next; undo goes back to it.

    Attributes:
        waiting: a piece laid before its roll was told.
        colour: of the next piece, as announced.
        verb, number: what was done then, and to which piece.
    """

    steps: tuple[Step, ...] = ()
    waiting: Step | None = None
    colour: str | None = None
    verb: str = ""
    number: int = 0


@dataclass(slots=True)
class PeopleAccount:
    """What the people know of all that was done and said.

    Attributes:
        lost: why nobody can follow any more; empty while they can.
        wrong: what the table did against the rules, in words.
    """

    lost: str = "no game"
    wrong: list[str] = field(default_factory=list)
    _rules: Mapping[str, Any] = field(default_factory=dict)
    _began: Oracle | None = None
    _now: Page = Page()
    _past: list[Page] = field(default_factory=list)
    _future: list[list[Page]] = field(default_factory=list)  # for each undo, what it turned back
    _never: set[int] = field(default_factory=set)  # steps that turned out not to have happened
    _agreed: bool = False  # to stop the round; the table learns of it with the cleared board
    _numbers: int = 0

    # --- the game by the rules -------------------------------------------------------------------

    def game(self) -> Oracle | None:
        """The game now; None while nobody can know."""
        game = None if self.lost else self._played(self._now.steps)
        if game is None and not self.lost:
            self.lost = "the rules do not allow what was done"
        return game

    def _played(self, steps: tuple[Step, ...]) -> Oracle | None:
        game = deepcopy(self._began)
        for step in steps:
            if step.number in self._never or not step.action or game is None:
                continue
            if not game.allows(step.action):
                return None
            game.apply(step.action)
        return game

    def begin(self, began: Oracle) -> None:
        """Count from here."""
        self._began, self._now, self.lost, self._agreed = began, Page(), "", False
        for kept in (self._past, self._future, self._never):
            kept.clear()

    def resume(self, state: Entry) -> None:
        """Count on from a document that shows the beginning of a round, where it tells enough."""
        past = any(self._rules.get(name) for name in ("next_starter", "first_move_bonus"))
        if not past and all(len(player["colours"]) == 1 for player in state["players"]):
            self.begin(Oracle.shown(state, self._rules))

    def _new(self, t_s: float, action: Entry, laid: Entry | None = None) -> Step:
        self._numbers += 1
        return Step(self._numbers, t_s, action, laid or {})

    def _turn(self, verb: str, *steps: Step, number: int = 0, **known: Any) -> bool:
        """More is known from now on, or known better; False where the rules forbid it."""
        found = {step.number: step for step in (*self._now.steps, *steps)}
        page = replace(self._now, **{"steps": tuple(found.values()), **known})
        if self._played(page.steps) is None:
            return False
        self._past.append(replace(self._now, verb=verb, number=number))
        self._now = page
        self._future.clear()
        return True

    def _newest(self) -> Step | None:
        """The newest piece, if nobody has rolled since."""
        for step in reversed(self._now.steps):
            if step.number not in self._never and step.action:
                return step if step.kind == "place" else None
        return None

    # --- what happened ---------------------------------------------------------------------------

    def happened(self, entry: Entry) -> None:
        """Take an entry of the truth, in order of time."""
        game, kind = self.game(), entry["type"]
        if game is None:
            return
        if kind == "place" and game.phase in ("roll", "act"):
            self._placed(game, entry)
        elif kind == "topple":
            self._toppled(game, entry)
        elif kind == "agreed":
            self._agreed = bool(game.board)
        elif kind == "remove" and entry["where"] == "board" and game.board and not self._agreed:
            self._removed(entry)
        elif kind == "cleared" and (game.clearing or game.board):
            self._cleared(game, entry["t"])

    def _placed(self, game: Oracle, entry: Entry) -> None:
        newest, t_s = self._newest(), entry["t_release"]
        if newest is not None and not newest.laid and abs(newest.t_s - t_s) <= SAME_PIECE_S:
            return
        colour = self._now.colour or entry["colour"]
        step = self._new(t_s, {"type": "place", "cell": entry["cell"], "colour": colour}, entry)
        if game.phase == "act":
            if not self._turn("place", step, number=step.number, colour=None):
                self.lost = f"the die does not allow {entry['cell']} at {t_s:.1f} s"
        elif self._now.waiting is not None or not self._turn(
            "place", number=step.number, waiting=step
        ):
            self.lost = "two pieces before a roll"

    def _toppled(self, game: Oracle, entry: Entry) -> None:
        newest, by_hand = self._newest(), entry["cause"] == "placing"
        fell = (
            newest is not None
            and bool(newest.laid)
            and (
                newest.laid["ended_in_topple"]
                or (by_hand and entry["t"] - newest.t_s <= FELL_WITHIN_S)
            )
        )
        if game.phase in ("clear", "over") and not fell:
            return
        colour = self._now.colour
        if newest is not None and fell:  # it was not placed (T16)
            self._never.add(newest.number)
            colour = newest.action["colour"]
        who = None if by_hand or entry["player"] is None else game.names[entry["player"]]
        action = {"type": "topple", "cause": entry["cause"], "player": who}
        if by_hand:
            action["colour"] = colour
        if not self._turn("topple", self._new(entry["t"], action), waiting=None, colour=None):
            self.lost = "a topple when nobody plays"

    def _removed(self, entry: Entry) -> None:
        newest, waiting = self._newest(), self._now.waiting
        if waiting is not None and waiting.action["cell"] == entry["cell"]:
            self._now = replace(self._now, waiting=None)
        elif newest is not None and newest.action["cell"] == entry["cell"] and entry["n"] == 1:
            self._never.add(newest.number)
        else:
            self.lost = f"pieces were taken off {entry['cell']} in the middle of a round"

    def _cleared(self, game: Oracle, t_s: float) -> None:
        steps = [self._new(t_s, {"type": "cleared"})]
        if not game.clearing and self._agreed:
            steps.insert(0, self._new(t_s, {"type": "end_round"}))
        if not self._turn("cleared", *steps, waiting=None, colour=None):
            self.lost = "the board was cleared in the middle of a round"
        self._agreed = False

    # --- what was said ---------------------------------------------------------------------------

    def said(  # noqa: C901 - one case for each verb
        self, verb: str, command: Entry, t_s: float, shown: Entry, told: Entry
    ) -> None:
        """Take what was said and obeyed.

        Args:
            verb: what was asked for.
            command: its details.
            t_s: when.
            shown: the document that was published before.
            told: what the table said that it took back or did again.
        """
        data = command.get("data") or {}
        if verb == "start":
            self._start(data)
            return
        game = self.game()
        if game is None:
            return
        if verb in ("roll", "pass", "place", "end"):
            self._deed(verb, game, command, t_s)
        elif verb == "cleared" and (game.clearing or game.board):
            self._cleared(game, t_s)
        elif verb == "colour":
            self._announced(game, data, t_s)
        elif verb in ("topple", "blame") or str(data.get("question")).startswith("blame"):
            self._blamed(verb, game, data, t_s)
        elif verb == "answer" and not self._now.waiting:
            # Whoever answers truly says what people know already; it is a step all the same.
            self._turn("answer")
        elif verb == "correct":
            self._corrected(data, shown)
        elif verb in ("undo", "redo"):
            self._moved(verb, told)
        elif verb in ("turn", "action", "answer"):
            self.lost = f"{verb} was said"

    def _start(self, data: Entry) -> None:
        self.lost, self._rules = "a game by hand", data.get("options") or {}
        if data.get("game", "topple") == "topple":
            names = [player["name"] for player in data["players"]]
            first = data.get("first", 0)
            first = names[first] if isinstance(first, int) else first
            self.begin(Oracle({"target": 100, **data, "first": first}, self._rules))

    def _deed(self, verb: str, game: Oracle, command: Entry, t_s: float) -> None:
        data = command.get("data") or {}
        action = {**data, "type": verb}
        kept = self._now.colour if verb == "roll" else None
        waiting, others = self._now.waiting, command.get("player") not in (None, game.current)
        if others or (verb == "roll" and game.phase == "act") or (verb != "roll" and waiting):
            self.lost = f"{verb} out of turn"
        elif verb == "roll" and waiting is not None:
            steps = (self._new(t_s, action), waiting)
            if not self._turn("roll", *steps, number=waiting.number, waiting=None, colour=None):
                self.lost = "the die does not allow the piece that lay before it was told"
        elif verb == "place":
            self._entered(game, action, t_s)
        elif not self._turn(verb, self._new(t_s, action), colour=kept):
            self.wrong.append(f"{verb} at {t_s:.1f} s was done; the rules forbid it")

    def _entered(self, game: Oracle, action: Entry, t_s: float) -> None:
        newest = self._newest()
        if newest is not None and newest.laid and t_s - newest.t_s <= SAME_PIECE_S:
            self.lost = "a piece was entered that lay there already"
            return
        colour = action.get("colour") or self._now.colour or game.hands[game.current][0]
        step = self._new(t_s, {**action, "colour": colour})
        if not self._turn("place", step, number=step.number, colour=None):
            self.wrong.append(f"place at {t_s:.1f} s was done; the rules forbid it")

    def _announced(self, game: Oracle, data: Entry, t_s: float) -> None:
        newest, colour = self._newest(), data["colour"]
        if "ref" not in data and colour in game.hands[game.current]:
            self._turn("colour", colour=colour)
        elif newest is None or not self._turn("colour", _other(newest, colour=colour)):
            self.lost = f"{colour} was said at {t_s:.1f} s, of nobody's piece"

    def _blamed(self, verb: str, game: Oracle, data: Entry, t_s: float) -> None:
        falls = [step for step in self._now.steps if step.kind == "topple"]
        who = data.get("player", data.get("value") if verb == "answer" else None)
        who = game.names[who] if isinstance(who, int) else who
        cause = data.get("cause") or ("bump" if verb == "blame" or who in game.names else "placing")
        action = {"type": "topple", "cause": cause, "player": who, "colour": data.get("colour")}
        newest = self._newest()
        if verb != "topple" and game.phase in ("clear", "over") and falls and who != "none":
            done = self._turn(verb, _other(falls[-1], **action))
        elif verb == "topple" and cause == "placing" and newest is not None:
            gone = replace(newest, action={})
            done = self._turn(verb, gone, self._new(t_s, action))
        else:
            done = verb == "topple" and self._turn(verb, self._new(t_s, action))
        if not done:
            self.lost = f"{verb} at {t_s:.1f} s is of an earlier round, or of none"

    def _corrected(self, data: Entry, shown: Entry) -> None:
        step = self._step_where_shown(data["ref"], shown)
        if step is None or not data.keys() & {"cell", "colour", "nothing"}:
            self.lost = f"move {data['ref']} was corrected, and is no piece of this round"
            return
        changed = _other(step, **{k: v for k, v in data.items() if k in ("cell", "colour")})
        if data.get("nothing"):
            if any(s.kind == "roll" and s.number > step.number for s in self._now.steps):
                # Passed, or not placed yet: a table that sees the next piece knows.
                self.lost = f"move {data['ref']} is none, and the next roll was told"
                return
            changed = replace(step, action={})
        if not self._turn("correct", changed):
            self.lost = "a correction to what the die does not allow"

    def _step_where_shown(self, ref: int, shown: Entry) -> Step | None:
        """The step whose piece lies where the table shows that move."""
        for cell, stack in shown["board"].items():
            pieces = [s for s in self._now.steps if s.kind == "place" and s.action["cell"] == cell
                      and s.number not in self._never]  # fmt: skip
            for piece, step in zip(reversed(stack), reversed(pieces), strict=False):
                if piece["ref"] == ref:
                    return step
        return None

    def _moved(self, verb: str, told: Entry) -> None:
        """Undo or redo, as the table calls what it took back or did again."""
        if verb == "redo":
            for page in reversed(self._future.pop() if self._future else []):
                self._past.append(replace(self._now, verb=page.verb, number=page.number))
                self._now = page
            return
        turned: list[Page] = []
        nothing = told.get("verb") == "place" and told.get("cell") is None
        # What fell at once the sensors may never have seen, or they took a hand for a piece: such
        # a step stands on one side only, and changes nothing on either.
        while self._past and self._past[-1].number in self._never and not (nothing and turned):
            turned.append(self._back())
        waits = self._now.waiting is not None and self._past[-1].number == self._now.waiting.number
        if not nothing or waits:
            if not self._past or self._past[-1].verb != told.get("verb"):
                self.lost = "undo has gone in another order than things happened"
                return
            turned.append(self._back())
        self._future.append(turned)

    def _back(self) -> Page:
        before = self._past.pop()
        after, self._now = replace(self._now, verb=before.verb, number=before.number), before
        return after

    def refused(self, verb: str, command: Entry, t_s: float, code: str) -> None:
        """The table would not do it: then the rules must forbid it as well."""
        game, data = self.game(), command.get("data") or {}
        if game is None or self._now.waiting or verb not in ("roll", "pass"):
            return
        if command.get("player") in (None, game.current) and game.allows(
            {"value": 0, **data, "type": verb}
        ):
            self.wrong.append(f"{verb} at {t_s:.1f} s was refused ({code}); the rules allow it")


def _other(step: Step, **changes: Any) -> Step:
    """A step as it is known now."""
    return replace(step, action={**step.action, **changes})
