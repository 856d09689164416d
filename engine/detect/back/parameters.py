"""Every number by which the back end weighs evidence, in one table.

Each has a unit, the range in which it makes sense, and the source that decides it. No other module
of the back end has such a number (a test reads the code), and `scripts/parameters.py` prints them
as a table. What weighs no evidence (how many accounts are kept, how often is looked) stands where
it is used. `BEHAVIOUR` is what is assumed of people on every table, `OFF` the same with every
assumption about people removed; a test replays with it and tells the difference.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated


class Source(Enum):
    """What decides a number."""

    PHYSICS = "physics"
    """A data sheet, geometry, mechanics or a measurement of the sensors: fixed."""
    TABLE = "table"
    """Learned from the evening at this table; here stands the value to begin with."""
    FITTED = "fitted"
    """The ways of people, to be fitted to a corpus of evenings; until then set by hand."""
    COST = "cost"
    """When something is said: decided by what a late, a wrong and a withdrawn word cost."""


@dataclass(frozen=True, slots=True)
class Within:
    """The range in which a number makes sense.

    A list of numbers has one range for all of them, or one for each place: for a list of pairs,
    that of the first and that of the second.

    Attributes:
        unit: of the number; "share" of a part of one, "log" of a logarithm (base e) of odds or of
            a share, "times" of a factor.
        low: the least that makes sense.
        high: the most.
    """

    unit: str
    low: float
    high: float


# -- What the load cells weigh ---------------------------------------------------------------------

MASS_SD_G: Annotated[float, Within("g", 0.02, 0.2), Source.PHYSICS] = 0.045
"""Error of a weight step however long it is measured: the converter's own (real recordings of an
HX711: 0.03 to 0.05 g between means of a second)."""

GAIN_SD: Annotated[float, Within("share", 0.002, 0.03), Source.PHYSICS] = 0.01
"""Share by which a calibrated scale is off: a kitchen scale of 1 g against 100 g of pieces."""

CREPT_SD_G: Annotated[float, Within("g", 0.03, 0.3), Source.PHYSICS] = 0.1
"""What a contact leaves in the cells: half a per cent of the load while a hand pressed."""

PIECE_SPREAD: Annotated[float, Within("times", 1.0, 3.0), Source.PHYSICS] = 1.5
"""The pieces of a set differ by so many times the spread that was told: it was measured on few."""

UNWEIGHED_SHARE: Annotated[float, Within("share", 0.001, 0.1), Source.FITTED] = 0.005
"""Share of tables whose pieces weigh otherwise than told: they are marked, or of another game."""

UNWEIGHED_SD_SHARE: Annotated[float, Within("share", 0.2, 0.8), Source.PHYSICS] = 0.5
"""By this share of a piece those differ: up to three washers of a gram on pieces of 3 g."""

UNWEIGHED_TIMES: Annotated[float, Within("times", 1.3, 3.0), Source.PHYSICS] = 2.0
"""And a piece weighs so many times more or less than told at most."""

TOLD_PIECES: Annotated[float, Within("pieces", 1.0, 20.0), Source.FITTED] = 4.0
"""What was told of the pieces' weight counts as much as so many that were seen."""

REMEMBERED_PIECES: Annotated[int, Within("pieces", 10.0, 100.0), Source.COST] = 40
"""So many pieces are remembered: those of two rounds of a full board."""

WIDE_SHARE: Annotated[float, Within("share", 0.005, 0.1), Source.FITTED] = 0.03
"""Share of weight steps that are much farther off: heavier pieces, hands not quite gone."""

WIDE_SDS: Annotated[float, Within("times", 2.0, 8.0), Source.FITTED] = 4.0
"""Those steps are off by so many times the usual error."""

ZERO_SD_G: Annotated[float, Within("g", 0.05, 0.5), Source.PHYSICS] = 0.2
"""How well the weight of an empty board is known when it was weighed last."""

ZERO_CREEP_G_S: Annotated[float, Within("g/s", 0.002, 0.05), Source.PHYSICS] = 0.01
"""How that knowledge fades: gain and temperature of cells that carry a kilogram wander by a gram
in some minutes."""

TARE_SD_G: Annotated[float, Within("g", 0.1, 2.0), Source.PHYSICS] = 0.5
"""Error of a tare of days ago: it has crept, and the room was warmer."""

MASS_SHARE: Annotated[float, Within("share", 0.01, 0.15), Source.PHYSICS] = 0.05
"""Share by which the pieces of a game that is taken up again may weigh otherwise than usual."""

WEIGHED_WITHIN_S: Annotated[float, Within("s", 3.0, 30.0), Source.PHYSICS] = 10.0
"""A piece is weighed again in rests so soon after it was let go: later the cells have crept."""

# -- How the board hangs ---------------------------------------------------------------------------

SEAT_SD_GMM: Annotated[float, Within("g mm", 1.0, 30.0), Source.PHYSICS] = 6.0
"""The pivot's seat and the cable shift a little with every contact (0.04 mm times the board)."""

CARRIED_SD_GMM: Annotated[float, Within("g mm", 5.0, 60.0), Source.PHYSICS] = 20.0
"""Error of a change added up over two rests: the cells' offset and the friction of both."""

EMPTY_SD_GMM: Annotated[float, Within("g mm", 20.0, 250.0), Source.PHYSICS] = 70.0
"""How far the empty board's moment wanders over an evening: seat, cable, a board put back."""

EMPTY_AS_EVER: Annotated[float, Within("log", -0.5, -0.02), Source.PHYSICS] = -0.1
"""Log share of empty boards that hang within that."""

EMPTY_ELSEWHERE: Annotated[float, Within("log", -5.0, -1.0), Source.PHYSICS] = -2.3
"""Log share of empty boards that hang anywhere: put back askew, with a thing on the rim."""

UNMOVED_NEAR: Annotated[float, Within("log", -0.3, -0.005), Source.PHYSICS] = -0.05
"""Log share of boards that nobody has changed and that hang as before, within the known errors."""

UNMOVED_FAR: Annotated[float, Within("log", -5.0, -1.5), Source.PHYSICS] = -3.0
"""Log share of those that hang farther off: the model does not know every way to be touched."""

UNMOVED_FAR_VARIANCES: Annotated[float, Within("times", 4.0, 36.0), Source.PHYSICS] = 9.0
"""Those are off with so many times the variance, three times the standard deviation."""

LEAST_LEFT: Annotated[float, Within("share", 0.02, 0.4), Source.PHYSICS] = 0.1
"""Share of a change's variance that a second look leaves at least: that of the rest before it."""

