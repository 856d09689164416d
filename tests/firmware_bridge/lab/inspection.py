"""One inspection that a whole firmware passes and that each of the mutants must not pass."""

from bisect import bisect
from collections.abc import Iterator
from pathlib import Path

from firmware_bridge.connection import ConversationState
from firmware_bridge.events import Arrived, Event, Rebooted
from firmware_bridge.framing import Frame, encode_frame
from firmware_bridge.messages import (
    Imu,
    Ping,
    ResetCause,
    ResetCell,
    Scale,
    ScaleFlag,
    SetGain,
    Status,
    Switch,
    Volts,
)
from lab.avr.simavr import CYCLES_PER_US
from lab.avr.table import LabTable, messages_of

WDTCSR, WDE = 0x60, 0x08

STAMP_SPREAD_US = 60
"""Between the fall of DOUT and the time it is given: interrupts may wait for each other."""


def scales_of(events: list[Event], cell: int) -> list[tuple[Frame, Scale]]:
    """Frames of one cell with their messages."""
    found = [(e.frame, e.frame.message) for e in events if isinstance(e, Arrived)]
    return [(f, scale) for f, scale in found if isinstance(scale, Scale) and scale.cell == cell]


def inspect(elf: Path) -> Iterator[str]:
    """Faults of a firmware in words, as they are found; none for a whole one."""
    table = LabTable(elf)
    table.cells[1].count = lambda n: 0x7FFFFF if n % 50 == 0 else -n
    table.open()
    events = table.run(2.0)
    if table.connection.state is not ConversationState.READY:
        yield "it does not come to streaming"
        return
    yield from table.violations
    for check in (_restarts, _counts, _stamps, _flags, _inertia, _rises, _no_losses):
        yield from check(table, events)
    for look in (_gain, _command_once, _switch, _full_line, _stuck, _imu_gone, _reset, _volts):
        yield from look(table)
        yield from table.violations
    # What the chips say of a program that hung in the middle of a reading is not its fault.
    yield from _hang(table)


def _restarts(_table: LabTable, events: list[Event]) -> list[str]:
    return ["it restarts by itself"] if any(isinstance(e, Rebooted) for e in events) else []


def _is_end_of(said: list[object], given: list[object]) -> bool:
    """True when the last given are the ones said; the very last may still be on the line."""
    whole = len(given)
    return any(said == given[whole - late - len(said) : whole - late] for late in range(3))


def _counts(table: LabTable, events: list[Event]) -> list[str]:
    faults = []
    for number, chip in enumerate(table.cells):
        said: list[object] = [scale.count for _, scale in scales_of(events, number)]
        if len(said) < 140 or not _is_end_of(said, [count for count, _ in chip.given]):
            faults.append(f"counts of cell {number} are not those of the chip")
    return faults


def _stamps(table: LabTable, events: list[Event]) -> list[str]:
    for number, chip in enumerate(table.cells):
        fell_us = {count: cycle / CYCLES_PER_US for count, cycle in chip.given}
        said = [s for s in scales_of(events, number) if s[1].count != 0x7FFFFF]
        off = [frame.t_us - fell_us[scale.count] for frame, scale in said if scale.count in fell_us]
        if not off or max(off) - min(off) > STAMP_SPREAD_US:
            return [f"times of cell {number} are not those of the fall of DOUT"]
    return []


def _flags(_table: LabTable, events: list[Event]) -> list[str]:
    faults = []
    for frame, scale in scales_of(events, 1):
        if (frame.flags == ScaleFlag.SATURATED) != (scale.count == 0x7FFFFF):
            faults.append("saturation is not flagged")
    settling = [frame.flags for frame, _ in scales_of(events, 0)][:6]
    if settling != [ScaleFlag.SETTLING] * 4 + [0, 0]:
        faults.append("settling is not flagged")
    return sorted(set(faults))


def _inertia(table: LabTable, events: list[Event]) -> list[str]:
    said = messages_of(events, Imu)
    values: list[object] = [(i.ax, i.ay, i.az, i.temperature, i.gx, i.gy, i.gz) for i in said]
    registers = table.imu.registers
    faults = []
    if len(said) < 380 or not _is_end_of(values, list(table.imu.given)):
        faults.append("samples of the inertial sensor are not those of the chip")
    if (registers[0x1A], registers[0x1B], registers[0x1C]) != (3, 0, 0):
        faults.append("filter or range of the inertial sensor is wrong")
    return faults


def _rises(table: LabTable, events: list[Event]) -> list[str]:
    """Each sample bears the time of its interrupt, however busy the loop was just then."""
    rose_us = [rise.t_us for rise in table.imu.rises]
    frames = [event.frame for event in events if isinstance(event, Arrived)]
    said_us = [frame.t_us for frame in frames if isinstance(frame.message, Imu)]
    off_us = [t_us - rose_us[bisect(rose_us, t_us) - 1] for t_us in said_us if t_us > rose_us[0]]
    if not off_us or max(off_us) - min(off_us) > STAMP_SPREAD_US:
        return ["times of the inertial sensor are not those of its interrupt"]
    return []


def _no_losses(table: LabTable, _events: list[Event]) -> list[str]:
    losses, tally = table.connection.losses, table.connection.tally
    unread = sum(chip.unread for chip in table.cells)
    return (
        ["frames or conversions lost in a quiet stream"]
        if losses.total or tally.bad or unread
        else []
    )


