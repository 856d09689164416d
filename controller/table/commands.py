"""Commands as they come from phones, buttons and Home Assistant, and the replies to them.

`topple/1/<table>/cmd/<verb>` carries `{"v","id","client","player","rev","exp","data"}`, every
field optional; the reply goes to `reply/<client>`. A command is obeyed once however often it is
delivered (`id`), only on the screen it was pressed on (`rev`), and only while it is fresh
(`exp`, by the table's clock, which every reply tells as `now`). Pure: wall time is passed in.

An invalid command is answered too, if `client` and `id` can be found in it. An empty payload is
ignored: it clears a retained message.

Besides the referee's verbs there is `view`: it changes nothing, and replies with the game as its
`player` may see it and with what that player may do now. It is the only way by which a hand or a
rack leaves the table, and only the client that asked gets it. The named player is not verified:
phones at one table are trusted as their owners are.

Nor do `corrections`, what `correct` would take of a move, and `moves`, `film` and `past`: a
finished game move by move, the film of one of its falls, and how all games ended that are kept.
`forget` takes some of them away, for ever.

And there are `hints` and `record` with `on: true` or `false`: whether the document holds the risk
map, and whether the evening is recorded.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from controller.common.files import clipped
from controller.mqtt.topics import CLIENT_ID, is_client_id
from controller.table.game_moves import PACKED_LIMIT, deflated
from controller.table.pipeline import Output, Pipeline
from controller.table.resultbook import ResultBook
from controller.table.shelf import GameShelf
from engine.errors import UNREADABLE, IllegalAction
from engine.events import HumanInput
from engine.games.checks import is_game_id
from engine.plainly import as_said, plainly
from engine.referee import VERBS, choices, corrections, spelled_out
from engine.scoreboard import API_VERSION, seats

LARGEST_COMMAND_BYTES = 16_384
"""The longest honest command starts Triple Topper Toe with a shuffled deck of 125 cards."""

REMEMBERED_IDS = 256
"""Per client: far more than a broker can deliver twice."""

REMEMBERED_CLIENTS = 64
"""As many as the broker lets in; one more forgets the one silent for longest."""

LONGEST_ID = 64

LONGEST_WORDS = 300
"""Characters of `msg`: it may quote what was sent, and who sent a book does not get it back."""

VIEW, HINTS, RECORD = "view", "hints", "record"
CORRECTIONS = "corrections"
MOVES, FILM, PAST, FORGET = "moves", "film", "past", "forget"
DESK = (VIEW, CORRECTIONS, HINTS, RECORD, MOVES, FILM, PAST, FORGET)
"""The verbs of this desk; all others are the referee's."""

MOST_LEGAL = 400
"""Actions in one reply. A rack of five in Topominos has at most 5 x 9 x 8 places to lie and 32
ways to pass; what is left out is counted."""


Code = Literal[
    "",
    "stale-rev",
    "not-your-turn",
    "illegal",
    "expired",
    "unknown-verb",
    "bad-json",
    "too-large",
    "busy",
]
"""Why a command was not done, for programs. Empty: it was done."""

CODES: dict[Code, str] = {
    "": "Done.",
    "stale-rev": "The game has gone on since the screen on which it was pressed; look again.",
    "not-your-turn": "It is another player's turn.",
    "illegal": "The rules do not allow it now; `reason` has the referee's own code.",
    "expired": "It arrived after `exp` by the table's clock, which is in `now`.",
    "unknown-verb": "The table knows no such command.",
    "bad-json": "It is no command: no JSON, or a field of the wrong kind or too long. It is "
    "answered when `client` (and `id`) can be read from it all the same.",
    "too-large": f"It is longer than any honest command: more than {LARGEST_COMMAND_BYTES} bytes.",
    "busy": "More commands arrived than the table can take; nothing was done, try again.",
}
"""The codes with what they mean, for the documents."""


