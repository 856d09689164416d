"""Findings of the doctor: what was checked, the result, and what to do."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TextIO

import msgspec

FindingVerdict = Literal["ok", "note", "wrong"]
"""`note` is worth knowing and costs no game; `wrong` does, or will."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor.

    Attributes:
        about: what was looked at, one word or two.
        verdict: how it is.
        words: what was found.
        advice: what to do; empty when there is nothing to do.
    """

    about: str
    verdict: FindingVerdict
    words: str
    advice: str = ""


def ok(about: str, words: str) -> Finding:
    """All is well."""
    return Finding(about, "ok", words)


def note(about: str, words: str, advice: str = "") -> Finding:
    """Worth knowing."""
    return Finding(about, "note", words, advice)


def wrong(about: str, words: str, advice: str) -> Finding:
    """Something to mend, and how."""
    return Finding(about, "wrong", words, advice)


def print_findings(findings: Iterable[Finding], out: TextIO, *, as_json: bool = False) -> bool:
    """One line each; returns whether nothing is wrong."""
    healthy = True
    for found in findings:
        healthy &= found.verdict != "wrong"
        line = msgspec.json.encode(found).decode() if as_json else in_words(found)
        print(line, file=out, flush=True)
    return healthy


def in_words(found: Finding) -> str:
    """A finding as people read it.

    >>> in_words(wrong("disk", "12 MB are free", "delete old recordings"))
    'WRONG  disk          12 MB are free; delete old recordings'
    """
    mark = found.verdict.upper() if found.verdict == "wrong" else found.verdict
    words = f"{found.words.removesuffix('.')}; {found.advice}" if found.advice else found.words
    return f"{mark:<6} {found.about:<13} {words}"
