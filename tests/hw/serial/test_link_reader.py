import time
from collections.abc import Callable

from firmware_bridge.events import Event, NoAnswer
from firmware_bridge.link import NOT_OPENED, SerialLink
from firmware_bridge.troubles import CLOSED_HERE, QUIET
from hw.serial.link_reader import LinkReader, ThreadReader

DEADLINE_S = 120.0
"""It only bounds a failure."""


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


class ScriptedLink(SerialLink):
    """A link that says one thing at each look."""

    def __init__(self, most: int) -> None:
        super().__init__("scripted", time.monotonic)
        self.outage = None
        self.said = 0
        self.closed = False
        self._most = most

    def poll(self) -> list[Event]:
        if self.said == self._most:
            time.sleep(0.002)
            return []
        self.said += 1
        return [NoAnswer(QUIET(seconds=self.said))]

    def close(self) -> None:
        self.closed = True


def numbers(reader: LinkReader) -> list[int]:
    told = [event.trouble for event in reader.read() if isinstance(event, NoAnswer)]
    return [int(trouble.args["seconds"]) for trouble in told]


def test_the_thread_hands_over_everything_in_order_and_ends_when_told() -> None:
    link = ScriptedLink(500)
    reader = ThreadReader(link)
    assert reader.state.outage == NOT_OPENED
    heard = numbers(reader)
    wait_until(lambda: link.said == 500)

    def all_heard() -> bool:
        heard.extend(numbers(reader))
        return len(heard) == 500

    wait_until(all_heard)
    reader.close()
    reader.close()

    assert heard == list(range(1, 501))
    assert link.closed
    assert reader.state.outage is None


def test_what_nobody_takes_in_time_is_dropped_and_counted() -> None:
    link = ScriptedLink(50)
    reader = ThreadReader(link, size=20)
    first = numbers(reader)
    wait_until(lambda: link.said == 50 and reader.state.overflowed + len(first) >= 30)
    heard = first + numbers(reader)
    reader.close()

    assert len(heard) + reader.state.overflowed == 50


def test_a_closed_port_is_no_busy_loop() -> None:
    link = ScriptedLink(100_000)
    link.outage = CLOSED_HERE()
    reader = ThreadReader(link)
    reader.read()
    wait_until(lambda: reader.state.outage == CLOSED_HERE() and link.said > 2)
    started_s, said = time.monotonic(), link.said
    wait_until(lambda: link.said > said + 3)
    took_s = time.monotonic() - started_s
    reader.close()

    assert took_s > 0.1


def test_closing_before_anything_was_read_starts_no_thread() -> None:
    link = ScriptedLink(5)
    reader = ThreadReader(link)
    reader.close()

    assert reader.read() == []
    assert link.said == 0


def test_a_reader_knows_nothing_before_the_board_spoke() -> None:
    state = ThreadReader(SerialLink("x", lambda: 0.0)).state

    assert (state.hello, state.rate_ppm, state.overflowed) == (None, None, 0)
    assert state.periods_us == (None,) * 5
