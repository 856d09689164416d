import pytest

from tests.mutants.covering import Covering
from tests.mutants.sites import Mutation, mutations

PATH = "engine/referee/fold.py"
TEXT = "LIMIT = 7\n\n\ndef fold(x):\n    return x + LIMIT\n"
OWN = ["tests/engine/referee/test_fold.py::test_b", "tests/engine/referee/test_fold.py::test_a"]
ROOM, FAR = "tests/engine/referee/test_state.py::test_c", "tests/playthroughs/test_all.py::test_d"


def mutant(kind: str) -> Mutation:
    return next(m for m in mutations(PATH, TEXT) if m.kind == kind)


AT_IMPORT, INSIDE = mutant("constant"), mutant("operator")


def known(lines: dict[int, list[str]], **seconds: float) -> Covering:
    names = [name for several in lines.values() for name in several]
    return Covering({name: seconds.get(name[-6:], 1.0) for name in names}, {PATH: lines})


def test_the_modules_own_tests_come_first_and_the_quick_ones_before_the_slow() -> None:
    covering = known({5: [FAR, ROOM, *OWN]}, test_a=0.1, test_d=0.1)

    assert covering.tests_of(INSIDE) == (OWN[::-1], [ROOM, FAR])


def test_only_those_who_run_the_line_are_asked() -> None:
    covering = known({3: [OWN[0]], 5: [ROOM]})

    assert covering.tests_of(INSIDE) == ([], [ROOM])


def test_what_an_import_runs_concerns_all_who_come_to_the_file() -> None:
    assert known({5: [ROOM]}).tests_of(AT_IMPORT) == ([], [ROOM])
    assert known({3: [ROOM], 5: [""]}).tests_of(INSIDE) == ([], [ROOM])


@pytest.mark.parametrize("processes", [1, 2])
def test_everybody_is_asked_of_a_file_that_has_only_constants(processes: int) -> None:
    """Each process of a measurement has imported the file once."""
    covering = Covering({ROOM: 1.0, FAR: 1.0}, {PATH: {1: [""] * processes}})

    assert covering.tests_of(AT_IMPORT) == ([], [ROOM, FAR])
    assert covering.tests_of(INSIDE) == ([], [])


def test_one_case_of_each_scenario_is_played_before_the_others_of_it() -> None:
    seconds = {"sim cell[x=1]": 1.0, "sim cell[x=2]": 1.1, "sim evening": 9.0, "sim undo": 2.0}
    covering = Covering(seconds, {PATH: {5: list(seconds)}})

    assert covering.scenarios_of(INSIDE) == [
        "sim cell[x=1]", "sim undo", "sim evening", "sim cell[x=2]",
    ]  # fmt: skip
    assert covering.scenarios_of(INSIDE, ["sim cell[x=2]"])[0] == "sim cell[x=2]"


def test_what_only_a_microcontroller_needs_is_asked_of_the_lab() -> None:
    seconds = {"sim place_one": 1.0, "lab line_drop": 5.0}
    covering = Covering(seconds, {}, {name: [1] for name in seconds})
    (uart,) = mutations("firmware_bridge/firmware/src/uart.c", "#define LIMIT 7\n")

    assert covering.scenarios_of(uart) == ["lab line_drop"]
