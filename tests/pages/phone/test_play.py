"""What phones ask of the server, without a network: who gets in, who may do what."""

import asyncio
import json
from collections.abc import Callable, MutableMapping
from typing import Any

import msgspec
import pytest

from controller.mqtt import topics
from controller.mqtt.client import ConnectionStatus, Message
from controller.mqtt.topics import Publication
from engine.results import GameResult, PlayerResult, Results
from pages.app import League, application
from pages.feed import Feed
from pages.game.games import Games
from pages.health.metrics import Metrics
from pages.hosts import HostNames
from pages.mirror import STALE_AFTER_S, Mirror
from pages.phone.commander import Commander
from pages.phone.pin import LASTS_S, TRIES_EACH
from pages.phone.play import COOKIE, Phones, Shown
from pages.phone.sessions import ACTS_AT_ONCE, MOST_SESSIONS, SEAT_SILENT_S
from pages.scoreboard.screen import OwnScreen
from tests.pages.loops import finished
from tests.pages.scenes import by_hand, scene

SEEN = {"boot": "boot-1", "game": "game-1", "rev": 40}


class Server:
    """The application with a table in its mirror, and the time in hand."""

    def __init__(
        self,
        board: Any = None,
        *,
        shown: Shown = "screen",
        league: League | None = None,
        games: Games | None = None,
    ) -> None:
        self.now_s = 0.0
        self.mirror = Mirror(broker=ConnectionStatus(up=True, text="connected"))
        self.sent: list[dict[str, Any]] = []
        self.announced: list[tuple[str, str]] = []
        self.screen = OwnScreen("http://127.0.0.1:80/", 80)
        self.hear(topics.availability("t1", online=True))
        self.hear(topics.state(board or msgspec.structs.replace(scene(), table="t1")))
        self._commander = Commander(self._publish, "board-1", unix_s=lambda: 1000.0)
        self.phones = Phones(
            lambda: self.mirror,
            self._commander if shown != "off" else None,
            shown=shown,
            announce=lambda table, pin: self.announced.append((table, pin)),
            own=self.screen.proves,
            clock=lambda: self.now_s,
        )
        self.phones.meet(self.mirror.tables)
        self._app = application(
            Feed(lambda _key: b"{}"),
            self._bundle,
            phones=self.phones,
            screen=self.screen,
            names=HostNames("tower"),
            league=league,
            games=games,
            metrics=Metrics("known to few", lambda: self.mirror),
        )

    def hear(self, publication: Publication) -> None:
        message = Message(publication.topic, publication.payload, retained=False)
        self.mirror = self.mirror.updated(message, self.now_s)

    def _bundle(self, table: str) -> Callable[[], bytes] | None:
        return (lambda: b"PK") if table == "t1" else None

    def _publish(self, publication: Publication) -> None:
        command = json.loads(publication.payload)
        self.sent.append({"verb": publication.topic.rsplit("/", 1)[1], **command})
        reply = json.dumps({"ok": True, "rev": 41, "id": command["id"]}).encode()
        self._commander.receive(Message("topple/1/t1/reply/board-1", reply, retained=False))

    @property
    def token(self) -> str:
        """As it stands in the address on the terminal."""
        return self.screen.address().partition("?screen=")[2]

    def pin(self) -> str:
        return self.announced[-1][1]

    def ask(
        self, name: str, body: Any = None, *, token: str = "", client: str = "192.168.1.7",
        host: str = "tower:80", table: str = "t1", origin: str | None = None, own: bool = False,
        under: str = "play/", **more: str,
    ) -> tuple[int, Any, dict[str, str]]:  # fmt: skip
        """One request; a POST when there is a body."""
        post = body is not None
        raw = body if isinstance(body, bytes) else json.dumps(body).encode() if post else b""
        cookie = f"{COOKIE}={token}; topple_screen_80={self.token if own else 'guessed'}"
        headers = [(b"host", host.encode()), (b"cookie", cookie.encode()),
                   *((key.encode(), value.encode()) for key, value in more.items())]  # fmt: skip
        if post:
            headers += [(b"origin", (origin or f"http://{host}").encode()),
                        (b"content-type", b"application/json")]  # fmt: skip
        path = name if name.startswith("/") else f"/t/{table}/{under}{name}"
        return finished(self._asked("POST" if post else "GET", path, raw, headers, client))

    async def _asked(
        self, method: str, path: str, body: bytes, headers: list[tuple[bytes, bytes]], client: str
    ) -> tuple[int, Any, dict[str, str]]:
        path, _, query = path.partition("?")
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            await asyncio.sleep(0)
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
            "path": path, "raw_path": path.encode(), "query_string": query.encode(),
            "root_path": "", "scheme": "http", "headers": headers, "server": ("127.0.0.1", 80),
            "client": (client, 5),
        }  # fmt: skip
        await asyncio.wait_for(self._app(scope, receive, send), 10)
        head = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        content = b"".join(message.get("body", b"") for message in sent)
        is_json = head.get("content-type") == "application/json"
        return sent[0]["status"], json.loads(content) if is_json else content, head

    def join(self, seat: str | None = None, **how: Any) -> str:
        """Join with the PIN; the session's token."""
        status, _, head = self.ask("join", {"pin": self.pin()}, **how)
        assert status == 200
        token = head["set-cookie"].split("=", 1)[1].split(";")[0]
        if seat is not None:
            assert self.ask("seat", {"player": seat}, token=token)[0] == 200
        return token

    def act(self, token: str, verb: str = "undo", **fields: Any) -> tuple[int, Any]:
        body = {"verb": verb, "id": "0123456789ab", "seen": SEEN, **fields}
        return self.ask("do", body, token=token)[:2]


