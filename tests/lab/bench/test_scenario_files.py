"""What is refused when a scenario file is read, and the words that say what to write instead."""

from pathlib import Path

import pytest

from controller.common.errors import BadScenario
from lab.bench.scenario_files import load, read

WAITING = "about: x\nsteps: [wait: 1]\n"
STEPS = "about: x\nsteps:\n  - "


def expecting(text: str) -> str:
    return f"{WAITING}expect:\n  - {text}\n"


def words_of(text: str) -> str:
    with pytest.raises(BadScenario) as error:
        read(text, "bad", "bad.yaml")
    return str(error.value).removeprefix("bad.yaml: ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{WAITING}steps: [wait: 2]", "line 3: `steps` stands twice, first in line 2"),
        (expecting("placed: e5\nexpect:\n  - placed: d4"), "line 5: `expect` stands twice"),
        (expecting("scores: {Ann: 1, Ann: 2}"), "line 4: `Ann` stands twice"),
    ],
)
def test_a_key_that_stands_twice_is_refused(text: str, words: str) -> None:
    assert words in words_of(text)


def test_a_name_that_two_steps_have_is_refused() -> None:
    text = f"{STEPS}{{id: a, wait: 1}}\n  - {{id: b, wait: 1}}\n  - {{id: a, wait: 1}}\n"

    assert words_of(text) == "line 5: steps.2.id: another step has the id 'a' already"


@pytest.mark.parametrize("key", ["mqtt", "never"])
@pytest.mark.parametrize(
    ("topic", "words"),
    [
        ("evnt", "no such topic; did you mean event?"),
        ("rolled", "no such topic; say `event` with `payload: {type: rolled}`"),
        ("cmd/undo", "no such topic; known are "),
        ("reply", "no such topic; perhaps reply/bench; known are "),
        ("''", "no such topic; known are "),
        ("topple/1/t1/event", "no such topic; known are "),
    ],
)
def test_a_topic_that_no_table_has_is_refused(key: str, topic: str, words: str) -> None:
    assert words_of(expecting(f"{key}: {topic}")).startswith(f"line 4: expect.0.{key}: {words}")


def test_never_knows_the_names_of_events_too_and_mqtt_does_not() -> None:
    assert "did you mean placed?" in words_of(expecting("never: placd"))
    assert read(expecting("never: placed"), "good", "good.yaml")
    assert "say `event` with" in words_of(expecting("mqtt: placed"))


@pytest.mark.parametrize("key", ["mqtt", "never"])
@pytest.mark.parametrize(
    ("topic", "paths", "words"),
    [
        ("event", "{tpye: placed}", "tpye: a document of event has no 'tpye' there; did you mean"),
        ("event", "{type: dismissed, data.cell: a1}", "data.cell: a document of event (dismissed)"),
        ("event", "{data.kell: a1}", "data.kell: a document of event has no 'kell' there; did you"),
        ("event", "{type: placed, data.player: Ann}", "data.player: a document of event (placed)"),
        ("event", "{type: plaecd}", "type: no such event; did you mean placed?"),
        ("health", "{sensors.scale.0.rate_h: 70}", "did you mean rate_hz?"),
        ("state", "{players.name: Ann}", "a document of state has no 'name' there"),
        ("state", "{turn.player.name: Ann}", "a document of state has no 'name' there"),
        ("availability", "{phase: online}", "availability is a word; the path to it is `text`"),
        ("reply/bench", "{kode: illegal}", "did you mean code?"),
    ],
)
def test_a_path_that_no_document_of_the_topic_has_is_refused(
    key: str, topic: str, paths: str, words: str
) -> None:
    found = words_of(expecting(f"{key}: {topic}\n    payload: {paths}"))

    assert found.startswith("line 5: expect.0.payload.")
    assert words in found


@pytest.mark.parametrize(
    "text",
    [
        expecting("{mqtt: summary, payload: {p.Dr. No: 3}}"),
        expecting("{mqtt: health, payload: {sensors.scale.1.ok: true, sensors.imu.ok: true}}"),
        expecting("{mqtt: event, payload: {type: contains place, data.cell: any}}"),
        expecting("{mqtt: state, payload: {players.-1.name: Bob, board.d4.0.colour: red}}"),
        expecting("{mqtt: homeassistant/device/topple_t1/config, payload: {device.name: any}}"),
        expecting("{never: reply/my.phone, payload: {ok: no}, after: ''}"),
        "about: x\ngame: {kind: topolo}\n" + expecting("{never: event, payload: {type: draw}}")[9:],
        "about: x\nsteps: [start: {game: topolo}]\nexpect: [{never: event, payload: {type: draw}}]",
    ],
)
def test_a_path_that_a_document_can_have_is_taken(text: str) -> None:
    assert read(text, "good", "good.yaml")


