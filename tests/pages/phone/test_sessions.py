"""Sessions: found by their token alone, over when the evening is, one phone to a seat."""

from contextlib import suppress
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.phone.sessions import (
    CLAIM_S,
    IDLE_S,
    LASTS_S,
    MOST_EACH,
    MOST_SESSIONS,
    SEAT_SILENT_S,
    SeatTakenError,
    Sessions,
    TooManyPhonesError,
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
    # Speaking for all takes no seat.
    all_.sit(bob, None, 0.0)
    assert all_.taken() == ("Ann",)
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
    assert all_.sit(second, "Ann", 10.0 + SEAT_SILENT_S)

    robbed = all_.find(first, 20.0 + SEAT_SILENT_S)
    assert robbed is not None
    assert (robbed.player, robbed.lost) == (None, "Ann")
    assert all_.taken() == ("Ann",)


STEPS = st.lists(
    st.tuples(
        st.floats(0.0, 300.0),
        st.sampled_from(("open", "find", "sit", "give", "close")),
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
            with suppress(TooManyPhonesError):
                tokens.append(all_.open(now_s, f"10.0.0.{which % 12}"))
        elif what == "close":
            all_.close(token)
        elif all_.find(token, now_s) is None:
            continue
        elif what == "give":
            all_.give(token, now_s, yes=player is not None)
        elif what == "sit":
            try:
                all_.sit(token, player, now_s)
            except SeatTakenError:
                assert player in all_.taken()

        assert len(set(all_.taken())) == len(all_.taken())
        assert len(all_) <= MOST_SESSIONS


def test_a_full_house_ends_a_silent_phone_and_rather_one_without_a_seat() -> None:
    all_ = sessions()
    tokens = [all_.open(0.0) for _ in range(MOST_SESSIONS)]
    all_.sit(tokens[0], "Ann", 0.0)
    for token in tokens[3:]:
        all_.find(token, SEAT_SILENT_S)
    all_.open(SEAT_SILENT_S)

    assert all_.find(tokens[1], SEAT_SILENT_S) is None
    assert all_.taken() == ("Ann",)


def test_joins_however_many_never_end_a_phone_that_is_awake() -> None:
    all_ = sessions()
    ann = all_.open(0.0, "10.0.0.2")
    all_.sit(ann, "Ann", 0.0)
    guest = all_.open(0.0, "10.0.0.3")
    refused = 0
    for n in range(200):
        try:
            all_.open(0.1, f"10.0.1.{n}")
        except TooManyPhonesError:
            refused += 1

    assert refused == 200 - (MOST_SESSIONS - 2)
    assert all_.taken() == ("Ann",)
    assert all_.find(guest, 0.2) is not None


def test_one_address_has_few_phones_and_pushes_out_its_own_only() -> None:
    all_ = sessions()
    seated = all_.open(0.0, "10.0.0.2")
    all_.sit(seated, "Ann", 0.0)
    other = all_.open(0.0, "10.0.0.3")
    own = [all_.open(0.0, "10.0.0.2") for _ in range(3 * MOST_EACH)]

    assert len(all_) == MOST_EACH + 1
    assert all(all_.find(token, 1.0) is not None for token in (seated, other, own[-1]))


def test_an_address_full_of_players_gets_no_further_phone() -> None:
    all_ = sessions()
    for n in range(MOST_EACH):
        all_.sit(all_.open(0.0, "10.0.0.2"), f"player {n}", 0.0)
    with pytest.raises(TooManyPhonesError):
        all_.open(0.0, "10.0.0.2")

    assert len(all_.taken()) == MOST_EACH


def two_at_one_seat() -> tuple[Sessions, str, str]:
    """Ann's phone, and another one that asks for her seat."""
    all_ = sessions()
    ann, other = all_.open(0.0), all_.open(0.0)
    all_.sit(ann, "Ann", 0.0)
    with pytest.raises(SeatTakenError):
        all_.sit(other, "Ann", 1.0)
    return all_, ann, other


def test_a_seat_is_given_by_its_owner() -> None:
    all_, ann, other = two_at_one_seat()
    assert all_.claimed(ann, 2.0)
    assert all_.claims(other, 2.0)
    all_.give(ann, 3.0, yes=True)

    gone, come = all_.find(ann, 4.0), all_.find(other, 4.0)
    assert gone is not None
    assert come is not None
    assert (gone.player, gone.lost, come.player) == (None, "Ann", "Ann")
    assert not all_.claims(other, 4.0)


def test_a_seat_that_is_kept_is_not_asked_for_again_at_once() -> None:
    all_, ann, other = two_at_one_seat()
    all_.give(ann, 3.0, yes=False)
    with pytest.raises(SeatTakenError):
        all_.sit(other, "Ann", 4.0)

    assert not all_.claimed(ann, 4.0)
    assert not all_.claims(other, 4.0)
    all_.give(ann, 5.0, yes=True)
    assert all_.taken() == ("Ann",)
    with pytest.raises(SeatTakenError):
        all_.sit(other, "Ann", 1.0 + CLAIM_S)
    assert all_.claimed(ann, 1.0 + CLAIM_S)


def test_a_claim_ends_with_time_its_phone_or_the_seat() -> None:
    all_, ann, _ = two_at_one_seat()
    assert not all_.claimed(ann, 1.0 + CLAIM_S)

    all_, ann, other = two_at_one_seat()
    all_.close(other)
    assert not all_.claimed(ann, 2.0)
    all_.give(ann, 2.0, yes=True)
    assert all_.taken() == ("Ann",)

    all_, ann, other = two_at_one_seat()
    all_.sit(ann, None, 2.0)
    assert not all_.claims(other, 2.0)

    all_, ann, other = two_at_one_seat()
    all_.sit(other, None, 2.0)
    assert not all_.claimed(ann, 2.0)


def test_awake_are_those_whose_phone_was_heard_of_lately() -> None:
    all_ = Sessions()
    ann, bob, watching = (all_.open(0.0) for _ in range(3))
    all_.sit(ann, "Ann", 0.0)
    all_.sit(bob, "Bob", 0.0)
    all_.find(bob, 30.0)
    all_.find(watching, 30.0)

    assert set(all_.awake(44.0, 45.0)) == {"Ann", "Bob"}
    assert all_.awake(45.0, 45.0) == ("Bob",)
    all_.find(ann, 50.0)
    assert set(all_.awake(60.0, 45.0)) == {"Ann", "Bob"}
