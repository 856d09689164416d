import math

import pytest

from tests.benchmarks.mqtt import figure, many_tables, measure
from tests.benchmarks.mqtt_equipment import mosquitto


@pytest.mark.slow
def test_every_way_of_the_score_is_measured_and_nothing_is_lost() -> None:
    figures, remarks = measure(seconds=8.0, displays_count=3, tables=4)

    assert [found.lost for found in figures] == [0, 0, 0]
    for found in figures:
        assert found.n > 0
        assert 0.0 < found.p50_ms <= found.p99_ms <= found.worst_ms
    assert "Goal" in remarks[-1]


def test_what_was_lost_is_counted() -> None:
    found = figure("x", [0.001, 0.002, 0.003], 5)

    assert (found.n, found.lost) == (3, 2)
    assert found.p50_ms == pytest.approx(2.0)
    assert math.isnan(figure("x", [], 5).p50_ms)


def test_the_broker_ends_with_its_block() -> None:
    with mosquitto() as broker:
        found, words = many_tables(broker, 2.0, 2)

    assert found.lost == 0
    assert "mosquitto used" in words
