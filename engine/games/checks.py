"""What all games ask of an action before they look at its meaning: names, numbers, options."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard, TypeVar

from engine.errors import IllegalAction
from engine.games.alike_names import INVISIBLE, alike
from engine.plainly import as_said

_Rule = TypeVar("_Rule")

LONGEST_NAME = 40
"""Characters of a player's name, or of any other text of a `start`: twice the longest name that
a page has room for."""

LONGEST_ID = 64
"""Characters of a game's id."""

MOST_TARGET = 1000
"""Points, or rounds, to play to: ten times the points that the book of Topple suggests. There an
added piece scores 32 at most (four rows of 5, T9 and T14, and a stack of 12, T12), so twelve that
all did would not reach it in two rounds. More is a slip of a finger, and a game without an end."""

MOST_MARKS = 4
"""Accents on one letter; Vietnamese needs two. Without a limit they cover the lines above."""

_UNSHOWABLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode's control and format (direction) characters, halves of characters, line ends."""


def chosen_options(
    offered: Mapping[str, tuple[Any, ...]], given: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The house rules of a game: what was given, and the default for the rest.

    Args:
        offered: switch -> allowed values, the default first.
        given: the switches a record or a `start` command names.

    Raises:
        IllegalAction: `bad_option`, an unknown switch or a value it does not have.
    """
    rules = {name: values[0] for name, values in offered.items()}
    for name, value in (given or {}).items():
        values = offered.get(name)
        if values is None:
            known = ", ".join(offered) or "none"
            raise IllegalAction(
                "bad_option", f"there is no house rule {as_said(name)}; known: {known}"
            )
        rules[name] = _one_of(name, value, values)
    return rules


def _one_of(name: str, value: Any, values: tuple[Any, ...]) -> Any:
    """The allowed value equal to `value` in type too, so that 1 is not taken for true."""
    for allowed in values:
        if type(allowed) is type(value) and allowed == value:
            return allowed
    choices = ", ".join(as_said(allowed, quote="") for allowed in values)
    raise IllegalAction("bad_option", f"house rule {name} is {as_said(value)}; it can be {choices}")


def is_name(value: Any) -> bool:
    """Whether `value` can be the name of a player or of a colour."""
    return isinstance(value, str) and bool(value.strip())


def is_showable(text: str) -> bool:
    r"""Whether a text is one line that a terminal, a log and a page show as it was meant.

    Fillers and joiners without a look of their own stay: some spellings and many emoji need them.
    Alone they are no name.

    >>> [is_showable(text) for text in ("Zoë", "Ann\x1b[2J", "\u202eBob", "a\nb", "\u3164")]
    [True, False, False, False, False]
    """
    seen = [c for c in text if c not in INVISIBLE]
    hidden = (c for c in text if c not in INVISIBLE and unicodedata.category(c) in _UNSHOWABLE)
    return (not text or bool(seen)) and next(hidden, None) is None and not _is_piled_up(seen)


def _is_piled_up(text: Sequence[str]) -> bool:
    """Whether a letter has more marks above or below than one line has room for."""
    marks = [unicodedata.category(c) in ("Mn", "Me") for c in text]
    return any(all(marks[at : at + MOST_MARKS + 1]) for at in range(len(marks) - MOST_MARKS))


def check_start(action: Mapping[str, Any]) -> None:
    """Refuse a `start` whose names are too long or cannot be shown.

    The rules themselves take any name: what an older version let in still plays.

    Args:
        action: with its `id` or without.

    Raises:
        IllegalAction: `bad_name`, or `bad_id` for what cannot be the game's id.
    """
    _check_texts({name: value for name, value in action.items() if name != "id"})
    if action.get("id") is not None and not is_game_id(action["id"]):
        raise IllegalAction(
            "bad_id",
            f"a game's id is a text of at most {LONGEST_ID} characters that can be shown, "
            "or a whole number",
        )


def check_told_apart(names: Sequence[Any]) -> None:
    """Refuse names of one game that people cannot tell apart.

    Raises:
        IllegalAction: `bad_players`; it names both.
    """
    if found := alike([name for name in names if isinstance(name, str)]):
        one, other = found
        raise IllegalAction(
            "bad_players",
            f"{as_said(one)} and {as_said(other)} look the same; add a letter to one of them",
        )


def _check_texts(data: Any) -> None:
    """Refuse a text nobody should have to read, at whatever depth; names of fields count too."""
    waiting = [data]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            _check_text(found)
        elif isinstance(found, Mapping):
            waiting += [*found.keys(), *found.values()]
        elif isinstance(found, (list, tuple)):
            waiting += found


def _check_text(text: str) -> None:
    if len(text) > LONGEST_NAME:
        raise IllegalAction(
            "bad_name",
            f"{as_said(text[:12])}... has {len(text)} characters; "
            f"a name has at most {LONGEST_NAME}",
        )
    if not is_showable(text):
        raise IllegalAction(
            "bad_name",
            f"{as_said(text)} has characters that cannot be shown; use letters and digits",
        )


def is_game_id(value: Any) -> bool:
    """Whether `value` can name a game; an empty text asks the table for a name."""
    if is_whole(value):
        return abs(value) < 2**63
    return isinstance(value, str) and len(value) <= LONGEST_ID and is_showable(value)


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether `value` is a whole number; JSON's true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def distinct_names(names: Sequence[Any]) -> bool:
    """Whether all are names and no two are alike."""
    return all(is_name(name) for name in names) and len(set(names)) == len(names)


def rule_for(action: Mapping[str, Any], rules: Mapping[str, _Rule], *, over: bool) -> _Rule:
    """What a game has for the type of an action.

    Args:
        action: in any form.
        rules: type of action -> its rule.
        over: whether the game has ended, so that it takes no action any more.

    Raises:
        IllegalAction: `already_started`, `unknown_action` or `game_over`.
    """
    kind = action.get("type")
    if kind == "start":
        raise IllegalAction("already_started", "the game has begun; a new game needs a new id")
    if not isinstance(kind, str) or kind not in rules:
        known = ", ".join(rules)
        raise IllegalAction(
            "unknown_action", f"this game has no action {as_said(kind)}; it has {known}"
        )
    if over:
        raise IllegalAction("game_over", "the game is over; start a new one")
    return rules[kind]
