"""The page of `topple-table fit`: one self-contained HTML file with every interval drawn."""

from collections.abc import Iterator
from html import escape
from math import isfinite

from lab.fit.assumptions import Verdict
from lab.fit.telling import Fit, assumed, closing, interval

WIDTH = 260
"""Pixels of a drawn interval."""

STYLE = """
body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{padding:.25rem .6rem;text-align:left;
border-bottom:1px solid #8884}.contradicts{color:#b00020;font-weight:600}.agrees{color:#1b7a2f}
.open{color:#777}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}}
"""


def page(found: Fit) -> str:
    """The page."""
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Fit of {escape(found.name)}</title><style>{STYLE}</style></head><body>"
    )
    facts = f"{found.seconds / 60:.1f} minutes, {found.placements} pieces placed"
    lines = "".join(f"<p>{escape(line)}</p>" for line in closing(found))
    titles = ("assumption", "assumed", "measured", "90 % interval", "from", "", "", "what follows")
    heads = "".join(f"<th>{title}</th>" for title in titles)
    rows = "".join(_row(verdict) for verdict in found.verdicts)
    note = (
        "Blue: what was measured, with its interval of 90 %. Grey: what our simulation assumes. "
        "What a recording cannot give is not guessed."
    )
    return (
        f"{head}<h1>Fit of {escape(found.name)}</h1><p>{facts}</p>{lines}"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table><p>{note}</p>"
        "</body></html>\n"
    )


def _row(verdict: Verdict) -> str:
    each, assumption = verdict.measured, verdict.assumption
    css = {"cannot tell": "open"}.get(verdict.answer.value, verdict.answer.value)
    follows = verdict.follows if css == "contradicts" else ("" if each.seen else each.note)
    small = escape(f"{assumption.figure}; {assumption.source}")
    words = f"{escape(assumption.words)}<br><small>{small}</small>"
    value = f"{each.value:.4g}" if each.seen else "-"
    cells = (words, assumed(verdict), value, interval(each), str(each.count))
    body = "".join(f"<td>{cell}</td>" for cell in cells)
    return (
        f"<tr>{body}<td>{''.join(_drawn(verdict))}</td>"
        f'<td class="{css}">{verdict.answer.value}</td><td>{escape(follows)}</td></tr>'
    )


def _drawn(verdict: Verdict) -> Iterator[str]:
    """Assumed range and measured interval on one line."""
    each, assumption = verdict.measured, verdict.assumption
    if not each.seen:
        return
    ends = [assumption.low, assumption.high, each.value, each.low, each.high]
    known = [end for end in ends if isfinite(end)]
    low, high = min(known), max(known)
    room = 0.08 * (high - low) or max(abs(high), 1e-6)
    low, high = low - room, high + room

    def at(value: float) -> float:
        return WIDTH * (min(max(value, low), high) - low) / (high - low)

    grey = max(at(assumption.high) - at(assumption.low), 2.0)
    yield f'<svg width="{WIDTH}" height="18" role="img" aria-label="interval">'
    yield f'<rect x="{at(assumption.low):.1f}" y="3" width="{grey:.1f}" height="12" fill="#999"/>'
    yield (
        f'<line x1="{at(each.low):.1f}" x2="{at(each.high):.1f}" y1="9" y2="9" stroke="#1565c0" '
        f'stroke-width="3"/><circle cx="{at(each.value):.1f}" cy="9" r="4" fill="#1565c0"/></svg>'
    )
