"""`topple-table first-light`: a Nano, one HX711 and one load cell on the desk, and a finger.

What is asked for and what it means is decided in `core`; here are line, terminal, phone, and the
file to send to somebody who helps.
"""

import platform
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import msgspec
from rich.text import Text

from controller.app import wiring
from controller.common.config import SourceConfig, source_of
from controller.common.errors import BadInput
from controller.common.outputs import ready_for_file, write_result
from controller.common.terminal import console_on
from controller.workshop.calibrate.calibrations import Calibrations
from controller.workshop.calibrate.core.design import drawn_starter
from controller.workshop.first_light.core import FirstLight, Result, Step, grams
from controller.workshop.keys import Keys
from controller.workshop.pace import Pace
from controller.workshop.words import Words, language
from engine.samples import SensorReport
from hw.building.design import drawn_table
from hw.conversions import HasConversions
from hw.source import HasLink, HasVoltages, LinkHealth, SampleSource
from pages.prompts.prompt_page import on_phones
from pages.prompts.prompts import Prompt, Prompts

if TYPE_CHECKING:
    from rich.console import Console

LIT, DARK = 0, 1
"""Exit codes; 2 is wrong use."""

CONNECT_S = 15.0
"""A board that is reset, its boot loader, and one foreign device listened to before."""
SKIP = "s"
BAR = 30
MARKS = {"ok": "green", "wrong": "bold red", "note": "yellow", "unknown": "dim"}
TONES = {"ok": "good", "wrong": "wrong", "note": "usable", "unknown": ""}


class Face:
    """Shows what is asked for, on the terminal and on phones."""

    def __init__(self, words: Words, out: TextIO) -> None:
        self.prompts = Prompts()
        self._words, self._out = words, out
        self._step: Step | None = None

    def wait(self) -> None:
        """Nothing has come yet."""
        self._ask(self._words.say("first_wait"))

    def show(self, light: FirstLight) -> None:
        """What is asked for now, and the finger."""
        if light.step is Step.DONE:
            return
        asked = self._words.say(f"first_{light.step}")
        moved = self._words.say("first_load", grams=grams(light.load_counts))
        pressing = light.step is Step.PRESS
        share = light.share if pressing else None
        prompt = Prompt(asked, noticed=moved if pressing else "", tone="waiting", share=share)
        if light.step is not self._step:
            self._step = light.step
            self._line("")
            self._ask(asked)
        else:
            self.prompts.amend(prompt)
        if pressing:
            bar = "#" * round(BAR * light.share)
            self._line(f"[{bar:<{BAR}}] {moved}")

    def conclude(self, results: list[Result], file: Path) -> None:
        """What was found."""
        self._line("")
        console: Console = console_on(self._out)
        sentences = [self._words.say(f"first_{each.code}", **each.args) for each in results]
        for each, sentence in zip(results, sentences, strict=True):
            console.print(Text(f"{each.verdict:>8}  ", style=MARKS[each.verdict]), end="")
            console.print(Text(sentence))
        console.print(Text(self._words.say("first_file", file=str(file)), style="dim"))
        figures = tuple(
            (sentence, TONES[each.verdict])
            for each, sentence in zip(results, sentences, strict=True)
        )
        self.prompts.put(Prompt(sentences[-1], figures=figures, last=True))

    def _ask(self, words: str) -> None:
        self.prompts.put(Prompt(words, tone="waiting"))
        print(words, file=self._out, flush=True)

    def _line(self, text: str) -> None:
        """On a terminal only: one line that is written again and again."""
        if self._out.isatty():
            print(f"\r{text:<60}\r", end="", file=self._out, flush=True)


def lead(source: SampleSource, pace: Pace, face: Face, pressed: Callable[[], str]) -> FirstLight:
    """Lead somebody through the visit.

    Raises:
        BadInput: nothing answers on the line.
    """
    face.wait()
    _connect(source, pace)
    light = FirstLight()
    while light.step is not Step.DONE:
        if source.ended:
            raise BadInput("the line ended before all was seen; start again")
        items = source.poll(pace.next())
        reports = [item for item in items if isinstance(item, SensorReport)]
        cells = source.conversions() if isinstance(source, HasConversions) else ()
        measured = source.voltages() if isinstance(source, HasVoltages) else None
        light.feed(pace.now_s, cells, measured, reports)
        face.show(light)
        if pressed() == SKIP:
            light.skip()
    return light


