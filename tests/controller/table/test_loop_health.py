"""The sign of life of a table at work, driven by hand."""

from unittest.mock import patch

import numpy as np
import pytest

from controller.mqtt.client import Message
from controller.table.vitals import HEALTH_EVERY_S
from hw.source import LinkHealth
from tests.controller.evenings import Evening


@pytest.mark.parametrize("speed", [0.01, 1.0, 20.0])
def test_health_is_a_sign_of_life_by_wall_time_however_fast_the_table_runs(speed: float) -> None:
    evening = Evening()
    for wall_s in np.arange(0.0, 3 * HEALTH_EVERY_S, 0.5):
        evening.step(float(wall_s) * speed, 1000.0 + float(wall_s))

    count = evening.wire.rows().count("health")
    assert count == 3 if speed <= 1.0 else count >= 3


def test_health_says_until_when_it_may_be_believed_and_goes_on_when_the_clock_is_set_back() -> None:
    evening = Evening()
    evening.step(1.0, 2_000_000_000.0)
    evening.step(2.0, 1000.0)
    health = evening.wire.last("health")

    assert evening.wire.rows().count("health") == 2
    assert health["until"] == 1000.0 + health["valid_s"]
    assert health["valid_s"] > 2 * HEALTH_EVERY_S


def test_health_counts_who_is_there_and_what_could_not_be_sent() -> None:
    evening = Evening()
    for name, role in (("hall", "display"), ("phone", "controller"), ("bar", "display")):
        evening.table.receive(
            Message(f"topple/1/t1/client/{name}", b'{"role":"%s"}' % role.encode(), retained=True)
        )
    evening.table.receive(Message("topple/1/t1/client/bar", b"", retained=False))
    evening.wire.dropped = 7
    evening.wire.too_large = {"topple/1/t1/results": 70_000, "homeassistant/x": 66_001}
    evening.step(1.0)

    assert evening.wire.last("health")["clients"] == {"display": 1, "controller": 1}
    assert evening.wire.last("health")["dropped"] == 7
    too_large = {"results": 70_000, "homeassistant/x": 66_001}
    assert evening.wire.last("health")["too_large"] == too_large


def test_health_holds_the_line_of_a_source_that_has_one() -> None:
    evening = Evening()
    line = LinkHealth(ok=True, rates_hz=(80.1, 79.0, None, 93.4))
    with patch.object(evening.source, "link_health", return_value=line, create=True):
        evening.step(0.1)

    assert evening.wire.last("health")["link"]["rates_hz"] == [80.1, 79.0, None, 93.4]
