"""A board of somebody else behind the bench: its firmware, its host program, and its `BoardTarget`.

    topple-table bench place_one --target tests.lab.bench.second_firmware.target:CsvTarget

The board is deliberately simple, as boards of a first afternoon are, and unlike ours: text with
commas and a counter of 10 ms at 115,200 baud (ours: binary frames with checksum, numbers and
microseconds at 250,000); one clock for all HX711, read when all have a word (one each); the
inertial sensor asked every 10 ms (its interrupt stamped); no watchdog.

`KNOWN` is what the bench found out about it. On the shared clock a conversion ends during about one
reading in five and spoils a data word (148 in the 8 s of `place_one`). On five tables drawn anew,
falls went wrong in 4 of 5 runs of `rule_topple_placing`, 4 of 5 of `rule_bump` and 3 of 5 of
`rule_late_topple`; with chips that keep a word while it is read the fall is seen. The lab's chips
restart a data word when a conversion ends during a reading; data sheets are silent about it. One
silent chip silences all four. It survives power cuts of the table and garbage on its line. The
tests of `tests/hw/test_source.py` found that its host program gave two rows the same time.
"""

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from shutil import which

from controller.common.errors import BadTarget
from engine.samples import SensorReport
from hw.calibration import Calibration
from hw.live import LiveSource
from hw.source import Item, SampleSource
from lab.avr.played import PlayedTable
from lab.avr.simavr import LabError, find_library
from lab.avr.wires import MemoryWire
from lab.bench.laboratory import disturb, handle_chip
from lab.bench.scenario import Scenario, Target
from lab.bench.steps import Line

HERE = Path(__file__).parent
BAUD = 115_200

COUNT_S = 0.01
"""Of the firmware's counter, which has sixteen bits."""
WRAP = 1 << 16

APART_S = 0.001
"""Lines of one count are as far apart as this, for want of knowing better."""

SILENT_S = 0.25
"""So long without a line is no line: 25 inertial samples."""


