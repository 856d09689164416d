import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.connection import (
    COMMAND_TRIES,
    HELLO_PATIENCE_S,
    Connection,
    ConversationState,
)
from firmware_bridge.events import (
    Arrived,
    CommandDone,
    CommandFailed,
    Connected,
    Event,
    NoAnswer,
    Rebooted,
    Refused,
)
from firmware_bridge.framing import Frame, FrameReader, encode_frame
from firmware_bridge.messages import (
    PROTOCOL_MINOR,
    CommandResult,
    Hello,
    Identify,
    Imu,
    Ping,
    ResetCause,
    ResetCell,
    Scale,
    SetGain,
    Start,
    Status,
    Stop,
)
from firmware_bridge.troubles import CLOSED_HERE
from lab.chips.fake_mcu import FakeMcu
from tests.soaked import examples

Noise = Callable[[bytes], bytes]
STEP_S = 0.005
HOST_START_S = 1000.0


def clean(data: bytes) -> bytes:
    return data


def deaf(_data: bytes) -> bytes:
    return b""


class Wire:
    """Fake board and connection, joined by a line that may lose or damage what passes."""

    def __init__(self, mcu: FakeMcu | None = None) -> None:
        self.mcu = mcu or FakeMcu()
        self.connection = Connection()
        self.to_host: Noise = clean
        self.to_device: Noise = clean
        self.said: list[Frame] = []
        self._overheard = FrameReader()

    @property
    def now_s(self) -> float:
        return HOST_START_S + self.mcu.now_us * 1e-6

    def open(self) -> None:
        self.connection.opened(self.now_s)

    def run(self, seconds: float) -> list[Event]:
        """Let time pass; give the events that came."""
        events = []
        for _ in range(round(seconds / STEP_S)):
            self._step()
            while (event := self.connection.next_event()) is not None:
                events.append(event)
        return events

    def _step(self) -> None:
        self.mcu.advance(self.mcu.now_us + STEP_S * 1e6)
        self.connection.receive_data(self.to_host(self.mcu.data_to_send()), self.now_s)
        self.connection.tick(self.now_s)
        outgoing = self.connection.data_to_send()
        self._overheard.receive_data(outgoing)
        while (frame := self._overheard.next_frame()) is not None:
            self.said.append(frame)
        self.mcu.receive_data(self.to_device(outgoing))

    def said_of(self, kind: type) -> list[Frame]:
        return [frame for frame in self.said if isinstance(frame.message, kind)]


@pytest.fixture
def wire() -> Wire:
    made = Wire()
    made.open()
    return made


E = TypeVar("E")


