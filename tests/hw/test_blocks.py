import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.samples import ImuSamples, ScaleSamples
from hw.blocks import BlockQueue, ItemQueue
from hw.source import item_time_s


def block(times: list[float]) -> ScaleSamples:
    t_s = np.array(sorted(times))
    raw = np.arange(4 * len(times), dtype=np.int32).reshape(-1, 4)
    return ScaleSamples(t_s, raw.astype(float), raw, np.ones(raw.shape, dtype=bool))


def times_of(blocks: list[ScaleSamples]) -> list[float]:
    return [t for one in blocks for t in one.t_s.tolist()]


def test_takes_only_what_is_due_and_keeps_the_rest() -> None:
    queue = BlockQueue[ScaleSamples]()
    queue.put(block([0.1, 0.2, 0.3]))

    assert times_of(queue.take(0.2)) == [0.1, 0.2]
    assert queue
    assert times_of(queue.take(9.0)) == [0.3]
    assert not queue


def test_keeps_the_columns_of_a_sample_together_when_blocks_interleave() -> None:
    queue = BlockQueue[ScaleSamples]()
    queue.put(block([0.1, 0.3]))
    queue.put(block([0.2]))

    (first, second) = queue.take(1.0)
    assert first.t_s.tolist() == [0.1]
    assert second.t_s.tolist() == [0.2, 0.3]
    assert second.raw[:, 0].tolist() == [0, 4]


@given(
    st.lists(st.lists(st.floats(0, 10), min_size=1, max_size=5), max_size=6),
    st.lists(st.floats(0, 10), max_size=4),
)
def test_nothing_is_lost_and_everything_comes_in_order(
    blocks: list[list[float]], cuts: list[float]
) -> None:
    queue = BlockQueue[ScaleSamples]()
    for times in blocks:
        queue.put(block(times))

    taken = [t for cut in [*sorted(cuts), 11.0] for t in times_of(queue.take(cut))]
    assert taken == sorted(t for times in blocks for t in times)


def test_blocks_of_the_two_sensors_alternate_however_many_are_due() -> None:
    """Two blocks of one sensor on end would look like silence of the other."""
    queue = ItemQueue()
    for start in (0.0, 1.0, 2.0):
        times = np.array([start + 0.1, start + 0.9])
        queue.scale.put(block(times.tolist()))
        queue.imu.put(
            ImuSamples(times + 0.01, np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 6), np.int32))
        )

    items = queue.take(9.0)

    assert [type(item) for item in items] == [ScaleSamples, ImuSamples] * 3
    assert [item_time_s(item) for item in items] == sorted(map(item_time_s, items))
