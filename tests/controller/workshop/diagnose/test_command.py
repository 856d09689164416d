import io
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.common.errors import BadConfig, BadInput
from controller.workshop.diagnose.command import Watch, diagnose, run
from controller.workshop.diagnose.core.examine import Part
from controller.workshop.pace import Pace
from engine.samples import ScaleSamples
from firmware_bridge.messages import ResetCause
from hw.errors import BadTwin, NoSuchStep
from lab.mock import MockTable
from lab.on_pins import WiredTable
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower
from tests.hw.boards import Board
from tests.recorded import simulate_game
from tests.soaked import soaked

MUST_NAME = {
    "unplugged cell C1": "Load cell C1 is unplugged",
    "swapped wires cell C2": "Load cell C2 has its signal wires swapped",
    "wrong rate cell C3": "Load cell C3 converts at the wrong rate",
    "noisy supply": "The supply is noisy",
    "imu missing": "The inertial sensor does not answer",
    "stuck dout cell C0": "Load cell C0 is silent, its DOUT stays high",
    "loose usb": "The link to the sensors breaks off",
}


def report(*faults: str, **options: Any) -> tuple[int, str]:
    out = io.StringIO()
    code = run(None, faults=faults, out=out, **options)
    return code, out.getvalue()


@pytest.mark.parametrize(
    "fault",
    soaked(MUST_NAME, but=["unplugged cell C1", "loose usb"], mark=pytest.mark.slow),
)
def test_a_seeded_fault_is_named_first(fault: str) -> None:
    code, out = report(fault, as_json=True, interactive=False)
    document = json.loads(out)

    assert code == 1
    assert not document["healthy"]
    assert document["findings"][0]["sentence"].startswith(MUST_NAME[fault])


@pytest.mark.slow
def test_a_healthy_table_is_healthy_also_when_it_is_pressed() -> None:
    code, out = report()

    assert code == 0
    assert "asked 6 times for a press" in out
    assert out.rstrip().endswith("The table is healthy.")


