import pytest

from tests.benchmarks.league import measure


@pytest.mark.slow
def test_every_part_of_a_league_is_measured_and_nothing_is_lost() -> None:
    figures = measure(messages=60, tables=6, workers=(1,))

    # The system counts processor time in steps of 10 ms, in which a broker hears 300 messages.
    assert all(found.n > 0 and (found.figure > 0 or found.unit == "us") for found in figures)
    assert {found.unit for found in figures} == {
        "games/s", "bytes", "messages/s", "us", "MB", "s"
    }  # fmt: skip
    assert any("60 of 60 heard" in found.what for found in figures)
