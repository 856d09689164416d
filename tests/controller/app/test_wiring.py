"""The choices that only the wiring makes."""

import sys
from pathlib import Path
from typing import Literal

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from controller.app import wiring
from controller.common.config import (
    BrokerConfig,
    Config,
    PiConfig,
    SourceConfig,
    TableConfig,
    parse,
)
from controller.common.errors import BadConfig, BadInput
from controller.journal.journal import Resumed
from controller.journal.room import RESERVE_BYTES
from controller.mqtt.client import BrokerAddress
from engine.events import HumanInput
from engine.referee import RefereeState
from engine.samples import SensorReport
from hw.calibration import calibration_json
from hw.drivers.panel import Face, HasPanel, Light
from hw.errors import BadCalibration, BadTrace, NoPins
from hw.traces.folder import recordings
from hw.traces.recorder import Recorder
from lab.mock import MockTable, quiet_parameters
from lab.people.simulation import SimulatedEvening
from tests.controller.conftest import wait_until
from tests.engine.referee.script import ANN_AND_BOB


def test_a_recording_is_opened_and_a_missing_one_named(tmp_path: Path) -> None:
    trace = tmp_path / "evening.mcap"
    Recorder.create(trace, MockTable().calibration).close()
    source = wiring.source(SourceConfig(kind="recording", path=str(trace)))
    source.close()

    assert not source.simulated
    with pytest.raises(BadTrace, match="cannot be opened"):
        wiring.source(SourceConfig(kind="recording", path="/no/such/trace.mcap"))


def test_the_simulated_table_says_so_and_does_not_end_with_its_game() -> None:
    """A unit starts again what fails, not what ends; see test_demo.py for the games themselves."""
    source = wiring.source(SourceConfig(kind="twin", seed=3))
    source.close()

    assert source.simulated
    assert isinstance(source, SimulatedEvening)
    assert source.people._again


def test_a_simulated_table_stands_as_its_unfinished_game_has_it_however_long_it_was_played() -> (
    None
):
    start = {"players": ANN_AND_BOB, "first": 0}
    played = wiring.pipeline(wiring.source(SourceConfig(kind="twin")).tabletop)
    for at_s, verb, data in (
        (3960.0, "start", start), (3970.0, "roll", {"value": 1}), (3980.0, "place", {"cell": "c3"}),
    ):  # fmt: skip
        played.say(HumanInput(at_s, verb, data))
    source = wiring.source(
        SourceConfig(kind="twin", seed=5), resumed=Resumed(played.state, resume_s=4000.0)
    )
    source.close()

    assert isinstance(source, SimulatedEvening)
    assert source.tower.now_s == 0.0
    assert [piece.cell for piece in source.tower.pieces] == ["c3"]
    assert source.people.game == played.state.position.game_state
    assert source.people.names == ("Ann", "Bob")


def test_a_table_without_its_microcontroller_starts_and_waits_in_words(tmp_path: Path) -> None:
    kept = tmp_path / "table.json"
    kept.write_text(calibration_json(MockTable().calibration))
    chosen = SourceConfig(kind="bridge", port=str(tmp_path / "ttyUSB0"), calibration=str(kept))
    source = wiring.source(chosen)
    found: list[SensorReport] = []

    def reported() -> bool:
        found.extend(item for item in source.poll(0.1) if isinstance(item, SensorReport))
        return bool(found)

    wait_until(reported, "the words")
    source.close()

    assert not source.simulated
    assert source.ended
    assert f"{tmp_path}/ttyUSB0 is not there. Check the USB plug" in found[0].reason


def test_a_calibration_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"source\.calibration is .*it cannot be read"):
        wiring.source(SourceConfig(kind="bridge", calibration=str(tmp_path / "none.json")))
    (tmp_path / "empty.json").touch()
    with pytest.raises(BadCalibration, match="table calibration"):
        wiring.source(SourceConfig(kind="bridge", calibration=str(tmp_path / "empty.json")))


def test_without_pyserial_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "serial", None)
    for module in (
        "hw.serial.serial_table",
        "firmware_bridge.link",
        "hw.serial.link_reader",
        "hw.serial.bridge",
    ):
        monkeypatch.delitem(sys.modules, module, raising=False)

    with pytest.raises(BadConfig, match=r"pip install 'dist/topple_table-.*\.whl\[bridge\]'"):
        wiring.source(SourceConfig(kind="bridge", calibration=str(tmp_path)))


def test_a_table_on_pins_needs_pins_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    file.write_text(calibration_json(quiet_parameters().calibration), encoding="utf-8")
    wires = PiConfig(i2c_bus=31)

    with pytest.raises(NoPins, match="no I2C bus 31"):
        wiring.source(SourceConfig(kind="pi", calibration=str(file), pi=wires))


