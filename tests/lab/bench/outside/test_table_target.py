"""A table at a broker as a target: how it is named, what it leaves out, and what it makes known."""

from pathlib import Path
from typing import Any

import pytest

from controller.common.errors import BadInput, BadTarget
from controller.mqtt.client import BrokerAddress
from lab.bench import command
from lab.bench.boards import BoardTarget, left_out, name_of
from lab.bench.observed import Sent
from lab.bench.outside.handled_tower import CAN
from lab.bench.outside.hands import BegunAgain, LeftOut
from lab.bench.outside.link import NothingHeard
from lab.bench.outside.people_hand import WORDS, hand_of
from lab.bench.outside.sitting import Known
from lab.bench.outside.table_target import (
    OutsideTarget,
    is_outside,
    judgeable,
    table_at,
)
from lab.bench.scenario import Case, Scenario
from lab.bench.scenario_files import find, load, read
from tests.lab.bench.outside.indoors import TABLE, IndoorHand, IndoorLink


def scenario(name: str) -> Scenario:
    return load(find([name])[0])[0].scenario


def case(text: str) -> Case:
    steps = "" if "steps:" in text else "steps: [wait: 1]\n"
    return read(f"about: x\n{steps}{text}", "x", "x.yaml")[0]


# --- its name ----------------------------------------------------------------------------------


def test_broker_and_table_are_in_the_address_and_the_login_beside_or_in_it(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x\n")

    assert is_outside("mqtt://h/t1")
    assert not is_outside("rig")
    assert table_at("mqtt://h:1/t1", None, None) == (BrokerAddress("h", 1), "t1")
    assert table_at("mqtt://h/t1/", "ann", secret)[0] == BrokerAddress("h", 1883, "ann", "x")
    address, _ = table_at("mqtt://ann:x@h/t1", None, None)
    assert (address.user, address.password) == ("ann", "x")


@pytest.mark.parametrize("target", ["mqtt://h", "mqtt://u:secret@h/", "mqtt://h/T 1", "mqtt:///t1"])
def test_an_address_without_broker_or_table_is_refused_without_its_password(target: str) -> None:
    with pytest.raises(BadInput) as refused:
        table_at(target, None, None)

    assert "secret" not in str(refused.value)


def at(hand: Any, link: Any = None) -> OutsideTarget:
    address = BrokerAddress("h", 1883, "ann", "secret")
    return OutsideTarget(lambda: hand, address, TABLE, lambda *_: link)


def test_it_is_a_target_without_a_board_and_its_name_tells_no_password() -> None:
    target = at(IndoorHand())

    assert isinstance(target, BoardTarget)
    assert name_of(target) == "mqtt://h:1883/bench"
    with pytest.raises(BadTarget, match="no board"):
        target.board()


# --- what it leaves out ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("power_cut", "it kills the table's process"),
        ("disk_full", "it fills the table's disk"),
        ("clock_jumps", "it changes the table's clock"),
        ("line_drop", "it is written for lab"),
        ("command_time_zones", "its clock shows another day"),
        ("evening_calm", "its people are simulated"),
        ("people_slide", "its people are simulated"),
        ("broker_slow", "these hands cannot do this: broker"),
    ],
)
def test_what_reaches_into_a_table_is_left_out_with_the_reason(name: str, words: str) -> None:
    assert words in left_out(scenario(name), at(IndoorHand()))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("game: null\n", "it begins without a game"),
        ("steps: [broker: slow]\n", "nobody at a real broker slows"),
        ("steps: [command: {verb: undo, client: phone}]\n", "another client"),
        ("steps: [command: {verb: undo, retained: yes}]\n", "a retained command behind"),
        ("measure: {pin_violations: at most 0}\n", "what no message tells: pin_violations"),
        ("table: rough\n", "of another make"),
    ],
)
def test_what_nobody_can_judge_from_outside_is_left_out(text: str, words: str) -> None:
    hand = IndoorHand(can=frozenset([*CAN, "broker"]))

    assert words in left_out(case(text).scenario, at(hand))


def test_a_simulated_tower_plays_half_of_what_is_shipped_and_people_a_third() -> None:
    every = [load(path)[0].scenario for path in find(["all"])]
    by = {
        who: sum(not left_out(each, at(IndoorHand(can=frozenset(can)))) for each in every)
        for who, can in {"tower": CAN, "people": WORDS}.items()
    }

    # Of 114: 56 and 32.
    assert by["tower"] >= 50
    assert by["people"] >= 30


