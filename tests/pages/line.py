"""The line between a page and its server: what goes over it, also on a slow one."""

from typing import Any

SLOW = {"offline": False, "latency": 400, "downloadThroughput": 400e3 / 8,
        "uploadThroughput": 400e3 / 8}  # fmt: skip
"""400 kbit/s and 400 ms to the first byte of each answer: a phone at the edge of a network."""

MOST_BYTES = 90_000
"""Of a page until it stands: not two seconds on such a line."""


class Line:
    """Counts what a page of Chromium gets, from when this is made.

    Args:
        page: one of Playwright's, not yet opened.
        like: the conditions of a slow line, as the DevTools protocol has them; None for this
            machine's own.
    """

    def __init__(self, page: Any, like: dict[str, Any] | None = None) -> None:
        self._of: dict[str, int] = {}
        self._addresses: dict[str, str] = {}
        session = page.context.new_cdp_session(page)
        session.on("Network.responseReceived", self._answered)
        session.on("Network.dataReceived", self._received)
        session.on("Network.loadingFinished", self._finished)
        session.send("Network.enable")
        if like is not None:
            session.send("Network.emulateNetworkConditions", like)

    @property
    def requests(self) -> int:
        """Answers so far, streams among them."""
        return len(self._of)

    @property
    def files(self) -> list[str]:
        """Names of the scripts, styles and pictures so far; not of what says how a game stands."""
        return [self._addresses[request].rpartition("/")[2] for request in self._static()]

    @property
    def file_bytes(self) -> int:
        """What these files carried, with headers; however long a game went on meanwhile."""
        return sum(self._of[request] for request in self._static())

    @property
    def carried_bytes(self) -> int:
        """What came so far, with headers, as it was on the line."""
        return sum(self._of.values())

    def _static(self) -> list[str]:
        return [request for request, at in self._addresses.items() if "/static/" in at]

    def _answered(self, told: dict[str, Any]) -> None:
        self._of[told["requestId"]] = int(told["response"]["encodedDataLength"])
        self._addresses[told["requestId"]] = told["response"]["url"]

    def _received(self, told: dict[str, Any]) -> None:
        # Streams have no end at which their whole length is told.
        if told["requestId"] in self._of:
            self._of[told["requestId"]] += int(told["encodedDataLength"])

    def _finished(self, told: dict[str, Any]) -> None:
        if told["requestId"] in self._of:
            self._of[told["requestId"]] = int(told["encodedDataLength"])
