"""`topple-table bench`: plays the named scenarios, prints results, writes reports."""

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from controller.common.errors import BadInput
from controller.common.outputs import ready_for_file, ready_for_folder
from lab.bench import boards
from lab.bench.boards import Where, board_target
from lab.bench.outside.table_target import OneTable, OutsideTarget
from lab.bench.plugin import ENDINGS, RESULTS, TO_SEE_MORE
from lab.bench.running import Result
from lab.bench.scenario import Case
from lab.bench.scenario_files import SHIPPED, find, load
from lab.bench.summary import compared, read_summary, regressed

DONE, FAILED = 0, 1

NO_PLUGINS = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
"""Variable of the environment: plugins of others stay away."""

NOT_REWRITTEN = ("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning")
"""The plugin has no assertions that pytest could show more of."""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line.

    Attributes:
        covers: words; a scenario that covers none of them is not played.
        shrink: what fails is shrunk and written as a scenario.
        hours, evenings, seed: of a soak. out: of `schema`. as_json: of `list`.
    """

    target: Where = "sim"
    report: Path | None = None
    junit: Path | None = None
    record: bool = False
    repeat: int = 1
    jobs: int | None = None
    covers: Sequence[str] = ()
    shrink: bool = False
    hours: float | None = None
    evenings: int | None = None
    seed: int = 1
    out: Path | None = None
    as_json: bool = False

    @property
    def by_turns(self) -> bool:
        """Whether there is one table only, and people or hands do what they are asked, in turn."""
        return isinstance(self.target, OneTable)


def dispatch(arguments: Sequence[str], options: Options) -> int:
    """Run the verb given as the first argument; without a verb, play scenarios.

    Raises:
        BadInput: too few or too many words after a verb.
    """
    verb, *rest = arguments
    if verb in ("list", "new", "schema"):
        return _catalogue(verb, rest, options)
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
        return soak(options.seed, options.evenings, options.hours, options.jobs, options.report)
    return run(arguments, options)


def _catalogue(verb: str, rest: Sequence[str], options: Options) -> int:
    from lab.bench import catalogue  # noqa: PLC0415

    if verb == "list":
        word = _just(rest, 1, "list [WORD]")[0] if rest else ""
        catalogue.print_list(word, as_json=options.as_json)
    elif verb == "new":
        catalogue.new_scenario(_just(rest, 1, "new NAME")[0])
    else:
        _just(rest, 0, "schema [--out FILE]")
        catalogue.write_schema(options.out)
    return DONE


def _just(arguments: Sequence[str], count: int, form: str) -> Sequence[str]:
    if len(arguments) != count:
        raise BadInput(f"bench {form}: {len(arguments)} arguments were given, not {count}")
    return arguments


def run(arguments: Sequence[str], options: Options) -> int:
    """Play scenarios: pytest does, with `lab.bench.plugin`.

    Args:
        arguments: files, folders, names of shipped scenarios, or `all`; then, from the first that
            begins with a dash, what pytest takes (`-k power -x --lf`).
        options: how.

    Returns:
        0 all passed, 1 something did not.

    Raises:
        BadScenario: a file cannot be played; line and key are named.
        BadTarget: the target cannot be had here.
        BadInput: an option cannot be.
    """
    dash = next((n for n, word in enumerate(arguments) if word.startswith("-")), len(arguments))
    names, further = arguments[:dash], list(arguments[dash:])
    board = board_target(options.target)
    if options.record and options.report is None:
        raise BadInput("--record needs --report FOLDER; the recordings go there")
    if options.record and isinstance(options.target, OutsideTarget):
        raise BadInput("--record: samples stay inside that table; it records itself (cmd/record)")
    _ready(options)
    paths = find(names)
    playable = _playable(paths, options)
    if board is not None:
        board.need()
    player = TakingPart(options.target)
    places = [str(SHIPPED) if name == "all" else str(Path(name)) for name in names]
    places = [place if Path(place).exists() else str(*find([place])) for place in places]
    try:
        code = _by_pytest(_words(options, len(playable)), further, places, player)
    finally:
        if isinstance(options.target, OneTable):
            options.target.close()
    if options.by_turns and not player.results:
        raise BadInput("nothing was judged; why is said above")
    if options.shrink and not options.by_turns:
        _shrink(player.results, options.target, options.report or Path())
    return code


@dataclass(slots=True)
class TakingPart:
    """Takes part in the run of pytest: brings the table that is no name, and keeps the results.

    Attributes:
        results: of all cases, at the end.
    """

    target: Where
    results: Sequence[Result] = ()

    def pytest_configure(self, config: pytest.Config) -> None:
        """Where there is one table only, cases are played on it itself."""
        record = "" if isinstance(self.target, OutsideTarget) else " --record"
        config.stash[TO_SEE_MORE] = f"--report out{record}"
        if isinstance(self.target, OneTable):
            config.option.target = self.target

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Keep the results."""
        self.results = session.config.stash[RESULTS].results


