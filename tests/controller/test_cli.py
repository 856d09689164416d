"""The command line: exit codes 0, 1, 2, one line for a mistake, and never a traceback."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcap.writer import Writer

from controller import cli
from controller.app import wiring

ROOT = Path(__file__).parents[2]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_help_lists_the_commands_and_without_a_command_is_shown_as_wrong_use(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = run(capsys, "--help")
    none_code, none_out, _ = run(capsys)

    assert (code, none_code) == (0, 2)
    assert "Usage" in none_out
    for command in ("demo", "run", "replay", "score", "scoreboard", "diagnose", "version"):
        assert command in out


@pytest.mark.slow
def test_diagnose_exits_with_1_when_something_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    look = ("diagnose", "--no-interactive", "--seconds", "5")

    assert run(capsys, *look)[0] == 0
    code, out, err = run(capsys, *look, "--fault", "imu missing", "--json")
    assert (code, err) == (1, "")
    assert json.loads(out)["findings"][0]["kind"] == "imu_missing"


@pytest.mark.parametrize(
    "arguments",
    [
        ("dance",),
        ("replay",),
        ("replay", "--loud", "x"),
        ("replay", "a", "b"),
        ("run",),
        ("demo", "--seed", "-1"),
        ("demo", "--seed", "one"),
        ("demo", "--game", "chess"),
        ("demo", "--broker", "http://x"),
        ("demo", "--broker", "host:99999"),
        ("demo", "--user", "ann"),
        ("demo", "--broker", "here", "--password-file", "secret"),
        ("demo", "--broker", "here", "--user", "ann", "--web-password-file", "secret"),
        ("scoreboard", "--broker", "here:there"),
        ("scoreboard", "--port", "70000"),
        ("diagnose", "--seconds", "1"),
        ("diagnose", "--fault", "broken cell C1"),
        ("diagnose", "--part", "wheel"),
        ("diagnose", "--config", "/no/such/table.toml"),
        ("replay", "/no/such/trace.mcap"),
        ("replay", str(ROOT)),
        ("replay", str(ROOT / "README.md")),
        ("fit", "/no/such/trace.mcap"),
        ("fit", str(ROOT / "README.md")),
        ("run", "--config", "/no/such/table.toml"),
        ("run", "--config", str(ROOT)),
        ("run", "--config", str(ROOT / "README.md")),
        ("score", "/no/such/record.jsonl"),
        ("score", str(ROOT)),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    code, out, err = run(capsys, *arguments)

    assert code == 2
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert "unforeseen" not in err


def test_a_trace_without_calibration_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "bare.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        writer.finish()
    code, _, err = run(capsys, "replay", str(path))

    assert code == 2
    assert len(err.strip().splitlines()) == 1
    assert str(path) in err


def test_a_wrong_key_in_the_configuration_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "table.toml"
    path.write_text("[broker]\nprot = 1883\n", encoding="utf-8")
    code, _, err = run(capsys, "run", "--config", str(path))

    assert code == 2
    assert "broker.prot = 1883 is no setting; did you mean broker.port?" in err


def test_an_unforeseen_error_is_one_line_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> int:
        raise RuntimeError("the moon\nis full")

    monkeypatch.setattr(wiring, "replay", broken)
    code, _, err = run(capsys, "replay", "x")
    assert code == 1
    assert len(err.strip().splitlines()) == 1
    assert "the moon is full" in err

    monkeypatch.setenv(cli.TRACEBACK, "1")
    with pytest.raises(RuntimeError):
        cli.main(["replay", "x"])


def test_being_interrupted_needs_no_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: Any, **__: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(wiring, "replay", stopped)
    code, out, err = run(capsys, "replay", "x")

    assert (code, out, err.strip()) == (130, "", "")


def test_score_is_reached_with_its_options(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    record = tmp_path / "record.jsonl"
    start = {
        "type": "start",
        "players": [{"name": "Ann", "colours": ["pink"]}, {"name": "Bob", "colours": ["blue"]}],
        "target": 100,
        "first": "Ann",
        "variant": "standard",
    }
    line = {"game": "topple", "id": "g", "n": 0, "action": start}
    record.write_text(json.dumps(line) + "\n", encoding="utf-8")
    code, out, _ = run(capsys, "score", str(record), "--json", "--options", '{"dice": "untold"}')

    assert code == 0
    assert json.loads(out)["view"]["phase"] == "act"


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_ends_a_replay_quietly(calm_recording: Path) -> None:
    command = [sys.executable, "-m", "controller.cli", "replay", str(calm_recording), "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["type"] == "score"
        process.stdout.close()
        complaint = process.stderr.read()

    assert complaint == ""
    assert process.returncode == 0


def test_help_does_not_load_the_heavy_parts() -> None:
    code = (
        "import sys, controller.cli as cli; cli.main(['--help']); "
        "print(sorted(m for m in ('numpy', 'paho', 'starlette', 'amqtt') if m in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines()[-1] == "[]"


def test_the_version_can_be_asked_for_as_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    said = capsys.readouterr().out
    assert cli.main(["version"]) == 0

    assert said == capsys.readouterr().out
    assert re.fullmatch(r"topple-table \S+\n", said)
