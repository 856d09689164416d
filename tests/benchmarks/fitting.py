"""Fit what is assumed about people to a corpus: `python -m tests.benchmarks.fitting`.

Maximum conditional likelihood: how probable the back end held what was true, at the end of each
rest of each evening of `tests.benchmarks.corpus`. One pass over the corpus for each parameter gives
the change of every rest's log likelihood; with these a Gauss-Newton step is taken, held back by a
prior that each parameter is right within a factor (`DOUBT`). Evenings are told apart by the way of
their people: a parameter is taken only if, fitted without a way, it makes that way likelier, summed
over all ways (`leave_one_way_out`). The public games, the real recordings and the scenarios of the
bench are in no corpus.
"""

import argparse
import json
import os
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np

from engine.detect.back import parameters
from engine.detect.back.account import Account
from engine.detect.back.parameters import BEHAVIOUR, Priors, Source
from engine.detect.front.observation import Left, Rested
from engine.detect.observed import (
    Ended,
    Lighter,
    Looked,
    Observed,
    ObservedDetector,
    Waited,
)
from engine.samples import Floats
from scripts.parameters import Row, rows
from tests.benchmarks.corpus import FOLDER, Kept, path_of, read

STEP = 0.2
"""Each parameter is changed by so much of itself (log) to see what that does."""

DOUBT = log(2.0)
"""Standard deviation of a parameter's logarithm before anything is known of it."""

_FIELDS = {each.name for each in fields(Priors)}

RESTS_ALIKE = 8.0
"""Rests of one round are wrong together: so many count as one."""

LEAST_P = 1e-4
"""What was true is never held less likely: one mistake is one mistake, however sure it was."""

HAND_S = 0.3
"""Rests so near to something that people do are not judged: it has happened, or it has not yet."""

LOST_P = 0.05
"""Once what was true is held no likelier, the rest of its round is not judged: all that follows is
wrong by the same mistake."""

MOST_STEP = log(3.0)


@dataclass(frozen=True, slots=True)
class Rounds:
    """What was true when, by an evening's truth.

    Attributes:
        changes_s: when something changed: a release, a fall, a hand that clears, a clearing.
        states: what is true from each of them on.
    """

    changes_s: tuple[float, ...]
    states: tuple["State", ...]

    def at(self, t_s: float) -> "State | None":
        """What was true in a rest; None where it is too near to a change to be judged."""
        if any(-HAND_S < t_s - change_s < HAND_S for change_s in self.changes_s):
            return None
        before = [
            state for at_s, state in zip(self.changes_s, self.states, strict=True) if at_s < t_s
        ]
        return before[-1] if before else State()


@dataclass(frozen=True, slots=True)
class State:
    """How many pieces stand, what has ended the round, and how often the board was cleared."""

    pieces: int = 0
    ended: str = ""  # "bump", "placing", or "agreed"
    clears: int = 0

    def weight(self, account: Account) -> float:
        """How far an account agrees: 1 if it does, or by the odds of what made it fall.

        How often the board was cleared is not asked: a clearing that was missed is missed once.
        """
        fall = account.fall
        if self.ended in {"bump", "placing"}:
            bumped = 0.0 if fall is None else fall.bumped
            cause = bumped if self.ended == "bump" else 1.0 - bumped
            return 0.0 if fall is None else cause
        if self.ended:
            return float(fall is None)
        playing = fall is None and not account.over
        return float(playing and len(account.stands) == self.pieces)


def rounds(truth: Iterable[Mapping[str, Any]]) -> Rounds:
    """What an evening's truth says of each of its rounds."""
    changes: list[tuple[float, State]] = []
    state = State()
    for entry in sorted(truth, key=_happened_s):
        kind, at_s = entry["type"], _happened_s(entry)
        if kind == "place" and not entry.get("ended_in_topple"):
            state = replace(state, pieces=state.pieces + 1)
        elif kind == "topple":
            state = replace(state, ended="bump" if entry["cause"] == "bump" else "placing")
        elif kind in {"agreed", "played_out"}:
            state = replace(state, ended=state.ended or "agreed")
        elif kind == "cleared":
            state = State(clears=state.clears + 1)
        elif kind not in {"remove", "place"}:
            continue
        changes.append((at_s, state))
    return Rounds(tuple(at_s for at_s, _ in changes), tuple(state for _, state in changes))