UNWATCHED_GMM: Annotated[float, Within("g mm", 300.0, 2500.0), Source.PHYSICS] = 800.0
"""A change with such an error has not been measured: the inertial sensor was lost before, or is
only just back. It may be that of several pieces, and says of none where it lies."""

SHAKEN_SD_MM: Annotated[float, Within("mm", 0.5, 4.0), Source.PHYSICS] = 1.5
"""A shaken table shifts all pieces together by a millimetre or two, and hardly ever by five: a
piece that slid further has left its stack."""

TREMBLED_SD_MM: Annotated[float, Within("mm", 0.1, 1.2), Source.PHYSICS] = 0.4
"""A push in which nothing slides moves the pivot's seat (`SLIDE_G`)."""

BROAD_GMM: Annotated[float, Within("g mm", 100.0, 1000.0), Source.PHYSICS] = 300.0
"""Moment of which nothing is known: a hand of a few grams anywhere on the board."""

TWO_BROAD: Annotated[float, Within("times", 1.4, 6.0), Source.PHYSICS] = 3.0
"""Of two pieces at once the moment is so many times as broad: they may lie on one cell."""

RESTLESS_SHARE: Annotated[float, Within("share", 0.005, 0.1), Source.FITTED] = 0.03
"""Share of free rests whose swing fits much worse than usual: a shaken table, another's sleeve."""

RESTLESS_MISFIT: Annotated[float, Within("times", 3.0, 30.0), Source.FITTED] = 10.0
"""Those fit so many times worse than this table's own free swings."""

RESTLESS_AT_MOST: Annotated[float, Within("log", 5.0, 30.0), Source.FITTED] = 12.0
"""However badly a swing fits, it speaks no more than so much against a restless free board."""

# -- Where a piece lies ----------------------------------------------------------------------------

OFF_CENTRE_SD_MM: Annotated[float, Within("mm", 1.0, 8.0), Source.FITTED] = 3.0
"""Spread of a careful hand about the middle of a cell: a tenth of its width."""

TAIL_SD_MM: Annotated[float, Within("mm", 5.0, 25.0), Source.FITTED] = 10.0
"""Spread of pieces set down over the edge of a cell or stack, of hurried hands, and of whatever
else the model does not know."""

TAIL_SHARE: Annotated[float, Within("share", 0.01, 0.2), Source.FITTED] = 0.06
"""Share of such pieces. Fat tails keep the stated confidence honest (docs/traces.md: a plain
Gaussian that says 0.99 was right 97 % of the time)."""

TAIL_VARIANCES: Annotated[float, Within("times", 1.0, 6.0), Source.FITTED] = 2.0
"""The change of moment of such a piece is known with so many times the usual variance."""

TWO_TAIL_VARIANCES: Annotated[float, Within("times", 1.0, 12.0), Source.FITTED] = 4.0
"""The same for two pieces of which only the sum is known."""

FROM_MIDDLE_MM: Annotated[float, Within("mm", 20.0, 70.0), Source.PHYSICS] = 45.0
"""How far from the middle of the board a piece lies, in the mean."""

# -- Where a hand presses --------------------------------------------------------------------------

PRESS_SD_MM: Annotated[float, Within("mm", 1.5, 12.0), Source.FITTED] = 4.0
"""Fingers press on a piece off its middle (a fifth of its diameter), as it lies off its cell's."""

FINGER_SD_MM: Annotated[float, Within("mm", 0.5, 6.0), Source.FITTED] = 2.0
"""So far a finger that stays on the board rolls to and fro."""

PRESS_FIT: Annotated[float, Within("times", 1.0, 5.0), Source.PHYSICS] = 2.0
"""Residuals of neighbouring ticks are alike: a press is off by so many times what its fit says."""

PRESS_SHARES: Annotated[
    tuple[tuple[float, float], ...],
    Within("share", 0.05, 0.95), Within("times", 1.0, 6.0), Source.FITTED,
] = ((0.8, 1.0), (0.15, 3.0))  # fmt: skip
"""Share of presses, and how many times the error they are off. What is left of one is anywhere: a
sleeve, two touches in one, a table that was shaken."""

PRESSED_ANYWHERE_CELLS: Annotated[float, Within("cells", 5.0, 10.0), Source.PHYSICS] = 6.0
"""Side of the square in which a press may be anywhere: the board is five cells wide, and a hand
also holds its rim."""

HAND_ON_PIECE_SHARE: Annotated[float, Within("share", 0.03, 0.3), Source.FITTED] = 0.1
"""Error of the weight of a hand that still presses on its piece."""

HAND_AGAINST_RULES: Annotated[float, Within("share", 0.01, 0.5), Source.FITTED] = 0.1
"""Share of hands that press where the rules allow no piece: they also steady the board."""

PUT_DOWN_PRESSED_S: Annotated[float, Within("s", 0.02, 0.2), Source.FITTED] = 0.05
"""A contact in which a piece was put down presses for longer."""

PLACING_PRESSED_S: Annotated[float, Within("s", 0.02, 0.2), Source.FITTED] = 0.04
"""A hand that comes to place and puts nothing down presses for longer, too: two ticks at least."""

# -- Things on the base plate ----------------------------------------------------------------------

LEAST_LOAD_G: Annotated[float, Within("g", 0.3, 2.0), Source.PHYSICS] = 0.8
"""Lighter things than a quarter of a piece are not told from a cell that crept."""

LIGHT_G: Annotated[float, Within("g", 1.0, 6.0), Source.FITTED] = 3.0
"""Nothing lighter than a die lies about; what weighs less is a piece that its hand still holds."""

LIGHT_POWER: Annotated[float, Within("power", 1.0, 4.0), Source.FITTED] = 2.0
"""With this power of its weight a lighter thing is rarer."""

AT_MOST_G: Annotated[float, Within("g", 200.0, 1500.0), Source.FITTED] = 500.0
"""Heavier things than a full cup nobody puts beside the tower."""

PIECES_SHARE: Annotated[float, Within("share", 0.1, 0.7), Source.FITTED] = 0.3
"""Of the things that come to lie on the plate, how many are pieces that somebody put there."""

PLATE_MM: Annotated[tuple[float, float], Within("mm", 20.0, 250.0), Source.PHYSICS] = (50.0, 150.0)
"""How far from the tip things lie on the base plate: beside the board, and not off the plate."""

PLATE_SHARE: Annotated[float, Within("share", 0.03, 0.3), Source.PHYSICS] = 0.1
"""A heavy load bends the plate, and the cells' gains differ by a per cent or so: the moment of a
load is off by this share."""

STREWN_MM: Annotated[float, Within("mm", 40.0, 120.0), Source.PHYSICS] = 70.0
"""How far from the tip pieces on the base plate lie along one axis, in the mean."""

