"""What the process that reads the load cells hands over: a ring of readings in shared memory.

One process writes and one reads, and neither ever waits for the other. Every record ends in a
checksum, so that one that is being written is not mistaken for a whole one, whatever order a
processor shows the bytes in. Readings are numbered; one that was overwritten before it was taken
is counted (`lost`). The memory has no name: it goes with the last process that has it open.
"""

import mmap
import os
from dataclasses import astuple, fields
from math import inf, isnan, nan
from struct import Struct
from typing import Any
from zlib import crc32

from firmware_bridge.messages import CellState
from hw.drivers.hx711_reading import CellCopy, CellTally, CountFlag, Hx711Reading

SLOTS = 4096
"""Eleven seconds of four fast chips."""

MOST_CELLS = 4
_CHECK = Struct("<I")
_HEARD = Struct("<d")
_STATUS = Struct(f"<BBxxd{len(fields(CellTally))}I")
_READING = Struct("<IBBxxid")
_HEARD_AT = 0
_STATUS_AT = _HEARD_AT + _HEARD.size + _CHECK.size
_READINGS_AT = _STATUS_AT + MOST_CELLS * (_STATUS.size + _CHECK.size)
_BYTES = _READINGS_AT + SLOTS * (_READING.size + _CHECK.size)
_NUMBERS = 1 << 32


class CellsRing:
    """Both ends of the shared memory; each process uses its own half of the methods.

    Attributes:
        descriptor: of the memory, for the other process.
        lost: readings that were overwritten before they were taken.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        """New memory, or that of a descriptor, which is taken over."""
        new = descriptor is None
        self.descriptor = os.memfd_create("load cells") if descriptor is None else descriptor
        if new:
            os.truncate(self.descriptor, _BYTES)
        self._memory = mmap.mmap(self.descriptor, _BYTES)
        self._number = 1
        self._heard_s = -inf
        self.lost = 0

    def close(self) -> None:
        """Let go of the memory."""
        self._memory.close()
        os.close(self.descriptor)

    # --- whoever reads the cells --------------------------------------------------------------

    def put(self, cell: int, reading: Hx711Reading) -> None:
        """Hand a reading over; the oldest makes way."""
        self._write(
            self._slot_at(self._number), _READING,
            self._number, cell, reading.flags, reading.count, reading.t_s,
        )  # fmt: skip
        self._number = (self._number + 1) % _NUMBERS

    def tell(self, cell: int, status: CellCopy) -> None:
        """Say how a cell is."""
        period_s = nan if status.period_s is None else status.period_s
        self._write(
            _status_at(cell), _STATUS,
            status.state, status.at_its_end, period_s, *astuple(status.tally),
        )  # fmt: skip

    def told_all(self, heard_s: float) -> None:
        """Say up to when all readings have been handed over; and that the process lives."""
        self._write(_HEARD_AT, _HEARD, heard_s)

    # --- whoever takes the readings -----------------------------------------------------------

    def heard_s(self) -> float:
        """Up to when all readings are here; ask before `take`. Minus infinity before the first."""
        if (found := self._read(_HEARD_AT, _HEARD)) is not None:
            (self._heard_s,) = found
        return self._heard_s

    def take(self) -> list[tuple[int, Hx711Reading]]:
        """The readings since the last call, each with its cell's number."""
        readings = []
        while (found := self._read(self._slot_at(self._number), _READING)) is not None:
            number, cell, flags, count, t_s = found
            ahead = (number - self._number) % _NUMBERS
            if ahead >= _NUMBERS // 2:
                break
            if ahead:
                # Overwritten: half a ring further on nothing will be for a while.
                self._number = (self._number + ahead - SLOTS // 2) % _NUMBERS
                self.lost += ahead - SLOTS // 2
                continue
            readings.append((cell, Hx711Reading(t_s, count, CountFlag(flags))))
            self._number = (self._number + 1) % _NUMBERS
        return readings

    def status(self, cell: int, name: str) -> CellCopy | None:
        """How a cell is; None if that is not known yet, or is being told."""
        found = self._read(_status_at(cell), _STATUS)
        if found is None:
            return None
        state, at_its_end, period_s, *counts = found
        known_s = None if isnan(period_s) else period_s
        return CellCopy(name, CellState(state), bool(at_its_end), known_s, CellTally(*counts))

    # --- inside -------------------------------------------------------------------------------

    def _slot_at(self, number: int) -> int:
        return _READINGS_AT + number % SLOTS * (_READING.size + _CHECK.size)

    def _write(self, place: int, form: Struct, *values: float) -> None:
        body = form.pack(*values)
        whole = body + _CHECK.pack(crc32(body))
        self._memory[place : place + len(whole)] = whole

    def _read(self, place: int, form: Struct) -> tuple[Any, ...] | None:
        """A record; None if there is none yet, or it is being written."""
        end = place + form.size
        body, check = self._memory[place:end], self._memory[end : end + _CHECK.size]
        return form.unpack(body) if _CHECK.pack(crc32(body)) == check else None


def _status_at(cell: int) -> int:
    return _STATUS_AT + cell * (_STATUS.size + _CHECK.size)
