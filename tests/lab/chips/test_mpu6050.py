"""The chip model against its register map, and the rules it sets a driver."""

import pytest

from lab.chips.mpu6050 import (
    ACCEL_CONFIG,
    CONFIG,
    DATA,
    FIFO_BYTES,
    FIFO_COUNT_H,
    FIFO_COUNT_L,
    FIFO_EN,
    FIFO_R_W,
    GYRO_CONFIG,
    INT_ENABLE,
    INT_PIN_CFG,
    INT_STATUS,
    PWR_MGMT_1,
    SMPLRT_DIV,
    USER_CTRL,
    WHO_AM_I,
    Mpu6050,
)

ROW = (100, -200, 16384, -521, 3, -4, 5)


def write(chip: Mpu6050, register: int, *values: int) -> None:
    chip.start()
    for byte in (register, *values):
        chip.write(byte)


def read(chip: Mpu6050, register: int, count: int = 1) -> bytes:
    write(chip, register)
    return bytes(chip.read() for _ in range(count))


def words(data: bytes) -> tuple[int, ...]:
    pairs = zip(data[::2], data[1::2], strict=True)
    return tuple(int.from_bytes(bytes(pair), "big", signed=True) for pair in pairs)


@pytest.fixture
def awake() -> Mpu6050:
    chip = Mpu6050(lambda _number: ROW)
    write(chip, PWR_MGMT_1, 0x01)
    return chip


def test_it_sleeps_after_power_up_and_says_who_it_is() -> None:
    chip = Mpu6050(lambda _number: ROW, who=0x70)

    assert chip.asleep
    assert not chip.measuring
    assert read(chip, WHO_AM_I) == b"\x70"
    assert read(chip, PWR_MGMT_1) == b"\x40"


def test_a_burst_gives_one_sample_whole(awake: Mpu6050) -> None:
    awake.measure()

    assert words(read(awake, DATA, 14)) == ROW
    assert awake.given == [ROW]
    assert awake.violations == []


def test_a_slow_burst_is_of_one_sample_though_the_next_one_comes_meanwhile(awake: Mpu6050) -> None:
    awake.measure()
    awake.sample = lambda _number: tuple(value + 1 for value in ROW)
    awake.hold()
    first = read(awake, DATA, 6)
    awake.measure()
    rest = bytes(awake.read() for _ in range(8))
    awake.let_go()

    assert words(first + rest) == ROW
    assert words(read(awake, DATA, 14)) == tuple(value + 1 for value in ROW)


@pytest.mark.parametrize(
    ("divider", "low_pass", "period_us"), [(0, 0, 125), (4, 3, 5000), (9, 6, 10_000), (4, 7, 625)]
)
def test_divider_and_low_pass_make_the_rate(
    awake: Mpu6050, divider: int, low_pass: int, period_us: float
) -> None:
    write(awake, SMPLRT_DIV, divider, low_pass)

    assert awake.registers[CONFIG] == low_pass
    assert awake.period_us == period_us


def test_full_scale_divides_the_count_and_is_where_it_stops(awake: Mpu6050) -> None:
    awake.sample = lambda _number: (65536, -65536, 16384, 10, 131, -40000, 70000)
    awake.measure()
    assert awake.latest == (32767, -32768, 16384, 10, 131, -32768, 32767)

    write(awake, GYRO_CONFIG, 1 << 3, 2 << 3)
    awake.measure()

    assert awake.registers[ACCEL_CONFIG] == 0x10
    assert awake.latest == (16384, -16384, 4096, 10, 65, -20000, 32767)


def test_data_ready_is_cleared_by_reading_it_and_interrupts_if_wanted(awake: Mpu6050) -> None:
    assert awake.measure() is False
    assert read(awake, INT_STATUS) == b"\x01"
    assert read(awake, INT_STATUS) == b"\x00"
    write(awake, INT_ENABLE, 0x01)
    assert awake.measure() is True
    write(awake, INT_PIN_CFG, 0x10)
    read(awake, DATA, 14)
    assert read(awake, INT_STATUS) == b"\x00"


def test_the_fifo_holds_what_is_enabled_in_register_order(awake: Mpu6050) -> None:
    write(awake, FIFO_EN, 0x78)  # without the temperature
    write(awake, USER_CTRL, 0x40)
    awake.measure()
    awake.measure()

    assert read(awake, FIFO_COUNT_H, 2) == (24).to_bytes(2, "big")
    assert words(read(awake, FIFO_R_W, 24)) == (ROW[:3] + ROW[4:]) * 2
    assert awake.violations == []


def test_a_full_fifo_loses_the_oldest_bytes_and_its_alignment(awake: Mpu6050) -> None:
    write(awake, FIFO_EN, 0xF8)
    write(awake, USER_CTRL, 0x40)
    for _ in range(74):
        awake.measure()

    assert int.from_bytes(read(awake, FIFO_COUNT_H, 2), "big") == FIFO_BYTES
    assert read(awake, INT_STATUS)[0] & 0x10
    assert awake.overflows == 1
    assert words(read(awake, FIFO_R_W, 14)) != ROW


def test_the_fifo_is_emptied_only_while_it_is_off(awake: Mpu6050) -> None:
    write(awake, FIFO_EN, 0xF8)
    write(awake, USER_CTRL, 0x40)
    awake.measure()
    write(awake, USER_CTRL, 0x44)
    assert len(awake.fifo) == 14
    assert "reset while it is on" in awake.violations[0]

    write(awake, USER_CTRL, 0x04)
    assert awake.fifo == b""
    assert awake.registers[USER_CTRL] == 0


def test_a_reset_and_a_sagging_supply_put_everything_back(awake: Mpu6050) -> None:
    for restart in (lambda: write(awake, PWR_MGMT_1, 0x80), awake.brown_out):
        write(awake, SMPLRT_DIV, 4)
        restart()
        assert not awake.acknowledges
        awake.restarted()
        assert awake.acknowledges
        assert awake.asleep
        assert awake.registers[SMPLRT_DIV] == 0


def test_unplugged_it_is_silent_and_plugged_in_again_it_sleeps(awake: Mpu6050) -> None:
    awake.unplug()
    assert not awake.acknowledges
    awake.plug()
    assert not awake.acknowledges
    awake.restarted()
    assert awake.asleep


@pytest.mark.parametrize(
    ("register", "given", "rule"),
    [
        (DATA + 1, None, "low byte was read without its high byte"),
        (FIFO_COUNT_L, None, "FIFO_COUNT_L was read without"),
        (FIFO_R_W, None, "although it is off"),
        (WHO_AM_I, 1, "can only be read"),
        (DATA, 1, "can only be read"),
        (FIFO_R_W, 1, "written into the FIFO"),
    ],
)
def test_what_a_driver_must_not_do_is_written_down(
    awake: Mpu6050, register: int, given: int | None, rule: str
) -> None:
    if given is None:
        read(awake, register)
    else:
        write(awake, register, given)

    assert rule in awake.violations[0]


def test_reading_asleep_and_reading_too_much_are_written_down(awake: Mpu6050) -> None:
    sleeping = Mpu6050(lambda _number: ROW)
    read(sleeping, DATA, 14)
    assert "while it sleeps" in sleeping.violations[0]

    write(awake, USER_CTRL, 0x40)
    read(awake, FIFO_R_W, 1)
    assert awake.violations == ["MPU-6050: more bytes were read from the FIFO than it held"]
