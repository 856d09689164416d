"""The real port: pyserial on a pseudo-terminal, the thread, the fake board at the clock's pace."""

import os
import time
import tty
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from engine.samples import SensorReport
from hw.serial.bridge import BridgeSource
from hw.serial.serial_table import open_table
from hw.source import Item
from lab.chips.fake_mcu import FakeMcu
from lab.mock import quiet_parameters
from tests.hw.boards import motions, reports, scales

CALIBRATION = quiet_parameters().calibration
DEADLINE_S = 120.0
"""It only bounds a failure."""


class Plug:
    """The fake board behind a pseudo-terminal with a lasting name."""

    def __init__(self, folder: Path) -> None:
        self.by_id = folder / "by-id"
        self.by_id.mkdir()
        self.name = self.by_id / "usb-1a86_USB_Serial-if00-port0"
        self.mcu = FakeMcu(buffer_bytes=4000)
        self._began_s = time.monotonic()
        self._master: int | None = None

    def plug_in(self) -> None:
        self._master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        self.name.symlink_to(os.ttyname(slave))
        os.close(slave)

    def unplug(self) -> None:
        if self._master is not None:
            self.name.unlink()
            os.close(self._master)
            self._master = None

    def step(self) -> None:
        self.mcu.advance((time.monotonic() - self._began_s) * 1e6)
        if self._master is not None:
            with suppress(OSError):
                os.write(self._master, self.mcu.data_to_send())
                self.mcu.receive_data(os.read(self._master, 4096))


@pytest.fixture
def plug(tmp_path: Path) -> Iterator[Plug]:
    made = Plug(tmp_path)
    yield made
    made.unplug()


def run_until(source: BridgeSource, plug: Plug, enough: int, *, sensor: str = "") -> list[Item]:
    """Items until there are enough blocks of weight, or reports of a sensor."""
    items: list[Item] = []
    began_s = time.monotonic()
    while time.monotonic() < began_s + DEADLINE_S:
        plug.step()
        items += source.poll(time.monotonic() - plug._began_s)
        if len(reports(items, sensor) if sensor else scales(items)) >= enough:
            return items
        time.sleep(0.005)
    pytest.fail(f"{DEADLINE_S:.0f} s in vain; came: {items[-3:]}")


def test_the_only_device_is_found_by_itself_and_found_again_after_it_was_unplugged(
    plug: Plug,
) -> None:
    source = open_table(CALIBRATION, folders=[plug.by_id])
    waiting = run_until(source, plug, 1, sensor="link")
    plug.plug_in()
    first = run_until(source, plug, 30)
    plug.unplug()
    gone = run_until(source, plug, 1, sensor="link")
    plug.plug_in()
    again = run_until(source, plug, 30)
    health = source.link_health()
    source.close()

    assert "No serial device" in reports(waiting)[0].reason
    assert reports(first)[-1].ok
    assert motions(first)
    assert isinstance(reports(gone)[0], SensorReport)
    assert not reports(gone)[0].ok
    assert reports(again)[-1].ok
    assert health.ok
    assert (health.bad_crc, health.lost_on_line) == (0, 0)


def test_beside_another_device_the_board_is_found_by_its_greeting_and_remembered(
    plug: Plug, tmp_path: Path
) -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    (plug.by_id / "printer").symlink_to(os.ttyname(slave))
    plug.plug_in()
    memory = tmp_path / "table.json.port"
    source = open_table(CALIBRATION, folders=[plug.by_id], memory=memory)
    items = run_until(source, plug, 10)
    source.close()

    assert scales(items)
    assert memory.read_text() == f"{plug.name}\n"
    with pytest.raises(BlockingIOError):
        os.read(master, 1)
    os.close(master)
    os.close(slave)


def test_a_named_port_is_taken_whatever_else_is_plugged_in(plug: Plug) -> None:
    (plug.by_id / "printer").touch()
    plug.plug_in()
    source = open_table(CALIBRATION, str(plug.name), folders=[plug.by_id])
    items = run_until(source, plug, 10)
    source.close()

    assert reports(items) == []