LOAD_SHARE: Annotated[float, Within("share", 0.005, 0.06), Source.PHYSICS] = 0.02
"""A load on the plate weighs otherwise than at its coming by this share: gain, a hand on it."""

LOAD_LEAVES: Annotated[float, Within("share", 0.0001, 0.002), Source.PHYSICS] = 0.0005
"""What a load leaves in the cells when it goes: a half per mille of it for a minute (creep)."""

LAY_STILL_SD_G: Annotated[float, Within("g", 0.1, 1.0), Source.PHYSICS] = 0.3
"""How well is known what lies on the plate while the board is cleared."""

OFFSET_SD_GMM: Annotated[float, Within("g mm", 5.0, 100.0), Source.PHYSICS] = 30.0
"""What a contact leaves in the plate's moment."""

LEAN_SD_GMM: Annotated[float, Within("g mm", 50.0, 500.0), Source.FITTED] = 150.0
"""What leaning on the table leaves in the plate's moment."""

LEAN_SHARE: Annotated[float, Within("share", 0.02, 0.3), Source.FITTED] = 0.1
"""Share of contacts after which somebody leans on the table."""

LEAN_SDS: Annotated[float, Within("times", 3.0, 10.0), Source.FITTED] = 6.0
"""A lean is never held to be farther off than so many standard deviations, whatever is seen."""

BOTH_TOUCHED: Annotated[float, Within("share", 0.05, 0.6), Source.FITTED] = 0.2
"""Who lays something on the plate may touch the board with the sleeve."""

AT_ONCE: Annotated[float, Within("share", 0.05, 0.6), Source.FITTED] = 0.2
"""Contacts last half a second, turns some seconds: so many pieces are put down while something
else comes or goes."""

UNSEEN_LOAD: Annotated[float, Within("share", 0.05, 0.6), Source.FITTED] = 0.2
"""Of the things that are taken from the plate, so many came there unseen."""

# -- Hands on the board ----------------------------------------------------------------------------

HAND_MISFITS: Annotated[
    tuple[float, float], Within("times", 0.005, 500.0), Source.FITTED
] = (0.02, 100.0)  # fmt: skip
"""Mean square residuals of boards that are held: as often from 0.02 to 0.2 as from 2 to 20."""

ARM_MM: Annotated[float, Within("mm", 10.0, 100.0), Source.FITTED] = 40.0
"""Where the load of a hand and its arm seems to lie: between the board's middle and the plate."""

REACH_MM: Annotated[float, Within("mm", 10.0, 70.0), Source.FITTED] = 30.0
"""So far from the middle of the board a hand bears, in the mean: moment for each gram of it."""

LIGHT_HAND_G: Annotated[float, Within("g", 5.0, 45.0), Source.FITTED] = 15.0
"""Mean weight of a hand that rests on the board lightly."""

HEAVY_HAND_G: Annotated[float, Within("g", 50.0, 450.0), Source.FITTED] = 150.0
"""Mean weight of a hand that rests on the board heavily."""

HEAVY_HANDS: Annotated[float, Within("share", 0.1, 0.6), Source.FITTED] = 0.3
"""Share of hands that rest on the board heavily."""

PULLED: Annotated[float, Within("times", 3.0, 30.0), Source.FITTED] = 10.0
"""Hands press on a board; that they hold it up is rarer than that they press as much."""

KEEPING_STILL: Annotated[float, Within("log", -3.0, -0.2), Source.FITTED] = -1.0
"""Log share of moments at which a hand on the board weighs the same for a tenth of a second."""

LONGEST_HELD: Annotated[int, Within("rests", 2, 15), Source.FITTED] = 5
"""Who has rested on the board for some rests on end steadies it, and goes on doing so; how many
rests that takes differs from table to table, so the odds grow with their number, not their time."""

FINGER_G: Annotated[float, Within("g", 0.1, 2.0), Source.FITTED] = 0.5
"""A finger that steadies the board presses as it did a moment ago, within so much."""

FINGER_SHARE: Annotated[float, Within("share", 0.01, 0.2), Source.FITTED] = 0.05
"""And within this share of what it presses with."""

A_FEW_HANDS: Annotated[
    tuple[float, float], Within("share", 0.005, 0.15), Within("times", 2.0, 12.0), Source.FITTED
] = (0.03, 4.0)  # fmt: skip
"""Share of hands that keep steady so many times as long as others."""

SOME_THINK: Annotated[
    tuple[float, float], Within("share", 0.02, 0.4), Within("times", 4.0, 40.0), Source.FITTED
] = (0.1, 12.0)  # fmt: skip
"""Share of boards that are left alone so many times as long as others: somebody thinks."""

UNSTIRRED: Annotated[float, Within("share", 0.004, 0.1), Source.FITTED] = 0.02
"""A piece that is put down, and one that falls off, moves the board; so gently hardly ever."""

BRIEF_S: Annotated[float, Within("s", 0.1, 0.8), Source.FITTED] = 0.25
"""A hand that rests on the board keeps still for so long now and then: that says nothing, unless
it is clear that nobody touches."""

LIFTED_SHARE: Annotated[float, Within("share", 0.1, 0.7), Source.PHYSICS] = 0.3
"""A board whose weight is gone by more than this share of it is off its tip."""

LIFTED_SD_SHARE: Annotated[float, Within("share", 0.01, 0.15), Source.PHYSICS] = 0.05
"""A board that is off its tip altogether takes its weight along within this share."""

LIFTED_WHOLE: Annotated[float, Within("log", -1.0, -0.02), Source.FITTED] = -0.2
"""Log share of lifted boards that are off the tip altogether."""

LIFTED_PARTLY: Annotated[float, Within("log", -4.0, -0.5), Source.FITTED] = -1.7
"""Log share of lifted boards that still rest on it with a part of their weight."""

PRESSED_DOWN_G: Annotated[float, Within("g", 50.0, 800.0), Source.FITTED] = 200.0
"""With weights in so wide a range hands handle a board that is off its tip."""

PUT_BACK_SD_G: Annotated[float, Within("g", 0.1, 1.0), Source.PHYSICS] = 0.3
"""A board that is put back on its tip as it was weighs what it weighed, within so much."""

PUT_BACK_FULL: Annotated[float, Within("times", 3.0, 40.0), Source.FITTED] = 10.0
"""A lifted board is put back with all its pieces so many times less often than a hand is on it."""

# -- What a contact felt like ----------------------------------------------------------------------

UP_AGAIN_G: Annotated[float, Within("g", 12.0, 60.0), Source.PHYSICS] = 20.0
"""A table that was shaken presses on the cells as hard as it leaves them. Pieces that fall leave
them by 18 to 94 g and press, when they bounce, with 11 g at most (5 collapses on twin tables)."""

