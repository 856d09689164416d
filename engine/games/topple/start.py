"""Opening a game of Topple: who plays which colours, to what score, and who begins."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import IllegalAction
from engine.games.checks import MOST_TARGET, distinct_names, is_whole
from engine.games.contract import Action
from engine.games.topple.state import STANDARD, TWO_COLOUR, YOUNG, ToppleMatch
from engine.plainly import as_said

SUGGESTED_TARGET = 100
MOST_PLAYERS = 4


def rolloff_winner(names: Sequence[str], rounds: Sequence[Mapping[str, int]]) -> str | None:
    """Who won a roll-off in which the tied highest roll again (rule T3).

    Args:
        names: all players.
        rounds: each round's rolls by name; the first holds everybody, the next the tied ones.

    Returns:
        The winner, or None when the rolls do not decide or are not as the rule wants them.
    """
    rolling = set(names)
    for rolls in rounds:
        if len(rolling) == 1 or set(rolls) != rolling:
            return None
        highest = max(rolls.values())
        rolling = {name for name, value in rolls.items() if value == highest}
    return rolling.pop() if len(rolling) == 1 else None


def filled_in(action: dict[str, Any]) -> dict[str, Any]:
    """An opening with what people need not say: the variant, and a first player given by seat.

    Raises:
        IllegalAction: `bad_players`, no list of players.
    """
    players = action.get("players")
    if not isinstance(players, (list, tuple)) or not all(isinstance(p, Mapping) for p in players):
        raise IllegalAction("bad_players", "a game needs its players, each with name and colours")
    first = action.get("first", 0)
    if isinstance(first, int) and not isinstance(first, bool) and 0 <= first < len(players):
        action["first"] = players[first].get("name")
    if "variant" not in action:
        action["variant"] = _variant_of(action, players)
    if action["variant"] == YOUNG:
        action.setdefault("target", None)
    return action


def _variant_of(action: Mapping[str, Any], players: Any) -> str:
    if action.get("target", 0) is None:
        return YOUNG
    hands = [player.get("colours") for player in players]
    two = len(hands) == 2 and all(isinstance(h, (list, tuple)) and len(h) == 2 for h in hands)
    return TWO_COLOUR if two else STANDARD


def match_of(action: Action, rules: Mapping[str, Any]) -> ToppleMatch:
    """What a `start` action fixes for the whole game.

    Args:
        action: the `start`; `variant` may be left out (standard), and `target` (100; in the young
            version it is left out, or None).
        rules: the house rules, every switch present.

    Raises:
        IllegalAction: players, colours, target, roll-off or `first` cannot be.
    """
    variant = action.get("variant", STANDARD)
    if variant not in (STANDARD, TWO_COLOUR, YOUNG):
        raise IllegalAction(
            "bad_variant", f"there is no version {as_said(variant)}: standard, two-colour or young"
        )
    players, hands = _seating(action.get("players"))
    _check_colours(hands, variant)
    colours = tuple(colour for hand in hands for colour in hand)
    number = {colour: at for at, colour in enumerate(colours)}
    return ToppleMatch(
        players=players,
        colours=colours,
        hands=tuple(tuple(number[colour] for colour in hand) for hand in hands),
        owner=tuple(player for player, hand in enumerate(hands) for _ in hand),
        target=_target(action, variant),
        variant=variant,
        first=players.index(_first(action, players)),
        rules=rules,
    )


def _seating(players: Any) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    if not isinstance(players, (list, tuple)) or not 2 <= len(players) <= MOST_PLAYERS:
        raise IllegalAction("bad_players", "Topple is for 2 to 4 players")
    if not all(isinstance(player, Mapping) for player in players):
        raise IllegalAction("bad_players", "each player needs a name and colours")
    names = [player.get("name") for player in players]
    if not distinct_names(names):
        raise IllegalAction("bad_players", "each player needs a name of their own")
    hands = [player.get("colours") for player in players]
    if not all(isinstance(hand, (list, tuple)) for hand in hands):
        raise IllegalAction("bad_colours", "each player needs a list of colours")
    return tuple(names), tuple(tuple(hand) for hand in hands)


def _check_colours(hands: Sequence[tuple[Any, ...]], variant: str) -> None:
    if not distinct_names([colour for hand in hands for colour in hand]):
        raise IllegalAction("bad_colours", "there are 12 pieces of each colour, for one owner")
    sizes = {len(hand) for hand in hands}
    two_each = len(hands) == 2 and sizes == {2}
    allowed = {STANDARD: sizes == {1}, TWO_COLOUR: two_each, YOUNG: sizes == {1} or two_each}
    if not allowed[variant]:
        needs = "2 players with 2 colours each" if variant == TWO_COLOUR else "1 colour each"
        raise IllegalAction("bad_colours", f"the {variant} version is played with {needs}")


def _target(action: Action, variant: str) -> int | None:
    if variant == YOUNG:
        _check_no_target(action.get("target"))
        return None
    target = action.get("target", SUGGESTED_TARGET)
    if not is_whole(target) or not 1 <= target <= MOST_TARGET:
        raise IllegalAction(
            "bad_target",
            f"the winning score is {as_said(target)}; "
            f"it must be a whole number from 1 to {MOST_TARGET}",
        )
    return int(target)


def _check_no_target(target: Any) -> None:
    # Whoever gives one means another version; it would be ignored for the whole game.
    if target is not None:
        raise IllegalAction(
            "bad_target",
            f"the young version is played without a winning score, not to {as_said(target)}; "
            "leave it out",
        )


def _first(action: Action, players: tuple[str, ...]) -> str:
    winner = _rolloff(action["rolloff"], players) if action.get("rolloff") is not None else None
    first = action.get("first", winner)
    if not isinstance(first, str) or first not in players:
        raise IllegalAction(
            "bad_first", f"{as_said(first)} is to start, but is not one of the players"
        )
    if winner is not None and first != winner:
        raise IllegalAction("bad_first", f"{winner} won the roll-off, not {first}")
    return first


def _rolloff(rounds: Any, players: tuple[str, ...]) -> str:
    rolled = isinstance(rounds, (list, tuple)) and all(
        isinstance(rolls, Mapping)
        and all(is_whole(value) and 1 <= value <= 6 for value in rolls.values())
        for rolls in rounds
    )
    winner = rolloff_winner(players, rounds) if rolled else None
    if winner is None:
        raise IllegalAction(
            "bad_rolloff",
            "the roll-off must be everybody's roll, then the tied ones' until one won",
        )
    return winner
