"""The score in few bytes, for the smallest displays. Pure."""

import msgspec
from msgspec import UNSET, UnsetType

from engine.scoreboard import API_VERSION, Scoreboard

SUMMARY_LIMIT_BYTES = 200
"""The usual ESP32 client drops packets over 256 bytes, topic and header included."""


class Summary(msgspec.Struct, frozen=True):
    """The payload of `topple/1/<table>/summary`: the score for the smallest displays.

    Attributes:
        ph: phase, as in the whole document.
        r: revision, as `rev` there.
        p: points by player; names are cut as short as they must be.
        t: whose turn it is, as in `p`; left out when nobody is in turn.
        d: what the die shows; None before the roll, left out when nobody is in turn.
        w: winners, as in `p`; left out while nobody has won.
    """

    v: int
    ph: str
    r: int
    p: dict[str, int | None] = {}
    t: str | UnsetType = UNSET
    d: int | UnsetType | None = UNSET
    w: tuple[str, ...] | UnsetType = UNSET


def summary(board: Scoreboard) -> bytes:
    """The score in at most `SUMMARY_LIMIT_BYTES` bytes of JSON, for small displays.

    Names are cut as short as they must be; those that would become alike get their seat number.
    What does not fit even so (names of control characters only) is left out: the players.
    """
    for length in (12, 6, 3, 1):
        encoded = msgspec.json.encode(_short(board, length))
        if len(encoded) <= SUMMARY_LIMIT_BYTES:
            return encoded
    return msgspec.json.encode(Summary(API_VERSION, board.phase, board.rev))


def _short(board: Scoreboard, length: int) -> Summary:
    names = _cut([player.name for player in board.players], length)
    turn = board.turn
    return Summary(
        API_VERSION,
        board.phase,
        board.rev,
        {names[player.name]: player.score for player in board.players},
        UNSET if turn is None else names.get(turn.player, turn.player[:length]),
        UNSET if turn is None else turn.die,
        tuple(names.get(name, name[:length]) for name in board.winners) or UNSET,
    )


def _cut(names: list[str], length: int) -> dict[str, str]:
    """Names cut short; those that would become alike get their seat number."""
    short = {name: name[:length] for name in names}
    alike = len(set(short.values())) < len(names)
    if alike:
        short = {name: f"{name[:length]}{seat}" for seat, name in enumerate(names, start=1)}
    return short
