"""How long a slip of whose turn it is lasts: `python -m tests.benchmarks.slips`.

At the referee, without tower and detector: players of a marked set play a round, the table makes
one slip, and nobody looks at it or answers. After how many pieces is the turn right again?
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Literal, get_args

from rich.console import Console
from rich.table import Table

from engine.events import Retracted, ToppleCause, Toppled, ToppleKind
from engine.games.contract import Action
from engine.games.topple.rules import TOPPLE, ToppleState
from tests.engine.referee.script import Script, begin

Kind = Literal["silent pass", "piece unseen", "piece that was none", "bump: it stood", "bump: not"]
"""What slips: a pass that nobody told; a piece that nobody saw; a hand that was taken for a piece;
a bump after which the piece before it counted although the table thinks not, or the other way."""

KINDS: tuple[Kind, ...] = get_args(Kind)

DIE_TOLD: tuple[Kind, ...] = ("bump: it stood", "bump: not")
"""Where each roll is told, the others are no slips: the next roll says that a piece is wanting."""

SEATS = (("Ann", "blue"), ("Bob", "red"), ("Cleo", "green"), ("Dan", "yellow"))

LIGHTEST_G, STEP_G, SPREAD_G = 3.0, 1.0, 0.03
WEIGHING_SD_G = 0.075
"""As in games on simulated tables (docs/results.md)."""

WRONG_WEIGHING, WRONG_SD_G = 0.02, 0.5
"""Seven of 344 weighings were off by more than 0.3 g: a hand still lay there."""

PIECES_AFTER = 8
"""So many pieces are played after the slip."""

NEVER = 99


@dataclass(frozen=True, slots=True)
class Slip:
    """A slip, and what became of it.

    Attributes:
        die: whether rolls are told.
        before: pieces of the round before it.
        lasted: pieces until the turn was right again; `NEVER` if not within `PIECES_AFTER`.
        credited: of the pieces after the slip, those credited to the right player in the end.
    """

    kind: Kind
    seed: int
    players: int
    die: bool
    before: int
    lasted: int
    credited: int


class _Round:
    """Players who know what happens, and a table that slips once."""

    def __init__(self, seed: int, players: int, *, die: bool, weighed: bool) -> None:
        self.chance, self.die, self.weighed = Random(seed), die, weighed
        self.masses_g = {c: LIGHTEST_G + at * STEP_G for at, (_, c) in enumerate(SEATS[:players])}
        mean_g = sum(self.masses_g.values()) / players
        colours = {
            colour: {"mass_mean_g": mass_g, "mass_std_g": SPREAD_G}
            for colour, mass_g in self.masses_g.items()
        }
        masses = {"mass_mean_g": mean_g, "mass_std_g": 1.0, "colours": colours}
        seats = [{"name": name, "colours": [colour]} for name, colour in SEATS[:players]]
        options = {"dice": "told" if die else "untold"}
        known = {"masses": masses} if weighed else {}
        self.table: Script = begin(seats, options=options, **known)
        start = {"type": "start", "players": seats, "first": "Ann", "target": 100}
        self.truth: ToppleState = TOPPLE.start(start, options)
        self.before: ToppleState = self.truth
        self.owners: dict[int, str | None] = {}

    def act(self, *, seen: bool = True, passes: bool = False) -> int:
        """A turn; gives the number of the piece as the table saw it."""
        if self.die:
            value = self.chance.randint(1, 6)
            self.table.say("roll", value=value)
            self._apply({"type": "roll", "value": value})
        if passes:
            self._apply({"type": "pass"})
            return 0
        places = [a for a in TOPPLE.legal_actions(self.truth) if a["type"] == "place"]
        action = self.chance.choice(places)
        owner = TOPPLE.current_player(self.truth)
        self.before = self.truth
        self._apply(action)
        if not seen:
            return 0
        number = self.table.placed(action["cell"], **self._weight(action["colour"]))
        self.owners[number] = owner
        return number

    def _weight(self, colour: str) -> dict[str, float]:
        wrong = self.chance.random() < WRONG_WEIGHING
        piece_g = self.chance.gauss(self.masses_g[colour], SPREAD_G)
        mass_g = self.chance.gauss(piece_g, WRONG_SD_G if wrong else WEIGHING_SD_G)
        return {"mass_g": mass_g, "mass_sd_g": WEIGHING_SD_G} if self.weighed else {}

    def _apply(self, action: Action) -> None:
        self.truth = TOPPLE.apply(self.truth, action)

    def bumped(self, number: int, *, stood: bool) -> None:
        """Somebody bumps the table after a piece, and the table errs about whether it counted."""
        at_s, table = self.table.t_s + 0.5, self.table
        rested = 0.4 if stood else 0.6
        fall = (ToppleKind.COLLAPSE, ToppleCause.BUMP, 0.98, 0.98, 2, rested)
        table.see(Toppled(9000, at_s, at_s + 0.3, *fall))
        if stood:
            table.see(Retracted(number, at_s + 0.4, "toppled while placing"))
        table.say("blame", player="Bob")
        table.cleared()
        self.truth = self.truth if stood else self.before
        self._apply({"type": "topple", "cause": "bump", "player": "Bob"})

    @property
    def right(self) -> bool:
        """Whether the table takes the right player to be in turn."""
        return self.table.state.position.player == TOPPLE.current_player(self.truth)

    def credited(self, numbers: Sequence[int]) -> int:
        """Pieces that are the right player's by the table."""
        state = self.table.state
        by_source = {move.source: move.ref for move in state.ledger}
        told = state.applied()
        return sum(
            by_source[number] in told and told[by_source[number]].player == self.owners[number]
            for number in numbers
        )


