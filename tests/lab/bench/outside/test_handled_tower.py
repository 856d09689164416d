"""The simulated tower that lines move: what it does, what it answers, and who may reach it."""

import json
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from controller.app import wiring
from controller.common.config import parse
from controller.common.errors import BadConfig, BadInput
from lab.bench.outside.handled_tower import CAN, LineSocket, moved_tower


class Bench:
    """The other end of the socket; the tower's time goes on until there is an answer."""

    def __init__(self, path: Path) -> None:
        self.tower = moved_tower(str(path), 1, "calm")
        self.line = socket.socket(socket.AF_UNIX)
        self.line.connect(str(path))
        self.line.setblocking(False)
        self.now_s = 0.0

    def asks(self, text: str) -> dict[str, Any]:
        self.line.sendall(f"{text}\n".encode())
        for _ in range(600):
            self.now_s += 0.05
            self.tower.poll(self.now_s)
            try:
                answer: dict[str, Any] = json.loads(self.line.recv(100_000))
            except BlockingIOError:
                continue
            return answer
        pytest.fail(f"no answer to {text}")


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    found = Bench(tmp_path / "hands")
    yield found
    found.line.close()
    found.tower.close()


def test_it_says_what_it_can(bench: Bench) -> None:
    assert bench.asks('{"can":true}') == {"ok": True, "can": list(CAN)}


def test_a_piece_is_placed_and_the_answer_says_how_long_ago_it_was_let_go(bench: Bench) -> None:
    answer = bench.asks('{"place":{"cell":"d4","colour":"red"}}')

    assert answer["ok"]
    assert 0 <= answer["released_ago_s"] < 1
    assert [p.colour for p in bench.tower.tower.pieces.stacks["d4"]] == ["red"]


def test_the_truth_is_told_in_seconds_before_the_answer(bench: Bench) -> None:
    bench.asks('{"place":{"cell":"d4","colour":"red"}}')
    bench.asks('{"touch":{"cell":"a1","seconds":1.0}}')
    (entry,) = (e for e in bench.asks('{"truth":true}')["truth"] if e["type"] == "place")

    assert -6 < entry["t_release"] < -0.9
    assert entry["t_contact"] < entry["t_release"]


def test_everything_is_taken_off_and_a_deed_without_a_piece_has_no_release(bench: Bench) -> None:
    bench.asks('{"place":{"cell":"d4","colour":"red"}}')
    answer = bench.asks('{"clear":true}')

    assert answer == {"ok": True}
    assert not any(bench.tower.tower.pieces.stacks.values())


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("hello", "no line of the bench"),
        ('{"place":"z9"}', "no line of the bench"),
        ('{"kill":true}', "kill is nothing for hands"),
        ('{"knock_off":"a1"}', "there is no piece on a1"),
        ("{}", "that is nothing for hands"),
    ],
)
def test_what_it_cannot_do_is_refused_with_the_reason(bench: Bench, line: str, why: str) -> None:
    answer = bench.asks(line)

    assert not answer["ok"]
    assert why in answer["why"]


def test_only_this_user_may_connect_and_the_socket_goes_with_the_table(tmp_path: Path) -> None:
    path = tmp_path / "hands"
    tower = moved_tower(str(path), 1, "calm")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    tower.close()
    assert not path.exists()


def test_somebody_who_hangs_up_makes_room_for_the_next(bench: Bench, tmp_path: Path) -> None:
    bench.line.close()
    bench.line = socket.socket(socket.AF_UNIX)
    bench.line.connect(str(tmp_path / "hands"))
    bench.line.setblocking(False)

    assert bench.asks('{"can":true}')["ok"]


def test_a_place_where_no_socket_can_be_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"source\.moved_by"):
        LineSocket(tmp_path / "nowhere" / "hands")


def test_a_table_has_it_only_if_its_configuration_says_so(tmp_path: Path) -> None:
    said = parse(f'[source]\nkind = "twin"\nmoved_by = "{tmp_path}/hands"\n')
    moved, usual = wiring.source(said.source), wiring.source(parse("").source)

    assert type(moved).__name__ == "SocketTower"
    assert type(usual).__name__ == "SimulatedEvening"
    moved.close()


@pytest.mark.parametrize(
    "kind", ['kind = "recording"\npath = "x"', 'kind = "twin"\nstarter = true']
)
def test_no_other_table_can_have_it(kind: str) -> None:
    with pytest.raises(BadConfig, match="moved_by is for the simulated tower"):
        parse(f'[source]\nmoved_by = "h"\n{kind}\n')
