import io

import pytest

from controller.demo.hand_demo import play
from engine.games.registry import GAMES


@pytest.mark.parametrize("game", list(GAMES))
def test_demo_plays_to_the_end_and_prints_the_result(game: str) -> None:
    out = io.StringIO()

    assert play(game, 1, out) == 0
    first, *moves, result = out.getvalue().splitlines()
    assert first == f"{GAMES[game].rules.title}, seed 1"
    assert len(moves) > 30
    assert result.startswith("result: ")


@pytest.mark.parametrize("game", list(GAMES))
def test_same_seed_prints_the_same_game(game: str) -> None:
    first, second, other = (io.StringIO() for _ in range(3))
    play(game, 4, first)
    play(game, 4, second)
    play(game, 5, other)

    assert first.getvalue() == second.getvalue() != other.getvalue().replace("seed 5", "seed 4")


def test_unknown_game_is_one_clear_line_and_exit_code_2() -> None:
    out, err = io.StringIO(), io.StringIO()

    assert play("chess", 1, out, err) == 2
    assert out.getvalue() == ""
    assert "topolo" in err.getvalue()
    assert err.getvalue().count("\n") == 1
