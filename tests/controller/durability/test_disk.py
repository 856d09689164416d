"""The disk of a pulled plug: what was flushed is there, of the rest nobody knows."""

import random
from pathlib import Path

import pytest

from tests.controller.durability.disk import BLOCK, Call, Disk

ROOT = Path("/t")
A, B = ROOT / "a", ROOT / "b"


def call(what: str, path: Path = A, other: Path = B, offset: int = 0, data: bytes = b"") -> Call:
    return Call(what, path, other, offset, data)


def disk(*calls: Call) -> Disk:
    found = Disk()
    for each in calls:
        found.take(each)
    return found


def pulled(found: Disk, keeps: float = 0.0, seed: int = 1) -> dict[Path, bytes]:
    return found.pulled(random.Random(seed), keeps)


WRITTEN = (call("create"), call("write", data=b"one"))


FLUSHED = (*WRITTEN, call("sync"), call("sync", ROOT))


@pytest.mark.parametrize(
    ("calls", "least", "most"),
    [
        (WRITTEN, {}, {A: b"one"}),
        ((*WRITTEN, call("sync")), {}, {A: b"one"}),
        ((*FLUSHED, call("write", offset=3, data=b"two")), {A: b"one"}, {A: b"onetwo"}),
        ((*FLUSHED, call("rename")), {A: b"one"}, {B: b"one"}),
        ((*FLUSHED, call("rename"), call("sync", ROOT)), {B: b"one"}, {B: b"one"}),
    ],
    ids=["nothing", "no folder", "more", "renamed", "renamed and flushed"],
)
def test_what_was_not_flushed_may_be_gone_with_its_name(
    calls: tuple[Call, ...], least: dict[Path, bytes], most: dict[Path, bytes]
) -> None:
    assert (pulled(disk(*calls)), pulled(disk(*calls), keeps=1.0)) == (least, most)


def test_each_block_is_kept_or_not_for_itself() -> None:
    found = disk(
        call("create"), call("sync", ROOT), call("write", data=b"x" * 10 * BLOCK)
    )  # fmt: skip
    seen = {pulled(found, 0.5, seed)[A] for seed in range(20)}
    blocks = {bytes(each[at : at + BLOCK]) for each in seen for at in range(0, len(each), BLOCK)}

    assert len(seen) > 10
    assert blocks == {b"x" * BLOCK, bytes(BLOCK)}


def test_a_file_may_have_been_cut_or_not() -> None:
    found = disk(
        *WRITTEN, call("sync"), call("sync", ROOT), call("truncate"), call("write", data=b"2")
    )

    assert {pulled(found, 0.5, seed)[A] for seed in range(30)} == {b"one", b"", b"2", b"2ne"}


def test_what_lay_there_before_is_safe_until_it_is_changed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    found = Disk(tmp_path, ROOT)
    found.take(call("write", data=b"new"))

    assert pulled(found) == {A: b"old"}
    assert pulled(found, keeps=1.0) == {A: b"new"}
    found.take(call("unlink"))
    assert pulled(found) == {A: b"old"}
    found.take(call("sync", ROOT))
    assert pulled(found) == {}
