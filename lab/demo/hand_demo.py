"""`topple-table demo --game ...`: the games without sensors, played by simulated players.

In the terminal at full speed, or on the pages: there whoever joins by phone takes a seat and plays
against the simulated players, who have all others.
"""

import random
import sys
from collections.abc import Callable

from controller.app.run import connected, keep_going, tell
from controller.app.wiring import fair_chance, new_id, pipeline
from controller.common.errors import ControllerError
from controller.common.shutdown import Stopping, stop_on_signals
from controller.common.terminal import say
from controller.mqtt.client import BrokerAddress
from controller.table.keepers import NullJournal
from controller.table.publisher import Home, Identity
from engine.events import HumanInput
from engine.games.playthrough import play_through, transcript
from engine.games.registry import GAMES
from hw.source import Item
from lab.demo.demo import DONE, FIRST_WEB_PORT, PUT_AWAY_S, TABLE, WRONG_USE, broker_for
from lab.demo.hand_players import HandPlayers
from lab.twin.parameters import preset_parameters
from lab.twin.source import OverTower
from lab.twin.tower import Tower
from pages.server import ScoreboardServer


def play(game_id: str, seed: int = 0) -> int:
    """Play one game to its end, print every move and the result, and return the exit code."""
    print(f"{GAMES[game_id].rules.title}, seed {seed}")
    for line in transcript(game_id, play_through(game_id, random.Random(seed).random)):
        print(line)
    return DONE


class HandTable(OverTower):
    """An empty tower that nobody touches, and what the players say beside it.

    Args:
        says: table time -> what somebody says now.
    """

    def __init__(self, seed: int, says: Callable[[float], HumanInput | None]) -> None:
        super().__init__(Tower(preset_parameters("calm"), seed, []))
        self._says = says

    def poll(self, until_s: float) -> list[Item]:
        """Run the tower up to `until_s`; samples are ready at most 0.1 s later."""
        said = self._says(until_s)
        if said is not None:
            self.tower.put_events([said])
        self.tower.advance(until_s)
        return self.tower.collect(until_s)


def show(
    game_id: str,
    *,
    seed: int = 1,
    speed: float = 1.0,
    broker: BrokerAddress | None = None,
    pages: BrokerAddress | None = None,
    web_port: int | None = None,
    web_host: str = "127.0.0.1",
    table: str = TABLE,
) -> int:
    """Play game after game on the pages, until interrupted; options as on the command line.

    Returns:
        Exit code: 0 when it was interrupted, 2 after wrong use.
    """
    players = HandPlayers(game_id, GAMES[game_id], random.Random(seed))
    servers: list[ScoreboardServer] = []

    def says(now_s: float) -> HumanInput | None:
        seated = servers[0].seated(table, PUT_AWAY_S) if servers else ()
        return players.act(rules.state, now_s, seated)

    source = HandTable(seed, says)
    rules = pipeline(source.tabletop, chance=fair_chance)
    stopping = Stopping()
    try:
        with broker_for(broker) as where:
            say(f"{GAMES[game_id].rules.title}, simulated players.")
            identity = Identity(table, new_id(), simulated=True)
            port = FIRST_WEB_PORT if web_port is None else web_port
            with connected(
                source, rules, NullJournal(), identity, where, home=Home(), listener=tell
            ) as (live, _):
                server = ScoreboardServer(
                    pages or where, host=web_host, port=port, quiet=True, phones="screen"
                )
                servers.append(server)
                stop_on_signals(stopping)
                server.start()
                say(f"Scoreboard: {server.screen_url(table)}   (Ctrl-C ends)")
                say(f"Play:       {server.url}t/{table}/play   (with the PIN; take a seat)")
                try:
                    keep_going(live, stopping, speed=speed)
                finally:
                    server.stop()
    except ControllerError as error:
        print(f"demo: {error}", file=sys.stderr)
        return WRONG_USE
    return DONE
