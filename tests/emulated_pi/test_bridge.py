"""The whole table: people, tower, chips, firmware, the kernel's USB driver, the Pi, MQTT and pages.

One story after another on one machine, since to install it takes longest; each begins with a game
of its own.
"""

import shlex
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.typed import types
from tests.emulated_pi import by_hand
from tests.emulated_pi.by_hand import FIRST, SECOND, HereTable, until_the_topple
from tests.emulated_pi.calibrating import LINE, calibrate
from tests.emulated_pi.conftest import Installed
from tests.emulated_pi.counting import TOOLS as COUNTING_TOOLS
from tests.emulated_pi.counting import InstructionCounter
from tests.emulated_pi.kernel import need
from tests.emulated_pi.machine import EmulatedPi
from tests.emulated_pi.played import PiTable
from tests.recorded import simulate_game

pytestmark = pytest.mark.emulated_pi

PULLED = 3
CUT = 2
MEMORY_OF_THE_SMALLEST_PI_MB = 512
"""A Pi Zero 2 W's."""


SMALLEST_PI_INSTRUCTIONS_S = 5e8
"""One of its four cores: 1 GHz, and an instruction every second cycle, which an A53 reaches in
programs that wait for memory."""
RESTED_S = 40.0

REPLAYED_S = (20, 80)
"""Two lengths of a recorded game."""

TWICE = 2
"""Two processors' instructions differ by less for one Python program, unless a package computes in
another way (a numpy without its fast loops)."""

ALL = "machine"
SERVICES = ("topple-table", "topple-table-scoreboard", "mosquitto")


@pytest.fixture(scope="module")
def table(installed: Installed, elf: Path) -> Iterator[PiTable]:
    """The table with its Nano plugged in, and calibrated."""
    pi = installed.pi
    with PiTable(pi, elf) as table:
        table.nano.plug_in()
        pi.wait_until("sh", "-c", "ls /dev/serial/by-id/*")
        with installed.report.timed(f"`{LINE}`, typed by the owner"):
            assert "The calibration is good" in calibrate(pi, table)
        with installed.report.timed("the service, from the calibration to the first state"):
            table.wait_until(lambda _state: True, "state")
        yield table


def test_the_installer_knows_the_pi_and_has_tried_a_game(installed: Installed) -> None:
    assert "Raspberry Pi 3 Model B" in installed.said
    assert "tried with a simulated game. Final score: " in installed.said
    assert "the libraries for the pins are all there" in installed.said


def test_a_game_has_the_outcomes_of_the_lab_and_of_the_twin_alone(
    installed: Installed, table: PiTable, elf: Path
) -> None:
    twin, lab = HereTable(), HereTable(elf)
    for here in (twin, lab):
        by_hand.whole(here)
    table.events.clear()
    with installed.report.timed("a game of 37 s"):
        by_hand.whole(table)
    assert until_the_topple(table) == until_the_topple(lab) == until_the_topple(twin)
    assert table.state is not None
    assert (table.state["round"], table.state["board"]) == (2, {})
    installed.report.say(
        f"* {len(until_the_topple(twin))} outcomes, the same as without Pi and without firmware"
    )


def test_score_and_pages_reach_the_network(installed: Installed, table: PiTable) -> None:
    pages = f"http://127.0.0.1:{installed.pi.ports['pages']}/"
    with urllib.request.urlopen(pages, timeout=120) as page:
        assert b"<html" in page.read()
    assert table.state is not None


def test_buttons_lights_and_buzzer_are_opened_beside_the_bridge(
    installed: Installed, table: PiTable
) -> None:
    """Nothing is wired to these pins: that they can be had is all that is seen here."""
    taken = "[ $(gpioinfo | grep -c '\"lg\"') -ge 8 ]"

    installed.pi.wait_until("sh", "-c", taken)
    installed.report.say("* buttons, lights and buzzer are opened on the kernel's own pins")


def doctor_says(pi: EmulatedPi, *words: str) -> str:
    """What the doctor says once it says all of this."""
    # The doctor takes the emulated processor from the table, which is given time to recover.
    line = "sleep 5; topple-table doctor | tee /run/said; "
    looked = "; ".join(f"grep -q {shlex.quote(each)} /run/said || exit 1" for each in words)
    pi.wait_until("sh", "-c", line + looked)
    return pi.run("cat", "/run/said")


