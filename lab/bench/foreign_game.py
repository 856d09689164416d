"""The game as a reader of docs/mqtt.md keeps it, by the events, held against each document. Pure.

It knows what the messages promise: each change is told by an event, and what moves are worth is
asked of `lab.bench.rules_oracle`. It cannot know what really happened at the tower, nor what an
event of the sensors says about other moves; after such a one it looks on until the next round.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from lab.bench.rules_oracle import Oracle

Document = Mapping[str, Any]

OF_PROCESS = ("boot", "hints", "tension", "simulated", "result")
"""Fields that belong to one process, its sensors and its clock, and to no revision."""

BESIDE = ("score", "turn", "round", "asked", "settled", "over", "fault", "restored")
"""Events that tell what follows from a move; all others are the move itself."""

BACK_AND_FORTH = ("undone", "redone")

QUESTIONS = ("asked", "settled")
"""Where a question comes or goes, other moves may mean something else."""

EVIDENCE = ("fell", "retracted", "corrected", *QUESTIONS)
"""Events after which undo may lead to what nobody was shown."""

OF_THE_PAST = ("next_starter", "first_move_bonus")
"""House rules for which one must know how earlier rounds went."""

MOVES = {
    "rolled": "roll", "placed": "place", "passed": "pass", "toppled": "topple",
    "cleared": "cleared", "ended": "end",
}  # fmt: skip


def same_game_shown(one: Document, two: Document) -> str:
    """The first field in which two documents show another game; empty when none does."""
    keys = [key for key in one if key not in (*OF_PROCESS, "rev", "seq")]
    return next((key for key in keys if one[key] != two.get(key)), "")


def unexplained(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    """What changed without an event that tells it, or was told and did not change."""
    yield from _score(before, after, events)
    yield from _turn(before, after, events)
    yield from _questions(before, after, events)
    yield from _last(before, after, events)
    yield from _steps(before, after, events)


def _of(events: Sequence[Document], *kinds: str) -> list[Document]:
    return [event for event in events if event["type"] in kinds]


# --- the game --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Round:
    """What is known of the running round: how it began, and its moves by number."""

    began: Oracle
    moves: tuple[tuple[int, Document], ...] = ()

    def game(self) -> Oracle:
        """The game now, by the rules.

        Raises:
            KeyError, IndexError, StopIteration: the moves make no sense by the rules.
        """
        game, ahead = deepcopy(self.began), None
        for _, move in self.moves:
            if move["type"] == "roll" and game.die is not None:
                if not move["now"]:
                    ahead = move  # told before the piece of the turn before was seen
                    continue
                game.apply({"type": "pass"})  # whoever rolls has ended the turn before
            game.apply(move)
            if move["type"] in ("topple", "cleared"):
                ahead = None  # the turn that it was told for has never come
            if ahead is not None and game.phase == "roll":
                game.apply(ahead)
                ahead = None
        return game

    def and_then(self, ref: int, move: Document) -> "Round":
        """With a move more; one that came to light after the next player's roll stands before.

        A roll that is told again, with the piece that came of it, stays where it stood, unless it
        turns out to be another player's, who rolled after that piece.
        """
        known = dict(self.moves).get(ref, {})
        if move["type"] == "roll" and known.get("player") == move["player"]:
            return self._changed(ref, {"value": move["value"]})
        moves = self.but(ref).moves
        if move["type"] == "topple" and move["cause"] == "placing":
            while moves and _came_too_soon(moves[-1][1], move["player"]):
                moves = moves[:-1]
            return replace(self, moves=(*moves, (ref, move)))
        rolls = moves[-1:] if moves and _rolled_by_another(moves[-1][1], move["player"]) else ()
        if not rolls:
            return replace(self, moves=(*moves, (ref, move)))
        if move["type"] == "place":
            return replace(self, moves=(*moves[:-1], (ref, move), *rolls))
        return replace(self, moves=(*moves, (ref, move)))

    def but(self, ref: int) -> "Round":
        """Without a move."""
        return replace(self, moves=tuple(move for move in self.moves if move[0] != ref))

    def leaves_open(self, event: Document) -> bool:
        """Whether documents alone tell what this event makes of the round (docs/mqtt.md).

        A move that stays the same player's is known, with another cell, colour or die; and so is
        the newest one, taken back. Whose the moves after any other are, or which pieces stand and
        count again after a fall that was none or had another cause, is told by no event.
        """
        data, refs = event["data"], [ref for ref, _ in self.moves]
        corrected = bool(event["type"] == "corrected")
        if data["ref"] not in refs:
            return corrected
        (_, move), *later = self.moves[refs.index(data["ref"]) :]
        fell = move["type"] == "topple"
        kind, cause = MOVES.get(data.get("of", "")), data.get("cause")
        if corrected and kind == move["type"] and cause == move.get("cause"):
            another = bool(event.get("player") != move["player"])
            return another and (not fell or cause == "placing")
        return bool(later or "assumed" in data or kind or (fell and not corrected))

    def with_other(self, event: Document) -> "Round":
        """With a move as it is known now."""
        data = event["data"]
        kind = MOVES.get(data["of"])
        if kind is None:
            return self.but(data["ref"])
        return self._changed(data["ref"], {**data, "type": kind, "player": event.get("player")})

    def _changed(self, ref: int, fields: Document) -> "Round":
        moves = ((at, {**move, **fields} if at == ref else move) for at, move in self.moves)
        return replace(self, moves=tuple(moves))


def _came_too_soon(move: Document, toppler: str | None) -> bool:
    """Whether a move was told though a piece had fallen: rolls, also ahead, and a pass (T16)."""
    passed = move["type"] == "pass" and move["player"] == toppler
    return passed or _rolled_by_another(move, toppler)


def _rolled_by_another(move: Document, player: str | None) -> bool:
    return bool(move["type"] == "roll" and move["player"] != player)


@dataclass(slots=True)
class ReadersGame:
    """One game of Topple, kept by its events.

    Attributes:
        options: house rules, as they were said at the start.
        now: None while nobody can know.
        steps: what was known at each number of undo steps.
        rewritten: the sensors know better what happened earlier in this round.
        told: the numbers of all moves that were told.
        earlier: those of them that were told before this round.
        waits: a piece was seen of which no event tells before its roll.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    now: Round | None = None
    steps: dict[int, Round] = field(default_factory=dict)
    rewritten: bool = False
    told: set[int] = field(default_factory=set)
    earlier: frozenset[int] = frozenset()
    waits: bool = False

    def follow(
        self, before: Document, state: Document, events: Sequence[Document], *, gap: bool
    ) -> tuple[str, ...]:
        """Take the events between two documents; gives what the second shows otherwise."""
        depth = state["undo_depth"]
        found: tuple[str, ...] = ()
        if gap:
            self.now, self.steps = None, {}
        self.rewritten = self.rewritten or bool(_of(events, *EVIDENCE))
        self.waits = not _of(events, "rolled") and (
            self.waits or (not events and depth > before["undo_depth"])
        )
        for event in events:
            self._take(event, events, before, state)
        if self.now is not None:
            if state["kind"] == "topple":
                found = tuple(_differences(self.now, state, events))
            asked = before["pending"] or state["pending"] or _of(events, *QUESTIONS)
            undone = self.rewritten and _of(events, *BACK_AND_FORTH)
            self.now = None if found else self.now
            found = () if asked or undone else found
        self._begin(state, started=bool(_of(events, "started")))
        if not state["redo_depth"]:
            self.steps = {step: known for step, known in self.steps.items() if step < depth}
        if self.now is not None:
            self.steps[depth] = self.now
        return found

    def _begin(self, state: Document, *, started: bool) -> None:
        """Where a round has just begun, the document alone says all there is to know."""
        on = state["turn"] is not None and state["phase"] in ("roll", "act")
        if not on or state["kind"] != "topple" or state["board"] or state["pending"]:
            return
        if self.now is not None and self.now.moves and self.now.moves[-1][1]["type"] == "cleared":
            self._open(Round(self.now.game()))
        simple = not any(self.options.get(name) for name in OF_THE_PAST) and all(
            len(player["colours"]) == 1 for player in state["players"]
        )
        fresh = state["turn"]["die"] is None and not state["doubt"]
        if self.now is None and fresh and (started or simple):
            self._open(Round(Oracle.shown(state, self.options)))

    def _open(self, known: Round) -> None:
        """A round begins; undo into one that was rewritten leads to what nobody was shown."""
        if self.rewritten:
            self.steps = {}
        self.now, self.rewritten, self.earlier = known, False, frozenset(self.told)

    def _take(
        self, event: Document, events: Sequence[Document], before: Document, state: Document
    ) -> None:
        kind, data = event["type"], event.get("data", {})
        late = state["undo_depth"] <= before["undo_depth"] and not _of(events, *BACK_AND_FORTH)
        ref = data.get("ref", 0)
        self.told.add(ref)
        if kind in BACK_AND_FORTH:
            self.now = self.steps.get(_depth_after(event, events, before, state))
        elif kind == "started" or _is_named(event) or _begins_another(event, before):
            self.now = None
        elif self._left_open(event):
            self.now, self.steps = None, {}
        elif self.now is not None and kind in MOVES:
            move = {**data, "type": MOVES[kind], "player": event.get("player")}
            if kind == "rolled":
                turn = state["turn"] or {}
                # Whose partners have no piece left plays again, and may roll ahead as well.
                die = data.get("die")
                now = turn.get("player") == event.get("player") and turn.get("die") == die
                move |= {"value": die, "now": now}
            if kind == "toppled" and before["turn"] is not None:
                in_hand = [e["data"].get("colour") for e in _of(events, "fell", "retracted")]
                move["colour"] = (in_hand or [before["turn"]["colour"]])[0]
            self.now = self.now.and_then(ref, move)
        elif kind == "fell" and any("confidence" not in e["data"] for e in _of(events, "toppled")):
            self.now = self.now and self.now.but(ref)  # people say so, and undo takes it back
        elif kind in ("retracted", "fell"):
            self._rewrite(lambda known: known.but(ref))
        elif kind == "corrected":
            self._corrected(event, late=late)

    def _left_open(self, event: Document) -> bool:
        """Whether no event tells what this one makes of the round."""
        if event["type"] in MOVES:
            return event["data"]["ref"] in self.earlier  # it counts again: whose turn is it now?
        late = event["type"] in ("retracted", "corrected")
        return bool(late and self.now and (self.waits or self.now.leaves_open(event)))

    def _corrected(self, event: Document, *, late: bool) -> None:
        if late:
            self._rewrite(lambda known: known.with_other(event))
        elif self.now is not None:
            self.now = self.now.with_other(event)

    def _rewrite(self, change: Callable[[Round], Round]) -> None:
        """What turned out otherwise always was so, also where undo leads to (T16)."""
        self.now = None if self.now is None else change(self.now)
        self.steps = {step: change(known) for step, known in self.steps.items()}


