"""Simulated tables: they say what real ones say, made from games that were really played."""

import functools
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from controller.league.result_messages import TableResults, read
from controller.mqtt import topics
from controller.mqtt.topics import Publication
from controller.table.resultbook import MOST_GAMES
from engine.games.registry import GAMES
from engine.results import GameResult, PlayerResult, Results
from tests.controller.whole_games import whole_game

NOW = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)

NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jan", "Kim", "Lou")


@functools.cache
def played(kind: str, seed: int = 11) -> GameResult:
    """The result of a whole game, through the real referee."""
    return whole_game(kind, seed)[0]


class Table:
    """A table as a league hears it."""

    def __init__(self, name: str, *, simulated: bool = False) -> None:
        self.name = name
        self.simulated = simulated
        self.boots = 1
        self.games: list[GameResult] = []
        self._chance = random.Random(name)

    def play(self, kind: str = "topple") -> "Table":
        """One more game, by people who are drawn."""
        found = played(kind, self._chance.choice((11, 12, 13)))
        names = self._chance.sample(NAMES, len(found.players))
        called = dict(zip((p.name for p in found.players), names, strict=True))
        number = len(self.games)
        game = replace(
            found,
            game=f"{self.name}-{number}",
            ended=(NOW + timedelta(minutes=number)).isoformat(),
            players=tuple(PlayerResult(called[p.name], p.score) for p in found.players),
            winners=tuple(called[name] for name in found.winners),
        )
        self.games.append(game)
        return self

    def ends(self, *players: tuple[str, int | None], **fields: object) -> "Table":
        """One more game, with these points; who has most wins."""
        best = max((score or 0 for _, score in players), default=0)
        seats = tuple(PlayerResult(name, score) for name, score in players)
        winners = tuple(name for name, score in players if (score or 0) == best)
        self.play()
        told = {"players": seats, "winners": winners, **fields}
        self.games[-1] = replace(self.games[-1], **told)
        return self

    def change(self, number: int = -1, **fields: object) -> "Table":
        """A later word about a game."""
        found = self.games[number]
        self.games[number] = replace(found, rev=found.rev + 1, **fields)
        return self

    def restart(self) -> "Table":
        self.boots += 1
        return self

    def said(self) -> Publication:
        """What stands on its topic now."""
        boot = f"{self.name}-boot-{self.boots}"
        games = tuple(self.games[-MOST_GAMES:])
        return topics.results(Results(self.name, boot, games, self.simulated))

    def heard(self, *, retained: bool = False) -> TableResults:
        """The same, as a worker reads it."""
        said = self.said()
        found = read(said.topic, said.payload, NOW, retained=retained)
        assert isinstance(found, TableResults), found
        return found


def evening(table: Table, games: int) -> Iterator[Publication]:
    """All that a table says on an evening: ends, corrections, an undone end, a restart."""
    chance = random.Random(table.name)
    kinds = list(GAMES)
    for number in range(games):
        table.play(chance.choice(kinds))
        yield table.said()
        if chance.random() < 0.3:
            table.change(over=False, winners=())
            yield table.said()
            table.change(over=True, winners=(table.games[-1].players[0].name,))
            yield table.said()
        if number == games // 2:
            table.restart()
            yield table.said()
