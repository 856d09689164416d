"""What stays of the games of a table beside their results: the moves, and the films of the falls.

While a game is played the shelf hears what is published of it, since questions that were answered
leave no trace in the moves. At the end it keeps the moves, and again after each correction.
"""

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import msgspec

from controller.table.film import Film
from controller.table.game_moves import QuestionPut, Told, game_moves, packed
from controller.table.pipeline import Output
from engine.events import HumanInput
from engine.public_events import Outcome
from engine.referee import RefereeState
from engine.results import GameResult
from engine.tabletop import Tabletop

MOST_GAMES = 20
"""Kept without a journal: as many as `results` tells of."""

MOST_FILMS = 60
"""Kept without a journal, of some 6 kB each; an hour of play has a dozen falls."""

MOST_QUESTIONS = 300
"""Of one game; honest ones have a handful."""


class KeptMoves(Protocol):
    """Where moves and films are kept; a later word about the same thing replaces the earlier."""

    def keep_moves(self, game: str, moves: str) -> None:
        """Keep the packed moves of a game; empty ones take it off the shelf."""

    def moves(self, game: str) -> str:
        """The packed moves of a game; empty when there are none."""

    def keep_film(self, film: Film) -> None:
        """Keep the film of a fall."""

    def films(self, game: str) -> tuple[int, ...]:
        """Numbers (`seq`) of the falls of a game of which there are films, in order."""

    def film(self, game: str, seq: int) -> Film | None:
        """The film of a fall; None when there is none."""

    def forget(self, game: str) -> None:
        """Keep nothing of a game any more."""


class InMemory:
    """Moves and films of the last games, forgotten with the process."""

    def __init__(self) -> None:
        self._moves: dict[str, str] = {}
        self._films: dict[tuple[str, int], Film] = {}

    def keep_moves(self, game: str, moves: str) -> None:
        """Keep the packed moves of a game; empty ones take it off the shelf."""
        self._moves.pop(game, None)
        if moves:
            self._moves[game] = moves
        _shorten(self._moves, MOST_GAMES)

    def moves(self, game: str) -> str:
        """The packed moves of a game; empty when there are none."""
        return self._moves.get(game, "")

    def keep_film(self, film: Film) -> None:
        """Keep the film of a fall."""
        self._films[film.game, film.seq] = film
        _shorten(self._films, MOST_FILMS)

    def films(self, game: str) -> tuple[int, ...]:
        """Numbers of the falls of a game of which there are films, in order."""
        return tuple(sorted(seq for name, seq in self._films if name == game))

    def film(self, game: str, seq: int) -> Film | None:
        """The film of a fall; None when there is none."""
        return self._films.get((game, seq))

    def forget(self, game: str) -> None:
        """Keep nothing of a game any more."""
        self._moves.pop(game, None)
        for seq in self.films(game):
            del self._films[game, seq]


def _shorten(kept: dict[Any, Any], most: int) -> None:
    while len(kept) > most:
        del kept[next(iter(kept))]


