"""Faults that were planted by hand, each with the test and the scenario that find it.

They are kept in `planted/*.toml`, a table `[[fault]]` for each `Fault`.
"""

import ast
import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

from tests.mutants.copies import ROOT, Copy, in_copies
from tests.mutants.scenarios import Order, play_in

PLANTED = Path(__file__).parent / "planted"

LIMIT_S = 900.0
"""For one test or scenario; the longest takes a minute where nothing else runs."""

CAUGHT, MISSED, NONE = "caught", "NOT CAUGHT", "-"


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One fault.

    Attributes:
        about: what is wrong with it, in words.
        path: the file, from the root of the repository.
        before, after: text that stands once in it, and what stands there instead.
        test: pytest's id of a test that fails with it.
        scenario: `<target> <case>` that fails with it.
        why_no_scenario: why no table would show it.
    """

    about: str
    path: str
    before: str
    after: str
    test: str = ""
    scenario: str = ""
    why_no_scenario: str = ""

    def planted(self) -> str:
        """The file's text with the fault."""
        return (ROOT / self.path).read_text().replace(self.before, self.after)


def faults(folder: Path = PLANTED) -> list[Fault]:
    """All of them, in the order of files and of their text.

    Raises:
        ValueError: a file cannot be read; says which, and what is wrong.
    """
    found = []
    for file in sorted(folder.glob("*.toml")):
        try:
            entries = tomllib.loads(file.read_text()).get("fault", [])
            found += msgspec.convert(entries, list[Fault])
        except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise ValueError(f"{file.name}: {error}") from None
    return found


def flaws(fault: Fault, scenarios: Collection[str]) -> Iterator[str]:
    """What is wrong with an entry itself; nothing is run for it."""
    file = ROOT / fault.path
    times = file.read_text().count(fault.before) if file.is_file() else 0
    if not file.is_file():
        yield f"there is no file {fault.path}"
    elif times != 1:
        yield f"`before` stands {times} times in {fault.path}, not once"
    elif fault.path.endswith(".py") and not _is_python(fault.planted()):
        yield "`after` is not Python there"
    if not fault.test and not fault.scenario:
        yield "neither a test nor a scenario is named"
    if fault.test and not _is_test(fault.test):
        yield f"there is no test {fault.test}"
    if fault.scenario and fault.scenario not in scenarios:
        yield f"there is no scenario `{fault.scenario}`; write `sim` or `lab` and the case"
    if bool(fault.scenario) == bool(fault.why_no_scenario):
        yield "name either a scenario or why no table would show it"


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@cache
def _functions(file: Path) -> frozenset[str]:
    found = ast.walk(ast.parse(file.read_text())) if file.is_file() else ()
    return frozenset(n.name for n in found if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def _is_test(name: str) -> bool:
    path, _, rest = name.partition("::")
    return rest.partition("[")[0].rpartition("::")[2] in _functions(ROOT / path)


class Outcome(msgspec.Struct, frozen=True):
    """What became of a fault: each is `caught`, `NOT CAUGHT`, `-` or what went wrong."""

    fault: Fault
    by_test: str
    by_scenario: str

    @property
    def passed(self) -> bool:
        """Whether all that it names have found it."""
        return {self.by_test, self.by_scenario} <= {CAUGHT, NONE}


def tried(chosen: Sequence[Fault], jobs: int) -> Iterator[Outcome]:
    """Plant each in a copy of the tree, and run what it names.

    Raises:
        ValueError: something that is named fails without any fault.
    """
    tests = sorted({fault.test for fault in chosen if fault.test})
    scenarios = sorted({fault.scenario for fault in chosen if fault.scenario})
    checks = [lambda copy: _by_test(copy, tests), lambda copy: _by_scenario(copy, scenarios)]
    wanted = [check for check, names in zip(checks, (tests, scenarios), strict=True) if names]
    for found in in_copies(jobs, wanted, _checked):
        if found != MISSED:
            raise ValueError(f"without any fault, one of those named fails: {found}")
    yield from in_copies(jobs, chosen, _one)


def _checked(copy: Copy, check: Callable[[Copy], str]) -> str:
    return check(copy)


def _one(copy: Copy, fault: Fault) -> Outcome:
    with copy.changed(fault.path, fault.planted()):
        return Outcome(
            fault,
            _by_test(copy, [fault.test]) if fault.test else NONE,
            _by_scenario(copy, [fault.scenario]) if fault.scenario else NONE,
        )


def _by_test(copy: Copy, names: Sequence[str]) -> str:
    words = ["pytest", "-x", "-q", "-p", "no:cacheprovider", "--slow", "--soak", *names]
    code, said = copy.run(words, LIMIT_S * len(names))
    return {0: MISSED, 1: CAUGHT, None: "took too long"}.get(code, said[-500:])


def _by_scenario(copy: Copy, names: Sequence[str]) -> str:
    played = play_in(copy, Order(tuple(names)), LIMIT_S * len(names))
    if isinstance(played, str):
        return played
    return CAUGHT if played.failed else MISSED


def main(word: str, jobs: int) -> int:
    """Try those in whose words `word` stands, and print a table; 1 when something gets past."""
    try:
        chosen = [f for f in faults() if word in f"{f.about} {f.path} {f.test} {f.scenario}"]
        if not chosen:
            print(f"No planted fault has the word {word!r}; all of them are in {PLANTED.name}/")
            return 2
        print(f"{len(chosen)} planted faults; first what they name is run without any.", flush=True)
        outcomes = []
        for outcome in tried(chosen, jobs):
            outcomes.append(outcome)
            print(f"  {'ok ' if outcome.passed else '** '} {_line(outcome)}", flush=True)
    except ValueError as error:
        print(f"planted faults: {error}")
        return 2
    past = [outcome for outcome in outcomes if not outcome.passed]
    print(f"{len(outcomes) - len(past)} of {len(outcomes)} are caught by what they name.")
    for outcome in past:
        print(f"\n** {outcome.fault.about}\n   {outcome.fault.path}")
        print(f"   {outcome.fault.test}: {outcome.by_test}")
        print(f"   {outcome.fault.scenario}: {outcome.by_scenario}")
    return 1 if past else 0


def _line(outcome: Outcome) -> str:
    words = (outcome.by_test, outcome.by_scenario)
    test, scenario = (word.splitlines()[-1][:20] if word else "?" for word in words)
    return f"test {test:11} scenario {scenario:11} {outcome.fault.about}"
