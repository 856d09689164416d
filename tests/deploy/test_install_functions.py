"""What single functions of deploy/install.sh do, in a folder in place of a computer."""

import base64
import dataclasses
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.ports import candidates
from hw.calibration import calibration_json
from lab.twin.parameters import preset_parameters
from tests.deploy.conftest import in_the_installer
from tests.deploy.test_install import look

ROOT = Path(__file__).parents[2]


PUT = 'put() { remember "$2"; cp "$1" "$2"; chmod "$3" "$2"; changed=yes; }\n'
"""For whoever is not root; the installer's own gives the file to root."""


def bridge_written(folder: Path, hub: str) -> Path:
    """What the installer's own function makes of the shipped file."""
    (folder / "etc/secrets").mkdir(parents=True, exist_ok=True)
    (folder / "etc/secrets/hub").write_text("s3cret-_\n")
    written = folder / "bridge.conf"
    in_the_installer(
        f"{PUT}write_bridge", folder, work=folder, broker_bridge=written, hub=hub, called="attic"
    )
    return written


def test_the_bridge_is_written_as_the_tests_of_the_hub_write_it(tmp_path: Path) -> None:
    shipped = (ROOT / "deploy/mosquitto/bridge.conf").read_text()
    by_hand = [line.replace("TABLE", "attic") for line in shipped.splitlines()]
    ending = hashlib.sha256(b"s3cret-_\n").hexdigest()[:12]
    by_hand = [line.replace("ENDING", ending) for line in by_hand]
    by_hand = ["address hub.club:1883" if line == "address HUB" else line for line in by_hand]
    by_hand = [
        line.replace("remote_password PASSWORD", "remote_password s3cret-_") for line in by_hand
    ]

    written = bridge_written(tmp_path, "hub.club")

    assert written.read_text().splitlines() == by_hand
    assert written.stat().st_mode & 0o777 == 0o600
    assert "address hub.club:8883" in bridge_written(tmp_path, "hub.club:8883").read_text()


