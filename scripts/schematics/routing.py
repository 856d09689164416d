"""The tracks of a board of two layers: each net is joined, and no two touch. Pure.

Tracks run on a grid, nets one after the other, each by the cheapest way (Dijkstra, 1959) from
what is joined already to its next hole. A net that finds no way is named; no net makes way.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush

Place = tuple[int, int]
"""Row and column on the grid."""
Node = tuple[int, int, int]
"""Layer, row, column."""
BOTTOM, TOP = 0, 1
ACROSS, THROUGH = 3, 6
"""Cost of a step across the layer's direction (bottom along the rows, top along the columns), and
of a hole to the other layer; a step along it costs 1."""


class NoWayError(Exception):
    """A net found no way; its name is the message."""


@dataclass(frozen=True)
class _Grid:
    free: Container[Place]
    passages: Container[Place]
    owner: dict[Node, str] = field(default_factory=dict)

    def take(self, net: str, places: Iterable[Place]) -> None:
        """Plated holes of a net: they are on both layers."""
        self.owner.update({(layer, *place): net for place in places for layer in (BOTTOM, TOP)})

    def steps(self, node: Node, net: str) -> Iterator[tuple[int, Node]]:
        """Where a net can go on from here, and what it costs."""
        layer, row, column = node
        along, across = (1, ACROSS) if layer == BOTTOM else (ACROSS, 1)
        around = [(along, (layer, row, column + step)) for step in (-1, 1)]
        around += [(across, (layer, row + step, column)) for step in (-1, 1)]
        if (row, column) in self.passages:
            around.append((THROUGH, (1 - layer, row, column)))
        for cost, following in around:
            if following[1:] in self.free and self.owner.get(following, net) == net:
                yield cost, following


def led(
    nets: Mapping[str, Iterable[Place]],
    alone: Iterable[Place],
    free: Container[Place],
    passages: Container[Place],
) -> list[list[Node]]:
    """The ways of all nets, each from node to next node.

    Args:
        nets: the holes of each; plated, so that both layers meet in them.
        alone: holes that belong to none.
        free: where there may be copper.
        passages: where there may be a hole to the other layer.

    Raises:
        NoWayError: a net cannot be led.
    """
    grid = _Grid(free, passages)
    grid.take("", alone)
    holes = {name: sorted(places) for name, places in nets.items()}
    for name, places in holes.items():
        grid.take(name, places)
    found: list[list[Node]] = []
    for name in sorted(holes, key=lambda each: (_extent(holes[each]), each)):
        for way in _joined(grid, name, holes[name]):
            grid.owner.update(dict.fromkeys(way, name))
            found.append(way)
    return found


def _extent(places: Iterable[Place]) -> int:
    """Half the way round a net: short ones go first, since they have fewer ways to go."""
    rows, columns = zip(*places, strict=True)
    return int(max(rows) - min(rows) + max(columns) - min(columns))


def _joined(grid: _Grid, net: str, places: list[Place]) -> Iterator[list[Node]]:
    first, *others = places
    joined, left = {(layer, *first) for layer in (BOTTOM, TOP)}, set(others)
    while left:
        way = _way(grid, net, joined, left)
        yield way
        left.discard(way[-1][1:])
        joined |= {*way, *((layer, *way[-1][1:]) for layer in (BOTTOM, TOP))}


def _way(grid: _Grid, net: str, starts: set[Node], goals: set[Place]) -> list[Node]:
    """The cheapest way from any start to any goal."""
    before: dict[Node, Node | None] = {}
    waiting: list[tuple[int, Node, Node | None]] = [(0, node, None) for node in sorted(starts)]
    while waiting:
        cost, node, came_from = heappop(waiting)
        if node in before:
            continue
        before[node] = came_from
        if node[1:] in goals:
            way = [node]
            while (earlier := before[way[-1]]) is not None:
                way.append(earlier)
            return way[::-1]
        for more, following in grid.steps(node, net):
            if following not in before:
                heappush(waiting, (cost + more, following, node))
    raise NoWayError(net)
