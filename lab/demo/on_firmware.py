"""`make lab`: a game on the real firmware, and the same game without it.

The firmware is built with avr-gcc and runs in a simulated ATmega328P, whose chips measure the
simulated tower; pyserial, bridge, detection, referee and MQTT are those of every table. The report
gives the computing time, and whether the score equals that of the plain simulation.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from controller.app.run import await_broker, connected, tell
from controller.app.wiring import new_id, pipeline
from controller.common.errors import BadInput, ControllerError
from controller.mqtt.broker import EmbeddedBroker
from controller.mqtt.client import BrokerAddress, broker_address
from controller.table.keepers import NullJournal
from controller.table.publisher import Identity
from controller.workshop import firmware
from engine.events import PASSING
from engine.referee import Outcome
from engine.scoreboard import Scoreboard
from hw.source import SampleSource
from lab.avr.played import LabSource
from lab.avr.simavr import LabError, find_library
from lab.demo.demo import Answering
from lab.people.simulation import SimulatedEvening
from lab.twin.parameters import TwinParameters, preset_parameters

DONE, FAILED, WRONG_USE = 0, 1, 2

STEP_S = 0.25
"""Table time of a step; fixed, so that one seed is one game."""

LONGEST_S = 1200.0

SEED, TARGET = 17, 3
"""A whole game of 39 seconds with a topple in it."""


@dataclass(frozen=True, slots=True)
class LabGame:
    """One game.

    Attributes:
        board: the public document at its end, as published.
        outcomes: type, cell and points of everything that happened.
        table_s, wall_s: how long it took at the table, and here.
        cpu_s: processor time of this program, which other programs do not lengthen.
    """

    board: Scoreboard
    outcomes: tuple[tuple[object, ...], ...]
    table_s: float
    wall_s: float
    cpu_s: float

    @property
    def scores(self) -> dict[str, int | None]:
        """Points by player."""
        return {player.name: player.score for player in self.board.players}


def evening(seed: int = SEED, target: int = TARGET) -> SimulatedEvening:
    """Two careful players on the plain tower."""
    return SimulatedEvening.begin(
        seed, "calm", parameters=well_read(), players=2, two_colours=False, target=target
    )


def well_read() -> TwinParameters:
    """The plain tower without the mishaps of reading its chips: here they are really read."""
    plain = preset_parameters("calm")
    return replace(
        plain,
        scale=replace(plain.scale, missing=0.0, glitch=0.0, reset=0.0),
        imu=replace(plain.imu, missing=0.0),
    )


def play(
    people: SimulatedEvening,
    source: SampleSource,
    address: BrokerAddress,
    table_id: str,
    *,
    until_s: float = LONGEST_S,
    loud: bool = False,
) -> LabGame:
    """Play a game to its end, published to a broker.

    Args:
        people: who plays; they answer the table's questions.
        source: their samples, straight or by way of the lab.
        address: of the broker.
        table_id: of the table in the topics.
        until_s: table time after which it is broken off.
        loud: print what happens.
    """
    answering, heard = Answering(people), []

    def listen(outcome: Outcome, board: Scoreboard) -> None:
        answering.note(outcome)
        # Suspicions come and go with the noise, which the firmware's clock makes another.
        if outcome.type not in PASSING:
            heard.append((outcome.type, outcome.data.get("cell"), outcome.data.get("points")))
        if loud:
            tell(outcome, board)

    identity = Identity(table_id, new_id(), simulated=True)
    began_s, cpu_s, t_s = time.perf_counter(), time.process_time(), 0.0
    with connected(
        source, pipeline(source.tabletop), NullJournal(), identity, address, listener=listen
    ) as (table, edge):
        await_broker(edge)
        while not table.ended and t_s < until_s:
            t_s += STEP_S
            answering.act(table.board.pending, t_s)
            table.step(t_s, time.time())
        board = table.board
    wall_s, cpu_s = time.perf_counter() - began_s, time.process_time() - cpu_s
    return LabGame(board, tuple(heard), t_s, wall_s, cpu_s)


def report(built: firmware.Built, source: LabSource, lab: LabGame, plain: LabGame) -> str:
    """The report about a game on the firmware, as lines."""
    health, avr = source.link_health(), source.table.avr
    awake = 1 - avr.slept / max(avr.total, 1)
    unread = sum(cell.unread for cell in source.table.cells)
    scores = ", ".join(f"{name} {points}" for name, points in lab.scores.items())
    same = "the same" if lab.outcomes == plain.outcomes else "NOT THE SAME"
    rates = ", ".join("?" if rate is None else f"{rate:.1f}" for rate in health.rates_hz)
    tally = source.connection.tally
    rows = {
        "score": f"{scores}; {len(lab.outcomes)} outcomes, {same} without the firmware",
        "speed": f"{lab.table_s:.0f} s of table time in {lab.wall_s:.0f} s "
        f"({lab.table_s / lab.wall_s:.1f} times real time); {lab.cpu_s:.0f} s of processor time "
        f"({lab.table_s / lab.cpu_s:.1f} times)",
        "processor": f"{100 * awake:.0f} % not asleep (simulated cycles); "
        f"{health.busy_percent} % by its own count",
        "line": f"{tally.frames} frames, {tally.bytes / lab.table_s / 1000:.1f} kB/s; "
        f"{health.lost_on_line} lost, {health.bad_crc + health.bad_form} damaged, "
        f"{health.dropped_by_device} dropped by the microcontroller",
        "conversions": f"{rates} a second; {unread} not fetched from the chips, "
        f"{sum(health.missed)} missed by the host's count",
        "inertial": f"{health.imu_rate_hz} a second, {health.imu_errors} errors",
        "data sheets": f"{len(source.table.violations)} rules broken",
        "memory": f"flash {built.flash_bytes} of {firmware.FLASH_BYTES} bytes, "
        f"static RAM {built.ram_bytes} of {firmware.RAM_BYTES}",
    }
    return "\n".join(f"{name:<14}{text}" for name, text in rows.items())


def run(arguments: Sequence[str] | None = None) -> int:
    """Build, play, report; returns the exit code."""
    try:
        return _run(_parsed(arguments))
    except (ControllerError, LabError) as error:
        print(f"lab: {error}", file=sys.stderr)
        return WRONG_USE


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make lab", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--seed", type=int, default=SEED, help="another game")
    parser.add_argument("--target", type=int, default=TARGET, help="points that win")
    parser.add_argument("--memory", action="store_true", help="no pseudo-terminal: a little faster")
    parser.add_argument("--broker", help="a running MQTT broker, HOST[:PORT]")
    parser.add_argument("--seconds", type=float, default=LONGEST_S, help="break off after these")
    return parser.parse_args(arguments)


def _run(wanted: argparse.Namespace) -> int:
    if find_library() is None:
        raise BadInput("libsimavr is missing; apt-get install libsimavr2")
    embedded = EmbeddedBroker(0) if wanted.broker is None else None
    try:
        port = embedded.start() if embedded else 0
        address = broker_address(wanted.broker) if wanted.broker else BrokerAddress(port=port)
        with tempfile.TemporaryDirectory() as folder:
            return _compare(wanted, address, firmware.build(Path(folder)))
    finally:
        if embedded:
            embedded.stop()


def _compare(wanted: argparse.Namespace, address: BrokerAddress, built: firmware.Built) -> int:
    people = evening(wanted.seed, wanted.target)
    plain = play(people, people, address, "plain", until_s=wanted.seconds)
    people = evening(wanted.seed, wanted.target)
    source = LabSource(people, people.calibration, built.elf, terminal=not wanted.memory)
    lab = play(people, source, address, "lab", until_s=wanted.seconds, loud=True)
    print(report(built, source, lab, plain))
    good = lab.outcomes == plain.outcomes and not source.table.violations
    return DONE if good else FAILED


if __name__ == "__main__":
    sys.exit(run())
