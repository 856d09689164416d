"""The display on Node, with mqtt.js as npm gives it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.controller.conftest import PATIENCE_S
from tests.displays.conftest import FIRST_MINUTE_S, PlayedTable, Start, own_copy


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which `npm install mqtt` was said."""
    if shutil.which("npm") is None:
        pytest.skip("needs npm (apt-get install npm)")
    folder = tmp_path_factory.mktemp("npm")
    subprocess.run(["npm", "install", "--silent", "mqtt"], cwd=folder, check=True)
    return folder


@pytest.mark.slow
def test_it_shows_the_score_at_once_and_follows_the_evening(
    packages: Path, table: PlayedTable, start: Start
) -> None:
    table.play(0.0, FIRST_MINUTE_S)
    display = start("node", own_copy("node_display.mjs", packages, table))

    display.shows(table.scores())
    table.play(FIRST_MINUTE_S)
    display.shows(f"{table.scores()}   won: {table.state['winners'][0]}")
    table.go_off()
    display.shows("(the table is off)")
    table.broker.stop()
    display.shows("(no connection)")


def test_the_page_shows_the_score_and_follows_the_evening(
    packages: Path, table: PlayedTable, chromium: object
) -> None:
    shutil.copy(packages / "node_modules/mqtt/dist/mqtt.min.js", packages)
    table.play(0.0, FIRST_MINUTE_S)
    page_file = own_copy("browser_display.html", packages, table, PORT=table.websockets)
    page = chromium.new_page(viewport={"width": 800, "height": 480})  # type: ignore[attr-defined]
    page.set_default_timeout(1000 * PATIENCE_S)
    page.goto(page_file.as_uri())

    def shows(text: str) -> None:
        page.wait_for_function(f"document.body.innerText.includes({text!r})")

    for player in table.state["players"]:
        shows(f"{player['mark']} {player['name']}")
    table.play(FIRST_MINUTE_S)
    shows(f"won: {table.state['winners'][0]}")
    shown = page.locator(".score").all_inner_texts()
    assert shown == [str(player["score"]) for player in table.state["players"]]
    table.go_off()
    shows("the table is off")
    page.close()
