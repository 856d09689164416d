"""The pytest plugin: scenario files are collected as tests, and `topple_bench` plays one in a test.

    pytest my.yaml --target sim                 # with -k, -x, --lf, -n 4, --junitxml as always
    pytest folder/ --target sim --bench-report out

    def test_my_detector(topple_bench):
        result = topple_bench("place_one", detector=MyDetector)
        assert result.verdict.passed, result.verdict.failures

Registered by its entry point; nothing heavy is imported before a test asks for it. Without
`--target` no scenario is collected; the ini option `topple_bench_target` says where the fixture
plays when a test does not: `sim`, `lab`, or `module:attribute` of a board of your own.
"""

import pickle
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from lab.bench.outside.table_target import OneTable
    from lab.bench.running import Result
    from lab.bench.scenario import Case

TARGET = "topple_bench_target"
PASSED_ON = "topple_bench_result"
"""Property of a test's report that says where its whole result lies."""

ENDINGS = (".yaml", ".yml")
"""How the names of scenario files end."""

RESULTS = pytest.StashKey["Bench"]()

TO_SEE_MORE = pytest.StashKey[str]()
"""The options that show what happened, as the caller of pytest knows them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where and how scenarios are played."""
    parser.addini(TARGET, "where topple_bench plays: sim, lab or module:attribute", default="sim")
    group = parser.getgroup("topple_bench", "scenarios of Topple Table")
    group.addoption("--target", help="collect scenario files, and play them there: sim, lab, ...")
    group.addoption("--covers", action="append", default=[], help="only what covers this word")
    group.addoption("--bench-report", type=Path, help="folder for report.html and its history")
    group.addoption("--bench-record", action="store_true", help="record each case in that folder")
    group.addoption("--bench-repeat", type=int, default=1, help="how often to play each case")


