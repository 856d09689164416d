"""The trace format of docs/traces.md in one place: channel names, messages, schemas.

A trace is an MCAP file of JSON messages. Reader (`hw.traces.recording`) and writer
(`hw.traces.recorder`) both take their words from here, so that our recordings and the public
traces are one format.
"""

from typing import Annotated, Any

import msgspec

TABLE_METADATA = "table"
TABLE_KEY = "json"
ORIGIN_METADATA = "origin"
"""Our own addition: where a recording comes from (`simulated`: `true` or `false`)."""

SCALE = "scale"
IMU = "imu"
TILT_SWITCH = "tilt_switch"
INPUT = "input"
REPORT = "sensor_report"
"""Our own addition: what a source said about its sensors, so that a bug report holds it too."""

CHANNELS = (SCALE, IMU, TILT_SWITCH, INPUT, REPORT)
NS_PER_S = 1_000_000_000

Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]


class ScaleMessage(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One conversion of the four HX711. `trusted` is written only when the reader had doubts."""

    raw: tuple[Int32, Int32, Int32, Int32]
    trusted: tuple[bool, bool, bool, bool] | None = None


class ImuMessage(msgspec.Struct, frozen=True, gc=False):
    """One sample of the inertial sensor."""

    accel: tuple[Int32, Int32, Int32]
    gyro: tuple[Int32, Int32, Int32]


class SwitchMessage(msgspec.Struct, frozen=True, gc=False):
    """An edge of the tilt switch."""

    closed: bool


class ReportMessage(msgspec.Struct, frozen=True):
    """A `SensorReport`."""

    sensor: str
    ok: bool
    reason: str = ""
    code: str = ""
    args: dict[str, str | int | float] = {}


def _integers(count: int) -> dict[str, Any]:
    return {
        "type": "array",
        "items": {"type": "integer"},
        "minItems": count,
        "maxItems": count,
    }


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


SCHEMAS: dict[str, dict[str, Any]] = {
    SCALE: _object({"raw": _integers(4)}, ["raw"]),
    IMU: _object({"accel": _integers(3), "gyro": _integers(3)}, ["accel", "gyro"]),
    TILT_SWITCH: _object({"closed": {"type": "boolean"}}, ["closed"]),
    INPUT: _object(
        {
            "type": {"type": "string"},
            "players": {"type": "array"},
            "target": {"type": "integer"},
            "first": {"type": "integer"},
            "value": {"type": "integer"},
            "player": {"type": "integer"},
        },
        ["type"],
    ),
    REPORT: _object(
        {
            "sensor": {"type": "string"},
            "ok": {"type": "boolean"},
            "reason": {"type": "string"},
            "code": {"type": "string"},
            "args": {"type": "object"},
        },
        ["sensor", "ok"],
    ),
}