def of(events: list[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def count_of(events: list[Event], kind: type) -> int:
    return sum(isinstance(event.frame.message, kind) for event in of(events, Arrived))


def test_it_asks_is_told_starts_and_samples_come(wire: Wire) -> None:
    events = wire.run(2.0)

    assert isinstance(events[0], Connected)
    assert events[0].warning is None
    assert wire.connection.state is ConversationState.READY
    assert count_of(events, Imu) == pytest.approx(400, abs=5)
    assert count_of(events, Scale) == pytest.approx(2 * (82.0 + 80.5 + 83.2 + 84.2), abs=6)
    assert wire.connection.losses.total == 0


def without_hello(data: bytes) -> bytes:
    reader = FrameReader()
    reader.receive_data(data)
    frames = iter(reader.next_frame, None)
    return b"".join(encode_frame(frame) for frame in frames if not isinstance(frame.message, Hello))


def test_nothing_at_all_is_said_before_the_first_good_frame(wire: Wire) -> None:
    chance = random.Random(4)
    for noise in (deaf, lambda _data: bytes(chance.randrange(256) for _ in range(40))):
        wire.to_host = noise
        wire.run(3.0)

    assert wire.said == []
    assert wire.connection.data_to_send() == b""


def test_nothing_but_identify_is_said_between_the_first_heartbeat_and_hello(wire: Wire) -> None:
    wire.to_host = without_hello
    wire.run(3.9)

    assert {type(frame.message) for frame in wire.said} == {Identify}
    assert len(wire.said) == 6


def test_silence_from_the_start_is_told_once_in_words_and_listening_goes_on(wire: Wire) -> None:
    wire.to_host = deaf
    events = wire.run(HELLO_PATIENCE_S + 3)
    assert [type(event) for event in events] == [NoAnswer]
    assert "firmware flash" in of(events, NoAnswer)[0].trouble.sentence

    wire.to_host = clean
    assert of(wire.run(1.1), Connected)


def test_bytes_without_sense_are_told_as_another_device_or_baud_rate(wire: Wire) -> None:
    chance = random.Random(3)
    wire.to_host = lambda data: bytes(chance.randrange(256) for _ in range(len(data) + 3))
    (event,) = wire.run(HELLO_PATIENCE_S + 1)

    assert isinstance(event, NoAnswer)
    assert "baud" in event.trouble.sentence


def test_a_stranger_is_refused_with_words_and_never_started() -> None:
    mcu = FakeMcu()
    mcu.hello = replace(mcu.hello, protocol_major=2)
    mcu.reset()
    wire = Wire(mcu)
    wire.open()
    events = wire.run(3.0)

    assert [type(event) for event in events] == [Refused]
    said = of(events, Refused)[0].trouble.sentence
    assert f"protocol 2.{PROTOCOL_MINOR}, we speak 1.{PROTOCOL_MINOR}" in said
    assert wire.connection.state is ConversationState.REFUSED
    assert not wire.said_of(Start)


def test_a_stranger_is_refused_once_and_greeted_when_it_was_flashed() -> None:
    mcu = FakeMcu()
    ours = mcu.hello
    mcu.hello = replace(ours, protocol_major=2)
    mcu.reset()
    wire = Wire(mcu)
    wire.open()
    wire.run(1.0)
    mcu.reset()
    assert wire.run(1.0) == []

    mcu.hello = ours
    mcu.reset()
    assert isinstance(wire.run(1.0)[0], Connected)


def test_a_newer_minor_version_is_a_warning_even_with_another_table() -> None:
    mcu = FakeMcu()
    mcu.hello = replace(mcu.hello, protocol_minor=3, schema_hash=77)
    mcu.reset()
    wire = Wire(mcu)
    wire.open()
    events = wire.run(1.0)

    warning = of(events, Connected)[0].warning
    assert warning is not None
    assert "protocol 1.3" in warning.sentence
    assert count_of(events, Imu) > 100


def test_samples_carry_the_host_time_at_which_they_were_taken() -> None:
    wire = Wire(FakeMcu(crystal_ppm=2000))
    wire.open()
    wire.run(30.0)
    started_s = HOST_START_S + wire.mcu.started_us * 1e-6
    arrived = of(wire.run(5.0), Arrived)

    for event in arrived:
        true_s = started_s + event.device_us * 1e-6 / 1.002
        assert event.host_s == pytest.approx(true_s, abs=0.004)
    assert len(arrived) > 2500


def test_samples_have_a_time_within_the_first_tenths_of_a_second(wire: Wire) -> None:
    first = of(wire.run(1.0), Arrived)
    untimed = [event for event in first if event.host_s is None]

    assert len(untimed) < 10


def test_a_command_is_acknowledged_with_its_id(wire: Wire) -> None:
    wire.run(0.5)
    number = wire.connection.command(SetGain(0, 2, 27))
    (done,) = of(wire.run(0.2), CommandDone)

    assert done == CommandDone(SetGain(number, 2, 27), CommandResult.DONE)


def test_a_refused_value_is_told(wire: Wire) -> None:
    wire.run(0.5)
    wire.connection.command(SetGain(0, 2, 24))

    assert of(wire.run(0.2), CommandDone)[0].result is CommandResult.BAD_VALUE


def test_a_command_is_repeated_until_the_answer_gets_through(wire: Wire) -> None:
    wire.run(0.5)
    wire.to_host = deaf
    number = wire.connection.command(ResetCell(0, 1))
    wire.run(0.4)
    wire.to_host = clean
    (done,) = of(wire.run(0.4), CommandDone)

    assert done.command.command_id == number
    assert len(wire.said_of(ResetCell)) in {3, 4}
    assert len({frame.message for frame in wire.said_of(ResetCell)}) == 1


def test_a_command_nobody_answers_fails_in_words(wire: Wire) -> None:
    wire.run(0.5)
    wire.to_device = deaf
    wire.connection.command(ResetCell(0, 1))
    (failed,) = of(wire.run(2.0), CommandFailed)

    assert f"{COMMAND_TRIES} tries" in failed.trouble.sentence
    assert len(wire.said_of(ResetCell)) == COMMAND_TRIES


def test_streaming_is_started_again_when_every_start_was_lost() -> None:
    wire = Wire()
    wire.to_device = deaf
    wire.open()
    lost = wire.run(2.2)
    wire.to_device = clean
    events = wire.run(2.5)

    assert [type(event.command) for event in lost if isinstance(event, CommandFailed)] == [Start]
    assert sum(isinstance(e, Arrived) and isinstance(e.frame.message, Imu) for e in events) > 200


def test_commands_go_one_after_the_other(wire: Wire) -> None:
    wire.run(0.5)
    numbers = [wire.connection.command(ResetCell(0, cell)) for cell in range(4)]
    done = of(wire.run(1.0), CommandDone)

    assert [event.command.command_id for event in done] == numbers


def test_stop_is_obeyed_and_not_taken_for_a_restart(wire: Wire) -> None:
    wire.run(0.5)
    wire.connection.command(Stop(0))
    wire.run(0.2)
    events = wire.run(4.0)

    assert count_of(events, Imu) == 0
    assert count_of(events, Status) == 4
    assert not of(events, Rebooted)


def test_a_restart_is_told_with_its_cause_and_streaming_goes_on(wire: Wire) -> None:
    wire.run(5.0)
    wire.mcu.reset(ResetCause.BROWN_OUT)
    events = wire.run(2.0)

    assert "supply dipped" in of(events, Rebooted)[0].trouble.sentence
    assert count_of(events, Imu) > 390
    assert wire.connection.losses.link == 0
    for event in of(events, Arrived)[-50:]:
        assert event.host_s == pytest.approx(wire.now_s, abs=0.3)


def test_a_restart_whose_hello_was_lost_is_noticed(wire: Wire) -> None:
    wire.run(20.0)
    wire.mcu.reset(ResetCause.WATCHDOG)
    wire.mcu.data_to_send()
    events = wire.run(3.0)

    assert of(events, Rebooted)[0].hello.reset_cause == ResetCause.WATCHDOG
    assert count_of(events, Imu) > 150
    assert wire.connection.losses.link == 0


def test_a_restart_fails_the_commands_that_were_under_way(wire: Wire) -> None:
    wire.run(1.0)
    wire.to_device = deaf
    number = wire.connection.command(ResetCell(0, 1))
    wire.run(0.1)
    wire.mcu.reset()
    wire.to_device = clean
    (failed,) = of(wire.run(1.0), CommandFailed)

    assert failed.command.command_id == number


def test_a_line_that_goes_quiet_is_told_once_and_picked_up_again(wire: Wire) -> None:
    wire.run(2.0)
    wire.to_host = deaf
    quiet = wire.run(10.0)
    wire.to_host = clean
    back = wire.run(2.0)

    assert [type(event) for event in quiet] == [NoAnswer]
    assert "said nothing" in of(quiet, NoAnswer)[0].trouble.sentence
    assert of(back, Connected)
    assert count_of(back, Imu) > 200


def test_after_unplugging_and_plugging_nothing_counts_as_lost(wire: Wire) -> None:
    wire.run(2.0)
    wire.connection.closed(CLOSED_HERE())
    wire.mcu.advance(wire.mcu.now_us + 3e6)
    wire.mcu.reset(ResetCause.POWER_ON)
    wire.open()
    events = wire.run(2.0)

    assert of(events, Connected)
    assert wire.connection.losses.total == 0


def test_a_board_that_did_not_restart_goes_on_where_it_was(wire: Wire) -> None:
    """A second program opened a port without a reset line: same boot, same clock."""
    wire.run(2.0)
    wire.connection.closed(CLOSED_HERE())
    wire.mcu.advance(wire.mcu.now_us + 1e6)
    wire.mcu.data_to_send()
    wire.open()
    events = wire.run(2.0)

    assert of(events, Connected)
    assert wire.connection.losses.link == 0
    assert count_of(events, Imu) > 350


def test_each_lost_frame_is_counted_on_the_link(wire: Wire) -> None:
    wire.run(2.0)
    chance, lost = random.Random(11), 0

    def lossy(data: bytes) -> bytes:
        nonlocal lost
        frames = [frame + b"\0" for frame in data.split(b"\0")[:-1]]
        kept = [frame for frame in frames if chance.random() > 0.02]
        lost += len(frames) - len(kept)
        return b"".join(kept)

    wire.to_host = lossy
    wire.run(10.0)
    wire.to_host = clean
    wire.run(0.5)

    assert lost > 50
    assert wire.connection.losses.link == lost
    assert sum(wire.connection.losses.missed) == wire.connection.losses.device == 0


def test_measured_periods_are_those_of_the_chips() -> None:
    wire = Wire()
    wire.open()
    wire.run(3.0)

    assert wire.connection.periods_us[:4] == pytest.approx(wire.mcu.cell_periods_us, abs=2)
    assert wire.connection.periods_us[4] == pytest.approx(5000, abs=2)


def test_an_evening_across_the_wrap_of_the_ticks_keeps_its_time() -> None:
    wire = Wire()
    wire.mcu.started_us = -(2**32 - 3e6)  # the board has been on for 71 minutes
    wire.mcu.data_to_send()
    wire.open()
    events = of(wire.run(8.0), Arrived)
    ticks = [event.device_us for event in events if isinstance(event.frame.message, Imu)]

    assert ticks[-1] > 2**32
    assert all(4990 <= b - a <= 5010 for a, b in pairwise(ticks))


@examples(8)
@given(st.binary(max_size=2000), st.integers(0, 2**32))
def test_no_bytes_whatever_break_the_conversation(garbage: bytes, seed: int) -> None:
    wire = Wire()
    wire.open()
    wire.run(0.3)
    chance = random.Random(seed)
    valid = b"".join(
        encode_frame(Frame(message, chance.randrange(0x10000), chance.randrange(2**32)))
        for message in (Scale(200, 3, 4), Ping(3), Hello(1, 1, 1, 1, 1, 1, 1, 1), Status(*[9] * 9))
    )
    wire.connection.receive_data(garbage + b"\0" + valid[: chance.randrange(30)], wire.now_s)
    events = wire.run(3.0)

    assert count_of(events, Imu) > 200
