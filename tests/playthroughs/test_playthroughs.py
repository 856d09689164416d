import pytest

from engine.games.registry import GAMES
from tests.playthroughs.make import golden, playthrough


@pytest.mark.parametrize("game", list(GAMES))
def test_game_is_played_as_written_down(game: str) -> None:
    text = golden(game).read_text(encoding="utf-8")

    assert text.splitlines() == playthrough(game).splitlines()


@pytest.mark.parametrize("game", list(GAMES))
def test_playthrough_ends_with_a_result(game: str) -> None:
    *_, last = golden(game).read_text(encoding="utf-8").splitlines()

    assert last.startswith("result: ")
