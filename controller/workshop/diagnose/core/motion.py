"""Finds what is wrong with the inertial sensor, the tilt switch and the pivot."""

from dataclasses import dataclass
from math import isnan

from controller.workshop.diagnose.core.findings import Finding, ImuFigures, Severity, whole
from hw.calibration import Calibration
from hw.drivers.pins import OF_PANEL
from hw.signal_figures import missing
from hw.source import UNKNOWN_SERVICE, ImuService
from hw.stretch import Stretch

RATE_TOLERANCE = 0.1
"""MPU-6050 datasheet: its oscillator is off by up to 5 %; clones by a little more."""

NORM_TOLERANCE = 0.1
"""Of 1 g. Datasheet: zero-g offset up to 0.08 g, scale 3 %; calibrated, a few thousandths."""
RANGES = {0.5: "+-4 g", 0.25: "+-8 g", 0.125: "+-16 g"}
"""Share of 1 g that is read when the chip measures over a wider range than +-2 g."""
RANGE_TOLERANCE = 0.08

TILT_LIMIT_DEG = 5.0
"""Public and simulated tables: 0.03 to 0.6 degrees off with a rough pivot. An empty board that
rests five degrees from where it should is mounted or calibrated otherwise."""
UPSIDE_DOWN_DEG = 150.0
ON_ITS_SIDE_DEG = (60.0, 120.0)

BIAS_LIMIT_DPS = 1.0
"""Calibrated within 0.03; a night's change of temperature moves a MPU-6050 by some tenths (0.05
a degree centigrade). The detector tracks it, but needs to begin near."""
BIAS_FAULT_DPS = 20.0
"""Datasheet: the largest zero rate of a good chip."""

ACCEL_NOISE_LIMIT_G = 0.02
"""Real chips: 0.003 to 0.005 g a sample."""
GYRO_NOISE_LIMIT_DPS = 0.6
"""Real chips: 0.09 to 0.13."""

FRICTION_AIM_DEG = 0.25
"""docs/traces.md: beyond it accuracy suffers."""
FRICTION_LIMIT_DEG = 0.6
"""The roughest pivots that were measured (0.36 to 0.54) still play; what is rougher is damaged."""

BUS_ERRORS_LIMIT = 2
"""While watched; a spark on the wires now and then does no harm."""

TEMPERATURE_C = (-10.0, 60.0)
"""A living room and the chip's own warmth; outside, the reading itself is wrong."""


@dataclass(frozen=True, slots=True)
class PivotFigures:
    """The tilt band in which the pivot sticks, by whoever can tell (`engine.detect`)."""

    friction_deg: float
    friction_sd_deg: float

    @property
    def sure(self) -> bool:
        """Whether the board has swung enough to say so."""
        return self.friction_sd_deg <= self.friction_deg / 4


def imu_findings(
    stretch: Stretch,
    calibration: Calibration,
    imu: ImuFigures,
    before: ImuService = UNKNOWN_SERVICE,
    after: ImuService = UNKNOWN_SERVICE,
) -> list[Finding]:
    """Everything about the inertial sensor at rest, and what its reader knew before and after."""
    dead = _dead(stretch)
    if dead is not None:
        return [dead]
    misread = _scale_or_mounting(imu)
    checks = [
        _rate(imu, calibration.imu.rate_hz),
        misread,
        # A bias calibrated for other axes or another range is off by itself.
        _bias(imu) if misread is None else None,
        _noise(imu),
        _missing(stretch),
        _bus_errors(before, after),
        _int_open(after),
        _unknown_chip(after),
        _temperature(imu),
    ]
    return [finding for finding in checks if finding is not None]


def switch_findings(stretch: Stretch) -> list[Finding]:
    """A tilt switch that is closed although the board hangs level."""
    if not (stretch.switches and stretch.switches[-1].closed):
        return []
    return [
        Finding(
            Severity.WARNING,
            "tilt_switch",
            "switch_stuck",
            "The tilt switch is closed although the board is at rest.",
            "Check its two wires for a short and that its ball moves when you shake it.",
            "closed",
            "open at rest",
        )
    ]


def panel_findings(stretch: Stretch) -> list[Finding]:
    """Buttons, lights and buzzer that are configured and cannot be used, or are stuck."""
    latest = {report.sensor: report for report in stretch.reports}
    return [
        Finding(Severity.WARNING, sensor, "panel", report.reason, "")
        for sensor, report in latest.items()
        if sensor.partition(".")[0] in OF_PANEL and not report.ok
    ]


