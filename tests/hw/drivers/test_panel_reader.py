"""The panel beside a table whose sensors are elsewhere, and a panel that cannot be had."""

import threading

from gpiozero.pins.mock import MockFactory

from engine.events import HumanInput
from engine.samples import SensorReport, SwitchSample
from hw.drivers.panel import Button, Face, Light, Panel
from hw.drivers.panel_reader import join_panel
from hw.drivers.pin_holders import AGAIN_S
from hw.source import Item, item_time_s
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.hw.boards import BOOTED_S, Board, reports, scales
from tests.hw.panels import WIRES, HandPanel
from tests.hw.sources import assert_in_order

PASS = Face((Light.ON,), presses={Button.PASS: ("pass", {})})
UNPLUGGED = "there are no pins; add them"


def said(items: list[Item]) -> list[HumanInput]:
    return [item for item in items if isinstance(item, HumanInput)]


def test_a_press_comes_in_order_between_the_samples_of_the_bridge() -> None:
    board = Board()
    panel = board.join_panel()
    board.source.show(PASS)
    before = board.run(2.0)
    panel.press(WIRES.pass_button)
    pressed_s = board.t_s
    items = before + board.run(0.5)
    panel.release(WIRES.pass_button)
    items += board.run(0.5)

    assert_in_order(items)
    (press,) = said(items)
    assert press.type == "pass"
    assert 0.0 <= press.t_s - pressed_s <= 0.02
    after = items[items.index(press) + 1 :]
    assert item_time_s(scales(after)[0]) > press.t_s


def test_the_lights_answer() -> None:
    board = Board()
    panel = board.join_panel()
    board.source.show(PASS)
    board.run(0.2)

    assert [panel.lit(pin) for pin in WIRES.lights] == [True, False, False, False]
    board.source.show(Face((Light.OFF, Light.ON)))
    board.run(0.2)
    assert [panel.lit(pin) for pin in WIRES.lights] == [False, True, False, False]


def test_the_buttons_work_while_the_line_to_the_microcontroller_is_cut() -> None:
    board = Board()
    panel = board.join_panel()
    board.source.show(PASS)
    board.run(2.0)
    board.plugged = False
    board.run(2.0)
    panel.press(WIRES.pass_button)

    assert [press.type for press in said(board.run(0.5))] == ["pass"]


def test_the_tilt_switch_is_left_to_the_microcontroller() -> None:
    board = Board()
    panel = board.join_panel()
    board.run(1.0)
    panel.press(17)

    assert not any(isinstance(item, SwitchSample) for item in board.run(0.5))


def test_a_panel_that_is_not_there_is_told_once_and_the_table_goes_on() -> None:
    board = Board()
    panel = board.join_panel()
    panel.refused = UNPLUGGED
    items = board.run(3.0)

    (report,) = reports(items, "panel")
    assert not report.ok
    assert UNPLUGGED in report.reason
    assert "source.panel = false" not in report.reason
    assert len(scales(items)) > 5
    assert_in_order(items)
    assert panel.panel_reader.pause_s == AGAIN_S


def test_a_panel_that_comes_late_shows_at_once_what_is_to_be_shown() -> None:
    board = Board()
    panel = board.join_panel()
    panel.refused = UNPLUGGED
    board.source.show(PASS)
    board.run(1.0)
    panel.refused = ""
    items = board.run(0.5)

    assert [report.ok for report in reports(items, "panel")] == [True]
    assert panel.lit(WIRES.lights[0])


def test_a_closed_table_lets_go_of_the_pins() -> None:
    board = Board()
    panel = board.join_panel()
    board.run(0.1)
    board.source.close()

    Panel(WIRES, board.clock, factory=panel.factory).close()


def test_the_panel_lives_in_a_thread_that_ends_with_the_table() -> None:
    board, opened = Board(), threading.Event()

    def open_panel(clock: object) -> Panel:
        assert clock == board.source.clock
        opened.set()
        return Panel(WIRES, board.clock, factory=MockFactory())

    join_panel(board.source, open_panel)
    board.run(0.1)
    assert opened.wait(PATIENCE_S)
    board.source.close()

    # Closing gives it two seconds only; a busy machine may take longer.
    wait_until(
        lambda: not any(thread.name == "panel" for thread in threading.enumerate()),
        "the end of the thread",
    )


def test_a_panel_alone_needs_no_board() -> None:
    now_s = BOOTED_S
    panel = HandPanel(lambda: now_s)
    panel.refused = UNPLUGGED
    panel.step()
    panel.step()

    assert panel.opened == 2
    (item,) = panel.take()
    assert isinstance(item, SensorReport)
    panel.stop()
