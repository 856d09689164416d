"""The simulated processor, with the real firmware in it."""

import gc
from pathlib import Path

import pytest

from lab.avr.simavr import FREQUENCY_HZ, Avr, LabError


def started(elf: Path) -> Avr:
    avr = Avr(elf)
    avr.run_until(FREQUENCY_HZ // 10)
    return avr


def test_time_goes_on_as_far_as_it_is_told_and_over_resets(elf: Path) -> None:
    avr = started(elf)
    assert 0 <= avr.total - FREQUENCY_HZ // 10 <= 16_000
    avr.reset()
    avr.run_until(FREQUENCY_HZ // 5)

    assert 0 <= avr.total - FREQUENCY_HZ // 5 <= 16_000


def test_it_outlives_another_processor_that_was_made_after_it(elf: Path) -> None:
    first, second = started(elf), started(elf)
    del second
    gc.collect()
    first.reset()  # It logs that, and C has one logger for all processors.
    first.run_until(FREQUENCY_HZ // 5)

    assert b"PPOT" in first.take_sent()


def test_a_timer_rings_at_its_cycle_and_again_when_it_says_so(elf: Path) -> None:
    avr = started(elf)
    rung: list[int] = []

    def ring(when: int) -> int:
        rung.append(avr.total)
        return when + 1000 if len(rung) < 5 else 0

    began = avr.total
    avr.at(avr.cycle + 5000, ring)
    avr.run_until(began + 100_000)

    assert len(rung) == 5
    assert rung[0] - began == pytest.approx(5000, abs=50)
    assert rung[4] - rung[0] == pytest.approx(4000, abs=50)


def test_timers_are_used_again(elf: Path) -> None:
    avr = started(elf)
    for _ in range(500):
        avr.at(avr.cycle + 100, lambda _when: 0)
        avr.run_until(avr.total + 1000)

    assert len(avr._alarms) < 10


def test_it_says_how_long_it_slept(elf: Path) -> None:
    avr = started(elf)

    assert 0.3 < avr.slept / avr.total < 1.0


def test_a_program_that_hangs_is_bitten_by_its_watchdog(elf: Path) -> None:
    avr = started(elf)
    avr.hang()
    avr.take_sent()
    avr.run_until(avr.total + FREQUENCY_HZ)

    assert b"PPOT" in avr.take_sent()  # FIRMWARE_ID in Hello


def test_it_is_as_fast_after_a_reset_as_before(elf: Path) -> None:
    avr = started(elf)
    before = avr.pace
    avr.reset()
    avr.run_until(avr.total + FREQUENCY_HZ // 10)

    assert avr.pace == before > 1


def test_pins_can_be_watched(elf: Path) -> None:
    avr = Avr(elf)
    levels: list[int] = []
    avr.watch_pin("B", 0, levels.append)
    drive = avr.driver("D", 4)
    drive(1)
    avr.run_until(FREQUENCY_HZ // 10)
    drive(0)
    avr.run_until(FREQUENCY_HZ // 5)

    assert levels.count(1) >= 25


def test_the_speed_is_that_of_the_protocol(elf: Path) -> None:
    assert started(elf).baud == 250_000


def test_what_is_no_firmware_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "text.elf"
    file.write_text("hello")

    with pytest.raises(LabError, match="no firmware"):
        Avr(file)