@pytest.mark.parametrize("where", ["expect", "check"])
def test_paths_of_documents_are_held_to_the_contract_too(where: str) -> None:
    text = expecting("state: {turn.plyer: Ann}")
    if where == "check":
        text = f"{STEPS}check: {{state: {{turn.plyer: Ann}}}}"

    assert "a document of state has no 'plyer' there; did you mean player?" in words_of(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (expecting("{}"), "line 4: expect.0: nothing is expected; one thing at a time"),
        (expecting("{within: 3}"), "line 4: expect.0: nothing is expected"),
        (expecting("{state: {}}"), "line 4: expect.0: nothing is expected"),
        (expecting("{placed: d4, scores: {Ann: 3}}"), "line 4: expect.0: one thing at a time"),
        (f"{STEPS}check: {{}}", "line 3: steps.0.check: nothing is looked at"),
        (expecting("truth: no"), "line 4: expect.0.truth: say `truth: yes`, or leave it out"),
        (expecting("dismissed: no"), "expect.0.dismissed: say `dismissed: yes`"),
        (f"{STEPS}undo: no", "line 3: steps.0.undo: say `undo: yes`, or leave it out"),
        (f"{STEPS}pass: no", "line 3: steps.0.pass: say `pass: yes`"),
        (f"{STEPS}pass: 'yes'", "line 3: steps.0.pass: it can only be `pass: yes`"),
        (f"{WAITING}sweep: {{cell: []}}", "line 3: sweep.cell: no value"),
        (f"{WAITING}seeds: []", "line 3: seeds: 0 seeds; from 1 to 5000"),
    ],
)
def test_a_check_or_a_step_that_says_nothing_is_refused(text: str, words: str) -> None:
    assert words in words_of(text)


def test_an_empty_board_and_nobodys_score_are_something_to_expect() -> None:
    assert read(expecting("board: {}\n  - scores: {}"), "good", "good.yaml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{placed: d4, fallen: 3}", "fallen: this is not of placed, but of toppled"),
        ("{toppled: any, confidence: at least 0.9}", "but of placed, corrected"),
        ("{placed: d4, retain: true}", "retain: this is not of placed, but of mqtt"),
        ("{scores: {Ann: 3}, within: 3}", "within: this is not of views, but of placed, "),
        ("{placed: d4, times: 0}", "times: say `never: placed`"),
        ("{never: placed, payload: {data.cell: d4}}", "say `{never: event, payload: {type: placed"),
    ],
)
def test_a_detail_that_nobody_would_look_at_is_refused(text: str, words: str) -> None:
    assert words in words_of(expecting(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (expecting("toppled: yes"), "expect.0.toppled: it must be one of any, bump, placing"),
        (expecting("toppled"), "line 4: expect.0: a key needs a value; write `toppled: any`"),
        (f"{STEPS}undo", "line 3: steps.0: a key needs a value; write `undo: yes`"),
        (f"{STEPS}line: yes", "plug, reset, unplug, or a group of what, rate"),
        (f"{WAITING}measure: 3", "line 3: measure: it must be a group of keys"),
        (f"{STEPS}blame: 3", "steps.0.blame: it must be a text, and is a whole number"),
        (f"{STEPS}place:\n    cell: d4", "line 3: steps.0.place: it has no value; write it behind"),
        (f"{STEPS}knock: {{cell: d4, player: }}", "line 3: steps.0.knock.player: it has no value"),
        (
            f"{STEPS}trun: [3 d4]",
            "line 3: steps.0.trun: there is no such key; perhaps turns; known",
        ),
        (f"{STEPS}turns: [3 f7]", "'f7' is neither a cell, a1 to e5, nor `pass`, in '3 f7'"),
        (f"{STEPS}turns: [7 d4]", "'7' is no roll, 1 to 6, in '7 d4'"),
        (f"{WAITING}measure: {{latency_max_s: 1}}", "measure.latency_max_s: it must be a limit in"),
        (
            expecting("{placed: d4, confidence: 0.9}"),
            "confidence: it must be a limit in words; say",
        ),
        (
            f"{WAITING}measure: {{mised: at most 1}}",
            "line 3: measure.mised: no such measurement; did",
        ),
        (
            f"{WAITING}not_on: {{labb: x}}",
            "line 3: not_on.labb: there is no such key; did you mean",
        ),
        (expecting("board: {z9: [red]}"), "line 4: expect.0.board.z9: it must be a cell, a1 to e5"),
        (f"{WAITING}game: 3", "line 3: game: it must be a group of keys or nothing"),
    ],
)
def test_a_mistake_is_answered_with_what_to_write(text: str, words: str) -> None:
    assert words in words_of(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{STEPS}place: $cell\n", "line 3: steps.0.place: there is no `cell` in sweep"),
        (f"{STEPS}place: $cell\nsweep: {{cel: [a1]}}", "no `cell` in sweep; did you mean cel?"),
        (f"{STEPS}turns: [3 $cel]\nsweep: {{cell: [a1]}}", "line 3: steps.0.turns.0: there is no"),
        (
            f"{STEPS}place: $cell\nsweep:\n  cell:\n    - a1\n    - z9\n",
            "line 3: steps.0.place: it must be a cell, a1 to e5; $cell is 'z9' here, from line 7",
        ),
        (
            f"{STEPS}fault: $which\nsweep: {{which: [stuk cell C0]}}",
            "'stuck'?; $which is 'stuk cell C0' here, from line 4",
        ),
    ],
)
def test_a_swept_value_is_named_with_its_own_line(text: str, words: str) -> None:
    assert words in words_of(text)


def test_a_dollar_within_a_name_is_no_sweep() -> None:
    game = "game: {players: [{name: A$AP, colours: [red]}, {name: Bob, colours: [blue]}]}\n"

    assert read(WAITING + game, "good", "good.yaml")[0].scenario.game


def test_a_file_that_is_not_utf8_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes("about: Zoë\n".encode("latin-1"))

    with pytest.raises(BadScenario, match="this is not UTF-8; save it as UTF-8"):
        load(path)
