"""Checks the published documents against what a scenario expects. Pure."""

from collections.abc import Iterator
from typing import Any

from lab.bench.comparing import differences, refusal, shown
from lab.bench.observed import ANSWER, Run
from lab.bench.steps import Views

TOPICS = ("state", "status", "health", "summary")


def broken_views(views: Views, run: Run) -> list[str]:
    """Where the newest documents differ, one sentence each."""
    found = list(_documents(views, run))
    state = run.newest("state") or {}
    if views.scores is not None:
        scores = {p["name"]: p["score"] for p in state.get("players", ())}
        if scores != views.scores:
            found.append(f"the score is {told(scores)}, not {told(views.scores)}")
    if views.board is not None:
        board = {c: tuple(p["colour"] for p in s) for c, s in state.get("board", {}).items()}
        if board != dict(views.board):
            found.append(f"on the board are {told(board)}, not {told(dict(views.board))}")
    return found


def _documents(views: Views, run: Run) -> Iterator[str]:
    wanted: dict[str, dict[str, Any]] = {topic: getattr(views, topic) for topic in TOPICS}
    wanted[ANSWER] = views.reply
    for topic, paths in wanted.items():
        if not paths:
            continue
        # An answer to what was asked before says nothing about what was asked last.
        since = run.asked if topic.startswith("reply/") else 0
        document = run.newest(topic, since)
        if document is None:
            yield f"nothing was published on {topic}{' since the last command' if since else ''}"
        else:
            unlike = differences(document, paths)
            yield from (f"{topic}: {text}" for text in unlike)
            yield from refusal(document) if unlike else ()


def told(values: dict[str, Any]) -> str:
    """A mapping as short text."""
    if not values:
        return "none"
    parts = (f"{k} {'+'.join(v) if isinstance(v, tuple) else v}" for k, v in values.items())
    return shown(", ".join(parts))
