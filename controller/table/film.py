"""The film of a topple: how the board hung and what lay on it, while pieces fell.

The newest seconds of samples are kept; when the table has decided that pieces fell, and the last
sample of the film is there, tilt and weight are worked out from them in the way the detector does
it (`engine.detect.front.ticks`, `engine.detect.front.attitude`). Nothing is computed while nothing
falls.

What the sensors cannot say is not in it: which piece fell where.
"""

from collections import deque
from dataclasses import dataclass
from math import atan2, degrees, hypot, inf
from typing import TypeVar

import msgspec
import numpy as np

from controller.table.pipeline import Output
from engine.detect.front.attitude import Attitude
from engine.detect.front.ticks import TICK_S, Tick, TickMaker
from engine.events import Toppled
from engine.public_events import CorrectedEvent, RedoneEvent, UndoneEvent
from engine.samples import ImuSamples, Samples, ScaleSamples
from engine.scoreboard import API_VERSION, Scoreboard
from engine.tabletop import Tabletop

BEFORE_S = 2.0
"""Of the film before the jolt: the board at rest, and whoever reaches out."""

AFTER_S = 3.0
"""Of the film after it: a board that is bumped swings four times (0.72 s), then what fell lies."""

WARM_UP_S = 4.0
"""Before the film, for the tilt: the accelerometer pulls it with 1.5 s (`attitude.ANCHOR_S`)."""

MARGIN_S = 0.2
"""Samples that are needed after the last frame: the load cells' are 25 ms late, and one corrupt
word after another may have to be bridged."""

KEPT_S = 20.0
"""How long after a loss a table may have decided at the latest, and still has the samples: the
longest wait for hands and swing is 8 s (docs/results.md), and film and warm-up come before it."""


Block = TypeVar("Block", ScaleSamples, ImuSamples)


class FilmBoard(msgspec.Struct, frozen=True):
    """The stacks just before: cell -> colours, the bottom piece first; colours by player."""

    stacks: dict[str, tuple[str, ...]]
    players: dict[str, tuple[str, ...]]


class Film(msgspec.Struct, frozen=True):
    """The payload of `film`: the last topple of this game as the sensors saw it.

    Attributes:
        game: id of the game, as in `state`.
        seq: number of the event `toppled` that it belongs to.
        player: who was placing, or bumped the table, as far as known; told anew when people know
            better.
        cause: `placing` or `bump`.
        every_s: time from one frame to the next.
        jolt_s: from the first frame to the jolt by which the board came down.
        tilt_deg: one pair for each frame: how far the board hangs towards file e and towards
            rank 5.
        mass_g: one for each frame: weight over the empty table; None where no cell was heard.
        steepest_deg: the largest tilt after the jolt.
        hope_s: from the jolt to that tilt.
        before: what stood on the board.
        round: in which it fell; 0 where that is not known.
    """

    boot: str
    game: str
    seq: int
    player: str | None
    cause: str
    every_s: float
    jolt_s: float
    tilt_deg: tuple[tuple[float, float], ...]
    mass_g: tuple[float | None, ...]
    steepest_deg: float
    hope_s: float
    before: FilmBoard
    round: int = 0
    v: int = API_VERSION


@dataclass(frozen=True, slots=True)
class Toppling:
    """A topple of which a film is wanted; `t_s` is the jolt's, as the samples count it.

    `before` is the game as it was shown before; all else as in `Film`.
    """

    t_s: float
    seq: int
    player: str | None
    cause: str
    before: Scoreboard


def toppling_in(output: Output, before: Scoreboard, *, resume_s: float) -> Toppling | None:
    """The topple that the sensors saw, if an output is one, in the game as shown before it.

    `resume_s` is what the pipeline adds to the samples' time.
    """
    if not isinstance(output.cause, Toppled):
        return None
    told = next((outcome for outcome in output.outcomes if outcome.type == "toppled"), None)
    if told is None:
        return None
    cause = output.cause
    return Toppling(cause.t_s - resume_s, told.seq, told.player, cause.cause.value, before)


def blamed_otherwise(output: Output) -> bool:
    """Whether somebody else may have made pieces fall, by what has been said since."""
    return any(
        isinstance(outcome, UndoneEvent | RedoneEvent)
        or (isinstance(outcome, CorrectedEvent) and outcome.of == "toppled")
        for outcome in output.outcomes
    )


