"""The files of all pages, and of the one on which visitors of the demonstration play."""

from pathlib import Path

from lab.demo.try_page import FOLDER
from pages.files import FILES


def page_files(suffix: str) -> list[Path]:
    return [path for path in (*FILES.values(), *FOLDER.iterdir()) if path.suffix == suffix]
