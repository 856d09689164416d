"""The real Bluetooth library on a real D-Bus, with a simulated BlueZ and simulated dice."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bleak.exc import BleakError

from controller.dice import radio
from controller.dice.messages import Battery, DieAtRest, Rolling
from controller.dice.radio import Radio, away_words, dice_in_reach
from tests.controller.conftest import PATIENCE_S
from tests.controller.dice.simulated_bluez import (
    GoDie,
    PixelsDie,
    SimulatedBluez,
    SimulatedDie,
    simulated_bluez,
)
from tests.pages.loops import finished

RED, BLUE = "C4:5D:83:0A:11:22", "C4:5D:83:0A:33:44"


async def until(true: Callable[[], bool], what: str) -> None:
    """Poll a real process."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not true():  # noqa: ASYNC110 - other programs set no event
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail(f"waited in vain for: {what}")


Heard = list[tuple[str, Any]]


class Played:
    """A radio that runs, with all that it said."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._monkeypatch = folder, monkeypatch

    def __call__(
        self, dice: list[SimulatedDie], play: Callable[[SimulatedBluez, Heard], Any]
    ) -> Heard:
        heard: Heard = []

        async def playing() -> None:
            async with simulated_bluez(self._folder, self._monkeypatch, dice) as bluez:
                ours = Radio([d.address for d in dice], lambda at, said: heard.append((at, said)))
                running = asyncio.create_task(ours.run())
                await play(bluez, heard)
                running.cancel()
                await asyncio.wait([running])

        finished(playing())
        return heard


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    monkeypatch.setattr(radio, "AGAIN_S", (0.05, 0.05))
    monkeypatch.setattr(radio, "SEARCH_S", 1.0)
    return Played(tmp_path, monkeypatch)


@pytest.mark.parametrize("make", [GoDie, PixelsDie])
def test_a_die_is_found_asked_for_its_battery_and_heard(
    played: Played, make: Callable[[str], SimulatedDie]
) -> None:
    die = make(RED)

    async def play(_: SimulatedBluez, heard: Heard) -> None:
        await until(lambda: (RED, Battery(80)) in heard, "the battery")
        die.throw(5)
        await until(lambda: len(heard) == 4, "a throw")

    assert played([die], play) == [
        (RED, "found"), (RED, Battery(80)), (RED, Rolling()), (RED, DieAtRest(5, "rolled"))
    ]  # fmt: skip


def test_a_die_that_is_lost_is_said_and_found_again(played: Played) -> None:
    red, blue = GoDie(RED), PixelsDie(BLUE)

    async def play(bluez: SimulatedBluez, heard: Heard) -> None:
        await until(lambda: sum(said == "found" for _, said in heard) == 2, "both dice")
        await until(lambda: red.say is not None and blue.say is not None, "both to be heard")
        bluez.lose(red)
        await until(lambda: (RED, "lost") in heard, "the loss")
        blue.throw(2)
        await until(lambda: heard.count((RED, "found")) == 2, "the die again")

    assert (BLUE, DieAtRest(2, "rolled")) in played([red, blue], play)


def test_a_die_that_sleeps_does_not_keep_the_others_waiting(played: Played) -> None:
    asleep, awake = GoDie(RED), GoDie(BLUE)
    asleep.awake = False

    async def play(_: SimulatedBluez, heard: Heard) -> None:
        await until(lambda: (BLUE, "found") in heard, "the one that is awake")
        asleep.awake = True
        await until(lambda: (RED, "found") in heard, "the one that was shaken")

    played([asleep, awake], play)


def test_without_bluetooth_it_says_what_to_check_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/none")

    async def play() -> None:
        running = asyncio.create_task(Radio([RED], lambda *_: None).run())
        await until(lambda: "check that it runs and is on" in caplog.text, "the advice")
        assert not running.done()
        running.cancel()
        await asyncio.wait([running])

    finished(play())


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (TimeoutError(), "Bluetooth: a die was found and does not answer"),
        (BleakError("No powered Bluetooth adapters found."), "Bluetooth: No powered Bluetooth ad"),
        (EOFError(), "Bluetooth: its service does not answer"),
    ],
)
def test_what_is_wrong_with_bluetooth_is_said_in_words(error: Exception, words: str) -> None:
    assert away_words(error).startswith(words)


def test_dice_in_reach_are_listed_and_other_things_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = SimulatedDie("C4:5D:83:0A:55:66", "Headphones", ("0000180f" + "0" * 24,) * 3)
    other.services = ("0000180f-0000-1000-8000-00805f9b34fb",) * 3

    odd = PixelsDie(BLUE)
    odd.name = "Pixel\x1b[2J"

    async def play() -> dict[str, str]:
        async with simulated_bluez(tmp_path, monkeypatch, [GoDie(RED), odd, other]):
            return await dice_in_reach(0.5)

    assert finished(play()) == {RED: GoDie(RED).name, BLUE: "Pixel[2J"}