def test_a_starter_gets_the_pins_of_its_schematic(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()

    in_the_installer(f"{PUT}write_config", tmp_path, work=tmp_path, wiring="starter")

    written = tomllib.loads((tmp_path / "etc/table.toml").read_text())["source"]
    drawn = tomllib.loads((ROOT / "schematics/starter/config.toml").read_text())["source"]

    assert written["kind"] == "pi"
    assert written["calibration"].startswith(str(tmp_path))
    assert {key: written["pi"][key] for key in drawn["pi"]} == drawn["pi"]


def test_a_table_can_leave_the_club(tmp_path: Path) -> None:
    written = bridge_written(tmp_path, "hub.club")

    bridge_written(tmp_path, "none")

    assert not written.exists()


def version_folder(place: Path, marker: str) -> None:
    place.mkdir(parents=True)
    (place / marker).write_text("fingerprint\n")
    (place / "pyvenv.cfg").touch()


def an_installation(folder: Path) -> Path:
    """Versions, the one in use, and what somebody else has put beside them."""
    opt = folder / "opt"
    for name, marker in {
        "1.0.0": ".complete", "1.1.0": ".complete", "1.1.0+0a1b2c3d": ".begun",
        "1.2.0": ".complete", "2.0.0": "notes", "league": "notes", "..old": ".complete",
    }.items():  # fmt: skip
        version_folder(opt / name, marker)
    (opt / "a file").touch()
    (opt / "9.9.9").symlink_to(opt / "1.0.0")
    (opt / "current").symlink_to(opt / "1.2.0")
    return opt


OTHERS = ["..old", "2.0.0", "9.9.9", "a file", "league"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_update_removes_older_versions_of_its_own_and_nothing_else(tmp_path: Path) -> None:
    opt = an_installation(tmp_path)
    # Of a run that ended between the two steps of switching over.
    (opt / "current.new").symlink_to(opt / "9.9.9")

    in_the_installer("remove_old_versions", opt=opt, folder=opt / "1.2.0", before=opt / "1.1.0")

    assert names(opt) == sorted([*OTHERS, "1.1.0", "1.2.0", "current"])


def uninstalled(folder: Path, *, purge: str) -> str:
    """The installer's own uninstalling, in a folder in place of the computer."""
    script = "has_systemd() { false; }\nid() { false; }\nuninstall_all"
    return in_the_installer(script, folder, purge=purge)


def test_uninstalling_leaves_a_league_and_all_else_that_it_has_not_made(tmp_path: Path) -> None:
    opt = an_installation(tmp_path)
    wants = tmp_path / "units/multi-user.target.wants"
    wants.mkdir(parents=True)
    units = [f"topple-table{end}.service" for end in ("", "-scoreboard", "-league")]
    for unit in units:
        (tmp_path / "units" / unit).touch()
        (wants / unit).symlink_to(tmp_path / "units" / unit)
    (tmp_path / "profiles").mkdir()
    (tmp_path / "etc/secrets").mkdir(parents=True)
    for name in ("table.toml", "secrets/table", "secrets/league"):
        (tmp_path / "etc" / name).touch()

    said = uninstalled(tmp_path, purge="yes")

    assert not (tmp_path / "profiles").exists()
    assert names(opt) == OTHERS
    assert names(wants) == names(tmp_path / "units")[1:] == units[-1:]
    assert [p.name for p in (tmp_path / "etc").rglob("*")] == ["secrets", "league"]
    assert f"kept {tmp_path}/etc/secrets: it holds what this has not made (league )" in said


def test_no_folder_goes_away_by_its_name_alone(tmp_path: Path) -> None:
    opt = an_installation(tmp_path)
    before = names(opt)

    for folder in (opt, f"{opt}/", opt / "league", opt / "..", f"{opt}/1.0.0/..", tmp_path):
        said = in_the_installer(f"remove_version '{folder}'", succeeds=False, opt=opt)
        assert "was not made by this installer" in said

    assert names(opt) == before


@pytest.mark.parametrize(
    "name",
    ["a--b.whl", "topple_table-..-py3-none-any.whl", "topple_table--py3-none-any.whl",
     "topple_table-1.0-py3-none-any.whl.zip", "other-1.0-py3-none-any.whl",
     "topple_table-1.0 x-py3-none-any.whl", "topple_table-\n1.0\n-py3-none-any.whl"],
)  # fmt: skip
def test_a_wheel_is_refused_whose_name_gives_no_folder(name: str, tmp_path: Path) -> None:
    wheel = tmp_path / name
    wheel.touch()

    outcome = look("--dry-run", "--wheel", str(wheel))

    assert outcome.returncode == 2
    assert "this is no wheel of a table; its name is topple_table-VERSION-" in outcome.stderr
    assert outcome.stdout == ""


def test_a_name_of_two_lines_is_refused() -> None:
    assert "use 1 to 32 lower-case letters" in look("--dry-run", "--name", "attic\nx y").stderr


def test_files_are_put_back_as_they_were_before_the_run(tmp_path: Path) -> None:
    place = tmp_path / "etc"
    place.mkdir()
    (place / "acl").write_text("of 1.0\n")
    (place / "acl").chmod(0o600)
    (place / "bridge").write_text("to the club\n")
    (tmp_path / "new").write_text("of 2.0\n")

    in_the_installer(
        f"""reload_system() {{ :; }}
        has_systemd() {{ false; }}
        {PUT}
        put "$work/new" "$etc/acl" 0644
        put "$work/new" "$etc/acl" 0644
        put "$work/new" "$etc/drop-in" 0644
        take_away "$etc/bridge"
        put_back""",
        etc=place, work=tmp_path,
    )  # fmt: skip

    assert {path.name: path.read_text() for path in place.iterdir()} == {
        "acl": "of 1.0\n", "bridge": "to the club\n"
    }  # fmt: skip
    assert (place / "acl").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_the_game_that_tries_a_version_is_short_and_has_a_topple() -> None:
    words = re.search(
        r"bin/topple-table\" (demo --headless .*) \|", (ROOT / "deploy/install.sh").read_text()
    )
    assert words is not None
    command = [sys.executable, "-m", "controller.cli", *words[1].split()]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    assert said[-1].startswith("Final score:")
    assert any("topple" in line for line in said)
    over = next(line for line in said if "Game over" in line)
    minutes, seconds = over.split()[0].split(":")
    assert int(minutes) * 60 + float(seconds) < 60


@pytest.mark.parametrize(
    ("lab", "wiring", "source", "wanted"),
    [
        ("", "twin", "", True),
        ("", "bridge", "", False),
        ("yes", "bridge", "", True),
        ("", "twin", 'kind = "bridge"', False),
        ("", "bridge", 'kind = "twin"   # until it is built', True),
        ("", "bridge", "seed = 1", True),
    ],
)
def test_the_lab_is_for_simulated_tables_and_for_whoever_asks(
    lab: str, wiring: str, source: str, wanted: bool, tmp_path: Path
) -> None:
    """What is configured counts for more than what is wired; a table is simulated by default."""
    if source:
        (tmp_path / "table.toml").write_text(f"[source]\n{source}\n")

    in_the_installer("is_lab_wanted", succeeds=wanted, etc=tmp_path, lab=lab, wiring=wiring)


def test_a_wheel_without_its_lab_is_no_release(tmp_path: Path) -> None:
    wheel = tmp_path / "topple_table-1.0-py3-none-any.whl"
    wheel.touch()

    outcome = look("--wheel", str(wheel))

    assert outcome.returncode == 2
    assert f"{tmp_path}/topple_table_lab-1.0-py3-none-any.whl is missing" in outcome.stderr


def test_a_purge_takes_everything_that_services_have_kept() -> None:
    """A folder of a service's own is named in its unit."""
    units = "".join(path.read_text() for path in (ROOT / "deploy/systemd").glob("*.service"))
    kept = {
        f"/var/lib/{name}" for name in re.findall(r"^StateDirectory=(.+)$", units, re.MULTILINE)
    }
    purged = look("--uninstall", "--purge").stdout

    (removed,) = re.findall(r"would run: rm -rf (.*/var/lib.*)", purged)
    # Dice and league are set up by hand (docs/dice.md, docs/league.md).
    assert kept - {"/var/lib/topple-dice", "/var/lib/topple-league"} <= set(removed.split())


PLANTED = (
    "import os\nopen(os.environ.get('MARK', {mark!r}), 'a').write('a planted module ran\\n')\n"
)
"""What runs as whoever imports it."""


@pytest.fixture
def planted(tmp_path: Path) -> dict[str, str]:
    """A folder whose owner wants root to run what lies in it; the environment leads there."""
    mark = tmp_path / "mark"
    for name in ("venv", "zipfile", "sys", "sysconfig", "sitecustomize", "usercustomize", "pip"):
        (tmp_path / f"{name}.py").write_text(PLANTED.format(mark=str(mark)))
    for name in ("python3", "sed", "dirname", "id", "apt-get", "dpkg-query", "awk", "find"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho planted {name} >>{mark}\n")
        program.chmod(0o755)
    profile = tmp_path / "profile"
    profile.write_text(f"echo planted profile >>{mark}\n")
    pip = tmp_path / ".config/pip"
    pip.mkdir(parents=True)
    (pip / "pip.conf").write_text("[global]\nindex-url = http://127.0.0.1:9/simple\n")
    here = str(tmp_path)
    return {
        "PATH": f"{here}:{os.environ['PATH']}", "PYTHONPATH": here, "PYTHONHOME": here,
        "PYTHONSTARTUP": f"{here}/venv.py", "PYTHONUSERBASE": here, "HOME": here,
        "ENV": str(profile), "BASH_ENV": str(profile), "CDPATH": here,
        "LD_LIBRARY_PATH": here, "TMPDIR": here,
        "PIP_CONFIG_FILE": f"{here}/.config/pip/pip.conf", "MARK": str(mark),
    }  # fmt: skip


def test_nothing_of_the_callers_folder_or_environment_runs_as_root(
    planted: dict[str, str], tmp_path: Path
) -> None:
    # Without ENV: what a shell reads before the first line of a script, no script can help.
    shell = {name: value for name, value in planted.items() if name not in ("ENV", "BASH_ENV")}
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "deploy/install.sh"), "--dry-run"],
        cwd=tmp_path, env=shell, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "mark").exists()


