"""The people's own account of a game: what they truly did and what they said, on a score sheet.

Pure, and shares no code with the referee. People know what happened (the twin's truth), what they
said, and whether the table took it (its answer).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab.bench.people_memory import Deed, Entry, Memory, Step
from lab.bench.people_saw import SAME_PIECE_S, Eyewitnesses
from lab.bench.scorer import AgainstTheRules, is_cell


@dataclass(slots=True)
class PeopleAccount(Eyewitnesses):
    """What the people know of all that was done and said."""

    def said(
        self, verb: str, data: Mapping[str, Any], t_s: float, shown: Entry, *, told: Entry | None
    ) -> None:
        """Take what was said and obeyed.

        Args:
            verb: what was asked for.
            data: its details.
            t_s: when.
            shown: the document that was published before.
            told: what the table said that it did; None of a button, nobody knows.
        """
        if self.lost and verb != "start":
            return
        try:
            self._obey(verb, data, t_s, shown, told or {})
        except AgainstTheRules as problem:
            if told is not None:
                self.wrong.append(f"{verb} at {t_s:.1f} s was done; the rules: {problem}")

    def refused(self, verb: str, data: Mapping[str, Any], t_s: float, code: str) -> None:
        """The table would not do it: then our rules must forbid it as well."""
        sheet = self.sheet
        if sheet is None or self.lost or verb not in ("roll", "pass"):
            return
        tried = sheet.copy()
        try:
            if verb == "roll":
                tried.roll(data.get("value", 0))
            else:
                tried.pass_()
        except AgainstTheRules:
            return
        self.wrong.append(f"{verb} at {t_s:.1f} s was refused ({code}); the rules allow it")

    def _obey(  # noqa: C901, PLR0912 - one case for each verb
        self, verb: str, data: Mapping[str, Any], t_s: float, shown: Entry, told: Entry
    ) -> None:
        match verb:
            case "start":
                self._started(data)
            case "roll":
                self._rolled(data["value"], t_s)
            case "pass":
                self._passed(t_s)
            case "end":
                self._do("end", t_s, ("end",))
            case "place":
                self._entered(data, t_s)
            case "cleared":
                self._said_cleared(t_s)
            case "colour":
                self._announced(data, t_s)
            case "topple" | "blame":
                self._blamed(verb, data, t_s)
            case "answer":
                self._answered(data, t_s, shown)
            case "correct" if self.astray:
                self.lost = "a correction where undo has gone in another order"
            case "correct":
                self._corrected(data, shown)
            case "undo" | "redo":
                self._moved(verb, told)
            case "action":
                self.lost = "a game by hand"

    def _started(self, data: Mapping[str, Any]) -> None:
        by_sensors = data.get("game", "topple") == "topple"
        self._start, self._now = (data if by_sensors else None), Memory()
        self._past, self._future, self._pressed, self.lost = [], [], [], ""
        self._taken_back, self.astray, self._agreed = None, 0, False
        self._sheets.clear()

    def _rolled(self, value: int, t_s: float) -> None:
        sheet, waiting = self.sheet, self._now.waiting
        if sheet is not None and sheet.phase == "act" and self._now.ahead is None:
            self._turn_to("roll", replace(self._now, ahead=value))
            return
        passed: tuple[Deed, ...] = (("pass_",),) if self._now.passed else ()
        roll = Step(self._number(), "roll", t_s, (("roll", value), *passed))
        if waiting is None:
            self._turn_to("roll", replace(self._now.with_step(roll), passed=False))
        else:
            self._lay("roll", waiting, self._now.with_step(roll))

    def _passed(self, t_s: float) -> None:
        """Somebody passes; where rolls were told late or early, perhaps before this one is told."""
        late = any(page.memory.waiting or page.memory.ahead for page in self._past)
        if late and self.sheet is not None and self.sheet.phase == "roll":
            self._turn_to("pass", replace(self._now, passed=True))
        else:
            self._do("pass", t_s, ("pass_",), colour=None)

    def _entered(self, data: Mapping[str, Any], t_s: float) -> None:
        newest, sheet = self._newest(), self.sheet
        seen = newest is not None and not newest.by_hand
        if seen and newest is not None and t_s - newest.t_s <= SAME_PIECE_S:
            raise AgainstTheRules("that piece lies there already")
        hand = sheet.hands[sheet.current] if sheet is not None else ("",)
        colour = data.get("colour") or self._now.colour or hand[0]
        number = self._number()
        deeds = (("place", data["cell"], colour, number),)
        step = Step(number, "place", t_s, deeds, by_hand=True)
        known = replace(self._now.with_step(step), colour=None, waiting=None)
        self._turn_to("place", known, number)

    def _said_cleared(self, t_s: float) -> None:
        sheet = self.sheet
        if sheet is not None and sheet.clearing:
            self._do("cleared", t_s, ("clear",))
        elif sheet is not None and sheet.board and self._agreed:
            self._stopped(sheet, t_s)
        elif sheet is not None and sheet.board:
            self.lost = "said to be clear in the middle of a round"

    def _announced(self, data: Mapping[str, Any], t_s: float) -> None:
        sheet, newest, colour = self.sheet, self._newest(), data["colour"]
        if sheet is not None and colour in sheet.hands[sheet.current]:
            self._do("colour", t_s, colour=colour)
        elif newest is not None:
            deed, cell, _, number = newest.deeds[-1]
            deeds = (*newest.deeds[:-1], (deed, cell, colour, number))
            self._revise("colour", newest, deeds)

    def _revise(self, verb: str, step: Step, deeds: tuple[Deed, ...]) -> None:
        """People's word about an earlier step; undo takes the word back."""
        self._turn_to(verb, self._now.with_step(replace(step, deeds=deeds, void=not deeds)))

    def _blamed(self, verb: str, data: Mapping[str, Any], t_s: float) -> None:
        cause = "bump" if verb == "blame" else data.get("cause", "placing")
        deed = ("topple", cause, self._seat(data.get("player")), data.get("colour"))
        last = self._last_fall()
        if verb == "blame" and last is not None:
            self._revise(verb, last, (deed,))
        else:
            fell = self._newest() if cause == "placing" else None
            known = self._now
            if fell is not None:
                known = known.with_step(replace(fell, void=True))
                deed = ("topple", cause, None, data.get("colour") or fell.deeds[-1][2])
            fall = Step(self._number(), "topple", t_s, (deed,))
            self._turn_to(verb, known.with_step(fall))

    def _last_fall(self) -> Step | None:
        """The topple of the board that is still to be cleared, or of the game's end."""
        for step in reversed(self._now.steps):
            if step.verb == "topple" and not step.void:
                return step
            if step.verb in ("cleared", "roll", "pass", "place") and not step.void:
                return None
        return None

    def _seat(self, who: Any) -> int | None:
        names = [player["name"] for player in (self._start or {}).get("players", ())]
        return names.index(who) if who in names else who if isinstance(who, int) else None

    def _answered(self, data: Mapping[str, Any], t_s: float, shown: Entry) -> None:
        asked = shown["pending"] or shown["doubt"] or {}
        question, value = str(data.get("question") or asked.get("id")), str(data["value"])
        last = self._last_fall()
        if question.startswith("blame") and last is not None:
            seat = self._seat(value)
            cause = "bump" if seat is not None else "placing"
            deeds = () if value == "none" else (("topple", cause, seat, None),)
            self._revise("answer", last, deeds)
        elif self._now.doubtful is not None and is_cell(value):
            deed, _, colour, number = self._now.doubtful.deeds[-1]
            step = replace(self._now.doubtful, deeds=((deed, value, colour, number),))
            self._lay("answer", step, self._now)
        else:
            # Whoever answers truly says what people know already; it is a step all the same.
            self._do("answer", t_s)

    def _corrected(self, data: Mapping[str, Any], shown: Entry) -> None:
        step = self._step_where_shown(data["ref"], shown)
        doubtful = self._now.doubtful
        if doubtful is not None and "cell" in data:
            deed, _, colour, number = doubtful.deeds[-1]
            piece = (deed, data["cell"], colour, number)
            self._lay("correct", replace(doubtful, deeds=(piece,)), self._now)
            return
        if step is None:
            self.lost = f"move {data['ref']} was corrected, and is on no board"
            return
        deed, cell, colour, number = step.deeds[-1]
        piece = (deed, data.get("cell", cell), data.get("colour", colour), number)
        deeds: tuple[Deed, ...] = (*step.deeds[:-1], piece)
        if data.get("nothing"):
            later = self._now.steps[self._now.steps.index(step) + 1 :]
            went_on = any(s.verb == "roll" and not s.void for s in later)
            # Who rolled and placed nothing has passed.
            deeds = (("pass_",),) if went_on else ()
        self._revise("correct", step, deeds)

    def _step_where_shown(self, ref: int, shown: Entry) -> Step | None:
        """The step whose piece lies where the table shows that move."""
        sheet = self.sheet
        if sheet is None:
            return None
        lying = sheet.standing or sheet.board
        for cell, stack in shown["board"].items():
            for height, piece in enumerate(stack):
                if piece["ref"] == ref and height < len(lying.get(cell, [])):
                    number = lying[cell][height][1]
                    return next(s for s in self._now.steps if s.number == number)
        return None
