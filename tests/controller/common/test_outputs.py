"""Files for results: refused before the work, made with their folders, kept when writing fails."""

import re
from pathlib import Path

import pytest

from controller import cli
from controller.common.errors import BadInput
from controller.common.outputs import ready_for_file, ready_for_folder, write_result


def test_folders_are_made_and_nothing_else_is_changed(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    ready_for_file("--junit", tmp_path / "a" / "b" / "junit.xml")
    ready_for_folder("--report", tmp_path / "c" / "d")
    ready_for_file("--junit", tmp_path / "x")

    assert list((tmp_path / "a" / "b").iterdir()) == []
    assert list((tmp_path / "c" / "d").iterdir()) == []
    assert (tmp_path / "x").read_text() == "mine"


def test_what_cannot_be_written_is_refused_with_the_option_and_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"--junit .*: it is a folder; name a file"):
        ready_for_file("--junit", tmp_path)
    with pytest.raises(BadInput, match=r"--junit .* cannot be written: Not a directory"):
        ready_for_file("--junit", tmp_path / "file" / "deep" / "junit.xml")
    with pytest.raises(BadInput, match=r"--report .*file cannot be written: File exists"):
        ready_for_folder("--report", tmp_path / "file")


def test_a_result_that_cannot_be_written_any_more_is_kept_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gone = tmp_path / "gone" / "report.html"
    with pytest.raises(BadInput, match=r"No such file.*the result is kept as") as refused:
        write_result("--report", gone, "all that work")
    kept = re.search(r"kept as (\S+)", str(refused.value))

    assert kept is not None
    assert Path(kept[1]).read_text() == "all that work"


@pytest.mark.parametrize(
    "words",
    [
        ["bench", "all", "--junit", "FILE/junit.xml"],
        ["bench", "all", "--report", "FILE"],
        ["bench", "all", "--report", "FILE/out", "--junit", "junit.xml"],
        ["bench", "soak", "--evenings", "1", "--report", "FILE"],
        ["replay", "TRACE", "--plot", "FILE/page.html"],
        ["calibrate", "--simulated", "--coin", "4x2eur", "--to", "FILE/table.json"],
        ["firmware", "build", "--out", "FILE"],
    ],
)
def test_every_command_refuses_a_place_it_cannot_write_before_its_work(
    tmp_path: Path,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def worked(*_: object, **__: object) -> None:
        raise AssertionError("the work was begun")

    (tmp_path / "file").write_text("")
    (tmp_path / "trace.mcap").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    for work in (
        "lab.bench.command._by_pytest", "lab.bench.soak._stream",
        "controller.app.wiring.Recording", "controller.workshop.calibrate.command.Wizard",
        "controller.workshop.firmware._compile",
    ):  # fmt: skip
        monkeypatch.setattr(work, worked)
    given = [word.replace("FILE", "file").replace("TRACE", "trace.mcap") for word in words]
    code = cli.main(given)
    said = capsys.readouterr().err

    assert code == cli.BAD_INPUT
    assert re.search(r"--(junit|report|plot|to|out) file\S* cannot be written: ", said), said
    assert len(said.splitlines()) == 1
