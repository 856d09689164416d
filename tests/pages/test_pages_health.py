"""The health page of a table in Debian's Chromium: what somebody sees who looks for a fault."""

import io
import re
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from controller.mqtt import topics
from controller.mqtt.topics import SensorTrouble, TableStatus
from tests.pages.browser import (
    BROWSER_NEEDED,
    PICTURES,
    SIZES,
    Evening,
    keep_pictures,
    wait_until,
)
from tests.pages.home import Home, home
from tests.pages.scenes import scene, trace, unwell, vitals

pytestmark = BROWSER_NEEDED
__all__ = ["home"]  # a fixture


def shown(evening: Evening, table: str, health: Any, size: str = "1280x720", lang: str = "") -> Any:
    evening.show(scene(2), table)
    evening.say(topics.health(table, health))
    page = evening.open(table, size, path=f"t/{table}/health{lang}")
    page.wait_for_selector("body[data-ready=true]")
    return page


CLOCK_IS_SET = "performance.getEntriesByName(location.origin + '/clock').length > 1"
"""The page asks several times, and counts no point before the first answer."""

LINE = "document.querySelector('#weight > svg .line-0').getAttribute('d')"
POINTS = f"(({LINE} ?? '').split(/[ML]/).length - 1)"
"""How many are drawn."""


def live(evening: Evening, table: str, page: Any, points: int = 40) -> None:
    """Send a trace as the table would, without waiting for table time."""
    wait_until(page, CLOCK_IS_SET)
    for number in range(points):
        evening.table.publish(topics.trace(table, trace(number * 0.1, time.time())))
        # A page that is slow gets the newest point only.
        wait_until(page, f"{POINTS} > {number}")


def advice(page: Any) -> str:
    return str(page.locator("#check").inner_text())


SQUEEZED = """
() => [...document.querySelectorAll(".panel dt")].filter((name) => {
  const list = name.parentElement.getBoundingClientRect();
  return name.getBoundingClientRect().width < .42 * list.width;
}).map((name) => name.textContent)
"""


def rows(page: Any, place: str) -> dict[str, str]:
    # In one go: each second the page may write another row.
    found = page.locator(f"#{place}").evaluate(
        "(list) => [...list.querySelectorAll('dt')]"
        ".map((name) => [name.innerText, name.nextElementSibling.innerText])"
    )
    return dict(found)


def test_weight_and_tilt_are_drawn_as_they_come(evening: Evening) -> None:
    page = shown(evening, "live", vitals())
    live(evening, "live", page)
    wait_until(page, "document.querySelector('#weight-now').textContent.startsWith('39.2')")

    assert len(page.locator("#weight > svg .line-0").get_attribute("d")) > 100
    assert page.locator("#tilt-now").inner_text().endswith("°")
    assert len(page.locator("#tilt > svg .line-1").get_attribute("d")) > 100
    assert page.complaints == []


def test_a_healthy_table_is_told_to_be_well_and_offers_no_recording_that_it_cannot_make(
    evening: Evening,
) -> None:
    page = shown(evening, "well-one", vitals())

    assert advice(page) == "Nothing. All is well."
    assert page.locator("#sensors tr.good").count() == 5
    assert "The pivot is good" in page.locator("#pivot").inner_text()
    assert not page.locator("#recording").is_visible()


def test_every_fault_is_named_with_what_to_check_next(evening: Evening) -> None:
    page = shown(evening, "unwell", unwell())

    for words in ("Load cell C2", "check its plug", "Recalibrate", "6 of the last 50", "480 ms",
                  "sticks within 0.61°", "14 messages",
                  "“results” has 70,123 bytes", "by \N{MINUS SIGN}7.2 g",
                  "3 times a blue piece weighed like a red one"):  # fmt: skip
        assert words in advice(page)
    assert rows(page, "sureness")["mean mass of a piece"] == "red 3.00\u202fg, blue 3.98\u202fg"
    assert rows(page, "sureness")[
        "a piece\N{RIGHT SINGLE QUOTATION MARK}s weight names its colour"
    ].startswith("99.9")
    assert page.locator("#sensors tr.bad th").inner_text() == "Load cell C2"


