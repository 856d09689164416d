"""Commands at an installed table: as whom they are done, and what its service does meanwhile."""

import os
import pwd
import signal
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from controller import cli
from controller.common import installed
from controller.common.errors import BadInput
from controller.common.installed import Installed

ME = pwd.getpwuid(os.geteuid()).pw_name
NOT_ME = os.geteuid() + 1


class Service:
    """systemctl, which remembers what it was told."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.told: list[str] = []

    def control(self, *words: str) -> str:
        if words[0] == "show":
            return self.state
        self.told.append(" ".join(words))
        return ""


@pytest.fixture
def table(tmp_path: Path) -> Installed:
    config = tmp_path / "table.toml"
    config.write_text('[source]\nkind = "bridge"\ncalibration = "calibration.json"\n')
    return Installed(config, Path("/bin/true"), ME, 0, Service("inactive").control, lambda _: None)


def done(
    monkeypatch: pytest.MonkeyPatch, table: Installed, service: Service, *, code: int = 0
) -> list[str]:
    """What happens, in its order, when root types a command."""

    def do(command: list[str], user: str) -> int:
        service.told.append(f"{user}: {' '.join(command)}")
        return code

    monkeypatch.setattr(installed, "_done", do)
    asked = replace(table, control=service.control, uid=0)
    assert asked.do(["calibrate", "--coin", "4x2eur"], aside=True) == code
    return service.told


COMMAND = f"{ME}: /bin/true calibrate --coin 4x2eur"


@pytest.mark.parametrize("code", [0, 1, 130])
@pytest.mark.parametrize("state", ["active", "activating"])
def test_a_running_table_stands_aside_and_goes_on_whatever_comes_of_it(
    state: str, code: int, monkeypatch: pytest.MonkeyPatch, table: Installed
) -> None:
    told = done(monkeypatch, table, Service(state), code=code)

    assert told == ["stop topple-table.service", COMMAND, "start --no-block topple-table.service"]


def test_a_table_that_waited_for_its_calibration_runs_once_it_has_one(
    monkeypatch: pytest.MonkeyPatch, table: Installed
) -> None:
    service, file = Service("inactive"), table.config.with_name("calibration.json")

    def calibrate(command: list[str], user: str) -> int:
        del command, user
        file.write_text("{}")
        return 0

    monkeypatch.setattr(installed, "_done", calibrate)
    waiting = replace(table, control=service.control)
    waiting.do(["calibrate"], aside=True)
    assert service.told == [
        "enable --quiet topple-table.service", "start --no-block topple-table.service"
    ]  # fmt: skip

    service.told.clear()
    waiting.do(["calibrate"], aside=True)
    assert service.told == []


def test_what_only_reads_leaves_the_table_running_and_a_stopped_one_stays_stopped(
    monkeypatch: pytest.MonkeyPatch, table: Installed
) -> None:
    assert done(monkeypatch, table, Service("inactive")) == [COMMAND]
    service = Service("active")
    monkeypatch.setattr(installed, "_done", lambda *_: 0)

    assert replace(table, control=service.control).do(["calibrate", "--list"], aside=False) == 0
    assert service.told == []


def test_a_signal_meanwhile_does_not_leave_the_table_stopped(
    monkeypatch: pytest.MonkeyPatch, table: Installed
) -> None:
    def interrupted(*_: object) -> int:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(os.getpid(), number)
        return 130

    service, before = Service("active"), signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(installed, "_done", interrupted)

    assert replace(table, control=service.control).do(["calibrate"], aside=True) == 130
    assert service.told[-1] == "start --no-block topple-table.service"
    assert signal.getsignal(signal.SIGINT) is before


def installed_here(monkeypatch: pytest.MonkeyPatch, table: Installed) -> None:
    """This very program is the installed one."""
    monkeypatch.setattr(installed, "here", lambda: table)


@pytest.mark.parametrize(
    "typed",
    ["calibrate --coin 4x2eur", "calibrate --list", "calibrate --take-back", "calibrate --zero",
     "accuracy-test", "diagnose --step 4", "diagnose", "run", "firmware flash", "doctor",
     "bench place_every_cell --target rig"],
)  # fmt: skip
def test_an_ordinary_user_is_told_the_line_to_type(
    typed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    table: Installed,
) -> None:
    installed_here(monkeypatch, replace(table, user="root", uid=NOT_ME))
    monkeypatch.setattr(sys, "argv", ["topple-table", *typed.split()])

    assert cli.main() == 2
    assert capsys.readouterr().err == (
        "topple-table: this needs the table's own files and sensors; type: "
        f"sudo topple-table {typed}\n"
    )


@pytest.mark.parametrize("typed", ["diagnose --step 1", "firmware flash --dry-run --port /dev/x"])
def test_what_touches_nothing_needs_no_sudo(
    typed: str, monkeypatch: pytest.MonkeyPatch, table: Installed
) -> None:
    installed_here(monkeypatch, replace(table, user="root", uid=NOT_ME))

    assert cli.main(typed.split()) == 0


def test_root_has_it_done_with_the_same_words_and_exit_code(
    monkeypatch: pytest.MonkeyPatch, table: Installed
) -> None:
    done = Mock(return_value=1)
    monkeypatch.setattr(installed, "_done", done)
    nobody = replace(table, user="nobody", uid=0)
    installed_here(monkeypatch, nobody)
    monkeypatch.setattr(sys, "argv", ["topple-table", "diagnose", "--step", "4"])

    assert cli.main() == 1
    done.assert_called_once_with(["/bin/true", "diagnose", "--step", "4"], "nobody")


def test_the_table_goes_by_its_own_configuration_unless_another_is_named(
    monkeypatch: pytest.MonkeyPatch, table: Installed, tmp_path: Path
) -> None:
    mine = replace(table, uid=os.geteuid())
    installed_here(monkeypatch, mine)
    other = tmp_path / "other.toml"

    assert installed.table_file(None) == mine.config
    assert installed.table_file(mine.config) == mine.config
    assert installed.table_file(other) == other


def test_another_configuration_is_its_owners_own_affair(
    monkeypatch: pytest.MonkeyPatch, table: Installed, tmp_path: Path
) -> None:
    # A program from a checkout is not the installed one.
    assert installed.here() is None
    assert installed.table_file(None) is None
    installed_here(monkeypatch, replace(table, user="root", uid=NOT_ME))
    other = tmp_path / "other.toml"
    other.write_text("")

    assert installed.table_file(other) == other
    with pytest.raises(BadInput, match="type: sudo topple-table"):
        installed.table_file(table.config)


def test_files_out_of_reach_are_refused_before_anything_is_done(
    monkeypatch: pytest.MonkeyPatch, table: Installed, tmp_path: Path
) -> None:
    mine = replace(table, uid=os.geteuid())
    kept = tmp_path / "kept.json"
    kept.write_text("{}")
    # Root, who may run this test, is refused nothing.
    monkeypatch.setattr(os, "access", lambda *_: False)

    with pytest.raises(BadInput, match=rf"may not read it; .* sudo install -m 644 {kept} /tmp"):
        mine.need(reads=[kept])
    with pytest.raises(BadInput, match=r"may not write there; .* such as /tmp/report.html"):
        mine.need(writes=[tmp_path / "none" / "report.html"])
    # The command itself has words for what is not there.
    mine.need(reads=[tmp_path / "missing"])
