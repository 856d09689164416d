"""The carrier on stripboard: which holes are joined, and whether that is what the plan wires. Pure.

A strip joins all its holes; a cut at a hole parts it there, a wire joins two holes. What hangs
together is compared with the nets of the plan: each whole, and no two of them touching.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations

import msgspec
from shapely import LineString, MultiPoint, Point, Polygon, box

from scripts.schematics.plan import Plan, PlanError, Strict

Hole = tuple[int, int]
"""Strip and column, from 0."""
HOLE = re.compile(r"([A-Z]|A[A-Z])(\d{1,2})")
PITCH_MM = 2.54
SCREW_MM, HEAD_MM = 2.7, 5.0
"""M2.5: hole and head (ISO 7045)."""
WIRE_MM = 1.2
"""Over the insulation of 0.22 mm2."""


class Body(Strict, frozen=True):
    """How far a part reaches beyond its outer contacts."""

    past_ends_mm: float
    beside_mm: float


class Module(Body, frozen=True):
    """A part in sockets."""

    name: str


class Row(Strict, frozen=True):
    """A row of contacts of a part, downwards from its first hole."""

    name: str
    first: str
    contacts: tuple[str, ...]


class Link(Strict, frozen=True, rename={"start": "from"}):
    """A wire on the board; `signal` is for whoever solders it."""

    signal: str
    start: str
    to: str


class Stripboard(Strict, frozen=True):
    """All of `stripboard.yaml`."""

    version: int
    variant: str
    strips: int
    columns: int
    mounts: tuple[str, ...]
    plugs: Body
    modules: tuple[Module, ...]
    parts: tuple[Row, ...]
    cuts: tuple[str, ...]
    wires: tuple[Link, ...]

    @property
    def cut_holes(self) -> list[str]:
        """Each hole that is cut."""
        return [hole for line in self.cuts for hole in line.split()]

    def contacts(self) -> Iterator[tuple[str, Hole]]:
        """Each contact (`NANO1.D4`) and the hole it is in."""
        for row in self.parts:
            strip, column = hole_of(row.first)
            for down, contact in enumerate(row.contacts):
                if contact:
                    yield f"{row.name}.{contact}", (strip + down, column)


def parse(text: str) -> Stripboard:
    """The board in a text.

    Raises:
        PlanError: it is no such board.
    """
    try:
        return msgspec.yaml.decode(text, type=Stripboard)
    except msgspec.MsgspecError as error:
        raise PlanError(f"stripboard.yaml: {' '.join(str(error).split())}") from None


def hole_of(name: str) -> Hole:
    """A hole by its name.

    Raises:
        PlanError: it is none.

    >>> hole_of("A1"), hole_of("AA15")
    ((0, 0), (26, 14))
    """
    found = HOLE.fullmatch(name)
    if found is None:
        raise PlanError(f"stripboard.yaml: {name!r} is no hole; write strip and column, as in B12")
    letters = found[1]
    strip = ord(letters[-1]) - ord("A") + (26 if len(letters) == 2 else 0)
    return strip, int(found[2]) - 1


def name_of(hole: Hole) -> str:
    """The name of a hole."""
    strip, column = hole
    return f"{'A' if strip > 25 else ''}{chr(ord('A') + strip % 26)}{column + 1}"


class Nets:
    """What hangs together: union of sets."""

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def top(self, one: Hashable) -> Hashable:
        """What stands for all that one hangs together with."""
        while (above := self._above.get(one, one)) != one:
            one = above
        return one

    def join(self, one: Hashable, other: Hashable) -> None:
        """They hang together from now on."""
        self._above[self.top(one)] = self.top(other)


def nets(plan: Plan, board: Stripboard) -> list[set[str]]:
    """The contacts that the plan joins on the carrier, net by net."""
    joined, known = Nets(), {contact for contact, _hole in board.contacts()}
    for one, other in _wanted(plan, board.variant):
        joined.join(one, other)
        known |= {one, other}
    found: dict[Hashable, set[str]] = defaultdict(set)
    for contact in known:
        found[joined.top(contact)].add(contact)
    return [net for net in found.values() if len(net) > 1]


def _wanted(plan: Plan, variant: str) -> Iterator[tuple[str, str]]:
    for wire in plan.variants[variant].wires:
        if wire.at and wire.part == "NANO1":
            yield wire.at, wire.to
        if not wire.nano:
            continue
        start = f"NANO1.{wire.nano}"
        if wire.via:
            shifter, _, channel = wire.via.partition(".")
            yield start, f"{shifter}.HV{channel}"
            start = f"{shifter}.LV{channel}"
        yield start, wire.at or wire.to


def problems(plan: Plan, board: Stripboard) -> list[str]:
    """All that is wrong with the board, in words."""
    wires = wiring(plan, board, _joined(board, board.cut_holes))
    found = (*_holes(board), *_crowded(board), *wires, *_useless(plan, board))
    return [f"stripboard: {each}" for each in found]


def _holes(board: Stripboard) -> Iterator[str]:
    """One lead a hole, none in a cut, all on the board; screws on strips of their own."""
    used: dict[Hole, str] = {}
    leads = [*board.contacts(), *((f"a cut at {name}", hole_of(name)) for name in board.cut_holes)]
    for wire in board.wires:
        leads += [(f"{wire.signal} at {end}", hole_of(end)) for end in (wire.start, wire.to)]
    for name in board.mounts:
        for what, (strip, _column) in leads:
            if strip == hole_of(name)[0]:
                yield f"{what} is on the strip of the screw at {name}"
    for what, hole in [*leads, *((f"the screw at {name}", hole_of(name)) for name in board.mounts)]:
        if not (0 <= hole[0] < board.strips and 0 <= hole[1] < board.columns):
            yield f"{what} is off the board"
        elif hole in used:
            yield f"{used[hole]} and {what} are in one hole"
        used[hole] = what


def _crowded(board: Stripboard) -> Iterator[str]:
    """Bodies of parts, heads of screws and straight wires that are in each other's way."""
    bodies = bodies_mm(board)
    for (one, body), (other, beside) in combinations(bodies.items(), 2):
        if body.intersects(beside):
            yield f"{one} and {other} stand in one place"
    raised = {module.name for module in board.modules}
    in_the_way = {name: body for name, body in bodies.items() if name not in raised}
    for mount in board.mounts:
        head = Point(_mm(hole_of(mount))).buffer(HEAD_MM / 2)
        for name, body in bodies.items():
            if body.intersects(head):
                yield f"{name} stands on the head of the screw at {mount}"
        in_the_way[f"the head of the screw at {mount}"] = head
    for wire in board.wires:
        way = LineString([_mm(hole_of(wire.start)), _mm(hole_of(wire.to))])
        for name, body in in_the_way.items():
            if body.distance(way) < WIRE_MM / 2:
                yield f"{name} is in the way of {wire.signal} from {wire.start} to {wire.to}"


