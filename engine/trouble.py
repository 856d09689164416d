"""What is wrong, as a code with arguments: programs read the code, people its sentence.

The sentence is made here only. Pages word a code in other languages (`pages/words/sentences.js`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


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
    args: Mapping[str, str | int | float] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """What is wrong and what to check next, in English."""
        return self.english.format_map(self.args) if self.args else self.english
