from pathlib import Path

import pytest

from controller.mqtt.client_ids import fresh, kept
from controller.mqtt.topics import is_client_id


def test_every_run_has_an_id_of_its_own_that_can_stand_in_a_topic() -> None:
    ids = {fresh("scoreboard") for _ in range(1000)}

    assert len(ids) == 1000
    assert all(is_client_id(client) and len(client) <= 23 for client in ids)


def test_a_table_has_the_same_id_after_a_restart_and_nobody_else_can_read_it(
    tmp_path: Path,
) -> None:
    file = tmp_path / "table.journal.client"
    first = kept("table-t1", file)

    assert kept("table-t1", file) == first
    assert first.startswith("table-t1-")
    assert len(first) <= 23
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_tables_of_one_name_with_different_journals_have_different_ids(tmp_path: Path) -> None:
    assert kept("table-t1", tmp_path / "a") != kept("table-t1", tmp_path / "b")


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        (b"", 0o600),
        (b"t1", 0o600),
        (b"0123456789ab 0123456789ab", 0o600),
        (b"\xff" * 12, 0o600),
        (b"0123456789ab", 0o640),
    ],
)
def test_a_file_that_holds_something_else_or_that_others_could_read_is_replaced(
    tmp_path: Path, content: bytes, mode: int
) -> None:
    file = tmp_path / "client"
    file.write_bytes(content)
    file.chmod(mode)
    first = kept("table-t1", file)

    assert kept("table-t1", file) == first
    assert file.read_bytes() != content
    assert file.stat().st_mode & 0o777 == 0o600


def test_without_a_folder_that_can_be_written_the_id_is_good_for_this_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert kept("table-t1", tmp_path / "file" / "client").startswith("table-t1-")
