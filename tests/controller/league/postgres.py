"""A PostgreSQL of our own: made, started, stopped and thrown away by the tests."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.controller.conftest import PATIENCE_S, wait_until
from tests.ports import free_port

USER, PASSWORD = "league", "g3heim"


def programs() -> Path:
    """Debian keeps them out of the search path, each version in a folder of its own."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    elsewhere = shutil.which("initdb")
    if elsewhere is None:
        pytest.skip("needs PostgreSQL (apt-get install postgresql)")
    return Path(elsewhere).resolve().parent


def unprivileged() -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return []
    user = pwd.getpwnam("postgres")
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]


@dataclass
class Server:
    """A running PostgreSQL that can be killed and started again."""

    folder: Path
    port: int
    durable: bool
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        # What the tests lose with the power is no loss, and the disk is shared.
        fsync = "on" if self.durable else "off"
        self.process = subprocess.Popen(
            [*unprivileged(), str(programs() / "postgres"), "-D", str(self.folder / "data"),
             "-p", str(self.port), "-k", str(self.folder), "-h", "127.0.0.1",
             "-c", f"fsync={fsync}", "-c", "max_connections=30"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
        )  # fmt: skip
        ready = [str(programs() / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        wait_until(lambda: subprocess.run(ready, check=False).returncode == 0, "PostgreSQL")

    def kill(self) -> None:
        """At once, connections and all."""
        assert self.process is not None
        self.process.send_signal(3)  # SIGQUIT: immediate shutdown, as by a crash
        self.process.wait(PATIENCE_S)

    def address(self, user: str = USER, password: str = PASSWORD, name: str = "postgres") -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{name}"

    def fresh(self) -> str:
        """Address of a place in it that nobody has used."""
        import psycopg

        schema = f"t{time.monotonic_ns()}"
        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {schema}")
        return f"{self.address()}?options=-csearch_path%3D{schema}"


@contextlib.contextmanager
def server(*, durable: bool = False) -> Iterator[Server]:
    """For as long as the block lasts.

    Args:
        durable: whether it keeps what it has committed over a power cut.
    """
    # Not under pytest's folder, into which only its owner can look.
    folder = Path(tempfile.mkdtemp(prefix="topple-postgres-"))
    try:
        (folder / "password").write_text(PASSWORD)
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            for path in (folder, folder / "password"):
                os.chown(path, user.pw_uid, user.pw_gid)
        subprocess.run(
            [*unprivileged(), str(programs() / "initdb"), "-D", str(folder / "data"),
             "-U", USER, "--pwfile", str(folder / "password"), "-A", "scram-sha-256",
             "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
            check=True, stdout=subprocess.DEVNULL, cwd="/",
        )  # fmt: skip
        found = Server(folder, free_port(), durable)
        found.start()
        yield found
        found.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
