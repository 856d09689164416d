"""The simulated tower: verbs for hands and table on one side, samples on the other."""

from math import hypot, pi, sqrt
from typing import Any

import numpy as np

from engine.tabletop import CELLS, Vector, level
from hw.errors import BadTwin
from hw.twin.board import GRAVITY_MM_S2, Pulse
from hw.twin.box import spot_mm
from hw.twin.faults import InjectedFault
from hw.twin.furniture import Bump, Lean, Taps
from hw.twin.hands import (
    FOLLOW_S,
    Deed,
    follow,
    holding_fingers,
    leave,
    placing_hand,
    resting_palm,
    stiffness,
    touch_time_s,
)
from hw.twin.parameters import TwinParameters
from hw.twin.pieces import TwinPiece
from hw.twin.truth import Blow
from hw.twin.world import World

NEWTON = 1e6
"""One newton in g mm/s2."""


class Tower(World):
    """One simulated tower and everything one can do to it.

    Verbs begin at the present table time and take their time; a `Deed` says how far they are.
    """

    def __init__(
        self, parameters: TwinParameters, seed: int, faults: list[InjectedFault] | None = None
    ) -> None:
        """An empty tower at rest at table time 0."""
        super().__init__(parameters, seed, faults)
        self._placing: Deed | None = None
        self._held: Deed | None = None

    @property
    def placing(self) -> bool:
        """Whether a hand is putting a piece down."""
        return self._placing is not None and not self._placing.done

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

        Raises:
            BadTwin: no such cell, or a slip that this cell does not allow.
        """
        manners, rng = self.parameters.manners, self._rng
        spot = spot_mm(self.pieces, cell, rng, offset_mm=offset_mm, slip=slip)
        piece = self.box.take(colour, grams)
        hold_s = float(rng.uniform(*manners.contact_s)) if hold_s is None else hold_s
        press_mm = float(rng.uniform(*manners.press_mm)) if press_mm is None else press_mm
        point = (*spot, self.pieces.top_mm(cell))
        hand = placing_hand(self.board, point, self.now_s, hold_s, press_mm, manners, rng)
        release_s = touch_time_s(hand) + hold_s
        deed = Deed(
            "place", self.now_s, release_s, cell, piece, player, hand, spot_mm=spot, slip=slip
        )
        self._placing, self._placer = deed, player
        self._contacts.append(hand)
        follow_s = max(release_s - FOLLOW_S, self.now_s)
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
        """Let the top pieces of a cell fall, whatever the reason (for tests and faults)."""
        stack = self.pieces.stacks[cell] if cell in CELLS else []
        if not stack:
            raise BadTwin(f"there is no piece on {cell} to knock off")
        fallen = stack[-count:]
        del stack[-count:]
        away = self.pieces.centre_mm(cell)
        self.pieces.let_fall(self.now_s, fallen, away if any(away) else (1.0, 0.0))
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
            fall_s = sqrt(2 * min(gap_mm, 12.0) / GRAVITY_MM_S2)
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
            speed = GRAVITY_MM_S2 * fall_s - self.board.sinking_mm_s(point)
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

    # --- verbs: hands and table -----------------------------------------------------------

    def touch(self, cell: str, duration_s: float, depth_mm: float) -> Deed:
        """Rest a palm on the board beside a cell's stack."""
        x_mm, y_mm = self.pieces.centre_mm(cell)
        point = (x_mm, y_mm, self.pieces.floor_mm(cell))
        manners = self.parameters.manners
        hand = resting_palm(self.board, point, self.now_s, duration_s, depth_mm, manners)
        deed = Deed("touch", self.now_s, hand.end_s, cell, contact=hand)
        self._contacts.append(hand)
        facts: dict[str, Any] = {"dur": round(duration_s, 3), "depth_mm": round(depth_mm, 2)}
        self.truth.add(self.now_s, "touch", cell=cell, **facts)
        self.at(hand.end_s, lambda: self._finish(deed))
        return deed

    def press(self, cell: str, duration_s: float, grams: float) -> Deed:
        """Press on a cell with about this force, if the board did not give way."""
        spring, _ = stiffness(self.parameters.manners, 0.2)
        return self.touch(cell, duration_s, grams * GRAVITY_MM_S2 / spring)

    def press_base(self, x_mm: float, y_mm: float, grams: float, duration_s: float) -> None:
        """Press with a finger on the base plate; `grams` at the strongest."""
        impulse_gs = grams * duration_s * 2 / pi
        self._blows.append(Blow(self.now_s, duration_s, impulse_gs, x_mm, y_mm))
        facts = {"grams": round(grams, 1), "dur": round(duration_s, 2)}
        self.truth.add(self.now_s, "touch", target="base", **facts)

    def put_weight(self, grams: float, x_mm: float, y_mm: float) -> None:
        """Set a weight on the base plate; `take_weights` takes them all away."""
        self._weights.append((grams, x_mm, y_mm))
        self.truth.add(self.now_s, "touch", target="base", grams=round(grams, 1))

    def take_weights(self) -> None:
        """Take all weights off the base plate."""
        self._weights.clear()
        self.truth.add(self.now_s, "touch", target="base", grams=0.0)

    def hold(self, pressure_g: float = 60.0) -> Deed:
        """Keep the board in place with the fingers until `let_go`."""
        self.let_go()
        rim = ("a3", "e3", "c1", "c5")
        points = [(*self.pieces.centre_mm(cell), self.pieces.floor_mm(cell)) for cell in rim]
        fingers = holding_fingers(
            self.board, points, self.now_s, pressure_g, self.parameters.manners
        )
        entry = self.truth.add(self.now_s, "touch", target="hold", dur=None)
        self._held = Deed("hold", self.now_s, float("inf"), more=fingers, entry=entry)
        self._contacts += fingers
        return self._held

    def let_go(self) -> None:
        """Take the holding fingers away."""
        deed, self._held = self._held, None
        if deed is None:
            return
        for finger in deed.more:
            leave(finger, self.now_s)
        deed.done, deed.release_s = True, self.now_s
        if deed.entry is not None:
            deed.entry["dur"] = round(self.now_s - deed.start_s, 2)

    def bump(
        self,
        amplitude_m_s2: float,
        frequency_hz: float = 7.0,
        duration_s: float = 0.2,
        *,
        direction: Vector | None = None,
        player: int | None = None,
    ) -> None:
        """Walk into the table."""
        heading = direction or self._heading(0.5)
        motion = Bump(self.now_s, amplitude_m_s2, frequency_hz, duration_s, heading)
        self._motions.append(motion)
        self._bump = (self.now_s, player)
        self.truth.add(
            self.now_s,
            "bump",
            amp=round(amplitude_m_s2, 2),
            freq=round(frequency_hz, 1),
            dur=round(duration_s, 3),
            target="table",
        )

    def tap(self, count: int, amplitude_m_s2: float, *, player: int | None = None) -> None:
        """Drum on the table with the fingers."""
        rng = self._rng
        interval_s, ring_hz = float(rng.uniform(0.14, 0.24)), float(rng.uniform(13, 22))
        heading = self._heading(4.0)
        self._motions.append(Taps(self.now_s, count, amplitude_m_s2, interval_s, ring_hz, heading))
        self._bump = (self.now_s, player)
        facts = {"n": count, "amp": round(amplitude_m_s2, 2)}
        self.truth.add(self.now_s, "bump", target="tap", **facts)

    def knock(
        self, cell: str, force_n: float, duration_s: float = 0.07, *, player: int | None = None
    ) -> None:
        """Hit the board itself with an elbow or a sleeve."""
        point = (*self.pieces.centre_mm(cell), self.pieces.floor_mm(cell))
        impulse = force_n * NEWTON * duration_s * 2 / pi
        self._pulses.append(Pulse(point, self.now_s, duration_s, impulse))
        self._bump = (self.now_s, player)
        facts = {"force": round(force_n, 2), "dur": round(duration_s, 3)}
        self.truth.add(self.now_s, "bump", target="board", **facts)

    def lean(self, tilt_deg: float, duration_s: float) -> None:
        """Rest an arm on the table."""
        turn = float(self._rng.uniform(0, 2 * pi))
        heading = (float(np.cos(turn)), float(np.sin(turn)))
        self._motions.append(Lean(self.now_s, tilt_deg, duration_s, heading))
        facts = {"deg": round(tilt_deg, 3), "dur": round(duration_s, 2)}
        self.truth.add(self.now_s, "lean", **facts)

    def _heading(self, upright: float) -> Vector:
        """A random direction; `upright` favours up and down."""
        x, y, z = self._rng.normal(0, 1, 3) * (1, 1, upright)
        length = sqrt(x * x + y * y + z * z)
        return float(x / length), float(y / length), float(z / length)

    def _finish(self, deed: Deed) -> None:
        if deed.contact is not None and deed.contact.end_s > self.now_s:
            leave(deed.contact, self.now_s)
        deed.done = True
