"""Parts of sentences that several games say alike."""


def points_in_words(count: int) -> str:
    """A number of points.

    >>> points_in_words(1), points_in_words(-10)
    ('1 point', '-10 points')
    """
    return f"{count} point" if abs(count) == 1 else f"{count} points"
