"""What the back end makes of the corpus: `python -m tests.benchmarks.corpus_judged`.

Every evening of `tests.benchmarks.corpus` is played again from its observations, with the referee
and what people said, and judged as any detection is (`tests.benchmarks.detection_figures`), and by
its whole game: is the score exact that the players counted? Nobody answers. Ordinary people at
ordinary tables stand beside all others. `--against FILE` plays each evening with other parameters
as well (a JSON object, name to number), in the same run.
"""

import argparse
import json
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from controller.common.intervals import wilson
from controller.replay.replay import line_of
from controller.table.pipeline import Pipeline
from engine.detect.observed import ObservedDetector
from engine.events import HumanInput
from tests.benchmarks.corpus import FOLDER, Kept, path_of, read
from tests.benchmarks.detection_falls import Claim, decided_within, reliability, shown_within
from tests.benchmarks.detection_figures import Tally, merged, quantile, tally
from tests.benchmarks.detection_games import Event, Game, Replayed, decidable, in_play
from tests.benchmarks.detection_judge import SURE
from tests.benchmarks.fitting import changed
from tests.benchmarks.intervals import rate_interval

ORDINARY, OTHERS = "ordinary", "others"
EDGES = (0.0, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99, 1.01)


class Judged(NamedTuple):
    """One evening: its group, what is counted, and whether the score is as the players counted."""

    group: str
    tally: Tally
    exact: bool


def group_of(kept: Kept) -> str:
    """Ordinary: usual people at a table of the assumed game with nothing odd."""
    made_of = kept.recipe
    usual = made_of.ways == ("usual",) and not made_of.odd and made_of.size == "standard"
    return ORDINARY if usual else OTHERS


def again(kept: Kept, parameters: Mapping[str, float]) -> Judged:
    """Play an evening again and judge it."""
    events, begun_s = list[Event](), time.process_time()
    with changed(parameters) as priors:
        table = Pipeline(ObservedDetector(kept.tabletop, kept.observations, priors))
        outputs = [output for said in kept.said for output in table.feed(said)]
        outputs += table._decide()
    for output in outputs:
        if not isinstance(output.cause, HumanInput):
            events.append(line_of(output.cause, output.state))
    cpu_s = time.process_time() - begun_s
    truth, events = decidable(in_play(kept.truth), events, kept.lasts_s)
    game = Game("", "twin", kept.recipe.preset, Path(), Path(), f"evening {kept.recipe.number}")
    counted = tally([Replayed(game, events, truth, cpu_s, kept.lasts_s)])
    return Judged(group_of(kept), counted, dict(table.state.position.scores) == kept.scores)


def _evening(number: int, folder: Path, variants: Sequence[Mapping[str, float]]) -> list[Judged]:
    kept = read(path_of(number, folder))
    return [again(kept, parameters) for parameters in variants]


def _share(count: int, of: int) -> str:
    if not of:
        return "-"
    low, high = wilson(count, of)
    return f"{100 * count / of:.1f} ({100 * low:.1f} to {100 * high:.1f}) of {of}"


def _rate(count: int, exposure: float, factor: float = 1.0) -> str:
    low, high = rate_interval(count, exposure)
    return f"{factor * count / exposure:.2f} ({factor * low:.2f} to {factor * high:.2f})"


def _sure(claims: Sequence[Claim]) -> str:
    sure = [right for confidence, right in claims if confidence >= SURE]
    return _share(sum(sure), len(sure))


def rows(judged: Sequence[Judged]) -> list[tuple[str, str]]:
    """The figures of the goals, each with its 95 % interval."""
    of, exact = merged(each.tally for each in judged), sum(each.exact for each in judged)
    seen, lost = of.lost_seen + of.stacks_seen, of.lost + of.stacks
    slow_s = [fall.decided_s for fall in of.falls if fall.decided_s is not None]
    return [
        ("hours", f"{of.hours:.1f}"),
        ("whole evenings exact", _share(exact, len(judged))),
        ("right cell", _share(of.right, of.placements)),
        ("silent errors per 100", _rate(of.silent, max(of.placements, 1), 100.0)),
        ("topples seen", _share(seen, lost)),
        ("off the board: right cause", _share(of.lost_cause_right, of.lost_seen)),
        ("invented an hour", _rate(of.false_topples, of.hours)),
        ("shown within 1 s", _share(shown_within(of.falls, 1.0), lost)),
        ("decided within 2 s", _share(decided_within(of.falls, 2.0), lost)),
        ("decided, p50 and p85", f"{quantile(slow_s, 0.5)} s, {quantile(slow_s, 0.85)} s"),
        ("topples claimed at 0.95, right", _sure(of.topple_claims)),
        ("pieces claimed at 0.95, right", _sure(of.placement_claims)),
        ("times real time", f"{of.times_real:.0f}"),
    ]


def bins(claims: Sequence[Claim]) -> str:
    """Claimed against right, bin by bin."""
    found = reliability(claims, EDGES)
    return ", ".join(f"{mean:.2f}: {right / of:.2f} of {of}" for mean, right, of in found)


def main(arguments: list[str] | None = None) -> None:
    """Judge the corpus, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--against", type=Path, action="append", default=[])
    asked = parser.parse_args(arguments)
    variants = [{}, *(json.loads(path.read_text()) for path in asked.against)]
    names = ["now", *(path.stem for path in asked.against)]
    numbers = sorted(int(path.stem) for path in asked.folder.glob("*.evening"))
    if not numbers:
        print(f"There is no evening in {asked.folder}: make corpus first")
        return
    with ProcessPoolExecutor(asked.jobs) as workers:
        played = list(
            workers.map(partial(_evening, folder=asked.folder, variants=variants), numbers)
        )
    console = Console(width=170)
    for group in (ORDINARY, OTHERS):
        columns = [
            [each[at] for each in played if each[at].group == group] for at in range(len(names))
        ]
        if not columns[0]:
            continue
        table = Table("", *names, title=group, title_justify="left", box=None)
        for each in zip(*map(rows, columns), strict=True):
            table.add_row(each[0][0], *(value for _, value in each))
        console.print(table)
        for name, column in zip(names, columns, strict=True):
            of = merged(each.tally for each in column)
            console.print(f"topples, {name}: {bins(of.topple_claims)}")
            console.print(f"pieces, {name}: {bins(of.placement_claims)}")


if __name__ == "__main__":
    main()
