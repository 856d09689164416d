"""Ports, buses and pins of a pretended computer; who may open them; what answers."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import gpiod
import msgspec
import pytest

from controller.common.config import parse
from controller.workshop import firmware as service
from controller.workshop.doctor.computer import Computer
from controller.workshop.doctor.people import UnixUser, myself
from controller.workshop.doctor.results import CheckResult
from controller.workshop.doctor.services import RetainedDocuments
from controller.workshop.doctor.wires import (
    calibration,
    firmware,
    i2c,
    libraries,
    look_at_wires,
    pins,
    pulse,
    reader,
    serial,
)
from hw.calibration import calibration_json
from lab.twin.parameters import preset_parameters

DIALOUT = 20
"""The group's number on Debian."""
STRANGER = UnixUser("stranger", 4001, frozenset({4001}))


def device(root: Path, name: str) -> Path:
    path = root / name.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o660)
    return path


BY_ID = "/dev/serial/by-id/"


@pytest.mark.parametrize(
    ("names", "verdicts", "words"),
    [
        ([f"{BY_ID}usb-1a86_USB_Serial-if00-port0"], ["ok"], ""),
        ([f"{BY_ID}one", f"{BY_ID}two"], ["ok", "ok"], "two"),
        (["/usr/lib/udev/rules.d/90-brltty-device.rules"], ["wrong", "note"], "brltty"),
    ],
    ids=["one needs no name", "each of several may be it", "who may have a missing one is named"],
)
def test_the_serial_device_is_found_or_named(
    names: list[str], verdicts: list[str], words: str, tmp_path: Path
) -> None:
    for name in names:
        device(tmp_path, name)

    found = list(serial("", Computer(tmp_path), myself()))

    assert [each.verdict for each in found] == verdicts
    assert words in found[-1].words


def test_another_program_on_the_port_is_named_and_the_table_itself_is_not(tmp_path: Path) -> None:
    port = device(tmp_path, "/dev/ttyUSB0")
    open_files = tmp_path / "proc" / "812" / "fd"
    open_files.mkdir(parents=True)
    (open_files / "5").symlink_to(port)

    def said(program: str) -> list[str]:
        (tmp_path / "proc" / "812" / "comm").write_text(f"{program}\n")
        found = serial("/dev/ttyUSB0", Computer(tmp_path), myself())
        return [each.words for each in found if each.verdict == "wrong"]

    assert said("topple-table") == []
    assert said("minicom") == [f"{port} is in use by minicom (process 812)"]


def test_a_port_that_is_closed_to_the_service_says_which_group_opens_it(tmp_path: Path) -> None:
    port = device(tmp_path, "/dev/ttyUSB0")
    port.chmod(0o660)
    if port.stat().st_gid == 0:
        os.chown(port, -1, DIALOUT)

    (found,) = serial("/dev/ttyUSB0", Computer(tmp_path), STRANGER)

    assert found.verdict == "wrong"
    assert found.advice.startswith("usermod -aG ")
    assert "usermod -aG root" not in found.advice


@pytest.mark.parametrize("mode", [0o600, 0o660])
def test_a_port_that_no_group_may_open_lacks_our_rules(tmp_path: Path, mode: int) -> None:
    port = device(tmp_path, "/dev/ttyUSB0")
    port.chmod(mode)

    (found,) = serial("/dev/ttyUSB0", Computer(tmp_path), STRANGER)

    assert found.verdict == "wrong"
    assert ("udev rules" in found.advice) is (mode == 0o600 or port.stat().st_gid == 0)


def test_a_reader_that_must_take_turns_with_other_programs_is_named(tmp_path: Path) -> None:
    def said(scheduling: str) -> list[str]:
        line = f" {scheduling} /opt/topple-table/bin/python -P -m hw.drivers.cells_process 5 6\n"
        computer = Computer(tmp_path, ask=lambda _command: " TS /sbin/init\n" + line)
        return [found.verdict for found in reader(computer)]

    assert said("FF") == ["ok"]
    assert said("TS") == ["note"]


