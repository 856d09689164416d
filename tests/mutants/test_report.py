from tests.mutants.report import EQUIVALENT, equivalent, report
from tests.mutants.trial import Trial

NAMES = [f"engine/events.py: x = {{{{{n} => {n + 1}}}}}" for n in range(6)]


TRIALS = [
    Trial(NAMES[0], "tests", "caught", "FAILED test_a"),
    Trial(NAMES[0], "bench", "caught", "sim undo", "the score is 3"),
    Trial(NAMES[1], "tests", "survived", left=3),
    Trial(NAMES[1], "bench", "survived", differing={"sim a": 2, "sim b": 5}),
    Trial(NAMES[2], "tests", "caught", "FAILED test_b"),
    Trial(NAMES[2], "bench", "survived"),
    Trial(NAMES[3], "tests", "not run"),
    Trial(NAMES[3], "bench", "not run"),
    Trial(NAMES[4], "tests", "cannot be built"),
    Trial(NAMES[5], "tests", "survived"),
]
TEXT = report(TRIALS, "Mutants, seed 7", {NAMES[5]: "the same"})


def test_the_figures_leave_out_what_is_equivalent_or_cannot_be_built() -> None:
    assert "6 mutants tried: 1 cannot be built, 1 are equivalent." in TEXT
    assert "| unit tests | 2 | 4 | 50% (15% to 85%) |" in TEXT
    assert "| bench, all mutants | 1 | 4 | 25% (5% to 70%) |" in TEXT
    assert "| bench, where a table does something else | 1 | 2 | 50% (9% to 91%) |" in TEXT
    assert "| one or the other | 2 | 4 |" in TEXT


def test_a_survivor_is_listed_with_the_scenario_that_came_nearest() -> None:
    past, _, only_bench = TEXT.partition("## Past the tests")[2].partition("## Past the bench only")

    assert NAMES[1] in past
    assert "3 were left when the time was used up" in past
    assert "nearest was sim b, 5 messages were different" in past
    assert f"`{NAMES[3]}`\n  tests: none comes there; bench: none comes there" in past
    assert NAMES[0] not in past + only_bench
    assert "caught by FAILED test_b; bench: survived; every message was the same" in only_bench


def test_equivalent_mutants_are_read_with_their_reasons() -> None:
    text = "[[equivalent]]\nmutant = '''a.py: {{1 => 2}}'''\nreason = \"why\"\n"

    assert equivalent(text) == {"a.py: {{1 => 2}}": "why"}
    assert all(len(reason) > 20 for reason in EQUIVALENT.values())
