"""`topple-table bench`: plays the named scenarios, prints results, writes reports."""

import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from platform import machine, python_version

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from controller.bench.junit import write_junit
from controller.bench.report import write_report
from controller.bench.running import Result, play_all, unsteady
from controller.bench.scenario import TARGETS, Case, Target
from controller.bench.scenario_files import find, load
from controller.bench.summary import Summary, compared, read_summary, regressed, summarised
from controller.common.errors import BadInput
from controller.common.outputs import ready_for_file, ready_for_folder
from controller.table.publisher import software

DONE, FAILED = 0, 1


@dataclass(frozen=True, slots=True)
class Options:
    """How scenarios are played, and what is written."""

    target: str = "sim"
    report: Path | None = None
    junit: Path | None = None
    record: bool = False
    repeat: int = 1
    jobs: int | None = None


@dataclass(frozen=True, slots=True)
class More:
    """What only some verbs of the bench take."""

    hours: float | None = None
    evenings: int | None = None
    seed: int = 1
    speed: str = "max"
    config: Path | None = None
    phone: bool = False


def dispatch(arguments: Sequence[str], options: Options, more: More) -> int:
    """Run the verb given as the first argument; without a verb, play scenarios.

    Raises:
        BadInput: too few or too many words after a verb.
    """
    verb, *rest = arguments
    if verb == "compare":
        before, after = _just(rest, 2, "compare BEFORE AFTER")
        return compare(Path(before), Path(after))
    if verb == "replay":
        from controller.bench.regression import replay_folder  # noqa: PLC0415

        return replay_folder(Path(_just(rest, 1, "replay FOLDER")[0]))
    if verb == "adopt":
        from controller.bench.regression import adopt  # noqa: PLC0415

        return adopt(Path(_just(rest, 1, "adopt RECORDING")[0]))
    if verb == "soak":
        from controller.bench.soak import soak  # noqa: PLC0415

        _just(rest, 0, "soak --evenings N or --hours H")
        if more.speed != "max":
            raise BadInput(f"--speed {more.speed}: a soak runs at full speed, say max")
        return soak(more.seed, more.evenings, more.hours, options.jobs, options.report)
    return run(arguments, options, more)


def _just(arguments: Sequence[str], count: int, form: str) -> Sequence[str]:
    if len(arguments) != count:
        raise BadInput(f"bench {form}: {len(arguments)} arguments were given, not {count}")
    return arguments


def run(arguments: Sequence[str], options: Options, more: More | None = None) -> int:
    """Play scenarios.

    Args:
        arguments: files, folders, names of shipped scenarios, or `all`.
        options: how.
        more: configuration of the real table and the like, for target rig.

    Returns:
        0 all passed, 1 something did not.

    Raises:
        BadScenario: a file cannot be played; line and key are named.
        BadTarget: the target cannot be had here.
        BadInput: an option cannot be.
    """
    target = _target(options.target)
    if options.record and options.report is None:
        raise BadInput("--record needs --report FOLDER; the recordings go there")
    before = _ready(options)
    cases = [case for path in find(arguments) for case in load(path)]
    playable = [case for case in cases if not case.scenario.left_out(target)]
    left_out = reasons(cases, target)
    if not playable:
        raise BadInput(f"none of these scenarios can be played on --target {target}")
    if target == "lab":
        from controller.bench.laboratory import need_lab  # noqa: PLC0415

        need_lab()
    results = _played(playable, target, options, more or More())
    _say(results, left_out, target)
    _write(results, arguments, options, left_out, before)
    differing = unsteady(results)
    for words_ in differing:
        print(words_)
    return DONE if all(r.verdict.passed for r in results) and not differing else FAILED


def reasons(cases: Iterable[Case], target: Target) -> dict[str, str]:
    """Scenarios that a target cannot play, each with the reason."""
    named = {case.scenario.name: case.scenario.left_out(target) for case in cases}
    return {name: why for name, why in sorted(named.items()) if why}


def _target(word: str) -> Target:
    for target in TARGETS:
        if word == target:
            return target
    raise BadInput(f"--target {word}: there are {', '.join(TARGETS)}")


def _played(cases: Sequence[Case], target: Target, options: Options, more: More) -> list[Result]:
    folder = options.report if options.record else None
    if target == "rig":
        from controller.bench.rig import guided  # noqa: PLC0415

        return guided(cases, more.config, phone=more.phone, record=folder)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(f"bench, {target}", total=len(cases) * options.repeat)

        def progress(result: Result) -> None:
            bar.advance(task)
            if not result.verdict.passed:
                bar.console.print(Text(f"failed: {result.id}", style="red"))

        return play_all(
            cases,
            target,
            repeat=options.repeat,
            record=folder,
            jobs=options.jobs,
            progress=progress,
        )


def _say(results: Sequence[Result], left_out: Mapping[str, str], target: str) -> None:
    """Print what failed and why, what was left out and why, then the count."""
    for result in results:
        if not result.verdict.passed:
            print(f"FAILED {result.id}: {result.case.scenario.about}")
            for failure in result.verdict.failures:
                print(f"    {failure}")
    failed = sum(not result.verdict.passed for result in results)
    table_s = sum(result.run.end_s for result in results)
    scenarios = len({result.case.scenario.name for result in results})
    print(
        f"{len(results) - failed} of {len(results)} cases passed "
        f"({scenarios} scenarios, {table_s / 60:.1f} minutes of table time, target {target})."
    )
    for name, why in left_out.items():
        print(f"Left out on {target}: {name}: {why}.")


def _ready(options: Options) -> Summary | None:
    """Check that results can be written, before the work; return the previous run's summary."""
    if options.report is not None:
        ready_for_folder("--report", options.report)
    if options.junit is not None:
        ready_for_file("--junit", options.junit)
    if options.report is None or not (options.report / "summary.json").is_file():
        return None
    return read_summary(options.report)


def _write(
    results: Sequence[Result],
    arguments: Iterable[str],
    options: Options,
    left_out: Mapping[str, str],
    before: Summary | None,
) -> None:
    """Write the requested files; one that fails does not stop the other."""
    configuration = {
        "target": options.target,
        "scenarios": shlex.join(arguments),
        "repetitions": str(options.repeat),
        "Python": f"{python_version()} on {machine()}",
    }
    problems = []
    if options.junit is not None:
        try:
            write_junit(results, options.junit, left_out)
        except BadInput as problem:
            problems.append(str(problem))
    if options.report is not None:
        when = datetime.now(UTC).isoformat(timespec="seconds")
        memory = summarised(results, when, software(), before)
        try:
            path = write_report(results, memory, options.report, configuration, left_out)
            print(f"Report: {path}")
        except BadInput as problem:
            problems.append(str(problem))
    if problems:
        raise BadInput("; ".join(problems))


def compare(before: Path, after: Path) -> int:
    """Print what differs between two reports; return 1 if something no longer passes."""
    old, new = read_summary(before), read_summary(after)
    rows = compared(old, new)
    table = Table("case", "what", f"before ({old.when})", f"after ({new.when})")
    for row in rows:
        table.add_row(*row, style="red" if row[1] == "verdict" and row[3] == "failed" else None)
    if rows:
        Console(file=sys.stdout, width=120).print(table)
    else:
        print("No difference.")
    worse = regressed(old, new)
    print(f"{len(worse)} regressions{': ' + ', '.join(worse) if worse else ''}.")
    return FAILED if worse else DONE