def test_no_python_of_the_installer_looks_into_a_folder_or_an_environment() -> None:
    script = (ROOT / "deploy/install.sh").read_text()
    calls = re.findall(r"""python3?"? -[-a-zA-Z]+""", script)

    assert len(calls) >= 7
    assert all(call.endswith((" -I", " -P", "-version")) for call in calls), calls


def test_an_environment_is_made_of_no_planted_module(
    planted: dict[str, str], tmp_path: Path
) -> None:
    functions, _, _ = (ROOT / "deploy/install.sh").read_text().partition('\nread_options "$@"')
    script = f'{functions}\nread_options; python3 -I -m venv --without-pip "{tmp_path}/made"; env'
    done = subprocess.run(
        ["/bin/sh", "-c", script], cwd=tmp_path, env=planted, capture_output=True, text=True,
        check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "made/pyvenv.cfg").exists()
    assert not (tmp_path / "mark").exists()
    left = {line.partition("=")[0] for line in done.stdout.splitlines()}
    assert not {name for name in left if name.startswith(("PYTHON", "LD_", "PIP_CONFIG", "TMPDIR"))}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A version as the installer leaves it, with one package of ours."""
    version = tmp_path_factory.mktemp("opt") / "1.0.0"
    subprocess.run([sys.executable, "-m", "venv", version], check=True, timeout=120)
    (packages,) = version.glob("lib/python3*/site-packages")
    noted = []
    for name, content in {
        "shown.py": "WORDS = 'as it was'\n",
        "controller/app/run.py": "import lent\n",
        "pages/server.py": "",
        "shown-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: shown\nVersion: 1.0\n",
    }.items():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text(content)
        digest = hashlib.sha256(content.encode()).digest()
        found = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        noted.append(f"{name},sha256={found},{len(content)}\n")
    (packages / "shown-1.0.dist-info/RECORD").write_text("".join(noted))
    # What the system lends is in no record.
    (packages / "lent.py").write_text("")
    command = version / "bin/topple-table"
    command.write_text(f"#!{version}/bin/python\nimport shown\nprint(shown.WORDS)\n")
    command.chmod(0o755)
    (version / ".complete").write_text("0a1b2c3d4e\n")
    return version


def chosen(opt: Path) -> tuple[str, str]:
    """The folder that the installer takes for the same wheel, and what it says before."""
    said = in_the_installer(
        """as_service() { (cd / && timeout 60 "$@" 2>&1); }
        locked_names() { echo shown==1.0; }
        choose_folder; echo "$folder\"""",
        opt=opt, version="1.0.0", fingerprint="0a1b2c3d4e", work=opt, dry_run="",
    )  # fmt: skip
    *words, folder = said.splitlines()
    return Path(folder).name, "".join(words)


