"""The journal: nothing that was shown is lost, whatever happens to the process or the file."""

import contextlib
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from controller.common.errors import JournalError, NewerJournal
from controller.journal.journal import (
    KEPT_REFUSED,
    MOST_NOTED,
    SCHEMA,
    Journal,
    _advice,
    from_json,
    to_json,
)
from controller.table.pipeline import Cause, Pipeline
from engine.events import (
    Cleared,
    Corrected,
    Fault,
    HumanInput,
    Placed,
    Restored,
    Retracted,
    Reweighed,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.referee import RefereeState
from engine.results import GameResult
from hw.source import Item
from tests.controller.scripted import ScriptedDetector, until
from tests.engine.referee.script import ANN_AND_BOB

ROOT = Path(__file__).parents[3]


@contextlib.contextmanager
def no_free_descriptor() -> Iterator[None]:
    """As when something else in the process has opened all that it may."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest_free = os.dup(0)
    os.close(lowest_free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, before[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            os.open(os.devnull, os.O_RDONLY)
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


START = HumanInput(1.0, "start", {"players": ANN_AND_BOB, "target": 100, "first": 0, "id": "g1"})

START_AGAIN = HumanInput(20.0, "start", {"players": ANN_AND_BOB, "id": "g2"})


def play(journal: Journal, pipeline: Pipeline, *items: Item) -> None:
    for item in items:
        for output in pipeline.feed(item):
            journal.write(output)


def roll(t_s: float, value: int) -> HumanInput:
    return HumanInput(t_s, "roll", {"value": value})


def evening() -> tuple[Pipeline, tuple[Item, ...]]:
    detector = ScriptedDetector(
        Placed(1, 3.0, 3.4, "e2", 0.99),
        Placed(2, 6.0, 6.4, "c3", 0.8, (("c2", 0.1),), 3.1),
        Corrected(2, 7.0, "c3", 0.97),
        Reweighed(2, 7.1, 3.97, 0.05),
        Toppled(3, 9.0, 9.9, ToppleKind.COLLAPSE, ToppleCause.BUMP, 0.99, fallen=2),
        Cleared(15.0, 15.5),
    )
    items = (
        START,
        roll(2.0, 4),
        until(4.0),
        HumanInput(4.2, "undo"),
        HumanInput(4.4, "redo"),
        roll(5.0, 1),
        until(8.0),
        roll(8.5, 9),
        until(12.0),
        HumanInput(13.0, "blame", {"player": 1}),
        until(16.0),
        HumanInput(17.0, "undo"),
    )
    return Pipeline(detector), items


def test_after_any_entry_the_game_is_as_it_was_then_undo_and_redo_included(tmp_path: Path) -> None:
    pipeline, items = evening()
    path = tmp_path / "deep" / "game.journal"
    with Journal(path) as journal:
        fresh = journal.resume()
        assert (fresh.state, fresh.resume_s, fresh.entries) == (RefereeState(), 0.0, 0)
        assert journal.results(3) == ()
    for number, item in enumerate(items):
        with Journal(path) as journal:
            play(journal, pipeline, item)
        with Journal(path) as journal:
            resumed = journal.resume()
        assert resumed.state == pipeline.state, f"after item {number}"

    assert resumed.state.redo_depth == 1
    assert resumed.resume_s > 17.0


def test_only_the_last_game_is_rebuilt_and_the_counters_go_on(tmp_path: Path) -> None:
    pipeline, items = evening()
    with Journal(tmp_path / "game.journal") as journal:
        play(journal, pipeline, *items, HumanInput(18.0, "end"))
        play(
            journal, pipeline, HumanInput(19.0, "start", {**START.data, "id": "g2"}), roll(20.0, 3)
        )
        resumed = journal.resume()

        assert journal.games() == ("g1", "g2")
    assert resumed.entries == 2
    assert resumed.state == pipeline.state
    assert resumed.state.game_id == "g2"


def test_what_was_refused_is_noted_with_its_reason_and_a_storm_is_not(tmp_path: Path) -> None:
    now_s = [0.0]
    pipeline = Pipeline(ScriptedDetector())
    with Journal(tmp_path / "game.journal", clock=lambda: now_s[0]) as journal:
        play(journal, pipeline, START, HumanInput(3.0, "pass"))
        (noted,) = journal._database.execute("SELECT * FROM refused").fetchall()
        play(journal, pipeline, *(HumanInput(4.0, "pass") for _ in range(MOST_NOTED + 9)))
        stormy = journal._value("SELECT count(*) FROM refused")
        for minute in range(2 + KEPT_REFUSED // MOST_NOTED):
            now_s[0] = 60.0 + 60.0 * minute
            play(journal, pipeline, *(HumanInput(4.0, "pass") for _ in range(MOST_NOTED)))

        assert noted[1:] == (1, 3.0, '{"t_s":3.0,"type":"pass","data":{}}', "not_rolled")
        assert stormy == MOST_NOTED
        assert journal._value("SELECT count(*) FROM refused") == KEPT_REFUSED
        assert journal.resume().entries == 1


def test_what_did_not_wait_goes_to_the_disk_in_the_next_two_minutes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[tuple[float, str]] = []
    now_s = [0.0]
    with Journal(tmp_path / "game.journal", clock=lambda: now_s[0]) as journal:
        play(journal, Pipeline(ScriptedDetector()), START, roll(2.0, 3))
        monkeypatch.setattr(
            os, "fsync", lambda handle: flushed.append((now_s[0], _name_of(handle)))
        )
        for second in range(400):
            now_s[0] = float(second)
            journal.tend()

    assert flushed == [
        (60.0, "game.journal.mark"),
        (60.0, "00000001.jsonl"),
        (120.0, "game.journal-wal"),
        (180.0, "game.journal.mark"),
        (399.0, "game.journal.mark"),
    ]


def _name_of(handle: int) -> str:
    return Path(f"/proc/self/fd/{handle}").readlink().name


def test_on_a_full_disk_a_refusal_stops_nobody_and_a_decision_is_refused_in_words(
    tmp_path: Path,
) -> None:
    pipeline = Pipeline(ScriptedDetector())
    with Journal(tmp_path / "game.journal") as journal:
        play(journal, pipeline, START)
        pages = journal._value("PRAGMA page_count")
        journal._database.execute(f"PRAGMA max_page_count={pages}")
        play(journal, pipeline, *(HumanInput(4.0 + n, "pass") for n in range(MOST_NOTED)))
        with pytest.raises(JournalError, match="the disk is full; make room"):
            play(journal, pipeline, *(roll(40.0 + 2 * n, 6) for n in range(200)))

        assert journal._backup.newest() is not None


def test_a_newer_journal_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "game.journal"
    Journal(path).close()
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version={SCHEMA + 1}")
    database.close()
    before = path.read_bytes()

    with pytest.raises(NewerJournal, match=f"format {SCHEMA + 1}.*Update the software"):
        Journal(path)

    assert path.read_bytes() == before


def test_another_file_is_not_taken_for_a_journal(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no database at all, but long enough to be looked at" * 40, encoding="utf-8")
    other = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE x (y)")

    for path, words in (
        (text, "no journal"),
        (other, "no journal of this table"),
        (tmp_path, "check the path"),
        (text / "game.journal", r"(Not a directory|File exists).*check the path"),
    ):
        with pytest.raises(JournalError, match=words):
            Journal(path)


def test_two_tables_cannot_share_a_journal(tmp_path: Path) -> None:
    with (
        Journal(tmp_path / "game.journal"),
        pytest.raises(JournalError, match="another table is using"),
    ):
        Journal(tmp_path / "game.journal", patience_s=0.0)


def test_a_cause_that_cannot_be_read_is_named() -> None:
    with pytest.raises(JournalError, match="Teapot"):
        from_json("Teapot", "{}")
    with pytest.raises(JournalError, match="a Placed on 'z9', which is no cell"):
        from_json("Placed", to_json(Placed(1, 1.0, 1.5, "z9", 0.9)))
    with pytest.raises(JournalError, match="HumanInput that cannot be read"):
        from_json("HumanInput", '{"t_s":1,"type":"roll","data":{"a":' + "[" * 5000)


numbers = st.floats(0, 1e6)
cells = st.sampled_from(["a1", "c3", "e5"])
ranked = st.lists(st.tuples(cells, st.floats(0, 1)), max_size=3).map(tuple)
topples = st.builds(
    Toppled,
    st.integers(1, 99),
    numbers,
    numbers,
    st.sampled_from(ToppleKind),
    st.sampled_from(ToppleCause),
    st.floats(0, 1),
    st.floats(0, 1),
    st.none() | st.integers(1, 48),
)
causes = st.one_of(
    st.builds(HumanInput, numbers, st.text(max_size=8), st.dictionaries(st.text(), st.integers())),
    st.builds(
        Placed,
        st.integers(1, 99),
        numbers,
        numbers,
        st.none() | cells,
        st.floats(0, 1),
        ranked,
        st.floats(0, 9),
    ),
    st.builds(Corrected, st.integers(1, 99), numbers, cells, st.floats(0, 1), ranked),
    st.builds(Reweighed, st.integers(1, 99), numbers, st.floats(0, 9), st.floats(0, 1)),
    st.builds(Retracted, st.integers(1, 99), numbers, st.text()),
    topples,
    st.builds(Cleared, numbers, numbers, st.none() | topples),
    st.builds(Fault, numbers, st.text(), st.text()),
    st.builds(Restored, numbers, st.text()),
)


UNWEIGHED = Placed(1, 1.0, 1.2, "c3", 0.99)


@given(causes)
@example(UNWEIGHED)
def test_every_cause_survives_being_written_down(cause: Cause) -> None:
    found = from_json(type(cause).__name__, to_json(cause))

    # An unknown mass, which equals nothing, is unknown again.
    assert repr(found) == repr(cause)
    assert found == cause or cause is UNWEIGHED


# --- pulling the plug ------------------------------------------------------------------------

_WRITER = """
import sys
from controller.journal.journal import Journal
from controller.table.pipeline import Pipeline
from engine.events import HumanInput
from tests.controller.scripted import ScriptedDetector
from tests.controller.journal.test_journal import START
journal, pipeline = Journal(sys.argv[1]), Pipeline(ScriptedDetector())
def say(said):
    for output in pipeline.feed(said):
        journal.write(output)
    print(pipeline.state.rev, len(pipeline.state.ledger), flush=True)  # now it has been shown
say(START)
t_s = 2.0
while True:
    for verb, data in (("roll", {"value": 6}), ("pass", {}), ("roll", {"value": 2}), ("undo", {})):
        t_s += 2.0
        say(HumanInput(t_s, verb, data))
"""


@pytest.mark.parametrize("shown_lines", [1, 7, 40, 90])
def test_killed_at_any_moment_it_loses_nothing_that_was_shown(
    tmp_path: Path, shown_lines: int
) -> None:
    path = tmp_path / "game.journal"
    command = [sys.executable, "-c", _WRITER, str(path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env=environment, cwd=ROOT, text=True
    ) as writer:
        assert writer.stdout is not None
        shown = [writer.stdout.readline() for _ in range(shown_lines)]
        writer.send_signal(signal.SIGKILL)
        shown += writer.stdout.readlines()
    last = [line for line in shown if line.endswith("\n")][-1]
    rev, moves = (int(number) for number in last.split())

    with Journal(path) as journal:
        state = journal.resume().state

    assert state.rev in (rev, rev + 1)  # one more may have been written, but not yet shown
    if state.rev == rev:
        assert len(state.ledger) == moves
    assert state.game_id == "g1"


def test_results_are_kept_the_last_word_about_a_game_and_the_oldest_first(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", kept_games=5) as journal:
        for number in range(12):
            journal.keep(GameResult(f"g{number}", "topple", 1, "", ()))
        journal.keep(GameResult("g10", "topple", 2, "", (), over=False))
        # They do not fill the card.
        assert [found.game for found in journal.results(99)] == [f"g{n}" for n in range(7, 12)]
    with contextlib.closing(sqlite3.connect(tmp_path / "j")) as database, database:
        # One that cannot be read costs only itself.
        database.execute("UPDATE results SET result = '{' WHERE game = 'g9'")
    with Journal(tmp_path / "j") as journal:
        found = journal.results(3)

    assert [(result.game, result.rev) for result in found] == [("g10", 2), ("g11", 1)]


KEPT_BESIDE = {
    "result": lambda journal: journal.keep(GameResult("g1", "topple", 1, "", ())),
    "moves": lambda journal: journal.keep_moves("g1", "packed"),
    "nothing more": lambda journal: journal.forget("g1"),
}


@pytest.mark.parametrize("keep", KEPT_BESIDE.values(), ids=KEPT_BESIDE)
def test_what_is_kept_beside_the_moves_is_on_the_disk_within_a_minute(
    keep: Callable[[Journal], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed, fsync = [], os.fsync

    def seen(descriptor: int) -> None:
        flushed.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        fsync(descriptor)

    clock = {"now_s": 0.0}
    with Journal(tmp_path / "j", clock=lambda: clock["now_s"]) as journal:
        journal.tend()
        keep(journal)
        monkeypatch.setattr(os, "fsync", seen)
        for clock["now_s"] in (1.0, 59.0):
            journal.tend()
        soon = flushed.count("j-wal")
        for clock["now_s"] in (61.0, 70.0, 200.0):
            journal.tend()
        later = flushed.count("j-wal")

    assert (soon, later) == (0, 1)


def test_without_a_free_descriptor_the_game_is_saved_flushed_copied_and_begun_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "t.journal"
    now_s = 0.0
    pipeline, items = evening()
    with Journal(path, clock=lambda: now_s) as journal:
        play(journal, pipeline, items[0])
        with no_free_descriptor():
            for item in (*items[1:], HumanInput(18.0, "end"), START_AGAIN, roll(21.0, 2)):
                play(journal, pipeline, item)
                now_s += 100.0
                journal.tend()  # first the copy, then the file
                now_s += 100.0
                journal.tend()
        games = journal.games()
    copies = sorted((tmp_path / "t.journal.d").glob("*.jsonl"))
    with Journal(path) as journal:
        assert journal.resume().state == pipeline.state

    assert len(games) == len(copies) == 2
    assert all(len(copy.read_bytes().splitlines()) > 2 for copy in copies)
    assert caplog.messages == []


def test_of_many_games_the_last_are_kept_in_the_file_and_as_copies(tmp_path: Path) -> None:
    pipeline = Pipeline(ScriptedDetector())
    with Journal(tmp_path / "game.journal", kept_games=3) as journal:
        for number in range(5):
            said = {**START.data, "id": f"g{number}", "replace": True}
            play(journal, pipeline, HumanInput(1.0 + number, "start", said))
        copies = sorted(path.name for path in journal._backup.folder.iterdir())

        assert journal.games() == ("g2", "g3", "g4")
        assert len(copies) == 3
        assert journal.resume().state.game_id == "g4"


def test_a_journal_may_be_closed_twice_and_then_holds_no_file_open(tmp_path: Path) -> None:
    for _ in range(3):
        journal = Journal(tmp_path / "game.journal")
        play(journal, Pipeline(ScriptedDetector()), START)
        journal.close()
        journal.close()

    # Threads of other tests open and close files of their own meanwhile.
    assert [name for name in open_files() if name.startswith(str(tmp_path))] == []


def open_files() -> list[str]:
    found = []
    for handle in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(str(handle.readlink()))
    return found


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (sqlite3.SQLITE_BUSY, "another table is using this journal"),
        (sqlite3.SQLITE_LOCKED, "another table is using this journal"),
        (sqlite3.SQLITE_FULL, "the disk is full"),
        (sqlite3.SQLITE_CANTOPEN, "check the path, its rights"),
        (sqlite3.SQLITE_READONLY, "check the path, its rights"),
        (sqlite3.SQLITE_IOERR, "check the disk"),
    ],
)
def test_what_is_wrong_with_the_file_is_said_with_what_to_do(code: int, words: str) -> None:
    error = sqlite3.OperationalError("words of another version")
    error.sqlite_errorcode = code

    assert words in _advice(error)
