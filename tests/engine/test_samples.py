from engine.samples import SensorReport
from engine.troubles import IMU_SILENT


def test_a_report_of_a_trouble_has_its_sentence_and_its_code() -> None:
    lost = SensorReport.of(1.0, "imu", IMU_SILENT())

    assert (lost.ok, lost.reason, lost.code) == (False, IMU_SILENT.english, "imu_silent")


def test_a_report_without_a_trouble_says_that_all_is_well() -> None:
    assert SensorReport.of(2.0, "imu", None) == SensorReport(2.0, "imu", ok=True)
