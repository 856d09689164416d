"""Whether what comes back after a kill is what was shown: the judge of the durability tests.

It knows what an observer heard (`shown.log`) and what a start finds, and nothing of how the
journal works. What was shown must be a moment of the game that came back, the same to the last
field, and at most the step of a table may have come after it.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from controller.common.errors import JournalError
from controller.journal import schema
from controller.journal.entries import causes
from controller.journal.journal import Journal
from controller.table.pipeline import replayed
from engine.referee import RefereeState
from engine.scoreboard import document
from tests.controller.durability.playing import JOURNAL, KEPT_GAMES, SHOWN

MOST_LATER = 3
"""Causes that may have been written, but not shown: those of one step."""

WITHIN_A_TURN = ("roll", "colour", "action")
"""Words that can be said again after a pulled plug."""

Shown = list[tuple[str, Any]]


def shown_in(text: bytes) -> Shown:
    """What had been published; a line that was not finished was not."""
    return [tuple(json.loads(line)) for line in text.split(b"\n")[:-1]]


def heard(folder: Path) -> Shown:
    """What had been published by the tables of a folder."""
    log = folder / SHOWN
    return shown_in(log.read_bytes()) if log.exists() else []


def moments(journal: Journal) -> list[RefereeState]:
    """Every moment of the games that are kept, oldest first."""
    database = journal._database
    kept = schema.entries(database, 0)
    games = {row.first_entry: row for row in schema.games(database)}
    found = [RefereeState()]
    for entry in kept:
        row = games.get(entry.entry)
        state = found[-1]
        if row is not None:
            state = replace(
                RefereeState(), next_ref=row.next_ref, rev=row.rev, seq=row.seq, games=row.games
            )
        found.append(replayed(causes([entry]), state))
    return found


def public(state: RefereeState) -> Any:
    """The document of a moment, as an observer has it."""
    board = document(state, table="t1", boot="boot", simulated=True)
    return json.loads(msgspec.json.encode(board))


def broken(folder: Path, shown: Shown, *, plug_pulled: bool = False) -> list[str]:
    """What is not as it should be; empty when nothing was lost.

    Args:
        folder: as the kill or the plug left it. It is not touched: a copy is opened.
        shown: what an observer had heard until then.
        plug_pulled: only what was confirmed must be there, not what was provisional.
    """
    again = folder.with_name(f"{folder.name}.again")
    shutil.rmtree(again, ignore_errors=True)
    shutil.copytree(folder, again)
    try:
        with Journal(again / JOURNAL, kept_games=KEPT_GAMES) as journal:
            found = moments(journal)
            state = journal.resume().state
            if state != found[-1]:
                return ["what is resumed is not the end of what is kept"]
            return list((_confirmed if plug_pulled else _all)(shown, found))
    except JournalError as refused:
        return [f"it does not start: {refused}"]
    finally:
        shutil.rmtree(again)


def _all(shown: Shown, found: list[RefereeState]) -> Iterator[str]:
    states = [document for row, document in shown if row == "state"]
    seqs = [document["seq"] for row, document in shown if row == "event"]
    if seqs and max(seqs) > found[-1].seq:
        yield f"event {max(seqs)} was shown, and the game came back at {found[-1].seq}"
    yield from _answered(shown, found[-1])
    for board in states[-1:]:
        at = _moment_of(board, found)
        if at is None:
            yield f"revision {board['rev']} was shown so, and never was so: {board!r:.300}"
        elif max(seqs, default=0) <= board["seq"] and len(found) - 1 - at > MOST_LATER:
            yield f"{len(found) - 1 - at} causes later than what was shown"


def _answered(shown: Shown, last: RefereeState) -> Iterator[str]:
    revs = [said["rev"] for row, said in shown if row.startswith("reply/") and said["ok"]]
    if revs and max(revs) > last.rev:
        yield f"revision {max(revs)} was answered, and the game came back at {last.rev}"


def _moment_of(board: Any, found: list[RefereeState]) -> int | None:
    for at in range(len(found) - 1, -1, -1):
        # The tension comes from the table's sensors and lengths, which no journal has.
        if found[at].rev == board["rev"] and public(found[at]) == {**board, "tension": None}:
            return at
    return None


def _confirmed(shown: Shown, found: list[RefereeState]) -> Iterator[str]:
    """What was confirmed when the plug was pulled: people's words, turns, pieces and scores."""
    last = public(found[-1])
    if last["rev"] < (sure := _sure_rev(shown)):
        yield f"revision {sure} was confirmed, and the game came back at {last['rev']}"
    boards = [document for row, document in shown if row == "state"]
    for board in boards:
        same = board["rev"] == last["rev"] and board["game"] == last["game"]
        if same and _moment_of(board, found) is None:
            yield f"revision {board['rev']} was shown so, and never was so: {board!r:.300}"
    for board in boards[-1:]:
        if board["game"] == last["game"] and board["rev"] >= last["rev"]:
            yield from (f"a confirmed {piece} is gone" for piece in _sure(board) - _all_of(last))
            yield from _scores_gone(board, last)


def _sure_rev(shown: Shown) -> int:
    """The revision that was confirmed: people's words were answered, a turn by hand was over."""
    sure, player = 0, None
    for row, said in shown:
        if row == "state" and said["kind"] not in (None, "topple") and said["turn"]:
            sure = said["rev"] if said["turn"]["player"] != player else sure
            player = said["turn"]["player"]
        if row.startswith("reply/") and said["ok"] and verb_of(said) not in WITHIN_A_TURN:
            sure = max(sure, said["rev"])
    return sure


def verb_of(reply: Any) -> str:
    """What the reply is about."""
    return str(reply["id"]).partition("-")[0]


def _scores_gone(board: Any, last: Any) -> Iterator[str]:
    for was, now in zip(board["players"], last["players"], strict=True):
        if not was["provisional"] and was["score"] != now["score"]:
            yield f"{was['name']} had {was['score']} for certain, and has {now['score']}"


def _sure(board: Any) -> set[tuple[str, str]]:
    return {(cell, colour) for cell, colour, status in _pieces(board) if status == "confirmed"}


def _all_of(board: Any) -> set[tuple[str, str]]:
    return {(cell, colour) for cell, colour, _ in _pieces(board)}


def _pieces(board: Any) -> Iterator[tuple[str, str, str]]:
    if board["kind"] == "topple":
        for cell, pieces in board["board"].items():
            for piece in pieces:
                yield cell, piece["colour"], piece.get("status", "confirmed")