def lose(path: str) -> Callable[[Path], None]:
    return lambda version: next(version.glob(path)).unlink()


def cut(path: str) -> Callable[[Path], None]:
    return lambda version: os.truncate(next(version.glob(path)), 5)


def another_python(version: Path) -> None:
    (found,) = version.glob("lib/python3*")
    found.rename(found.with_name("python3.9"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lose("bin/python"), "No such file"),
        (lose("bin/topple-table"), "No such file"),
        (lose("lib/python3*/site-packages/shown.py"), "shown.py: No such file"),
        (cut("lib/python3*/site-packages/shown.py"), "shown.py is not as it was installed"),
        (lose("lib/python3*/site-packages/pip/_vendor/rich/table.py"), "table.py: No such file"),
        (lambda version: shutil.rmtree(version / "lib"), "site-packages: No such file"),
        (another_python, "No such file or directory; it was installed for python3.9"),
        (lose("lib/python3*/site-packages/shown-1.0.dist-info/METADATA"), "shown is "),
        (lose("lib/python3*/site-packages/lent.py"), "No module named 'lent'"),
    ],
    ids=["python gone", "command gone", "lost", "cut", "lost of pip", "all packages lost",
         "another Python", "lost without a trace", "lost of what is lent"],
)  # fmt: skip
def test_a_version_that_was_complete_and_is_damaged_is_installed_anew_beside_it(
    installed: Path, tmp_path: Path, damage: Callable[[Path], None], words: str
) -> None:
    shutil.copytree(installed, tmp_path / "1.0.0", symlinks=True)
    assert chosen(tmp_path) == ("1.0.0", "")
    damage(tmp_path / "1.0.0")

    folder, said = chosen(tmp_path)
    assert folder == "1.0.0+0a1b2c3d"
    assert words in said
    assert (tmp_path / "1.0.0").exists()


