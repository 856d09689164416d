from pathlib import Path

import pytest

from controller.common.errors import BadConfig
from controller.dice.paired import PairedDie, keep, load

RED, BLUE = "C4:5D:83:0A:11:22", "C4:5D:83:0A:33:44"


def test_what_is_paired_is_there_the_next_time_and_each_die_has_one_owner(tmp_path: Path) -> None:
    file = tmp_path / "dice.json"
    assert load(file) == ()

    keep(file, PairedDie(RED, "red", "GoDice_1"))
    keep(file, PairedDie(BLUE, "blue"))
    keep(file, PairedDie(RED, "Ann", "GoDice_1"))

    assert load(file) == (PairedDie(BLUE, "blue"), PairedDie(RED, "Ann", "GoDice_1"))


@pytest.mark.parametrize(
    "text",
    ['{"dice": [{"address": "red one"}]}', '{"dise": []}', "[", '{"dice": [{"owner": "red"}]}'],
)
def test_a_file_that_cannot_be_used_is_named_with_what_to_do(text: str, tmp_path: Path) -> None:
    file = tmp_path / "dice.json"
    file.write_text(text)

    with pytest.raises(BadConfig, match=r"dice\.json: .*mend it, or delete it and pair"):
        load(file)


def test_a_file_that_is_a_folder_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="check the path"):
        load(tmp_path)
