from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from lab.people.fidgeting import TEMPERS
from lab.people.players import HIGH_TOWER, PATIENT_S, STOPPED_S, People
from lab.people.ways import Ways
from lab.twin.parameters import PRESETS, preset_parameters
from lab.twin.tower import Tower


def seated(seed: int = 1, **options: Any) -> People:
    tower = Tower(preset_parameters("calm"), seed)
    return People(tower, "calm", seed, **options)


def live(people: People, seconds: float) -> Iterator[float]:
    while people.tower.now_s < seconds:
        people.tower.advance(max(people.wake_s, people.tower.now_s + 0.01))
        people.act()
        yield people.tower.now_s


def lived(people: People, seconds: float) -> People:
    for _ in live(people, seconds):
        pass
    return people


def entries(people: People, kind: str) -> list[dict[str, Any]]:
    return [entry for entry in people.tower.truth.entries if entry["type"] == kind]


def bump_off(people: People, player: int) -> None:
    """A player bumps the table so that a piece falls."""
    stacks = people.tower.pieces.stacks
    people.tower.knock("a1", 0.01, player=player)
    people.tower.knock_off(next(cell for cell, stack in stacks.items() if stack))


def until_cleared(people: People, seconds: float) -> None:
    for _ in live(people, seconds):
        if people.said[-1].type == "cleared":
            return


def test_nobody_speaks_before_the_game_is_started() -> None:
    people = seated()
    for _ in live(people, 10.0):
        if people.said:
            break

    assert people.said[0].type == "start"
    assert 4.0 <= people.said[0].t_s <= 6.6
    assert people.state is not None


@pytest.mark.parametrize("players", [2, 3, 4])
def test_as_many_play_as_are_seated(players: int) -> None:
    people = lived(seated(players=players), 8.0)

    assert len(people.said[0].data["players"]) == players
    assert len(people.scores) == players


def test_two_colours_are_for_two() -> None:
    people = lived(seated(two_colours=True), 8.0)

    assert [len(player["colours"]) for player in people.said[0].data["players"]] == [2, 2]


def test_a_topple_by_a_bump_is_owned_up_to_and_costs_ten() -> None:
    people = lived(seated(3, players=2), 30.0)
    bump_off(people, 1)
    before = dict(people.scores)
    for _ in live(people, 50.0):
        if people.said[-1].type == "blame":
            break
        before = dict(people.scores)

    assert people.said[-1].data == {"player": 1}
    assert people.scores == {**before, "Bob": before["Bob"] - 10}
    until_cleared(people, 75.0)
    assert people.said[-1].type == "cleared"
    assert people.tower.pieces.count == 0


def test_a_round_is_played_out_when_the_last_piece_lies() -> None:
    people = seated(2, players=2)
    entries = people.tower.truth.entries
    for _ in live(people, 120.0):
        if len([entry for entry in entries if entry["type"] == "place"]) == 24:
            break

    assert entries[-1]["type"] == "played_out"
    assert people.state is not None
    assert people.state.round == 2


@pytest.mark.slow
def test_they_name_nobody_who_bumps_a_board_on_which_all_pieces_lie() -> None:
    """It costs nobody: the round is over."""
    people = seated(2, players=2)
    for _ in live(people, 120.0):
        if [entry["type"] for entry in people.tower.truth.entries[-1:]] == ["played_out"]:
            break
    before = dict(people.scores)
    bump_off(people, 1)
    until_cleared(people, 150.0)

    assert "blame" not in [said.type for said in people.said]
    assert people.scores == before


@pytest.mark.parametrize("seed", [4, 5, 6])
def test_a_bump_before_a_slid_piece_has_counted_interrupts_whose_piece_it_was(seed: int) -> None:
    """Not the player before (second thoughts, seed 1400101)."""
    people = seated(seed, players=2, ways=Ways(slides=1.0))
    entries = people.tower.truth.entries
    for now_s in live(people, 60.0):
        last = people.tower.truth.last_placement()
        aimed = last is not None and "slid_from" not in last and now_s - last["t"] < 0.3
        if aimed and people._thought and now_s > 20.0:
            break
    interrupted = [entry["player"] for entry in entries if entry["type"] == "turn"][-1]
    bump_off(people, 1 - interrupted)
    until_cleared(people, 90.0)

    assert people.state is not None
    assert people.state.current == interrupted


WHO = ("Ann", "Bob", "placing", "none")


def test_they_blame_the_placing_when_the_piece_itself_fell() -> None:
    people = lived(seated(3, players=2), 20.0)
    full = next(cell for cell, stack in people.tower.pieces.stacks.items() if stack)
    people.tower.place(full, player=1, slip="offstack")
    lived(people, 24.0)

    assert people.tower.topple is not None
    assert people.tower.topple.cause == "placing"
    assert people.answer("blame", people.tower.now_s, WHO) == "placing"