@pytest.mark.slow
def test_of_two_damaged_versions_one_is_installed_anew_and_a_whole_one_is_taken(
    installed: Path, tmp_path: Path
) -> None:
    for name in ("1.0.0", "1.0.0+0a1b2c3d"):
        shutil.copytree(installed, tmp_path / name, symlinks=True)
    lose("bin/topple-table")(tmp_path / "1.0.0")
    assert chosen(tmp_path)[0] == "1.0.0+0a1b2c3d"
    assert (tmp_path / "1.0.0+0a1b2c3d/.complete").exists()

    lose("bin/topple-table")(tmp_path / "1.0.0+0a1b2c3d")
    assert chosen(tmp_path)[0] == "1.0.0+0a1b2c3d"
    assert (tmp_path / "1.0.0+0a1b2c3d/.begun").exists()


@pytest.mark.slow
def test_a_version_that_was_mended_is_the_one_that_is_looked_at_next(
    installed: Path, tmp_path: Path
) -> None:
    shutil.copytree(installed, tmp_path / "1.0.0+0a1b2c3d", symlinks=True)
    (tmp_path / "current").symlink_to(tmp_path / "1.0.0+0a1b2c3d")
    assert chosen(tmp_path) == ("1.0.0+0a1b2c3d", "")

    lose("bin/topple-table")(tmp_path / "1.0.0+0a1b2c3d")
    folder, said = chosen(tmp_path)
    assert (folder, "is damaged" in said) == ("1.0.0", True)


@pytest.mark.parametrize("left", ["", ".begun"])
def test_a_version_in_use_that_lost_its_mark_is_installed_anew_beside_it(
    left: str, installed: Path, tmp_path: Path
) -> None:
    shutil.copytree(installed, tmp_path / "1.0.0", symlinks=True)
    lose(".complete")(tmp_path / "1.0.0")
    if left:
        (tmp_path / "1.0.0" / left).touch()
    (tmp_path / "current").symlink_to(tmp_path / "1.0.0")

    folder, said = chosen(tmp_path)

    assert (folder, "its mark is gone" in said) == ("1.0.0+0a1b2c3d", True)
    # Only so it may go away.
    assert (tmp_path / "1.0.0/.begun").exists()


def test_a_copy_in_place_of_the_link_is_put_aside(installed: Path, tmp_path: Path) -> None:
    shutil.copytree(installed, tmp_path / "1.0.0", symlinks=True)
    shutil.copytree(installed, tmp_path / "current", symlinks=True)

    assert "is no link any more; what was there lies in " in chosen(tmp_path)[1]

    (aside,) = tmp_path.glob("current.was.*")
    assert (aside / "current/.complete").exists()
    in_the_installer('point "$opt/1.0.0"', tmp_path, opt=tmp_path)
    assert (tmp_path / "current").is_symlink()


WITHOUT_A_SERVICE = 'as_service() { (cd / && "$@" 2>&1); }\n'


def config_checked(folder: Path, text: str, *, before: str, succeeds: bool = False) -> str:
    """What version 1.2.0, which is this very program, says of a configuration."""
    version = folder / "opt/1.2.0/bin"
    version.mkdir(parents=True)
    (version / "python").write_text(f'#!/bin/sh\ncd {ROOT}; shift; exec {sys.executable} -P "$@"\n')
    (version / "python").chmod(0o755)
    (folder / "etc").mkdir()
    (folder / "etc/table.toml").write_text(text)
    return in_the_installer(
        f"{WITHOUT_A_SERVICE}export PYTHONPATH={ROOT}; check_config", folder, succeeds=succeeds,
        folder=version.parent, version="1.2.0", before=before, work=folder,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("/opt/topple-table/1.10.0", "version 1.2.0 is older than 1.10.0, for which this conf"),
        ("/opt/topple-table/1.1.0", "version 1.2.0 cannot work with this configuration: "),
        ("/opt/topple-table/1.2.0+0a1b2c3d", "cannot work with this configuration: "),
        ("", "version 1.2.0 cannot work with this configuration: "),
    ],
)  # fmt: skip
def test_a_configuration_of_a_newer_version_is_called_so(
    before: str, words: str, tmp_path: Path
) -> None:
    said = config_checked(tmp_path, "[weather]\nrain = 1\n", before=before)

    assert words in said
    assert "table.toml: weather is no setting; " in said
    assert said.count("\n") == 1
    assert f"version {Path(before).name} stays in use" in said or not before