def test_a_cable_that_is_pulled_in_mid_game_costs_nothing_and_is_named(
    installed: Installed, table: PiTable
) -> None:
    by_hand.start(table)
    game = by_hand.place(table, FIRST)["game"]
    for _ in range(PULLED):
        table.pull_the_cable()
        said = doctor_says(installed.pi, "WRONG  serial", "WRONG  table")
        table.nano.plug_in()
        doctor_says(installed.pi, "ok     serial")
    table.wait_until_well()
    state = by_hand.place(table, SECOND)

    assert "plug" in said
    assert state["game"] == game
    assert set(state["board"]) == {*FIRST, *SECOND}
    installed.report.say(
        f"* cable pulled {PULLED} times in a game: the game went on; the doctor said:\n"
    )
    installed.report.quote(line for line in said.splitlines() if line.startswith("WRONG"))


def test_power_cuts_in_mid_game_cost_nothing_though_the_clock_is_wrong_afterwards(
    installed: Installed, table: PiTable
) -> None:
    by_hand.start(table)
    before = by_hand.place(table, FIRST)
    for _ in range(CUT):
        installed.pi.keep_an_old_time()
        installed.pi.cut_power()
        table.nano.pull()
        table.forget()
        with installed.report.timed("from the power to the first shown score"):
            installed.pi.start()
            table.nano.plug_in()
            after = table.wait_until(lambda _state: True, "state")
        assert (after["game"], after["board"]) == (before["game"], before["board"])
        assert scores(after) == scores(before)
    said = doctor_says(installed.pi, "note   clock", "not from the network")
    installed.pi.set_clock()
    table.wait_until_well()
    state = by_hand.place(table, SECOND)

    assert state["game"] == before["game"]
    assert set(state["board"]) == {*FIRST, *SECOND}
    installed.report.say(
        f"* power cut {CUT} times in a game: the score was there again; the doctor said:\n"
    )
    installed.report.quote(line for line in said.splitlines() if line.startswith("note"))


def test_a_full_card_is_named_and_the_game_goes_on_when_there_is_room(
    installed: Installed, table: PiTable
) -> None:
    pi = installed.pi
    by_hand.start(table)
    before = by_hand.place(table, FIRST)
    pi.run(
        "sh",
        "-c",
        "fallocate -l $(df -B1 --output=avail / | tail -1) /full; cat /dev/zero >>/full || true",
    )
    table.move(by_hand.putting(SECOND[0]))
    said = doctor_says(pi, "WRONG  disk")
    pi.run("rm", "/full")
    doctor_says(pi, "ok     disk")
    table.wait_until_well()
    # Whether the piece that came meanwhile is there, or asked for, depends on what was written.
    state = table.wait_until(lambda state: set(FIRST) <= set(state["board"]), "the game")

    assert state["game"] == before["game"]
    installed.report.say("* card full in a game: the game was there again; the doctor said:\n")
    installed.report.quote(line for line in said.splitlines() if line.startswith("WRONG"))


def test_a_port_that_the_service_may_not_open_is_named(
    installed: Installed, table: PiTable
) -> None:
    pi = installed.pi
    port = pi.run("sh", "-c", "readlink -f /dev/serial/by-id/*").strip()
    pi.run("chgrp", "root", port)
    _code, lacks_rules = types(pi, "sudo topple-table doctor")
    pi.run("chgrp", "dialout", port)
    pi.run("gpasswd", "-d", "topple-table", "dialout")
    _code, lacks_group = types(pi, "sudo topple-table doctor")
    pi.run("gpasswd", "-a", "topple-table", "dialout")
    _code, well = types(pi, "sudo topple-table doctor")

    assert "WRONG  serial" in lacks_rules
    assert "udevadm trigger" in lacks_rules
    assert "WRONG  serial" in lacks_group
    assert "usermod -aG dialout topple-table" in lacks_group
    assert "ok     serial" in well


