"""One die: which of its rests are rolls, and what people have to know of it.

Pure: what the die says and the time go in. A roll is a throw after which the die has lain still
for `REST_S`. A die that is knocked, turned or carried comes to rest too, but was not thrown.
"""

from dataclasses import dataclass, replace

from controller.common.troubles import DIE_LOST, DIE_LOW
from controller.dice.messages import Battery, DieAtRest, Rolling, Said
from engine.trouble import Trouble

REST_S = 0.5
"""A die that is knocked as it comes to rest, or tumbles once more, has not been told by then; and
people take longer to read a die."""

LOW_PERCENT = 15
"""Some evenings are left, so that nobody has to charge it in the middle of one."""


@dataclass(frozen=True, slots=True)
class Die:
    """What is known of a die: whether it can be heard, and was thrown and does not lie yet.

    `lies` is the face on which it came to rest, and since when; None once `told`. The battery's per
    cent are None before it has said so.
    """

    connected: bool = False
    rolling: bool = False
    lies: tuple[int, float] | None = None
    told: int | None = None
    percent: int | None = None


def found(die: Die) -> Die:
    """It is connected (again). What it did meanwhile nobody knows, so it has to be thrown anew."""
    return replace(die, connected=True, rolling=False, lies=None)


def lost(die: Die) -> tuple[Die, str]:
    """It is gone, and what people have to know beside that."""
    in_the_air = die.rolling or die.lies is not None
    words = "its throw was not heard to the end; say on a phone what it shows" if in_the_air else ""
    return replace(die, connected=False, rolling=False, lies=None), words


def heard(die: Die, said: Said, now_s: float) -> tuple[Die, str]:
    """It said something.

    Returns:
        The die as it is now, and words for people; empty when there is nothing to say.
    """
    match said:
        case Battery(percent):
            return replace(die, percent=percent), ""
        case Rolling():
            return replace(die, rolling=True, lies=None), ""
        case DieAtRest(way="crooked"):
            thrown = die.rolling or die.lies is not None
            words = "lies crooked: throw it again, or say on a phone what counts" if thrown else ""
            return replace(die, rolling=False, lies=None), words
        case DieAtRest(face, way):
            return _rests(die, face, now_s, thrown=die.rolling and way == "rolled")


def _rests(die: Die, face: int, now_s: float, *, thrown: bool) -> tuple[Die, str]:
    if thrown or die.lies is not None:
        # Knocked before it was told: people read what it shows now.
        return replace(die, rolling=False, lies=(face, now_s)), ""
    knocked = die.told is not None and face != die.told
    words = f"shows {face} without a throw; its {die.told} stays" if knocked else ""
    return replace(die, rolling=False), words


def rested(die: Die, now_s: float) -> tuple[Die, int | None]:
    """Whether it has lain long enough: then its roll, once."""
    if die.lies is None or now_s - die.lies[1] < REST_S:
        return die, None
    value = die.lies[0]
    return replace(die, lies=None, told=value), value


def trouble(die: Die, owner: str) -> Trouble | None:
    """What people should see to; None when all is well.

    >>> trouble(Die(connected=True, percent=8), "red").sentence
    'The die of red has 8 % of its battery left; charge it.'
    """
    if not die.connected:
        return DIE_LOST(owner=owner)
    if die.percent is not None and die.percent <= LOW_PERCENT:
        return DIE_LOW(owner=owner, percent=die.percent)
    return None
