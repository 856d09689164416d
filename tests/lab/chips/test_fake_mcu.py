from typing import TypeVar

import pytest

from firmware_bridge.framing import Frame, FrameReader, encode_frame
from firmware_bridge.messages import (
    Ack,
    CellState,
    CommandResult,
    Hello,
    Identify,
    Imu,
    Message,
    Ping,
    Pong,
    ResetCell,
    Scale,
    ScaleFlag,
    SetGain,
    Start,
    Status,
)
from lab.chips.fake_mcu import FakeMcu

M = TypeVar("M")


class Desk:
    """A fake board with somebody who reads its line every 5 ms."""

    def __init__(self, mcu: FakeMcu | None = None) -> None:
        self.mcu = mcu or FakeMcu()
        self.reader = FrameReader()
        self.frames: list[Frame] = []

    def say(self, message: Message) -> None:
        self.mcu.receive_data(encode_frame(Frame(message, 0, 0)))

    def run(self, seconds: float) -> list[Frame]:
        """Let time pass; give the frames that came."""
        end_us, came = self.mcu.now_us + seconds * 1e6, []
        while self.mcu.now_us < end_us:
            self.mcu.advance(min(self.mcu.now_us + 5000, end_us))
            self.reader.receive_data(self.mcu.data_to_send())
            while (frame := self.reader.next_frame()) is not None:
                came.append(frame)
        return came


def of(frames: list[Frame], kind: type[M]) -> list[M]:
    return [frame.message for frame in frames if isinstance(frame.message, kind)]


def flags_of(frames: list[Frame], cell: int) -> list[int]:
    return [f.flags for f in frames if isinstance(f.message, Scale) and f.message.cell == cell]


def last_status(frames: list[Frame]) -> Status:
    return of(frames, Status)[-1]


def test_started_it_streams_every_sensor_at_its_own_rate() -> None:
    desk = Desk()
    desk.say(Start(1))
    frames = desk.run(10.0)

    assert len(of(frames, Imu)) == pytest.approx(2000, abs=2)
    for cell, period_us in enumerate(desk.mcu.cell_periods_us):
        assert len(flags_of(frames, cell)) == pytest.approx(1e7 / period_us, abs=2)
    assert [frame.seq for frame in frames] == list(range(len(frames)))


def test_its_crystal_is_as_wrong_as_told() -> None:
    desk = Desk(FakeMcu(crystal_ppm=10_000))
    desk.run(2.0)
    desk.say(Ping(7))
    (pong,) = [frame for frame in desk.run(0.005) if isinstance(frame.message, Pong)]

    assert pong.t_us == pytest.approx(2_020_000, abs=1)


def test_a_repeated_command_is_answered_again_and_not_done_again() -> None:
    desk = Desk()
    desk.say(ResetCell(9, 2))
    desk.run(1.0)
    desk.say(Start(10))
    desk.say(ResetCell(9, 2))
    desk.say(ResetCell(9, 2))
    frames = desk.run(0.2)

    assert of(frames, Ack) == [Ack(10, 0), Ack(9, 0), Ack(9, 0)]


@pytest.mark.parametrize("bad", [SetGain(1, 0, 24), SetGain(1, 4, 25), ResetCell(1, 4)])
def test_a_value_it_cannot_follow_is_refused(bad: Message) -> None:
    desk = Desk()
    desk.say(bad)

    assert of(desk.run(0.01), Ack)[0] == Ack(1, CommandResult.BAD_VALUE)


def test_when_nobody_reads_frames_are_dropped_and_counted() -> None:
    desk = Desk()
    desk.say(Start(1))
    desk.mcu.advance(1_000_000)
    frames = desk.run(2.0)

    assert last_status(frames).tx_dropped > 400
    assert [frame.seq for frame in frames] == list(range(len(frames)))


def test_an_unplugged_cell_is_silent_and_named() -> None:
    desk = Desk()
    desk.say(Start(1))
    desk.run(1.0)
    desk.mcu.unplug_cell(1)
    frames = desk.run(3.0)

    assert flags_of(frames, 1) == []
    assert last_status(frames).cells == CellState.SILENT << 4


def test_a_shorted_cell_never_gives_a_good_count() -> None:
    desk = Desk()
    desk.mcu.short_cell(3)
    desk.say(Start(1))
    frames = desk.run(2.0)
    shorted = flags_of(frames, 3)

    assert shorted
    assert all(flags & ScaleFlag.NOT_HIGH for flags in shorted)
    assert last_status(frames).cells == CellState.STUCK_LOW << 12


def test_a_reset_in_the_middle_of_a_frame_costs_that_frame_and_not_hello() -> None:
    desk = Desk()
    desk.say(Start(1))
    desk.mcu.advance(100_000)
    desk.reader.receive_data(desk.mcu.data_to_send(40))
    desk.mcu.reset()
    frames = desk.run(0.1)

    assert isinstance(frames[-1].message, Hello)


def test_a_cell_plugged_in_again_settles_first() -> None:
    desk = Desk()
    desk.say(Start(1))
    desk.mcu.unplug_cell(0)
    desk.run(1.0)
    desk.mcu.plug_cell(0)
    flags = flags_of(desk.run(0.2), 0)

    assert flags[:6] == [ScaleFlag.SETTLING] * 4 + [0, 0]


def test_garbage_is_counted_and_harms_nothing() -> None:
    desk = Desk()
    desk.mcu.receive_data(b"\x11\x22\x33\0\0" + bytes(range(1, 200)) + b"\0")
    desk.say(Identify())
    frames = desk.run(1.1)

    assert last_status(frames).rx_bad == 2
    assert len(of(frames, Hello)) == 2