def test_the_pin_opens_and_the_cookie_is_for_this_table_and_for_no_script() -> None:
    server = Server()
    status, answer, head = server.ask("join", {"pin": f" {server.pin()[:3]} {server.pin()[3:]} "})

    assert (status, answer) == (200, {"ok": True})
    cookie = head["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/t/t1;" in cookie
    assert head["cache-control"] == "no-cache"


def test_wrong_pins_are_counted_and_then_refused_for_a_while() -> None:
    server = Server()
    wrong = {"pin": "none"}
    answers = [server.ask("join", wrong)[:2] for _ in range(TRIES_EACH)]
    assert answers[0] == (
        403,
        {"ok": False, "code": "wrong-pin", "msg": "this is not the PIN; 4 tries left", "left": 4},
    )
    status, answer, _ = server.ask("join", {"pin": server.pin()})
    assert (status, answer["code"]) == (429, "wait")
    # Another phone is let in, and this one after the wait.
    server.join(client="192.168.1.8")
    server.now_s = float(answer["wait_s"])
    server.join()


def test_addresses_of_one_ipv6_network_guess_and_join_as_one() -> None:
    """A device takes as many of them as it likes; a proxy on this machine passes them on."""
    server = Server()
    network = [f"2001:db8:0:7::{host:x}" for host in range(1, 200)]
    codes = [server.ask("join", {"pin": "none"}, client=host)[1]["code"] for host in network]
    assert codes.count("wrong-pin") == TRIES_EACH - 1, "the last one is told to wait"
    assert server.ask("join", {"pin": server.pin()}, client=network[-1])[0] == 429
    # The next house is not kept out, but has no more places than one device.
    neighbours = [f"2001:db8:0:8::{host:x}" for host in range(1, 20)]
    first = server.join(client=neighbours[0])
    for host in neighbours[1:]:
        server.join(client=host)
    assert server.act(first)[0] == 401


def test_only_the_own_screen_and_phones_that_joined_see_the_pin() -> None:
    server = Server()

    assert server.ask("invite")[1] == {"phones": True, "pin": None}
    assert server.ask("invite.svg")[0] == 403
    assert server.ask("invite", own=True)[1]["pin"] == server.pin()
    assert b"<svg" in server.ask("invite.svg", own=True)[1]
    invited = server.ask("invite", token=server.join())[1]
    assert invited["pin"] == server.pin()
    assert invited["url"] == "http://tower:80/t/t1/play"
    assert invited["screen"] is False


@pytest.mark.parametrize("more", [{}, {"x-forwarded-for": "192.168.1.7"}, {"via": "1.1 proxy"}])
def test_who_comes_through_a_proxy_on_this_machine_is_not_the_own_screen(
    more: dict[str, str],
) -> None:
    """Many proxies leave no mark and ask for the address they were told: that of this machine."""
    server = Server()
    guest: dict[str, Any] = {"client": "127.0.0.1", "host": "127.0.0.1:8080", **more}

    assert server.ask("invite", **guest)[1]["pin"] is None
    assert server.ask("invite.svg", **guest)[0] == 403
    assert server.ask("renew", {}, **guest)[0] == 403


def test_shown_on_the_terminal_alone_no_screen_sees_it() -> None:
    server = Server(shown="terminal")

    assert server.ask("invite", own=True)[1]["pin"] is None
    assert server.announced == [("t1", server.pin())]
    server.join()


def test_a_display_cannot_act_whatever_it_is_asked() -> None:
    server = Server(shown="off")

    assert server.ask("me")[1]["phones"] is False
    assert server.announced == []
    for name, body in (("join", {"pin": "1"}), ("do", {"verb": "undo", "id": "x" * 12}),
                       ("seat", {}), ("leave", {}), ("renew", {})):  # fmt: skip
        status, answer, _ = server.ask(name, body)
        assert (status, answer["code"]) == (403, "off")
    # It gives its bundle to the own screen only.
    assert server.ask("support.zip", under="")[0] == 403
    assert server.ask("support.zip", under="", own=True)[0] == 200


def test_a_command_goes_out_with_the_seat_of_the_session_and_not_what_the_page_says() -> None:
    server = Server()
    status, answer = server.act(server.join("Ada"), "roll", data={"value": 3}, player="Björn")
    server.act(server.join())

    assert (status, answer["ok"]) == (200, True)
    sent = server.sent[0]
    assert (sent["verb"], sent["player"], sent["rev"]) == ("roll", "Ada", 40)
    assert sent["client"] == "board-1"
    assert sent["id"].endswith("-0123456789ab")
    # Two phones with the same id do not meet.
    assert sent["id"] != server.sent[1]["id"]


def test_without_a_session_nothing_is_sent() -> None:
    server = Server()
    for token in ("", "nonsense", server.pin()):
        assert server.act(token)[0] == 401
    token = server.join()
    server.ask("leave", {}, token=token)
    assert server.act(token)[0] == 401

    assert server.sent == []


def test_a_cross_site_request_is_refused_whatever_it_carries() -> None:
    server = Server()
    token = server.join()
    body = {"verb": "undo", "id": "0123456789ab", "seen": SEEN}
    for name, content in (("do", body), ("join", {"pin": server.pin()}), ("seat", {}),
                          ("leave", {}), ("renew", {})):  # fmt: skip
        status, answer, _ = server.ask(name, content, token=token, origin="http://evil.example")
        assert (status, answer["code"]) == (403, "cross-site")

    assert server.sent == []
    assert server.ask("me", token=token)[1]["joined"]


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        ({**SEEN, "boot": "boot-0"}, "stale-rev"),
        ({**SEEN, "game": "game-0"}, "stale-rev"),
        (None, "bad-json"),
    ],
)
def test_what_was_pressed_on_another_document_is_not_sent(seen: Any, code: str) -> None:
    server = Server()
    _, answer = server.act(server.join(), seen=seen)

    assert answer["code"] == code
    assert server.sent == []


