"""The files in which faults are made, and which of their lines are run."""

from typing import Any

from tests.mutants.copies import ROOT

WHERE = (
    "engine/referee/*.py", "engine/detect/*.py", "engine/detect/*/*.py", "engine/games/topple/*.py",
    "controller/table/*.py", "controller/journal/*.py", "controller/mqtt/*.py",
    "hw/calibration.py", "hw/blocks.py", "hw/resampling.py", "hw/serial/*.py",
    "firmware_bridge/firmware/src/*.c",
)  # fmt: skip
"""What decides, keeps, tells and converts."""

LinesOf = dict[str, dict[int, list[str]]]
"""Path -> line -> who runs it; an empty name is an import."""


def paths() -> list[str]:
    """Of the files in which faults are made, from the root."""
    found = {path.relative_to(ROOT).as_posix() for where in WHERE for path in ROOT.glob(where)}
    return sorted(found)


class Watch:
    """Watches from now on which lines are run."""

    def __init__(self) -> None:
        import coverage

        files = [str(ROOT / path) for path in paths()]
        self._coverage: Any = coverage.Coverage(data_file=None, include=files, config_file=False)
        self._coverage.start()

    def now(self, who: str) -> None:
        """From now on this one runs."""
        self._coverage.switch_context(who)

    def end(self) -> LinesOf:
        """What was run, by whom."""
        self._coverage.stop()
        data = self._coverage.get_data()
        files = {path: str(ROOT / path) for path in paths()}
        return {path: data.contexts_by_lineno(file) for path, file in files.items()}