def pivot_findings(pivot: PivotFigures | None) -> list[Finding]:
    """A pivot that holds the board fast; nothing while it has not swung enough."""
    if pivot is None or not pivot.sure:
        return []
    if pivot.friction_deg <= FRICTION_AIM_DEG:
        return []
    damaged = pivot.friction_deg > FRICTION_LIMIT_DEG
    return [
        Finding(
            Severity.WARNING if damaged else Severity.NOTE,
            "pivot",
            "pivot_rough",
            f"The pivot is rough: it sticks within {pivot.friction_deg:.2f} degrees.",
            "Clean and re-point the tip and its seat; check that the sensor's cable hangs free.",
            f"{pivot.friction_deg:.2f} +- {pivot.friction_sd_deg:.2f} degrees",
            f"aim {FRICTION_AIM_DEG} degrees, at most {FRICTION_LIMIT_DEG}",
        )
    ]


def _imu(  # noqa: PLR0917 - the fields of a finding
    severity: Severity, kind: str, sentence: str, check: str, figure: str, limit: str
) -> Finding:
    return Finding(severity, "imu", kind, sentence, check, figure, limit)


def _dead(stretch: Stretch) -> Finding | None:
    raw = stretch.imu.raw
    n = len(raw)
    if n < 3 or stretch.imu.t_s[-1] < stretch.end_s - 1.0:
        said = next((r.reason for r in reversed(stretch.reports) if r.sensor == "imu"), "")
        return _imu(
            Severity.FAULT,
            "imu_missing",
            whole(said) or "The inertial sensor does not answer.",
            "Check its four wires (3.3 V, ground, SDA, SCL) and its address (AD0 low: 0x68); the "
            "thin cable through the stem breaks first.",
            f"{n} samples in {stretch.seconds:.0f} s",
            "200 a second",
        )
    half = raw[n // 2 :]
    if not half.any():
        return _imu(
            Severity.FAULT,
            "imu_asleep",
            "The inertial sensor answers with zeros only: it is asleep.",
            "It woke up without being set up, as after a dip of its supply: check its 3.3 V wire, "
            "then start the table again.",
            f"{len(half)} samples of zeros",
            "none",
        )
    if (half == half[0]).all():
        return _imu(
            Severity.FAULT,
            "imu_stuck",
            "The inertial sensor repeats one value.",
            "Take the table's supply away for ten seconds; if it comes back, replace the sensor.",
            f"{len(half)} equal samples",
            "samples that flicker",
        )
    return None


def _rate(imu: ImuFigures, wanted_hz: float) -> Finding | None:
    if abs(imu.rate_hz / wanted_hz - 1) <= RATE_TOLERANCE:
        return None
    return _imu(
        Severity.WARNING,
        "imu_wrong_rate",
        f"The inertial sensor delivers {imu.rate_hz:.0f} samples a second.",
        "Check its settings (sample rate divider 4, low-pass filter 44 Hz) and the I2C speed "
        "(400 kHz).",
        f"{imu.rate_hz:.1f} a second",
        f"{wanted_hz:.0f} a second within {RATE_TOLERANCE:.0%}",
    )


def _scale_or_mounting(imu: ImuFigures) -> Finding | None:
    norm = imu.accel_norm_g
    if abs(norm - 1) > NORM_TOLERANCE:
        wide = next((r for s, r in RANGES.items() if abs(norm / s - 1) < RANGE_TOLERANCE), None)
        cause = f": its range is {wide}" if wide else ""
        return _imu(
            Severity.FAULT,
            "imu_wrong_scale",
            f"The inertial sensor feels {norm:.2f} g at rest{cause}.",
            f"Set its range to +-2 g. It is set to {wide}." if wide
            else "Check which sensor it is (MPU-6050?) and calibrate it again.",
            f"{norm:.3f} g",
            f"1 g within {NORM_TOLERANCE:g} g",
        )  # fmt: skip
    angle = imu.tilt_error_deg
    if not angle > TILT_LIMIT_DEG:
        return None
    figure, limit = f"{angle:.0f} degrees off", f"at most {TILT_LIMIT_DEG:.0f} degrees"
    if angle > UPSIDE_DOWN_DEG:
        kind, how = "imu_upside_down", "is upside down"
    elif ON_ITS_SIDE_DEG[0] < angle < ON_ITS_SIDE_DEG[1]:
        kind, how = "imu_axes", "lies on its side: its axes are not where the calibration says"
    else:
        kind, how = "imu_mounting", f"sits {angle:.0f} degrees askew"
    return _imu(
        Severity.FAULT,
        kind,
        f"The inertial sensor {how}.",
        "See that the board is empty and hangs free; mount the sensor as drawn, or calibrate its "
        "position again.",
        figure,
        limit,
    )


def _bias(imu: ImuFigures) -> Finding | None:
    worst = max(abs(axis) for axis in imu.bias_dps)
    if worst <= BIAS_LIMIT_DPS:
        return None
    broken = worst > BIAS_FAULT_DPS
    return _imu(
        Severity.FAULT if broken else Severity.WARNING,
        "gyro_bias",
        f"The gyroscope turns by {worst:.1f} degrees a second while the board is at rest.",
        "Replace the sensor." if broken
        else "Check that nobody moves the table; let it warm up for a minute and calibrate the "
        "sensor again.",
        f"{worst:.2f} degrees a second",
        f"at most {BIAS_LIMIT_DPS:g} degrees a second",
    )  # fmt: skip


def _noise(imu: ImuFigures) -> Finding | None:
    if imu.accel_noise_g <= ACCEL_NOISE_LIMIT_G and imu.gyro_noise_dps <= GYRO_NOISE_LIMIT_DPS:
        return None
    return _imu(
        Severity.WARNING,
        "imu_noisy",
        "The inertial sensor is noisy, or something shakes the table.",
        "Keep hands and music off the table and try again; then check the sensor's supply and its "
        "low-pass filter (44 Hz).",
        f"{imu.accel_noise_g * 1000:.0f} mg, {imu.gyro_noise_dps:.2f} degrees a second",
        f"at most {ACCEL_NOISE_LIMIT_G * 1000:.0f} mg and {GYRO_NOISE_LIMIT_DPS} degrees a second",
    )


def _missing(stretch: Stretch) -> Finding | None:
    share = missing(stretch.imu.t_s) / max(1, len(stretch.imu.t_s))
    if share <= RATE_TOLERANCE / 10:
        return None
    return _imu(
        Severity.WARNING,
        "imu_samples_missed",
        "Samples of the inertial sensor are missing.",
        "Check its cable; on the Pi, close other programs.",
        f"{share:.1%} of the samples",
        f"at most {RATE_TOLERANCE / 10:.0%}",
    )


def _bus_errors(before: ImuService, after: ImuService) -> Finding | None:
    restarted = after.bus_errors < before.bus_errors
    failed = after.bus_errors - (0 if restarted else before.bus_errors)
    if failed <= BUS_ERRORS_LIMIT:
        return None
    return _imu(
        Severity.WARNING,
        "imu_bus_errors",
        "The inertial sensor does not answer some of its reads.",
        "Check its four wires and the thin cable through the stem; shorten it if you can.",
        f"{failed} reads",
        f"at most {BUS_ERRORS_LIMIT}",
    )


def _int_open(service: ImuService) -> Finding | None:
    if not service.int_open:
        return None
    return _imu(
        Severity.WARNING,
        "imu_int_open",
        "INT of the inertial sensor never rises: it is asked for its samples instead, and their "
        "times are less exact.",
        "Check the INT wire of the inertial sensor, at its plug and at D12 of the microcontroller.",
        "no rise",
        "one each sample",
    )


def _unknown_chip(service: ImuService) -> Finding | None:
    if service.warning is None:
        return None
    return _imu(
        Severity.WARNING,
        "imu_unknown_chip",
        f"{service.warning.sentence}.",
        "If tilt and temperature are right, play on and report the number; else use an MPU-6050.",
        f"0x{service.who:02X}",
        "a chip of the list",
    )


def _temperature(imu: ImuFigures) -> Finding | None:
    warm = imu.temperature_c
    if warm is None or isnan(warm) or TEMPERATURE_C[0] <= warm <= TEMPERATURE_C[1]:
        return None
    return _imu(
        Severity.WARNING,
        "imu_temperature",
        f"The inertial sensor reports {warm:.0f} degrees centigrade.",
        "Feel it: if it is not hot, its supply or its register reads are wrong.",
        f"{warm:.0f} C",
        f"{TEMPERATURE_C[0]:.0f} to {TEMPERATURE_C[1]:.0f} C",
    )
