"""How the line to the microcontroller is: one frozen document for page, owner and bug report.

Counters count since the microcontroller started, unless they say otherwise.
"""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec

from firmware_bridge.messages import ResetCause, Status

if TYPE_CHECKING:  # a table without a microcontroller has no pyserial, and is asked all the same
    from hw.serial.link_reader import LinkState

ROUND_HZ, ROUND_PPM = 2, 0


class LinkHealth(msgspec.Struct, frozen=True):
    """The microcontroller, its serial line and what the line tells about the sensors.

    Attributes:
        ok: samples come; `words` then is empty, or a hint that does no harm.
        words: what is wrong and what to check next.
        firmware: version of the firmware, None before it said so.
        boot: its boot counter: high byte power-ons, low byte resets since.
        reset_cause: why it started last: `power_on`, `external`, `brown_out`, `watchdog`.
        resets: restarts in mid-stream since this program started.
        age_s: time since the last frame; None before the first.
        bad_crc, bad_form: pieces thrown away because of damage, since this program started;
            after each the receiver found its step again at the next zero byte.
        lost_on_line: frames that were sent and did not arrive.
        dropped_by_device: frames for which the microcontroller had no room.
        missed: conversions of each load cell that nobody fetched from its chip.
        disordered: frames twice or in the wrong order; no serial line does that.
        overflowed, late: events that this program took too late, since it started.
        condemned: conversions of each cell that were not believed, since this program started.
        rates_hz: measured conversion rate of each cell; None until it is known.
        imu_rate_hz: of the inertial sensor.
        imu_errors: failed transfers to it. imu_who: its WHO_AM_I, 0 while there is none.
        imu_celsius: its temperature, None before it is known.
        cell_resets: power cycles the microcontroller gave to silent chips.
        busy_percent: how busy the microcontroller is.
        clock_ppm: how much its clock is too slow; None until it is known.
    """

    ok: bool
    words: str = ""
    firmware: int | None = None
    boot: int | None = None
    reset_cause: tuple[str, ...] = ()
    resets: int = 0
    age_s: float | None = None
    bad_crc: int = 0
    bad_form: int = 0
    lost_on_line: int = 0
    dropped_by_device: int = 0
    missed: tuple[int, ...] = ()
    disordered: int = 0
    overflowed: int = 0
    late: int = 0
    condemned: tuple[int, ...] = ()
    rates_hz: tuple[float | None, ...] = ()
    imu_rate_hz: float | None = None
    imu_errors: int = 0
    imu_who: int = 0
    imu_celsius: float | None = None
    cell_resets: int = 0
    busy_percent: int = 0
    clock_ppm: float | None = None


@runtime_checkable
class HasLink(Protocol):
    """A source whose samples come over a line that can be well or ill by itself."""

    def link_health(self) -> LinkHealth:
        """How the line is now."""
        ...


def with_state(health: LinkHealth, state: "LinkState") -> LinkHealth:
    """Fill in what the line itself knows."""
    hello, losses, tally = state.hello, state.losses, state.tally
    rates_hz = tuple(_rate_hz(period_us) for period_us in state.periods_us)
    return msgspec.structs.replace(
        health,
        firmware=None if hello is None else hello.firmware_version,
        boot=None if hello is None else hello.boot_counter,
        reset_cause=() if hello is None else _causes(hello.reset_cause),
        bad_crc=tally.bad_crc,
        bad_form=tally.bad_form,
        lost_on_line=losses.link,
        dropped_by_device=losses.device,
        missed=losses.missed,
        disordered=losses.disordered,
        overflowed=state.overflowed,
        rates_hz=rates_hz[:-1],
        imu_rate_hz=rates_hz[-1],
        clock_ppm=None if state.rate_ppm is None else round(state.rate_ppm, ROUND_PPM),
    )


def with_status(health: LinkHealth, status: Status | None) -> LinkHealth:
    """Fill in what the microcontroller said of itself in its last heartbeat."""
    if status is None:
        return health
    return msgspec.structs.replace(
        health,
        imu_errors=status.imu_errors,
        imu_who=status.imu_who,
        cell_resets=status.cell_resets,
        busy_percent=status.busy_percent,
    )


def _rate_hz(period_us: float | None) -> float | None:
    return None if period_us is None else round(1e6 / period_us, ROUND_HZ)


def _causes(bits: int) -> tuple[str, ...]:
    return tuple((cause.name or "").lower() for cause in ResetCause if cause and bits & cause)