def slip(kind: Kind, seed: int, *, weighed: bool = True) -> Slip:
    """Play until the table slips, and see how long that lasts.

    Args:
        kind: of slip.
        seed: of players, moment and dice.
        weighed: whether the table knows what pieces weigh.
    """
    chance = Random(f"{kind} {seed}")
    players, die = chance.choice((2, 3, 4)), kind in DIE_TOLD and chance.random() < 0.5
    before = chance.randint(2, 10)
    game = _Round(chance.randrange(10**9), players, die=die, weighed=weighed)
    for _ in range(before):
        last = game.act()
    _slips(game, kind, last)
    lasted, numbers = 0 if game.right else NEVER, list[int]()
    for played in range(1, PIECES_AFTER + 1):
        numbers.append(game.act())
        lasted = played if game.right and lasted == NEVER else lasted
    return Slip(kind, seed, players, die, before, lasted, game.credited(numbers))


def _slips(game: _Round, kind: Kind, last: int) -> None:
    if kind == "silent pass":
        game.act(passes=True)
    elif kind == "piece unseen":
        game.act(seen=False)
    elif kind == "piece that was none":
        game.table.placed("c3")
    else:
        game.bumped(last, stood=kind == "bump: it stood")


def ten(seed: int, *, weighed: bool = True) -> list[Slip]:
    """Ten slips, two of each kind."""
    return [slip(kind, seed + at, weighed=weighed) for kind in KINDS for at in (0, 1)]


def _pieces(lasted: int) -> str:
    return "not healed" if lasted == NEVER else str(lasted)


def report(found: Sequence[Slip], withheld: Sequence[Slip]) -> Table:
    """A line for each slip, with and without the weights."""
    table = Table(title="How long a slip of whose turn lasts, in pieces")
    of = f"of {PIECES_AFTER}"
    for heading in ("slip", "players", "die", "after piece", "weighed", f"{of} credited rightly",
                    "masses withheld", of):  # fmt: skip
        table.add_column(heading)
    for each, other in zip(found, withheld, strict=True):
        table.add_row(
            each.kind, str(each.players), "told" if each.die else "not told", str(each.before),
            _pieces(each.lasted), str(each.credited), _pieces(other.lasted), str(other.credited),
        )  # fmt: skip
    return table


def summary(found: Sequence[Slip]) -> str:
    """Median, share within two pieces, and not healed, in words."""
    lasted = [each.lasted for each in found]
    within = sum(pieces <= 2 for pieces in lasted)
    credited = sum(each.credited for each in found) / (PIECES_AFTER * len(found))
    return (
        f"{len(found)} slips: median {_pieces(int(median(lasted)))}, within two pieces {within}, "
        f"not healed in {PIECES_AFTER}: {lasted.count(NEVER)}; {credited:.1%} credited rightly"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the first")
    parser.add_argument("--tens", type=int, default=20, help="of slips, for the figures")
    chosen = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(report(ten(chosen.seed), ten(chosen.seed, weighed=False)))
    for weighed, name in ((True, "weighed"), (False, "masses withheld")):
        many = [s for at in range(chosen.tens) for s in ten(chosen.seed + 2 * at, weighed=weighed)]
        for kind in KINDS:
            of_kind = [each for each in many if each.kind == kind]
            console.print(f"{name}, {kind}: {summary(of_kind)}", highlight=False)
        console.print(f"{name}, all: {summary(many)}", highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