GRASPED_S: Annotated[float, Within("s", 0.05, 0.5), Source.FITTED] = 0.15
"""Who takes a piece touches it first; one that falls by itself presses on nothing."""

UNTOUCHED_S: Annotated[float, Within("s", 0.02, 0.15), Source.PHYSICS] = 0.05
"""A board that is lighter by three pieces so soon was not touched before: a hand that takes a stack
holds it first."""

SEVERAL_G: Annotated[float, Within("g", 5.0, 20.0), Source.PHYSICS] = 10.0
"""Weight of those three pieces. One piece may be lifted off as gently as it falls."""

SAME_TURN_S: Annotated[float, Within("s", 0.5, 3.0), Source.PHYSICS] = 1.2
"""A tower that a placement brings down begins to fall within two swings of it (0.7 s each)."""

BUMP_OUT_OF_TURN: Annotated[float, Within("log", 0.1, 2.0), Source.FITTED] = 0.5
"""What fell was rather bumped where the rules expected no piece, and as much less so in a turn."""

BUMP_JUST_PLACED: Annotated[float, Within("log", -3.0, -0.3), Source.FITTED] = -1.0
"""What falls within `SAME_TURN_S` of a release was rather brought down by that hand."""

BUMP_CAUSED: Annotated[float, Within("log", 1.5, 8.0), Source.FITTED] = 4.0
"""Evidence of a bump: the inertial sensor felt the table pushed before anything fell."""

BUMP_STRUCK: Annotated[float, Within("log", 1.0, 6.0), Source.FITTED] = 3.0
"""Evidence of a bump: the board was turned more abruptly than a hand turns it."""

BUMP_TREMBLED: Annotated[float, Within("log", 1.0, 6.0), Source.FITTED] = 3.0
"""Evidence of a bump: the cells were pressed as hard as they were left, and trembled first."""

BUMP_UNFELT: Annotated[float, Within("log", -6.0, -1.0), Source.FITTED] = -2.5
"""The same where the inertial sensor listened and felt no push."""

BUMP_WEIGHED: Annotated[float, Within("log", 0.5, 5.0), Source.FITTED] = 2.0
"""Evidence of a bump without an inertial sensor: the weight was shaken or knocked."""

BUMP_UNWEIGHED: Annotated[float, Within("log", -4.0, -0.5), Source.FITTED] = -1.5
"""The same where the weight was neither."""

FALL_FELT: Annotated[float, Within("log", 0.3, 4.0), Source.FITTED] = 1.5
"""A contact feels like a fall rather than a hand where the table or the board was struck."""

FALL_GRASPED: Annotated[float, Within("log", -3.0, -0.3), Source.FITTED] = -1.0
"""It feels like a hand where something pressed for longer than `GRASPED_S`."""

FALL_UNTOUCHED: Annotated[float, Within("log", 0.3, 3.0), Source.FITTED] = 1.0
"""It feels like a fall where the board was lighter within `UNTOUCHED_S`."""

FALL_IMPACTS: Annotated[int, Within("impacts", 2, 5), Source.PHYSICS] = 2
"""So many hits of the board are those of pieces that fall one after the other, or bounce."""

FALL_IMPACTS_FELT: Annotated[float, Within("log", 0.2, 2.0), Source.FITTED] = 0.7
"""Evidence of a fall where the board was hit so often."""

FALL_TIPPED: Annotated[float, Within("log", 1.0, 6.0), Source.FITTED] = 3.0
"""Evidence of a fall where the tilt switch closed, on a table that has nothing better."""

# -- Pieces that fall ------------------------------------------------------------------------------

LITTLE_FELT: Annotated[float, Within("log", -4.0, -0.5), Source.FITTED] = -2.0
"""Log share of placements and falls that the scale has hardly felt."""

NOTHING_FELT: Annotated[float, Within("log", -10.0, -3.0), Source.FITTED] = -6.0
"""Log share of placements and falls that the scale has not felt at all."""

COMES_TO_LIE_S: Annotated[float, Within("s", 0.1, 0.6), Source.PHYSICS] = 0.3
"""What has come down through the air lies still so soon; what a hand does later is the hand's."""

ALOFT_S: Annotated[tuple[float, float], Within("s", 0.02, 0.3), Source.PHYSICS] = (0.04, 0.16)
"""A piece that slides off a stack weighs nothing for two to six ticks."""

HITS: Annotated[tuple[float, float], Within("times", 1.2, 6.0), Source.PHYSICS] = (1.7, 3.5)
"""It comes down with so many times its weight in the mean of a conversion (5 to 7 g for 3 g): 70 of
87 pieces that fell off a stack while they were placed felt so, and 17 of 6,323 placements (48 games
of twin tables, normal and rough). A stack that settles under its new piece hits with 1.6 times."""

CAME_DOWN: Annotated[float, Within("log", 3.0, 9.0), Source.PHYSICS] = 6.5
"""Log odds of a piece that came down through the air. 70 of 87 falls against 17 of 6,323 placements
(`HITS`) give 5.7, but such falls are more than twice as frequent as `fell_onto` says. And of one
that left its stack meanwhile, so that the board was lighter and was hit then: on 29 games of twin
tables 2 that fell felt so and one placement; without the hit 3 falls and 21 placements more, most
of them tapped or pushed."""

LIGHTER_BY_ONE: Annotated[
    tuple[float, float], Within("pieces", 0.4, 1.8), Source.PHYSICS
] = (0.65, 1.3)  # fmt: skip
"""The board that one of its pieces has left is lighter by so much of a piece for a moment."""

FARTHER: Annotated[float, Within("share", 0.05, 0.6), Source.PHYSICS] = 0.2
"""A piece that falls comes to lie on the next cell, or slides on to the one after that."""

SHAKEN_PIECES: Annotated[float, Within("pieces", 1.5, 6.0), Source.PHYSICS] = 2.5
"""No piece that slides off a stack takes so many with it: then the table was shaken."""

WEIGHTLESS: Annotated[float, Within("share", 0.1, 0.8), Source.PHYSICS] = 0.3
"""A fall of a level takes 0.08 s, more than the cells' averaging; then this share of the weight of
a piece is missing at least."""

NEVER_WEIGHTLESS: Annotated[float, Within("share", 0.01, 0.3), Source.PHYSICS] = 0.05
"""Unless a hand presses at that moment or the piece rolls down: so often."""

ONTO_SD_GMM: Annotated[float, Within("g mm", 3.0, 40.0), Source.PHYSICS] = 10.0
"""A piece that fell onto another cell lies off its middle by so much more than one put there."""

