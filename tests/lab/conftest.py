"""The brokers of the controller's tests, and its judge of every message, for the lab's too."""

from tests.controller.conftest import (
    broker,
    contract_kept,
    embedded_broker,
    fifth_game,
    free_port_fixture,
    guarded_broker,
    guarded_mosquitto,
    wait_until_fixture,
)

__all__ = [
    "broker",
    "contract_kept",
    "embedded_broker",
    "fifth_game",
    "free_port_fixture",
    "guarded_broker",
    "guarded_mosquitto",
    "wait_until_fixture",
]
