"""Game records: one JSON line per action, read, played through, compared and written.

A file may hold several games one after another. A line the rules refuse is answered and leaves
the state as it was; a line that is no action at all ends the reading with `BadRecord`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from engine.errors import UNREADABLE, BadRecord, IllegalAction
from engine.games.checks import LONGEST_ID, check_start, is_game_id
from engine.games.contract import Action, Game, View
from engine.games.registry import GAMES
from engine.plainly import as_said, plainly

Options = Mapping[str, Any]


class RecordLine(msgspec.Struct, frozen=True):
    """One line of a record.

    Attributes:
        line: one-based number in the file.
        game: record id of the game.
        id: names one play of a game; a new one begins a new game.
        n: number of the action within its game.
        expect: the view the file says follows; None when it does not say.
        reject: the code the file says the action is refused with.
        options: house rules; only on the first line of a game.
    """

    line: int
    game: str
    id: str
    n: int
    action: Action
    expect: View | None = None
    reject: str | None = None
    options: Options | None = None


class Scored(msgspec.Struct, frozen=True):
    """What became of one line: the state after it, and why it was refused if it was.

    Attributes:
        state: the game's state after the line; None before any game could start.
    """

    entry: RecordLine
    game: Game[Any]
    state: Any
    refusal: IllegalAction | None = None

    @property
    def view(self) -> View | None:
        """The view after the line; None for a refused one."""
        return None if self.refusal else self.game.view(self.state)


class Difference(msgspec.Struct, frozen=True):
    """The first place where a record and the rules disagree."""

    line: int
    field: str
    expected: Any
    actual: Any

    def __str__(self) -> str:
        expected, actual = (
            msgspec.json.encode(value).decode() for value in (self.expected, self.actual)
        )
        return f"line {self.line}: {self.field}: expected {expected}, got {actual}"


# --- reading ---------------------------------------------------------------------------------


class _RawLine(msgspec.Struct, frozen=True):
    action: dict[str, Any]
    game: str | None = None
    id: str | int | None = None
    n: int | None = None
    expect: dict[str, Any] | None = None
    reject: str | None = None
    options: dict[str, Any] | None = None


_decoder = msgspec.json.Decoder(_RawLine)


def read_lines(lines: Iterable[str | bytes]) -> Iterator[RecordLine]:
    """The entries of a record; blank lines are skipped.

    `game` may be left out after the first line, `id` and `n` everywhere; a `start` that has
    neither begins another game.

    Raises:
        BadRecord: a line is no JSON, or no action of a known game.
    """
    before: RecordLine | None = None
    for number, text in enumerate(lines, start=1):
        if text.strip():
            before = _entry(number, _raw(number, text), before)
            yield before


def _raw(number: int, text: str | bytes) -> _RawLine:
    try:
        raw = _decoder.decode(text)
    except UNREADABLE as error:
        raise BadRecord(number, f"this is no game action: {plainly(error)}") from error
    if not isinstance(raw.action.get("type"), str):
        raise BadRecord(number, "this is no game action: the action has no type")
    return raw


def _entry(number: int, raw: _RawLine, before: RecordLine | None) -> RecordLine:
    game = raw.game or (before.game if before else None)
    if game is None or game not in GAMES:
        known = ", ".join(GAMES)
        raise BadRecord(number, f"there is no game {as_said(game)}; the record ids are {known}")
    if raw.id is not None and not is_game_id(raw.id):
        raise BadRecord(
            number, f"a game's id has at most {LONGEST_ID} characters, all of which can be shown"
        )
    if raw.id is None and raw.n is None and raw.action["type"] == "start":
        before = None  # nothing names the game: a start begins another one
    id_ = str(raw.id) if raw.id is not None else (before.id if before else f"line-{number}")
    n = raw.n
    if n is None:
        n = before.n + 1 if before and before.id == id_ and before.game == game else 0
    return RecordLine(number, game, id_, n, raw.action, raw.expect, raw.reject, raw.options)


# --- playing ---------------------------------------------------------------------------------


def score_lines(lines: Iterable[str | bytes], options: Options | None = None) -> Iterator[Scored]:
    """Play a record through, line by line.

    Args:
        lines: the text of the record.
        options: house rules that go before those in the record; a game leaves out those it does
            not have, so that one set serves a file with several games.

    Raises:
        BadRecord: at the first line that is no action; the lines before it have been yielded.
    """
    yield from score_entries(read_lines(lines), options)


def score_entries(
    entries: Iterable[RecordLine], options: Options | None = None
) -> Iterator[Scored]:
    """Play entries through; see `score_lines`."""
    playing: tuple[str, str] | None = None
    state: Any = None
    house: dict[str, Any] = {}
    for entry in entries:
        if (entry.game, entry.id) != playing or _begins(entry):
            playing, state, house = (entry.game, entry.id), None, {}
        house |= entry.options or {}
        scored = _scored(entry, state, house | _meant_for(entry.game, options))
        state = scored.state
        yield scored


def _begins(entry: RecordLine) -> bool:
    return entry.n == 0 and entry.action["type"] == "start"


def _meant_for(game: str, options: Options | None) -> dict[str, Any]:
    known = GAMES[game].rules.options
    return {name: value for name, value in (options or {}).items() if name in known}


def _scored(entry: RecordLine, state: Any, options: Options) -> Scored:
    game = GAMES[entry.game].rules
    try:
        if entry.action["type"] == "start":
            check_start(entry.action)
        step = game.apply if state is not None else _opening(game, options)
        return Scored(entry, game, step(state, entry.action))
    except IllegalAction as refusal:
        return Scored(entry, game, state, refusal)


def _opening(game: Game[Any], options: Options) -> Callable[[Any, Action], Any]:
    """What `apply` is before a game has begun: only a start does anything."""

    def apply(_: Any, action: Action) -> Any:
        if action["type"] != "start":
            raise IllegalAction("not_started", "no game has begun; the first action is start")
        return game.start(action, options)

    return apply


# --- answering and comparing -----------------------------------------------------------------


def result_of(scored: Scored) -> dict[str, Any]:
    """What `score --json` prints for one line."""
    entry = scored.entry
    result: dict[str, Any] = {"game": entry.game, "id": entry.id, "n": entry.n}
    if scored.refusal is None:
        return result | {"ok": True, "view": scored.view}
    return result | {
        "ok": False,
        "code": scored.refusal.code,
        "message": scored.refusal.message,
    }


def difference_of(scored: Scored) -> Difference | None:
    """Where a played line differs from its own `expect` or `reject`; None when it agrees."""
    entry, refusal = scored.entry, scored.refusal
    code = refusal.code if refusal else None
    if entry.reject is not None:
        return None if code == entry.reject else _at(entry, "reject", entry.reject, code)
    if entry.expect is None:
        return None
    if refusal:
        return _at(entry, "reject", None, code)
    found = first_difference(entry.expect, scored.view)
    return found and _at(entry, *found)


def _at(entry: RecordLine, field: str, expected: Any, actual: Any) -> Difference:
    return Difference(entry.line, field, expected, actual)


def first_difference(expected: Any, actual: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Field path, expected and actual value where two JSON values first differ.

    True is not 1, and a missing field is not null: it shows as the string `<missing>`.

    >>> first_difference({"board": {"c3": ["pink"]}}, {"board": {"c3": ["blue"]}})
    ('board.c3[0]', 'pink', 'blue')
    """
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        pairs = [
            (
                f"{path}.{key}" if path else str(key),
                expected.get(key, _MISSING),
                actual.get(key, _MISSING),
            )
            for key in [*expected, *(key for key in actual if key not in expected)]
        ]
    elif _is_list(expected) and _is_list(actual):
        pairs = [
            (f"{path}[{at}]", _item(expected, at), _item(actual, at))
            for at in range(max(len(expected), len(actual)))
        ]
    else:
        same = expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
        return None if same else (path, expected, actual)
    differences = (first_difference(left, right, name) for name, left, right in pairs)
    return next((found for found in differences if found), None)


_MISSING = "<missing>"


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _item(values: Any, at: int) -> Any:
    return values[at] if at < len(values) else _MISSING


# --- writing ---------------------------------------------------------------------------------


def written(scored: Scored) -> dict[str, Any]:
    """The record line of a played action, in the order of the format."""
    entry = scored.entry
    line: dict[str, Any] = {
        "game": entry.game,
        "id": entry.id,
        "n": entry.n,
        "action": entry.action,
    }
    line |= {"reject": scored.refusal.code} if scored.refusal else {"expect": scored.view}
    return line if entry.options is None else line | {"options": entry.options}
