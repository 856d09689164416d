import pytest

from hw.drivers.hx711 import CountFlag
from lab.chips.hx711 import Conversion
from tests.benchmarks import hx711
from tests.benchmarks.hx711 import answers_of, figures_of, measure_apart, words_of
from tests.benchmarks.hx711_drivers import RATE_HZ, Driver, number_of, varied
from tests.benchmarks.hx711_words import ALONE, BUSY, OURS, Word, Words, measure_words

SECONDS = 12.0
CONVERSIONS = SECONDS * RATE_HZ


@pytest.mark.slow
@pytest.mark.parametrize("driver", ["ours", "adapter"])
def test_on_a_busy_computer_our_drivers_are_never_silently_wrong(driver: str) -> None:
    outcomes = measure_apart(driver, SECONDS)
    assert not isinstance(outcomes, str), outcomes
    clean, stretched = outcomes["clean"], outcomes["stretched"]

    assert (clean.wrong, stretched.wrong) == (0, 0)
    assert clean.right > CONVERSIONS - 20
    assert stretched.refused > 0.1 * CONVERSIONS, "more than one data word in five is hit"
    assert stretched.right > 0.38 * CONVERSIONS
    assert all(outcome.broken == 0 for outcome in outcomes.values())
    assert all(outcomes[fault].right == 0 for fault in hx711.FAULTS)
    assert "end of its range" in outcomes["saturated"].said
    assert "Unplugged?" in outcomes["unplugged"].said
    assert "stays low" in outcomes["stuck low"].said


@pytest.mark.slow
def test_the_library_with_shims_only_is_silently_wrong_and_waits_for_ever() -> None:
    outcomes = measure_apart("shimmed", 3.0)
    assert not isinstance(outcomes, str), outcomes

    assert outcomes["stretched"].wrong > 15
    assert outcomes["unplugged"].said == "waits for ever"


def test_peers_that_are_not_installed_are_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nobody = Driver("nobody's driver", lambda *_: lambda: None, "nobodys-driver", "nobodys_driver")
    monkeypatch.setitem(hx711.DRIVERS, "nobody", nobody)

    assert measure_apart("nobody", 1.0) == "nobody's driver skipped: pip install nobodys-driver"


def test_the_tables_have_a_line_for_each_driver() -> None:
    outcomes = measure_apart("ours", 1.0)
    assert not isinstance(outcomes, str), outcomes

    assert [make([("ours", outcomes)]).row_count for make in (figures_of, answers_of)] == [1, 1]


def test_every_count_tells_its_conversion() -> None:
    numbers = [1, 2, 77, 9_999]

    assert [number_of(int(varied(Conversion(number, 0.0)))) for number in numbers] == numbers


def test_conversions_are_whole_refused_wrong_or_unseen() -> None:
    def word(number: int, flags: CountFlag) -> Word:
        count = None if flags else int(varied(Conversion(number, 0.0)))
        return Word(0, number * 0.0125, count, flags)

    good, settling = CountFlag(0), CountFlag.SETTLING
    broken = CountFlag.STRETCHED | CountFlag.RESETTLES
    flags = {1: settling, 2: good, 3: good, 4: broken, 9: good}
    given = [*(word(number, found) for number, found in flags.items()), Word(0, 0.125, 4711)]
    words = Words()
    words.enter(given, 80.0, 11 * 0.0125 + 0.001)

    # Of 3 to 11: 3 and 9 came, 4 was stretched, 10 was wrong; 5 to 8 and 11 never came.
    assert words == Words(made=9, whole=2, refused=1, stretched=1, power_cycles=1, wrong=1)
    assert words.unseen == 5


@pytest.mark.slow
def test_beside_a_table_our_readers_account_for_all_conversions_and_are_never_wrong() -> None:
    found = measure_words(OURS, 8.0, rounds=1)

    for words in found.values():
        assert (words.wrong, words.overwritten) == (0, 0)
        assert words.unseen >= 0
    assert found["process", ALONE].whole > 0
    assert words_of(OURS, found).row_count == 2 * len(OURS)
    assert sum(load == BUSY for _, load in found) == len(OURS)
