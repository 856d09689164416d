"""Hands: how long they touch, how hard they press, how people clear, how often the table shakes.

All of it is read off the weight and the motion round what was placed. These are figures of how
the signal looks; what they mean for a simulated hand is said by comparing with simulated people
(`lab.fit.assumptions`), because a board that gives way hides how far a finger pressed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.samples import Flags, Floats
from lab.fit.estimates import Estimate, between, bootstrap, missing
from lab.fit.evening import TICK_S, EveningSignals

LEAST_PLACED = 15
LEAST_CLEARED = 3

AROUND_S = (1.6, 0.25)
"""A contact is looked for so long before and after a piece was let go."""

LATE_S = 0.03
"""By so much contacts of known length come out too long (twins and public games): the cells'
averaging, and releases that are told late."""

CONTACT_FLOOR_S = 0.03
"""Standard deviation of what all contacts of an evening are off alike: a tick, and how softly this
table's people begin to touch (twins, and games whose truth is known)."""

ALONE_TICKS = 24
"""0.6 s: in a shorter rest the hand that comes next is the one that was there."""

FELT_NOISES = 5.0
"""A hand is felt when the weight is off by so many standard deviations of a tick."""

SHAKEN_G = 0.04
"""Acceleration by which a table that was bumped stands out; a swing makes a hundredth."""
LEAST_SHAKES = 8
SHAKE_HZ = (4.5, 45.0)
SHAKE_S = 0.4
QUIET_BEFORE_S = 0.2

LIFTED_SHARE = 0.7
"""Who lifts the board away takes its whole weight off the cells."""


@dataclass(frozen=True, slots=True)
class PlacingContact:
    """One hand that put a piece down.

    Attributes:
        lasted_s: from the first touch to the release.
        mean_g, most_g: the weight of the hand beside the piece's, on average and at most.
        kick_g: what the weight does within a tenth of a second of the release.
    """

    lasted_s: float
    mean_g: float
    most_g: float
    kick_g: float


def fitted(evening: EveningSignals) -> tuple[Estimate, ...]:
    """Everything that is told about hands."""
    return (
        *_placing(list(contacts(evening))),
        *_pauses(evening),
        *_clearing(evening),
        *_shaking(evening),
    )


# --- placing ----------------------------------------------------------------------------------


def contacts(evening: EveningSignals) -> Iterator[PlacingContact]:
    """The hands of all placements that can be told apart from what was before and after."""
    weight, t_s = evening.weight_g, evening.t_s
    noise_g = _noise_g(evening)
    alone = _left_alone(evening)
    for piece in evening.placements:
        release = int(np.searchsorted(t_s, piece.t_s))
        first = max(release - round(AROUND_S[0] / TICK_S), 0)
        last = min(release + round(AROUND_S[1] / TICK_S), len(t_s) - 1)
        quiet = np.flatnonzero(alone[first:release])
        if not len(quiet) or last - release < 4:
            continue
        # The last quiet tick may already feel the hand: look from a little before it.
        begin = first + int(quiet[-1]) - 6
        before = float(np.median(weight[max(begin - 10, 0) : max(begin, 1)]))
        part = weight[begin:release] - before
        felt = np.flatnonzero(part > max(FELT_NOISES * noise_g, 0.4))
        if not len(felt) or not np.isfinite(part).all():
            continue
        hand = part[felt[0] :]
        after = weight[release : release + 4] - before
        yield PlacingContact(
            float(piece.t_s - t_s[begin + felt[0]]) + TICK_S - LATE_S,
            float(np.mean(hand)),
            float(np.max(hand)),
            float(np.max(np.abs(np.diff(after)))),
        )


def _left_alone(evening: EveningSignals) -> Flags:
    """Ticks of runs in which nobody touched for long: hands hover over a board for a moment."""
    alone = np.zeros(len(evening.free), dtype=np.bool_)
    for run in evening.runs(evening.free, ALONE_TICKS):
        alone[run] = True
    return alone


