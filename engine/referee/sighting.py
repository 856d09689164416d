"""From what the sensors saw to a placement the rules allow: cell, colour, and how sure.

Nothing here loses a sighting. When the die does not allow the cell that was seen, the best cell
it does allow is taken and the table asks; when the sensors could not tell a cell, likewise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import IllegalAction
from engine.events import SURE
from engine.games.contract import Action, Game
from engine.pieces import mostly
from engine.referee.asking import (
    colour_worth,
    is_colour_worth_asking,
    is_worth_asking,
    worth_of,
)
from engine.referee.basics import colours_of
from engine.referee.ledger import ELSEWHERE, Move
from engine.referee.position import UNKNOWN, Choice, Position, Question, likely
from engine.tabletop import FILES, RANKS

MOST_CHOICES = 8
"""As many as the die allows at most on one level: more buttons than that nobody reads."""

EXCLUDED = 0.01
"""Where the cells that the sensors name leave less for all others and for none, the stacks of the
others did not change. Of 666 pieces told with 0.99 or more on nine simulated tables (calm to rough,
seven ways of people) none lay on a cell that was not named; of 29 told with less two did.
It only decides what is offered first. A table whose sensors are certain and wrong (one that was
mounted turned round) has to be told so: by "Another cell", and by a correction, which nothing
refuses."""

OWN_PIECE = 0.97
"""Share of pieces that are one's own and in one's turn, as far as the table can know."""

SCORES_MORE = 0.7
"""Share of pieces of that of two colours which scores more on its cell."""

FELL = Choice("fell", "It fell")
NOTHING = Choice("none", "Nothing was placed")
ANOTHER = Choice("another", "Another cell")


@dataclass(frozen=True, slots=True)
class PlacementReading:
    """How a placement is read.

    Attributes:
        confidence: probability that `cell` is right; None when people said it.
        unsure: the table does not know it for certain.
        asked: it should ask at once; never if it is not unsure.
        worth: points that hang on the cell at most.
    """

    cell: str
    colour: str
    confidence: float | None
    unsure: bool
    asked: bool
    choices: tuple[Choice, ...]
    worth: int = 0


def legal_placements(rules: Game[Any], game_state: Any) -> list[Action]:
    """Every placement the rules allow now, colour by colour."""
    return [action for action in rules.legal_actions(game_state) if action["type"] == "place"]


def read(position: Position, move: Move) -> PlacementReading:
    """Read a placement in the light of the rules.

    Raises:
        IllegalAction: no placement at all is possible now.
    """
    legal = legal_placements(position.rules, position.game_state)
    if not legal:
        raise IllegalAction("no_piece_left", "there is no piece left that could be placed")
    cells = tuple(dict.fromkeys(action["cell"] for action in legal))
    cells = tuple(cell for cell in cells if cell not in _excluded_by_people(move)) or cells
    cell, confidence, unsure = _cell(move, cells)
    colour = _told(position, move) or _announced(position, legal)
    colour = colour or _guess(position, move, legal, cell)
    choices = _choices(move, cells)
    if not unsure or confidence is None:
        return PlacementReading(cell, colour, confidence, unsure, unsure, choices)
    worth = worth_of(position, colour, _playable(legal, colour, choices))
    # Who has begun to answer is not left alone with it.
    asked = bool(_excluded_by_people(move)) or is_worth_asking(position, move, confidence, worth)
    return PlacementReading(cell, colour, confidence, unsure, asked, choices, worth)


def _playable(legal: list[Action], colour: str, choices: tuple[Choice, ...]) -> tuple[str, ...]:
    """Those of the cells offered on which a colour may be placed."""
    cells = {action["cell"] for action in legal if action["colour"] == colour}
    return tuple(choice.value for choice in choices if choice.value in cells)


def _excluded_by_people(move: Move) -> tuple[str, ...]:
    return tuple(move.data.get(ELSEWHERE, ()))


def _cell(move: Move, legal: tuple[str, ...]) -> tuple[str, float | None, bool]:
    if "cell" in move.data:
        return move.data["cell"], None, False
    if move.seen is None:
        raise IllegalAction("cell_required", "say on which cell the piece was placed")
    ranked = likely(move.seen.cells, legal)
    unsure = not move.settled and move.seen.confidence < SURE
    if ranked and ranked[0] == move.seen.cells[0]:
        return ranked[0][0], move.seen.confidence, unsure
    if len(legal) == 1 and not move.seen.cells:
        # Where it lies the die says: the only question is whether it stands.
        stands = move.seen.stands
        return legal[0], stands, not move.settled and stands < SURE
    if ranked:
        return ranked[0][0], ranked[0][1], True
    return _by_distance(move, legal)[0], 0.0, True


def _by_distance(move: Move, legal: tuple[str, ...]) -> list[str]:
    if move.seen is None or not move.seen.cells:
        return list(legal)
    seen = move.seen.cells[0][0]
    return sorted(legal, key=lambda cell: _distance(cell, seen))


def _distance(one: str, other: str) -> int:
    files = FILES.index(one[0]) - FILES.index(other[0])
    ranks = RANKS.index(one[1]) - RANKS.index(other[1])
    return files * files + ranks * ranks


def _choices(move: Move, legal: tuple[str, ...]) -> tuple[Choice, ...]:
    ranked = likely(move.seen.cells, legal) if move.seen else ()
    named = {cell for cell, _ in ranked}
    others = [cell for cell in _by_distance(move, legal) if cell not in named]
    choices = [Choice(cell, cell, p) for cell, p in ranked]
    # Where nothing was seen no cell is likelier than another: the piece may lie on any of them.
    room = len(others) if not ranked else _room(move, len(ranked))
    if len(others) <= room:
        return (*choices, *(Choice(cell, cell) for cell in others), FELL, NOTHING, UNKNOWN)
    nearest = (Choice(cell, cell) for cell in others[: max(room - 1, 0)])
    return (*choices, *nearest, ANOTHER, FELL, NOTHING, UNKNOWN)


def _room(move: Move, named: int) -> int:
    """How many cells are offered that the sensors do not name."""
    excluded = move.seen is not None and 1.0 - move.seen.stands < EXCLUDED
    return 0 if excluded else MOST_CHOICES - named


def where(move: Move, player: str, reading: PlacementReading) -> Question:
    """Ask on which cell a piece was placed."""
    text = f"Where did {player}'s piece go?"
    return Question(
        "cell", move.ref, text, reading.choices, player=player, cell=reading.cell,
        worth=reading.worth or None, spared=not reading.asked,
    )  # fmt: skip


def _told(position: Position, move: Move) -> str | None:
    """The colour by people's word. Of what they saw on the board no piece may be left any more."""
    if "colour" in move.data or move.colour is None:
        return move.colour
    left = position.view["left"]
    return move.colour if left.get(move.colour) else None


