"""The bar of lights, sent to a strip of ours that takes what WLED's JSON interface documents.

No real WLED has been lit by it.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from tests.controller.conftest import wait_until
from tests.displays.conftest import FIRST_MINUTE_S, PlayedTable, Start, own_copy, posted_to

LIGHTS = 60


@dataclass
class Strip:
    """What every light has shown, one picture after the other."""

    pictures: list[list[str]] = field(default_factory=lambda: [["000000"] * LIGHTS])

    def take(self, body: bytes) -> None:
        lights = list(self.pictures[-1])
        said = msgspec.json.decode(body)
        assert said["on"] is True
        order = said["seg"]["i"]
        assert len(order) % 3 == 0
        for begin, end, colour in zip(order[::3], order[1::3], order[2::3], strict=True):
            assert 0 <= begin < end <= LIGHTS
            assert int(colour, 16) < 1 << 24
            lights[begin:end] = [colour] * (end - begin)
        self.pictures.append(lights)


@pytest.fixture
def strip() -> Iterator[tuple[Strip, str]]:
    strip = Strip()

    def take(path: str, body: bytes) -> None:
        assert path == "/json/state"
        strip.take(body)

    with posted_to(take) as address:
        yield strip, address


def test_it_paints_shares_flashes_at_a_topple_and_goes_dark_with_the_table(
    table: PlayedTable, strip: tuple[Strip, str], start: Start, tmp_path: Path
) -> None:
    lights, address = strip
    table.play(0.0, 30.0)
    display = own_copy("wled_bridge.py", tmp_path, table, WLED=address, LIGHTS=LIGHTS)
    start(sys.executable, display)

    points = [player["score"] + 1 for player in table.state["players"]]
    share = round(LIGHTS * points[0] / sum(points))

    def shared() -> bool:
        bar = lights.pictures[-1]
        return len(set(bar)) == 2 and bar.count(bar[0]) == share

    # The broker may still be handing on earlier states of the game.
    wait_until(shared, f"a bar of two colours, {share} lights of the first")
    table.play(30.0, FIRST_MINUTE_S)
    wait_until(lambda: ["FF0000"] * LIGHTS in lights.pictures, "a flash")
    table.go_off()
    wait_until(lambda: set(lights.pictures[-1]) == {"000000"}, "darkness")
