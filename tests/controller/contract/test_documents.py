"""The contract as documents: current, sound, and true of what is really said and obeyed."""

import json
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from controller.contract import documents
from controller.contract.verbs import VERB_DATA, VERB_WORDS
from controller.mqtt import topics
from controller.mqtt.client import Message
from controller.mqtt.topics import TOPICS, Publication
from controller.table.commands import DESK, CommandDesk, Reply
from controller.table.loop import LiveTable
from controller.table.pipeline import Pipeline
from controller.table.publisher import Announcer, Home, Identity
from engine.events import (
    Dismissed,
    Fault,
    HumanInput,
    Restored,
    Suspected,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.games.playthrough import play_through
from engine.referee import VERBS
from tests.controller.evenings import (
    PLACED,
    START,
    Detector,
    Evening,
    Kept,
    Source,
    Wire,
    samples,
    still,
)
from tests.controller.judge import faults_of_obeyed, faults_of_said

DOCUMENT = documents.asyncapi()
ROOT = documents.FOLDER.parents[1]

PARSE = """
import { readFileSync } from "node:fs";
import { Parser } from "@asyncapi/parser";
const { diagnostics } = await new Parser().parse(readFileSync(process.argv[2], "utf8"));
// 0 is an error, 1 a warning; below stand hints, such as that there are newer versions.
const found = diagnostics.filter((each) => each.severity <= 1);
console.log(JSON.stringify(found.map((each) => `${each.path.join(".")}: ${each.message}`)));
"""


def test_the_documents_are_current() -> None:
    assert documents.outdated() == [], "run make contract"


def test_what_is_old_or_left_over_is_noticed_and_put_right(tmp_path: Path) -> None:
    documents.write(tmp_path)
    assert documents.outdated(tmp_path) == []
    (tmp_path / "asyncapi.json").write_text("{}")
    (tmp_path / "schemas" / "state.json").unlink()
    (tmp_path / "schemas" / "gone.json").write_text("{}")

    changed = ["asyncapi.json", "schemas/gone.json", "schemas/state.json"]
    assert documents.outdated(tmp_path) == changed
    assert documents.main(["--check", str(tmp_path)]) == 1
    assert documents.write(tmp_path) == changed
    assert documents.main(["--check", str(tmp_path)]) == 0
    assert documents.main([str(tmp_path)]) == 0


def test_wrong_use_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert documents.main(["--what"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("name", sorted(documents.schemas()))
def test_every_schema_is_one(name: str) -> None:
    schema = documents.schemas()[name]

    jsonschema_rs.meta.validate(schema)
    # The document's own dialect is older; only what both understand is used.
    assert "prefixItems" not in json.dumps(schema)


def test_every_row_of_the_table_of_topics_has_its_payload_and_its_words() -> None:
    # Whoever adds a row to publications.TOPICS adds it to PAYLOADS and WORDS.
    assert set(documents.WORDS) == set(TOPICS) - {"cmd"}
    assert set(documents.PAYLOADS) == set(TOPICS) - {"cmd", "availability"}
    said = topics.presence("t1", "hall", topics.Presence("display", "Hall"))
    assert faults_of_said(said) == []


def test_every_verb_has_its_data_its_words_its_channel_and_its_place_in_the_guide() -> None:
    verbs = {*VERBS, *DESK}
    guide = (ROOT / "docs" / "mqtt.md").read_text()
    told = set(re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", guide, re.MULTILINE))

    assert set(VERB_DATA) == set(VERB_WORDS) == verbs
    channels = {c["address"].rsplit("/", 1)[1] for c in DOCUMENT["channels"].values()
                if "/cmd/" in c["address"]}  # fmt: skip
    assert channels == verbs
    assert {word for cell in told for word in re.findall(r"`(\w+)`", cell)} >= verbs


def resolved(reference: str) -> Any:
    found: Any = DOCUMENT
    for key in reference.removeprefix("#/").split("/"):
        found = found[key]
    return found


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from ([part["$ref"]] if "$ref" in part else [])
        for value in part.values():
            yield from references(value)
    elif isinstance(part, list):
        for value in part:
            yield from references(value)


def test_every_reference_leads_somewhere_and_every_part_is_used() -> None:
    named = set(references(DOCUMENT))

    for reference in named:
        assert resolved(reference)
    for kind in ("schemas", "messages"):
        parts = {f"#/components/{kind}/{name}" for name in DOCUMENT["components"][kind]}
        assert parts <= named


def test_each_channel_names_the_parameters_of_its_address() -> None:
    """All other rules are asked of AsyncAPI's own parser, below."""
    for channel in DOCUMENT["channels"].values():
        named = {part.strip("{}") for part in channel["address"].split("/") if part[:1] == "{"}
        named |= {"table"} if "topple_{table}" in channel["address"] else set()
        assert set(channel.get("parameters", ())) == named


@pytest.mark.parametrize("row", sorted(set(TOPICS) - {"cmd"}))
def test_quality_and_retention_are_those_of_the_table_of_topics(row: str) -> None:
    operation = next(
        o for o in DOCUMENT["operations"].values() if o["channel"]["$ref"] == f"#/channels/{row}"
    )
    binding = operation["bindings"]["mqtt"]

    assert (binding["qos"], binding["retain"]) == (TOPICS[row].qos, TOPICS[row].retain)
    assert operation["action"] == ("receive" if TOPICS[row].speaker == "client" else "send")


def test_no_command_is_retained_and_every_command_is_answered() -> None:
    commands = [o for name, o in DOCUMENT["operations"].items() if name.startswith("obey-")]

    assert len(commands) == len(VERB_DATA)
    assert all(o["bindings"]["mqtt"]["retain"] is False for o in commands)
    assert all(o["reply"]["channel"]["$ref"] == "#/channels/reply" for o in commands)


# --- true of what is really said and obeyed; the fixture `contract_kept` judges every message ----


def test_an_evening_with_everything_in_it_keeps_the_contract() -> None:
    fall = Toppled(2, 8.0, 9.0, ToppleKind.OFF_BOARD, ToppleCause.BUMP, 0.99, 0.6)
    evening = Evening(
        START, HumanInput(1.0, "roll", {"value": 1}), samples(5.0),
        HumanInput(6.0, "roll", {"value": 2}), samples(10.0),
        samples(14.0), *(still(second, second + 1.0) for second in range(2, 12)),
        events=(
            PLACED, Suspected(3, 6.5, 6.6, 0.5, ToppleKind.OFF_STACK), Dismissed(3, 7.0),
            Suspected(4, 8.0, 8.1, 0.7, ToppleKind.OFF_BOARD), fall,
            Fault(11.0, "imu", "Check its cable."), Restored(13.0, "imu"),
        ),
    )  # fmt: skip
    for t_s in (2.0, 6.0, 11.0, 12.0, 15.0):
        evening.step(t_s)
        evening.announcer.flush_now()
    for verb, data in (
        ("blame", {"player": 1}), ("undo", {}), ("redo", {}), ("correct", {"ref": 3, "cell": "d3"}),
        ("turn", {"player": "Ann"}), ("hints", {"on": True}), ("view", {}), ("cleared", {}),
        ("end", {}), ("dance", {}),
        ("topple", {"cause": "bump", "player": "Bob"}), ("answer", {"value": "none"}),
    ):  # fmt: skip
        evening.command(verb, player="Ann", id=verb, data=data)
        evening.step(20.0)
        evening.announcer.flush_now()
    rows = {row.split("/")[0] for row in evening.wire.rows()}

    assert rows == set(TOPICS) - {"cmd", "client"}


@pytest.mark.parametrize("game", ["topple", "topolo", "triple-topper-toe", "topominos"])
def test_whole_games_by_hand_keep_the_contract(game: str) -> None:
    """The judge sees every state, event, reply and obeyed command of a whole game."""
    wire, chance = Wire(), random.Random(7).random
    identity = Identity("t1", "b")
    announcer = Announcer(wire, identity, Home())
    pipeline = Pipeline(Detector(), chance=chance)
    table = LiveTable(Source(), pipeline, Kept(wire), announcer, identity)
    table.open(0.0)
    done = 0
    for t_s, step in enumerate(play_through(game, chance)):
        if done >= 80:
            break
        data = dict(step.action)
        verb = data.pop("type")
        if verb == "start":
            data["game"] = game
        elif game != "topple":
            verb, data = "action", dict(step.action)
        payload = json.dumps({"client": "bot", "id": str(t_s), "data": data}).encode()
        table.receive(Message(f"topple/1/t1/cmd/{verb}", payload, retained=False))
        table.step(2.0 * t_s, 1000.0)
        announcer.flush_now()
        done += wire.last("reply/bot")["ok"]

    assert done >= 10
    assert wire.last("state")["kind"] == game


def test_the_judge_notices_what_breaks_the_contract(contract_kept: list[str]) -> None:
    evening = Evening(START)
    evening.step(1.0)
    evening.announcer.flush_now()
    state = evening.wire.last("state")
    for broken in ({**state, "rev": "1"}, {**state, "secret": 1}, {"v": 1}):
        assert faults_of_said(
            Publication("topple/1/t1/state", json.dumps(broken).encode(), 1, retain=True)
        )
    assert faults_of_said(Publication("topple/1/t1/news", b"{}", 1, retain=False))
    assert faults_of_obeyed("roll", b'{"data":{"value":7}}')
    assert faults_of_obeyed("hints", b"{}")
    assert contract_kept == []


def test_a_table_that_says_or_obeys_nonsense_would_be_found_out(
    contract_kept: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Announcer(Wire(), Identity("t1", "b")).health({"v": 1})
    monkeypatch.setattr(CommandDesk, "_switched", lambda *_: Reply(ok=True, rev=0))
    CommandDesk(Pipeline(Detector())).receive("hints", b"{}", t_s=1.0, unix_s=1.0)

    assert any("health" in fault for fault in contract_kept)
    assert any("cmd-hints" in fault for fault in contract_kept)
    contract_kept.clear()


@pytest.mark.slow
def test_the_makers_of_asyncapi_find_nothing_wrong_with_the_document(tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("needs npm (apt-get install npm)")
    subprocess.run(["npm", "install", "--silent", "@asyncapi/parser"], cwd=tmp_path, check=True)
    look = tmp_path / "look.mjs"
    look.write_text(PARSE)

    def found(document: Path) -> list[str]:
        said = subprocess.run(
            ["node", str(look), str(document)],
            cwd=tmp_path, check=True, capture_output=True, text=True,
        )  # fmt: skip
        return list(json.loads(said.stdout))

    assert found(documents.FOLDER / "asyncapi.json") == []
    spoilt = tmp_path / "asyncapi.json"
    spoilt.write_text(json.dumps(DOCUMENT).replace("#/components/messages/link", "#/nowhere"))
    assert found(spoilt) != []
