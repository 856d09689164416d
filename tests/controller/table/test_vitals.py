import numpy as np
import pytest

from controller.mqtt.topics import SensorTrouble
from controller.table.vitals import LOSSES_KEPT_S, WINDOW_S, Vitals
from engine.events import Fault, Restored
from engine.samples import ImuSamples, ScaleSamples, SensorReport
from engine.troubles import CELL_JUMPED
from hw.conversions import Conversions, OfEach
from tests.controller.scripted import QUIET_TABLE


def scale(t_s: np.ndarray, dead: tuple[int, ...] = ()) -> ScaleSamples:
    n = len(t_s)
    valid = np.ones((n, 4), dtype=bool)
    valid[:, list(dead)] = False
    return ScaleSamples(t_s, np.zeros((n, 4)), np.zeros((n, 4), dtype=np.int32), valid)


def imu(t_s: np.ndarray) -> ImuSamples:
    n = len(t_s)
    return ImuSamples(t_s, np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 6), dtype=np.int32))


def fed(seconds: float, *, dead: tuple[int, ...] = (), begin_s: float = 0.0) -> Vitals:
    vitals = Vitals()
    for start_s in np.arange(begin_s, seconds, 0.25):
        vitals.samples(scale(start_s + np.arange(20) / 80, dead))
        vitals.samples(imu(start_s + np.arange(50) / 200))
    return vitals


@pytest.mark.parametrize(("seconds", "begin_s"), [(2.0, 0.0), (30.0, 0.0), (10.0, 4.0)])
def test_rates_are_counted_over_the_last_seconds(seconds: float, begin_s: float) -> None:
    health = fed(seconds, begin_s=begin_s).health("b", seconds, QUIET_TABLE)

    assert health.sensors["scale.0"].rate_hz == pytest.approx(80, rel=0.03)
    assert health.sensors["imu"].rate_hz == pytest.approx(200, rel=0.03)
    assert health.sensors["imu"].age_s == pytest.approx(0.0, abs=0.1)


def conversions(begin_s: float, end_s: float) -> OfEach:
    t_s = np.arange(begin_s, end_s, 1 / 80)
    good, steps = np.ones(len(t_s), dtype=bool), np.ones(len(t_s), dtype=np.int32)
    return (Conversions(t_s, np.zeros(len(t_s), dtype=np.int32), good, steps),) * 4


def test_the_rate_of_a_chip_is_counted_once_whenever_it_is_asked_for() -> None:
    vitals, rates_hz = Vitals(), []
    for begin_s, end_s in ((3.0, 10.0), (10.0, 20.0), (20.0, 23.0), (23.0, 33.0)):
        vitals.conversions(conversions(begin_s, end_s))
        rates_hz.append(vitals.health("b", end_s, QUIET_TABLE).sensors["scale.1"].rate_hz)

    assert rates_hz == pytest.approx([80.0] * 4, rel=0.01)


def test_a_cell_without_valid_counts_and_a_stream_that_stops_have_no_rate_and_grow_old() -> None:
    vitals = fed(20.0, dead=(2,))
    cell = vitals.health("b", 20.0, QUIET_TABLE).sensors["scale.2"]
    later = vitals.health("b", 20.0 + 2 * WINDOW_S, QUIET_TABLE).sensors["imu"]

    assert (cell.rate_hz, cell.age_s) == (0.0, None)
    assert later.rate_hz == 0.0
    assert later.age_s == pytest.approx(2 * WINDOW_S, abs=0.1)


SILENT = SensorTrouble("scale.2", "No counts. Check its plug.")
JUMPED = SensorTrouble.of("scale.2", CELL_JUMPED(n="C2"))


@pytest.mark.parametrize(
    ("said", "trouble"),
    [
        ([Fault(1.0, "scale.2", SILENT.reason)], SILENT),
        ([SensorReport(1.0, "scale.2", ok=False, reason=SILENT.reason)], SILENT),
        ([Fault.of(1.0, "scale.2", CELL_JUMPED(n="C2"))], JUMPED),
        # One that counts again is distrusted until it agrees with the others.
        ([Fault(1.0, "scale.2", SILENT.reason), SensorReport(2.0, "scale.2", ok=True)], SILENT),
    ],
)
def test_a_distrusted_sensor_says_what_to_check_until_it_is_back(
    said: list[Fault | SensorReport], trouble: SensorTrouble
) -> None:
    vitals = Vitals()
    for each in said:
        if isinstance(each, Fault):
            vitals.event(each)
        else:
            vitals.samples(each)

    assert vitals.troubles == {"scale.2": trouble}
    told = vitals.health("b", 2.0, QUIET_TABLE).sensors["scale.2"]
    assert (told.ok, told.reason, told.code, told.args) == (
        False, trouble.reason, trouble.code, trouble.args,
    )  # fmt: skip
    vitals.event(Restored(3.0, "scale.2"))
    assert vitals.troubles == {}
    assert vitals.health("b", 4.0, QUIET_TABLE).sensors["scale.2"].ok


def test_step_times_are_given_as_median_and_99th_percentile() -> None:
    vitals = Vitals()
    for took_ms in range(1, 101):
        vitals.step(took_ms / 1000)

    median_ms, slow_ms = vitals.health("b", 1.0, QUIET_TABLE).step_ms

    assert median_ms == pytest.approx(50.5)
    assert slow_ms == pytest.approx(99.0, abs=0.1)


def test_the_table_is_described_by_its_own_swings() -> None:
    table = fed(2.0).health("b", 2.0, QUIET_TABLE).table

    assert table.words == QUIET_TABLE.verdict.sentence
    assert (table.code, table.args) == ("pivot_good", {"degrees": 0.12})
    assert (table.friction_deg, table.scale_hz) == (0.123, 81.23)


def test_each_sensor_tells_its_figures() -> None:
    sensors = fed(12.0).health("b", 12.0, QUIET_TABLE, imu_temperature_c=29.5).sensors

    assert (sensors["scale.0"].noise_counts, sensors["scale.0"].noise_g) == (0.0, 0.0)
    assert sensors["imu"].noise_counts == 0.0
    assert (sensors["scale.0"].saturated, sensors["scale.0"].resets) == (0, 0)
    assert (sensors["imu"].temperature_c, sensors["scale.0"].temperature_c) == (29.5, None)


def test_refused_commands_are_told_by_their_code_for_a_while_and_not_for_ever() -> None:
    vitals = Vitals()
    told = [
        vitals.health("b", t_s, QUIET_TABLE, refused=refused).refused
        for t_s, refused in (
            (0.0, {"busy": 0}), (100.0, {"busy": 3}), (200.0, {"busy": 3, "expired": 1}),
            (100.0 + LOSSES_KEPT_S, {"busy": 3, "expired": 1}), (5000.0, {"busy": 3, "expired": 1}),
        )
    ]  # fmt: skip

    assert told == [{}, {"busy": 3}, {"busy": 3, "expired": 1}, {"expired": 1}, {}]


def test_a_lost_message_is_told_for_a_while_and_not_for_ever() -> None:
    vitals = Vitals()
    told = [
        vitals.health("b", t_s, QUIET_TABLE, lost).dropped
        for t_s, lost in (
            (0.0, 0), (100.0, 3), (200.0, 4), (100.0 + LOSSES_KEPT_S, 4), (5000.0, 4), (5010.0, 5)
        )
    ]  # fmt: skip

    assert told == [0, 3, 4, 1, 0, 1]
