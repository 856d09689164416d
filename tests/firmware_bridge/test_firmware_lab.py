"""The real firmware binary on a simulated ATmega328P with its chips, and the host beside it.

Nothing above the pins is a mock but the two-wire block (see lab/avr/chips.py).
"""

import contextlib
import os
import subprocess
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.connection import Connection, ConversationState
from firmware_bridge.events import (
    Arrived,
    CommandDone,
    Connected,
    Event,
    NoAnswer,
    Rebooted,
)
from firmware_bridge.framing import Frame, encode_frame
from firmware_bridge.imu_chips import chip_of
from firmware_bridge.link import SerialLink
from firmware_bridge.messages import Imu, Ping, ResetCause, Scale, ScaleFlag, Status, Volts
from firmware_bridge.ports import PortSearch
from hw.drivers.mpu6050 import ACCEL_CONFIG_2, LOW_PASS_44_HZ
from lab.avr.table import RATES_HZ, SLICE_US, Begun, LabTable, messages_of
from tests.firmware_bridge.lab.build import build, need_compiler, need_lab
from tests.firmware_bridge.lab.inspection import inspect

SLOW_BUS_US = 430
"""Each step of the two-wire bus takes this much longer; the firmware gives up after 500 us."""

HALF_THE_FLASH = 16 * 1024
RAM_LEFT_FOR_THE_STACK = 512


@pytest.fixture(scope="module")
def elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_compiler()
    return build(tmp_path_factory.mktemp("whole") / "firmware")


def arrived(events: list[Event], kind: type) -> list[Arrived]:
    return [e for e in events if isinstance(e, Arrived) and isinstance(e.frame.message, kind)]


@pytest.fixture
def table(elf: Path) -> LabTable:
    need_lab()
    return LabTable(elf)


def test_it_fits_in_half_the_flash_and_leaves_room_for_the_stack(elf: Path) -> None:
    sizes = {}
    listed = subprocess.run(["avr-size", "-A", elf], capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1].isdigit():
            sizes[words[0]] = int(words[1])
    ram = sum(sizes.get(name, 0) for name in (".data", ".bss", ".noinit"))

    assert sizes[".text"] + sizes.get(".data", 0) < HALF_THE_FLASH
    assert ram < 2048 - RAM_LEFT_FOR_THE_STACK


@pytest.mark.slow
def test_the_whole_firmware_passes_the_inspection(elf: Path) -> None:
    need_lab()

    assert list(inspect(elf)) == []


def test_five_seconds_without_any_loss(table: LabTable) -> None:
    table.open()
    events = table.run(5.0)
    last = messages_of(events, Status)[-1]

    assert table.connection.losses.total == 0
    assert table.connection.tally.bad == 0
    assert sum(chip.unread for chip in table.cells) == 0
    assert table.violations == []
    assert len(messages_of(events, Imu)) == pytest.approx(5 * 200 / 1.0031, abs=15)
    assert len(messages_of(events, Scale)) == pytest.approx(5 * sum(RATES_HZ), abs=40)
    assert last.busy_percent < 60


@pytest.mark.parametrize("supply_mv", [4370, 5000])
def test_the_supply_is_measured_by_the_chip_itself(table: LabTable, supply_mv: int) -> None:
    table.probe.supply_mv = supply_mv
    table.open()
    said = messages_of(table.run(2.2), Volts)

    assert len(said) == 2
    assert [volts.supply_mv for volts in said] == pytest.approx([supply_mv] * 2, abs=25)


def test_the_probe_measures_what_it_is_held_to_and_a_free_one_has_the_supply(
    table: LabTable,
) -> None:
    table.open()
    free = messages_of(table.run(1.2), Volts)[-1]
    table.probe.touches_mv = 800
    held = messages_of(table.run(1.2), Volts)[-1]

    assert free.probe_mv == pytest.approx(free.supply_mv, abs=25)
    assert held.probe_mv == pytest.approx(800, abs=25)


@pytest.mark.soak
def test_ten_minutes_without_any_loss(table: LabTable) -> None:
    table.open()
    table.run(600.0)

    assert table.connection.losses.total == 0
    assert table.connection.tally.bad == 0
    assert sum(chip.unread for chip in table.cells) == 0
    assert table.violations == []


def test_chips_wired_for_ten_samples_a_second_are_not_taken_for_silent(elf: Path) -> None:
    need_lab()
    table = LabTable(elf, rates_hz=(10.0, 8.6, 10.6, 11.68))
    table.open()
    events = table.run(3.0)
    last = messages_of(events, Status)[-1]

    assert (last.cells, last.cell_resets) == (0, 0)
    assert len(messages_of(events, Scale)) == pytest.approx(3 * 40.88 - 16, abs=8)
    assert table.violations == []


