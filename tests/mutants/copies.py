"""Copies of the tree, in which one file at a time is changed and programs are run."""

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Lock
from typing import TypeVar

ROOT = Path(__file__).parents[2]
SOURCES = (".py", ".c", ".h", ".yaml", ".toml")

Item = TypeVar("Item")
Found = TypeVar("Found")


def files_of_tree() -> list[str]:
    """Everything that is or could be committed, from the root."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted({name for name in names.split("\0") if name and (ROOT / name).is_file()})


class Copy:
    def __init__(self, folder: Path) -> None:
        """Copy every file that git knows of or might be told of."""
        self.folder = folder
        self._temporary = folder.with_suffix(".tmp")
        self._process: subprocess.Popen[str] | None = None
        self._starting = Lock()
        self._changes = 0
        for name in files_of_tree():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)  # some tests ask git

    @contextlib.contextmanager
    def changed(self, path: str, text: str) -> Iterator[None]:
        """With another text in one file; afterwards as before, also by its date.

        Python compares compiled modules with their source by size and by date in seconds. So
        every change gets a date of its own.
        """
        file = self.folder / path
        before, dates = file.read_bytes(), file.stat()
        self._changes += 1
        file.write_text(text)
        os.utime(file, (self._changes, self._changes))
        try:
            yield
        finally:
            file.write_bytes(before)
            os.utime(file, ns=(dates.st_atime_ns, dates.st_mtime_ns))

    def run(
        self, words: Sequence[str], limit_s: float, *, show: bool = False, **more: str
    ) -> tuple[int | None, str]:
        """Run a module of Python here.

        Args:
            words: the module and its arguments.
            limit_s: how long it may take.
            show: let it print to the terminal.
            more: variables of its surroundings.

        Returns:
            Exit code and what was printed; no code when it took too long.
        """
        shutil.rmtree(self._temporary, ignore_errors=True)
        self._temporary.mkdir()
        surroundings = os.environ | {"PYTHONPATH": str(self.folder), "TMPDIR": str(self._temporary)}
        surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
        # It may run for a while before it is known here, and be stopped by then.
        with self._starting:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *words], cwd=self.folder, env=surroundings | more, text=True,
                stdout=None if show else subprocess.PIPE, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
        try:
            said, _ = self._process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return None, ""
        finally:  # also when somebody interrupts
            self.stop()
        return self._process.returncode, said or ""

    def stop(self) -> None:
        """End what runs here, with everything it has started."""
        with self._starting:
            process = self._process
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def in_copies(
    jobs: int, items: Iterable[Item], work: Callable[[Copy, Item], Found]
) -> Iterator[Found]:
    """Do something with each item in one of `jobs` copies; results come as they are ready."""
    free: queue.SimpleQueue[Copy] = queue.SimpleQueue()

    def one(item: Item) -> Found:
        copy = free.get()
        try:
            return work(copy, item)
        finally:
            free.put(copy)

    with tempfile.TemporaryDirectory(prefix="topple-mutants-") as folder:
        copies = [Copy(Path(folder) / f"tree{number}") for number in range(jobs)]
        for copy in copies:
            free.put(copy)
        pool = ThreadPoolExecutor(jobs)
        try:
            for done in as_completed([pool.submit(one, item) for item in items]):
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for copy in copies:
                copy.stop()
            pool.shutdown()
