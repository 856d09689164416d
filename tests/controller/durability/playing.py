"""A table that is played on by seed, and keeps what was shown of it in a file.

Journal, live table, pipeline and referee are the program itself. What the sensors see and what
people say is drawn from the seed and from where the game stands, so that after a kill the next
process just goes on. Everything published goes to `shown.log`, one line a
publication in one system call, as a broker would have it.
"""

import errno
import json
import os
import random
from collections import deque
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any, ClassVar

from controller.journal.journal import Journal
from controller.mqtt.client import Message
from controller.mqtt.topics import Publication
from controller.table.loop import LiveTable
from controller.table.pipeline import Pipeline
from controller.table.publisher import Announcer, Identity
from engine.events import (
    Cleared,
    Corrected,
    Fault,
    Placed,
    Restored,
    Retracted,
    TableEvent,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.games.registry import GAMES
from engine.referee import expectation
from engine.samples import SensorReport
from engine.tabletop import CELLS
from tests.controller.evenings import Detector, Source

SHOWN = "shown.log"
JOURNAL = "table.journal"
KEPT_GAMES = 3
"""So few that old games are forgotten while a test plays."""

STEP_S = 3.0
TROUBLE = 0.2
"""How often somebody has second thoughts: far more often than at a table."""
UNIX_S = 1_800_000_000.0
PLAYERS = [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}]


class ShownLog:
    """The wire: what is published is one line of the file when `publish` returns."""

    dropped = 0
    too_large: ClassVar[dict[str, int]] = {}

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        # A process that is killed may have written a part of its last line: that was not published.
        os.ftruncate(self._handle, path.read_bytes().rfind(b"\n") + 1)

    def publish(self, publication: Publication) -> None:
        row = publication.topic.split("/", 3)[3]
        if row in ("state", "event") or row.startswith("reply/"):
            self.note(row, json.loads(publication.payload))

    def note(self, row: str, document: Any) -> None:
        line = json.dumps([row, document]).encode() + b"\n"
        if os.write(self._handle, line) < len(line):
            # As much as there was room for: what follows would stand in the same line.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def on_message(self, handler: Any) -> None:
        """Commands come from the player below."""

    def close(self) -> None:
        os.close(self._handle)


