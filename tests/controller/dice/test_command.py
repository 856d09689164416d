"""Simulated dice, the real Bluetooth library, a real broker and a table: a short game."""

import asyncio
import contextlib
import importlib
import sys
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from controller.common.errors import BadInput
from controller.common.shutdown import Stopping
from controller.dice import command, radio
from controller.dice.paired import PairedDie, load
from tests.controller.conftest import RunningBroker
from tests.controller.dice.simulated_bluez import GoDie, PixelsDie, SimulatedDie, simulated_bluez
from tests.controller.dice.test_radio import BLUE, RED, until
from tests.controller.evening_online import START, OnlineTable
from tests.pages.loops import finished


@pytest.fixture(autouse=True)
def _in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(radio, "AGAIN_S", (0.05, 0.05))
    monkeypatch.setattr(radio, "SEARCH_S", 1.0)


@contextlib.asynccontextmanager
async def served(broker: RunningBroker, dice: list[PairedDie]) -> AsyncIterator[None]:
    """The service, beside what happens meanwhile."""
    stopping = Stopping()
    serving = asyncio.create_task(
        command.serve(dice, broker.address("controller"), stopping, table=None)
    )
    yield
    stopping.set()
    await serving


def play(
    dice: list[SimulatedDie],
    game: Callable[..., Any],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    broker: RunningBroker,
) -> None:
    """Play a game with dice of red and blue."""
    owners = ("red", "blue")

    async def playing() -> None:
        paired = [PairedDie(d.address, own, d.name) for d, own in zip(dice, owners, strict=True)]
        async with simulated_bluez(folder, monkeypatch, dice) as bluez, served(broker, paired):
            await until(lambda: all(die.say is not None for die in dice), "all dice to be heard")
            await game(bluez)

    finished(playing())


def test_dice_play_a_short_game(
    guarded_broker: RunningBroker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = OnlineTable(guarded_broker.address("table"))
    table.hear("start", START)
    red, blue = GoDie(RED), PixelsDie(BLUE)

    def shown() -> tuple[str, int | None] | None:
        turn = table.board.turn
        return None if turn is None else (turn.player, turn.die)

    async def placed(cell: str) -> None:
        await asyncio.to_thread(table.hear, "place", {"cell": cell})

    async def game(bluez: Any) -> None:
        red.throw(6)
        await until(lambda: shown() == ("Ann", 6), "Ann's roll")
        red.rest(2, "moved")
        await placed("c3")
        blue.throw(1, ends="crooked")
        blue.throw(2)
        await until(lambda: shown() == ("Bob", 2), "Bob's roll, after one that lay crooked")
        blue.throw(6)
        await until(lambda: shown() == ("Bob", 6), "Bob's second throw in the place of his first")
        await placed("c3")
        bluez.lose(red)
        red.awake = False
        await until(lambda: "client" in table.table._troubles, "the trouble on the screen")
        assert "die of red has no connection" in table.table._troubles["client"].reason
        red.awake = True
        await until(lambda: not table.table._troubles, "the die to be back")
        await until(lambda: red.say is not None, "the die to be heard")
        red.throw(5)
        await until(lambda: shown() == ("Ann", 5), "Ann's roll")

    try:
        play([red, blue], game, tmp_path, monkeypatch, guarded_broker)
    finally:
        table.stop()

    stacked = [piece.colour for piece in table.board.board["c3"]]
    assert stacked == ["red", "blue"]
    said = capsys.readouterr().out
    assert "The die of red shows 2 without a throw; its 6 stays." in said
    assert "The die of blue lies crooked: throw it again, or say on a phone what counts." in said
    assert "The die of blue shows 6, told for Bob in the place of the last roll." in said


def paired_by(
    die: SimulatedDie, throws: Callable[[], None], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> int:
    """Pair a die with red; gives the exit code."""
    monkeypatch.setattr(command, "dice_in_reach", lambda: radio.dice_in_reach(0.3))

    async def pairing() -> int:
        async with simulated_bluez(folder, monkeypatch, [die]):
            task = asyncio.create_task(command._pair(folder / "dice.json", "red"))
            await until(lambda: die.say is not None or task.done(), "the die to be connected")
            throws()
            return await task

    return finished(pairing())


@pytest.mark.parametrize("thrown", [True, False])
def test_the_die_that_is_thrown_is_paired(
    thrown: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "PAIR_S", command.PAIR_S if thrown else 1.0)
    die = GoDie(RED)
    throw = partial(die.throw, 3) if thrown else partial(die.rest, 3, "moved")

    assert paired_by(die, throw, tmp_path, monkeypatch) == (0 if thrown else 1)
    kept = (PairedDie(RED, "red", die.name),) if thrown else ()
    assert load(tmp_path / "dice.json") == kept


def test_without_a_die_in_reach_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    die = GoDie(RED)
    die.awake = False

    assert paired_by(die, lambda: None, tmp_path, monkeypatch) == 1
    assert "No die is in reach; shake it" in capsys.readouterr().out


def test_without_bluetooth_pairing_is_refused_with_what_to_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/none")

    with pytest.raises(BadInput, match=r"Bluetooth: .*check that it runs and is on"):
        command.pair(tmp_path / "dice.json", "red")


@pytest.mark.parametrize("owner", ["", "A" * 41])
def test_a_die_is_paired_with_somebody_who_can_play(owner: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--pair: a colour, a name or 'all'"):
        command.pair(tmp_path / "dice.json", owner)


def test_without_the_package_for_bluetooth_it_says_which_extra_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "bleak", None)
    for module in ("radio", "command"):
        monkeypatch.delitem(sys.modules, f"controller.dice.{module}")

    with pytest.raises(BadInput, match="install the extra 'dice'"):
        importlib.import_module("controller.dice.command")


def test_without_a_paired_die_the_service_says_how_to_pair_one(
    broker: RunningBroker, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="no die is paired yet; pair one: topple-table dice --pair"):
        command.run(tmp_path / "dice.json", broker.address())
    with pytest.raises(BadInput, match="--table T 1"):
        command.run(tmp_path / "dice.json", broker.address(), table="T 1")
