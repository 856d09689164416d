"""What drivers, line and recorder say about their sensors, in English."""

from typing import TypedDict

from engine.trouble import Trouble, TroubleKind
from firmware_bridge.troubles import LinkTrouble


class Words(TypedDict):
    """How a document of `health` has them; all empty when there is nothing to say."""

    words: str
    code: str
    args: dict[str, str | int | float]


def words_of(said: Trouble | LinkTrouble | None) -> Words:
    """As a document of `health` has them."""
    if said is None:
        return Words(words="", code="", args={})
    return Words(words=said.sentence, code=said.code, args=dict(said.args))


def of_link(said: LinkTrouble) -> Trouble:
    """The same in the words of the table."""
    return Trouble(said.code, said.english, said.args)


CHIP_SILENT = TroubleKind(
    "chip_silent",
    "Load cell {n} is silent, its DOUT stays high. Unplugged? Check that its HX711 board has power "
    "(VCC, GND) and that its wire DT is on the right pin.",
)
CHIP_LOW = TroubleKind(
    "chip_low",
    "Load cell {n} gives no data, its DOUT stays low. Check that its wire SCK is on the right pin, "
    "and that DT touches neither GND nor another pin.",
)
CHIP_END = TroubleKind(
    "chip_end",
    "Load cell {n} is at the end of its range. Is something heavy on it? If not, check the four "
    "wires between load cell and HX711 (E+, E-, A+, A-).",
)
THE_CHIP_SILENT = TroubleKind(
    "the_chip_silent",
    "The load cell is silent, its DOUT stays high. Unplugged? Check that its HX711 board has power "
    "(VCC, GND) and that its wire DT is on the right pin.",
)
"""The starter's only load cell has no number."""
THE_CHIP_LOW = TroubleKind(
    "the_chip_low",
    "The load cell gives no data, its DOUT stays low. Check that its wire SCK is on the right pin, "
    "and that DT touches neither GND nor another pin.",
)
THE_CHIP_END = TroubleKind(
    "the_chip_end",
    "The load cell is at the end of its range. Is something heavy on it? If not, check the four "
    "wires between load cell and HX711 (E+, E-, A+, A-).",
)

CELLS_HANG = TroubleKind(
    "cells_hang",
    "The process that reads the load cells hangs and is started again. If it happens again, close "
    "other programs; this computer is too busy.",
)
CELLS_KILLED = TroubleKind(
    "cells_killed",
    "The process that reads the load cells was killed (signal {n}) and is started again. If it "
    "happens again, look whether memory runs out: journalctl -k.",
)
CELLS_ENDED = TroubleKind(
    "cells_ended",
    "The process that reads the load cells ended by itself (exit code {n}) and is started again. "
    "If it happens again, please report it with the lines above from journalctl.",
)
CELLS_UNOPENED = TroubleKind("cells_unopened", "The load cells cannot be read; {error}")

READINGS_LOST = TroubleKind(
    "readings_lost",
    "{n} readings were lost because this computer was too busy to take them; close other programs",
)
RATE_SLOW = TroubleKind(
    "rate_slow",
    "Load cell {n} converts {hz} times a second, not {wanted}: the pin RATE of its HX711 is low. "
    "The table goes on, slower; tie RATE to VCC (on many boards a jumper), or calibrate again",
)
RATE_FAST = TroubleKind(
    "rate_fast",
    "Load cell {n} converts {hz} times a second, not {wanted}: the pin RATE of its HX711 is high. "
    "The table goes on; tie RATE to ground (on many boards a jumper), or calibrate again",
)
RATE_ODD = TroubleKind(
    "rate_odd",
    "Load cell {n} converts {hz} times a second, not {wanted}, which no setting of its HX711 "
    "gives. The table goes on; check the supply of that board, or take another one",
)
THE_RATE_SLOW = TroubleKind(
    "the_rate_slow", RATE_SLOW.english.replace("Load cell {n}", "The load cell")
)
THE_RATE_FAST = TroubleKind(
    "the_rate_fast", RATE_FAST.english.replace("Load cell {n}", "The load cell")
)
THE_RATE_ODD = TroubleKind(
    "the_rate_odd", RATE_ODD.english.replace("Load cell {n}", "The load cell")
)
"""The starter's only load cell has no number."""
READER_FAILED = TroubleKind("reader_failed", "Reading {name} failed ({error}); please report this")
PANEL_GONE = TroubleKind(
    "panel_gone", "The buttons, lights and buzzer cannot be used; {error}. We keep trying."
)
PIN_HELD = TroubleKind(
    "pin_held",
    "GPIO{pin}, which {key} needs, is held by {holder}. If that is a driver of the kernel, take "
    "its overlay out of /boot/firmware/config.txt and restart; if it is a program, close it. "
    "gpioinfo shows all holders. The other pins are used, and we keep trying.",
)
PIN_REFUSED = TroubleKind(
    "pin_refused",
    "GPIO{pin}, which {key} needs, cannot be used ({error}). Check with gpioinfo whether a driver "
    "of the kernel (an overlay in /boot/firmware/config.txt) or another program holds it. The "
    "other pins are used, and we keep trying.",
)
BUTTON_STUCK = TroubleKind(
    "button_stuck",
    "The {button} button has been down for {seconds} s; check that it is not jammed and that its "
    "wire (GPIO{pin}) does not touch ground",
)

