"""Only near names are suggested: a slip of the finger, and no word that merely shares letters."""

import pytest

from controller.common.errors import BadScenario
from engine.spelling import meant
from hw.errors import BadTwin
from lab.bench.scenario_files import SHIPPED, find
from lab.twin.fault_words import FAULT_WORDS, parse_fault

SCENARIOS = [path.stem for path in SHIPPED.glob("*.yaml")]


@pytest.mark.parametrize("known", [SCENARIOS, list(FAULT_WORDS)], ids=["scenarios", "faults"])
def test_any_letter_left_out_or_swapped_still_means_the_name(known: list[str]) -> None:
    for name in known:
        for at in range(1, len(name) - 1):
            assert meant(name[:at] + name[at + 1 :], known) is not None
            assert meant(name[:at] + name[at + 1] + name[at] + name[at + 2 :], known) == name


@pytest.mark.parametrize("word", ["nosuch", "everything", "moon", "scenario", "table", ""])
def test_a_word_that_is_no_slip_brings_no_suggestion(word: str) -> None:
    assert meant(word, SCENARIOS) is None
    with pytest.raises(BadScenario, match="name a file, a folder, or all"):
        find([word or "nosuch"])


def test_an_unknown_fault_is_answered_with_those_there_are() -> None:
    with pytest.raises(BadTwin, match=r"known: .*unplugged"):
        parse_fault("nothing")