def test_what_the_configuration_is_not_to_blame_for_is_called_so(tmp_path: Path) -> None:
    assert config_checked(tmp_path / "good", "", before="", succeeds=True) == ""

    said = in_the_installer(
        f"{WITHOUT_A_SERVICE}check_config", tmp_path, succeeds=False,
        folder=tmp_path / "gone", version="1.2.0", before="", work=tmp_path,
    )  # fmt: skip

    assert "version 1.2.0 does not run as the user topple-table (" in said
    assert "this configuration" not in said


SECRETS = {"table": "one", "controller": "two", "display": "three", "homeassistant": "four"}


@pytest.mark.skipif(shutil.which("mosquitto_passwd") is None, reason="needs mosquitto")
def test_the_brokers_passwords_are_compared_themselves_and_not_their_dates(tmp_path: Path) -> None:
    secrets = tmp_path / "etc/secrets"
    secrets.mkdir(parents=True)
    for role, word in SECRETS.items():
        (secrets / role).write_text(f"{word}\n")
    known = tmp_path / "topple-table.passwd"
    known.write_text("".join(f"{role}:{word}\n" for role, word in SECRETS.items()))
    subprocess.run(["mosquitto_passwd", "-U", known], check=True)

    # A clock that was ahead when they were written.
    os.utime(known, (4e9, 4e9))
    in_the_installer("are_passwords_known", tmp_path)
    (secrets / "display").write_text("another\n")
    in_the_installer("are_passwords_known", tmp_path, succeeds=False)
    (secrets / "display").write_text("three\n")
    os.utime(known, (1, 1))
    in_the_installer("are_passwords_known", tmp_path)
    known.write_text(known.read_text().splitlines()[0])
    in_the_installer("are_passwords_known", tmp_path, succeeds=False)
    known.unlink()
    in_the_installer("are_passwords_known", tmp_path, succeeds=False)


