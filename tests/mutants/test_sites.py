import ast

import pytest

from tests.mutants.copies import ROOT
from tests.mutants.lines import paths
from tests.mutants.sites import mutations


def changes(text: str, path: str = "a.py") -> list[str]:
    """What stands where something was changed, the rest of the file cut off."""
    return [m.name.removeprefix(f"{path}: ") for m in mutations(path, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = a < b", ["x = a {{< => <=}} b"]),
        ("x = t_s < until_s", ["x = t_s {{< => >=}} until_s"]),
        ("LEAST = 'a'\nx = a > LEAST", ["x = a {{> => >=}} LEAST"]),
        ("x = a is not None", ["x = a {{is not => is}} None"]),
        ("x = (a + b) * c", ["x = (a {{+ => -}} b) * c", "x = (a + b) {{* => /}} c"]),
        ("x = a and b or c", ["x = a {{and => or}} b or c", "x = a and b {{or => and}} c"]),
        ("x = not a", ["x = {{not => nothing}} a"]),
        ("x = -a", ["x = {{- => nothing}}a"]),
        ("x = 7", ["x = {{7 => 8}}"]),
        ("x = 2.5", ["x = {{2.5 => 5.0}}"]),
        ("x = True", ["x = {{True => False}}"]),
        ("f()", ["{{f() => pass}}"]),
        ("self.x = y", ["{{self.x = y => pass}}"]),
        ("x += y", ["{{x += y => pass}}"]),
        ("x = f(a, b)", ["x = f({{a, b => b, a}})"]),
        ("if a:\n    pass", ["if {{a => not (a)}}:"]),
    ],
)
def test_what_is_changed_in_python(text: str, expected: list[str]) -> None:
    assert changes(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        '"""Words of 7."""',
        "x = 'a'",
        "x: int | None = y",
        "def f(a: Literal[1]) -> int | str: ...",
        "assert a < b",
        "raise Wrong(a + b)",
        "x = zip(a, strict=True)",
        "_log.info(x)",
        "x = max(a, b)",
        "x = np.logaddexp(a, b)",
        "x = isinstance(a, int | str)",
        "if TYPE_CHECKING:\n    import a",
        "@dataclass(frozen=True)\nclass A: ...",
    ],
)
def test_what_is_only_said_or_only_guards_is_left_alone(text: str) -> None:
    assert changes(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("    x = a << 3;", ["x = a {{<< => >>}} 3;", "x = a << {{3 => 4}};"]),
        ("    a |= b;", ["a {{|= => &=}} b;"]),
        ("#define LIMIT 0x10UL", ["#define LIMIT {{0x10UL => 17UL}}"]),
        ("    wdt_reset();", ["{{wdt_reset(); => ;}}"]),
        ("    return put(a, b);", ["return put({{a, b => b, a}});"]),
        ("#if F_CPU > 8\n// 3 + 4\n/* 5 */ \"6\" '7'", []),
    ],
)
def test_what_is_changed_in_c(text: str, expected: list[str]) -> None:
    found = [name for name in changes(text, "a.c") if "{{" in name]

    assert set(expected) <= set(found)
    assert bool(expected) == bool(found)


def test_quantities_that_are_never_just_equal_are_compared_the_other_way_round() -> None:
    assert changes("LEAST = 0.5\nx = a > LEAST")[1] == "x = a {{> => <=}} LEAST"


def test_equal_changes_of_equal_lines_have_names_of_their_own() -> None:
    assert changes("x = 7\nx = 7") == ["x = {{7 => 8}}", "x = {{7 => 8}} #2"]


@pytest.mark.parametrize(
    ("text", "lines", "in_function"),
    [
        ("x = (\n    y,\n    7,\n)", range(1, 4), False),
        ("def f(x=7):\n    return x", range(1, 2), False),
        ("def f(x):\n    y = 'a'\n    return (\n        x < y)", range(3, 5), True),
        ("class A:\n    def f(self):\n        g()", range(3, 4), True),
        ("class A:\n    x = 7", range(2, 3), False),
        ("def f(x):\n    if x > y:\n        pass", range(2, 3), True),
    ],
)
def test_a_change_knows_the_lines_of_its_statement_and_whether_a_function_runs_it(
    text: str, lines: range, in_function: bool
) -> None:
    (found,) = mutations("a.py", text)

    assert (found.lines, found.in_function) == (lines, in_function)


@pytest.mark.parametrize("path", paths()[::7])
def test_a_changed_file_differs_in_one_place_and_is_still_python(path: str) -> None:
    text = (ROOT / path).read_text()
    found = mutations(path, text)

    for mutation in found[:: 1 + len(found) // 20]:
        changed = mutation.applied(text)
        assert changed != text
        assert changed[: mutation.begin] == text[: mutation.begin]
        if path.endswith(".py"):
            ast.parse(changed)
