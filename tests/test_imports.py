"""Imports go down only: each contract is broken on a copy of the tree, and noticed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("engine", "hw", "firmware_bridge", "controller", "pages", "lab", "scripts")

BAD_IMPORTS = {
    "Imports go down only": [
        ("engine/samples.py", "import hw"),
        ("firmware_bridge/__init__.py", "import engine.events"),
        ("hw/__init__.py", "import controller"),
        ("controller/table/loop.py", "import lab.people.ways"),
        ("lab/__init__.py", "import scripts.schematics"),
    ],
    "The engine is pure": [
        ("engine/samples.py", "import time"),
    ],
    "What the sensors saw": [
        ("engine/detect/front/contacts.py", "import engine.detect.back.parameters"),
    ],
    "The back end weighs": [
        ("engine/detect/back/telling.py", "import engine.detect.front.attitude"),
    ],
    "Hardware knows samples": [
        ("hw/__init__.py", "import engine.games.contract"),
    ],
    "Simulated hardware": [
        ("lab/twin/__init__.py", "import engine.scoreboard"),
    ],
    "Rooms of the controller": [
        ("controller/common/errors.py", "import controller.mqtt.topics"),
        ("controller/app/run.py", "import controller.workshop.firmware"),
    ],
    "Commands of the workshop": [
        ("controller/workshop/calibrate/screen.py", "import controller.workshop.diagnose.report"),
    ],
    "Cores of the workshop": [
        ("controller/workshop/calibrate/core/steps.py", "import rich"),
        ("controller/workshop/diagnose/core/examine.py", "import engine.detect.detector"),
    ],
    "Pages do not know": [
        ("pages/app.py", "import controller.replay.score"),
    ],
    "The running table knows no pages": [
        ("controller/table/loop.py", "import pages.mirror"),
    ],
    "Rooms of the hardware": [
        ("hw/source.py", "import hw.drivers.pins"),
    ],
    "Rooms of the lab": [
        ("lab/chips/hx711.py", "import lab.twin.tower"),
        ("lab/twin/tower.py", "import lab.on_pins"),
    ],
    "Accounts of the bench": [
        ("lab/bench/rules_oracle.py", "import engine.games.topple.board"),
    ],
    "What calls itself pure": [
        ("controller/table/panel.py", "import time"),
    ],
    "The bridge is sans-IO": [
        ("firmware_bridge/connection.py", "import time"),
    ],
}
"""Begin of a contract's name -> imports that it forbids, and no other."""


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        # Each import that is found is to stand on a line of its own.
        env=os.environ | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def copied_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages and their contracts; the linter has looked at them and remembers."""
    copy = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pyc*"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    assert lint_imports(copy).returncode == 0
    return copy


@pytest.mark.slow
@pytest.mark.parametrize("contract", BAD_IMPORTS)
def test_import_contracts_bite(copied_tree: Path, contract: str) -> None:
    """Forbidden imports break just the contract that forbids them, and each of them is named."""
    for module, statement in BAD_IMPORTS[contract]:
        with (copied_tree / module).open("a") as file:
            file.write(f"\n{statement}\n")
    outcome = lint_imports(copied_tree)
    for module, _ in BAD_IMPORTS[contract]:
        shutil.copy2(ROOT / module, copied_tree / module)

    assert outcome.returncode == 1
    broken = re.findall(r"^(.+) BROKEN", outcome.stdout, flags=re.MULTILINE)
    assert [name.startswith(contract) for name in broken] == [True]
    for module, statement in BAD_IMPORTS[contract]:
        importer = module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        assert f"{importer} -> {statement.removeprefix('import ')} (l." in outcome.stdout
