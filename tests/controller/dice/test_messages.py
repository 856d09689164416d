import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.dice.messages import (
    MAKES,
    Battery,
    DieAtRest,
    Make,
    Rolling,
    make_of,
    may_be_a_die,
    read_godice,
    read_pixels,
)
from tests.controller.dice.simulated_bluez import GODICE_UP, UART


@pytest.mark.parametrize("face", GODICE_UP)
def test_a_godice_says_its_face_by_what_pulls_it_down_also_when_it_lies_not_quite_level(
    face: int,
) -> None:
    for slant in (-12, 0, 12):
        pull = [each or slant for each in GODICE_UP[face]]
        assert read_godice(b"S" + bytes(p % 256 for p in pull)) == DieAtRest(face, "rolled")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"R", Rolling()),
        (b"FS\x00\x00\x40", DieAtRest(2, "moved")),
        (b"MS\x00\x00\x40", DieAtRest(2, "moved")),
        (b"TS\x00\x00\x40", DieAtRest(2, "crooked")),
        (b"Bat\x07", Battery(7)),
        (b"Col\x01", None),
        (b"S\x00", None),
        (b"", None),
    ],
)
def test_a_godice_says_how_it_came_to_rest(data: bytes, said: object) -> None:
    assert read_godice(data) == said


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ((3, 1, 0), DieAtRest(1, "rolled")),
        ((3, 5, 5), DieAtRest(6, "moved")),
        ((3, 4, 2), DieAtRest(3, "crooked")),
        ((3, 3, 0), Rolling()),
        ((3, 2, 0), None),
        ((3, 0, 0), None),
        ((3, 1, 6), None),
        ((34, 12, 1), Battery(12)),
        ((3, 1), None),
        ((), None),
    ],
)
def test_a_pixels_die_says_its_face_by_index(data: tuple[int, ...], said: object) -> None:
    assert read_pixels(bytes(data)) == said


@given(st.binary(max_size=24), st.sampled_from(MAKES))
def test_no_bytes_stop_a_reader_and_every_face_is_one_of_six(data: bytes, make: Make) -> None:
    said = make.read(data)

    assert not isinstance(said, DieAtRest) or 1 <= said.face <= 6


def test_the_make_is_known_by_the_characteristics_and_not_by_the_name() -> None:
    godice, old_pixels = {UART.format(2), UART.format(3)}, {UART.format(1), UART.format(2)}

    made = [make_of(uuids) for uuids in (godice, old_pixels)]
    assert [make.name for make in made if make] == ["GoDice", "Pixels"]
    assert make_of({"0000180f-0000-1000-8000-00805f9b34fb"}) is None


def test_a_pixels_die_with_a_name_of_its_own_may_be_one_by_its_service() -> None:
    assert may_be_a_die("Ann's lucky one", [UART.format(1)])
    assert not may_be_a_die("Ann's watch", [])