def test_figures_this_page_has_never_heard_of_are_shown_all_the_same(evening: Evening) -> None:
    health = vitals(link={"crc_errors": 2, "uptime_s": 12.5}, undervoltage=True)
    health["sensors"]["scale.1"]["saturated_pct"] = 0.4
    page = shown(evening, "figures", health)

    assert rows(page, "link")["link: crc errors"] == "2"
    assert rows(page, "link")["link: uptime"] == "12.5\u202fs"
    assert rows(page, "link")["undervoltage"] == "yes"
    assert "saturated 0.4\u202f%" in page.locator("#sensors").inner_text()


def test_the_way_from_sensor_to_screen_is_timed(evening: Evening) -> None:
    page = shown(evening, "timed", vitals())
    live(evening, "timed", page, 20)
    wait_until(page, "document.querySelectorAll('#latency dt').length >= 6")
    found = rows(page, "latency")

    assert found["reading the sensors and deciding"] == "6.0\u202fms"
    total_ms = float(found["altogether, half of them within"].split("\u202f")[0])
    assert 6.0 <= total_ms < 5000


def test_clocks_that_disagree_are_not_believed(evening: Evening) -> None:
    page = shown(evening, "clocks", vitals())
    wait_until(page, CLOCK_IS_SET)
    for number in range(10):
        point = trace(number * 0.1, time.time() - 3600.0)
        evening.table.publish(topics.trace("clocks", point))
        page.wait_for_timeout(5)
    page.wait_for_selector("#clocks:not([hidden])")

    # The hour, and some tenths of a second of the way here.
    assert re.search(r"differ by 3,60\d", page.locator("#clocks").inner_text())
    assert "over the network to this scoreboard" not in rows(page, "latency")


SMALLEST_PX = 11

LETTERS = """() => [...document.querySelectorAll(".marks text")].map((text) =>
  parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"""


@pytest.mark.parametrize("size", ["390x844", "800x480", "800x1280", "1920x1080"])
def test_the_figures_of_a_chart_can_be_read_on_every_screen(evening: Evening, size: str) -> None:
    table = f"letters-{size}"
    page = shown(evening, table, vitals(), size)
    live(evening, table, page, 20)
    letters = page.evaluate(LETTERS)
    page.screenshot(path=PICTURES / f"health-live-{size}.png")

    assert letters
    assert min(letters) >= SMALLEST_PX


def test_noise_on_the_trace_topic_harms_nothing(evening: Evening) -> None:
    page = shown(evening, "noise", vitals())
    for payload in (b"", b"no json", b"[]", b'{"boot":1}'):
        evening.table.publish(topics.Publication("topple/1/noise/trace", payload, 0, False))
    live(evening, "noise", page, 5)
    wait_until(page, "document.querySelector('#weight-now').textContent.startsWith('4')")

    assert page.complaints == []


def test_a_lost_table_leaves_its_last_figures_and_says_what_to_check(evening: Evening) -> None:
    page = shown(evening, "gone", vitals())
    evening.say(topics.availability("gone", online=False))
    page.wait_for_selector(".notice.offline")

    assert "See whether it has power" in advice(page)
    assert page.locator("#sensors tr").count() == 6


def test_a_support_bundle_is_offered_where_the_table_runs_and_nowhere_else(
    evening: Evening,
) -> None:
    token = "?" + evening.server.screen_url().partition("?")[2]
    page = shown(evening, "elsewhere", vitals(), lang=token)
    assert page.locator("#support").is_hidden()
    # A guest is offered none and gets none.
    page = shown(evening, "well", vitals())
    answer = page.request.get(f"{evening.server.url}t/well/support.zip")
    assert (answer.status, b"PIN" in answer.body()) == (403, True)
    assert page.locator("#support").is_hidden()
    page = shown(evening, "well", vitals(), lang=token)
    with page.expect_download() as download:
        page.locator("#bundle").click()
    bundle = zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes()))

    assert download.value.suggested_filename == "topple-table-well-support.zip"
    assert {"about.txt", "health.json", "versions.json"} <= set(bundle.namelist())


