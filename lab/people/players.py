"""Simulated people: they roll, place, pass, lean on the table, knock against it, clear the board.

They know the rules (`engine.games`), see the tower (its tilt, and when pieces fall) and act on
it through the verbs of `lab.twin.tower.Tower`. They never see samples, and the table never sees
them: what they say goes out as `HumanInput`, as on the `input` channel of a trace.

A person's script is a generator that yields the table time at which it continues.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from random import Random
from typing import Any

from engine.events import HumanInput
from engine.games.contract import Action
from engine.games.topple.hints import topple_hints
from engine.games.topple.player import choose_topple
from engine.games.topple.rules import Topple as ToppleRules
from engine.games.topple.rules import ToppleState
from lab.people.clearing import Clearer
from lab.people.eyewitness import Eyewitness
from lab.people.fidgeting import TEMPERS, Fidgets
from lab.people.handling import GLANCE_S, Hands
from lab.people.ways import USUAL, Ways, chosen
from lab.twin.episodes import ToppleEpisode
from lab.twin.hands import Deed
from lab.twin.parameters import Preset
from lab.twin.tower import Tower

NAMES = ("Ann", "Bob", "Cleo", "Dan")
COLOURS = ("red", "blue", "green", "yellow")
SUGGESTED_TARGET = 100

CAUTION = (1.4, 2.6)
"""Factor by which people overestimate a tilt. It makes them balance the tower as in the public
traces, where half of the time it hangs by less than 2 degrees."""

HASTE_S = (0.1, 0.4)
"""Before the roll, and before the hand, of those who do not wait for each other."""

LATE_BUMP_S = (0.0, 1.8)
"""After a hand has let go, when the board may still swing."""

HIGH_TOWER = 8
"""Pieces from which on people may agree that it is high enough."""

STOPPED_S = (0.5, 6.0)
"""From the last release to the first hand that clears a tower which stands."""

PATIENT_S = 6.0
"""So long who waits for the screen to call them does; then it is their turn, whatever it shows."""

Script = Iterator[float]


BREAK_S = (25.0, 35.0)
"""Between two games of an evening: long enough to see who won."""


class People:
    """The players of one evening, their game and their habits.

    Attributes:
        state: the game as the people believe it; None before the start.
        said: what they have said and nobody has fetched yet.
        began_s: table time at which they said that their present game begins.
        others_play: set by whoever sees that others have a game at this table: they wait for it.
        joined: id of a game that others have begun and these people play all the same.
        called: set by whoever shows them a screen: the name that it calls to roll, or None.
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
        tell_dice: bool = True,
        target: int = SUGGESTED_TARGET,
        again: bool = False,
        ways: Ways = USUAL,
    ) -> None:
        """Seat the players at a tower; the rest is said at `Evening.begin`."""
        self.tower = tower
        self.temper = TEMPERS[preset]
        self.state: ToppleState | None = None
        self.said: list[HumanInput] = []
        self.began_s: float | None = None
        self.others_play = self.called_off = False
        self.joined: str | None = None
        self.called: Callable[[], str | None] | None = None
        self._again = again
        self._chance = Random(seed)
        self._rules = ToppleRules()
        self._caution = self._chance.uniform(*CAUTION)
        self._tell_dice, self._target = tell_dice, target
        self._seats = self._seating(players, two_colours)
        self._placing: ToppleState | None = None
        self._handled = tower.topple
        self._ways = ways
        self._hands = Hands(tower, ways, self._chance, self._fallen)
        self._clearer = Clearer(tower, ways, self._chance)
        self._fidgets = Fidgets(tower, self.temper, ways, self._chance, len(self._seats))
        self._owed: dict[str, Any] | None = None
        self._foretold: int | None = None
        self._hasty = self._thought = False
        self._wake_s = tower.now_s
        self._script: Script = self._evening()
        self._clearing = True
        self._ended = False

    @property
    def done(self) -> bool:
        """True once the last game is over and the board is cleared."""
        return self._ended

    @property
    def game(self) -> ToppleState:
        """The state of the game, which must have begun."""
        assert self.state is not None  # noqa: S101 - who plays has started
        return self.state

    @property
    def in_game(self) -> bool:
        """Whether a game has begun that by their own count is not over."""
        return self.state is not None and not self._over()

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, by seat."""
        return tuple(name for name, _ in self._seats)

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
        return float("inf") if self._ended else min(self._wake_s, self._fidgets.next_s)

    def act(self) -> None:
        """Do what is due now."""
        now_s = self.tower.now_s
        if now_s >= self._fidgets.next_s and not self._ended:
            self._fidgets.act(clearing=self._clearing)
        while not self._ended and now_s >= self._wake_s:
            following = next(self._script, None)
            self._ended = following is None
            self._wake_s = float("inf") if following is None else following

    def answer(
        self, kind: str, about_s: float, options: tuple[str, ...], player: str | None = None
    ) -> str | None:
        """What an honest player answers to a question of the table; see `Eyewitness.answer`."""
        return Eyewitness(self.tower, self.names).answer(kind, about_s, options, player)

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

    @property
    def colours(self) -> tuple[str, ...]:
        """Every colour in play, by seat."""
        return tuple(colour for _, hand in self._seats for colour in hand)

    # --- the script -----------------------------------------------------------------------

    def _pause(self, low_s: float, high_s: float) -> float:
        """A time to go on at, some seconds from now."""
        return self.tower.now_s + self._chance.uniform(low_s, high_s)

    def go_on(self, state: ToppleState, *, clearing: bool, chance: int) -> None:
        """Play on a game that stopped, as those who play it; the tower stands as it was left.

        Args:
            state: the game.
            clearing: its last round is over, and what is on the board is still to be taken off.
            chance: seed of what happens from now on.
        """
        match = state.match
        hands = (tuple(match.colours[colour] for colour in hand) for hand in match.hands)
        self._seats = tuple(zip(match.players, hands, strict=True))
        self._chance.seed(chance)
        self._fidgets = Fidgets(self.tower, self.temper, self._ways, self._chance, len(self._seats))
        self.state, self._tell_dice = state, match.rules["dice"] == "told"
        if state.phase == "act" and state.die is not None:
            self.tower.rolled(state.current, state.die)
        self._script = self._evening(self._rest_of_game(clearing=clearing))

    def _rest_of_game(self, *, clearing: bool) -> Script:
        if clearing:
            yield from self._clear()
        yield from self._rounds()

    def _evening(self, first: Script | None = None) -> Script:
        yield self._pause(4.0, 6.5)
        yield from self._game() if first is None else first
        while self._again:
            yield from self._break()
            while self.others_play:
                yield self.tower.now_s + GLANCE_S
            # The table may believe the last game unfinished, if somebody has changed its score.
            yield from self._game(replace=True)

    def _break(self) -> Script:
        yield self._pause(*BREAK_S)

    def _game(self, **said: bool) -> Script:
        self.called_off = False
        self._start(**said)
        yield self._pause(1.2, 2.2)
        yield from self._rounds()

    def _rounds(self) -> Script:
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
        # They roll a die in any case; what they do not tell, the table must do without.
        self.state = self._rules.start(action)
        self.began_s = self.tower.now_s
        told = {} if self._tell_dice else {"options": {"dice": "untold"}}
        self._say("start", players=players, target=self._target, first=first, **told, **said)

    def _finished(self) -> bool:
        return self.called_off or self._over()

    def _over(self) -> bool:
        return self.state is not None and self._rules.is_over(self.state)

    def _apply(self, action: Action) -> None:
        self.state = self._rules.apply(self.game, action)

    def _round(self) -> Script:
        """Turns until something falls or all pieces are on the board."""
        number, self._placing = self.game.round, None
        while not self._finished() and self.game.round == number:
            yield from self._turn()
            if self.game.round != number:
                self.tower.truth.add(self.tower.now_s, "played_out")
            elif self._agree_to_stop():
                yield self._pause(*STOPPED_S)
                return
            if not self._fallen():
                yield self._pause(*(HASTE_S if self._hasty else (0.5, 2.4)))
            if self._fallen():
                yield from self._own_up()
                return
        # All pieces are on the board: everybody looks at it before it is taken down.
        yield from self._hands.waiting(self._chance.uniform(1.5, 4.0))

    def _turn(self) -> Script:
        action = choose_topple(self.game, self._chance.random, self._feared_tilt)
        if action["type"] == "roll":
            yield from self._until_called()
            if self._foretold is not None:
                action = {"type": "roll", "value": self._foretold}
            self._roll(action)
            action = choose_topple(self.game, self._chance.random, self._feared_tilt)
        yield from self._hands.waiting(
            self._chance.uniform(*((0.15, 0.5) if self._hasty else (1.4, 2.9)))
        )
        self._hasty = False
        if self._fallen():
            return
        if action["type"] == "pass":
            self._pass(action)
            return
        yield from self._place(self._hands.taken(self.game, action))

    def _until_called(self) -> Script:
        """Wait for the screen, as some do; but not for one that calls somebody else."""
        if self.called is None or not chosen(self._chance, self._ways.awaits_call):
            return
        name, until_s = self._seats[self.game.current][0], self.tower.now_s + PATIENT_S
        while self.called() != name and self.tower.now_s < until_s and not self._fallen():
            yield min(self.tower.now_s + GLANCE_S, until_s)

    def _feared_tilt(self, cell: str) -> float:
        """The tilt a placement would cause, as a cautious player estimates it."""
        return self._caution * self.tower.tilt_after(cell)

    def _roll(self, action: Action) -> None:
        """Roll, and tell what it is: now, already told, or later."""
        told, self._foretold = self._foretold is not None, None
        value = int(action["value"])
        self.tower.rolled(self.game.current, value)
        if self._tell_dice and not told:
            self._tell_owed()
            self._owed = {"value": self._as_told(value)}
            if chosen(self._chance, self._ways.names_rolls):
                self._owed["player"] = self._seats[self.game.current][0]
            if chosen(self._chance, self._ways.unheard_rolls):
                self._owed = None
            if not chosen(self._chance, self._ways.late_rolls):
                self._tell_owed()
        self._apply(action)

    def _as_told(self, value: int) -> int:
        """The roll, or what a die misread it for."""
        if not chosen(self._chance, self._ways.misread_rolls):
            return value
        return self._chance.choice([face for face in range(1, 7) if face != value])

    def _tell_owed(self) -> None:
        """Tell a roll that nobody has told yet."""
        owed, self._owed = self._owed, None
        if owed is not None:
            self._say("roll", **owed)

    def _pass(self, action: Action) -> None:
        self.tower.truth.add(self.tower.now_s, "pass", player=self.game.current)
        self._say("pass")
        self._apply(action)

    def _place(self, action: Action) -> Script:
        """Hesitate perhaps, aim, put down, let go; then the game has moved on."""
        tower, cell, seat = self.tower, str(action["cell"]), self.game.current
        if self._chance.random() < self.temper.tentative:
            tower.touch_with_piece(cell, self._chance.uniform(0.05, 0.6))
            yield from self._hands.waiting(self._chance.uniform(0.9, 1.5))
        if self._fallen():
            return
        deed = self._set_down(cell, str(action["colour"]), seat)
        if self._chance.random() < self.temper.nudges:
            self._nudge_neighbour(cell)
        if chosen(self._chance, self._ways.early_rolls):
            self._foretell(deed)
        while not (deed.done or deed.void):
            yield tower.now_s + GLANCE_S
        if not deed.void:
            action = yield from self._think_again(action)
        if not deed.void and not (self._thought and self._fallen()):
            self._placing = self.game
            self._apply(action)
            if chosen(self._chance, self._ways.late_bumps):
                tower.at(self._pause(*LATE_BUMP_S), self._bump_unless_cleared)
            self._hasty = chosen(self._chance, self._ways.in_haste)
        else:
            self._placing = None
        if self._owed is not None:
            tower.at(tower.now_s + self._chance.uniform(0.2, 2.5), self._tell_owed)

    def _set_down(self, cell: str, colour: str, seat: int) -> Deed:
        # The finger that steadies the board is there first.
        grip = self._hands.grip()
        slip = self._slip(cell)
        return self.tower.place(
            cell, colour, player=seat, slip=slip, press_mm=grip.press_mm, drop_mm=grip.drop_mm
        )

    def _foretell(self, deed: Deed) -> None:
        """The next player rolls and says so while the hand before is still there."""
        self._foretold = self._chance.randint(1, 6)
        if self._tell_dice:
            value = self._foretold
            early_s = max(self.tower.now_s, deed.release_s - self._chance.uniform(0.0, 0.4))
            self.tower.at(early_s, lambda: self._say("roll", value=value))

    def _think_again(self, action: Action) -> Generator[float, None, Action]:
        """Slide the piece to another cell, or take it again; gives where it lies then."""
        tower, hands = self.tower, self._hands
        self._thought = False
        cell = str(action["cell"])
        sliding, lifting = hands.second_thoughts()
        others = self._other_cells(action) if sliding or lifting else []
        near = [to for to in others if tower.pieces.stacks[cell] and tower.slides_to(cell, to)]
        if sliding and near:
            self._thought, to = True, self._chance.choice(near)
            deed = yield from hands.slide(cell, to)
        elif lifting and others:
            self._thought, to = True, self._chance.choice(others)
            seat, colour = self.game.current, str(action["colour"])
            deed = yield from hands.relift(cell, to, colour, player=seat)
        else:
            return action
        if deed is None:
            return action
        while not (deed.done or deed.void or self._fallen()):
            yield tower.now_s + GLANCE_S
        return {**action, "cell": to}

    def _other_cells(self, action: Action) -> list[str]:
        """Where else the rules let this piece go."""
        hints = topple_hints(self.game, self._feared_tilt)
        fitting = [hint.cell for hint in hints if hint.colour == action["colour"]]
        return sorted({cell for cell in fitting if cell != action["cell"]})

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

    # --- how a round ends -----------------------------------------------------------------

    def _agree_to_stop(self) -> bool:
        """Agree that the tower is high enough; then nobody pays for what falls."""
        tower = self.tower
        between_turns = self.state is not None and self.state.phase == "roll"
        if not between_turns or self._foretold is not None or tower.pieces.count < HIGH_TOWER:
            return False
        if self._fallen() or not chosen(self._chance, self._ways.agrees_to_stop):
            return False
        self._clearing = tower.clearing = True
        tower.truth.add(tower.now_s, "agreed")
        self._apply({"type": "end_round"})
        return True

    def _bump_unless_cleared(self) -> None:
        """Walk into a table on which the last piece may still swing."""
        if not self._clearing:
            size_m_s2 = self._chance.uniform(*self.temper.calamity_m_s2)
            seat = self._chance.randrange(len(self._seats))
            self.tower.bump(size_m_s2, self._chance.uniform(4, 6), 0.4, player=seat)

    def _fallen(self) -> bool:
        return self.tower.topple is not None and self.tower.topple is not self._handled

    def _own_up(self) -> Script:
        """See what fell, say who bumped the table if somebody did, and count the loss."""
        topple = self.tower.topple
        assert topple is not None  # noqa: S101 - something fell
        self._clearing = self.tower.clearing = True
        at_once = self._clearer.at_once
        yield from self._clearer.stare(topple)
        self._handled = topple
        # When all pieces have been played a bump costs nobody.
        if topple.cause == "bump" and any(self.game.board):
            if at_once:
                self.tower.at(self._pause(0.5, 3.5), lambda: self._blame(topple))
            else:
                yield self._pause(0.5, 2.5)
                self._blame(topple)
        self._lose(topple)
        if not at_once:
            yield self._pause(0.5, 2.0)

    def _blame(self, topple: ToppleEpisode) -> None:
        self._say("blame", player=topple.player)

    def _lose(self, topple: ToppleEpisode) -> None:
        """Write a topple down; one by a placement already counted takes that back (rule T16)."""
        state = self.game
        seat = state.current if topple.player is None else topple.player
        loss = {"type": "topple", "cause": topple.cause}
        if topple.cause == "placing" and state.phase == "act" and seat == state.current:
            self._apply(loss)
        elif topple.cause == "placing" and self._placing is not None:
            self.state = self._rules.apply(self._placing, loss)
        elif any(state.board):
            self._take_back_what_was_undone()
            self._apply({"type": "topple", "cause": "bump", "player": self._seats[seat][0]})

    def _take_back_what_was_undone(self) -> None:
        """A piece was never placed that had not lain still when the table was bumped.

        Not so once the next player has rolled (rule T16): the truth says what counts.
        """
        newest, before = self.tower.truth.last_placement(), self._placing
        undone = newest is not None and newest["ended_in_topple"]
        # Else there was no other piece that could have been bumped.
        if undone and before is not None and any(before.board):
            self.state = before

    def _clear(self) -> Script:
        """Take everything off, and say so: when it is clear, or too early, too late, or never."""
        tower, ways = self.tower, self._ways
        self._clearing = tower.clearing = True
        press_s = self._chance.uniform(*ways.press_s) if ways != USUAL else 0.0
        pressed = chosen(self._chance, ways.never_presses)
        for until_s in self._clearer.script():
            if press_s < 0 and self._clearer.nearly_clear and not pressed:
                self._say_cleared()
                pressed = True
            yield until_s
        tower.clearing, self._handled = False, tower.topple
        tower.truth.add(tower.now_s, "cleared")
        if ways == USUAL:
            yield self._pause(*ways.press_s)
            self._say_cleared()
            return
        if not pressed:
            # The next round does not wait for it.
            tower.at(tower.now_s + max(press_s, 0.1), self._say_cleared)
        yield self._pause(*USUAL.press_s)

    def _say_cleared(self) -> None:
        if not self._finished():
            self._say("cleared")
