from dataclasses import replace
from math import exp, log

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.detect.back.account import Account, Explained, Fall
from engine.detect.back.branching import HOPELESS
from engine.detect.back.tracker import KEPT, Tracker
from engine.events import ToppleKind
from tests.engine.detect.rests import believing, explained

FALL = Fall(3, 4.5, ToppleKind.OFF_BOARD, 0.2, 1)
COLLAPSE = replace(FALL, kind=ToppleKind.COLLAPSE, fallen=5)


def committed(tracker: Tracker) -> Tracker:
    tracker.commit(lambda _: (0.0, 0.0), 0.0)
    return tracker


def test_at_first_one_thing_is_certain() -> None:
    tracker = Tracker(12.5, (1, 2))

    assert [(each.account.free_g, each.account.stands) for each in tracker.now] == [(12.5, (1, 2))]
    assert tracker.probability(lambda account: account.stands == (1, 2)) == 1.0
    assert tracker.free == 1.0
    assert tracker.likeliest_fall(0) is None


logs = st.lists(st.floats(-200, 200), min_size=1, max_size=80)


@given(logs)
def test_probabilities_add_up_to_one_best_first_and_few_enough(log_ps: list[float]) -> None:
    tracker = believing(*(Account(p, float(k)) for k, p in enumerate(log_ps)))
    shares = [each.p for each in tracker.now]

    assert sum(shares) == pytest.approx(1.0)
    assert shares == sorted(shares, reverse=True)
    assert len(shares) <= KEPT
    assert tracker.best.account.log_p == max(log_ps)


@given(logs)
def test_the_hopeless_are_forgotten_and_the_best_kept(log_ps: list[float]) -> None:
    tracker = believing(*(Account(p, float(k)) for k, p in enumerate(log_ps)))
    hopeful = sorted((p for p in log_ps if p > max(log_ps) - HOPELESS), reverse=True)

    assert [each.account.log_p for each in tracker.now] == hopeful[:KEPT]


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=20))
def test_accounts_that_agree_are_one_as_likely_as_all_together(log_ps: list[float]) -> None:
    other = Account(0.0, 3.0)
    tracker = believing(other, *(Account(p, 0.0, (1,)) for p in log_ps))
    together = sum(map(exp, log_ps))

    assert len(tracker.now) == 2
    assert tracker.probability(lambda account: account.stands == (1,)) == pytest.approx(
        together / (together + 1.0)
    )


def test_what_is_merged_keeps_the_details_of_the_likeliest() -> None:
    likely = replace(FALL, bumped=0.9)
    tracker = believing(Account(-2.0, 0.0, fall=FALL), Account(0.0, 0.0, fall=likely))

    assert [each.account.fall for each in tracker.now] == [likely]


@pytest.mark.parametrize(
    "other",
    [
        Account(0.0, 0.0, (1,)), Account(0.0, 0.0, plate_g=(3.0,)), Account(0.0, 0.0, over=True),
        Account(0.0, 0.0, fall=FALL), Account(0.0, 0.0, lifted=True), Account(0.0, 0.0, emptied=1),
        Account(0.0, 3.0), Account(0.0, 0.0, carried_gmm=(9.0, 0.0)),
    ],
)  # fmt: skip
def test_what_lies_otherwise_is_another_account(other: Account) -> None:
    assert len(believing(Account(0.0, 0.0), other).now) == 2


@pytest.mark.parametrize(
    "other",
    [Explained(Account(0.0, 0.0), free=False), Explained(Account(0.0, 0.0), moves=False),
     Explained(Account(0.0, 0.0), placed=1)],
)  # fmt: skip
def test_the_same_board_in_another_rest_is_not_merged(other: Explained) -> None:
    assert len(believing(Account(0.0, 0.0), other).now) == 2


def test_a_rest_is_explained_under_every_account_and_anew_as_it_lasts() -> None:
    tracker = committed(believing(Account(0.0, 0.0), Account(log(3.0), 3.0)))

    def one_more(account: Account) -> list[Explained]:
        return [Explained(account.but(stands=(*account.stands, 7)), placed=1)]

    for _ in range(3):
        explained(tracker, one_more)

    assert {each.account.stands for each in tracker.now} == {(7,)}
    assert [each.p for each in tracker.now] == pytest.approx([0.75, 0.25])


def test_free_is_the_share_of_what_nobody_touches() -> None:
    held = Explained(Account(0.0, 0.0), free=False, moves=False)
    tracker = believing(Account(log(4.0), 0.0), held)

    assert tracker.free == pytest.approx(0.8)


def test_only_what_was_committed_counts_in_the_next_rest() -> None:
    tracker = believing(Account(0.0, 3.0, (1,)))
    explained(tracker, lambda account: [Explained(account)])
    assert tracker.best.account.stands == ()

    tracker = committed(believing(Account(0.0, 3.0, (1,))))
    explained(tracker, lambda account: [Explained(account)])
    assert tracker.best.account.stands == (1,)


def test_a_commit_carries_moments_on_and_drift_only_where_the_rest_is_compared_with() -> None:
    moved = Explained(Account(0.0, 3.0, (1,)))
    held = Explained(Account(0.0, 0.0), free=False, moves=False)
    tracker = believing(moved, held)
    tracker.commit(lambda each: (0.0, 0.0) if each.moves else (5.0, -2.0), 0.25)
    after = {each.account.stands: each.account for each in tracker.now}

    assert (after[1,].free_g, after[1,].carried_gmm) == (3.25, (0.0, 0.0))
    assert (after[()].free_g, after[()].carried_gmm) == (0.0, (5.0, -2.0))
    assert [each.p for each in tracker.now] == pytest.approx([0.5, 0.5])