def _noise_g(evening: EveningSignals) -> float:
    """Noise of a tick of the weight while nobody touches."""
    weight = evening.weight_g[evening.free]
    steps = np.abs(np.diff(weight, 2))
    steps = steps[np.isfinite(steps)]
    return float(np.median(steps) / (0.6745 * 6**0.5)) if len(steps) else 0.1


def _placing(found: Sequence[PlacingContact]) -> Iterator[Estimate]:
    columns = {
        "contact_s_typical": [hand.lasted_s for hand in found],
        "press_g_typical": [hand.mean_g for hand in found],
        "press_g_most_typical": [hand.most_g for hand in found],
        "release_kick_g_typical": [hand.kick_g for hand in found],
    }
    needs = f"{LEAST_PLACED} placements, each with a rest before (it has {len(found)})"
    for name, values in columns.items():
        if len(found) < LEAST_PLACED:
            yield missing(name, len(found), needs)
        else:
            missed = CONTACT_FLOOR_S if name == "contact_s_typical" else 0.0
            yield _middle(name, np.array(values), missed)
    spread = "contact_s_spread"
    if len(found) < LEAST_PLACED:
        yield missing(spread, len(found), needs)
        return
    lasted = np.sort(columns["contact_s_typical"])

    def width(weights: Floats, _draw: int = 0) -> float:
        low, high = (_quantile(lasted, weights, share) for share in (0.1, 0.9))
        return high - low

    yield between(spread, width(np.ones(len(lasted))), bootstrap(len(lasted), width), len(lasted))


def _middle(name: str, values: Floats, missed: float = 0.0) -> Estimate:
    """The median; what the method itself misses widens its interval."""
    ordered = np.sort(values)

    def figure(weights: Floats, _draw: int = 0) -> float:
        return _quantile(ordered, weights, 0.5)

    draws = bootstrap(len(ordered), figure)
    draws += np.random.default_rng(4).normal(0, missed, draws.shape)
    return between(name, figure(np.ones(len(ordered))), draws, len(ordered))


def _quantile(ordered: Floats, weights: Floats, share: float) -> float:
    total = np.cumsum(weights) - weights / 2
    return float(np.interp(share * weights.sum(), total, ordered))


def _pauses(evening: EveningSignals) -> Iterator[Estimate]:
    """From one piece to the next, within a round."""
    times = [piece.t_s for piece in evening.placements]
    ends = (*evening.falls, *evening.cleared)
    gaps = [
        later - before
        for before, later in pairwise(times)
        if not any(before < end < later for end in ends)
    ]
    if len(gaps) < LEAST_PLACED:
        needs = f"{LEAST_PLACED} pieces placed one after the other (it has {len(gaps)})"
        yield missing("turn_s_typical", len(gaps), needs)
        return
    yield _middle("turn_s_typical", np.array(gaps))


# --- clearing ---------------------------------------------------------------------------------


def _clearing(evening: EveningSignals) -> Iterator[Estimate]:
    """How long people look before they clear, how long it takes, and whether they lift."""
    spans = []
    for end_s in evening.cleared:
        before = [content for content in evening.contents if content.end_s <= end_s + 1e-9]
        last = max((p.t_s for p in evening.placements if p.t_s < end_s), default=None)
        if last is not None and before:
            fell = max((fall for fall in evening.falls if last - 2.0 < fall < end_s), default=last)
            spans.append((fell, end_s))
    names = ("clearing_s_typical", "board_lifted_share", "cleared_told_s_typical")
    if len(spans) < LEAST_CLEARED:
        needs = f"{LEAST_CLEARED} clearings (it has {len(spans)})"
        yield from (missing(name, len(spans), needs) for name in names)
        return
    yield _middle(names[0], np.array([end - begin for begin, end in spans]))
    least = -LIFTED_SHARE * evening.table.empty_mass_g
    lifted = [float(_least_weight(evening, *span) < least) for span in spans]
    yield _share(names[1], lifted)
    presses = [t_s for t_s, word in evening.said if word == "cleared"]
    told = [min(presses, key=lambda t: abs(t - end)) - end for _, end in spans] if presses else []
    near = [wait for wait in told if abs(wait) < 20.0]
    if len(near) < LEAST_CLEARED:
        yield missing(names[2], len(near), "people who say that the board is clear")
    else:
        yield _middle(names[2], np.array(near))


