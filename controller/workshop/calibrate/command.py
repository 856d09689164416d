"""`topple-table calibrate`: the wizard on the terminal, and the files it writes.

What is asked and measured is decided in the folder `core`; here are the screen, the keys, the
simulated owner and the file. `r` repeats the part that was last worked on, Ctrl-C leaves
everything as it was; a phone shows and offers the same with `--phone`.
"""

import contextlib
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TextIO

from controller.app import wiring
from controller.common.config import SourceConfig, source_of
from controller.common.errors import BadInput, ControllerError
from controller.common.lab_entry_points import simulated
from controller.common.outputs import ready_for_file, rescued
from controller.workshop.calibrate.calibrations import Calibrations
from controller.workshop.calibrate.core.course import Course
from controller.workshop.calibrate.core.design import drawn_starter
from controller.workshop.calibrate.core.reference_mass import ReferenceMass, parse_reference_mass
from controller.workshop.calibrate.core.result import CalibrationResult, CalibrationVerdict
from controller.workshop.calibrate.core.steps import StepLook, StepState
from controller.workshop.calibrate.core.wizard import MOST_REFERENCES, Wizard
from controller.workshop.calibrate.core.zeroing import LONGEST_S as LONGEST_ZERO_S
from controller.workshop.calibrate.core.zeroing import ZeroWatch
from controller.workshop.calibrate.phone import AGAIN, STOP, Page
from controller.workshop.calibrate.screen import (
    KEYS,
    NOTHING_SAVED,
    Screen,
    print_kept,
    print_result,
)
from controller.workshop.keys import Keys
from controller.workshop.measure import measured
from controller.workshop.pace import Pace
from engine.samples import Samples
from hw.building.design import drawn_table
from hw.calibration import Calibration, calibration_json
from hw.conversions import HasConversions
from hw.drivers.panel import Face, HasPanel, Sound
from hw.source import SampleSource, samples_of
from pages.prompts.prompts import Prompts

DONE, REFUSED = 0, 1
"""Exit codes; 2 is wrong use."""

DEFAULT_REFERENCE = "4x2eur"
SIMULATED_LIMIT_S = 600.0


class Stopped(ControllerError):  # noqa: N818 - somebody wished it
    """The calibration was stopped on the phone; nothing was saved."""


class SimulatedOwner(Protocol):
    """A simulated owner, who does what the steps of a calibration ask for."""

    def attend(self, step: str, now_s: float, *, wrong: bool = False, nudge: bool = False) -> None:
        """Look at what is asked, and do it after a while."""


def lead(
    course: Course, table: "Bench", pace: Pace, screen: Screen, page: Page, *, keys: Keys
) -> None:
    """Lead somebody through all steps.

    Raises:
        BadInput: the source ended, or the simulated owner did not manage.
        Stopped: on the phone.
    """
    source, owner = table.source, table.owner
    while not course.done:
        if source.ended or (owner is not None and pace.now_s > SIMULATED_LIMIT_S):
            raise BadInput("the samples ended before the calibration was done; start it again")
        for item in samples(source, pace):
            course.feed(item)
        if isinstance(source, HasConversions):
            course.converted(source.conversions())
        pressed = page.pressed
        if pressed == STOP:
            raise Stopped(f"Stopped on the phone. {NOTHING_SAVED}")
        if keys.pressed() == KEYS[course.again] or pressed == AGAIN:
            course.repeat()
            screen.repeated(course.step.title)
        step = course.step
        look = course.look()
        screen.show(course, step, look)
        page.show(course, step, look)
        if look.state is StepState.DONE and isinstance(source, HasPanel):
            tone = f"{step.name} at {pace.now_s:.2f} s"
            source.show(Face(sound=Sound.QUESTION, occasion=tone))
        if owner is not None and look.state is not StepState.DONE and course.seconds:
            _help(owner, step.name, look, pace.now_s)


def samples(source: SampleSource, pace: Pace) -> list[Samples]:
    """Those of the next moment; what people said is left out."""
    return samples_of(source.poll(pace.next()))


