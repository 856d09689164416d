"""A real table on a real serial port: link, thread and source put together.

The table may be switched on before its microcontroller is plugged in, so a port that is missing,
in use or forbidden is waited for and reported. Without a name each device is listened to until the
board greets.
"""

import time
from collections.abc import Sequence
from pathlib import Path

from firmware_bridge.link import SerialLink
from firmware_bridge.ports import FOLDERS, PortSearch
from hw.calibration import Calibration
from hw.serial.bridge import BridgeSource
from hw.serial.link_reader import ThreadReader


def open_table(
    calibration: Calibration,
    port: str = "",
    folders: Sequence[Path] = FOLDERS,
    memory: Path | None = None,
) -> BridgeSource:
    """The table on a port; opened, and opened again, whenever the port is there.

    Without a port's name it is searched in `folders`, where the lasting names are; the file
    `memory` keeps what was found.
    """
    search = None if port else PortSearch(folders, memory)
    link = SerialLink(port, time.monotonic, search=search)
    return BridgeSource(ThreadReader(link), calibration, time.monotonic)
