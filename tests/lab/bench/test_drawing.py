"""The picture of a run: everything is in it, and no word covers another."""

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from controller import cli
from engine.events import Placed, Suspected, ToppleKind
from lab.bench.drawing import LABEL_ROWS, LETTER_WIDTH, MOST_POINTS, WIDTH, picture
from lab.bench.observed import Mark, Run, Seen, Sent
from lab.bench.running import play_and_judge
from lab.bench.scenario_files import read

LABEL = re.compile(
    r'<g class="bar [^"]*"><title>([^<]*)</title>\n?<rect[^>]*/>\n?'
    r'(?:<text x="([\d.]+)" y="([\d.]+)">([^<]*)<)?'
)


def weighed(*points: tuple[float, float | None]) -> tuple[Sent, ...]:
    told = ((t_s, {"mass_g": mass_g, "tilt_deg": [0.0, 0.0]}) for t_s, mass_g in points)
    return tuple(Sent(t_s, "trace", json.dumps(point).encode()) for t_s, point in told)


def run(marks: list[Mark], truth: tuple[dict[str, object], ...] = (), end_s: float = 900.0) -> Run:
    sent = weighed((0.0, 0.0), (end_s, 30.0))
    return Run(end_s=end_s, marks=tuple(marks), truth=truth, sent=sent)


def many(count: int) -> list[Mark]:
    return [
        Mark(3.0 * n, f"turns 3 d4, 5 e1 <{n}>", "step", f"#{n}", 3.0 * n + 2.5)
        for n in range(count)
    ]


def test_every_step_is_there_with_its_words_and_times_however_many() -> None:
    drawn = LABEL.findall(picture(run(many(300))))

    assert len(drawn) == 300
    assert drawn[7][0] == "turns 3 d4, 5 e1 &lt;7&gt;, from 21.0 to 23.5 s"


def test_no_label_covers_another_or_leaves_the_picture() -> None:
    labels = [found for found in LABEL.findall(picture(run(many(300)))) if found[3]]
    rows: dict[str, list[tuple[float, float]]] = {}
    for _, x, y, text in labels:
        width = LETTER_WIDTH * len(text.replace("&lt;", "<").replace("&gt;", ">"))
        rows.setdefault(y, []).append((float(x), float(x) + width))

    assert len(rows) == LABEL_ROWS
    assert 10 < len(labels) < 300
    for spans in rows.values():
        assert all(one[1] < two[0] for one, two in pairwise(spans))
        assert spans[-1][1] <= WIDTH


def test_faults_checks_and_the_truth_look_different() -> None:
    marks = [
        Mark(1.0, "place d4", "step", "#0", 3.0),
        Mark(4.0, "kill", "fault", "#1", 5.5),
        Mark(6.0, "check scores Ann 3", "check", "#2", 6.0),
        Mark(6.0, "as it should be", "check"),
    ]
    truth: tuple[dict[str, object], ...] = (
        {"type": "turn", "t": 0.5, "player": 0},
        {"type": "place", "t": 1.9, "t_release": 2.2, "cell": "d4"},
        {"type": "topple", "t": 7.5},
    )

    svg = picture(run(marks, truth, end_s=10.0))

    assert re.findall(r'<g class="bar ([\w-]+)">', svg) == [
        "step", "fault", "check", "true-place", "true-topple",
    ]  # fmt: skip
    assert "<title>really: place d4 at 2.2 s</title>" in svg
    assert svg.count("as it should be") == 0


def test_a_run_without_steps_has_no_empty_lane() -> None:
    assert ">steps<" not in picture(run([]))
    assert picture(Run()) == ""


def test_decisions_that_come_at_once_do_not_cover_each_other() -> None:
    placed = Placed(1, 4.0, 4.1, "d4", 1.0, ())
    suspected = Suspected(2, 4.1, 4.1, 0.7, ToppleKind.OFF_STACK)
    seen = (Seen(4.0, 4.1, placed), Seen(4.2, 4.2, suspected), Seen(9.0, 9.1, placed))

    svg = picture(replace(run([], end_s=20.0), seen=seen))

    assert re.findall(r'y="16">(\w+)</text></g>', svg.replace("\n", "")) == ["d4", "d4"]
    assert "<title>suspected off_stack" in svg


def test_a_kilogram_is_written_out() -> None:
    sent = weighed((0.0, -1.0), (10.0, 1370.0))

    assert ">1507<" in picture(Run(end_s=10.0, sent=sent))


OVERLAPS = """() => {
  const bad = [];
  for (const svg of document.querySelectorAll("svg[role=img]")) {
    const words = [...svg.querySelectorAll("text:not(.tick):not(.legend)")];
    const boxes = words.map((word) => word.getBBox());
    boxes.forEach((a, i) => {
      if (a.x < -1 || a.x + a.width > WIDTH) bad.push(`${words[i].textContent} is cut off`);
      boxes.slice(i + 1).forEach((b, j) => {
        const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
        const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
        if (wide > 0.5 && high > 4) {
          bad.push(`${words[i].textContent} covers ${words[i + j + 1].textContent}`);
        }
      });
    });
  }
  return bad;
}"""


@pytest.mark.slow
def test_in_a_browser_no_word_covers_another_either(chromium: Any, tmp_path: Path) -> None:
    names = ["every_event", "evening_with_power_cuts", "broker_down"]
    assert cli.main(["bench", *names, "--report", str(tmp_path), "--jobs", "1"]) == 0
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.set_content((tmp_path / "report.html").read_text().replace("<details>", "<details open>"))

    assert page.evaluate(OVERLAPS.replace("WIDTH", str(WIDTH + 1))) == []
    assert page.locator("g.bar text").count() > 50
    page.close()


POLYLINE = re.compile(r'<polyline class="w" points="([^"]*)"/>')


def weight_of(times: list[float]) -> list[int]:
    """How many points each stretch of the drawn weight has."""
    sent = weighed(*((t_s, t_s % 3) for t_s in times))
    drawn = picture(Run(end_s=60.0, sent=sent))
    return [len(points.split()) for points in POLYLINE.findall(drawn)]


def test_where_nothing_was_measured_there_is_a_gap_and_no_line() -> None:
    tenths = [n / 10 for n in range(600)]

    assert weight_of(tenths) == [600]
    assert weight_of([t for t in tenths if not 20 <= t < 30]) == [200, 300]
    assert weight_of([*tenths[:50], *range(6, 60)]) == [50 + 54]  # at rest it is told once a second
    assert weight_of([*tenths[:50], 40.0]) == [50, 2]  # a dot


def test_a_moment_in_which_the_table_could_not_weigh_is_a_gap() -> None:
    told = [(n / 10, None if n == 30 else 5.0) for n in range(60)]
    drawn = picture(Run(end_s=6.0, sent=weighed(*told)))

    assert [len(points.split()) for points in POLYLINE.findall(drawn)] == [30, 29]


def test_a_gap_stays_one_in_a_long_curve_that_is_thinned() -> None:
    tenths = [n / 10 for n in range(6000) if not 2000 <= n < 2020]

    assert len(weight_of(tenths)) == 2
    assert sum(weight_of(tenths)) <= MOST_POINTS


@pytest.mark.slow
def test_a_scale_that_is_silent_leaves_a_gap_in_the_picture_of_its_run() -> None:
    text = "about: x\nsteps:\n  - {fault: {words: no scale, seconds: 4}, pause: 8}\n"
    case = read(text + "unexpected: allow\n", "gap", "gap.yaml")[0]

    run_ = play_and_judge(case).run

    assert len(POLYLINE.findall(picture(run_))) == 2