def bodies_mm(board: Stripboard) -> dict[str, Polygon]:
    """Each part and the place that it takes, seen from above, from A1 to the right and down."""
    holes: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for contact, hole in board.contacts():
        holes[contact.partition(".")[0]].append(_mm(hole))
    modules: dict[str, Body] = {module.name: module for module in board.modules}
    bodies = {}
    for name, places in holes.items():
        left, top, right, bottom = MultiPoint(places).bounds
        body = modules.get(name, board.plugs)
        bodies[name] = box(
            left - body.beside_mm, top - body.past_ends_mm,
            right + body.beside_mm, bottom + body.past_ends_mm,
        )  # fmt: skip
    return bodies


def _mm(hole: Hole) -> tuple[float, float]:
    """Where a hole is."""
    return hole[1] * PITCH_MM, hole[0] * PITCH_MM


def _joined(board: Stripboard, cuts: Sequence[str]) -> Nets:
    joined, of_strip = Nets(), defaultdict(list)
    for strip, column in map(hole_of, cuts):
        of_strip[strip].append(column)

    def segment(hole: Hole) -> tuple[int, int]:
        return hole[0], sum(cut < hole[1] for cut in of_strip[hole[0]])

    for contact, hole in board.contacts():
        joined.join(contact, segment(hole))  # the same contact twice is joined in its part
    for wire in board.wires:
        joined.join(segment(hole_of(wire.start)), segment(hole_of(wire.to)))
    return joined


def wiring(plan: Plan, board: Stripboard, joined: Nets) -> Iterator[str]:
    """Where what hangs together on a board is not what the plan joins, in words."""
    wanted = nets(plan, board)
    there = {contact for contact, _hole in board.contacts()}
    for net in wanted:
        for contact in sorted(net - there):
            yield f"{contact} is not on it"
        first, *others = sorted(net & there)
        for other in others:
            if joined.top(first) != joined.top(other):
                yield f"{first} and {other} are not joined"
    yield from _shorts(joined, wanted, there)


def _shorts(joined: Nets, wanted: Sequence[set[str]], there: Iterable[str]) -> Iterator[str]:
    net_of = {contact: number for number, net in enumerate(wanted) for contact in net}
    groups: dict[Hashable, list[str]] = defaultdict(list)
    for contact in sorted(there):
        groups[joined.top(contact)].append(contact)
    for group in groups.values():
        for one, other in combinations(group, 2):
            if net_of.get(one, one) != net_of.get(other, other):
                yield f"{one} and {other} are joined and must not be"


def _useless(plan: Plan, board: Stripboard) -> Iterator[str]:
    """A cut that parts nothing is work for nothing, and mostly a slip of the pen."""
    there = {contact for contact, _hole in board.contacts()}
    wanted = nets(plan, board)
    for name in board.cut_holes:
        others = [each for each in board.cut_holes if each != name]
        if not list(_shorts(_joined(board, others), wanted, there)):
            yield f"the cut at {name} parts nothing"
