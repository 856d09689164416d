"""Players who stay: what those who asked for it have done at these tables, kept in one file.

Nobody is in it who has not switched it on, at the own seat and on the own phone; switching it off
deletes all of it. It is shown to phones that have joined and on the own screen, and published
nowhere.

A game counts once, by its id: a later word about it replaces the earlier, and one that was taken
back is taken out. Pure but for `ProfileBook`, which reads and writes the file.
"""

import logging
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from controller.common.files import read_bytes, write_whole
from controller.league.names import player_key
from engine.errors import UNREADABLE
from engine.results import GameResult, Results

_log = logging.getLogger(__name__)

MOST_PROFILES = 64
"""A large family; a school has a league."""

MOST_GAMES = 500
"""Of one player, the newest; years of family evenings."""

MOST_BYTES = 8 * 2**20
"""More than both limits allow."""


class PlayedGame(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one game was for one player; fields as in `engine.results`."""

    rev: int
    won: bool = False
    points: int | None = None
    highest: float = 0
    boldest: float = 0
    best: float = 0
    streak: float = 0
    comeback: float = 0
    topples: int = 0


class Profile(msgspec.Struct, frozen=True):
    """Somebody who stays.

    Attributes:
        name: as last written at a table.
        colour: played last; None before the first game with colours.
        games: by the id of the game, the oldest first.
    """

    name: str
    colour: str | None = None
    games: dict[str, PlayedGame] = {}


class ProfileShown(msgspec.Struct, frozen=True):
    """A profile as the pages show it.

    Attributes:
        highest, boldest, best, streak, comeback: the greatest of all games; 0 without any.
        achievements: names of what was achieved, in the order of `ACHIEVEMENTS`.
    """

    name: str
    colour: str | None
    games: int
    wins: int
    topples: int
    highest: float
    boldest: float
    best: float
    streak: float
    comeback: float
    achievements: tuple[str, ...]


ACHIEVEMENTS: dict[str, Callable[[ProfileShown], bool]] = {
    "first_win": lambda shown: shown.wins >= 1,
    "ten_games": lambda shown: shown.games >= 10,
    "ten_wins": lambda shown: shown.wins >= 10,
    "tall": lambda shown: shown.highest >= 8,
    "daredevil": lambda shown: shown.boldest >= 0.3,
    "sharp": lambda shown: shown.best >= 15,
    "on_a_roll": lambda shown: shown.streak >= 5,
    "phoenix": lambda shown: shown.comeback >= 20,
}
"""What it takes. A stack of eight is two thirds of a colour; 0.3 is where one of three would have
fallen; 15 points are a row and a stack at once."""


def counted(profile: Profile, game: GameResult) -> Profile:
    """The profile after a word about a game; the same one when it says nothing new."""
    key = player_key(profile.name)
    seat = next((one for one in game.players if player_key(one.name) == key), None)
    known = profile.games.get(game.game)
    if seat is None or game.asked or (known is not None and known.rev >= game.rev):
        return profile
    games = {id_: one for id_, one in profile.games.items() if id_ != game.game}
    if game.over and not game.broken_off:
        games[game.game] = _played(game, seat.name)
    colour = seat.colours[0] if seat.colours else profile.colour
    newest = dict(list(games.items())[-MOST_GAMES:])
    return replace(profile, name=seat.name, colour=colour, games=newest)


def _played(game: GameResult, name: str) -> PlayedGame:
    told = game.highlights
    feats = {
        field: feat.value
        for field in ("highest", "boldest", "best", "streak", "comeback")
        if told is not None and (feat := getattr(told, field)) is not None and feat.player == name
    }
    return PlayedGame(
        rev=game.rev,
        won=name in game.winners,
        points=next(one.score for one in game.players if one.name == name),
        topples=sum(one.player == name for one in told.topples) if told else 0,
        **feats,
    )


def shown(profile: Profile) -> ProfileShown:
    """The profile in figures."""
    games = profile.games.values()

    def greatest(field: str) -> float:
        return max((float(getattr(game, field)) for game in games), default=0.0)

    bare = ProfileShown(
        name=profile.name,
        colour=profile.colour,
        games=len(games),
        wins=sum(game.won for game in games),
        topples=sum(game.topples for game in games),
        highest=greatest("highest"),
        boldest=greatest("boldest"),
        best=greatest("best"),
        streak=greatest("streak"),
        comeback=greatest("comeback"),
        achievements=(),
    )
    return replace(bare, achievements=tuple(n for n, has in ACHIEVEMENTS.items() if has(bare)))


class ProfileBook:
    """The profiles of a machine in a file; without a path they last as long as the program."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._profiles = self._read()

    def stays(self, name: str) -> bool:
        """Whether this player has a profile."""
        return player_key(name) in self._profiles

    def stay(self, name: str, results: Results | None) -> bool:
        """Make a profile, with the games that are known already; whether there was room."""
        if self.stays(name):
            return True
        if len(self._profiles) >= MOST_PROFILES:
            return False
        self._profiles[player_key(name)] = Profile(name)
        self._write()
        if results is not None:
            self.hear(results)
        return True

    def leave(self, name: str) -> None:
        """Delete a profile, with all that was counted."""
        if self._profiles.pop(player_key(name), None) is not None:
            self._write()

    def hear(self, results: Results) -> None:
        """Count the games of a table that are new, for everybody who stays.

        What is played at a simulated table is kept in no file.
        """
        if results.simulated and self._path is not None:
            return
        before = self._profiles
        for game in results.games:
            self._profiles = {
                key: counted(profile, game) for key, profile in self._profiles.items()
            }
        if self._profiles != before:
            self._write()

    def shown(self) -> tuple[ProfileShown, ...]:
        """All profiles, who won most first."""
        found = [shown(profile) for profile in self._profiles.values()]
        return tuple(sorted(found, key=lambda one: (-one.wins, -one.games, one.name)))

    def _read(self) -> dict[str, Profile]:
        if self._path is None or not self._path.exists():
            return {}
        try:
            return msgspec.json.decode(read_bytes(self._path, MOST_BYTES), type=dict[str, Profile])
        except (OSError, *UNREADABLE) as error:
            aside = self._path.with_name(f"{self._path.name}.unreadable")
            _log.warning(
                "%s cannot be read (%s); it is kept as %s, and profiles begin anew",
                self._path, error, aside.name,
            )  # fmt: skip
            self._set_aside(aside)
            return {}

    def _set_aside(self, aside: Path) -> None:
        try:
            if self._path is not None:
                self._path.replace(aside)
        except OSError as error:
            _log.warning("%s cannot be put aside: %s", self._path, error)

    def _write(self) -> None:
        if self._path is None:
            return
        try:
            write_whole(self._path, msgspec.json.encode(self._profiles), mode=0o600)
        except OSError as error:
            _log.warning("Profiles could not be written: %s. Check the disk.", error)
