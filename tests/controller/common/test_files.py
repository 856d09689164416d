"""Files that people name are read up to a limit, and what is over it is said in words."""

import os
from pathlib import Path

import pytest

from controller.common.files import clipped, read_bytes, read_lines, read_text, write_whole


def test_a_file_up_to_the_limit_is_read_whole_and_over_it_refused_with_its_name(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    assert read_text(path, 5) == "12345"

    for refused_path, limit in ((path, 4), (Path("/dev/zero"), 1000)):
        with pytest.raises(OSError, match=f"more than {limit:,} bytes") as refused:
            read_bytes(refused_path, limit)
        assert refused.value.filename == str(refused_path)


def test_lines_come_one_by_one_and_a_long_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n" + b"x" * 20)
    lines = read_lines(path, 10)

    assert [next(lines), next(lines)] == [b"one\n", b"two\n"]
    with pytest.raises(OSError, match="line 3 has more than 10 bytes"):
        next(lines)


def test_words_are_cut_only_when_too_long() -> None:
    assert clipped("as it is") == "as it is"
    assert len(clipped("x" * 5000)) <= 600


def test_a_link_where_we_write_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    """In the place of the file, and in that of the one it is written as first."""
    treasure = tmp_path / "treasure"
    treasure.write_text("precious")
    path = tmp_path / "figures"
    for link in (path, tmp_path / f".figures.{os.getpid()}.new"):
        link.symlink_to(treasure)

    write_whole(path, b"new", mode=0o600)

    assert treasure.read_text() == "precious"
    assert (path.is_symlink(), path.read_bytes()) == (False, b"new")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_what_a_process_of_that_number_left_unfinished_is_no_hindrance(tmp_path: Path) -> None:
    left = tmp_path / f".figures.{os.getpid()}.new"
    left.write_text("half")
    left.chmod(0o666)

    write_whole(tmp_path / "figures", b"new", mode=0o600)

    assert (tmp_path / "figures").read_bytes() == b"new"
    assert (tmp_path / "figures").stat().st_mode & 0o777 == 0o600