class Command(msgspec.Struct, frozen=True):
    """The payload of a command.

    Attributes:
        id: makes duplicates harmless; without it each delivery counts.
        client: where the reply goes; without it there is none. Letters, digits, `_`, `.`, `-`.
        player: who says so; checked by the rules where it is one player's turn.
        rev: revision of the document the sender saw; any other than the table's is refused.
        exp: Unix seconds or ISO 8601, after which the command is void; by the table's clock.
        data: the verb's own fields, see `engine.referee.human_input`.
    """

    id: Annotated[str, Meta(max_length=LONGEST_ID)] | None = None
    client: Annotated[str, Meta(pattern=f"^{CLIENT_ID}$")] | None = None
    player: str | None = None
    rev: int | None = None
    exp: float | str | None = None
    data: dict[str, Any] = {}
    v: int = 1


_FIELDS = {
    "id": f"a text of at most {LONGEST_ID} characters",
    "client": "1 to 64 letters, digits, '_', '.' or '-'",
    "player": "a text",
    "rev": "a whole number",
    "exp": "Unix seconds or an ISO 8601 text",
    "data": "an object, {} when there is nothing to say",
    "v": str(API_VERSION),
}
"""What each field of a command must be, in words."""


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """The payload of a reply.

    Attributes:
        ok: whether it was done.
        rev: revision of the document now.
        id: of the command.
        code: why it was not done; left out when `ok`.
        now: the table's clock in Unix seconds, so that a client whose clock is wrong can count
            `exp` by the table's.
        reason: the referee's own code, such as `not_rolled`.
        msg: one sentence for the person who pressed.
        view: only for `view`: the game as that player may see it (docs/rules.md, Views).
        legal: only for `view`: what may be sent with `action` now; draws are left to the table.
        legal_left_out: how many more there are than were sent.
        corrections: only for `corrections`: what may be sent with `correct` of that move.
        moves: only for `moves`: a finished game as JSON, deflated (zlib), in base64.
        films: only for `moves`: `seq` of its falls that have films.
        film: only for `film`: as on the topic `film`.
        past: only for `past`: games as in `results`, without curves and falls, packed as `moves`.
        forgotten: only for `forget`: how many games there were.
    """

    ok: bool
    rev: int
    id: str | None = None
    code: Code = ""
    reason: str = ""
    msg: str = ""
    now: float | None = None
    view: dict[str, Any] | None = None
    legal: tuple[dict[str, Any], ...] = ()
    legal_left_out: int = 0
    corrections: tuple[dict[str, Any], ...] = ()
    moves: str = ""
    films: tuple[int, ...] = ()
    film: dict[str, Any] | None = None
    past: str = ""
    forgotten: int = 0
    v: int | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A command that was handled; there is no client when nobody can be answered.

    `repeated`: it had been dealt with before; nothing happened now. `malformed`: it was no command.
    """

    reply: Reply
    client: str | None
    outputs: tuple[Output, ...] = ()
    repeated: bool = False
    malformed: bool = False


class CommandRefused(Exception):  # noqa: N818 - the reply's word
    """A command that does not reach the referee.

    Attributes:
        command: as it was read; of what is no command, who sent it as far as can be told.
        malformed: it was no command. It is not remembered: once mended it may come again.
        reason: the same as `code`, closer.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        command: Command,
        *,
        malformed: bool = False,
        reason: str = "",
    ) -> None:
        super().__init__(message)
        self.code: Code = code
        self.command = command
        self.malformed = malformed
        self.reason = reason


def obeyed(said: Iterable[HumanInput | None]) -> tuple[tuple[str, str], ...]:
    """Client and id of the commands behind what was said."""
    return tuple(each.command for each in said if each is not None and each.command is not None)