IMU_NOBODY = TroubleKind(
    "imu_nobody",
    "The inertial sensor does not answer at {address} on {bus}; check its plug and its four wires "
    "(3.3 V, ground, SDA, SCL)",
)
IMU_ELSEWHERE = TroubleKind(
    "imu_elsewhere",
    "The inertial sensor does not answer at {address} on {bus}; check its plug and its four wires "
    "(3.3 V, ground, SDA, SCL). A device answers at {other}: its pin AD0 is not {level}; wire it "
    "so, or put imu_address = {other} into the configuration",
)
IMU_STRANGER = TroubleKind(
    "imu_stranger",
    "The device at {address} on {bus} identifies itself as {who}, which is not an MPU-6050; check "
    "that it is the inertial sensor (some clocks have the same address)",
)
IMU_NO_SAMPLES = TroubleKind(
    "imu_no_samples",
    "The inertial sensor answers but takes no samples; check its supply, or try another one",
)
IMU_LOST_POWER = TroubleKind(
    "imu_lost_power",
    "The inertial sensor lost its power for a moment and is being set up again; check its 3.3 V "
    "and its plug",
)
IMU_FORGETS = TroubleKind(
    "imu_forgets",
    "The inertial sensor does not keep its settings; check its 3.3 V supply, and try another one",
)
IMU_UNOPENED = TroubleKind("imu_unopened", "The inertial sensor cannot be read; {error}")
IMU_HELD = TroubleKind(
    "imu_held",
    "The inertial sensor's address {address} on {bus} is held by the kernel's driver {driver}. "
    "Take its overlay (dtoverlay=) out of /boot/firmware/config.txt and restart; if it is a clock, "
    "wire AD0 of the inertial sensor to the other level and set source.pi.imu_address.",
)
BUS_STUCK = TroubleKind(
    "bus_stuck",
    "{bus} is stuck: a wire is held low; check SDA and SCL for a short and unplug the inertial "
    "sensor for a moment",
)

CELL_SILENT = TroubleKind(
    "cell_silent",
    "Load cell {n} is silent; check the plug and the supply of its HX711, and the wire to DOUT",
)
CELL_LOW = TroubleKind(
    "cell_low",
    "Load cell {n} has its DOUT held low: a short circuit, or its clock wire is off",
)
CELL_END = TroubleKind(
    "cell_end",
    "Load cell {n} is at the end of its range: a wire of its bridge is off, or far too much lies "
    "on it",
)
IMU_NO_ANSWER = TroubleKind(
    "imu_no_answer", "The inertial sensor does not answer; check its four wires"
)
IMU_INT_OPEN = TroubleKind(
    "imu_int_open",
    "The INT wire of the inertial sensor is open: its times are less exact; check the wire from "
    "INT to D12",
)
MCU_STALLED = TroubleKind(
    "mcu_stalled",
    "Nothing has come from the microcontroller for half a second; if that lasts, check the USB "
    "plug",
)

RECORDING_NO_FOLDER = TroubleKind(
    "recording_no_folder", "Cannot record to {folder}: {error}; check folder and disk"
)
RECORDING_DISK_FULL = TroubleKind(
    "recording_disk_full",
    "The recording stopped: the disk of {folder} has less than {mb} MB free; make room on it",
)
RECORDING_NO_FILE = TroubleKind(
    "recording_no_file", "Cannot record to {path}: {error}; check the folder and the free space"
)
RECORDING_STOPPED = TroubleKind(
    "recording_stopped", "The recording stopped: {error}; check the free space on the disk"
)
RECORDING_NOT_CLOSED = TroubleKind(
    "recording_not_closed", "The recording could not be closed: {error}"
)
RECORDING_SLOW = TroubleKind(
    "recording_slow",
    "{n} steps of the recording are missing because the disk was too slow; check the SD card",
)
