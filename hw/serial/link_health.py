"""How the line to the microcontroller is: filled in from what line and heartbeat know."""

from typing import TYPE_CHECKING

import msgspec

from firmware_bridge.messages import ResetCause, Status
from hw.source import LinkHealth

if TYPE_CHECKING:  # a table without a microcontroller has no pyserial, and is asked all the same
    from hw.serial.link_reader import LinkState

ROUND_HZ, ROUND_PPM = 2, 0


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
