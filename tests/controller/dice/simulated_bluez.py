"""A simulated BlueZ with simulated dice, on a real D-Bus: the lowest level without a radio.

The `dbus-daemon` is Debian's, the library that speaks to it is the real one (bleak); only
`org.bluez` is played here. As the real one it refuses who is misused: a device that nobody looked
for or that sleeps is not connected, a characteristic says nothing before it is asked to notify.
"""

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

ADAPTER = "/org/bluez/hci0"
BLUEZ = "org.bluez"
ADVERTISES_EVERY_S = 0.05

UART = "6e40000{}-b5a3-f393-e0a9-e50e24dcca9e"
GODICE_UP = {
    1: (-64, 0, 0), 2: (0, 0, 64), 3: (0, 64, 0), 4: (0, -64, 0), 5: (0, 0, -64), 6: (64, 0, 0),
}  # fmt: skip

BUS = """<busconfig><type>session</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/>
<allow own="*"/></policy></busconfig>"""


class SimulatedDie:
    """A die: what it shows, and how it is thrown. `say` is set once it is connected and asked."""

    def __init__(self, address: str, name: str, services: tuple[str, str, str]) -> None:
        self.address, self.name, self.services = address, name, services
        self.awake, self.percent = True, 80
        self.path = f"{ADAPTER}/dev_{address.replace(':', '_')}"
        self.say: Callable[[bytes], None] | None = None

    def said(self, data: bytes) -> None:
        assert self.say is not None, "nobody listens to this die"
        self.say(data)

    def asked(self, data: bytes) -> None:
        """What is written to it."""
        raise NotImplementedError

    def throw(self, face: int, *, ends: str = "rolled") -> None:
        """Throw it: it rolls, and comes to rest."""
        self.roll()
        self.rest(face, ends)

    def roll(self) -> None:
        raise NotImplementedError

    def rest(self, face: int, way: str) -> None:
        raise NotImplementedError


class GoDie(SimulatedDie):
    def __init__(self, address: str) -> None:
        named = f"GoDice_{address.replace(':', '')[-6:]}_R_v04"
        super().__init__(address, named, (UART.format(1), UART.format(3), UART.format(2)))

    def asked(self, data: bytes) -> None:
        if data == bytes([3]):
            self.said(b"Bat" + bytes([self.percent]))

    def roll(self) -> None:
        self.said(b"R")

    def rest(self, face: int, way: str) -> None:
        letters = {"rolled": b"S", "moved": b"MS", "crooked": b"TS"}[way]
        self.said(letters + bytes(each % 256 for each in GODICE_UP[face]))


class PixelsDie(SimulatedDie):
    def __init__(self, address: str) -> None:
        super().__init__(address, "Pixel", (UART.format(1), UART.format(1), UART.format(2)))

    def asked(self, data: bytes) -> None:
        if data == bytes([33]):
            self.said(bytes([34, self.percent, 0]))

    def roll(self) -> None:
        self.said(bytes([3, 2, 0]))
        self.said(bytes([3, 3, 0]))

    def rest(self, face: int, way: str) -> None:
        state = {"rolled": 1, "moved": 5, "crooked": 4}[way]
        self.said(bytes([3, state, face - 1]))


def _variants(signatures: dict[str, str], **values: Any) -> dict[str, Variant]:
    return {name: Variant(signatures[name], value) for name, value in values.items()}


TYPES = {
    "Address": "s", "Name": "s", "Alias": "s", "Adapter": "o", "UUIDs": "as", "Connected": "b",
    "ServicesResolved": "b", "Paired": "b", "RSSI": "n", "Powered": "b", "Roles": "as",
    "UUID": "s", "Primary": "b", "Device": "o", "Service": "o", "Flags": "as", "Value": "ay",
}  # fmt: skip


