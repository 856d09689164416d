"""The command line `topple-table`: arguments in, exit code out.

Nothing heavy is imported before a command needs it, so that `--help` answers at once. Exit
codes: 0 done, 1 the thing checked failed, 2 wrong use or bad input, with one line that says
what, where, and what to do. It waits, and says so, for what may come by itself, such as a broker.
"""

import os
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Annotated, Literal

import typer

from controller.common.errors import BadInput, ControllerError
from controller.common.installed import check_may_look, table_file
from controller.common.lab_entry_points import PROGRAM, commands
from controller.league.cli import league as league_commands
from controller.mqtt.options import (
    BROKER,
    Broker,
    PasswordFile,
    TableFile,
    User,
    broker_from_options,
)

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

# Typer brings its parser along in some versions and shares it in others; this finds the base of
# "the command line was typed wrongly" in all of them.
WrongUse: type[Exception] = typer.BadParameter.__bases__[0]

TRACEBACK = "TOPPLE_TABLE_TRACEBACK"
"""Environment variable for developers: when set, an unexpected error shows its traceback."""

app = typer.Typer(
    name=PROGRAM,
    help="A Topple tower on load cells that keeps its own score.",
    add_completion=False,
    pretty_exceptions_enable=False,
)

firmware = typer.Typer(help="The microcontroller's program.", no_args_is_help=True)
app.add_typer(firmware, name="firmware")

app.add_typer(league_commands, name="league")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"{PROGRAM} {_version()}")
        raise typer.Exit


