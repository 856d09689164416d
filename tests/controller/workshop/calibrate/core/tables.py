"""A table somebody else built, calibrated by a simulated owner."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from controller.workshop.calibrate.core.course import Course
from controller.workshop.calibrate.core.reference_mass import ReferenceMass, parse_reference_mass
from controller.workshop.calibrate.core.steps import StepLook, StepState
from controller.workshop.calibrate.core.wizard import Wizard
from engine.samples import Samples, ScaleSamples
from hw.source import samples_of
from lab.twin.drawing import draw
from lab.twin.owner import CAREFUL, Owner, OwnerManners, ruled
from lab.twin.parameters import Preset, TwinParameters
from lab.twin.tower import Tower

COINS = (parse_reference_mass("4x2eur"),)
TWO_THINGS = (*COINS, parse_reference_mass("50g"))
LIMIT_S = 300.0
HELPED_LOOK_S = 0.2
"""Twice as long as on a real table, which looks ten times a second: half of the work."""

Change = Callable[[Samples], Samples]


def drawn(preset: Preset = "normal", seed: int = 5, spread: float = 1.5) -> TwinParameters:
    rng = np.random.default_rng([seed, 3])
    return draw(rng, preset, spread=spread, turned_imu=True, inverted_cells=True)


@dataclass
class Led:
    """A course at a simulated table, moved on by `until`; the owner does what is asked."""

    tower: Tower
    course: Course
    owner: Owner
    change: Change = lambda block: block
    longest_s: float = LIMIT_S

    def moments(self, *, helped: bool = True) -> Iterator[tuple[str, StepLook]]:
        """Every look, with the name of its step; the owner does what is asked if `helped`."""
        now_s = self.tower.now_s
        while not self.course.done and now_s < self.longest_s:
            now_s += HELPED_LOOK_S if helped else 0.1
            for item in samples_of(self.tower.poll(now_s)):
                self.course.feed(self.change(item))
            name, look = self.course.step.name, self.course.look()
            if helped and look.state is not StepState.DONE and self.course.seconds:
                wrong = look.state is StepState.WRONG
                self.owner.attend(name, now_s, wrong=wrong, nudge=look.nudge)
            yield name, look

    def until(self, step: str) -> None:
        """Let the owner do everything up to a step."""
        if self.course.step.name == step:
            return
        for _ in self.moments():
            if not self.course.done and self.course.step.name == step:
                return
        raise AssertionError(f"never came to {step}; stuck at {self.course.step.name}")

    def watch(self, seconds: float) -> list[StepLook]:
        """What is seen in the next seconds, the owner idle."""
        end_s = self.tower.now_s + seconds
        looks = []
        for _, look in self.moments(helped=False):
            looks.append(look)
            if self.tower.now_s >= end_s:
                break
        return looks


class Session(Led):
    """A wizard at a simulated table."""

    @property
    def wizard(self) -> Wizard:
        assert isinstance(self.course, Wizard)
        return self.course


def session(
    parameters: TwinParameters | None = None,
    seed: int = 5,
    *,
    references: Sequence[ReferenceMass] = COINS,
    manners: OwnerManners = CAREFUL,
    change: Change = lambda block: block,
) -> Session:
    chosen = parameters or drawn(seed=seed)
    tower = Tower(chosen, seed)
    masses = tuple(reference.mass_g for reference in references)
    owner = Owner(tower, np.random.default_rng([seed, 9]), masses, manners)
    return Session(tower, Wizard(ruled(chosen), references), owner, change)


@cache
def finished(preset: Preset = "normal", seed: int = 5) -> Session:
    """A calibration from begin to end, with a second thing as well; do not move it on."""
    one = session(drawn(preset, seed), seed, references=TWO_THINGS)
    for _ in one.moments():
        pass
    return one


def exchanged(block: Samples) -> Samples:
    """The plugs of load cells C0 and C2 are exchanged."""
    if not isinstance(block, ScaleSamples):
        return block
    order = [2, 1, 0, 3]
    return replace(
        block,
        raw=block.raw[:, order],
        mass_g=block.mass_g[:, order],
        valid=block.valid[:, order],
    )
