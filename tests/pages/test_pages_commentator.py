"""What the commentator says, and when it holds its tongue.

Chromium has no voice here: sentences are taken from the module that makes them, and a voice in its
place notes when it is asked to speak.
"""

from typing import Any

import msgspec
import pytest

from engine.public_events import LastShown
from engine.scoreboard import Scoreboard, TurnShown
from pages.files import languages
from tests.pages.browser import BROWSER_NEEDED, Evening, wait_for_rev, wait_until
from tests.pages.scenes import asked, blamed, over, scene, toppled, toppled_clear

pytestmark = BROWSER_NEEDED

SAYS = """async ([boards, tilts_deg]) => {
    const { Commentary, inWords } = await import("/static/commentary.js");
    const commentary = new Commentary();
    return boards.map((board, index) => {
        const { calls, important } = commentary.about(board, tilts_deg[index] ?? null);
        return { calls, important, words: calls.map((call) => inWords(call, board)) };
    });
}"""

VOICE = """() => {
    const { lang } = document.documentElement;
    speechSynthesis.getVoices = () => [{ lang, localService: false }];
    window.began = [];
    window.speaking = 0;
    window.most = 0;
    speechSynthesis.cancel = () => { window.cancelled = true; };
    speechSynthesis.speak = (words) => {
        if (!words.text) return;
        window.began.push([words.lang, words.text]);
        window.most = Math.max(window.most, ++window.speaking);
        window.finish = () => { window.speaking--; words.dispatchEvent(new Event("end")); };
    };
}"""

TURN = {"seq": 39, "rev": 39, "last": None}


def board(**changes: Any) -> Scoreboard:
    """Ada's placement of `scene` before it happened, or with changes."""
    return scene(2, **{**TURN, **changes})


def provisional(shown: Scoreboard) -> Scoreboard:
    players = tuple(
        msgspec.structs.replace(player, provisional=player.name == "Ada")
        for player in shown.players
    )
    return msgspec.structs.replace(shown, players=players)


def with_scores(shown: Scoreboard, *scores: int) -> Scoreboard:
    players = tuple(
        msgspec.structs.replace(player, score=score, provisional=False)
        for player, score in zip(shown.players, scores, strict=True)
    )
    return msgspec.structs.replace(shown, players=players)


def said(evening: Evening, *boards: Scoreboard, tilts_deg: Any = (), lang: str = "en") -> Any:
    """What is said after each board."""
    page = evening.open("nobody", path=f"t/nobody?lang={lang}")
    plain = [msgspec.to_builtins(one) for one in boards]
    return page.evaluate(SAYS, [plain, list(tilts_deg)])


def words(evening: Evening, *boards: Scoreboard, **more: Any) -> list[str]:
    """What is said after the last board."""
    found: list[str] = said(evening, *boards, **more)[-1]["words"]
    return found


PLACED = LastShown(type="placed", player="Ada", colour="red", cell="c4", points=7,
                   ways=({"way": "complete", "points": 7, "where": "4"},))  # fmt: skip


def placed(**changes: Any) -> Scoreboard:
    return with_scores(board(seq=40, rev=40, last=PLACED, **changes), 64, 38)


def before() -> Scoreboard:
    return with_scores(board(), 57, 38)


def test_a_placement_that_may_be_corrected_is_not_told_at_all(evening: Evening) -> None:
    unsure = msgspec.structs.replace(PLACED, status="provisional")
    seen = msgspec.structs.replace(provisional(placed()), last=unsure)
    settled = msgspec.structs.replace(placed(), seq=41, rev=41, last=None)
    found = said(evening, before(), seen, settled)

    assert found[1]["words"] == []
    assert found[2]["words"] == ["7 points for Ada: 64.", "A whole row!"]


def test_a_placement_that_people_told_is_told_at_once(evening: Evening) -> None:
    assert "c4" in words(evening, before(), provisional(placed()))[0]


def test_its_points_are_told_once_they_stand_and_only_once(evening: Evening) -> None:
    settled = msgspec.structs.replace(placed(), seq=41, rev=41)
    found = said(evening, before(), provisional(placed()), settled,
                 msgspec.structs.replace(settled, seq=42, rev=42))  # fmt: skip

    assert "7 points for Ada: 64." in " ".join(found[2]["words"])
    assert "A whole row!" in " ".join(found[2]["words"])
    assert "points" not in " ".join(found[3]["words"])


def test_a_corrected_placement_never_told_the_points_it_did_not_bring(evening: Evening) -> None:
    corrected = with_scores(
        board(seq=41, rev=41, last=LastShown(type="corrected", player="Ada", of="nothing")), 57, 38
    )
    everything = said(evening, before(), provisional(placed()), corrected)

    assert "64" not in str(everything)


def test_whose_turn_it_is_and_who_leads(evening: Evening) -> None:
    ahead = with_scores(board(seq=41, rev=41, turn=TurnShown(player="Björn")), 57, 60)
    first = board(turn=TurnShown(player="Ada"))
    found = words(evening, with_scores(first, 57, 38), ahead)

    assert found == ["22 points for Björn: 60.", "Björn takes the lead.", "Björn, your turn."]