def _begins_another(event: Document, before: Document) -> bool:
    """Whether people have answered who begins, which says if a piece had counted (rule T20)."""
    pending = before["pending"] or {}
    settled = event["type"] == "settled" and event["data"]["id"] == pending.get("id")
    return bool(settled and pending["kind"] == "turn")


def _depth_after(
    event: Document, events: Sequence[Document], before: Document, state: Document
) -> int:
    """How many steps can be undone after an undo or a redo; a move may be told with it."""
    if event["rev"] == state["rev"]:
        return int(state["undo_depth"])
    told = {each["rev"]: each["type"] for each in _of(events, *BACK_AND_FORTH, *MOVES)}
    kinds = [kind for rev, kind in told.items() if rev <= event["rev"]]
    return int(before["undo_depth"]) + len(kinds) - 2 * kinds.count("undone")


def _differences(known: Round, state: Document, events: Sequence[Document]) -> Iterator[str]:
    """What a document shows otherwise than the rules make of the moves."""
    try:
        game = known.game()
    except (KeyError, IndexError, StopIteration):
        yield f"the rules make no sense of {[move for _, move in known.moves]}"
        return
    yield from game_differs(game, state)
    placed = [event["data"] for event in _of(events, "placed")]
    if placed and game.last is not None and game.last["type"] == "place":
        told, points = placed[-1].get("points"), game.last["points"]
        if placed[-1]["ref"] == known.moves[-1][0] and told != points:
            yield f"{placed[-1]['cell']} is told to give {told}, by the rules {points}"