def _connect(source: SampleSource, pace: Pace) -> None:
    """Wait until something speaks; what pins read needs no line."""
    began_s = pace.now_s
    while isinstance(source, HasLink) and not source.link_health().ok:
        if pace.now_s - began_s > CONNECT_S:
            why = "; ".join(source.notices) or "nothing came on the line"
            raise BadInput(f"{why.rstrip('.')}. Is the Nano flashed (topple-table firmware flash)?")
        source.poll(pace.next())
    if isinstance(source, HasConversions):
        source.conversions()  # what came while the line was young


def run(
    config: Path | None,
    *,
    port: str = "",
    file: Path = Path("first-light.json"),
    phone: bool = False,
    out: TextIO | None = None,
) -> int:
    """The command; options as of the command line.

    Returns:
        Exit code: 0 a finger was felt and nothing is wrong, 1 something is.

    Raises:
        BadInput, BadConfig, HardwareError: nothing answers, or the file cannot be written.
    """
    out = out or sys.stdout
    ready_for_file("--file", file)
    source = _source(config, port)
    face = Face(Words(language()), out)
    try:
        with _phones(face, out, wanted=phone), Keys(sys.stdin) as keys:
            light = lead(source, Pace(live=True), face, keys.pressed)
            link = source.link_health() if isinstance(source, HasLink) else None
            results = light.results(link)
            write_result("--file", file, report(light, link, results))
            face.conclude(results, file)
    finally:
        source.close()
    return DARK if any(each.verdict == "wrong" for each in results) else LIT


def _phones(face: Face, out: TextIO, *, wanted: bool) -> AbstractContextManager[None]:
    return on_phones(face.prompts, out) if wanted else nullcontext()


def _source(config: Path | None, port: str) -> SampleSource:
    """A Nano on any port, or the table of a configuration."""
    if config is None or port:
        return wiring.source(SourceConfig(kind="bridge", port=port, panel=False), drawn_table())
    chosen = msgspec.structs.replace(source_of(config), panel=False)
    if chosen.kind not in ("bridge", "pi"):
        raise BadInput(
            f"{config}: source.kind is {chosen.kind}; first light needs a bridge, or pins (pi)"
        )
    known = Calibrations(chosen.calibration).current()
    starter = chosen.kind == "pi" and chosen.pi.starter
    return wiring.source(chosen, known or (drawn_starter() if starter else drawn_table()))


def report(light: FirstLight, link: LinkHealth | None, results: list[Result]) -> bytes:
    """All that somebody who helps needs: no names, no addresses, no place.

    Counts are those of each chip that gave any, at times in seconds since the visit began.
    """
    chips = {
        f"C{cell}": {
            "t_s": [round(float(t_s), 4) for t_s in given.t_s],
            "counts": given.counts.tolist(),
            "good": given.good.tolist(),
        }
        for cell, given in enumerate(light.heard)
        if len(given)
    }
    document: dict[str, Any] = {
        "what": "topple-table first-light 1",
        "computer": f"{platform.system()} {platform.machine()} Python {platform.python_version()}",
        "results": [asdict(each) for each in results],
        "at_rest": None if light.seen is None else asdict(light.seen),
        "pressed_counts": light.pressed_counts,
        "e_minus_v": light.e_minus_v,
        "e_plus_v": light.e_plus_v,
        "voltages": [each._asdict() for each in light.voltages],
        "link": None if link is None else msgspec.to_builtins(link),
        "chips": chips,
    }
    return msgspec.json.encode(_without_nan(document))


def _without_nan(value: Any) -> Any:
    """JSON cannot say what is not known but by null."""
    if isinstance(value, float):
        return None if isnan(value) else value
    if isinstance(value, dict):
        return {key: _without_nan(each) for key, each in value.items()}
    return value
