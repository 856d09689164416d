"""The Bluetooth edge: finds dice, stays connected to them, and hands on what they say.

Everything in it runs in one event loop. Dice are searched and connected one after the other, since
an adapter that searches connects badly. A die that is not there (in its box, or empty) is searched
again, less and less often, and is heard as soon as somebody shakes it.
"""

import asyncio
import logging
from collections.abc import Callable, Collection
from typing import Literal

from bleak import BleakClient, BleakScanner
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bleak.exc import BleakError

from controller.common.rate_limited_log import RateLimitedLog
from controller.dice.messages import Make, Said, make_of, may_be_a_die
from engine.games.checks import LONGEST_NAME

_log = logging.getLogger(__name__)

SEARCH_S = 8.0
"""A die that is awake advertises several times a second."""

AGAIN_S = (1.0, 30.0)
"""Waits between searches double from the first to the second: searching takes radio time from
the dice that are there."""

CONNECT_S = 10.0

BATTERY_EVERY_S = 600.0
"""A battery lasts for hours."""

AWAY = (BleakError, OSError, EOFError, TimeoutError)
"""What a missing adapter, service or die ends in."""

Heard = Callable[[str, Said | Literal["found", "lost"]], None]
"""Called with the address of a die and what it says."""


class Radio:
    """Connections to dice. Use it inside one event loop: `run` until it is cancelled.

    `heard` is called in the loop with what they say, and when one is found or lost.
    """

    def __init__(self, addresses: Collection[str], heard: Heard) -> None:
        self._addresses = frozenset(addresses)
        self._heard = heard
        self._connected: dict[str, tuple[BleakClient, Make]] = {}
        self._changed = asyncio.Event()
        self._complaint = RateLimitedLog(_log)

    async def run(self) -> None:
        """Search whoever is missing, for ever; lets go of all dice at the end."""
        asking = asyncio.create_task(self._ask_batteries())
        wait_s = AGAIN_S[0]
        try:
            while True:
                self._changed.clear()
                if not self._missing():
                    await self._changed.wait()
                    wait_s = AGAIN_S[0]
                elif await self._find_one():
                    wait_s = AGAIN_S[0]
                else:
                    await asyncio.sleep(wait_s)
                    wait_s = min(2 * wait_s, AGAIN_S[1])
        finally:
            asking.cancel()
            # Emptied first: nobody needs to hear that dice are lost which we let go ourselves.
            connected, self._connected = self._connected, {}
            for client, _ in connected.values():
                await _let_go(client)

    def _missing(self) -> frozenset[str]:
        return self._addresses - self._connected.keys()

    async def _find_one(self) -> bool:
        """Look for a missing die and connect it; says whether that worked."""
        missing = self._missing()
        try:
            device = await BleakScanner.find_device_by_filter(
                lambda device, _: device.address in missing, timeout=SEARCH_S
            )
            return device is not None and await self._connect(device)
        except AWAY as error:
            self._complaint.warning("%s", away_words(error))
            return False

    async def _connect(self, device: BLEDevice) -> bool:
        address = device.address
        client = BleakClient(device, lambda _: self._gone(address), timeout=CONNECT_S)
        await client.connect()
        make = make_of([each.uuid for each in client.services.characteristics.values()])
        if make is None:
            await _let_go(client)
            self._complaint.warning("Bluetooth: %s is no die that is known here", address)
            return False

        def notified(_: BleakGATTCharacteristic, data: bytearray) -> None:
            said = make.read(bytes(data))
            if said is not None:
                self._heard(address, said)

        self._connected[address] = (client, make)
        self._heard(address, "found")
        try:
            await client.start_notify(make.notify, notified)
            await client.write_gatt_char(make.write, make.battery)
        except AWAY:
            await _let_go(client)
            self._gone(address)
            raise
        return True

    def _gone(self, address: str) -> None:
        if self._connected.pop(address, None) is not None:
            self._heard(address, "lost")
            self._changed.set()

    async def _ask_batteries(self) -> None:
        while True:
            await asyncio.sleep(BATTERY_EVERY_S)
            for client, make in list(self._connected.values()):
                try:
                    await client.write_gatt_char(make.write, make.battery)
                except AWAY as error:
                    _log.debug("a die did not tell its battery: %s", error)


def away_words(error: BaseException) -> str:
    """What is wrong with Bluetooth and what to check, of an error in `AWAY`.

    >>> away_words(FileNotFoundError(2, "No such file or directory"))
    'Bluetooth: its service does not answer; check that it runs and is on (bluetoothctl show)'
    """
    if isinstance(error, TimeoutError):
        return "Bluetooth: a die was found and does not answer; shake it, or charge it"
    system = isinstance(error, OSError | EOFError)
    what = "its service does not answer" if system else str(error) or type(error).__name__
    return f"Bluetooth: {what.rstrip('.')}; check that it runs and is on (bluetoothctl show)"


async def _let_go(client: BleakClient) -> None:
    try:
        await client.disconnect()
    except AWAY as error:
        _log.debug("a die was gone already: %s", error)


async def dice_in_reach(seconds: float = SEARCH_S) -> dict[str, str]:
    """Address -> name of everything that may be a die; the nearest first.

    Raises:
        OSError, BleakError: there is no Bluetooth here, or it is switched off.
    """
    found = await BleakScanner.discover(seconds, return_adv=True)

    def loudness(entry: tuple[BLEDevice, AdvertisementData]) -> int:
        return -entry[1].rssi

    near = sorted(found.values(), key=loudness)
    named = ((device.address, said.local_name or "", said.service_uuids) for device, said in near)
    return {
        address: _printable(name) for address, name, services in named
        if may_be_a_die(name, services)
    }  # fmt: skip


def _printable(name: str) -> str:
    """Whoever is near may advertise any name; it goes to a terminal."""
    return "".join(filter(str.isprintable, name))[:LONGEST_NAME]
