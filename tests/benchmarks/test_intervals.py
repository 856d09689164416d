from tests.benchmarks.intervals import rate_interval


def test_no_event_in_an_hour_still_allows_for_some() -> None:
    low, high = rate_interval(0, 1.0)

    assert low == 0
    assert 3 < high < 4
