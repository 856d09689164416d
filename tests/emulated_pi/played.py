"""A table whose computer is the emulated Pi, moved by hand."""

import json
import queue
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from lab.avr.played import PlayedTable
from lab.mock import MockTable
from tests.emulated_pi.by_hand import living_table
from tests.emulated_pi.machine import EmulatedPi
from tests.emulated_pi.nano import Nano

FTDI = "0403"
"""Vendor of QEMU's USB serial port."""

TOPICS = "topple/1/t1"
AGAIN_S = 5.0
"""A phone says it again when it has got no answer for so long."""


class PiTable:
    """The Nano under the tower, and a phone of the controllers' role on this machine.

    Args:
        pi: the machine; its table is installed.
        elf: the firmware.

    Attributes:
        hand: what moves the tower.
        nano: processor, chips and cable.
        events: what was published as events, of all starts.
        state: the newest one; None before the first since the last call of `forget`.
    """

    def __init__(self, pi: EmulatedPi, elf: Path) -> None:
        self._pi, self.hand = pi, living_table()
        self.nano = Nano(PlayedTable(self.hand, elf), pi.nano, pi.clock)
        self.events: list[dict[str, Any]] = []
        self.state: dict[str, Any] | None = None
        self._troubles: list[Any] | None = None
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._orders = 0
        self._phone = paho.Client(CallbackAPIVersion.VERSION2, client_id="phone-1")
        self._phone.on_message = self._hear
        self._phone.on_connect = lambda client, *_: client.subscribe(
            [(f"{TOPICS}/{row}", 1) for row in ("state", "event", "status", "reply/phone-1")]
        )

    def __enter__(self) -> Self:
        password = self._pi.run("cat", "/etc/topple-table/secrets/controller").strip()
        self._phone.username_pw_set("controller", password)
        self._phone.connect_async("127.0.0.1", self._pi.ports["mqtt"], keepalive=600)
        self._phone.loop_start()
        self.nano.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if error is None and self._pi.is_on:
            self.pull_the_cable()
        self.nano.stop()
        self._phone.disconnect()
        self._phone.loop_stop()
        if error is None and self.nano.failed is not None:
            raise self.nano.failed

    def pull_the_cable(self) -> None:
        """The Pi loses its port, the Nano its supply."""
        self._pi.lose_usb_device(FTDI)
        self.nano.pull()

    def forget(self) -> None:
        """What was said before the machine is started again."""
        self.state = self._troubles = None

    def wait_until_well(self) -> None:
        """Until the table hears all its sensors, after a mishap."""
        for _ in self._until(lambda: f"health: {self._troubles}"):
            if self._troubles == []:
                return

    def move(self, deed: Callable[[MockTable], object]) -> None:
        self.nano.do(lambda: deed(self.hand))

    def say(self, verb: str, **data: Any) -> None:
        """Tell the table, again and again until it answers, as a phone does."""
        self._orders += 1
        order = {"v": 1, "client": "phone-1", "id": f"order-{self._orders}", "data": data}
        said_s = -inf
        for _ in self._until(lambda: f"an answer to {verb}"):
            if self.nano.t_s > said_s + AGAIN_S:
                self._phone.publish(f"{TOPICS}/cmd/{verb}", json.dumps(order), qos=1)
                said_s = self.nano.t_s
            while not self._answers.empty():
                answer = self._answers.get()
                if answer.get("id") == order["id"]:
                    assert answer["ok"], f"{verb}: {answer}"
                    return

    def rest(self, seconds: float) -> None:
        end_s = self.nano.t_s + seconds
        for _ in self._until(lambda: f"{seconds} s"):
            if self.nano.t_s >= end_s:
                return

    def wait_until(self, true: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        for _ in self._until(lambda: f"{what}: {self.state}"):
            state = self.state
            if state is not None and true(state):
                return state
        raise AssertionError(what)

    def _until(self, what: Callable[[], str]) -> Iterator[None]:
        for _ in self._pi.until(what):
            assert self.nano.failed is None, self.nano.failed
            yield

    def _hear(self, _client: paho.Client, _user: object, message: paho.MQTTMessage) -> None:
        if not message.payload:
            return
        said = json.loads(message.payload)
        row = message.topic.removeprefix(f"{TOPICS}/")
        if row == "state":
            self.state = said
        elif row == "status":
            self._troubles = [each for each in said["troubles"] if not _is_button(each)]
        elif row == "event" and not _is_button(said.get("data", {})):
            self.events.append(said)
        elif row.startswith("reply/"):
            self._answers.put(said)


def _is_button(told: dict[str, Any]) -> bool:
    """Nothing is wired to the emulated pins, which read low: buttons that are held down."""
    return str(told.get("sensor", "")).startswith("button.")
