"""What is announced: one readable transcript of a round, and how changes of mind are told.

After an intended change say `make golden`, and read the transcript. It has all fields of its
events, those too that other golden files do not show.
"""

from pathlib import Path

from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import Script, begin
from tests.engine.referee.stories import do

TRANSCRIPT = Path(__file__).with_name("transcript.txt")


EVENING = """start; roll 4; piece e2; roll 1; piece c3; roll 6; piece a1; roll 6; piece b1; roll 6
piece c1; roll 6; piece d1; roll 6; piece e1 p=0.8 d1=0.15; answer value=e1; undo
better 7 e1 p=0.98; pass; roll 2; fall bump; gone 7 fell with the others; emptied
blame player=Ann"""


def evening() -> list[str]:
    """All that happens in it, step by step."""
    table, told = Script(), list[str]()
    for step in EVENING.replace("\n", "; ").split("; "):
        do(table, *step.split())
        told += _told(table)
    return told


def _told(table: Script) -> list[str]:
    lines = []
    if table.ruling.refused is not None:
        lines.append(f"-- {table.ruling.refused}")
    for outcome in table.ruling.outcomes:
        words = " ".join(f"{key}={value}" for key, value in outcome.data.items())
        lines.append(f"{outcome.seq:>3} {outcome.type:<9} {outcome.player or '':<4} {words}")
    return [*lines, ""]


def test_a_round_is_told_as_in_the_transcript() -> None:
    assert "\n".join(evening()) == TRANSCRIPT.read_text(encoding="utf-8")


def test_outcomes_are_numbered_without_gaps_over_a_whole_game() -> None:
    numbers = [int(line[:3]) for line in evening() if line and not line.startswith("--")]

    assert numbers == list(range(1, len(numbers) + 1))


if __name__ == "__main__":
    TRANSCRIPT.write_text("\n".join(evening()), encoding="utf-8")


def test_a_question_that_settles_itself_raises_the_revision() -> None:
    game = begin()
    event = game.placed("e2", 0.9)
    game.say("roll", value=1)
    assert game.questions == ["placed-2"]
    rev = game.state.rev
    game.retracted(event)

    assert game.types == ["settled"]
    assert game.state.rev == rev + 1


@cases("""
a change of mind tells the difference not the worth
    turns a1 b1 c1 d1 e1; better 5 e2 -> outcome.0.type corrected; outcome.0.was e1
    -> outcome.0.cell e2; outcome.0.changes {"Ann":-5}
what changes nothing keeps the revision
    turn 4 e2; fall placing; piece c3 -> state.rev 4
a question whose answers become clearer raises the revision
    piece e2 p=0.9; roll 1 -> asks placed-2; offers e2 fell none unknown; state.rev 3
    better 1 c3 p=0.6 e2=0.3 -> told nothing; offers c3 e2 fell none unknown; state.rev 4
a question that waits behind another one keeps the revision when its answers become clearer
    piece e2 p=0.9; roll 1; piece c3 p=0.6 d3=0.3 -> asks cell-4 placed-2; state.rev 4
    better 1 c4 p=0.6 e2=0.3 -> told nothing; offers c3 fell none unknown c4 e2 fell none unknown
    -> state.rev 4
what a piece weighs is shown while it lies on the board
    turn 4 e2; weighed 1 3.3 -> told nothing; state.rev 4
    fall placing; emptied; weighed 1 3.5 -> told nothing; state.rev 6
a piece whose fall is told already may be gone as well
    turn 4 e2; turn 4 e2; fall placing after_s=0.5 p=0.5 -> asks blame-6; state.rev 6
    gone 2 -> told nothing; state.rev 6
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)
