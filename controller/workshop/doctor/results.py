"""Results of the doctor: what was checked, how it is, and what to do."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TextIO

import msgspec

CheckVerdict = Literal["ok", "note", "wrong"]
"""`note` is worth knowing and costs no game; `wrong` does, or will."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the doctor: what was looked at, how it is, and what to do, if anything."""

    about: str
    verdict: CheckVerdict
    words: str
    advice: str = ""


def ok(about: str, words: str) -> CheckResult:
    """All is well."""
    return CheckResult(about, "ok", words)


def note(about: str, words: str, advice: str = "") -> CheckResult:
    """Worth knowing."""
    return CheckResult(about, "note", words, advice)


def wrong(about: str, words: str, advice: str) -> CheckResult:
    """Something to mend, and how."""
    return CheckResult(about, "wrong", words, advice)


def print_results(results: Iterable[CheckResult], out: TextIO, *, as_json: bool = False) -> bool:
    """One line each; returns whether nothing is wrong."""
    healthy = True
    for found in results:
        healthy &= found.verdict != "wrong"
        line = msgspec.json.encode(found).decode() if as_json else in_words(found)
        print(line, file=out, flush=True)
    return healthy


def in_words(found: CheckResult) -> str:
    """A result as people read it.

    >>> in_words(wrong("disk", "12 MB are free", "delete old recordings"))
    'WRONG  disk          12 MB are free; delete old recordings'
    """
    mark = found.verdict.upper() if found.verdict == "wrong" else found.verdict
    words = f"{found.words.removesuffix('.')}; {found.advice}" if found.advice else found.words
    return f"{mark:<6} {found.about:<13} {words}"
