"""How games ended: the public document for whoever counts games rather than points.

This is the payload of the retained MQTT topic `results`: the last games of a table, whole, in
one document. A league that reads only this document, however late and however often, has every
result once: a game has a name of its own, and a later `rev` of it replaces the earlier. A
correction after the end writes the result anew; an undo of the end takes it back (`over` false).
"""

import msgspec
from msgspec.structs import replace

from engine.referee import RefereeState
from engine.scoreboard import API_VERSION, seats

RESULTS_LIMIT_BYTES = 64_000
"""The whole document; with topic and header it fits the 66,000 that the shipped brokers take.
Twenty results of four players have at most half of it, since names are limited; what is to be told
of the games has the rest."""


class PlayerResult(msgspec.Struct, frozen=True):
    """One player at the end of a game, in seating order.

    Attributes:
        score: points; None in a game without scores.
        colours: that they played, if the game has any.
    """

    name: str
    score: int | None
    colours: tuple[str, ...] = ()


class Feat(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something worth telling, and whose it was.

    Attributes:
        value: pieces, points, turns or a probability, as the field of `Highlights` says.
        cell: where, if it was one placement.
    """

    player: str
    value: float
    cell: str | None = None


class Fallen(msgspec.Struct, frozen=True):
    """A topple.

    Attributes:
        player: who made pieces fall; None when nobody knows.
        after: who had placed last before it; None if nobody had in that round.
    """

    player: str | None
    after: str | None


class Highlights(msgspec.Struct, frozen=True, omit_defaults=True):
    """What people tell of a game afterwards. All may be missing, and of games by hand most is.

    Attributes:
        scores: after each turn, in the order of the players; of a long game some rows are left
            out, never the last.
        highest: pieces in the tallest stack that stood, and who put the last one on it.
        best: points of the best placement.
        boldest: the placement that stood although pieces were likeliest to fall: the probability.
        streak: turns in a row in which the player scored.
        comeback: points by which a winner had been behind.
        steadiest: grams by which the softest hand pressed beyond the weight, as a median; None
            unless the table's owner has it measured.
        topples: in order; the newest of very many.
    """

    scores: tuple[tuple[int, ...], ...] = ()
    highest: Feat | None = None
    best: Feat | None = None
    boldest: Feat | None = None
    streak: Feat | None = None
    comeback: Feat | None = None
    steadiest: Feat | None = None
    topples: tuple[Fallen, ...] = ()


class GameResult(msgspec.Struct, frozen=True):
    """How one game ended.

    Attributes:
        game: its name, the same in `state` and over restarts of the table.
        kind: record id of the rules (`topple`, ...).
        rev: revision of the game, as in `state`; of two results the higher is the right one.
        ended: ISO 8601 UTC time of the end, by the table's clock.
        winners: several share the win; nobody in a draw, and in a game broken off.
        over: false when the end was undone: such a game has no result.
        broken_off: people ended it before the rules did; it has no winner.
        asked: the table still asks something about it, so it may change.
        highlights: what to tell of it; None of a game that an older table played.
    """

    game: str
    kind: str
    rev: int
    ended: str
    players: tuple[PlayerResult, ...]
    winners: tuple[str, ...] = ()
    over: bool = True
    broken_off: bool = False
    asked: bool = False
    highlights: Highlights | None = None


class Results(msgspec.Struct, frozen=True):
    """The payload of `topple/1/<table>/results`.

    Attributes:
        boot: new at each start of the table process.
        games: the last ones, the oldest first.
        simulated: true when no real tower stands behind it.
    """

    table: str
    boot: str
    games: tuple[GameResult, ...]
    simulated: bool = False
    v: int = API_VERSION


def fitting(document: Results) -> Results:
    """The document with as much of its newest games as `RESULTS_LIMIT_BYTES` have room for.

    What there is to tell goes before a result does, the oldest first. Only games that an older
    version let in, with names of any length, can be too many.
    """
    while document.games and len(msgspec.json.encode(document)) > RESULTS_LIMIT_BYTES:
        document = replace(document, games=_shorter(document.games))
    return document


def _shorter(games: tuple[GameResult, ...]) -> tuple[GameResult, ...]:
    told = [game.highlights is not None for game in games]
    if not any(told):
        return games[1:]
    at = told.index(True)
    return (*games[:at], replace(games[at], highlights=None), *games[at + 1 :])


def result(
    state: RefereeState, ended: str, highlights: Highlights | None = None
) -> GameResult | None:
    """The result of the game that has just been played; None while it goes on.

    Args:
        state: the referee's state.
        ended: when the end was seen, for `GameResult.ended`.
        highlights: what to tell of it.
    """
    position = state.position
    if state.game_id is None or not position.over:
        return None
    return GameResult(
        game=state.game_id,
        kind=position.game_kind,
        rev=state.rev,
        ended=ended,
        players=tuple(
            PlayerResult(name, position.scores.get(name), colours)
            for name, colours in seats(state).items()
        ),
        winners=position.rules.winners(position.game_state),
        broken_off=not position.rules.is_over(position.game_state),
        asked=bool(state.questions()),
        highlights=highlights,
    )