def test_while_nobody_knows_whether_the_table_hears_nothing_is_sent() -> None:
    server = Server()
    token = server.join()
    server.now_s = STALE_AFTER_S + 1
    assert server.act(token)[1]["code"] == "stale"
    server.hear(topics.availability("t1", online=False))
    assert server.act(token)[1]["code"] == "offline"
    server.mirror = server.mirror.connected(ConnectionStatus(up=False, text="gone"))

    assert server.act(token)[1]["code"] == "no_broker"
    assert server.sent == []


def test_a_hand_is_asked_for_by_its_seat_only() -> None:
    server = Server(by_hand("triple-topper-toe", 6))
    ann, nobody = server.join("Ann"), server.join()
    assert server.act(nobody, "view")[1]["code"] == "no-seat"
    assert server.ask("seat", {"player": "Ann"}, token=nobody)[1]["code"] == "seat-taken"
    assert server.sent == []
    server.act(ann, "view", data={"player": "Bob"})

    assert server.sent[0]["player"] == "Ann"
    assert server.sent[0]["rev"] is None
    assert server.ask("me", token=nobody)[1]["taken"] == ["Ann"]


def test_the_owner_of_a_seat_is_asked_and_both_phones_hear_what_becomes_of_it() -> None:
    server = Server()
    ada, other = server.join("Ada"), server.join()
    server.ask("seat", {"player": "Ada"}, token=other)
    assert server.ask("me", token=ada)[1]["claimed"]
    assert server.ask("me", token=other)[1]["claims"]
    assert server.ask("give", {"give": True}, token=ada)[0] == 200

    assert (
        server.ask("me", token=ada)[1] | {"seat": None, "lost": "Ada"}
        == (server.ask("me", token=ada)[1])
    )
    assert server.ask("me", token=other)[1]["seat"] == "Ada"


