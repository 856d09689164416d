"""What the panel shows and means, in games told by a script and at a table behind a bridge."""

import pytest
from msgspec.structs import replace

from controller.table.loop import LiveTable
from controller.table.panel import face
from engine.events import HumanInput, Placed, TableEvent, ToppleCause, Toppled, ToppleKind
from engine.referee import RefereeState, handle_input, observe
from engine.scoreboard import OptionShown, QuestionShown, Scoreboard, TurnShown, document
from hw.drivers.panel import PATTERNS, Button, Face, Light, Sound
from tests.controller.evenings import Evening
from tests.hw.boards import Board
from tests.hw.panels import WIRES

PLAYERS = [
    {"name": name, "colours": [colour]}
    for name, colour in (("Ann", "red"), ("Bob", "blue"), ("Cleo", "green"))
]
ON, OFF, BLINKING = Light.ON, Light.OFF, Light.BLINKING


class Game:
    def __init__(self, **start: object) -> None:
        self.state = RefereeState()
        self.t_s = 0.0
        self.say("start", players=PLAYERS, target=50, **start)

    def say(self, verb: str, **data: object) -> None:
        self.t_s += 2.0
        ruling = handle_input(self.state, HumanInput(self.t_s, verb, data))
        assert ruling.refused is None, ruling.refused
        self.state = ruling.state

    def press(self, button: Button) -> None:
        verb, data = self.face.presses[button]
        self.say(verb, **data)

    def see(self, event: TableEvent) -> None:
        self.state = observe(self.state, event).state

    @property
    def face(self) -> Face:
        return face(document(self.state, table="t1", boot="b"))

    @property
    def scores(self) -> dict[str, int]:
        return dict(self.state.position.scores)


def bumped_game() -> Game:
    game = Game()
    game.say("roll", value=1)
    game.see(Placed(1, 5.0, 5.4, "c3", 0.999, (), 3.0))
    fall = (ToppleKind.OFF_BOARD, ToppleCause.BUMP, 0.99)
    game.see(Toppled(2, 7.0, 7.5, *fall))
    game.t_s = 8.0
    return game


def test_without_a_game_nothing_shines_and_buttons_ask_for_what_is_refused() -> None:
    shown = face(document(RefereeState(), table="t1", boot="b"))

    assert shown == Face(presses={Button.PASS: ("pass", {}), Button.UNDO: ("undo", {})})


def test_the_light_is_with_the_player_whose_turn_it_is() -> None:
    game = Game()
    assert game.face.lights == (ON, OFF, OFF)
    assert Button.PASS not in game.face.presses
    game.say("roll", value=5)
    game.press(Button.PASS)
    assert game.face.lights == (OFF, ON, OFF)
    game.press(Button.UNDO)
    assert game.face.lights == (ON, OFF, OFF)


def test_the_winner_does_not_blink_while_the_result_is_open() -> None:
    board = document(Game().state, table="t1", boot="b")
    over = replace(board, phase="over", turn=None, winners=("Bob",))

    assert face(replace(over, result="open")).lights == (OFF, OFF, OFF)
    assert face(replace(over, result="final")).lights == (OFF, BLINKING, OFF)


def test_who_bumped_goes_round_the_players_until_the_board_is_clear() -> None:
    game = bumped_game()
    assert game.face.lights == (BLINKING, BLINKING, BLINKING)
    blamed = []
    for _ in range(4):
        game.press(Button.BUMPED)
        blamed.append(min(game.scores, key=lambda name: game.scores[name]))

    assert blamed == ["Ann", "Bob", "Cleo", "Ann"]
    assert game.face.lights == (BLINKING, ON, OFF)  # Ann is blamed, Bob's turn is next
    game.press(Button.PASS)  # the board is clear
    assert Button.BUMPED not in game.face.presses
    assert game.state.position.phase == "roll"


def test_a_culprit_who_is_believed_to_have_toppled_it_can_be_exchanged_until_the_next_roll() -> (
    None
):
    game = Game()
    game.say("roll", value=5)
    game.see(Placed(1, 5.0, 5.4, "c5", 0.999, (), 3.0))
    game.say("roll", value=5)
    game.see(Toppled(2, 7.0, 7.9, ToppleKind.COLLAPSE, ToppleCause.PLACING, 0.95, 0.88))
    assert BLINKING not in game.face.lights  # nobody is asked
    game.say("cleared")
    assert Button.BUMPED in game.face.presses
    game.press(Button.BUMPED)
    assert game.scores == {"Ann": -10, "Bob": 0, "Cleo": 0}
    assert Button.BUMPED not in game.face.presses


def asked_who_begins(phase: str = "roll", believed: str = "Bob") -> Scoreboard:
    """After Ann's piece and a bump; who bumped the table is known."""
    game = bumped_game()
    game.press(Button.BUMPED)
    game.say("cleared")
    options = (OptionShown("Bob", "Bob begins", 0.7), OptionShown("Ann", "Ann begins", 0.3))
    asked = QuestionShown("turn-3", "turn", "Bob begins?", options, ref=3, player="Bob")
    board = document(game.state, table="t1", boot="b")
    return replace(board, pending=asked, phase=phase, turn=TurnShown(believed, p=0.7))


