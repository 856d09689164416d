"""The program of an earlier commit, living through the same evenings in a process of its own.

The commit's files are laid into a folder, and a fresh interpreter takes all packages from there;
only what plays the evenings is the present one: `detection_lived`, or `corpus_lived`.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Self

from tests.benchmarks import detection_lived, served
from tests.benchmarks.detection_games import Event, Game

ROOT = Path(__file__).resolve().parents[2]

MOVED = {
    "controller.app.wiring": ("controller.wiring",),
    "lab.demo.demo": ("controller.demo.demo", "controller.demo"),
    "lab.people.eyewitness": ("controller.evening.eyewitness", "controller.eyewitness"),
    "controller.replay.replay": ("controller.replay",),
    "controller.table.pipeline": ("controller.pipeline",),
    "hw.traces.recording": ("hw.recording",),
}
"""What `detection_lived` imports -> where earlier commits have it, the latest first."""


class NotThereError(Exception):
    """The commit cannot be had, or its detector does not run; the message says why."""


def lay_out(commit: str, folder: Path) -> str:
    """Put the files of a commit into a folder.

    Returns:
        The commit's hash; its name may mean another one tomorrow.

    Raises:
        NotThereError: no such commit, or this is no checkout.
    """
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", f"{commit}^{{commit}}"]
    try:
        found = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise NotThereError(f"git cannot be run: {error.strerror}") from None
    if found.returncode:
        words = found.stderr.decode(errors="replace").strip().splitlines() or ["git archive failed"]
        raise NotThereError(f"there is no commit {commit!r} to compare with: {words[0]}")
    with tarfile.open(fileobj=io.BytesIO(found.stdout)) as files:
        files.extractall(folder, filter="data")
        return files.pax_headers["comment"]


class Before:
    """The packages in a folder, used by a module of the present.

    Args:
        tree: the folder.
        module: has `answer`, and imports from the tree alone.
    """

    def __init__(self, tree: Path, module: ModuleType = detection_lived) -> None:
        """Start it.

        Raises:
            NotThereError: it does not start.
        """
        served_by = [str(served.__file__), str(tree), str(module.__file__), json.dumps(MOVED)]
        command = [sys.executable, "-P", *served_by]
        surroundings = {**os.environ, "PYTHONPATH": str(tree)}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=surroundings,
            cwd=tree,
        )  # fmt: skip
        try:
            self._hear()
        except NotThereError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def lived(self, game: Game, *, dice: bool) -> list[Event]:
        """As `detection_lived.lived`.

        Raises:
            NotThereError: it broke down.
        """
        seen = None if game.seen is None else str(game.seen.resolve())
        found: list[Event] = self.ask(trace=str(game.trace.resolve()), seen=seen, dice=dice)
        return found

    def ask(self, **arguments: Any) -> Any:
        """What the module answers.

        Raises:
            NotThereError: it broke down.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(arguments) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise NotThereError("the earlier program has ended; its error stands above") from None
        return self._hear()

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise NotThereError("the earlier program has ended; its error stands above")
        heard = json.loads(line)
        if isinstance(heard, dict) and "error" in heard:
            raise NotThereError(str(heard["error"]))
        return heard
