"""People who move the pieces: asked on the terminal and the phone, one deed after the other.

Nothing is judged that nobody has confirmed, and nobody is hurried: a request stands until it is
answered, with Enter at the terminal, or a button on the phone.
"""

import contextlib
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TextIO

from lab.bench import prompts as prompting
from lab.bench.outside.deeds import DeedAnswer
from lab.bench.outside.hands import BegunAgain, Hand, LeftOut, line_hand
from lab.bench.prompts import SpokenPrompts
from pages.prompts.prompt_page import on_phones

WORDS = {
    "place": "Place a {colour} piece on {what}, let it go, hands off.",
    "put_back": "Place a piece on {what} and take it back at once.",
    "hesitate": "Touch {what} with a piece and take it away again.",
    "lift": "Take the top piece off {what}.",
    "touch": "Rest a hand on the board at {what} for a moment.",
    "nudge": "Push the top piece on {what} aside by some millimetres.",
    "bump": "Bump into the table, gently.",
    "tap": "Drum on the table {what} times.",
    "lean": "Lean on the table for three seconds.",
    "clear": "Take all pieces off the board; hands off.",
    "weight": "Put {what.grams:g} g (a full glass, say) on the base plate beside the board; "
    "hands off.",
    "weight_off": "Take the weight off the base plate.",
    "wait": "Wait {what:g} seconds.",
    "broker": "The table's network plug: {what} (down: pull it, up: put it back).",
}
"""What people are asked for, by the verb of the step; a weight is taken off again, and a wait needs
no answer."""

KEYS = {
    "": prompting.DONE, "a": prompting.AGAIN, "s": prompting.SKIP, "d": prompting.DROPPED,
}  # fmt: skip
"""What is typed at the terminal, before Enter."""


def words_for(verb: str, value: Any) -> str:
    """The request in words."""
    what = next((getattr(value, key) for key in ("cell", "what") if hasattr(value, key)), value)
    return WORDS[verb].format(what=what, colour=getattr(value, "colour", "") or "red")


def listen_to_keys(prompts: SpokenPrompts, keys: TextIO) -> None:
    """Take answers from the terminal from now on, in a thread of its own."""

    def read() -> None:
        # Without a terminal there is nothing to read.
        with contextlib.suppress(OSError, ValueError):
            for line in keys:
                answer = KEYS.get(line.strip().lower()[:1])
                if answer is None:
                    print("    Enter: done; a: again; s: skip; d: I dropped it", flush=True)
                else:
                    prompts.press(prompts.now.number, answer)
        prompts.gone.set()

    threading.Thread(target=read, name="keys", daemon=True).start()


def answer_of(prompts: SpokenPrompts, *, told: bool) -> bool:
    """Whether people have confirmed what they were asked for; False while they have not answered.

    Args:
        prompts: where they were asked.
        told: whether the table has told anything of the board since.

    Raises:
        BegunAgain: it went otherwise, so the case must begin again.
        LeftOut: they skip it, or nobody can answer any more.
    """
    match prompts.pressed:
        case prompting.DONE:
            return True
        case prompting.AGAIN:
            raise BegunAgain("it went otherwise")
        case prompting.SKIP:
            raise LeftOut(f"skipped: {prompts.now.words}")
        case prompting.DROPPED if told:
            # What the table made of it, nobody can judge.
            raise BegunAgain("a piece was dropped, and the table has taken it for something")
        case prompting.DROPPED:
            prompts.ask(prompts.now.words, prompts.now.progress)
    if prompts.gone.is_set() and not prompts.watched:
        raise LeftOut("nobody has confirmed it (the terminal is closed, and no phone is there)")
    return False


class PeopleHand:
    """A `Hand` of people.

    Args:
        prompts: asks them.
        phones: entered for as long as they are asked; serves a phone, for one.
    """

    can = frozenset(WORDS)

    def __init__(
        self, prompts: SpokenPrompts, phones: AbstractContextManager[object] | None = None
    ) -> None:
        self._prompts, self._phones = prompts, phones
        if phones is not None:
            phones.__enter__()

    def ask(self, verb: str, value: Any, progress: str = "") -> None:
        """Say what to do."""
        self._prompts.ask(words_for(verb, value), progress)

    def answer(self, *, told: bool) -> DeedAnswer | None:
        """What they pressed."""
        return DeedAnswer(ok=True) if answer_of(self._prompts, told=told) else None

    def tell(self, words: str) -> None:
        """Show what the table saw."""
        self._prompts.tell(words)

    def close(self) -> None:
        """Thank them."""
        if self._phones is not None:
            self._phones.__exit__(None, None, None)


def hand_of(text: str | None, *, phone: bool) -> Callable[[], Hand]:
    """Who moves the pieces, as `--hands` says; people when it says nothing."""

    def people() -> Hand:
        prompts = SpokenPrompts()
        listen_to_keys(prompts, sys.stdin)
        return PeopleHand(prompts, on_phones(prompts, sys.stdout) if phone else None)

    return people if text is None else lambda: line_hand(text)