def test_two_runs_give_the_same_bytes(elf: Path) -> None:
    need_lab()
    runs = []
    for _ in range(2):
        table = LabTable(elf, seed=9)
        table.open()
        runs.append([event for event in table.run(0.5) if isinstance(event, Arrived)])

    assert len(runs[0]) > 100
    assert runs[0] == runs[1]


def test_an_open_int_wire_costs_no_sample_and_is_said_until_it_is_back(table: LabTable) -> None:
    table.imu.int_open = True
    table.open()
    table.run(1.0)
    before = len(table.imu.given)
    events = table.run(2.0)
    flags = {e.frame.flags for e in arrived(events, Imu)}
    last = messages_of(events, Status)[-1]
    taken = len(table.imu.given) - before
    table.imu.int_open = False
    table.run(0.1)
    mended = {e.frame.flags for e in arrived(table.run(0.2), Imu)}

    assert len(messages_of(events, Imu)) == pytest.approx(2 * 200 / 1.0031, abs=3)
    assert taken == pytest.approx(2 * 200 / 1.0031, abs=3)
    assert flags == {ScaleFlag.TIME_UNSURE}
    assert (last.imu_who, last.imu_errors) == (0x68, 0)
    assert last.busy_percent < 60
    assert mended == {0}
    assert table.connection.losses.total == 0
    assert table.violations == []


def test_a_sensor_that_is_gone_is_found_again_also_without_int(table: LabTable) -> None:
    table.imu.int_open = True
    table.open()
    table.run(1.0)
    table.imu.unplug()
    gone = messages_of(table.run(1.5), Status)[-1]
    table.imu.plug()
    table.run(1.0)

    assert gone.imu_who == 0
    assert len(messages_of(table.run(1.0), Imu)) == pytest.approx(200, abs=3)


@pytest.mark.parametrize("who", [0x68, 0x72, 0x98, 0xEA])
def test_every_chip_is_set_up_with_the_filters_it_has(table: LabTable, who: int) -> None:
    table.imu.who = who
    table.open()
    events = table.run(1.3)
    filters = chip_of(who).second_accel_filter

    assert messages_of(events, Status)[-1].imu_who == who
    assert len(messages_of(events, Imu)) > 100
    assert table.imu.registers[ACCEL_CONFIG_2] == (LOW_PASS_44_HZ if filters else 0)


def test_garbage_on_the_line_is_counted_and_harms_nothing(table: LabTable) -> None:
    table.open()
    table.run(0.5)
    table.avr.type_in(bytes(range(1, 60)) + b"\0\0\x01\x02\x03\0")
    events = table.run(1.5)
    last = messages_of(events, Status)[-1]

    assert last.rx_bad == 2
    assert len(messages_of(events, Imu)) > 290


@pytest.mark.slow
def test_a_host_at_another_speed_is_told_so_and_recovers(table: LabTable) -> None:
    table.host_baud = 115_200
    table.open()
    events = table.run(5.0)
    assert [type(event) for event in events] == [NoAnswer]
    assert "baud" in str(events[0])

    table.host_baud = 250_000
    assert len(messages_of(table.run(2.5), Imu)) > 100


PINGS = encode_frame(Frame(Ping(0), 0, 0)) * 4


def crowd(table: LabTable, seconds: float) -> list[Event]:
    """More pings than the line can answer, with bytes coming in without a pause."""
    events: list[Event] = []
    for _ in range(round(seconds * 1e6 / SLICE_US)):
        table.avr.type_in(PINGS)
        events += table.run(SLICE_US * 1e-6)
    return events


def test_no_interrupt_lengthens_a_pulse_of_the_clock_of_a_load_cell(table: LabTable) -> None:
    table.open()
    table.run(0.3)
    crowd(table, 2.0)

    assert sum(len(chip.given) for chip in table.cells) > 600
    assert table.violations == []


@pytest.mark.slow
def test_a_full_line_drops_whole_frames_and_says_nothing_else(table: LabTable) -> None:
    table.open()
    table.run(0.3)
    crowd(table, 4.0)
    last = messages_of(table.run(2.0), Status)[-1]

    assert last.tx_dropped == table.connection.losses.device > 300
    assert table.connection.losses.link == 0
    assert table.connection.tally.bad == 0
    assert table.witness.faults == []


@pytest.mark.slow
def test_counts_are_flagged_late_when_the_loop_was_away_and_only_then(table: LabTable) -> None:
    table.open()
    before = {e.frame.flags & ScaleFlag.LATE for e in arrived(table.run(1.0), Scale)}
    table.twi.stretch_us = SLOW_BUS_US
    flags = [e.frame.flags for e in arrived(table.run(2.0), Scale)]

    assert before == {0}
    assert 10 < flags.count(ScaleFlag.LATE) < len(flags) / 2
    assert table.witness.faults == []
    assert table.violations == []


