"""Shrinks a case that fails to the shortest that still fails in the same way, and writes it out.

The same check must fail, and no other: what else is expected is taken away first, so that what is
left passes once the bug is gone. A scenario that fails because its own steps are missing would
prove nothing; so a piece that is expected must still have been put down there, and where nobody but
the scenario knows what should have happened, its steps stay. What fails on a board and passes on
the simulated tower has to go on doing both.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeVar

import msgspec
import yaml

from lab.bench.boards import Where
from lab.bench.running import Result, file_name, play_and_judge
from lab.bench.scenario import Case, GameSetup, Player, Scenario
from lab.bench.steps import ScenarioStep
from lab.bench.verdict import CaseVerdict, Check

MOST_TRIES = 200
"""At half a second each that is two minutes; a soak's evening needs some 40."""

SHORTEST_S = 4.0
"""An evening is not shrunk below its first moments."""

JUDGED_BY_TRUTH = re.compile(
    r"^(invariant|the table stopped|it could not be played|never |unexpected|"
    r"the score the people count|(missed|invented|right|topples_missed|topples_invented) exactly|"
    r"\w+ at most)"
)
"""Checks that hold whatever happens, so that no step is needed for them to be fair."""

UNEXPECTED = "unexpected"

T = TypeVar("T")
Breaks = Callable[[Case], bool]


@dataclass(slots=True)
class Shrinking:
    """A case on its way to a shorter one.

    Attributes:
        case: the shortest so far. Seed, name and swept values stay, by which its world is drawn.
        breaks: says whether a case still fails in the same way, by playing it.
        tries: how many were played.
        said: what became shorter, in words.
    """

    case: Case
    breaks: Breaks
    tries: int = 0
    said: list[str] = field(default_factory=list)

    @property
    def scenario(self) -> Scenario:
        """The shortest so far."""
        return self.case.scenario

    def takes(self, scenario: Scenario, words: str = "") -> bool:
        """Try another scenario, and go on with it if it fails as well."""
        if scenario == self.scenario or not _whole(scenario) or self.tries >= MOST_TRIES:
            return False
        self.tries += 1
        tried = msgspec.structs.replace(self.case, scenario=scenario)
        if not self.breaks(tried):
            return False
        self.case = tried
        self.said += [words] if words else []
        return True

    def changes(self, words: str, **changes: Any) -> bool:
        """Try the scenario with other values."""
        return self.takes(msgspec.structs.replace(self.scenario, **changes), words)

    def fewer(self, what: str, items: Sequence[T], made: Callable[[list[T]], Scenario]) -> None:
        """Leave out as many of some items as possible: halves first, then ever smaller parts."""
        kept, size, before = list(items), len(items), len(items)
        while size >= 1 and kept:
            at = len(kept)
            while at > 0:
                rest = kept[: max(0, at - size)] + kept[at:]
                if self.takes(made(rest)):
                    kept = rest
                at -= size
            size //= 2
        if len(kept) < before:
            self.said.append(f"{what}: {before} to {len(kept)}")

    # --- what is tried, in this order -------------------------------------------------------

    def expectations(self) -> None:
        """Take away what is expected besides."""
        old = self.scenario
        self.changes("", unexpected="allow")
        self.fewer("expectations", old.expect, lambda kept: self._with(expect=tuple(kept)))
        self.fewer("limits", list(old.measure.items()), lambda kept: self._with(measure=dict(kept)))

    def steps(self) -> None:
        """Take away steps, then turns inside of them."""
        self.fewer("steps", self.scenario.steps, lambda kept: self._with(steps=tuple(kept)))
        for number, step in reversed(list(enumerate(self.scenario.steps))):
            if step.turns is not None and len(step.turns) > 1:
                self.fewer(f"turns of step {number + 1}", step.turns, self._turning(number, step))

    def evening(self) -> None:
        """Break the evening off earlier, with fewer people."""
        before = self.scenario.evening
        if before is None:
            return
        self.changes("", evening=msgspec.structs.replace(before, players=2))
        while self._breaks_off(0.5):
            pass
        while self._breaks_off(0.8):
            pass
        after = self.scenario.evening
        if after is not None and after != before:
            self.said.append(f"evening: {before.seconds:g} s to {after.seconds:g} s")

    def table(self) -> None:
        """A plainer table."""
        self.changes("usual people", people="usual")
        self.changes("no restart", restarts=False)
        self.changes("the usual game", game=GameSetup())
        self.changes("a table as planned", drawn=0.0, tower={})
        kind = "quiet" if self.scenario.evening is None else "calm"
        self.changes(f"a {kind} table", table=kind, drawn=0.0, tower={})

    def _breaks_off(self, share: float) -> bool:
        evening = self.scenario.evening
        if evening is None or evening.seconds * share < SHORTEST_S:
            return False
        seconds = round(evening.seconds * share, 1)
        return self.changes("", evening=msgspec.structs.replace(evening, seconds=seconds))

    def _turning(self, number: int, step: ScenarioStep) -> Callable[[list[Any]], Scenario]:
        def made(turns: list[Any]) -> Scenario:
            steps = list(self.scenario.steps)
            steps[number] = msgspec.structs.replace(step, turns=tuple(turns))
            return self._with(steps=tuple(steps))

        return made

    def _with(self, **changes: Any) -> Scenario:
        return msgspec.structs.replace(self.scenario, **changes)


