"""Which serial devices there are, which comes next, and what is said of them; names only."""

from pathlib import Path

import pytest

from firmware_bridge.errors import PortUnavailable
from firmware_bridge.ports import (
    FAILED_AGAIN_S,
    SILENT_AGAIN_S,
    PortSearch,
    candidates,
    find_port,
)
from firmware_bridge.troubles import HELD


def device(folder: Path, name: str, target: Path) -> str:
    folder.mkdir(exist_ok=True)
    target.touch()
    (folder / name).symlink_to(target)
    return str(folder / name)


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    return [tmp_path / "by-path", tmp_path / "by-id"]


def test_two_adapters_that_share_one_name_are_two(folders: list[Path], tmp_path: Path) -> None:
    """Clones have no serial number: the name by identity leads to the one plugged in last."""
    first = device(folders[0], "usb-0:1.1", tmp_path / "ttyUSB0")
    second = device(folders[0], "usb-0:1.2", tmp_path / "ttyUSB1")
    device(folders[0], "usbv2-0:1.2", tmp_path / "ttyUSB1")
    device(folders[1], "usb-1a86_USB_Serial-if00-port0", tmp_path / "ttyUSB1")

    assert candidates(folders) == [first, second]
    with pytest.raises(PortUnavailable, match="2 serial devices"):
        find_port(folders)


def test_a_computer_that_names_no_sockets_has_the_other_names(
    folders: list[Path], tmp_path: Path
) -> None:
    only = device(folders[1], "usb-1a86_USB_Serial-if00-port0", tmp_path / "ttyUSB0")

    assert find_port(folders) == only


def test_without_a_device_the_cable_is_named(folders: list[Path]) -> None:
    for find in (lambda: find_port(folders), lambda: PortSearch(folders).choose(0.0)):
        with pytest.raises(PortUnavailable, match="charge-only cable"):
            find()


def test_one_that_is_plugged_in_anew_is_listened_to_at_once(
    folders: list[Path], tmp_path: Path
) -> None:
    name = device(folders[0], "usb-0:1.1", tmp_path / "ttyUSB0")
    search = PortSearch(folders)
    search.silent(name, 0.0)
    with pytest.raises(PortUnavailable, match=r"greets on .*usb-0:1.1; nothing was sent") as told:
        search.choose(SILENT_AGAIN_S / 2)
    other = device(folders[0], "usb-0:1.2", tmp_path / "ttyUSB1")

    assert told.value.trouble.code == "mcu_none_greets"
    assert search.choose(SILENT_AGAIN_S / 2) == other
    assert search.choose(SILENT_AGAIN_S) == name


def test_one_that_cannot_be_opened_is_what_is_told_and_tried_again_soon(
    folders: list[Path], tmp_path: Path
) -> None:
    name = device(folders[0], "usb-0:1.1", tmp_path / "ttyUSB0")
    printer = device(folders[0], "usb-0:1.2", tmp_path / "ttyUSB1")
    search = PortSearch(folders)
    search.silent(printer, 0.0)
    search.failed(name, HELD(port=name, program="minicom (process 7)"), 0.0)

    with pytest.raises(PortUnavailable, match=r"in use by minicom \(process 7\)"):
        search.choose(FAILED_AGAIN_S / 2)
    assert search.choose(FAILED_AGAIN_S) == name


@pytest.mark.parametrize("content", [b"", b"\xff\0\n", b"/dev/gone\n"])
def test_a_memory_that_is_damaged_old_or_not_writable_costs_only_time(
    content: bytes, folders: list[Path], tmp_path: Path
) -> None:
    name, memory = device(folders[0], "usb-0:1.1", tmp_path / "ttyUSB0"), tmp_path / "m.port"
    memory.write_bytes(content)
    search = PortSearch(folders, memory)

    assert search.choose(0.0) == name
    search.greeted(name)
    assert PortSearch(folders, memory).last == name
    PortSearch(folders, tmp_path / "no" / "folder").greeted(name)
