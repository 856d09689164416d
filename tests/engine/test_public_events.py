"""Every event that is published has a struct; every field of it is documented and stays."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from engine.events import HumanInput
from engine.games.playthrough import play_through
from engine.games.registry import GAMES
from engine.public_events import (
    BESIDE,
    EVENTS,
    ByHandEvent,
    CorrectedEvent,
    LastShown,
    PlacedEvent,
    PublicEvent,
    event_of,
)
from engine.referee import RefereeState, Ruling, handle_input
from engine.referee.ruling import fields_of
from tests.engine.referee.told import OPENINGS, Evening

PROMISED = """
started: ref
rolled: ref die
colour: ref colour
placed: ref cell colour points confidence mass_g colour_p weighs ways changes status assumed die
passed: ref status assumed die
retracted: ref reason cell colour changes
suspected: id kind probability valid_s
dismissed: id
refused: verb reason
toppled: ref confidence cause kind changes status assumed die
fell: ref colour status assumed
corrected: ref cell colour points confidence cause kind mass_g colour_p weighs ways status assumed die was of changes
undone: ref verb cell changes
redone: ref verb cell changes
score: scores changes
turn: phase ref status assumed
round: reason game_over
cleared: ref status
asked: id kind ref text
settled: id
ended: ref
over: winners
fault: sensor reason code args
restored: sensor
: ref cell points
"""  # noqa: E501 - one event a line
"""The fields of `data`, written by hand: no generator makes a field disappear from here."""


@cache
def rulings() -> tuple[Ruling, ...]:
    """What is ruled in games in which much goes wrong, and in one of each other game."""
    seen = [
        ruling
        for seed, opening in enumerate(OPENINGS)
        for _, ruling in Evening(seed).rulings(opening)
    ]
    return (*seen, *(ruling for game in GAMES for ruling in by_hand(game)))


def by_hand(game: str) -> Iterator[Ruling]:
    state = RefereeState()
    for t_s, step in enumerate(play_through(game, random.Random(7).random)):
        data = dict(step.action)
        verb = data.pop("type") if data["type"] == "start" or game == "topple" else "action"
        data = {"game": game, **data} if verb == "start" else data
        ruling = handle_input(state, HumanInput(float(t_s), verb, data))
        state = ruling.state
        yield ruling


def happened() -> list[PublicEvent]:
    return [event for ruling in rulings() for event in ruling.outcomes]


def test_the_fields_of_events_are_those_that_displays_were_promised() -> None:
    """A new field is added above. One that goes or is renamed breaks displays: do not."""
    found = [
        f"{tag}: {' '.join(name for name in kind.__struct_fields__ if name not in BESIDE)}"
        for tag, kind in EVENTS.items()
    ]

    assert found == PROMISED.strip().splitlines()


def metas(hint: Any) -> list[msgspec.Meta]:
    """What is said of a type, or of a part of a union."""
    if isinstance(hint, msgspec.Meta):
        return [hint]
    return [meta for part in get_args(hint) for meta in metas(part)]


@pytest.mark.parametrize("kind", EVENTS.values(), ids=lambda kind: kind.__name__)
def test_every_event_and_every_field_is_documented(kind: type[PublicEvent]) -> None:
    assert kind.__doc__ is not None
    assert kind.__doc__.split("\n")[0].endswith(".")
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if name not in {"seq", "t_s", "player"}:
            (meta,) = metas(hint)
            assert (meta.description or "").endswith("."), name


@pytest.mark.slow
def test_nothing_that_a_move_came_to_mean_is_lost_on_its_way() -> None:
    moves = [a for ruling in rulings() for a in ruling.state.applied().values()]

    assert {applied.type for applied in moves} >= {"placed", "toppled", "fell", "draw"}
    for applied in moves:
        kind = EVENTS.get(applied.type, ByHandEvent)
        assert set(fields_of(applied)) <= set(kind.__struct_fields__), applied.type
        if kind is not ByHandEvent:
            assert set(fields_of(applied)) <= set(CorrectedEvent.__struct_fields__), applied.type


def test_events_are_one_tagged_union() -> None:
    types = {event.type for event in happened()}

    assert len(types & set(EVENTS)) > len(EVENTS) // 2
    decoder: msgspec.json.Decoder[PublicEvent] = msgspec.json.Decoder(PublicEvent)
    for event in happened():
        assert decoder.decode(msgspec.json.encode(event)) == event


NOT_IN_LAST = {"action", "assumed", "die", "phase", "reason", "seq", "t_s", "verb"}


def test_the_document_holds_all_fields_of_the_last_event() -> None:
    """A new field of a move is added to `LastShown`, or above with a reason not to show it."""
    moves = [kind for tag, kind in EVENTS.items() if tag != "asked"]
    fields = {name for kind in moves if hasattr(kind, "ref") for name in kind.__struct_fields__}

    assert set(LastShown.__struct_fields__) == {"type", *fields} - NOT_IN_LAST


def test_type_and_player_stand_beside_the_data() -> None:
    event = event_of("placed", "Ann", {"ref": 3, "cell": "c3", "status": "asked", "nonsense": 1})

    assert event == PlacedEvent(player="Ann", ref=3, cell="c3", status="asked")
    assert (event.type, event.data) == (
        "placed",
        {"ref": 3, "cell": "c3", "status": "asked"},
    )


def test_an_action_of_a_game_by_hand_has_its_own_type() -> None:
    event = event_of("draw", "Ann", {"ref": 3})

    assert event == ByHandEvent(player="Ann", action="draw", ref=3)
    assert (event.type, event.data) == ("draw", {"ref": 3})


def test_no_action_of_a_game_by_hand_is_called_as_an_event_is() -> None:
    """It would be taken for one, and lose its fields."""
    hands = {
        name: play_through(name, random.Random(7).random) for name in GAMES if name != "topple"
    }
    types = {step.action["type"] for steps in hands.values() for step in steps}

    assert len(types) > len(hands)
    assert not types & set(EVENTS)


def test_null_is_sent_only_where_it_means_something() -> None:
    undone = event_of("undone", None, {"ref": 3, "verb": "pass", "cell": None, "changes": {}})
    placed = event_of("placed", "Ann", {"ref": 3, "status": "asked", "cell": None})

    assert undone.data == {"ref": 3, "verb": "pass", "cell": None, "changes": {}}
    assert placed.data == {"ref": 3, "status": "asked"}
