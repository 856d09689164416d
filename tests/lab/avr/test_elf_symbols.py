from pathlib import Path

import pytest

from lab.avr.elf_symbols import ram_addresses


def test_variables_of_the_firmware_are_found_in_its_ram(elf: Path) -> None:
    found = ram_addresses(elf)

    assert {"overflows", "talk", "tx_ring"} <= set(found)
    assert all(0x100 <= found[name] < 0x900 for name in ("overflows", "talk", "tx_ring"))


def test_a_file_without_symbols_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "stripped.elf"
    file.write_bytes(bytes(64))

    with pytest.raises(ValueError, match="no symbol table"):
        ram_addresses(file)
