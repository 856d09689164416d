"""One true run, and ways to spoil what it left behind: for the tests of the accounts."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from lab.bench.observed import Run, Sent
from lab.bench.running import play
from lab.bench.scenario_files import SHIPPED, load

Document = dict[str, Any]


@cache
def true_run(name: str = "power_cut") -> Run:
    """A shipped scenario as it was played."""
    return play(load(SHIPPED / f"{name}.yaml")[0])


def spoilt(
    messages: tuple[Sent, ...], suffix: str, change: Callable[[Document], object], number: int = -1
) -> tuple[Sent, ...]:
    """The messages with one of a topic changed: the first that `change` says yes to.

    Args:
        messages: true ones.
        suffix: the topic.
        change: changes a document in place and gives True, or leaves it alone.
        number: which of those that fit, counted from the first (0); -1 for all.
    """
    found, fitting = list(messages), 0
    for place, message in enumerate(messages):
        if message.suffix != suffix:
            continue
        document = json.loads(message.payload)
        if change(document):
            if number in (-1, fitting):
                found[place] = replace(message, payload=json.dumps(document).encode())
            fitting += 1
    assert fitting, f"nothing on {suffix} to spoil"
    return tuple(found)