def _playable(paths: Sequence[Path], options: Options) -> list[Case]:
    """The cases that will be played; what is wrong with any file is said before all work."""
    odd = next((path for path in paths if path.suffix not in ENDINGS), None)
    if odd is not None:
        raise BadInput(f"{odd}: a scenario ends in {' or '.join(ENDINGS)}; rename it")
    loaded = [case for path in paths for case in load(path)]
    cases = [case for case in loaded if case.scenario.is_among(options.covers)]
    if not cases:
        named = ", ".join(options.covers)
        raise BadInput(f"--covers {named}: no scenario does; bench list shows them")
    why = {case.scenario.name: boards.left_out(case.scenario, options.target) for case in cases}
    playable = [case for case in cases if not why[case.scenario.name]]
    if not playable:
        words = "; ".join(f"{name}: {reason}" for name, reason in sorted(why.items()))
        where = boards.name_of(options.target)
        raise BadInput(f"none of these scenarios can be played on --target {where}: {words}")
    return playable


def _words(options: Options, cases: int) -> list[str]:
    """The command line of pytest."""
    jobs = min(options.jobs or os.cpu_count() or 1, cases * options.repeat)
    words = [
        # Nothing of a project around the scenarios, and no plugin of others, takes part.
        "-c", os.devnull, "--rootdir", str(Path.cwd()), "--noconftest", "--import-mode=importlib",
        "-p", "lab.bench.plugin", "--no-header", "-v", "-rN", "--show-capture=no",
        "-p", "no:faulthandler", *NOT_REWRITTEN, "-o", "junit_suite_name=topple-table bench",
        # As it was asked for: another process has to find it again.
        f"--target={options.target if isinstance(options.target, str) else options.target.name}",
        f"--bench-repeat={options.repeat}",
        *(f"--covers={word}" for word in options.covers),
    ]  # fmt: skip
    if options.by_turns:
        words.append("-s")
    elif jobs > 1:
        words += ["-p", "xdist.plugin", "-n", str(jobs)]
    if options.report is not None:
        words += [f"--bench-report={options.report}", *["--bench-record"][: options.record]]
    if options.junit is not None:
        words.append(f"--junitxml={options.junit}")
    return words


def _by_pytest(
    words: Sequence[str], further: Sequence[str], places: Sequence[str], player: TakingPart
) -> int:
    before = os.environ.get(NO_PLUGINS)
    os.environ[NO_PLUGINS] = "1"
    try:
        code = pytest.main([*words, *further, *places], plugins=[player])
    finally:
        if before is None:
            del os.environ[NO_PLUGINS]
    if code == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return int(code)
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise BadInput(f"{shlex.join(further)}: no case has that; `-- --collect-only` names them")
    raise BadInput("pytest could not play these; what it says above names the reason")


def _shrink(results: Sequence[Result], target: Where, folder: Path) -> None:
    """Write the shortest scenario for everything that failed and should not."""
    from lab.bench.shrinking import shrink  # noqa: PLC0415

    for result in results:
        if not result.verdict.passed and not result.known and result.number == 1:
            print(f"Shrinking {result.id} ...", file=sys.stderr)
            print(shrink(result, target, folder))


def _ready(options: Options) -> None:
    """Check that results can be written, before the work."""
    if options.report is not None:
        ready_for_folder("--report", options.report)
        if (options.report / "summary.json").is_file():
            read_summary(options.report)
    if options.junit is not None:
        ready_for_file("--junit", options.junit)


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