def _help(owner: SimulatedOwner, step: str, look: StepLook, now_s: float) -> None:
    owner.attend(step, now_s, wrong=look.state is StepState.WRONG, nudge=look.nudge)


@dataclass(frozen=True, slots=True)
class Bench:
    """A table to be calibrated, and who stands at it; a simulated one may have no store."""

    source: SampleSource
    start: Calibration
    owner: SimulatedOwner | None
    store: Calibrations | None


def reference_masses(coins: Sequence[str], weights: Sequence[float]) -> tuple[ReferenceMass, ...]:
    """The reference masses that were named on the command line.

    Raises:
        BadInput: more than two.
        BadReferenceMass: one that nobody knows.
    """
    text = [*coins, *(f"{grams:g}g" for grams in weights)] or [DEFAULT_REFERENCE]
    if len(text) > MOST_REFERENCES:
        raise BadInput(f"{len(text)} weights are named; one or two are enough")
    return tuple(map(parse_reference_mass, text))


def bench(
    config: Path | None,
    references: Sequence[ReferenceMass],
    *,
    simulated: bool = False,
    seed: int = 1,
    to: Path | None = None,
    colours: Sequence[str] = (),
) -> Bench:
    """The table that a configuration names; the simulated one without any.

    A simulated one has pieces of such colours.

    Raises:
        BadInput: a recording, or a table without a calibration file.
        BadConfig, HardwareError: it cannot be opened.
    """
    chosen = source_of(config)
    file = to or chosen.calibration_file
    if file is not None:
        ready_for_file("--to" if to else "source.calibration", file)
    store = Calibrations(file) if file is not None else None
    if simulated or chosen.kind == "twin":
        # What a simulated table weighs must not come into use on a real one.
        own = chosen.kind == "twin" or to is not None
        return _simulated(chosen, references, seed, store if own else None, colours)
    if chosen.kind == "recording":
        raise BadInput("source.kind is 'recording'; only a table can be calibrated")
    drawn = drawn_table(measured(chosen))
    if chosen.kind == "pi" and chosen.pi.starter:
        drawn = drawn_starter(drawn)
    start = (store.current() if store else None) or drawn
    return Bench(wiring.source(chosen, start), start, None, store)


def _simulated(
    chosen: SourceConfig,
    references: Sequence[ReferenceMass],
    seed: int,
    store: Calibrations | None,
    colours: Sequence[str],
) -> Bench:
    """A table that somebody else built, and its owner."""
    masses_g = tuple(reference.mass_g for reference in references)
    source, start, owner = simulated("calibrating")(
        chosen.preset, seed, masses_g, starter=chosen.starter, colours=colours
    )
    return Bench(source, start, owner, store)


# --- the commands ---------------------------------------------------------------------------


def run(
    config: Path | None,
    *,
    coins: Sequence[str] = (),
    weights: Sequence[float] = (),
    simulated: bool = False,
    seed: int = 1,
    speed: float | None = None,
    to: Path | None = None,
    phone: bool = False,
    phone_port: int | None = None,
    out: TextIO | None = None,
) -> int:
    """Calibrate a table; options as of the command line (`controller.cli.calibrate`).

    Returns:
        Exit code: 0 saved, 1 refused or stopped on the phone.

    Raises:
        BadInput, BadConfig, HardwareError, OSError: it cannot be done; the message says why.
    """
    out, page = out or sys.stdout, Page()
    references = reference_masses(coins, weights)
    try:
        with on_phones(page.prompts, out, phone_port) if phone else contextlib.nullcontext():
            table = bench(config, references, simulated=simulated, seed=seed, to=to)
            return _run(table, references, page, speed, out)
    except Stopped as stopped:
        print(stopped, file=out)
        return REFUSED


def on_phones(
    prompts: Prompts, out: TextIO, port: int | None = None
) -> AbstractContextManager[None]:
    """Ask on a page too, on its usual port when none is given.

    Raises:
        BadInput: the port is taken.
    """
    # Only here: a web server takes a Pi seconds to import.
    from pages.prompts import prompt_page as page  # noqa: PLC0415

    return page.on_phones(prompts, out, port=page.PHONE_PORT if port is None else port)


