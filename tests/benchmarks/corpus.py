"""A corpus of simulated evenings as observations: `python -m tests.benchmarks.corpus --hours 150`.

Each evening draws its people, its table and its pieces by its number alone, wider than any preset:
single ways of people and several together, two to four players, odd tables and other sizes of the
game, sets of pieces, dice told or not. The table lives through it, and what is kept are the
observations with what rules and people said (`engine.detect.observed`) and the truth; so the back
end can be asked again and again without the samples. Files go to `test-output/corpus` (not in git)
and are made once.

Evenings are told apart by the way of their people, for fits that are judged on ways not learned
from (`tests.benchmarks.fitting`).
"""

import argparse
import os
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any, Literal, cast, get_args

import msgspec
import numpy as np

from controller.table.pipeline import Pipeline
from engine.detect.back.parameters import BEHAVIOUR
from engine.detect.detector import Detector
from engine.detect.observed import KeepingScene, Observed, decoded, encoded
from engine.events import HumanInput
from engine.tabletop import Tabletop
from hw.building.measures import STANDARD
from lab.people.simulation import SimulatedEvening
from lab.people.ways import WAYS, WayName, Ways, drawn_names, together
from lab.twin.build import build_of
from lab.twin.drawing import draw
from lab.twin.parameters import PRESETS, Preset
from lab.twin.sets import SetMasses, drawn_set
from tests.benchmarks.detection_kinds import ODD_TABLES, OddTable
from tests.hw.building.games import TRAVEL, WOODEN

FOLDER = Path("test-output") / "corpus"
"""Where `make clean` finds it."""

LASTS_S, LATEST_S = 600.0, 840.0
"""An evening is cut at the first turn after so long, or at the latest then."""

STEP_S = 0.25

TOGETHER, ODD, OTHER_SIZE, UNTOLD = 0.25, 0.25, 0.15, 0.15
"""Shares of evenings: several ways at once, an odd table, another size of the game, no die told."""

SPREADS = (0.5, 2.0)
"""How widely a table differs from the plain one; the presets' are 1."""

ORDINARY = 4
"""Evenings of usual people among those of each other way."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one evening of the corpus is made of.

    Attributes:
        number: of the evening; all chance comes from it.
        ways: of its people.
        preset: pivot and manners.
        odd: name of what is odd about the table; empty for nothing.
        size: of the game.
        players: how many.
        told: whether the die is.
        pieces: what its colours weigh; not drawn for ordinary evenings.
    """

    number: int
    ways: tuple[WayName, ...]
    preset: Preset
    odd: str
    size: str
    players: int
    told: bool
    pieces: SetMasses | Literal["equal"] = "equal"


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """One evening of the corpus, as it is written.

    Attributes:
        recipe: what it was made of.
        lasts_s: table time.
        tabletop: of its table, as calibrated.
        observed: its observations, encoded.
        said: what people said, in order.
        truth: as in `docs/traces.md`.
        scores: as the players counted, by name.
    """

    recipe: Recipe
    lasts_s: float
    tabletop: Tabletop
    observed: bytes
    said: list[HumanInput]
    truth: list[dict[str, Any]]
    scores: dict[str, int]

    @property
    def observations(self) -> list[Observed]:
        return decoded(self.observed)


SIZES = {"standard": STANDARD, "travel": TRAVEL, "wooden": WOODEN}


def recipe(number: int) -> Recipe:
    """What the evening of a number is made of."""
    chance = Random(number)
    names = get_args(WayName)
    single = (cast("WayName", chance.choice((*names, *("usual",) * ORDINARY))),)
    drawn = Recipe(
        number,
        drawn_names(chance) if chance.random() < TOGETHER else single,
        chance.choice(PRESETS),
        chance.choice(sorted(ODD_TABLES)) if chance.random() < ODD else "",
        chance.choice(("travel", "wooden")) if chance.random() < OTHER_SIZE else "standard",
        chance.choice((2, 2, 2, 3, 4)),
        chance.random() >= UNTOLD,
    )
    return drawn if is_ordinary(drawn) else replace(drawn, pieces=drawn_set(chance))


