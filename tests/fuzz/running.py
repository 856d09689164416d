"""Runs a target over many inputs and judges it: no foreign exception, no hang, no growth.

A target's own judge says whether one input was dealt with well; here is what holds for all: a
limit of processor time for each input, one for memory, and one for what memory is left behind.
"""

import gc
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from tests.fuzz.mutate import Mutator

DEADLINE_S = 2.0
"""Of processor time for one input: a hundred times what the slowest honest one takes."""

PEAK_MB = 300.0
"""What an input may cost for a moment; an evening's trace is read chunk by chunk."""

GROWTH_MB = 12.0
"""What may be left after the beginning: the corpus changes, the allocator keeps pages."""

SETTLED = 20_000
"""Inputs after which caches are full and the corpus has its size; half of a shorter run."""

STATM = Path("/proc/self/statm")


class Hang(BaseException):
    """An input took longer than `DEADLINE_S`. No `except Exception` under test may swallow it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A parser to be fuzzed.

    Attributes:
        name: on the command line.
        what: is parsed, for the report.
        make: makes the judge, which takes one input and says in a word what became of it; it
            raises when that was not right.
        seeds: valid inputs.
        tokens: words that mean something to the parser.
        share: of the inputs of a long run; slow parsers get less.
    """

    name: str
    what: str
    make: Callable[[], Callable[[bytes], str]]
    seeds: Callable[[], Sequence[bytes]]
    tokens: Sequence[bytes] = ()
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that was not dealt with well."""

    target: str
    number: int
    data: bytes
    error: BaseException


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to."""

    target: str
    inputs: int
    outcomes: int
    seconds: float
    growth_mb: float
    findings: tuple[Finding, ...]


def resident_mb() -> float:
    """Memory of this process now; 0 where nobody says."""
    if not STATM.exists():
        return 0.0
    gc.collect()
    return int(STATM.read_text().split()[1]) * resource.getpagesize() / 1e6


def peak_mb() -> float:
    """The most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `Hang` inside after so much processor time, so that a busy machine is no hang."""

    def late(_signal: int, _frame: FrameType | None) -> None:
        raise Hang(f"more than {seconds:g} s of processor time")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def judged(judge: Callable[[bytes], str], data: bytes, deadline_s: float = DEADLINE_S) -> str:
    """The outcome of one input.

    Raises:
        Hang, MemoryError, or whatever the target let through.
    """
    before_mb = peak_mb()
    with deadline(deadline_s):
        found = judge(data)
    if (cost_mb := peak_mb() - before_mb) > PEAK_MB:
        raise MemoryError(f"{len(data)} bytes of input cost {cost_mb:.0f} MB")
    return found


def run(
    target: Target, count: int, seed: int = 1, *, most_findings: int = 1, quiet: bool = True
) -> Outcome:
    """Give a target so many inputs; it ends sooner with the last finding allowed, or Ctrl-C."""
    seeds = target.seeds()
    mutator = Mutator(seeds, seed, target.tokens)
    judge, findings = target.make(), list[Finding]()
    began_s, half_mb, number = time.monotonic(), 0.0, 0
    for number in range(1, count + 1):
        if number == min(count // 2, SETTLED):
            half_mb = resident_mb()
        data = seeds[number - 1] if number <= len(seeds) else mutator.next()
        try:
            mutator.learn(data, judged(judge, data))
        except KeyboardInterrupt:
            break
        except (Exception, Hang) as error:  # noqa: BLE001 - that is what we are here for
            findings.append(Finding(target.name, number, data, error))
            judge = target.make()
            if len(findings) >= most_findings:
                break
        if not quiet and number % 10_000 == 0:
            print(f"\r{target.name}: {number}", end="", file=sys.stderr)
    return Outcome(
        target.name,
        number,
        mutator.outcomes,
        time.monotonic() - began_s,
        resident_mb() - half_mb if half_mb else 0.0,
        tuple(findings),
    )
