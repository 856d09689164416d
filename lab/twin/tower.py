"""The simulated tower: verbs for hands and table on one side, samples on the other."""

from collections.abc import Iterable, Sequence
from math import hypot, sqrt

from engine.tabletop import CELLS, STANDARD_GRAVITY_MM_S2, level
from hw.errors import BadTwin
from lab.twin.board import PivotedBoard, Pulse, mass_state
from lab.twin.box import spot_mm
from lab.twin.hands import (
    FOLLOW_S,
    Deed,
    follow,
    hovering_hand,
    leave,
    placing_hand,
    resting_palm,
    stiffness,
    touch_time_s,
)
from lab.twin.pieces import TwinPiece
from lab.twin.table_verbs import NEWTON, TableVerbs

REACHES_S = 0.6
"""No hand is at the board sooner after a roll."""


class Tower(TableVerbs):
    """One simulated tower and everything one can do to it.

    Verbs begin at the present table time and take their time; a `Deed` says how far they are.
    """

    def stand(self, board: Iterable[Sequence[str]]) -> None:
        """Set up pieces by nobody's hand, at rest, as a tower that stood there before.

        Args:
            board: colours of each cell's stack from below, in the order of `CELLS`.
        """
        for cell, stack in zip(CELLS, board, strict=True):
            for colour in stack:
                spot = spot_mm(self.pieces, cell, self._rng, offset_mm=(0.0, 0.0))
                self.pieces.put(self.box.take(colour), cell, *spot)
        body = self.parameters.body
        self.board = PivotedBoard(body, mass_state(body, self._seat_mm, self.pieces.loads()))

    # --- verbs: pieces --------------------------------------------------------------------

    def place(
        self,
        cell: str,
        colour: str = "red",
        *,
        player: int | None = None,
        grams: float | None = None,
        offset_mm: tuple[float, float] | None = None,
        hold_s: float | None = None,
        press_mm: float | None = None,
        slip: str | None = None,
        drop_mm: float = 0.0,
    ) -> Deed:
        """Put a piece on top of a cell.

        Args:
            cell: `a1` to `e5`.
            colour: whose piece it is; each colour has twelve with masses of their own.
            player: number of the player, for the truth.
            grams: mass of the piece, instead of one from the box.
            offset_mm: from the cell's centre; drawn if left out.
            hold_s: from first contact to release; drawn if left out.
            press_mm: how far the hand presses; drawn if left out.
            slip: `offedge` or `offstack`: set it down where it cannot stay.
            drop_mm: let it fall from so high, instead of setting it down.

        Raises:
            BadTwin: no such cell, or a slip that this cell does not allow.
        """
        manners, rng = self.parameters.manners, self._rng
        spot = spot_mm(self.pieces, cell, rng, offset_mm=offset_mm, slip=slip)
        piece = self.box.take(colour, grams)
        hold_s = float(rng.uniform(*manners.contact_s)) if hold_s is None else hold_s
        press_mm = float(rng.uniform(*manners.press_mm)) if press_mm is None else press_mm
        point = (*spot, self.pieces.top_mm(cell))
        if drop_mm:
            hand = hovering_hand(self.board, point, self.now_s, hold_s, drop_mm, manners)
        else:
            hand = placing_hand(self.board, point, self.now_s, hold_s, press_mm, manners, rng)
        release_s = touch_time_s(hand) + hold_s
        deed = Deed(
            "place", self.now_s, release_s, cell, piece, player, hand, spot_mm=spot, slip=slip
        )
        deed.drop_mm = drop_mm
        self._placing, self._placer = deed, player
        self._contacts.append(hand)
        follow_s = max(release_s - FOLLOW_S, self.now_s)
        if not drop_mm:
            self.at(follow_s, lambda: follow(self.board, hand, self.now_s, rng))
        self.at(release_s, lambda: self._release(deed))
        return deed

    def touch_with_piece(self, cell: str, duration_s: float) -> Deed:
        """Set a piece down on a cell and take it away again without letting go."""
        x_mm, y_mm = self.pieces.centre_mm(cell)
        point = (x_mm, y_mm, self.pieces.top_mm(cell))
        manners = self.parameters.manners
        press_mm = 0.5 * manners.press_mm[1]
        hand = placing_hand(self.board, point, self.now_s, duration_s, press_mm, manners, self._rng)
        deed = Deed("touch", self.now_s, touch_time_s(hand) + duration_s, cell, contact=hand)
        self._contacts.append(hand)
        self.truth.add(
            touch_time_s(hand),
            "touch",
            target="tentative_piece",
            cell=cell,
            dur=round(duration_s, 3),
        )
        self.at(deed.release_s, lambda: self._finish(deed))
        return deed

    def slide(self, cell: str, to: str, seconds: float) -> Deed:
        """Slide the top piece of a cell to a neighbour, without letting go of it.

        What was placed last is that one placement, at its last cell (rule T16).

        Raises:
            BadTwin: there is no piece, or the neighbour's top is higher than the piece lies.
        """
        stack = self.pieces.stacks[cell] if cell in CELLS else []
        if not stack:
            raise BadTwin(f"there is no piece on {cell} to slide")
        if not self.slides_to(cell, to):
            raise BadTwin(f"a piece on {cell} cannot slide to {to}: it is no neighbour, or higher")
        piece, manners, rng = stack[-1], self.parameters.manners, self._rng
        point = (piece.x_mm, piece.y_mm, self.pieces.top_mm(cell))
        depth_mm = float(rng.uniform(0.1, 0.8))
        hand = resting_palm(self.board, point, self.now_s, seconds, depth_mm, manners)
        hand.stiffness, hand.damping = stiffness(manners)
        deed = Deed("slide", self.now_s, hand.end_s, to, piece, contact=hand)
        self._contacts.append(hand)
        goal = spot_mm(self.pieces, to, rng)
        start_s, way_s = self.now_s + 0.25 * seconds, 0.5 * seconds
        steps = max(4, round(way_s / 0.02))
        step_mm = ((goal[0] - piece.x_mm) / steps, (goal[1] - piece.y_mm) / steps)
        for part in range(1, steps + 1):
            across = part == (steps + 1) // 2
            self.at(
                start_s + way_s * part / steps,
                lambda across=across: self._slide_on(deed, cell, step_mm, across=across),  # type: ignore[misc]
            )
        self.at(hand.end_s, lambda: self._slid(deed, cell))
        return deed

    def slides_to(self, cell: str, to: str, *, another: bool = False) -> bool:
        """Whether the top piece of a cell can be slid to another without being lifted.

        With `another` it is asked of one more piece, before it is put there.
        """
        (x, y), (to_x, to_y) = self.pieces.centre_mm(cell), self.pieces.centre_mm(to)
        near = 0 < hypot(to_x - x, to_y - y) < 1.6 * self.parameters.cell_pitch_mm
        height_mm = 0.0 if another else self.parameters.piece.height_mm
        lies_mm = self.pieces.top_mm(cell) - height_mm
        return near and self.pieces.top_mm(to) <= lies_mm + 0.1

    def _slide_on(
        self, deed: Deed, cell: str, step_mm: tuple[float, float], *, across: bool
    ) -> None:
        piece, hand, to = deed.placement()
        if piece.cell is None or hand.end_s <= self.now_s:
            return  # it has fallen meanwhile
        if across and piece.cell == cell:
            self.pieces.stacks[cell].remove(piece)
            self.pieces.put(piece, to, piece.x_mm, piece.y_mm)
        self._shift(piece, *step_mm)
        x_mm, y_mm, _ = hand.point_mm
        hand.point_mm = (x_mm + step_mm[0], y_mm + step_mm[1], self.pieces.top_mm(piece.cell or to))

    def _slid(self, deed: Deed, cell: str) -> None:
        piece, _, to = deed.placement()
        entry = self.truth.last_placement()
        if entry is not None and piece.cell == to:
            entry |= {
                "slid_from": cell,
                "cell": to,
                "level": level(to),
                "k": len(self.pieces.stacks[to]) - 1,
                "t": round(self.now_s, 3),
                "t_release": round(self.now_s, 3),
            }
            self.truth.placed(entry)
        self._finish(deed)
        self._drop()

    def rolled(self, player: int, roll: int) -> None:
        """Note whose turn it is; what falls once a hand can be there falls under theirs (T16)."""
        self.truth.add(self.now_s, "turn", player=player, roll=roll)
        self.at(self.now_s + REACHES_S, lambda: self._reaches(player))

    def _reaches(self, player: int) -> None:
        self._placer = player

    def take_again(self, cell: str) -> TwinPiece:
        """Lift the piece that was placed last again, to place it elsewhere: it was none.

        Raises:
            BadTwin: there is no piece.
        """
        stack = self.pieces.stacks[cell] if cell in CELLS else []
        if not stack:
            raise BadTwin(f"there is no piece on {cell} to take again")
        piece = stack[-1]
        self.touch_with_piece(cell, float(self._rng.uniform(0.08, 0.3)))
        self.remove(cell)
        entry = self.truth.last_placement()
        if entry is not None:
            self.truth.entries.remove(entry)
        return piece

    def catch(self, count: int) -> int:
        """Catch up to `count` falling pieces in the air; says how many there were to catch."""
        caught, self.pieces.flights = self.pieces.flights[:count], self.pieces.flights[count:]
        self.box.give_back([flight.piece for flight in caught])
        return len(caught)

    def nudge(self, cell: str, travel_mm: float, direction: tuple[float, float]) -> None:
        """Push the top piece of a cell sideways, by accident."""
        stack = self.pieces.stacks[cell] if cell in CELLS else []
        if not stack:
            raise BadTwin(f"there is no piece on {cell} to nudge")
        self.truth.add(
            self.now_s, "touch", target="piece", cell=cell, travel_mm=round(travel_mm, 1)
        )
        piece, length = stack[-1], hypot(*direction) or 1.0
        steps = 8
        point = self.pieces.position(piece)
        self._pulses.append(Pulse(point, self.now_s, 0.08, 0.02 * NEWTON * 0.08))
        share = travel_mm / steps / length
        dx_mm, dy_mm = share * direction[0], share * direction[1]
        for part in range(steps):
            self.at(self.now_s + 0.012 * part, lambda: self._shift(piece, dx_mm, dy_mm))
        self.at(self.now_s + 0.012 * steps + 0.01, self._drop)

    def remove(self, cell: str, count: int = 1) -> int:
        """Lift pieces off a cell; says how many there were to lift."""
        self.pieces.centre_mm(cell)
        top = (*self.pieces.centre_mm(cell), self.pieces.top_mm(cell))
        taken = self.pieces.lift(cell, count)
        if taken:
            grip = float(self._rng.uniform(0.05, 0.35)) * NEWTON * 0.05
            self._pulses.append(Pulse(top, self.now_s - 0.05, 0.06, grip))
            self._reload()
            self.box.give_back(taken)
            self.truth.add(self.now_s, "remove", n=len(taken), cell=cell, where="board")
        return len(taken)

    def remove_from_base(self) -> bool:
        """Pick up a piece that lies on the base plate; says whether there was one."""
        piece = self.pieces.pick_from_base()
        if piece is None:
            return False
        self.box.give_back([piece])
        self.truth.add(self.now_s, "remove", n=1, cell=None, where="base")
        return True

    def knock_off(self, cell: str, count: int = 1) -> None:
        """Push the top pieces of a cell over its edge, outwards, so that they fall off it."""
        stack = self.pieces.stacks[cell] if cell in CELLS else []
        if not stack:
            raise BadTwin(f"there is no piece on {cell} to knock off")
        fallen = stack[-count:]
        del stack[-count:]
        away = self.pieces.centre_mm(cell)
        away = away if any(away) else (1.0, 0.0)
        self.pieces.push_to_edge(cell, fallen, away)
        self.pieces.let_fall(self.now_s, fallen, away)
        self._note_fall(fallen)
        self._reload()

    def _release(self, deed: Deed) -> None:
        """Let the piece go: it stays, or drops the last bit onto a board that swung away."""
        _, hand, cell = deed.placement()
        deed.void = self.toppling or (self.topple is not None and self.topple.t_s >= deed.start_s)
        # The piece comes down on whatever is the top of the cell by now.
        point = (*deed.spot_mm, self.pieces.top_mm(cell))
        gap_mm = hand.height_mm(self.now_s) - self.board.height_mm(point)
        leave(hand, self.now_s)
        self._write_placement(deed)
        if gap_mm <= 0.3:
            self._lay(deed, 0.0)
        else:
            fall_s = sqrt(2 * min(gap_mm, max(12.0, deed.drop_mm)) / STANDARD_GRAVITY_MM_S2)
            self.at(self.now_s + fall_s, lambda: self._lay(deed, fall_s))

    def _write_placement(self, deed: Deed) -> None:
        piece, hand, cell = deed.placement()
        if deed.void:
            self.truth.add(self.now_s, "release_void", cell=cell, colour=piece.colour)
            return
        step_mm = self._rng.normal(0, self.parameters.body.seat_step_mm, 2)
        x_mm, y_mm = self._seat_mm
        self._seat_mm = (x_mm + float(step_mm[0]), y_mm + float(step_mm[1]))
        centre = self.pieces.centre_mm(cell)
        release_s = round(self.now_s, 3)
        deed.entry = self.truth.add(
            self.now_s,
            "place",
            cell=cell,
            colour=piece.colour,
            level=level(cell),
            k=len(self.pieces.stacks[cell]),
            seat=[round(float(value), 4) for value in self._seat_mm],
            t_contact=round(min(hand.first_touch_s or self.now_s, self.now_s), 3),
            t_release=release_s,
            t_settled=None,
            mass=round(piece.mass_g, 4),
            offset=[round(deed.spot_mm[0] - centre[0], 2), round(deed.spot_mm[1] - centre[1], 2)],
            mode=deed.slip,
            ended_in_topple=False,
        )
        self.truth.placed(deed.entry)

    def _lay(self, deed: Deed, fall_s: float) -> None:
        """The piece lies on the board."""
        piece, _, cell = deed.placement()
        self.pieces.put(piece, cell, *deed.spot_mm)
        if fall_s:
            point = self.pieces.position(piece)
            speed = STANDARD_GRAVITY_MM_S2 * fall_s - self.board.sinking_mm_s(point)
            self._pulses.append(Pulse(point, self.now_s, 0.015, piece.mass_g * max(speed, 0.0)))
        self._reload()
        deed.done = True
        self.at(self.now_s + float(self._rng.uniform(0.04, 0.1)), self._drop)

    def _drop(self) -> None:
        """Let go down what has no support."""
        fallen = self.pieces.drop_unsupported(self.now_s)
        if fallen:
            self._note_fall(fallen)
            self._reload()

    def _shift(self, piece: TwinPiece, dx_mm: float, dy_mm: float) -> None:
        if piece.cell is not None:
            piece.x_mm, piece.y_mm = piece.x_mm + dx_mm, piece.y_mm + dy_mm
            self._reload()
