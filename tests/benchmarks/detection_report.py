"""The detection report: one HTML file with the goal tables, the pictures, and every miss."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tests.benchmarks.detection_figures import Miss, Tally, merged
from tests.benchmarks.detection_pictures import (
    Signals,
    error_map,
    latency_histogram,
    miss_plot,
    picture,
    reliability_diagram,
    signals,
)
from tests.benchmarks.detection_tables import AT_LEAST, ROWS, Row, limit_words, printed

if TYPE_CHECKING:
    from tests.benchmarks.detection import Key, Results

MOST_PLOTS = 80
"""About 40 kB each; a report with more misses than that is read by its table."""

RELIABILITY_WORDS = (
    "Reliability of all claims: on the line or above is honest. Numbers: how many; a triangle: "
    "all of them right."
)

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.45 system-ui, sans-serif; color: #22303c; margin: 2rem auto; max-width: 1120px;
  padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; }
h2 { margin-top: 2.4rem; font-size: 1.25rem; border-bottom: 2px solid #22303c; }
h3 { margin: 1.6rem 0 .2rem; font-size: 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .86rem; }
th, td { text-align: left; padding: .22rem .6rem .22rem 0; border-bottom: 1px solid #e3e7ea;
  vertical-align: top; }
th { font-weight: 600; color: #52606b; } td.n { font-variant-numeric: tabular-nums; }
.met { color: #2c7a3f; } .missed { color: #b3261e; font-weight: 600; } .open { color: #a86400; }
small, .quiet { color: #66727c; } code { font-size: .85em; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(290px, 1fr)); gap: .8rem;
  align-items: end; }
figure { margin: 0; }
figcaption { min-height: 2.6em; font-size: .8rem; color: #52606b; }
img { max-width: 100%; height: auto; }
"""


def report(results: Results) -> str:
    """The whole report; the traces of the games must still be there."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width'>",
        f"<title>Topple Table: detection</title><style>{STYLE}</style>",
        "<h1>How well the table sees</h1>",
        f"<p>{_introduction(results)}</p>",
        *(_section(results, key) for key in results.keys),
        _pictures(results),
        _misses(results),
        "</html>",
    ]
    return "\n".join(parts)


def _introduction(results: Results) -> str:
    hours = sum(one.hours for (_, die), one in results.ours.items() if die) or sum(
        one.hours for one in results.ours.values()
    )
    games = sum({key: one.games for (key, _), one in results.ours.items()}.values())
    return (
        f"{games} games, {hours:.1f} hours of table time. Intervals are 95 % (Wilson); "
        "<span class=met>met</span> and <span class=missed>missed</span> speak of the measured "
        "value, <span class=open>open</span> means missed while the interval reaches the goal. "
        "The naive method averages the weight against a threshold and reads the change of tilt; "
        "the limit is what one rest of the board (or the mean of three) could tell at best."
    )


# --- tables -----------------------------------------------------------------------------------


def _section(results: Results, key: Key) -> str:
    source, preset = key
    rows = "".join(_row(results, key, row) for row in ROWS if (key, row.die) in results.ours)
    heads = "figure", "goal", "measured", "95 %", "n", "", "naive", "limit: 1 rest / 3 rests"
    head = "".join(f"<th>{name}</th>" for name in heads)
    return f"<h2>{preset}, {source} games</h2><table><tr>{head}</tr>{rows}</table>"


def _row(results: Results, key: Key, row: Row) -> str:
    preset = key[1]
    found = row.figure(results.ours[key, row.die])
    naive = printed(row.figure(results.naive[key, row.die]), row.digits).partition(" ")[0]
    verdict = row.verdict(found, preset)
    goal = row.goals.get(preset)
    sign = "≥" if row.sense == AT_LEAST else "≤"
    value = "-" if found.value is None else f"{found.value:.{row.digits}f}"
    band = ""
    if found.low is not None and found.high is not None:
        band = f"{found.low:.{row.digits}f} to {found.high:.{row.digits}f}"
    cells = (
        f"{escape(row.name)} <small>{escape(row.unit)}</small>",
        "" if goal is None else f"{sign} {goal:g}",
        f"<b>{value}</b>",
        band,
        escape(found.n),
        f"<span class={verdict}>{verdict}</span>" if verdict else "",
        escape(naive),
        limit_words(row, results.limits[preset]),
    )
    return "<tr>" + "".join(f"<td class=n>{cell}</td>" for cell in cells) + "</tr>"


# --- pictures ---------------------------------------------------------------------------------


def _pictures(results: Results) -> str:
    presets = list(dict.fromkeys(preset for _, preset in results.keys))
    return "<h2>Pictures, twin and public games together</h2>" + "".join(
        _pictures_of(results, preset) for preset in presets
    )


def _pictures_of(results: Results, preset: str) -> str:
    told, untold = (_of(results, preset, die=die) for die in (True, False))
    mapped = untold or told
    if mapped is None:
        return ""
    words = "die not told" if untold is not None else "die known"
    shown = (
        (reliability_diagram(told, untold), RELIABILITY_WORDS),
        (error_map(mapped), f"Wrong of all pieces on each cell, {words}; arrows: what was said."),
        (latency_histogram(told, untold), "From the release to the first decision."),
    )
    figures = "".join(
        f"<figure><img src='{picture(drawn)}' alt=''><figcaption>{caption}</figcaption></figure>"
        for drawn, caption in shown
    )
    return f"<h3>{preset}</h3><div class=row>{figures}</div>"


def _of(results: Results, preset: str, *, die: bool) -> Tally | None:
    found = [one for (key, told), one in results.ours.items() if key[1] == preset and told == die]
    return merged(found) if found else None


# --- misses -----------------------------------------------------------------------------------


def _misses(results: Results) -> str:
    found = sorted(results.misses, key=lambda one: (not one[0], one[1].run.game.name))
    if not found:
        return "<h2>Misses</h2><p>None.</p>"
    drawn, rest = found[:MOST_PLOTS], found[MOST_PLOTS:]
    left = f"<p>{len(rest)} more are only listed.</p>" if rest else ""
    return (
        f"<h2>Misses ({len(found)})</h2>"
        "<p class=quiet>Green: what really happened, shaded from contact to release (or while it "
        "lasted). Red: what was decided, dashed when, dotted when it is said to have happened. "
        "The game goes on through all that people did there, so one mistake can bring others.</p>"
        + _plots(drawn)
        + left
        + "".join(f"<p>{_heading(die, miss)}</p>" for die, miss in rest)
    )


def _plots(misses: list[tuple[bool, Miss]]) -> str:
    heard: dict[str, Signals] = {}
    out = []
    for die, miss in misses:
        game = miss.run.game
        if game.name not in heard:
            heard = {game.name: signals(game.trace)}  # one game at a time
        address = picture(miss_plot(miss, heard[game.name]))
        out.append(f"<h3>{_heading(die, miss)}</h3><img src='{address}' alt=''>")
        out.append(f"<div><small><code>{escape(game.recipe)}</code></small></div>")
    return "".join(out)


def _heading(die: bool, miss: Miss) -> str:
    told = "" if die else ", die not told"
    where = f"{miss.run.game.name}, {miss.t_s:.2f} s{told}"
    return f"{escape(miss.kind)}: {escape(miss.words)} <small>{escape(where)}</small>"
