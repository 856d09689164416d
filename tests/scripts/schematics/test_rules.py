"""Each rule finds the mistake it is there for, made in a copy of the real plan."""

from math import atan, degrees

import pytest

from scripts.schematics import geometry, plan, rules

TEXT = plan.PINS_FILE.read_text()


def found(variant: str, *changes: tuple[str, str]) -> list[str]:
    """The objections to one variant of a changed plan. Changes are made in that variant only."""
    head, mark, tail = TEXT.partition(f"\n  {variant}:\n    title:")
    for old, new in changes:
        assert old in tail
        tail = tail.replace(old, new, 1)
    return rules.problems(plan.parse(head + mark + tail), variant)


@pytest.mark.parametrize("variant", ["bridge", "direct", "starter"])
def test_the_plan_is_sound(variant: str) -> None:
    assert rules.problems(plan.load(), variant) == []


@pytest.mark.parametrize(
    ("variant", "change", "words"),
    [
        ("bridge", ("nano: D5,", "nano: D4,"), "nano.D4 is used 2 times: DOUT0, DOUT1"),
        ("bridge", ("nano: D5,", "nano: D0,"), "nano.D0 cannot be DOUT1: it receives"),
        ("bridge", ("nano: D5,", "nano: A7,"), "nano.A7 cannot be DOUT1"),
        ("bridge", ("nano: D5,", "nano: D14,"), "there is no pin nano.D14"),
        ("bridge", ("nano: A0,", "nano: A4,"), "nano.A4 can only be SDA"),
        ("direct", ("pi: GPIO6,", "pi: GPIO14,"), "pi.GPIO14 cannot be DOUT1"),
        ("direct", ("pi: GPIO6,", "pi: GPIO18,"), "pi.GPIO18 is used 2 times"),
        ("direct", ("pi: GPIO6,", "nano: D4,"), "there is no nano"),
        ("direct", ("pi: GPIO2,", "pi: GPIO7,"), "pi.GPIO7 cannot be SDA: it has no I2C"),
        ("direct", ("pi: GPIO6,", "pi: GPIO7,"), ""),
        ("bridge", ("to: A1.DT", "to: A0.DT"), "A0.DT is wired 2 times"),
    ],
)
def test_pins(variant: str, change: tuple[str, str], words: str) -> None:
    assert any(words in said for said in found(variant, change)) == bool(words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("at: J1.4", "at: J1.3"), "contact J1.3 is used 2 times"),
        (("at: J1.4", "at: J1.5"), "must count from 1"),
        (("colour: GN, to: A0", "colour: YE, to: A0"), "two YE wires"),
        (("colour: GN, to: A0", "colour: XX, to: A0"), "'XX' is no colour"),
        (("colour: BK, to: A0", "colour: BN, to: A0"), "its wire must be BK"),
    ],
)
def test_plugs(change: tuple[str, str], words: str) -> None:
    assert any(words in said for said in found("bridge", change))


BOARD_AT_5V = ("pi: 3V3, at: J1.2, colour: OG, to: A0.VDD, volts: 3.3",
               "pi: 5V, at: J1.2, colour: RD, to: A0.VDD, volts: 5")  # fmt: skip
CELL_OF_PI_AT_3V3 = ("pi: 5V, at: J1.1, colour: RD, to: A0.VCC, volts: 5",
                     "pi: 3V3, at: J1.1, colour: RD, to: A0.VCC, volts: 3.3")  # fmt: skip
CELL_AT_3V3 = ("nano: 5V, at: J1.1, colour: RD, to: A0.VCC, volts: 5",
               "nano: 3V3, at: J1.1, colour: RD, to: A0.VCC, volts: 3.3")  # fmt: skip
CALLED_3V3 = (CELL_AT_3V3[0], "nano: 5V, at: J1.1, colour: RD, to: A0.VCC, volts: 3.3")
SENSOR_AT_5V = ("nano: 3V3, at: J5.1, colour: OG, to: U1.VCC, volts: 3.3",
                "nano: 5V, at: J5.1, colour: RD, to: U1.VCC, volts: 5")  # fmt: skip
HIGH_AT_3V3 = ("nano: 5V, to: LS1.HV, volts: 5", "nano: 3V3, to: LS1.HV, volts: 3.3")
LOW_AT_5V = ("nano: 3V3, to: LS1.LV, volts: 3.3", "nano: 5V, to: LS1.LV, volts: 5")
SWITCH_AT_5V = ("to: S1.A, volts: 3.3", "to: S1.A, volts: 5")


