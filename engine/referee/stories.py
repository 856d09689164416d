"""Whose piece it was, by its weight: the likeliest story of the round that goes on.

Three things are not witnessed: a pass that nobody told (or a piece that was not seen, or was none),
whether the piece before a bump counted, and whether something had fallen when the board was
cleared. Each is a story of its own; every piece weighed since says how likely it is. The story in
force is exchanged when another is likelier by far, so a slip heals with the first pieces that
contradict it. Where colours weigh the same nothing changes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, lgamma, log

from engine.events import ToppleCause
from engine.pieces import PieceSet
from engine.referee.basics import colours_of
from engine.referee.falling import LATE_FALL_UNTOLD_S, by_sensors_alone
from engine.referee.ledger import (
    DOUBTED,
    DOUBTED_P,
    Change,
    Edit,
    Ledger,
    Move,
    MoveKind,
    index_of,
    replacement,
)
from engine.referee.position import JudgedMove
from engine.referee.settled import word_broken
from engine.referee.sighting import OWN_PIECE
from engine.referee.state import RefereeState, refolded
from engine.referee.turns import (
    SILENT_TURNS,
    TURNS,
    guesses,
    placed_before_bump,
    turned_round,
)

SILENT = log(0.03)
"""Share of turns that were passed in silence, or whose piece was not seen, or was none, where rolls
are told: who tells rolls tells most passes. Where nobody tells them `SILENT_TURNS` of `TURNS` are
expected, and what is seen of two rounds counts besides: people pass when the tower is high, and
more than once."""

EARLY, FEW = 0.5, 3
"""So much rarer are passes while fewer pieces than these stand: people pass for fear of a fall."""

LIKELIER = log(0.95 / 0.05)
"""So much likelier must another story be than the one in force: points change by it."""

PIECES_BACK = 10
"""A slip that so many pieces did not show is none."""

FOREIGN = log(1.0 - OWN_PIECE)
"""Share of pieces that are another player's, where people have said of which colour a piece is."""

WRONG = 0.001
"""Share of pieces that are taken to weigh like another player's (a wrong colour, a lost washer)
where rolls are told. One such piece is rather a pass in silence (0.03, `LIKELIER`); but who tells
rolls tells most passes, and two in silence, before the piece and after it, are rarer still."""

REFUSED = -10.0
"""Log likelihood of a story in which a piece that was seen for certain finds no place."""


def weighed_edits(state: RefereeState) -> tuple[Edit, ...]:
    """What makes the likeliest story of a game; nothing if it is the one in force.

    Args:
        state: the referee, which has just heard of a piece.
    """
    pieces = state.position.pieces
    if pieces is None:
        return ()
    refs = _recent(state.ledger)
    base = _told_by(state, pieces, refs)
    if _best_possible(state, pieces, refs) - base.log_p < LIKELIER:
        return ()
    shared = _shared(state, pieces, refs)
    best, found = LIKELIER, tuple[Edit, ...]()
    for edits in _stories(state, refs):
        told = refolded(state, Change("", edits).apply(state.ledger))
        gain = _told_by(told, pieces, refs).gain(base, shared)
        if gain > best and not word_broken(state, told):
            best, found = gain, edits
    return found


def _recent(ledger: Ledger) -> tuple[int, ...]:
    """Numbers of the latest pieces that were weighed, oldest first."""
    found = [move.ref for move in ledger if move.weighing is not None]
    return tuple(found[-PIECES_BACK:])


# --- how likely a story is ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Story:
    """Log likelihoods of a story: of what was not witnessed, and of the weight of each piece."""

    unwitnessed: float
    weights: Mapping[int, float]

    @property
    def log_p(self) -> float:
        return self.unwitnessed + sum(self.weights.values())

    def gain(self, other: "_Story", shared: float) -> float:
        """How much likelier it is than another one (log).

        Args:
            other: of the same pieces.
            shared: variance that all weighings have in common, in units of that of a single one: a
                mean that was learned from a dozen pieces is off by as much in each of them. So
                the weights of many pieces say less than the sum of what each says.
        """
        gains = [self.weights[ref] - other.weights[ref] for ref in self.weights]
        apart = sum(gain != 0.0 for gain in gains)
        trusted = 1.0 / (1.0 + max(apart - 1, 0) * shared)
        return self.unwitnessed - other.unwitnessed + trusted * sum(gains)


def _told_by(state: RefereeState, pieces: PieceSet, refs: tuple[int, ...]) -> _Story:
    players, weights = _players(state), dict[int, float]()
    for ref in refs:
        move, player = state.ledger[index_of(state.ledger, ref)], players.get(ref)
        if player is not None:
            weights[ref] = _of_player(state, pieces, move, player)
        else:
            weights[ref] = 0.0 if move.void or move.fall else _was_none(move)
    guessed = _counted(state.ledger) + _fell(state.ledger)
    return _Story(_in_silence(state) + guessed, weights)


