"""A source that others listen to as well."""

from collections.abc import Callable
from typing import Any

from hw.source import Item, SampleSource


class TappedSource:
    """A source that also shows its samples to others."""

    def __init__(self, inner: SampleSource, *listeners: Callable[[list[Item]], None]) -> None:
        self._inner = inner
        self.listeners = list(listeners)

    def poll(self, until_s: float) -> list[Item]:
        """What the source gives."""
        items = self._inner.poll(until_s)
        for listener in self.listeners:
            listener(items)
        return items

    def restart_host(self) -> None:
        """The program that asks was started again; a line's other end then greets it anew."""
        restart = getattr(self._inner, "restart_host", None)
        if restart is not None:
            restart()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
