"""Simulated people: they roll, place, pass, lean on the table, knock it, clear the board.

They know the rules (`engine.games`), see the tower (its tilt, and when pieces fall) and act on
it through the verbs of `hw.twin.Tower`. They never see samples, and the table never sees them:
what they say goes out as `HumanInput`, as on the `input` channel of a trace.

A person's script is a generator that yields the table time at which it goes on.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.events import HumanInput
from engine.games.contract import Action
from engine.games.players.topple import choose_topple
from engine.games.topple import Topple as ToppleRules
from engine.games.topple import ToppleState
from hw.twin.episodes import Topple
from hw.twin.parameters import Preset
from hw.twin.tower import Tower

NAMES = ("Ann", "Bob", "Cleo", "Dan")
COLOURS = ("red", "blue", "green", "yellow")
SUGGESTED_TARGET = 100

GLANCE_S = 0.05
"""How often people look whether something has happened."""

CAUTION = (1.4, 2.6)
"""How much worse than it is a tilt looks to people. Makes them balance the tower as in the public
traces, where half the time it hangs by less than 2 degrees."""

Script = Iterator[float]


@dataclass(frozen=True, slots=True)
class Temper:
    """What people do besides playing, in events a minute, and how hard.

    Fitted to the public traces, which have about these counts in six minutes.

    Attributes:
        bumps, taps, touches, leans: a minute.
        tentative, nudges: probability with each placement.
        bump_m_s2: gentlest and hardest of the usual bumps.
        calamity: probability with each turn, once the tower is high, of a bump that fells it.
        calamity_m_s2: how hard that is.
    """

    bumps: float
    taps: float
    touches: float
    leans: float
    tentative: float
    nudges: float
    bump_m_s2: tuple[float, float]
    calamity: float
    calamity_m_s2: tuple[float, float]


TEMPERS: Mapping[Preset, Temper] = {
    "calm": Temper(0.5, 0.5, 0.25, 0.45, 0.02, 0.02, (0.3, 0.6), 0.010, (6, 12)),
    "normal": Temper(0.7, 1.0, 0.9, 0.6, 0.03, 0.02, (0.6, 1.9), 0.016, (6, 16)),
    "rough": Temper(2.8, 3.0, 1.7, 1.5, 0.08, 0.05, (1.1, 4.6), 0.020, (7, 20)),
}

MEANT_S = 2.5
"""A question names no time but people know which piece is meant: a table that was tapped while the
piece was laid sees it 1.7 s later."""

BREAK_S = (25.0, 35.0)
"""Between two games of an evening: long enough to see who won."""

HIGH_TOWER = 10
"""Pieces from which on a hard bump makes a topple likely."""


class People:
    """The players of one evening, their game, and their manners.

    Attributes:
        state: the game as the people believe it; None before the start.
        said: what they have said and nobody has fetched yet.
        began_s: table time at which they said that their present game begins.
        others_play: set by whoever sees that others have a game at this table: they wait for it.
        called_off: set by whoever sees that the table has ended their game: they stop, too.
    """

    def __init__(
        self,
        tower: Tower,
        preset: Preset,
        seed: int,
        *,
        players: int | None = None,
        two_colours: bool | None = None,
        announce_colours: bool = False,
        tell_dice: bool = True,
        target: int = SUGGESTED_TARGET,
        again: bool = False,
    ) -> None:
        """Seat the players; what is left out is drawn.

        Args:
            tower: what they play on.
            preset: how careful they are.
            seed: all chance comes from here.
            players: 2 to 4.
            two_colours: two players with two colours each.
            announce_colours: say before each placement of a two-colour game which colour it is.
            tell_dice: say what was rolled.
            target: points that win.
            again: play one game after the other, for ever.
        """
        self.tower = tower
        self.temper = TEMPERS[preset]
        self.state: ToppleState | None = None
        self.said: list[HumanInput] = []
        self.began_s: float | None = None
        self.others_play = self.called_off = False
        self._again = again
        self._chance = Random(seed)
        self._rules = ToppleRules()
        self._caution = self._chance.uniform(*CAUTION)
        self._announce, self._tell_dice, self._target = announce_colours, tell_dice, target
        self._seats = self._seating(players, two_colours)
        self._placing: ToppleState | None = None
        self._handled = tower.topple
        self._wake_s = tower.now_s
        self._script: Script = self._evening()
        self._fidget_s = tower.now_s + 6.0
        self._clearing = True
        self._ended = False

    @property
    def done(self) -> bool:
        """True once the last game is over and the board is cleared."""
        return self._ended

    @property
    def in_game(self) -> bool:
        """Whether a game has begun that by their own count is not over."""
        return self.state is not None and not self._over()

    @property
    def scores(self) -> Mapping[str, int]:
        """The true scores, as far as the game has come."""
        return {} if self.state is None else self._rules.scores(self.state)

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has won; empty before the end."""
        return () if self.state is None else self._rules.winners(self.state)

    @property
    def wake_s(self) -> float:
        """Table time at which somebody will do something next."""
        return min(self._wake_s, self._fidget_s)

    def act(self) -> None:
        """Do what is due now."""
        now_s = self.tower.now_s
        if now_s >= self._fidget_s:
            self._fidget()
        while not self._ended and now_s >= self._wake_s:
            following = next(self._script, None)
            self._ended = following is None
            self._wake_s = float("inf") if following is None else following
        if self._ended:
            self._fidget_s = float("inf")

    def answer(self, kind: str, about_s: float, options: tuple[str, ...]) -> str | None:
        """What an honest player answers to a question of the table.

        Args:
            kind: `cell`, `placed` or `blame`.
            about_s: table time of what the question is about.
            options: the values offered.

        Returns:
            One of the options, or None when the players do not know either.
        """
        truth = self._culprit(about_s) if kind == "blame" else self._whereabouts(about_s)
        return next((option for option in options if option in truth), None)

    def _happened(self, kind: str) -> list[dict[str, Any]]:
        """What they saw of a kind, in order."""
        return [entry for entry in self.tower.truth.entries if entry["type"] == kind]

    def _whereabouts(self, about_s: float) -> set[str]:
        """Values by which a table may call the place of the piece laid then."""
        near = [piece for piece in self._happened("place") if abs(piece["t"] - about_s) < MEANT_S]
        if not near:
            return {"no", "none"}
        piece = min(near, key=lambda piece: abs(piece["t"] - about_s))
        topple = self.tower.topple
        # Who bumps the table pays for it, and the piece placed before counts all the same.
        bumped = topple is not None and topple.cause == "bump"
        stood = bumped or not piece["ended_in_topple"]
        return {piece["cell"], "yes"} if stood else {"no", "none"}

    def _culprit(self, about_s: float) -> set[str]:
        """Values by which a table may call who or what made pieces fall, if any did."""
        topple = self.tower.topple
        if topple is None or topple.t_s < self._round_began_s(about_s):
            return {"none"}
        if topple.cause == "placing":
            return {"placing"}
        seat = topple.player
        return set() if seat is None else {self._seats[seat][0], str(seat)}

    def _round_began_s(self, about_s: float) -> float:
        """Table time at which the board was last empty before a piece that was laid before."""
        laid_s = max((e["t"] for e in self._happened("place") if e["t"] < about_s), default=0.0)
        return max((e["t"] for e in self._happened("cleared") if e["t"] < laid_s), default=0.0)

    # --- what they say --------------------------------------------------------------------

    def _say(self, verb: str, **data: Any) -> None:
        self.said.append(HumanInput(self.tower.now_s, verb, data))

    def _seating(
        self, players: int | None, two_colours: bool | None
    ) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Names and colours, drawn where not given."""
        colours = list(COLOURS)
        self._chance.shuffle(colours)
        if two_colours is None:
            two_colours = players is None and self._chance.random() < 0.25
        if two_colours:
            return ((NAMES[0], tuple(colours[:2])), (NAMES[1], tuple(colours[2:])))
        count = players or self._chance.randint(2, 4)
        return tuple((NAMES[seat], (colours[seat],)) for seat in range(count))

    # --- the script -----------------------------------------------------------------------

    def _pause(self, low_s: float, high_s: float) -> float:
        """A time to go on at, some seconds from now."""
        return self.tower.now_s + self._chance.uniform(low_s, high_s)

    def _evening(self) -> Script:
        yield self._pause(4.0, 6.5)
        yield from self._game()
        while self._again:
            yield self._pause(*BREAK_S)
            while self.others_play:
                yield self.tower.now_s + GLANCE_S
            # The table may believe the last game unfinished, if somebody has changed its score.
            yield from self._game(replace=True)

    def _game(self, **said: bool) -> Script:
        self.called_off = False
        self._start(**said)
        yield self._pause(1.2, 2.2)
        while not self._finished():
            self._clearing = False
            yield from self._round()
            yield from self._clear()
            if not self._finished():
                yield self._pause(1.2, 3.5)

    def _start(self, **said: bool) -> None:
        first = self._chance.randrange(len(self._seats))
        players = [{"name": name, "colours": list(hand)} for name, hand in self._seats]
        two = len(self._seats[0][1]) == 2
        action = {
            "type": "start",
            "players": players,
            "first": self._seats[first][0],
            "target": self._target,
            "variant": "two-colour" if two else "standard",
        }
        self.state = self._rules.start(action, {"dice": "told" if self._tell_dice else "untold"})
        self.began_s = self.tower.now_s
        self._say("start", players=players, target=self._target, first=first, **said)

    def _finished(self) -> bool:
        return self.called_off or self._over()

    def _over(self) -> bool:
        return self.state is not None and self._rules.is_over(self.state)

    def _apply(self, action: Action) -> None:
        assert self.state is not None  # noqa: S101 - the game has started
        self.state = self._rules.apply(self.state, action)

    def _round(self) -> Script:
        """Turns until something falls or all pieces are on the board."""
        assert self.state is not None  # noqa: S101
        number, self._placing = self.state.round, None
        while not self._finished() and self.state.round == number:
            yield from self._turn()
            if self.state.round != number:
                self.tower.truth.add(self.tower.now_s, "played_out")
            if not self._fallen():
                yield self._pause(0.5, 2.4)
            if self._fallen():
                yield from self._own_up()
                return
        # All pieces are on the board: everybody looks at it before it is taken down.
        yield from self._waiting(self._chance.uniform(1.5, 4.0))

    def _turn(self) -> Script:
        assert self.state is not None  # noqa: S101
        action = choose_topple(self.state, self._chance.random, self._feared_tilt)
        if action["type"] == "roll":
            self._roll(action)
            action = choose_topple(self.state, self._chance.random, self._feared_tilt)
        yield from self._waiting(self._chance.uniform(1.4, 2.9))
        if self._fallen():
            return
        if action["type"] == "pass":
            self._pass(action)
            return
        yield from self._place(action)

    def _feared_tilt(self, cell: str) -> float:
        """The tilt a placement would cause, as it looks to somebody who fears it."""
        return self._caution * self.tower.tilt_after(cell)

    def _roll(self, action: Action) -> None:
        assert self.state is not None  # noqa: S101
        self.tower.truth.add(
            self.tower.now_s, "turn", player=self.state.current, roll=action["value"]
        )
        if self._tell_dice:
            self._say("roll", value=action["value"])
        self._apply(action)

    def _pass(self, action: Action) -> None:
        assert self.state is not None  # noqa: S101
        self.tower.truth.add(self.tower.now_s, "pass", player=self.state.current)
        self._say("pass")
        self._apply(action)

    def _place(self, action: Action) -> Script:
        """Hesitate perhaps, aim, put down, let go; then the game has moved on."""
        assert self.state is not None  # noqa: S101
        tower, cell, seat = self.tower, str(action["cell"]), self.state.current
        if self._announce and len(self._seats[seat][1]) > 1:
            self._say("colour", colour=action["colour"])
        if self._chance.random() < self.temper.tentative:
            tower.touch_with_piece(cell, self._chance.uniform(0.05, 0.6))
            yield from self._waiting(self._chance.uniform(0.9, 1.5))
        if self._fallen():
            return
        deed = tower.place(cell, str(action["colour"]), player=seat, slip=self._slip(cell))
        if self._chance.random() < self.temper.nudges:
            self._nudge_neighbour(cell)
        while not (deed.done or deed.void):
            yield tower.now_s + GLANCE_S
        if not deed.void:
            self._placing = self.state
            self._apply(action)

    def _slip(self, cell: str) -> str | None:
        """Set the piece down badly now and then."""
        if self._chance.random() >= self.tower.parameters.manners.slip:
            return None
        stacked = bool(self.tower.pieces.stacks[cell])
        return "offstack" if stacked else "offedge"

    def _nudge_neighbour(self, cell: str) -> None:
        """Brush against another stack; mostly nothing comes of it."""
        others = [at for at, stack in self.tower.pieces.stacks.items() if stack and at != cell]
        if not others:
            return
        hard = self._chance.random() < 0.15
        travel_mm = self._chance.uniform(12, 20) if hard else self._chance.uniform(1.5, 5.5)
        direction = (self._chance.uniform(-1, 1), self._chance.uniform(-1, 1))
        self.tower.nudge(self._chance.choice(others), travel_mm, direction)

    def _waiting(self, seconds: float) -> Script:
        """Wait, but look up at once when something falls."""
        until_s = self.tower.now_s + seconds
        while self.tower.now_s < until_s and not self._fallen():
            yield min(self.tower.now_s + GLANCE_S, until_s)

    # --- topples --------------------------------------------------------------------------

    def _fallen(self) -> bool:
        return self.tower.topple is not None and self.tower.topple is not self._handled

    def _own_up(self) -> Script:
        """See what fell, say who did it if it was a bump, and write the loss down."""
        topple = self.tower.topple
        assert topple is not None  # noqa: S101 - something has fallen
        self._clearing = self.tower.clearing = True
        while not topple.over or self.tower.placing:
            yield self.tower.now_s + GLANCE_S
        self._handled = topple
        yield self._pause(0.8, 2.0)
        if topple.cause == "bump":
            yield self._pause(0.5, 2.5)
            self._say("blame", player=topple.player)
        self._lose(topple)
        yield self._pause(0.5, 2.0)

    def _lose(self, topple: Topple) -> None:
        """Write a topple down; one by a placement already counted takes that back (rule T16)."""
        state = self.state
        assert state is not None  # noqa: S101
        seat = state.current if topple.player is None else topple.player
        loss = {"type": "topple", "cause": topple.cause}
        if topple.cause == "placing" and state.phase == "act" and seat == state.current:
            self._apply(loss)
        elif topple.cause == "placing" and self._placing is not None:
            self.state = self._rules.apply(self._placing, loss)
        elif any(state.board):
            self._apply({"type": "topple", "cause": "bump", "player": self._seats[seat][0]})
        # Else all pieces were played already, and what fell afterwards costs nobody.

    def _clear(self) -> Script:
        """Take everything off, a stack or two at a time, and say so."""
        tower, chance = self.tower, self._chance
        self._clearing = tower.clearing = True
        held = chance.random() < 0.7
        if held:
            tower.hold(chance.uniform(15, 110))
        yield self._pause(0.1, 0.3)
        while tower.pieces.count or tower.pieces.on_base or tower.pieces.flights:
            self._take_some()
            yield self._pause(0.3, 0.8)
        tower.let_go()
        tower.clearing, self._handled = False, tower.topple
        tower.truth.add(tower.now_s, "cleared")
        yield self._pause(0.4, 2.5)
        if not self._finished():
            self._say("cleared")

    def _take_some(self) -> None:
        stacks = {cell: len(stack) for cell, stack in self.tower.pieces.stacks.items() if stack}
        on_base = len(self.tower.pieces.on_base)
        if on_base and (not stacks or self._chance.random() < 0.2):
            self.tower.remove_from_base()
            return
        if not stacks:
            return
        cell = self._chance.choice(sorted(stacks))
        self.tower.remove(cell, self._chance.randint(1, min(4, stacks[cell])))

    # --- fidgeting ------------------------------------------------------------------------

    def _fidget(self) -> None:
        """Something nobody means: a bump, a tap, an arm on the table, a hand on the board."""
        temper, chance = self.temper, self._chance
        kinds = {"bump": temper.bumps, "tap": temper.taps, "touch": temper.touches}
        kinds["lean"] = temper.leans
        total = sum(kinds.values()) / 60
        self._fidget_s = self.tower.now_s + chance.expovariate(total)
        if self._clearing:
            return
        # As likely a turn, whatever the pace of fidgeting: a turn takes about four seconds.
        disastrous = chance.random() < temper.calamity / 4.0 / total
        if disastrous and self.tower.pieces.count >= HIGH_TOWER:
            self._calamity()
            return
        self._disturb(chance.choices(list(kinds), list(kinds.values()))[0])

    def _disturb(self, kind: str) -> None:
        chance, tower = self._chance, self.tower
        player = chance.randrange(len(self._seats))
        if kind == "bump":
            size = chance.uniform(*self.temper.bump_m_s2)
            length_s = chance.uniform(0.1, 0.32)
            tower.bump(size, chance.uniform(5, 14), length_s, player=player)
        elif kind == "tap":
            tower.tap(chance.randint(2, 7), chance.uniform(0.25, 1.2), player=player)
        elif kind == "lean":
            tower.lean(chance.uniform(0.1, 0.45), chance.uniform(1.9, 6.0))
        else:
            cell = chance.choice(sorted(tower.pieces.stacks))
            tower.touch(cell, chance.uniform(0.15, 0.9), chance.uniform(0.4, 2.4))

    def _calamity(self) -> None:
        """Walk into the table hard, or hit the board."""
        chance = self._chance
        player = chance.randrange(len(self._seats))
        if chance.random() < 0.3:
            cell = chance.choice(("a1", "a5", "e1", "e5", "a3", "e3", "c1", "c5"))
            self.tower.knock(cell, chance.uniform(0.4, 0.9), player=player)
            return
        size = chance.uniform(*self.temper.calamity_m_s2)
        length_s = chance.uniform(0.3, 0.5)
        self.tower.bump(size, chance.uniform(4, 6), length_s, player=player)
