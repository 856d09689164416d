import subprocess
import sys

from firmware_bridge.losses import Losses
from firmware_bridge.messages import ResetCause, Status
from hw.serial.link_health import with_state, with_status
from hw.serial.link_reader import LinkState
from hw.source import LinkHealth
from lab.chips.fake_mcu import FakeMcu


def test_a_line_that_said_nothing_yet_has_nothing_but_nones() -> None:
    health = with_status(with_state(LinkHealth(ok=False, words="x"), LinkState()), None)

    assert (health.firmware, health.boot, health.reset_cause) == (None, None, ())
    assert health.rates_hz == (None,) * 4
    assert health.imu_rate_hz is None


def test_counters_and_rates_are_taken_over() -> None:
    mcu = FakeMcu()
    mcu.reset(ResetCause.WATCHDOG)
    state = LinkState(
        None, mcu.hello, losses=Losses(3, 2, (0, 1, 0, 0), 4),
        periods_us=(12_500.0, 12_500.0, None, 10_000.0, 5_000.0), rate_ppm=1234.5, overflowed=7,
    )  # fmt: skip
    status = Status(0, 0, 0, 5, 0x68, 0, 6, 1, 36)
    health = with_status(with_state(LinkHealth(ok=True), state), status)

    assert (health.lost_on_line, health.dropped_by_device, health.disordered) == (3, 2, 4)
    assert health.missed == (0, 1, 0, 0)
    assert health.rates_hz == (80.0, 80.0, None, 100.0)
    assert health.imu_rate_hz == 200.0
    assert health.reset_cause == ("watchdog",)
    assert (health.imu_errors, health.imu_who, health.cell_resets) == (5, 0x68, 6)
    assert (health.busy_percent, health.overflowed, health.clock_ppm) == (36, 7, 1234)


def test_a_table_without_a_microcontroller_needs_none_of_its_packages() -> None:
    code = (
        "import sys; sys.modules.update(serial=None, cobs=None); "
        "import controller.app.run, controller.app.wiring, hw.serial.link_health"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
