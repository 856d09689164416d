"""The page that draws a trace: everything is in it, it stands alone, and it opens in a browser."""

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from controller import cli
from controller.replay.plot import DATA_PLACE, TEMPLATE, Drawing, thinned
from engine.events import ANYTHING, Expectation, HumanInput
from engine.samples import ImuSamples, ScaleSamples, SensorReport, SwitchSample
from hw.source import Item
from tests.pages.browser import opened

PLACED: dict[str, Any] = {
    "type": "placed",
    "id": 1,
    "t": 2.0,
    "decided": 2.2,
    "cell": "c3",
    "confidence": 0.9,
    "alternatives": [["c4", 0.08]],
}
SUSPICIONS: list[dict[str, Any]] = [
    {
        "type": "suspected",
        "id": 2,
        "t": 3.0,
        "decided": 3.1,
        "probability": 0.61,
        "kind": "off_stack",
    },
    {"type": "dismissed", "ref": 2, "decided": 3.6},
]
SUMMARY: dict[str, Any] = {"type": "summary", "scores": {"Ann": 3}, "placements": 1}


def scale(*t_s: float, grams: float = 1.0) -> ScaleSamples:
    mass = np.full((len(t_s), 4), grams)
    valid = np.ones(mass.shape, bool)
    return ScaleSamples(np.array(t_s), mass, mass.astype(np.int32), valid)


def imu(*t_s: float) -> ImuSamples:
    accel = np.tile([np.sin(np.radians(2)), 0.0, np.cos(np.radians(2))], (len(t_s), 1))
    return ImuSamples(np.array(t_s), accel, 0 * accel, np.zeros((len(t_s), 6), np.int32))


def drawn(*items: Item, lines: tuple[dict[str, Any], ...] = (), title: str = "a") -> dict[str, Any]:
    """The data in the page of these items and lines."""
    drawing = Drawing(title, lambda: ANYTHING)
    assert list(drawing.watching(items)) == list(items)
    assert list(drawing.noting(lines)) == list(lines)
    return data_of(drawing.page())


def data_of(page: str) -> dict[str, Any]:
    line = next(line for line in page.split("\n") if line.startswith("const DATA = "))
    found: dict[str, Any] = json.loads(line.removeprefix("const DATA = ").removesuffix(";"))
    return found


def unpacked(text: str) -> list[float]:
    return [float(value) for value in np.frombuffer(base64.b64decode(text), "<f4")]


def test_the_template_has_one_place_for_the_data_and_names_nothing_outside() -> None:
    template = TEMPLATE.read_text()

    assert template.count(DATA_PLACE) == 1
    assert "http" not in template
    assert "src=" not in template


def test_weight_is_drawn_cell_by_cell_and_in_sum() -> None:
    packed = drawn(scale(0.5, 0.75, grams=1.5))["scale"]

    assert [unpacked(column) for column in packed] == [[0.5, 0.75], *[[1.5, 1.5]] * 4, [6.0, 6.0]]


def test_tilt_is_drawn_in_degrees() -> None:
    t_s, x_deg, y_deg = map(unpacked, drawn(imu(0.5))["imu"])

    assert t_s == [0.5]
    assert x_deg == pytest.approx([2.0])
    assert y_deg == pytest.approx([0.0])


def test_what_people_and_sensors_said_is_drawn() -> None:
    roll = HumanInput(1.0, "roll", {"value": 4})
    said = drawn(roll, SensorReport(2.0, "imu", ok=False))["said"]

    assert said[0] == {"t": 1.0, "type": "roll", "data": {"value": 4}}
    assert said[1]["type"] == "imu lost"


def test_a_bouncing_tilt_switch_is_one_entry() -> None:
    edges = [SwitchSample(1.0 + index / 100, closed=index % 2 == 0) for index in range(50)]
    said = drawn(*edges, SwitchSample(9.0, closed=True))["said"]

    assert [(one["t"], one["data"]["edges"]) for one in said] == [(1.0, 50), (9.0, 1)]


def test_a_placement_is_drawn_with_the_cells_allowed_before_it() -> None:
    expected = Expectation(legal_cells=("c3",))
    drawing = Drawing("a", lambda: expected)

    def replayed() -> Iterator[dict[str, Any]]:
        nonlocal expected
        for _ in drawing.watching([scale(2.2)]):
            expected = Expectation(legal_cells=("a1",))  # the rules have moved on
            yield PLACED

    list(drawing.noting(replayed()))

    assert data_of(drawing.page())["lines"] == [{**PLACED, "legal": ["c3"], "may_place": True}]


RUDE_NAMES = ("</script><b>x", "<!--<script>", "]]>", "\u2028'\"\\", "&lt;b&gt;", "/*DATA*/null")
"""What ends a script, or opens one inside it, or a comment, if it stands there as it is."""


