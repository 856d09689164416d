"""The configuration of a table: one TOML file, read strictly.

Every key has a default that works, so an empty file is a simulated table. An unknown key or an
impossible value is refused in one line that names the key, the value and the limit, since a
typing error that is silently ignored is found on game night.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from controller.common.errors import BadConfig
from controller.common.files import CONFIG_BYTES, SECRET_BYTES, clipped, read_text
from controller.common.lab_entry_points import simulated
from engine.errors import IllegalAction
from engine.games.checks import chosen_options
from engine.games.registry import DEFAULT_GAME, GAMES
from engine.plainly import plainly
from engine.spelling import meant
from hw.drivers.pins import PANEL, Pins
from hw.errors import BadTwin

Port = Annotated[int, Meta(ge=0, le=65535)]
"""0 takes any free port."""

TableId = Annotated[str, Meta(pattern="^[a-z0-9-]{1,32}$")]
"""A level of MQTT topics."""

TopicPrefix = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,32}(/[A-Za-z0-9_-]{1,32})?$")]
"""One or two levels of MQTT topics."""

PagesAddress = Annotated[str, Meta(pattern=r"^(https?://[^\s\"\\]{1,200})?$")]
"""A page's address, or nothing."""

Name = Annotated[str, Meta(min_length=1, max_length=128)]


LONGEST_VALUE = 120
"""Characters of a wrong value that a message repeats."""


class TableConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[table]`: the identity of the table.

    Attributes:
        id: in every topic: `topple/1/<id>/...`.
        journal: file that keeps the games; empty for none (nothing is resumed then).
    """

    id: TableId = "t1"
    journal: str = "topple-table.journal"


class BrokerConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[broker]`: where the score is published.

    Attributes:
        kind: `embedded` starts one on 127.0.0.1; `mqtt` uses a running one.
        host: of a running one.
        port: of either.
        user: name at the broker; empty for none.
        password_file: file whose first line is the password, so that it stands in no config.
    """

    kind: Literal["embedded", "mqtt"] = "embedded"
    host: Name = "127.0.0.1"
    port: Port = 1883
    user: str = ""
    password_file: str = ""


class PiConfig(Pins, frozen=True, forbid_unknown_fields=True):
    """`[source.pi]`: a table wired to the pins of a Raspberry Pi, see `hw.drivers.pins.Pins`.

    Attributes:
        hx711_driver: `own`, or `adafruit` for the CircuitPython library.
        sound: whether the buzzer is heard.
    """

    hx711_driver: Literal["own", "adafruit"] = "own"
    sound: bool = True


class SourceConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[source]`: where the samples come from.

    Attributes:
        kind: `twin` the simulated tower with simulated players, `recording` a trace, `bridge` a
            real table whose sensors are read by a microcontroller, `pi` one whose sensors are on
            the pins of this Raspberry Pi.
        path: of the trace.
        port: of the microcontroller, best one from `/dev/serial/by-path`; empty takes the one on
            which it greets.
        calibration: file with the calibration of a real table, JSON.
        seed: of the simulated evening.
        preset: how careful its players and how good its pivot are.
        speed: seconds of table time in a second.
        faults: what is broken on the simulated tower, such as `unplugged cell C1`.
        moved_by: socket by which a bench moves the pieces of the simulated tower, in place of
            simulated players (docs/bench.md); no table but a simulated one can have it.
        starter: the simulated table is a starter: one load cell and a tilt switch. A real one is
            known by its pins.
        panel: whether buttons, lights and buzzer are on the pins of this Raspberry Pi. Left out:
            `pi` has them, and `bridge` if `source.pi` names one of their pins.
        pi: which pin is what.
    """

    kind: Literal["twin", "recording", "bridge", "pi"] = "twin"
    path: str = ""
    port: str = ""
    calibration: str = ""
    seed: Annotated[int, Meta(ge=0)] = 1
    preset: Literal["calm", "normal", "rough"] = "normal"
    speed: Annotated[float, Meta(gt=0.0, le=100.0)] = 1.0
    faults: tuple[str, ...] = ()
    moved_by: str = ""
    starter: bool = False
    panel: bool | None = None
    pi: PiConfig = PiConfig()

    @property
    def has_panel(self) -> bool:
        """Whether something of a panel is on this computer's pins."""
        return self.kind == "pi" if self.panel is None else self.panel

    @property
    def calibration_file(self) -> Path | None:
        """The file with the calibration; None when none is named."""
        return Path(self.calibration) if self.calibration else None


Phones = Literal["screen", "terminal", "off"]
PHONES: tuple[Phones, ...] = ("screen", "terminal", "off")


class WebConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[web]`: the scoreboard pages.

    Attributes:
        enabled: false when another machine shows them.
        host: address to serve on; `0.0.0.0` lets the whole network watch.
        port: of the pages.
        phones: where the PIN stands by which phones join: on the own `screen` (and the
            terminal), on the `terminal` alone, or `off`: nobody can act by phone.
        user: name of the pages at a running broker that knows roles (`controller`, so that phones
            can act); empty for the table's own.
        password_file: of that user.
        screen_file: where a page goes that leads the own screen here, so that it may show the PIN;
            empty: the address on the terminal does.
        profiles: file of the players who stay (`pages.phone.profiles`); empty: they are kept
            as long as the program runs.
        names: hosts for which the pages answer beside this machine's own names and addresses, e.g.
            that of a proxy in front.
        metrics_token_file: file whose first line is the token that `/metrics` wants; empty: there
            is none.
        callers: folder of caller packs of the owner's; empty: only those that are shipped.
    """

    enabled: bool = True
    host: Name = "127.0.0.1"
    port: Port = 8080
    phones: Phones = "screen"
    user: str = ""
    password_file: str = ""
    screen_file: str = ""
    profiles: str = ""
    names: tuple[Name, ...] = ()
    metrics_token_file: str = ""
    callers: str = ""


class ScoreboardConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[scoreboard]`: what the public document holds.

    Attributes:
        hints: the risk map from the start; `cmd/hints` switches it later, until the next restart.
        hands: whether the softest hand of a game is told; presses are measured only then.
    """

    hints: bool = False
    hands: bool = False


class RecordingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[recording]`: the evening on disk, for bug reports and for learning from it.

    Attributes:
        enabled: whether the table records from its start.
        folder: of the files; empty for `recordings` beside the journal.
        bound_mb: all files together take no more; the oldest go.
        reserve_mb: so much of the disk is left free for all else.
    """

    enabled: bool = False
    folder: str = ""
    bound_mb: Annotated[int, Meta(ge=10, le=1_000_000)] = 500
    reserve_mb: Annotated[int, Meta(ge=0, le=1_000_000)] = 500


class HomeAssistantConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[homeassistant]`: the table as a device there.

    Attributes:
        enabled: false takes the device away again.
        prefix: of its discovery topics, as set in Home Assistant.
        pages: address of the table's pages, for "Visit" there; empty: `[web]` port of this
            computer.
    """

    enabled: bool = True
    prefix: TopicPrefix = "homeassistant"
    pages: PagesAddress = ""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole configuration. `options` holds house rules of Topple, see docs/rules.md."""

    table: TableConfig = TableConfig()
    broker: BrokerConfig = BrokerConfig()
    source: SourceConfig = SourceConfig()
    web: WebConfig = WebConfig()
    scoreboard: ScoreboardConfig = ScoreboardConfig()
    recording: RecordingConfig = RecordingConfig()
    homeassistant: HomeAssistantConfig = HomeAssistantConfig()
    options: dict[str, Any] = {}

    @property
    def recordings(self) -> Path:
        """The folder of the recordings."""
        if self.recording.folder:
            return Path(self.recording.folder)
        return Path(self.table.journal).parent / "recordings"


def recorded(config: Config) -> Config:
    """The same table, with its evenings recorded."""
    replace = msgspec.structs.replace
    return replace(config, recording=replace(config.recording, enabled=True))


def source_of(path: Path | None) -> SourceConfig:
    """Where the samples of a configured table come from; the simulated one without a path."""
    return (Config() if path is None else load(path)).source


def load(path: Path | str) -> Config:
    """Read a configuration file. Paths in it are relative to its folder.

    Raises:
        BadConfig: with one line that says what, where and what it may be.
    """
    path = Path(path)
    try:
        text = read_text(path, CONFIG_BYTES)
    except OSError as error:
        raise BadConfig(f"{path}: {error.strerror}; name a configuration file") from None
    except UnicodeDecodeError:
        raise BadConfig(f"{path}: this is not a text file; name a TOML file") from None
    try:
        return _placed(parse(text), path.parent)
    except BadConfig as error:
        raise BadConfig(f"{path}: {error}") from None


def parse(text: str) -> Config:
    r"""A configuration from TOML text.

    Raises:
        BadConfig: see `load`.

    >>> parse('[table]\nid = "attic"').table.id
    'attic'
    """
    try:
        given = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Besides its own error, the reader lets those of numbers and dates through.
        raise BadConfig(clipped(f"this is no TOML: {error}")) from None
    for problem in _unknown_keys(given, Config, ""):
        raise BadConfig(clipped(problem))
    try:
        config = msgspec.convert(given, Config)
    except msgspec.ValidationError as error:
        raise BadConfig(clipped(_in_words(str(error), given))) from None
    config = _with_panel(config, given)
    _check_together(config)
    return config


def _with_panel(config: Config, given: Mapping[str, Any]) -> Config:
    """A bridge has a panel if one of its pins is named, unless the file says otherwise."""
    source = config.source
    if source.kind != "bridge" or source.panel is not None:
        return config
    named = any(given["source"].get("pi", {}).get(name) for name in PANEL)
    replace = msgspec.structs.replace
    return replace(config, source=replace(source, panel=named))


def _unknown_keys(
    given: Mapping[str, Any], kind: type[msgspec.Struct], where: str
) -> Iterator[str]:
    fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in given.items():
        if key not in fields:
            yield _unknown(where + key, value, key, list(fields), where)
        elif isinstance(value, Mapping) and _is_section(fields[key]):
            yield from _unknown_keys(value, fields[key], f"{where}{key}.")


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _unknown(name: str, value: Any, key: str, known: list[str], where: str) -> str:
    near = meant(key, known)
    hint = f"did you mean {where}{near}?" if near else f"known here: {', '.join(known)}"
    shown = "" if isinstance(value, Mapping) else f" = {_shown(value)}"
    return f"{name}{shown} is no setting; {hint}"


_EXPECTED = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<where>[^`]*)`)?$")


def _in_words(error: str, given: Mapping[str, Any]) -> str:
    """`broker.port is 70000; expected int <= 65535`, from the validator's words."""
    found = _EXPECTED.match(error)
    what, where = (found["what"], found["where"] or "") if found else (error, "")
    value: Any = given
    for key in filter(None, where.split(".")):
        value = value.get(key, "missing") if isinstance(value, Mapping) else value
    return f"{where} is {_shown(value)}; {_limit(where, what)}"


def _shown(value: Any) -> str:
    """A value as it was written; very long numbers are shortened."""
    try:
        return clipped(repr(value), LONGEST_VALUE)
    except ValueError:
        return "a number with thousands of digits"


def _limit(where: str, what: str) -> str:
    choices = _choices(where)
    if choices:
        return f"it can be {', '.join(choices)}"
    return plainly(what, place="it")


def _choices(where: str) -> tuple[str, ...]:
    kind: Any = Config
    for key in filter(None, where.split(".")):
        if not _is_section(kind):
            return ()
        kind = {field.name: field.type for field in msgspec.structs.fields(kind)}.get(key)
    return tuple(kind.__args__) if getattr(kind, "__origin__", None) is Literal else ()


def _check_together(config: Config) -> None:
    if config.source.kind == "recording" and not config.source.path:
        raise BadConfig("source.path is ''; a recording needs the path of a trace")
    _check_faults(config.source)
    if config.source.kind in ("bridge", "pi"):
        _check_real(config.source)
    if config.broker.kind == "mqtt" and config.broker.port == 0:
        raise BadConfig("broker.port is 0; a running broker has a port from 1 to 65535")
    for section, named in (("broker", config.broker), ("web", config.web)):
        if named.password_file and not named.user:
            raise BadConfig(f"{section}.user is ''; a password needs a user")
    try:
        chosen_options(GAMES[DEFAULT_GAME].rules.options, config.options)
    except IllegalAction as error:
        raise BadConfig(clipped(f"options: {error.message}")) from None


def _check_faults(source: SourceConfig) -> None:
    if source.starter and source.kind != "twin":
        raise BadConfig(
            "source.starter is for the simulated tower (kind twin); a real starter has kind pi and "
            "one pin in source.pi.hx711_data"
        )
    if source.faults and source.kind != "twin":
        raise BadConfig("source.faults: only the simulated tower (kind twin) can simulate faults")
    if source.moved_by and (source.kind != "twin" or source.starter):
        raise BadConfig("source.moved_by is for the simulated tower (kind twin), not for a starter")
    try:
        for text in source.faults:
            simulated("fault")(text)
    except BadTwin as error:
        raise BadConfig(clipped(f"source.faults: {error}")) from None


def _check_real(source: SourceConfig) -> None:
    """A real table needs a calibration and cannot run faster than real time."""
    if not source.calibration:
        raise BadConfig("source.calibration is ''; a real table needs its calibration file")
    if source.speed != 1.0:
        raise BadConfig(f"source.speed is {source.speed:g}; a real table runs at 1")
    if source.kind == "pi" and source.pi.problem:
        raise BadConfig(f"source.pi: {source.pi.problem}")
    if source.has_panel and source.pi.panel_problem:
        raise BadConfig(f"source.pi: {source.pi.panel_problem}")


def _placed(config: Config, folder: Path) -> Config:
    """The configuration with its paths made independent of where the program was started."""
    replace = msgspec.structs.replace

    def absolute(name: str) -> str:
        return str(folder / name) if name else ""

    return replace(
        config,
        table=replace(config.table, journal=absolute(config.table.journal)),
        recording=replace(config.recording, folder=absolute(config.recording.folder)),
        broker=replace(config.broker, password_file=absolute(config.broker.password_file)),
        web=replace(
            config.web,
            password_file=absolute(config.web.password_file),
            screen_file=absolute(config.web.screen_file),
            profiles=absolute(config.web.profiles),
            metrics_token_file=absolute(config.web.metrics_token_file),
            callers=absolute(config.web.callers),
        ),
        source=replace(
            config.source,
            path=absolute(config.source.path),
            moved_by=absolute(config.source.moved_by),
            calibration=absolute(config.source.calibration),
        ),
    )


def password(file: str, *, named: str = "broker.password_file") -> str | None:
    """The password in a file: its first line. None without a file.

    `named` is what the setting is called where people wrote it, for the words of an error.

    Raises:
        BadConfig: the file cannot be read, or is empty.
    """
    if not file:
        return None
    try:
        lines = read_text(Path(file), SECRET_BYTES).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(f"{named} is {file!r}; it cannot be read ({error})") from None
    if not lines or not lines[0]:
        raise BadConfig(f"{named} is {file!r}; its first line is empty")
    return lines[0]
