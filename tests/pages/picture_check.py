"""Compares pages as pictures: coarse enough for any browser's letters, fine enough for any card.

A picture is made an eighth as large, each of its squares the mean of 8 x 8 pixels. So letters
become grey bars, whatever smooths them, and a picture is some kilobytes. A square differs when
it is lighter or darker than all nine around its place in the other picture: what moved by a few
pixels, as with another version of a font, is the same. What has become wider, has gone, or lies
on something else changes hundreds.
"""

import io
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

KEPT = Path(__file__).parent / "pictures"

NEW = "TOPPLE_NEW_PICTURES"
"""Set by `make pictures`: what is seen becomes what is kept."""

SQUARE_PX = 8
STEP_LEVELS = 8
"""Of a kept picture, whose colours are rounded by 4 of 255 levels at most: half as many bytes.
Not lossy, which would halve the number of colours beside each other, and so of pieces."""

UNLIKE_LEVELS = 28
"""A square differs by more in red, green or blue: half of a thin line that has gone."""

TOLERATED = 0.006
"""Share of squares: of a phone 31, half the heading's; one card too wide makes some hundreds."""

Squares = NDArray[np.int16]


def reduced(png: bytes) -> Image.Image:
    """The picture as it is kept and compared."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    size = (image.width // SQUARE_PX, image.height // SQUARE_PX)
    return image.resize(size, Image.Resampling.BOX)


def unlike(seen: Image.Image, kept: Image.Image) -> NDArray[np.bool_]:
    """The squares of either picture that are nowhere near their place in the other."""
    one, other = (np.asarray(image.convert("RGB"), np.int16) for image in (seen, kept))
    found: NDArray[np.bool_] = _nowhere_near(one, other) | _nowhere_near(other, one)
    return found


def _nowhere_near(one: Squares, other: Squares) -> NDArray[np.bool_]:
    height, width, _ = one.shape
    padded = np.pad(other, ((1, 1), (1, 1), (0, 0)), mode="edge")
    around = (
        padded[down : down + height, across : across + width]
        for down in range(3)
        for across in range(3)
    )
    lowest, highest = other.copy(), other.copy()
    for each in around:
        np.minimum(lowest, each, out=lowest)
        np.maximum(highest, each, out=highest)
    outside = (one < lowest - UNLIKE_LEVELS) | (one > highest + UNLIKE_LEVELS)
    return np.asarray(outside.any(axis=2))


def complaint(name: str, png: bytes, pictures: Path) -> str | None:
    """What a person reads of a page that does not look as before; None if it does.

    Args:
        name: of the picture.
        png: the page as it looks now.
        pictures: folder for the pictures of what differs.
    """
    seen, path = reduced(png), KEPT / f"{name}.webp"
    if os.environ.get(NEW):
        path.parent.mkdir(exist_ok=True)
        _rounded(seen).save(path, lossless=True, quality=100, method=6)
        return None
    if not path.exists():
        return f"{name}: there is no picture to compare with; say make pictures"
    kept = Image.open(path).convert("RGB")
    if seen.size != kept.size:
        return f"{name}: {seen.size} squares instead of {kept.size}"
    wrong = unlike(seen, kept)
    if wrong.mean() <= TOLERATED:
        return None
    pictures.mkdir(parents=True, exist_ok=True)
    (pictures / f"{name}-now.png").write_bytes(png)
    _marked(seen, wrong).save(pictures / f"{name}-unlike.png")
    return f"{name}: {wrong.mean():.1%} of the page looks otherwise; see {pictures}/{name}-*.png"


def _rounded(seen: Image.Image) -> Image.Image:
    levels = np.asarray(seen) // STEP_LEVELS * STEP_LEVELS + STEP_LEVELS // 2
    return Image.fromarray(levels.astype(np.uint8))


def _marked(seen: Image.Image, wrong: NDArray[np.bool_]) -> Image.Image:
    """The picture with what differs in red, as large as the page."""
    drawn = np.asarray(seen).copy()
    drawn[wrong] = (255, 0, 0)
    size = (seen.width * SQUARE_PX, seen.height * SQUARE_PX)
    return Image.fromarray(drawn).resize(size, Image.Resampling.NEAREST)
