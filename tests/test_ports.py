"""No two servers of the tests may come to want the same port."""

import socket
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from tests import ports
from tests.controller.conftest import running_mosquitto
from tests.ports import candidates, free_port

ROOT = Path(__file__).parents[1]


def test_no_port_is_given_twice_though_nobody_has_begun_to_listen() -> None:
    given = [free_port() for _ in range(200)]

    assert len(set(given)) == len(given)


def test_another_process_does_not_get_the_port_that_this_one_was_given() -> None:
    mine = free_port()
    asked = (
        "from tests import ports; "
        f"ports.candidates = lambda: iter(({mine}, {mine + 1}, {mine + 2}, {mine + 3})); "
        "print(ports.free_port())"
    )

    said = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert int(said.stdout) > mine


def test_a_port_at_which_somebody_listens_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    # Some of them are given to other tests already.
    others = tuple(islice(candidates(), 100))
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        taken = somebody.getsockname()[1]
        monkeypatch.setattr(ports, "candidates", lambda: iter((taken, *others)))

        assert free_port() in others


def test_a_mosquitto_whose_port_is_taken_fails_at_once_and_says_why(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        port = somebody.getsockname()[1]
        (tmp_path / "mosquitto.conf").write_text(f"listener {port} 127.0.0.1\n")

        with pytest.raises(pytest.fail.Exception, match="Address already in use"):
            next(running_mosquitto(tmp_path / "mosquitto.conf", free_port()))
