"""The cube's cards and lines, counted a second way."""

import itertools

from engine.games.triple_topper_toe.cube import CELLS, DECK, INDEX, LINES, TARGETS


def brute_force_lines() -> set[frozenset[int]]:
    """From every cell in each of 26 directions: four steps that stay inside."""
    lines = set()
    directions = [d for d in itertools.product((-1, 0, 1), repeat=3) if any(d)]
    for start, step in itertools.product(itertools.product(range(4), repeat=3), directions):
        walk = [tuple(s + n * d for s, d in zip(start, step, strict=True)) for n in range(4)]
        if all(0 <= part < 4 for cell in walk for part in cell):
            lines.add(frozenset(16 * r + 4 * c + layer for r, c, layer in walk))
    return lines


def test_there_are_76_lines_and_they_are_the_right_ones() -> None:
    assert len(LINES) == 76
    assert set(map(frozenset, LINES)) == brute_force_lines()


def test_the_deck_is_125_different_cards_64_48_12_1_by_wilds() -> None:
    wilds = [sum(part in ("black", "blob", "?") for part in card.split("-")) for card in DECK]

    assert len(set(DECK)) == 125
    assert [wilds.count(number) for number in range(4)] == [64, 48, 12, 1]


def test_a_card_fits_the_cells_that_agree_where_it_is_not_wild() -> None:
    for card in DECK:
        fitting = {
            cell
            for cell in CELLS
            if all(
                mine in (theirs, "black", "blob", "?")
                for mine, theirs in zip(card.split("-"), cell.split("-"), strict=True)
            )
        }
        assert {CELLS[at] for at in TARGETS[card]} == fitting


def test_every_cell_has_its_own_number() -> None:
    assert [INDEX[cell] for cell in CELLS] == list(range(64))