@pytest.mark.parametrize("name", RUDE_NAMES)
def test_a_name_is_data_whatever_it_says(name: str) -> None:
    start = {"players": [{"name": name, "colours": ["red"]}]}
    drawing = Drawing(name, lambda: ANYTHING)
    list(drawing.watching([HumanInput(1.0, "start", start)]))
    page = drawing.page()
    line = next(line for line in page.split("\n") if line.startswith("const DATA = "))

    assert "<" not in line
    assert data_of(page)["title"] == name
    assert data_of(page)["said"][0]["data"] == start


def test_a_dead_cell_leaves_a_gap_in_the_sum_and_not_in_the_others() -> None:
    samples = scale(0.5)
    samples.mass_g[0, 2] = np.nan
    columns = [unpacked(column)[0] for column in drawn(samples)["scale"]]

    assert np.isnan(columns[3])
    assert np.isnan(columns[5])
    assert columns[1:3] == [1.0, 1.0]


@given(
    arrays.arrays(float, st.tuples(st.integers(1, 300), st.just(2)), elements=st.floats(-9, 9)),
    st.integers(4, 60),
)
def test_thinning_keeps_the_extremes_and_the_order_of_time(values: Any, most: int) -> None:
    rows = np.column_stack((np.arange(len(values)), values))
    thin = thinned(rows, most)

    assert len(thin) <= max(most, 2)
    assert np.all(np.diff(thin[:, 0]) >= 0)
    assert thin[:, 1:].max(axis=0) == pytest.approx(values.max(axis=0))
    assert thin[:, 1:].min(axis=0) == pytest.approx(values.min(axis=0))


def test_the_command_refuses_it_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = cli.main(["replay", "x.mcap", "--plot", str(tmp_path)])

    assert code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.fixture(scope="module")
def game_page(
    rough_recording: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[dict[str, Any]]]:
    """A whole recording drawn by the command's own code, and what was printed beside it."""
    from controller.app.wiring import replay

    page, out = tmp_path_factory.mktemp("plot") / "game.html", io.StringIO()
    assert replay(rough_recording, as_json=True, plot=page, out=out) == 0
    return page, [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.slow
def test_a_whole_game_fits_in_one_file(game_page: tuple[Path, list[dict[str, Any]]]) -> None:
    page, lines = game_page
    data = data_of(page.read_text())

    assert page.stat().st_size < 5_500_000
    assert [one["type"] for one in data["lines"]] == [line["type"] for line in lines]
    assert all(one["legal"] for one in data["lines"] if one["type"] == "placed" and one["id"] == 2)
    t_s = unpacked(data["scale"][0])
    assert t_s[-1] > 199
    assert len(t_s) > 15_500


@pytest.mark.slow
def test_the_page_shows_an_event_and_its_probabilities_in_a_browser(
    game_page: tuple[Path, list[dict[str, Any]]], chromium: Any
) -> None:
    page_path, lines = game_page
    doubtful = min((e for e in lines if e["type"] == "placed"), key=lambda e: e["confidence"])
    wrong: list[str] = []
    with opened(chromium, "about:blank", viewport={"width": 1280, "height": 800}) as page:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"file://{page_path}")
        page.click(f"li:has-text('{doubtful['id']} {doubtful['colour']} on {doubtful['cell']}')")
        chosen = page.locator("#chosen h2").inner_text()
        board = page.locator("#board").inner_text()
        page.locator("canvas").hover()
        page.mouse.wheel(0, 400)
        page.keyboard.press("n")
        following = page.locator("#chosen h2").inner_text()
        inked = page.evaluate(
            "() => { const c = document.querySelector('canvas');"
            "return c.getContext('2d').getImageData(0, 0, c.width, c.height).data"
            ".some((v, i) => i % 4 === 3 && v) }"
        )

    assert wrong == []
    assert f"{int(doubtful['confidence'] * 1000) / 10:.1f}" in board
    assert following != chosen
    assert inked


def test_the_page_is_drawn_in_a_browser_whatever_the_players_are_called(
    tmp_path: Path, chromium: Any
) -> None:
    with opened(chromium, "about:blank") as page:
        for name in RUDE_NAMES:
            drawing = Drawing(name, lambda: ANYTHING)
            start = HumanInput(1.0, "start", {"players": [{"name": name, "colours": ["red"]}]})
            list(drawing.watching([scale(0.5, 1.5), start]))
            list(drawing.noting([PLACED, *SUSPICIONS, {**SUMMARY, "scores": {name: 3}}]))
            path = tmp_path / "plot.html"
            path.write_text(drawing.page(), encoding="utf-8")
            page.goto(f"file://{path}")

            assert page.locator("h1").text_content() == name
            told = page.locator("li").all_text_contents()
            assert any(name in said for said in told)
            assert any("2 may have toppled: off_stack61.0 %" in said for said in told)
            assert any("2 had not toppled" in said for said in told)
