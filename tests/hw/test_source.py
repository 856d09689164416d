"""One suite for every source of samples, as the protocol promises it; and what reads them all."""

import io
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest

from engine.samples import ImuSamples, ScaleSamples, SensorReport
from hw.drivers.pins_health import HasPins
from hw.errors import HardwareError
from hw.source import HasLink, Thermometer, item_time_s, play
from hw.traces.recording import Recording
from tests.hw.sources import (
    BACK_S,
    END_S,
    GONE_S,
    KINDS,
    Computed,
    Table,
    assert_in_order,
    column,
    longest_gap_s,
    recording,
)
from tests.hw.traces.test_recording import evening, hand_made

LIVE = ["pi", "pi of a starter", "bridge", "bridge with a panel"]
COMPUTED = [name for name in KINDS if name not in LIVE]
NOBODY_PLAYS = [name for name in KINDS if "evening" not in name]


@pytest.fixture(params=KINDS)
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    made = KINDS[request.param]()
    yield made
    made.source.close()


def kind_of(table: Table) -> type:
    """What the table has that can be taken from it."""
    return ScaleSamples if table.source.tabletop.weight_only else ImuSamples


def test_samples_come_in_order_none_before_its_time_and_none_twice(table: Table) -> None:
    items = []
    for step_s in (0.1, 0.3, 0.05, 1.0, 0.5):
        came = table.run(2 * step_s, step_s)
        items += came
        assert all(item_time_s(item) <= table.clock_s for item in came)

    assert_in_order(items)
    assert table.source.poll(table.clock_s) == []
    assert table.source.poll(1.0) == []  # earlier than the call before


def test_blocks_have_the_shapes_the_types_and_the_rates_of_the_protocol(table: Table) -> None:
    source, items = table.source, table.run(2.0)
    if kind_of(table) is ScaleSamples:
        assert not any(isinstance(item, ImuSamples) for item in items)
    else:
        assert len(column(items, ImuSamples)) == pytest.approx(400, abs=60)
    assert len(column(items, ScaleSamples)) == pytest.approx(160, abs=30)
    for item in items:
        if isinstance(item, ScaleSamples):
            count = len(item.t_s)
            assert item.mass_g.shape == item.raw.shape == item.valid.shape == (count, 4)
            assert item.raw.dtype == np.int32
            assert item.valid.dtype == np.bool_
        elif isinstance(item, ImuSamples):
            count = len(item.t_s)
            assert item.accel_g.shape == item.rate_rad_s.shape == (count, 3)
            assert item.raw.shape == (count, 6)
            assert item.raw.dtype == np.int32
    assert source.tabletop == source.calibration.tabletop()
    assert source.simulated
    assert all(isinstance(notice, str) for notice in source.notices)


@pytest.mark.parametrize("name", NOBODY_PLAYS)
def test_an_empty_table_at_rest_weighs_nothing_and_lies_level(name: str) -> None:
    table = KINDS[name]()
    items = table.run(1.5)
    weight_g = column(items, ScaleSamples, "mass_g").sum(axis=1)

    assert np.nanmedian(weight_g) == pytest.approx(0.0, abs=2.0)
    if kind_of(table) is ImuSamples:
        up = np.median(column(items, ImuSamples, "accel_g"), axis=0)
        assert up == pytest.approx([0.0, 0.0, 1.0], abs=0.02)
        assert np.abs(np.median(column(items, ImuSamples, "rate_rad_s"), axis=0)).max() < 0.01


def test_grams_and_g_are_what_its_calibration_makes_of_the_counts(table: Table) -> None:
    for item in table.run(1.5):
        if isinstance(item, ScaleSamples):
            again = table.source.calibration.scale_samples(item.t_s, item.raw, item.valid)
            np.testing.assert_array_equal(again.mass_g, item.mass_g)
            assert np.isnan(item.mass_g[~item.valid]).all()
        elif isinstance(item, ImuSamples):
            again_imu = table.source.calibration.imu_samples(item.t_s, item.raw)
            np.testing.assert_array_equal(again_imu.accel_g, item.accel_g)
            np.testing.assert_array_equal(again_imu.rate_rad_s, item.rate_rad_s)


