"""What is believed of many rests, each written out by hand, down to the unlikely accounts.

The other tests say what must come out; here no figure of it changes unnoticed. Whoever means to
change one writes them down anew, and looks at the difference before it is committed:

    python -m tests.engine.detect.told
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import log
from pathlib import Path
from typing import Any

import msgspec

from engine.detect.back.parameters import OFF
from engine.detect.front.moment import Moment
from engine.events import Expectation
from tests.engine.detect.rests import EMPTY_GMM, PIECE_G, Board, many, moment, pull_gmm

WRITTEN = Path(__file__).parent / "told.jsonl"

THREE = Board(("c3", "d4", "b4"), Expectation(("c2", "b3", "d3", "c4")))
STACK = Board(("c3", "c3", "d4", "d3", "e5"), Expectation(("a1", "e5"), may_place=False))
BOARDS = {
    "empty": Board(expectation=Expectation(("c3",))),
    "three": THREE,
    "hurried": replace(THREE, since_s=0.3, rested=False, stirred=False),
    "rolled": replace(THREE, rolled=True, in_turn=False, stirred=False),
    "bumped": STACK.bumped_hard(),
    "jolted": THREE.bumped_hard(),
    "stack": STACK,
    "plain": replace(STACK, priors=OFF),
}
ACCOUNTS: dict[str, dict[str, Any]] = {
    "": {},
    "over": {"over": True},
    "lifted": {"lifted": True},
    "loaded": {"plate_g": (60.0, PIECE_G)},
}
GAINED = {
    "nothing": 0.0, "a piece": PIECE_G, "half a piece": 0.5 * PIECE_G, "two": 2 * PIECE_G,
    "less a piece": -PIECE_G, "less two": -2.04 * PIECE_G, "less all": -5 * PIECE_G,
    "a hand": 37.0, "a load less": -60.0,
    "a load for a piece": 0.3 - 57.0, "the board less": -182.0,
}  # fmt: skip
MOMENTS: dict[str, Moment | None] = {
    "unmeasured": None,
    "as it was": moment(),
    "to d3": moment(pull_gmm("d3"), pull_gmm("c3", "d4", "b4", "d3")),
    "to b1": moment(pull_gmm("b1"), pull_gmm("c3", "d4", "b4", "b1")),
    "from b4": moment(many(["b4"]), pull_gmm("c3", "d4")),
    "shifted": moment(EMPTY_GMM, EMPTY_GMM, offset_shift_gmm=90.0 * PIECE_G, misfit=0.3),
}
STEADY_S = (0.12, 2.0)

Line = list[Any]


def told() -> Iterator[Line]:
    """What came about, and for each way the board may hang then: see `_weighed`."""
    names = product(BOARDS, ACCOUNTS, GAINED)
    for board, account, gained in names:
        weighed = [_weighed(board, account, gained, *seen) for seen in product(MOMENTS, STEADY_S)]
        yield [f"{board} {account}: {gained}", *weighed]


def _weighed(board_name: str, account_name: str, gained: str, seen: str, steady_s: float) -> Line:
    """The likeliest account in words; figures of six accounts together; the odds of each."""
    board, changes = BOARDS[board_name], ACCOUNTS[account_name]
    loaded_g = sum(changes.get("plate_g", ()))
    account = board.account.but(free_g=board.mass_g + loaded_g, **changes)
    tracker = board.then(
        GAINED[gained] + loaded_g, MOMENTS[seen], steady_s=steady_s, account=account
    )
    best = tracker.best.account
    fall = f"{best.fall.kind} {best.fall.fallen}" if best.fall else ""
    first = [each.explained for each in tracker.now[:6]]
    bumped = sum(each.account.fall.bumped for each in first if each.account.fall)
    others = sum(each.placed + 10 * each.account.over + 100 * each.free for each in first)
    odds = [round(log(each.p + 1e-30), 2) + 0.0 for each in tracker.now[:6]]
    return [f"{len(best.stands)} {fall}", round(bumped + others, 2), *odds]


if __name__ == "__main__":
    WRITTEN.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in told()))
    print(f"{WRITTEN.relative_to(Path.cwd())} written; now look at git diff")
