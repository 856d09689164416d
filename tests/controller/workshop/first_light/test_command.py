"""First light on the real firmware: what a newcomer sees at a sound desk, and at broken ones."""

import io
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from controller.cli import main
from controller.common.errors import BadInput
from controller.workshop.first_light.command import Face, lead, report
from controller.workshop.first_light.core import FirstLight, Result
from controller.workshop.pace import Pace
from controller.workshop.words import Words
from lab.avr.table import LabTable
from tests.controller.workshop.first_light.desk import GAIN, Bar, Desk
from tests.firmware_bridge.lab.build import build, need_lab


@pytest.fixture(scope="module")
def elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_lab()
    return build(tmp_path_factory.mktemp("desk") / "firmware")


def visit(desk: Desk, out: io.StringIO | None = None) -> FirstLight:
    """Lead somebody through, who leaves out what is asked for with the wire, if they have none."""
    out = out or io.StringIO()
    without = not any(t_s > 10.0 for t_s, _deed in desk.deeds)

    def key() -> str:
        return "s" if without and "loose wire" in out.getvalue() else ""

    return lead(desk, Pace(live=False), Face(Words("en"), out), key)


def finger(from_s: float, to_s: float, grams: float) -> Callable[[float], float]:
    return lambda t_s: grams if from_s < t_s < to_s else 0.0


def touch(millivolts: int | None) -> Callable[[LabTable], None]:
    def deed(lab: LabTable) -> None:
        lab.probe.touches_mv = millivolts

    return deed


SOUND = ((12.0, touch(2)), (15.0, touch(None)), (17.0, touch(4300)), (20.0, touch(None)))
"""The wire is held to E-, let go, and held to E+."""


def codes(results: list[Result]) -> dict[str, str]:
    return {each.code: each.verdict for each in results}


@pytest.mark.slow
def test_a_sound_desk_is_lit_and_everything_about_it_is_known(elf: Path) -> None:
    desk, out = Desk(elf, Bar(load_g=finger(9.0, 10.5, 180.0)), at=SOUND), io.StringIO()
    light = visit(desk, out)
    results = light.results(desk.link_health())

    assert codes(results) == {
        "line_ok": "ok", "supply_ok": "ok", "rate_ok": "ok", "noise_ok": "ok", "light": "ok",
        "e_minus_ok": "ok", "e_plus_ok": "ok",
    }  # fmt: skip
    assert light.pressed_counts == pytest.approx(180 * GAIN, rel=0.01)
    assert "press the free end with a finger" in out.getvalue()
    assert desk.lab.violations == []


@pytest.mark.slow
def test_the_bar_on_the_screen_moves_while_a_finger_presses_and_not_before(elf: Path) -> None:
    light, shares = FirstLight(), []
    desk = Desk(elf, Bar(load_g=finger(9.0, 12.0, 180.0)))
    pace = Pace(live=False)
    while pace.now_s < 11.0:
        desk.poll(pace.next())
        light.feed(pace.now_s, desk.conversions(), desk.voltages())
        shares.append((pace.now_s, light.share))

    assert max(share for t_s, share in shares if t_s < 9.0) < 0.02
    assert light.share > 0.9


def test_a_board_without_e_minus_to_ground_a_low_port_and_a_slow_strap_are_named(
    elf: Path,
) -> None:
    def low_port(lab: LabTable) -> None:
        lab.probe.supply_mv = 4370

    # 0.8 V is what somebody measured on such a board (forum.arduino.cc, thread 411774).
    wire = ((0.0, low_port), (12.0, touch(800)), (15.0, touch(None)), (17.0, touch(3750)))
    desk = Desk(elf, Bar(noise_counts=700.0, load_g=finger(9.0, 10.5, -300.0)), rate_hz=10.6,
                cell=2, at=wire)  # fmt: skip
    light = visit(desk)
    found = {each.code: each for each in light.results(desk.link_health())}

    assert codes(list(found.values())) == {
        "line_ok": "ok", "supply": "wrong", "rate_slow": "note", "noise": "wrong", "light": "ok",
        "e_minus_off": "wrong", "e_plus_ok": "ok",
    }  # fmt: skip
    assert found["e_minus_off"].args["volts"] == pytest.approx(0.8, abs=0.03)
    assert found["light"].args["cell"] == "C2"


@pytest.mark.parametrize(
    ("bar", "deed", "code"),
    [
        (Bar(), lambda lab: lab.cells[0].unplug(), "silent"),
        (Bar(), lambda lab: lab.cells[0].short(), "low"),
        (Bar(counts=lambda _t_s: 0x7FFFFF), lambda _lab: None, "end"),
        (Bar(counts=lambda _t_s: 1234), lambda _lab: None, "frozen"),
    ],
)
def test_a_wire_that_is_off_is_named_without_a_press_being_asked_for(
    elf: Path, bar: Bar, deed: Callable[[LabTable], None], code: str
) -> None:
    out = io.StringIO()
    desk = Desk(elf, bar, at=((0.0, deed),))
    light = visit(desk, out)

    results = codes(light.results(desk.link_health()))
    assert results[code] == "wrong"
    assert not {"light", "dark"} & set(results)
    assert "finger" not in out.getvalue()


@pytest.mark.slow
def test_the_report_has_every_conversion_and_can_be_read_by_a_program(elf: Path) -> None:
    desk = Desk(elf, Bar(load_g=finger(9.0, 10.5, 180.0)), at=SOUND)
    light = visit(desk)
    link = desk.link_health()
    read = msgspec.json.decode(report(light, link, light.results(link)))

    assert len(read["chips"]["C0"]["counts"]) > 8 * 82
    assert max(read["chips"]["C0"]["counts"]) == pytest.approx(41_000 + 180 * GAIN, abs=500)
    assert read["link"]["firmware"] == 1
    assert {each["code"] for each in read["results"]} >= {"light", "e_minus_ok"}


@pytest.mark.slow
def test_a_line_on_which_nobody_speaks_is_one_sentence(elf: Path) -> None:
    desk = Desk(elf, Bar())
    desk.lab.avr.hang()
    with pytest.raises(BadInput, match="topple-table firmware flash"):
        visit(desk)


@pytest.mark.parametrize(
    ("tag", "expected"), [("de", "einen Finger von etwa 180 g"), ("fr", "un doigt d")]
)
def test_what_was_found_is_said_in_the_language_of_the_terminal(tag: str, expected: str) -> None:
    out = io.StringIO()
    found = [Result("light", "ok", {"cell": "C0", "grams": 180})]
    Face(Words(tag), out).conclude(found, Path("first-light.json"))

    assert expected in " ".join(out.getvalue().split())


def test_a_folder_for_a_file_and_a_table_without_pins_are_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "table.toml"
    config.write_text('[source]\nkind = "twin"\n')

    assert main(["first-light", "--file", str(tmp_path)]) == 2
    assert "it is a folder" in capsys.readouterr().err
    assert main(["first-light", "--config", str(config), "--file", str(tmp_path / "a")]) == 2
    assert "source.kind is twin" in capsys.readouterr().err