def test_a_silent_phones_seat_is_taken_and_both_phones_hear_it() -> None:
    server = Server()
    ada, other = server.join("Ada"), server.join()
    server.now_s += SEAT_SILENT_S
    server.hear(topics.availability("t1", online=True))
    taken = server.ask("seat", {"player": "Ada"}, token=other)

    assert taken[1] == {"ok": True, "seat": "Ada", "taken_over": True}
    assert server.ask("me", token=ada)[1]["lost"] == "Ada"


def test_joins_with_the_pin_from_one_address_push_nobody_out() -> None:
    """What a guest did who knew the PIN: 63 joins in a tenth of a second, then Ada's seat."""
    server = Server()
    ada = server.join("Ada")
    guest = [server.join(client="192.168.1.66") for _ in range(63)][-1]

    assert server.ask("me", token=ada)[1]["seat"] == "Ada"
    assert server.ask("seat", {"player": "Ada"}, token=guest)[1]["code"] == "seat-taken"
    assert server.ask("me", token=ada)[1]["seat"] == "Ada"


def test_a_phone_that_storms_is_refused_and_no_other() -> None:
    """A thousand acts in a second, by a guest who knows the PIN."""
    server = Server()
    guest, ada = server.join(client="192.168.1.66"), server.join("Ada")
    codes = [server.act(guest)[1].get("code") for _ in range(1000)]

    assert codes.count("busy") == 1000 - ACTS_AT_ONCE
    assert len(server.sent) == ACTS_AT_ONCE
    assert server.act(ada)[1]["ok"]
    server.now_s += 1.0
    assert server.act(guest)[1]["ok"]


def test_a_full_house_says_what_makes_room() -> None:
    server = Server()
    full = [
        server.ask("join", {"pin": server.pin()}, client=f"10.0.{n // 200}.{n % 200}")
        for n in range(MOST_SESSIONS + 1)
    ]

    assert {status for status, _, _ in full[:-1]} == {200}
    assert (full[-1][0], full[-1][1]["code"]) == (503, "full-house")


def test_only_those_who_play_have_a_seat_and_only_in_this_game() -> None:
    server = Server()
    assert server.ask("seat", {"player": "Eve"}, token=server.join())[0] == 404
    token = server.join("Ada")
    new = {"game": "game-2", "rev": 50, "seq": 50}
    server.hear(topics.state(msgspec.structs.replace(by_hand("topolo", 3), **new)))

    assert server.ask("me", token=token)[1]["seat"] is None


def test_a_phone_that_speaks_for_all_has_said_so_until_it_takes_a_seat() -> None:
    server = Server()
    token = server.join()
    told = []
    for seat in (None, "Ada", None):
        told.append(server.ask("me", token=token)[1]["for_all"])
        server.ask("seat", {"player": seat}, token=token)

    assert [*told, server.ask("me", token=token)[1]["for_all"]] == [False, True, False, True]


