"""Checks on the tree itself: what the documents promise about it is true."""

import ast
import doctest
import importlib
import re
import tomllib
from pathlib import Path

import pytest
import typer
import yaml

from controller import cli
from tests.tree import PACKAGES, ROOT, parsed, python_files, relative, text_files

# The character classes keep these lines from finding themselves.
NOT_FOR_THE_REPOSITORY = {
    "a package registry's host": "py[p]i.org|python[h]osted|[r]egistry.npm|[d]eb.debian.org",
    "a path of one developer's machine": r"(?<![\w.])/(?:[w]ork|[r]oot)/|/opt/[p]ypi|pyen[v]",
    # A clone must be whole: nothing in it may need files that lie next to it.
    "a folder beside the repository": (
        r"\.\./[s]hared\b|/ *[\"'][s]hared[\"']|\b[s]hared/(?:data|hooks|reference|rules|traces)\b"
    ),
}


def modules() -> list[Path]:
    """Modules of the packages, without the packages' own `__init__`."""
    inside = [path for path in python_files() if relative(path).split("/")[0] in PACKAGES]
    return [path for path in inside if path.name != "__init__.py"]


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        relative(path)
        for path in python_files()
        if relative(path).split("/")[0] in (*PACKAGES, "conftest.py")
        if path.read_text().strip() and ast.get_docstring(parsed(path)) is None
    ]

    assert silent == []


def test_tests_have_no_init_that_could_shadow_a_package() -> None:
    assert [relative(path) for path in (ROOT / "tests").rglob("__init__.py")] == []


@pytest.mark.parametrize("what", NOT_FOR_THE_REPOSITORY)
def test_no_file_names(what: str) -> None:
    found = [
        f"{relative(path)}:{number}: {line.strip()[:80]}"
        for path in text_files()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if re.search(NOT_FOR_THE_REPOSITORY[what], line)
    ]

    assert found == []


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))


def stages_of_ci() -> dict[str, int]:
    """Each stage of `.ci/run` and the seconds it has."""
    lines = re.findall(r"timeout \S+ (\d+) make ([a-z-]+)", (ROOT / ".ci/run").read_text())
    return {stage: int(limit_s) for limit_s, stage in lines}


