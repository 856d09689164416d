import pytest

from controller.demo.hand_demo import play
from engine.games.registry import GAMES


@pytest.mark.parametrize("game", list(GAMES))
def test_demo_plays_to_the_end_and_prints_the_result(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(game, 1) == 0
    first, *moves, result = capsys.readouterr().out.splitlines()
    assert first == f"{GAMES[game].rules.title}, seed 1"
    assert len(moves) > 30
    assert result.startswith("result: ")


@pytest.mark.parametrize("game", list(GAMES))
def test_same_seed_prints_the_same_game(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for seed in (4, 4, 5):
        play(game, seed)
        printed.append(capsys.readouterr().out)

    assert printed[0] == printed[1] != printed[2].replace("seed 5", "seed 4")