@pytest.mark.slow
def test_a_configuration_may_break_its_simulated_table(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text('[source]\nseed = 5\nfaults = ["imu yawed", "stuck cell C1"]\n')
    out = io.StringIO()

    assert run(config, as_json=True, out=out) == 1
    assert {f["kind"] for f in json.loads(out.getvalue())["findings"]} == {
        "cell_stuck",
        "imu_disagrees",
    }


def test_a_recording_can_be_diagnosed(tmp_path: Path) -> None:
    trace, _ = simulate_game(3, "calm", tmp_path, seconds=12.0)
    config = tmp_path / "table.toml"
    config.write_text(f'[source]\nkind = "recording"\npath = "{trace}"\n')
    out = io.StringIO()

    run(config, seconds=3.0, as_json=True, out=out)
    document = json.loads(out.getvalue())
    assert document["seconds"] == 3.0
    assert document["tried"] == []


def test_only_a_part_can_be_asked_for() -> None:
    code, out = report("imu missing", parts=("cells", "link"), interactive=False, as_json=True)

    assert (code, json.loads(out)["findings"]) == (0, [])


@pytest.mark.slow
def test_a_step_of_the_guide_judges_what_it_has_built(capsys: pytest.CaptureFixture[str]) -> None:
    assert report("imu missing", step=4, as_json=True)[0] == 0
    assert "Bolt the load cells" in capsys.readouterr().err
    assert report("imu missing", step=7, as_json=True)[0] == 1


def test_a_step_with_nothing_to_measure_says_what_to_look_at(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert report(step=2) == (0, "")
    assert "no passage between" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"seconds": 1.0}, BadInput, "--seconds 1: it can be 3 to 3600"),
        ({"weight_g": 1.0}, BadInput, "--weight 1: it can be 20 to 2000 g"),
        ({"parts": ("wheel",)}, BadInput, "there are link, cells, imu, switch, pivot"),
        ({"faults": ("broken cell C0",)}, BadTwin, "there is no such fault"),
        ({"step": 99}, NoSuchStep, "the assembly guide has steps 1 to"),
    ],
)
def test_wrong_use_is_refused_in_words(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        run(None, **options)


def test_a_recording_cannot_be_broken_to_order(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text('[source]\nkind = "recording"\npath = "x.mcap"\n')
    with pytest.raises(BadInput, match="only the simulated table"):
        run(config, faults=("stuck",))
    config.write_text('[source]\nkind = "recording"\npath = "x.mcap"\nfaults = ["stuck"]\n')
    with pytest.raises(BadConfig, match="only the simulated tower"):
        run(config)


def test_a_source_that_ends_at_once_is_refused() -> None:
    table = MockTable()
    table.close()
    with pytest.raises(BadInput, match=r"needs 3 s or more"):
        diagnose(table, Watch(table, Pace(live=False, step_s=1.0)), None)


def test_a_live_source_is_polled_by_the_clock() -> None:
    table, now_s, paused = MockTable(), [100.0], []

    def pause(seconds: float) -> None:
        paused.append(seconds)
        now_s[0] += 0.05

    watch = Watch(table, Pace(live=True, clock=lambda: now_s[0], pause=pause))
    stretch = watch.stretch(2.0)

    assert len(paused) == pytest.approx(40, abs=1)
    assert (stretch.start_s, stretch.end_s) == (0.0, 2.0)
    assert isinstance(watch.items[0], ScaleSamples)
    assert watch.stretch(1.0).start_s == 2.0


def watched_link(mishap: Callable[[Board], None]) -> list[str]:
    """What is found on a real line to a fake microcontroller; the mishap comes at 4 s."""
    board, late = Board(), [mishap]

    def pause(seconds: float) -> None:
        board.mcu.advance(board.mcu.now_us + seconds * 1e6)
        if late and board.mcu.now_us > 4e6:
            late.pop()(board)

    watch = Watch(board.source, Pace(live=True, clock=board.clock, pause=pause))
    found = diagnose(board.source, watch, None, parts=[Part.LINK])
    return [finding.kind for finding in found.findings]


def crowded(board: Board) -> None:
    """Nobody reads for a moment, and the board has no room for so much."""
    board.mcu.buffer_bytes = 450
    board.mcu.advance(board.mcu.now_us + 0.02e6)
    board.mcu.buffer_bytes = 4000


def noisy(board: Board) -> None:
    """Every hundredth read loses its first bytes."""
    reads = itertools.count()
    board.spoil = lambda data: data[10:] if next(reads) % 100 == 0 else data


@pytest.mark.parametrize(
    ("mishap", "kinds"),
    [
        (lambda _board: None, []),
        (lambda board: board.mcu.reset(ResetCause.WATCHDOG), ["mcu_reboots"]),
        (crowded, ["device_drops"]),
        (noisy, ["damaged_messages"]),
    ],
)
def test_what_the_line_to_a_microcontroller_counts_is_told(
    mishap: Callable[[Board], None], kinds: list[str]
) -> None:
    assert watched_link(mishap) == kinds


def watched_pins(failing: int) -> list[str]:
    """What is found of the inertial sensor on pins when so many reads fail, one at a time."""
    tower = Tower(preset_parameters("calm"), 5)
    table, left = WiredTable(tower), failing

    def pause(seconds: float) -> None:
        nonlocal left
        if tower.now_s > 0.5 and not table.wires.failing and left:
            table.wires.failing, left = 1, left - 1
        tower.advance(tower.now_s + seconds)
        table.run()

    watch = Watch(table.source, Pace(live=True, clock=lambda: tower.now_s, pause=pause))
    found = diagnose(table.source, watch, None, seconds=3.0, parts=[Part.IMU])
    return [finding.kind for finding in found.findings]


@pytest.mark.parametrize(("failing", "kinds"), [(2, []), (3, ["imu_bus_errors"])])
def test_reads_of_the_inertial_sensor_that_fail_on_pins_are_told(
    failing: int, kinds: list[str]
) -> None:
    assert watched_pins(failing) == kinds


def test_the_temperature_of_the_source_is_used() -> None:
    table = MockTable(preset_parameters("calm"))
    table.imu_temperature_c = 28.0  # type: ignore[attr-defined]
    found = diagnose(table, Watch(table, Pace(live=False)), None)

    assert found.healthy
    assert found.imu.temperature_c == 28.0


def test_a_starter_is_judged_by_its_one_cell_and_its_switch(tmp_path: Path) -> None:
    config, out = tmp_path / "table.toml", io.StringIO()
    config.write_text("[source]\nstarter = true\n")

    assert run(config, as_json=True, out=out) == 0
    found = json.loads(out.getvalue())
    assert (len(found["cells"]), found["findings"]) == (1, [])
    out = io.StringIO()
    assert run(config, faults=["switch closed"], as_json=True, out=out) == 1
    assert "tilt switch is closed" in out.getvalue()