@pytest.mark.parametrize(
    ("variant", "changes", "words"),
    [
        ("direct", [BOARD_AT_5V], "A0.DT drives 5 V, pi.GPIO5 survives 3.6 V"),
        ("direct", [BOARD_AT_5V], "SCK0: pi.GPIO12 promises 2.60 V for high, A0.SCK needs 3.50 V"),
        # At 3.3 V a common board's load cell hangs on the supply and its noise.
        ("direct", [CELL_OF_PI_AT_3V3], "regulator for the load cell needs 4.6 V"),
        ("bridge", [CELL_AT_3V3], "it takes 4.6 to 5.5 V"),
        ("bridge", [CALLED_3V3], "it has 5 V"),
        ("bridge", [SENSOR_AT_5V], "U1 (MPU-6050 breakout (GY-521)) gets 5 V"),
        ("bridge", [("via: LS1.1, ", "")], "SDA: nano.A4 drives 5 V"),
        ("bridge", [("via: LS1.2, ", "")], "put a level shifter between"),
        ("bridge", [("via: LS1.3, ", "")], "put a level shifter between"),
        ("bridge", [HIGH_AT_3V3, LOW_AT_5V], "LS1 (LV) drives 5 V, U1.SDA survives 3.8 V"),
        ("bridge", [HIGH_AT_3V3, LOW_AT_5V], "promises 3.30 V for high, nano.A4 needs 3.50 V"),
        ("bridge", [("LS1.2", "LS1.1")], "channel LS1.1 is used 2 times"),
        ("direct", [SWITCH_AT_5V], "TILT: 5 V at pi.GPIO17 is over 3.6 V"),
    ],
)
def test_supplies_and_levels(variant: str, changes: list[tuple[str, str]], words: str) -> None:
    assert any(words in said for said in found(variant, *changes))


def test_a_tilt_switch_that_closes_beyond_the_stop_is_refused() -> None:
    stop_deg = geometry.load().design.stop_deg
    usual = plan.parse(TEXT.replace("closes_deg: [27.0, 31.0]", "closes_deg: [43.0, 47.0]"))

    assert rules.tilt_switch(plan.load(), stop_deg) == []
    (said,) = rules.tilt_switch(usual, stop_deg)
    assert "closes at 43 to 47 degrees" in said
    assert "leave the switch out" in said


def test_the_home_made_tilt_switch_closes_where_its_measures_say() -> None:
    ring_mm, wire_mm, long_mm, off_mm = 12.0, 1.0, 10.0, 0.3
    low, high = plan.load().kinds["tilt_switch"].closes_deg or (0.0, 0.0)
    gap_mm = (ring_mm - wire_mm) / 2

    assert low <= degrees(atan((gap_mm - off_mm) / long_mm))
    assert degrees(atan((gap_mm + off_mm) / long_mm)) <= high


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("address: 0x68, ", "address: 0x6a, "), "U1 has the I2C address 0x6a; it can have"),
        (("address: 0x68, ", ""), "U1 has the I2C address none"),
        (
            ("      U1: {kind: mpu6050, ", ("      U2: {kind: mpu6050, address: 0x68}\n"
             "      U1: {kind: mpu6050, ")),
            "U1 and U2 have the same I2C address",
        ),
    ],
)  # fmt: skip
def test_addresses(change: tuple[str, str], words: str) -> None:
    assert any(words in said for said in found("direct", change))


@pytest.mark.parametrize("pin", ["VCC", "GND", "DT", "SCK"])
def test_each_amplifier_has_all_its_wires(pin: str) -> None:
    head, mark, tail = TEXT.partition("\n  starter:\n")
    kept = [line for line in tail.splitlines() if f"to: A0.{pin}," not in line]

    said = rules.problems(plan.parse(head + mark + "\n".join(kept) + "\n"), "starter")

    assert any(f"at {pin}" in words for words in said)


@pytest.mark.parametrize(
    ("variant", "change", "words"),
    [
        ("bridge", ("      J9: {", "      J19: {"), "nobody says what cable J9 has"),
        ("bridge", ("      J9: {", "      J19: {"), "there is no J19 for its cable"),
        ("bridge", ("      P1: {length", "      P3: {length"), "nobody says what cable P1 has"),
        ("direct", ("to: P2.LUG", "to: P1.LUG"), "P2 (Plate of the table, at its ground screw)"),
    ],
)
def test_cables_and_grounded_plates(variant: str, change: tuple[str, str], words: str) -> None:
    assert any(words in said for said in found(variant, change))


def test_microvolts_do_not_go_far() -> None:
    text = TEXT.replace("load_cell_cable: {length_mm: 250", "load_cell_cable: {length_mm: 900")
    long = plan.parse(text)

    assert any("900 mm long; 300 is the most" in said for said in rules.problems(long, "bridge"))
