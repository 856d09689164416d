"""pins.yaml is read strictly: what is misspelt or not there is refused in one line."""

import pytest

from scripts.schematics import plan
from scripts.schematics.plan import Level, PlanError

TEXT = plan.PINS_FILE.read_text()


def broken(old: str, new: str) -> str:
    assert old in TEXT
    return TEXT.replace(old, new, 1)


def test_the_plan_has_the_three_variants() -> None:
    assert set(plan.load().variants) == {"bridge", "direct", "starter"}


def test_variants_with_a_panel_have_its_parts_and_wires() -> None:
    found = plan.load()

    assert "BZ1" in found.variants["bridge"].parts
    assert set(found.panel.wires) <= set(found.variants["direct"].wires)
    assert "BZ1" not in found.variants["starter"].parts


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{signal: DOUT0, nano: D4,", "{signal: DOUT0, nanno: D4,", "nanno"),
        ("kind: tilt_switch", "kind: tilt_swich", "tilt_swich"),
        ("to: A0.DT,", "to: A0.DATA,", "A0.DATA"),
        ("to: A0.DT,", "to: A9.DT,", "A9.DT"),
        ("via: LS1.1,", "via: LS1.9,", "LS1.9"),
        ("{signal: DOUT0, nano: D4,", "{signal: DOUT0, nano: D4, pi: GPIO5,", "one of pi"),
        ("per: buzzer", "per: trumpet", "trumpet"),
        ("      C0: {kind: load_cell}\n", "", "no load cell C0"),
        ("version: 1", "version: 2", "version"),
        ("version: 1", "version: [", "pins.yaml"),
    ],
)
def test_a_slip_is_named(old: str, new: str, words: str) -> None:
    with pytest.raises(PlanError, match=words) as refused:
        plan.parse(broken(old, new))

    assert len(str(refused.value).splitlines()) == 1


def test_a_missing_file_is_named() -> None:
    with pytest.raises(PlanError, match=r"nowhere\.yaml"):
        plan.load(plan.FOLDER / "nowhere.yaml")


def test_a_level_is_in_volts_or_a_share_of_the_supply() -> None:
    assert Level(volts=2.0).at(5.0) == 2.0
    assert Level(share=0.7).at(5.0) == pytest.approx(3.5)
