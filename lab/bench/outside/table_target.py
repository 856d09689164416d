"""`--target mqtt://host[:port]/table`: a table as a target of the bench."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import msgspec

from controller.common.errors import BadInput, BadTarget
from controller.mqtt.client import BrokerAddress, broker_address
from controller.mqtt.options import broker_from_options
from controller.mqtt.topics import is_table_id
from lab.bench.figures import CATALOGUE
from lab.bench.observed import Run
from lab.bench.outside.deeds import HAND_VERBS
from lab.bench.outside.hands import BegunAgain, Hand
from lab.bench.outside.link import Link, MqttLink, NothingHeard
from lab.bench.outside.sitting import Known, Sitting
from lab.bench.running import Result
from lab.bench.scenario import Case, Expected, Scenario, Target
from lab.bench.steps import SPEAKER
from lab.bench.verdict import CaseVerdict, judge

SCHEME = "mqtt://"

INSIDE = {
    "kill": "it kills the table's process",
    "disk": "it fills the table's disk",
    "clock": "it changes the table's clock",
    "line": "it disturbs the serial line",
    "chip": "it disturbs a chip",
}
"""Steps that reach into a table; from outside nobody can."""

ASKED = dict.fromkeys(
    ("every_event", "rule_level"),
    "its last piece lies where the die allows none, and the message shows a cell that it does",
)
"""Shipped scenarios that expect of the sensors what no message tells, each with the reason."""

BY_MESSAGES = {
    *("latency_p50_s", "latency_max_s", "placements", "right", "missed", "invented"),
    *("silent_errors", "topples_missed", "topples_invented", "questions", "messages"),
    "largest_state_bytes",
}
"""Measurements that messages and hands allow."""

THERE_S = 30.0
"""A table that is started now has said by then that it is online."""

LATENCIES = ("latency_p50_s", "latency_max_s")


def is_outside(target: str) -> bool:
    """Whether the words of `--target` name a table at a broker."""
    return target.startswith(SCHEME)


def table_at(
    target: str, user: str | None, password_file: Path | None
) -> tuple[BrokerAddress, str]:
    """Broker and table that `--target` names.

    Raises:
        BadInput: it is no such address.
        BadConfig: the password cannot be read.

    >>> table_at("mqtt://table.local/t1", None, None)
    (BrokerAddress(host='table.local', port=1883, user=None), 't1')
    """
    table = urlsplit(target).path.strip("/")
    if not is_table_id(table):
        raise BadInput(
            f"--target {target.rsplit('@', 1)[-1]}: say mqtt://host/table, where table is the "
            "table's id (small letters, digits, '-')"
        )
    broker = target.removesuffix("/").removesuffix(f"/{table}")
    if user is None and password_file is None:
        return broker_address(broker), table
    return broker_from_options(broker, user, password_file), table


@dataclass
class OneTable(ABC):
    """A table that there is once; a `boards.BoardTarget` without a board.

    Cases are played on it one after the other, by whoever moves its pieces.

    Attributes:
        hands: gives whoever that is.
    """

    hands: Callable[[], Hand]

    @property
    @abstractmethod
    def name(self) -> str:
        """In reports."""

    @cached_property
    def hand(self) -> Hand:
        """Who moves the pieces; asked for once."""
        return self.hands()

    @property
    def known(self) -> Mapping[str, str]:
        """Nothing is known to fail."""
        return {}

    def board(self, *_: Any) -> Any:
        """There is none.

        Raises:
            BadTarget: always.
        """
        raise BadTarget("such a table has no board that can be taken apart")

    @abstractmethod
    def sat(self, case: Case) -> tuple[Run, Known]:
        """Play a case; raises what `Sitting.play` does."""

    def judged(self, case: Case, number: int = 1) -> Result:
        """Play a case, again from its beginning if the hand wants so, and judge it.

        Raises:
            LeftOut: nobody could judge it.
            ControllerError, HardwareError: table or hand are gone.
        """
        while True:
            try:
                run, known = self.sat(case)
            except BegunAgain:
                continue
            verdict = as_known(judge(judgeable(case, known), run), known)
            self.hand.tell("; ".join(verdict.failures) or f"{case.id}: passed")
            return Result(case, self.name, run, verdict, number)

    def close(self) -> None:
        """Nothing more is played."""
        if "hand" in vars(self):
            self.hand.close()


@dataclass
class OutsideTarget(OneTable):
    """A table that is heard by its messages only.

    Attributes:
        address, table: where it is.
        link: makes the connection of a case.
    """

    address: BrokerAddress
    table: str
    link: Callable[[BrokerAddress, str], Link] = MqttLink
    like: ClassVar[Target] = "sim"

    @property
    def name(self) -> str:
        """Address without login."""
        return f"{SCHEME}{self.address}/{self.table}"

    def left_out(self, scenario: Scenario) -> str:
        """Why a scenario cannot be played or judged from outside; empty when it can."""
        return next(_reasons(scenario, self.hand.can), "")

    def need(self) -> None:
        """Wait until the table is there; one that hands have just started is in a moment.

        Raises:
            BadTarget: it is not.
        """
        hand, end_s = self.hand, time.monotonic() + THERE_S
        while True:
            link = self.link(self.address, self.table)
            try:
                said = link.join().get("availability")
                link.close()
                if said is not None and said.payload == b"online":
                    return
                problem = BadTarget(f"{self.name}: the table says that it is offline; start it")
            except NothingHeard as nothing:
                problem = nothing
            if time.monotonic() > end_s:
                hand.close()
                raise problem

    def sat(self, case: Case) -> tuple[Run, Known]:
        """Play a case over a connection of its own."""
        link = self.link(self.address, self.table)
        return Sitting(case, self.table, link, self.hand).play()


def _reasons(scenario: Scenario, can: frozenset[str]) -> Iterator[str]:
    if scenario.targets and "sim" not in scenario.targets:
        yield f"it is written for {' and '.join(scenario.targets)}"
    if scenario.name in ASKED:
        yield ASKED[scenario.name]
    if "rig" in scenario.not_on:
        yield scenario.not_on["rig"]
    if scenario.evening is not None or scenario.people != "usual":
        yield "its people are simulated"
    if scenario.tower or scenario.table != "quiet":
        yield "it is about a table of another make"
    if scenario.game is None:
        yield "it begins without a game, and nobody knows how to end one without a trace"
    yield from _beyond_reach(scenario, can)
    if any(expected.placed == "unknown" for expected in scenario.expect):
        yield "a message shows the likeliest cell also where sensors know none"
    hidden = sorted(set(scenario.measure) - BY_MESSAGES)
    if hidden:
        yield f"it limits what no message tells: {', '.join(hidden)}"


def _beyond_reach(scenario: Scenario, can: frozenset[str]) -> Iterator[str]:
    """Steps that nobody can do from outside, or not these hands."""
    verbs = {step.verb for step in scenario.steps}
    yield from (f"{INSIDE[verb]} ({verb})" for verb in sorted(verbs & INSIDE.keys()))
    by_hand = {"place" if verb == "turns" else verb for verb in verbs}
    missing = sorted((by_hand & set(HAND_VERBS)) - can)
    if missing:
        yield f"these hands cannot do this: {', '.join(missing)}"
    for step in scenario.steps:
        if step.command is not None and step.command.retained:
            yield "it would leave a retained command behind at a real broker"
        if step.command is not None and step.command.client != SPEAKER:
            yield "answers to another client are not heard"
        if step.broker not in (None, "down", "up"):
            yield "nobody at a real broker slows messages down, or repeats them"


def judgeable(case: Case, known: Known) -> Case:
    """The case without what nobody outside can know of this run."""
    scenario = case.scenario
    kept = [n for n, each in enumerate(scenario.expect) if known.whole or each.truth is None]
    expect = tuple(_knowable(scenario.expect[n], known) for n in kept)
    places = tuple(case.places[n] for n in kept if case.places)
    measure = {
        name: limit
        for name, limit in scenario.measure.items()
        if known.timed or name not in LATENCIES
    }
    changed = msgspec.structs.replace(scenario, expect=expect, measure=measure)
    if not known.whole:
        account = msgspec.structs.replace(scenario.account, people=False)
        changed = msgspec.structs.replace(changed, account=account)
        if any(each.truth for each in scenario.expect):
            changed = msgspec.structs.replace(changed, unexpected="allow")
    return msgspec.structs.replace(case, scenario=changed, places=places)


def _knowable(expected: Expected, known: Known) -> Expected:
    """An expectation without how many pieces fell, and without flags that nobody saw."""
    fallen = expected.fallen if known.sensors else None
    retain = expected.retain if known.flags else None
    return msgspec.structs.replace(expected, fallen=fallen, retain=retain)


def as_known(verdict: CaseVerdict, known: Known) -> CaseVerdict:
    """A verdict without measurements that would be guesses."""
    hidden = {*(CATALOGUE.keys() - BY_MESSAGES), *(() if known.timed else LATENCIES)}
    kept = {name: value for name, value in verdict.measures.items() if name not in hidden}
    return replace(verdict, measures=kept)
