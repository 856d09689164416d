"""The 4 x 4 x 4 cube of Triple Topper Toe: its cells, its 125 cards and its 76 lines.

A cell is written like its natural card, `green-square-1`: row, column, layer. A wild card has
`black`, `blob` or `?` in the place of the dimension that its player may choose (rule X10).
"""

from itertools import product

ROWS = ("red", "yellow", "green", "blue")
COLUMNS = ("circle", "heart", "triangle", "square")
LAYERS = ("1", "2", "3", "4")
DIMENSIONS = (ROWS, COLUMNS, LAYERS)
WILD = ("black", "blob", "?")


def _name(parts: tuple[str, ...]) -> str:
    return "-".join(parts)


CELLS: tuple[str, ...] = tuple(map(_name, product(*DIMENSIONS)))
INDEX: dict[str, int] = {cell: at for at, cell in enumerate(CELLS)}
DECK: tuple[str, ...] = tuple(
    map(_name, product(*((*values, wild) for values, wild in zip(DIMENSIONS, WILD, strict=True))))
)


def targets(card: str) -> tuple[str, ...]:
    """The cells a card can mark: one, a line, a plane or the cube.

    >>> targets("black-heart-2")
    ('red-heart-2', 'yellow-heart-2', 'green-heart-2', 'blue-heart-2')
    """
    fixed = zip(card.split("-"), DIMENSIONS, WILD, strict=True)
    return tuple(
        map(_name, product(*(values if part == wild else (part,) for part, values, wild in fixed)))
    )


TARGETS: dict[str, tuple[int, ...]] = {
    card: tuple(INDEX[cell] for cell in targets(card)) for card in DECK
}


def _lines() -> tuple[tuple[int, ...], ...]:
    """Each dimension of a line stands still, runs up or runs down; at least one runs (rule X7)."""
    still = [(value,) * 4 for value in range(4)]
    courses = [*still, (0, 1, 2, 3), (3, 2, 1, 0)]
    found = set()
    for row, column, layer in product(courses, repeat=3):
        cells = {16 * r + 4 * c + la for r, c, la in zip(row, column, layer, strict=True)}
        if len(cells) == 4:
            found.add(tuple(sorted(cells)))
    return tuple(sorted(found))


LINES: tuple[tuple[int, ...], ...] = _lines()
LINES_AT: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
    tuple(line for line in LINES if at in line) for at in range(len(CELLS))
)