def _fell(ledger: Ledger) -> float:
    """Log probability that something fell before the board was cleared, or not, in a story."""
    found = 0.0
    for move in ledger:
        if move.fall is not None and move.fall.confidence < DOUBTED_P and not move.settled:
            found += log(1.0 - move.fall.confidence if move.void else move.fall.confidence)
    return found


def _in_silence(state: RefereeState) -> float:
    """Log probability that just these turns of two rounds passed in silence (beta-binomial)."""
    lately = _two_rounds(state.ledger)
    silent = sum(move.weighed for move in lately)
    if state.position.die_is_told:
        return SILENT * silent
    turns = sum(move.kind is MoveKind.PLACE and not move.void for move in lately)
    others, early = TURNS - SILENT_TURNS, log(EARLY) * _early(lately)
    seen = _log_beta(SILENT_TURNS + silent, others + turns)
    return seen - _log_beta(SILENT_TURNS, others) + early


def _early(ledger: Ledger) -> int:
    """Turns that passed in silence on a board from which hardly anything could fall.

    Who was to play when a bump, or people, ended a round plays on in the next one (rule T20): a
    turn that is missing before its first piece may have been passed on the tower that stood.
    """
    found = pieces = 0
    played_on = by_placing = False
    for move in ledger:
        if move.kind is MoveKind.CLEARED:
            pieces, played_on, by_placing = 0, not by_placing, False
        elif move.kind is MoveKind.TOPPLE and not move.void:
            by_placing = move.cause is ToppleCause.PLACING
        pieces += move.kind is MoveKind.PLACE and not move.void
        found += move.weighed and pieces < FEW and not (played_on and not pieces)
    return found


def _two_rounds(ledger: Ledger) -> Ledger:
    """The moves of the running round and of the one before."""
    clears = [at for at, move in enumerate(ledger) if move.kind is MoveKind.CLEARED]
    return ledger[clears[-2] :] if len(clears) > 1 else ledger


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _shared(state: RefereeState, pieces: PieceSet, refs: tuple[int, ...]) -> float:
    """Variance of what colours are taken to weigh, in units of that of one piece's weighing."""
    seen = [state.ledger[index_of(state.ledger, ref)].weighing for ref in refs]
    weighed_g2 = [each[1] ** 2 for each in seen if each is not None]
    masses = [pieces.mass(colour) for colour in state.position.game_state.match.colours]
    own_g2 = min(mass.spread_g**2 for mass in masses) + sum(weighed_g2) / max(len(weighed_g2), 1)
    return max(mass.mean_sd_g**2 for mass in masses) / own_g2


def _was_none(move: Move) -> float:
    """Log probability that what was seen was no piece."""
    if move.seen is None:
        return REFUSED
    return max(log(max(1.0 - move.seen.stands, 1e-9)), REFUSED)


def _counted(ledger: Ledger) -> float:
    """Log probability that pieces before a bump counted, or did not, as the story has it."""
    found = 0.0
    for index, fall in enumerate(ledger):
        before = placed_before_bump(ledger, index)
        if before is not None and fall.fall is not None and fall.fall.rested is not None:
            rested = min(max(fall.fall.rested, 0.05), 0.98)
            found += log(1.0 - rested if before.void else rested)
    return found


def _of_player(state: RefereeState, pieces: PieceSet, move: Move, player: str) -> float:
    """Log likelihood that a piece was placed by a player."""
    if move.colour is not None:
        return 0.0 if move.colour in colours_of(state.position, player) else FOREIGN
    assert move.weighing is not None  # noqa: S101 - only such pieces are asked about
    colours = colours_of(state.position, player)
    own = _mean_density(pieces, move.weighing, colours)
    others = [name for name in state.position.game_state.match.colours if name not in colours]
    if not others or not state.position.die_is_told:
        return log(own)
    return log((1.0 - WRONG) * own + WRONG * _mean_density(pieces, move.weighing, others))


def _mean_density(pieces: PieceSet, weighing: tuple[float, float], colours: Sequence[str]) -> float:
    """Density of a weight for a piece of one of some colours."""
    found = (exp(pieces.log_likelihood(name, *weighing)) for name in colours)
    return sum(found) / len(colours)


def _best_possible(state: RefereeState, pieces: PieceSet, refs: tuple[int, ...]) -> float:
    """Log likelihood of the weights if each piece belonged to whom it fits best."""
    players = state.position.game_state.match.players
    moves = (state.ledger[index_of(state.ledger, ref)] for ref in refs)
    return sum(max(_of_player(state, pieces, move, p) for p in players) for move in moves)


