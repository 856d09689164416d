"""Random evenings with random faults, for hours: what must never break is looked at in each.

A broken promise is shrunk to a short scenario and written out, so that it can be run, mended and
kept.
"""

import multiprocessing
import os
import resource
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal

import msgspec

from controller.bench.figures import true_placements
from controller.bench.running import play_and_judge
from controller.bench.scenario import Case, EveningSetup, Scenario
from controller.bench.steps import FaultOrder, Step
from controller.errors import BadInput

DONE, FAILED = 0, 1

FAULTS = (
    "unplugged cell {cell}",
    "stuck cell {cell}",
    "saturated cell {cell}",
    "stuck dout cell {cell}",
    "resetting cell {cell}",
    "corrupt words",
    "imu missing",
    "imu asleep",
    "switch closed",
    "loose usb",
)
"""Those a table can notice. One that lies without a trace (a swapped plug) is for `diagnose`."""

LEAST_SILENT = 2
SILENT_SHARE = 0.01
"""Wrong and not asked about, of all placements: the rate of detection on good tables as measured
is well below; above this the soak fails."""

LARGEST_GROWTH_MB = 60.0
"""Of a process over its evenings, after the first three."""


@dataclass(slots=True)
class Tally:
    """What a soak has seen so far."""

    evenings: int = 0
    table_s: float = 0.0
    placements: int = 0
    silent: int = 0
    broken: list[str] = field(default_factory=list)
    memory_mb: dict[int, list[float]] = field(default_factory=dict)

    @property
    def growth_mb(self) -> float:
        """Largest growth of a process after its third evening."""
        kept = [sizes[2:] for sizes in self.memory_mb.values() if len(sizes) > 3]
        return max((sizes[-1] - sizes[0] for sizes in kept), default=0.0)


@dataclass(frozen=True, slots=True)
class Played:
    """What came of one evening."""

    case: Case
    broken: tuple[str, ...]
    table_s: float
    placements: int
    silent: int
    process: int
    memory_mb: float


def evening_case(seed: int) -> Case:
    """The evening of a seed: people, table, faults, kills and a moody broker, all drawn."""
    chance = Random(seed)
    steps: list[Step] = []
    at_s = 8.0
    for _ in range(chance.randint(0, 4)):
        at_s += chance.uniform(5, 40)
        steps += _mishap(chance, at_s)
    table: Literal["calm", "normal"] = chance.choice(("calm", "calm", "normal"))
    scenario = Scenario(
        about=f"Evening {seed} of a soak",
        name=f"soak_{seed}",
        table=table,
        drawn=chance.choice((0.0, 0.5, 1.0)),
        evening=EveningSetup(players=chance.randint(2, 4), target=5, seconds=90.0),
        steps=tuple(steps),
        unexpected="allow",
        measure={"silent_errors": "at least 0"},
        seeds=(seed,),
    )
    return Case(scenario, seed)


def _mishap(chance: Random, at_s: float) -> list[Step]:
    kind = chance.choice(("fault", "fault", "kill", "broker", "duplicate", "clock"))
    if kind == "fault":
        words = chance.choice(FAULTS).format(cell=chance.randint(1, 4))
        return [Step(at=at_s, fault=FaultOrder(words, chance.uniform(1, 8)))]
    if kind == "kill":
        return [Step(at=at_s, kill=True)]
    if kind == "broker":
        back_s = at_s + chance.uniform(1, 8)
        return [Step(at=at_s, broker="down"), Step(at=back_s, broker="up")]
    if kind == "duplicate":
        return [Step(at=at_s, broker="duplicate")]
    return [Step(at=at_s, clock=chance.uniform(-90000, 90000))]


