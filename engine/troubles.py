"""What the table finds out about its sensors and its pivot by their signals, in English."""

from engine.trouble import TroubleKind

CELL_NO_VALUES = TroubleKind(
    "cell_no_values", "Load cell {n} gives no valid values; check its plug and its supply"
)
CELL_REPEATS = TroubleKind(
    "cell_repeats", "Load cell {n} repeats one value; check its data wire and its HX711"
)
CELL_JUMPED = TroubleKind(
    "cell_jumped", "Load cell {n} jumped alone; check its wires and that nothing touches it"
)
CELL_UNLOADED = TroubleKind(
    "cell_unloaded", "Load cell {n} follows no load; check its plug and its four wires"
)
CELL_ERRATIC = TroubleKind(
    "cell_erratic",
    "Load cell {n} is off now and then, and no other is; check its plug, the joints of its wires "
    "and the clock wire of its HX711. The table plays on with the other three",
)
CELL_NOISY = TroubleKind(
    "cell_noisy",
    "Load cell {n} is far noisier than the others; check its plug and the joints of its wires. "
    "The table plays on with the other three",
)
CELL_DRIFTS = TroubleKind(
    "cell_drifts",
    "The zero of load cell {n} runs away; check its plug and its screws, and that nothing warms "
    "it. The table plays on with the other three",
)
CELL_UNEVEN = TroubleKind(
    "cell_uneven",
    "Load cell {n} does not follow the load as the others do; check that nothing touches it or "
    "its wires, then calibrate. The table plays on with the other three",
)
THE_CELL_NO_VALUES = TroubleKind(
    "the_cell_no_values", "The load cell gives no valid values; check its plug and its supply"
)
"""The starter's only load cell has no number."""
THE_CELL_REPEATS = TroubleKind(
    "the_cell_repeats", "The load cell repeats one value; check its data wire and its HX711"
)

IMU_SILENT = TroubleKind(
    "imu_silent",
    "The inertial sensor is silent; check its four wires. Cells will be asked for",
)
IMU_REPEATS = TroubleKind(
    "imu_repeats",
    "The inertial sensor repeats one value; check its four wires. Cells will be asked for",
)
IMU_TURNED = TroubleKind(
    "imu_turned",
    "The inertial sensor and the load cells contradict each other about the side to which the "
    "board swings; check that sensor and board sit as they did at the calibration and that no two "
    "load cells are exchanged, then calibrate. Cells will be asked for",
)
GYRO_JUMPS = TroubleKind(
    "gyro_jumps",
    "The gyroscope and the accelerometer of the inertial sensor contradict each other again and "
    "again; check that it sits firmly, its supply and its wires, or exchange it. The table "
    "corrects it and plays on",
)

PIVOT_UNKNOWN = TroubleKind(
    "pivot_unknown", "The pivot has not swung enough yet to judge its friction."
)
PIVOT_GOOD = TroubleKind("pivot_good", "The pivot is good: it sticks within {degrees} degrees.")
PIVOT_ROUGH = TroubleKind(
    "pivot_rough",
    "The pivot is rough: it sticks within {degrees} degrees (aim: {aim}). Clean and re-point the "
    "tip and its seat; check that the sensor cable hangs free.",
)
ONE_CELL = TroubleKind(
    "one_cell", "One load cell: the table sees pieces come and go, and asks where."
)
"""On a table that has no pivot to judge."""
