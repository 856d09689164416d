"""Whether the events between two documents tell what changed. Pure, and from docs/mqtt.md alone.

A reader of docs/mqtt.md can keep the game by its events: this does, and compares exactly.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

Document = Mapping[str, Any]
Board = dict[str, list[tuple[int, str]]]

OF_PROCESS = ("boot", "hints", "tension", "simulated", "result")
"""Fields that belong to one process, its sensors and its clock, and to no revision."""

BESIDE = ("score", "turn", "round", "asked", "settled", "over", "fault", "restored")
"""Events that tell what follows from a move; all others are the move itself."""

BACK_AND_FORTH = ("undone", "redone")

PIECES = 12
"""Of each colour (docs/rules.md)."""


def same_game_shown(one: Document, two: Document) -> str:
    """The first field in which two documents show another game; empty when none does."""
    keys = [key for key in one if key not in (*OF_PROCESS, "rev", "seq")]
    return next((key for key in keys if one[key] != two.get(key)), "")


def unexplained(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    """What changed without an event that tells it, or was told and did not change."""
    kinds = [event["type"] for event in events]
    yield from _score(before, after, events)
    yield from _turn(before, after, events)
    yield from _phase(before, after, kinds, events)
    yield from _questions(before, after, events)
    yield from _last(before, after, events)
    yield from _steps(before, after, events)
    if after["kind"] == "topple":
        yield from _board(before, after, events)
        yield from _die(before, after, events)
        yield from _history(before, after, events)
        yield from _pieces(after)


def _of(events: Sequence[Document], *kinds: str) -> list[Document]:
    return [event for event in events if event["type"] in kinds]


# --- points ----------------------------------------------------------------------------------


def _scores(document: Document) -> dict[str, Any]:
    return {player["name"]: player["score"] for player in document["players"]}


def _score(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    running = _scores(before)
    for event in events:
        data = event.get("data", {})
        if event["type"] == "started":
            running = dict.fromkeys(_scores(after), 0)
        elif event["type"] == "score":
            changes, scores = data["changes"], data["scores"]
            grown = {name: (running.get(name) or 0) + changes.get(name, 0) for name in scores}
            if grown != scores:
                yield f"score {scores} is not {running} changed by {changes}"
            running = dict(scores)
    shown = _scores(after)
    if any(value is not None for value in shown.values()) and shown != running:
        if _of(events, *BACK_AND_FORTH) and set(shown) != set(running):
            return  # a game that was taken back, or is there again
        yield f"the score is {shown}, told was {running}"


# --- turn, phase, die ------------------------------------------------------------------------


def _player(document: Document) -> str | None:
    return document["turn"]["player"] if document["turn"] else None


def _turn(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    told = [event.get("player") for event in _of(events, "turn")]
    was, now = _player(before), _player(after)
    if now is not None and now != (told[-1] if told else was):
        yield f"it is {now}'s turn, told was {told[-1] if told else was}"
    for one, two in pairwise([was, *told]):
        if one == two and not _of(events, "started"):
            yield f"told that it is {two}'s turn, and it was already"


def _phase(
    before: Document, after: Document, kinds: list[str], events: Sequence[Document]
) -> Iterator[str]:
    ended = after["phase"] == "over" and before["phase"] != "over"
    # Ended by people is over, too; undo brings it back.
    if ended and not {"over", "ended"} & set(kinds):
        yield "the game is over, and no event tells it"
    if "over" in kinds and not _of(events, "corrected", *BACK_AND_FORTH):
        winners = list(_of(events, "over")[-1]["data"]["winners"])
        if after["phase"] != "over" or winners != list(after["winners"]):
            yield f"told that {winners} have won; the state has {after['winners']}"
    begun = after["phase"] == "clear" != before["phase"]
    if begun and not {"round", *BACK_AND_FORTH} & set(kinds):
        yield "a round is over, and no event tells it"
    if kinds and kinds[-1] == "cleared" and after["phase"] == "clear":
        yield "cleared, and still to be cleared"


def _die(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    """The die, and the colour that was announced: both belong to one turn."""
    if after["turn"] is None or _of(events, "undone", "redone", "corrected", "fell", "started"):
        return
    if in_doubt(before):
        return  # a roll may turn out to be that of an earlier turn
    rolled, turns = _of(events, "rolled"), _of(events, "turn")
    if rolled and rolled[-1].get("player") == _player(after) and after["turn"]["die"] is not None:
        if rolled[-1]["data"].get("die") != after["turn"]["die"]:
            yield f"the die shows {after['turn']['die']}, told was {rolled[-1]['data'].get('die')}"
    elif not (rolled or turns or _of(events, "retracted", "placed", "cleared")) and before["turn"]:
        was, now = before["turn"]["die"], after["turn"]["die"]
        if was != now and after["phase"] == "act":
            yield f"the die shows {now}, and nobody has told it"
    told_again = _of(events, "colour", "retracted")
    if turns and not told_again and after["turn"]["colour"] is not None:
        yield f"a turn begins with the colour {after['turn']['colour']}, and nobody has told it"


def _history(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    """One row for each finished turn, its scores in seating order."""
    kinds = {event["type"] for event in events if event["type"] not in BESIDE}
    rows, now = after["history"], list(_scores(after).values())
    # Whoever rolls has ended the turn before, in which nobody saw a piece.
    asked = any(event["data"]["kind"] == "placed" for event in _of(events, "asked"))
    kept = rows == before["history"] or not before["history"]
    if kinds <= {"rolled", "colour"} and not kept and not asked:
        yield f"history has {len(rows)} rows, before it {len(before['history'])}"
    if kinds and kinds <= {"placed", "passed"}:
        known = {ref for stack in board_of(before).values() for ref, _ in stack}
        unsure = any(
            event["data"].get("status") == "asked" or event["data"]["ref"] in known
            for event in _of(events, "placed")
        )
        new = 0 if unsure or _lately_seen(events) else 1
        if len(rows) < len(before["history"]) + new and len(rows) < 500:
            yield f"history has {len(rows)} rows, before it {len(before['history'])}"
        elif rows and None not in now and [list(row) for row in rows][-1] != now:
            yield f"the newest row of history is {rows[-1]}, the score {now}"


# --- questions -------------------------------------------------------------------------------


def _questions(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    was = before["pending"]["id"] if before["pending"] else None
    now = after["pending"]["id"] if after["pending"] else None
    asked = [event["data"]["id"] for event in _of(events, "asked")]
    settled = [event["data"]["id"] for event in _of(events, "settled")]
    open_ones = [name for name in asked if _newest(events, name) == "asked"]
    if now is None and open_ones:
        yield f"{open_ones} were asked, and nothing is pending"
    if now is not None and now != was and now not in asked and was not in settled and not asked:
        yield f"{now} is pending, and nobody was asked"
    if now is not None and _newest(events, now) == "settled":
        yield f"{now} is settled, and still pending"
    if was is not None and now is None and was not in settled and after["game"] == before["game"]:
        yield f"{was} is no longer pending, and nobody has settled it"


def _newest(events: Sequence[Document], question: str) -> str:
    told = [e["type"] for e in _of(events, "asked", "settled") if e["data"]["id"] == question]
    return told[-1] if told else ""


# --- what happened last ----------------------------------------------------------------------


def _last(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    moves = [event for event in events if event["type"] not in BESIDE]
    if not moves:
        if before["last"] and after["last"] and before["last"]["type"] != after["last"]["type"]:
            yield f"the last thing was {after['last']['type']}, and no event tells it"
        return
    last, event = after["last"] or {}, moves[-1]
    if last.get("type") != event["type"] or last.get("player") != event.get("player"):
        yield f"the last thing was {last.get('type')}, told was {event['type']}"
        return
    data = event.get("data", {})
    for key in ("ref", "cell", "colour", "points", "cause", "of"):
        if last.get(key) != data.get(key):
            yield f"the last {event['type']} has {key} {last.get(key)}, told was {data.get(key)}"


def _steps(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    """Undo and redo are one step each; what is new forgets what could be done again."""
    revisions = after["rev"] - before["rev"]
    if before["game"] != after["game"] or len({event["rev"] for event in events}) != 1:
        return
    kinds = [event["type"] for event in events]
    back, forth = before["undo_depth"], before["redo_depth"]
    step = -1 if "undone" in kinds else 1
    if set(kinds) & set(BACK_AND_FORTH):
        if revisions > 1:
            return  # and a piece came meanwhile, which waits for its roll
        allowed = [(back + step, forth - step)]
    else:
        # Better knowledge of a move that is known already is no step, and a piece that waits for
        # its roll is one that nobody tells.
        allowed = [(back, forth), *((back + steps, 0) for steps in range(1, revisions + 1))]
    now = (after["undo_depth"], after["redo_depth"])
    if now not in allowed:
        yield f"{now} steps back and forth after ({back}, {forth}) and {', '.join(kinds)}"


# --- the board -------------------------------------------------------------------------------


def board_of(document: Document) -> Board:
    """Cells with number and colour of each piece, bottom first."""
    return {
        cell: [(piece["ref"], piece["colour"]) for piece in stack]
        for cell, stack in document["board"].items()
    }


def _board(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    board: Board | None = board_of(before)
    for event in events:
        if event["type"] in BACK_AND_FORTH:
            yield from _taken_back(before, after, event)
        board = None if board is None else _moved(board, event)
    shown = board_of(after)
    doubt = in_doubt(before) or in_doubt(after)
    if doubt and (_of(events, "corrected") or _lately_seen(events)):
        return
    if board is None or (_lately_seen(events) and _numbers(board) == _numbers(shown)):
        return
    if shown != board:
        yield f"the board is {_short(shown, board)}"


def in_doubt(document: Document) -> bool:
    """Whether the table asks something: then a correction may bring other moves to light."""
    return document["pending"] is not None or bool(_asked(document))


def _lately_seen(events: Sequence[Document]) -> bool:
    """Whether a piece of a turn that is over came to light.

    It lies below what came since, which may be of other players, and of other colours, therefore.
    """
    return any(event["data"]["id"].startswith("placed-") for event in _of(events, "settled"))


def _numbers(board: Board) -> dict[str, list[int]]:
    return {cell: sorted(ref for ref, _ in stack) for cell, stack in board.items()}


def _short(shown: Board, told: Board) -> str:
    cells = [cell for cell in {**shown, **told} if shown.get(cell) != told.get(cell)]
    parts = [f"{cell} {shown.get(cell)}, told was {told.get(cell)}" for cell in cells]
    return "; ".join(parts)


def _moved(board: Board, event: Document) -> Board | None:  # noqa: PLR0911 - one for each type
    """The board after an event; None when docs/mqtt.md does not say what becomes of it."""
    data = event.get("data", {})
    match event["type"]:
        case "placed" if data.get("status") == "asked":
            return None  # it may be the piece that was seen a moment ago
        case "placed":
            # Told again, it had been told with another piece's roll.
            return _with(_without(board, data["ref"]), data["cell"], (data["ref"], data["colour"]))
        case "retracted" if "cell" in data:
            return _without(board, data["ref"])
        case "corrected" if data.get("of") == "placed":
            return _in_order(_without(board, data["ref"]), data)
        case "corrected" if data.get("of") == "nothing" and data.get("was"):
            return _without(board, data["ref"])
        case "started" | "cleared":
            return {}
        case "asked" if data.get("kind") == "placed":
            return None  # a piece that nobody saw lies where it must, until the answer
        case "corrected" | "retracted" | "fell" | "toppled" | "ended" | "undone" | "redone":
            return None
    return board


def _without(board: Board, ref: int) -> Board:
    left = {cell: [piece for piece in stack if piece[0] != ref] for cell, stack in board.items()}
    return {cell: stack for cell, stack in left.items() if stack}


def _with(board: Board, cell: str, piece: tuple[int, str]) -> Board:
    return {**board, cell: [*board.get(cell, []), piece]}


def _in_order(board: Board, data: Document) -> Board:
    """A piece that lies elsewhere lies in the order in which pieces came."""
    stack = [*board.get(data["cell"], []), (data["ref"], data["colour"])]
    return {**board, data["cell"]: sorted(stack)}


def _asked(document: Document) -> set[int]:
    return {
        piece["ref"]
        for stack in document["board"].values()
        for piece in stack
        if piece.get("status") == "asked"
    }


def _certain(document: Document) -> Board:
    """The board without pieces that the table asks about: they come and go with the question."""
    board = board_of(document)
    for ref in _asked(document):
        board = _without(board, ref)
    return board


def _taken_back(before: Document, after: Document, event: Document) -> Iterator[str]:
    """A placement that is taken back is gone, and all others stay; and the other way round."""
    data = event.get("data", {})
    if data.get("verb") != "place" or not data.get("cell"):
        return
    more, less = (before, after) if event["type"] == "undone" else (after, before)
    if more["phase"] in ("clear", "over") or less["phase"] in ("clear", "over"):
        return
    if data["ref"] in _asked(more):
        return  # another sighting may stand in its place
    if _without(_certain(more), data["ref"]) != _certain(less):
        yield f"{event['type']} {data['ref']} on {data['cell']}, and the board is {after['board']}"


def _pieces(after: Document) -> Iterator[str]:
    """Every piece is on the board or off it."""
    if after["phase"] in ("clear", "over"):
        return
    lying = [piece["colour"] for stack in after["board"].values() for piece in stack]
    for player in after["players"]:
        for colour, left in player["left"].items():
            if left + lying.count(colour) != PIECES:
                yield f"{left} {colour} pieces are left and {lying.count(colour)} on the board"
