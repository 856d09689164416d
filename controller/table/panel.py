"""What the panel on the table shows and what its buttons mean, from the public document.

Pure: the document in, a `Face` out. So the panel can never show what no display may know.

* Lights: on for the player whose turn it is; blinking for that player while it is asked who begins,
  for all who may have bumped the table while that is asked, for the one who was named, and for the
  winners, once they may be called.
* Sounds: a topple, and a question; once each.
* Pass and next: pass; the board is clear; after a game, the same players again. While it is asked
  who begins and nobody has rolled: yes, the one who blinks.
* Undo: undo. Where the rules say no to this or to a pass, the table says why (`refused`).
* Who bumped: while pieces have to come off, each press names the next player. While it is asked who
  begins: not the one who blinks but the other.
"""

from collections.abc import Mapping
from typing import Any

from engine.games.registry import DEFAULT_GAME
from engine.scoreboard import Scoreboard
from hw.drivers.panel import Button, Face, Light, Sound

Press = tuple[str, Mapping[str, Any]]


def face(board: Scoreboard) -> Face:
    """The face of the panel for a document."""
    sound, occasion = _sound(board)
    presses = {
        Button.PASS: _next(board),
        Button.UNDO: ("undo", {}),
        Button.BUMPED: _bumped(board) or _other_begins(board),
    }
    meant = {button: press for button, press in presses.items() if press is not None}
    return Face(_lights(board), sound, occasion, meant)


def _anybody(board: Scoreboard) -> tuple[str, ...]:
    return board.can.get("any", ())


def _lights(board: Scoreboard) -> tuple[Light, ...]:
    suspects = _suspects(board)
    blamed = _blamed(board)
    winners = board.winners if board.result != "open" else ()
    blinking = {*winners, *((blamed,) if blamed else suspects if _asked(board) else ())}
    blinking.update(_beginners(board)[:1])
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
    if board.phase == "roll" and (names := _beginners(board)):
        return _begins(board, names[0])
    mine = board.can.get(board.turn.player, ()) if board.turn is not None else ()
    # Before a roll the referee takes more than the document offers: a press by chance is nothing.
    return ("pass", {}) if "pass" in mine or board.phase != "roll" else None


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
    if not suspects or "blame" not in _anybody(board):
        return None
    blamed = _blamed(board)
    place = suspects.index(blamed) + 1 if blamed in suspects else 0
    name = suspects[place % len(suspects)]
    if board.phase == "clear":
        return "blame", {"player": name}
    # Play goes on: it is the question that is answered, for a blame would be of something new.
    asked = board.pending if _asked(board) else board.doubt
    if asked is None or asked.kind != "blame":
        return None
    return "answer", {"question": asked.id, "value": name}


def _beginners(board: Scoreboard) -> tuple[str, ...]:
    """Who may be the one to begin, while that is asked: in front who is believed to be.

    Not while pieces have to come off: then the buttons are for that and for the culprit.
    """
    asked, turn = board.pending, board.turn
    if asked is None or turn is None or asked.kind != "turn" or board.phase == "clear":
        return ()
    names = [option.value for option in asked.options]
    return tuple(sorted(names, key=lambda name: name != turn.player))


def _begins(board: Scoreboard, name: str) -> Press | None:
    asked = board.pending
    return ("answer", {"question": asked.id, "value": name}) if asked is not None else None


def _other_begins(board: Scoreboard) -> Press | None:
    names = _beginners(board)
    return _begins(board, names[1]) if len(names) > 1 else None


def _asked(board: Scoreboard) -> bool:
    """Whether it is asked who bumped the table, or will be after the question who begins."""
    if board.pending is None or board.pending.kind != "turn":
        return board.pending is not None and board.pending.kind == "blame"
    last = board.last
    fell = last is not None and last.type == "toppled" and last.cause == "bump"
    return board.phase == "clear" and fell and _blamed(board) is None


def _suspects(board: Scoreboard) -> list[str]:
    return [player.name for player in board.players if not player.out]


def _blamed(board: Scoreboard) -> str | None:
    """Who is blamed for the bump that has just felled the tower."""
    last = board.last
    return last.player if last is not None and last.cause == "bump" else None