@pytest.mark.parametrize("believed", ["Ann", "Bob"])
def test_while_it_is_asked_who_begins_next_says_yes_and_who_bumped_says_the_other(
    believed: str,
) -> None:
    shown = face(asked_who_begins(believed=believed))
    other = {"Ann": "Bob", "Bob": "Ann"}[believed]

    assert shown.presses[Button.PASS] == ("answer", {"question": "turn-3", "value": believed})
    assert shown.presses[Button.BUMPED] == ("answer", {"question": "turn-3", "value": other})
    assert shown.lights == ((BLINKING, OFF, OFF) if believed == "Ann" else (OFF, BLINKING, OFF))
    assert (shown.sound, shown.occasion) == (Sound.QUESTION, "game-1: question turn-3")


def test_who_has_rolled_passes_with_next_although_it_is_asked_who_begins() -> None:
    board = asked_who_begins("act")
    shown = face(replace(board, can={**board.can, "Bob": ("place", "pass")}))

    assert shown.presses[Button.PASS] == ("pass", {})
    assert shown.presses[Button.BUMPED] == ("answer", {"question": "turn-3", "value": "Ann"})


def test_while_pieces_come_off_the_buttons_are_for_the_culprit_and_the_empty_board() -> None:
    game = bumped_game()
    board = document(game.state, table="t1", boot="b")
    shown = face(replace(board, pending=asked_who_begins().pending))

    assert shown.lights == (BLINKING, BLINKING, BLINKING)
    assert shown.presses[Button.PASS] == ("cleared", {})
    assert shown.presses[Button.BUMPED] == ("blame", {"player": "Ann"})


def test_a_topple_and_a_question_sound_each_in_its_own_way_and_once() -> None:
    game = bumped_game()
    first = game.face
    assert (first.sound, game.face.occasion) == (Sound.TOPPLE, first.occasion)

    other = Game()
    other.say("roll", value=3)
    other.see(Placed(1, 7.0, 7.4, "c5", 0.7, (("d4", 0.2),), 3.0))
    assert other.face.sound is Sound.QUESTION
    assert other.face.occasion != first.occasion


def test_after_the_game_next_begins_another_with_the_same_players() -> None:
    game = Game()
    game.say("end")
    assert ON not in game.face.lights
    game.press(Button.PASS)

    assert game.state.position.phase == "roll"
    assert list(game.scores) == ["Ann", "Bob", "Cleo"]


class BridgedGame(Evening):
    """A running table behind the fake microcontroller, with buttons and lights on mock pins."""

    def __init__(self, *events: TableEvent) -> None:
        super().__init__(events=events)
        self.board = Board()
        self.panel = self.board.join_panel()
        self.table = LiveTable(
            self.board.source, self.pipeline, self.journal, self.announcer, self.identity
        )
        self.table.open(0.0)

    def play(self, seconds: float) -> set[int]:
        """Let time pass; the pins that were high at some time."""
        lit: set[int] = set()
        for _ in range(round(seconds / 0.01)):
            self.board.t_s += 0.01
            self.board.mcu.advance(self.board.t_s * 1e6)
            self.panel.step()
            self.step(self.board.t_s)
            lit |= {pin for pin in (*WIRES.lights, WIRES.buzzer) if self.panel.lit(pin)}
        return lit

    def press(self, pin: int) -> None:
        self.panel.press(pin)
        self.play(0.1)
        self.panel.release(pin)
        self.play(0.1)


def test_buttons_lights_and_buzzer_play_a_game_behind_a_bridge() -> None:
    fall = (ToppleKind.OFF_BOARD, ToppleCause.BUMP, 0.99)
    game = BridgedGame(Placed(1, 3.0, 3.4, "c3", 0.999, (), 3.0), Toppled(2, 4.0, 4.5, *fall))
    game.play(1.0)
    game.command("start", id="a", data={"players": PLAYERS, "target": 50, "begins": "Ann"})
    game.play(0.5)
    game.command("roll", id="b", data={"value": 1})
    assert game.play(0.5) == {WIRES.lights[0]}

    game.press(WIRES.pass_button)
    assert game.table.board.turn is not None
    assert game.table.board.turn.player == "Bob"
    assert game.play(0.2) == {WIRES.lights[1]}

    game.press(WIRES.undo_button)
    assert game.table.board.turn.player == "Ann"

    assert game.play(5.0 - game.board.t_s) >= {WIRES.buzzer}
    assert game.table.board.last is not None
    game.press(WIRES.bumped_button)
    assert game.table.board.last.player == "Ann"
    assert len(PATTERNS[Sound.TOPPLE]) == 3


def test_what_a_button_asked_for_in_vain_is_told_and_counts_for_nothing() -> None:
    game = BridgedGame()
    game.play(1.0)
    board, kept = game.table.board, len(game.journal.outputs)
    game.press(WIRES.undo_button)
    told = game.wire.last("event")

    assert (told["type"], told["seq"], told["rev"]) == ("refused", board.seq, board.rev)
    assert told["data"] == {"verb": "undo", "reason": "nothing_to_undo"}
    assert game.table.board == board
    assert [output.remembered for output in game.journal.outputs[kept:]] == [False]


def test_a_missing_panel_degrades_the_table_in_words_and_stops_nothing() -> None:
    game = BridgedGame()
    game.panel.refused = "the pins cannot be used; add the user to the group gpio"
    game.play(1.0)
    status = game.wire.last("status")

    assert status["phase"] == "degraded"
    assert [trouble["sensor"] for trouble in status["troubles"]] == ["panel"]
    assert "The phones do all that the buttons do" in status["mode"]
    game.play(10.0)
    assert game.wire.last("health")["sensors"]["panel"]["ok"] is False
