import numpy as np
import pytest

from engine.samples import ImuSamples, ScaleSamples, SwitchSample
from lab.twin.sampled_signals import KEPT_S, TEMPERATURE, SampledSignals


def block(t_s: list[float], first: list[int]) -> ScaleSamples:
    raw = np.array([[count, -count, 0, 7] for count in first], dtype=np.int32)
    return ScaleSamples(np.array(t_s), raw / 1.0, raw, np.ones_like(raw, dtype=bool))


def test_before_the_first_sample_it_is_as_the_first() -> None:
    signals = SampledSignals()
    assert signals.count(0, 0.3) == 0
    signals.put(block([1.0, 2.0], [100, 200]))

    assert [signals.count(cell, 0.5) for cell in range(4)] == [100, -100, 0, 7]


@pytest.mark.parametrize(("t_s", "count"), [(1.0, 100), (1.25, 125), (2.0, 200), (9.0, 200)])
def test_between_samples_lies_a_straight_line_and_after_them_the_last(
    t_s: float, count: int
) -> None:
    signals = SampledSignals()
    signals.put(block([1.0, 2.0], [100, 200]))

    assert signals.count(0, t_s) == count


def test_it_does_not_grow_with_the_evening() -> None:
    signals = SampledSignals()
    for k in range(10_000):
        signals.put(block([k / 80], [k]))

    assert signals.count(0, 9_999 / 80 - 0.5) == 9_959
    assert len(signals._scale._t_s) < 80 * KEPT_S + 3


def test_motion_comes_with_a_temperature_in_its_middle() -> None:
    signals = SampledSignals()
    raw = np.array([[1, 2, 3, 4, 5, 6]], dtype=np.int32)
    signals.put(ImuSamples(np.array([0.5]), raw[:, :3] / 1.0, raw[:, 3:] / 1.0, raw))
    signals.put(SwitchSample(0.6, closed=True))

    assert signals.motion(0.5) == (1, 2, 3, TEMPERATURE, 4, 5, 6)
