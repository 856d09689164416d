"""What the sensors say, after calibration: blocks of numbers with their table times.

Samples travel in blocks, since a Pi should not build 300 objects a second only to add them up
again. How a stream is cut into blocks never changes what is decided: the detector cuts time
into its own ticks. The raw counts travel with the calibrated values, so that any reading can
be explained later.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.trouble import Args, Trouble

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

GAP_PERIODS = 3
"""A conversion that comes more than this many periods after the one before says that the chip was
power-cycled, and the one before is not to be trusted: of 128 such counts in recordings, 45 % were
more than five standard deviations off, of all others 1.6 %. On a real Pi 139 such gaps had 4.45
periods, none between 1.6 and 4.3."""


@dataclass(frozen=True, slots=True, eq=False)
class ScaleSamples:
    """Weights over the tare (empty board at rest), one column per load cell.

    Attributes:
        t_s: shape (n,), table time of each conversion, increasing.
        mass_g: shape (n, 4), grams on each load cell; NaN where `valid` is false.
        raw: shape (n, 4), signed 24-bit HX711 counts.
        valid: shape (n, 4), false where the reader condemned the count (late, saturated, stuck).
    """

    t_s: Floats
    mass_g: Floats
    raw: Ints
    valid: Flags


@dataclass(frozen=True, slots=True, eq=False)
class ImuSamples:
    """Specific force and angular rate of the board, in the board frame, biases removed.

    Board frame: x from file a to e, y from rank 1 to 5, z up, origin at the pivot.

    Attributes:
        t_s: shape (n,), table time, increasing.
        accel_g: shape (n, 3), specific force in units of standard gravity (+1 on z at rest).
        rate_rad_s: shape (n, 3).
        raw: shape (n, 6), signed 16-bit counts: accelerometer x y z, gyroscope x y z.
    """

    t_s: Floats
    accel_g: Floats
    rate_rad_s: Floats
    raw: Ints


@dataclass(frozen=True, slots=True)
class SwitchSample:
    """An edge of the tilt switch."""

    t_s: float
    closed: bool


@dataclass(frozen=True, slots=True)
class SensorReport:
    """What a source knows about a sensor of its own that no sample can say.

    Attributes:
        t_s: table time.
        sensor: `scale.0` ... `scale.3`, `imu`, `tilt_switch`, `link`.
        ok: false when the sensor is lost or not to be trusted, true when it is back.
        reason: one sentence with what to check next; empty when `ok`.
        code, args: of the reason, as in `Trouble`; empty for one without.
    """

    t_s: float
    sensor: str
    ok: bool
    reason: str = ""
    code: str = ""
    args: Args = field(default_factory=dict)

    @classmethod
    def of(cls, t_s: float, sensor: str, trouble: Trouble | None) -> "SensorReport":
        """What is wrong with a sensor; None: it is well again."""
        if trouble is None:
            return cls(t_s, sensor, ok=True)
        return cls(t_s, sensor, False, trouble.sentence, trouble.code, trouble.args)


Samples = ScaleSamples | ImuSamples | SwitchSample | SensorReport
