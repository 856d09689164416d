"""The table of parameters is whole, and the code of the back end has no such number beside it."""

import ast
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest

from engine.detect.back import parameters
from engine.detect.back.parameters import BEHAVIOUR, OFF, Priors, Source
from scripts.parameters import Row, rows

MODULES = sorted(Path(parameters.__file__).parent.glob("*.py"))
TABLE = rows()
NAMES = [field.name for field in fields(Priors)]

NEUTRAL = (0, 1, 2, 0.5)
"""None and all, both and half: they are no opinion."""

EXPLAINED: dict[str, tuple[tuple[float, ...], str]] = {
    "account.Sighting.rested": ((40.0, 40.0), "an exponent that no float can do without"),
    "branching": ((16.0, 48), "HOPELESS, PURSUED: how many branches are worth the time"),
    "branching.Branching._branch": ((1e-12,), "has a logarithm"),
    "densities": ((2,), "_ROUND: dimensions of the plane"),
    "densities.Densities.free_fit": ((700.0,), "an exponent that no float can do without"),
    "densities.Densities.moved": ((0.1, 1e-30), "not the same cell; has a logarithm"),
    "densities.Densities.gone": ((1e-30,), "has a logarithm"),
    "densities.Densities.landed": ((1e-30,), "has a logarithm"),
    "masses.Masses.may_be": ((0.5, 0.5), "nearer to this number of pieces than to its neighbours"),
    "ending.how_often_stopped": ((2.0, 2.0), "the beta function of a uniform share"),
    "expected": ((8,), "REMEMBERED: how much is kept"),
    "lasting.lasts": ((700.0,), "an exponent that no float can do without"),
    "location": (
        (2, 1e-3, 2),
        "LOG_TWO_PI, _ROUND: the normal density and the plane; cells that are named",
    ),
    "location.allowed": ((8,), "how much is kept"),
    "location.log_legal": ((8,), "how much is kept"),
    "location.log_prior": ((8,), "how much is kept"),
    "location._alternatives": ((4,), "with how many digits runners-up are told"),
    "location._located": ((5,), "how many runners-up are told"),
    "location.mixed": ((4,), "the same"),
    "scene": ((24, 80, 240, 0.995), "FEW_LOOKS, LAST_LOOK, AGREED: how often is looked"),
    "scene.Scene.may_be_bare": ((0.001,), "whether a bare board is worth the time"),
    "scene.Scene.unchanged": ((1e-9,), "the same number"),
    "telling.Teller._announce": ((3, 3), "digits"),
    "telling.Teller._reweigh": ((3, 3), "digits"),
    "telling.Teller._toppled": ((3, 3), "digits"),
    "telling._rounded": ((4,), "digits"),
    "tracker": ((24,), "KEPT: how many accounts are worth the time"),
    "tracker.Tracker.weigh": ((1e-12,), "has a logarithm"),
    "tracker.Tracker.commit": ((1e-12,), "has a logarithm"),
    "tracker.Tracker.reweigh.heard": ((1e-9,), "has a logarithm"),
    "tracker.Tracker._change_now": ((1e-12,), "has a logarithm"),
}
"""Module, or function -> numbers in the order of its code, and why they weigh no evidence."""


class Numbers(ast.NodeVisitor):
    """Finds the numbers of a module that may weigh evidence, by the function they are in.

    Neutral numbers may be factors, powers, limits and logarithms; in a sum a half or a two is an
    opinion, and so is what is added to a variable. Constants of a module are never neutral.
    """

    def __init__(self, module: str) -> None:
        self.found: dict[str, list[float]] = {}
        self._where, self._above = [module], list[ast.AST]()

    def visit(self, node: ast.AST) -> None:
        inside = [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
        self._where += inside
        if isinstance(node, ast.Constant) and type(node.value) in {int, float}:
            self._number(node.value)
        self._above.append(node)
        self.generic_visit(node)
        self._above.pop()
        if inside:
            self._where.pop()

    def _number(self, value: object) -> None:
        assert isinstance(value, int | float)
        if len(self._where) == 1 or value not in NEUTRAL or self._is_added(value):
            self.found.setdefault(".".join(self._where), []).append(value)

    def _is_added(self, value: float) -> bool:
        above = [each for each in self._above if not isinstance(each, ast.UnaryOp)][-1]
        if not isinstance(value, float) or not value:
            return False
        if isinstance(above, ast.AugAssign):
            return isinstance(above.op, ast.Add | ast.Sub)
        scales = isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mult | ast.Div | ast.Pow)
        called = isinstance(above, ast.Call) and ast.unparse(above.func) == "log"
        return value != 1.0 and not (scales or called or isinstance(above, ast.Compare))


