"""What can stand at a place of a scenario file, read off the types of its values. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import inspect

from lab.bench.scenario import Scenario


def known_keys(path: Sequence[str]) -> list[str]:
    """The keys of the mapping at a path.

    >>> known_keys(["steps", "0", "tap"])
    ['count', 'm_s2']
    """
    return [field.encode_name for kind in _at(path) for field in _fields(kind)]


def known_words(path: Sequence[str]) -> list[str]:
    """The words that can stand at a path, where only some can.

    >>> known_words(["table"])
    ['calm', 'normal', 'quiet', 'rough']
    """
    literals = [kind for kind in _at(path) if isinstance(kind, inspect.LiteralType)]
    return [str(value) for kind in literals for value in kind.values]


def _at(path: Iterable[str]) -> list[inspect.Type]:
    """The types of a place; more than one where a word, a list or a mapping can stand."""
    kinds = [*_each(inspect.type_info(Scenario))]
    for key in path:
        kinds = [each for kind in kinds for inner in _inside(kind, key) for each in _each(inner)]
    return kinds


def _each(kind: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from _each(one)
    elif isinstance(kind, inspect.Metadata):
        yield from _each(kind.type)
    else:
        yield kind


def _inside(kind: inspect.Type, key: str) -> list[inspect.Type]:
    if isinstance(kind, inspect.VarTupleType):
        return [kind.item_type]
    if isinstance(kind, inspect.DictType):
        return [kind.value_type]
    return [field.type for field in _fields(kind) if field.encode_name == key]


def _fields(kind: inspect.Type) -> tuple[inspect.Field, ...]:
    return kind.fields if isinstance(kind, inspect.StructType) else ()