def test_what_is_heard_weighs_the_accounts_anew_and_stays_heard() -> None:
    tracker = committed(believing(Account(0.0, 0.0), Account(0.0, 3.0, (1,), fall=FALL, over=True)))

    def fell(account: Account) -> bool:
        return account.fall is not None

    tracker.reweigh(lambda account: 0.1 if fell(account) else 1.0)
    assert tracker.probability(fell) == pytest.approx(1 / 11)
    explained(tracker, lambda account: [Explained(account)])
    assert tracker.probability(fell) == pytest.approx(1 / 11)


def test_what_is_heard_counts_also_in_the_present_rest_only() -> None:
    tracker = believing(Account(0.0, 0.0), Account(0.0, 3.0, fall=FALL))
    tracker.reweigh(lambda account: 1.0 if account.fall else 0.0)

    assert tracker.best.account.fall == FALL
    assert tracker.best.account.log_p == max(each.account.log_p for each in tracker.now)


@given(logs, st.floats(0.01, 100))
@example([16.0, 2.2e-309], 1.0)  # of two the last that is kept
def test_what_is_as_likely_under_every_account_tells_nothing(
    log_ps: list[float], factor: float
) -> None:
    tracker = believing(*(Account(p, float(k)) for k, p in enumerate(log_ps)))
    before = {each.account.free_g: each.p for each in tracker.now}
    tracker.reweigh(lambda _: factor)
    after = {each.account.free_g: each.p for each in tracker.now}

    assert after == pytest.approx(before, abs=1e-6)


def test_people_who_know_better_change_every_account() -> None:
    tracker = committed(believing(Account(0.0, 3.0, (1,)), Account(0.0, 0.0)))
    tracker.amend(lambda account: account.but(over=True))
    assert tracker.probability(lambda account: account.over) == pytest.approx(1.0)

    explained(tracker, lambda account: [Explained(account)])
    assert tracker.probability(lambda account: account.over) == pytest.approx(1.0)


def test_to_amend_does_not_change_what_is_probable() -> None:
    tracker = believing(Account(log(9.0), 0.0), Account(0.0, 3.0))
    tracker.amend(lambda account: account.but(emptied=2))

    assert [each.p for each in tracker.now] == pytest.approx([0.9, 0.1])


def test_what_was_heard_in_a_rest_counts_when_the_rest_is_looked_at_again() -> None:
    def fell_or_not(account: Account) -> list[Explained]:
        return [Explained(account.but(fall=fall)) for fall in (FALL, None)]

    tracker = believing(Account(0.0, 3.0, (1,)))
    explained(tracker, fell_or_not)
    tracker.reweigh(lambda account: 0.25 if account.fall else 1.0)
    heard = tracker.fallen(0)
    explained(tracker, fell_or_not)

    assert heard == pytest.approx(0.2)
    assert tracker.fallen(0) == pytest.approx(0.2)


def test_what_was_heard_counts_once_and_not_again_in_the_next_rest() -> None:
    def as_it_was(account: Account) -> list[Explained]:
        return [Explained(account)]

    tracker = committed(believing(Account(0.0, 3.0, fall=FALL), Account(0.0, 0.0)))
    explained(tracker, as_it_was)
    tracker.reweigh(lambda account: 0.25 if account.fall else 1.0)
    explained(committed(tracker), as_it_was)

    assert tracker.fallen(0) == pytest.approx(0.2)


def test_what_was_heard_in_a_rest_that_was_none_is_not_forgotten() -> None:
    tracker = committed(believing(Account(0.0, 3.0, fall=FALL), Account(0.0, 0.0)))
    explained(tracker, lambda account: [Explained(account)])
    tracker.reweigh(lambda account: 0.25 if account.fall else 1.0)
    tracker.forget_rest()

    assert tracker.fallen(0) == pytest.approx(0.2)


def test_the_likeliest_fall_is_that_of_most_accounts_and_not_of_the_best_one() -> None:
    tracker = believing(
        Account(log(4.0), 0.0, fall=FALL),
        *(Account(log(3.0), float(k), fall=COLLAPSE) for k in range(2)),
    )

    assert tracker.best.account.fall == FALL
    assert tracker.likeliest_fall(0) == COLLAPSE


def test_a_fall_is_named_though_it_is_unlikely() -> None:
    assert believing(Account(5.0, 0.0), Account(0.0, 3.0, fall=FALL)).likeliest_fall(0) == FALL


def test_the_fall_of_the_round_before_is_no_fall_of_this_one() -> None:
    tracker = believing(Account(0.0, 0.0, last_fall=FALL, emptied=1))

    assert tracker.likeliest_fall(0) == FALL
    assert tracker.likeliest_fall(1) is None


@pytest.mark.parametrize(("placed", "kept"), [(1, True), (2, False)])
def test_who_has_placed_pieces_since_was_not_only_hands(placed: int, kept: bool) -> None:
    """What was certain fourteen turns before came back as a tower fell (26400201)."""
    certain = (1, 2, 3)
    tracker = committed(believing(Account(0.0, 9.0, certain)))
    stands = (*certain, *range(4, 4 + placed))
    one, other = Account(0.0, 15.0, stands), Account(-1.0, 15.0, (*stands[:-1], 99))
    explained(tracker, lambda _: [Explained(one), Explained(other)])
    committed(tracker)

    assert any(each.account.stands == certain for each in tracker.now) == kept
