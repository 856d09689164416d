"""How far a board can tilt, in every direction, before it meets what stands under it.

What stands is round and upright: needle, stem, flange, each a `Post` on the axis. What tilts is
made of boxes. Seen from the board, the posts lean: a post meets the lower edge of a box from the
side, or its rim meets the underside of the box from below. Both tilts are solved for, not searched.
Board frame: origin at the tip, z up, mm.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, radians, tan

import numpy as np
from numpy.typing import NDArray

from hw.building.boxes import Box, floors, risers
from hw.building.measures import Measures

NEEDLE_MM = 12.0
"""Of the needle stands out of the stem, which begins so far under the tip."""
TUBES_MM = (16.0, 14.0, 12.0, 10.0, 8.0, 6.0)
"""Brass tubes that are sold, with 1 mm of wall."""
DIRECTIONS_RAD: NDArray[np.float64] = np.radians(np.arange(0.0, 90.1, 4.5))
"""From file e (0) to rank 5 (90); the other three quarters are alike."""
EDGE_POINTS = 25
"""On each lower edge: on 32 mm chords are 0.06 mm inside the round of the usual stem."""

Tilts = NDArray[np.float64]
"""In degrees, one for each of `DIRECTIONS_RAD`; infinite where nothing is met."""


@dataclass(frozen=True, slots=True)
class Post:
    """What stands upright on the axis, from `depth_mm` under the tip downwards."""

    radius_mm: float
    depth_mm: float

    def wider(self, room_mm: float) -> "Post":
        """The same with this room all round."""
        return Post(self.radius_mm + room_mm, self.depth_mm - room_mm)


def stem_post(diameter_mm: float) -> Post:
    """The stem as what stands in the way."""
    return Post(diameter_mm / 2, NEEDLE_MM)


@cache
def stops_deg(measures: Measures, stem_mm: float) -> Tilts:
    """Tilts at which the bare board meets its stem; 0 where there is no room for it at all."""
    stem = stem_post(stem_mm)
    # A floor's edges are a riser's, or behind one; and one quarter is like the others.
    walls = [box for box in risers(measures) if box.x_high > 0 and box.y_high > 0]
    under = _rim_under(np.array(list(floors(measures))), stem).min(axis=1)
    found: Tilts = np.minimum(met_deg(walls, stem), under)
    found.setflags(write=False)  # it is kept and handed out again
    return found


def met_deg(boxes: Sequence[Box], post: Post) -> Tilts:
    """The least tilt in each direction at which a post meets one of these boxes."""
    return np.asarray(each_met_deg(boxes, post).min(axis=1))


def each_met_deg(boxes: Sequence[Box], post: Post) -> NDArray[np.float64]:
    """The same of each box for itself: a row for each direction, a column for each box."""
    ends = np.array(boxes)
    edges = _points_met(_lower_edges(ends), post)
    sides = edges.reshape(DIRECTIONS_RAD.size, 4, len(boxes), EDGE_POINTS).min(axis=(1, 3))
    soonest = np.maximum(np.minimum(sides, _rim_under(ends, post)), 0.0)
    return np.where(_inside_at_rest(ends, post), 0.0, soonest)


def depths_mm(boxes: Sequence[Box], tilts_deg: Tilts) -> Tilts:
    """How far under the tip the lowest corner is, tilted so far in each direction."""
    corners = _lower_edges(np.array(boxes), 2)
    out, down = _seen_along(corners)
    tilt = np.radians(tilts_deg)[:, np.newaxis]
    return np.asarray((out * np.sin(tilt) + down * np.cos(tilt)).max(axis=1))


def sweep_mm(depth_mm: float, stem_mm: float, tilt_deg: float) -> float:
    """How far the leaning stem reaches from the board's axis, `depth_mm` under the tip."""
    tilt = radians(tilt_deg)
    return depth_mm * tan(tilt) + stem_mm / 2 / cos(tilt)


def _lower_edges(ends: NDArray[np.float64], count: int = EDGE_POINTS) -> NDArray[np.float64]:
    """Points on the four lower edges of each box."""
    along = np.linspace(0.0, 1.0, count)
    x_low, x_high, y_low, y_high, z_low, _ = (column[:, np.newaxis] for column in ends.T)
    x, y = x_low + (x_high - x_low) * along, y_low + (y_high - y_low) * along
    same = np.ones_like(along)
    edges = [(x, y_low * same), (x, y_high * same), (x_low * same, y), (x_high * same, y)]
    return np.concatenate([
        np.stack([ex, ey, z_low * same], axis=-1).reshape(-1, 3) for ex, ey in edges
    ])  # fmt: skip


def _seen_along(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far out in each direction each point is, and how far under the tip."""
    x, y, z = points.T
    turn = DIRECTIONS_RAD[:, np.newaxis]
    return np.cos(turn) * x + np.sin(turn) * y, -z + np.zeros_like(turn)


def _inside_at_rest(ends: NDArray[np.float64], post: Post) -> NDArray[np.bool_]:
    """Which boxes a post is in already while the board is level."""
    x_low, x_high, y_low, y_high, z_low, _ = ends.T
    off_mm = np.hypot(
        np.maximum(np.maximum(x_low, -x_high), 0.0), np.maximum(np.maximum(y_low, -y_high), 0.0)
    )
    return np.asarray((off_mm < post.radius_mm) & (z_low < -post.depth_mm))


def _points_met(points: NDArray[np.float64], post: Post) -> NDArray[np.float64]:
    """Tilts at which each point comes into the leaning post.

    A point at distance d from the tip is on the post's side when it lies sqrt(d^2 - radius^2)
    along its axis, or on its top if that is less than the top's depth.
    """
    out, down = _seen_along(points)
    far = np.hypot(out, down)
    side = np.sqrt(np.maximum((points**2).sum(axis=1) - post.radius_mm**2, 0.0))
    along = np.maximum(side, post.depth_mm)
    straight = np.arctan2(out, down)
    with np.errstate(invalid="ignore", divide="ignore"):
        half = np.arccos(np.where(along <= far, along / far, np.nan))
    meets, leaves = straight - half, straight + half
    return np.where(np.isfinite(half) & (leaves >= 0), np.degrees(meets), np.inf)


def _rim_under(ends: NDArray[np.float64], post: Post) -> NDArray[np.float64]:
    """Tilts at which the highest point of the post's rim comes up against an underside."""
    x_low, x_high, y_low, y_high, z_low, _ = ends.T
    far = np.hypot(post.depth_mm, post.radius_mm)
    with np.errstate(invalid="ignore"):
        tilt = np.arccos(-z_low / far) - np.arctan2(post.radius_mm, post.depth_mm)
    out = post.depth_mm * np.sin(tilt) + post.radius_mm * np.cos(tilt)
    turn = DIRECTIONS_RAD[:, np.newaxis]
    x, y = out * np.cos(turn), out * np.sin(turn)
    under = (x_low <= x) & (x <= x_high) & (y_low <= y) & (y <= y_high) & (tilt >= 0)
    return np.where(under, np.degrees(tilt), np.inf)