def is_ordinary(made_of: Recipe) -> bool:
    """Usual people at a table of the assumed game with nothing odd; one evening in eleven."""
    return made_of.ways == ("usual",) and not made_of.odd and made_of.size == "standard"


def played(made_of: Recipe) -> Kept:
    """Play an evening, and have a table live through it."""
    seed, odd = made_of.number, ODD_TABLES.get(made_of.odd, OddTable())
    rng = np.random.default_rng([seed, 77])
    build, spread = build_of(SIZES[made_of.size]), Random(seed + 1).uniform(*SPREADS)
    table = draw(rng, made_of.preset, build=build, spread=spread, turned_imu=seed % 2 == 1)
    evening = SimulatedEvening.begin(
        seed, made_of.preset, parameters=odd.change(table), players=made_of.players,
        two_colours=False, tell_dice=made_of.told, faults=odd.faults, ways=_ways(made_of.ways),
        pieces=made_of.pieces,
    )  # fmt: skip
    scene = KeepingScene(evening.tabletop, BEHAVIOUR)
    detector = Detector(evening.tabletop, scene=scene)
    pipeline = Pipeline(detector, masses=evening.tabletop.piece.masses)
    now_s, said = 0.0, list[HumanInput]()
    while not evening.ended and now_s < LATEST_S:
        now_s += STEP_S
        for item in evening.poll(now_s):
            pipeline.feed(item)
            said += [item] if isinstance(item, HumanInput) else []
        if now_s > LASTS_S and evening.tower.truth.in_order()[-1]["type"] == "turn":
            break
    tabletop = replace(evening.tabletop, load_cell_positions_mm=_plain(evening.tabletop))
    return Kept(
        made_of, now_s, tabletop, encoded(scene.kept), said, evening.truth(),
        dict(evening.people.scores),
    )  # fmt: skip


def _ways(names: tuple[WayName, ...]) -> Ways:
    return WAYS[names[0]] if len(names) == 1 else together(names)


def _plain(tabletop: Tabletop) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in tabletop.load_cell_positions_mm)


def path_of(number: int, folder: Path) -> Path:
    """Where an evening is kept."""
    return folder / f"{number:06d}.evening"


def numbers_from(first: int, *, ordinary: bool = False) -> Iterator[int]:
    """Numbers of evenings; of the ordinary ones only if asked for."""
    return (each for each in count(first) if not ordinary or is_ordinary(recipe(each)))


def make(number: int, folder: Path) -> float:
    """Make an evening unless it is there; table time, s."""
    path = path_of(number, folder)
    if not path.exists():
        kept = played(recipe(number))
        half = path.with_suffix(".half")
        half.write_bytes(zlib.compress(msgspec.msgpack.encode(kept, enc_hook=float)))
        half.rename(path)
    return read(path).lasts_s


def read(path: Path) -> Kept:
    return msgspec.msgpack.decode(zlib.decompress(path.read_bytes()), type=Kept)


def corpus(folder: Path = FOLDER) -> Iterator[Kept]:
    """All evenings that were made, by number."""
    return map(read, sorted(folder.glob("*.evening")))


def main(arguments: list[str] | None = None) -> None:
    """Make evenings until they last so many hours."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=150.0, help="table time of all evenings")
    parser.add_argument("--first", type=int, default=1, help="number of the first evening")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--ordinary", action="store_true", help="usual people, plain tables only")
    asked = parser.parse_args(arguments)
    asked.folder.mkdir(parents=True, exist_ok=True)
    # As many as they may be at most; the last ones are not begun once it is enough.
    most = int(asked.hours * 3600.0 / 60.0) + 1
    numbers = islice(numbers_from(asked.first, ordinary=asked.ordinary), most)
    lasted_s, made = 0.0, 0
    with ProcessPoolExecutor(asked.jobs) as workers:
        for lasts_s in workers.map(partial(make, folder=asked.folder), numbers):
            lasted_s, made = lasted_s + lasts_s, made + 1
            if lasted_s >= 3600.0 * asked.hours:
                workers.shutdown(wait=False, cancel_futures=True)
                break
    print(f"{made} evenings, {lasted_s / 3600.0:.1f} h of play, in {asked.folder}")


if __name__ == "__main__":
    main()
