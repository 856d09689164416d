"""What people saw happen at the table, as the twin's truth tells it, written on their sheet."""

from dataclasses import dataclass, replace

from lab.bench.people_memory import Deed, Entry, Memory, PeopleMemory, Step
from lab.bench.scorer import AgainstTheRules, ScoreSheet, level

SAME_PIECE_S = 8.0
"""A piece entered by hand and one laid within this time are one."""

FELL_WITHIN_S = 3.0
"""A piece that falls so soon after it was let go was not placed, whoever reaches for the next."""


@dataclass(slots=True)
class Eyewitnesses(PeopleMemory):
    """People who sat at the table."""

    _agreed: bool = False  # to stop the round; the table learns of it with the cleared board

    def happened(self, entry: Entry) -> None:
        """Take an entry of the truth, in order of time."""
        sheet = self.sheet
        if sheet is None or self.lost:
            return
        try:
            match entry["type"]:
                case "place" if not (sheet.clearing or sheet.over):
                    self._placed(sheet, entry)
                case "topple":
                    self._toppled(sheet, entry)
                case "agreed" if sheet.board:
                    self._agreed = True
                case "remove" if entry["where"] == "board" and sheet.board and not self._agreed:
                    self._removed(entry)
                case "cleared" if sheet.clearing:
                    self._do("cleared", entry["t"], ("clear",))
                case "cleared" if sheet.board and self._agreed:
                    self._stopped(sheet, entry["t"])
                case "cleared" if sheet.board:
                    self.lost = "the board was cleared in the middle of a round"
        except AgainstTheRules as problem:
            self.lost = f"{entry['type']} at {entry['t']:.1f} s: {problem}"

    def _stopped(self, sheet: ScoreSheet, t_s: float) -> None:
        """The round ends as they had agreed: nobody gains or loses."""
        self._agreed, tried = False, sheet.copy()
        tried.end_round()
        cleared: tuple[Deed, ...] = (("clear",),) if tried.clearing else ()
        known = {"waiting": None, "colour": None, "ahead": None}
        self._do("cleared", t_s, ("end_round",), *cleared, **known)

    def _placed(self, sheet: ScoreSheet, entry: Entry) -> None:
        newest, t_s = self._newest(), entry["t_release"]
        if newest is not None and newest.by_hand and abs(newest.t_s - t_s) <= SAME_PIECE_S:
            return
        number = self._number()
        self._laid[number] = entry
        colour = self._now.colour or entry["colour"]
        step = Step(number, "place", t_s, (("place", entry["cell"], colour, number),))
        if sheet.die is not None or sheet.rules["dice"] != "told":
            self._lay("place", step, self._now)
        elif self._now.waiting is None:
            self._turn_to("place", replace(self._now, waiting=step), number)
        else:
            # The roll of the piece before was forgotten; its level stands in for it.
            first = self._now.waiting
            roll = ("roll", level(first.cell))
            told = replace(first, deeds=(roll, *first.deeds))
            known = replace(self._now.with_step(told), waiting=step, colour=None)
            self._turn_to("place", known, number)

    def _lay(self, verb: str, step: Step, memory: Memory) -> None:
        """A piece in its turn; a roll that was told ahead comes after it."""
        laid = replace(memory.with_step(step), waiting=None, doubtful=None, colour=None, ahead=None)
        if memory.ahead is not None:
            roll = Step(self._number(), "roll", step.t_s, (("roll", memory.ahead),))
            laid = laid.with_step(roll)
        try:
            self._turn_to(verb, laid, step.number)
        except AgainstTheRules:
            self._turn_to(verb, replace(memory, waiting=None, doubtful=step), step.number)

    def _toppled(self, sheet: ScoreSheet, entry: Entry) -> None:
        newest = self._newest()
        fell = newest is not None and self._fell_with(newest, entry)
        if (sheet.clearing or sheet.over) and not fell:
            return
        if newest is not None and fell:
            self._never_was(newest)
        seat = None if entry["cause"] == "placing" else entry["player"]
        in_hand = newest.deeds[-1][2] if newest is not None and fell else self._now.colour
        deed = ("topple", entry["cause"], seat, in_hand if seat is None else None)
        deeds: tuple[Deed, ...] = (deed,)
        self._do("topple", entry["t"], *deeds, waiting=None, colour=None, ahead=None)

    def _fell_with(self, newest: Step, entry: Entry) -> bool:
        """Whether the newest piece was not placed, since it fell (T16)."""
        laid = self._laid.get(newest.number)
        if laid is None:
            return False
        if entry["cause"] == "placing":
            return bool(laid["ended_in_topple"] or entry["t"] - newest.t_s <= FELL_WITHIN_S)
        # The board had not come to rest with it, by the tower's own account.
        return bool(laid["ended_in_topple"])

    def _removed(self, entry: Entry) -> None:
        newest, waiting = self._newest() or self._just_undone(), self._now.waiting
        if waiting is not None and waiting.cell == entry["cell"]:
            self._now = replace(self._now, waiting=None)
        elif newest is not None and newest.cell == entry["cell"] and entry["n"] == 1:
            self._never_was(newest)
        else:
            self.lost = f"pieces were taken off {entry['cell']} in the middle of a round"

    def _just_undone(self) -> Step | None:
        """The piece whose placement was taken back last: it lies there all the same."""
        page = self._future[-1] if self._future else None
        steps = () if page is None else page.memory.steps
        return next((s for s in steps if page and s.number == page.number), None)