def test_three_scoring_placements_one_after_the_other_are_a_streak(evening: Evening) -> None:
    boards = [with_scores(board(), 10, 0)]
    for number in range(1, 4):
        last = msgspec.structs.replace(PLACED, points=2)
        shown = board(seq=39 + number, rev=39 + number, last=last)
        boards.append(with_scores(shown, 10 + 2 * number, 0))
    found = said(evening, *boards)

    assert [("in a row" in " ".join(one["words"])) for one in found] == [False, False, False, True]


@pytest.mark.parametrize(("lang", "word"), [("en", "degrees"), ("de", "Grad"), ("fr", "degrés")])
def test_a_board_that_hangs_far_is_told_once(evening: Evening, lang: str, word: str) -> None:
    boards = [board(seq=number, rev=number) for number in range(40, 45)]
    found = said(evening, *boards, tilts_deg=[0.0, 4.6, 4.8, 2.0, 5.2], lang=lang)

    assert [word in " ".join(one["words"]) for one in found] == [False, True, False, False, True]


def test_a_question_and_the_winner_are_told_whatever_waits(evening: Evening) -> None:
    question, winner = asked(2), over(2)
    asks = said(evening, board(), msgspec.structs.replace(question, seq=41))[-1]
    wins = said(evening, msgspec.structs.replace(winner, phase="act", seq=winner.seq - 1), winner)[
        -1
    ]

    assert asks["important"]
    assert question.pending is not None
    assert question.pending.text in asks["words"]
    assert wins["important"]
    assert "wins" in wins["words"][-1]


def test_who_toppled_is_named_unless_the_table_asks_who_it_was(evening: Evening) -> None:
    named = " ".join(words(evening, board(), toppled(2)))
    doubtful = msgspec.structs.replace(toppled(2), pending=blamed(4).pending)
    asked_about = " ".join(words(evening, board(), doubtful))

    assert "Björn" in named
    assert "Clear the board, please." in named
    assert asked_about.startswith("Topple!")
    assert words(evening, scene(2), toppled_clear(2))[0] == "Topple!"
    # Who comes late hears nothing of what was.
    assert said(evening, toppled(2)) == [{"calls": [], "words": [], "important": False}]


# --- the voice ----------------------------------------------------------------------------------


def listening(evening: Evening, table: str, *, lang: str = "en") -> Any:
    """A scoreboard with its commentator on, and a voice that waits to be finished."""
    evening.show(before(), table)
    page = evening.open(path=f"t/{table}?lang={lang}")
    page.evaluate(VOICE)
    wait_for_rev(page, 39)
    page.click("#commentator")
    wait_until(page, "window.began.length === 1")  # what calls is loaded only now
    page.evaluate("window.finish(); window.began = []; window.most = 0")
    return page


@pytest.mark.parametrize("lang", languages())
def test_it_speaks_in_the_language_of_the_page(evening: Evening, lang: str) -> None:
    page = listening(evening, f"says-{lang}", lang=lang)
    evening.show(placed(), f"says-{lang}")
    wait_until(page, "window.began.length === 1")
    spoken = page.evaluate("window.began[0]")

    assert spoken[0] == lang
    assert "Ada" in spoken[1]
    assert "64" in spoken[1]


def test_it_never_speaks_twice_at_once_and_says_the_newest_next(evening: Evening) -> None:
    page = listening(evening, "one-voice")
    for number in range(40, 46):
        shown = board(seq=number, rev=number, turn=TurnShown(player=("Ada", "Björn")[number % 2]))
        evening.show(with_scores(shown, 57, 38), "one-voice")
        wait_for_rev(page, number)
    assert len(page.evaluate("window.began")) == 1
    page.evaluate("window.finish()")
    wait_until(page, "window.began.length === 2")
    page.evaluate("window.finish()")

    assert page.evaluate("window.most") == 1
    assert page.evaluate("window.began[1][1]") == "Björn, your turn."
    assert len(page.evaluate("window.began")) == 2


def test_what_is_important_waits_and_is_said(evening: Evening) -> None:
    page = listening(evening, "waits")
    evening.show(placed(), "waits")
    wait_for_rev(page, 40)
    evening.show(toppled(2), "waits")
    wait_for_rev(page, 42)
    evening.show(board(seq=43, rev=43, turn=TurnShown(player="Ada")), "waits")
    wait_for_rev(page, 43)
    for count in (2, 3):
        page.evaluate("window.finish()")
        wait_until(page, f"window.began.length === {count}")

    assert "Björn" in page.evaluate("window.began[1][1]")
    assert page.evaluate("window.most") == 1


def test_it_is_silent_until_wanted_and_the_browser_remembers(evening: Evening) -> None:
    evening.show(before(), "wanted")
    page = evening.open("wanted")
    page.evaluate(VOICE)
    wait_for_rev(page, 39)
    evening.show(placed(), "wanted")
    wait_for_rev(page, 40)
    silent = page.evaluate("window.began")
    page.keyboard.press("c")
    page.reload()
    wait_until(page, "document.querySelector('#commentator').ariaPressed === 'true'")
    page.click("#commentator")
    page.reload()

    assert silent == []
    wait_until(page, "document.querySelector('#commentator').ariaPressed === 'false'")
    assert page.complaints == []
