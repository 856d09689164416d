"""What the table refused to the people of a script. Pure.

What a script says (`undo`, `blame`, a `command`, the game at the beginning) is meant to be done.
Where it is refused, what follows is another game than the file says; so that is a failure, unless
the scenario looks at that answer.
"""

from collections.abc import Iterator
from typing import Any

from lab.bench.comparing import differences
from lab.bench.foreign_client import answers
from lab.bench.observed import ANSWER, Order, Run
from lab.bench.scenario import Scenario
from lab.bench.steps import SPEAKER


def refused(scenario: Scenario, run: Run) -> Iterator[str]:
    """Everything that the table refused though nobody expects it, in words."""
    orders = [order for order in run.orders if order.by_mqtt and order.place <= len(run.sent)]
    looked_at = list(_looked_at(scenario))
    for order, reply in zip(orders, answers(orders, run.sent)[0], strict=True):
        if reply is None or reply["ok"] or _client(order) != SPEAKER:
            continue
        if not any(not differences(reply, wanted) for wanted in looked_at):
            yield f"{order.verb} at {order.t_s:.1f} s: {reply['code']}: {reply.get('msg', '')}"


def _client(order: Order) -> Any:
    command = order.document()
    return command.get("client") if isinstance(command, dict) else None


def _looked_at(scenario: Scenario) -> Iterator[dict[str, Any]]:
    """What the scenario expects of answers that are refusals."""
    views = [*(step.check for step in scenario.steps if step.check), *scenario.expect]
    messages = [each.payload for each in scenario.expect if each.mqtt == ANSWER]
    for wanted in (*(view.reply for view in views), *messages):
        if wanted.get("ok") is False or wanted.get("code"):
            yield wanted
