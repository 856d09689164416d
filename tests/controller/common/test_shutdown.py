"""Being told to end by signals."""

import signal
import subprocess
import sys
import threading

import pytest

from controller.common.shutdown import Stopping, stop_on_signals
from tests.controller.conftest import PATIENCE_S

# Raises the signal again at each line and each call that Python runs for the first one.
AGAIN_AT_EVERY_LINE = """
import signal, sys
from controller.common.shutdown import Stopping, stop_on_signals

stopping = Stopping()
stop_on_signals(stopping)
left = 40

def again(frame, event, argument):
    global left
    if left and frame.f_code.co_name != "raise_again":
        left -= 1
        raise_again()
    return again

def raise_again():
    signal.raise_signal(signal.SIGINT)

sys.settrace(again)
{what}
sys.settrace(None)
print("nested" if left < 40 else "plain", "asked" if stopping.is_set() else "lost")
"""


@pytest.mark.parametrize("what", ["signal.raise_signal(signal.SIGTERM)", "stopping.wait(5)"])
def test_signals_upon_signals_end_the_wait_and_never_hang(what: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AGAIN_AT_EVERY_LINE.format(what=what)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )

    assert done.stdout.split() == ["nested", "asked"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_run(number: signal.Signals) -> None:
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    stopping = Stopping()
    try:
        stop_on_signals(stopping)
        signal.raise_signal(number)
        assert stopping.wait(PATIENCE_S)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def test_who_waits_is_woken_by_another_thread() -> None:
    stopping = Stopping()
    threading.Thread(target=stopping.set).start()

    assert stopping.wait(PATIENCE_S)
    assert stopping.is_set()


def test_a_wait_that_is_over_says_that_nobody_asked() -> None:
    assert not Stopping().wait(0.001)
