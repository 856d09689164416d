"""Mosquitto of another Debian, with the shipped files where the installer puts them.

It runs in its unpacked folder as the user that Debian gives it, with its own libraries and main
configuration, but without its service manager.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.controller.conftest import RunningBroker, running_mosquitto, shipped_configuration
from tests.unpacked import unpacked_root

RELEASES = {"trixie": "2.0.", "forky": "2.1."}
"""How the version begins; Debian 12's is the one that the other tests meet."""

USER_ID = 991
"""Of `mosquitto` in there; its packages would make one when they are installed, not unpacked."""

PLACE = Path("/etc/mosquitto")


@dataclass(frozen=True, slots=True)
class UnpackedMosquitto:
    """A folder that is the root of another Debian's Mosquitto."""

    release: str
    root: Path

    def command(self, program: str, *words: str, user: int = 0) -> list[str]:
        """How a program of it is started in there."""
        return ["chroot", f"--userspec={user}:{user}", str(self.root), program, *words]

    def run(
        self, port: int, own_port: int, rules: str, passwords: Mapping[str, str]
    ) -> Iterator[RunningBroker]:
        """The broker as it is installed, but for its ports."""
        place = self.root / PLACE.relative_to("/")
        conf = shipped_configuration(PLACE, port, own_port).removeprefix("user root\n")
        (place / "conf.d/topple-table.conf").write_text(conf)
        (place / "topple-table.acl").write_text(rules)
        (place / "topple-table.passwd").write_text(
            "".join(f"{user}:{password}\n" for user, password in passwords.items())
        )
        for name in ("topple-table.acl", "topple-table.passwd"):
            (place / name).chmod(0o600)
        scramble = self.command("/usr/bin/mosquitto_passwd", "-U", f"{PLACE}/topple-table.passwd")
        subprocess.run(scramble, check=True, capture_output=True)
        for name in ("topple-table.acl", "topple-table.passwd"):
            os.chown(place / name, USER_ID, USER_ID)
        yield from self.run_again(port)

    def run_again(self, port: int) -> Iterator[RunningBroker]:
        """With the files as they lie there."""
        start = self.command("/usr/sbin/mosquitto", "-c", f"{PLACE}/mosquitto.conf", user=USER_ID)
        yield from running_mosquitto(self.said, port, start)

    @property
    def said(self) -> Path:
        """Where its own words are, a line each."""
        return self.root / "mosquitto.said"

    @property
    def version(self) -> str:
        """As it says itself."""
        asked = self.command("/usr/sbin/mosquitto", "-h")
        told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
        return told.partition("\n")[0].removeprefix("mosquitto version ")


def mosquitto_of(release: str) -> UnpackedMosquitto:
    """Mosquitto of a release of Debian; one and the same in all tests."""
    root = unpacked_root("mosquitto", release)
    users = f"root:x:0:0::/:/bin/sh\nmosquitto:x:{USER_ID}:{USER_ID}::/:/usr/sbin/nologin\n"
    (root / "etc/passwd").write_text(users)
    (root / "etc/group").write_text(f"root:x:0:\nmosquitto:x:{USER_ID}:\n")
    for made in ("var/log/mosquitto", "var/lib/mosquitto", "run/mosquitto"):
        (root / made).mkdir(parents=True, exist_ok=True)
        os.chown(root / made, USER_ID, USER_ID)
    return UnpackedMosquitto(release, root)