class CsvSource(LiveSource):
    """The host's side: lines of text become samples.

    Args:
        tower: what the sensors feel.
        calibration: of that tower.
        elf: the firmware.

    Attributes:
        played: processor and chips, and their table.
        wire: the serial line.
        bad_lines: lines that are none.
    """

    patience_s = 0.1

    def __init__(self, tower: SampleSource, calibration: Calibration, elf: Path) -> None:
        self.played = PlayedTable(tower, elf, clock_bits=(0, 0, 0, 0))
        self.table = self.played.lab
        self.wire = MemoryWire(self.table.avr)
        self.wire.host_baud = BAUD
        super().__init__(calibration, lambda: self.played.t_s, simulated=True)
        self.bad_lines = 0
        self._text = ""
        self._zero_s: float | None = None  # table time at which the counter was 0
        self._heard_s = 0.0
        self._silent = False
        self._rows: dict[str, list[tuple[float, list[int]]]] = {"S": [], "I": []}
        self._last_s = {"S": 0.0, "I": 0.0}

    @property
    def ended(self) -> bool:
        """Once the tower has ended and the chips have felt the last of it."""
        return super().ended or self.played.ended

    def poll(self, until_s: float) -> list[Item]:
        """Let tower, chips and processor go on, and give what has come."""
        while self.played.t_s < until_s:
            self.played.pass_time()
            self.wire.carry()
            self._read()
        return super().poll(until_s)

    def _listen(self) -> float:
        for said in self.played.said:  # people speak past the firmware
            self._put(said)
        self.played.said = []
        self._give()
        self._look_at_the_line()
        return self._now_s

    def _read(self) -> None:
        """Take what has come by now."""
        for kind, at, values in self._lines():
            # Two lines may bear one count; times of samples increase.
            t_s = max(self._time_s(at), self._last_s[kind] + APART_S)
            self._last_s[kind] = t_s
            self._rows[kind].append((t_s, values))

    def _lines(self) -> Iterator[tuple[str, int, list[int]]]:
        try:
            self._text += self.wire.read(self.wire.in_waiting).decode("ascii", "replace")
        except OSError:
            return  # unplugged
        *whole, self._text = self._text.split("\n")
        for line in whole:
            kind, _, numbers = line.partition(",")
            try:
                at, *values = map(int, numbers.split(","))
            except ValueError:
                self.bad_lines += 1
                continue
            if (kind, len(values)) in (("S", 4), ("I", 6)):
                yield kind, at, values
            else:
                self.bad_lines += 1

    def _time_s(self, at: int) -> float:
        """Table time of a counter, which is nearest to now of all it can mean."""
        now_s = self.played.t_s
        if self._zero_s is None:
            self._zero_s = now_s - at * COUNT_S
        elapsed = round((now_s - self._zero_s) / COUNT_S)
        wrapped = (at - elapsed + WRAP // 2) % WRAP - WRAP // 2
        if abs(wrapped) * COUNT_S > SILENT_S:  # it has started again
            self._zero_s, wrapped, elapsed = now_s - at * COUNT_S, 0, at
        return self._zero_s + (elapsed + wrapped) * COUNT_S

    def _give(self) -> None:
        makes: dict[str, Callable[..., Item]] = {
            "S": self.calibration.scale_samples, "I": self.calibration.imu_samples,
        }  # fmt: skip
        for kind, rows in self._rows.items():
            if rows:
                self._heard_s = self._now_s
                times, values = zip(*rows, strict=True)
                self._put(makes[kind](times, values))
                rows.clear()

    def _look_at_the_line(self) -> None:
        silent = self._now_s - self._heard_s > SILENT_S
        if silent != self._silent:
            self._silent = silent
            reason = "Nothing comes from the board; check the USB plug" if silent else ""
            self._put(SensorReport(self._now_s, "link", ok=not silent, reason=reason))

    def _let_go(self) -> None:
        self.wire.unplug()


@dataclass(frozen=True, slots=True)
class CsvBoard:
    """The board while a case is played; a `boards.Board`."""

    source: CsvSource

    @property
    def rates_hz(self) -> Mapping[str, float]:
        """None: a line is said whenever the slowest chip is ready."""
        return {}

    def counters(self) -> dict[str, float]:
        """Which lines were none.

        Broken rules of the data sheets are left out: `pin_violations` must be 0 in every case that
        counts them, and on one clock they never are. That is said once, in `KNOWN`.
        """
        return {"bad_frames": float(self.source.bad_lines)}

    def disturb(self, line: Line, seed: int) -> None:
        """On the wire, or at the reset pin, as in the lab."""
        disturb(self.source, line, seed)

    def handle_chip(self, order: str) -> None:
        """At a chip's plug or its wires, as in the lab."""
        handle_chip(self.source.table, order)


KNOWN: Mapping[str, str] = {
    "rule_topple_placing": "a conversion that ends during a reading spoils its data word, and on "
    "one clock nobody can wait for each chip; so many words are spoilt that a fall is missed",
    "chip_unplugged": "one clock reads all four chips or none, and one of them never has a word",
    "hang": "there is no watchdog: a firmware that hangs stays away",
    "misdated_ms": "its counter ticks every 10 ms, and a row is dated by the tick before",
    "rows_uneven": "the same",
    "rows_missing": "a row comes 12.7 ms after the one before, and its date 10 or 20",
    "words_unfelt": "one clock for all chips: two words in a hundred are spoilt",
}
"""What the bench found out about this board, on the first day."""

LEFT_OUT: Mapping[str, str] = {
    "line_unplugged": "it expects the sentences of the host program of target lab",
    "chip_shorted": "it expects the sentences of the firmware of target lab",
    "chip_imu_nack": "it asks for the firmware's count of failed transfers, and there is none",
    "mcu_reset": "it asks for a count of resets, and no line says one",
    "fault_switch_closed": "the board has no tilt switch",
}


@dataclass(frozen=True, slots=True)
class CsvTarget:
    """The board as a target of the bench; a `boards.BoardTarget`."""

    name: str = "csv"
    like: Target = "lab"
    known: Mapping[str, str] = field(default_factory=lambda: dict(KNOWN))

    def left_out(self, scenario: Scenario) -> str:
        """What the board has not got."""
        if "lost_frames" in scenario.measure:
            return "its lines have no numbers, so nobody can count those that are lost"
        return LEFT_OUT.get(scenario.name, "")

    def need(self) -> None:
        """Compiler and simulator, and the firmware made by them."""
        if find_library() is None:
            raise BadTarget("target csv: libsimavr is missing; apt-get install libsimavr2")
        built()

    def board(self, tower: SampleSource, calibration: Calibration, _case_id: str) -> CsvBoard:
        """Chips, firmware, line and host program."""
        try:
            return CsvBoard(CsvSource(tower, calibration, built()))
        except LabError as error:
            raise BadTarget(f"target csv: {error}") from error


@cache
def built() -> Path:
    """The firmware, built once in this process."""
    if which("avr-gcc") is None:
        raise BadTarget("target csv: avr-gcc is missing; apt-get install gcc-avr avr-libc")
    elf = Path(tempfile.mkdtemp(prefix="topple-csv-")) / "csv.elf"
    options = ["-mmcu=atmega328p", "-DF_CPU=16000000UL", "-std=gnu11", "-Os", "-Wall", "-Werror"]
    order = ["avr-gcc", *options, str(HERE / "firmware.c"), "-o", str(elf)]
    made = subprocess.run(order, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise BadTarget(f"target csv: the firmware does not compile: {made.stderr[-500:]}")
    return elf
