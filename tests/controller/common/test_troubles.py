"""The kinds of trouble: one code each, a sentence that ends in what to do, none made elsewhere."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import controller.common.troubles
import engine.troubles
import firmware_bridge.troubles
import hw.troubles
from controller.common.troubles import ENGLISH
from controller.contract.documents import asyncapi
from engine.trouble import TroubleKind
from firmware_bridge.troubles import LinkKind

ROOT = Path(__file__).parents[3]
PACKAGES = ("engine", "firmware_bridge", "hw", "controller", "pages", "lab")

MODULES = (engine.troubles, hw.troubles, firmware_bridge.troubles, controller.common.troubles)
TABLES = {module.__name__.replace(".", "/") + ".py" for module in MODULES}

SAYS_NOTHING_NEW = {
    "engine/trouble.py": "of a kind",
    "engine/samples.py": "of a trouble",
    "engine/events.py": "of a trouble",
    "engine/detect/front/front_end.py": "a fault of a report",
    "firmware_bridge/link.py": "before the first poll, which nobody is shown",
    "hw/traces/recording.py": "a report that was recorded",
    "lab/bench/outside/told.py": "a fault that a table told",
}
"""Modules that make reports, faults or troubles of others."""


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id, node


def kinds() -> dict[str, str]:
    """Name of each kind in code -> its sentence."""
    return {
        name: value.english
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, TroubleKind | LinkKind)
    }


def made() -> Iterator[tuple[str, str, list[str | None]]]:
    """Path, name of the kind and names of the arguments, wherever code makes a trouble of one."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    name = ast.unparse(node.func).rpartition(".")[2]
                    yield str(path.relative_to(ROOT)), name, [each.arg for each in node.keywords]


def makes_words(name: str, call: ast.Call) -> bool:
    """Whether a call makes a trouble, or reports one that has words only."""
    if name in {"SensorReport", "Fault"}:
        worded = name == "Fault" or any(each.arg == "reason" for each in call.keywords)
        return worded or len(call.args) > 3
    return name in {"Trouble", "LinkTrouble", "TroubleKind", "LinkKind"}


def test_a_code_belongs_to_one_kind() -> None:
    values = [value for module in MODULES for value in vars(module).values()]
    codes = Counter(kind.code for kind in values if isinstance(kind, TroubleKind | LinkKind))

    assert [code for code, count in codes.items() if count > 1] == []
    assert set(codes) == set(ENGLISH)


@pytest.mark.parametrize("code", ENGLISH)
def test_a_sentence_begins_like_one_and_fills_its_gaps(code: str) -> None:
    english = ENGLISH[code]
    gaps = re.findall(r"\{(\w+)\}", english)

    assert re.fullmatch(r"[a-z][a-z_]+", code)
    assert english[0].isupper() or english[0] == "{"
    assert "{" not in TroubleKind(code, english)(**dict.fromkeys(gaps, "x")).sentence


def test_a_trouble_is_made_with_the_arguments_of_its_sentence() -> None:
    sentences = kinds()
    # `None` is a mapping of arguments.
    wrong = [
        (path, name, given)
        for path, name, given in made()
        if name in sentences and None not in given
        if set(given) != set(re.findall(r"\{(\w+)\}", sentences[name]))
    ]

    assert len(sentences) == len(ENGLISH), "two kinds have one name"
    assert wrong == []


@pytest.mark.slow
def test_what_is_wrong_has_a_code_wherever_it_is_found() -> None:
    makers = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if any(makes_words(name, call) for name, call in calls(path))
    }

    assert makers <= TABLES | set(SAYS_NOTHING_NEW)


def test_the_contract_lists_every_code_with_its_sentence() -> None:
    listed = asyncapi()["info"]["description"]

    assert [code for code in ENGLISH if f"* `{code}`: {ENGLISH[code]}" not in listed] == []