SLID_SD_GMM: Annotated[float, Within("g mm", 10.0, 90.0), Source.PHYSICS] = 30.0
"""The same of a top piece that slid from one cell to another: both its places are uncertain."""

SLID_CELLS: Annotated[float, Within("cells", 0.1, 0.7), Source.PHYSICS] = 0.3
"""A board that hangs otherwise by less than a piece moved so far has lost none to another cell."""

GONE_SD_GMM: Annotated[float, Within("g mm", 5.0, 60.0), Source.PHYSICS] = 20.0
"""A top piece that is gone had stood off the middle of its cell by so much."""

GONE_UNKNOWN: Annotated[float, Within("log", -7.0, -1.5), Source.FITTED] = -4.0
"""Log share of pieces that are gone from where none was known to stand."""

OTHERS_FELL: Annotated[float, Within("log", -4.0, -0.5), Source.FITTED] = -1.5
"""The same of one that fell from the board: others with it, which came to lie elsewhere on it. Of
falls of one piece off the board 32 of 187 in simulated evenings, 3 of 18 in recordings of another
simulation; pieces out of their own hand, of which the weight shows none, are among the others."""

LANDED: Annotated[float, Within("share", 0.2, 0.8), Source.PHYSICS] = 0.5
"""Share of the pieces that fell which come down on board or plate; the others are gone."""

LANDED_ON_BOARD: Annotated[float, Within("share", 0.2, 0.8), Source.PHYSICS] = 0.5
"""What comes down does so on the board as often as on the plate."""

LANDED_AT_MOST: Annotated[int, Within("pieces", 1, 8), Source.PHYSICS] = 3
"""Where nobody knows how many fell, so many may come down at once."""

FALLS_ON_S: Annotated[float, Within("s", 0.5, 4.0), Source.PHYSICS] = 2.0
"""A high tower goes on falling for so long after its first piece."""

FALL_LASTS_S: Annotated[float, Within("s", 0.2, 1.0), Source.PHYSICS] = 0.5
"""From the first piece that falls until the weight is steady, at least: what falls bounces, and the
board swings."""

BARE: Annotated[float, Within("share", 0.01, 0.3), Source.PHYSICS] = 0.05
"""Pieces slide off the pieces below them; off a bare board hardly ever."""

COLLAPSE_PIECES: Annotated[int, Within("pieces", 2, 6), Source.FITTED] = 3
"""So many pieces that fell are called a collapse."""

COLLAPSE_BUMPED_PIECES: Annotated[int, Within("pieces", 2, 6), Source.FITTED] = 2
"""The same of pieces that were bumped."""

FEWEST_TO_COLLAPSE: Annotated[int, Within("pieces", 2, 8), Source.PHYSICS] = 4
"""A tower of fewer pieces only loses one."""

FELL_ABOUT: Annotated[int, Within("pieces", 2, 8), Source.PHYSICS] = 3
"""Of the pieces that come down in a collapse so many move far."""

UNDER_HANDS_PIECES: Annotated[float, Within("pieces", 0.8, 4.0), Source.PHYSICS] = 1.5
"""A board that is lighter by so much may have lost pieces though hands are on it already."""

JUST_THEN: Annotated[float, Within("share", 0.005, 0.1), Source.FITTED] = 0.02
"""Of the bumps: a hand lets a piece go in the third of a second in which the table shakes."""

HANDS_AT_ONCE: Annotated[float, Within("share", 0.1, 0.7), Source.FITTED] = 0.3
"""Once in three topples somebody has a hand on the board before it is at rest."""

BUMPED_IN_HAND: Annotated[float, Within("share", 0.1, 0.7), Source.FITTED] = 0.3
"""Of the pieces that fell off as they were put down, about when the table was pushed, so many were
bumped off: 4 of 12 on twin tables. The others had slipped, and the push came by chance."""

BUMPED_BESIDE: Annotated[float, Within("share", 0.02, 0.4), Source.FITTED] = 0.1
"""The same of pieces that fell beside the board as they were put down."""

UNNOTICED: Annotated[float, Within("share", 0.1, 0.8), Source.FITTED] = 0.3
"""Of the falls from a board that hung still and that nobody pushed: it was touched all the same.
With 0.1 a scenario misses one (rule_bonus_to_passer); with 0.3 agreed stops are told apart."""

# -- How rounds end --------------------------------------------------------------------------------

HIGH_TOWER: Annotated[int, Within("pieces", 4, 14), Source.FITTED] = 8
"""Nobody stops a round with fewer pieces: there is nothing to be afraid of yet."""

SURELY_HIGH: Annotated[int, Within("pieces", 14, 40), Source.FITTED] = 20
"""With so many everybody may call a tower high enough; from `HIGH_TOWER` on ever more do."""

STOPPED_S: Annotated[float, Within("s", 1.5, 8.0), Source.FITTED] = 3.0
"""Between the last release and the first piece that is taken, in the middle: people watch the
board swing, and say that they stop. What falls by itself does so within a swing or two."""

NEVER_STOP: Annotated[float, Within("share", 0.2, 0.9), Source.FITTED] = 0.6
"""Share of people who never agree to stop a round, but for one in `HARDLY_STOPS`; others do it in
any share of rounds. A single round that was stopped shows which; every high tower that comes down
counts."""

HARDLY_STOPS: Annotated[float, Within("share", 0.001, 0.05), Source.FITTED] = 0.005
"""Of the rounds of people who never agree to stop one, so many they do stop all the same."""

HANDLED: Annotated[float, Within("share", 0.03, 0.5), Source.FITTED] = 0.15
"""Share of rounds stopped between two turns before which a hand had been at the board and had put
nothing down: who agrees to stop keeps hands off, and whose piece slid off has had one there."""

HOLDING_G: Annotated[float, Within("g", 50.0, 300.0), Source.FITTED] = 120.0
"""With more than this nobody holds a board down to clear it."""

HOLDING_UP_G: Annotated[float, Within("g", 10.0, 90.0), Source.FITTED] = 30.0
"""Nor does a hand that takes pieces lift the board by more."""

HANDS_COME_S: Annotated[float, Within("s", 0.8, 4.0), Source.FITTED] = 2.0
"""From the slide of a single piece to the first hand that clears, in the middle."""

GRIP_S: Annotated[float, Within("s", 0.03, 0.3), Source.FITTED] = 0.1
"""Time that a piece takes to be cleared: the quickest hands take a stack of four every 0.4 s."""

NO_TIME: Annotated[float, Within("share", 0.005, 0.1), Source.FITTED] = 0.02
"""What takes longer than there was is done only by a second hand."""