def _players(state: RefereeState) -> Mapping[int, str]:
    """Who placed each piece, by a story; also those that fell, and the one that waits."""
    found: dict[int, str] = {}
    toppler = None
    for index, judged in enumerate(state.judged_moves):
        move = judged.move
        let_go = _let_go_after_fall(state.ledger, index)
        if _left_over(state.judged_moves[index + 1 : index + 2]):
            continue
        if move.kind is MoveKind.PLACE and (move.void == "fell" or let_go):
            # What lay there after a fall was in the hand by which others fell.
            player = toppler if judged.after.clearing else judged.after.player
            found |= {move.ref: player} if player else {}
        found |= {
            applied.ref: applied.player
            for applied in judged.applied
            if applied.type in ("placed", "fell") and applied.player
        }
        if by_sensors_alone(move):
            # It fell from the hand that was placing it.
            fallen = {a.ref: a.player for a in judged.applied if a.cause == "placing" and a.player}
            toppler = fallen.get(move.ref)
            found |= fallen
    waiting = state.position.waiting
    if waiting is not None and state.position.player is not None:
        found[waiting.ref] = state.position.player
    return found


# --- stories --------------------------------------------------------------------------------------


def _stories(state: RefereeState, refs: tuple[int, ...]) -> Iterator[tuple[Edit, ...]]:
    """Other stories of this round: a turn passed on at one place, at another, or nowhere."""
    for guess in guesses(state):
        if not guess.settled:
            yield (replacement(state.ledger, turned_round(guess)),)
    fell = _fallen_after_all(state.ledger)
    if fell:
        yield fell
    taken = _latest_taken(state)
    if taken:
        yield taken
    for without in ((), taken) if taken else ((),):
        ledger = Change("", without).apply(state.ledger)
        for index in _turns(ledger, refs):
            for name in state.position.game_state.match.players:
                data = {"player": name, "weighed": True}
                move = Move(state.next_ref, ledger[index].t_s, MoveKind.TURN, data=data)
                yield (*without, Edit(index, None, move))


def _fallen_after_all(ledger: Ledger) -> tuple[Edit, ...]:
    """What makes a fall of it that ended the round before, if one may have."""
    doubted = [move for move in _two_rounds(ledger) if move.void == DOUBTED][-1:]
    return tuple(replacement(ledger, replace(move, void="")) for move in doubted)


def _latest_taken(state: RefereeState) -> tuple[Edit, ...]:
    """What takes back the latest turn of this round that a weight has moved, if there is one."""
    began_s = state.position.cleared_t_s or 0.0
    last = [move for move in state.ledger if move.weighed and move.t_s >= began_s][-1:]
    return tuple(Edit(index_of(state.ledger, move.ref), move, None) for move in last)


def _turns(ledger: Ledger, refs: tuple[int, ...]) -> Iterator[int]:
    """Where the turn of each piece of the running round begins: at its roll, if that was told.

    And that of the piece which fell from a hand and so ended a round: who begins the next one tells
    whose hand it was, and so does the piece that this hand let go when others fell by it.
    """
    ended = False
    for index in range(len(ledger) - 1, 0, -1):
        move = ledger[index]
        if _let_go_after_fall(ledger, index):
            ended = True
            continue
        if (ended and move.kind is not MoveKind.TOPPLE) or move.kind is MoveKind.START:
            return
        if _said(move):
            return
        if move.kind is MoveKind.CLEARED:
            before = index - 1 - _let_go_after_fall(ledger, index - 1)
            ended = ledger[before].kind is MoveKind.TOPPLE
            if not ended:
                return
        fall = move.kind is MoveKind.TOPPLE
        if fall and (not by_sensors_alone(move) or move.void):
            return
        if move.ref in refs or (ended and fall):
            begins = _begins(ledger, index)
            if _said(ledger[begins - 1]):
                return
            yield begins


def _begins(ledger: Ledger, index: int) -> int:
    """Where the turn of a move begins: at its roll, if that was told."""
    while index > 1 and ledger[index - 1].kind in (MoveKind.ROLL, MoveKind.COLOUR):
        index -= 1
    return index


def _left_over(following: Sequence[JudgedMove]) -> bool:
    """Whether what was seen before these moves was left of a tower that had come down already."""
    refusal = following[0].refusal if following else None
    return refusal is not None and refusal.code == "nothing_stood"


def _let_go_after_fall(ledger: Ledger, index: int) -> bool:
    """Whether a piece was let go by the hand by which others had just fallen."""
    move, fall = ledger[index], ledger[index - 1]
    if move.kind is not MoveKind.PLACE or fall.kind is not MoveKind.TOPPLE or fall.void:
        return False
    soon = 0.0 <= move.t_s - fall.t_s < LATE_FALL_UNTOLD_S
    return soon and fall.cause is ToppleCause.PLACING


def _said(move: Move) -> bool:
    """Whether people said whose turn it was."""
    return move.kind is MoveKind.TURN and not move.weighed
