"""Caller packs as folders: what is a pack, what is heard of a change, what is never given out."""

import contextlib
import io
import json
import re
import wave
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

from controller.common.files import LONGEST_WORDS
from pages.costly import CostlyWork
from pages.files import languages
from pages.sounds.caller_text import parse, sounds
from pages.sounds.callers import (
    FRESH_S,
    MOST_BYTES,
    MOST_FILES,
    MOST_PACKS,
    SHIPPED,
    TEXT,
    Callers,
)

MOST_SHIPPED_BYTES = 1_500_000
"""Of the repository and of each wheel."""

PACK = 'name = "Aunt Mary"\nlanguage = "en"\nlicence = "ours"\n'
LONG = "x" * 5000


def beep() -> bytes:
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(1600))
    return made.getvalue()


def pack(folder: Path, text: str = PACK, *clips: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TEXT).write_text(text)
    for clip in clips:
        sound(folder / f"{clip}.wav")
    return folder


def sound(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(beep())
    return path


def listed(own: Path | None) -> Any:
    return json.loads(Callers(own).document())


def of(own: Path, id_: str) -> Any:
    return next(one for one in listed(own)["packs"] if one["id"] == id_)


def served(callers: Callers) -> TestClient:
    return TestClient(Starlette(routes=callers.routes(CostlyWork())))


# --- what is shipped ------------------------------------------------------------------------------


def test_a_pack_is_shipped_for_each_language_of_the_pages_with_every_sound_and_its_licence() -> (
    None
):
    packs = listed(None)["packs"]

    assert {one["language"] for one in packs} == set(languages())
    assert {one["id"] for one in packs} == set(languages())
    for one in packs:
        assert one["missing"] == [], one["id"]
        assert "CC0" in one["licence"]
        assert len(one["about"]) > 100
        assert {str(n) for n in range(101)} <= set(one["clips"])


def test_shipped_packs_say_all_that_the_pages_have_words_for() -> None:
    keys = {re.sub(r"_\d$", "", key) for key in languages()["en"] if key.startswith("c_")}
    wanted = {key.removeprefix("c_") for key in keys} | {"wins", "before_winner", "ask", "refused"}

    for one in listed(None)["packs"]:
        assert wanted <= set(one["calls"]), one["id"]


def test_every_sound_that_is_shipped_is_in_its_text_or_a_number() -> None:
    for folder in SHIPPED.iterdir():
        said = parse((folder / TEXT).read_text("utf-8")).clips
        there = set(sounds(path.name for path in folder.iterdir()))
        assert {clip for clip in there if not clip.isdigit()} == set(said), folder.name


def test_shipped_packs_are_small() -> None:
    sizes = [path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()]

    assert 300_000 < sum(sizes) < MOST_SHIPPED_BYTES


# --- packs of one's own ---------------------------------------------------------------------------


def test_a_folder_with_sounds_and_a_text_is_a_pack(tmp_path: Path) -> None:
    pack(tmp_path / "mary", PACK + '[calls]\nturn = "{player} go"\n', "go", "7")
    sound(tmp_path / "mary/names/Ann.wav")
    sound(tmp_path / "mary/jingles/Ann.wav")
    found = of(tmp_path, "mary")

    assert (found["own"], found["name"], found["licence"]) == (True, "Aunt Mary", "ours")
    assert set(found["clips"]) == {"go", "7"}
    assert found["calls"]["turn"] == "{player} go"
    assert set(found["names"]) == set(found["jingles"]) == {"Ann"}


def test_calls_that_a_pack_leaves_out_are_those_that_are_shipped_for_its_language(
    tmp_path: Path,
) -> None:
    pack(tmp_path / "mary", PACK, "your_turn")
    found, shipped = of(tmp_path, "mary"), next(p for p in listed(None)["packs"] if p["id"] == "en")

    assert found["calls"] == shipped["calls"]
    assert "passes" in found["missing"]
    assert "your_turn" not in found["missing"]


def test_a_pack_of_ones_own_takes_the_place_of_a_shipped_one_of_its_name(tmp_path: Path) -> None:
    pack(tmp_path / "en", PACK, "your_turn")

    assert [one["own"] for one in listed(tmp_path)["packs"] if one["id"] == "en"] == [True]


def test_sounds_of_players_beside_the_packs_hold_for_all_of_them(tmp_path: Path) -> None:
    sound(tmp_path / "names/Björn Ø.wav")
    sound(tmp_path / "jingles/Ann.wav")
    client = served(Callers(tmp_path))
    found = client.get("/callers.json").json()

    assert [one["id"] for one in found["packs"]] == sorted(languages())
    for address in (found["names"]["Björn Ø"], found["jingles"]["Ann"]):
        assert client.get(address).content == beep()


def test_what_changes_in_the_folder_is_heard_of_without_a_restart(tmp_path: Path) -> None:
    now_s = [0.0]
    own = tmp_path / "callers"
    callers = Callers(own, lambda: now_s[0])

    def after(change: Any) -> Any:
        change()
        now_s[0] += FRESH_S
        return {one["id"]: one for one in json.loads(callers.document())["packs"]}

    assert "mary" in after(lambda: pack(own / "mary", PACK, "go"))
    address = after(lambda: None)["mary"]["clips"]["go"]
    assert "hi" in after(lambda: sound(own / "mary/hi.wav"))["mary"]["clips"]
    # The same name with another content has another address, so that no page plays the old one.
    other = after(lambda: (own / "mary/go.wav").write_bytes(beep() + bytes(9)))
    assert other["mary"]["clips"]["go"] != address
    assert (
        after(lambda: (own / "mary" / TEXT).write_text(PACK.replace("Mary", "Jane")))["mary"][
            "name"
        ]
        == "Aunt Jane"
    )
    assert "mary" not in after(lambda: (own / "mary").rename(tmp_path / "gone"))


def test_however_many_ask_the_folder_is_read_once_in_two_seconds(tmp_path: Path) -> None:
    now_s = [0.0]
    callers = Callers(tmp_path, lambda: now_s[0])
    callers.document()
    pack(tmp_path / "mary")
    before = callers.document()
    now_s[0] = FRESH_S

    assert b"Mary" not in before
    assert b"Mary" in callers.document()


def test_who_has_the_list_is_not_sent_it_again(tmp_path: Path) -> None:
    client = served(Callers(tmp_path))
    first = client.get("/callers.json")
    again = client.get("/callers.json", headers={"if-none-match": first.headers["etag"]})

    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


# --- what is no pack ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name = ", "this is no TOML"),
        ('language = "en"\nlicence = "ours"', "name is missing"),
        ('name = "x"\nlanguage = "en"', "licence is missing"),
        (PACK.replace('"en"', '"english"'), "language must be two lower-case letters"),
        (PACK + "speed = 3", "there is no speed"),
        (PACK + "[calls]\nturn = 3", "must be"),
        (PACK + "x = " + "[" * 5000, ""),
    ],
)
def test_a_text_that_cannot_be_used_is_refused_with_what_is_wrong(
    tmp_path: Path, text: str, why: str
) -> None:
    pack(tmp_path / "mary", text)
    found = listed(tmp_path)

    assert [one["id"] for one in found["packs"]] == sorted(languages())
    assert [(one["id"], one["code"]) for one in found["refused"]] == [("mary", "bad_text")]
    assert why in found["refused"][0]["why"]


