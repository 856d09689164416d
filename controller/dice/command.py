"""`topple-table dice`: tells a table what its dice show, and pairs dice with it."""

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from controller.common.errors import BadInput
from controller.common.outputs import ready_for_file
from controller.common.shutdown import Stopping, stop_on_signals
from controller.common.systemd import Notifier
from controller.dice import rolls
from controller.dice.messages import Said
from controller.dice.paired import PairedDie, keep, load
from controller.dice.rolls import Die
from controller.dice.service import DiceService, subscriptions
from controller.mqtt.client import BrokerAddress, Message, Mqtt
from controller.mqtt.client_ids import fresh
from controller.mqtt.topics import is_table_id
from engine.games.checks import LONGEST_NAME

try:
    from controller.dice.radio import AWAY, Radio, away_words, dice_in_reach
except ImportError:
    raise BadInput(
        "dice need a package for Bluetooth; install the extra 'dice' (docs/dice.md)"
    ) from None

DONE, FAILED = 0, 1

STEP_S = 0.05
"""Nobody notices a roll that is told so much later."""

PAIR_S = 60.0
"""To take up a die and throw it, and once more if it lay crooked."""


def run(file: Path, address: BrokerAddress, *, table: str | None = None) -> int:
    """Tell the table (None: the only one on the broker) what the dice show, until interrupted.

    Raises:
        BadInput: no die has been paired, or `table` is no id.
    """
    if table is not None and not is_table_id(table):
        raise BadInput(f"--table {table}: an id has 1 to 32 small letters, digits or '-'")
    paired = load(file)
    if not paired:
        raise BadInput(f"{file}: no die is paired yet; pair one: topple-table dice --pair red")
    stopping = Stopping()
    stop_on_signals(stopping)
    asyncio.run(serve(paired, address, stopping, table=table))
    return DONE


async def serve(
    paired: Sequence[PairedDie], address: BrokerAddress, stopping: Stopping, *, table: str | None
) -> None:
    """The service itself; ends when it is asked to."""
    loop, client = asyncio.get_running_loop(), fresh("dice")
    edge = Mqtt(address, client, subscriptions=subscriptions(client, table))
    service = DiceService(paired, edge.publish, client, table=table, say=_say)

    def receive(message: Message) -> None:
        loop.call_soon_threadsafe(service.receive, message)

    edge.on_message(receive)
    radio = Radio(
        [die.address for die in paired],
        lambda address, said: service.heard(address, said, time.monotonic()),
    )
    edge.start()
    searching = asyncio.create_task(radio.run())
    supervisor = Notifier()
    supervisor.ready(f"{len(paired)} dice; broker {address}")
    try:
        while not stopping.is_set() and not searching.done():
            await service.step(time.monotonic())
            trouble = service.trouble
            words = trouble.sentence if trouble else f"{len(paired)} dice are well"
            supervisor.alive(time.monotonic(), words)
            await asyncio.sleep(STEP_S)
    finally:
        supervisor.stopping()
        searching.cancel()
        await asyncio.wait([searching])
        service.farewell()
        edge.stop()
    if not searching.cancelled():
        searching.result()


def pair(file: Path, owner: str) -> int:
    """Pair the die that is thrown next with the table: it is added to the file.

    The owner is a colour, a name, or `all`. The exit code is 1 when no die was thrown.

    Raises:
        BadInput: there is no Bluetooth here, the file cannot be written, or `owner` is none.
    """
    if not 1 <= len(owner) <= LONGEST_NAME:
        raise BadInput(f"--pair: a colour, a name or 'all', of at most {LONGEST_NAME} characters")
    ready_for_file("--file", file)
    load(file)
    try:
        return asyncio.run(_pair(file, owner))
    except AWAY as error:
        raise BadInput(away_words(error)) from None


async def _pair(file: Path, owner: str) -> int:
    _say("Shake the die, so that it wakes. Looking for dice ...")
    names = await dice_in_reach()
    if not names:
        _say("No die is in reach; shake it beside the table, or charge it, and try again.")
        return FAILED
    _say(f"Found: {', '.join(name or address for address, name in names.items())}.")
    address = await _thrown(list(names))
    if address is None:
        _say("No die was thrown; try again, and let it roll over the table.")
        return FAILED
    keep(file, PairedDie(address, owner, names[address]))
    _say(f"{names[address] or address} belongs to {owner} now ({file}).")
    return DONE


async def _thrown(addresses: Sequence[str]) -> str | None:
    """The die that is thrown first; None when none is."""
    dice = dict.fromkeys(addresses, Die())

    def heard(address: str, said: Said | Literal["found", "lost"]) -> None:
        if said == "found":
            _say(f"{address} is connected; throw the die that you want to pair.")
        elif said != "lost":
            dice[address], _ = rolls.heard(dice[address], said, time.monotonic())

    connecting = asyncio.create_task(Radio(addresses, heard).run())
    until_s = time.monotonic() + PAIR_S
    try:
        while time.monotonic() < until_s:
            for address, die in dice.items():
                if rolls.rested(die, time.monotonic())[1] is not None:
                    return address
            await asyncio.sleep(STEP_S)
        return None
    finally:
        connecting.cancel()
        await asyncio.wait([connecting])


def _say(words: str) -> None:
    print(words, file=sys.stdout, flush=True)
