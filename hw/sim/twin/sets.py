"""Sets of pieces for the simulated tower: colours alike, of different dyes, or marked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from engine.tabletop import ColourPiece
from hw.sim.twin.parameters import TwinParameters

SetName = Literal["equal", "dyes", "half-gram", "marked", "lost-washer"]
"""Colours that weigh the same; dyes; colours half a gram apart; a gram, as M6 washers make them;
the same, but that one piece of the second colour has lost its washer."""

SETS: tuple[SetName, ...] = get_args(SetName)

DYE_SHARE = 0.02
"""From one colour to the next, of the mass of a piece: titanium dioxide is four times as heavy as
the plastic, soot no heavier."""

STEPS_G = {"half-gram": 0.5, "marked": 1.0, "lost-washer": 1.0}

DYE_SD_SHARE = 0.015
"""Dyes are 1 to 3 % of a plastic and heavier than it."""

SPREAD_SHARE = 0.01
"""From piece to piece of one colour of one mould."""


def with_pieces(
    parameters: TwinParameters, name: SetName, in_play: Sequence[str]
) -> TwinParameters:
    """A tower with a set of pieces; its owner has weighed each colour, but for equal ones.

    Args:
        parameters: the tower, with pieces that are all alike.
        name: of the set.
        in_play: the colours, the lightest first.
    """
    if name == "equal":
        return parameters
    piece = parameters.piece
    step_g = STEPS_G.get(name, DYE_SHARE * piece.mass_mean_g)
    colours = tuple(
        ColourPiece(colour, piece.mass_mean_g + at * step_g, SPREAD_SHARE * piece.mass_mean_g)
        for at, colour in enumerate(in_play)
    )
    calibration, own = parameters.calibration, parameters.calibration.piece
    gain = own.mass_mean_g / piece.mass_mean_g
    weighed = tuple(
        ColourPiece(each.colour, round(each.mass_mean_g * gain, 3), round(each.mass_std_g, 3))
        for each in colours
    )
    return replace(
        parameters,
        piece=piece.of_colours(colours),
        calibration=replace(calibration, piece=own.of_colours(weighed)),
        lost_g=((in_play[1], step_g),) if name == "lost-washer" else (),
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
