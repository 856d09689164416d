"""Tilt switch, three buttons, a light for each player and a buzzer, on `gpiozero`.

The panel knows nothing of games. Somebody above shows it a `Face`: which lights are on, what
sounds, and what each button means at this moment. A press becomes the `HumanInput` that its
button meant when it was pressed.

The pins are looked at every 10 ms in the panel's own thread, rather than by callbacks of
`gpiozero` in threads of its own: so a press is debounced by plain counting, a button that
sticks is noticed, and a test drives all of it by hand. Buttons and switch connect their pin to
ground; the Pi's own pull-ups hold them high.

No real Pi has confirmed this: how real buttons bounce, and what the looks cost in CPU time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from engine.events import HumanInput
from engine.samples import SensorReport, SwitchSample
from hw.drivers.pin_holders import AGAIN_S, pin_trouble
from hw.drivers.pins import NOT_FITTED, Pins
from hw.source import Item
from hw.troubles import BUTTON_STUCK

if TYPE_CHECKING:
    from gpiozero import DigitalOutputDevice
    from gpiozero.pins import Factory

    from engine.trouble import Trouble
    from hw.blocks import Event

LOOK_S = 0.01
"""Two looks confirm a press: buttons bounce for up to 5 ms (typical of tact switches)."""
RELEASED_LOOKS = 3
"""A button counts as released, and may be pressed again, after 30 ms."""
STUCK_S = 20.0
"""Nobody holds a button down that long; a jammed one, or a short, does."""

BLINK_S = 0.5
"""A light that blinks is on for half of it."""


class Button(StrEnum):
    """The buttons."""

    PASS = "pass"  # noqa: S105
    UNDO = "undo"
    BUMPED = "bumped"


class Light(StrEnum):
    """The state of a light."""

    OFF = "off"
    ON = "on"
    BLINKING = "blinking"


class Sound(StrEnum):
    """A sound of the buzzer."""

    TOPPLE = "topple"
    QUESTION = "question"


PATTERNS: Mapping[Sound, tuple[tuple[float, float], ...]] = MappingProxyType({
    Sound.TOPPLE: ((0.0, 0.12), (0.2, 0.32), (0.4, 0.7)),
    Sound.QUESTION: ((0.0, 0.08),),
})  # fmt: skip
"""From and to, in seconds after the sound began. Short, so as not to disturb."""


@dataclass(frozen=True, slots=True)
class Face:
    """What the panel shows (lights by seat) and what its buttons mean (verb and data).

    The sound is heard once for each `occasion`, which names what it is about.
    """

    lights: tuple[Light, ...] = ()
    sound: Sound | None = None
    occasion: str = ""
    presses: Mapping[Button, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)


NOTHING = Face()


@runtime_checkable
class HasPanel(Protocol):
    """A source with a panel."""

    def show(self, face: Face) -> None:
        """Show this from now on."""


class Part:
    """One button, light, switch or buzzer: opened by itself, and again later while that fails.

    Attributes:
        name: in reports.
        device: of gpiozero; None while there is none.
    """

    def __init__(self, name: str, key: str, pin: int, take: Callable[[int], Any]) -> None:
        """Not opened yet; `key` names its pin in `[source.pi]`."""
        self.name, self.device = name, None
        self._key, self._pin, self._take = key, pin, take
        self._trouble: Trouble | None = None

    @property
    def missing(self) -> bool:
        """Whether it is fitted and still to be opened."""
        return self.device is None and self._pin != NOT_FITTED

    def open(self, now_s: float) -> list[SensorReport]:
        """Take the pin; what has changed is said."""
        before = self._trouble
        try:
            self.device, self._trouble = self._take(self._pin), None
        except ImportError:
            raise
        except Exception as error:  # noqa: BLE001 - gpiozero's, the kernel's, and lgpio's own
            self._trouble = pin_trouble(self._pin, f"source.pi.{self._key}", error)
        if self._trouble == before:
            return []
        return [SensorReport.of(now_s, self.name, self._trouble)]

    def close(self) -> None:
        """Let go of the pin."""
        if self.device is not None:
            self.device.close()


@dataclass(slots=True)
class Debouncer:
    """One button, from looks at its pin to presses; `stuck` when held for too long.

    `since_s` is the look that first saw it pressed; None while it is released.
    """

    since_s: float | None = None
    stuck: bool = False
    _down: int = 0
    _up: int = RELEASED_LOOKS
    _told: bool = True

    def look(self, now_s: float, *, pressed: bool) -> bool:
        """Take a look; True when this look confirms a press, which began at `since_s`.

        A button that is down at the very first look was not pressed for anybody to see.
        """
        if not pressed:
            self._up += 1
            if self._up >= RELEASED_LOOKS:
                self.since_s, self.stuck, self._down, self._told = None, False, 0, False
            return False
        self._up = 0
        if self.since_s is None:
            self.since_s = now_s
        self._down += 1
        self.stuck = now_s - self.since_s >= STUCK_S
        if self._told or self._down < 2:
            return False
        self._told = True
        return True


class Panel:
    """Reads and drives the panel; `step` never waits and never raises.

    Attributes:
        name: in sentences and reports.
        pause_s: time to leave between two steps.
        heard_s: nothing pressed before this time will come any more.
    """

    name = "panel"
    pause_s = LOOK_S

    def __init__(
        self,
        pins: Pins,
        clock: Callable[[], float],
        *,
        factory: "Factory | None" = None,
        buzzing: bool = True,
    ) -> None:
        """Take the pins, by gpiozero's own choice of a factory (lgpio on a Pi) when left out.

        A pin that cannot be had takes only what hangs on it; it is tried again.
        """
        from gpiozero import DigitalInputDevice, DigitalOutputDevice  # noqa: PLC0415

        inwards = partial(DigitalInputDevice, pull_up=True, pin_factory=factory)
        outwards = partial(DigitalOutputDevice, pin_factory=factory)
        self._clock, self._pins, self._buzzing = clock, pins, buzzing
        self._face: Face | None = None
        self.heard_s = float("-inf")
        numbers = {
            Button.PASS: pins.pass_button,
            Button.UNDO: pins.undo_button,
            Button.BUMPED: pins.bumped_button,
        }
        self._numbers = numbers
        self._buttons = {
            button: Part(f"button.{button}", f"{button}_button", pin, inwards)
            for button, pin in numbers.items()
        }
        self._presses = {button: Debouncer() for button in Button}
        self._stuck: set[Button] = set()
        self._switch = Part("tilt_switch", "tilt_switch", pins.tilt_switch, inwards)
        self._closed = False
        self._lights = [
            Part(f"light.GPIO{pin}", f"lights[{seat}]", pin, outwards)
            for seat, pin in enumerate(pins.lights)
        ]
        self._buzzer = Part("buzzer", "buzzer", pins.buzzer, outwards)
        self._open_s = float("-inf")
        self._news = self._open_missing(clock())
        self._occasion: str | None = None
        self._sounds_from_s = float("-inf")

    def show(self, face: Face) -> None:
        """Show this from the next step on. May be called from any thread."""
        self._face = face

    def step(self) -> list[Item]:
        """What was pressed and tilted since the last step; lights and buzzer follow the face."""
        now_s, shown = self._clock(), self._face
        face = shown or NOTHING
        self.heard_s = now_s - 2 * LOOK_S  # a press is confirmed by the second look
        news, self._news = self._news + self._open_missing(now_s), []
        items: list[Event] = [*news, *self._tilted(now_s)]
        for button, part in self._buttons.items():
            if part.device is not None:
                items += self._pressed(now_s, button, bool(part.device.value), face)
        self._shine(now_s, face)
        if shown is not None:
            self._sound(now_s, shown)
        return [*sorted(items, key=lambda item: item.t_s)]

    def close(self) -> None:
        """Lights out, and let go of the pins."""
        for part in self._parts:
            part.close()

    @property
    def _parts(self) -> list[Part]:
        """What is felt comes first."""
        return [self._switch, *self._buttons.values(), *self._lights, self._buzzer]

    def _open_missing(self, now_s: float) -> list[SensorReport]:
        if now_s < self._open_s:
            return []
        self._open_s = now_s + AGAIN_S
        missing = [part for part in self._parts if part.missing]
        return [report for part in missing for report in part.open(now_s)]

    def _tilted(self, now_s: float) -> list[SwitchSample]:
        switch = self._switch.device
        if switch is None or bool(switch.value) == self._closed:
            return []
        self._closed = not self._closed
        return [SwitchSample(now_s, self._closed)]

    def _pressed(
        self, now_s: float, button: Button, down: bool, face: Face
    ) -> list[HumanInput | SensorReport]:
        debouncer = self._presses[button]
        if debouncer.look(now_s, pressed=down) and debouncer.since_s is not None:
            meant = face.presses.get(button)
            return [HumanInput(debouncer.since_s, meant[0], dict(meant[1]))] if meant else []
        if debouncer.stuck is (button in self._stuck):
            return []
        self._stuck ^= {button}
        return [self._report(now_s, button, stuck=debouncer.stuck)]

    def _report(self, now_s: float, button: Button, *, stuck: bool) -> SensorReport:
        pin, seconds = self._numbers[button], round(STUCK_S)
        found = BUTTON_STUCK(button=button.value, seconds=seconds, pin=pin)
        return SensorReport.of(now_s, f"button.{button}", found if stuck else None)

    def _shine(self, now_s: float, face: Face) -> None:
        for seat, part in enumerate(self._lights):
            if (light := part.device) is None:
                continue
            wanted = face.lights[seat] if seat < len(face.lights) else Light.OFF
            bright = now_s % BLINK_S < BLINK_S / 2
            _set(light, on=wanted is Light.ON or (wanted is Light.BLINKING and bright))

    def _sound(self, now_s: float, face: Face) -> None:
        buzzer = self._buzzer.device
        if buzzer is None or not self._buzzing:
            return
        if face.occasion != self._occasion:
            # What stood there already when the table was switched on is no news.
            news = self._occasion is not None
            self._occasion, self._sounds_from_s = face.occasion, now_s if news else float("-inf")
        pattern = PATTERNS[face.sound] if face.sound is not None else ()
        into_s = now_s - self._sounds_from_s
        _set(buzzer, on=any(begin <= into_s < end for begin, end in pattern))


def _set(device: "DigitalOutputDevice", *, on: bool) -> None:
    """Only touch the pin when something changes."""
    if bool(device.value) is not on:
        device.value = on
