"""What a file's mode grants to whom, checked against the kernel's own judgement."""

import os
import pwd
from pathlib import Path

import pytest

from controller.workshop.doctor.people import READ, WRITE, UnixUser, group, myself, owner, person

OWNER, GROUP = 4001, 4002


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o660, 0o644, 0o666, 0o060, 0o006])
@pytest.mark.parametrize("who", ["owner", "member", "other"])
def test_the_kernel_agrees(mode: int, who: str, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    file = tmp_path / "file"
    file.touch()
    file.chmod(mode)
    os.chown(file, OWNER, GROUP)
    uid = OWNER if who == "owner" else 4003
    gid = GROUP if who == "member" else 4004
    asked = UnixUser(who, uid, frozenset({gid}))

    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == 0 and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o011)
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        may = os.access(file, os.R_OK) * READ | os.access(file, os.W_OK) * WRITE
        os._exit(may)
    granted = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert asked.may(READ, file) is bool(granted & READ)
    assert asked.may(WRITE, file) is bool(granted & WRITE)
    assert asked.may(READ | WRITE, file) is (granted == READ | WRITE)


def test_people_are_found_by_name() -> None:
    root = person("root")

    assert root is not None
    assert root.uid == 0
    assert person("nobody-of-this-name") is None
    assert myself().uid == os.geteuid()


def test_owners_without_a_name_are_shown_by_number(tmp_path: Path) -> None:
    assert owner(tmp_path) == pwd.getpwuid(os.geteuid()).pw_name
    if os.geteuid() == 0:
        os.chown(tmp_path, 4001, 4002)
        assert (owner(tmp_path), group(tmp_path)) == ("4001", "4002")
