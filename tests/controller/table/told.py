"""Evenings whose every decision is written down, with what the table believed each second.

The figures of a detector hang together: a constant that is doubled may leave every event of a test
right, and still make the table ask twice as often on a rough evening. So what is told of a few
evenings is kept to the last digits that machines agree on: what was decided and why, to be read;
then ten seconds a line what was believed; and in the last line of every message its row, a checksum
of its words and one of its numbers. Whoever means to change it says `make golden`, and looks at the
difference before it is committed.
"""

from collections.abc import Callable, Iterator
from math import log
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import msgspec
import numpy as np

from controller.mqtt.client import Message
from controller.mqtt.topics import Publication
from controller.table.loop import LiveTable
from controller.table.pipeline import Output, Pipeline
from controller.table.publisher import Announcer, Identity, software
from engine.detect.detector import Detector
from lab.people.simulation import SimulatedEvening
from lab.people.ways import USUAL, drawn
from lab.twin.drawing import draw
from lab.twin.faults import FaultKind, InjectedFault
from lab.twin.parameters import Preset
from tests.outcomes import in_words

WRITTEN = Path(__file__).parent / "told_evenings"

LASTS_S, STEP_S = 100.0, 0.25
UNIX_S = 1_800_000_000.0

EVENINGS: dict[str, tuple[int, Preset, tuple[InjectedFault, ...]]] = {
    "calm": (0, "calm", ()),
    "haste": (5, "rough", ()),
    "fidgets": (8, "normal", ()),
    "cell": (3, "normal", (InjectedFault(FaultKind.DEAD_CELL, 20.0, 60.0, 2),)),
    "sensor": (6, "calm", (InjectedFault(FaultKind.IMU_NACK, 15.0, 30.0),
                           InjectedFault(FaultKind.NO_SCALE, 50.0, 53.0),
                           InjectedFault(FaultKind.DRIFTING, 60.0, 90.0, 1, 0.05))),
}  # fmt: skip
"""Name -> seed of table and people, preset, faults. Seed 0 are the usual people."""

COMMANDS: tuple[tuple[float, str, dict[str, Any]], ...] = (
    (30.0, "undo", {"id": "a"}),
    (30.25, "undo", {"id": "a"}),
    (30.5, "redo", {"id": "b", "rev": 1}),
    (30.75, "redo", {"id": "c"}),
    (40.0, "hints", {"id": "d", "data": {"on": False}}),
    (41.0, "roll", {"id": "e", "exp": 1_800_000_000 + 40.5, "data": {"value": 4}}),
    (42.0, "dance", {"id": "f"}),
    (43.0, "undo", {"client": None}),
    (95.0, "end", {"id": "g"}),
)
"""When a phone sends which command with what in it."""

BELIEVED_S = 10
"""Seconds in one line of what is believed."""


class Written:
    """A journal and a wire that write down what passes."""

    trouble = None

    def __init__(self) -> None:
        self.decided: list[str] = []
        self.messages: list[str] = []
        self.dropped, self.too_large = 0, dict[str, int]()

    def write(self, output: Output) -> None:
        """What was decided, and by what."""
        cause = msgspec.to_builtins(output.cause)
        words = (f"{name}={_text(value)}" for name, value in cause.items() if name != "command")
        self.decided.append(" ".join([type(output.cause).__name__, *words]))
        self.decided += [f"    {o.seq} {in_words(o, _text)}" for o in output.outcomes]

    def tend(self) -> None:
        """It is kept already."""

    def publish(self, said: Publication) -> None:
        """What was published: its topic, a number of its words, and one of its numbers."""
        words: list[str] = []
        numbers: list[float] = []
        payload = said.payload.replace(software().encode(), b"")  # the version may be another
        plain = said.topic.endswith("availability")
        _take_apart(str(payload) if plain else msgspec.json.decode(payload), words, numbers)
        mean = sum(n * (1 + k % 7 / 10) for k, n in enumerate(numbers)) / max(len(numbers), 1)
        text = f"{said.qos} {said.retain} {words}"
        row = said.topic.removeprefix("topple/1/t1/")
        self.messages.append(f"{row}:{crc32(text.encode())}:{mean:.4f}")

    def on_message(self, handler: Callable[[Message], None]) -> None:
        """Nothing arrives here."""


def _take_apart(document: Any, words: list[str], numbers: list[float]) -> None:
    if isinstance(document, dict):
        for key, value in document.items():
            words.append(key)
            _take_apart(value, words, numbers)
    elif isinstance(document, list):
        words.append(f"{len(document)} of")
        for value in document:
            _take_apart(value, words, numbers)
    elif isinstance(document, int | float) and not isinstance(document, bool):
        numbers.append(document % 1000 if document > 1e9 else document)  # only the end of a date
    else:
        words.append(str(document))


def told(name: str) -> Iterator[str]:
    """Everything that is decided and published in an evening, and each second what is believed."""
    believed: list[str] = []
    seed, preset, faults = EVENINGS[name]
    parameters = draw(
        np.random.default_rng([seed, 77]), preset, turned_imu=bool(seed), inverted_cells=bool(seed)
    )
    evening = SimulatedEvening.begin(
        seed, preset, parameters=parameters, faults=faults, target=5, again=True,
        ways=drawn(Random(seed)) if seed else USUAL,
    )  # fmt: skip
    detector, written, now_s = Detector(evening.tabletop), Written(), 0.0
    identity = Identity("t1", "boot-1", simulated=True)
    table = LiveTable(
        evening, Pipeline(detector), written, Announcer(written, identity), identity,
        hints=True, hands=True, clock=lambda: now_s,
    )  # fmt: skip
    table.open(UNIX_S)
    for step in range(1, int(LASTS_S / STEP_S) + 1):
        now_s = step * STEP_S
        for verb, fields in (each[1:] for each in COMMANDS if each[0] == now_s):
            payload = msgspec.json.encode({"v": 1, "client": "phone", **fields})
            table.receive(Message(f"topple/1/t1/cmd/{verb}", payload, retained=False))
        table.step(now_s, UNIX_S + now_s)
        if now_s.is_integer():
            believed.append(_belief(detector))
        yield from written.decided
        written.decided.clear()
    for at in range(0, len(believed), BELIEVED_S):
        yield "; ".join(believed[at : at + BELIEVED_S])
    yield " ".join(written.messages)


def _belief(detector: Detector) -> str:
    """Time, log odds of the likeliest accounts, moment, noise, and whether the pivot is good."""
    scene, health = detector._scene, detector.health()
    weighed = scene.tracker.now[:4] if scene.tracker else ()
    odds = [log(each.p + 1e-12) for each in weighed]
    moment = [x / 100 for x in detector._front.contacts.moment.now_gmm]
    figures = [health.friction_deg, health.period_s, health.noise_g, health.zero_drift_g]
    return " ".join(_text(each) for each in (detector.now_s, odds, moment, figures))


def _text(value: Any) -> str:
    """A value with four digits after the point, wherever it has numbers."""
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_text, value))}]"
    return str(value)


def written(name: str) -> list[str]:
    """What was told of an evening when it was last looked at."""
    return _file(name).read_text(encoding="utf-8").splitlines()


def _file(name: str) -> Path:
    return WRITTEN / f"{name}.txt"


if __name__ == "__main__":
    for evening in EVENINGS:
        _file(evening).write_text("".join(f"{line}\n" for line in told(evening)), encoding="utf-8")