def test_a_new_pin_from_the_screen_sends_everybody_away_and_each_evening_has_one() -> None:
    server = Server()
    token, before = server.join(), server.pin()
    assert server.ask("renew", {}, token=token)[0] == 403
    assert server.ask("renew", {}, own=True)[0] == 200
    renewed = server.pin()
    assert renewed != before
    assert server.act(token)[0] == 401

    server.now_s = LASTS_S
    server.phones.meet(["t1"])
    assert server.pin() != renewed


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"[" * 4000, 400),
        (b'{"pin": 123456}', 400),
        (b'"' + b"x" * 5000 + b'"', 413),
        (b"\xff\xfe", 400),
    ],
)
def test_no_body_is_too_strange_and_no_verb_leads_to_another_topic(
    body: bytes, status: int
) -> None:
    server = Server()
    found, answer, _ = server.ask("join", body)

    assert (found, answer["ok"]) == (status, False)
    for verb in ("", "../roll", "dance", "roll/x", "ROLL"):
        assert server.act(server.join(), verb)[0] == 400
    assert server.sent == []


def test_who_has_joined_may_delete_old_games_whatever_is_being_played_and_a_stranger_may_not() -> (
    None
):
    server = Server()
    body = {"verb": "forget", "id": "0123456789ab", "data": {"game": "g1"}}

    assert server.ask("do", body)[0] in (401, 403)
    assert server.sent == []
    assert server.ask("do", body, token=server.join())[0] == 200
    (sent,) = server.sent
    assert (sent["verb"], sent["rev"], sent["data"]) == ("forget", None, {"game": "g1"})


def test_tables_nobody_has_heard_of_have_no_door() -> None:
    server = Server()

    assert server.ask("me", table="t2")[1]["known"] is False
    assert server.ask("join", {"pin": server.pin()}, table="t2")[0] == 404
    assert server.ask("join", {"pin": "1"}, table="NO")[0] == 404


def test_each_table_has_a_pin_of_its_own() -> None:
    server = Server()
    server.hear(topics.availability("t2", online=True))
    server.phones.meet(server.mirror.tables)
    token = server.join(table="t2")  # the PIN told last is that of the second

    assert [table for table, _ in server.announced] == ["t1", "t2"]
    assert server.ask("me", table="t2", token=token)[1]["joined"] is True
    assert server.ask("me", table="t1", token=token)[1]["joined"] is False


def test_the_support_bundle_is_for_those_who_may_act_and_for_the_own_screen() -> None:
    server = Server()
    status, words, _ = server.ask("support.zip", under="")

    assert (status, b"PIN" in words) == (403, True)
    assert server.ask("support.zip", under="", client="127.0.0.1", host="127.0.0.1:80")[0] == 403
    assert server.ask("support.zip", under="", token=server.join())[0] == 200
    assert server.ask("support.zip", under="", own=True)[0] == 200
    server.hear(topics.availability("t2", online=True))
    server.phones.meet(server.mirror.tables)
    assert server.ask("support.zip", under="", token=server.join(table="t2"))[0] == 403


# --- players who stay ----------------------------------------------------------------------------

ENDED = Results(
    "t1", "boot-1",
    (
        GameResult(
            "g1", "topple", 3, "2026-11-22T20:00:00+00:00", (PlayerResult("Ada", 42),), ("Ada",)
        ),
    ),
)  # fmt: skip


def test_who_stays_says_so_from_the_own_seat_and_takes_it_back() -> None:
    server = Server()
    server.hear(topics.results(ENDED))
    token = server.join()
    assert server.ask("profile", {"stay": True}, token=token)[1]["code"] == "no-seat"
    server.ask("seat", {"player": "Ada"}, token=token)

    assert server.ask("me", token=token)[1]["stays"] is False
    assert server.ask("profile", {"stay": True}, token=token)[0] == 200
    assert server.ask("me", token=token)[1]["stays"] is True
    (ada,) = server.ask("profiles", token=token)[1]["profiles"]
    assert (ada["name"], ada["wins"]) == ("Ada", 1)
    # Names and records are for those at the table.
    assert server.ask("profiles")[1]["profiles"] == []
    assert len(server.ask("profiles", own=True)[1]["profiles"]) == 1
    assert server.ask("profile", {"stay": True})[0] == 401

    assert server.ask("profile", {"stay": False}, token=token)[0] == 200
    assert server.ask("profiles", token=token)[1]["profiles"] == []
