"""The demo: what a newcomer sees first."""

import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.mqtt.client import BrokerAddress, Message, Mqtt
from controller.mqtt.topics import Publication
from controller.table.pipeline import Pipeline
from engine.events import HumanInput
from engine.referee import RefereeState
from engine.scoreboard import OptionShown, PlayerShown, QuestionShown, Scoreboard, document
from lab.demo import demo
from lab.demo.demo import THINKING_S, Answering, _Demo, broker_for
from lab.demo.open_table import OpenTable
from lab.people.simulation import SimulatedEvening
from lab.people.ways import USUAL
from tests.controller.conftest import PASSWORDS, PATIENCE_S, RunningBroker, mosquitto_program
from tests.controller.evenings import Detector
from tests.lab.demo.programs import ROOT, Program, running
from tests.outcomes import outcome

QUESTION = QuestionShown(
    "cell-3", "cell", "Where?", (OptionShown("b3", "b3", 0.7), OptionShown("none", "nothing")), 3,
    "Ann",
)  # fmt: skip


class People:
    """An evening that remembers what was said."""

    def __init__(self, answer: str | None) -> None:
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.asked: list[tuple[str, float, tuple[str, ...], str | None]] = []
        self._answer = answer
        self.people = self
        self.tower = self
        self.topple = None

    def answer(
        self, kind: str, about_s: float, options: tuple[str, ...], player: str | None
    ) -> str | None:
        self.asked.append((kind, about_s, options, player))
        return self._answer

    def say(self, verb: str, **data: Any) -> None:
        self.said.append((verb, data))


def answering(answer: str | None = "b3") -> tuple[Answering, People]:
    people: Any = People(answer)
    made = Answering(people)
    made.note(outcome(1, 40.0, "placed", "Ann", {"ref": 3}))
    return made, people


def test_a_question_is_answered_once_after_some_thought() -> None:
    made, people = answering()
    for now_s in (42.0, 42.0 + THINKING_S - 0.1):
        made.act(QUESTION, now_s)
    assert people.said == []
    for now_s in (42.0 + THINKING_S, 50.0, 60.0):
        made.act(QUESTION, now_s)

    assert people.said == [("answer", {"question": "cell-3", "value": "b3"})]
    assert people.asked == [("cell", 40.0, ("b3", "none"), "Ann")]


def test_who_says_another_cell_answers_again_once_the_others_are_offered() -> None:
    made, people = answering("another")
    another = OptionShown("another", "Another cell")
    made.act(msgspec.structs.replace(QUESTION, options=(*QUESTION.options, another)), 42.0)
    made.act(msgspec.structs.replace(QUESTION, options=(*QUESTION.options, another)), 50.0)
    made.act(QUESTION, 50.5)
    made.act(QUESTION, 50.0 + THINKING_S)

    assert [data["value"] for _, data in people.said] == ["another", "another"]
    assert people.asked[-1][2] == ("b3", "none")


def test_who_errs_gives_another_of_the_answers_offered() -> None:
    made, people = answering()
    made.errs = 1.0
    for now_s in (42.0, 50.0):
        made.act(QUESTION, now_s)

    assert people.said == [("answer", {"question": "cell-3", "value": "none"})]


def test_a_piece_that_was_asked_about_and_never_shown_is_the_one_of_that_moment() -> None:
    made, people = answering()
    made.note(outcome(2, 60.0, "asked", None, {"ref": 9}))
    made.note(outcome(3, 70.0, "asked", None, {"ref": 3}))
    for now_s in (72.0, 80.0):
        made.act(msgspec.structs.replace(QUESTION, ref=9), now_s)

    assert people.asked[0][1] == 60.0
    assert made.happened_s[3] == 40.0


def test_a_question_that_settles_itself_is_not_answered() -> None:
    made, people = answering()
    made.act(QUESTION, 42.0)
    made.act(None, 43.0)
    made.act(None, 60.0)

    assert people.said == []


