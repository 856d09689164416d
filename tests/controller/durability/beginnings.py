"""Folders in which a start has something to do before the game can go on."""

import shutil
from pathlib import Path

from controller.journal.journal import Journal
from tests.controller.durability.playing import JOURNAL, Table
from tests.controller.old_journals import made_version_1


def an_evening(folder: Path) -> Path:
    """A closed journal of several games, with what was shown of it."""
    folder.mkdir()
    table = Table(folder, 3)
    table.play(60)
    table.close()
    return folder


def the_log_is_hot(folder: Path) -> Path:
    """A journal as a kill leaves it: nothing has gone from the log into the file."""
    folder.mkdir()
    table = Table(folder, 3)
    table.play(60)
    shutil.copytree(folder, folder.with_name(f"{folder.name}.hot"))
    table.close()
    return folder.with_name(f"{folder.name}.hot")


def older(folder: Path) -> Path:
    """A journal of version 1."""
    an_evening(folder)
    shutil.rmtree(folder / f"{JOURNAL}.d")
    made_version_1(folder / JOURNAL)
    return folder


def damaged(folder: Path) -> Path:
    """A journal with a page of zeros, and its copy."""
    an_evening(folder)
    file = folder / JOURNAL
    content = bytearray(file.read_bytes())
    content[4096:8192] = bytes(4096)
    file.write_bytes(content)
    return folder


def shortened(folder: Path) -> Path:
    """A journal that has lost its last entries, and its copy."""
    an_evening(folder)
    with Journal(folder / JOURNAL) as journal:
        journal._database.execute(
            "DELETE FROM entries WHERE entry > (SELECT max(entry) FROM entries) - 5"
        )
    return folder


ALL = (the_log_is_hot, older, damaged, shortened)
