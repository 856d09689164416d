"""What speaks against building a table, and what to change."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a table will not do, and what to change."""

    what: str
    change: str

    def __str__(self) -> str:
        return f"{self.what}; {self.change}"
