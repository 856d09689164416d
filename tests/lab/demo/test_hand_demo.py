from collections.abc import Callable
from typing import Any

import pytest

from engine.games.registry import GAMES
from lab.demo.hand_demo import play
from tests.lab.demo.programs import running
from tests.pages.browser import BROWSER, opened
from tests.pages.home import tap


@pytest.mark.parametrize("game", list(GAMES))
def test_demo_plays_to_the_end_and_prints_the_result(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(game, 1) == 0
    first, *moves, result = capsys.readouterr().out.splitlines()
    assert first == f"{GAMES[game].rules.title}, seed 1"
    assert len(moves) > 10
    assert result.startswith("result: ")


@pytest.mark.parametrize("game", list(GAMES))
def test_same_seed_prints_the_same_game(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for seed in (4, 4, 5):
        play(game, seed)
        printed.append(capsys.readouterr().out)

    assert printed[0] == printed[1] != printed[2].replace("seed 5", "seed 4")


@pytest.mark.slow
@BROWSER
def test_on_the_pages_a_phone_plays_against_the_simulated_players(
    embedded_broker: Any, free_port: Callable[[], int], chromium: Any
) -> None:
    web = f"broker=BrokerAddress(port={embedded_broker.port}), web_port={free_port()}"
    with running(f"hand_demo.show('topominos', seed=1, speed=5.0, {web})") as demo:
        demo.until("The game begins")
        told = {name: rest.strip() for name, _, rest in (row.partition(":") for row in demo.told)}
        pin = told["Phones"].partition("PIN")[2].replace(" ", "")
        with opened(chromium, f"{told['Play'].split()[0]}#{pin}") as phone:
            tap(phone, "Ann")
            # Her turn comes, and now nobody plays it for her.
            phone.locator("#panel h2", has_text="Your turn").wait_for()
            phone.locator("#panel button:not([aria-disabled=true])").first.wait_for()
