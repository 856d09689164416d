"""What a fit found, told as one JSON object, in words, and as tables on a terminal."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, TextIO

from rich import box
from rich.table import Table

from controller.common.terminal import console_on
from hw.calibration import Calibration
from lab.fit.assumptions import Agreement, Verdict
from lab.fit.estimates import Estimate

STYLES = {Agreement.AGREES: "green", Agreement.CONTRADICTS: "bold red", Agreement.OPEN: "dim"}


@dataclass(frozen=True, slots=True)
class Fit:
    """What a recording said.

    Attributes:
        families: the figures of each family. verdicts: on the assumptions.
        seconds, placements: how much it is from.
    """

    name: str
    seconds: float
    placements: int
    families: Mapping[str, tuple[Estimate, ...]]
    verdicts: tuple[Verdict, ...]
    calibration: Calibration

    @property
    def figures(self) -> dict[str, Estimate]:
        """All figures by their names."""
        return {each.name: each for found in self.families.values() for each in found}


def as_document(found: Fit) -> dict[str, Any]:
    """The fit as one JSON object; what was not seen has no value, open ends are null."""
    return {
        "type": "fit",
        "recording": found.name,
        "seconds": round(found.seconds, 1),
        "placements": found.placements,
        "figures": [
            {"family": family, **_plain(asdict(each))}
            for family, estimates in found.families.items()
            for each in estimates
        ],
        "verdicts": [
            {
                "figure": verdict.assumption.figure,
                "assumption": verdict.assumption.words,
                "assumed": [verdict.assumption.low, verdict.assumption.high],
                "answer": verdict.answer.value,
                "follows": verdict.follows if _contradicts(verdict) else None,
            }
            for verdict in found.verdicts
        ],
    }


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    """NaN and infinity are no JSON, and numpy's numbers are none to every encoder."""
    return {
        key: _number(value) if isinstance(value, float) else value for key, value in fields.items()
    }


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _contradicts(verdict: Verdict) -> bool:
    return verdict.answer is Agreement.CONTRADICTS


def interval(each: Estimate) -> str:
    """The 90 % interval in words.

    >>> interval(Estimate("x", 1.0, 0.5, float("inf")))
    '0.5 or more'
    """
    if not each.seen:
        return ""
    if not isfinite(each.high):
        return f"{each.low:.3g} or more"
    return f"{each.low:.3g} to {each.high:.3g}"


def assumed(verdict: Verdict) -> str:
    """The assumed range in words."""
    low, high = verdict.assumption.low, verdict.assumption.high
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def closing(found: Fit) -> Iterator[str]:
    """What follows, a line each."""
    count = {answer: sum(v.answer is answer for v in found.verdicts) for answer in Agreement}
    yield (
        f"Of {len(found.verdicts)} assumptions of our simulation this table agrees with "
        f"{count[Agreement.AGREES]}, contradicts {count[Agreement.CONTRADICTS]}, and "
        f"{count[Agreement.OPEN]} it cannot tell."
    )
    for verdict in found.verdicts:
        if _contradicts(verdict):
            each, assumption = verdict.measured, verdict.assumption
            yield (
                f"Contradicted: {assumption.words} ({assumption.figure}): assumed "
                f"{assumed(verdict)}, measured {each.value:.3g} ({interval(each)}). "
                f"{verdict.follows[0].upper()}{verdict.follows[1:]}."
            )


def print_fit(found: Fit, out: TextIO) -> None:
    """Tables and the verdict, for people."""
    console = console_on(out)
    minutes = found.seconds / 60
    console.print(
        f"{found.name}: {minutes:.1f} minutes, {found.placements} pieces placed. "
        "Intervals hold 90 %.",
        style="dim",
    )
    answers = {verdict.assumption.figure: verdict for verdict in found.verdicts}
    for family, estimates in found.families.items():
        table = Table(title=family, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
        for name, side in (("figure", "left"), ("value", "right"), ("90 % interval", "left"),
                           ("from", "right"), ("assumed", "left"), ("", "left")):  # fmt: skip
            table.add_column(name, justify="right" if side == "right" else "left")
        for each in estimates:
            verdict = answers.get(each.name)
            style = "" if verdict is None else STYLES[verdict.answer]
            told = "" if verdict is None else f"[{style}]{verdict.answer.value}[/]"
            value = f"{each.value:.4g}" if each.seen else "-"
            expected = "" if verdict is None else assumed(verdict)
            table.add_row(each.name, value, interval(each), str(each.count), expected, told)
        console.print(table)
        for each in estimates:
            if not each.seen:
                console.print(f"  {each.name}: {each.note}", style="dim", markup=False)
    console.print()
    for line in closing(found):
        console.print(line, markup=False)
