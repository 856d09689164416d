import io
import json
from pathlib import Path
from typing import Any

import pytest

from controller.replay.score import score
from tests.records import record_lines
from tests.rules_cases import played_games, record_lines_of

START = {
    "type": "start",
    "players": [{"name": "Ann", "colours": ["pink"]}, {"name": "Bob", "colours": ["blue"]}],
    "target": 3,
    "first": "Ann",
}
GAME: list[dict[str, Any]] = [
    START,
    {"type": "roll", "value": 5},
    {"type": "place", "colour": "pink", "cell": "a1"},
    {"type": "place", "colour": "blue", "cell": "b1"},
    {"type": "roll", "value": 4},
    {"type": "topple", "cause": "placing"},
]


class Ran:
    """The exit code and what was printed."""

    def __init__(self, path: Path, **options: Any) -> None:
        out, err = io.StringIO(), io.StringIO()
        self.code = score(path, **options, out=out, err=err)
        self.out, self.err = out.getvalue(), err.getvalue()


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "evening.jsonl"
    path.write_text("\n".join(record_lines("topple", "evening", GAME, {})) + "\n")
    return path


@pytest.mark.parametrize("game", played_games())
def test_worked_games_check_out(game: str, tmp_path: Path) -> None:
    path = tmp_path / "played.jsonl"
    path.write_text("\n".join(record_lines_of(game)) + "\n")
    ran = Ran(path, check=True)

    assert (ran.code, ran.err) == (0, "")
    assert "lines agree with the rules" in ran.out


def test_json_prints_a_view_or_a_refusal_for_each_line(record: Path) -> None:
    ran = Ran(record, as_json=True)
    rows = [json.loads(text) for text in ran.out.splitlines()]

    assert ran.code == 0
    assert [row["ok"] for row in rows] == [True, True, True, False, True, True]
    assert list(rows[0]) == ["game", "id", "n", "ok", "view"]
    assert rows[3]["code"] == "not_rolled"
    assert rows[-1]["view"]["winners"] == ["Ann"]
    untold = Ran(record, as_json=True, options='{"dice":"untold"}').out
    codes = [json.loads(text).get("code") for text in untold.splitlines()]
    assert codes == [None, "dice_untold", None, None, "dice_untold", None]


def test_table_shows_scores_winner_and_refusals(record: Path, tmp_path: Path) -> None:
    ran = Ran(record)

    assert ran.code == 0
    for words in ("Ann", "-10", "winner", "line 4 refused: Bob must roll first (not_rolled)"):
        assert words in ran.out
    record.write_text("\n".join(record_lines("topple", "cut", GAME[:3])))
    assert "Bob is to act" in Ran(record).out


def test_check_stops_at_the_first_difference_with_exit_code_1(record: Path) -> None:
    lines = [json.loads(text) for text in record.read_text().splitlines()]
    lines[2]["expect"]["left"]["pink"] = 7
    lines[4]["expect"]["die"] = 1
    record.write_text("\n".join(map(json.dumps, lines)))

    ran = Ran(record, check=True, as_json=True)

    assert ran.code == 1
    assert ran.err == f"{record}: line 3: left.pink: expected 7, got 11\n"
    assert len(ran.out.splitlines()) == 3


def test_bad_line_comes_after_the_views_before_it(record: Path) -> None:
    record.write_text(record.read_text() + "{oops\n")

    ran = Ran(record, as_json=True)

    assert ran.code == 2
    assert len(ran.out.splitlines()) == len(GAME)
    assert (
        f"line {len(GAME) + 1}: this is no game action: it is no JSON from character 2 on"
        in ran.err
    )
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("kind", ["missing", "directory", "empty", "blank", "binary", "text"])
def test_unusable_file_is_one_clear_line_and_exit_code_2(
    tmp_path: Path, kind: str, as_json: bool
) -> None:
    path = tmp_path / "record"
    contents = {"empty": b"", "blank": b"\n \n", "binary": bytes(range(256)), "text": b"Dear all\n"}
    if kind == "directory":
        path.mkdir()
    elif kind in contents:
        path.write_bytes(contents[kind])

    ran = Ran(path, as_json=as_json)

    assert ran.code == 2
    assert ran.err.startswith(str(path))
    assert ran.err.count("\n") == 1
    assert ran.out == ""


@pytest.mark.parametrize("options", ["{", "[]", '"share"', '{"dance":1}', '{"share":"thrice"}'])
def test_bad_options_are_refused_before_anything_is_printed(record: Path, options: str) -> None:
    ran = Ran(record, as_json=True, options=options)

    assert (ran.code, ran.out) == (2, "")
    assert "options" in ran.err
    assert ran.err.count("\n") == 1