def test_the_running_table_leaves_the_pi_room(installed: Installed, table: PiTable) -> None:
    shown = installed.pi.run(
        "systemctl", "show", "--property=MemoryCurrent", "topple-table", "topple-table-scoreboard"
    )
    memory_mb = [int(line.partition("=")[2]) / 1e6 for line in shown.split()]

    assert sum(memory_mb) < MEMORY_OF_THE_SMALLEST_PI_MB / 2
    installed.report.say(f"* memory: table {memory_mb[0]:.0f} MB, pages {memory_mb[1]:.0f} MB")


def test_what_the_running_table_computes_leaves_the_smallest_pi_room(
    installed: Installed, table: PiTable, tmp_path: Path
) -> None:
    """A replay is counted in instructions, and tells how many the emulated processor does a second.

    Counted all the while, the table would not keep up with its tower.
    """
    need(COUNTING_TOOLS, "to make its card")
    pi, counter = installed.pi, InstructionCounter(tmp_path / "pi")
    traces = [simulate_game(1, "calm", tmp_path, seconds=s, name=f"{s}")[0] for s in REPLAYED_S]
    by_hand.start(table)
    table.wait_until_well()
    before, began_s = processor_s(pi), table.nano.t_s
    # Nobody moves: whether the game goes on is looked at elsewhere, and a table computes as much.
    table.rest(RESTED_S)
    after, lasted_s = processor_s(pi), table.nano.t_s - began_s
    pi.run("systemctl", "stop", *SERVICES)
    pi.take("/traces", *traces)
    replay_s = in_the_pi(pi, traces, lambda: processor_s(pi)[ALL])
    pi.run("sync")  # what was written in the last seconds would be lost with the power
    pi.cut_power()
    table.nano.pull()
    pi.start(*counter.options)
    pi.run("systemctl", "stop", *SERVICES)
    counted = in_the_pi(pi, traces, lambda: counter.total)
    on_a_pc = on_this_machine(traces, InstructionCounter(tmp_path / "here"))
    cost = {unit: (after[unit] - before[unit]) / lasted_s * counted / replay_s for unit in SERVICES}

    length_s = REPLAYED_S[1] - REPLAYED_S[0]
    said = ", ".join(f"{unit} {each / 1e6:.0f}" for unit, each in cost.items())
    installed.report.say(f"* million instructions a second of table time: {said}")
    installed.report.say(
        "* million instructions a second of a replayed game: "
        f"{counted / length_s / 1e6:.0f}, on this machine {on_a_pc / length_s / 1e6:.0f}"
    )
    assert counted < TWICE * on_a_pc
    assert sum(cost.values()) < SMALLEST_PI_INSTRUCTIONS_S / 2


def in_the_pi(pi: EmulatedPi, traces: Sequence[Path], meter: Callable[[], float]) -> float:
    """What a meter counts more for the longer recording: starting Python is no part of it."""
    short, long = (f"/traces/{trace.name}" for trace in traces)
    # The first run also reads the program from the card.
    pi.run("topple-table", "replay", short)
    marks = [meter()]
    for trace in (short, long):
        pi.run("topple-table", "replay", trace)
        marks.append(meter())
    return (marks[2] - marks[1]) - (marks[1] - marks[0])


def on_this_machine(traces: Sequence[Path], counter: InstructionCounter) -> int:
    """The same, in instructions of this machine's processor."""
    marks = [0]
    for trace in traces:
        replay = (sys.executable, "-m", "controller.cli", "replay", str(trace))
        subprocess.run(["qemu-x86_64", *counter.options, *replay], check=True, capture_output=True)
        marks.append(counter.total)
    return (marks[2] - marks[1]) - (marks[1] - marks[0])


def processor_s(pi: EmulatedPi) -> dict[str, float]:
    """Processor time of each service and of the whole machine so far."""
    places = {ALL: "", **{unit: f"system.slice/{unit}.service" for unit in SERVICES}}
    found = {}
    for unit, place in places.items():
        # A service that is stopped has none.
        stat = pi.run("sh", "-c", f"cat /sys/fs/cgroup/{place}/cpu.stat || true").split()
        found[unit] = int(stat[stat.index("usage_usec") + 1]) / 1e6 if "usage_usec" in stat else 0.0
    return found


def scores(state: dict[str, Any]) -> list[int]:
    """Points by player."""
    return [player["score"] for player in state["players"]]
