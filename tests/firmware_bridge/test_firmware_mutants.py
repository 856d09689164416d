"""Firmwares with a fault put in on purpose: the inspection must find each of them.

The lab is only as good as this list is long. Not in it, since nothing here would notice: overrun of
the UART's two-byte receive buffer (not simulated), and everything electrical. The race between
reading the timer and its overflow hits too seldom for the lab; it is tested in
test_firmware_protocol.py.

`make test` tries one fault of each source file, those that the inspection comes to soon; the whole
list is a soak.
"""

from pathlib import Path

import pytest

from tests.firmware_bridge.lab.build import build, need_lab
from tests.firmware_bridge.lab.inspection import inspect
from tests.soaked import soaked

Change = tuple[str, str]

# name: file, changes of its text, a word of the fault that must be found
MUTANTS: dict[str, tuple[str, tuple[Change, ...], str]] = {
    "clock pulse too long": ("hx711.c", (("_delay_us(1);", "_delay_us(70);"),), "cell"),
    "sampled before the edge": (
        "hx711.c",
        (
            (
                "        SCK_PORT |= sck;\n",
                "        bit = DOUT_PIN & dout;\n        SCK_PORT |= sck;\n",
            ),
            ("        bit = DOUT_PIN & dout;\n        SCK_PORT &=", "        SCK_PORT &="),
        ),
        "counts",
    ),
    "24 pulses": ("hx711.c", (("pulses = 25;", "pulses = 24;"),), "24 pulses"),
    "28 pulses": ("hx711.c", (("pulses = 25;", "pulses = 28;"),), "27 pulses"),
    "sign forgotten": (
        "hx711.c",
        (("(int32_t)((value ^ 0x800000UL) - 0x800000UL)", "(int32_t)(value >> 1)"),),
        "counts",
    ),
    "cells swapped": ("pins.h", (("1U << (4 + (cell))", "1U << (7 - (cell))"),), "HX711"),
    "pin not masked while read": (
        "hx711.c",
        (("    PCMSK2 &= (uint8_t)~fell;\n", ""),),
        "times",
    ),
    "time of reading, not of the fall": (
        "hx711.c",
        (("read_cell(cell, fell_us[cell], 0)", "read_cell(cell, clock_us(), 0)"),),
        "times",
    ),
    "settling not flagged": (
        "hx711.c",
        (("#define SETTLING_CONVERSIONS 4", "#define SETTLING_CONVERSIONS 0"),),
        "settling",
    ),
    "saturation not flagged": ("hx711.c", (("flags |= FLAG_SATURATED;", ""),), "saturation"),
    "DOUT after the pulses not looked at": (
        "hx711.c",
        (("        flags |= FLAG_NOT_HIGH;\n", "        flags |= 0;\n"),),
        "stuck low",
    ),
    "silent chips not noticed": (
        "hx711.c",
        (("#define SILENT_US 700000UL", "#define SILENT_US 700000000UL"),),
        "silent and stuck",
    ),
    "gain not told to the chip": (
        "hx711.c",
        (("cells[number].pulses = pulses;", "(void)pulses;"),),
        "gain",
    ),
    "wrong start of the check sum": (
        "frame.c",
        (("uint16_t crc = CRC_START;", "uint16_t crc = 0;"),),
        "streaming",
    ),
    "another table of messages": (
        "messages.h",
        (("#define SCHEMA_HASH 0x", "#define SCHEMA_HASH 0x1 + 0x"),),
        "streaming",
    ),
    "commands repeated are done again": (
        "conversation.c",
        (("if (body[0] != talk.last_id) {", "if (true) {"),),
        "repeated command",
    ),
    "dropped frames take a number": (
        "conversation.c",
        (("talk.tx_dropped++;", "talk.tx_dropped++; talk.seq++;"),),
        "line",
    ),
    "dropped frames not counted": ("conversation.c", (("talk.tx_dropped++;", ""),), "drops"),
    "send buffer without a limit": (
        "uart.c",
        (("if (size > 255 - used) {", "if (size > 255 + used) {"),),
        "damaged",
    ),
    "frame cut by a reset not ended": (
        "conversation.c",
        (("    board_write((const uint8_t[]){0}, 1);\n", ""),),
        "reset",
    ),
    "inertial sensor left asleep": (
        "imu.c",
        (("{PWR_MGMT_1, 0x01}", "{PWR_MGMT_1, 0x41}"), ("power == 0x01", "power == 0x41")),
        "inertial sensor",
    ),
    "inertial sensor at another range": (
        "imu.c",
        (("{GYRO_CONFIG, 0}", "{GYRO_CONFIG, 0x18}"),),
        "range",
    ),
    "inertial sensor gone not noticed": (
        "imu.c",
        (
            ("#define SILENT_US 50000UL", "#define SILENT_US 50000000UL"),
            ("#define INT_SILENT_US 25000UL", "#define INT_SILENT_US 25000000UL"),
        ),
        "missing inertial sensor",
    ),
    "last byte acknowledged": (
        "twi.c",
        (
            ("last ? 0 : 1 << TWEA", "1 << TWEA"),
            ("last ? TW_MR_DATA_NACK : TW_MR_DATA_ACK", "TW_MR_DATA_ACK"),
        ),
        "acknowledged before the stop",
    ),
    "interrupts left on while PD_SCK is high": (
        "hx711.c",
        (
            (
                "    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {\n        SCK_PORT |= sck;\n        _delay",
                "    {\n        SCK_PORT |= sck;\n        _delay",
            ),
        ),
        "interrupts on",
    ),
    "time of reading, not of the interrupt": (
        "imu.c",
        (("read_sample(0, t_us)", "read_sample(0, clock_us())"),),
        "times of the inertial sensor",
    ),
    "watchdog left on after a bite": ("boot.c", (("    wdt_disable();\n", ""),), "still on"),
    "watchdog not fed": ("main.c", (("        wdt_reset();\n", ""),), "restart"),
    "watchdog left off": ("main.c", (("    wdt_enable(WDTO_250MS);\n", ""),), "watchdog"),
    "reset cause not kept": ("boot.c", (("    cause = MCUSR;\n", "    cause = 1;\n"),), "reset"),
    "boots not counted": ("boot.c", (("(uint16_t)(counter + 1)", "counter"),), "reset"),
    "tilt switch upside down": (
        "main.c",
        (("closed = !(SWITCH_PIN & SWITCH_BIT)", "closed = SWITCH_PIN & SWITCH_BIT"),),
        "tilt switch",
    ),
    "voltages exchanged": (
        "volts.c",
        (("{BANDGAP, PROBE_CHANNEL}", "{PROBE_CHANNEL, BANDGAP}"),),
        "supply",
    ),
    "probe without its pull-up": (
        "volts.c",
        (("PROBE_PULLUPS |= PROBE_BIT;", ""),),
        "probe",
    ),
    "half the serial speed": ("uart.c", (("UBRR0 = 7;", "UBRR0 = 15;"),), "streaming"),
}


IN_EVERY_RUN = (
    "24 pulses",
    "wrong start of the check sum",
    "commands repeated are done again",
    "inertial sensor left asleep",
    "last byte acknowledged",
    "watchdog not fed",
    "half the serial speed",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", soaked(MUTANTS, but=IN_EVERY_RUN))
def test_the_inspection_finds(name: str, tmp_path: Path) -> None:
    need_lab()
    file, changes, word = MUTANTS[name]
    first = next(inspect(build(tmp_path / "firmware", file, changes)), "nothing")

    assert word in first
