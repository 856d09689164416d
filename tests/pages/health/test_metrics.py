"""The figures of the tables as OpenMetrics: read by the parser of Prometheus' own library."""

import urllib.error
import urllib.request
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from controller.mqtt import topics
from controller.mqtt.client import BrokerAddress, ConnectionStatus, Message
from controller.mqtt.topics import Publication, SensorTrouble, TableStatus
from controller.table.confidence import Sureness
from controller.table.piece_marks import LostMark, PieceMarks
from controller.table.vitals import Health, SensorVitals, TableVitals
from hw.drivers.pins_health import CellHealth, PinsHealth
from hw.source import LinkHealth
from pages.health.metrics import MEDIA_TYPE, exposition
from pages.mirror import STALE_AFTER_S, Mirror
from pages.server import ScoreboardServer

TOKEN = "a-token-of-the-club"  # noqa: S105
ONLINE = topics.availability("t1", online=True)
HEALTH = Health(
    "b1", 12.5, {"scale.2": SensorVitals(ok=False, rate_hz=79.8, age_s=None, reason="check C2"),
                 "imu": SensorVitals(ok=True, rate_hz=198.0, age_s=0.02, temperature_c=24.5)},
    (3.5, 9.25), 7, TableVitals("fine", 0.2, 0.01, 0.5, 1.5, 0.05, 0.0, 80.0, 200.0),
    LinkHealth(ok=True, bad_crc=3, missed=(0, 1, 2, 3), rates_hz=(79.9, None, 80.0, 80.1)),
    PinsHealth((CellHealth(stretched=4), CellHealth(words="slow", late=5)), lost=2),
    clients={"display": 2}, too_large={"film": 70_000}, refused={"busy": 9}, recording=True,
    sureness=Sureness(40, 0.99, 2, 0.4, 1, recalibrate=False),
    pieces=PieceMarks({"red": 5.2}, 0.97, [LostMark("red", "blue", 3)]),
)  # fmt: skip


def hearing(*said: Publication, at_s: float = 0.0) -> Mirror:
    mirror = Mirror().connected(ConnectionStatus(up=True, text="connected"))
    for one in said:
        mirror = mirror.updated(Message(one.topic, one.payload, retained=False), at_s)
    return mirror


def read(mirror: Mirror, now_s: float = 1.0) -> dict[tuple[str, ...], float]:
    """Every sample by its name and the values of its labels, as Prometheus reads it."""
    families = text_string_to_metric_families(exposition(mirror, now_s))
    samples = [sample for family in families for sample in family.samples]
    return {(sample.name, *sample.labels.values()): sample.value for sample in samples}


def test_every_number_of_the_health_of_a_table_is_a_metric_with_its_path_as_name() -> None:
    found = read(hearing(ONLINE, topics.health("t1", HEALTH)))

    assert {
        ("topple_broker_up",): 1.0,
        ("topple_up", "t1"): 1.0,
        ("topple_t_s", "t1"): 12.5,
        ("topple_sensors_ok", "t1", "scale.2"): 0.0,
        ("topple_sensors_rate_hz", "t1", "imu"): 198.0,
        ("topple_sensors_temperature_c", "t1", "imu"): 24.5,
        ("topple_step_ms", "t1", "0.99"): 9.25,
        ("topple_dropped", "t1"): 7.0,
        ("topple_table_friction_deg", "t1"): 0.2,
        ("topple_link_bad_crc", "t1"): 3.0,
        ("topple_link_missed", "t1", "3"): 3.0,
        ("topple_link_rates_hz", "t1", "2"): 80.0,
        ("topple_pins_cells_late", "t1", "1"): 5.0,
        ("topple_pins_lost", "t1"): 2.0,
        ("topple_clients", "t1", "display"): 2.0,
        ("topple_too_large", "t1", "film"): 70_000.0,
        ("topple_refused", "t1", "busy"): 9.0,
        ("topple_recording", "t1"): 1.0,
        ("topple_sureness_mean_confidence", "t1"): 0.99,
        ("topple_pieces_masses_g", "t1", "red"): 5.2,
        ("topple_pieces_certainty", "t1"): 0.97,
    }.items() <= found.items()
    assert ("topple_sensors_age_s", "t1", "scale.2") not in found
    assert ("topple_link_rates_hz", "t1", "1") not in found