@pytest.mark.parametrize("kind", ["bridge", "twin"])
def test_a_panel_is_joined_to_whatever_source_is_configured(
    kind: Literal["bridge", "twin"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins = MockFactory()
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setattr(gpiozero.Device, "pin_factory", pins)
    kept = tmp_path / "table.json"
    kept.write_text(calibration_json(MockTable().calibration))
    port = str(tmp_path / "ttyUSB0")
    source = wiring.source(SourceConfig(kind=kind, port=port, calibration=str(kept), panel=True))
    assert isinstance(source, HasPanel)
    source.show(Face((Light.ON,)))
    source.poll(0.0)

    wait_until(lambda: pins.pin(25).state == 1, "the light")
    source.close()


def test_a_table_goes_on_where_its_journal_ended(tmp_path: Path) -> None:
    config = Config(
        table=TableConfig(journal=str(tmp_path / "game.journal")), options={"dice": "untold"}
    )
    source = wiring.source(config.source)
    kept = wiring.journal(config)
    assert kept is not None
    with kept:
        first = wiring.table(source, wiring.resumed(kept), config)
        for output in first.feed(HumanInput(0.0, "start", {"players": ANN_AND_BOB})):
            kept.write(output)
    with kept.__class__(kept.path) as again:
        second = wiring.table(source, wiring.resumed(again), config)
    source.close()

    assert second.state == first.state
    assert second.state.position.phase == "act"  # the house rule of this table
    assert second.state.game_id not in (None, "game-1")
    without = Config(table=TableConfig(journal=""))
    assert wiring.journal(without) is None
    assert wiring.resumed(None).state == RefereeState()


def test_a_configured_table_shuffles_and_deals_and_never_twice_alike(tmp_path: Path) -> None:
    config = Config(table=TableConfig(journal=""))
    source = wiring.source(config.source)
    start = {"game": "triple-topper-toe", "x": "Ann", "o": "Bob"}
    hands = set()
    for _ in range(3):
        table = wiring.table(source, wiring.resumed(None), config)
        table.say(HumanInput(0.0, "start", start))
        hands.add(table.state.position.game_state.hands)
    source.close()

    assert len(hands) == 3


def test_table_and_pages_get_their_passwords_from_their_files(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("s3cret\n", encoding="utf-8")
    (tmp_path / "pages").write_text("c-secret\n", encoding="utf-8")
    named = BrokerConfig(
        kind="mqtt", host="tower", user="table", password_file=str(tmp_path / "table")
    )
    table = wiring.broker(Config(broker=named))
    pages = parse(f'[web]\nuser = "controller"\npassword_file = "{tmp_path / "pages"}"')

    assert table == BrokerAddress("tower", 1883, "table", "s3cret")
    assert "s3cret" not in str(table)
    assert wiring.for_pages(parse(""), table) == table
    assert wiring.for_pages(pages, table) == BrokerAddress("tower", 1883, "controller", "c-secret")


def test_a_password_that_is_not_there_is_named_as_it_was_written(tmp_path: Path) -> None:
    missing = tmp_path / "nothing"
    pages = parse(f'[web]\nuser = "controller"\npassword_file = "{missing}"')

    with pytest.raises(BadConfig, match=r"^web\.password_file is '.*nothing'; it cannot be read"):
        wiring.for_pages(pages, BrokerAddress("127.0.0.1", 1883))
    with pytest.raises(BadConfig, match=r"^--password-file is '.*nothing'"):
        wiring.scoreboard("127.0.0.1", "ann", missing, "127.0.0.1", 0)


def test_a_scoreboard_needs_a_broker_it_can_name_and_a_place_for_the_pin() -> None:
    with pytest.raises(BadInput):
        wiring.scoreboard("a:b", None, None, "127.0.0.1", 0)
    with pytest.raises(BadInput, match="--phones tv: it can be screen, terminal, off"):
        wiring.scoreboard("127.0.0.1", None, None, "127.0.0.1", 0, phones="tv")


def test_recordings_make_room_on_the_journals_disk_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = parse(f'[table]\njournal = "{tmp_path}/games"')
    config.recordings.mkdir()
    for number in range(3):
        (config.recordings / f"evening-00000{number}-20260101-000000.mcap").touch()
    for _ in range(2):
        assert wiring._delete_a_recording(config.recordings, tmp_path)
    assert not wiring._delete_a_recording(config.recordings, tmp_path)

    assert [path.name[:14] for path in recordings(config.recordings)] == ["evening-000002"]
    assert caplog.text.count("The disk is full: deleted") == 2
    assert not wiring._delete_a_recording(Path("/proc"), tmp_path)
    assert not wiring._delete_a_recording(tmp_path / "missing", tmp_path)


def test_a_configured_journal_keeps_room_and_is_known_beside_calibration_and_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / name for name in ("stick", "config", "calibration", "state")]
    stick, etc, calibration, state = folders
    for folder in folders:
        folder.mkdir()
    monkeypatch.setenv("STATE_DIRECTORY", f"{state}:/another")
    config = parse(f'[table]\njournal = "{stick}/games"\n[source]\ncalibration = "{calibration}/c"')
    file = etc / "table.toml"
    known = wiring.known(config, file, wiring.places(config, file))
    kept = wiring.journal(config, file)
    assert kept is not None
    kept.close()

    assert [path.parent for path in known.paths] == [etc, calibration, state]
    assert (stick / ".games.reserve").stat().st_size == RESERVE_BYTES
