"""A pretend Nano on a port, at the pace of the clock."""

import os
import threading
import time
import tty
from contextlib import suppress

from lab.chips.fake_mcu import FakeMcu


class Nano:
    """The fake board on a pseudo-terminal, kept going by a thread."""

    def __init__(self, mcu: FakeMcu) -> None:
        self._mcu = mcu
        self._master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        self.port = os.ttyname(slave)
        os.close(slave)  # held open here, the table would find another program on the port
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        began_s = time.monotonic()
        while not self._stop.wait(0.005):
            self._mcu.advance((time.monotonic() - began_s) * 1e6)
            with suppress(OSError):
                os.write(self._master, self._mcu.data_to_send())
                self._mcu.receive_data(os.read(self._master, 4096))

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        os.close(self._master)
