"""A case that is played at a table which is heard by its messages only."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.bench.observed import Sent
from lab.bench.outside.deeds import DeedAnswer
from lab.bench.outside.hands import BegunAgain, LeftOut
from lab.bench.outside.sitting import Known, Sitting
from lab.bench.outside.table_target import as_known, judgeable
from lab.bench.scenario import Case
from lab.bench.scenario_files import find, load, read
from lab.bench.verdict import CaseVerdict, judge
from tests.lab.bench.outside.indoors import TABLE, IndoorHand, IndoorLink


def shipped(name: str) -> Case:
    return load(find([name])[0])[0]


def played(
    case: Case, folder: Path, hand: IndoorHand | None = None
) -> tuple[CaseVerdict, IndoorLink, Known]:
    chosen = hand or IndoorHand()
    link = IndoorLink(folder, chosen)
    run, known = Sitting(case, TABLE, link, chosen).play()
    return as_known(judge(judgeable(case, known), run), known), link, known


def test_our_own_table_is_right_and_its_latency_is_from_the_hands_release(tmp_path: Path) -> None:
    verdict, _, known = played(shipped("place_one"), tmp_path)

    assert verdict.failures == ()
    assert known == Known(whole=True, timed=True, flags=True)
    assert 0.1 < verdict.measures["latency_max_s"] < 1.5
    assert verdict.measures["right"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["undo_redo", "undo_button"])
def test_words_checks_and_undo_are_as_on_the_other_targets(name: str, tmp_path: Path) -> None:
    assert played(shipped(name), tmp_path)[0].failures == ()


@pytest.mark.slow
def test_a_topple_by_the_hand_is_scored_by_the_people_too(tmp_path: Path) -> None:
    assert played(shipped("rule_topple_placing"), tmp_path)[0].failures == ()


WRONG_CELL = "about: x\nsteps: [turns: [3 d4]]\nexpect: [placed: b2]\n"


def test_what_was_expected_and_not_told_is_named(tmp_path: Path) -> None:
    verdict, _, _ = played(read(WRONG_CELL, "x", "x.yaml")[0], tmp_path)

    assert "expected placed b2; came placed d4 (confidence 1.00) at" in verdict.failures[0]


class Untrue(IndoorHand):
    """Puts each piece elsewhere than it was asked to, and does not know it."""

    def __init__(self) -> None:
        super().__init__()
        self.can -= {"truth"}

    def ask(self, verb: str, value: object, progress: str = "") -> None:
        super().ask(verb, value, progress)
        self.lines[-1] = self.lines[-1].replace(b"d4", b"d2")


def test_a_sure_placement_that_is_wrong_is_silently_wrong(tmp_path: Path) -> None:
    text = "about: x\nunexpected: allow\nsteps: [turns: [3 d4]]\n"
    verdict, _, known = played(read(text, "x", "x.yaml")[0], tmp_path, Untrue())

    assert known.whole
    assert "never silently wrong: sure, and wrong: d2" in verdict.failures[0]
    assert "d4 shows [], there is ['red']" in verdict.failures[1]


class Answering(IndoorHand):
    """Answers the deed of a verb in its own way."""

    def __init__(self, verb: str, answer: Callable[[], DeedAnswer]) -> None:
        super().__init__()
        self._verb, self._answer = verb, answer
        self.can = self.can - {"truth"}

    def answer(self, *, told: bool) -> DeedAnswer | None:
        found = super().answer(told=told)
        return self._answer() if found and self.asked_for[-1] == self._verb else found


def test_without_the_moment_of_release_no_latency_is_judged(tmp_path: Path) -> None:
    hand = Answering("place", lambda: DeedAnswer(ok=True))
    verdict, _, known = played(shipped("place_one"), tmp_path, hand)

    assert verdict.failures == ()
    assert not known.timed
    assert "latency_max_s" not in verdict.measures
    assert verdict.measures["right"] == 1


def refuses() -> DeedAnswer:
    raise LeftOut("no piece")


def again() -> DeedAnswer:
    raise BegunAgain("dropped")


def test_a_deed_that_is_not_done_leaves_the_case_unjudged(tmp_path: Path) -> None:
    with pytest.raises(LeftOut, match="place d4: no piece"):
        played(shipped("place_one"), tmp_path, Answering("place", refuses))


def test_and_one_that_went_otherwise_begins_it_again(tmp_path: Path) -> None:
    with pytest.raises(BegunAgain):
        played(shipped("place_one"), tmp_path, Answering("place", again))


def test_what_was_wrong_before_a_deed_that_was_not_done_is_still_told(tmp_path: Path) -> None:
    text = "about: x\nsteps: [turns: [1 c3], check: {scores: {Ann: 7}}, place: d4]\n"
    hand = Answering("place", refuses)
    hand._answer = lambda: DeedAnswer(ok=True) if len(hand.asked_for) < 4 else refuses()

    verdict, _, _ = played(read(text, "x", "x.yaml")[0], tmp_path, hand)

    assert any(words.startswith("check at") for words in verdict.failures)
    assert verdict.failures[-1] == "the table stopped: place d4: no piece"


@pytest.mark.slow
def test_hands_are_told_what_the_table_saw(tmp_path: Path) -> None:
    hand = IndoorHand()
    link = IndoorLink(tmp_path, hand)
    sitting = Sitting(shipped("rule_stack"), TABLE, link, hand)
    sitting.play()

    assert hand.asked_for == ["mend", "clear", *["place"] * 5, "truth"]


def test_each_case_begins_with_an_empty_board_and_a_new_game_and_nothing_has_fallen(
    tmp_path: Path,
) -> None:
    hand, case = IndoorHand(), load(find(["place_every_cell"])[0])[20]
    link = IndoorLink(tmp_path, hand)
    for _ in range(2):
        run, known = Sitting(case, TABLE, link, hand).play()
        assert judge(judgeable(case, known), run).failures == ()

    events = [message.document() for message in link.wire.sent if message.suffix == "event"]
    assert [event["type"] for event in events if event["type"] in ("started", "toppled")] == [
        "started", "started",
    ]  # fmt: skip


class Chatty(IndoorLink):
    """Measures its sensors once more just before or just after somebody else joins."""

    before = False

    def kept(self) -> dict[str, Sent]:
        given = super().kept()
        self.wire.now_s += 10.0
        self.table.step(self.now_s)
        return super().kept() if self.before else given


@pytest.mark.parametrize("before", [False, True])
def test_what_is_said_while_somebody_joins_is_no_old_message(tmp_path: Path, before: bool) -> None:
    hand = IndoorHand()
    link = Chatty(tmp_path, hand)
    link.before = before
    run, _ = Sitting(shipped("place_one"), TABLE, link, hand).play()

    assert run.broken == ()
