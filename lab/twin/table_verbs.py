"""What hands do to board and table besides placing: touch, press, hold, bump, lean, lift away."""

from math import inf, pi, sqrt
from typing import Any

import numpy as np

from engine.tabletop import STANDARD_GRAVITY_MM_S2, Vector
from hw.errors import BadTwin
from lab.twin.board import Pulse, mass_state
from lab.twin.carrying import Carry
from lab.twin.faults import InjectedFault
from lab.twin.furniture import TableBump, TableLean, Taps
from lab.twin.hands import Deed, holding_fingers, leave, resting_palm, stiffness
from lab.twin.parameters import TwinParameters
from lab.twin.plate import PlateLoad
from lab.twin.truth import Blow
from lab.twin.world import TowerWorld

NEWTON = 1e6
"""One newton in g mm/s2."""

STEP_INTERVAL_S = (0.45, 0.65)
"""From one step to the next of somebody who walks."""

PUT_BACK_MM = 0.3
"""How far off its old place a board may sit on its tip after it was lifted: the dimple is wider
than the tip."""

PUT_BACK_GS = (0.8, 3.0)
"""Blow of a board that is put down on its tip, gram-force seconds: 180 g from 0.1 to 1.4 mm."""


class TableVerbs(TowerWorld):
    """The verbs of hands on board and table; `lab.twin.tower.Tower` adds those of pieces."""

    def __init__(
        self, parameters: TwinParameters, seed: int, faults: list[InjectedFault] | None = None
    ) -> None:
        """An empty tower at rest at table time 0."""
        super().__init__(parameters, seed, faults)
        self._held: Deed | None = None

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
        return self.touch(cell, duration_s, grams * STANDARD_GRAVITY_MM_S2 / spring)

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

    def take_weight(self) -> None:
        """Take the weight that was set down last off the base plate, if there is one."""
        del self._weights[-1:]
        self.truth.add(self.now_s, "touch", target="base", grams=0.0)

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
        player: int | None = None,
    ) -> None:
        """Walk into the table."""
        heading = self._heading(0.5)
        motion = TableBump(self.now_s, amplitude_m_s2, frequency_hz, duration_s, heading)
        self._motions.append(motion)
        self._bump = (self.now_s, player, amplitude_m_s2)
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
        self._bump = (self.now_s, player, amplitude_m_s2)
        facts = {"n": count, "amp": round(amplitude_m_s2, 2)}
        self.truth.add(self.now_s, "bump", target="tap", **facts)

    def knock(
        self, cell: str, force_n: float, duration_s: float = 0.07, *, player: int | None = None
    ) -> None:
        """Hit the board itself with an elbow or a sleeve."""
        point = (*self.pieces.centre_mm(cell), self.pieces.floor_mm(cell))
        impulse = force_n * NEWTON * duration_s * 2 / pi
        self._pulses.append(Pulse(point, self.now_s, duration_s, impulse))
        self._bump = (self.now_s, player, inf)
        facts = {"force": round(force_n, 2), "dur": round(duration_s, 3)}
        self.truth.add(self.now_s, "bump", target="board", **facts)

    def lean(self, tilt_deg: float, duration_s: float) -> None:
        """Rest an arm on the table."""
        turn = float(self._rng.uniform(0, 2 * pi))
        heading = (float(np.cos(turn)), float(np.sin(turn)))
        self._motions.append(TableLean(self.now_s, tilt_deg, duration_s, heading))
        facts = {"deg": round(tilt_deg, 3), "dur": round(duration_s, 2)}
        self.truth.add(self.now_s, "lean", **facts)

    def walk(self, seconds: float, amplitude_m_s2: float) -> None:
        """Walk past on a soft floor."""
        rng = self._rng
        interval_s = float(rng.uniform(*STEP_INTERVAL_S))
        steps = max(1, round(seconds / interval_s))
        ring_hz, heading = float(rng.uniform(7, 14)), self._heading(2.0)
        self._motions.append(Taps(self.now_s, steps, amplitude_m_s2, interval_s, ring_hz, heading))
        facts = {"n": steps, "amp": round(amplitude_m_s2, 2)}
        self.truth.add(self.now_s, "bump", target="walk", **facts)

    def rest_on_plate(
        self, grams: float, x_mm: float, y_mm: float, seconds: float, *, hand: bool = False
    ) -> None:
        """Lay a thing, or rest a hand, on the base plate for some seconds.

        Args:
            grams: weight of the thing, or what the hand puts down.
            x_mm: where on the plate.
            y_mm: the other way.
            seconds: from the first touch until it is gone.
            hand: it wavers and comes slowly; a thing is put down with a small knock.
        """
        ramp_s = float(self._rng.uniform(0.15, 0.4) if hand else self._rng.uniform(0.03, 0.12))
        waver = float(self._rng.uniform(0.03, 0.12)) if hand else 0.0
        load = PlateLoad(
            self.now_s, grams, x_mm, y_mm, self.now_s + seconds, min(ramp_s, seconds / 3), waver
        )
        self._plate_loads.append(load)
        if not hand:
            impulse_gs = grams * float(self._rng.uniform(0.001, 0.006))
            self._blows.append(Blow(self.now_s, 0.012, impulse_gs, x_mm, y_mm))
        facts = {"grams": round(grams, 1), "dur": round(seconds, 2), "hand": hand}
        self.truth.add(self.now_s, "touch", target="base", **facts)

    def lift_board(self, seconds: float, *, tip_rad: float = 2.0, turn_rad: float = 0.0) -> Deed:
        """Lift the board off its tip, pour out what is on it, and put it back.

        Args:
            seconds: from lifting to putting back.
            tip_rad: how far it is tipped to pour the pieces out.
            turn_rad: how far it is turned against the base when it is put back.

        Raises:
            BadTwin: somebody has it already.
        """
        if self.carried:
            raise BadTwin("the board is in somebody's hands already")
        self.let_go()
        heading = float(self._rng.uniform(0, 2 * pi))
        end_s = self.now_s + seconds
        waver_rad = float(self._rng.uniform(0.02, 0.07))
        carry = Carry(self.now_s, end_s, tip_rad, heading, waver_rad)
        self._carries.append(carry)
        self.board.lift(carry)
        deed = Deed("lift", self.now_s, end_s)
        self.truth.add(self.now_s, "lift_board", dur=round(seconds, 2), turn=round(turn_rad, 3))
        self.at(self.now_s + seconds / 2, self._pour_out)
        self.at(end_s, lambda: self._put_board_back(deed, turn_rad))
        return deed

    def _pour_out(self) -> None:
        """Pieces fall off a tipped board, beside the table's base."""
        for cell, stack in self.pieces.stacks.items():
            if stack:
                self.box.give_back(self.pieces.lift(cell, len(stack)))
        self._reload()

    def _put_board_back(self, deed: Deed, turn_rad: float) -> None:
        off_mm = self._rng.normal(0, PUT_BACK_MM, 2)
        self._seat_mm = (self._seat_mm[0] + float(off_mm[0]), self._seat_mm[1] + float(off_mm[1]))
        self._turned_rad += turn_rad
        loads = self.pieces.loads()
        self.board.put_back(mass_state(self.parameters.body, self._seat_mm, loads))
        blow_gs = float(self._rng.uniform(*PUT_BACK_GS))
        self._blows.append(Blow(self.now_s, 0.02, blow_gs, 0.0, 0.0))
        deed.done = True

    def _heading(self, upright: float) -> Vector:
        """A random direction; `upright` favours up and down."""
        x, y, z = self._rng.normal(0, 1, 3) * (1, 1, upright)
        length = sqrt(x * x + y * y + z * z)
        return float(x / length), float(y / length), float(z / length)

    def _finish(self, deed: Deed) -> None:
        if deed.contact is not None and deed.contact.end_s > self.now_s:
            leave(deed.contact, self.now_s)
        deed.done = True
