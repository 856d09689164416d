"""Commands of the command line that live in the lab: demonstrations, the bench, the fit.

Entry points name them, and `controller.cli` finds them there. Nothing heavy is imported before a
command needs it, so that `--help` answers at once.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.common.errors import BadInput
from controller.common.installed import table_file
from controller.mqtt.options import BROKER, Broker, PasswordFile, User, broker_from_options

if TYPE_CHECKING:
    from controller.mqtt.client import BrokerAddress
    from lab.bench.boards import Where


def demo(
    *,
    headless: Annotated[
        bool, typer.Option("--headless", help="Play in the terminal at full speed, then exit.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same game.")] = 1,
    speed: Annotated[
        float, typer.Option(min=0.1, max=100.0, help="How many times faster than real time.")
    ] = 1.0,
    game: Annotated[
        str | None,
        typer.Option(help="Record id of a game; all but Topple are played without sensors."),
    ] = None,
    broker: Annotated[
        str | None,
        typer.Option(help="A running MQTT broker, HOST[:PORT]; without it one is started."),
    ] = None,
    user: User = None,
    password_file: PasswordFile = None,
    web_user: Annotated[
        str | None,
        typer.Option(help="MQTT user name of the page, where the broker knows roles: controller."),
    ] = None,
    web_password_file: PasswordFile = None,
    table: Annotated[
        str, typer.Option(help="Id of the table; a second demo at one broker needs another.")
    ] = "demo",
    web_port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port of the scoreboard page.")
    ] = None,
    web_host: Annotated[
        str, typer.Option(help="Address of the page; 0.0.0.0 lets phones join by PIN.")
    ] = "127.0.0.1",
    starter: Annotated[
        bool,
        typer.Option("--starter", help="Simulate a table with one load cell and a tilt switch."),
    ] = False,
    target: Annotated[
        int | None,
        typer.Option(min=1, max=1000, help="Points that win Topple; few make a short game."),
    ] = None,
    measures: Annotated[
        Path | None, typer.Option(help="Play on a table for this game: see `measure`.")
    ] = None,
    preset: Annotated[
        str,
        typer.Option(help="How good the table is and how careful people are: calm, normal, rough."),
    ] = "calm",
    people: Annotated[
        str, typer.Option(help="In what way the simulated people behave; a wrong one lists them.")
    ] = "usual",
    pieces: Annotated[
        str,
        typer.Option(help="What the colours weigh: equal, dyes, half-gram, marked, lost-washer."),
    ] = "equal",
) -> int:
    """Show a game of simulated players on a simulated tower."""
    from engine.games.registry import DEFAULT_GAME  # noqa: PLC0415

    _be_table_id(table)
    chosen = _known_game(game)
    address, pages = _brokers(broker, (user, password_file), (web_user, web_password_file))
    if chosen != DEFAULT_GAME:
        from lab.demo import hand_demo  # noqa: PLC0415

        if headless:
            return hand_demo.play(chosen, seed)
        return hand_demo.show(
            chosen, seed=seed, speed=speed, broker=address, pages=pages,
            web_port=web_port, web_host=web_host, table=table,
        )  # fmt: skip
    from lab.demo import demo as show  # noqa: PLC0415

    return show.run(
        headless=headless, seed=seed, speed=speed, broker=address, pages=pages,
        web_port=web_port, web_host=web_host, starter=starter, target=target, measures=measures,
        preset=preset, people=people, pieces=pieces, table=table,
    )  # fmt: skip


def _brokers(
    broker: str | None, table: tuple[str | None, Path | None], pages: tuple[str | None, Path | None]
) -> "tuple[BrokerAddress | None, BrokerAddress | None]":
    """The broker as table and pages use it, each with user and password file; None: one is started.

    Raises:
        BadInput, BadConfig: as `broker_from_options`; a user, and no broker to know it.
    """
    if broker is None:
        if any((*table, *pages)):
            raise BadInput("a user or password needs --broker; a broker that is started has none")
        return None, None
    return broker_from_options(broker, *table), broker_from_options(
        broker, *(pages if any(pages) else table)
    )


def replay_mqtt(
    broker: Broker = BROKER,
    user: User = None,
    password_file: PasswordFile = None,
    *,
    table: Annotated[str, typer.Option(help="Id of the table that it seems to be.")] = "demo",
    recording: Annotated[
        Path | None, typer.Option(help="A recorded evening; the shipped one when left out.")
    ] = None,
    speed: Annotated[
        float, typer.Option(min=0.1, max=1000.0, help="How many times faster than it happened.")
    ] = 1.0,
    once: Annotated[bool, typer.Option("--once", help="End with the recording.")] = False,
) -> int:
    """Play a recorded evening of MQTT messages for ever: for building displays without a table."""
    from lab.demo import replay_mqtt as replaying  # noqa: PLC0415

    _be_table_id(table)
    address = broker_from_options(broker, user, password_file)
    return replaying.run(address, table=table, recording=recording, speed=speed, once=once)


def _be_table_id(table: str) -> None:
    """Refuse what no table can be called."""
    from controller.mqtt.topics import is_table_id  # noqa: PLC0415

    if not is_table_id(table):
        raise BadInput(f"--table {table}: an id has 1 to 32 small letters, digits or '-'")


def _known_game(game: str | None) -> str:
    from engine.games.registry import DEFAULT_GAME, GAMES  # noqa: PLC0415

    if game is None:
        return DEFAULT_GAME
    if game not in GAMES:
        raise BadInput(f"--game {game}: there is no such game; there are {', '.join(GAMES)}")
    return game


def fit(
    trace: Annotated[Path, typer.Argument(help="An MCAP trace.", show_default=False)],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    table: Annotated[
        Path | None, typer.Option(help="Write what a simulated twin of this table needs.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page with every interval.")
    ] = None,
) -> int:
    """Fit a table's parameters to a recording, and say what it contradicts in our simulation."""
    from lab.fit import command as fitting  # noqa: PLC0415

    return fitting.run(trace, as_json=as_json, table=table, report=report)


