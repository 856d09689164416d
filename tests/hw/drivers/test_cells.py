"""A load cell whose pins come later."""

from firmware_bridge.messages import CellState
from hw.drivers.cells import CellsHere, LateCell, Untaken, Wire, Wires, cells_on
from hw.drivers.hx711 import Hx711Cell
from hw.drivers.pin_holders import AGAIN_S
from hw.troubles import PIN_REFUSED
from lab.chips.hx711 import Hx711
from lab.chips.pins import SimulatedTime, pins

HELD = PIN_REFUSED(pin=20, key="source.pi.hx711_clock[2]", error="busy")


def test_three_cells_are_read_and_the_fourth_when_its_pins_can_be_had() -> None:
    time = SimulatedTime()
    chips = [Hx711(f"HX711 {n}", 82.0, lambda _c: 1234.0, seed=n) for n in range(4)]
    wires: list[Wire] = [pins(chip, time) for chip in chips]
    tries: list[float] = []

    def again() -> Wire | Untaken:
        tries.append(time())
        return Untaken(HELD, again) if len(tries) == 1 else wires[2]

    taken: Wires = [*wires[:2], Untaken(HELD, again), wires[3]]
    cells = cells_on(taken, time, 80.0)
    group, read = CellsHere(cells, time), [0] * 4
    late = cells[2]

    def run(seconds: float) -> None:
        end_s = time() + seconds
        while time() < end_s:
            time.now_us += 1000.0
            for number, reading in group.take()[1]:
                read[number] += reading.valid

    run(AGAIN_S - 1)
    assert [isinstance(cell, Hx711Cell) for cell in cells] == [True, True, False, True]
    assert isinstance(late, LateCell)
    assert (late.problem, late.tally.read, late.period_s, tries) == (HELD, 0, None, [])
    assert late.state is CellState.OK, "nobody has asked its chip"
    assert [count > 500 for count in read] == [True, True, False, True]
    run(AGAIN_S + 2)
    assert len(tries) == 2
    assert late.problem is None
    assert read[2] > 50
