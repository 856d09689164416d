from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.greeting import refusal, reset_trouble, warning_for
from firmware_bridge.messages import (
    FIRMWARE_ID,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    SCHEMA_HASH,
    Hello,
    ResetCause,
)

OURS = Hello(FIRMWARE_ID, PROTOCOL_MAJOR, PROTOCOL_MINOR, SCHEMA_HASH, 1, 1, 0x100, 4)


def test_our_own_firmware_is_welcome_without_a_word() -> None:
    assert refusal(OURS) is None
    assert warning_for(OURS) is None


@given(st.integers(0, 2**32 - 1).filter(lambda number: number != FIRMWARE_ID))
def test_any_other_firmware_is_refused_and_its_id_named(firmware_id: int) -> None:
    reason = refusal(replace(OURS, firmware_id=firmware_id))

    assert reason is not None
    assert f"{firmware_id:#010x}" in reason.sentence
    assert "not a Topple Table board" in reason.sentence
    assert "Check the port" in reason.sentence


@pytest.mark.parametrize("major", [0, 2, 255])
def test_another_major_version_is_refused_even_with_our_table(major: int) -> None:
    reason = refusal(replace(OURS, protocol_major=major))

    assert reason is not None
    assert "firmware flash" in reason.sentence


def test_the_same_version_with_another_table_is_refused() -> None:
    reason = refusal(replace(OURS, schema_hash=SCHEMA_HASH ^ 1))

    assert reason is not None
    assert "Build and flash" in reason.sentence
    assert "another table of messages" in reason.sentence


def test_another_minor_version_is_warned_about_and_not_refused() -> None:
    other = replace(OURS, protocol_minor=PROTOCOL_MINOR + 1, schema_hash=1)

    assert refusal(other) is None
    warning = warning_for(other)
    assert warning is not None
    assert "it works" in warning.sentence


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (ResetCause.WATCHDOG, "watchdog"),
        (ResetCause.BROWN_OUT, "supply dipped"),
        (ResetCause.EXTERNAL, "reset line"),
        (ResetCause.POWER_ON, "lost power"),
        (ResetCause.UNKNOWN, "does not know why"),
        # Bits add up: a dip usually ends in a power-on reset, and is the more telling one.
        (ResetCause.POWER_ON | ResetCause.BROWN_OUT, "supply dipped"),
    ],
)
def test_each_cause_of_a_restart_has_words(cause: ResetCause, words: str) -> None:
    assert words in reset_trouble(replace(OURS, reset_cause=int(cause))).sentence
