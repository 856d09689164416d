"""What people remember of a game: every step, and the way back that undo goes.

Undo brings back the sheet as it was before; what turned out not to have happened never did
(docs/rules.md, T16).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lab.bench.scorer import AgainstTheRules, ScoreSheet

Entry = Mapping[str, Any]
Deed = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened or was said.

    Attributes:
        number: its own; also that of its piece on the board.
        deeds: what it does to the sheet: methods of `ScoreSheet` with their arguments.
        void: it did not happen, or the piece did not stand.
        by_hand: a piece that was entered, not seen by its owner's hand in the truth.
    """

    number: int
    verb: str
    t_s: float
    deeds: tuple[Deed, ...] = ()
    void: bool = False
    by_hand: bool = False

    @property
    def cell(self) -> str:
        """Where a piece was laid."""
        return str(self.deeds[-1][1]) if self.deeds else ""


@dataclass(frozen=True, slots=True)
class Memory:
    """What people know at one moment; undo goes back to an earlier one.

    Attributes:
        waiting: a piece laid before its roll was told.
        passed: that somebody passed before the roll was told.
        doubtful: a piece on a cell that the die does not allow; they will be asked.
        ahead: the roll of the next turn, told before the piece of this one lay.
    """

    steps: tuple[Step, ...] = ()
    colour: str | None = None
    waiting: Step | None = None
    passed: bool = False
    doubtful: Step | None = None
    ahead: int | None = None

    def with_step(self, step: Step) -> "Memory":
        """The memory with one thing more, or better known."""
        if any(known.number == step.number for known in self.steps):
            steps = tuple(step if s.number == step.number else s for s in self.steps)
        else:
            steps = (*self.steps, step)
        return replace(self, steps=steps)


@dataclass(frozen=True, slots=True)
class Page:
    """A memory that undo or redo leads to.

    Attributes:
        verb: what undo takes back by it, or redo does again.
        number: of the piece that it is about; 0 for all else.
    """

    verb: str
    number: int
    memory: Memory


@dataclass(slots=True)
class PeopleMemory:
    """What the people know, kept in order.

    Attributes:
        lost: why nobody can follow any more; empty while they can.
        wrong: what the table did against the rules, in words.
        astray: how many steps undo has gone since it went in another order than things happened.
    """

    lost: str = ""
    wrong: list[str] = field(default_factory=list)
    astray: int = 0
    _start: Mapping[str, Any] | None = None
    _now: Memory = Memory()
    _past: list[Page] = field(default_factory=list)
    _future: list[Page] = field(default_factory=list)
    _pressed: list[int] = field(default_factory=list)
    _numbers: int = 0
    _sheets: dict[tuple[Step, ...], ScoreSheet] = field(default_factory=dict)
    _laid: dict[int, Entry] = field(default_factory=dict)
    _taken_back: Mapping[str, Any] | None = None

    @property
    def sheet(self) -> ScoreSheet | None:
        """The score sheet now; None before the first game, and of a game by hand."""
        return None if self._start is None else self._written(self._now.steps)

    def _written(self, steps: tuple[Step, ...]) -> ScoreSheet:
        if not steps:
            return ScoreSheet.begin(self._start or {})
        if steps not in self._sheets:
            sheet = self._written(steps[:-1]).copy()
            for deed, *arguments in () if steps[-1].void else steps[-1].deeds:
                getattr(sheet, deed)(*arguments)
            self._sheets[steps] = sheet
        return self._sheets[steps]

    # --- memory ---------------------------------------------------------------------------------

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _do(self, verb: str, t_s: float, *deeds: Deed, **known: Any) -> None:
        """One more step.

        Raises:
            AgainstTheRules: the rules forbid it; nothing has changed.
        """
        step = Step(self._number(), verb, t_s, deeds)
        self._turn_to(verb, replace(self._now.with_step(step), **known))

    def _turn_to(self, verb: str, memory: Memory, number: int = 0) -> None:
        """What is known from now on; undo leads back."""
        if self._start is None:
            raise AgainstTheRules("no game")
        self._written(memory.steps)
        self._past.append(Page(verb, number, self._now))
        self._now = memory
        self._future.clear()
        self._pressed.clear()

    def _never_was(self, step: Step) -> None:
        """A step that did not happen after all; undo does not bring it back."""
        void = replace(step, void=True)

        def told(memory: Memory) -> Memory:
            return memory.with_step(void) if step in memory.steps else memory

        self._now = told(self._now)
        for pages in (self._past, self._future):
            pages[:] = [replace(page, memory=told(page.memory)) for page in pages]

    def _newest(self) -> Step | None:
        """The newest piece, if nobody has rolled since."""
        for step in reversed(self._now.steps):
            if step.verb == "place" and not step.void:
                return step
            if step.verb in ("roll", "pass", "topple", "cleared"):
                return None
        return None

    # --- undo and redo --------------------------------------------------------------------------

    def _moved(self, verb: str, told: Entry) -> None:
        """Undo or redo, as the table calls what it took back or did again."""
        if self.astray:
            self.astray += 1 if verb == "undo" else -1
        elif verb == "redo" and self._taken_back is not None:
            self._start, self._taken_back = self._taken_back, None
        elif verb == "redo":
            self._turn_pages(self._pressed.pop() if self._pressed else 0)
        elif told.get("verb") == "start":
            self._taken_back, self._start = self._start, None
        else:
            pages = self._undone(told)
            if self.astray:
                self._turn_pages(pages)
            else:
                self._pressed.append(pages)

    def _undone(self, told: Entry) -> int:
        """Take back what the table says; gives how many pages that are.

        What fell at once the sensors may never have seen, or they took a hand for a piece: such
        a step stands on one side only, and changes nothing on either.
        """
        nothing = told.get("verb") == "place" and told.get("cell") is None
        pages = 0
        while self._past and self._is_void(self._past[-1]):
            pages += self._turn_page(self._past, self._future)
            if nothing:
                return pages
        waits = self._now.waiting is not None and self._past[-1:] == [
            page for page in self._past[-1:] if page.number == self._now.waiting.number
        ]
        if (nothing and not waits) or not self._past:
            return pages
        if self._past[-1].verb != told.get("verb"):
            # The sensors had decided it after something that was said later.
            self.astray = 1
            return pages
        return pages + self._turn_page(self._past, self._future)

    def _is_void(self, page: Page) -> bool:
        piece = next((s for s in self._now.steps if s.number == page.number), None)
        return piece is not None and page.verb == "place" and piece.void

    def _turn_pages(self, pages: int) -> None:
        """Go forth again, as far as one press of undo had gone."""
        for _ in range(pages):
            self._turn_page(self._future, self._past)

    def _turn_page(self, source: list[Page], target: list[Page]) -> int:
        page = source.pop()
        target.append(replace(page, memory=self._now))
        self._now = page.memory
        return 1
