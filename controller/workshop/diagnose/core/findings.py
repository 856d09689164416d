"""The findings of a diagnosis, each with its figure and its limit."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from engine.tabletop import load_cell_name


class Severity(StrEnum):
    """How bad it is."""

    FAULT = "fault"
    """The table cannot trust this sensor."""
    WARNING = "warning"
    """The table works, and will decide worse than it could."""
    NOTE = "note"
    """Worth knowing; nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be.

    Attributes:
        severity: how bad it is.
        sensor: `scale.0` ... `scale.3`, `scale` for all cells, `imu`, `tilt_switch`, `link`,
            `pivot`, `panel`, `button.pass` and its like.
        kind: stable name for programs, such as `cell_unplugged`.
        sentence: what is wrong, for a person.
        check: what to check next; empty where the sentence says it.
        figure: the measured value behind it, with its unit.
        limit: what would have been accepted.
        also: further sensors that it is about, such as the other one of an exchanged pair.
    """

    severity: Severity
    sensor: str
    kind: str
    sentence: str
    check: str
    figure: str = ""
    limit: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CellFigures:
    """One load cell at rest. NaN where nothing was heard.

    Attributes:
        rate_hz: conversions a second of the chip itself; NaN too where only rows are known.
        mean_counts, noise_counts, noise_g: of one conversion; the noise is robust.
        load_g: mean weight over the tare.
        drift_g_min: slope of the weight.
        heard: conversions that the reader believed, of all that were `given`.
        saturated, corrupt, resets: how often each was seen.
        missed: conversions that did not come, besides those of the power cycles.
    """

    rate_hz: float
    mean_counts: float
    noise_counts: float
    noise_g: float
    load_g: float
    drift_g_min: float
    heard: int
    given: int
    saturated: int
    corrupt: int
    resets: int
    missed: int = 0


@dataclass(frozen=True, slots=True)
class ImuFigures:
    """The inertial sensor at rest. NaN where nothing was heard.

    Attributes:
        accel_norm_g: length of the mean specific force; 1 at rest.
        accel_noise_g, gyro_noise_dps: of one sample, the worst axis.
        bias_dps: what the gyroscope says at rest beyond its calibrated bias, x y z.
        tilt_error_deg: angle between where gravity is felt and where it should be.
        temperature_c: of the chip, if the source knows it.
    """

    rate_hz: float
    accel_norm_g: float
    accel_noise_g: float
    gyro_noise_dps: float
    bias_dps: tuple[float, float, float]
    tilt_error_deg: float
    heard: int
    temperature_c: float | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The complete result, worst findings first, of so many seconds at rest.

    `tried` is what people did meanwhile, such as `press 1`; `friction_deg` the tilt band in which
    the pivot sticks, None when the board has not swung enough. Not `calibrated`: grams are a guess.
    """

    findings: tuple[Finding, ...]
    cells: tuple[CellFigures, ...]
    imu: ImuFigures
    seconds: float
    tried: tuple[str, ...] = ()
    friction_deg: float | None = None
    calibrated: bool = True

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong; notes do not count."""
        return all(finding.severity is Severity.NOTE for finding in self.findings)

    @property
    def verdict(self) -> str:
        """The whole in one sentence."""
        faults = sum(finding.severity is Severity.FAULT for finding in self.findings)
        warnings = sum(finding.severity is Severity.WARNING for finding in self.findings)
        if self.healthy:
            return "The table is healthy."
        counted = [_counted(faults, "fault"), _counted(warnings, "warning")]
        first = " Begin with the first." if faults + warnings > 1 else ""
        return f"The table is not healthy: {' and '.join(filter(None, counted))}.{first}"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}" if number else ""


_ORDER = tuple(Severity)


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by severity; within one, in the order in which they were found."""
    return tuple(sorted(findings, key=lambda finding: _ORDER.index(finding.severity)))


def whole(reason: str) -> str:
    """What a driver says, as a sentence that ends.

    >>> whole("It is silent; check the plug"), whole("")
    ('It is silent; check the plug.', '')
    """
    return f"{reason}." if reason and not reason.endswith(".") else reason


def cell_name(cell: int) -> str:
    """A load cell, at the beginning of a sentence.

    >>> cell_name(0)
    'Load cell C0'
    """
    return f"Load cell {load_cell_name(cell)}"