PUSHED_WHILE_CLEARING: Annotated[float, Within("share", 0.02, 0.4), Source.FITTED] = 0.1
"""Share of grips of hands that clear in which somebody pushes the table besides."""

EMPTY_ALREADY: Annotated[float, Within("log", -8.0, -1.5), Source.FITTED] = -4.0
"""Log share of rests with an empty board's weight in which pieces are left all the same."""

NOBODY_LEAVES: Annotated[float, Within("log", -16.0, -4.0), Source.FITTED] = -10.0
"""Log share of cleared boards beside which pieces were laid down that had not fallen there."""

LEFT_STREWN: Annotated[float, Within("times", 1.0, 16.0), Source.FITTED] = 4.0
"""Once in so many clearings pieces are left on the plate; the more of them, the rarer still."""

UNKNOWN_LEFT: Annotated[float, Within("times", 5.0, 100.0), Source.FITTED] = 20.0
"""Once in so many clearings something lies on the plate that nobody has explained."""

CAME_EARLIER: Annotated[float, Within("log", -6.0, -1.0), Source.FITTED] = -3.0
"""Log share of them that came there in an earlier contact, whose shift nobody noticed either."""

NEW_ZERO_S: Annotated[float, Within("s", 0.5, 6.0), Source.FITTED] = 2.0
"""So long must an empty board be left alone before its weight is taken for the new zero."""

# -- Turns, rolls and what people say --------------------------------------------------------------

STILL_FOR_S: Annotated[float, Within("s", 0.1, 0.6), Source.FITTED] = 0.2
"""A fifth of a second without motion is rest to people who look."""

STILL_SD_S: Annotated[float, Within("s", 0.02, 0.2), Source.FITTED] = 0.05
"""Give or take so much."""

NEVER_STILL: Annotated[float, Within("share", 0.01, 0.2), Source.FITTED] = 0.04
"""Who has not seen the board come to rest may have looked away: so often it had."""

ROLLED_S: Annotated[float, Within("s", 0.8, 5.0), Source.FITTED] = 1.8
"""So long after a piece was let go half of the next players have rolled (in twelve recorded games
half by 1.6 s, all from 0.6 to 3.5 s)."""

ROLLED_STEEPNESS: Annotated[float, Within("power", 1.5, 6.0), Source.FITTED] = 3.0
"""With this power of the time the odds of that roll grow: wider than in those games, for other
people are slower."""

HURRY_S: Annotated[float, Within("s", 0.4, 2.5), Source.FITTED] = 1.0
"""Between telling the die and touching the board: nobody takes a piece and puts it down sooner."""

ROLLED_AFTER_S: Annotated[float, Within("s", 0.0, 0.3), Source.FITTED] = 0.05
"""Nobody rolls sooner after a piece was put down."""

HAND_AND_BACK_S: Annotated[float, Within("s", 0.2, 1.0), Source.FITTED] = 0.4
"""Nobody takes a piece off and puts one down in less time."""

NEXT_PIECE_S: Annotated[float, Within("s", 0.4, 2.0), Source.FITTED] = 1.0
"""The next player has rolled, and lets go of a piece, so soon after the one before at the earliest:
a hand that keeps still for a moment with its piece weighs like a piece or two."""

QUICKEST_TURN_S: Annotated[float, Within("s", 0.4, 2.0), Source.FITTED] = 0.9
"""Hardly ever does the next hand come sooner after a piece was let go, for its player has to take a
piece and roll."""

QUICKEST_ROUND_S: Annotated[float, Within("s", 1.0, 6.0), Source.FITTED] = 2.5
"""Nor does one come sooner after a clearing, for all pieces have to be gathered."""

TWO_STEPS_S: Annotated[float, Within("s", 0.6, 3.0), Source.FITTED] = 1.5
"""Nobody places, rolls and places again in less."""

ONE_PIECE: Annotated[float, Within("share", 0.01, 0.2), Source.FITTED] = 0.05
"""So seldom do both stand of two pieces, if it is one and two contacts are taken for it."""

SECOND_THOUGHT_S: Annotated[float, Within("s", 0.3, 3.0), Source.FITTED] = 1.0
"""A piece that its hand moves later than this is put down anew: it counts from then on."""

CLEARED_UNSEEN: Annotated[float, Within("share", 0.02, 0.4), Source.FITTED] = 0.1
"""Once in ten times somebody packs up while the table is off. Its weight decides: already a single
piece more or less changes the odds a hundredfold."""

CLEARED_EARLY: Annotated[float, Within("share", 0.005, 0.2), Source.FITTED] = 0.03
"""A board that was told as clear, with pieces on the plate, has had some of them on it still."""

SOMETHING_LIES_THERE: Annotated[float, Within("share", 0.0002, 0.01), Source.FITTED] = 1e-3
"""A hand or a cup on the table as it is switched on: then the weight says nothing."""

LATE_PRESS_S: Annotated[float, Within("s", 20.0, 180.0), Source.FITTED] = 60.0
"""Who says after so long that the board is clear means another clearing."""

TWICE_PRESSED_S: Annotated[float, Within("s", 4.0, 40.0), Source.FITTED] = 15.0
"""So soon after a clearing nobody ends another round: the button was pressed twice."""

LATE_BLAME_S: Annotated[float, Within("s", 4.0, 30.0), Source.FITTED] = 10.0
"""So soon after a bump people name who it was: they look, say a word and press."""

UNSEEN_BUMP: Annotated[float, Within("share", 0.004, 0.1), Source.FITTED] = 0.02
"""People who name a culprit know that something fell, and hardly ever has no sensor noticed it."""

BLAMED: Annotated[float, Within("share", 0.9, 0.999), Source.FITTED] = 0.98
"""Probability that it was a bump, where people say that it was."""

PRESS_TELLS: Annotated[float, Within("times", 4.0, 100.0), Source.FITTED] = 20.0
"""Who says that the board is clear often knows, too: a round has ended so many times as likely."""

PRESS_ON_NOTHING: Annotated[float, Within("times", 100.0, 10000.0), Source.FITTED] = 2000.0
"""Who says so of a board that has been empty all the time knows it: the round counts as ended by a
fall then anyhow, and nothing stood there that a bump could have thrown down."""

HARDLY_ERR: Annotated[float, Within("share", 0.0005, 0.05), Source.FITTED] = 0.003
"""Weight left to a round without a fall once people have said that one ended it. A die is misread
in one roll of 300 (assumed), and a topple is harder to mistake."""

CERTAIN: Annotated[float, Within("share", 0.7, 0.99), Source.FITTED] = 0.9
"""An account of such a probability is remembered, whatever hands do after it."""

