"""Says for players how the game goes on when a sensor is lost.

Pure. Detector and sources say of a sensor what is wrong and what to check; that sentence is passed
on as it is. The sentences here say what the loss means for the game.
"""

from collections.abc import Mapping

BY_HAND = "please enter each placement by hand"
LOST_WORDS: Mapping[str, str] = {
    "link": f"The table hears nothing, and the score is safe; {BY_HAND}.",
    "scale": f"The table cannot weigh any more; {BY_HAND}.",
    "imu": "The table still weighs, and asks for the cell of each piece.",
    "tilt_switch": "The other sensors see a topple too.",
    "name": "Displays show both games in turns.",
    "client": "The game goes on, and phones can say everything.",
    "journal": "The game goes on from the score that is shown.",
    "storage": "The game goes on.",
    "recording": "The game is not touched.",
    "panel": "The phones do all that the buttons do.",
}
"""Sensor (or the journal, or the name) -> what its loss means for the game; in this order."""

UNKNOWN_LOST = "The table is playing on."
ONE_CELL_LOST = "The table is playing on with three load cells."
CELLS_LOST = (
    f"{{count}} of the four load cells are lost: the table cannot weigh any more; {BY_HAND}."
)

_ORDER = tuple(LOST_WORDS)


def urgency(sensor: str) -> int:
    """Place of a sensor in a list of those that are lost, the most urgent first."""
    kind = sensor.partition(".")[0]
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)


def mode(troubles: Mapping[str, str]) -> str:
    """For each kind of sensor that is lost what that means, and the reasons; empty if none is.

    >>> mode({"imu": "The inertial sensor is silent; check its four wires"})
    'The table still weighs, and asks for the cell of each piece. The inertial sensor is silent; \
check its four wires.'
    """
    kinds: dict[str, dict[str, str]] = {}
    for sensor, reason in troubles.items():
        kinds.setdefault(sensor.split(".")[0], {})[sensor] = reason
    sentences: list[str] = []
    for kind in sorted(kinds, key=urgency):
        said = [_ended(reason) for reason in kinds[kind].values() if reason]
        sentences += [_meaning(kind, kinds[kind]), *said]
    return " ".join(sentences)


def _meaning(kind: str, lost: Mapping[str, str]) -> str:
    if kind != "scale" or "scale" in lost:
        return LOST_WORDS.get(kind, UNKNOWN_LOST)
    return ONE_CELL_LOST if len(lost) == 1 else CELLS_LOST.format(count=len(lost))


def _ended(sentence: str) -> str:
    """Most reasons have no full stop of their own."""
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."