def test_the_hosting_service_runs_the_stages_of_ci() -> None:
    """In the same order, each with at least its time, the later ones also after a failure."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    (job,) = workflow["jobs"].values()
    steps = [step for step in job["steps"] if step.get("run", "").startswith("make ")]
    limits_s = {step["run"].removeprefix("make "): 60 * step["timeout-minutes"] for step in steps}

    assert job["env"]["CI"] == "true"
    assert list(limits_s) == list(stages_of_ci())
    assert all(limits_s[stage] >= least_s for stage, least_s in stages_of_ci().items())
    assert [step.get("if") for step in steps] == [None, *["${{ !cancelled() }}"] * 2]
    assert 60 * job["timeout-minutes"] > sum(limits_s.values())


DOCUMENTS = sorted(path.name for path in ROOT.glob("*.md"))


GUIDES = sorted(relative(path) for path in (ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("document", [*DOCUMENTS, *GUIDES])
def test_documents_name_only_make_targets_that_exist(document: str) -> None:
    named = set(re.findall(r"(?:`|^|\s{4})make ([a-z][a-z-]*)", (ROOT / document).read_text()))

    assert named - make_targets() == set()


STARTED_BY_A_PROGRAM: dict[str, str] = {
    "controller.launch": "pyproject.toml",
    "hw.drivers.cells_process": "hw/drivers/cells_apart.py",
    "hw.drivers.libraries": "controller/workshop/doctor/wires.py",
    "tests.controller.durability.yard": "tests/controller/durability/yard.py",
    "tests.lab.bench.outside.second_table": "tests/lab/bench/outside/test_three_tables.py",
    "tests.mutants.scenarios": "tests/mutants/scenarios.py",
}
"""Module that can be run, but by no person -> which file starts it, by its dotted name."""


def commands() -> set[str]:
    """Modules that can be run with `python -m`, and shell scripts."""
    runnable = {
        relative(path).removesuffix(".py").removesuffix("/__main__").replace("/", ".")
        for path in python_files()
        if path.name == "__main__.py" or '\nif __name__ == "__main__":' in path.read_text()
        if relative(path).split("/")[0] != "displays"
    }
    return runnable | {relative(path) for path in (ROOT / "scripts").glob("*.sh")}


def test_make_reaches_every_command_and_every_generator() -> None:
    """`make bench` finds benchmarks by itself."""
    recipes = set(re.findall(r"[\w./-]+", (ROOT / "Makefile").read_text()))
    out_of_reach = {
        name for name in commands() - recipes if not name.startswith("tests.benchmarks.")
    }

    assert out_of_reach == set(STARTED_BY_A_PROGRAM)
    for module, starter in STARTED_BY_A_PROGRAM.items():
        assert module in (ROOT / starter).read_text()


def heading_anchors(document: Path) -> set[str]:
    """Anchors as code hosting sites make them: lower case, punctuation gone, spaces to hyphens."""
    titles = re.findall(r"^#+ (.+)$", document.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def named_commands(document: str) -> list[tuple[str, list[str]]]:
    """Each use of the command line in a document: command, and the options given to it."""
    text = (ROOT / document).read_text()
    uses = re.findall(r"(?:^ {4}|`)topple-table ([a-z][a-z-]*)([^`#\n]*)", text, flags=re.MULTILINE)
    return [(command, re.findall(r"--[a-z-]+", rest)) for command, rest in uses]


@pytest.mark.parametrize("document", [*DOCUMENTS, "docs/install.md", "docs/using.md"])
def test_documents_name_only_commands_and_options_that_exist(document: str) -> None:
    program = typer.main.get_command(cli.app)
    assert isinstance(program, typer.core.TyperGroup)
    known = {
        name: {option for parameter in command.params for option in parameter.opts}
        for name, command in program.commands.items()
    }

    for command, options in named_commands(document):
        assert command in known
        assert set(options) - known[command] == set()


@pytest.mark.parametrize("document", [*DOCUMENTS, *GUIDES])
def test_links_in_documents_lead_somewhere(document: str) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / document).read_text())
    broken = []
    for link in links:
        target, _, anchor = link.partition("#")
        if "://" in link:
            continue
        path = (ROOT / document).parent / target if target else ROOT / document
        if not path.exists() or (anchor and anchor not in heading_anchors(path)):
            broken.append(link)

    assert broken == []


def requirement_names() -> list[str]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [table["dependencies"], *table["optional-dependencies"].values()]
    names = {re.split(r"[\s\[<>=!~;]", line)[0] for lines in lists for line in lines}
    return sorted(names - {table["name"]})


@pytest.mark.parametrize("name", requirement_names())
def test_each_dependency_has_its_reason(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs" / "dependencies.md").read_text()


def _has_examples(path: Path) -> bool:
    # Asked while tests are collected, in each process: most files need no parsing.
    if ">>> " not in path.read_text():
        return False
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [n for n in ast.walk(parsed(path)) if isinstance(n, documented)]
    return any(">>> " in (ast.get_docstring(node) or "") for node in nodes)


def modules_with_examples() -> list[str]:
    return [
        relative(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        for path in python_files()
        if relative(path).split("/")[0] in PACKAGES and _has_examples(path)
    ]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings_are_true(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))

    assert failed == 0
    assert tried > 0


def test_what_calls_itself_pure_is_held_to_it() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    held = next(c for c in contracts["contracts"] if c["name"].startswith("What calls itself pure"))
    saying = {
        relative(path).removesuffix(".py").replace("/", ".")
        for path in modules()
        if relative(path).startswith(("controller/", "pages/", "lab/bench/"))
        if re.search(r"\b[Pp]ure[.:,]", ast.get_docstring(parsed(path)) or "")
    }

    assert set(held["source_modules"]) == saying
