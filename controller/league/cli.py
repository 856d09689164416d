"""The commands under `topple-table league`: arguments in, exit code out.

As in `controller.cli`, nothing heavy is imported before a command needs it.
"""

from pathlib import Path
from typing import Annotated

import typer

from controller.common.errors import BadInput
from controller.mqtt.options import BROKER, Broker, PasswordFile, User, broker_from_options

league = typer.Typer(
    help="Collect the results of many tables in one database, and print standings. "
    "Without a command: receive the results from a broker and store them."
)

DONE = 0

LeagueDatabase = Annotated[
    str | None,
    typer.Option(
        help="A file for SQLite (league.sqlite when left out), or postgresql://user@host/name."
    ),
]
LeagueDatabaseFile = Annotated[
    Path | None,
    typer.Option(help="File whose first line is the database, with the password if there is one."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Since = Annotated[str | None, typer.Option(help="First day to count, such as 2026-09-01.")]
Until = Annotated[str | None, typer.Option(help="First day that is not counted any more.")]


@league.callback(invoke_without_command=True)
def league_worker(
    context: typer.Context,
    *,
    broker: Broker = BROKER,
    user: User = None,
    password_file: PasswordFile = None,
    database: LeagueDatabase = None,
    database_file: LeagueDatabaseFile = None,
    share: Annotated[
        str, typer.Option(help="Share the work with all workers that have the same word here.")
    ] = "",
    name: Annotated[str, typer.Option(help="MQTT client id; a random one if left out.")] = "",
) -> int:
    """Without a command: receive the results of all tables on a broker and store them."""
    if context.invoked_subcommand is not None:
        return DONE
    from controller.league import command  # noqa: PLC0415

    where = command.database_given(database, database_file)
    address = broker_from_options(broker, user, password_file)
    return command.run(where, address, share=share, name=name)


def _database(context: typer.Context, database: str | None, file: Path | None) -> str:
    """The database, given after the command's name or before it."""
    from controller.league import command  # noqa: PLC0415

    earlier = context.parent.params if context.parent is not None else {}
    if database is None and file is None:
        database, file = earlier.get("database"), earlier.get("database_file")
    return command.database_given(database, file)


@league.command("standings")
def league_standings(
    context: typer.Context,
    database: LeagueDatabase = None,
    database_file: LeagueDatabaseFile = None,
    *,
    game: Annotated[str | None, typer.Option(help="Only this game; its record id.")] = None,
    by: Annotated[str, typer.Option(help="wins, rating, average, points or games.")] = "wins",
    since: Since = None,
    until: Until = None,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Count simulated tables too.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Print the standings: games, wins, points, average, rating."""
    from controller.league import command  # noqa: PLC0415

    where = _database(context, database, database_file)
    return command.standings(
        where, kind=game, by=by, since=since, until=until, simulated=simulated, as_json=as_json
    )


@league.command("export")
def league_export(
    context: typer.Context,
    database: LeagueDatabase = None,
    database_file: LeagueDatabaseFile = None,
    *,
    form: Annotated[
        str, typer.Option("--format", help="csv, or json (one line for each game).")
    ] = "csv",
    since: Since = None,
    until: Until = None,
) -> int:
    """Print every game, for spreadsheets and other programs."""
    from controller.league import command  # noqa: PLC0415

    where = _database(context, database, database_file)
    return command.export(where, form, since=since, until=until)


@league.command("same")
def league_same(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A name as it was typed.", show_default=False)],
    other: Annotated[
        str | None, typer.Argument(help="The name of the person it stands for.", show_default=False)
    ] = None,
    database: LeagueDatabase = None,
    database_file: LeagueDatabaseFile = None,
    *,
    no_longer: Annotated[
        bool, typer.Option("--no-longer", help="Undo: treat the name as a person of its own again.")
    ] = False,
) -> int:
    """Treat two spellings as one person, also in games already played."""
    from controller.league import command  # noqa: PLC0415

    if (other is None) is not no_longer:
        raise BadInput("give the name and who is meant by it; or the name and --no-longer")
    return command.same(_database(context, database, database_file), name, other)
