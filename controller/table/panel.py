"""What the panel on the table shows and what its buttons mean, from the public document.

Pure: the document in, a `Face` out. So the panel can never show what no display may know.

* Lights: on for the player whose turn it is; blinking for all who may have bumped the table while
  that is asked, for the one who was named, and for the winners.
* Sounds: a topple, and a question; once each.
* Pass and next: pass; the board is clear; after a game, the same players again.
* Undo: undo.
* Who bumped: while pieces have to come off, each press names the next player; while it is asked
  who begins, it is the other one. A roll confirms the one who is shown.
"""

from collections.abc import Mapping
from typing import Any

from engine.games.registry import DEFAULT_GAME
from engine.scoreboard import QuestionShown, Scoreboard
from hw.drivers.panel import Button, Face, Light, Sound

Press = tuple[str, Mapping[str, Any]]


def face(board: Scoreboard) -> Face:
    """The face of the panel for a document."""
    sound, occasion = _sound(board)
    presses = {
        Button.PASS: _next(board),
        Button.UNDO: ("undo", {}) if "undo" in _anybody(board) else None,
        Button.BUMPED: _bumped(board),
    }
    meant = {button: press for button, press in presses.items() if press is not None}
    return Face(_lights(board), sound, occasion, meant)


def _anybody(board: Scoreboard) -> tuple[str, ...]:
    return board.can.get("any", ())


def _lights(board: Scoreboard) -> tuple[Light, ...]:
    suspects = _suspects(board)
    blamed = _blamed(board)
    blinking = {*board.winners, *((blamed,) if blamed else suspects if _asked(board) else ())}
    turn = board.turn.player if board.turn is not None and not board.winners else None
    return tuple(
        Light.BLINKING
        if player.name in blinking
        else Light.ON
        if player.name == turn
        else Light.OFF
        for player in board.players
    )


def _sound(board: Scoreboard) -> tuple[Sound | None, str]:
    if board.last is not None and board.last.type == "toppled":
        return Sound.TOPPLE, f"{board.game}: topple {board.last.ref}"
    if board.pending is not None:
        return Sound.QUESTION, f"{board.game}: question {board.pending.id}"
    return None, ""


def _next(board: Scoreboard) -> Press | None:
    if "cleared" in _anybody(board) and board.phase == "clear":
        return "cleared", {}
    if "start" in _anybody(board) and board.phase == "over" and board.kind == DEFAULT_GAME:
        return "start", _again(board)
    mine = board.can.get(board.turn.player, ()) if board.turn is not None else ()
    return ("pass", {}) if "pass" in mine else None


def _again(board: Scoreboard) -> Mapping[str, Any]:
    """The same players and the same goal."""
    players = [{"name": p.name, "colours": list(p.colours)} for p in board.players]
    return {"players": players, "target": board.target}


def _bumped(board: Scoreboard) -> Press | None:
    """Who bumped the table: the first player, or the next one after whoever is blamed now.

    Only while pieces have to come off the board or a topple is not settled: at other times a
    finger that slipped would enter a topple nobody saw.
    """
    suspects = _suspects(board)
    if board.pending is not None and board.pending.kind == "turn":
        return "answer", _the_other(board.pending)
    if not suspects or "blame" not in _anybody(board):
        return None
    doubted = board.doubt is not None and board.doubt.kind == "blame"
    if board.phase != "clear" and not _asked(board) and not doubted:
        return None
    blamed = _blamed(board)
    place = suspects.index(blamed) + 1 if blamed in suspects else 0
    return "blame", {"player": suspects[place % len(suspects)]}


def _the_other(question: QuestionShown) -> Mapping[str, Any]:
    """The answer that it is not the turn of whom the table believes."""
    others = [o.value for o in question.options if o.value != question.player]
    return {"question": question.id, "value": others[0]}


def _asked(board: Scoreboard) -> bool:
    return board.pending is not None and board.pending.kind == "blame"


def _suspects(board: Scoreboard) -> list[str]:
    return [player.name for player in board.players if not player.out]


def _blamed(board: Scoreboard) -> str | None:
    """Who is blamed for the bump that has just felled the tower."""
    last = board.last
    return last.player if last is not None and last.cause == "bump" else None
