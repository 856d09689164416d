"""What all games ask of an action before they look at its meaning: names, numbers, options."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from engine.errors import IllegalAction


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
            raise IllegalAction("bad_option", f"there is no house rule {name!r}; known: {known}")
        rules[name] = _one_of(name, value, values)
    return rules


def _one_of(name: str, value: Any, values: tuple[Any, ...]) -> Any:
    """The allowed value equal to `value` in type too, so that 1 is not taken for true."""
    for allowed in values:
        if type(allowed) is type(value) and allowed == value:
            return allowed
    choices = ", ".join(str(allowed) for allowed in values)
    raise IllegalAction("bad_option", f"house rule {name} is {value!r}; it can be {choices}")


def is_name(value: Any) -> bool:
    """Whether `value` can be the name of a player or of a colour."""
    return isinstance(value, str) and bool(value.strip())


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether `value` is a whole number; JSON's true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def distinct_names(names: Sequence[Any]) -> bool:
    """Whether all are names and no two are alike."""
    return all(is_name(name) for name in names) and len(set(names)) == len(names)


def unknown_action(kind: Any, known: Sequence[str]) -> IllegalAction:
    """The refusal of an action type this game does not have."""
    return IllegalAction(
        "unknown_action", f"this game has no action {kind!r}; it has {', '.join(known)}"
    )


def already_started() -> IllegalAction:
    """The refusal of a second `start` in one game."""
    return IllegalAction("already_started", "the game has begun; a new game needs a new id")


def game_over() -> IllegalAction:
    """The refusal of any action after the end."""
    return IllegalAction("game_over", "the game is over; start a new one")
