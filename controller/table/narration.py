"""The game as lines for a terminal, as `demo --headless` and `run` print it.

Pure: an outcome of the referee and the document after it go in, a line comes out.
"""

from collections.abc import Mapping
from typing import Any

from engine.public_events import ScoreEvent
from engine.referee import Outcome
from engine.scoreboard import Scoreboard

SURE_ENOUGH = 0.995
"""Above this, a probability is not worth the room it takes."""


def narrate(outcome: Outcome, board: Scoreboard) -> str | None:
    """One line about what happened, with its time; None when it is not worth a line."""
    text = _words(outcome, board)
    if text is None:
        return None
    # One step may decide several things: each has the score as it was then.
    told = _line(outcome.scores) if isinstance(outcome, ScoreEvent) else scoreline(board)
    scores = f"   [{told}]" if outcome.type in ("score", "round", "over") else ""
    return f"{_clock(outcome.t_s)}  {text}{scores}"


def scoreline(board: Scoreboard) -> str:
    """Names and scores in seating order, such as `Ann 12, Bob -7`."""
    return _line({player.name: player.score for player in board.players})


def _line(scores: Mapping[str, int | None]) -> str:
    return ", ".join(_player(name, score) for name, score in scores.items())


def final_line(board: Scoreboard) -> str:
    """The last line of a game: scores and who won."""
    if not board.players:
        return "Final score: no game was played."
    if not board.winners:
        end = "nobody has won" if board.phase == "over" else "the game is not over"
    else:
        end = f"{' and '.join(board.winners)} {'win' if len(board.winners) > 1 else 'wins'}"
    return f"Final score: {scoreline(board)} - {end}."


def _player(name: str, score: int | None) -> str:
    return name if score is None else f"{name} {score}"


def _clock(t_s: float) -> str:
    minutes, seconds = divmod(round(max(0.0, t_s), 1), 60)
    return f"{int(minutes):3d}:{seconds:04.1f}"


def _words(outcome: Outcome, board: Scoreboard) -> str | None:  # noqa: C901, PLR0911, PLR0912 - one case for each
    data, who = outcome.data, outcome.player or "somebody"
    changes = _changes(data, board)
    match outcome.type:
        case "started":
            return "The game begins."
        case "rolled":
            return f"{who} rolls {data.get('die', '?')}"
        case "placed":
            if data.get("status") == "asked" and data.get("confidence") == 0.0:
                # A table that weighs and does not see where pieces lie has only assumed a cell.
                return f"{who} places a piece, asking where"
            return f"{who} places{_where(data)}{_points(data)}{_ways(data)}{_sure(data)}"
        case "passed":
            return f"{who} passes"
        case "toppled":
            return f"TOPPLE! {_fell(outcome)}{changes}{_sure(data)}"
        case "corrected":
            return f"{_corrected(outcome)}{changes}"
        case "fell":
            return f"{who}'s piece did not stay"
        case "retracted":
            return f"Taken back: {who}{_where(data)}{changes}"
        case "undone" | "redone":
            return f"{outcome.type.capitalize()}{changes}"
        case "cleared":
            return "The board is clear."
        case "suspected":
            return f"It's going ... ({100 * data.get('probability', 0):.0f} %)"
        case "dismissed":
            return "Nothing fell."
        case "asked":
            return f"The table asks: {data.get('text', '')}"
        case "score":
            return "Score"
        case "round":
            return f"End of the round ({_reason(data)})"
        case "over":
            return f"Game over: {' and '.join(data.get('winners', ())) or 'nobody'} won"
        case "fault":
            return f"Sensor {data.get('sensor', '?')}: {data.get('reason', '')}"
        case "restored":
            return f"Sensor {data.get('sensor', '?')} works again."
        case "turn" | "settled":
            return None
        case other:
            return f"{who}: {other}"


def _where(data: Mapping[str, Any]) -> str:
    return f" on {data['cell']}" if data.get("cell") else ""


def _corrected(outcome: Outcome) -> str:
    data, who = outcome.data, outcome.player or "somebody"
    was, cell = data.get("was"), data.get("cell")
    if data.get("of") == "toppled":
        return f"Settled: {_fell(outcome)}"
    if data.get("of") == "nothing":
        return f"Taken back: {who} on {was}" if was else "Taken back"
    if cell is not None and was == cell:
        return f"Settled: {who} on {cell}"
    if cell is None and data.get("of") in _SETTLED:
        return f"Settled: {_SETTLED[data['of']].format(who=who)}"
    return f"Corrected: {who}{_where(data)}{f', not {was}' if was else ''}"


_SETTLED = {
    "cleared": "nothing fell",
    "passed": "{who} passes",
    "fell": "{who}'s piece did not stay",
    "placed": "{who} placed a piece",
}
"""What a move means by now, where it is on no cell."""


def _points(data: Mapping[str, Any]) -> str:
    return f" for {data['points']:+d}" if data.get("points") else ""


def _ways(data: Mapping[str, Any]) -> str:
    ways = [f"{way['way']} {way['where']} {way['points']:+d}" for way in data.get("ways", ())]
    return f" ({', '.join(ways)})" if ways else ""


def _changes(data: Mapping[str, Any], board: Scoreboard) -> str:
    """Whose score changed by how much; the rules count by colour, people by name."""
    names = {colour: player.name for player in board.players for colour in player.colours}
    changes = [
        f"{names.get(who, who)} {points:+d}"
        for who, points in (data.get("changes") or {}).items()
        if points
    ]
    return f": {', '.join(changes)}" if changes else ""


def _sure(data: Mapping[str, Any]) -> str:
    confidence = data.get("confidence")
    if confidence is None or confidence >= SURE_ENOUGH:
        return ""
    asked = ", asking" if data.get("status") == "asked" else ""
    return f"   {100 * confidence:.0f} % sure{asked}"


def _fell(outcome: Outcome) -> str:
    if outcome.player is None:
        return "Somebody bumped the table"
    bumped = outcome.data.get("cause") == "bump"
    return f"{outcome.player} {'bumped the table' if bumped else 'toppled it'}"


def _reason(data: Mapping[str, Any]) -> str:
    return str(data.get("reason", "")).replace("_", " ")
