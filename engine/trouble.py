"""What is wrong, as a code with arguments: programs read the code, people its sentence.

A package lists its kinds in a module `troubles`. The English sentence is made here only; pages
word a code in other languages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

Args = Mapping[str, str | int | float]
"""What is filled into a sentence."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that people should see to.

    Attributes:
        code: for programs, never changed once it was published; empty for a sentence without one.
        english: the sentence, with `{name}` for each of `args`; without `args` as it stands.
        args: what is filled in.

    >>> Trouble("disk_low", "Less than {mb} MB are free", {"mb": 100}).sentence
    'Less than 100 MB are free'
    """

    code: str
    english: str
    args: Args = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """What is wrong and what to check next, in English."""
        return self.english.format_map(self.args) if self.args else self.english


@dataclass(frozen=True, slots=True)
class TroubleKind:
    """A kind of trouble: called with what its sentence has gaps for, it makes one.

    Attributes:
        code, english: as in `Trouble`.

    >>> TroubleKind("disk_low", "Less than {mb} MB are free")(mb=100).code
    'disk_low'
    """

    code: str
    english: str

    def __call__(self, **args: str | float) -> Trouble:
        """A trouble of this kind."""
        return Trouble(self.code, self.english, args)
