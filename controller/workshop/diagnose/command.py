"""`topple-table diagnose`: watch the table for some seconds and say what is wrong with it.

The table is watched at rest; with `--interactive` people are then asked to press above each load
cell and to push the board down at two sides, which tells what rest cannot: which cell is which,
which way round its wires are, where the inertial sensor's axes point. On the simulated table a
simulated helper does it at once. What is wrong is decided in the folder `core`; here is the asking.

A table that is being built has no calibration yet. It is judged by its drawing then, and by what
its own rest tells (`core/provisional.py`); what only a calibration knows is not judged.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import degrees
from pathlib import Path
from typing import TextIO

import numpy as np

from controller.app import wiring
from controller.common.config import SourceConfig, source_of
from controller.common.errors import BadInput
from controller.common.lab_entry_points import simulated
from controller.workshop.calibrate.calibrations import Calibrations
from controller.workshop.calibrate.core.design import drawn_starter
from controller.workshop.calibrate.core.recent_samples import RecentSamples
from controller.workshop.calibrate.core.steps import Notes, RestCounts
from controller.workshop.calibrate.core.swinging import best_swing
from controller.workshop.diagnose.assistant import SIDES, Helper, Person
from controller.workshop.diagnose.core.examine import ALL_PARTS, LEAST_S, Part, examine
from controller.workshop.diagnose.core.findings import Diagnosis
from controller.workshop.diagnose.core.motion import PivotFigures
from controller.workshop.diagnose.core.presses import CellPress, Tilt
from controller.workshop.diagnose.core.provisional import (
    forgiven,
    provisional,
    restated,
    restated_tilt,
    unweighed,
)
from controller.workshop.diagnose.report import json_line, print_report
from controller.workshop.measure import measured
from controller.workshop.pace import Pace
from engine.detect.detector import Detector
from engine.samples import SensorReport, SwitchSample
from engine.tabletop import Tabletop
from hw.building.assembly import CALIBRATED_FROM, AssemblyStep
from hw.building.assembly import step as assembly_step
from hw.building.design import drawn_table
from hw.calibration import Calibration
from hw.conversions import HasConversions, OfEach
from hw.drivers.pins_health import HasPins
from hw.source import (
    UNKNOWN_SERVICE,
    HasImuService,
    HasLink,
    ImuService,
    Item,
    LinkHealth,
    SampleSource,
    Thermometer,
    samples_of,
)
from hw.stretch import Stretch, gather

HEALTHY, FINDINGS = 0, 1
"""Exit codes; 2 is wrong use."""

SECONDS = 10.0
"""Noise within 5 %, a drift of a piece a minute, two of the rarest resets."""
LONGEST_S = 3600.0

PRESS_S = 6.0
"""Time for reading the request, pressing for two seconds and letting go."""
SWING_S = 8.0
"""The same for the board, which swings on when it is let go."""

STEP_S = 1.0
"""Of a table that need not wait for the clock."""


class Watch:
    """A source watched for stretches of time, at a pace."""

    def __init__(self, source: SampleSource, pace: Pace) -> None:
        self._source, self._pace = source, pace
        self.items: list[Item] = []

    def stretch(self, seconds: float) -> Stretch:
        """Everything of the next so many seconds; shorter when the source ends."""
        start_s = self._pace.now_s
        end_s = start_s + seconds
        new: list[Item] = [*_standing(self.items)]
        told = len(new)
        self._converted()  # what was before is not of this stretch
        while self._pace.now_s < end_s and not self._source.ended:
            new += self._source.poll(self._pace.next(end_s))
        self.items += new[told:]
        if self._source.ended:
            end_s = min(end_s, max(_end_s(new), start_s))
        return gather(new, start_s, end_s, self._converted())

    def _converted(self) -> OfEach:
        return self._source.conversions() if isinstance(self._source, HasConversions) else ()


def _standing(items: Iterable[Item]) -> list[Item]:
    """What was said before and still holds: the last word on each sensor, and the switch."""
    latest: dict[str, Item] = {}
    for item in items:
        if isinstance(item, SensorReport):
            latest[item.sensor] = item
        elif isinstance(item, SwitchSample):
            latest["switch"] = item
    return list(latest.values())


def _end_s(items: Iterable[Item]) -> float:
    blocks = [item.t_s for item in samples_of(items)]
    return max(float(t if isinstance(t, float) else t[-1]) for t in blocks) if blocks else 0.0


def diagnose(  # noqa: PLR0917 - a table, and who stands at it
    source: SampleSource,
    watch: Watch,
    helper: Helper | None,
    seconds: float = SECONDS,
    weight_g: float | None = None,
    parts: Iterable[Part] = ALL_PARTS,
    *,
    calibrated: bool = True,
) -> Diagnosis:
    """Watch a table, empty and at rest, and say what is wrong with it.

    Without a helper it is only looked at. The known weight is set on each corner, or a finger
    presses if it is None. Not `calibrated`: the source's calibration is only the drawing's.

    Raises:
        BadInput: the source gave too little.
    """
    calibration, before, imu_before = source.calibration, _link(source), _imu_service(source)
    rest = watch.stretch(seconds)
    if rest.seconds < min(seconds, LEAST_S):
        raise BadInput(
            f"only {rest.seconds:.1f} s of samples; a diagnosis needs {LEAST_S:.0f} s or more"
        )
    after, imu_after = _link(source), _imu_service(source)
    presses, tilts = _asked(helper, watch, weight_g) if helper else ((), ())
    pivot: PivotFigures | None = None
    if not calibrated:
        calibration = provisional(calibration, rest)
        rest = restated(rest, calibration)
        presses = [unweighed(press, calibration) for press in presses]
        tilts = [restated_tilt(tilt, calibration) for tilt in tilts]
        pivot = _swung(calibration, rest, tilts)
    elif tilts:
        pivot = _pivot(source.tabletop, watch.items)
    found = examine(
        rest,
        calibration,
        presses=presses,
        tilts=tilts,
        link=None if before is None or after is None else (before, after),
        on_pins=isinstance(source, HasPins),
        service=(imu_before, imu_after),
        pivot=pivot,
        temperature_c=source.imu_temperature_c if isinstance(source, Thermometer) else None,
        parts=frozenset(parts),
    )
    if calibrated:
        return found
    return replace(found, findings=forgiven(found.findings), calibrated=False)


def _asked(
    helper: Helper, watch: Watch, weight_g: float | None
) -> tuple[Sequence[CellPress], Sequence[Tilt]]:
    presses, tilts = [], []
    for cell in range(4):
        helper.press(cell, weight_g)
        presses.append(CellPress(cell, watch.stretch(PRESS_S), weight_g))
    for side in SIDES:
        helper.push_down(side)
        tilts.append(Tilt(side, watch.stretch(SWING_S)))
    helper.done()
    return presses, tilts


def _link(source: SampleSource) -> LinkHealth | None:
    return source.link_health() if isinstance(source, HasLink) else None


def _imu_service(source: SampleSource) -> ImuService:
    return source.imu_service() if isinstance(source, HasImuService) else UNKNOWN_SERVICE


def _pivot(tabletop: Tabletop, items: Iterable[Item]) -> PivotFigures:
    """What the detector's own model of the swing says about the pivot."""
    detector = Detector(tabletop)
    for item in samples_of(items):
        detector.feed(item)
        while detector.next_event() is not None:
            pass
    health = detector.health()
    return PivotFigures(health.friction_deg, health.friction_sd_deg)


