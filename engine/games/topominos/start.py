"""Opening a match of Topominos: who plays, with which pieces, who begins, how long."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.errors import IllegalAction
from engine.games.checks import MOST_TARGET, chosen_options, distinct_names, is_whole
from engine.games.contract import Action
from engine.games.topominos.dots import DOTS, is_pattern, pattern_of
from engine.games.topominos.pieces import SETS
from engine.plainly import as_said

MOST_PLAYERS = 4

Racks = tuple[tuple[int, ...], ...]


class TopominosMatch(msgspec.Struct, frozen=True):
    """What stays fixed for a whole match.

    Attributes:
        patterns: per piece id, its pattern in one of the ways it can lie.
        rounds: number of rounds, or None.
        points: total that ends the match, or None. With neither, one round is played.
    """

    players: tuple[str, ...]
    patterns: tuple[int, ...]
    rounds: int | None = None
    points: int | None = None

    def is_over(self, round_: int, totals: Sequence[int]) -> bool:
        """Whether the match ends after round number `round_` with these totals (rule M19)."""
        if self.points is not None:
            return max(totals) >= self.points
        return round_ >= (self.rounds or 1)


def rack_size(players: int) -> int:
    """Pieces on a full rack: 5, or 4 with four players (rule M17 for one player)."""
    return 4 if players == MOST_PLAYERS else 5


def match_of(
    action: Action, options: Mapping[str, Any] | None
) -> tuple[TopominosMatch, int, Racks]:
    """The match, the number of the first player and the racks of a `start` action.

    Raises:
        IllegalAction: players, pieces, racks, first draw, `first` or `match` cannot be.
    """
    chosen_options({}, options)
    players = _players(action.get("players"))
    patterns = pieces_of(action.get("pieces", "default"))
    racks = racks_of(action.get("racks"), players)
    check_racks(racks, len(patterns))
    match = TopominosMatch(players, patterns, **_length(action.get("match")))
    return match, _first(action, match, racks), racks


def _players(names: Any) -> tuple[str, ...]:
    if not isinstance(names, (list, tuple)) or not 1 <= len(names) <= MOST_PLAYERS:
        raise IllegalAction("bad_players", "Topominos is for 1 to 4 players")
    if not distinct_names(names):
        raise IllegalAction("bad_players", "each player needs a name of their own")
    return tuple(names)


def pieces_of(pieces: Any) -> tuple[int, ...]:
    """The patterns of a set by its name, or of a list of pattern texts.

    Raises:
        IllegalAction: `bad_pieces`, no such set or no patterns with at least one dot.
    """
    texts = SETS.get(pieces, ()) if isinstance(pieces, str) else pieces
    if not isinstance(texts, (list, tuple)) or not texts:
        raise IllegalAction("bad_pieces", f"pieces are {' or '.join(SETS)}, or a list of patterns")
    if not all(is_pattern(text) and "1" in text for text in texts):
        raise IllegalAction("bad_pieces", "a piece is nine characters 0 or 1 with at least one dot")
    return tuple(map(pattern_of, texts))


def racks_of(racks: Any, players: tuple[str, ...]) -> Racks:
    """Racks in seating order from a mapping of names.

    Raises:
        IllegalAction: `bad_racks`, not one rack of piece numbers for each player.
    """
    if not isinstance(racks, Mapping) or set(racks) != set(players):
        raise IllegalAction("bad_racks", "there must be one rack for each player")
    for rack in racks.values():
        if not isinstance(rack, (list, tuple)) or not all(map(is_whole, rack)):
            raise IllegalAction("bad_racks", "a rack is a list of piece numbers")
    return tuple(tuple(racks[name]) for name in players)


def check_racks(racks: Racks, pieces: int) -> None:
    """Refuse racks of the wrong size, and pieces that do not exist or lie on two racks."""
    size, held = rack_size(len(racks)), [piece for rack in racks for piece in rack]
    if any(len(rack) != size for rack in racks):
        raise IllegalAction("bad_racks", f"each rack must hold {size} pieces")
    if len(set(held)) != len(held) or not all(0 <= piece < pieces for piece in held):
        raise IllegalAction("bad_racks", f"rack pieces must differ and be 0 to {pieces - 1}")


def _length(match: Any) -> dict[str, int]:
    if match is None:
        return {}
    if isinstance(match, Mapping) and len(match) == 1:
        ((kind, count),) = match.items()
        if kind in ("rounds", "points") and is_whole(count) and 1 <= count <= MOST_TARGET:
            return {kind: count}
    words = 'a match is null, {"rounds": n} or {"points": n}, n from 1'
    raise IllegalAction("bad_match", f"{words} to {MOST_TARGET}")


def _first(action: Action, match: TopominosMatch, racks: Racks) -> int:
    draws = action.get("firstdraw")
    winner = None if draws is None else _firstdraw_winner(draws, match, racks)
    first = action.get("first", winner)
    if not isinstance(first, str) or first not in match.players:
        raise IllegalAction(
            "bad_first", f"{as_said(first)} is to begin, but is not one of the players"
        )
    if winner is not None and first != winner:
        raise IllegalAction("bad_first", f"{winner} drew the most dots, not {first}")
    return match.players.index(first)


def _firstdraw_winner(draws: Any, match: TopominosMatch, racks: Racks) -> str:
    """Most dots begins; the tied draw again, drawn pieces stay out meanwhile (rule M18)."""
    out = {piece for rack in racks for piece in rack}
    drawing = set(match.players)
    for drawn in _draw_rounds(draws):
        pieces = list(drawn.values())
        free = all(is_whole(p) and 0 <= p < len(match.patterns) and p not in out for p in pieces)
        if len(drawing) == 1 or set(drawn) != drawing or not free:
            raise _bad_firstdraw()
        if len(set(pieces)) != len(pieces):
            raise _bad_firstdraw()
        out.update(pieces)
        dots = {name: DOTS[match.patterns[piece]] for name, piece in drawn.items()}
        drawing = {name for name, count in dots.items() if count == max(dots.values())}
    if len(drawing) != 1:
        raise _bad_firstdraw()
    return drawing.pop()


def _draw_rounds(draws: Any) -> list[Mapping[str, Any]]:
    if not isinstance(draws, (list, tuple)) or not all(isinstance(d, Mapping) for d in draws):
        raise _bad_firstdraw()
    return list(draws)


def _bad_firstdraw() -> IllegalAction:
    return IllegalAction(
        "bad_firstdraw",
        "for the first turn everybody draws a piece from the bag, then the tied ones until one won",
    )
