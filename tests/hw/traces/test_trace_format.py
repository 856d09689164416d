import jsonschema_rs
import msgspec
import pytest

from hw.traces.trace_format import (
    CHANNELS,
    IMU,
    REPORT,
    SCALE,
    SCHEMAS,
    TILT_SWITCH,
    ImuMessage,
    ReportMessage,
    ScaleMessage,
    SwitchMessage,
)

EXAMPLES = {
    SCALE: ScaleMessage((1, -2, 3, 4)),
    IMU: ImuMessage((1, 2, 3), (4, 5, 6)),
    TILT_SWITCH: SwitchMessage(closed=True),
    REPORT: ReportMessage("imu", ok=False, reason="check its plug"),
}


@pytest.mark.parametrize("channel", EXAMPLES)
def test_what_is_written_fits_its_schema_and_reads_back_equal(channel: str) -> None:
    message = EXAMPLES[channel]
    text = msgspec.json.encode(message)

    jsonschema_rs.validate(SCHEMAS[channel], msgspec.json.decode(text))
    assert msgspec.json.decode(text, type=type(message)) == message


def test_a_trusted_conversion_is_written_as_in_the_public_traces() -> None:
    assert msgspec.json.encode(EXAMPLES[SCALE]) == b'{"raw":[1,-2,3,4]}'


def test_every_channel_has_a_schema() -> None:
    assert set(CHANNELS) == set(SCHEMAS)
