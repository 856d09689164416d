"""The wiring at its worst: which extremes there are, and plans that only fail there."""

import re
from pathlib import Path

import msgspec
import pytest

from hw.building.assembly import step
from scripts.schematics import corners, plan, rules

TEXT = plan.PINS_FILE.read_text()
PLAN = plan.load()
GUIDE = (Path(__file__).parents[3] / "docs" / "assembly.md").read_text()


def worst(variant: str, old: str, new: str) -> list[str]:
    assert old in TEXT
    return rules.problems(plan.parse(TEXT.replace(old, new)), variant)


def test_a_rail_without_a_regulator_follows_the_one_that_feeds_it() -> None:
    for volts in corners.volts_of_rails(PLAN):
        assert 0 <= volts["pi.5V"] - volts["nano.5V"] <= 0.05 + 1e-9

    assert corners.ranges(PLAN)["nano.5V"] == (4.7, 5.25)


def test_each_supply_has_two_ends_round_its_name() -> None:
    for name, (least_v, most_v) in corners.ranges(PLAN).items():
        assert least_v < PLAN.rails[name].volts < most_v


def test_a_nano_fed_through_its_usb_plug_starves_the_boards_of_the_load_cells() -> None:
    said = worst(
        "bridge",
        "feeds_from: pi.5V, drop_V: [0.0, 0.05]",
        "feeds_from: pi.USB, drop_V: [0.2, 0.38]",
    )

    assert len(said) == 4
    assert all("gets 4.37 V at VCC; it takes 4.6" in each for each in said)


@pytest.mark.parametrize(
    ("variant", "old", "new", "words"),
    [
        ("direct", "range_V: [3.14, 3.46]", "range_V: [2.9, 3.46]", "U1 (MPU-6050"),
        ("bridge", "range_V: [3.0, 3.6]", "range_V: [3.0, 3.9]", "gets 3.9 V at VCC"),
        ("direct", 'range_V: [4.75, 5.25], source: "The', 'range_V: [4.5, 5.25], source: "The',
         "regulator for the load cell needs 4.6 V"),
        ("direct", "output_high: {volts: 2.6}", "output_high: {volts: 2.4}", "SCK0: pi.GPIO12"),
    ],
)  # fmt: skip
def test_what_fails_only_at_its_worst_is_said_once(
    variant: str, old: str, new: str, words: str
) -> None:
    said = [each for each in worst(variant, old, new) if words in each]

    assert said
    assert all("at worst" in each for each in said)
    assert len(said) == len(set(said))


def test_a_rail_that_nothing_feeds_is_refused() -> None:
    rails = PLAN.rails | {"nano.5V": msgspec.structs.replace(PLAN.rails["nano.5V"], feeds_from="")}

    with pytest.raises(plan.PlanError, match=r"nano\.5V has neither range_V"):
        corners.ranges(msgspec.structs.replace(PLAN, rails=rails))


def test_the_guide_calls_no_healthy_board_faulty() -> None:
    def span(rail: str) -> str:
        least_v, most_v = corners.ranges(PLAN)[rail]
        return f"{least_v} to {most_v}"

    told = re.findall(r"[\d.]+ to [\d.]+", step(2).by_hand)

    assert {span("nano.5V"), span("nano.3V3")} <= set(told)
    for rail in ("nano.5V", "nano.3V3", "pi.5V", "pi.3V3"):
        assert f"{span(rail)} V" in GUIDE