def _happened_s(entry: Mapping[str, Any]) -> float:
    return float(entry.get("t_release") or entry["t"])


def last_looks(observed: Iterable[Observed]) -> Iterator[Observed]:
    """The observations with the last look at each rest only: it has seen most."""
    look: Observed | None = None
    for each in observed:
        if isinstance(each, Looked | Lighter):
            look = each
        elif not isinstance(each, Waited):
            if look is not None and isinstance(each, Ended):
                yield look
                look = None
            yield each


def log_likelihoods(
    kept: Kept, parameters: Mapping[str, float], at_s: Container[float] | None = None
) -> dict[float, float]:
    """Log probability of what was true, by the time at which a rest ended.

    Args:
        kept: an evening.
        parameters: other than they are.
        at_s: the rests that are judged; those that can be, if left out.
    """
    with changed(parameters) as priors:
        return _judged(kept, priors, at_s)


def _judged(kept: Kept, priors: Priors, at_s: Container[float] | None) -> dict[float, float]:
    observed = last_looks(kept.observations)
    detector = ObservedDetector(kept.tabletop, observed, priors, alone=True)
    true, found, scene, lost = rounds(kept.truth), dict[float, float](), detector._scene, -1
    end = scene.end

    def judged(rested: Rested) -> Left:
        nonlocal lost
        state = true.at(scene.now_s - rested.steady_s / 2.0)
        if state is not None and rested.let_go and scene.tracker is not None:
            p = sum(each.p * state.weight(each.account) for each in scene.tracker.now)
            if scene.now_s in at_s if at_s is not None else state.clears != lost:
                lost = state.clears if p < LOST_P else lost
                found[scene.now_s] = log(max(p, LEAST_P))
        return end(rested)

    scene.end = judged  # type: ignore[method-assign]
    while detector.next_event() is not None:
        pass
    return found


@contextmanager
def changed(numbers: Mapping[str, float]) -> Iterator[Priors]:
    """The priors with other numbers in them, and other constants meanwhile in the back end.

    Args:
        numbers: by name, fields of `Priors` or constants of the table of parameters.
    """
    own = {name: value for name, value in numbers.items() if name in _FIELDS}
    names = [name for name in numbers if name not in _FIELDS]
    rooms = [m for name, m in sys.modules.items() if name.startswith(parameters.__package__)]
    users = [(room, name) for name in names for room in rooms if hasattr(room, name)]
    before = [getattr(room, name) for room, name in users]
    for room, name in users:
        setattr(room, name, numbers[name])
    try:
        yield replace(BEHAVIOUR, **own)
    finally:
        for (room, name), value in zip(users, before, strict=True):
            setattr(room, name, value)


def fitted() -> dict[str, Row]:
    """What may be fitted: each single number of the table of parameters whose source that is."""
    return {
        row.name.removeprefix("Priors."): row
        for row in rows()
        if row.source is Source.FITTED and isinstance(row.value, float) and row.value
    }


def moved(row: Row, by: float) -> float:
    """A number changed by so much: what is a logarithm already by itself, others by theirs."""
    (within,) = row.ranges
    value = row.value + by if within.unit == "log" else row.value * exp(by)
    return float(min(max(value, within.low), within.high))


def way_of(kept: Kept) -> str:
    """What its people have in common with others of the corpus: one way, or several at once."""
    ways = kept.recipe.ways
    return ways[0] if len(ways) == 1 else "several"


def _evening(number: int, folder: Path, names: Sequence[str]) -> tuple[str, Floats, Floats]:
    """An evening's way, its rests' log likelihood, and what each parameter does to them."""
    kept = read(path_of(number, folder))
    found, numbers = log_likelihoods(kept, {}), fitted()
    now, slopes = np.array(list(found.values())), np.zeros((len(names), len(found)))
    for row, name in enumerate(names):
        more = log_likelihoods(kept, {name: moved(numbers[name], STEP)}, found)
        slopes[row] = (np.array([more[at_s] for at_s in found]) - now) / STEP
    return way_of(kept), now, slopes


