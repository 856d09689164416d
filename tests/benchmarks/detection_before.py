"""The detector of an earlier commit, living through the same evenings in a process of its own.

The commit's files are laid into a folder, and a fresh interpreter takes all packages from there;
only `detection_lived` is the present one.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.benchmarks import detection_lived
from tests.benchmarks.detection_games import Event, Game

ROOT = Path(__file__).resolve().parents[2]

MOVED = {
    "controller.app.wiring": "controller.wiring",
    "controller.demo.demo": "controller.demo",
    "controller.evening.eyewitness": "controller.eyewitness",
    "controller.replay.replay": "controller.replay",
    "controller.table.pipeline": "controller.pipeline",
    "hw.traces.recording": "hw.recording",
}
"""What `detection_lived` imports -> where earlier commits have it, from before there were rooms."""

BOOT = """
import importlib.util, json, sys
for module, before in json.loads(sys.argv[3]).items():
    try:
        importlib.import_module(module)
    except ModuleNotFoundError:
        sys.modules[module] = importlib.import_module(before)
spec = importlib.util.spec_from_file_location("detection_lived", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
module.serve(sys.argv[2])
"""


class NotThereError(Exception):
    """The commit cannot be had, or its detector does not run; the message says why."""


def lay_out(commit: str, folder: Path) -> None:
    """Put the files of a commit into a folder.

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


class Before:
    """The detector of the packages in a folder.

    Attributes:
        priors: whether it has some that could be switched off.
    """

    def __init__(self, tree: Path) -> None:
        """Start it.

        Raises:
            NotThereError: it does not start.
        """
        lived = [detection_lived.__file__, str(tree), json.dumps(MOVED)]
        command = [sys.executable, "-P", "-c", BOOT, *lived]
        surroundings = {**os.environ, "PYTHONPATH": str(tree)}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=surroundings,
            cwd=tree,
        )  # fmt: skip
        try:
            ready = self._hear()
        except NotThereError:
            self.close()
            raise
        self.priors = bool(ready["priors"])

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
        job = {"trace": str(game.trace.resolve()), "seen": seen, "dice": dice}
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise NotThereError("the earlier detector has ended; its error stands above") from None
        found: list[Event] = self._hear()
        return found

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
            raise NotThereError("the earlier detector has ended; its error stands above")
        heard = json.loads(line)
        if isinstance(heard, dict) and "error" in heard:
            raise NotThereError(str(heard["error"]))
        return heard
