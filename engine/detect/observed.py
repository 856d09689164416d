"""The observations of an evening, kept and played again through a back end, without the samples.

`KeepingScene` is a back end that keeps what it is told; `ObservedDetector` plays it again. What was
seen was measured against what was believed then (when the board counted as free, how the pieces on
it swing); a back end that decides otherwise sees the evening nearly as if it were live, not quite.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from engine.detect.back.belief import Belief
from engine.detect.back.parameters import BEHAVIOUR, Priors
from engine.detect.back.scene import Scene
from engine.detect.detector import Detector
from engine.detect.front.observation import Left, Look, Rested
from engine.detect.front.ticks import TICK_S
from engine.events import Expectation
from engine.tabletop import Tabletop

VERSION = 1
"""Of the format; raised with every change of what an observation holds."""


class Now(NamedTuple):
    """Table time, and what a back end is told of the present contact (`front.observation`)."""

    t_s: float
    in_contact: bool
    touched_s: float
    jolted_s: float


class _Observation(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """One of the classes below; `now` when it was made, and in which contact."""

    now: Now


class Begun(_Observation, frozen=True, array_like=True, tag=True):
    """The first steady weight."""

    mass_g: float


class Looked(_Observation, frozen=True, array_like=True, tag=True):
    """One look at a rest, and whether the board counted as free then."""

    look: Look
    free: bool


class Lighter(_Observation, frozen=True, array_like=True, tag=True):
    """Weight was gone, though it was not steady."""

    look: Look


class Waited(_Observation, frozen=True, array_like=True, tag=True):
    """A rest went on as it was."""

    rested: Rested


class Still(_Observation, frozen=True, array_like=True, tag=True):
    """The board had not moved in so many ticks on end; `since_s` by the first of them."""

    since_s: float
    ticks: int


class Ended(_Observation, frozen=True, array_like=True, tag=True):
    """A rest was over, and what the next one was compared with."""

    rested: Rested
    left: Left


class Expected(_Observation, frozen=True, array_like=True, tag=True):
    """The rules expected something else from then on; `handed_s`: of the last event handed out."""

    expectation: Expectation
    handed_s: float


class Pressed(_Observation, frozen=True, array_like=True, tag=True):
    """People said that the board was clear, or who had bumped the table."""

    verb: Literal["cleared", "blame"]


class Amended(_Observation, frozen=True, array_like=True, tag=True):
    """People said where a piece lay."""

    ref: int
    cell: str | None


Heard = Expected | Pressed | Amended
Observed = Begun | Looked | Lighter | Waited | Still | Ended | Heard


class KeepingScene(Scene):
    """A back end that keeps every observation in `kept`, with what it answered."""

    def __init__(self, tabletop: Tabletop, priors: Priors) -> None:
        super().__init__(tabletop, priors)
        self.kept: list[Observed] = []

    def begin(self, mass_g: float) -> None:
        """Kept, and weighed."""
        self.kept.append(Begun(_now(self), mass_g))
        super().begin(mass_g)

    def look(self, look: Look) -> bool:
        """Kept, and weighed."""
        now, free = _now(self), super().look(look)
        self.kept.append(Looked(now, look, free))
        return free

    def lighter(self, look: Look) -> None:
        """Kept, and weighed."""
        self.kept.append(Lighter(_now(self), look))
        super().lighter(look)

    def wait(self, rested: Rested) -> None:
        """Kept, and weighed."""
        self.kept.append(Waited(_now(self), rested))
        super().wait(rested)

    def hung_still(self, since_s: float) -> None:
        """Kept, and weighed."""
        now, last = _now(self), self.kept[-1] if self.kept else None
        if isinstance(last, Still) and now.t_s - last.now.t_s < 1.5 * TICK_S:
            self.kept[-1] = Still(now, last.since_s, last.ticks + 1)
        else:
            self.kept.append(Still(now, since_s, 1))
        super().hung_still(since_s)

    def end(self, rested: Rested) -> Left:
        """Kept, and weighed."""
        now, left = _now(self), super().end(rested)
        self.kept.append(Ended(now, rested, left))
        return left

    def expect(self, expectation: Expectation) -> None:
        """Kept, and weighed."""
        self.kept.append(Expected(_now(self), expectation, self.handed_s))
        super().expect(expectation)

    def press_cleared(self, t_s: float) -> bool:
        """Kept, and weighed."""
        self.kept.append(Pressed(_now(self), "cleared"))
        return super().press_cleared(t_s)

    def press_blame(self) -> None:
        """Kept, and weighed."""
        self.kept.append(Pressed(_now(self), "blame"))
        super().press_blame()

    def amend(self, ref: int, cell: str | None) -> None:
        """Kept, and weighed."""
        self.kept.append(Amended(_now(self), ref, cell))
        super().amend(ref, cell)


class ObservedDetector(Detector):
    """Decides again about an evening of which the observations were kept; it takes no samples.

    Args:
        tabletop: of that evening.
        observed: all its observations, in order.
        priors: as of any detector.
        alone: nobody else tells what rules and people say: what was said then is said again.

    Attributes:
        departures: how often the back end answered otherwise than the one that saw them live.
    """

    def __init__(
        self,
        tabletop: Tabletop,
        observed: Iterable[Observed],
        priors: Priors = BEHAVIOUR,
        *,
        alone: bool = False,
    ) -> None:
        super().__init__(tabletop, priors)
        self._alone = alone
        self._observed = deque(observed)
        self.departures = 0

    def _advance(self, until_s: float) -> bool:
        if not self._observed or self._observed[0].now.t_s > until_s:
            return False
        self._tell(self._observed.popleft())
        return True

    def _tell(self, observed: Observed) -> None:
        back = self._scene
        back.now_s, back.in_contact, back.touched_s, back.jolted_s = observed.now
        match observed:
            case Begun(mass_g=mass_g):
                back.begin(mass_g)
            case Looked(look=look, free=free):
                self.departures += back.look(look) != free
            case Lighter(look=look):
                back.lighter(look)
            case Waited(rested=rested):
                back.wait(rested)
            case Still(since_s=since_s, ticks=ticks):
                for tick in range(ticks):
                    back.hung_still(since_s + tick * TICK_S)
            case Ended(rested=rested, left=left):
                self.departures += back.end(rested) != left
            case _ if self._alone:
                _say_again(back, observed)


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    version: int
    observed: list[Observed]


def encoded(observed: list[Observed]) -> bytes:
    """Observations as bytes (MessagePack)."""
    return msgspec.msgpack.encode(_Kept(VERSION, observed), enc_hook=_numbers)


def decoded(data: bytes) -> list[Observed]:
    """What `encoded` wrote.

    Raises:
        ValueError: it is of another version, or none of ours.
    """
    try:
        version = msgspec.msgpack.decode(data, type=tuple[int, msgspec.Raw])[0]
        if version != VERSION:
            raise ValueError(f"These are observations of version {version}, not {VERSION}")
        return msgspec.msgpack.decode(data, type=_Kept, dec_hook=_array).observed
    except msgspec.MsgspecError as error:
        raise ValueError(f"These are no observations of version {VERSION}: {error}") from error


def _say_again(belief: Belief, heard: Observed) -> None:
    match heard:
        case Expected(expectation=expectation, handed_s=handed_s):
            belief.handed_s = handed_s
            belief.expect(expectation)
        case Pressed(now=now, verb="cleared"):
            belief.press_cleared(now.t_s)
        case Pressed():
            belief.press_blame()
        case Amended(ref=ref, cell=cell):
            belief.amend(ref, cell)


def _now(belief: Belief) -> Now:
    return Now(belief.now_s, belief.in_contact, belief.touched_s, belief.jolted_s)


def _numbers(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise NotImplementedError


def _array(kind: Any, value: Any) -> Any:
    del kind  # arrays are all that is not known
    return np.array(value)
