"""The commands of our documents, and somebody who types them as they stand there."""

import re
from pathlib import Path
from typing import Protocol

from tests.deploy.bare_debian import BareDebian

ROOT = Path(__file__).parents[2]

OWNER = "ann"
"""An ordinary user with sudo and a home folder of her own, as Raspberry Pi OS makes one."""

MAKE_OWNER = f"""
useradd --create-home --shell /bin/bash {OWNER}
chmod 700 /home/{OWNER}
echo '{OWNER} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/{OWNER}
grep -q "$(uname -n)" /etc/hosts || echo "127.0.0.1 localhost $(uname -n)" >>/etc/hosts
printf '[global]\\ncert = /release.crt\\nquiet = 2\\n' >/etc/pip.conf
printf 'APT::Get::Assume-Yes "true";\\nAPT::Install-Recommends "false";\\nquiet "2";\\n' \
    >/etc/apt/apt.conf.d/90typed
"""


def commands(document: str, section: str = "") -> list[str]:
    """What a document tells people to type, in its order.

    Args:
        document: its path in the repository.
        section: words with which the part begins; all of it when empty.
    """
    text = (ROOT / document).read_text()
    if section:
        text = text[text.index(section) :].partition("\n\n**")[0]
    typed = r"^ {4}(\S.*)$|`((?:sudo|topple-table) [^`]+|make demo)`"
    found = re.finditer(typed, text, flags=re.MULTILINE)
    return [match[1] or match[2] for match in found]


FIGURES = [line for line in commands("docs/league.md") if "-scoreboard" in line]
"""What is typed at the pages' machine, and not at the hub."""


def settle(debian: BareDebian) -> None:
    debian.run("apt-get", "-qq", "update")
    debian.run("apt-get", "-qq", "install", "--no-install-recommends", "-y", "sudo")
    debian.run("sh", "-ec", MAKE_OWNER)


class Computer(Protocol):
    """Where somebody can sit down."""

    def run(self, *command: str) -> str:
        """What a command of root's prints."""

    def write(self, path: str, content: str) -> None:
        """Put a file in there."""


def types(
    computer: Computer, line: str, *, folder: str = "/release", keys: str = ""
) -> tuple[int, str]:
    """Exit code and output of a line that the owner types at a terminal of her own.

    Args:
        computer: where.
        line: for her shell.
        folder: where she is.
        keys: what she types when she is asked.
    """
    return ended_with(computer.run(*terminal(computer, line, folder=folder, keys=keys)))


def terminal(
    computer: Computer, line: str, *, folder: str = "/release", keys: str = "", kind: str = "dumb"
) -> tuple[str, ...]:
    """The command of root's that has the owner type a line; its output is for `ended_with`.

    Args:
        computer: where.
        line: for her shell.
        folder: where she is.
        keys: what she types when she is asked.
        kind: of terminal; a dumb one shows what does not change any more, without colours.
    """
    session = f"cd {folder} && {line}"
    computer.write("/typed.sh", f"{session}\n")
    computer.write("/keys", keys)
    typing = f"TERM={kind} script -qec 'su - {OWNER} -c \"bash /typed.sh\"' /dev/null </keys"
    return "sh", "-c", f"{typing}; code=$?; echo; echo [$code]"


def ended_with(said: str) -> tuple[int, str]:
    """Exit code and output."""
    code = re.search(r"\[(\d+)\]\s*$", said)
    assert code is not None, said
    return int(code[1]), said
