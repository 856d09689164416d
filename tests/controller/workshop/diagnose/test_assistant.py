import io

from controller.workshop.diagnose.assistant import Person


def test_a_person_is_told_where_and_what() -> None:
    out = io.StringIO()
    person = Person(out)
    person.press(1, None)
    person.press(2, 100.0)
    person.push_down((0.0, 1.0))
    person.done()

    first, second, third, last = out.getvalue().splitlines()
    assert "load cell C1 (front right)" in first
    assert "100 g" in second
    assert "rank 5 (back)" in third
    assert "hands off" in last
