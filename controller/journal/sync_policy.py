"""Decides when the journal waits for the disk: at once for what is confirmed, later for the rest.

Pure. Every decision is handed to the operating system before anybody sees it, so it survives a
crash of the program. Only after `fsync` it also survives a power cut, but each `fsync` wears out
the SD card a little and takes some milliseconds. So:

* What people said waits for the disk: it is confirmed when it is answered. Only what belongs to a
  turn that is still going on (the roll, an announced colour, an action that leaves the turn where
  it is) does not: it can be said again, and what follows takes it along.
* What the sensors saw is provisional until the game goes on. It waits for the disk as long as the
  allowance lasts - one for each turn, one for each minute - and otherwise until the roll or the
  placement that confirms it, which then waits for both. Evidence about a piece after which the
  game has gone on is shown as confirmed, and waits; so does a cleared board.
"""

from controller.table.pipeline import Cause, Output
from engine.events import Cleared, Fault, HumanInput, LaterEvidence, Restored

EVERY_S = 60.0
"""Of what did not wait, something goes to the disk so often: the copy, then the file."""

MOST_SAVED = 3.0
"""Allowance that a quiet time can save up: a flurry of corrections may follow."""

_WITHIN_A_TURN = ("roll", "colour", "action")
_NEWS = ("turn", "over", "corrected", "started")
"""Outcomes that change the turn."""


class SyncPolicy:
    """Decides what waits for the disk. Times are seconds of any steady clock."""

    def __init__(self) -> None:
        self._allowance = 1.0
        self._on_trust = False
        self._earned_s: float | None = None
        self._minute_s: float | None = None
        self.pending = False

    def waits(self, output: Output, now_s: float) -> bool:
        """Whether this decision waits for the disk before it is shown; `now_s` is steady time."""
        self._earn(now_s, turns=sum(outcome.type == "turn" for outcome in output.outcomes))
        cause = output.cause
        if isinstance(cause, Fault | Restored):
            return self._later()
        if _confirms(output) or (self._on_trust and _goes_on(cause)):
            return self._synced()
        if isinstance(cause, HumanInput):
            return self._later()
        if self._allowance >= 1.0:
            return self._synced()
        self._on_trust = True
        return self._later()

    def minute(self, now_s: float) -> bool:
        """Whether a minute is over and the allowance lets what is left go to the disk."""
        self._earn(now_s, turns=0)
        if self._minute_s is None or now_s - self._minute_s < EVERY_S or self._allowance < 1.0:
            return False
        self._minute_s = now_s
        self._allowance -= 1.0
        return True

    def _earn(self, now_s: float, turns: int) -> None:
        if self._earned_s is None:
            self._earned_s = self._minute_s = now_s
        since_s = max(0.0, now_s - self._earned_s)
        self._earned_s = now_s
        self._allowance = min(MOST_SAVED, self._allowance + turns + since_s / EVERY_S)

    def _synced(self) -> bool:
        self._allowance -= 1.0
        self.pending = self._on_trust = False
        return True

    def _later(self) -> bool:
        self.pending = True
        return False


def _confirms(output: Output) -> bool:
    """Whether what is shown after it counts as confirmed at once."""
    match output.cause:
        case HumanInput() as said:
            return not _within_a_turn(said, output)
        case cause if isinstance(cause, LaterEvidence):
            ledger = output.state.ledger
            return not ledger or ledger[-1].source != cause.ref
        case cause:
            return isinstance(cause, Cleared)


def _goes_on(cause: Cause) -> bool:
    """Whether it confirms what the sensors saw before it."""
    return not isinstance(cause, LaterEvidence)


def _within_a_turn(said: HumanInput, output: Output) -> bool:
    """Whether the turn goes on after this input, so that people can repeat it."""
    if said.type not in _WITHIN_A_TURN:
        return False
    news = any(outcome.type in _NEWS for outcome in output.outcomes)
    # A roll may close a turn in which no piece was seen; that is asked about, and so provisional.
    return said.type == "roll" or not news
