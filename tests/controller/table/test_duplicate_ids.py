import json

import pytest

from controller.table.duplicate_ids import GONE_AFTER_S, DuplicateIds


def health(boot: str) -> bytes:
    return json.dumps({"v": 1, "boot": boot, "t_s": 3.0}).encode()


def test_another_one_is_noticed_once_and_is_there_as_long_as_it_speaks() -> None:
    names = DuplicateIds("mine")

    assert [names.receive(health("other"), now_s) for now_s in (0.0, 10.0, 20.0)] == [
        True, False, False,
    ]  # fmt: skip
    assert names.there(20.0 + GONE_AFTER_S)
    assert not names.there(20.1 + GONE_AFTER_S)
    assert names.receive(health("other"), 100.0)


@pytest.mark.parametrize(
    "payload", [health("mine"), b"", b"{}", b"[]", b'{"boot":7}', b"\xff", b"[" * 9999]
)
def test_oneself_and_what_cannot_be_read_is_nobody(payload: bytes) -> None:
    names = DuplicateIds("mine")

    assert not names.receive(payload, 0.0)
    assert not names.there(0.0)
