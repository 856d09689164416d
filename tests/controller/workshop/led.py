"""Somebody with a phone, led through a command by the real server."""

import io
import json
import re
import threading
import time
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any, Self, TextIO

from pages.prompts.prompts import Prompts
from tests.controller.conftest import PATIENCE_S


class Led(threading.Thread):
    """A command that leads somebody with `--phone`, and the phone's end of the wire.

    Args:
        command: runs it, printing to what it is given; its simulated table goes by `pause`.
        prompts: what it asks.
        hold: part of the words at which the simulated table waits for `go`.
    """

    def __init__(self, command: Callable[[TextIO], int], prompts: Prompts, hold: str) -> None:
        super().__init__(daemon=True)
        self._command, self._hold, self.prompts = command, hold, prompts
        self.out, self.code, self.go = io.StringIO(), -1, threading.Event()

    def pause(self, _seconds: float) -> None:
        now = self.prompts.now
        if self._hold in f"{now.progress}\n{now.words}":
            self.go.wait(PATIENCE_S)

    def run(self) -> None:
        self.code = self._command(self.out)

    def __enter__(self) -> Self:
        self.start()
        found = eventually(lambda: re.search(r"http://\S+:(\d+)/#(\w+)\n", self.out.getvalue()))
        self.port, self.key = int(found[1]), found[2]
        return self

    def __exit__(self, *_: object) -> None:
        self.go.set()
        self.join(PATIENCE_S)

    def held(self) -> dict[str, Any]:
        """The prompt at which the table waits."""

        def there() -> dict[str, Any] | None:
            prompt = self.prompt()
            asked = f"{prompt['progress']}\n{prompt['words']}"
            return prompt if self._hold in asked else None

        return dict(eventually(there))

    def last(self) -> dict[str, Any]:
        """The prompt after which nothing comes."""

        def there() -> dict[str, Any] | None:
            prompt = self.prompt()
            return prompt if prompt["last"] else None

        return dict(eventually(there))

    def prompt(self) -> dict[str, Any]:
        return dict(self._asked("GET", "/prompt")[1])

    def press(self, button: str, number: int) -> int:
        return self._asked("POST", "/press", key=self.key, number=number, button=button)[0]

    def _asked(self, method: str, path: str, **body: Any) -> tuple[int, Any]:
        here = f"127.0.0.1:{self.port}"
        connection = HTTPConnection(here, timeout=PATIENCE_S)
        headers = {"origin": f"http://{here}", "content-type": "application/json"}
        connection.request(method, path, json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def eventually(look: Callable[[], Any]) -> Any:
    end_s = time.monotonic() + PATIENCE_S
    while not (found := look()):
        assert time.monotonic() < end_s
        time.sleep(0.02)
    return found
