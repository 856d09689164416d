from tests.benchmarks.games import measure


def test_every_game_is_measured_and_missing_peers_are_named() -> None:
    figures, remarks = measure(seconds=0.01, scored_games=2)

    ours = {figure.what for figure in figures if "(ours)" in figure.what}
    assert len(ours) == 4
    assert all(figure.per_s > 0 and figure.n > 0 for figure in figures)
    named = " ".join([*remarks, *(figure.what for figure in figures)])
    assert all(peer in named for peer in ("OpenSpiel", "python-chess", "boardgame.io"))
