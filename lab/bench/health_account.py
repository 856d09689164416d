"""What the table says about its sensors, held against the simulated tower's own numbers. Pure.

Measured figures cannot be equal, so there are limits, each with its reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lab.bench.observed import Run

SETTLED_S = 10.0
"""Rates and noise are measured over the last seconds; before that the start is among them."""

ENDED_S = 5.0
"""So long before the end of a case its people may have gone, and its tower with them."""

RATE_SHARE = 0.03
"""A rate is counted over some seconds: one sample more or less in a second is one in eighty."""

NOISE_FACTOR = (0.5, 4.0)
"""Noise is estimated from a second of rest, and half as much is another cell. A board that never
hangs still adds to it: 2.8 times was the most of all shipped scenarios."""


def health_differs(run: Run) -> tuple[str, ...]:
    """Where health is not true; nothing is looked at while anything is disturbed on purpose."""
    if not run.world or any(mark.kind == "fault" for mark in run.marks):
        return ()
    until_s = run.end_s - ENDED_S
    said = [m.document() for m in run.sent if m.suffix == "health" and SETTLED_S <= m.t_s < until_s]
    found = [words for health in said for words in _wrong_rates(health, run.world)]
    return tuple(dict.fromkeys([*found, *_wrong_noise(said, run.world)]))


def _wrong_rates(health: Mapping[str, Any], world: Mapping[str, float]) -> Iterator[str]:
    for name, sensor in health["sensors"].items():
        if not sensor["ok"]:
            yield f"{name} is said to fail, and nothing does"
            continue
        true_hz = world.get(f"{name}_hz", world.get("scale_hz"))
        if true_hz is not None and abs(sensor["rate_hz"] - true_hz) > RATE_SHARE * true_hz:
            yield f"{name} is said to give {sensor['rate_hz']:g} samples a second, not {true_hz:g}"


def _wrong_noise(said: Sequence[Mapping[str, Any]], world: Mapping[str, float]) -> Iterator[str]:
    """By the quietest moment of each cell."""
    for name in (key.removesuffix(".noise_g") for key in world if key.endswith(".noise_g")):
        noises_g = [health["sensors"][name]["noise_g"] for health in said]
        true_g, low_g = world[f"{name}.noise_g"], min(filter(None, noises_g), default=None)
        if low_g is not None and not NOISE_FACTOR[0] < low_g / true_g < NOISE_FACTOR[1]:
            yield f"{name} is said to have a noise of {low_g:g} g, it has {true_g:g}"
