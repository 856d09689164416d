"""Hands: how a piece is set down, how a palm rests on the board, how it is held."""

from dataclasses import dataclass, field

import numpy as np

from engine.tabletop import STANDARD_GRAVITY_MM_S2, Vector
from hw.errors import BadTwin
from lab.twin.board import HandContact, PivotedBoard
from lab.twin.episodes import Entry
from lab.twin.parameters import Manners
from lab.twin.pieces import TwinPiece

PALM_SHARE = 0.2
"""Stiffness of a palm over that of finger and piece."""

HOLDING_SHARE = 0.12
"""The same for fingers that hold a board lightly: it still moves by a degree while cleared."""

HOVER_MM = 6.0
"""Height over the surface from which the last of the approach is modelled."""

HAND_DAMPING_S = 0.004
"""Damping over stiffness of flesh: contacts ring once, as in the public traces."""

FOLLOW_S = 0.06
"""Last part of a placement, in which the eye guides the hand onto the moving board."""

LEAVES_MM_S = 220.0
"""Speed at which a hand goes away."""

STEADY_DEPTHS = 3
"""Waverings of a pressing hand between contact and release."""


@dataclass(slots=True, eq=False)
class Deed:
    """Something a hand is doing.

    Attributes:
        kind: `place`, `touch`, `hold`, ...
        contact: the hand; None for deeds without one.
        release_s: when the piece is, or will be, let go; or the hand taken away.
        done: the deed is over.
        entry: what the truth log says about it, if it does already.
        void: a topple came before the release.
        drop_mm: height from which the piece is let fall.
    """

    kind: str
    start_s: float
    release_s: float
    cell: str | None = None
    piece: TwinPiece | None = None
    player: int | None = None
    contact: HandContact | None = None
    spot_mm: tuple[float, float] = (0.0, 0.0)
    slip: str | None = None
    done: bool = False
    void: bool = False
    entry: Entry | None = None
    more: list[HandContact] = field(default_factory=list)
    drop_mm: float = 0.0

    def placement(self) -> tuple[TwinPiece, HandContact, str]:
        """Piece, hand and cell of a deed of kind `place`.

        Raises:
            BadTwin: this is no placement.
        """
        if self.piece is None or self.contact is None or self.cell is None:
            raise BadTwin(f"a deed of kind {self.kind!r} puts no piece down")
        return self.piece, self.contact, self.cell


def stiffness(manners: Manners, share: float = 1.0) -> tuple[float, float]:
    """Stiffness (g/s2) and damping (g/s) of a hand."""
    spring = share * manners.stiffness_gf_mm * STANDARD_GRAVITY_MM_S2
    return spring, spring * HAND_DAMPING_S


def placing_hand(  # noqa: PLR0917
    board: PivotedBoard,
    point_mm: Vector,
    start_s: float,
    hold_s: float,
    press_mm: float,
    manners: Manners,
    rng: np.random.Generator,
) -> HandContact:
    """A hand that brings a piece down, presses for `hold_s`, wavering, until it lets go."""
    speed = float(rng.uniform(*manners.approach_mm_s))
    touch_s = HOVER_MM / speed
    # The hand does not stop at the surface: it goes on until the eye says "down".
    down_s = touch_s + press_mm / speed
    first_s = max(down_s, touch_s + min(0.08, 0.3 * hold_s)) + 0.01
    times = np.linspace(first_s, max(touch_s + hold_s, first_s + 0.02), STEADY_DEPTHS)
    depths = press_mm * rng.uniform(0.0, 0.8, STEADY_DEPTHS)
    path = (
        (0.0, -HOVER_MM),
        (touch_s, 0.0),
        (down_s + 0.001, press_mm),
        *zip(times.tolist(), depths.tolist(), strict=True),
    )
    # Long enough that the hand is still there when the tower lets it go.
    last = (float(times[-1]) + 1.0, float(depths[-1]))
    level_mm = board.height_mm(point_mm)
    return HandContact(point_mm, start_s, level_mm, (*path, last), *stiffness(manners))


def hovering_hand(  # noqa: PLR0917
    board: PivotedBoard,
    point_mm: Vector,
    start_s: float,
    hold_s: float,
    height_mm: float,
    manners: Manners,
) -> HandContact:
    """A hand that holds a piece over a point and lets it fall from there."""
    path = ((0.0, -height_mm), (0.01, -height_mm), (hold_s + 1.0, -height_mm))
    return HandContact(point_mm, start_s, board.height_mm(point_mm), path, *stiffness(manners))


def touch_time_s(contact: HandContact) -> float:
    """When a hand made by `placing_hand` means to touch."""
    return contact.start_s + contact.path[1][0]


def follow(
    board: PivotedBoard, contact: HandContact, now_s: float, rng: np.random.Generator
) -> None:
    """Let a placing hand find the board again, wherever it swung, before it lets go."""
    depth_mm = contact.level_mm - contact.height_mm(now_s)
    surface_mm = contact.level_mm - board.height_mm(contact.point_mm)
    goal_mm = surface_mm + float(rng.uniform(-1.2, 0.25))
    contact.start_s = now_s
    contact.path = ((0.0, depth_mm), (FOLLOW_S, goal_mm), (FOLLOW_S + 1.0, goal_mm))


def leave(contact: HandContact, now_s: float) -> None:
    """Take a hand away from where it is."""
    depth_mm = contact.level_mm - contact.height_mm(now_s)
    contact.start_s = now_s
    contact.path = ((0.0, depth_mm), (0.15, depth_mm - 0.15 * LEAVES_MM_S))


def resting_palm(  # noqa: PLR0917
    board: PivotedBoard,
    point_mm: Vector,
    start_s: float,
    duration_s: float,
    depth_mm: float,
    manners: Manners,
) -> HandContact:
    """A palm or arm that comes to rest on a point of the board and leaves again."""
    ramp_s = min(0.12, duration_s / 3)
    path = (
        (0.0, -2.0),
        (ramp_s, depth_mm),
        (duration_s - ramp_s, 0.8 * depth_mm),
        (duration_s, -4.0),
    )
    level_mm = board.height_mm(point_mm)
    return HandContact(point_mm, start_s, level_mm, path, *stiffness(manners, PALM_SHARE))


def holding_fingers(
    board: PivotedBoard, points: list[Vector], start_s: float, pressure_g: float, manners: Manners
) -> list[HandContact]:
    """Fingers around the rim that keep the board where it is until they `leave`."""
    spring, damping = stiffness(manners, HOLDING_SHARE)
    depth_mm = pressure_g * STANDARD_GRAVITY_MM_S2 / len(points) / spring
    path = ((0.0, -1.0), (0.06, depth_mm), (3600.0, depth_mm))
    return [
        HandContact(point, start_s, board.height_mm(point), path, spring, 4 * damping)
        for point in points
    ]
