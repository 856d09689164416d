"""Files that people name are read up to a limit, and what is over it is said in words."""

from pathlib import Path

import pytest

from controller.common.files import clipped, read_bytes, read_lines, read_text


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