@pytest.mark.slow
def test_a_watchdog_that_has_bitten_leaves_time_for_a_slow_start(table: LabTable) -> None:
    table.open()
    table.run(0.5)
    table.twi.stretch_us = SLOW_BUS_US
    table.hang()
    causes = [e.hello.reset_cause for e in table.run(2.0) if isinstance(e, Rebooted)]

    assert causes == [ResetCause.WATCHDOG]
    assert len(messages_of(table.run(1.0), Imu)) > 80


@pytest.mark.slow
def test_every_time_and_number_is_that_of_the_chip_also_over_their_wraps(elf: Path) -> None:
    need_lab()
    begun = Begun(clock_left_s=1.0, frames_left=500, fast_ppm=3000.0)
    table = LabTable(elf, begun=begun)
    table.cells[1].count = lambda n: 0x7FFFFF if n % 50 == 0 else -n
    table.open()
    events = table.run(5.0)
    frames = [e.frame for e in events if isinstance(e, Arrived)]
    indices = {imu.index for imu in messages_of(events, Imu)}

    assert all(e.host_s is None or abs(e.host_s - 500.0 - 2.5) < 2.6 for e in arrived(events, Imu))
    assert min(f.t_us for f in frames) < 1e6 < 2**32 - 1e6 < max(f.t_us for f in frames)
    assert {0, 65535} <= {f.seq for f in frames}
    assert indices == set(range(256))
    assert table.witness.faults == []
    assert (table.connection.losses.total, table.connection.losses.disordered) == (0, 0)
    assert table.connection.state is ConversationState.READY


def test_a_host_that_starts_again_is_obeyed_at_once(table: LabTable) -> None:
    table.open()
    table.run(0.5)
    table.connection = Connection()
    table.open()
    events = table.run(0.4)

    assert [type(e) for e in events if not isinstance(e, Arrived)] == [Connected, CommandDone]
    assert len(messages_of(events, Imu)) > 40


def test_resets_are_counted_one_by_one(table: LabTable) -> None:
    table.open()
    table.run(0.5)
    counters = []
    for _ in range(3):
        table.avr.reset()
        counters += [e.hello.boot_counter for e in table.run(0.6) if isinstance(e, Rebooted)]

    assert counters == [counters[0], counters[0] + 1, counters[0] + 2]


class Terminal:
    """The simulated UART as a pseudo-terminal that unmodified pyserial opens."""

    def __init__(self, table: LabTable) -> None:
        self.table = table
        self.master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        self.name = os.ttyname(slave)
        os.close(slave)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self.master)

    def now_s(self) -> float:
        return self.table.now_s

    def slice(self) -> None:
        with contextlib.suppress(OSError):  # nothing typed yet, or nobody there
            self.table.avr.type_in(os.read(self.master, 64))
        self.table.elapsed_us += SLICE_US
        self.table.avr.run_until(self.table.elapsed_us * 16)
        os.write(self.master, self.table.avr.take_sent())


@pytest.fixture
def terminal(table: LabTable) -> Iterator[Terminal]:
    made = Terminal(table)
    yield made
    made.close()


def test_through_pyserial_on_a_terminal_nothing_is_lost(terminal: Terminal) -> None:
    link = SerialLink(terminal.name, terminal.now_s)
    events: list[Event] = []
    for _ in range(1500):
        terminal.slice()
        events += link.poll()
    link.close()

    assert any(isinstance(event, Connected) for event in events)
    assert link.connection.losses.total == 0
    assert link.connection.tally.bad == 0
    assert len(messages_of(events, Imu)) > 300
    assert len(messages_of(events, Scale)) > 500


def until_connected(link: SerialLink, terminal: Terminal) -> Connected:
    """After six seconds at most: 3.5 s for another device, 1 s to the heartbeat."""
    for _ in range(round(6e6 / SLICE_US)):
        terminal.slice()
        for event in link.poll():
            if isinstance(event, Connected):
                return event
    pytest.fail(f"no greeting; {link.outage}")


@pytest.mark.slow
def test_the_firmware_is_found_beside_a_printer_which_is_not_sent_a_byte(
    terminal: Terminal, tmp_path: Path
) -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    (tmp_path / "usb-0:1.1").symlink_to(os.ttyname(slave))
    (tmp_path / "usb-0:1.2").symlink_to(terminal.name)
    link = SerialLink("", terminal.now_s, search=PortSearch([tmp_path]))
    until_connected(link, terminal)
    link.close()

    with pytest.raises(BlockingIOError):
        os.read(master, 1)
    os.close(master)
    os.close(slave)


def test_the_firmware_that_reopening_does_not_reset_is_known_by_its_heartbeat(
    terminal: Terminal,
) -> None:
    first = SerialLink(terminal.name, terminal.now_s)
    before = until_connected(first, terminal).hello
    first.close()
    again = SerialLink(terminal.name, terminal.now_s)
    after = until_connected(again, terminal).hello
    again.close()

    assert after == before
