"""The support bundle: all that helps, and never a secret."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.common.config import BrokerConfig, Config, SourceConfig, TableConfig
from controller.journal.journal import Journal
from controller.mqtt.topics import TableStatus
from controller.table.pipeline import Output, Pipeline
from engine.events import HumanInput
from hw.source import play
from hw.traces.recorder import Recorder
from hw.traces.recording import Recording
from lab.mock import MockTable, living_parameters
from pages.health import support
from pages.health.support import Documents, SupportDesk, harmless, journal_tail, without_secrets
from tests.controller.evenings import PLACED, START, Detector, Evening, samples

SECRET = "correct-horse-battery"  # noqa: S105


def unpacked(bundle: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(bundle))


def everything(bundle: bytes) -> str:
    archive = unpacked(bundle)
    return "\n".join(archive.read(name).decode(errors="replace") for name in archive.namelist())


def table(folder: Path, **changes: Any) -> Config:
    (folder / "password").write_text(SECRET)
    return Config(
        table=TableConfig("t1", str(folder / "evening.journal")),
        broker=BrokerConfig("mqtt", user="tim", password_file=str(folder / "password")),
        **changes,
    )


@pytest.fixture
def played(tmp_path: Path) -> Config:
    """A table with a journal in which cards were dealt in secret, after a game of Topple."""
    config = table(tmp_path)
    journal = Journal(config.table.journal)
    pipeline = Pipeline(Detector(PLACED), chance=lambda: 0.42)
    inputs: list[Any] = [
        START,
        HumanInput(1.0, "roll", {"value": 1}),
        samples(5.0),
        HumanInput(6.0, "end", {}),
        HumanInput(7.0, "start", {"game": "triple-topper-toe", "x": "Ann", "o": "Bob"}),
    ]
    for item in inputs:
        for output in pipeline.feed(item):
            assert isinstance(output, Output)
            assert output.refused is None
            journal.write(output)
    journal.close()
    return config


def test_a_bundle_holds_what_a_bug_report_needs(played: Config) -> None:
    board = Evening(START).table.board
    status = TableStatus("b", "ready", "", "0.1", simulated=False)
    bundle = SupportDesk("t1", played).bundle(Documents(status, board, {"step_ms": [1, 2]}))
    archive = unpacked(bundle)

    assert set(archive.namelist()) == {
        "about.txt", "config.json", "versions.json", "status.json", "state.json", "health.json",
        "journal.jsonl",
    }  # fmt: skip
    assert json.loads(archive.read("config.json"))["broker"]["host"] == "127.0.0.1"
    assert json.loads(archive.read("state.json")) == json.loads(msgspec.json.encode(board))
    assert "numpy" in json.loads(archive.read("versions.json"))["packages"]
    kinds = [json.loads(line)["kind"] for line in archive.read("journal.jsonl").splitlines()]
    assert kinds == ["HumanInput", "HumanInput", "Placed", "HumanInput", "HumanInput"]
    assert "recording: none is being made" in archive.read("about.txt").decode()


def test_no_password_no_place_of_one_and_no_dealt_card_is_in_a_bundle(played: Config) -> None:
    path = Path(played.table.journal)
    tail = list(journal_tail(path))
    words = everything(SupportDesk("t1", played).bundle(Documents()))
    kept = b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*")
                    if each.is_file())  # fmt: skip

    assert b"deck" in kept
    for secret in (SECRET, "password_file", str(path.parent), "deck", "red-circle"):
        assert secret not in words
    assert tail[-1]["cause"] == {"t_s": 7.0, "type": "start", "data": {"game": "triple-topper-toe"}}


@given(st.recursive(st.text(max_size=8), lambda inner: st.dictionaries(
    st.sampled_from(["password", "broker_password", "api_token", "pin", "session_pin", "secret",
                     "deck", "racks", "hand"]), inner, max_size=3), max_leaves=8))  # fmt: skip
def test_what_sounds_like_a_secret_is_in_no_copy_however_deep(found: Any) -> None:
    document = {"data": {"cell": [found]}, "port": 1883, "other": found}

    assert harmless({"data": found}) == (
        {"data": {}} if isinstance(found, dict) else {"data": found}
    )
    words = json.dumps(without_secrets(document))
    for name in ("password", "token", "pin", "secret"):
        assert f'{name}"' not in words


@pytest.mark.parametrize(("size", "packed"), [(100, True), (2000, False)])
def test_a_recording_comes_along_unless_it_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, packed: bool
) -> None:
    monkeypatch.setattr(support, "LARGEST_RECORDING_BYTES", 1000)
    trace = tmp_path / "tonight.mcap"
    trace.write_bytes(b"x" * size)
    archive = unpacked(SupportDesk("t1", recording=trace).bundle(Documents()))

    assert ("recording.mcap" in archive.namelist()) is packed
    assert ("send it by itself" in archive.read("about.txt").decode()) is not packed


def test_the_last_ten_minutes_of_a_running_recording_come_along_without_dealt_cards(
    tmp_path: Path,
) -> None:
    live = MockTable(living_parameters())
    recorder = Recorder.create(tmp_path / "evening-000001-20261123-190000.mcap", live.calibration)
    dealt = HumanInput(1.0, "start", {"game": "triple-topper-toe", "deck": ["hidden-card"]})
    recorder.write([*live.poll(20.0), dealt, HumanInput(2.0, "roll", {"value": 3})])
    desk = SupportDesk("t1", table(tmp_path), recordings=tmp_path)
    archive = unpacked(desk.bundle(Documents()))
    part = tmp_path / "part.mcap"
    part.write_bytes(archive.read("recording.mcap"))
    said = [item for item in play(Recording.open(part)) if isinstance(item, HumanInput)]

    assert [(item.type, item.data) for item in said] == [
        ("start", {"game": "triple-topper-toe"}), ("roll", {"value": 3}),
    ]  # fmt: skip
    assert len(archive.read("recording.mcap")) < 1_000_000


def test_what_cannot_be_read_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    config = table(tmp_path, source=SourceConfig("recording", str(tmp_path / "gone.mcap")))
    (tmp_path / "evening.journal").write_text("no database at all, just some words" * 50)
    bundle = SupportDesk("t1", config, tmp_path / "gone.mcap").bundle(Documents())
    about = unpacked(bundle).read("about.txt").decode()

    assert "journal: it cannot be read" in about
    assert "gone.mcap cannot be read" in about
    assert "config.json" in unpacked(bundle).namelist()
    # A recording that holds nothing yet.
    (tmp_path / "evening-000001-20261123-190000.mcap").touch()
    bundle = SupportDesk("t1", config, recordings=tmp_path).bundle(Documents())
    assert "Not here - recording: " in unpacked(bundle).read("about.txt").decode()


def test_packing_changes_nothing_in_a_journal_that_is_being_written(tmp_path: Path) -> None:
    config = table(tmp_path)
    journal = Journal(config.table.journal)
    outputs = Pipeline(Detector()).feed(START)
    journal.write(outputs[0])

    assert len(list(journal_tail(Path(config.table.journal)))) == 1
    journal.write(
        Pipeline(Detector(), outputs[0].state).feed(HumanInput(1.0, "roll", {"value": 1}))[0]
    )
    assert len(list(journal_tail(Path(config.table.journal)))) == 2
    journal.close()
