"""How one sighting is read: cell, colour, and how sure."""

from random import Random
from typing import Any

from engine.acceptable import acceptable
from engine.referee.state import refolded
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import TWO_COLOURS, Script, begin
from tests.engine.referee.stories import MASSES


def test_where_nothing_was_seen_every_cell_the_die_allows_can_be_answered() -> None:
    game = begin()
    game.say("roll", value=6)
    game.placed(None, 0.6)

    (question,) = game.state.questions()
    assert len(question.choices) == 25 + len(("fell", "none", "unknown"))
    game.say("answer", value="e5")
    assert game.board == {"e5": ["blue"]}


# --- a piece that weighs like another player's -----------------------------------------------

BLUE_G, RED_G = 3.5, 4.5


def wrong_piece(**start: Any) -> Script:
    """Ann, who plays blue, has told her roll herself, and her piece weighs like one of Bob's."""
    game = begin(**{"masses": MASSES["apart"], **start})
    game.say("roll", value=5, player="Ann")
    game.placed("a1", mass_g=RED_G)
    return game


def test_a_last_piece_on_which_no_points_hang_is_not_asked_about() -> None:
    game = begin(masses=MASSES["apart"])
    cells = [f"{file}{rank}" for rank in (1, 2, 3, 4) for file in "abcde"][:19]
    for at, cell in enumerate([*cells[:4], *cells[5:9], *cells[10:14], *cells[15:19], *["a1"] * 7]):
        game.say("roll", value=6, player=("Ann", "Bob")[at % 2])
        game.placed(cell, mass_g=(BLUE_G, RED_G)[at % 2])
    game.say("roll", value=6, player="Bob")
    game.placed("b5", mass_g=BLUE_G)

    assert game.questions == []


def test_nobody_is_asked_about_colours_where_there_are_no_points() -> None:
    game = wrong_piece(variant="young", target=None)

    assert game.questions == []


# --- a lost washer ---------------------------------------------------------------------------


def rounds_with_a_light_piece(game: Script, light: tuple[int, ...], rounds: int = 1) -> list[str]:
    """Ten pieces a round, rolls by name; those of Bob with these numbers have lost a washer.

    What is asked is answered: they are Bob's own.
    """
    asked = list[str]()
    for _ in range(rounds):
        for at in range(10):
            name, mass_g = (("Ann", BLUE_G), ("Bob", RED_G))[at % 2]
            game.say("roll", value=5, player=name)
            game.placed(("a1", "e5", "a5", "e1")[at % 4], mass_g=BLUE_G if at in light else mass_g)
            asked += game.questions
            for question in game.questions:
                game.say("answer", question=question, value="red")
        game.say("cleared")
        for question in game.questions:
            game.say("answer", question=question, value="none")
        game.say("turn", player="Ann")
    return asked


def test_a_lost_washer_is_asked_about_twice_and_held_possible_in_later_rounds() -> None:
    game = begin(masses=MASSES["apart"])

    assert len(rounds_with_a_light_piece(game, (3,))) == 1
    assert len(rounds_with_a_light_piece(game, (7,))) == 1
    assert rounds_with_a_light_piece(game, (5,), rounds=2) == []
    named = [each for each in game.state.applied().values() if each.type == "placed"]
    assert {each.weighs for each in named} == {None}


def test_what_was_learned_of_a_lost_washer_is_undone_with_the_answer_and_done_again() -> None:
    game = begin(masses=MASSES["apart"])
    rounds_with_a_light_piece(game, (3,), rounds=2)
    after = game.state
    pieces = after.position.pieces
    assert pieces is not None
    assert list(pieces.odd) == ["red"]

    assert refolded(after, after.ledger).position == after.position
    while game.state.position.weighed:
        game.say("undo")
        assert game.ruling.refused is None
    while game.state.ledger != after.ledger:
        game.say("redo")
    assert game.state.position == after.position


def test_a_colour_that_was_announced_is_asked_about_when_the_weight_is_that_of_the_other() -> None:
    game = two_colours()
    game.say("colour", colour="blue")
    game.placed("a1", mass_g=4.5)

    (question,) = game.state.questions()
    assert [choice.value for choice in question.choices] == ["green", "blue", "unknown"]
    game.say("answer", value="green")
    assert game.board == {"a1": ["green"]}


# --- two colours of one player ---------------------------------------------------------------


def two_colours(apart_g: float = 1.0) -> Script:
    """Ann plays blue and green, Bob red and yellow; each colour weighs so much more."""
    colours = {
        name: {"mass_mean_g": 3.5 + at * apart_g, "mass_std_g": 0.04}
        for at, name in enumerate(("blue", "green", "red", "yellow"))
    }
    masses = {"mass_mean_g": 5.0, "mass_std_g": 1.1, "colours": colours}
    options = {"dice": "untold"}
    return begin(TWO_COLOURS, variant="two-colour", options=options, masses=masses)