class CommandDesk:
    """Passes commands to a pipeline and remembers the replies.

    `hints_on`: people want the risk map. A table that cannot record has no `record`. `shelf` has
    the moves of finished games, `results` how they ended. `done` are (client, id) of the commands
    that were obeyed before a restart.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        hints_on: bool = False,
        record: Callable[[bool], None] | None = None,
        shelf: GameShelf | None = None,
        results: ResultBook | None = None,
        done: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.hints_on, self.record = hints_on, record
        self._shelf = shelf or GameShelf()
        self._results = results or ResultBook()
        self._pipeline = pipeline
        self._answers: OrderedDict[str, OrderedDict[str, Reply]] = OrderedDict()
        for client, name in done:
            command = Command(name, client)
            self._remember(command, self._replied(command))

    def receive(self, verb: str, payload: bytes, *, t_s: float, unix_s: float) -> Answered:
        """Deal with one command. Never raises.

        Args:
            verb: the last level of its topic.
            payload: as received.
            t_s: table time now, in the source's time.
            unix_s: wall time now, for `exp`.
        """
        answered = self._answered(verb, payload, t_s, unix_s)
        return replace(answered, reply=_dated(answered.reply, unix_s))

    def turned_away(self, payload: bytes, unix_s: float) -> Answered:
        """The answer to a command for which there was no room.

        It is not remembered: the same command may come again.
        """
        try:
            command = _command(payload)
        except CommandRefused as refused:
            command = refused.command
        text = "the table has too much to do just now; try again"
        reply = self._replied(command, ok=False, code="busy", msg=text)
        return Answered(_dated(reply, unix_s), command.client)

    def _answered(self, verb: str, payload: bytes, t_s: float, unix_s: float) -> Answered:
        try:
            command = _decoded(verb, payload)
            known = self._known(command)
            if known is not None:
                return Answered(known, command.client, repeated=True)
            _check_fresh(command, unix_s)
            self._check_rev(command)
            if looked := self._looking.get(verb):
                # Not remembered: the answers are large, and asking twice harms nobody.
                return Answered(looked(command), command.client)
            if verb == FORGET:
                return Answered(self._forgotten(command), command.client)
            if verb in (HINTS, RECORD):
                return Answered(self._switched(verb, command), command.client)
            self._check_turn(verb, command)
            self._check_new_game(verb, command)
        except CommandRefused as refused:
            return self._refused(refused)
        named = (command.client, command.id) if command.client and command.id else None
        outputs = self._pipeline.say(HumanInput(t_s, verb, _data(verb, command), named))
        reply = self._reply(command, outputs[-1])
        self._remember(command, reply)
        return Answered(reply, command.client, tuple(outputs))

    @property
    def _looking(self) -> Mapping[str, Callable[[Command], Reply]]:
        return {
            VIEW: self._viewed,
            CORRECTIONS: self._corrections,
            MOVES: self._moves,
            FILM: self._film,
            PAST: self._past,
        }

    def _refused(self, refused: CommandRefused) -> Answered:
        command = refused.command
        words = clipped(str(refused), LONGEST_WORDS)
        reply = self._replied(
            command, ok=False, code=refused.code, reason=refused.reason, msg=words
        )
        if not refused.malformed:
            self._remember(command, reply)
        return Answered(reply, command.client, malformed=refused.malformed)

    def _check_rev(self, command: Command) -> None:
        # A higher one is not from the future: it is from a table that has forgotten its game.
        if command.rev is not None and command.rev != self._pipeline.state.rev:
            raise CommandRefused(
                "stale-rev", "the game has gone on meanwhile; look again and press again", command
            )

    def _check_turn(self, verb: str, command: Command) -> None:
        """In a game by hand, one player's phone must not play for another."""
        position = self._pipeline.state.position
        player = position.player
        if verb not in (*_IN_TURN, "action") or position.by_sensors or command.player is None:
            return
        if player is not None and player != command.player:
            raise CommandRefused("not-your-turn", f"it is {player}'s turn", command)

    def _check_new_game(self, verb: str, command: Command) -> None:
        """A game replaces no other one in the results, nor the one that goes on."""
        said = spelled_out(HumanInput(0.0, verb, command.data))
        named = said.data.get("id") if said.type == "start" else None
        if not named or not is_game_id(named):
            return
        if str(named) == self._pipeline.state.game_id or self._results.knows(str(named)):
            text = f"this table has a game {named} already; give the new one another id, or none"
            raise CommandRefused("illegal", text, command, reason="known_id")

    def _switched(self, verb: str, command: Command) -> Reply:
        """The risk map, or the recording, on or off."""
        wanted = command.data.get("on")
        if not isinstance(wanted, bool):
            raise CommandRefused("bad-json", "say on: true or on: false", command)
        if verb == HINTS:
            self.hints_on = wanted
        elif self.record is None:
            raise CommandRefused("illegal", "this table cannot record", command)
        else:
            self.record(wanted)
        reply = self._replied(command)
        self._remember(command, reply)
        return reply

    def _viewed(self, command: Command) -> Reply:
        """The game as the player who asks may see it."""
        state, player = self._pipeline.state, command.player
        if state.position.game_state is None:
            raise CommandRefused("illegal", "no game has been started yet", command)
        if player is None:
            raise CommandRefused("illegal", "say player: for whom", command)
        if player not in seats(state):
            raise CommandRefused(
                "illegal", f"{as_said(player)} does not play in this game", command
            )
        legal = choices(state) if state.position.player in (None, player) else ()
        return self._replied(
            command,
            view=state.position.rules.player_view(state.position.game_state, player),
            legal=tuple(map(dict, legal[:MOST_LEGAL])),
            legal_left_out=max(0, len(legal) - MOST_LEGAL),
        )

    def _corrections(self, command: Command) -> Reply:
        """What may be corrected of a move."""
        try:
            found = corrections(self._pipeline.state, command.data.get("ref"))
        except IllegalAction as refused:
            raise CommandRefused("illegal", refused.message, command) from None
        return self._replied(command, corrections=found)

    def _moves(self, command: Command) -> Reply:
        """A finished game, move by move."""
        moves, films = self._shelf.moves(_game(command))
        if not moves:
            raise CommandRefused("illegal", "this table has kept no moves of that game", command)
        return self._replied(command, moves=moves, films=films)

    def _film(self, command: Command) -> Reply:
        """The film of a fall of a finished game."""
        seq = command.data.get("seq")
        if not isinstance(seq, int):
            raise CommandRefused("bad-json", "say seq: the number of a fall", command)
        film = self._shelf.film(_game(command), seq)
        if film is None:
            raise CommandRefused("illegal", "this table has kept no film of that fall", command)
        return self._replied(command, film=film)

    def _past(self, command: Command) -> Reply:
        """How all games ended that are kept."""
        games = self._results.past()
        while len(text := deflated(games)) > PACKED_LIMIT:
            games = games[1 + len(games) // 4 :]
        return self._replied(command, past=text)

    def _forgotten(self, command: Command) -> Reply:
        """Keep nothing of a game, or of all games of a player, any more."""
        named = {key: command.data.get(key, "") for key in ("game", "player")}
        texts = all(isinstance(name, str) for name in named.values())
        if not texts or sum(map(bool, named.values())) != 1:
            words = "say game or player, one of them: whose games to forget"
            raise CommandRefused("bad-json", words, command)
        gone = self._results.forget(**{key: name for key, name in named.items() if name})
        if not gone:
            raise CommandRefused("illegal", "this table keeps no such game", command)
        for name in gone:
            self._shelf.forget(name)
        reply = self._replied(command, forgotten=len(gone))
        self._remember(command, reply)
        return reply

    def _reply(self, command: Command, output: Output) -> Reply:
        if output.refused is None:
            return self._replied(command)
        not_yours = output.refused.code in ("not_current_player", "not_your_turn")
        return self._replied(
            command,
            ok=False,
            code="not-your-turn" if not_yours else "illegal",
            reason=output.refused.code,
            msg=clipped(output.refused.message, LONGEST_WORDS),
        )

    def _replied(self, command: Command, *, ok: bool = True, **more: Any) -> Reply:
        return Reply(ok=ok, rev=self._pipeline.state.rev, id=command.id, v=1, **more)

    def _known(self, command: Command) -> Reply | None:
        if command.client is None or command.id is None:
            return None
        return self._answers.get(command.client, OrderedDict()).get(command.id)

    def _remember(self, command: Command, reply: Reply) -> None:
        if command.client is None or command.id is None:
            return
        answers = self._answers.setdefault(command.client, OrderedDict())
        self._answers.move_to_end(command.client)
        answers[command.id] = reply
        while len(answers) > REMEMBERED_IDS:
            answers.popitem(last=False)
        while len(self._answers) > REMEMBERED_CLIENTS:
            self._answers.popitem(last=False)


def _game(command: Command) -> str:
    game = command.data.get("game")
    if not isinstance(game, str):
        raise CommandRefused("bad-json", "say game: the name of a game, as in results", command)
    return game


def _dated(reply: Reply, unix_s: float) -> Reply:
    return msgspec.structs.replace(reply, now=round(unix_s, 3))


def _decoded(verb: str, payload: bytes) -> Command:
    command = _command(payload)
    if verb not in (*DESK, *VERBS):
        raise CommandRefused("unknown-verb", f"the table knows no {as_said(verb)}", command)
    return command


def _command(payload: bytes) -> Command:
    if len(payload) > LARGEST_COMMAND_BYTES:
        text = f"a command has at most {LARGEST_COMMAND_BYTES} bytes"
        raise CommandRefused("too-large", text, _sender(payload), malformed=True)
    try:
        command = msgspec.json.decode(payload, type=Command)
    except UNREADABLE as error:
        raise CommandRefused(
            "bad-json", _in_words(error), _sender(payload), malformed=True
        ) from None
    if command.client is not None and not is_client_id(command.client):
        # The pattern of the field lets a line end pass.
        text = f"client must be {_FIELDS['client']}"
        raise CommandRefused("bad-json", text, _sender(payload), malformed=True)
    if command.v != API_VERSION:
        raise CommandRefused("bad-json", f"this table speaks version {API_VERSION}", command)
    return command


_WRONG_FIELD = re.compile(r"`\$\.(\w+)")


def _in_words(error: Exception) -> str:
    """What is wrong with a payload, in plain words."""
    found = _WRONG_FIELD.search(str(error))
    if found and found[1] in _FIELDS:
        return f"{found[1]} must be {_FIELDS[found[1]]}"
    if "out of range" in str(error):
        return "a number in it is too large"
    if isinstance(error, msgspec.ValidationError):
        return "a command is a JSON object, such as {}"
    return f"this is no JSON: {plainly(error).removeprefix('it is no JSON ')}"


_QUOTED = r"""["']{}["']\s*:\s*(?:["']({})["']|(\d+)\b)"""
_SAID = {
    "client": re.compile(_QUOTED.format("client", CLIENT_ID)),
    "id": re.compile(_QUOTED.format("id", f"[^\"'\\\\]{{1,{LONGEST_ID}}}")),
}
"""What `client` and `id` look like in a text that is not quite JSON."""


def _sender(payload: bytes) -> Command:
    """Who sent what is no command, as far as can be told.

    Read as JSON where it is any, so that what stands deeper inside is not taken for the sender;
    else the first that looks like it: a hand forgets a comma, a program is cut off.
    """
    try:
        read = msgspec.json.decode(payload)
    except UNREADABLE:
        text = payload.decode("utf-8", errors="replace")
        found = {name: pattern.search(text) for name, pattern in _SAID.items()}
        read = {name: each[1] or each[2] for name, each in found.items() if each}
    fields = read if isinstance(read, dict) else {}
    client, name = fields.get("client"), fields.get("id")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    return Command(
        id=name if isinstance(name, str) and len(name) <= LONGEST_ID else None,
        client=client if isinstance(client, str) and is_client_id(client) else None,
    )


def _check_fresh(command: Command, unix_s: float) -> None:
    if command.exp is None:
        return
    if unix_s > _unix_s(command):
        raise CommandRefused("expired", "this came too late and was not done; press again", command)


def _unix_s(command: Command) -> float:
    if not isinstance(command.exp, str):
        return float(command.exp or 0.0)
    try:
        moment = datetime.fromisoformat(command.exp)
    except ValueError:
        raise CommandRefused("bad-json", "exp must be Unix seconds or ISO 8601", command) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


_IN_TURN = ("roll", "pass", "place")


def _data(verb: str, command: Command) -> dict[str, Any]:
    """The verb's data; who pressed counts where it must be the player in turn."""
    if verb in _IN_TURN and command.player is not None:
        return {**command.data, "player": command.player}
    return command.data