def numbers_of(module: str, source: str) -> dict[str, list[float]]:
    visitor = Numbers(module)
    visitor.visit(ast.parse(source))
    return visitor.found


def back_end() -> dict[str, list[float]]:
    return {
        where: numbers
        for path in MODULES
        if path.stem != "parameters"
        for where, numbers in numbers_of(path.stem, path.read_text(encoding="utf-8")).items()
    }


# -- the table -------------------------------------------------------------------------------------


def incomplete(row: Row) -> Iterator[str]:
    if row.source is None:
        yield "no source"
    if not row.ranges or not all(each.unit and each.low < each.high for each in row.ranges):
        yield "no range with a unit"
    if not row.meaning.endswith("."):
        yield "no sentence that says what it means"
    if not row.group:
        yield "no group"
    places = row.value
    while isinstance(places, tuple) and isinstance(places[0], tuple):
        places = places[0]
    if len(row.ranges) not in {1, len(places) if isinstance(places, tuple) else 1}:
        yield "not a range for each place"
    yield from (f"{n} is out of range" for n, at in row.numbers if not at.low <= n <= at.high)


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_every_parameter_has_unit_range_source_and_meaning(row: Row) -> None:
    assert list(incomplete(row)) == []


def test_a_row_that_lacks_something_is_noticed() -> None:
    row = next(row for row in TABLE if row.name == "PRESS_SHARES")

    assert list(incomplete(replace(row, source=None))) == ["no source"]
    assert list(incomplete(replace(row, meaning="A riddle"))) != []
    assert list(incomplete(replace(row, ranges=()))) != []
    assert list(incomplete(replace(row, ranges=row.ranges * 2))) == ["not a range for each place"]
    assert list(incomplete(replace(row, value=((0.8, 1.0), (0.15, 9.0))))) == [
        "9.0 is out of range"
    ]


def test_the_table_has_all_that_its_module_defines() -> None:
    tree = ast.parse(Path(parameters.__file__).read_text(encoding="utf-8"))
    plain = [ast.unparse(each.targets[0]) for each in tree.body if isinstance(each, ast.Assign)]
    named = {row.name for row in TABLE}

    assert plain == ["BEHAVIOUR", "OFF"]
    assert {f"Priors.{name}" for name in NAMES} < named
    assert {n for n in vars(parameters) if n.isupper()} - named == {"BEHAVIOUR", "OFF"}


def test_every_source_decides_something() -> None:
    assert {row.source for row in TABLE} == set(Source)


# -- the code --------------------------------------------------------------------------------------


def test_no_number_that_weighs_evidence_stands_beside_the_table() -> None:
    explained = {where: list(numbers) for where, (numbers, _) in EXPLAINED.items()}

    assert back_end() == explained


def test_every_parameter_is_used() -> None:
    others = [path for path in MODULES if path.stem != "parameters"]
    nodes = [n for path in others for n in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    words = {node.id for node in nodes if isinstance(node, ast.Name)}
    words |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}

    assert [row.name for row in TABLE if row.name.removeprefix("Priors.") not in words] == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def f(odds):\n    odds += 4.0", {"m.f": [4.0]}),
        ("def f(odds):\n    odds -= 1.0", {"m.f": [1.0]}),
        ("def f(turn):\n    return -0.5 if turn else 0.5", {"m.f": [0.5, 0.5]}),
        ("def f(a, sd=0.3):\n    return a", {"m.f": [0.3]}),
        ("LIKELY = 1.0", {"m": [1.0]}),
        ("A, B = (1e-3, (2, 0.5))", {"m": [1e-3, 2, 0.5]}),
        ("class C:\n    def f(self):\n        return self.p > 0.6", {"m.C.f": [0.6]}),
        ("def f(p):\n    return p > 0.5, log(2.0), 0.5 * p**2, 1.0 - p", {}),
    ],
)
def test_a_number_that_weighs_evidence_is_found(code: str, found: dict[str, list[float]]) -> None:
    assert numbers_of("m", code) == found


# -- priors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_assumption_about_people_can_be_switched_off(name: str) -> None:
    assert getattr(OFF, name) != getattr(BEHAVIOUR, name)


@pytest.mark.parametrize("priors", [BEHAVIOUR, OFF])
def test_nothing_is_impossible_before_it_is_weighed(priors: Priors) -> None:
    assert all(value > 0.0 for value in asdict(priors).values())


@pytest.mark.parametrize("priors", [BEHAVIOUR, OFF])
def test_what_is_a_share_is_not_more_than_all(priors: Priors) -> None:
    shares = {name: value for name, value in asdict(priors).items() if not name.endswith("_s")}

    assert all(value <= 1.0 for value in shares.values())
