from engine.events import Fault
from engine.troubles import CELL_REPEATS


def test_a_fault_of_a_trouble_has_its_sentence_code_and_arguments() -> None:
    trouble = CELL_REPEATS(n="C2")

    fault = Fault(3.0, "scale.2", trouble.sentence, "cell_repeats", {"n": "C2"})
    assert Fault.of(3.0, "scale.2", trouble) == fault
