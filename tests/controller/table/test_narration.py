from typing import Any

import msgspec
import pytest

from controller.table.narration import final_line, narrate, scoreline
from tests.outcomes import outcome
from tests.pages.scenes import idle, over, scene


@pytest.mark.parametrize(
    ("kind", "player", "data", "expected"),
    [
        ("rolled", "Ada", {"die": 4}, "Ada rolls 4"),
        ("placed", "Ada", {"cell": "c3", "points": 0, "confidence": 0.999}, "Ada places on c3"),
        ("placed", "Ada", {"cell": "c3", "points": 7, "confidence": 0.9,
                           "ways": [{"way": "stack", "where": "c3", "points": 3}]},
         "Ada places on c3 for +7 (stack c3 +3)   90 % sure"),
        ("placed", "Ada", {"cell": "b3", "confidence": 0.7, "status": "asked"},
         "Ada places on b3   70 % sure, asking"),
        ("placed", "Ada", {"cell": "c1", "confidence": 0.0, "status": "asked"},
         "Ada places a piece, asking where"),
        ("passed", "Ada", {}, "Ada passes"),
        ("toppled", "Ada", {"cause": "placing", "changes": {"red": -10, "blue": 3}},
         "TOPPLE! Ada toppled it: Ada -10, Björn +3"),
        ("toppled", "Ada", {"cause": "bump"}, "TOPPLE! Ada bumped the table"),
        ("toppled", None, {"cause": "bump"}, "TOPPLE! Somebody bumped the table"),
        ("corrected", "Ada", {"cell": "b4", "was": "b3", "changes": {"Ada": -2}},
         "Corrected: Ada on b4, not b3: Ada -2"),
        ("corrected", "Ada", {"cell": "b4", "was": "b4"}, "Settled: Ada on b4"),
        ("corrected", "Ada", {"of": "toppled", "cause": "bump", "changes": {"red": -10}},
         "Settled: Ada bumped the table: Ada -10"),
        ("corrected", "Ada", {"of": "nothing", "was": "c3", "changes": {"Ada": -7}},
         "Taken back: Ada on c3: Ada -7"),
        ("corrected", None, {"of": "nothing"}, "Taken back"),
        ("corrected", None, {"of": "cleared", "was": None}, "Settled: nothing fell"),
        ("corrected", "Ada", {"of": "passed"}, "Settled: Ada passes"),
        ("fell", "Ada", {}, "Ada's piece did not stay"),
        ("suspected", None, {"id": 7, "probability": 0.62}, "It's going ... (62 %)"),
        ("dismissed", None, {"id": 7}, "Nothing fell."),
        ("asked", None, {"text": "Who bumped?"}, "The table asks: Who bumped?"),
        ("score", None, {"scores": {"Ada": 60, "Björn": 40}}, "Score   [Ada 60, Björn 40]"),
        ("round", None, {"reason": "all_played"},
         "End of the round (all played)   [Ada 64, Björn 38]"),
        ("fault", None, {"sensor": "imu", "reason": "Check its cable."},
         "Sensor imu: Check its cable."),
    ],
)  # fmt: skip
def test_each_kind_of_outcome_is_told_in_one_line(
    kind: str, player: str | None, data: dict[str, Any], expected: str
) -> None:
    assert narrate(outcome(1, 75.24, kind, player, data), scene(2)) == f"  1:15.2  {expected}"


@pytest.mark.parametrize(
    ("t_s", "clock"), [(59.94, "  0:59.9"), (59.96, "  1:00.0"), (899.96, " 15:00.0")]
)
def test_no_minute_has_sixty_seconds(t_s: float, clock: str) -> None:
    assert narrate(outcome(1, t_s, "passed", "Ada"), scene(2)) == f"{clock}  Ada passes"


@pytest.mark.parametrize("kind", ["turn", "settled"])
def test_what_follows_from_the_rest_is_not_told(kind: str) -> None:
    assert narrate(outcome(1, 1.0, kind, "Ada"), scene(2)) is None


def test_an_unknown_outcome_is_told_as_it_is() -> None:
    assert narrate(outcome(1, 1.0, "draw", "Ada"), scene(2)) == "  0:01.0  Ada: draw"


def test_the_final_line_says_who_won() -> None:
    tied = msgspec.structs.replace(over(2), winners=("Ada", "Björn"))
    nobody = msgspec.structs.replace(over(2), winners=())

    assert final_line(over(2)) == "Final score: Ada 16, Björn 14 - Ada wins."
    assert final_line(tied).endswith("- Ada and Björn win.")
    assert final_line(nobody).endswith("- nobody has won.")
    assert final_line(scene(2)).endswith("- the game is not over.")
    assert final_line(idle()) == "Final score: no game was played."


def test_players_without_scores_are_named_all_the_same() -> None:
    board = scene(2)
    unscored = tuple(msgspec.structs.replace(player, score=None) for player in board.players)

    assert scoreline(msgspec.structs.replace(board, players=unscored)) == "Ada, Björn"
