"""Command-line options that several commands share: the broker, user and password."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.common.errors import BadInput

if TYPE_CHECKING:
    from controller.mqtt.client import BrokerAddress

Broker = Annotated[str, typer.Option(help="The MQTT broker of the tables, HOST[:PORT].")]
BROKER = "127.0.0.1:1883"
User = Annotated[str | None, typer.Option(help="MQTT user name.")]
PasswordFile = Annotated[Path | None, typer.Option(help="File whose first line is the password.")]
TableFile = Annotated[
    Path | None,
    typer.Option(
        help="Configuration of the table; when left out, the installed one, or a simulated table "
        "if none is installed."
    ),
]


def broker_from_options(
    broker: str, user: str | None, password_file: Path | None
) -> "BrokerAddress":
    """The broker that the options name.

    Raises:
        BadInput: it is none, or a password is given without a user.
        BadConfig: the password cannot be read.
    """
    from controller.common.config import password  # noqa: PLC0415
    from controller.mqtt.client import broker_address  # noqa: PLC0415

    found = broker_address(broker)
    if user is None:
        if password_file is not None:
            raise BadInput("--password-file needs --user")
        return found
    secret = password(str(password_file or ""), named="--password-file")
    return replace(found, user=user, password=secret)
