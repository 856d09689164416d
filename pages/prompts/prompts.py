"""Instructions for a person at the table, and the buttons they press, for the page on a phone.

Used by the bench's rig, the calibration and the accuracy test. Each prompt has a number, so that a
press on an old prompt is ignored. The page presses from a thread of its own.
"""

import threading
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press; `sure` is a question to be answered first, empty for none."""

    name: str
    label: str
    sure: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request, as the page fetches it.

    Attributes:
        words: what to do.
        progress: how far all is.
        noticed: what the table notices just now.
        tone: how that is meant (`waiting`, `measuring`, `wrong`, `good`, `usable`, `refused`), for
            the colour.
        share: how much of the measuring is done, 0 to 1; None where nothing is measured.
        seen: what the table made of the last deed.
        buttons: what can be pressed.
        figures: what was measured, in columns.
        last: nothing comes after it.
        number: counts up; 0 before the first.
    """

    words: str = "It begins in a moment."
    progress: str = ""
    noticed: str = ""
    tone: str = ""
    share: float | None = None
    seen: str = ""
    buttons: tuple[Button, ...] = ()
    figures: tuple[tuple[str, ...], ...] = ()
    last: bool = False
    number: int = 0


class Prompts:
    """Asks a person; `pressed` holds the answer.

    `watched`: a page has looked. `farewell` is set when a page has fetched the last prompt.
    """

    def __init__(self) -> None:
        self._now = Prompt()
        self._pressed: tuple[int, str] = (0, "")
        self._lock = threading.Lock()
        self.watched = False
        self.farewell = threading.Event()

    @property
    def now(self) -> Prompt:
        """What is asked for."""
        return self._now

    @property
    def pressed(self) -> str:
        """Name of the button that was pressed at the present prompt, or nothing."""
        with self._lock:
            number, name = self._pressed
            return name if number == self._now.number else ""

    def put(self, prompt: Prompt) -> None:
        """Ask for something new; the number is given here."""
        with self._lock:
            self._now = replace(prompt, number=self._now.number + 1)

    def amend(self, prompt: Prompt) -> None:
        """Change the text of the present prompt."""
        with self._lock:
            self._now = replace(prompt, number=self._now.number)

    def end(self, words: str) -> None:
        """Show that it is over, unless shown already."""
        if not self._now.last:
            self.put(Prompt(words, seen=self._now.seen, last=True))

    def press(self, number: int, name: str) -> bool:
        """Somebody presses a button; false for an old prompt, a second press, or no such button."""
        with self._lock:
            names = {button.name for button in self._now.buttons}
            taken = number == self._now.number != self._pressed[0] and name in names
            if taken:
                self._pressed = (number, name)
            return taken

    def fetched(self) -> Prompt:
        """What is asked for, fetched by a page."""
        self.watched = True
        prompt = self._now
        if prompt.last:
            self.farewell.set()
        return prompt