def pytest_configure(config: pytest.Config) -> None:
    """Results of all processes come together in one folder of the first."""
    if config.getoption("--target") and not hasattr(config, "workerinput"):
        config.stash[RESULTS] = bench = Bench(config)
        config.pluginmanager.register(bench, "topple_bench_results")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A scenario file is a collection of cases."""
    if file_path.suffix in ENDINGS and parent.config.getoption("--target"):
        outside = not file_path.is_relative_to(parent.config.rootpath)
        more: dict[str, Any] = {"nodeid": file_path.name} if outside else {}
        return ScenarioFile.from_parent(parent, path=file_path, **more)
    return None


class ScenarioFile(pytest.File):
    """One scenario, with its seeds and sweeps."""

    def collect(self) -> Iterator["CaseItem"]:
        """Its cases, each as often as wanted."""
        from controller.common.errors import BadScenario  # noqa: PLC0415
        from lab.bench.scenario_files import load, printable  # noqa: PLC0415

        try:
            cases = load(self.path)
        except BadScenario as problem:
            raise self.CollectError(str(problem)) from None
        for case in cases:
            if not case.scenario.is_among(self.config.getoption("--covers")):
                continue
            for number in range(1, self.config.getoption("--bench-repeat") + 1):
                name = case.id + (f" #{number}" if number > 1 else "")
                # Told whole: pytest finds what failed last by the text of the id.
                id_ = f"{printable(self.nodeid)}::{name}"
                yield CaseItem.from_parent(self, name=name, nodeid=id_, case=case, number=number)


class CaseFailed(Exception):  # noqa: N818 - a result, no error of the program
    """A case that is not as it must be."""


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, case: "Case", number: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.case, self.number = case, number

    def setup(self) -> None:
        """Leave out what the target cannot play."""
        _need(self.case, self.config.getoption("--target"))

    def runtest(self) -> None:
        """Play it; its measurements are properties, as in JUnit."""
        result = self._played()
        measures = result.verdict.measures
        self.user_properties += [(name, f"{value:g}") for name, value in measures.items()]
        worker = getattr(self.config, "workerinput", None)
        folder = worker[PASSED_ON] if worker else self.config.stash[RESULTS].folder
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            pickle.dump(result, file)
        self.user_properties.append((PASSED_ON, file.name))
        if not result.as_it_must_be:
            raise CaseFailed(f"{result.case.scenario.about}\n{result.complaint}")
        if result.known:
            pytest.xfail(result.known)

    def _played(self) -> "Result":
        """What comes of this case; without the one table there is all others end, too."""
        from controller.common.errors import ControllerError  # noqa: PLC0415
        from hw.errors import HardwareError  # noqa: PLC0415
        from lab.bench.outside.hands import LeftOut  # noqa: PLC0415
        from lab.bench.running import play_and_judge  # noqa: PLC0415

        options = self.config.option
        if (table := one_table(options.target)) is None:
            record = options.bench_report if options.bench_record else None
            return play_and_judge(self.case, options.target, self.number, record)
        try:
            return table.judged(self.case, self.number)
        except LeftOut as why:
            pytest.skip(str(why))
        except (ControllerError, HardwareError) as gone:
            self.session.shouldfail = "no further case can be played there"
            raise CaseFailed(f"{self.case.scenario.about}\n{gone}") from None

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was not so, without a traceback."""
        if isinstance(excinfo.value, CaseFailed):
            about, *lines = str(excinfo.value).splitlines()
            return "\n".join([f"FAILED {self.name}: {about}", *(f"    {line}" for line in lines)])
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file it stands in."""
        return self.path, None, self.name


def one_table(target: Any) -> "OneTable | None":
    """The target, if it is a table that there is once, in real time; it is no name then."""
    from lab.bench.outside.table_target import OneTable  # noqa: PLC0415

    return target if isinstance(target, OneTable) else None


def _need(case: "Case", where: Any) -> None:
    """Skip a test whose target cannot play the scenario, or cannot be had here."""
    from controller.common.errors import BadTarget  # noqa: PLC0415
    from lab.bench.boards import board_target, left_out  # noqa: PLC0415

    if why := left_out(case.scenario, where):
        pytest.skip(why)
    board = board_target(where)
    try:
        if board is not None:
            board.need()
    except BadTarget as missing:
        pytest.skip(str(missing))


class Bench:
    """All results of a run: counted, compared with their repetitions, and reported.

    Attributes:
        results: in the order of the cases. left_out: scenarios that were not played, and why.
        differing: cases whose repetitions gave other measurements.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self._kept = tempfile.TemporaryDirectory(prefix="topple-bench-")
        self.folder = self._kept.name
        self._found: dict[str, Result] = {}
        self.left_out: dict[str, str] = {}
        self.differing: list[str] = []
        self.said: list[str] = []

    @property
    def results(self) -> "list[Result]":
        """By scenario file, seed and sweep."""
        return [result for _, result in sorted(self._found.items())]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a process of pytest-xdist where results go."""
        node.workerinput[PASSED_ON] = self.folder

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a result."""
        for name, path in report.user_properties:
            if name == PASSED_ON and report.when == "call":
                self._found[report.nodeid] = pickle.loads(Path(str(path)).read_bytes())  # noqa: S301
        report.user_properties = [row for row in report.user_properties if row[0] != PASSED_ON]
        known = hasattr(report, "wasxfail")
        if report.skipped and not known and isinstance(report.longrepr, tuple):
            name = report.nodeid.rpartition("::")[2].partition("[")[0]
            self.left_out[name] = report.longrepr[2].removeprefix("Skipped: ")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Compare repetitions, and write the report."""
        from controller.common.errors import BadInput  # noqa: PLC0415
        from lab.bench.report import write_report  # noqa: PLC0415
        from lab.bench.running import unsteady  # noqa: PLC0415
        from lab.bench.scenario_files import printable  # noqa: PLC0415

        # In real time no two runs measure the same.
        real = one_table(self.config.option.target) is not None
        self.differing = [] if real else unsteady(self.results)
        if self.differing and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        options = self.config.option
        if options.bench_report is not None and self._found:
            try:
                played = " ".join(Path(each).stem for each in options.file_or_dir)
                path = write_report(self.results, options.bench_report, self.left_out, {
                    "scenarios": printable(played),
                    "repetitions": str(options.bench_repeat),
                })  # fmt: skip
                self.said.append(f"Report: {path}")
            except BadInput as problem:
                self.said.append(str(problem))
                session.exitstatus = pytest.ExitCode.USAGE_ERROR
        self._kept.cleanup()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The count, what is known to fail, and what was left out."""
        results = self.results
        target = results[0].target if results else self.config.getoption("--target")
        lines = [*self.said, *self.differing]
        if self.config.option.bench_report is None and any(r.complaint for r in results):
            usual = "--bench-report out --bench-record"
            lines.append(
                f"What happened, and when: add {self.config.stash.get(TO_SEE_MORE, usual)}"
            )
        failed = [result for result in results if not result.verdict.passed]
        known = [result for result in failed if result.known]
        lines += [f"Known to fail: {result.id}: {result.known}." for result in known]
        if results:
            minutes = sum(result.run.end_s for result in results) / 60
            scenarios = len({result.case.scenario.name for result in results})
            as_known = f", {len(known)} failed as is known" if known else ""
            lines.append(
                f"{len(results) - len(failed)} of {len(results)} cases passed{as_known} "
                f"({scenarios} scenarios, {minutes:.1f} minutes of table time, target "
                f"{target})."
            )
        lines += [f"Left out on {target}: {n}: {why}." for n, why in sorted(self.left_out.items())]
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture
def topple_bench(pytestconfig: pytest.Config) -> Callable[..., Any]:
    """A function that plays one case and gives its `Result`.

    Its arguments: `scenario`, the name of a shipped scenario, a path, or YAML text with line
    breaks; `detector`, what makes the detector; `target`, `sim`, `lab`, or a
    `lab.bench.boards.BoardTarget`; `seed`. A test whose target cannot play the scenario is
    skipped with the reason.
    """
    from lab.bench.running import Result, as_result, play  # noqa: PLC0415
    from lab.bench.scenario_files import find, load, read  # noqa: PLC0415

    def played(scenario: str | Path, target: Any = None, seed: int = 0, **others: Any) -> Result:
        text = str(scenario)
        cases = read(text, "inline", "scenario") if "\n" in text else load(find([text])[0])
        case = next((case for case in cases if case.seed == seed), cases[0])
        where = pytestconfig.getini(TARGET) if target is None else target
        _need(case, where)
        return as_result(case, where, play(case, where, **others))

    return played