ONLY_HANDS: Annotated[float, Within("share", 0.0005, 0.02), Source.FITTED] = 0.003
"""It is kept at this probability: how people steady a board or rest on it is not known better."""

DOUBTED_RESTS: Annotated[int, Within("rests", 4, 40), Source.FITTED] = 12
"""It is kept for so many rests."""

NOT_SO: Annotated[float, Within("share", 0.004, 0.1), Source.FITTED] = 0.02
"""A fall that was withdrawn, because play went on, is so much less likely from then on."""

# -- What is said, and when ------------------------------------------------------------------------

WRONG_COSTS_S: Annotated[float, Within("s", 5.0, 60.0), Source.COST] = 30.0
"""A wrong word costs as much as a right one that is said so much later: people have to find out,
to take it back, and to believe the table again. How long waiting on takes nobody knows: as long as
the rest has lasted. In 51 simulated evenings (5,721 pieces) with 10, 20, 30, 60 s 369, 358, 356,
353 of those that are said are wrong, and they wait for 0.22, 0.25, 0.27, 0.32 s in the mean."""

FALL_SETTLES_S: Annotated[float, Within("s", 0.3, 3.0), Source.COST] = 1.0
"""Waiting takes so much longer for a topple: it also shows by what hands do next. In those evenings
(268 topples) with a cost of 10, 20, 30, 40 s 212, 216, 215, 212 are said and 50, 35, 29, 26 that
were none; without this second, at 20 s, 206 and 28."""

WAITING_TAKES_S: Annotated[float, Within("s", 1.5, 10.0), Source.COST] = 3.5
"""And so long at most: then somebody has done something. A topple is never said below 0.89."""

PATIENCE_S: Annotated[float, Within("s", 0.6, 4.0), Source.COST] = 1.2
"""However doubtful, a placement is announced (and asked about) after this long at rest."""

NO_CELL_S: Annotated[float, Within("s", 0.1, 1.0), Source.COST] = 0.3
"""A piece that surely stands is announced without a cell after so long, if no sensor tells one."""

LIKELY: Annotated[float, Within("share", 0.03, 0.4), Source.COST] = 0.1
"""A piece that stands with this probability is waited for."""

WAITED_S: Annotated[float, Within("s", 0.6, 4.0), Source.COST] = 1.3
"""So long a piece is waited for that may well stand and has not been told: longer than
`PATIENCE_S`."""

FREE_ENOUGH: Annotated[float, Within("share", 0.6, 0.99), Source.COST] = 0.9
"""Probability from which on the board counts as free."""

LET_GO: Annotated[float, Within("share", 0.5, 0.98), Source.COST] = 0.8
"""Probability from which on a brief rest counts as one in which nobody touched the board."""

PERHAPS: Annotated[float, Within("share", 0.05, 0.5), Source.COST] = 0.2
"""A piece that stands with this probability, or has fallen, is asked about."""

BROKEN_CERTAIN: Annotated[float, Within("share", 0.6, 0.99), Source.COST] = 0.9
"""Touched again: what is so probable is announced, for it will not get clearer."""

BROKEN_S: Annotated[float, Within("s", 0.2, 1.5), Source.COST] = 0.5
"""Touched again: what has lain so long is announced as well, however doubtful the cell."""

MOST_CERTAIN: Annotated[float, Within("share", 0.99, 0.99999), Source.COST] = 0.9995
"""Nobody knows more than this: the tails of hands and tables are not known better."""

MOST_CERTAIN_FELL: Annotated[float, Within("share", 0.8, 0.999), Source.COST] = 0.98
"""Nor this of a topple, whatever the model says: with fingers that rest on the board and things
beside it, one in six of those above was none (n 96)."""

OTHERWISE: Annotated[float, Within("times", 1.5, 6.0), Source.COST] = 3.0
"""A weight is told anew if a later one differs by so many standard deviations: by chance one in
370 pieces does. Each time the document changes, and who taps just then is asked to look again: with
1.5 that was one tap in ten."""

OTHER_CELL: Annotated[float, Within("share", 0.5, 0.95), Source.COST] = 0.6
"""A piece is corrected to another cell that is so probable."""

GONE: Annotated[float, Within("share", 0.03, 0.4), Source.COST] = 0.15
"""A piece that stands with less than this probability is taken back."""

BY_FAR: Annotated[float, Within("share", 0.3, 0.9), Source.COST] = 0.5
"""What was announced is another contact's piece, if that stands with more than this."""

SETTLED_BY_TIME: Annotated[float, Within("share", 0.5, 0.98), Source.COST] = 0.75
"""So surely the next player has rolled that the piece before is settled."""

SUSPECTED: Annotated[float, Within("share", 0.1, 0.7), Source.COST] = 0.3
"""A suspicion is worth a word from here on."""

DISMISSED: Annotated[float, Within("share", 0.02, 0.3), Source.COST] = 0.1
"""A suspicion is over below this."""

NOT_FALLEN: Annotated[float, Within("share", 0.03, 0.4), Source.COST] = 0.15
"""A topple that was said is taken back below this."""

TAKEN_BACK_S: Annotated[float, Within("s", 0.3, 3.0), Source.COST] = 1.0
"""Not before a rest of so long: nothing presses, and a topple that is taken back and said again is
two wrong words."""

PLAYED_ON: Annotated[float, Within("share", 0.7, 0.99), Source.COST] = 0.9
"""So surely play goes on after a topple was said: then the likelier of a missed clearing and a
topple that was none is taken, and the other given up. Nobody is deaf until it is decided."""

CLEARED_AFTER_FALL: Annotated[float, Within("share", 0.2, 0.8), Source.COST] = 0.5
"""Of a cleared round a topple is told from here on; people also stop because they agree to."""

LOW_FOR_NOTHING: Annotated[float, Within("share", 0.005, 0.3), Source.COST] = 0.03
"""Of the weight of all ways without a fall, what is left once a board of less than `HIGH_TOWER`
pieces was cleared before all were played: somebody was called away, or a fall left no trace; with
more pieces more is left."""

STOPPED_PERHAPS: Annotated[float, Within("share", 0.6, 0.84), Source.COST] = 0.8
"""A topple that is told because the board was cleared is no surer than this: it is asked about."""

PERHAPS_FELL: Annotated[float, Within("share", 0.005, 0.2), Source.COST] = 0.02
"""Down to this it is kept in mind: the weight of the next pieces may say who had been to play."""

EMPTY: Annotated[float, Within("share", 0.7, 0.99), Source.COST] = 0.9
"""A board is said to be clear when it is so probable."""

EMPTY_S: Annotated[float, Within("s", 0.2, 2.0), Source.COST] = 0.5
"""It is said to be clear after so long a rest."""

