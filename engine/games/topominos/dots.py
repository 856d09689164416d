"""Patterns of dots on a 3 x 3 grid, and the ways a see-through piece can lie (docs/rules.md).

Inside the rules a pattern is a whole number of nine bits, so that two patterns overlap exactly
when `a & b` is not 0. In records it is nine characters, row by row, `1` for a dot.
"""

FULL = 0b111_111_111
"""Nine dots: a completed stack."""

DOTS: tuple[int, ...] = tuple(pattern.bit_count() for pattern in range(FULL + 1))


def pattern_of(text: str) -> int:
    """The number of a pattern text.

    >>> pattern_of("000000011")
    3
    """
    return int(text, 2)


def text_of(pattern: int) -> str:
    """The text of a pattern number.

    >>> text_of(3)
    '000000011'
    """
    return f"{pattern:09b}"


TEXTS: tuple[str, ...] = tuple(map(text_of, range(FULL + 1)))


def _turned(text: str) -> str:
    """A quarter turn clockwise: each row is read upwards from a column."""
    return "".join(text[6 - 3 * (at % 3) + at // 3] for at in range(9))


def _flipped(text: str) -> str:
    """Turned over about the vertical axis."""
    return "".join(text[3 * row + 2 - column] for row in range(3) for column in range(3))


def orbit(text: str) -> list[str]:
    """Every way a piece can lie, sorted: up to eight, on both faces.

    >>> orbit("100000000")
    ['000000001', '000000100', '001000000', '100000000']
    """
    ways = set()
    for face in (text, _flipped(text)):
        way = face
        for _ in range(4):
            ways.add(way)
            way = _turned(way)
    return sorted(ways)


ORBITS: tuple[tuple[int, ...], ...] = tuple(tuple(map(pattern_of, orbit(text))) for text in TEXTS)


def is_pattern(text: object) -> bool:
    """Whether a value is the text of a pattern."""
    return isinstance(text, str) and len(text) == 9 and set(text) <= {"0", "1"}
