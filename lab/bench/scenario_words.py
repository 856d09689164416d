"""What can stand at a place of a scenario file, read off the types of its values. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from msgspec import inspect

from engine.spelling import meant
from lab.bench.scenario import Scenario

ALIKE = 0.6
"""Where all known names follow, one that is less near than `meant` wants costs nothing."""


def suggested(word: str, known: Sequence[str]) -> str:
    """The end of a sentence about a word that nobody knows.

    >>> suggested("plaec", ["place", "press"])
    '; did you mean place?'
    """
    if near := meant(word, known):
        return f"; did you mean {near}?"
    alike = meant(word, known, ALIKE)
    first = f"; perhaps {alike}" if alike else ""
    return first + (f"; known are {', '.join(known)}" if known else "")


def known_keys(path: Sequence[str]) -> list[str]:
    """The keys of the mapping at a path.

    >>> known_keys(["steps", "0", "tap"])
    ['count', 'm_s2']
    """
    return [name for kind in _at(path) for name in _names(kind)]


def known_words(path: Sequence[str]) -> list[str]:
    """The words that can stand at a path, where only some can.

    >>> known_words(["table"])
    ['calm', 'normal', 'quiet', 'rough']
    """
    literals = [kind for kind in _at(path) if isinstance(kind, inspect.LiteralType)]
    return [str(value) for kind in literals for value in kind.values]


def only_words(path: Sequence[str]) -> list[str]:
    """The same, where nothing but a word or a group of keys can stand."""
    these = (inspect.LiteralType, inspect.StructType, inspect.NoneType)
    return known_words(path) if all(isinstance(kind, these) for kind in _at(path)) else []


def is_yes(path: Sequence[str]) -> bool:
    """Whether yes or no stands there, and nothing else."""
    kinds = [kind for kind in _at(path) if not isinstance(kind, inspect.NoneType)]
    return bool(kinds) and all(isinstance(kind, inspect.BoolType) for kind in kinds)


def never_empty(path: Sequence[str]) -> list[str]:
    """The keys of the mapping at a path that are left out where there is nothing to say.

    >>> never_empty(["steps", "0", "touch"])
    []
    >>> never_empty(["steps", "0", "knock"])
    ['player']
    """
    fields = [field for kind in _at(path) for field in _fields(kind)]
    return [field.encode_name for field in fields if field.default is None]


def _at(path: Iterable[str]) -> list[inspect.Type]:
    """The types of a place; more than one where a word, a list or a mapping can stand."""
    kinds = [*alternatives(_whole())]
    for key in path:
        kinds = [
            each for kind in kinds for inner in _inside(kind, key) for each in alternatives(inner)
        ]
    return kinds


@cache
def _whole() -> inspect.Type:
    return inspect.type_info(Scenario)


def alternatives(kind: inspect.Type) -> Iterator[inspect.Type]:
    """The types that are no choices; more than one where a word or a mapping can stand."""
    if isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from alternatives(one)
    elif isinstance(kind, inspect.Metadata):
        yield from alternatives(kind.type)
    else:
        yield kind


def _inside(kind: inspect.Type, key: str) -> list[inspect.Type]:
    if isinstance(kind, inspect.VarTupleType):
        return [kind.item_type]
    if isinstance(kind, inspect.DictType):
        return [kind.value_type]
    return [field.type for field in _fields(kind) if field.encode_name == key]


def _names(kind: inspect.Type) -> list[str]:
    if isinstance(kind, inspect.DictType) and isinstance(kind.key_type, inspect.LiteralType):
        return [str(name) for name in kind.key_type.values]
    return [field.encode_name for field in _fields(kind)]


def _fields(kind: inspect.Type) -> tuple[inspect.Field, ...]:
    return kind.fields if isinstance(kind, inspect.StructType) else ()
