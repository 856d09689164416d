"""What people at a table are likely to do: all that the detector assumes about behaviour.

Probabilities of what one contact was, before anything of it is weighed. They are wide on purpose:
a factor of two in any of them moves no decision that the sensors make. `OFF` is the same table
with every assumption about people removed; a test replays with it and tells the difference.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Priors:
    """Shares of what contacts are, in a game that goes on.

    Attributes:
        nothing: hands, sleeves, taps and bumps that change nothing.
        hand: somebody still rests on the board.
        placed: a piece was put down.
        out_of_turn: of those, when the rules expect none (die not told yet, or told late).
        against_rules: of those, on a cell that the die does not allow.
        other_turn: the same, when the die was told as or after the hand came.
        two_placed: two pieces between two rests.
        elsewhere: the piece placed last was slid or lifted to another cell by its hand.
        taken_back: the piece placed last was taken away again by its hand.
        second_thought_s: within about so long.
        put_elsewhere_s: who has taken it puts it down again after about so long.
        slipped_off: the piece placed last slid off by itself, soon after it was let go.
        plate_load: a thing or a hand came to rest on the base plate.
        plate_relief: one of those was taken away.
        fell: pieces fell off the board, or off a stack onto another cell.
        fell_unseen: the piece being placed slid straight off, and all weighs what it weighed.
        fell_onto: the piece being placed fell onto another cell than it was put on.
        fell_beside: it fell on the base plate and stayed there.
        knocked: the hand that put a piece down pushed another one off its stack, onto the board.
        agreed: hands took pieces off a high tower between two turns: people agreed to stop.
        taken: they did so at another time.
        clearing: hands do so when the round is over.
        stared: nobody does anything yet though the round is over.
        lifted: the board was taken off its tip; `lifted_over` when the round is over.
        emptied: the contact that ends a clearing.
        unexplained: none of all these.
        play_goes_on: a piece is placed on a board that was to be cleared.
        rolled_after_fall: somebody rolls though pieces have fallen.
        rolled_unplaced: somebody rolls though the piece of the turn before lies nowhere.
        hand_steady_s: mean time for which a hand keeps its weight steady.
        clearing_pause_s: mean rest between two grips of hands that clear.
        turn_s: mean time until the next contact or roll, when nothing has fallen.
        hovering: rate (1/s) at which a hand that has only just gone comes back.
    """

    nothing: float = 0.3
    hand: float = 0.4
    placed: float = 0.4
    out_of_turn: float = 0.05
    against_rules: float = 0.006
    other_turn: float = 0.3
    two_placed: float = 0.002
    elsewhere: float = 0.02
    taken_back: float = 0.01
    second_thought_s: float = 3.0
    put_elsewhere_s: float = 1.5
    slipped_off: float = 0.02
    plate_load: float = 0.01
    plate_relief: float = 0.3
    fell: float = 0.01
    fell_unseen: float = 0.005
    fell_onto: float = 0.004
    fell_beside: float = 0.004
    knocked: float = 0.002
    agreed: float = 0.01
    taken: float = 0.003
    clearing: float = 0.6
    stared: float = 0.1
    lifted: float = 0.002
    lifted_over: float = 0.1
    emptied: float = 0.2
    unexplained: float = 0.0002
    play_goes_on: float = 0.002
    rolled_after_fall: float = 0.01
    rolled_unplaced: float = 0.05
    hand_steady_s: float = 0.3
    clearing_pause_s: float = 1.5
    turn_s: float = 5.0
    hovering: float = 0.4


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