def test_status_alone_tells_of_a_sensor_before_health_does(evening: Evening) -> None:
    trouble = SensorTrouble("scale.0", "repeats one value; check its data wire")
    evening.say(
        topics.status(
            "early", TableStatus("b", "degraded", "", "0.1", simulated=False, troubles=(trouble,))
        )
    )
    page = shown(evening, "early", vitals())

    assert "Load cell C0: repeats one value" in advice(page)


def test_nothing_is_wider_than_the_screen_or_squeezed_and_pictures_are_kept(
    evening: Evening,
) -> None:
    for name, health in (("well", vitals()), ("unwell", unwell())):
        page = shown(evening, f"shot-{name}", health)
        live(evening, f"shot-{name}", page)
        wait_until(page, "document.querySelectorAll('#latency dt').length >= 6")
        for picture in keep_pictures(page, f"health-{name}", whole=True):
            assert picture.stat().st_size > 10_000
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            if page.viewport_size["width"] == SIZES["390x844"][0]:
                # One long figure does not squeeze the words of the others.
                assert page.evaluate(SQUEEZED) == []


@pytest.mark.parametrize(
    ("lang", "begin", "end"),
    [
        ("en-GB", "Record this evening", "End the recording"),
        ("de-DE", "Diesen Abend aufzeichnen", "Aufzeichnung beenden"),
        ("fr-FR", "Enregistrer cette soirée", "Terminer l\u2019enregistrement"),
    ],
)
def test_a_phone_that_has_joined_switches_the_recording(
    home: Home, lang: str, begin: str, end: str
) -> None:
    page = home.joined(lang=lang)
    page.goto(home.phone_url.replace("/play", "/health"))
    button = page.get_by_role("button")
    button.filter(has_text=begin).click()
    button.filter(has_text=end).wait_for()
    assert home.table.tape.on

    guest = home.page(lang=lang)
    guest.goto(home.phone_url.replace("/play", "/health"))
    guest.locator("#record-said:not(:empty)").wait_for()
    assert not guest.locator("#record").is_visible()

    button.filter(has_text=end).click()
    button.filter(has_text=begin).wait_for()
    assert not home.table.tape.on
    assert page.complaints == []


@pytest.mark.parametrize(
    ("lang", "label", "words", "advised"),
    [
        (
            "en",
            "pieces whose owner the weight tells",
            ("none", "some", "all"),
            ("Recalibrate", "“results” has 70,123 bytes"),
        ),
        (
            "de",
            "Steine, deren Besitzer das Gewicht verrät",
            ("keine", "manche", "alle"),
            ("Kalibriere den Tisch neu", "„results“ hat 70.123 Bytes"),
        ),
        (
            "fr",
            "pièces dont le poids dit à qui elles sont",
            ("aucune", "certaines", "toutes"),
            ("Recalibrez la table", "«\u202fresults\u202f» fait 70"),
        ),
    ],
)
def test_the_page_speaks_the_language_asked_for_and_says_what_pieces_tell(
    evening: Evening, lang: str, label: str, words: tuple[str, ...], advised: tuple[str, ...]
) -> None:
    for told, word in zip(("none", "some", "all"), words, strict=True):
        health = unwell() | {"pieces_tell": told}
        page = shown(evening, f"tells-{told}", health, lang=f"?lang={lang}")

        assert rows(page, "sureness")[label] == word
        assert page.locator("html").get_attribute("lang") == lang
        assert all(each in advice(page) for each in advised)
        assert page.locator("#to-table").get_attribute("href") == f"/t/tells-{told}?lang={lang}"
