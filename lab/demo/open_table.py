"""Simulated people at whose table visitors may sit down.

Who is seated decides, and a simulated hand does it: it carries the piece, presses, lets go and
shakes like all others. Whatever nobody has taken a seat for, the simulated people do, clearing the
board included. A game of visitors ends as a game: who has won stays on the screen until they want
another one, or take back how it ended.
"""

from collections.abc import Callable, Generator
from typing import Any

from engine.games.topple.rules import legal_cells, may_pass
from engine.games.topple.state import ToppleState
from engine.referee import RefereeState
from lab.demo.visitors import Awaited, Visitors, Wish
from lab.people.handling import GLANCE_S
from lab.people.players import BREAK_S, People, Script

HIP_M_S2, HIP_HZ, HIP_S = 6.0, 5.0, 0.4
"""A hip against the table: a high tower comes down, a young one may stand. The gentlest of the
simulated people's mishaps (`lab.people.fidgeting`)."""

SOON_S = (1.5, 2.5)
"""To the next game when a visitor has asked for it."""

PATIENCE_S = 5.0
"""For the table to see a piece, and for its question to be answered."""


class OpenTable(People):
    """People who let visitors play for them.

    Attributes:
        visitors: who is seated, and what they want.
        referee: gives what the table makes of it all. Before a turn everybody looks at the
            scoreboard, as long as a visitor is there: what the table has missed is told by hand,
            and else its word holds.
        phones: gives the players whose seats are taken by phone. Their pieces the simulated people
            move as ever; but what comes after a game is for them to say, too.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """As `People`."""
        super().__init__(*args, **kwargs)
        self.visitors = Visitors(self.names)
        self.referee: Callable[[], RefereeState] = RefereeState
        self.phones: Callable[[], tuple[str, ...]] = tuple
        self._next_game = False

    def act(self) -> None:
        """Do what is due now, and what a visitor does besides."""
        player = self.visitors.bumped_by()
        if player is not None:
            seat = self.visitors.players.index(player)
            self.tower.bump(HIP_M_S2, HIP_HZ, HIP_S, player=seat)
        if self.visitors.wants_new_game():
            playing = self.referee().position.phase in ("roll", "act", "clear")
            if self.in_game and playing:
                self._say("end")
                self.called_off = self._next_game = True
            elif not self.in_game or self.called_off:
                # Else it has begun already, and the table has not heard of it yet.
                self._next_game = True
        if self.visitors.wants_undo() and self.referee().position.over:
            self._say("undo")
        super().act()

    @property
    def wake_s(self) -> float:
        """As `People`: a visitor may do something at any moment."""
        soon_s = self.tower.now_s + GLANCE_S if self.visitors.taken else float("inf")
        return min(super().wake_s, soon_s)

    def _break(self) -> Script:
        """Between two games: with guests for as long as they like."""
        until_s = self._pause(*BREAK_S)
        while not self._next_game and self.tower.now_s < until_s:
            yield self.tower.now_s + GLANCE_S
            if self.visitors.taken or self.phones():
                until_s = self._pause(*BREAK_S)
                yield from self._take_up_what_guests_began()
        if self._next_game:
            yield self._pause(*SOON_S)

    def _game(self, **said: bool) -> Script:
        self._next_game = False
        yield from super()._game(**said)

    def _take_up_what_guests_began(self) -> Script:
        """Play on a game that they have gone back into, or begun with the same people."""
        if self._to_play_on() is None:
            return
        until_s = self.tower.now_s + PATIENCE_S
        while self.tower.now_s < until_s:  # the table may only not have seen the end yet
            yield self.tower.now_s + GLANCE_S
            if self._to_play_on() is None:
                return
        if self.tower.pieces.count == 0 and self._stands():
            # What is taken back stood on a tower that has been cleared: its round ends.
            self._say("cleared")
            yield from self._until(lambda: not self._stands())
        state = self._to_play_on()
        if state is None:
            return
        self.joined, self.state, self.called_off = self.referee().game_id, state, False
        yield from self._rounds()

    def _stands(self) -> bool:
        """Whether by the table's word pieces stand on the board, or are to be cleared."""
        state = self.referee().position.game_state
        return isinstance(state, ToppleState) and (
            any(state.board) or self.referee().position.phase == "clear"
        )

    def _to_play_on(self) -> ToppleState | None:
        """The table's game, if it goes on, nothing is asked, and it is between these people."""
        position = self.referee().position
        state = position.game_state
        if position.phase not in ("roll", "act", "clear") or not isinstance(state, ToppleState):
            return None
        match = state.match
        hands = [tuple(match.colours[colour] for colour in hand) for hand in match.hands]
        same = tuple(zip(match.players, hands, strict=True)) == self._seats
        return state if same and not self.referee().questions() else None

    def _until(self, true: Callable[[], bool]) -> Script:
        until_s = self.tower.now_s + PATIENCE_S
        while self.tower.now_s < until_s and not (true() or self._fallen()):
            yield self.tower.now_s + GLANCE_S

    def _turn(self) -> Script:
        if self.visitors.taken:
            yield from self._look_at_the_scoreboard()
        if self._finished() or self._fallen():
            return
        state = self.game
        player = self._seats[state.current][0]
        if state.phase == "roll" and player in self.visitors.taken:
            wish = yield from self._wish_of(Awaited(player, "roll"))
            if wish is not None:
                self._roll({"type": "roll", "value": self._chance.randint(1, 6)})
        if self._finished() or self._fallen():
            return
        if player in self.visitors.taken:
            yield from self._placed_by_visitor(player)
        else:
            yield from super()._turn()

    def _look_at_the_scoreboard(self) -> Script:
        yield from self._until(self._in_step)
        position, state = self.referee().position, self.state
        if self._in_step() or self._fallen() or state is None or state.last is None:
            return
        missed = state.last.type == "place" and state.last.player == position.player
        if position.phase == "act" and missed:
            self._say("place", cell=state.last.cell)
            yield self.tower.now_s + GLANCE_S
        elif position.phase in ("roll", "act", "clear"):
            # Its round may be another one: then this one ends, and the board is cleared.
            self.state = position.game_state

    def _in_step(self) -> bool:
        """Whether the table waits for the same player's same deed."""
        position, state = self.referee().position, self.state
        if self._finished() or state is None:
            return True
        believed = self._seats[state.current][0], state.phase
        return (position.player, position.phase) == believed

    def _placed_by_visitor(self, player: str) -> Script:
        state = self.game
        if state.phase != "act":
            return
        colours = tuple(
            state.match.colours[colour]
            for colour in state.match.hands[state.current]
            if state.left[colour]
        )
        cells = legal_cells(state)
        wish = yield from self._wish_of(
            Awaited(player, "act", cells, colours, may_pass=may_pass(state))
        )
        if self._finished() or self._fallen():
            return
        if wish is None:
            yield from super()._turn()
        elif wish.verb == "pass":
            self._pass({"type": "pass"})
        else:
            yield from self._place({"type": "place", "cell": wish.cell, "colour": wish.colour})

    def _wish_of(self, awaited: Awaited) -> Generator[float, None, Wish | None]:
        """What the visitor wants; None when the seat was left, pieces fell or the game ended."""
        self.visitors.wait_for(awaited)
        wish = None
        while wish is None and awaited.player in self.visitors.taken:
            if self._finished() or self._fallen():
                break
            yield self.tower.now_s + GLANCE_S
            wish = self.visitors.wish()
        self.visitors.wait_for(None)
        return wish
