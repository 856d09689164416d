import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import Popen
from threading import Event
from typing import Any

import pytest

from tests.controller.conftest import wait_until
from tests.mutants import copies
from tests.mutants.copies import Copy, in_copies

HELLO = "hello.py"


@pytest.fixture(autouse=True)
def small_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree of one module instead of ours."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / HELLO).write_text("print('hello')\n")
    monkeypatch.setattr(copies, "ROOT", tmp_path / "tree")
    monkeypatch.setattr(copies, "files_of_tree", lambda: [HELLO])


def test_a_change_is_run_and_undone(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    said = []
    for word in ("world", "there", "world"):  # of one length, within one second
        with copy.changed(HELLO, f"print('{word}')\n"):
            said.append(copy.run(["hello"], 60.0))
        said.append(copy.run(["hello"], 60.0))
    file = copy.folder / HELLO

    words = ("world", "hello", "there", "hello", "world", "hello")
    assert said == [(0, f"{word}\n") for word in words]
    assert file.stat().st_mtime_ns == (copies.ROOT / HELLO).stat().st_mtime_ns


def test_what_is_stopped_ends_with_all_that_it_has_started(tmp_path: Path) -> None:
    copy, pid = Copy(tmp_path / "copy"), tmp_path / "pid"
    endless = (
        "import subprocess, sys, pathlib, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'])\n"
        f"pathlib.Path({str(pid)!r}).with_suffix('.new').write_text(str(child.pid))\n"
        f"pathlib.Path({str(pid)!r}).with_suffix('.new').rename({str(pid)!r})\n"
        "time.sleep(3600)\n"
    )
    with copy.changed(HELLO, endless), ThreadPoolExecutor(1) as pool:
        running = pool.submit(copy.run, ["hello"], 3600.0)
        wait_until(pid.exists, "the program to begin")
        copy.stop()
        code, _ = running.result()

    assert code == -signal.SIGKILL
    child = Path("/proc") / pid.read_text() / "stat"
    wait_until(lambda: ended(child), "the end of what the program has started")


def test_what_has_only_just_been_started_is_stopped_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, begun, stopping = Copy(tmp_path / "copy"), Event(), Event()

    def slowly(*words: Any, **more: Any) -> "subprocess.Popen[str]":
        program = Popen(*words, **more)
        begun.set()
        stopping.wait()
        return program

    monkeypatch.setattr(subprocess, "Popen", slowly)
    with copy.changed(HELLO, "import time; time.sleep(60)\n"), ThreadPoolExecutor(1) as pool:
        running = pool.submit(copy.run, ["hello"], 10.0)
        begun.wait()
        stopping.set()
        copy.stop()
        code, _ = running.result()

    assert code == -signal.SIGKILL


def ended(stat: Path) -> bool:
    """Whether a process is gone, or waits for its parent to look; of a kill it hears soon."""
    try:
        return stat.read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_each_item_is_worked_on_once_and_a_copy_by_one_at_a_time() -> None:
    busy: set[Path] = set()

    def work(copy: Copy, item: int) -> int:
        assert copy.folder not in busy
        busy.add(copy.folder)
        busy.remove(copy.folder)
        return item * item

    assert sorted(in_copies(2, range(5), work)) == [0, 1, 4, 9, 16]
