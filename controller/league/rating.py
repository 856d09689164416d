"""A rating for games of two to four: Elo's formula over every pair at the table.

Pure. Everybody begins at 1500. After a game each player is compared with each other one: who won
or has more points scores 1, alike 0.5, else 0; expected was 1 / (1 + 10^((theirs - own) / 400)).
The rating moves by K / (players - 1) times the sum of the differences, with K = 32: a game of
four tells no more about a player than one of two. What one gains others lose, so the mean stays.

Sources: A. E. Elo, The Rating of Chessplayers (1978), for the formula and the 400; K = 32 is
usual for players with few games. That a game of several is taken as its pairs is the usual
extension; it leaves out that the pairs of one game hang together.
"""

from collections.abc import Iterable, Mapping, Sequence

START = 1500.0
K = 32.0
SCALE = 400.0

SETTLED_GAMES = 10
"""With fewer games a rating still moves a lot."""

Place = tuple[bool, float]
"""What decides between two players of one game: won, then points; higher is better."""


def expected(own: float, theirs: float) -> float:
    """Share of the points that is expected from a player.

    >>> expected(1500.0, 1500.0), round(expected(1900.0, 1500.0), 3)
    (0.5, 0.909)
    """
    return float(1.0 / (1.0 + 10.0 ** ((theirs - own) / SCALE)))


def rated(ratings: Mapping[str, float], players: Sequence[tuple[str, Place]]) -> dict[str, float]:
    """Ratings after a game, of its players and how they ended; who has none begins with `START`.

    >>> rated({}, [("ann", (True, 20)), ("bob", (False, 10))])
    {'ann': 1516.0, 'bob': 1484.0}
    """
    before = {name: ratings.get(name, START) for name, _ in players}
    after = dict(before)
    for name, place in players:
        for other, theirs in players:
            if other != name:
                scored = 1.0 if place > theirs else 0.5 if place == theirs else 0.0
                surprise = scored - expected(before[name], before[other])
                after[name] += K / (len(players) - 1) * surprise
    return after


def all_rated(games: Iterable[Sequence[tuple[str, Place]]]) -> dict[str, float]:
    """Ratings after all these games, in this order."""
    ratings: dict[str, float] = {}
    for players in games:
        ratings.update(rated(ratings, players))
    return ratings