def test_the_reader_is_found_among_the_running_programs() -> None:
    sleeper = "import time; print(flush=True); time.sleep(60)"
    command = [sys.executable, "-c", sleeper, "-m", "hw.drivers.cells_process"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = list(reader(Computer()))
        process.kill()

    assert "note" in [each.verdict for each in found]


PI_4 = {"scaling_min_freq": "600000", "scaling_max_freq": "1500000"}


@pytest.mark.parametrize(
    ("files", "verdict", "words"),
    [
        (PI_4 | {"scaling_governor": "ondemand"}, ["ok"], "600 MHz at least"),
        (PI_4 | {"scaling_governor": "performance"}, ["ok"], "1500 MHz at least"),
        (PI_4 | {"scaling_governor": "powersave", "scaling_min_freq": "200000"}, ["wrong"],
         "governor powersave, 200 MHz"),
        (PI_4 | {"scaling_governor": "userspace", "scaling_setspeed": "300000"}, ["wrong"],
         "governor userspace, 300 MHz"),
        ({}, [], ""),
        (PI_4 | {"scaling_governor": "userspace", "scaling_setspeed": "<unsupported>"}, [], ""),
    ],
)  # fmt: skip
def test_a_governor_that_makes_a_pulse_too_long_is_named(
    tmp_path: Path, files: dict[str, str], verdict: list[str], words: str
) -> None:
    folder = tmp_path / "sys/devices/system/cpu/cpu0/cpufreq"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n")
    found = list(pulse(Computer(tmp_path)))

    assert [each.verdict for each in found] == verdict
    assert words in " ".join(each.words for each in found)


def test_pins_and_bus_are_there_or_named(tmp_path: Path) -> None:
    def verdicts(who: UnixUser) -> list[str]:
        computer = Computer(tmp_path)
        silent = RetainedDocuments(None)
        return [f.verdict for f in (*i2c(1, computer, who), *pins([], computer, who, silent))]

    assert verdicts(myself()) == ["wrong", "wrong"]
    device(tmp_path, "/dev/i2c-1")
    device(tmp_path, "/dev/gpiochip0")
    assert verdicts(myself()) == ["ok", "ok"]
    assert verdicts(STRANGER) == ["wrong", "wrong"]


@pytest.mark.parametrize(
    ("link", "verdict", "words"),
    [
        ({"ok": True, "firmware": 3}, "ok", "version 3"),
        ({"ok": True, "firmware": 3, "words": "flash it when convenient"}, "note", "version 3"),
        ({"ok": False, "words": "nothing comes"}, "wrong", "nothing comes"),
        ({"ok": True}, "wrong", "not heard it yet"),
    ],
)
def test_a_running_table_knows_its_firmware(
    link: dict[str, object], verdict: str, words: str
) -> None:
    heard = RetainedDocuments({"health": msgspec.json.encode({"link": link})})

    (found,) = firmware("/dev/never-opened", heard)

    assert found.verdict == verdict
    assert words in found.words


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port that nobody answers on is asked for a moment only."""
    monkeypatch.setattr(service, "ask", partial(service.ask, deadline_s=0.01))


@pytest.mark.usefixtures("impatient")
def test_without_a_table_the_port_is_asked(tmp_path: Path) -> None:
    (found,) = firmware(str(tmp_path / "ttyUSB0"), RetainedDocuments(None))

    assert found.verdict == "wrong"


def test_a_calibration_is_there_possible_and_young(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    assert [f.verdict for f in calibration(str(file), Computer())] == ["wrong"]
    file.write_text("{}")
    assert [f.verdict for f in calibration(str(file), Computer())] == ["wrong"]
    file.write_text(calibration_json(preset_parameters("normal").calibration))
    written_s = file.stat().st_mtime
    for days, expected in ((1, "ok"), (200, "note")):
        later = Computer(unix_s=partial(float, written_s + days * 86400))
        assert [f.verdict for f in calibration(str(file), later)] == [expected]


REAL = 'port = "/dev/n"\ncalibration = "{0}/c"'


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("source", "about"),
    [
        ("", ["source"]),
        (f'[source]\nkind = "bridge"\n{REAL}', ["libraries", "serial", "firmware", "calibration"]),
    ],
)
def test_a_real_table_needs_all_wires_and_a_simulated_one_none(
    source: str, about: list[str], tmp_path: Path
) -> None:
    config, silent = parse(source.format(tmp_path)), RetainedDocuments(None)

    found = list(look_at_wires(config, Computer(tmp_path), myself(), silent))

    assert [f.about for f in found] == about


def test_the_libraries_of_a_wiring_are_really_imported() -> None:
    (found,) = libraries("bridge", Computer())

    assert (found.verdict, found.words) == (
        "ok", "all that the wiring needs is there: serial, cobs.cobs"
    )  # fmt: skip


def test_each_missing_library_is_named_with_the_way_to_get_it() -> None:
    said = "WARNING: words of Blinka\nlgpio: No module named 'lgpio'\nboard: not supported\n"

    found = list(libraries("pi", Computer(ask=lambda _command: said)))

    assert [f.verdict for f in found] == ["wrong", "wrong"]
    assert found[0].words == "lgpio cannot be imported: No module named 'lgpio'"
    assert "dist/topple_table-" in found[0].advice
    # Those that could not be tried are a note.
    (untried,) = libraries("pi", Computer(ask=lambda _command: ""))
    assert untried.verdict == "note"


def test_a_bridge_with_a_panel_needs_pins_and_what_drives_them(tmp_path: Path) -> None:
    config = parse(
        f'[source]\nkind = "bridge"\nport = "/dev/n"\ncalibration = "{tmp_path}/c"\n'
        "[source.pi]\nbuzzer = 18"
    )

    found = list(look_at_wires(config, Computer(tmp_path), myself(), RetainedDocuments(None)))

    about = [f.about for f in found]
    assert about[-1] == "pins"
    assert about.count("libraries") >= 2
    assert found[-1].verdict == "wrong"
    assert "panel = false" not in found[-1].advice
    assert "what is not wired is 0 in [source.pi]" in found[-1].advice


class HeldChip:
    """The header of a Pi, as gpiod tells of it: a driver of the kernel holds a pin."""

    def __init__(self, device: str) -> None:
        self.device = device

    def get_info(self) -> SimpleNamespace:
        return SimpleNamespace(label="pinctrl-bcm2711")

    def get_line_info(self, pin: int) -> SimpleNamespace:
        return SimpleNamespace(used=pin in {25, 6}, consumer="pwm-fan")

    def close(self) -> None:
        """Nothing is kept."""


@pytest.mark.parametrize(
    ("kind", "keys"), [("pi", ["hx711_data[1]", "lights[0]"]), ("bridge", ["lights[0]"])]
)
def test_a_pin_that_somebody_else_holds_costs_only_what_hangs_on_it(
    kind: str, keys: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpiod, "Chip", HeldChip)
    device(tmp_path, "/dev/gpiochip0")
    config = parse(
        f'[source]\nkind = "{kind}"\npanel = true\nport = "/dev/n"\ncalibration = "{tmp_path}/c"'
    )

    def said(**rows: bytes) -> list[CheckResult]:
        heard = RetainedDocuments({"health": b"{}"} | rows)
        found = look_at_wires(config, Computer(tmp_path), myself(), heard)
        return [each for each in found if "held by" in each.words]

    held = said(availability=b"offline")

    assert [each.words.split(",")[1] for each in held] == [
        f" which source.pi.{key} needs" for key in keys
    ]
    assert held[-1].words.startswith("GPIO25, ")
    assert held[-1].words.endswith("held by pwm-fan")
    assert "config.txt" in held[-1].advice
    assert "the other pins can be used" in held[-1].advice
    # A table that runs holds its pins itself.
    assert said(availability=b"online") == []


def test_a_pi_whose_pins_are_gone_is_told_what_to_look_at(tmp_path: Path) -> None:
    model = tmp_path / "sys/firmware/devicetree/base/model"
    model.parent.mkdir(parents=True)
    model.write_text("Raspberry Pi 5 Model B Rev 1.0\0")

    (found,) = pins([], Computer(tmp_path), myself(), RetainedDocuments({}))

    assert "dmesg | grep pinctrl" in found.advice


@pytest.mark.parametrize("sensor", ["panel", "tilt_switch", "light.GPIO25"])
def test_what_the_running_table_cannot_use_of_a_panel_is_told_with_what_to_check(
    sensor: str,
) -> None:
    reason = "The buttons cannot be used; is 2; 3 wired? Add the user to the group gpio"
    document = {"sensors": {sensor: {"ok": False, "reason": reason}}}
    heard = RetainedDocuments({"health": msgspec.json.encode(document)})

    *_, found = look_at_wires(parse(""), Computer(), myself(), heard)

    assert (found.verdict, found.about) == ("wrong", "panel")
    assert (found.words, found.advice) == (reason, "")