def _whole(scenario: Scenario) -> bool:
    """Whether something happens, and expectations name only steps that are there."""
    ids = {step.id for step in scenario.steps}
    return (bool(scenario.steps) or scenario.evening is not None) and all(
        not expected.after or expected.after in ids for expected in scenario.expect
    )


def shrink(result: Result, where: Where, folder: Path) -> str:
    """Shrink a result that failed, write the shortest scenario, and say what was tried.

    Args:
        result: with at least one failed check.
        where: where it was played, and others are.
        folder: for the scenario.
    """
    began_s = time.monotonic()
    failed = [check for check in result.verdict.checks if not check.ok]
    # What is unexpected is often so because something else failed, and shrinks less well.
    main = min(failed, key=lambda check: check.what == UNEXPECTED)
    case = result.case
    if _never_done(main, result.run.truth):
        return (
            f"{case.id} is not shrunk: it expects '{main.what}', and nobody did that in it; "
            "correct steps or expectation"
        )
    compared = _passes_on_sim(where, case)
    sweep = {name: (value,) for name, value in case.swept.items()}
    start = msgspec.structs.replace(case.scenario, sweep=sweep, seeds=(case.seed,))
    begun = msgspec.structs.replace(case, scenario=start, places=())
    work = Shrinking(begun, _same(main, where, result, compared=compared))
    if main.what != UNEXPECTED:  # what is not expected any more would be unexpected, too
        work.expectations()
    if start.evening is not None:
        work.takes(scripted(work.scenario, result.run.truth), "the evening became its turns")
    if compared or _steps_may_go(main):
        work.steps()
        work.evening()
    else:
        work.said.append("its steps stay, since only it knows what they should have led to")
    work.table()
    about = f"Shrunk from {case.id}, which failed in {main.what}: {main.text}"
    path = write(work.case, folder, f"{file_name(case.id)}_shrunk", about)
    took_s = time.monotonic() - began_s
    return (
        f"Shrunk {case.id}, which fails in '{main.what}': {work.tries} others tried in "
        f"{took_s:.0f} s.\n    {'; '.join(work.said) or 'nothing could be left out'}\n    {path}"
    )


# --- failing in the same way -------------------------------------------------------------------


def way(check: Check) -> str:
    """How something fails, without the numbers that differ from run to run."""
    text = "" if check.what[:6] not in ("invari", "check ", "the ta") else check.text
    return re.sub(r"[\d.]+", "#", f"{check.what} {text.split(':')[0] if text else ''}").strip()


def ways(verdict: CaseVerdict) -> set[str]:
    """All ways in which a case fails."""
    return {way(check) for check in verdict.checks if not check.ok}


