"""Nobody fills the log by sending much."""

import logging

import pytest

from controller.common.rate_limited_log import EVERY_S, LONGEST, MOST, RateLimitedLog, quoted

_log = logging.getLogger(__name__)


def test_a_storm_is_a_few_lines_and_a_number(caplog: pytest.LogCaptureFixture) -> None:
    now_s = [0.0]
    log = RateLimitedLog(_log, clock=lambda: now_s[0])
    for number in range(1000):
        log.warning("storm %d", number)
    assert [record.getMessage() for record in caplog.records] == [f"storm {n}" for n in range(MOST)]

    now_s[0] += EVERY_S
    log.warning("storm %d", 1000)
    assert caplog.records[-1].getMessage() == (
        f"storm 1000 ({1000 - MOST} more like it were not logged)"
    )


@pytest.mark.parametrize("text", ["x" * 60_000, "\x1b[2J" * 9000, "a\nFAKE LINE", "\u202eb"])
def test_what_somebody_sent_is_short_and_hides_nothing(text: str) -> None:
    said = quoted(text)

    assert len(said) <= LONGEST
    assert said.isprintable()
