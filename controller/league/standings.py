"""Standings for each kind of game: games, wins, points, average and rating.

Pure. Only games that were played to their end at real tables count. A shared win is a win for each
winner. Points of different games cannot be compared, so each kind has a table of its
own; so have ratings.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Literal

import msgspec

from controller.league.names import alike
from controller.league.rating import SETTLED_GAMES, Place, all_rated
from controller.league.store import StoredGame, StoredPlayer
from engine.games.registry import GAMES

Order = Literal["wins", "rating", "average", "points", "games"]
ORDERS: tuple[Order, ...] = ("wins", "rating", "average", "points", "games")


class LeagueStanding(msgspec.Struct, frozen=True):
    """One player in the standings of one kind of game.

    Attributes:
        place: 1 is best; players who are alike in what is ordered by share a place.
        name: as it was typed most often.
        points: None in games without points.
        average: points a game, one decimal.
        rating: see `controller.league.rating`; a whole number.
        settled: whether the rating rests on enough games.
        last: when the last game ended, ISO 8601 UTC.
        form: of the last games (five at most), the oldest first, whether they were won.
    """

    place: int
    name: str
    games: int
    wins: int
    points: int | None
    average: float | None
    rating: int
    settled: bool
    last: str
    form: tuple[bool, ...] = ()


class Standings(msgspec.Struct, frozen=True):
    """The standings of one kind of game.

    Attributes:
        met: for each of the first players (`MOST_MET`) and each of them: games that the one won and
            the other did not, when both played; None if they never met.
    """

    kind: str
    title: str
    games: int
    tables: int
    lines: tuple[LeagueStanding, ...]
    met: tuple[tuple[int | None, ...], ...] = ()


class League(msgspec.Struct, frozen=True):
    """All standings, and what they leave out.

    Attributes:
        broken_off, simulated: games that do not count for that reason.
        asked: games that count, though their table still asks something about them.
        alike: names that may be one person.
    """

    standings: tuple[Standings, ...]
    broken_off: int = 0
    simulated: int = 0
    asked: int = 0
    alike: tuple[tuple[str, str], ...] = ()


def league(
    games: Iterable[StoredGame],
    *,
    kind: str = "",
    by: Order = "wins",
    simulated: bool = False,
    compared: bool = True,
) -> League:
    """The standings after these games, which come in the order of their ends.

    `kind` is the record id of the only kind that is wanted, empty for all. Games of simulated
    tables count only if asked for. Names that are `compared` may take minutes, if they are long.
    """
    left_out: Counter[str] = Counter()
    counted: dict[str, list[StoredGame]] = defaultdict(list)
    for game in games:
        if kind in ("", game.kind):
            if reason := _not_counted(game, simulated=simulated):
                left_out[reason] += 1
            else:
                counted[game.kind].append(game)
    keys = {player.key for found in counted.values() for g in found for player in g.players}
    return League(
        tuple(_standings(kind, counted[kind], by) for kind in _in_order(counted)),
        broken_off=left_out["broken_off"],
        simulated=left_out["simulated"],
        asked=sum(game.asked for found in counted.values() for game in found),
        alike=tuple(alike(keys)) if compared and len(keys) <= MOST_COMPARED else (),
    )


MOST_COMPARED = 500
"""Names that are compared with each other; with more, the list would help nobody."""


MOST_MET = 8
"""Players in the table of who beats whom: more columns than a phone shows."""

FORM_GAMES = 5


def _not_counted(game: StoredGame, *, simulated: bool) -> str:
    if game.simulated and not simulated:
        return "simulated"
    return "broken_off" if game.broken_off else ""


def _in_order(kinds: Iterable[str]) -> list[str]:
    """As the games stand in the registry; unknown ones, of newer tables, last."""
    known = list(GAMES)
    return sorted(kinds, key=lambda kind: (known.index(kind) if kind in known else 99, kind))


def _standings(kind: str, games: Sequence[StoredGame], by: Order) -> Standings:
    ratings = all_rated([(p.key, _place(p)) for p in game.players] for game in games)
    seats: dict[str, list[tuple[StoredPlayer, StoredGame]]] = defaultdict(list)
    for game in games:
        for player in game.players:
            seats[player.key].append((player, game))
    known = {key: _line(found, ratings[key]) for key, found in seats.items()}
    keys = sorted(known, key=lambda key: (_rank(known[key], by), known[key].name.casefold()))
    lines = _placed([known[key] for key in keys], by)
    title = GAMES[kind].rules.title if kind in GAMES else kind
    tables = len({game.table for game in games})
    return Standings(kind, title, len(games), tables, lines, _met(keys[:MOST_MET], games))


def _met(keys: Sequence[str], games: Iterable[StoredGame]) -> tuple[tuple[int | None, ...], ...]:
    """Who beat whom how often."""
    wins: dict[tuple[str, str], int] = {}
    for game in games:
        for one, other in permutations(game.players, 2):
            pair = one.key, other.key
            wins[pair] = wins.get(pair, 0) + (one.won and not other.won)
    return tuple(tuple(wins.get((one, other)) for other in keys) for one in keys)


def _place(player: StoredPlayer) -> Place:
    return player.won, float("-inf") if player.score is None else float(player.score)


def _line(seats: Sequence[tuple[StoredPlayer, StoredGame]], rating: float) -> LeagueStanding:
    scores = [player.score for player, _ in seats if player.score is not None]
    return LeagueStanding(
        place=0,
        name=Counter(player.name for player, _ in seats).most_common(1)[0][0],
        games=len(seats),
        wins=sum(player.won for player, _ in seats),
        points=sum(scores) if scores else None,
        average=round(sum(scores) / len(scores), 1) if scores else None,
        rating=round(rating),
        settled=len(seats) >= SETTLED_GAMES,
        last=seats[-1][1].played,
        form=tuple(player.won for player, _ in seats[-FORM_GAMES:]),
    )


def _rank(line: LeagueStanding, by: Order) -> tuple[float, ...]:
    """Smaller is better; ties of wins are broken by the average, and by playing less for it."""
    average = float("-inf") if line.average is None else line.average
    points = float("-inf") if line.points is None else line.points
    first = {
        "wins": line.wins,
        "rating": line.rating,
        "average": average,
        "points": points,
        "games": line.games,
    }[by]
    return -first, -average, line.games


def _placed(lines: Sequence[LeagueStanding], by: Order) -> tuple[LeagueStanding, ...]:
    found: list[LeagueStanding] = []
    for number, line in enumerate(lines, start=1):
        same = found and _rank(found[-1], by) == _rank(line, by)
        found.append(msgspec.structs.replace(line, place=found[-1].place if same else number))
    return tuple(found)