@app.callback()
def _program(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """A Topple tower on load cells that keeps its own score."""


# A program for all words, where the lab is not installed: it only says so.
_ANY_WORDS = {"ignore_unknown_options": True, "allow_extra_args": True}

for offered in commands():
    app.command(offered.name, context_settings=None if offered.here else _ANY_WORDS)(offered.run)

Trace = Annotated[Path, typer.Argument(help="An MCAP trace.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]
Simulated = Annotated[
    bool, typer.Option("--simulated", help="Try it on a simulated table with a simulated owner.")
]
Phone = Annotated[
    bool, typer.Option("--phone", help="Give the instructions on a phone too; prints its address.")
]


@app.command()
def run(
    config: Annotated[
        Path | None,
        typer.Option(help="Configuration of the table, TOML; the installed one when left out."),
    ] = None,
    *,
    record: Annotated[
        bool, typer.Option("--record", help="Record the evening, as [recording] enabled = true.")
    ] = False,
) -> int:
    """Run the table: watch the tower, keep the score, publish it."""
    from controller.app.run import run as run_table  # noqa: PLC0415
    from controller.common.config import load, recorded  # noqa: PLC0415

    chosen = table_file(config)
    if chosen is None:
        raise BadInput("no table is installed here; name a configuration: --config FILE")
    loaded = load(chosen)
    return run_table(recorded(loaded) if record else loaded, chosen)


@app.command()
def replay(
    trace: Trace,
    *,
    as_json: AsJson = False,
    no_dice: Annotated[
        bool, typer.Option("--no-dice", help="Ignore the rolls: each placement ends a turn.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Write an HTML page with curves and decisions.")
    ] = None,
) -> int:
    """Replay a recording: detect its events again and print them with the scores."""
    from controller.app import wiring  # noqa: PLC0415

    return wiring.replay(trace, as_json=as_json, dice=not no_dice, plot=plot)


@app.command()
def score(
    record: Annotated[Path, typer.Argument(help="A game record, JSON lines.", show_default=False)],
    *,
    as_json: AsJson = False,
    check: Annotated[
        bool, typer.Option("--check", help="Compare with the views written in the record.")
    ] = False,
    options: Annotated[str | None, typer.Option(help="House rules, as a JSON object.")] = None,
) -> int:
    """Apply the rules to a game record and print the scores."""
    from controller.replay import score as scoring  # noqa: PLC0415

    return scoring.score(record, as_json=as_json, check=check, options=options)


@app.command()
def scoreboard(
    broker: Broker = BROKER,
    user: User = None,
    password_file: PasswordFile = None,
    host: Annotated[
        str, typer.Option(help="Address to serve on; 0.0.0.0 lets the whole network watch.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the pages.")] = 8080,
    *,
    phones: Annotated[
        str,
        typer.Option(
            help="off: show only. screen: phones may join with a PIN, which is shown on the "
            "table's own screen (open the printed address there) and on the terminal. terminal: "
            "phones may join, but only the terminal shows the PIN."
        ),
    ] = "off",
    league: Annotated[
        str | None, typer.Option(help="Show this league too: its file, or postgresql://...")
    ] = None,
    screen_file: Annotated[
        Path | None,
        typer.Option(help="Write a private page that opens the table's own screen."),
    ] = None,
    profiles: Annotated[
        Path | None,
        typer.Option(help="Keep here what players have done who ask for it on their phones."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            envvar="TOPPLE_TABLE_NAMES",
            help="Answer to this host name too, e.g. that of a proxy; may be repeated.",
        ),
    ] = None,
    metrics_token_file: Annotated[
        Path | None,
        typer.Option(
            envvar="TOPPLE_TABLE_METRICS_TOKEN_FILE",
            help="Give /metrics (OpenMetrics) to whoever sends the first line of this file.",
        ),
    ] = None,
    callers: Annotated[
        Path | None,
        typer.Option(help="Folder of caller packs of your own (docs/caller.md)."),
    ] = None,
) -> int:
    """Serve the scoreboard pages of every table on a broker."""
    from controller.app import wiring  # noqa: PLC0415

    return wiring.scoreboard(broker, user, password_file, host, port,
                             phones=phones, league=league, screen_file=screen_file,
                             profiles=profiles, names=tuple(name or ()),
                             metrics_token_file=metrics_token_file, callers=callers)  # fmt: skip


@app.command()
def dice(
    broker: Broker = BROKER,
    user: User = None,
    password_file: PasswordFile = None,
    *,
    file: Annotated[Path, typer.Option(help="File of the paired dice.")] = Path("dice.json"),
    table: Annotated[
        str | None, typer.Option(help="Id of the table; the only one on the broker if left out.")
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option(
            help="Pair the die that is thrown next, as that of a colour (red), of a player, or of "
            "all; then end."
        ),
    ] = None,
) -> int:
    """Tell the table what Bluetooth dice show (GoDice, Pixels), and whose they are."""
    from controller.dice import command  # noqa: PLC0415

    if pair is not None:
        return command.pair(file, pair)
    return command.run(file, broker_from_options(broker, user, password_file), table=table)


@app.command()
def screen(
    file: Annotated[
        Path | None,
        typer.Argument(help="The --screen-file of the pages; the installed one when left out."),
    ] = None,
) -> int:
    """Print the address of the table's own screen, which shows the PIN for phones."""
    from pages.scoreboard.screen import INSTALLED, address_in  # noqa: PLC0415

    print(address_in(file or INSTALLED))
    return 0


@firmware.command("build")
def firmware_build(
    out: Annotated[Path, typer.Option(help="Folder for the files that are made.")] = Path(),
) -> int:
    """Compile it to a .hex file for the board and an .elf file for the lab."""
    from controller.workshop import firmware as boards  # noqa: PLC0415

    return boards.print_build(out)


@firmware.command("flash")
def firmware_flash(
    *,
    port: Annotated[
        str | None,
        typer.Option(help="/dev/serial/by-path/...; may be left out if there is only one."),
    ] = None,
    image: Annotated[
        Path | None, typer.Option("--hex", help="The .hex file to write; built when left out.")
    ] = None,
    old_bootloader: Annotated[
        bool, typer.Option("--old-bootloader", help="For Nanos that want 57600 baud.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the command.")] = False,
) -> int:
    """Write it to the board, then check which firmware the board reports."""
    from controller.workshop import firmware as boards  # noqa: PLC0415

    if not dry_run:
        table_file(None, reads=[image])
    return boards.flash(port, image, old_bootloader=old_bootloader, dry_run=dry_run)


@app.command()
def diagnose(
    config: TableFile = None,
    *,
    seconds: Annotated[float, typer.Option(help="How long to look at the table at rest.")] = 10.0,
    as_json: AsJson = False,
    interactive: Annotated[
        bool, typer.Option(help="Ask you to press above each load cell and on the board.")
    ] = True,
    weight: Annotated[
        float | None,
        typer.Option(help="Put this known weight (g) on each corner instead of pressing."),
    ] = None,
    part: Annotated[
        list[str] | None, typer.Option(help="Judge only link, cells, imu, switch or pivot.")
    ] = None,
    step: Annotated[
        int | None,
        typer.Option(help="Check only what exists after this step of the assembly guide."),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(help='Simulate this fault first, such as "unplugged cell C1".'),
    ] = None,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Look at the simulated table.")
    ] = False,
) -> int:
    """Say what is wrong with the table, and what to check next."""
    from controller.workshop.diagnose import command as diagnosis  # noqa: PLC0415
    from hw.building.assembly import step as assembly_step  # noqa: PLC0415

    if simulated and config is not None:
        raise BadInput("--simulated and --config exclude each other; give one of them")
    by_hand = step is not None and not assembly_step(step).parts
    if not (simulated or by_hand or (fault and config is None)):
        config = table_file(config)
    return diagnosis.run(
        config,
        seconds=seconds,
        as_json=as_json,
        interactive=interactive,
        weight_g=weight,
        faults=fault or (),
        parts=part or (),
        step=step,
    )


@app.command()
def doctor(
    config: Annotated[
        Path | None,
        typer.Option(help="Configuration of the table; the installed one when left out."),
    ] = None,
    *,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Look only at computer, config, keeping, wires, broker, rights, table, pages or "
            "services."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check the computer, the installation and the services, and print one line for each."""
    from controller.workshop.doctor import checkup  # noqa: PLC0415

    check_may_look(config)
    return checkup.run(config, only=only or (), as_json=as_json)


@app.command("first-light")
def first_light(
    port: Annotated[
        str, typer.Option(help="/dev/serial/by-path/...; the one that greets when left out.")
    ] = "",
    *,
    config: Annotated[
        Path | None,
        typer.Option(help="TOML file; default: the installed table's, else a Nano on any port."),
    ] = None,
    file: Annotated[
        Path, typer.Option(help="Where to write what somebody who helps will want to see.")
    ] = Path("first-light.json"),
    phone: Phone = False,
) -> int:
    """See one load cell on the desk feel a finger, and find out what is wrong with its wiring."""
    from controller.workshop.first_light import command as first  # noqa: PLC0415

    return first.run(table_file(config, writes=[file]), port=port, file=file, phone=phone)


@app.command()
def measure(
    file: Annotated[Path, typer.Argument(help="File of the measures.")] = Path("measures.toml"),
    *,
    for_table: Annotated[
        bool,
        typer.Option("--for-table", help="The file beside the calibration of the table instead."),
    ] = False,
    config: Annotated[
        Path | None, typer.Option("--config", help="TOML file; default: the installed table's.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Ask again where the file is there already.")
    ] = False,
) -> int:
    """Measure your game with ruler and scale, and see whether a table can be built for it."""
    from controller.workshop import measure as measuring  # noqa: PLC0415

    if for_table:
        file = measuring.file_of(table_file(config, aside=False))
    return measuring.run(file, again=again)


@app.command()
def drawings(
    file: Annotated[Path, typer.Argument(help="File of the measures.")] = Path("measures.toml"),
    *,
    to: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("drawings"),
    wiring: Annotated[
        Literal["bridge", "direct"], typer.Option(help="Way to build, for the parts list.")
    ] = "bridge",
) -> int:
    """Draw a table for your game: sheets, plates to cut, all holes, a parts list with its cuts."""
    from controller.workshop import drawings as drawing  # noqa: PLC0415

    return drawing.run(file, to, wiring)


@app.command()
def calibrate(
    config: TableFile = None,
    *,
    coin: Annotated[
        list[str] | None, typer.Option(help="Coins as a known weight, such as 4x2eur.")
    ] = None,
    weight: Annotated[list[float] | None, typer.Option(help="A known weight in grams.")] = None,
    zero: Annotated[
        bool, typer.Option("--zero", help="Measure only the zero of the empty table again (10 s).")
    ] = False,
    pieces: Annotated[
        bool,
        typer.Option("--pieces", help="Weigh the pieces, so that weight tells whose they are."),
    ] = False,
    colour: Annotated[
        list[str] | None, typer.Option(help="Colours of the pieces, for --pieces; two to four.")
    ] = None,
    putty: Annotated[
        str, typer.Option(help="Put putty under the pieces of a colour, to what --pieces advised.")
    ] = "",
    list_kept: Annotated[
        bool, typer.Option("--list", help="List the calibrations that are kept.")
    ] = False,
    take_back: Annotated[
        bool, typer.Option("--take-back", help="Go back to the previous calibration.")
    ] = False,
    simulated: Simulated = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulated table.")] = 1,
    speed: Annotated[
        float | None,
        typer.Option(
            min=0.1, help="Times real time, for the simulated table; default: no waiting."
        ),
    ] = None,
    to: Annotated[Path | None, typer.Option(help="File for the calibration.")] = None,
    phone: Phone = False,
) -> int:
    """Calibrate the table with two coins and three pieces, in three minutes."""
    from controller.workshop.calibrate import command as calibrating  # noqa: PLC0415

    if sum((zero, pieces, bool(putty), list_kept, take_back)) > 1:
        raise BadInput(
            "--zero, --pieces, --putty, --list and --take-back exclude each other; give one of them"
        )
    if colour and not pieces:
        raise BadInput("--colour names the colours for --pieces; give that too")
    if phone and (zero or list_kept or take_back):
        raise BadInput("--phone is for instructions; leave out --zero, --list, --take-back")
    if not simulated:
        config = table_file(config, aside=not list_kept, writes=[to])
    if list_kept:
        return calibrating.list_kept(config, to=to)
    if take_back:
        return calibrating.take_back(config, to=to)
    if zero:
        return calibrating.zero(config, seed=seed, to=to)
    if pieces or putty:
        from controller.workshop.calibrate import weigh_pieces  # noqa: PLC0415

        return weigh_pieces.run(
            config,
            colours=colour or (),
            putty=putty,
            simulated=simulated,
            seed=seed,
            speed=speed,
            to=to,
            phone=phone,
        )
    return calibrating.run(
        config,
        coins=coin or (),
        weights=weight or (),
        simulated=simulated,
        seed=seed,
        speed=speed,
        to=to,
        phone=phone,
    )


@app.command("accuracy-test")
def accuracy_test(
    config: TableFile = None,
    *,
    n: Annotated[int, typer.Option("--n", help="How many pieces to ask for.")] = 25,
    simulated: Simulated = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed for the cells and the simulated table.")
    ] = 1,
    calibration: Annotated[
        Path | None, typer.Option(help="Calibration to test instead of the configured one.")
    ] = None,
    phone: Phone = False,
) -> int:
    """Measure how well the table sees: it names cells, you place pieces on them."""
    from controller.workshop.accuracy import command as accuracy_session  # noqa: PLC0415

    if not simulated:
        config = table_file(config, reads=[calibration])
    return accuracy_session.run(
        config, count=n, simulated=simulated, seed=seed, calibration=calibration, phone=phone
    )


@app.command()
def version() -> int:
    """Print the version."""
    print(f"{PROGRAM} {_version()}")
    return DONE


def _version() -> str:
    try:
        return metadata.version(PROGRAM)
    except metadata.PackageNotFoundError:
        return "(not installed)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, by default that of the process, and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        returned = app(args=given or ["--help"], prog_name=PROGRAM, standalone_mode=False)
    except WrongUse as wrong:
        return _refuse(_words_of(wrong), _help_of(wrong))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except SystemExit:
        # The parser's way of saying that whoever read our output has seen enough (`| head`).
        return DONE
    except Exception as error:  # noqa: BLE001 - the last line of defence against tracebacks
        return _failure(error)
    finally:
        _let_go_of_output()
    if not given:
        return BAD_INPUT
    return returned if isinstance(returned, int) else DONE


def _let_go_of_output() -> None:
    """Flush while a closed pipe can still be met quietly; Python's own flush would complain."""
    try:
        for stream in (sys.stdout, sys.__stdout__):
            if stream is not None:
                stream.flush()
    except BrokenPipeError:
        # What is left in the buffer goes nowhere, and so does the flush at the end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)


def _words_of(wrong: Exception) -> str:
    format_message = getattr(wrong, "format_message", lambda: str(wrong))
    return str(format_message())


def _help_of(wrong: Exception) -> str:
    context = getattr(wrong, "ctx", None)
    passes_on = context and context.info_name == "bench" and hasattr(wrong, "option_name")
    dashes = "pytest's own come after --; " if passes_on else ""
    return f"{dashes}see {context.command_path if context else PROGRAM} --help"


def _refuse(text: str, advice: str = "") -> int:
    one_line = " ".join(text.split()).removesuffix(".")
    print(f"{PROGRAM}: {one_line}{'; ' if advice else ''}{advice}", file=sys.stderr)
    return BAD_INPUT


def _failure(error: Exception) -> int:
    from engine.errors import EngineError  # noqa: PLC0415
    from hw.errors import HardwareError  # noqa: PLC0415

    if os.environ.get(TRACEBACK):
        raise error
    if isinstance(error, ControllerError | HardwareError | EngineError):
        return _refuse(str(error))
    if isinstance(error, ImportError | SyntaxError):
        # The program is not whole: controller/launch.py has words for that.
        raise error
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{where}{error.strerror or error}", "check the path and its rights")
    _refuse(
        f"unforeseen {type(error).__name__}: {error}",
        f"please report it, with the output of {TRACEBACK}=1",
    )
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