# --- what nobody outside can know --------------------------------------------------------------


def test_what_is_not_known_is_not_judged() -> None:
    one = case(
        "measure: {latency_max_s: at most 1, right: exactly 1}\n"
        "expect: [truth: yes, {toppled: any, fallen: 3}, {mqtt: state, retain: true}]\n"
    )
    nothing = judgeable(one, Known(whole=False, timed=False, flags=False)).scenario
    everything = judgeable(one, Known(whole=True, timed=True, flags=True)).scenario

    assert list(nothing.measure) == ["right"]
    assert [each.what for each in nothing.expect] == ["toppled", "mqtt"]
    assert nothing.expect[1].retain is None
    assert (nothing.unexpected, nothing.account.people) == ("allow", False)
    assert everything.measure == one.scenario.measure
    assert everything.expect[1].fallen is None, "no message tells how many fell"
    assert everything.expect[2].retain


# --- playing -----------------------------------------------------------------------------------


class Wilful(IndoorHand):
    """Does as the list says with each piece it is asked to place."""

    def __init__(self, *does: Exception | None) -> None:
        super().__init__()
        self._does = list(does)

    def answer(self, *, told: bool) -> Any:
        found = super().answer(told=told)
        if found and self.asked_for[-1] == "place" and self._does and (why := self._does.pop(0)):
            raise why
        return found


PLACE = "steps: [turns: [3 d4]]\nexpect: [placed: d4]\n"


def test_a_case_that_went_otherwise_is_played_once_more(tmp_path: Path) -> None:
    hand = Wilful(BegunAgain("wrong cell"), None)
    result = at(hand, IndoorLink(tmp_path, hand)).judged(case(PLACE))

    assert result.verdict.failures == ()
    assert hand.asked_for.count("place") == 2
    assert hand.told[-1] == "x: passed"


@pytest.mark.slow
def test_what_people_skip_is_left_out_and_the_others_are_played(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hand = Wilful(LeftOut("skipped"), None)
    options = command.Options(at(hand, IndoorLink(tmp_path, hand)), repeat=2)

    assert command.run(["place_one"], options) == 0
    said = capfd.readouterr().out
    assert "1 of 1 cases passed" in said
    assert "Left out on mqtt://h:1883/bench: place_one: place d4: skipped." in said


def test_when_nothing_was_judged_the_command_says_so(tmp_path: Path) -> None:
    hand = Wilful(LeftOut("skipped"))

    with pytest.raises(BadInput, match="nothing was judged"):
        command.run(["place_one"], command.Options(at(hand, IndoorLink(tmp_path, hand))))


class Silent:
    """A link at which nothing is heard, or a table that is off."""

    def __init__(self, said: bytes = b"") -> None:
        self._said = said

    def join(self) -> dict[str, Sent]:
        if not self._said:
            raise NothingHeard("nothing")
        return {"availability": Sent(0.0, "availability", self._said, 1, retain=True)}

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("said", "words"), [(b"", "nothing"), (b"offline", "the table says that it is offline")]
)
def test_a_table_that_is_not_there_is_waited_for_and_then_named(
    said: bytes, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.bench.outside.table_target.THERE_S", 0.01)

    with pytest.raises(BadTarget, match=words):
        at(IndoorHand(), Silent(said)).need()
    at(IndoorHand(), Silent(b"online")).need()


def test_hands_are_people_unless_a_program_is_named() -> None:
    with pytest.raises(BadInput, match="nothing-of-that-name"):
        hand_of("nothing-of-that-name", phone=False)()
    assert hand_of(None, phone=False)().can == frozenset(WORDS)


def test_its_recordings_are_its_own(tmp_path: Path) -> None:
    options = command.Options(at(IndoorHand()), report=tmp_path, record=True)

    with pytest.raises(BadInput, match="samples stay inside that table"):
        command.run(["place_one"], options)


@pytest.mark.slow
def test_a_part_of_the_cases_is_judged_by_what_was_played_of_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hand = IndoorHand()
    options = command.Options(at(hand, IndoorLink(tmp_path, hand)))

    assert command.run(["place_one", "undo_redo", "-k", "undo"], options) == 0
    said = capfd.readouterr().out
    assert "undo_redo.yaml::undo_redo PASSED" in said
    assert "1 of 1 cases passed (1 scenarios" in said
    assert hand.asked_for.count("place") > 1
