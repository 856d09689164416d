"""Where the variables of a firmware lie in RAM: the symbol table of its ELF file."""

import struct
from pathlib import Path

SECTIONS_AT, SECTION_SIZE_AT, SECTION_COUNT_AT = 32, 46, 48
SYMBOL_TABLE = 2
SYMBOL = struct.Struct("<IIIBBH")

RAM = 0x800000
"""Where avr-gcc places the RAM, since the flash begins at zero as well."""


def ram_addresses(elf: Path) -> dict[str, int]:
    """Data address of each variable; of equal names the last.

    Raises:
        ValueError: it has no symbol table.
    """
    data = elf.read_bytes()
    (sections_at,) = struct.unpack_from("<I", data, SECTIONS_AT)
    (size,), (count,) = (
        struct.unpack_from("<H", data, at) for at in (SECTION_SIZE_AT, SECTION_COUNT_AT)
    )
    headers = [struct.unpack_from("<10I", data, sections_at + size * k) for k in range(count)]
    tables = [header for header in headers if header[1] == SYMBOL_TABLE]
    if not tables:
        raise ValueError(f"{elf} has no symbol table; build it without stripping it")
    begin, length, names = tables[0][4], tables[0][5], headers[tables[0][6]][4]
    found = {}
    for name, value, *_ in SYMBOL.iter_unpack(data[begin : begin + length]):
        if value >= RAM:
            text = data[names + name : data.index(b"\0", names + name)]
            found[text.decode()] = value - RAM
    return found