class FilmReel:
    """Keeps the newest samples, and makes a film of them when it is asked to."""

    def __init__(self, tabletop: Tabletop) -> None:
        self._tabletop = tabletop
        self._kept: deque[ScaleSamples | ImuSamples] = deque()
        self._newest_s = -inf
        self._wanted: Toppling | None = None

    def samples(self, block: Samples) -> None:
        """Take a block that arrived."""
        if isinstance(block, ScaleSamples | ImuSamples) and len(block.t_s):
            self._kept.append(block)
            self._newest_s = max(self._newest_s, float(block.t_s[-1]))
            while self._kept[0].t_s[-1] < self._newest_s - KEPT_S:
                self._kept.popleft()

    def toppled(self, toppling: Toppling) -> None:
        """Pieces fell: `take` will have the film once its last sample is there."""
        self._wanted = toppling

    def take(self) -> Film | None:
        """The film that was wanted, once; None while there is none, and without inertial sensor."""
        wanted = self._wanted
        if wanted is None or self._newest_s < wanted.t_s + AFTER_S + MARGIN_S:
            return None
        self._wanted = None
        return self._made(wanted)

    def _made(self, wanted: Toppling) -> Film | None:
        begin_s, end_s = wanted.t_s - BEFORE_S, wanted.t_s + AFTER_S
        frames = [frame for frame in self._frames(begin_s - WARM_UP_S, end_s) if frame.felt]
        shown = [frame for frame in frames if frame.t_s > begin_s]
        calm = sum(frame.t_s <= wanted.t_s for frame in shown)
        if not calm or calm == len(shown) or wanted.before.game is None:
            return None
        tilt_deg = tuple(frame.tilt_deg for frame in shown)
        hanging_deg = [hypot(*pair) for pair in tilt_deg[calm:]]
        steepest_deg = max(hanging_deg)
        return Film(
            boot=wanted.before.boot,
            game=wanted.before.game,
            seq=wanted.seq,
            player=wanted.player,
            cause=wanted.cause,
            every_s=TICK_S,
            jolt_s=round(calm * TICK_S, 3),
            tilt_deg=tilt_deg,
            mass_g=tuple(frame.mass_g for frame in shown),
            steepest_deg=round(steepest_deg, 1),
            hope_s=round((hanging_deg.index(steepest_deg) + 1) * TICK_S, 3),
            before=_board(wanted.before),
            round=wanted.before.round,
        )

    def _frames(self, begin_s: float, end_s: float) -> "list[_Frame]":
        ticks, attitude = TickMaker(self._tabletop), Attitude()
        for block in self._kept:
            if isinstance(block, ScaleSamples):
                ticks.feed_scale(_between(block, begin_s, end_s + MARGIN_S))
            else:
                ticks.feed_imu(_between(block, begin_s, end_s + MARGIN_S))
        made = (_Frame.of(tick, attitude) for tick in ticks.take(end_s + MARGIN_S))
        return [frame for frame in made if frame.t_s <= end_s]


@dataclass(frozen=True, slots=True)
class _Frame:
    t_s: float
    tilt_deg: tuple[float, float]
    mass_g: float | None
    felt: bool

    @classmethod
    def of(cls, tick: Tick, attitude: Attitude) -> "_Frame":
        attitude.update(tick)
        # Where the board sees the vertical is opposite to where it hangs low.
        tilt_deg = (
            round(-degrees(atan2(attitude.up_x, attitude.up_z)), 2) + 0.0,
            round(-degrees(atan2(attitude.up_y, attitude.up_z)), 2) + 0.0,
        )
        mass_g = round(tick.mass_g, 1) if tick.scale_ok else None
        return cls(tick.t_s, tilt_deg, mass_g, tick.imu_ok)


def _between(block: Block, begin_s: float, end_s: float) -> Block:
    """The samples of a block in `[begin_s, end_s]`."""
    first, end = np.searchsorted(block.t_s, (begin_s, end_s))
    cut = slice(int(first), int(end))
    if isinstance(block, ScaleSamples):
        return ScaleSamples(block.t_s[cut], block.mass_g[cut], block.raw[cut], block.valid[cut])
    return ImuSamples(block.t_s[cut], block.accel_g[cut], block.rate_rad_s[cut], block.raw[cut])


def _board(shown: Scoreboard) -> FilmBoard:
    return FilmBoard(
        {cell: tuple(piece.colour for piece in stack) for cell, stack in shown.board.items()},
        {player.name: player.colours for player in shown.players},
    )
