"""Killed at any moment, the table comes back as it was shown, or later, and never half a turn.

Twice: at moments drawn by lot, and before and in the middle of every single call that changes a
file. The short form samples; `--soak` takes them all.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.workshop.calibrate.calibrations import Calibrations
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.controller.durability import beginnings, checking, scenes
from tests.controller.durability.yard import DONE, ROOT, Order, Yard

INSTALLER = ROOT / "deploy" / "install.sh"
KILLS, KILLS_SOAKED = 24, 600
LONGEST_S = 0.25
"""A process lives so long at most: about forty moves."""


def killed_by_lot(a_yard: Yard, folder: Path, kills: int, seed: int) -> tuple[int, int]:
    """Evenings of twenty kills each; how many kills there were and how much was shown."""
    rng, lines = random.Random(seed), 0
    for number in range(kills):
        evening = folder / f"evening-{number // 20}"
        evening.mkdir(exist_ok=True)
        ending = a_yard.run(
            Order(
                "play", str(evening), seed=seed + number, moves=10**6,
                after_s=rng.uniform(0.0, LONGEST_S),
            )
        )  # fmt: skip
        assert ending.killed, ending.words
        assert checking.broken(evening, checking.heard(evening)) == [], (
            f"kill {number}, seed {seed}"
        )
        lines += len(checking.heard(evening))
    return kills, lines


@pytest.mark.slow
def test_killed_at_moments_drawn_by_lot_nothing_that_was_shown_is_lost(
    a_yard: Yard, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    kills = KILLS_SOAKED if pytestconfig.getoption("--soak") else KILLS
    done, lines = killed_by_lot(a_yard, tmp_path, kills, seed=7)
    print(f"{done} kills, {lines} lines shown, none lost")

    assert lines > 5 * kills, "a table that shows nothing loses nothing"


def at_each_call(a_yard: Yard, order: Order, begin: Path, every: int) -> Iterator[tuple[str, Path]]:
    """Let a scene be killed before its calls, and in their middle, from the same beginning."""
    folder = Path(order.folder)
    shutil.copytree(begin, folder, dirs_exist_ok=True)
    whole = a_yard.run(order)
    assert whole.code == DONE, whole.words
    assert whole.calls > 0
    for at in range(1, whole.calls + 1, every):
        for torn in (False, True):
            shutil.rmtree(folder)
            shutil.copytree(begin, folder)
            ending = a_yard.run(Order(order.scene, order.folder, order.seed, order.moves, at, torn))
            assert ending.killed or ending.code == DONE, ending.words
            yield f"{order.scene}, call {at}{' torn' if torn else ''}", folder


@pytest.mark.slow
def test_this_judge_does_find_a_journal_that_writes_too_late(a_yard: Yard, tmp_path: Path) -> None:
    begin = tmp_path / "begin"
    begin.mkdir()
    order = Order("play_carelessly", str(tmp_path / "t"), seed=1, moves=20)
    found = [
        words for words, folder in at_each_call(a_yard, order, begin, 41)
        if checking.broken(folder, checking.heard(folder))
    ]  # fmt: skip

    assert found


def sampled(pytestconfig: pytest.Config, every: int) -> int:
    return 1 if pytestconfig.getoption("--soak") else every


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_every_call_of_a_game_nothing_that_was_shown_is_lost(
    a_yard: Yard, tmp_path: Path, pytestconfig: pytest.Config, seed: int
) -> None:
    """From the making of the file over questions, undo and several games to the closing."""
    begin = tmp_path / "begin"
    begin.mkdir()
    order = Order("play", str(tmp_path / "t"), seed=seed, moves=40)
    kills = 0
    for words, folder in at_each_call(a_yard, order, begin, sampled(pytestconfig, 43)):
        kills += 1
        assert checking.broken(folder, checking.heard(folder)) == [], words
    print(f"{kills} kills at calls, none lost")
    assert kills >= 10


@pytest.mark.slow
@pytest.mark.parametrize("beginning", beginnings.ALL)
def test_killed_while_it_starts_it_starts_the_next_time(
    a_yard: Yard, tmp_path: Path, pytestconfig: pytest.Config, beginning: Callable[[Path], Path]
) -> None:
    """After a kill, from an older version, and while it mends itself from the copy."""
    begin = beginning(tmp_path / "begin")
    order = Order("play", str(tmp_path / "t"), seed=9, moves=2)
    for words, folder in at_each_call(a_yard, order, begin, sampled(pytestconfig, 19)):
        assert checking.broken(folder, checking.heard(folder)) == [], words


@pytest.mark.slow
def test_killed_while_a_calibration_is_saved_the_old_one_or_the_new_one_is_in_use(
    a_yard: Yard, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    begin = tmp_path / "begin"
    begin.mkdir()
    for number in (1, 2):
        Calibrations(begin / "calibration.json").save(
            scenes.calibration(number), scenes.NOW, "calibrate", "from before"
        )
    order = Order("calibrate", str(tmp_path / "t"), seed=3, moves=4)
    for words, folder in at_each_call(a_yard, order, begin, sampled(pytestconfig, 5)):
        store = Calibrations(folder / "calibration.json")
        last = max((number for _, number in checking.heard(folder)), default=2)
        allowed = [scenes.calibration(scenes.in_use_after(step)) for step in (last, last + 1)]

        assert store.current() in allowed, words
        assert all(each.readable for each in store.kept()), words


WRITE_FOR_EVER = """
set -eu
dry_run=''
work=$1/work
say() { :; }
{functions}
n=0
while :; do
    n=$((n + 1))
    yes "id = $n" | head -n 5000 >"$1/work.toml"
    put "$1/work.toml" "$1/table.toml" 0644 "$(id -un)"
done
"""


def shell_function(name: str) -> str:
    """One function of the installer, as it stands there."""
    pattern = rf"^{name}\(\) \{{\n.*?^\}}\n"
    found = re.search(pattern, INSTALLER.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None, name
    return found[0]


def id_in(file: Path) -> str:
    return file.read_text().partition("\n")[0]


@pytest.mark.slow
def test_killed_while_the_installer_writes_the_configuration_it_is_the_old_or_the_new(
    tmp_path: Path,
) -> None:
    """The installer's own functions, killed with everything they started."""
    functions = "".join(shell_function(name) for name in ("put", "remember"))
    (tmp_path / "table.toml").write_text("id = 0\n" * 5000)
    rng, seen = random.Random(5), set()
    for number in range(12):
        writer = subprocess.Popen(
            ["sh", "-c", WRITE_FOR_EVER.replace("{functions}", functions), "sh", str(tmp_path)],
            start_new_session=True,
        )
        if number == 0:  # a busy machine may need longer for a first one than all kills together
            wait_until(lambda: id_in(tmp_path / "table.toml") != "id = 0", "a configuration")
        time.sleep(rng.uniform(0.05, 0.2))
        os.killpg(writer.pid, signal.SIGKILL)
        writer.wait(PATIENCE_S)
        lines = (tmp_path / "table.toml").read_text().splitlines()
        seen.add(lines[0])

        assert lines == lines[:1] * 5000, f"kill {number}"
    assert len(seen) > 1