def bench(
    arguments: Annotated[
        list[str],
        typer.Argument(
            help="Scenario files, folders, names, or all; after -- what pytest takes (-k power "
            "--lf). Or: list [WORD], new NAME, schema, compare A B, replay DIR, adopt RECORDING, "
            "soak.",
            show_default=False,
        ),
    ],
    *,
    target: Annotated[
        str,
        typer.Option(
            help="sim, lab (real firmware, simulated chips), rig (real table), a board of your "
            "own as module:attribute, or any table at a broker: mqtt://HOST[:PORT]/TABLE."
        ),
    ] = "sim",
    hands: Annotated[
        str | None,
        typer.Option(
            help="mqtt: who moves the pieces: a command, or unix:PATH of a simulated table; "
            "people are asked if left out."
        ),
    ] = None,
    user: User = None,
    password_file: PasswordFile = None,
    covers: Annotated[
        list[str] | None,
        typer.Option(help="Play only what covers this word, such as T11; may be given again."),
    ] = None,
    shrink: Annotated[
        bool,
        typer.Option(
            "--shrink", help="Shrink what fails to the shortest scenario that still does."
        ),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(help="Folder for report.html; use the same one again to get a history."),
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")] = None,
    record: Annotated[
        bool,
        typer.Option(
            "--record", help="Record each case, and what really happened, beside the report."
        ),
    ] = False,
    repeat: Annotated[int, typer.Option(min=1, help="How often to play each case.")] = 1,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Number of processes; one for each core when left out."),
    ] = None,
    hours: Annotated[
        float | None, typer.Option(min=0.0, help="soak: how many hours to run.")
    ] = None,
    evenings: Annotated[
        int | None, typer.Option(min=1, help="soak: how many evenings to play.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="soak: the first evening's seed.")] = 1,
    config: Annotated[
        Path | None,
        typer.Option(help="rig: configuration of the real table; the installed one if left out."),
    ] = None,
    phone: Annotated[
        bool, typer.Option("--phone", help="rig, mqtt: give the instructions on a phone too.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="schema: write it to this file, not to the terminal.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="list: for programs.")] = False,
) -> int:
    """Play test scenarios on a simulated or real table, and check the results."""
    from lab.bench import command  # noqa: PLC0415
    from lab.bench.outside.people_hand import hand_of  # noqa: PLC0415
    from lab.bench.outside.table_target import (  # noqa: PLC0415
        OutsideTarget,
        is_outside,
        table_at,
    )

    where: Where = target
    if target == "rig":
        from lab.bench.rig import RigTarget  # noqa: PLC0415

        config = table_file(config, reads=map(Path, arguments), writes=[report, junit])
        where = RigTarget(hand_of(None, phone=phone), config, report if record else None)
    elif is_outside(target):
        where = OutsideTarget(hand_of(hands, phone=phone), *table_at(target, user, password_file))
    elif hands or user or password_file:
        raise BadInput("--hands, --user and --password-file are for --target mqtt://HOST/TABLE")
    options = command.Options(
        where, report, junit, record, repeat, jobs, tuple(covers or ()), shrink,
        hours, evenings, seed, out, as_json,
    )  # fmt: skip
    return command.dispatch(arguments, options)
