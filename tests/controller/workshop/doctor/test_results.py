"""Findings as people read them, and as programs do."""

import io
import json

from controller.workshop.doctor.results import in_words, note, ok, print_results, wrong


def test_a_finding_is_one_line_with_its_advice() -> None:
    assert in_words(ok("clock", "2026-11-21")) == "ok     clock         2026-11-21"
    assert in_words(note("disk", "300 MB are free", "look")).endswith("300 MB are free; look")
    assert in_words(wrong("table", "offline", "start it")).startswith("WRONG  table ")
    # A sentence and its advice have one mark between them.
    assert in_words(wrong("serial", "no device here.", "plug it in")).endswith("here; plug it in")


def test_only_what_is_wrong_makes_a_table_ill() -> None:
    out = io.StringIO()

    assert print_results([ok("a", "fine"), note("b", "so so")], out)
    assert not print_results([ok("a", "fine"), wrong("b", "bad", "mend it")], out)
    assert len(out.getvalue().splitlines()) == 4


def test_programs_get_an_object_a_line() -> None:
    out = io.StringIO()

    print_results([wrong("disk", "full", "make room")], out, as_json=True)

    assert json.loads(out.getvalue()) == {
        "about": "disk",
        "verdict": "wrong",
        "words": "full",
        "advice": "make room",
    }
