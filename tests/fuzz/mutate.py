"""Valid inputs, spoilt: a seeded mutator of bytes, numbers, tokens and JSON.

One seed makes one sequence of inputs. An input whose outcome was new joins the corpus, so that
what gets past the first check is spoilt further.
"""

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

LONGEST_BYTES = 16_384
"""Of an input; seeds may be longer. Sizes beyond every limit are made by `_repeat`."""
HUGE_BYTES = 200_000
CORPUS = 400
MOST_STEPS = 6

NUMBERS = (
    b"0", b"-1", b"1", b"2147483648", b"-9223372036854775809", b"18446744073709551616", b"1e999",
    b"-1e999", b"1e-999", b"0.1", b"NaN", b"Infinity", b"9" * 5000, b"1e18", b"true", b"null",
)  # fmt: skip
BYTES = (0, 1, 2, 4, 8, 16, 31, 32, 64, 127, 128, 129, 254, 255)
TOKENS = (
    b"\x00", b"\xff\xff\xff\xff", b"\xff" * 8, b"{", b"}", b"[", b"]", b'"', b"\\u0000", b"\\ud800",
    b"\xed\xa0\x80", b"\xc3\x28", b"\xf0\x9f\x8e\xb2", b"'", b":", b",", b"\n", b"\r\n", b"#",
    b"&a ", b"*a", b"!!python/object:os.system", b"<script>", b"%s%n", b"../", b"\xe2\x80\xae",
    b"=", b"-",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**30, 1e308, -0.0, 0.5, "",
    " ", "a" * 300, "\x00", "\u202e", "e9", "c3", "red", "Ann", [], {}, [[]], [None], ["c3", "c3"],
    {"a": 1}, "1", "topple", [1, 2, 3], {"type": "roll"},
)  # fmt: skip

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


