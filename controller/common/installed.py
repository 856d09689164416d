"""The table that is installed on this computer, and commands that need it.

Its sensors, calibration and games belong to a system user, and its service holds them while it
runs. As root (with sudo) such a command runs as that user while the service is stopped; everybody
else is told which command to type.

Only the installed program does this. A program from a checkout runs as whoever starts it, on the
table that its configuration names.
"""

import contextlib
import os
import pwd
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from controller.common.errors import BadInput, ControllerError

CONFIG = Path("/etc/topple-table/table.toml")
PROGRAMS = Path("/opt/topple-table")
"""Each version has a folder in it."""
USER = "topple-table"
SERVICE = "topple-table.service"

RUNNING = ("active", "activating", "reloading")
"""States of a service that is started again afterwards, one that keeps failing included."""

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

LET_GO_S = 30.0
"""A stopped service releases sensors and games within half of this time."""


@dataclass(frozen=True, slots=True)
class Installed:
    """An installed table, and the user (`uid`) of this command.

    `program` is what was typed, of the version in use; `user` owns the files and the service.
    `control` runs `systemctl` with its words and returns what it prints.
    """

    config: Path
    program: Path
    user: str
    uid: int
    control: Callable[..., str]
    say: Callable[[str], None]

    def need(
        self, *, aside: bool = True, reads: Iterable[Path] = (), writes: Iterable[Path] = ()
    ) -> None:
        """Continue only as the table's user.

        Args:
            aside: whether the service must stand aside.
            reads: files that people named, and
            writes: places where something goes.

        Raises:
            typer.Exit: root asked, and it is done, with this exit code.
            BadInput: somebody else asks, and is told what to type; or the table's user may not
                have one of the files.
        """
        if self.uid != pwd.getpwnam(self.user).pw_uid:
            raise typer.Exit(self.do(sys.argv[1:], aside=aside))
        for path in reads:
            if _is_forbidden(path, os.R_OK):
                raise BadInput(
                    f"{path}: the table's user {self.user} may not read it; copy it to where "
                    f"that is allowed, and name the copy: sudo install -m 644 {path} /tmp"
                )
        for path in writes:
            nearest = next((each for each in _upwards(path) if not _is_missing(each)), path)
            if _is_forbidden(nearest, os.W_OK):
                raise BadInput(
                    f"{path}: the table's user {self.user} may not write there; name a place "
                    f"where that is allowed, such as /tmp/{path.name}"
                )

    def do(self, typed: Sequence[str], *, aside: bool) -> int:
        """Run the typed words as the table's user and return the exit code; `aside` as in `need`.

        Raises:
            BadInput: somebody else than root asks; the words say what to type.
        """
        if self.uid != 0:
            raise self.sent_away(typed)
        with _unstopped(), self._aside() if aside else contextlib.nullcontext():
            return _done([str(self.program), *typed], self.user)

    @staticmethod
    def sent_away(typed: Sequence[str]) -> BadInput:
        """The message for a user who may not run the typed command."""
        line = shlex.join(["sudo", "topple-table", *typed])
        return BadInput(f"this needs the table's own files and sensors; type: {line}")

    @contextlib.contextmanager
    def _aside(self) -> Iterator[None]:
        """Stop the service for the duration of the block."""
        runs = self.control("show", "--property=ActiveState", "--value", SERVICE) in RUNNING
        waits = self._waits()
        if runs:
            self.say("The running table is stopped meanwhile; its game goes on afterwards.")
            self.control("stop", SERVICE)
        try:
            yield
        finally:
            if waits and not self._waits():
                self.say("The table is calibrated: it runs from now on, also after each restart.")
                self.control("enable", "--quiet", SERVICE)
                self.control("start", "--no-block", SERVICE)
            elif runs:
                self.say("The table is started again.")
                self.control("start", "--no-block", SERVICE)

    def _waits(self) -> bool:
        """Whether it is a real table without a calibration, which cannot run."""
        from controller.common.config import load  # noqa: PLC0415

        with contextlib.suppress(ControllerError, OSError):
            chosen = load(self.config).source
            file = Path(chosen.calibration)
            return chosen.kind in ("bridge", "pi") and not (file.is_file() and file.stat().st_size)
        return False


def here() -> Installed | None:
    """The installed table, if this program belongs to it."""
    if not Path(sys.prefix).resolve().is_relative_to(PROGRAMS) or not CONFIG.exists():
        return None
    try:
        pwd.getpwnam(USER)
    except KeyError:
        return None
    program = Path(sys.prefix) / "bin" / "topple-table"
    return Installed(CONFIG, program, USER, os.geteuid(), _control, _say)


def check_may_look(named: Path | None) -> None:
    """Refuse a check without root: it cannot read everything and would report false problems.

    Without a named configuration it is that of the installed table.

    Raises:
        BadInput: somebody else asks about the installed table; the words say what to type.
    """
    table = here()
    if table is not None and table.uid != 0 and (named is None or _same(named, table.config)):
        raise table.sent_away(sys.argv[1:])


def table_file(
    named: Path | None,
    *,
    aside: bool = True,
    reads: Iterable[Path | None] = (),
    writes: Iterable[Path | None] = (),
) -> Path | None:
    """The configuration to use: the named one, else that of the installed table, or None.

    Raises:
        typer.Exit, BadInput: it is the installed table's; see `Installed.need`.
    """
    table = here()
    if table is None or not (named is None or _same(named, table.config)):
        return named
    table.need(aside=aside, reads=filter(None, reads), writes=filter(None, writes))
    return named or table.config


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _upwards(path: Path) -> tuple[Path, ...]:
    whole = path.absolute()
    return (whole, *whole.parents)


def _is_missing(path: Path) -> bool:
    """Whether the file is certainly missing; the command itself reports that."""
    try:
        path.stat()
    except FileNotFoundError:
        return True
    except OSError:
        pass
    return False


def _is_forbidden(path: Path, wish: int) -> bool:
    return not (_is_missing(path) or os.access(path, wish))


@contextlib.contextmanager
def _unstopped() -> Iterator[None]:
    """Who is stopped meanwhile would leave the service stopped; whatever works for us ends itself.

    Handlers, since what is ignored stays so in a child.
    """
    before = {number: signal.signal(number, lambda *_: None) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _done(command: Sequence[str], user: str) -> int:
    """Run a command as a user with all their groups, and pass stop signals on to it."""
    entry = pwd.getpwnam(user)
    groups = os.getgrouplist(user, entry.pw_gid)
    child = subprocess.Popen(  # noqa: S603 - what was typed, in one's own program
        command,
        user=entry.pw_uid,
        group=entry.pw_gid,
        extra_groups=groups,
        env=os.environ | {"HOME": entry.pw_dir, "USER": user, "LOGNAME": user},
    )

    # Ctrl-C comes to both from the terminal, these do not.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: child.send_signal(number))
    code = child.wait()
    return code if code >= 0 else 128 - code


def _control(*text: str) -> str:
    """The output of systemctl; empty where there is no systemd."""
    if not Path("/run/systemd/system").is_dir():
        return ""
    done = subprocess.run(  # noqa: S603 - our own words
        ["/usr/bin/systemctl", *text],
        stdout=subprocess.PIPE, text=True, check=False, timeout=LET_GO_S,
    )  # fmt: skip
    return done.stdout.strip()


def _say(text: str) -> None:
    print(f"topple-table: {text}", file=sys.stderr, flush=True)
