"""A clock whose time a test sets."""


class Clock:
    """Gives `now_s` when it is called."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s