class GameShelf:
    """The moves and films of a table's last games.

    Args:
        kept: where they are kept; in memory when left out.
        heard: what was published of the game that goes on, before a restart: what made each
            decision if a person did, and its outcomes as they are journalled.
    """

    def __init__(
        self,
        kept: KeptMoves | None = None,
        heard: Iterable[tuple[HumanInput | None, Iterable[Mapping[str, Any]]]] = (),
    ) -> None:
        self._kept: KeptMoves = kept or InMemory()
        self._asked: dict[str, QuestionPut] = {}
        self._answers: dict[str, str] = {}
        self._falls: dict[int, int] = {}
        for said, outcomes in heard:
            # An older version may have told less; what it asked is no reason not to start.
            with contextlib.suppress(KeyError, TypeError, AttributeError):
                self._hear(said, outcomes)

    def hear(self, output: Output) -> None:
        """Take note of a decision, in order."""
        said = output.cause if isinstance(output.cause, HumanInput) else None
        heard = [outcome for outcome in output.outcomes if outcome.type in _HEARD]
        about = {q.id: q.player for q in output.state.questions()} if heard else {}
        self._hear(said, (_told(outcome, about) for outcome in heard))

    def finish(
        self, state: RefereeState, result: GameResult, tabletop: Tabletop, *, simulated: bool
    ) -> None:
        """Keep the moves of a game that has ended, or whose end has changed or was undone."""
        told = Told(tuple(self._asked.values()), dict(self._falls))
        moves = game_moves(state, result, tabletop, told, simulated=simulated)
        self._kept.keep_moves(result.game, packed(moves) if result.over else "")

    def keep_film(self, film: Film) -> None:
        """Keep the film of a fall."""
        self._kept.keep_film(film)

    def blaming(self, film: Film, state: RefereeState) -> Film:
        """The film with who made the pieces fall as it is known now."""
        fell = next((ref for ref, seq in self._falls.items() if seq == film.seq), None)
        now = None if fell is None else state.applied().get(fell)
        if now is None or now.type != "toppled":
            return film
        return msgspec.structs.replace(film, player=now.player, cause=now.cause or film.cause)

    def blamed_anew(self, state: RefereeState) -> Film | None:
        """Keep each film of the game with who is to blame now; give the last if it has changed."""
        game, last = state.game_id or "", None
        for seq in self._kept.films(game):
            film = self._kept.film(game, seq)
            now = None if film is None else self.blaming(film, state)
            last = None if now == film else now
            if last is not None:
                self._kept.keep_film(last)
        return last

    def forget(self, game: str) -> None:
        """Keep nothing of a game any more."""
        self._kept.forget(game)

    def moves(self, game: str) -> tuple[str, tuple[int, ...]]:
        """The packed moves of a game (empty: there are none), and which falls have films."""
        return self._kept.moves(game), self._kept.films(game)

    def film(self, game: str, seq: int) -> dict[str, Any] | None:
        """The film of a fall as it was published."""
        found = self._kept.film(game, seq)
        return None if found is None else msgspec.to_builtins(found)

    def _hear(self, said: HumanInput | None, outcomes: Iterable[Mapping[str, Any]]) -> None:
        for outcome in outcomes:
            data = outcome.get("data", {})
            match outcome["type"]:
                case "started":
                    self._asked, self._answers, self._falls = {}, {}, {}
                case "toppled":
                    self._falls[data["ref"]] = outcome["seq"]
                case "asked" if len(self._asked) < MOST_QUESTIONS:
                    asked = (data["ref"], data["kind"], data["text"], outcome.get("player"))
                    self._asked[data["id"]] = QuestionPut(*asked)
                case "settled" if data["id"] in self._asked:
                    self._settle(data["id"], said)
                case _:
                    pass

    def _settle(self, question: str, said: HumanInput | None) -> None:
        """A question is gone: answered, answered again by redo, or of no interest any more."""
        if (answer := _answer(said, question)) is not None:
            self._answers[question] = answer
        elif said is not None and said.type == "redo":
            answer = self._answers.get(question)
        put = self._asked[question]
        self._asked[question] = msgspec.structs.replace(put, answer=answer)


def _told(outcome: Outcome, about: Mapping[str, str | None]) -> dict[str, Any]:
    """An outcome as it is journalled; of a question also whom it is about."""
    data = outcome.data
    player = about.get(data.get("id", ""), outcome.player)
    return {"type": outcome.type, "player": player, "data": data, "seq": outcome.seq}


_HEARD = ("started", "toppled", "asked", "settled")


def _answer(said: HumanInput | None, question: str) -> str | None:
    """What a person answered to a question that is settled now; None if nobody did."""
    if said is None or said.data.get("question", question) != question:
        return None
    field = {"answer": "value", "blame": "player", "turn": "player"}.get(said.type)
    found = said.data.get(field) if field else None
    return found if isinstance(found, str) else None
