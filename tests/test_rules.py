"""What docs/rules.md promises: every cited rule is explained there, and what it shows is true."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.games.kind import GameKind
from engine.games.registry import GAMES
from engine.record import score_lines

ROOT = Path(__file__).parents[1]
RULES = ROOT / "docs" / "rules.md"

READ_WHOLE = (".py", ".md", ".yaml")
"""Where a bare `T16` means a rule. Elsewhere screws (M4) and paths of drawings (M0) look alike:
there, and in the folders below, it is one after the word rule only."""
OF_DRAWINGS = ("schematics/", "scripts/schematics/", "hw/building/")

LETTERS = "".join(
    sorted(set(re.findall(r"^- \*\*([A-Z])\d+\*\* ", RULES.read_text(), re.MULTILINE)))
)
"""One for each game that docs/rules.md explains."""

ID = rf"[{LETTERS}](\d{{1,2}})"
BARE = rf"\b{ID}\b(?: to {ID}\b)?"
AFTER_A_WORD = rf"\brules? {ID}\b(?: to {ID}\b)?"


def explained() -> dict[str, str]:
    """Rule id -> its text."""
    found = re.findall(rf"^- \*\*([{LETTERS}]\d+)\*\* (.*)$", RULES.read_text(), flags=re.MULTILINE)
    assert len(found) == len(dict(found)), "a rule is explained twice"
    return dict(found)


def ids_in(text: str, pattern: str) -> Iterator[str]:
    """Ids cited in a text; `T17 to T19` cites three."""
    for cited in re.finditer(pattern, text):
        first, last = cited.group(1), cited.group(2) or cited.group(1)
        letter = re.findall(f"[{LETTERS}]", cited.group())[0]
        yield from (f"{letter}{number}" for number in range(int(first), int(last) + 1))


def cited() -> dict[str, str]:
    """Rule id -> a file that cites it."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    found: dict[str, str] = {}
    for name in sorted(filter(None, names)):
        if not (ROOT / name).is_file() or ROOT / name in (RULES, Path(__file__)):
            continue
        whole = name.endswith(READ_WHOLE) and not name.startswith(OF_DRAWINGS)
        text = (ROOT / name).read_text(errors="replace")
        for id_ in ids_in(text, BARE if whole else AFTER_A_WORD):
            found.setdefault(id_, name)
    return found


def test_every_rule_that_is_cited_is_explained() -> None:
    known = explained()

    assert {id_: name for id_, name in cited().items() if id_ not in known} == {}


def test_every_rule_that_is_explained_is_cited_or_says_that_no_program_has_it() -> None:
    said = cited()
    silent = [
        id_
        for id_, text in explained().items()
        if id_ not in said and not text.startswith("*(not implemented)*")
    ]

    assert silent == []


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_house_rule_stands_there_with_its_default_and_its_choices(game: GameKind) -> None:
    text = RULES.read_text()
    for name, (default, *others) in game.rules.options.items():
        place = text.partition(f"`{name}` = **`{str(default).lower()}`**")

        assert place[1], f"{name}, default {default}"
        for value in others:
            assert f"`{str(value).lower()}`" in place[2].partition("\n- ")[0], f"{name} = {value}"


def test_the_record_shown_there_can_be_played() -> None:
    lines = re.findall(r"^    (\{.*\})$", RULES.read_text(), flags=re.MULTILINE)

    played = list(score_lines(lines))

    assert len(played) >= 3
    assert [line.refusal for line in played] == [None] * len(played)
