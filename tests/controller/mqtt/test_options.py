"""A broker on the command line."""

from pathlib import Path

import pytest

from controller.common.errors import BadConfig, BadInput
from controller.mqtt.client import BrokerAddress
from controller.mqtt.options import broker_from_options


def test_a_broker_has_an_address_and_perhaps_a_user_with_a_password(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("g3heim\n")

    assert broker_from_options("hub", None, None) == BrokerAddress("hub")
    assert broker_from_options("hub:1", "hall", tmp_path / "secret") == BrokerAddress(
        "hub", 1, "hall", "g3heim"
    )


def test_a_password_without_a_user_or_one_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--password-file needs --user"):
        broker_from_options("hub", None, tmp_path / "secret")
    with pytest.raises(BadConfig, match="cannot be read"):
        broker_from_options("hub", "hall", tmp_path / "secret")