@pytest.mark.parametrize("name", [name for name in KINDS if name != "starter's evening"])
def test_a_sensor_that_is_gone_is_a_gap_that_nobody_bridges(name: str) -> None:
    table = KINDS[name]()
    items = table.run(GONE_S)
    table.take_sensor()
    items += table.run(BACK_S - GONE_S)
    table.give_sensor()
    items += table.run(END_S - BACK_S)
    times = column(items, kind_of(table))

    assert_in_order(items)
    assert longest_gap_s(times) == pytest.approx(BACK_S - GONE_S, abs=1.3)
    assert longest_gap_s(times[times > BACK_S + 1.3]) < 0.1
    reports = [item for item in items if isinstance(item, SensorReport)]
    if name in {*LIVE, "recording"}:
        assert [report.ok for report in reports] == [False, True]
        assert GONE_S <= reports[0].t_s < BACK_S <= reports[1].t_s
        assert "check" in reports[0].reason.lower()
        assert reports[1].reason == ""


def test_closed_it_gives_what_it_has_and_then_has_ended_also_when_closed_twice(
    table: Table,
) -> None:
    table.run(1.0)
    assert not table.source.ended
    table.source.close()
    table.source.close()
    rest = table.source.poll(END_S)

    assert table.source.ended
    assert all(item_time_s(item) <= table.clock_s + 0.1 for item in rest)
    assert table.source.poll(END_S + 1.0) == []


@pytest.mark.parametrize("name", COMPUTED)
def test_the_samples_do_not_depend_on_how_it_is_polled(name: str) -> None:
    coarse, fine = KINDS[name]().run(4.0, 1.0), KINDS[name]().run(4.0, 0.05)

    for kind in {type(item) for item in coarse} & {ScaleSamples, ImuSamples}:
        few, many = column(coarse, kind), column(fine, kind)
        shared = min(len(few), len(many))
        assert shared > 200
        assert few[:shared].tolist() == many[:shared].tolist()


@pytest.mark.parametrize("name", LIVE)
def test_a_live_source_is_not_over_when_nothing_comes_and_tells_its_health(name: str) -> None:
    table = KINDS[name]()
    table.run(2.0)
    source = table.source
    assert not source.ended
    assert isinstance(source, HasLink | HasPins)
    health = source.link_health() if isinstance(source, HasLink) else source.pins_health()
    assert health.late <= 1  # measured at the very beginning
    assert msgspec.json.decode(msgspec.json.encode(health), type=type(health)) == health
    assert isinstance(source, Thermometer)
    if kind_of(table) is ImuSamples:
        assert source.imu_temperature_c == pytest.approx(25.0, abs=1.0)


@pytest.mark.parametrize("name", COMPUTED)
def test_what_has_no_wires_has_no_health_of_them(name: str) -> None:
    assert not isinstance(KINDS[name]().source, HasLink | HasPins | Thermometer)


def test_a_recording_ends_where_it_was_recorded_to() -> None:
    source = recording().source
    items = list(play(source))

    assert source.ended
    assert item_time_s(items[-1]) == pytest.approx(END_S, abs=0.2)
    assert [type(item).__name__ for item in items if not hasattr(item.t_s, "__len__")] == [
        "SensorReport", "HumanInput", "SensorReport",
    ]  # fmt: skip


def test_what_breaks_is_an_error_of_the_hardware_in_a_sentence_and_can_be_closed() -> None:
    good, bad = b'{"raw":[1,2,3,4]}', b"{"
    source = Recording(
        io.BytesIO(hand_made([("scale", 0.5, good), ("scale", 1.25, bad)])), "evening.mcap"
    )
    with pytest.raises(HardwareError, match=r"^evening\.mcap: .* at 1\.250 s"):
        Computed(source).run(2.0)
    source.close()
    assert source.ended


def test_time_of_a_block_is_that_of_its_last_sample() -> None:
    block = evening(0.1)[0]
    assert isinstance(block, ScaleSamples | ImuSamples)

    assert item_time_s(block) == block.t_s[-1]


def test_play_stops_where_it_is_told() -> None:
    source = recording().source
    items = list(play(source, until_s=4.0))

    assert 3.9 < max(item_time_s(item) for item in items) <= 4.0
    assert not source.ended
