"""The fuzzer, short: every parser takes some hundreds of spoilt inputs, and planted bugs are found.

`python -m tests.fuzz --count 1000000` is the long form; its figures stand in docs/security.md.
"""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.framing import FrameReader
from tests.fuzz import __main__ as command
from tests.fuzz import firmware, line, running, seeing
from tests.fuzz.running import Hang, Target, judged, run

SHORT, LONG = 600, 100_000
SEED = 7


@pytest.fixture(autouse=True)
def no_log() -> Iterator[None]:
    """A table says of each bad message that it was bad."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.slow
@pytest.mark.parametrize("name", command.TARGETS)
def test_no_spoilt_input_gets_the_better_of_a_parser(name: str) -> None:
    target = command.TARGETS[name]
    found = run(target, round(SHORT * target.share), SEED)

    assert [command.words(finding) for finding in found.findings] == []
    assert found.outcomes > 3


def test_detection_that_stops_at_an_accepted_calibration_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A planted bug: all load cells may be at one place again."""
    monkeypatch.setattr("hw.calibration._check_spread", lambda _: None)
    document = json.loads(seeing.files.calibrations()[0])
    places = document["scale"]["cell_positions_mm"]
    places[:] = [places[0]] * 4

    with np.errstate(invalid="ignore"), pytest.raises(np.linalg.LinAlgError):
        seeing.calibration()(json.dumps(document).encode())


@pytest.mark.soak
@pytest.mark.parametrize("name", command.TARGETS)
def test_no_spoilt_input_of_many_leaves_memory_behind(name: str) -> None:
    target = command.TARGETS[name]
    found = run(target, round(LONG * target.share), SEED)

    assert [command.words(finding) for finding in found.findings] == []
    assert found.growth_mb < running.GROWTH_MB


def test_no_byte_on_the_line_gets_the_better_of_the_firmware() -> None:
    found = firmware.run(4000, SEED)

    assert [str(finding.error) for finding in found.findings] == []
    assert found.inputs == 4000


# --- the fuzzer itself ------------------------------------------------------------------------


def target(judge: Callable[[bytes], str], *seeds: bytes) -> Target:
    return Target("planted", "", lambda: judge, lambda: seeds or (b'{"a": 1}',))


def test_what_leads_to_something_new_is_spoilt_further() -> None:
    """Three bytes in a row are found one after the other, since each is an outcome of its own."""

    def judge(data: bytes) -> str:
        right = next((n for n in range(3) if data[n : n + 1] != b"\x01\x7f\x10"[n : n + 1]), 3)
        assert right < 3, "all three"
        return str(right)

    found = run(target(judge, b"none"), 20_000)

    assert found.findings


def test_a_foreign_exception_is_found_with_the_input_that_led_to_it() -> None:
    def judge(data: bytes) -> str:
        data.decode("ascii")
        return "text"

    (finding,) = run(target(judge), 500).findings

    assert isinstance(finding.error, UnicodeDecodeError)
    assert any(byte > 127 for byte in finding.data)


def test_an_input_that_takes_too_long_is_found_even_behind_a_broad_except() -> None:
    def judge(_data: bytes) -> str:
        while True:
            try:
                sum(range(1000))
            except Exception:  # noqa: BLE001, S112 - what must not help
                continue

    with pytest.raises(Hang):
        judged(judge, b"", deadline_s=0.1)


def test_an_input_that_costs_much_memory_is_found() -> None:
    spared_mb = running.peak_mb() - running.resident_mb()

    def judge(_data: bytes) -> str:
        return str(len(b"x" * round((running.PEAK_MB + spared_mb + 50) * 1e6)))

    with pytest.raises(MemoryError, match="MB"):
        judged(judge, b"")


def test_a_reader_that_never_forgets_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted bug: what lies behind a damaged frame is lost with it."""
    good = FrameReader._take

    def deaf(self: FrameReader, encoded: bytes) -> None:
        if not self.tally.bad:
            good(self, encoded)

    monkeypatch.setattr(FrameReader, "_take", deaf)
    found = run(line.TARGETS[0], 500)

    assert "was not heard" in str(found.findings[0].error)


def test_firmware_that_writes_past_its_buffer_is_found(tmp_path: Path) -> None:
    """A planted bug: one byte too many is kept."""
    source = (firmware.FIRMWARE / "src" / "frame.c").read_text()
    bad = tmp_path / "frame.c"
    wrong = source.replace("receiver->size == PLAIN_MAX", "receiver->size > PLAIN_MAX")
    bad.write_text(wrong.replace('"frame.h"', f'"{firmware.FIRMWARE / "src" / "frame.h"}"'))
    assert wrong != source
    sources = [bad if path.name == "frame.c" else path for path in firmware.SOURCES]
    found = firmware.run(2000, SEED, sources)

    assert "AddressSanitizer" in str(found.findings[0].error) or "runtime error" in str(
        found.findings[0].error
    )


def test_the_command_keeps_what_it_found_and_can_try_it_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(data: bytes) -> str:
        assert b"!" in data, "nobody shouts"
        return "loud"

    monkeypatch.setitem(command.TARGETS, "frames", target(judge, b"!"))

    assert command.main(["frames", "--count", "99", "--to", str(tmp_path)]) == 1
    (kept,) = tmp_path.iterdir()
    assert "nobody shouts" in capsys.readouterr().out
    with pytest.raises(AssertionError):
        command.main(["frames", "--again", str(kept)])
