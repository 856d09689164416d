"""Checks on the tree itself: what the documents promise about it is true."""

import ast
import doctest
import hashlib
import importlib
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import typer
import yaml

from controller import cli
from tests.tree import PACKAGES, ROOT, parsed, python_files, relative, text_files

LONGEST_MODULE_LINES = 500
LONG_WITH_A_REASON: dict[str, str] = {
    "controller/cli.py": "arguments and help of one command after the other, and nothing else",
    "engine/detect/back/densities.py": "one density after the other, each of a few lines",
    "engine/detect/back/parameters.py": "one table, one parameter after the other",
    "lab/people/players.py": "one evening of people, from the first seat to the last round",
    "engine/referee/human_input.py": "one verb after the other, in the order of a game",
    "tests/controller/mqtt/test_client.py": "one connection, from its first word to its last will",
}
"""Path -> why a reader is better served by one long file than by two short ones."""

TESTED_ELSEWHERE: dict[str, str] = {
    "controller/workshop/calibrate/screen.py": "test_command.py: what the terminal shows",
    "engine/games/checks.py": "the tests of every game: it is what they have in common",
    "engine/games/playthrough.py": "tests/playthroughs/test_playthroughs.py",
    "engine/games/kind.py": "the tests of every game: it is what they have in common",
    "engine/troubles.py": "tests/controller/common/test_troubles.py, and where they are found",
    "firmware_bridge/troubles.py": "tests/controller/common/test_troubles.py",
    "engine/games/topominos/offers.py": "topominos/test_rules.py: against a naive generator",
    "lab/commands.py": "tests/controller/test_cli.py: it only hands on arguments",
    "lab/fit/report.py": "test_command.py: what is told of a fit",
    "lab/fit/signals.py": "test_command.py: what is fitted",
    "scripts/schematics/__main__.py": "test_output.py: the command",
    "scripts/schematics/model/__main__.py": "test_pictures.py: the command",
} | {
    f"engine/games/{game}/{part}.py": covered
    for game in (path.parent.name for path in (ROOT / "engine/games").glob("*/rules.py"))
    for part, covered in {
        "state": "test_rules.py of the game",
        "player": "test_player.py: every player plays whole games",
        "rounds": "test_rules.py of the game",
        "start": "test_rules.py of the game",
        "chance": "test_chance.py: what every game leaves to chance",
        "words": "test_words.py: every game is told in words",
    }.items()
}
"""Path of a module without a test file of its own -> which test covers it, and why there."""

ABOUT_MORE_THAN_A_MODULE: dict[str, str] = {
    "tests/lab/bench/test_foreign_display.py": "an example: somebody's small display",
    "tests/controller/durability/test_disk.py": "the disk of a pulled plug, a part of the judge",
    "tests/controller/durability/test_damage.py": "journals that have lost bytes",
    "tests/controller/durability/test_full_disk.py": "full and read-only disks, wrong clocks",
    "tests/controller/durability/test_kills.py": "tables killed at any moment",
    "tests/controller/durability/test_process.py": "the whole program, killed on a real broker",
    "tests/controller/durability/test_pulled_plug.py": "tables whose plug is pulled",
    "tests/lab/bench/test_planted_bugs.py": "every scenario's worth: bugs it catches",
    "tests/controller/mqtt/test_promises.py": "what other brokers keep of a table's needs",
    "tests/pages/test_languages.py": "the words of all pages, language by language",
    "tests/pages/test_whole_evening.py": "everything of an evening, one after the other",
}
"""Path of a test that mirrors no module -> what it is about."""

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


def test_no_file_is_longer_than_a_reader_likes() -> None:
    too_long = {
        relative(path): lines
        for path in python_files()
        if (lines := len(path.read_text().splitlines())) > LONGEST_MODULE_LINES
        if relative(path) not in LONG_WITH_A_REASON
    }

    assert too_long == {}