class SimulatedBluez:
    """`org.bluez`, with one adapter and some dice."""

    def __init__(self, bus: MessageBus, dice: list[SimulatedDie]) -> None:
        self._bus, self.dice = bus, {die.path: die for die in dice}
        self.powered = True
        self._objects: dict[str, dict[str, dict[str, Variant]]] = {}
        self._searching: asyncio.Task[None] | None = None
        self._put(ADAPTER, "Adapter1", Address="00:00:00:00:00:01", Powered=True, Roles=["central"])

    def _put(self, path: str, interface: str, **values: Any) -> None:
        added = {f"{BLUEZ}.{interface}": _variants(TYPES, **values)}
        self._objects.setdefault(path, {}).update(added)
        self._signal(
            "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", "oa{sa{sv}}",
            [path, added],
        )  # fmt: skip

    def _signal(self, path: str, interface: str, member: str, types: str, body: list[Any]) -> None:
        self._bus.send(Message.new_signal(path, interface, member, types, body))

    def _change(self, path: str, interface: str, **values: Any) -> None:
        changed = _variants(TYPES, **values)
        self._objects[path][f"{BLUEZ}.{interface}"].update(changed)
        self._signal(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
            [f"{BLUEZ}.{interface}", changed, []],
        )  # fmt: skip

    def answer(self, asked: Message) -> Message | None:
        """Answer a method call to `org.bluez`."""
        if asked.message_type is not MessageType.METHOD_CALL:
            return None
        path, member = asked.path or "", asked.member
        if member == "GetManagedObjects":
            return Message.new_method_return(asked, "a{oa{sa{sv}}}", [self._objects])
        die = next((each for at, each in self.dice.items() if path.startswith(at)), None)
        match member:
            case "SetDiscoveryFilter":
                pass
            case "StartDiscovery":
                self._searching = asyncio.create_task(self._advertise())
            case "StopDiscovery" if self._searching is not None:
                self._searching.cancel()
            case "Connect" if die is not None and die.awake:
                self._connect(die)
            case "Disconnect" if die is not None:
                self.lose(die)
            case "StartNotify" if die is not None:
                die.say = lambda data: self._change(path, "GattCharacteristic1", Value=data)
            case "WriteValue" if die is not None:
                die.asked(bytes(asked.body[0]))
            case _:
                return Message.new_error(asked, f"{BLUEZ}.Error.Failed", f"{member} {path}")
        return Message.new_method_return(asked)

    async def _advertise(self) -> None:
        loudness = -60
        while True:
            for die in self.dice.values():
                if not die.awake or die.say is not None:
                    continue
                if die.path not in self._objects:
                    self._put(
                        die.path, "Device1", Address=die.address, Name=die.name, Alias=die.name,
                        Adapter=ADAPTER, UUIDs=[die.services[0]], Connected=False, Paired=False,
                        ServicesResolved=False, RSSI=loudness,
                    )  # fmt: skip
                self._change(die.path, "Device1", RSSI=loudness, UUIDs=[die.services[0]])
            loudness = -60 - (loudness == -60)
            await asyncio.sleep(ADVERTISES_EVERY_S)

    def _connect(self, die: SimulatedDie) -> None:
        service, notify, write = die.services
        self._put(f"{die.path}/service0010", "GattService1", UUID=service, Primary=True,
                  Device=die.path)  # fmt: skip
        for number, uuid, flag in ((11, notify, "notify"), (14, write, "write")):
            self._put(
                f"{die.path}/service0010/char00{number}", "GattCharacteristic1", UUID=uuid,
                Service=f"{die.path}/service0010", Flags=[flag], Value=b"",
            )  # fmt: skip
        self._change(die.path, "Device1", Connected=True)
        self._change(die.path, "Device1", ServicesResolved=True)

    def lose(self, die: SimulatedDie) -> None:
        """The connection ends: the die went to sleep, or was carried away."""
        die.say = None
        self._change(die.path, "Device1", Connected=False, ServicesResolved=False)


def _daemon(path: Path) -> subprocess.Popen[bytes]:
    program = shutil.which("dbus-daemon")
    if program is None:
        pytest.skip("needs dbus-daemon (apt-get install dbus-daemon)")
    configuration = path.with_suffix(".conf")
    configuration.write_text(BUS.format(path=path))
    daemon = subprocess.Popen(
        [program, "--nofork", "--print-address=1", f"--config-file={configuration}"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    # It prints its address once it listens, and the file is there before.
    assert daemon.stdout is not None
    assert daemon.stdout.readline(), "dbus-daemon ended at once"
    return daemon


@asynccontextmanager
async def simulated_bluez(
    folder: Path, monkeypatch: pytest.MonkeyPatch, dice: list[SimulatedDie]
) -> AsyncIterator[SimulatedBluez]:
    """BlueZ on a D-Bus of its own, which is the system's bus for this process meanwhile."""
    path = folder / "bus"
    daemon = _daemon(path)
    try:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={path}")
        bus = await MessageBus(bus_address=f"unix:path={path}").connect()
        bluez = SimulatedBluez(bus, dice)
        bus.add_message_handler(bluez.answer)
        await bus.request_name(BLUEZ)
        yield bluez
        bus.disconnect()
    finally:
        daemon.kill()
        daemon.communicate()