def test_who_does_not_know_says_nothing() -> None:
    made, people = answering(None)
    for now_s in (42.0, 50.0):
        made.act(QUESTION, now_s)

    assert people.said == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"preset": "mild"}, "there are calm, normal, rough"),
        ({"people": "odd"}, "there are usual, at-once, staring"),
        ({"pieces": "glass"}, "there are equal, dyes, half-gram, marked, lost-washer"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(
    wrong: dict[str, Any], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.run(headless=True, **wrong) == 2
    error = capsys.readouterr().err

    assert words in error
    assert len(error.splitlines()) == 1


def play(*arguments: str) -> str:
    """A headless demo in a process of its own, as the command line runs it."""
    given = ", ".join(("headless=True", *arguments))
    code = f"from lab.demo.demo import run; import sys; sys.exit(run({given}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300,
        check=True,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_same_seed_plays_the_same_game_to_its_final_score() -> None:
    games = [play("seed=5", "longest_s=20") for _ in range(2)]
    told = [[line for line in game.splitlines() if not line.startswith("Broker")] for game in games]

    assert told[0] == told[1]
    assert re.fullmatch(r"The players counted: Ann -?\d+, Bob -?\d+ \(.*\)\.", told[0][-2])
    assert re.fullmatch(r"Final score: Ann -?\d+, Bob -?\d+ - .*\.", told[0][-1])


def test_make_demo_plays_with_marked_pieces_unless_others_are_named() -> None:
    said = subprocess.run(
        ["make", "--dry-run", "demo", "ARGS=--pieces equal"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    (command,) = (line for line in said.splitlines() if "controller.cli demo" in line)

    assert command.endswith("demo --pieces marked --pieces equal")


@pytest.mark.slow
@pytest.mark.parametrize(("pieces", "said"), [("marked", True), ("dyes", True), ("equal", False)])
def test_it_says_whether_a_weight_tells_whose_piece_it_is(pieces: str, said: bool) -> None:
    game = play("seed=5", f"pieces={pieces!r}", "longest_s=10")

    assert ("the weight of a piece helps to tell whose it is" in game) is said


STATE = "topple/1/demo/state"


def kept(heard: list[Message]) -> set[str]:
    return {message.topic for message in heard if message.retained}


@pytest.mark.slow
def test_the_page_and_a_subscriber_see_the_game_while_it_is_played(
    broker: Any, free_port: Callable[[], int], wait_until: Any
) -> None:
    port = free_port()
    heard: list[Message] = []
    config = "homeassistant/device/topple_demo/config"
    late = Mqtt(broker.address(), "late", subscriptions=(STATE, config))
    late.on_message(heard.append)
    call = (
        f"demo.run(seed=5, speed=10.0, broker=BrokerAddress(port={broker.port}), web_port={port})"
    )
    with running(call) as shown:
        shown.until("rolls")
        late.start()
        # A state that was just being said may come before the one that is kept.
        wait_until(lambda: {config, STATE} <= kept(heard), "state and device at once")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/t/demo", timeout=PATIENCE_S) as page:
            assert page.status == 200
        late.stop()

    state = next(message for message in heard if message.topic == STATE and message.retained)
    assert b'"simulated":true' in state.payload
    assert f"http://127.0.0.1:{port}/t/demo" in "".join(shown.told)


@pytest.mark.slow
def test_table_and_page_log_in_at_a_broker_that_knows_roles(
    guarded_mosquitto: RunningBroker, tmp_path: Path, wait_until: Any
) -> None:
    heard: list[Message] = []
    hall = Mqtt(guarded_mosquitto.address("display"), "hall", subscriptions=(STATE,))
    hall.on_message(heard.append)
    hall.start()
    files = {user: tmp_path / user for user in ("table", "controller")}
    for user, file in files.items():
        file.write_text(PASSWORDS[user])
    program = Program(
        "-m", "controller.cli", "demo", "--broker", f"127.0.0.1:{guarded_mosquitto.port}",
        "--user", "table", "--password-file", str(files["table"]), "--web-port", "0",
        "--web-user", "controller", "--web-password-file", str(files["controller"]),
    )  # fmt: skip
    try:
        page = program.until("Play:").split()[1].removesuffix("/try")
        program.until("rolls")
        wait_until(lambda: any(b'"phase":"roll"' in message.payload for message in heard), "a game")
        with urllib.request.urlopen(f"{page}/stream", timeout=PATIENCE_S) as stream:  # noqa: S310
            assert any(b'"board":{' in line for line in stream)
    finally:
        rest = program.interrupt()
        hall.stop()
    assert (program.returncode, "Traceback" in rest) == (0, False)


@pytest.mark.slow
def test_a_starter_table_is_shown_too() -> None:
    printed = play("seed=4", "longest_s=20", "starter=True")

    assert "simulated starter table" in printed
    assert "Final score" in printed


def test_the_simulated_people_can_answer_on_a_real_evening() -> None:
    evening = SimulatedEvening.begin(3, "calm", players=2, two_colours=False)
    Answering(evening).act(QUESTION, 0.0)
    evening.say("answer", question="cell-3", value="none")

    assert [getattr(item, "type", "") for item in evening.poll(0.5)].count("answer") == 1


def test_an_installed_mosquitto_is_the_broker_and_else_the_small_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mosquitto_program()
    with broker_for(None):
        assert "An own Mosquitto" in capsys.readouterr().out
    monkeypatch.setattr("controller.mqtt.own_mosquitto.program", lambda: None)
    with broker_for(None) as where:
        said = capsys.readouterr().out
        assert f"A small broker on port {where().port}" in said
        assert "apt install mosquitto" in said


@pytest.mark.slow
def test_a_broker_that_is_killed_is_started_again_and_the_game_goes_on(wait_until: Any) -> None:
    mosquitto_program()
    heard: list[Message] = []
    with running("demo.run(seed=1, speed=5.0, web_port=0, table='party')") as shown:
        shown.until("rolls")
        shown.kill_its("mosquitto")
        shown.until("the demo starts another one")
        port = int(shown.until("An own Mosquitto on port").split()[-9].rstrip(","))
        hall = Mqtt(BrokerAddress(port=port), "hall", subscriptions=("topple/1/party/state",))
        hall.on_message(heard.append)
        hall.start()
        wait_until(lambda: bool(heard), "the state of the table")
        shown.until("rolls")
        hall.stop()


# --- one game after the other --------------------------------------------------------------------


@pytest.mark.slow
def test_after_a_game_the_table_still_answers_and_the_next_game_begins(
    embedded_broker: Any, free_port: Callable[[], int], wait_until: Any
) -> None:
    replies: list[Message] = []
    phone = Mqtt(embedded_broker.address(), "phone", subscriptions=("topple/1/demo/reply/phone",))
    phone.on_message(replies.append)
    phone.start()
    # The fifth piece of this game scores, so that it is over within a minute of table time.
    web = f"broker=BrokerAddress(port={embedded_broker.port}), web_port={free_port()}"
    with running(f"demo.run(seed=17, speed=100.0, target=1, {web})") as shown:
        shown.until("Final score")
        asked = b'{"id": "after-the-end", "client": "phone", "data": {"on": true}}'
        phone.publish(Publication("topple/1/demo/cmd/hints", asked, qos=1, retain=False))
        wait_until(lambda: bool(replies), "the table's answer")
        shown.until("The game begins")
        phone.stop()

    assert b'"ok":true' in replies[0].payload
    assert sum("The game begins" in line for line in shown.told) == 2
    assert "next game begins in half a minute" in "".join(shown.told)


def board(game: str, phase: str) -> Scoreboard:
    return msgspec.structs.replace(document(RefereeState(), table="t", boot="b"), game=game,
                                   phase=phase)  # fmt: skip


def started(evening: SimulatedEvening, until_s: float) -> list[HumanInput]:
    items = evening.poll(until_s)
    return [item for item in items if isinstance(item, HumanInput) and item.type == "start"]


@pytest.mark.slow
def test_a_game_ended_by_phone_is_left_at_once_and_guests_are_waited_for() -> None:
    evening = SimulatedEvening.begin(5, "calm", players=2, two_colours=False, again=True)
    watching = Answering(evening)
    (start,) = started(evening, 8.0)
    watching.note(outcome(1, start.t_s, "started"), "game-1")
    watching.look(board("game-1", "roll"))
    assert not evening.people.called_off

    watching.look(board("game-1", "over"))
    assert evening.people.called_off
    watching.note(outcome(2, 9.0, "started"), "game-2")
    watching.look(board("game-2", "act"))
    assert started(evening, 120.0) == []
    watching.look(board("game-2", "over"))
    (again,) = started(evening, 122.0)

    assert again.data["replace"] is True
    watching.look(board("game-2", "over"))
    assert not evening.people.called_off


def test_after_a_round_the_page_for_visitors_knows_whether_people_counted_otherwise() -> None:
    evening = SimulatedEvening.begin(
        5, "calm", players=2, two_colours=False, again=True, kind=OpenTable
    )
    people = evening.people
    assert isinstance(people, OpenTable)
    rules = Pipeline(Detector())
    running = _Demo(evening, BrokerAddress(), rules, USUAL, seed=1, goes_on=True)
    (start,) = started(evening, 8.0)
    same = tuple(PlayerShown(name, (), "", points) for name, points in people.scores.items())
    other = tuple(PlayerShown(name, (), "", 7) for name in people.names)
    shown = msgspec.structs.replace(board("game-1", "roll"), players=same)
    running.listen(outcome(1, start.t_s, "started"), shown)
    assert people.visitors.counted is None

    running.listen(outcome(2, 60.0, "cleared"), msgspec.structs.replace(shown, players=other))
    assert people.visitors.counted == people.scores
    running.listen(outcome(3, 90.0, "cleared"), shown)
    assert people.visitors.counted is None
