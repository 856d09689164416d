"""The installed Mosquitto, started for one run and for this computer only.

The demo takes it where it is installed: it speaks MQTT 5 too, which Home Assistant wants first,
and it is the broker of a real table. The small one that we bring along (`broker`) speaks 3.1.1.
"""

import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from controller.mqtt.broker import LOOPBACK, PORTS_TO_TRY, BrokerUnavailableError

PLACES = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")
"""Where packages put it, besides the folders of programs for everybody."""

STARTS_S = 10.0

SURELY_ITS_OWN_S = 0.1
"""Another program may have taken the port just before; then Mosquitto ends within milliseconds."""

CONFIGURATION = f"""listener {{port}} {LOOPBACK}
allow_anonymous true
set_tcp_nodelay true
persistence false
max_packet_size 66000
log_dest stderr
log_type error
"""
"""As in deploy/mosquitto, without users: nobody but this computer reaches it."""


def program() -> str | None:
    """Where Mosquitto is installed; None when it is not."""
    found = shutil.which("mosquitto")
    return found or next(filter(None, (shutil.which("mosquitto", path=p) for p in PLACES)), None)


class OwnMosquitto:
    """A Mosquitto of this process, at the first port that is free from `port` on."""

    def __init__(self, port: int) -> None:
        self._first_port = port
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> int:
        """Start it at the first free port, and wait until it listens.

        Returns:
            Its port.

        Raises:
            BrokerUnavailableError: it is not installed, does not start, or finds no port.
        """
        mosquitto = program()
        if mosquitto is None:
            raise BrokerUnavailableError("mosquitto is not installed (apt install mosquitto)")
        for port in range(self._first_port, self._first_port + PORTS_TO_TRY):
            if _is_free(port):
                self._run(mosquitto, port)
                return port
        last = self._first_port + PORTS_TO_TRY - 1
        raise BrokerUnavailableError(
            f"no port from {self._first_port} to {last} is free for mosquitto; end the programs "
            "that use them, or name a running broker"
        )

    @property
    def running(self) -> bool:
        """Whether it still is what listens at its port."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def _run(self, mosquitto: str, port: int) -> None:
        with tempfile.TemporaryDirectory(prefix="topple-mosquitto-") as folder:
            configuration, said = Path(folder) / "mosquitto.conf", Path(folder) / "said"
            configuration.write_text(CONFIGURATION.format(port=port))
            with said.open("wb") as output:
                self._process = subprocess.Popen(  # noqa: S603 - an installed program
                    [mosquitto, "-c", str(configuration)],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    # A Ctrl-C at the terminal is for the demo, which says goodbye over it.
                    start_new_session=True,
                )
            self._await(self._process, port, said)

    def _await(self, process: subprocess.Popen[bytes], port: int, said: Path) -> None:
        end_s, heard_s = time.monotonic() + STARTS_S, None
        while time.monotonic() < end_s:
            if process.poll() is not None:
                words = said.read_text(errors="replace").strip()
                raise BrokerUnavailableError(f"mosquitto ended at once: {words}")
            with socket.socket() as probe:
                if heard_s is None and probe.connect_ex((LOOPBACK, port)) == 0:
                    heard_s = time.monotonic()
            if heard_s is not None and time.monotonic() > heard_s + SURELY_ITS_OWN_S:
                return
            time.sleep(0.01)
        self.stop()
        raise BrokerUnavailableError(f"mosquitto does not listen on port {port}")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True
