"""The journal, read by a foreign program: what was shown is kept once, in order, as it was told."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from lab.bench.foreign_journal import journal_broken
from lab.bench.observed import Row
from tests.lab.bench.spoiling import true_run

Rows = tuple[Row, ...]


def found(rows: Rows) -> str:
    run = true_run()
    return "; ".join(journal_broken(rows, (*run.sent, *run.encore)))


def rows() -> Rows:
    return true_run().journal


def test_a_true_journal_agrees_with_the_messages() -> None:
    assert len(rows()) > 20
    assert found(rows()) == ""


def _other_content(row: Row) -> Row:
    outcomes = json.loads(row.outcomes)
    outcomes[0]["data"] = {"ref": -1}
    return replace(row, outcomes=json.dumps(outcomes))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda r: r[:-1], "was shown and is not kept"),
        (lambda r: (*r[:5], *r[6:]), "is followed by"),
        (lambda r: (*r[:5], r[4], *r[5:]), "is followed by"),
        (lambda r: (*r[:5], replace(r[5], t_s=0.1), *r[6:]), "back in time"),
        (lambda r: (*r[:5], _other_content(r[5]), *r[6:]), "shown was"),
    ],
)
def test_what_is_lost_doubled_shifted_or_changed_is_found(
    spoil: Callable[[Rows], Rows], words: str
) -> None:
    assert words in found(spoil(rows()))


def test_the_numbers_may_begin_anywhere() -> None:
    assert list(journal_broken(rows()[10:], ())) == []


def test_what_is_kept_and_was_not_shown_is_found() -> None:
    run = true_run()
    at = next(
        at
        for at, sent in enumerate(run.sent)
        if sent.suffix == "event" and b'"placed"' in sent.payload
    )
    silent = (*run.sent[:at], *run.sent[at + 1 :], *run.encore)
    assert any("was not shown" in text for text in journal_broken(rows(), silent))
