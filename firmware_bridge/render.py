"""Generates the firmware's C header and the table in PROTOCOL.md from the messages.

    python -m firmware_bridge.render [--check]      (a part of make contract)

A test compares both files with what this module gives, so neither can fall behind.
"""

import re
import sys
from collections.abc import Iterable
from enum import IntEnum, IntFlag
from itertools import accumulate
from pathlib import Path

from firmware_bridge.framing import CRC_START, HEADER
from firmware_bridge.imu_chips import IMU_CHIPS
from firmware_bridge.messages import (
    CELLS,
    FIRMWARE_ID,
    LONGEST_BODY,
    MESSAGES,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    SCHEMA_HASH,
    CellState,
    CommandResult,
    Direction,
    Field,
    Layout,
    ScaleFlag,
)

FOLDER = Path(__file__).parent

GUARD = "TOPPLE_MESSAGES_H"

TABLES_AFTER, TABLES_BEFORE = "## Messages\n\n", "\n## "
"""Between which headings of PROTOCOL.md the table stands."""


def c_header() -> str:
    """The whole of `messages.h`."""
    constants = {
        "PROTOCOL_MAJOR": str(PROTOCOL_MAJOR),
        "PROTOCOL_MINOR": str(PROTOCOL_MINOR),
        "FIRMWARE_ID": f"0x{FIRMWARE_ID:08X}UL",
        "SCHEMA_HASH": f"0x{SCHEMA_HASH:08X}UL",
        "CELLS": str(CELLS),
        "CRC_START": f"0x{CRC_START:04X}",
        "HEADER_SIZE": str(HEADER.size),
        "LONGEST_BODY": str(LONGEST_BODY),
    }
    lines = [
        "/* Generated from firmware_bridge/messages.py by",
        " * `python -m firmware_bridge.render`. Do not edit. */",
        f"#ifndef {GUARD}",
        f"#define {GUARD}",
        "",
        "#include <stdint.h>",
        "",
        *(f"#define {name} {value}" for name, value in constants.items()),
        "",
        *_c_imu_chips(),
        *_c_enum("FLAG", ScaleFlag),
        *_c_enum("CELL", CellState),
        *_c_enum("RESULT", CommandResult),
        *(line for layout in MESSAGES.values() for line in _c_message(layout)),
        f"#endif /* {GUARD} */",
    ]
    return "\n".join(lines) + "\n"


def markdown_tables() -> str:
    """The table of messages in PROTOCOL.md."""
    head = ("type", "message", "from", "bytes", "body, field after field", "")
    rows = [head, ("---",) * len(head), *map(_markdown, MESSAGES.values())]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def snake(name: str) -> str:
    """`SetGain` as `set_gain`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _c_enum(prefix: str, enum: type[IntEnum] | type[IntFlag]) -> list[str]:
    members = enum.__members__.items()
    return [*(f"#define {prefix}_{name} {value.value}" for name, value in members), ""]


def _c_imu_chips() -> list[str]:
    without = [who for who, chip in sorted(IMU_CHIPS.items()) if not chip.second_accel_filter]
    tests = " && ".join(f"(who) != 0x{who:02X}" for who in without)
    return [
        "/* By WHO_AM_I, from firmware_bridge/imu_chips.py. */",
        f"#define IMU_HAS_ACCEL_CONFIG_2(who) ({tests})",
        "",
    ]


def _c_message(layout: Layout) -> list[str]:
    name = snake(layout.name)
    return [
        f"/* {layout.summary} */",
        f"#define MSG_{name.upper()} 0x{layout.code:02X}",
        f"#define {name.upper()}_SIZE {layout.size}",
        *(_c_struct(name, layout.fields) if layout.fields else []),
        "",
    ]


def _c_struct(name: str, fields: tuple[Field, ...]) -> list[str]:
    return [
        "typedef struct {",
        *(f"    {field.kind.c_type} {field.name};" for field in fields),
        f"}} {name}_t;",
        "",
        f"static inline void {name}_pack(uint8_t *out, const {name}_t *m) {{",
        *(f"    {line}" for field, at in _offsets(fields) for line in _c_pack(field, at)),
        "}",
        "",
        f"static inline void {name}_unpack({name}_t *m, const uint8_t *in) {{",
        *(f"    {_c_unpack(field, at)}" for field, at in _offsets(fields)),
        "}",
    ]


def _offsets(fields: tuple[Field, ...]) -> Iterable[tuple[Field, int]]:
    return zip(fields, accumulate((f.kind.size for f in fields), initial=0), strict=False)


def _c_pack(field: Field, at: int) -> list[str]:
    if field.kind.size == 1:
        return [f"out[{at}] = m->{field.name};"]
    # Shifting a negative number right is up to the compiler, so it is made unsigned first.
    wide = "uint32_t" if field.kind.size > 2 else "uint16_t"
    return [
        f"out[{at + byte}] = (uint8_t)(({wide})m->{field.name} >> {8 * byte});"
        for byte in range(field.kind.size)
    ]


def _c_unpack(field: Field, at: int) -> str:
    kind = field.kind
    if kind.size == 1:
        return f"m->{field.name} = in[{at}];"
    wide = "uint32_t" if kind.size > 2 else "uint16_t"
    parts = " | ".join(f"({wide})in[{at + n}] << {8 * n}" for n in range(kind.size))
    if kind.size == 3:
        # Sign extension of 24 bits.
        return f"m->{field.name} = (int32_t)((({parts}) ^ 0x800000UL) - 0x800000UL);"
    return f"m->{field.name} = ({kind.c_type})({parts});"


def _markdown(layout: Layout) -> tuple[str, ...]:
    sender = "microcontroller" if layout.direction is Direction.FROM_DEVICE else "host"
    fields = ", ".join(f"{field.name} {field.kind.name}" for field in layout.fields)
    return f"`0x{layout.code:02X}`", layout.name, sender, str(layout.size), fields, layout.summary


def document(text: str) -> str:
    """PROTOCOL.md with today's table: all that stands between the headings around them."""
    before, rest = text.split(TABLES_AFTER, 1)
    after = rest[rest.index(TABLES_BEFORE) :]
    return f"{before}{TABLES_AFTER}{markdown_tables()}{after}"


def main(arguments: list[str], folder: Path = FOLDER) -> int:
    """Write or check both files; the exit code is 1 when a check finds an old one."""
    if arguments not in ([], ["--check"]):
        print("render: use python -m firmware_bridge.render [--check]", file=sys.stderr)
        return 2
    protocol, header = folder / "PROTOCOL.md", folder / "firmware" / "src" / "messages.h"
    wanted = {protocol: document(protocol.read_text(encoding="utf-8")), header: c_header()}
    old = {path for path, text in wanted.items() if path.read_text(encoding="utf-8") != text}
    for path, text in wanted.items():
        if path in old and not arguments:
            path.write_text(text, encoding="utf-8")
        outcome = "current" if path not in old else "out of date" if arguments else "updated"
        print(f"{path}: {outcome}")
    return 1 if arguments and old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
