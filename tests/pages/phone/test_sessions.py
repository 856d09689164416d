"""Sessions: found by their token alone, over when the evening is, one phone to a seat."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.phone.sessions import (
    IDLE_S,
    LASTS_S,
    MOST_SESSIONS,
    SEAT_SILENT_S,
    SeatTakenError,
    Sessions,
)


def sessions() -> Sessions:
    numbers = count()
    return Sessions(lambda: f"token-{next(numbers)}")


def test_a_session_is_found_by_its_token_and_by_nothing_else() -> None:
    all_ = sessions()
    token = all_.open(0.0)
    found = all_.find(token, 1.0)

    assert found is not None
    assert all_.find("token-9", 1.0) is None
    assert all_.find(None, 1.0) is None
    # Neither its public name nor what is kept in memory opens anything.
    assert all_.find(found.name, 1.0) is None
    assert all(all_.find(key, 1.0) is None for key in list(all_._sessions))
    assert token not in repr(vars(all_))


def test_real_tokens_are_long_and_differ() -> None:
    tokens = {Sessions().open(0.0) for _ in range(50)}

    assert len(tokens) == 50
    assert min(map(len, tokens)) >= 32


def test_a_session_ends_when_it_is_not_used_and_at_the_latest_after_its_time() -> None:
    all_ = sessions()
    idle, used = all_.open(0.0), all_.open(0.0)
    now_s = 0.0
    while now_s + IDLE_S / 2 < LASTS_S:
        now_s += IDLE_S / 2
        assert all_.find(used, now_s) is not None

    assert all_.find(idle, now_s) is None
    assert all_.find(used, LASTS_S) is None
    assert len(all_) == 0


def test_leaving_frees_the_seat_and_ends_the_session() -> None:
    all_ = sessions()
    ann, bob = all_.open(0.0), all_.open(0.0)
    all_.sit(ann, "Ann", 0.0)
    all_.close(ann)

    assert all_.find(ann, 1.0) is None
    assert all_.taken() == ()
    all_.sit(bob, "Ann", 1.0)


def test_a_seat_is_one_phones_until_that_has_been_silent() -> None:
    all_ = sessions()
    first, second = all_.open(0.0), all_.open(0.0)
    all_.sit(first, "Ann", 0.0)
    all_.find(first, 10.0)
    with pytest.raises(SeatTakenError):
        all_.sit(second, "Ann", 10.0 + SEAT_SILENT_S - 1)
    all_.sit(second, "Ann", 10.0 + SEAT_SILENT_S)

    robbed = all_.find(first, 200.0)
    assert robbed is not None
    assert robbed.player is None
    assert all_.taken() == ("Ann",)


def test_speaking_for_all_takes_no_seat() -> None:
    all_ = sessions()
    for _ in range(3):
        all_.sit(all_.open(0.0), None, 0.0)

    assert all_.taken() == ()


STEPS = st.lists(
    st.tuples(
        st.floats(0.0, 300.0),
        st.sampled_from(("open", "find", "sit", "close")),
        st.integers(0, 80),
        st.sampled_from(("Ann", "Bob", None)),
    ),
    max_size=200,
)


@given(STEPS)
def test_never_two_phones_on_a_seat_and_never_more_than_the_limit(
    steps: list[tuple[float, str, int, str | None]],
) -> None:
    all_, tokens, now_s = sessions(), ["nobody's"], 0.0
    for pause_s, what, which, player in steps:
        now_s += pause_s
        token = tokens[which % len(tokens)]
        if what == "open":
            tokens.append(all_.open(now_s))
        elif what == "close":
            all_.close(token)
        elif all_.find(token, now_s) is not None and what == "sit":
            try:
                all_.sit(token, player, now_s)
            except SeatTakenError:
                assert player in all_.taken()

        assert len(set(all_.taken())) == len(all_.taken())
        assert len(all_) <= MOST_SESSIONS


def test_the_phone_silent_for_longest_makes_room() -> None:
    all_ = sessions()
    tokens = [all_.open(0.0) for _ in range(MOST_SESSIONS)]
    all_.find(tokens[0], 1.0)
    all_.open(2.0)

    assert all_.find(tokens[0], 3.0) is not None
    assert all_.find(tokens[1], 3.0) is None
