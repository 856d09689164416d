"""One mutant in a copy of the tree: its tests, or its scenarios."""

import re
from collections.abc import Collection, Sequence
from typing import Literal

import msgspec

from tests.mutants.copies import Copy
from tests.mutants.covering import Covering, Judge, firmware_tests
from tests.mutants.scenarios import Order, play_in
from tests.mutants.sites import Mutation

TESTS_S = 600.0
"""CPU seconds of a mutant's tests, as they take while lines are watched, which is twice as long.
All tests together take 450. The nearest come first; what is beyond this is left out."""

BENCH_S = 120.0
"""CPU seconds for a mutant's scenarios; all of target sim take 90."""

PATIENCE, AT_LEAST_S = 10.0, 120.0
"""A mutant may be slower, and the machine busy; beyond so many times it counts as caught, since
everybody would see that the table hangs."""

FIRST_FAILED = r"^(?:FAILED|ERROR) (\S+::\w+(?:\[.*?\](?= - |$))?|\S+)(?: - (.*))?$"
"""A line of pytest's summary; the names of its cases may have spaces."""

Fate = Literal["caught", "survived", "not run", "cannot be built"]


class Trial(msgspec.Struct, frozen=True):
    """What became of a mutant.

    Attributes:
        mutant: `Mutation.name`.
        judge: who was asked.
        fate: `not run` where no test, or no scenario, runs the line.
        by, why: the test or the scenario that failed first, and what it said.
        differing: scenario -> messages that were different, without it having failed.
        left: tests or scenarios that were not run, because the time was used up.
    """

    mutant: str
    judge: Judge
    fate: Fate
    by: str = ""
    why: str = ""
    differing: dict[str, int] = {}
    left: int = 0


def tried(
    copy: Copy, mutation: Mutation, judge: Judge, known: Covering, catchers: Collection[str] = ()
) -> Trial:
    """Run a mutant's tests, or its scenarios.

    Args:
        copy: where.
        mutation: the mutant.
        judge: tests or bench.
        known: which of the judge's tests or scenarios run which line.
        catchers: those who have caught other mutants of the file; they are asked first.
    """
    text = mutation.applied((copy.folder / mutation.path).read_text())
    with copy.changed(mutation.path, text):
        if mutation.path.endswith(".c") and not _builds(copy):
            return Trial(mutation.name, judge, "cannot be built")
        if judge == "bench":
            return _by_bench(copy, mutation, known, catchers)
        return _by_tests(copy, mutation, known, catchers)


def _builds(copy: Copy) -> bool:
    out = str(copy.folder.with_suffix(".built"))
    return copy.run(["controller.cli", "firmware", "build", "--out", out], AT_LEAST_S)[0] == 0


def _by_tests(copy: Copy, mutation: Mutation, known: Covering, catchers: Collection[str]) -> Trial:
    if mutation.path.endswith(".c"):
        by, why = _failed(copy, ["--slow", *firmware_tests()], 10 * AT_LEAST_S)
        return Trial(mutation.name, "tests", "caught" if by else "survived", by, why)
    own, others = known.tests_of(mutation)
    others.sort(key=lambda name: name not in catchers)
    left, seconds = len(own) + len(others), 0.0
    for stage in (own, others):
        affordable = []
        for name in stage:
            if seconds + known.seconds[name] <= TESTS_S:
                affordable.append(name)
                seconds += known.seconds[name]
        left -= len(affordable)
        by, why = _failed_of(copy, affordable, known) if affordable else ("", "")
        if by:
            return Trial(mutation.name, "tests", "caught", by, why)
    return Trial(mutation.name, "tests", "survived" if own or others else "not run", left=left)


def _failed_of(copy: Copy, tests: Sequence[str], known: Covering) -> tuple[str, str]:
    listed = copy.folder.with_suffix(".tests")
    listed.write_text("\n".join(tests))
    files = list(dict.fromkeys(name.partition("::")[0] for name in tests))
    usual_s = sum(known.seconds[name] for name in tests)
    words = ["-p", "tests.mutants.chosen", *files]
    return _failed(copy, words, PATIENCE * usual_s + AT_LEAST_S, str(listed))


def _failed(copy: Copy, words: Sequence[str], limit_s: float, chosen: str = "") -> tuple[str, str]:
    """The first test that fails, and why; both are empty when all pass."""
    asked = ["pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider", *words]
    code, said = copy.run(asked, limit_s, TOPPLE_CHOSEN=chosen)
    if code is None:
        return "the tests together", "they took too long"
    # 5: the mutant calls the cases of a test by other names, so none of those wanted is left.
    if code in (0, 5):
        return "", ""
    first = re.search(FIRST_FAILED, said, re.MULTILINE)
    return (first[1], first[2] or "") if first else ("pytest itself", said[-300:])


def _by_bench(copy: Copy, mutation: Mutation, known: Covering, catchers: Collection[str]) -> Trial:
    names = known.scenarios_of(mutation, catchers)
    if not names:
        return Trial(mutation.name, "bench", "not run")
    before = {name: known.messages[name] for name in names}
    usual_s = min(BENCH_S, sum(known.seconds[name] for name in names))
    order = Order(tuple(names), before, BENCH_S)
    played = play_in(copy, order, PATIENCE * usual_s + AT_LEAST_S)
    if isinstance(played, str):  # it hangs, or not even the imports work
        return Trial(mutation.name, "bench", "caught", "the bench itself", played)
    fate: Fate = "caught" if played.failed else "survived"
    return Trial(
        mutation.name, "bench", fate, played.failed, played.why, played.differing, played.left
    )
