"""Health held against the tower: true figures agree, wrong ones are named."""

from dataclasses import replace
from typing import Any

import pytest

from lab.bench.health_account import health_differs
from lab.bench.observed import Mark
from tests.lab.bench.spoiling import Document, spoilt, true_run


def test_true_figures_are_within_their_limits() -> None:
    assert true_run("contract_mqtt").world["scale.0.noise_g"] == pytest.approx(0.03)
    assert health_differs(true_run("contract_mqtt")) == ()


@pytest.mark.parametrize(
    ("sensor", "figure", "value", "words"),
    [
        ("imu", "rate_hz", 100.0, "imu is said to give 100"),
        ("scale.1", "rate_hz", 84.0, "scale.1 is said to give 84"),
        ("scale.2", "noise_g", 0.3, "scale.2 is said to have a noise"),
        ("scale.2", "noise_g", 0.005, "scale.2 is said to have a noise"),
        ("scale.3", "ok", False, "scale.3 is said to fail"),
    ],
)
def test_a_wrong_figure_is_named(sensor: str, figure: str, value: Any, words: str) -> None:
    def wrong(health: Document) -> bool:
        health["sensors"][sensor][figure] = value
        return True

    run = true_run("contract_mqtt")
    spoilt_run = replace(run, sent=spoilt(run.sent, "health", wrong))
    assert words in "; ".join(health_differs(spoilt_run))
    disturbed = replace(spoilt_run, marks=(Mark(1.0, "unplugged", "fault"),))
    assert health_differs(disturbed) == ()


def test_what_is_said_once_the_people_have_gone_is_not_held_against_their_tower() -> None:
    """A last message counted seconds after the end of the evening (`evening_marked`, seed 7)."""

    def slow(health: Document) -> bool:
        health["sensors"]["imu"]["rate_hz"] = 150.0
        return True

    run = true_run("contract_mqtt")
    last_s = max(message.t_s for message in run.sent if message.suffix == "health")
    late = [m for m in run.sent if m.suffix == "health" and m.t_s == last_s]
    others = [m for m in run.sent if m not in late]
    ended = replace(run, sent=tuple(others) + tuple(spoilt(tuple(late), "health", slow)))

    assert health_differs(replace(ended, end_s=last_s + 20.0)) != ()
    assert health_differs(replace(ended, end_s=last_s + 2.0)) == ()
