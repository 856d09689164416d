"""The detector's table of parameters, read from the code: `python -m scripts.parameters`."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import getsource
from types import ModuleType
from typing import Any, get_type_hints

from engine.detect.back import parameters
from engine.detect.back.parameters import BEHAVIOUR, Priors, Source, Within

GROUP = "# -- "
"""A comment that begins a group does so, and ends with a line of hyphens."""


@dataclass(frozen=True, slots=True)
class Row:
    """A parameter.

    Attributes:
        group: what it is about.
        name: in the code.
        value: a number, or a list of numbers or of lists of them.
        ranges: one for every number, or one for each place of a list.
        source: what decides it.
        meaning: its docstring, in one line.
    """

    group: str
    name: str
    value: Any
    ranges: tuple[Within, ...]
    source: Source | None
    meaning: str

    @property
    def numbers(self) -> list[tuple[float, Within]]:
        """Every number in it, with its range; none without ranges."""
        return list(self._numbers(self.value)) if self.ranges else []

    def _numbers(self, value: Any) -> Iterator[tuple[float, Within]]:
        for place, each in enumerate(value if isinstance(value, tuple) else (value,)):
            if isinstance(each, tuple):
                yield from self._numbers(each)
            else:
                yield each, self.ranges[place % len(self.ranges)]


def rows(module: ModuleType = parameters) -> list[Row]:
    """The table, in the order of the code: what is annotated there, and the priors."""
    source = getsource(module)
    groups = {
        number: line.removeprefix(GROUP).rstrip("- ")
        for number, line in enumerate(source.splitlines(), start=1)
        if line.startswith(GROUP)
    }
    found = []
    for name, line, meaning in _annotated(ast.parse(source).body):
        group = next((groups[at] for at in sorted(groups, reverse=True) if at < line), "")
        owner, kind = (BEHAVIOUR, Priors) if name.startswith("Priors.") else (module, module)
        field = name.removeprefix("Priors.")
        notes = getattr(get_type_hints(kind, include_extras=True)[field], "__metadata__", ())
        ranges = tuple(note for note in notes if isinstance(note, Within))
        decides = next((note for note in notes if isinstance(note, Source)), None)
        found.append(Row(group, name, getattr(owner, field), ranges, decides, meaning))
    return found


def _annotated(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, int, str]]:
    """Name, line and docstring of every annotated value, also of the priors' fields."""
    for statement, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.ClassDef) and statement.name == Priors.__name__:
            yield from _annotated(statement.body, f"{statement.name}.")
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield owner + statement.target.id, statement.lineno, _docstring(after)


def _docstring(statement: ast.stmt | None) -> str:
    value = statement.value if isinstance(statement, ast.Expr) else None
    text = value.value if isinstance(value, ast.Constant) else None
    return " ".join(text.split()) if isinstance(text, str) else ""


def lines(table: list[Row]) -> Iterator[str]:
    """The table as text: a heading for each group, two lines for each parameter."""
    for group in dict.fromkeys(row.group for row in table):
        yield f"\n{group}\n"
        for row in (row for row in table if row.group == group):
            ranges = "; ".join(f"{each.low:g} to {each.high:g} {each.unit}" for each in row.ranges)
            source = "" if row.source is None else row.source.value
            yield f"{row.name} = {_plain(row.value)} ({ranges}; {source})"
            yield f"    {row.meaning}"


def _plain(value: Any) -> str:
    if not isinstance(value, tuple):
        return f"{value:g}"
    between = "; " if isinstance(value[0], tuple) else ", "
    return between.join(map(_plain, value))


if __name__ == "__main__":
    print("\n".join(lines(rows())))
