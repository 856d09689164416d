"""Ports of this machine for the servers of the tests."""

import fcntl
import os
import random
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

LOWEST = 12000
"""Above what installed servers have, and above what browsers refuse to open (10080)."""
APART = 7919
"""A prime: neighbours, which servers use for a second door, come late."""
EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
LOCKS = Path(tempfile.gettempdir()) / f"topple-table-ports-{os.geteuid()}"
"""Its byte number n is locked by the process to which port n was given, until that process ends: a
server may be stopped and started again on its port."""

_locks: list[IO[bytes]] = []
_given: set[int] = set()


def candidates() -> Iterator[int]:
    """Ports, in an order of chance, that the system gives to nobody who asks for any port.

    A port of the ephemeral range may go to any outgoing connection of this machine before the
    server that it was looked for has started.
    """
    ports = range(LOWEST, int(EPHEMERAL.read_text().split()[0]))
    # No test may choose this order by its seed; to shuffle all of them takes 20 ms.
    first = random.SystemRandom().randrange(len(ports))
    yield from (ports[(first + place * APART) % len(ports)] for place in range(len(ports)))


def free_port() -> int:
    """A port that nobody has, and that no test, of whatever process, gets another time."""
    for port in candidates():
        if port not in _given and _nobody_listens(port) and _locked(port):
            _given.add(port)
            return port
    raise RuntimeError(f"no port between {LOWEST} and those of {EPHEMERAL} is free")


def _locked(port: int) -> bool:
    if not _locks:
        _locks.append(LOCKS.open("ab"))
    try:
        fcntl.lockf(_locks[0], fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    return True


def _nobody_listens(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return False
        return True
