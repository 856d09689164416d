"""A table of which every sensor, wire and figure has something to say."""

from typing import Any

from controller.table.confidence import Sureness
from controller.table.piece_marks import LostMark, PieceMarks
from controller.table.vitals import Health, SensorVitals, TableVitals
from engine.detect.front.health import pivot_verdict
from engine.trouble import Trouble
from engine.troubles import CELL_NO_VALUES, IMU_SILENT
from firmware_bridge.imu_chips import remark
from firmware_bridge.troubles import BROWN_OUT
from hw.drivers.pins_health import CellHealth, ImuHealth, PinsHealth
from hw.source import LinkHealth
from hw.troubles import BUTTON_STUCK, CHIP_END, MCU_STALLED, READINGS_LOST, words_of


def distrusted(trouble: Trouble, **figures: Any) -> SensorVitals:
    return SensorVitals(
        False, 0.0, None, trouble.sentence, code=trouble.code, args=dict(trouble.args), **figures
    )


CAUSES = ("power_on", "external", "brown_out", "watchdog")
PIVOT = pivot_verdict(0.6, 0.02)
EVERYTHING = Health(
    "boot-1", 60.0,
    {
        "scale.2": distrusted(
            CELL_NO_VALUES(n="C2"), noise_counts=12.0, noise_g=0.3, drift_g_min=0.1, saturated=3,
            resets=2,
        ),
        "imu": distrusted(IMU_SILENT(), temperature_c=24.5),
        "link": distrusted(MCU_STALLED()),
        "button.undo": distrusted(BUTTON_STUCK(button="undo", seconds=20, pin=5)),
        "readings": distrusted(READINGS_LOST(n=7)),
    },
    (2.0, 500.0), 4,
    TableVitals(
        PIVOT.sentence, 0.6, 0.02, 0.7, 3.0, 0.2, 9.0, 80.0, 199.0, PIVOT.code, dict(PIVOT.args)
    ),
    LinkHealth(
        False, BROWN_OUT().sentence, 3, 257, CAUSES, 1, 0.5, 1, 1, 1, 1, (1, 2, 3, 4), 1, 1, 1,
        (0, 0, 0, 1), (80.1, None, 79.9, 80.0), 198.6, 2, 104, 31.0, 1, 12, -40.0,
        code=BROWN_OUT.code,
    ),
    PinsHealth(
        (CellHealth(rate_hz=80.0, **words_of(CHIP_END(n="C0"))),),
        ImuHealth(who=112, rate_hz=198.0, celsius=25.0, **words_of(remark(112))), 1, 1,
    ),
    until=1_795_000_000.0, clients={"display": 2, "controller": 1},
    sureness=Sureness(50, 0.9, 3, 0.8, 6, True),
    pieces=PieceMarks({"red": 3.0, "blue": 4.0}, 0.99997, [LostMark("blue", "red", 3)]),
)  # fmt: skip
"""A health document in which every part says something."""