def game_differs(game: Oracle, state: Document) -> Iterator[str]:
    """What a document shows otherwise than the game is by the rules."""
    board = {cell: [piece["colour"] for piece in pile] for cell, pile in state["board"].items()}
    if board != game.lying:
        cells = sorted(c for c in {*board, *game.lying} if board.get(c) != game.lying.get(c))
        parts = [f"{c} shows {board.get(c, [])}, there is {game.lying.get(c, [])}" for c in cells]
        yield ", ".join(parts)
    scores = {player["name"]: player["score"] for player in state["players"]}
    if scores != game.scores():
        yield f"the score is {scores}, by the rules {game.scores()}"
    if state["phase"] != game.phase:
        yield f"the phase is {state['phase']}, by the rules {game.phase}"
    elif game.phase in ("roll", "act"):
        turn = (state["turn"]["player"], state["turn"]["die"])
        if turn != (game.current, game.die):
            yield f"turn and die are {turn}, by the rules {game.current, game.die}"
    if list(state["winners"]) != game.winners:
        yield f"winners are {state['winners']}, by the rules {game.winners}"
    yield from _players_differ(game, state)
    rows, counted = state["history"], list(scores.values())
    if rows and None not in counted and list(rows[-1]) != counted:
        yield f"the newest row of history is {rows[-1]}, the score {scores}"


def _players_differ(game: Oracle, state: Document) -> Iterator[str]:
    for player in state["players"]:
        colours = {colour: game.score[colour] for colour in player["colours"]}
        if len(colours) > 1 and game.scored and player["colour_scores"] != colours:
            yield f"{player['name']}'s colours have {player['colour_scores']}, counted {colours}"
        left = {colour: game.left(colour) for colour in player["colours"]}
        if game.phase in ("roll", "act") and player["left"] != left:
            yield f"{player['name']} has {player['left']} left, by the rules {left}"
        if player["out"] != (player["name"] in game.out):
            yield f"{player['name']} is {'' if player['out'] else 'not '}out"


