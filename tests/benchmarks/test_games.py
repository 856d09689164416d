from engine.games.registry import GAMES
from tests.benchmarks.games import measure


def test_every_game_is_measured() -> None:
    figures, remark = measure(seconds=0.01, scored_games=2)

    assert {figure.what for figure in figures} == {kind.rules.title for kind in GAMES.values()}
    assert all(figure.per_s > 0 and figure.n > 0 for figure in figures)
    assert "10000 finished Topple games" in remark