def _run(
    table: Bench, references: Sequence[ReferenceMass], page: Page, speed: float | None, out: TextIO
) -> int:
    pace = Pace(live=table.owner is None, speed=speed)
    try:
        with Keys(sys.stdin if table.owner is None else None) as keys, Screen(out) as screen:
            wizard = Wizard(table.start, references)
            lead(wizard, table, pace, screen, page, keys=keys)
    finally:
        table.source.close()
    return conclude(wizard.result(), "calibrate", table.store, page, out)


def conclude(
    result: CalibrationResult, how: str, store: Calibrations | None, page: Page, out: TextIO
) -> int:
    """Save a result unless it is refused, into `store` if there is one, and show it.

    Returns:
        Exit code: 0 saved, 1 refused.

    Raises:
        BadInput: it cannot be written.
    """
    saved = None
    if result.verdict is not CalibrationVerdict.REFUSED and store is not None:
        saved = _saved(store, how, result)
    in_use = store.path if store else None
    print_result(result, out, saved=saved, in_use=in_use)
    page.conclude(result, saved, in_use)
    return REFUSED if result.verdict is CalibrationVerdict.REFUSED else DONE


def _saved(store: Calibrations, how: str, result: CalibrationResult) -> Path:
    try:
        return store.save(
            result.calibration,
            datetime.now(UTC),
            how,
            result.text,
            figures=[asdict(figure) for figure in result.figures],
            notices=result.notices,
        )
    except OSError as problem:
        kept = rescued(store.path.name, calibration_json(result.calibration).encode())
        text = problem.strerror or problem
        raise BadInput(f"{store.path} cannot be written: {text}; {kept}") from None


def zero(
    config: Path | None, *, seed: int = 1, to: Path | None = None, out: TextIO | None = None
) -> int:
    """Measure the zero of a table again, in ten seconds at most.

    Returns:
        Exit code: 0 done, 1 the table is not empty or not at rest.

    Raises:
        BadInput: nothing has been calibrated yet; other errors as in `run`.
    """
    out = out or sys.stdout
    table = bench(config, (), seed=seed, to=to)
    known = table.store.current() if table.store else None
    if known is None and table.source.simulated:
        known = table.source.calibration
    if known is None:
        raise BadInput("this table has no calibration yet; run topple-table calibrate first")
    pace, watching = Pace(live=table.owner is None), ZeroWatch(known)
    look = StepLook(StepState.WAITING, "Waiting for the first samples.")
    try:
        while look.state is not StepState.DONE and pace.now_s < LONGEST_ZERO_S:
            for item in samples(table.source, pace):
                watching.feed(item)
            look = watching.look()
    finally:
        table.source.close()
    print(look.text, file=out)
    if watching.calibration is None:
        return REFUSED
    if table.store is not None:
        kept = table.store.save(watching.calibration, datetime.now(UTC), "zero", look.text)
        print(f"Saved: {table.store.path} (kept as {kept.name}).", file=out)
    return DONE


def store_of(config: Path | None, to: Path | None) -> Calibrations:
    """The calibrations of a table.

    Raises:
        BadInput: the configuration names no calibration file.
    """
    file = to or source_of(config).calibration_file
    if file is None:
        raise BadInput(
            "no calibration file is named; give --config with source.calibration, or --to"
        )
    return Calibrations(file)


def list_kept(config: Path | None, *, to: Path | None = None, out: TextIO | None = None) -> int:
    """Print every calibration that is kept."""
    print_kept(store_of(config, to), out or sys.stdout)
    return DONE


def take_back(config: Path | None, *, to: Path | None = None, out: TextIO | None = None) -> int:
    """Put the calibration before the one in use into use again."""
    store = store_of(config, to)
    wrong, back = store.take_back()
    what = f"number {wrong.number}" if wrong != back else "the damaged file"
    print(f"Took back {what}; in use again: number {back.number} of {back.date}.",
          file=out or sys.stdout)  # fmt: skip
    return DONE