def test_colours_a_gram_apart_are_right_in_every_piece_and_never_asked_about() -> None:
    game = two_colours()
    weights = {"blue": 3.5, "green": 4.5, "red": 5.5, "yellow": 6.5}
    chance = Random(38)
    cells = [f"{file}{rank}" for rank in (1, 2, 3, 4, 5) for file in "abcde"]
    hands = (["blue", "green"] * 10, ["red", "yellow"] * 10)
    for hand in hands:
        chance.shuffle(hand)
    for turn in range(40):
        colour, cell = hands[turn % 2][turn // 2], cells[turn % 25]
        assert "colour" not in acceptable(game.state)[("Ann", "Bob")[turn % 2]]
        game.placed(cell, mass_g=chance.gauss(weights[colour], 0.08))
        assert game.board[cell][-1] == colour
        assert game.questions == []


def test_colours_that_weigh_the_same_are_guessed_and_may_be_told_as_before() -> None:
    game, unweighed = two_colours(apart_g=0.0), two_colours(apart_g=0.0)
    for cell in ("a1", "a2", "a3", "b1", "b2", "b3"):
        assert "colour" in acceptable(game.state)[game.state.position.player or ""]
        game.placed(cell, mass_g=3.5)
        unweighed.placed(cell)

    assert game.board == unweighed.board
    assert game.questions == []


def test_the_piece_that_fell_costs_the_colour_that_it_weighed() -> None:
    for mass_g, colour in ((3.5, "blue"), (4.5, "green")):
        game = two_colours()
        number = game.placed("a1", mass_g=mass_g)
        game.retracted(number, "fell")
        game.toppled()

        view = game.state.position.rules.view(game.state.position.game_state)
        assert view["colour_scores"][colour] == -10


@cases("""
an unsure placement counts provisionally and is asked about
    roll 4; piece e2 p=0.8 e4=0.15 c3=0.05 -> board e2=blue
a cell the die does not allow gives way to the best that it does
    roll 3; piece e2 p=0.94 d2=0.05 -> board d2=blue; asks cell-3
an impossible cell without alternative gives way to the nearest
    roll 5; piece d2 p=0.94 -> board e1=blue; asks cell-3
where rolls are told late a certain piece was placed with another die
    # People tell rolls late, early and wrongly; a piece on a wrong cell they would not leave.
    piece d4; roll 3; roll 5; piece d2 p=0.97 -> board d2=red d4=blue; asks nothing
else a piece on another level is asked about however certain
    roll 5; piece d2 p=0.97 -> asks cell-3
a die that people have corrected is believed against the sensors
    roll 3; piece d2 p=0.97; correct ref=2 value=5 -> board e1=blue; asks cell-3
correcting the die brings the seen cell back
    roll 5; piece d2 p=0.97; correct ref=2 value=3 -> board d2=blue; asks nothing
a placement without cell is asked about
    roll 2; piece somewhere p=0.6 -> offers c2 b3 d3 c4 fell none unknown
    answer d3 -> board d3=blue
the colour announced is the colour placed
    start two-colour; roll 4; colour colour=green; piece e2 -> board e2=green
without a word the colour with more pieces left is assumed
    start two-colour; turn 4 e2; turn 4 e2; turn 4 a2 -> board a2=green e2=blue+red
the colour people saw scores from then on
    start masses=apart; roll value=5 player=Ann; piece a1 mass_g=4.5; roll value=6 player=Bob
    piece a2 mass_g=4.5; roll value=6 player=Ann; piece a3 mass_g=3.5; roll value=6 player=Bob
    piece a4 mass_g=4.5; roll value=6 player=Ann; piece b1 mass_g=3.5; roll value=6 player=Bob
    piece a5 mass_g=4.5 -> scores Ann=0 Bob=5
    answer question=colour-3 value=red -> scores Ann=0 Bob=6
what nobody knows of a colour stays as it was and leaves the cell to be asked
    start masses=apart; roll value=5 player=Ann; piece a1 p=0.5 e5=0.45 mass_g=4.5
    -> asks cell-3 colour-3
    answer question=colour-3 value=unknown -> board a1=blue; asks cell-3
an answer about the colour says nothing of the cell
    start masses=apart; roll value=5 player=Ann; piece a1 p=0.5 e5=0.45 mass_g=4.5
    answer question=colour-3 value=red -> asks cell-3; amended nothing
the wrong piece that falls at once costs whoever placed it
    start masses=apart; roll value=5 player=Ann; piece a1 mass_g=4.5; answer red; fall placing
    -> scores Ann=-10 Bob=0
a piece entered by hand is asked about once it was weighed
    start masses=apart; roll value=5 player=Ann; place cell=a1; piece a1 mass_g=4.5
    -> asks colour-3; told asked
a piece that is said to be ones own is drawn as such and stays
    start masses=apart; roll value=5 player=Ann; piece a1 mass_g=4.5; answer blue
    -> board a1=blue; asks nothing; applied.3.weighs null
a piece that weighs like another's in a certain turn is asked about until somebody says so
    start masses=apart; roll 5 player=Ann; piece a1 mass_g=4.5 -> asks colour-3
    -> asked.colour-3.text Did Ann place a red piece?; offers red blue unknown
    -> asked.colour-3.cell a1; board a1=blue; told placed asked turn
    answer question=colour-3 value=red -> board a1=red; asks nothing; applied.3.weighs null
    -> turn Bob roll; left blue=12 red=11
    undo -> board a1=blue; asks colour-3; turn Bob roll; left blue=11 red=12
    redo -> board a1=red; left blue=12 red=11
    undo; answer value=blue -> board a1=blue; asks nothing; applied.3.weighs null
pieces that weigh the same are never asked about
    start masses=alike; roll 5 player=Ann; piece a1 mass_g=4.5 -> asks nothing
where the die allows one cell only a piece that stands is not asked about
    # A table without inertial sensor tells no cell; after a one there is nothing to ask.
    roll 1; piece somewhere p=0.0 stands=0.97 -> board c3=blue; asks nothing
    -> applied.3.confidence 0.97
where the die allows one cell only a piece that hardly stands is asked about
    roll 1; piece somewhere p=0.0 stands=0.7 -> board c3=blue; asks cell-3
    -> applied.3.confidence 0.7
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)