def test_a_folder_that_is_no_pack_is_named_with_the_reason(tmp_path: Path) -> None:
    pack(tmp_path / "Aunt Mary")
    (tmp_path / "empty").mkdir()
    (tmp_path / "linked").symlink_to(pack(tmp_path.parent / "elsewhere"))
    pack(tmp_path / "torn").joinpath(TEXT).write_bytes(b"\xff\xfe")
    found = {one["id"]: one["code"] for one in listed(tmp_path)["refused"]}

    assert found == {"Aunt Mary": "id", "empty": "no_text", "linked": "link", "torn": "bad_text"}
    for code in (*found.values(), "unreadable", "too_many"):
        assert f"caller_refused_{code}" in languages()["en"]


def test_too_many_folders_files_and_bytes_are_left_out(tmp_path: Path) -> None:
    for number in range(MOST_PACKS + 2):
        pack(tmp_path / f"pack-{number:02}")
    for number in range(MOST_FILES + 5):
        (tmp_path / f"pack-00/{number}.wav").touch()
    (tmp_path / "pack-01/long.wav").write_bytes(bytes(MOST_BYTES + 1))
    found = listed(tmp_path)
    own = {one["id"]: one for one in found["packs"] if one["own"]}

    assert len(own) == MOST_PACKS
    assert [one["code"] for one in found["refused"]] == ["too_many"]
    assert len(own["pack-00"]["clips"]) <= MOST_FILES
    assert own["pack-01"]["clips"] == {}


@pytest.mark.parametrize("text", [f"[{LONG}]\n[{LONG}]", PACK + f"{LONG} = 3"])
def test_a_refusal_is_no_longer_than_a_screen_however_long_the_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"\.\.\.$") as refused:
        parse(text)
    assert len(str(refused.value)) <= LONGEST_WORDS


@given(st.text(max_size=200))
def test_no_text_ends_in_anything_but_a_pack_or_a_sentence(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert parse(text).licence


# --- what is given out ----------------------------------------------------------------------------


def test_only_sounds_that_were_found_are_given_out(tmp_path: Path) -> None:
    own = tmp_path / "callers"
    pack(own / "mary", PACK, "go")
    (own / "mary/notes.txt").write_text("private")
    (own / "secret.wav").write_bytes(beep())
    (tmp_path / "outside.wav").write_bytes(beep())
    (own / "mary/link.wav").symlink_to(tmp_path / "outside.wav")
    (own / "mary/names").symlink_to(tmp_path)
    client = served(Callers(own))

    assert client.get("/callers/mary/go.wav").headers["content-type"] == "audio/wav"
    for path in (
        "mary/caller.toml", "mary/notes.txt", "mary/link.wav", "mary/names/outside.wav", "mary/",
        "mary/../secret.wav", "mary/..%2fsecret.wav", "mary/%2e%2e/secret.wav", "_/secret.wav",
        "../outside.wav", "..%2f..%2foutside.wav", f"mary/{tmp_path}/outside.wav",
        f"mary/%2f{tmp_path}/outside.wav", "mary/go.wav%00", "mary/go", "MARY/go.wav", "_/../x",
    ):  # fmt: skip
        assert client.get(f"/callers/{path}").status_code == 404, path


def test_a_link_that_takes_the_place_of_a_sound_later_is_not_followed(tmp_path: Path) -> None:
    own = tmp_path / "callers"
    pack(own / "mary", PACK, "go")
    client = served(Callers(own))
    (tmp_path / "outside.wav").write_bytes(b"private")
    (own / "mary/go.wav").unlink()
    (own / "mary/go.wav").symlink_to(tmp_path / "outside.wav")

    assert client.get("/callers/mary/go.wav").status_code == 404
