"""What documents, docstrings and comments refer to exists: files, folders and dotted names."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.tree import ROOT, parsed, python_files, relative, tracked_files

ROOMS = "engine|firmware_bridge|hw|controller|pages|lab|scripts|tests"

QUOTED = re.compile(r"`+([^`\n]+)`+")
PROSE = re.compile(r'"""(.*?)"""|(?:^|\s)#\s(.*?)$', re.DOTALL | re.MULTILINE)
FILE = re.compile(r"(?<![\w./<>-])((?:[\w.-]+/)*[\w-]+\.(?:py|md|js|c|h|sh|css|html))(?![\w(<>-])")
FOLDER = re.compile(
    rf"(?<![\w./<>-])((?:{ROOMS}|docs|deploy|displays|schematics)/(?:[\w-]+/)*)(?!\S)"
)
DOTTED = re.compile(rf"(?<![\w./-])((?:{ROOMS})(?:\.[A-Za-z_]\w*)+)(?![\w/-])")
CODE = (".py", ".js", ".c")

NOT_STORED = {
    "facts.js": "pages/game_pages.py makes it from the registry",
    "test-output/detection.html": "the benchmark of detection writes it",
    "rig/table.html": "the acceptance test writes it",
    "main.py": "what MicroPython runs, on the microcontroller",
    "./ask.sh": "a command line in its own folder",
}
"""Name of a file that is not in the tree -> who makes it, or where it is."""


@cache
def ends_of_paths() -> frozenset[str]:
    """Each file's path, in full and from any of its folders on."""
    parts = [relative(path).split("/") for path in tracked_files()]
    return frozenset("/".join(each[n:]) for each in parts for n in range(len(each)))


@cache
def folders() -> frozenset[str]:
    return frozenset(
        f"{parent}/" for path in tracked_files() for parent in path.relative_to(ROOT).parents
    )


@cache
def names_in(path: Path) -> frozenset[str]:
    """What a module defines or imports at its top, and `Class.member` of its classes."""
    return frozenset(_names(parsed(path).body))


def _names(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
    for node in body:
        match node:
            case ast.ClassDef():
                yield prefix + node.name
                yield from _names(node.body, f"{prefix}{node.name}.")
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield prefix + node.name
            case ast.Assign():
                yield from (prefix + t.id for t in node.targets if isinstance(t, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield prefix + name
            case ast.Import() | ast.ImportFrom():
                yield from (prefix + (each.asname or each.name) for each in node.names)
            case _:
                pass


def is_there(dotted: str) -> bool:
    """A package, a module, or what one of them defines or imports."""
    parts = dotted.split(".")
    for n in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:n])
        module = (
            path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
        )
        if module.exists() or path.is_dir():
            rest = ".".join(parts[n:])
            return not rest or (module.exists() and rest in names_in(module))
    return False


def missing_in(text: str) -> list[str]:
    """References of a piece of prose that lead nowhere.

    A file in backticks may be given by its end; without them it begins with a folder of the root.
    """
    quoted = " ".join(QUOTED.findall(text))
    plain = [name for name in FILE.findall(text) if re.match(rf"(?:{ROOMS}|docs|deploy)/", name)]
    files = {*plain, *(name for name in FILE.findall(quoted) if name.endswith(CODE) or "/" in name)}
    return [
        *sorted(files - ends_of_paths() - NOT_STORED.keys()),
        *sorted(set(FOLDER.findall(text)) - folders()),
        *(name for name in DOTTED.findall(quoted) if not is_there(name)),
    ]


def prose_of(path: Path) -> str:
    """Docstrings and comments; a long string is taken for a docstring."""
    return "\n".join(map("".join, PROSE.findall(path.read_text())))


def test_docstrings_and_comments_refer_to_what_exists() -> None:
    missing = {relative(path): missing_in(prose_of(path)) for path in python_files()}

    assert {path: names for path, names in missing.items() if names} == {}


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("`tests/tree.py`, `tree.py`, `python -m tests.fuzz` and docs/rules.md are here.", []),
        ("`tests.tree.ROOT`, `engine.events.Placed.cell`, ``lab.twin``: so are these.", []),
        ("`tests/bush.py`, `bush.js`, see docs/a.md", ["bush.js", "docs/a.md", "tests/bush.py"]),
        ("In tests/bushes/ and lab/twin/ it is", ["tests/bushes/"]),
        ("`tests.tree.BUSH` of `lab.bush`", ["tests.tree.BUSH", "lab.bush"]),
        ("`engine.events.Placed.bush`", ["engine.events.Placed.bush"]),
        ("One's own: `<folder>/table.py`, `game/<name>.js`, `table.toml`, main.py", []),
    ],
)  # fmt: skip
def test_a_reference_that_leads_nowhere_is_found(text: str, missing: list[str]) -> None:
    assert missing_in(text) == missing


def test_only_docstrings_and_comments_are_searched(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '"""One."""\nx = "two"  # three\n# four\n\n\ndef f():\n    """Five\n    six."""\n'
    )

    assert prose_of(path).split() == ["One.", "three", "four", "Five", "six."]


def test_documents_refer_to_what_exists() -> None:
    documents = [path for path in tracked_files() if path.suffix == ".md"]
    missing = {relative(path): missing_in(path.read_text()) for path in documents}

    assert {path: names for path, names in missing.items() if names} == {}
