"""A real table on a real serial port: link, thread and source put together.

The table may be switched on before its microcontroller is plugged in, so a port that is missing,
in use or forbidden is waited for and reported. Only what waiting cannot solve is refused: several
devices of which any could be the table.
"""

import time
from pathlib import Path

from firmware_bridge.link import BY_ID, Port, SerialLink, find_port, open_port
from hw.calibration import Calibration
from hw.serial.bridge import BridgeSource
from hw.serial.link_reader import ThreadReader

UNNAMED = "the microcontroller's port"


def open_table(calibration: Calibration, port: str = "", folder: Path = BY_ID) -> BridgeSource:
    """The table on a port; opened, and opened again, whenever the port is there.

    An empty port takes the one serial device that is plugged in: `folder` holds their lasting
    names.

    Raises:
        PortUnavailable: no port is named and there are several.
    """

    def found(_name: str) -> Port:
        return open_port(find_port(folder))

    if not port:
        _refuse_choice(folder)
    link = SerialLink(port or UNNAMED, time.monotonic, open_port if port else found)
    return BridgeSource(ThreadReader(link), calibration, time.monotonic)


def _refuse_choice(folder: Path) -> None:
    devices = list(folder.glob("*")) if folder.is_dir() else []
    if len(devices) > 1:
        find_port(folder)
