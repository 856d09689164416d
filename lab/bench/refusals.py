"""What the table refused to the people of a script. Pure.

A step that says something (`undo`, `blame`, the game at the beginning) is meant to be done. Where
it is refused, what follows is another game than the file says; so that is a failure, unless the
scenario looks at that answer. `command` sends anything, and is judged by expectations.
"""

from collections.abc import Iterator
from typing import Any

from lab.bench.comparing import differences
from lab.bench.foreign_client import answers
from lab.bench.observed import Order, Run
from lab.bench.scenario import Scenario

SPEAKER = "bench"
"""The client that speaks for the people of a script."""


def refused(scenario: Scenario, run: Run) -> Iterator[str]:
    """Each step of people that the table refused though nobody expects it, in words."""
    orders = [order for order in run.orders if order.by_mqtt and order.place <= len(run.sent)]
    looked_at = list(_looked_at(scenario))
    for order, reply in zip(orders, answers(orders, run.sent)[0], strict=True):
        if reply is None or reply["ok"] or not _of_people(order, scenario):
            continue
        if not any(not differences(reply, wanted) for wanted in looked_at):
            yield f"{order.verb} at {order.t_s:.1f} s: {reply['code']}: {reply.get('msg', '')}"


def _of_people(order: Order, scenario: Scenario) -> bool:
    """Whether a step in which people say something sent it, and no `command`."""
    said: Any = order.document()
    if not isinstance(said, dict) or said.get("client") != SPEAKER:
        return False
    commands = [step.command for step in scenario.steps if step.command is not None]
    return all(
        command.id != said.get("id") if command.payload is None
        else command.payload.encode() != order.payload
        for command in commands
    )  # fmt: skip


def _looked_at(scenario: Scenario) -> Iterator[dict[str, Any]]:
    """What the scenario expects of answers that are refusals."""
    views = [*(step.check for step in scenario.steps if step.check), *scenario.expect]
    messages = [each.payload for each in scenario.expect if each.mqtt == f"reply/{SPEAKER}"]
    for wanted in (*(view.reply for view in views), *messages):
        if wanted.get("ok") is False or wanted.get("code"):
            yield wanted