def numbers_in(value: Any) -> int:
    """How many numbers a JSON document holds."""
    if isinstance(value, dict):
        return sum(numbers_in(found) for found in value.values())
    if isinstance(value, list | tuple):
        return sum(map(numbers_in, value))
    return isinstance(value, int | float)


def test_no_number_is_forgotten() -> None:
    told = msgspec.to_builtins(HEALTH)
    left_out = numbers_in([told.pop("v"), told["pieces"].pop("lost")])
    found = read(hearing(ONLINE, topics.health("t1", HEALTH)))

    assert left_out == 2
    assert len(found) - len(read(hearing(ONLINE))) == numbers_in(told)


def test_troubles_and_version_are_labels() -> None:
    troubles = (SensorTrouble("imu", "gone", "imu_silent"), SensorTrouble("imu", "hot", "imu_hot"))
    status = TableStatus("b1", "degraded", "", "0.1.0", simulated=False, troubles=troubles)
    found = read(hearing(ONLINE, topics.status("t1", status)))

    assert found["topple_run", "t1", "b1", "0.1.0", "degraded"] == 1.0
    assert found["topple_trouble", "t1", "imu", "imu_silent", "0"] == 1.0
    assert found["topple_trouble", "t1", "imu", "imu_hot", "1"] == 1.0


@pytest.mark.parametrize(
    ("mirror", "now_s"),
    [
        (hearing(ONLINE, topics.health("t1", HEALTH)), STALE_AFTER_S + 1),
        (hearing(topics.health("t1", HEALTH), topics.availability("t1", online=False)), 1.0),
        (hearing(topics.health("t1", HEALTH), ONLINE).connected(ConnectionStatus(False, "")), 1.0),
    ],
    ids=["silent", "offline", "no broker"],
)
def test_of_a_table_that_is_not_heard_only_that_is_told(mirror: Mirror, now_s: float) -> None:
    found = read(mirror, now_s)

    assert found.pop(("topple_broker_up",)) == mirror.broker.up
    assert found == {("topple_up", "t1"): 0.0}


@given(st.dictionaries(st.text(max_size=20), st.integers() | st.floats(allow_nan=False)))
def test_whatever_a_publisher_says_the_text_can_be_read(clients: dict[str, Any]) -> None:
    told = msgspec.to_builtins(HEALTH) | {"clients": clients}
    published = topics.health("t1", msgspec.json.encode(told))
    found = read(hearing(ONLINE, topics.status("t1", TableStatus("b", "ready", "", "x", True)),
                         published))  # fmt: skip

    assert found["topple_up", "t1"] == 1.0
    known = {name: n for name, n in clients.items() if isinstance(n, int) and abs(n) < 2**63}
    if len(known) == len(clients):
        told_of = {key[2]: value for key, value in found.items() if key[0] == "topple_clients"}
        assert told_of == {name: float(count) for name, count in known.items()}


def asked(url: str, token: str | None) -> tuple[int, str]:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:  # noqa: S310
            return answer.status, answer.headers["content-type"]
    except urllib.error.HTTPError as refused:
        refused.read()
        return refused.code, refused.headers.get("www-authenticate", "")


def test_who_knows_the_token_gets_them_and_nobody_else() -> None:
    server = ScoreboardServer(BrokerAddress(port=1), port=0, quiet=True, metrics_token=TOKEN)
    server.start()
    url = f"{server.url}metrics"
    try:
        assert asked(url, TOKEN) == (200, MEDIA_TYPE)
        for wrong in (None, "", "ünïcode", TOKEN[:-1], TOKEN + "x", TOKEN.upper()):
            given = wrong.encode().decode("latin-1") if wrong else wrong
            assert asked(url, given) == (401, "Bearer")
    finally:
        server.stop()


def test_without_a_token_there_is_no_such_page() -> None:
    server = ScoreboardServer(BrokerAddress(port=1), port=0, quiet=True)
    server.start()
    try:
        assert asked(f"{server.url}metrics", TOKEN) == (404, "")
    finally:
        server.stop()
