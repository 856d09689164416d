"""What is announced: one readable transcript of a round, and how changes of mind are told.

After an intended change say `make golden`, and read the transcript. It has all fields of its
events, those too that other golden files do not show.
"""

from pathlib import Path

from engine.events import Corrected, Retracted
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import Script, begin

TRANSCRIPT = Path(__file__).with_name("transcript.txt")


def evening() -> list[str]:
    """A round with everything in it."""
    table = begin()
    told = _told(table)
    for die, cell in ((4, "e2"), (1, "c3"), (6, "a1"), (6, "b1"), (6, "c1"), (6, "d1")):
        table.say("roll", value=die)
        told += _told(table)
        table.placed(cell)
        told += _told(table)
    table.say("roll", value=6)
    told += _told(table)
    event = table.placed("e1", 0.8, alternatives=(("d1", 0.15),))
    told += _told(table)
    table.say("answer", value="e1")
    told += _told(table)
    table.say("undo")
    told += _told(table)
    table.see(Corrected(event, table.t_s, "e1", 0.98))
    told += _told(table)
    table.say("pass")
    told += _told(table)
    table.say("roll", value=2)
    told += _told(table)
    table.toppled("bump")
    told += _told(table)
    table.see(Retracted(event, table.t_s, "fell with the others"))
    told += _told(table)
    table.cleared()
    told += _told(table)
    table.say("blame", player="Ann")
    return told + _told(table)


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


def test_a_piece_that_waits_for_its_roll_can_be_undone_on_a_new_screen() -> None:
    game = begin()
    rev, depth = game.state.rev, game.state.undo_depth
    game.placed("e2")

    assert game.types == []
    assert (game.state.rev, game.state.undo_depth) == (rev + 1, depth + 1)


def test_a_question_whose_answers_become_clearer_raises_the_revision() -> None:
    game = begin()
    event = game.placed("e2", 0.9)
    game.say("roll", value=1)
    assert game.questions == ["placed-2"]
    rev, options = game.state.rev, game.state.questions()[0].choices
    game.see(Corrected(event, game.t_s + 0.5, "c3", 0.6, (("e2", 0.3),)))

    assert game.types == []
    assert game.state.questions()[0].choices != options
    assert game.state.rev == rev + 1


@cases("""
a change of mind tells the difference not the worth
    turns a1 b1 c1 d1 e1; better 5 e2 -> outcome.0.type corrected; outcome.0.was e1
    -> outcome.0.cell e2; outcome.0.changes {"Ann":-5}
what changes nothing keeps the revision
    turn 4 e2; fall placing; piece c3 -> state.rev 4
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)
