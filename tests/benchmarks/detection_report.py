"""The detection report: one HTML file with all tables, the pictures, and the film strip."""

from collections.abc import Sequence
from html import escape

from tests.benchmarks.detection_figures import Miss
from tests.benchmarks.detection_kinds import group_of
from tests.benchmarks.detection_pictures import (
    error_map,
    latency_curves,
    latency_histogram,
    miss_plot,
    picture,
    reliability_diagram,
    signals,
)
from tests.benchmarks.detection_reasons import GameSignals, reasons
from tests.benchmarks.detection_results import NOW, Results, film_strip
from tests.benchmarks.detection_sheets import Sheet, sheets

STRIP = 10
"""Of each group of evenings; about 60 kB each."""

LISTED = 400
"""Misses that are named; a report with more is read by its tables."""

RELIABILITY_WORDS = (
    "Reliability of all claims: on the line or above is honest. Numbers: how many; a triangle: "
    "all of them right."
)

STRIP_WORDS = (
    "What was missed or silently wrong. Green: what really happened, shaded while it lasted. Red: "
    "what was decided or asked, dashed when, dotted when it is said to have happened. Below: what "
    "people did there and what the table believed, as possible reasons. The game goes on through "
    "all that people did, so one mistake can bring others."
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
.wide { overflow-x: auto; } .wide th { white-space: pre-line; } .wide td { white-space: nowrap; }
ol { padding-left: 1.2rem; } img { max-width: 100%; height: auto; }
"""


def report(results: Results, strip: int = STRIP) -> str:
    """The whole report; the traces of the games must still be there."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width'>",
        f"<title>Topple Table: detection</title><style>{STYLE}</style>",
        "<h1>How well the table sees</h1>",
        f"<p>{_introduction(results)}</p>",
        *(_sheet(sheet) for sheet in sheets(results, by_preset=True)),
        _curves(results),
        _pictures(results),
        "<h2>Film strips</h2>",
        f"<p class=quiet>{STRIP_WORDS}</p>",
        *(_film_strip(results, group, strip) for group in results.groups),
        _misses(results),
        "</html>",
    ]
    return "\n".join(parts)


def _introduction(results: Results) -> str:
    found = [results.of(NOW, die=die) for die in (True, False)]
    one = next((each for each in found if each is not None), None)
    games, hours = (one.games, one.hours) if one is not None else (0, 0.0)
    others = ", ".join(each for each in results.detectors if each != NOW)
    beside = f" Beside today's detector: {escape(others)}." if others else ""
    return (
        f"{games} games, {hours:.1f} hours of table time. Intervals are 95 % (Wilson); "
        "<span class=met>met</span> and <span class=missed>missed</span> speak of the measured "
        "value, <span class=open>open</span> means missed while the interval reaches the goal. "
        "People answer what the table asks and correct nothing. "
        "The naive method averages the weight against a threshold and reads the change of tilt; "
        "the limit is what one rest of the board (or the mean of three) could tell at best."
        f"{beside}"
    )


# --- tables -----------------------------------------------------------------------------------


def _sheet(sheet: Sheet) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in sheet.heads)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in sheet.rows)
    note = f"<p class=quiet>{escape(sheet.note)}</p>" if sheet.note else ""
    table = f"<div class=wide><table><tr>{head}</tr>{rows}</table></div>"
    return f"<h2>{escape(sheet.title)}</h2>{note}{table}"


def _cell(words: str) -> str:
    """Verdicts have their colour; leading spaces set a preset under its kind."""
    verdict = words if words in ("met", "missed", "open") else ""
    return f"<td class='n {verdict}'>{escape(words).replace('  ', '&ensp;&ensp;')}</td>"


# --- pictures ---------------------------------------------------------------------------------


def _figures(shown: Sequence[tuple[str, str]]) -> str:
    figures = "".join(
        f"<figure><img src='{address}' alt=''><figcaption>{caption}</figcaption></figure>"
        for address, caption in shown
    )
    return f"<div class=row>{figures}</div>"


def _curves(results: Results) -> str:
    fallen = [
        group for group in results.groups if (found := results.of(NOW, group=group)) and found.falls
    ]
    drawn = [
        (picture(latency_curves(results, group)), f"Topples of {escape(group)}.")
        for group in fallen
    ]
    return f"<h2>How soon a topple is shown and decided</h2>{_figures(drawn)}" if drawn else ""


def _pictures(results: Results) -> str:
    return "<h2>Pictures, all games together</h2>" + "".join(
        _pictures_of(results, preset) for preset in results.presets
    )


def _pictures_of(results: Results, preset: str) -> str:
    told, untold = (results.of(NOW, preset=preset, die=die) for die in (True, False))
    mapped = untold or told
    if mapped is None:
        return ""
    words = "die not told" if untold is not None else "die known"
    shown = (
        (reliability_diagram(told, untold), RELIABILITY_WORDS),
        (error_map(mapped), f"Wrong of all pieces on each cell, {words}; arrows: what was said."),
        (latency_histogram(told, untold), "From the release to the first decision."),
    )
    drawn = [(picture(figure), caption) for figure, caption in shown]
    return f"<h3>{preset}</h3>{_figures(drawn)}"


# --- misses -----------------------------------------------------------------------------------


def _film_strip(results: Results, group: str, count: int) -> str:
    """The worst misses of one group of evenings."""
    misses = [(die, one) for die, one in results.misses if group_of(one.run.game.kind) == group]
    frames = [_frame(miss) for miss in film_strip(misses, count)]
    shown = "".join(frames) or "<p>Nothing was missed or silently wrong.</p>"
    return f"<h2>{escape(group).capitalize()}: {len(frames)} of {len(misses)}</h2>{shown}"


def _frame(miss: Miss) -> str:
    game = miss.run.game
    heard: GameSignals = signals(game.trace)
    why = "".join(f"<li>{escape(words)}</li>" for words in reasons(miss, heard))
    return (
        f"<h3>{_heading(miss)}</h3><img src='{picture(miss_plot(miss, heard))}' alt=''>"
        f"<ul>{why}</ul><div><small><code>{escape(game.recipe)}</code></small></div>"
    )


def _misses(results: Results) -> str:
    found = sorted(results.misses, key=lambda one: (not one[0], one[1].run.game.name))
    left = f"<p>{len(found) - LISTED} more are not listed.</p>" if len(found) > LISTED else ""
    named = "".join(
        f"<li>{_heading(miss, die=die)}: {escape('; '.join(reasons(miss)))}</li>"
        for die, miss in found[:LISTED]
    )
    return f"<h2>All misses ({len(found)})</h2><ol>{named}</ol>{left}"


def _heading(miss: Miss, *, die: bool = True) -> str:
    told = "" if die else ", die not told"
    where = f"{miss.run.game.name}, {miss.t_s:.2f} s{told}"
    return f"{escape(miss.kind)}: {escape(miss.words)} <small>{escape(where)}</small>"