def _swung(calibration: Calibration, rest: Stretch, tilts: Sequence[Tilt]) -> PivotFigures | None:
    """The pivot by the inertial sensor alone, as long as nobody knows what the cells weigh."""
    signals, imu = RecentSamples(), calibration.imu
    for tilt in tilts:
        signals.add(tilt.stretch.imu)
    bias_dps, nothing = np.asarray(imu.gyro_bias_dps), np.zeros(4)
    still = RestCounts(rest.end_s, nothing, nothing, np.zeros(3), bias_dps, 0.0, imu.rate_hz)
    notes = Notes(calibration, (), rest=still, rotation=np.asarray(imu.rotation))
    notes.accel_bias_g = np.asarray(imu.accel_bias_g)
    spans = [(tilt.stretch.start_s, tilt.stretch.end_s) for tilt in tilts]
    swing = best_swing(notes, signals, spans)
    if swing is None:
        return None
    return PivotFigures(degrees(swing.friction_rad), degrees(swing.friction_sd_rad))


# --- the command --------------------------------------------------------------------------


def run(
    config: Path | None,
    *,
    seconds: float = SECONDS,
    as_json: bool = False,
    interactive: bool = True,
    weight_g: float | None = None,
    faults: Sequence[str] = (),
    parts: Sequence[str] = (),
    step: int | None = None,
    out: TextIO | None = None,
) -> int:
    """Diagnose a table and print what was found; options as of the command line.

    Returns:
        Exit code: 0 healthy, 1 something was found.

    Raises:
        BadInput, BadConfig, HardwareError: it cannot be diagnosed; the message says why.
    """
    if not LEAST_S <= seconds <= LONGEST_S:
        raise BadInput(f"--seconds {seconds:g}: it can be {LEAST_S:.0f} to {LONGEST_S:.0f}")
    if weight_g is not None and not 20 <= weight_g <= 2000:
        raise BadInput(f"--weight {weight_g:g}: it can be 20 to 2000 g")
    out = out or sys.stdout
    built = _parts(parts)
    guide = None if step is None else assembly_step(step)
    if guide is not None:
        print(f"Step {step}, {guide.title}. Check yourself: {guide.by_hand}", file=sys.stderr)
        if not guide.parts:
            return HEALTHY
        built, interactive = _parts(sorted(guide.parts)), interactive and guide.asks
    chosen = source_of(config)
    table = _table(chosen, faults, interactive=interactive, ask_on=sys.stderr)
    try:
        _check_calibrated(table, guide)
        if table.live:
            print("Take everything off the board, hands off.", file=sys.stderr, flush=True)
        found = diagnose(
            table.source,
            Watch(table.source, Pace(live=table.live, step_s=STEP_S)),
            table.helper,
            seconds,
            weight_g,
            built,
            calibrated=table.calibrated,
        )
    finally:
        table.source.close()
    if as_json:
        print(json_line(found), file=out)
    else:
        print_report(found, out, simulated=table.source.simulated)
    return HEALTHY if found.healthy else FINDINGS