# --- points and turn: told as they are shown, whatever the sensors have found out ---------------


def _scores(document: Document) -> dict[str, Any]:
    return {player["name"]: player["score"] for player in document["players"]}


def _score(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    running = _scores(before)
    for event in events:
        data = event.get("data", {})
        if event["type"] == "started":
            running = dict.fromkeys(_scores(after), 0)
        elif event["type"] == "score":
            changes, scores = data["changes"], data["scores"]
            grown = {name: (running.get(name) or 0) + changes.get(name, 0) for name in scores}
            if grown != scores:
                yield f"score {scores} is not {running} changed by {changes}"
            running = dict(scores)
    shown = _scores(after)
    if any(value is not None for value in shown.values()) and shown != running:
        if _of(events, *BACK_AND_FORTH) and set(shown) != set(running):
            return  # a game that was taken back, or is there again
        yield f"the score is {shown}, told was {running}"


def _player(document: Document) -> str | None:
    return document["turn"]["player"] if document["turn"] else None


def _turn(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    # Nobody has the turn once it is over: what takes that back tells it again.
    told = [event.get("player") for event in _of(events, "turn", "over")]
    named = any(_is_named(event) for event in events)
    was, now = _player(before), _player(after)
    if now is not None and now != (told[-1] if told else was):
        yield f"it is {now}'s turn, told was {told[-1] if told else was}"
    for one, two in pairwise([was, *told]):
        if one is not None and one == two and not (named or _of(events, "started")):
            yield f"told that it is {two}'s turn, and it was already"


def _is_named(event: Document) -> bool:
    """Whether people or the weight of a piece said whose turn it is, which is a move."""
    return event["type"] == "turn" and "ref" in event.get("data", {})


# --- questions -------------------------------------------------------------------------------


def _questions(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    was = before["pending"]["id"] if before["pending"] else None
    now = after["pending"]["id"] if after["pending"] else None
    asked = [event["data"]["id"] for event in _of(events, "asked")]
    settled = [event["data"]["id"] for event in _of(events, "settled")]
    open_ones = [name for name in asked if _newest(events, name) == "asked"]
    if now is None and open_ones:
        yield f"{open_ones} were asked, and nothing is pending"
    if now is not None and now != was and now not in asked and was not in settled and not asked:
        yield f"{now} is pending, and nobody was asked"
    if now is not None and _newest(events, now) == "settled":
        yield f"{now} is settled, and still pending"
    if was is not None and now is None and was not in settled and after["game"] == before["game"]:
        yield f"{was} is no longer pending, and nobody has settled it"


def _newest(events: Sequence[Document], question: str) -> str:
    told = [e["type"] for e in _of(events, "asked", "settled") if e["data"]["id"] == question]
    return told[-1] if told else ""


# --- what happened last ----------------------------------------------------------------------


def _last(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    moves = [event for event in events if event["type"] not in BESIDE or _is_named(event)]
    if not moves:
        if before["last"] and after["last"] and before["last"]["type"] != after["last"]["type"]:
            yield f"the last thing was {after['last']['type']}, and no event tells it"
        return
    last, event = after["last"] or {}, moves[-1]
    if last.get("type") != event["type"] or last.get("player") != event.get("player"):
        yield f"the last thing was {last.get('type')}, told was {event['type']}"
        return
    data = event.get("data", {})
    for key in ("ref", "cell", "colour", "points", "cause", "of"):
        if last.get(key) != data.get(key):
            yield f"the last {event['type']} has {key} {last.get(key)}, told was {data.get(key)}"


def _steps(before: Document, after: Document, events: Sequence[Document]) -> Iterator[str]:
    """Undo and redo are one step each; what is new forgets what could be done again."""
    revisions = after["rev"] - before["rev"]
    if before["game"] != after["game"] or len({event["rev"] for event in events}) != 1:
        return
    kinds = [event["type"] for event in events]
    back, forth = before["undo_depth"], before["redo_depth"]
    step = -1 if "undone" in kinds else 1
    if set(kinds) & set(BACK_AND_FORTH):
        if revisions > 1:
            return  # and a piece came meanwhile, which waits for its roll
        allowed = [(back + step, forth - step)]
    else:
        # Better knowledge of a move that is known already is no step, and a piece that waits for
        # its roll is one that nobody tells.
        allowed = [(back, forth), *((back + steps, 0) for steps in range(1, revisions + 1))]
    now = (after["undo_depth"], after["redo_depth"])
    if now not in allowed:
        yield f"{now} steps back and forth after ({back}, {forth}) and {', '.join(kinds)}"
