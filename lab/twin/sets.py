"""Sets of pieces for the simulated tower: colours alike, of different dyes, or marked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal, get_args

import numpy as np

from engine.tabletop import ColourPiece
from lab.twin.parameters import TwinParameters

SetName = Literal["equal", "dyes", "half-gram", "marked", "lost-washer"]
"""Colours that weigh the same; dyes; colours half a gram apart; a gram, as M6 washers make them;
the same, but that one piece of the second colour has lost its washer."""

SETS: tuple[SetName, ...] = get_args(SetName)

DYE_SHARE = 0.02
"""From one colour to the next, of the mass of a piece: titanium dioxide is four times as heavy as
the plastic, soot no heavier."""

DYE_SD_SHARE = 0.015
"""Dyes are 1 to 3 % of a plastic and heavier than it."""


@dataclass(frozen=True, slots=True)
class SetMasses:
    """What the pieces of a set weigh.

    Attributes:
        step_g: by how much each further colour is heavier than the one before, g; a washer.
        step_share: the same, of the mean mass of a plain piece; a dye.
        spread_share: standard deviation from piece to piece of one colour, of that mass.
        mean_share: mean mass of a plain piece, of what the tower's plain piece weighs: not 1 for
            pieces of another toy.
        lost: one piece of the second colour has lost its washer.
        weighed: the owner has weighed each colour; else the table believes what it did before.
    """

    step_g: float = 0.0
    step_share: float = 0.0
    spread_share: float = 0.01
    mean_share: float = 1.0
    lost: bool = False
    weighed: bool = True


NAMED: dict[SetName, SetMasses] = {
    "dyes": SetMasses(step_share=DYE_SHARE),
    "half-gram": SetMasses(step_g=0.5),
    "marked": SetMasses(step_g=1.0),
    "lost-washer": SetMasses(step_g=1.0, lost=True),
}


def drawn_set(chance: Random) -> SetMasses | Literal["equal"]:
    """A set as somebody may have it, wider than the named ones.

    Of ten sets four have equal colours, two different dyes, four marks. Pieces of one colour differ
    by 0.5 to 5 %; three owners in ten have weighed nothing, and may have pieces of another toy.
    """
    kind, spread = chance.random(), 0.005 * 10.0 ** chance.random()
    lost, weighed, mean = chance.random() < 0.2, chance.random() < 0.7, chance.uniform(0.9, 1.15)
    drawn = SetMasses(spread_share=spread, weighed=weighed, mean_share=1.0 if weighed else mean)
    if kind < 0.4:
        return "equal"
    if kind < 0.6:
        return replace(drawn, step_share=chance.uniform(0.003, 0.03))
    return replace(drawn, step_g=chance.uniform(0.4, 1.5), lost=lost)


def with_pieces(
    parameters: TwinParameters, pieces: SetName | SetMasses, in_play: Sequence[str]
) -> TwinParameters:
    """A tower with a set of pieces.

    Args:
        parameters: the tower, with pieces that are all alike.
        pieces: the set, or its name.
        in_play: the colours, the lightest first.
    """
    if pieces == "equal":
        return parameters
    of_set = NAMED[pieces] if isinstance(pieces, str) else pieces
    piece, calibration = parameters.piece, parameters.calibration
    plain_g = piece.mass_mean_g * of_set.mean_share
    step_g = of_set.step_g + of_set.step_share * plain_g
    colours = tuple(
        ColourPiece(colour, plain_g + at * step_g, of_set.spread_share * plain_g)
        for at, colour in enumerate(in_play)
    )
    gain = calibration.piece.mass_mean_g / piece.mass_mean_g
    known = tuple(
        ColourPiece(each.colour, round(each.mass_mean_g * gain, 3), round(each.mass_std_g, 3))
        for each in colours
    )
    own = calibration.piece.of_colours(known) if of_set.weighed else calibration.piece
    return replace(
        parameters,
        piece=piece.of_colours(colours),
        calibration=replace(calibration, piece=own),
        lost_g=((in_play[1], step_g),) if of_set.lost else (),
    )


def dyed(
    rng: np.random.Generator, parameters: TwinParameters, colours: Sequence[str]
) -> TwinParameters:
    """The same table with pieces of such colours, whose dyes weigh a little differently."""
    piece = parameters.piece
    return replace(parameters, piece=replace(piece, colours=tuple(
        ColourPiece(colour, piece.mass_mean_g * float(rng.normal(1.0, DYE_SD_SHARE)),
                    piece.mass_std_g)
        for colour in colours
    )))  # fmt: skip