def _check_calibrated(table: "_Table", guide: AssemblyStep | None) -> None:
    """Refuse to judge a calibration that is not there."""
    if not table.calibrated and guide is not None and guide.number >= CALIBRATED_FROM:
        raise BadInput(
            f"step {guide.number} looks at the calibration, and there is none yet; run "
            "topple-table calibrate first"
        )


def _parts(names: Sequence[str]) -> frozenset[Part]:
    try:
        return frozenset(Part(name) for name in names) or ALL_PARTS
    except ValueError as error:
        raise BadInput(f"--part: {error}; there are {', '.join(Part)}") from None


@dataclass(frozen=True, slots=True)
class _Table:
    """What is looked at, who helps, and whether it is live and calibrated."""

    source: SampleSource
    helper: Helper | None
    live: bool
    calibrated: bool = True


def _table(
    chosen: SourceConfig, faults: Sequence[str], *, interactive: bool, ask_on: TextIO
) -> _Table:
    """The table that a configuration names."""
    if chosen.kind == "twin":
        # Not the evening of `wiring.source`: a table that is diagnosed has nobody playing on it.
        source, helper = simulated("diagnosing")(
            chosen.preset, chosen.seed, (*chosen.faults, *faults), starter=chosen.starter
        )
        return _Table(source, helper if interactive else None, live=False)
    if faults:
        raise BadInput("--fault: only the simulated table can simulate faults")
    if chosen.kind == "recording":
        return _Table(wiring.source(chosen), None, live=False)
    known = Calibrations(chosen.calibration).current()
    starter = chosen.kind == "pi" and chosen.pi.starter
    drawn = drawn_table(measured(chosen))
    source = wiring.source(chosen, known or (drawn_starter(drawn) if starter else drawn))
    helper = Person(ask_on) if interactive and not starter else None
    return _Table(source, helper, live=True, calibrated=known is not None)