def played(case: Case) -> Played:
    """Play one evening and look at what must never break."""
    result = play_and_judge(case)
    run = result.run
    stopped = (run.stopped,) if run.stopped else ()
    measures = result.verdict.measures
    return Played(
        case,
        (*run.broken, *stopped),
        run.end_s,
        len(true_placements(run)),
        int(measures.get("silent_errors", 0)),
        os.getpid(),
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def soak(
    seed: int, evenings: int | None, hours: float | None, jobs: int | None, folder: Path | None
) -> int:
    """Play until the number or the time is reached; 1 when something broke.

    Raises:
        BadInput: neither a number nor a time was given.
    """
    if evenings is None and hours is None:
        raise BadInput("bench soak: how long? give --evenings N or --hours H")
    until_s = time.monotonic() + (hours * 3600 if hours is not None else float("inf"))
    tally = Tally()
    began_s = time.monotonic()
    for one in _stream(seed, evenings, until_s, jobs or os.cpu_count() or 1):
        _count(tally, one)
        if one.broken:
            path = write_shrunk(one.case, folder or Path())
            print(f"{one.case.scenario.name}: {one.broken[0]}; shrunk to {path}", flush=True)
    print(words_of(tally, time.monotonic() - began_s))
    return DONE if not tally.broken and not _too_much(tally) else FAILED


def _stream(seed: int, evenings: int | None, until_s: float, jobs: int) -> Iterator[Played]:
    """Evenings as they end; not more wait than there are processes."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn) as pool:
        waiting: set[Future[Played]] = set()
        number = 0
        while True:
            wanted = evenings is None or number < evenings
            while wanted and len(waiting) < 2 * jobs and time.monotonic() < until_s:
                waiting.add(pool.submit(played, evening_case(seed + number)))
                number += 1
                wanted = evenings is None or number < evenings
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)


def _count(tally: Tally, one: Played) -> None:
    tally.evenings += 1
    tally.table_s += one.table_s
    tally.placements += one.placements
    tally.silent += one.silent
    tally.broken += one.broken
    tally.memory_mb.setdefault(one.process, []).append(one.memory_mb)


def _too_much(tally: Tally) -> list[str]:
    found = []
    if tally.silent > max(LEAST_SILENT, SILENT_SHARE * tally.placements):
        found.append("silently wrong more often than known")
    if tally.growth_mb > LARGEST_GROWTH_MB:
        found.append(f"memory grew by {tally.growth_mb:.0f} MB")
    return found


def words_of(tally: Tally, wall_s: float) -> str:
    """The figures of a soak."""
    share = 100 * tally.silent / tally.placements if tally.placements else 0.0
    return (
        f"{tally.evenings} evenings, {tally.table_s / 3600:.1f} h of table time in "
        f"{wall_s / 60:.1f} min; {len(tally.broken)} broken invariants; {tally.silent} of "
        f"{tally.placements} placements silently wrong ({share:.2f} %); memory grew by "
        f"{tally.growth_mb:.0f} MB. {'; '.join(_too_much(tally)) or 'As it must be.'}"
    )


# --- shrinking -------------------------------------------------------------------------------


def shrunk(case: Case, broken: Any = None) -> Case:
    """The shortest case found that still breaks: fewer steps first, then less time.

    Args:
        case: breaks.
        broken: says whether a case breaks; by playing it when left out.
    """
    breaks = broken or (lambda tried: bool(played(tried).broken))
    scenario = case.scenario
    for index in reversed(range(len(scenario.steps))):
        fewer = scenario.steps[:index] + scenario.steps[index + 1 :]
        tried = msgspec.structs.replace(scenario, steps=fewer)
        if breaks(Case(tried, case.seed)):
            scenario = tried
    evening = scenario.evening
    while evening is not None and evening.seconds > 12:
        shorter = msgspec.structs.replace(evening, seconds=evening.seconds / 2)
        tried = msgspec.structs.replace(scenario, evening=shorter)
        if not breaks(Case(tried, case.seed)):
            break
        scenario, evening = tried, shorter
    return Case(scenario, case.seed)


def write_shrunk(case: Case, folder: Path) -> Path:
    """Shrink a failure and write it as a scenario file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case.scenario.name}.yaml"
    path.write_bytes(as_yaml(shrunk(case).scenario))
    return path


def as_yaml(scenario: Scenario) -> bytes:
    """A scenario as a file, without what it leaves to the defaults."""
    plain = msgspec.to_builtins(scenario)
    usual = msgspec.to_builtins(Scenario(about=""))
    kept = {key: _said(value) for key, value in plain.items() if value != usual[key]}
    return msgspec.yaml.encode(kept)


def _said(value: Any) -> Any:
    """Without the verbs a step does not have."""
    if isinstance(value, dict):
        return {k: _said(v) for k, v in value.items() if v not in (None, "")}
    return [_said(each) for each in value] if isinstance(value, list | tuple) else value