@pytest.mark.parametrize("kind", ["bumps", "taps", "touches", "leans"])
def test_rough_tables_are_disturbed_more_often(kind: str) -> None:
    rates = [getattr(TEMPERS[preset], kind) for preset in PRESETS]

    assert rates == sorted(rates)


def test_people_who_agree_to_stop_clear_a_tower_that_stands_and_nobody_pays() -> None:
    people = seated(2, players=2, ways=Ways(agrees_to_stop=1.0))
    entries = people.tower.truth.entries
    for _ in live(people, 90.0):
        if any(entry["type"] == "remove" for entry in entries):
            break
    kinds = [entry["type"] for entry in entries]
    agreed = next(entry for entry in entries if entry["type"] == "agreed")
    removed = next(entry for entry in entries if entry["type"] == "remove")

    assert kinds.count("place") == HIGH_TOWER
    assert "topple" not in kinds
    assert STOPPED_S[0] <= removed["t"] - agreed["t"] <= STOPPED_S[1] + 1.0
    assert people.state is not None
    assert people.state.round == 2
    assert min(people.scores.values()) >= 0


def test_a_roll_names_its_player_as_a_phone_does() -> None:
    people = lived(seated(3, players=2, ways=Ways(names_rolls=1.0)), 25.0)
    turns = entries(people, "turn")
    rolls = [said for said in people.said if said.type == "roll"]

    assert len(rolls) > 3
    assert [said.data["player"] for said in rolls] == [people.names[e["player"]] for e in turns]


def told_and_true(ways: Ways) -> tuple[list[int], list[int]]:
    """The rolls that were told in some turns, and those that were rolled."""
    people = lived(seated(3, players=2, ways=ways), 60.0)
    turns = entries(people, "turn")
    told = [said.data["value"] for said in people.said if said.type == "roll"]
    return told, [entry["roll"] for entry in turns]


def test_a_die_that_misreads_tells_another_number_and_people_play_by_what_they_see() -> None:
    told, true = told_and_true(Ways(misread_rolls=1.0))

    assert len(told) == len(true) > 5
    assert all(one != other for one, other in zip(told, true, strict=True))
    assert {*told} <= {1, 2, 3, 4, 5, 6}


def test_a_die_that_is_not_heard_tells_nothing_and_people_play_on() -> None:
    told, true = told_and_true(Ways(unheard_rolls=1.0))

    assert told == []
    assert len(true) > 5


def test_a_table_is_bumped_hard_while_its_board_may_still_swing() -> None:
    people = lived(seated(3, players=2, ways=Ways(late_bumps=1.0)), 30.0)
    entries = people.tower.truth.entries
    hard = [e["t"] for e in entries if e["type"] == "bump" and e.get("amp", 0.0) >= 6.0]
    placed = [entry["t"] for entry in entries if entry["type"] == "place"]

    assert hard
    assert all(any(0.0 <= at_s - t_s < 2.0 for t_s in placed) for at_s in hard)


def test_a_wrong_piece_lies_there_in_its_own_colour_and_uses_the_turn_up() -> None:
    people = lived(seated(3, players=2, ways=Ways(wrong_colours=1.0)), 60.0)
    own = dict(zip(people.names, people.colours, strict=True))
    turns = entries(people, "turn")
    laid = entries(people, "place")
    by = [max((t for t in turns if t["t"] < e["t"]), key=lambda t: float(t["t"])) for e in laid]

    assert len(laid) > 4
    assert all(
        own[people.names[turn["player"]]] != entry["colour"]
        for turn, entry in zip(by, laid, strict=True)
    )
    assert all(one["player"] != other["player"] for one, other in pairwise(turns))


def first_roll_s(people: People) -> float:
    """When the first roll is told, after the start."""
    for now_s in live(people, 40.0):
        if any(each.type == "roll" for each in people.said):
            return now_s - people.said[0].t_s
    return 40.0


@pytest.mark.parametrize(("calls", "waits"), [("right", 0.0), ("late", 3.0), ("wrong", PATIENT_S)])
def test_who_rolls_when_the_screen_says_so_waits_for_it_but_not_for_ever(
    calls: str, waits: float
) -> None:
    usual_s = first_roll_s(seated(5, players=2))
    people = seated(5, players=2, ways=Ways(awaits_call=1.0))
    began = [float("inf")]

    def called() -> str | None:
        began[0] = min(began[0], people.tower.now_s)
        who = people.names[people.state.current] if people.state else None
        if calls == "late" and people.tower.now_s < began[0] + 3.0:
            return None
        return "somebody else" if calls == "wrong" else who

    people.called = called

    assert first_roll_s(people) == pytest.approx(usual_s + waits, abs=0.3)


def test_without_a_screen_nobody_waits_for_it() -> None:
    assert first_roll_s(seated(5, ways=Ways(awaits_call=1.0))) == first_roll_s(seated(5))
