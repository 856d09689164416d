"""The board of somebody else (tests/lab/bench/second_firmware) as a table of its own, on a broker.

    python -m tests.lab.bench.outside.second_table SOCKET PORT PASSWORD TABLE

Its firmware runs on a simulated processor that reads simulated chips at a simulated tower, which a
bench moves through SOCKET (`--hands unix:SOCKET`); all in real time, until it is told to end.
"""

import sys

from controller.app import wiring
from controller.app.run import connected, keep_going
from controller.common.shutdown import Stopping, stop_on_signals
from controller.mqtt.client import BrokerAddress
from controller.table.keepers import NullJournal
from controller.table.publisher import Identity
from lab.avr.played import AHEAD_S
from lab.bench.outside.handled_tower import moved_tower
from tests.lab.bench.second_firmware.target import CsvSource, built


def main(path: str, port: str, password: str, table: str) -> None:
    """Play until a signal."""
    stopping = Stopping()
    stop_on_signals(stopping)
    tower = moved_tower(path, 1, "calm")
    tower.ahead_s = AHEAD_S
    source = CsvSource(tower, tower.calibration, built())
    address = BrokerAddress("127.0.0.1", int(port), "table", password)
    identity = Identity(table, wiring.new_id(), simulated=True)
    pipeline = wiring.pipeline(source.tabletop)
    with connected(
        source, pipeline, NullJournal(), identity, address, listener=lambda *_: None
    ) as (live, _):
        keep_going(live, stopping)
    source.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
