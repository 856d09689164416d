"""Game records, written from actions: what tests and benchmarks play again."""

from collections.abc import Iterable, Iterator

import msgspec

from engine.games.contract import Action
from engine.record import Options, RecordLine, score_entries, written


def record_lines(
    game: str,
    id_: str,
    actions: Iterable[Action],
    options: Options | None = None,
) -> Iterator[str]:
    """A record of `actions`, the first of them a `start`, with the views that follow.

    Refused actions are recorded with `reject`. Lines carry no line end.
    """
    entries = (
        RecordLine(n + 1, game, id_, n, action, options=(options or {}) if n == 0 else None)
        for n, action in enumerate(actions)
    )
    for scored in score_entries(entries):
        yield msgspec.json.encode(written(scored)).decode()