# -- What contacts are, in a game that goes on -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Priors:
    """Shares of what contacts are: all that is assumed about what people are likely to do.

    They are what one contact was before anything of it is weighed, wide on purpose: a factor of
    two in any of them moves no decision that the sensors make.
    """

    nothing: Annotated[float, Within("share", 0.1, 0.6), Source.FITTED] = 0.3
    """Hands, sleeves, taps and bumps that change nothing."""
    hand: Annotated[float, Within("share", 0.1, 0.8), Source.FITTED] = 0.4
    """Somebody still rests on the board."""
    placed: Annotated[float, Within("share", 0.1, 0.8), Source.FITTED] = 0.4
    """A piece was put down."""
    out_of_turn: Annotated[float, Within("share", 0.01, 0.3), Source.FITTED] = 0.05
    """Of those, when the rules expect none (die not told yet, or told late)."""
    against_rules: Annotated[float, Within("share", 0.001, 0.03), Source.FITTED] = 0.006
    """Of those, on a cell that the die does not allow."""
    other_turn: Annotated[float, Within("share", 0.1, 0.7), Source.FITTED] = 0.3
    """The same, when the die was told as or after the hand came."""
    two_placed: Annotated[float, Within("share", 0.0005, 0.01), Source.FITTED] = 0.002
    """Two pieces between two rests."""
    elsewhere: Annotated[float, Within("share", 0.004, 0.1), Source.FITTED] = 0.02
    """The piece placed last was slid or lifted to another cell by its hand."""
    taken_back: Annotated[float, Within("share", 0.002, 0.05), Source.FITTED] = 0.01
    """The piece placed last was taken away again by its hand."""
    second_thought_s: Annotated[float, Within("s", 1.0, 10.0), Source.FITTED] = 3.0
    """It is taken away within about so long."""
    put_elsewhere_s: Annotated[float, Within("s", 0.5, 5.0), Source.FITTED] = 1.5
    """Who has taken it puts it down again after about so long."""
    slipped_off: Annotated[float, Within("share", 0.004, 0.1), Source.FITTED] = 0.02
    """The piece placed last slid off by itself, soon after it was let go."""
    plate_load: Annotated[float, Within("share", 0.002, 0.05), Source.FITTED] = 0.01
    """A thing or a hand came to rest on the base plate."""
    plate_relief: Annotated[float, Within("share", 0.1, 0.8), Source.FITTED] = 0.3
    """One of those was taken away."""
    fell: Annotated[float, Within("share", 0.002, 0.05), Source.FITTED] = 0.01
    """Pieces fell off the board, or off a stack onto another cell."""
    fell_unseen: Annotated[float, Within("share", 0.001, 0.03), Source.FITTED] = 0.005
    """The piece being placed slid straight off, and all weighs what it weighed."""
    fell_onto: Annotated[float, Within("share", 0.001, 0.02), Source.FITTED] = 0.004
    """The piece being placed fell onto another cell than it was put on."""
    fell_beside: Annotated[float, Within("share", 0.001, 0.02), Source.FITTED] = 0.004
    """It fell on the base plate and stayed there."""
    knocked: Annotated[float, Within("share", 0.0005, 0.01), Source.FITTED] = 0.002
    """The hand that put a piece down pushed another one off its stack, onto the board."""
    agreed: Annotated[float, Within("share", 0.002, 0.05), Source.TABLE] = 0.01
    """Hands took pieces off a high tower between two turns: people agreed to stop."""
    taken: Annotated[float, Within("share", 0.0006, 0.015), Source.FITTED] = 0.003
    """They did so at another time."""
    clearing: Annotated[float, Within("share", 0.2, 0.9), Source.FITTED] = 0.6
    """Hands do so when the round is over."""
    stared: Annotated[float, Within("share", 0.02, 0.4), Source.FITTED] = 0.1
    """Nobody does anything yet though the round is over."""
    lifted: Annotated[float, Within("share", 0.0005, 0.01), Source.FITTED] = 0.002
    """The board was taken off its tip."""
    lifted_over: Annotated[float, Within("share", 0.02, 0.4), Source.FITTED] = 0.1
    """The same when the round is over."""
    emptied: Annotated[float, Within("share", 0.05, 0.6), Source.FITTED] = 0.2
    """The contact that ends a clearing."""
    unexplained: Annotated[float, Within("share", 0.00005, 0.001), Source.FITTED] = 0.0002
    """None of all these."""
    play_goes_on: Annotated[float, Within("share", 0.0005, 0.01), Source.FITTED] = 0.002
    """A piece is placed on a board that was to be cleared."""
    rolled_after_fall: Annotated[float, Within("share", 0.002, 0.05), Source.FITTED] = 0.01
    """Somebody rolls though pieces have fallen."""
    rolled_unplaced: Annotated[float, Within("share", 0.01, 0.2), Source.FITTED] = 0.05
    """Somebody rolls though the piece of the turn before lies nowhere."""
    hand_steady_s: Annotated[float, Within("s", 0.1, 1.0), Source.FITTED] = 0.3
    """Mean time for which a hand keeps its weight steady."""
    clearing_pause_s: Annotated[float, Within("s", 0.5, 5.0), Source.FITTED] = 1.5
    """Mean rest between two grips of hands that clear."""
    turn_s: Annotated[float, Within("s", 1.5, 20.0), Source.FITTED] = 5.0
    """Mean time until the next contact or roll, when nothing has fallen."""
    hovering: Annotated[float, Within("1/s", 0.1, 1.5), Source.FITTED] = 0.4
    """Rate at which a hand that has only just gone comes back."""


BEHAVIOUR = Priors()
"""What is assumed on every table."""

OFF = Priors(
    nothing=0.1, hand=0.1, placed=0.1, out_of_turn=1.0, against_rules=0.5, other_turn=0.5,
    two_placed=0.01, elsewhere=0.05, taken_back=0.02, second_thought_s=1e6, put_elsewhere_s=1e6,
    slipped_off=0.03, plate_load=0.02, plate_relief=0.1, fell=0.02, fell_unseen=0.02,
    fell_onto=0.02, fell_beside=0.02, knocked=0.01, agreed=0.02, taken=0.02, clearing=0.1,
    stared=0.2, lifted=0.02, lifted_over=0.02, emptied=0.1, unexplained=0.002, play_goes_on=0.02,
    rolled_after_fall=1.0, rolled_unplaced=1.0, hand_steady_s=2.0, clearing_pause_s=5.0,
    turn_s=20.0, hovering=0.2,
)  # fmt: skip
"""Nothing is known of people: what remains is weight, moment and swing."""
