"""Programs that move the pieces: real processes and sockets that speak a line a deed."""

import shlex
import socket
import sys
import threading
from pathlib import Path

import pytest

from controller.common.errors import BadInput
from lab.bench.outside import hands
from lab.bench.outside.deeds import DeedAnswer, coloured
from lab.bench.outside.hands import HandGone, LeftOut, LineHand, line_hand
from tests.controller.conftest import wait_until

ECHO = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"ok": True, "can": ["place", "clear"]} if "can" in asked else {"ok": True}
    if asked.get("place", {}).get("cell") == "d4":
        answer["released_ago_s"] = 0.25
    if "lift" in asked:
        answer = {"ok": False, "why": "nothing lies there"}
    if "clear" in asked:
        break
    print(json.dumps(answer), flush=True)
"""


def program(text: str = ECHO) -> str:
    return f"{sys.executable} -c {shlex.quote(text)}"


def answered(hand: LineHand) -> DeedAnswer:
    found: list[DeedAnswer] = []

    def heard() -> bool:
        answer = hand.answer()
        found.extend([answer] if answer else [])
        return bool(found)

    wait_until(heard, "an answer")
    return found[0]


def test_a_command_says_what_it_can_and_answers_each_deed() -> None:
    hand = line_hand(program())
    hand.ask("place", coloured("d4", "red"))

    assert hand.can == {"place", "clear"}
    assert answered(hand) == DeedAnswer(ok=True, released_ago_s=0.25)
    assert hand.answer() is None
    hand.ask("lift", "d4")
    with pytest.raises(LeftOut, match="nothing lies there"):
        answered(hand)
    hand.close()


def test_a_program_that_ends_is_named() -> None:
    hand = line_hand(program())
    hand.ask("clear", True)
    with pytest.raises(HandGone, match="it has ended"):
        answered(hand)
    hand.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print('hello')", "'hello' is no answer"),
        ("pass", "it has ended"),
        ("import time; time.sleep(60)", "it said nothing in"),
    ],
)
def test_a_program_that_does_not_say_what_it_can_is_refused(
    text: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    patience_s = 0.1 if "sleep" in text else 60.0
    monkeypatch.setattr(hands, "FIRST_ANSWER_S", patience_s)

    with pytest.raises(HandGone, match=words):
        line_hand(program(text))


def test_what_cannot_be_started_and_where_nobody_listens_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        line_hand("nothing-of-that-name --now")
    with pytest.raises(BadInput, match=r"source\.moved_by"):
        line_hand(f"unix:{tmp_path}/nobody")


def test_a_socket_is_spoken_to_in_the_same_lines(tmp_path: Path) -> None:
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(tmp_path / "s"))
    door.listen()

    def serve() -> None:
        client, _ = door.accept()
        with client.makefile("rwb") as lines:
            assert lines.readline() == b'{"can":true}\n'
            lines.write(b'{"ok":true,"can":["place"]}\n')
            lines.flush()
        client.close()

    serving = threading.Thread(target=serve)
    serving.start()
    hand = line_hand(f"unix:{tmp_path / 's'}")
    serving.join()

    assert hand.can == {"place"}
    hand.close()
    door.close()
