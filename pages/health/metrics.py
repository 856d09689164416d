"""What the tables say of themselves as OpenMetrics text, for Prometheus, Telegraf and their kin.

Every number of a table's `health` is one metric: `sensors.imu.rate_hz` is
`topple_sensors_rate_hz{table="t1",sensor="imu"}`; docs/mqtt/schemas/health.json says what each
means. Those of a table that is gone or silent are left out: an old number looks like a good one.

Only who knows the token may ask, since a table's figures tell when somebody is at home.
"""

import hmac
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from controller.table.vitals import Health
from engine.errors import UNREADABLE
from pages.mirror import Mirror, TableMirror

PATH = "/metrics"
MEDIA_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"

SILENT = frozenset(("no_broker", "unknown", "offline", "stale"))
"""Notices of a table whose last words say nothing of how it is now."""

KEYS = {
    "sensors": "sensor",
    "clients": "role",
    "too_large": "row",
    "refused": "code",
    "masses_g": "colour",
}
"""Mappings in `health` that hold figures, and the label that takes their keys."""

CELLS = ("0", "1", "2", "3")
PLACES = {
    "step_ms": ("quantile", ("0.5", "0.99")),
    **dict.fromkeys(("cells", "missed", "condemned", "rates_hz"), ("cell", CELLS)),
}
"""Lists in `health` that hold figures, and what their places are."""

LARGEST = 2**63
"""No count of ours is; a longer one fits no floating-point number."""

Sample = tuple[str, dict[str, str], float]
"""Name, labels, value."""


class Metrics:
    """The route that gives them; `mirror` is asked at each request."""

    def __init__(self, token: str, mirror: Callable[[], Mirror]) -> None:
        self._expected = f"Bearer {token}".encode()
        self._mirror = mirror

    def routes(self) -> list[Route]:
        """The one route."""
        return [Route(PATH, self._answer)]

    async def _answer(self, request: Request) -> Response:
        given = request.headers.get("authorization", "")
        if not hmac.compare_digest(given.encode(), self._expected):
            text = "Send the metrics token of these pages: Authorization: Bearer <token>\n"
            return Response(text, 401, {"www-authenticate": "Bearer"}, "text/plain")
        return Response(exposition(self._mirror(), time.monotonic()), media_type=MEDIA_TYPE)


def exposition(mirror: Mirror, now_s: float) -> str:
    """All tables as OpenMetrics 1.0 text."""
    families: dict[str, list[str]] = {}
    for name, labels, value in _all(mirror, now_s):
        told = ",".join(f'{key}="{_escaped(word)}"' for key, word in labels.items())
        families.setdefault(name, []).append(f"{name}{{{told}}} {float(value)!r}")
    lines = [line for name, found in families.items() for line in (f"# TYPE {name} gauge", *found)]
    return "\n".join((*lines, "# EOF\n"))


def _all(mirror: Mirror, now_s: float) -> Iterator[Sample]:
    yield "topple_broker_up", {}, mirror.broker.up
    for name, table in sorted(mirror.tables.items()):
        labels = {"table": name}
        silent = not SILENT.isdisjoint(mirror.notices(name, now_s))
        yield "topple_up", labels, not silent
        if not silent:
            yield from _of_status(table, labels)
            yield from _of_health(table, labels)


def _of_status(table: TableMirror, labels: dict[str, str]) -> Iterator[Sample]:
    if (status := table.status) is None:
        return
    run = {"boot": status.boot, "software": status.sw, "phase": status.phase}
    yield "topple_run", labels | run, 1
    for number, trouble in enumerate(status.troubles):
        found = {"sensor": trouble.sensor, "code": trouble.code, "number": str(number)}
        yield "topple_trouble", labels | found, 1


def _of_health(table: TableMirror, labels: dict[str, str]) -> Iterator[Sample]:
    try:
        health = msgspec.convert(table.health, Health)
    except UNREADABLE:
        # None before the first, or a newer table's.
        return
    yield from _numbers("topple", health, labels)


def _numbers(name: str, value: Any, labels: dict[str, str]) -> Iterator[Sample]:
    """The numbers in a document, each named by its path; words are left out."""
    if isinstance(value, int | float) and abs(value) < LARGEST:
        yield name, labels, value
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            for more, found in _parts(field, getattr(value, field)):
                yield from _numbers(f"{name}_{field}", found, labels | more)


def _parts(field: str, value: Any) -> Iterator[tuple[dict[str, str], Any]]:
    """A field's value, or each of its values with the label that tells them apart."""
    if isinstance(value, Mapping):
        if field in KEYS:
            yield from (({KEYS[field]: key}, found) for key, found in value.items())
    elif isinstance(value, tuple):
        if field in PLACES:
            label, places = PLACES[field]
            yield from (({label: at}, found) for at, found in zip(places, value, strict=False))
    elif field != "v":
        yield {}, value


def _escaped(word: str) -> str:
    return word.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
