"""Who may say what now: the verbs that the referee would accept."""

from engine.referee import Position, RefereeState
from engine.referee.basics import as_shown, colours_of
from engine.separation import tells


def acceptable(state: RefereeState) -> dict[str, tuple[str, ...]]:
    """Verbs that would be accepted now: those of the player in turn, and everybody's."""
    position = as_shown(state.position)
    can = {"any": tuple(_anybody(state))}
    if position.player is not None and not position.clearing:
        verbs = _in_turn(position)
        # Until the piece before it is known of, it is that piece whose colour may be told.
        ahead = position is not state.position
        can[position.player] = tuple(verb for verb in verbs if not (ahead and verb == "colour"))
    return can


def _anybody(state: RefereeState) -> list[str]:
    position = state.position
    known = (*state.questions(), *state.doubts())
    if position.phase in ("idle", "over"):
        verbs = ["start"]
    elif position.by_sensors:
        on_board = bool(position.refs) or position.clearing
        verbs = ["cleared"] if on_board else []
        bumped = on_board or position.let_go_alone
        verbs += ["blame"] if bumped or any(q.kind == "blame" for q in known) else []
        verbs += ["topple"] if bumped and not position.clearing else []
        # Before the board is cleared nobody has the turn; who begins then may be asked already.
        told = not position.clearing or any(q.kind == "turn" for q in state.questions())
        verbs += [*(["turn"] if told else []), "correct", "end"]
    else:
        # A quiz question and the next round belong to everybody.
        verbs = ["end"] if position.player is not None else ["action", "end"]
    asked = ["answer"] if known else []
    undo = ["undo"] if state.undo_depth else []
    return verbs + asked + undo + (["redo"] if state.redo_depth else [])


def _in_turn(position: Position) -> list[str]:
    if not position.by_sensors:
        return ["action"]
    legal = {str(action["type"]) for action in position.rules.legal_actions(position.game_state)}
    order = [verb for verb in ("roll", "place", "pass") if verb in legal]
    return order + (["colour"] if _colour_unknown(position) else [])


def _colour_unknown(position: Position) -> bool:
    """Whether somebody must say which of two colours is placed: not where every weight tells it."""
    colours, pieces = colours_of(position, position.player), position.pieces
    if len(colours) < 2 or pieces is None:
        return len(colours) > 1
    return tells([pieces.mass(colour) for colour in colours]) != "all"
