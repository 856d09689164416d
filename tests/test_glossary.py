"""One meaning a word: the glossary is short, and a class name is defined once in a package."""

import re
from collections import Counter

from tests.tree import ROOT, SHIPPED, python_files, relative

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


def words() -> list[str]:
    """What the first table explains."""
    table = GLOSSARY.partition("## Class names")[0]
    return re.findall(r"^\| ([a-z][a-z ]*) \| \S", table, flags=re.MULTILINE)


def listed() -> list[tuple[str, str]]:
    """Package and name of each class that may be defined twice; each with a reason."""
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| \S", GLOSSARY, flags=re.MULTILINE)
    return [(package, name) for name, package in rows]


def test_each_word_is_explained_once_and_found_by_the_alphabet() -> None:
    assert len(words()) > 20
    assert words() == sorted(set(words()))
    assert len(GLOSSARY.replace("|", " ").split()) <= 600


def test_no_public_class_name_is_defined_twice_in_a_package_without_a_reason() -> None:
    defined = Counter(
        (relative(path).split("/")[0], name)
        for path in python_files()
        if relative(path).split("/")[0] in SHIPPED
        for name in re.findall(r"^ *class ([A-Z]\w*)[(:]", path.read_text(), flags=re.MULTILINE)
    )
    twice = {which for which, times in defined.items() if times > 1}

    assert sorted(twice) == sorted(listed())