def test_a_clock_that_is_behind_is_named_as_the_likely_cause(tmp_path: Path) -> None:
    version_folder(tmp_path / "opt/1.0.0", ".complete")
    assert in_the_installer("likely_cause", tmp_path) == ""

    os.utime(tmp_path / "opt/1.0.0/.complete", (4e9, 4e9))

    assert "; the clock is behind: it says " in in_the_installer("likely_cause", tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
def test_a_full_card_is_named_whatever_pip_says_of_it(tmp_path: Path) -> None:
    version_folder(tmp_path / "opt/1.0.0", ".begun")
    card = f"mount -t tmpfs -o size=1m none {tmp_path}/opt/1.0.0; mkdir -p $work"
    script = "remove_version() { umount \"$1\"; }; no_packages 'the words of pip'"

    said = in_the_installer(
        f"{card}; opt=$folder; {script}", tmp_path, succeeds=False,
        folder=tmp_path / "opt/1.0.0",
    )  # fmt: skip

    assert said.count("\n") == 1
    assert "the words of pip. The version in use was left alone; the card is full: " in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_a_folder_that_others_have_is_given_back_without_following_a_link(tmp_path: Path) -> None:
    # Who is not root must get there.
    for folder in (tmp_path, *tmp_path.parents):
        if "pytest" in str(folder):
            folder.chmod(0o711)
    games, elsewhere = tmp_path / "games", tmp_path / "elsewhere"
    games.mkdir()
    for file in (games / "journal", elsewhere):
        file.write_text("kept")
        file.chmod(0)
    (games / "link").symlink_to(elsewhere)

    said = in_the_installer(f"own {games} 0750 daemon", tmp_path)

    assert f"gave {games} and what is in it back to daemon" in said
    assert (games.owner(), games.stat().st_mode & 0o777) == ("daemon", 0o750)
    assert ((games / "journal").owner(), (games / "journal").stat().st_mode) == ("daemon", 0o100600)
    assert (elsewhere.owner(), elsewhere.stat().st_mode) == ("root", 0o100000)
    assert in_the_installer(f"own {games} 0750 daemon", tmp_path) == ""


@pytest.mark.parametrize(
    ("found", "damaged"),
    [
        ("missing     /usr/sbin/mosquitto", True),
        ("??5??????   /usr/sbin/mosquitto", True),
        ("missing     /lib/systemd/system/mosquitto.service", True),
        ("missing   c /etc/mosquitto/mosquitto.conf", True),
        # The owner's affair, and what small systems leave out.
        ("??5?????? c /etc/mosquitto/mosquitto.conf", False),
        ("missing   c /etc/logrotate.d/mosquitto", False),
        ("missing     /usr/share/doc/mosquitto/copyright", False),
        ("", False),
    ],
)
def test_of_a_debian_package_its_programs_and_lost_settings_count(
    found: str, damaged: bool, tmp_path: Path
) -> None:
    said = in_the_installer(
        f"""is_installed() {{ true; }}
        dpkg() {{ [ "$*" != "--verify mosquitto" ] || echo '{found}'; }}
        damaged_packages""",
        tmp_path, needed="mosquitto python3",
    )  # fmt: skip

    assert said == ("mosquitto" if damaged else "")


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ("mkdir /proc/none", "\ntopple-table: this stopped half-way, by what is said above; put"),
        ("fail 'no room for it'", "topple-table: no room for it\n"),
        ("die 'wrong use'", "topple-table: wrong use\n"),
        ("true", ""),
    ],
)
def test_a_run_that_stops_says_so_in_one_sentence_of_ours(
    ends: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    script = f"trap 'finish $?' EXIT\n{ends}"

    said = in_the_installer(script, tmp_path, succeeds=ends == "true")

    assert words in said
    assert said.count("topple-table: ") == bool(words)
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize(("group", "option"), [("true", "--gid=tt"), ("false", "--user-group")])
def test_a_user_is_made_anew_though_its_group_is_still_there(group: str, option: str) -> None:
    stubs = f'id() {{ false; }}; getent() {{ {group}; }}; run() {{ echo "$@"; }}'

    assert f" {option} " in in_the_installer(f"{stubs}; user tt")


def plugged(folder: Path, **names: str) -> Path:
    """What udev makes of devices: names of sockets, and of chips where there is one."""
    serial = folder / "serial"
    for kind in ("by-path", "by-id"):
        (serial / kind).mkdir(parents=True)
    for device, chip in names.items():
        (folder / device).touch()
        (serial / "by-path" / f"usb-of-{device}").symlink_to(folder / device)
        (serial / "by-path" / f"usbv2-of-{device}").symlink_to(folder / device)
        if not (serial / "by-id" / chip).is_symlink():
            (serial / "by-id" / chip).symlink_to(folder / device)
    return serial


def test_adapters_that_share_a_name_are_told_apart_as_the_table_tells_them(tmp_path: Path) -> None:
    serial = plugged(tmp_path, tty0="usb-1a86_USB_Serial", tty1="usb-1a86_USB_Serial")
    (tmp_path / "tty2").touch()
    (serial / "by-id" / "usb-only-a-chip").symlink_to(tmp_path / "tty2")

    found = in_the_installer("serial_devices", serial=serial).split()

    assert found == candidates([serial / "by-path", serial / "by-id"])
    assert [Path(name).name for name in found] == [
        "usb-of-tty0", "usb-of-tty1", "usb-only-a-chip",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("port", "devices", "words"),
    [
        ("", {}, "no serial device is plugged in; the table will wait for the Nano"),
        ("", {"a": "x", "b": "x"}, "the table takes the one on which its Nano greets; to choose"),
        ("{serial}/by-path/usb-of-a", {"a": "x"}, "serial devices are there: {serial}/by-path/"),
        (
            "/dev/gone",
            {"a": "x"},
            "there is no /dev/gone, which [source] of {etc}/table.toml names",
        ),
    ],
)
def test_serial_devices_are_all_named_and_how_to_choose(
    port: str, devices: dict[str, str], words: str, tmp_path: Path
) -> None:
    serial, etc = plugged(tmp_path, **devices), tmp_path / "etc"
    etc.mkdir()
    named = port.format(serial=serial)
    (etc / "table.toml").write_text(f'[source]\nkind = "bridge"\nport = "{named}"  # its socket\n')

    said = in_the_installer("report_hardware", tmp_path, serial=serial, wiring="bridge")

    assert words.format(serial=serial, etc=etc) in said
    assert all(f"{serial}/by-path/usb-of-{device}" in said for device in devices)


@pytest.mark.parametrize(
    ("on_a_pi", "devices", "remembered", "greets", "kind"),
    [
        (True, {}, False, False, "pi"),
        (True, {"printer": "x"}, False, False, "pi"),
        (True, {"printer": "x", "nano": "x"}, False, True, "bridge"),
        (True, {}, True, False, "bridge"),
        (False, {}, False, False, "bridge"),
    ],
)
def test_a_table_whose_configuration_is_gone_is_no_bridge_because_of_a_printer(
    *, on_a_pi: bool, devices: dict[str, str], remembered: bool, greets: bool, kind: str,
    tmp_path: Path,
) -> None:  # fmt: skip
    (tmp_path / "var").mkdir()
    (tmp_path / "var/calibration.json").write_text("{}")
    if remembered:
        (tmp_path / "var/calibration.json.port").write_text("/dev/serial/by-path/x\n")
    # In place of the program, which would listen to the devices of this machine.
    there = f"is_pi() {{ {str(on_a_pi).lower()}; }}\nsetpriv() {{ {str(greets).lower()}; }}\n"

    said = in_the_installer(
        f"{there}find_wiring; echo $wiring", tmp_path, folder=tmp_path / "opt/1.0.0",
        serial=plugged(tmp_path, **devices),
    )  # fmt: skip

    assert said.split()[-1] == kind
    assert f"its configuration is gone; taken for --wiring {kind}" in said


def test_the_program_has_what_the_installer_listens_with() -> None:
    text = (ROOT / "deploy/install.sh").read_text()
    (needed,) = re.findall(r"-c '(from \S+ import ask); ask\(\"\"\)'", text)

    subprocess.run([sys.executable, "-I", "-c", needed], check=True)


def test_a_starter_whose_configuration_is_gone_stays_a_starter(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    known = preset_parameters("normal").calibration
    written = calibration_json(dataclasses.replace(known, weight_only=True))
    (tmp_path / "var/calibration.json").write_text(written)

    assert in_the_installer("find_wiring; echo $wiring", tmp_path).split()[-1] == "starter"


def test_what_the_configuration_says_of_the_wiring_counts(tmp_path: Path) -> None:
    for folder in ("etc", "var"):
        (tmp_path / folder).mkdir()
    (tmp_path / "etc/table.toml").write_text('[source]\nkind = "pi"\n')
    (tmp_path / "var/calibration.json").write_text("{}")
    (tmp_path / "var/calibration.json.port").write_text("/dev/serial/by-path/x\n")

    assert in_the_installer("find_wiring; echo $wiring", tmp_path) == "pi\n"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("true", ""),
        ("rm thing.js", "thing.js: No such file or directory"),
        (": >thing.js", "thing.js is not as it was installed"),
        ("rm -r thing-1.dist-info", "thing is gone"),
    ],
)
def test_a_file_is_missed_that_was_noted_when_it_was_installed(
    change: str, words: str, tmp_path: Path
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "1.0.0"], check=True)
    (place,) = (tmp_path / "1.0.0").glob("lib/python3*/site-packages")
    (place / "thing.js").write_text("let it")
    noted = base64.urlsafe_b64encode(hashlib.sha256(b"let it").digest()).rstrip(b"=").decode()
    (place / "thing-1.dist-info").mkdir()
    (place / "thing-1.dist-info/METADATA").write_text("Name: thing\nVersion: 1\n")
    record = f"thing.js,sha256={noted},6\nthing-1.dist-info/RECORD,,\n"
    (place / "thing-1.dist-info/RECORD").write_text(record)
    subprocess.run(["sh", "-ec", change], cwd=place, check=True)

    said = in_the_installer(
        f'"{tmp_path}/1.0.0/bin/python" -I -c "$every_file" thing==1', succeeds=not words
    )

    assert said.strip().endswith(words)