def _gain(table: LabTable) -> list[str]:
    table.connection.command(SetGain(0, 2, 27))
    events = table.run(0.3)
    settled = [frame for frame, _ in scales_of(events, 2) if frame.flags & ScaleFlag.SETTLING]
    pulses = [chip.gain_pulses for chip in table.cells]
    good = pulses == [25, 25, 27, 25] and len(settled) == 5
    return [] if good else ["a change of gain does not do what it should"]


def _command_once(table: LabTable) -> list[str]:
    before = table.cells[3].power_downs
    twice = encode_frame(Frame(ResetCell(250, 3), 0, 0)) * 2
    table.avr.type_in(twice)
    table.run(0.1)
    done = table.cells[3].power_downs - before
    return [] if done == 1 else [f"a repeated command is done {done} times"]


def _switch(table: LabTable) -> list[str]:
    events = []
    for level in (0, 1):
        table.tip_switch(level)
        events += table.run(0.05)
    return (
        []
        if messages_of(events, Switch) == [Switch(1), Switch(0)]
        else ["the tilt switch is not told"]
    )


def _full_line(table: LabTable) -> list[str]:
    """More pings than there is line: frames are dropped whole and counted."""
    bad, link = table.connection.tally.bad, table.connection.losses.link
    for _ in range(100):
        table.avr.type_in(encode_frame(Frame(Ping(0), 0, 0)) * 4)
        table.run(0.002)
    events = table.run(2.2)
    faults = []
    if table.connection.tally.bad > bad:
        faults.append("frames are damaged when the line is full")
    if table.connection.losses.link > link:
        faults.append("its own drops look like losses of the line")
    dropped = messages_of(events, Status)[-1].tx_dropped
    if not 0 < dropped == table.connection.losses.device:
        faults.append("drops are not counted")
    return faults


def _volts(table: LabTable) -> list[str]:
    free = messages_of(table.run(1.1), Volts)[-1:]
    table.probe.touches_mv = 800
    held = messages_of(table.run(1.1), Volts)[-1:]
    table.probe.touches_mv = None
    faults = []
    if [round(said.supply_mv / 100) for said in free] != [50]:
        faults.append("its supply is not that of the board")
    if [round(said.probe_mv / 100) for said in free + held] != [50, 8]:
        faults.append("the probe does not tell a free wire from what it is held to")
    return faults


def _stuck(table: LabTable) -> list[str]:
    table.cells[0].short()
    table.cells[1].unplug()
    events = table.run(2.0)
    said = scales_of(events[len(events) // 10 :], 0)
    faults = []
    if any(not frame.flags & ScaleFlag.NOT_HIGH for frame, _ in said):
        faults.append("a DOUT that is stuck low gives good counts")
    states = messages_of(events, Status)[-1].cells
    if states != 0x0012:
        faults.append(f"silent and stuck cells are told as {states:#06x}")
    if len(scales_of(events, 3)) < 180:
        faults.append("a dead cell keeps the others from being read")
    table.cells[0].shorted = False
    table.cells[0].plug()
    table.cells[1].plug()
    back = table.run(1.5)
    if any(len(scales_of(back, cell)) < 60 for cell in (0, 1)):
        faults.append("a cell that is plugged in again is not read")
    return faults


def _imu_gone(table: LabTable) -> list[str]:
    table.imu.unplug()
    gone = table.run(1.2)
    table.imu.plug()
    back = table.run(1.2)
    faults = []
    if messages_of(gone, Status)[-1].imu_who != 0:
        faults.append("a missing inertial sensor is not told")
    if len(scales_of(gone, 2)) < 90:
        faults.append("a missing inertial sensor keeps the cells from being read")
    if len(messages_of(back, Imu)) < 150:
        faults.append("an inertial sensor that is back is not found")
    return faults


def _rebooted(events: list[Event], cause: ResetCause, boot: int) -> bool:
    hellos = [event.hello for event in events if isinstance(event, Rebooted)]
    return [(h.reset_cause, h.boot_counter) for h in hellos] == [(cause, boot)]


def _reset(table: LabTable) -> list[str]:
    assert table.connection.hello is not None
    boot = table.connection.hello.boot_counter + 1
    while not table.in_a_frame:
        table.run(0.002)
    table.avr.reset()
    events = table.run(1.0)
    good = _rebooted(events, ResetCause.EXTERNAL, boot) and len(messages_of(events, Imu)) > 150
    return [] if good else ["after a reset it does not say so or does not go on"]


def _hang(table: LabTable) -> list[str]:
    assert table.connection.hello is not None
    boot = table.connection.hello.boot_counter + 1
    table.avr.hang()
    while_starting: list[int] = []
    table.avr.watch_pin(
        "B", 0, lambda _level: while_starting.append(table.avr.register(WDTCSR) & WDE)
    )
    events = table.run(1.5)
    if while_starting[:1] != [0]:
        # ATmega328P data sheet, 10.9.2: it stays on after its bite, with 16 ms.
        return ["the watchdog is still on while the program starts after a bite"]
    good = _rebooted(events, ResetCause.WATCHDOG, boot) and len(messages_of(events, Imu)) > 150
    return [] if good else ["the watchdog does not bite, or is not told"]
