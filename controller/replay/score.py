"""`topple-table score RECORD`: apply the rules to a game record and print the scores.

Only files and text here; reading, playing and comparing are `engine.record`.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from controller.common.files import read_lines
from engine.errors import UNREADABLE, BadRecord, IllegalAction
from engine.games.checks import chosen_options
from engine.games.registry import GAMES
from engine.plainly import plainly
from engine.record import Scored, difference_of, result_of, score_lines

DONE, DIFFERENT, BAD_INPUT = 0, 1, 2


class ScoreError(Exception):
    """The record or the options cannot be used; the text says what to check."""


def score(
    path: Path | str,
    *,
    as_json: bool = False,
    check: bool = False,
    options: str | Mapping[str, Any] | None = None,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Score a record file and print the result; options as of the command line.

    `check` stops at the first difference from the `expect` and `reject` fields. House rules, JSON
    text or a mapping, go before those of the record.

    Returns:
        0 done, 1 the record differs from the rules, 2 bad input.
    """
    out, err = out or sys.stdout, err or sys.stderr
    try:
        played = score_lines(_lines(Path(path)), _house_rules(options))
        checked = _not_empty(_checked(played) if check else played)
        found = _print_json(checked, out) if as_json else _print_tables(checked, out)
    except (ScoreError, BadRecord) as error:
        print(f"{path}: {error}", file=err)
        return BAD_INPUT
    except _Differs as difference:
        print(f"{path}: {difference}", file=err)
        return DIFFERENT
    if check and not as_json:
        print(f"{found} lines agree with the rules", file=out)
    return DONE


class _Differs(Exception):  # noqa: N818 - carries the words, is no error of ours
    pass


# --- in --------------------------------------------------------------------------------------


def _lines(path: Path) -> Iterator[bytes]:
    try:
        yield from read_lines(path)
    except FileNotFoundError as error:
        raise ScoreError("there is no such file") from error
    except IsADirectoryError as error:
        raise ScoreError("this is a directory; name a record file in it") from error
    except OSError as error:
        raise ScoreError(f"it cannot be read: {error.strerror}") from error


def _house_rules(options: str | Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if not isinstance(options, str):
        return options
    try:
        rules = msgspec.json.decode(options, type=dict[str, Any])
    except UNREADABLE as error:
        raise ScoreError(
            f'--options must be a JSON object like {{"share":"once"}}: {plainly(error)}'
        ) from None
    return _known(rules)


def _known(rules: dict[str, Any]) -> dict[str, Any]:
    """Refuse rules that no game has, before the first line is read."""
    for game in GAMES.values():
        try:
            chosen_options(game.rules.options, rules)
        except IllegalAction:
            continue
        return rules
    names = sorted({name for game in GAMES.values() for name in game.rules.options})
    raise ScoreError(f"--options fit no game: {rules}; the switches are {', '.join(names)}")


def _checked(played: Iterable[Scored]) -> Iterator[Scored]:
    for scored in played:
        yield scored
        if difference := difference_of(scored):
            raise _Differs(difference)


def _not_empty(played: Iterable[Scored]) -> Iterator[Scored]:
    found = False
    for scored in played:
        found = True
        yield scored
    if not found:
        raise ScoreError("it holds no action; a record is one JSON object a line")


# --- out -------------------------------------------------------------------------------------


def _print_json(played: Iterable[Scored], out: TextIO) -> int:
    count = 0
    for count, scored in enumerate(played, start=1):  # noqa: B007 - the last number is the result
        out.write(msgspec.json.encode(result_of(scored)).decode() + "\n")
    return count


def _print_tables(played: Iterable[Scored], out: TextIO) -> int:
    """One table a game. What is complete is printed even when a later line is bad."""
    console, count = Console(file=out, highlight=False), 0
    for (game, id_), group in groupby(played, key=lambda s: (s.entry.game, s.entry.id)):
        seen, last = [], None
        try:
            for scored in group:
                last = scored
                seen.append(scored if scored.refusal else None)
        finally:
            if last is not None:
                _print_game(last, f"{GAMES[game].rules.title}  {id_}", len(seen), console)
                _print_refused([scored for scored in seen if scored], console)
        count += len(seen)
    return count


def _print_game(last: Scored, title: str, lines: int, console: Console) -> None:
    console.print(title, markup=False, soft_wrap=True)
    if last.state is not None:
        console.print(_table(last))
    console.print(f"{lines} lines; {_standing(last)}", markup=False, soft_wrap=True)


def _table(last: Scored) -> Table:
    table = Table("player")
    table.add_column("score", justify="right")
    table.add_column("")
    scores, winners = last.game.scores(last.state), last.game.winners(last.state)
    for name in dict.fromkeys([*scores, *winners]):
        won = "winner" if name in winners else ""
        table.add_row(Text(name), str(scores.get(name, "")), won)
    return table


def _standing(last: Scored) -> str:
    if last.state is None:
        return "the game never began"
    if not last.game.is_over(last.state):
        return f"{last.game.current_player(last.state) or 'nobody'} is to act"
    return "the game is over" + ("" if last.game.winners(last.state) else ", nobody won")


def _print_refused(refused: list[Scored], console: Console) -> None:
    for scored in refused:
        text = scored.refusal.message if scored.refusal else ""
        code = scored.refusal.code if scored.refusal else ""
        console.print(
            f"line {scored.entry.line} refused: {text} ({code})", markup=False, soft_wrap=True
        )