def _least_weight(evening: EveningSignals, start_s: float, end_s: float) -> float:
    part = evening.weight_g[(evening.t_s > start_s) & (evening.t_s < end_s)]
    part = part[np.isfinite(part)]
    return float(part.min()) if len(part) else 0.0


def _share(name: str, hits: Sequence[float]) -> Estimate:
    """A share with its interval by Wilson."""
    count, z = len(hits), 1.645
    share = float(np.mean(hits))
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * np.sqrt(share * (1 - share) / count + z * z / (4 * count**2)) / (1 + z * z / count)
    return Estimate(name, share, float(max(middle - half, 0)), float(min(middle + half, 1)), count)


# --- a shaken table ---------------------------------------------------------------------------


def _shaking(evening: EveningSignals) -> Iterator[Estimate]:
    """How often the table is shaken, and at which frequency plate and table ring then."""
    hertz = list(_rings(evening))
    seconds = float(evening.t_s[-1] - evening.t_s[0]) if len(evening.t_s) else 0.0
    names = ("shakes_per_min", "ring_hz_typical")
    if seconds < 60:
        yield missing(names[0], len(hertz), "a minute or more")
    else:
        # Poisson: the square root of the count varies by one half.
        root = np.sqrt(len(hertz) + 0.375)
        ends = (max(root - 1.645 / 2, 0.0) ** 2, (root + 1.645 / 2) ** 2)
        minutes = seconds / 60
        yield Estimate(
            names[0], len(hertz) / minutes, ends[0] / minutes, ends[1] / minutes, len(hertz)
        )
    if len(hertz) < LEAST_SHAKES:
        yield missing(
            names[1], len(hertz), f"{LEAST_SHAKES} bumps of the table (it has {len(hertz)})"
        )
    else:
        yield _middle(names[1], np.array(hertz))


def _rings(evening: EveningSignals) -> Iterator[float]:
    """The strongest frequency of each shake, while nobody touches the board itself."""
    if len(evening.accel.t_s) < 400:
        return
    size = np.linalg.norm(evening.accel.values, axis=1)
    apart = np.abs(size - np.median(size))
    loud = np.flatnonzero(apart > max(SHAKEN_G, 6 * 1.4826 * float(np.median(apart))))
    times, until_s = evening.accel.t_s, -np.inf
    for index in loud:
        t_s = float(times[index])
        if t_s < until_s + QUIET_BEFORE_S:
            until_s = max(until_s, t_s)
            continue
        until_s = t_s + SHAKE_S
        tick = int(np.searchsorted(evening.t_s, t_s - QUIET_BEFORE_S))
        if tick < len(evening.free) and evening.free[tick]:
            part = evening.accel.between(t_s - 0.02, t_s + SHAKE_S)
            if len(part) >= 0.4 * evening.calibration.imu.rate_hz * SHAKE_S:
                yield _strongest_hz(part, len(part) / (SHAKE_S + 0.02))


def _strongest_hz(rows: Floats, rate_hz: float) -> float:
    left = (rows - rows.mean(axis=0)) * np.hanning(len(rows))[:, None]
    power = (np.abs(np.fft.rfft(left, 512, axis=0)) ** 2).sum(axis=1)
    hertz = np.fft.rfftfreq(512, 1 / rate_hz)
    inside = (hertz > SHAKE_HZ[0]) & (hertz < SHAKE_HZ[1])
    return float(hertz[inside][int(np.argmax(power[inside]))])