@dataclass(frozen=True, slots=True)
class Rests:
    """The rests of a corpus: whose, how likely they are, and by how much each parameter changes it.

    Attributes:
        ways: of each rest, (n,).
        now: log likelihood with the parameters as they are, (n,).
        slopes: its derivative by the logarithm of each parameter, (parameters, n).
    """

    ways: np.ndarray
    now: Floats
    slopes: Floats

    def step(self, but: str = "") -> Floats:
        """By how much the logarithm of each parameter is better changed; without one way."""
        slopes = self.slopes[:, self.ways != but] if but else self.slopes
        pull, stiff = slopes.sum(axis=1) / RESTS_ALIKE, slopes @ slopes.T / RESTS_ALIKE
        step = np.linalg.solve(stiff + np.eye(len(stiff)) / DOUBT**2, pull)
        return np.clip(step, -MOST_STEP, MOST_STEP)

    def gains(self, step: Floats) -> dict[str, float]:
        """What a step is worth for each way, nats for a hundred rests, to the second order."""
        each = step @ self.slopes
        each -= each**2 / 2.0
        return {str(way): 100.0 * float(each[self.ways == way].mean()) for way in set(self.ways)}


def leave_one_way_out(rests: Rests, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """For each parameter and way: what the parameter alone, fitted without the way, does for it."""
    without = {way: rests.step(but=way) for way in sorted(set(map(str, rests.ways)))}
    table: dict[str, dict[str, float]] = {}
    for row, name in enumerate(names):
        only = np.arange(len(names)) == row
        table[name] = {way: rests.gains(step * only)[way] for way, step in without.items()}
    return table


def measured(numbers: Sequence[int], folder: Path, names: Sequence[str], jobs: int) -> Rests:
    """Ask the whole corpus."""
    with ProcessPoolExecutor(jobs) as workers:
        found = list(workers.map(partial(_evening, folder=folder, names=names), numbers))
    ways = np.concatenate([np.full(now.size, way) for way, now, _ in found])
    return Rests(
        ways,
        np.concatenate([now for _, now, _ in found]),
        np.hstack([slopes for _, _, slopes in found]),
    )


def main(arguments: list[str] | None = None) -> None:
    """Print what a step does, by way and by parameter, and the parameters that are taken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", nargs="*", help="parameters; all that are fitted if left out")
    parser.add_argument("--write", type=Path, help="a JSON file of the parameters that are taken")
    asked = parser.parse_args(arguments)
    all_of_them = fitted()
    names = asked.only or sorted(all_of_them)
    unknown = sorted(set(names) - set(all_of_them))
    if unknown:
        parser.error(f"{', '.join(unknown)}: not fitted; make parameters prints what is")
    numbers = sorted(int(path.stem) for path in asked.folder.glob("*.evening"))
    rests = measured(numbers, asked.folder, names, asked.jobs)
    table, step = leave_one_way_out(rests, names), rests.step()
    print(f"{rests.now.size} rests, {rests.now.mean():.4f} nats each")
    taken, ways = {}, len(set(rests.ways))
    for row, name in enumerate(names):
        helps = sum(gain > 0.0 for gain in table[name].values())
        total = sum(table[name].values())
        if total > 0.0:
            taken[name] = round(moved(all_of_them[name], step[row]), 4)
        value = all_of_them[name].value
        print(f"{name:22} {value} {step[row]:+5.2f}  {total:+8.4f}  helps {helps} of {ways}")
    for way, gain in sorted(rests.gains(step).items()):
        print(f"{way:18} {rests.now[rests.ways == way].mean():8.4f} {gain:+8.3f}")
    if asked.write:
        asked.write.write_text(json.dumps(taken, indent=1) + "\n")


if __name__ == "__main__":
    main()