class Mutator:
    """Makes inputs of seeds.

    Args:
        seeds: valid inputs; at least one.
        seed: of the chance.
        tokens: words that mean something to what is fuzzed.
    """

    def __init__(self, seeds: Sequence[bytes], seed: int = 1, tokens: Sequence[bytes] = ()) -> None:
        self._chance = random.Random(seed)
        self._corpus = list(seeds)
        self._firm = len(seeds)
        self._tokens = (*TOKENS, *tokens)
        self._outcomes: set[str] = set()
        self._steps: tuple[Callable[[bytearray], bytearray], ...] = (
            self._flip, self._set, self._insert, self._delete, self._double, self._splice,
            self._token, self._token, self._number, self._number, self._truncate, self._swap,
            self._json, self._json, self._json, self._repeat,
        )  # fmt: skip

    @property
    def outcomes(self) -> int:
        """How many different outcomes have been seen."""
        return len(self._outcomes)

    def next(self) -> bytes:
        chance = self._chance
        data = bytearray(chance.choice(self._corpus))
        for _ in range(1 + int(chance.random() ** 3 * MOST_STEPS)):
            data = chance.choice(self._steps)(data)
        return bytes(data)

    def learn(self, data: bytes, outcome: str) -> None:
        """An input led to this; a new outcome makes it worth spoiling further."""
        if outcome in self._outcomes or len(data) > LONGEST_BYTES:
            return
        self._outcomes.add(outcome)
        if len(self._corpus) < CORPUS:
            self._corpus.append(data)
        else:
            self._corpus[self._chance.randrange(self._firm, CORPUS)] = data

    # --- one step each ------------------------------------------------------------------------

    def _at(self, data: bytearray) -> int:
        return self._chance.randrange(len(data) + 1)

    def _span(self, data: bytearray) -> slice:
        start = self._at(data)
        return slice(start, start + 1 + int(self._chance.expovariate(1 / 12)))

    def _flip(self, data: bytearray) -> bytearray:
        if data:
            data[self._chance.randrange(len(data))] ^= 1 << self._chance.randrange(8)
        return data

    def _set(self, data: bytearray) -> bytearray:
        if data:
            data[self._chance.randrange(len(data))] = self._chance.choice(BYTES)
        return data

    def _insert(self, data: bytearray) -> bytearray:
        at = self._at(data)
        data[at:at] = self._chance.randbytes(self._chance.randrange(1, 9))
        return data

    def _delete(self, data: bytearray) -> bytearray:
        del data[self._span(data)]
        return data

    def _double(self, data: bytearray) -> bytearray:
        span, at = self._span(data), self._at(data)
        data[at:at] = data[span]
        return data[:LONGEST_BYTES] if len(data) > 2 * LONGEST_BYTES else data

    def _splice(self, data: bytearray) -> bytearray:
        other = self._chance.choice(self._corpus)
        return data[: self._at(data)] + other[self._chance.randrange(len(other) + 1) :]

    def _token(self, data: bytearray) -> bytearray:
        at = self._at(data)
        covered = at if self._chance.random() < 0.5 else self._span(data).stop
        data[at : max(at, covered)] = self._chance.choice(self._tokens)
        return data

    def _number(self, data: bytearray) -> bytearray:
        found = list(_NUMBER.finditer(data[:LONGEST_BYTES]))
        if found:
            hit, other = self._chance.choice(found), self._chance.choice(found)
            # Past the first check come numbers that are possible: another one's, or near it.
            likely = b"%g" % (float(hit[0][:99]) * 10 ** self._chance.uniform(-3, 3))
            new = self._chance.choice((self._chance.choice(NUMBERS), bytes(other[0]), likely))
            data[hit.start() : hit.end()] = new
        return data

    def _truncate(self, data: bytearray) -> bytearray:
        return data[: self._at(data)]

    def _swap(self, data: bytearray) -> bytearray:
        middle = self._at(data)
        return data[middle:] + data[:middle]

    def _repeat(self, data: bytearray) -> bytearray:
        """Deep nesting, long lines: now and then longer than anybody should read."""
        if self._chance.random() > 0.2:
            return data
        piece = self._chance.choice(self._tokens) if self._chance.random() < 0.7 else b"[" * 9
        times = int(10 ** self._chance.uniform(1, 5))
        at = self._at(data)
        data[at:at] = (piece * times)[:HUGE_BYTES]
        return data

    def _json(self, data: bytearray) -> bytearray:
        """One value of one JSON line becomes another, whole and well-formed."""
        lines = bytes(data).split(b"\n")
        number = self._chance.randrange(len(lines))
        begin = lines[number].find(b"{")
        try:
            document = json.loads(lines[number][begin:])
            self._change(document)
            lines[number] = lines[number][:begin] + json.dumps(document).encode()
        except (ValueError, RecursionError):
            return data
        return bytearray(b"\n".join(lines))

    def _change(self, document: Any) -> None:
        """Replace, drop, add or rename something somewhere in a document."""
        chance = self._chance
        here: Any = document
        for _ in range(chance.randrange(6)):
            inner = [v for v in _values(here) if isinstance(v, dict | list) and v]
            if not inner:
                break
            here = chance.choice(inner)
        if isinstance(here, dict) and here:
            self._change_object(here)
        elif isinstance(here, list) and here:
            here[chance.randrange(len(here))] = chance.choice(ODD)

    def _change_object(self, here: dict[str, Any]) -> None:
        chance, key = self._chance, self._chance.choice(list(here))
        what = chance.randrange(6)
        if what == 0:
            del here[key]
        elif what == 1:
            here[chance.choice(self._tokens).decode("latin-1")] = chance.choice(ODD)
        elif what == 2:
            here[chance.choice(list(here))] = here[key]
        else:
            here[key] = chance.choice(ODD)


def _values(document: Any) -> list[Any]:
    if isinstance(document, dict):
        return list(document.values())
    return document if isinstance(document, list) else []
