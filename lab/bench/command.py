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

from controller.common.errors import BadInput
from controller.common.outputs import ready_for_file, ready_for_folder
from controller.table.publisher import software
from lab.bench import boards
from lab.bench.boards import Where, board_target
from lab.bench.junit import write_junit
from lab.bench.report import write_report
from lab.bench.running import Result, play_all, unsteady
from lab.bench.scenario import Case
from lab.bench.scenario_files import find, load
from lab.bench.summary import Summary, compared, read_summary, regressed, summarised

DONE, FAILED = 0, 1


@dataclass(frozen=True, slots=True)
class Options:
    """How scenarios are played, and what is written.

    Attributes:
        covers: words; a scenario that covers none of them is not played.
        shrink: what fails is shrunk and written as a scenario.
    """

    target: Where = "sim"
    report: Path | None = None
    junit: Path | None = None
    record: bool = False
    repeat: int = 1
    jobs: int | None = None
    covers: Sequence[str] = ()
    shrink: bool = False


@dataclass(frozen=True, slots=True)
class More:
    """What only some verbs of the bench take."""

    hours: float | None = None
    evenings: int | None = None
    seed: int = 1
    speed: str = "max"
    config: Path | None = None
    phone: bool = False
    out: Path | None = None
    as_json: bool = False


def dispatch(arguments: Sequence[str], options: Options, more: More) -> int:
    """Run the verb given as the first argument; without a verb, play scenarios.

    Raises:
        BadInput: too few or too many words after a verb.
    """
    verb, *rest = arguments
    if verb in ("list", "new", "schema"):
        return _catalogue(verb, rest, more)
    if verb == "compare":
        before, after = _just(rest, 2, "compare BEFORE AFTER")
        return compare(Path(before), Path(after))
    if verb == "replay":
        from lab.bench.regression import replay_folder  # noqa: PLC0415

        return replay_folder(Path(_just(rest, 1, "replay FOLDER")[0]))
    if verb == "adopt":
        from lab.bench.regression import adopt  # noqa: PLC0415

        return adopt(Path(_just(rest, 1, "adopt RECORDING")[0]))
    if verb == "soak":
        from lab.bench.soak import soak  # noqa: PLC0415

        _just(rest, 0, "soak --evenings N or --hours H")
        if more.speed != "max":
            raise BadInput(f"--speed {more.speed}: a soak runs at full speed, say max")
        return soak(more.seed, more.evenings, more.hours, options.jobs, options.report)
    return run(arguments, options, more)


def _catalogue(verb: str, rest: Sequence[str], more: More) -> int:
    from lab.bench import catalogue  # noqa: PLC0415

    if verb == "list":
        word = _just(rest, 1, "list [WORD]")[0] if rest else ""
        catalogue.print_list(word, as_json=more.as_json)
    elif verb == "new":
        catalogue.new_scenario(_just(rest, 1, "new NAME")[0])
    else:
        _just(rest, 0, "schema [--out FILE]")
        catalogue.write_schema(more.out)
    return DONE


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
    target = options.target
    board = board_target(target)
    if options.record and options.report is None:
        raise BadInput("--record needs --report FOLDER; the recordings go there")
    before = _ready(options)
    cases = _chosen(arguments, options.covers)
    left_out = reasons(cases, target)
    playable = [case for case in cases if case.scenario.name not in left_out]
    if not playable:
        why = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise BadInput(f"none of these scenarios can be played on --target {target}: {why}")
    if board is not None:
        board.need()
    results = _played(playable, target, options, more or More())
    _say(results, left_out)
    _write(results, arguments, options, left_out, before)
    differing = unsteady(results)
    for words_ in differing:
        print(words_)
    if options.shrink and target != "rig":
        _shrink(results, target, options.report or Path())
    return DONE if all(r.as_it_must_be for r in results) and not differing else FAILED


def _chosen(arguments: Sequence[str], covers: Sequence[str]) -> list[Case]:
    """The cases that were named, and of them those that cover one of the words."""
    cases = [case for path in find(arguments) for case in load(path)]
    wanted = {word.lower() for word in covers}
    if not wanted:
        return cases
    found = [c for c in cases if wanted & {word.lower() for word in c.scenario.covers}]
    if not found:
        raise BadInput(f"--covers {', '.join(covers)}: no scenario does; bench list shows them")
    return found


def reasons(cases: Iterable[Case], target: Where) -> dict[str, str]:
    """Scenarios that a target cannot play, each with the reason."""
    named = {case.scenario.name: boards.left_out(case.scenario, target) for case in cases}
    return {name: why for name, why in sorted(named.items()) if why}


def _shrink(results: Sequence[Result], target: Where, folder: Path) -> None:
    """Write the shortest scenario for everything that failed and should not."""
    from lab.bench.shrinking import shrink  # noqa: PLC0415

    for result in results:
        if not result.verdict.passed and not result.known and result.number == 1:
            print(f"Shrinking {result.id} ...", file=sys.stderr)
            print(shrink(result, target, folder))


def _played(cases: Sequence[Case], target: Where, options: Options, more: More) -> list[Result]:
    folder = options.report if options.record else None
    if target == "rig":
        from lab.bench.rig import guided  # noqa: PLC0415

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
        task = bar.add_task(f"bench, {boards.name_of(target)}", total=len(cases) * options.repeat)

        def progress(result: Result) -> None:
            bar.advance(task)
            if not result.as_it_must_be:
                bar.console.print(Text(f"failed: {result.id}", style="red"))

        return play_all(
            cases,
            target,
            repeat=options.repeat,
            record=folder,
            jobs=options.jobs,
            progress=progress,
        )


def _say(results: Sequence[Result], left_out: Mapping[str, str]) -> None:
    """Print what failed and why, what was left out and why, then the count."""
    for result in results:
        if not result.as_it_must_be:
            print(f"FAILED {result.id}: {result.case.scenario.about}")
            print("\n".join(f"    {line}" for line in result.complaint.splitlines()))
    for result in results:
        if result.known and not result.verdict.passed:
            print(f"Known to fail: {result.id}: {result.known}.")
    failed = sum(not result.verdict.passed for result in results)
    known = sum(bool(result.known) and not result.verdict.passed for result in results)
    as_known = f", {known} failed as is known" if known else ""
    target = results[0].target
    table_s = sum(result.run.end_s for result in results)
    scenarios = len({result.case.scenario.name for result in results})
    print(
        f"{len(results) - failed} of {len(results)} cases passed{as_known} "
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
        "target": boards.name_of(options.target),
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
