"""What is played: other tables for other seeds, and nothing counted that a cut left open."""

from pathlib import Path

from tests.benchmarks.detection_games import (
    Event,
    decidable,
    in_play,
    recorded_games,
    twin_games,
)


def test_what_happens_at_the_cut_is_counted_neither_as_truth_nor_as_decision() -> None:
    truth: list[Event] = [
        {"type": "place", "t": 96.3},
        {"type": "place", "t": 96.99},
        {"type": "topple", "t": 93.0},
    ]
    events: list[Event] = [
        {"type": "placed", "t": 96.3},
        {"type": "placed", "t": 97.01},
        {"type": "cleared", "t": 99.9},
        {"type": "summary"},
    ]
    happened, decided = decidable(truth, events, 100.0)

    assert happened == truth[:1]
    assert [event["type"] for event in decided] == ["placed", "cleared", "summary"]


def happened(*kinds: str) -> list[Event]:
    """Events a second apart; `topple bump` is a topple by a bump."""
    named = (kind.split() for kind in kinds)
    return [
        {"type": kind, "t": float(t_s), **({"cause": cause[0]} if cause else {})}
        for t_s, (kind, *cause) in enumerate(named)
    ]


def test_one_round_has_one_topple() -> None:
    truth = happened("topple placing", "topple bump", "cleared", "place", "topple bump")

    assert in_play(truth) == [*truth[:1], *truth[2:]]


def test_a_bump_after_the_last_piece_is_no_topple_but_that_piece_may_fall() -> None:
    bumped = happened("place", "played_out", "topple bump", "cleared", "topple bump")
    placing = happened("place", "played_out", "topple placing", "cleared")

    assert in_play(bumped) == [*bumped[:2], *bumped[3:]]
    assert in_play(placing) == placing


def test_a_run_has_its_own_tables_and_says_how_to_get_them_again(tmp_path: Path) -> None:
    games = list(twin_games(tmp_path, 1, seed=3, spread=1.0, seconds=2.0))

    assert [game.preset for game in games] == ["calm", "normal", "rough"]
    assert all(game.trace.is_file() and game.truth.is_file() for game in games)
    assert games[0].recipe.startswith("simulate_game(3000, 'calm', folder, seconds=2, spread=1,")


def test_a_recording_needs_its_truth_and_the_name_of_a_preset(tmp_path: Path) -> None:
    for name in ("a_rough.mcap", "a_rough.truth.jsonl", "b_calm.mcap", "c.mcap", "c.truth.jsonl"):
        (tmp_path / name).touch()

    (game,) = recorded_games(tmp_path)

    assert (game.name, game.preset, game.truth.name) == ("a_rough", "rough", "a_rough.truth.jsonl")
