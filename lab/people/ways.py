"""Habits of simulated people: how they roll, place, clear and fidget, not how well they play.

The people of the public games all behave alike. Other people do not, and the table must not
depend on it: nothing here is known to the detector. `WAYS` names the ways that benchmark and bench
try one by one, `drawn` puts some of them together for one table; `USUAL` is how the people of
the public games are.
"""

from collections.abc import Iterable, Mapping
from random import Random
from typing import Annotated, Any, Literal, get_args

import msgspec

Clearing = Literal["fingers", "one_slow", "both_hands", "lift"]
Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
AMinute = Annotated[float, msgspec.Meta(ge=0, le=60)]
Seconds = tuple[float, float]
NotNegativeSeconds = tuple[
    Annotated[float, msgspec.Meta(ge=0, le=60)], Annotated[float, msgspec.Meta(ge=0, le=60)]
]


class Ways(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How people behave. Pairs are the shortest and the longest time in seconds, drawn evenly.

    Attributes:
        stare_s: from the end of a fall to the first hand that clears; below 0.5 s it does not wait
            for the last piece to lie still.
        clearing: `fingers` hold the board while a hand takes stack after stack; `one_slow` hand
            takes one piece at a time; `both_hands` take two stacks at once; `lift` takes the board
            off its tip and pours it out. Of several, one each time by chance.
        turned_deg: how far a lifted board may stand turned afterwards.
        catches: probability with each falling piece that a hand catches it.
        press_s: when `cleared` is pressed, seconds after the board is clear; before it if negative.
        never_presses: probability that nobody presses it.
        leftovers: probability that pieces on the base plate stay there in the next round.
        late_rolls: probability that a roll is told only after its piece has been placed.
        early_rolls: probability that it is told while the hand before is still there.
        slides: probability that a piece is slid to a neighbour before it is let go.
        relifts: probability that a piece is taken again and placed elsewhere.
        in_haste: probability that the next piece follows within a second.
        steadies: probability that somebody steadies the board with a finger meanwhile.
        heavy: how much harder hands press, as a factor.
        drops: probability that a piece is let fall, from one to four centimetres.
        things: hands, phones, cups and dice on the base plate, a minute.
        drums: long drumming on the table, a minute.
        walks: walking past on a soft floor, a minute.
        arms: an arm on the table, a minute.
        late_bumps: probability that the table is bumped hard within two seconds of a placement.
        agrees_to_stop: probability after a turn, once the tower is high, that everybody agrees to
            stop the round: the board is cleared and nobody loses points.
        names_rolls: probability that a roll says whose it is, as a phone of that seat does.
        misread_rolls: probability that a roll is told as another number than people read.
        unheard_rolls: probability that nobody tells a roll, since all believe that it was told.
        wrong_colours: probability that a piece is another player's, and nobody notices: it lies in
            its own colour, scores for it, and the turn is over.
        awaits_call: probability before a roll that a player waits until the screen calls them,
            where there is a screen; others roll because it is their turn.
        errs: probability that an answer to a question is another one of those offered.
        watches: probability with each look at the screen that somebody objects to what is wrong.
    """

    stare_s: NotNegativeSeconds = (0.8, 2.0)
    clearing: Annotated[tuple[Clearing, ...], msgspec.Meta(min_length=1)] = ("fingers",)
    turned_deg: Annotated[float, msgspec.Meta(ge=0, le=45)] = 0.0
    catches: Probability = 0.0
    press_s: Seconds = (0.4, 2.5)
    never_presses: Probability = 0.0
    leftovers: Probability = 0.0
    late_rolls: Probability = 0.0
    early_rolls: Probability = 0.0
    slides: Probability = 0.0
    relifts: Probability = 0.0
    in_haste: Probability = 0.0
    steadies: Probability = 0.0
    heavy: Annotated[float, msgspec.Meta(gt=0, le=10)] = 1.0
    drops: Probability = 0.0
    things: AMinute = 0.0
    drums: AMinute = 0.0
    walks: AMinute = 0.0
    arms: AMinute = 0.0
    late_bumps: Probability = 0.0
    agrees_to_stop: Probability = 0.0
    names_rolls: Probability = 0.0
    misread_rolls: Probability = 0.0
    unheard_rolls: Probability = 0.0
    wrong_colours: Probability = 0.0
    awaits_call: Probability = 0.0
    errs: Probability = 0.0
    watches: Probability = 0.0


USUAL = Ways()

OF_WORDS = (
    "press_s", "never_presses", "late_rolls", "early_rolls", "late_bumps", "agrees_to_stop",
    "names_rolls", "misread_rolls", "unheard_rolls", "wrong_colours", "awaits_call", "errs",
    "watches",
)  # fmt: skip
"""Habits of telling, and of playing; a script says itself what is done and told when."""

WAYS: Mapping[str, Ways] = {
    "usual": USUAL,
    "at-once": Ways(stare_s=(0.0, 0.4), clearing=("both_hands",)),
    "staring": Ways(stare_s=(10.0, 20.0)),
    "slow": Ways(clearing=("one_slow",)),
    "both-hands": Ways(clearing=("both_hands",)),
    "catching": Ways(catches=0.4, stare_s=(0.0, 1.0)),
    "pressing-early": Ways(press_s=(-3.0, -0.2)),
    "pressing-late": Ways(press_s=(4.0, 15.0)),
    "pressing-never": Ways(never_presses=1.0),
    "lifting": Ways(clearing=("lift",), turned_deg=12.0, stare_s=(0.2, 4.0)),
    "rolling": Ways(late_rolls=0.3, early_rolls=0.3),
    "second-thoughts": Ways(slides=0.12, relifts=0.12),
    "steadying": Ways(steadies=0.35),
    "hasty": Ways(in_haste=0.35),
    "dropping": Ways(drops=0.3),
    "heavy": Ways(heavy=3.0, drops=0.2, in_haste=0.25),
    "things": Ways(things=2.5, leftovers=0.5),
    "leaving": Ways(leftovers=1.0),
    "restless": Ways(drums=0.7, walks=0.7, arms=1.0),
    "lively": Ways(
        stare_s=(0.0, 12.0),
        clearing=("fingers", "one_slow", "both_hands", "lift"),
        turned_deg=8.0,
        catches=0.1,
        press_s=(-1.5, 8.0),
        never_presses=0.2,
        leftovers=0.2,
        late_rolls=0.1,
        early_rolls=0.1,
        slides=0.05,
        relifts=0.05,
        in_haste=0.1,
        steadies=0.1,
        heavy=1.6,
        drops=0.05,
        things=0.8,
        drums=0.25,
        walks=0.25,
        arms=0.3,
    ),
    "family": Ways(
        clearing=("fingers", "one_slow", "lift"),
        turned_deg=8.0,
        late_bumps=0.01,
        agrees_to_stop=0.02,
    ),
    # Rolls are told by a Bluetooth die for each player, at once and with its name. That it misreads
    # one in 300 and is not heard once in 100 is assumed: nobody has counted it with real dice.
    "dice": Ways(names_rolls=1.0, misread_rolls=1 / 300, unheard_rolls=1 / 100),
    # Who plays quickly takes a piece of the other heap now and then; one in twenty is our guess.
    # Rolls say whose they are, as a die or a phone of each player does, so each turn is certain.
    "wrong-colours": Ways(wrong_colours=0.05, names_rolls=1.0),
}

WayName = Literal[
    "usual", "at-once", "staring", "slow", "both-hands", "catching", "pressing-early",
    "pressing-late", "pressing-never", "lifting", "rolling", "second-thoughts", "steadying",
    "hasty", "dropping", "heavy", "things", "leaving", "restless", "lively",
    "family", "dice", "wrong-colours",
]  # fmt: skip
"""The keys of `WAYS`, for files that name one."""

NOT_DRAWN = ("usual", "lively", "family", "dice", "wrong-colours")
"""What `drawn` leaves out: who does nothing unusual or a little of everything, and who came later:
one seed stays one evening."""

Wanted = WayName | Literal["drawn"] | tuple[WayName, ...] | Ways
"""People as a file asks for them: of one way, drawn by the seed, of several ways put together, or
with the habits given and the usual ones otherwise."""


def ways_of(wanted: Wanted, seed: int) -> Ways:
    """The people that a file asks for; `seed` decides who they are when they are to be drawn.

    >>> ways_of(("lifting", "things"), 1) == together(("lifting", "things"))
    True
    >>> ways_of("drawn", 3) == drawn(Random(3))
    True
    """
    if isinstance(wanted, Ways):
        return wanted
    if wanted == "drawn":
        return drawn(Random(seed))
    return together((wanted,) if isinstance(wanted, str) else wanted)


def names_of(wanted: Wanted) -> tuple[str, ...]:
    """What to call them in a list.

    >>> names_of("usual"), names_of(("lifting", "things")), names_of(Ways(slides=0.5))
    (('usual',), ('lifting', 'things'), ('own habits',))
    """
    if isinstance(wanted, Ways):
        return ("own habits",)
    return (wanted,) if isinstance(wanted, str) else wanted


def together(names: Iterable[str]) -> Ways:
    """People with the habits of several ways; where two differ from the usual, the later counts."""
    usual = msgspec.structs.asdict(USUAL)
    habits: dict[str, Any] = {}
    for name in names:
        own = msgspec.structs.asdict(WAYS[name])
        habits |= {habit: each for habit, each in own.items() if each != usual[habit]}
    return Ways(**habits)


def drawn_names(chance: Random) -> tuple[WayName, ...]:
    """Two to four of the single ways."""
    singles = [name for name in get_args(WayName) if name not in NOT_DRAWN]
    return tuple(chance.sample(singles, chance.randint(2, 4)))


def drawn(chance: Random) -> Ways:
    """People as a table may have them: two to four of the single ways put together."""
    return together(drawn_names(chance))


def chosen(chance: Random, probability: float) -> bool:
    """Whether something of this probability happens; draws no random number for 0.

    So one seed stays one evening for people who never do it.
    """
    return probability > 0 and chance.random() < probability