def _same(main: Check, where: Where, original: Result, *, compared: bool) -> Breaks:
    """Whether a case fails as the original did and in no other way, and passes on `sim`."""
    wanted, allowed = way(main), ways(original.verdict)

    def breaks(case: Case) -> bool:
        result = play_and_judge(case, where)
        found = ways(result.verdict)
        if wanted not in found or not found <= allowed or not _fair(main, case, result):
            return False
        return not compared or play_and_judge(case).verdict.passed

    return breaks


def _passes_on_sim(where: Where, case: Case) -> bool:
    if where == "sim" or case.scenario.left_out("sim"):
        return False
    return play_and_judge(case).verdict.passed


def _steps_may_go(main: Check) -> bool:
    """Whether a case with fewer steps can be judged by the truth."""
    about_tower = main.what.startswith(("placed ", "toppled "))
    return about_tower or JUDGED_BY_TRUTH.match(main.what) is not None


def _fair(main: Check, case: Case, result: Result) -> bool:
    """Whether what is expected did happen, so that not to see it is an error."""
    truth = result.run.truth
    if any("nan" in check.text for check in result.verdict.checks if not check.ok):
        return False
    happened = case.scenario.evening is None or bool(truth)
    return happened and not _never_done(main, truth)


def _never_done(main: Check, truth: Sequence[dict[str, Any]]) -> bool:
    """Whether the piece that is expected was never put there, or nothing ever fell."""
    what, _, value = main.what.partition(" ")
    if what == "placed" and value[:2] != "un":
        return not any(e["type"] == "place" and e["cell"] == value[:2] for e in truth)
    return what == "toppled" and not any(e["type"] == "topple" for e in truth)


# --- an evening as its turns -------------------------------------------------------------------

NAMES = ("Ann", "Bob", "Cleo", "Dan")


def scripted(scenario: Scenario, truth: Sequence[dict[str, Any]]) -> Scenario:
    """The evening that was played as turns, with the other steps in between."""
    turns = _turns(truth)
    steps = [*turns, *((step.at or 0.0, 1, step) for step in scenario.steps)]
    steps.sort(key=lambda entry: entry[:2])
    plain = tuple(msgspec.structs.replace(step, at=None) for _, _, step in steps)
    seats = {entry["player"] for entry in truth if entry["type"] == "turn"}
    if not turns:
        return scenario
    players = tuple(Player(NAMES[seat], (_colour(truth, seat),)) for seat in range(max(seats) + 1))
    first = next(entry["player"] for entry in truth if entry["type"] == "turn")
    target = scenario.evening.target if scenario.evening is not None else GameSetup().target
    game = GameSetup(players=players, target=target, first=first)
    return msgspec.structs.replace(scenario, evening=None, game=game, steps=plain)


def _turns(truth: Sequence[dict[str, Any]]) -> list[tuple[float, int, ScenarioStep]]:
    told = [entry for entry in truth if entry["type"] in ("turn", "place")]
    found = []
    for number, entry in enumerate(told):
        after = told[number + 1] if number + 1 < len(told) else {"type": "turn"}
        if entry["type"] == "turn" and entry.get("roll"):
            deed = after["cell"] if after["type"] == "place" else "pass"
            found.append((entry["t"], 0, ScenarioStep(turns=(f"{entry['roll']} {deed}",))))
    return found


def _colour(truth: Sequence[dict[str, Any]], seat: int) -> str:
    """Colour of the first piece a seat placed."""
    mine = False
    for entry in truth:
        if entry["type"] == "turn":
            mine = entry["player"] == seat
        elif entry["type"] == "place" and mine:
            return str(entry["colour"])
    return ("red", "blue", "green", "yellow")[seat]


# --- out ---------------------------------------------------------------------------------------


def write(case: Case, folder: Path, name: str = "", about: str = "") -> Path:
    """Write a case as a scenario file, with a remark at its top."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name or case.scenario.name}.yaml"
    lines = wrap(" ".join(about.split())[:400], 90)
    remark = "".join(f"# {line}\n" for line in lines)
    path.write_bytes(remark.encode() + as_yaml(case.scenario))
    return path


def as_yaml(scenario: Scenario) -> bytes:
    """A scenario as a file, without what it leaves to the defaults."""
    plain = msgspec.to_builtins(scenario)
    text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, default_flow_style=None)
    return str(text).encode()
