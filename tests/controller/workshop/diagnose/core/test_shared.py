import numpy as np
import pytest
from msgspec.structs import replace

from controller.workshop.diagnose.core.shared import common_noise, link_findings, supply_findings
from engine.samples import ScaleSamples, SensorReport
from hw.source import LinkHealth
from hw.stretch import Stretch, gather
from tests.controller.workshop.diagnose.core.rests import CALIBRATION, rest


def kinds(found: list) -> list[str]:
    return [finding.kind for finding in found]


@pytest.mark.slow
def test_a_noisy_supply_is_found_and_its_size_and_independent_noise_is_none() -> None:
    counts, eigenvalue = common_noise(rest("noisy supply 3"))

    # Sags last longer than a conversion: between neighbours a third of their size shows.
    assert counts == pytest.approx(100, rel=0.2)
    assert eigenvalue > 2.5
    assert kinds(supply_findings(rest("noisy supply 3"))) == ["noisy_supply"]
    assert common_noise(rest())[1] < 1.3
    assert supply_findings(rest()) == []


def humming(cells: tuple[int, ...], mains_hz: float, counts: float) -> Stretch:
    stretch = rest()
    raw = stretch.scale.raw.copy()
    wave = counts * np.sqrt(2) * np.sin(2 * np.pi * mains_hz * stretch.scale.t_s)
    raw[:, list(cells)] += np.rint(wave).astype(np.int32)[:, None]
    scale: ScaleSamples = CALIBRATION.scale_samples(stretch.scale.t_s, raw)
    return gather([scale, stretch.imu], 0.0, 10.0)


@pytest.mark.parametrize("mains_hz", [49.9, 50.0, 60.05])
@pytest.mark.parametrize(("cells", "sensor"), [((1,), "scale.1"), ((0, 1, 2, 3), "scale")])
def test_hum_is_found_though_it_is_faster_than_half_the_rate(
    mains_hz: float, cells: tuple[int, ...], sensor: str
) -> None:
    (found,) = supply_findings(humming(cells, mains_hz, 150.0))

    assert (found.kind, found.sensor) == ("mains_hum", sensor)
    assert found.sentence.startswith(f"{mains_hz:.0f} Hz hum")


def test_hum_weaker_than_the_chips_own_noise_is_not_worth_a_word() -> None:
    assert supply_findings(humming((2,), 50.0, 30.0)) == []


@pytest.mark.slow
def test_a_link_that_breaks_off_is_told_from_a_scale_that_does() -> None:
    assert kinds(link_findings(rest("loose usb"))) == ["loose_link"]
    assert link_findings(rest("resetting 0.03")) == []
    assert link_findings(rest("no scale")) == []


FORMER = LinkHealth(
    ok=True, boot=0x100, resets=7, bad_crc=100, lost_on_line=100, dropped_by_device=9
)


@pytest.mark.parametrize(
    ("gained", "kind"),
    [
        ({}, None),
        ({"bad_crc": 1, "lost_on_line": 1}, None),
        ({"bad_crc": 2, "lost_on_line": 1}, "damaged_messages"),
        ({"resets": 1}, "mcu_reboots"),
        ({"dropped_by_device": 1}, "device_drops"),
        # Counters of an earlier start of the microcontroller are forgotten.
        ({"boot": 0x100, "lost_on_line": -99, "dropped_by_device": -9, "bad_crc": -100}, None),
    ],
)
def test_counters_of_the_link_are_judged_by_what_they_gained(
    gained: dict[str, int], kind: str | None
) -> None:
    after = replace(FORMER, **{name: getattr(FORMER, name) + n for name, n in gained.items()})

    assert kinds(link_findings(rest(), FORMER, after)) == ([kind] if kind else [])


def test_a_silence_for_each_restart_is_no_loose_plug() -> None:
    before, after = LinkHealth(ok=True), LinkHealth(ok=True, resets=20)

    assert kinds(link_findings(rest("loose usb"), before, after)) == ["mcu_reboots"]


def test_a_link_that_is_reported_lost_is_found() -> None:
    stretch = rest()
    said = SensorReport(4.0, "link", ok=False, reason="The USB port is gone. Check the plug.")
    found = link_findings(gather([stretch.scale, stretch.imu, said], 0.0, 10.0))

    assert [f.sentence for f in found] == [said.reason]
