"""`topple-table measure`: what a ruler and a scale tell of the game, and whether it will do.

Asks for each measure, or reads a file that is there; says how the board will balance and what to
change, and draws it. The checks are `hw.building`; here is asking and telling.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast, get_args

from controller.common.config import SourceConfig, source_of
from controller.common.errors import BadInput
from controller.common.outputs import ready_for_file, write_result
from hw.building.balance import BoardBalance, balance
from hw.building.design import designed
from hw.building.measures import (
    STANDARD,
    BoardMeasures,
    Made,
    Measures,
    PieceMeasures,
    check_range,
    load,
    sink_under_a_piece_mm,
    text_of,
    value_of,
)
from hw.building.mechanics import Mechanics, built
from hw.building.picture import picture
from hw.building.shell import as_drawn
from hw.building.verdict import objections, remedies
from hw.errors import BadMeasures

FILE = "measures.toml"
"""Lies beside the calibration, or where one works."""

Ask = Callable[[str], str]
"""Shows a question and returns the line that is typed; raises `EOFError` when nobody answers."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: `board.` or `piece.` with its name in the file, what to measure, and how.

    `of_made`: it can only be asked when the board exists.
    """

    key: str
    words: str
    unit: str
    of_made: bool = False


QUESTIONS = (
    Measure("board.cell_pitch_mm",
            "From the middle of cell a3 to the middle of e3, divided by four", "mm"),
    Measure("board.level_step_mm",
            "From the surface of a corner cell up to that of the middle cell, divided by four",
            "mm"),
    Measure("board.centre_height_mm",
            "From the dimple that the tip stands in up to the surface of the middle cell", "mm"),
    Measure("board.wall_mm", "Thickness of floors and risers", "mm"),
    Measure("board.density_g_cm3", "Density: PLA 1.24, ABS 1.05, beech 0.7, poplar 0.45", "g/cm3"),
    Measure("piece.diameter_mm", "Diameter of a piece", "mm"),
    Measure("piece.height_mm", "Height of a piece", "mm"),
    Measure("piece.mass_g", "Weight of ten pieces, divided by ten", "g"),
    Measure("board.mass_g", "Weight of the board alone", "g", of_made=True),
    Measure("board.corner_sinks_mm",
            "Set the empty board on its tip. By how much does a corner of the board sink when one "
            "piece is laid on the corner cell there", "mm", of_made=True),
)  # fmt: skip


def file_of(config: Path | None) -> Path:
    """Where the measures of a configured table are; in this folder without one.

    Raises:
        BadConfig: the configuration cannot be read.
    """
    return _beside(source_of(config).calibration_file)


def _beside(calibration: Path | None) -> Path:
    return (calibration.parent if calibration else Path()) / FILE


def measured(chosen: SourceConfig) -> Measures:
    """The game of a real table: as measured, or the assumed one where nobody has.

    Raises:
        BadMeasures: its file cannot be read.
    """
    file = _beside(chosen.calibration_file)
    return load(file) if chosen.calibration_file and file.exists() else STANDARD


def run(file: Path, *, again: bool = False, ask: Ask = input, out: TextIO | None = None) -> int:
    """Measure a game, or check the measures in a file; the picture goes beside it.

    `again` asks also where the file is there; its values are the defaults then.

    Returns:
        Exit code: 0 the game will do, 1 it will not as it is.

    Raises:
        BadInput: the file cannot be written, or nobody answers.
        BadMeasures: the file is there and cannot be read.
    """
    out = out or sys.stdout
    drawing = file.with_suffix(".svg")
    asked = again or not file.exists()
    measures = load(file) if file.exists() else STANDARD
    ready_for_file("FILE", drawing)
    if asked:
        ready_for_file("FILE", file)
        measures = _asked(measures, ask, out)
        write_result("FILE", file, text_of(measures))
    write_result("FILE", drawing, picture(measures))
    against = objections(measures)
    print("", *told(measures), sep="\n", file=out)
    for each in against:
        print(f"WRONG  {each.what};\n       {each.change}", file=out)
    if against:
        print(*_mended(measures), sep="\n", file=out)
    verdict = "As it is, it will not do." if against else "It will do: this game can be built."
    written = f"{'Written' if asked else 'Read'}: {file}. Picture: {drawing}."
    print(f"{verdict}\n{written}", file=out)
    return 1 if against else 0


def told(measures: Measures) -> Iterator[str]:
    """What these measures mean, a line each."""
    found, piece, design = balance(measures), measures.piece, designed(measures)
    yield (
        f"game       5 x 5 cells of {measures.cell_pitch_mm:g} mm in steps of "
        f"{measures.level_step_mm:g} mm; pieces {piece.diameter_mm:g} x {piece.height_mm:g} mm of "
        f"{piece.mass_mean_g:g} g"
    )
    if found is not None:
        yield from _balanced(found)
    yield (
        f"table      tip {design.tip_height_mm:.0f} mm over the load cells, stem "
        f"{design.stem_diameter_mm:g} mm, base plate {2 * design.base_half_mm:.0f} x "
        f"{2 * design.base_half_mm:.0f} mm"
    )
    yield f"switch     {_switch(built(measures))}"


def _switch(build: Mechanics) -> str:
    if build.switch is None:
        return "leave the tilt switch out: it has no room, or the board is stopped before it closes"
    return (
        f"a tilt switch fits {-build.switch.middle_x_mm:.0f} mm from the axis, opposite the "
        f"sensor, with {build.trim}"
    )


def _mended(measures: Measures) -> Iterator[str]:
    """Values with which the game could be built, a line each."""
    for key, value in remedies(measures):
        yield f"CHANGE {key} = {value:g} alone would do; it is {value_of(measures, key):g}"


def _balanced(found: BoardBalance) -> Iterator[str]:
    hangs = found.hangs
    yield (
        f"board      {hangs.mass_g:.0f} g, centre of gravity {-hangs.centre_of_gravity_mm:.1f} mm "
        f"under the tip; swings once in {found.swing_s:.2f} s"
    )
    yield (
        f"piece      in a corner it tilts the board by {found.corner_tilt_deg:.1f} degrees; one "
        f"cell further out by {found.cell_tilt_deg:.2f} more"
    )
    yield (
        f"pivot      {found.friction_most_deg:.2f} degrees of friction are the most it can stand; "
        f"a usual one has {found.friction_usual_deg:.2f} here"
    )
    yield (
        f"middle     carries {found.stacked_most} pieces on each other; the stem stops the board "
        f"at {found.stop_deg:.0f} degrees or later"
    )


def _asked(start: Measures, ask: Ask, out: TextIO) -> Measures:
    print(
        "A ruler and a kitchen scale, please. Enter alone keeps the value in brackets.\n", file=out
    )
    made = _choice(ask, out, start.board.made)
    exists = made == "bought" or _yes(ask, out, "Is the board printed already", start.is_made)
    # The parts of a game must fit each other; so they are asked for one by one, checked together.
    draft = {question.key: value_of(start, question.key) for question in QUESTIONS}
    for question in QUESTIONS:
        if not question.of_made:
            draft[question.key] = _answer(question, draft[question.key], ask, out)
    draft |= {question.key: 0.0 for question in QUESTIONS if question.of_made}
    measures = _put_right("printed", draft, ask, out)
    if not exists:
        return measures
    hangs = as_drawn(measures)
    computed = {
        "board.mass_g": round(hangs.mass_g),
        "board.corner_sinks_mm": round(sink_under_a_piece_mm(measures, hangs.moment_z_gmm), 1),
    }
    for question in QUESTIONS:
        if question.of_made:
            old = value_of(start, question.key) if start.is_made else computed[question.key]
            draft[question.key] = _answer(question, old, ask, out)
    return _put_right(made, draft, ask, out)


def _put_right(made: Made, draft: dict[str, float], ask: Ask, out: TextIO) -> Measures:
    """The measures of these answers; what does not fit the others is asked for again."""
    while True:
        try:
            return _measures(made, draft)
        except BadMeasures as error:
            print(f"  {error}", file=out)
            key = str(error).partition(" ")[0]
            again = next(question for question in QUESTIONS if question.key == key)
            draft[key] = _answer(again, draft[key], ask, out)


def _measures(made: Made, draft: dict[str, float]) -> Measures:
    def part(name: str) -> dict[str, float]:
        known = (key.partition(".") for key in draft)
        return {key: draft[f"{of}.{key}"] for of, _, key in known if of == name}

    return Measures(BoardMeasures(made=made, **part("board")), PieceMeasures(**part("piece")))


def _answer(question: Measure, old: float, ask: Ask, out: TextIO) -> float:
    """One answer within its range."""
    while True:
        typed = _line(ask, f"{question.words} ({question.unit}) [{old:g}]: ")
        try:
            value = float(typed.replace(",", ".")) if typed else old
            check_range(question.key, value)
        except BadMeasures as error:
            print(f"  {error}", file=out)
        except ValueError:
            print(f"  {typed!r} is not a number; type one such as {old:g}", file=out)
        else:
            return value


def _choice(ask: Ask, out: TextIO, old: Made) -> Made:
    while True:
        typed = _line(ask, f"The board: bought, on its own tip, or printed [{old}]: ").lower()
        for kind in get_args(Made):
            if kind.startswith(typed or old):
                return cast("Made", kind)
        print("  type bought or printed", file=out)


def _yes(ask: Ask, out: TextIO, words: str, old: bool) -> bool:
    while True:
        typed = _line(ask, f"{words}, yes or no [{'yes' if old else 'no'}]: ").lower()
        if not typed:
            return old
        if typed in {"y", "yes", "n", "no"}:
            return typed.startswith("y")
        print("  type yes or no", file=out)


def _line(ask: Ask, words: str) -> str:
    try:
        return ask(words).strip()
    except EOFError:
        raise BadInput(
            "nobody answers; type the answers, or name a file of measures that is there"
        ) from None