def _announced(position: Position, legal: list[Action]) -> str | None:
    playable = {action["colour"] for action in legal}
    return position.colour if position.colour in playable else None


def _guess(position: Position, move: Move, legal: list[Action], cell: str) -> str:
    """Which of two colours was played, when nobody said so.

    The weight may tell. Else people who look at the board play the colour that scores more there;
    where that decides nothing, the colour with more pieces left is the likelier one.
    """
    here = [action for action in legal if action["cell"] == cell] or legal
    if len(here) == 1:
        return str(here[0]["colour"])
    left = position.view["left"]
    best = max(here, key=lambda action: (_points(position, action), left[action["colour"]]))
    colours = [str(action["colour"]) for action in here]
    before = mostly(str(best["colour"]), SCORES_MORE, colours)
    after = colour_probabilities(position, move, before)
    return max(after, key=after.__getitem__)


def colour_probabilities(
    position: Position, move: Move, before: Mapping[str, float]
) -> Mapping[str, float]:
    """Probability of each colour of a placement, by its weight."""
    if position.pieces is None or move.seen is None:
        return before
    return position.pieces.probabilities(move.seen.mass_g, move.seen.mass_sd_g, before)


def own_colour(position: Position, move: Move) -> str | None:
    """Which of the colours of whose turn it is a piece had, if its weight says so for certain."""
    colours = colours_of(position, position.player)
    if len(colours) < 2:
        return None
    after = colour_probabilities(position, move, dict.fromkeys(colours, 1.0 / len(colours)))
    likeliest = max(after, key=after.__getitem__)
    return likeliest if after[likeliest] > SURE else None


@dataclass(frozen=True, slots=True)
class WeightEvidence:
    """What the weight of a placed piece says; see `Applied`.

    Attributes:
        after: probability of each colour; empty where weights tell nothing.
    """

    mass_g: float | None = None
    colour_p: float | None = None
    weighs: str | None = None
    after: Mapping[str, float] = field(default_factory=dict)


def weighed(position: Position, move: Move, colour: str) -> WeightEvidence:
    """What the weight says of a piece that is taken for one of a colour."""
    if move.mass_g is None:
        return WeightEvidence()
    mass_g = round(move.mass_g, 2)
    colours = position.game_state.match.colours
    if position.pieces is None or len(colours) < 2:
        return WeightEvidence(mass_g)
    before = mostly(colour, OWN_PIECE, colours)
    after = colour_probabilities(position, move, before)
    if all(abs(after[name] - before[name]) < 1e-6 for name in colours):
        return WeightEvidence(mass_g)
    likeliest = max(after, key=after.__getitem__)
    # People who were asked, or said so, know better than the balance.
    doubted = likeliest != colour and after[likeliest] > SURE and move.colour is None
    return WeightEvidence(mass_g, round(after[colour], 4), likeliest if doubted else None, after)


def which_colour(
    position: Position, move: Move, reading: PlacementReading, weight: WeightEvidence
) -> Question | None:
    """Ask whether somebody placed a piece of another colour, as its weight says.

    Args:
        position: before the placement.
        move: it.
        reading: how it is read.
        weight: what its weight says.

    Returns:
        The question; `spared` where too little hangs on it. None where nothing does.
    """
    view, other = position.view, weight.weighs
    if other is None or view["colour_scores"] is None or not view["left"][other]:
        return None
    own = tuple(c for c in colours_of(position, position.player) if view["left"][c] and c != other)
    worth = colour_worth(position, (reading.colour, other), reading.cell)
    asked = is_colour_worth_asking(position, 1.0 - weight.after[reading.colour], worth)
    choices = (
        Choice(other, f"Yes, {other}", _shown(weight.after[other])),
        *(Choice(colour, f"No, {colour}", _shown(weight.after[colour])) for colour in own),
        UNKNOWN,
    )
    return Question(
        "colour", move.ref, f"Did {position.player} place a {other} piece?", choices,
        player=position.player, cell=reading.cell, worth=worth or None, spared=not asked,
    )  # fmt: skip


def _shown(p: float) -> float:
    return round(p, 4)


def _points(position: Position, action: Action) -> int:
    after = position.rules.apply(position.game_state, action)
    return int(position.rules.view(after)["last"].get("points") or 0)