class Eyes(Detector):
    """A detector that sees what the player below says it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.coming: deque[TableEvent] = deque()

    def feed(self, samples: Any) -> None:
        self.now_s = samples.t_s

    def next_event(self, until_s: float = inf) -> TableEvent | None:  # noqa: ARG002 - all is due
        return self.coming.popleft() if self.coming else None


class Table:
    """One process of a table on a folder, from its start to whatever ends it."""

    def __init__(
        self, folder: Path, seed: int, *, kept_games: int = KEPT_GAMES,
        kind: Callable[..., Journal] = Journal, trouble: float = TROUBLE, step_s: float = STEP_S,
    ) -> None:  # fmt: skip
        self._shown = ShownLog(folder / SHOWN)
        self.journal = kind(folder / JOURNAL, kept_games=kept_games)
        resumed = self.journal.resume()
        self.notices = resumed.notices
        self._eyes = Eyes()
        self._source = Source()
        self.pipeline = Pipeline(
            self._eyes, resumed.state, resume_s=resumed.resume_s, chance=random.Random(seed).random
        )
        me = Identity("t1", "boot", simulated=True)
        self.live = LiveTable(
            self._source, self.pipeline, self.journal, Announcer(self._shown, me), me
        )
        self._rng = random.Random(f"{seed} {resumed.state.rev}")
        self._trouble = trouble
        self._step_s = step_s
        self._t_s = 0.0
        self.live.open(UNIX_S)

    def play(self, moves: int) -> None:
        """So many things seen or said, and a step of the table after each."""
        for _ in range(moves):
            self.move()

    def move(self) -> None:
        """Whatever comes next."""
        self._t_s += self._step_s
        self._draw(self._rng)
        # A clock that jumps about: nothing may rest on it.
        self.live.step(self._t_s, UNIX_S + self._rng.uniform(-1e9, 1e6))

    @property
    def now_s(self) -> float:
        """Table time of this process."""
        return self._t_s

    def close(self) -> None:
        self.live.close(UNIX_S)
        self.journal.close()
        self._shown.close()

    # --- what happens ------------------------------------------------------------------------

    def _draw(self, rng: random.Random) -> None:  # noqa: PLR0911 - one line for each choice
        position = self.pipeline.state.position
        if position.phase in ("idle", "over"):
            return self._start(rng)
        if not position.by_sensors:
            return self._by_hand(rng)
        if rng.random() < self._trouble / 10:
            return self._say("end")
        if rng.random() < self._trouble:
            return self._interrupt(rng)
        if position.phase == "clear":
            return self._see(Cleared(self._t_s, self._t_s))
        if position.phase == "roll":
            return self._say("roll", value=rng.randint(1, 6))
        return self._place(rng)

    def _start(self, rng: random.Random) -> None:
        if rng.random() < 0.2:
            return self._say("start", game="triple-topper-toe", x="Ann", o="Bob")
        return self._say("start", players=PLAYERS, target=rng.choice((10, 60)), first=0)

    def _by_hand(self, rng: random.Random) -> None:
        position = self.pipeline.state.position
        chosen = rng.choice(("action",) * 8 + ("undo", "redo", "end"))
        if chosen != "action":
            return self._say(chosen)
        action = GAMES[position.game_kind].player(position.game_state, rng.random)
        return self._say("action", **action)

    def _interrupt(self, rng: random.Random) -> None:
        questions = self.pipeline.state.questions()
        if questions and rng.random() < 0.7:
            question = questions[0]
            value = rng.choice(question.choices).value
            return self._say("answer", question=question.id, value=value)
        return rng.choice((self._undo, self._redo, self._correct, self._evidence, self._sensor))(
            rng
        )

    def _undo(self, _: random.Random) -> None:
        self._say("undo")

    def _redo(self, _: random.Random) -> None:
        self._say("redo")

    def _correct(self, rng: random.Random) -> None:
        placed = [move.ref for move in self.pipeline.state.ledger if move.kind == "place"]
        self._say("correct", ref=rng.choice(placed or [0]), cell=rng.choice(CELLS))

    def _evidence(self, rng: random.Random) -> None:
        """The detector changes its mind about a piece."""
        seen = [move.source for move in self.pipeline.state.ledger if move.source]
        if not seen:
            return
        ref = rng.choice(seen) - self.pipeline._id_offset
        if rng.random() < 0.3:
            self._see(Retracted(ref, self._t_s, "taken back"))
        else:
            self._see(Corrected(ref, self._t_s, rng.choice(CELLS), rng.uniform(0.5, 1.0)))

    def _sensor(self, _: random.Random) -> None:
        self._see(Fault(self._t_s, "imu", "Nothing heard. Check its plug."))
        self._see(Restored(self._t_s, "imu"))

    def _place(self, rng: random.Random) -> None:
        what = rng.random()
        number = max((move.source or 0 for move in self.pipeline.state.ledger), default=0) + 1
        number -= self.pipeline._id_offset
        if what < 0.1:
            return self._say("pass")
        if what < 0.15:
            cause = rng.choice(list(ToppleCause))
            return self._see(
                Toppled(number, self._t_s, self._t_s, ToppleKind.COLLAPSE, cause, 0.99, 0.8, 2)
            )
        cells = expectation(self.pipeline.state).legal_cells or CELLS
        cell, sure = rng.choice(cells), rng.choice((0.99, 0.99, 0.99, 0.7))
        if what < 0.25:
            return self._say("place", cell=cell)
        return self._see(
            Placed(number, self._t_s, self._t_s, cell, sure, ((rng.choice(CELLS), 1 - sure),), 3.0)
        )

    def _see(self, event: TableEvent) -> None:
        self._eyes.coming.append(event)
        self._source._items.append(SensorReport(self._t_s, "imu", ok=True))

    def _say(self, verb: str, **data: Any) -> None:
        name = f"{verb}-{os.urandom(6).hex()}"
        payload = json.dumps({"v": 1, "client": "phone", "id": name, "data": data})
        self.live.receive(Message(f"topple/1/t1/cmd/{verb}", payload.encode(), retained=False))
