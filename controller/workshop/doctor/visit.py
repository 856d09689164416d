"""A short visit of the doctor to a broker."""

import queue
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from controller.mqtt.client import BrokerAddress, ConnectionStatus, Message, Mqtt
from controller.mqtt.client_ids import fresh

ANSWER_S = 12.0
"""Longest wait for a broker's answer; longer than `controller.mqtt.client` takes to report that
there is none."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A connection that was tried, and what arrives by it.

    Attributes:
        answered: whether it stands, or why not.
    """

    client_id: str
    answered: ConnectionStatus
    edge: Mqtt
    messages: "queue.SimpleQueue[Message]"


@contextmanager
def visiting(address: BrokerAddress, client_id: str = "", *hears: str) -> Iterator[Visit]:
    """Connect once, as somebody of no name unless one is given, and leave at the end.

    Args:
        address: of the broker.
        client_id: nobody can guess the one that is made up when it is left out.
        hears: filters, subscribed to in this order.
    """
    news: queue.SimpleQueue[ConnectionStatus] = queue.SimpleQueue()
    messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
    name = client_id or fresh("doctor")
    edge = Mqtt(address, name, subscriptions=hears, on_connection=news.put, quiet=True)
    edge.on_message(messages.put)
    edge.start()
    try:
        try:
            answered = news.get(timeout=ANSWER_S)
        except queue.Empty:
            answered = ConnectionStatus(up=False, text=f"{address} does not answer")
        yield Visit(name, answered, edge, messages)
    finally:
        edge.stop()