def _is_empty(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A method of a protocol: a docstring and three dots."""
    last = function.body[-1]
    return isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant)


def _has_logic(path: Path) -> bool:
    """Whether there is more in a module than values, contracts and errors."""
    functions = [
        node
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return any(f.name != "__init__" and not _is_empty(f) for f in functions)


def _tests_of(module: Path) -> list[Path]:
    """Files that test a module, or the package it is a part of.

    test_score.py and test_score_options.py both test score.py; test_link.py may test
    link_reader.py, which was split off link.py; test_referee_undo.py, inside
    tests/engine/referee or beside it, may test any part of the package. Where a module bears the
    name of its room, as journal/journal.py does, test_journal.py is that module's alone.
    """
    folder = ROOT / "tests" / module.relative_to(ROOT).parent
    words = module.stem.split("_")
    stems = ["_".join(words[:n]) for n in range(1, len(words) + 1)]
    places = [(folder, stem) for stem in stems]
    if not (module.parent / f"{folder.name}.py").exists():
        places += [(folder, folder.name), (folder.parent, folder.name)]
    return [
        test
        for where, name in places
        for pattern in (f"test_{name}.py", f"test_{name}_*.py")
        for test in where.glob(pattern)
    ]


def test_every_module_with_logic_has_its_test_in_the_mirrored_place() -> None:
    untested = [
        relative(path)
        for path in modules()
        if _has_logic(path) and not _tests_of(path) and relative(path) not in TESTED_ELSEWHERE
    ]

    assert untested == []


def _is_about_something(test: Path) -> bool:
    """A test bears the name of a module or package, perhaps with a topic added."""
    folder = ROOT / test.relative_to(ROOT / "tests").parent
    words = test.stem.removeprefix("test_").split("_")
    names = ["_".join(words[:n]) for n in range(len(words), 0, -1)]
    return any(
        (folder / f"{name}.py").exists() or (folder / name).is_dir() or name == folder.name
        for name in names
    )


def test_every_test_mirrors_a_module_that_exists() -> None:
    mirrored = [p for p in (ROOT / "tests").glob("*/**/test_*.py") if p.parts[-2] != "scripts"]
    strays = {
        relative(path)
        for path in mirrored
        if path.relative_to(ROOT / "tests").parts[0] in PACKAGES and not _is_about_something(path)
    }

    assert strays == set(ABOUT_MORE_THAN_A_MODULE)


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
    assert [step.get("if") for step in steps] == [None, "${{ !cancelled() }}"]
    assert 60 * job["timeout-minutes"] > sum(limits_s.values())


DOCUMENTS = sorted(path.name for path in ROOT.glob("*.md"))


GUIDES = sorted(relative(path) for path in (ROOT / "docs").glob("*.md"))


def test_the_readme_has_at_most_700_words() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= 700


@pytest.mark.parametrize("document", [*DOCUMENTS, *GUIDES])
def test_documents_name_only_make_targets_that_exist(document: str) -> None:
    named = set(re.findall(r"(?:`|^|\s{4})make ([a-z][a-z-]*)", (ROOT / document).read_text()))

    assert named - make_targets() == set()


def phony_targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    return set(re.findall(r"^\.PHONY:(.*)", makefile, flags=re.MULTILINE)[0].split())


def test_the_help_lists_every_target() -> None:
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    listed = set(re.findall(r"^  make ([a-z-]+) +\S", shown, flags=re.MULTILINE))

    assert listed == make_targets()
    assert listed == phony_targets()


STARTED_BY_A_PROGRAM: dict[str, str] = {
    "hw.drivers.cells_process": "hw/drivers/cells_apart.py",
    "hw.drivers.libraries": "controller/workshop/doctor/wires.py",
    "tests.controller.durability.yard": "tests/controller/durability/yard.py",
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


def test_the_changelog_knows_the_version_of_the_project() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text()

    assert f"## [{version}]" in changelog or "## [Unreleased]" in changelog


def test_the_hardware_licence_is_the_unmodified_text() -> None:
    # "Anyone is welcome to use it, in unmodified form only." (its preamble)
    text = (ROOT / "schematics" / "LICENSE").read_bytes()

    assert hashlib.sha256(text).hexdigest() == (
        "c1432111d0aeefc9d1ced8105d2d4ed07d5dcb1fd43abb5d4616c4f9ef96e08f"
    )


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
