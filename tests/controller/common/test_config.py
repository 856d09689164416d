"""The configuration: strict, with one line for whoever mistyped."""

from pathlib import Path

import pytest

from controller.common.config import Config, load, parse, password
from controller.common.errors import BadConfig

ROOT = Path(__file__).parents[3]


def test_the_example_in_deploy_is_loaded_and_shows_the_defaults() -> None:
    example = ROOT / "deploy" / "topple-table.toml"
    config = load(example)
    plain = Config()

    assert (config.broker, config.source, config.web) == (plain.broker, plain.source, plain.web)
    assert config.table.id == plain.table.id
    assert config.options == {"dice": "told", "pass": "always"}


def test_paths_are_relative_to_the_file_that_names_them(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(
        '[table]\njournal = "games/j"\n'
        '[source]\nkind = "recording"\npath = "/a/b.mcap"\ncalibration = "mine.json"\n',
        encoding="utf-8",
    )
    config = load(path)

    assert config.table.journal == str(tmp_path / "games" / "j")
    assert config.source.path == "/a/b.mcap"
    assert config.source.calibration == str(tmp_path / "mine.json")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[broker]\nport = 70000", "broker.port is 70000; it must be a whole number at most 65535"),
        ('[broker]\nport = "x"', "broker.port is 'x'; it must be a whole number, and is a text"),
        ('[broker]\nkind = "kafka"', "broker.kind is 'kafka'; it can be embedded, mqtt"),
        ('[broker]\nkind = "mqtt"\nport = 0', "broker.port is 0; a running broker"),
        ("[broker]\nprot = 1", "broker.prot = 1 is no setting; did you mean broker.port?"),
        ("[brokr]\nport = 1", "brokr is no setting; did you mean broker?"),
        (
            '[scoreboard]\nhints = "yes"',
            "scoreboard.hints is 'yes'; it must be true or false, and is a text",
        ),
        (
            "zzz = 1",
            "zzz = 1 is no setting; known here: table, broker, source, web, scoreboard, recording",
        ),
        ('[table]\nid = "Küche"', "table.id is 'Küche'; it must be 1 to 32 lower-case"),
        ("table = 3", "table is 3; it must be a group of keys"),
        ('[source]\nfaults = ["unpluged"]', "source.faults: fault 'unpluged': there is no such"),
        (
            '[source]\nkind = "recording"\npath = "x"\nfaults = ["stuck"]',
            "source.faults: only the simulated tower",
        ),
        ('[source]\nkind = "bridge"', "source.calibration is ''; a real table needs"),
        ('[source]\nkind = "pi"', "source.calibration is ''; a real table needs"),
        (
            '[source]\nkind = "pi"\ncalibration = "x"\n[source.pi]\nbuzzer = 17',
            "source.pi: GPIO17 is used by tilt_switch and buzzer",
        ),
        (
            "[source.pi]\nbuzer = 5",
            "did you mean source.pi.buzzer?",
        ),
        ("[source.pi]\nlights = [28]", "source.pi.lights"),
        (
            '[source]\nkind = "bridge"\ncalibration = "c"\n[source.pi]\nbuzzer = 25\nlights = [25]',
            "GPIO25 is used by",
        ),
        ('[source.pi]\nhx711_driver = "x"', "it can be own, adafruit"),
        (
            '[source]\nkind = "bridge"\ncalibration = "c.json"\nspeed = 2.0',
            "source.speed is 2; a real table runs at 1",
        ),
        ("[source]\nspeed = 0", "source.speed is 0; it must be a number more than 0"),
        (
            '[source]\nkind = "bridge"\ncalibration = "c"\nstarter = true',
            "a real starter has kind pi",
        ),
        ("[source]\nseed = -1", "source.seed is -1; it must be a whole number at least 0"),
        ("[source]\nkind = [1]", "source.kind is [1]; it can be twin, recording, bridge"),
        ('[source]\nkind = "recording"', "source.path is ''; a recording needs"),
        ('[broker]\npassword_file = "x"', "broker.user is ''; a password needs a user"),
        ('[web]\npassword_file = "x"', "web.user is ''; a password needs a user"),
        ('[web]\nphones = "tv"', "web.phones is 'tv'; it can be screen, terminal, off"),
        ('[options]\ndice = "maybe"', "house rule dice is 'maybe'; it can be told, untold"),
        ("[options]\nfun = true", "there is no house rule 'fun'"),
        ("[", "this is no TOML"),
        ("a = " + "[" * 5000, "this is no TOML"),
        ("a = " + "9" * 5000, "this is no TOML"),
        ("[source.pi]\nimu_address = 0x" + "9" * 5000, "a number with thousands of digits"),
        (f"[table]\nid = '{'x' * 9000}'", "table.id is 'xxx"),
        (f"{'y' * 9000} = 1", "yyy..."),
    ],
)
def test_a_mistake_is_named_with_key_value_and_limit(text: str, words: str) -> None:
    with pytest.raises(BadConfig) as refused:
        parse(text)

    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 1000


def test_a_bad_a_missing_and_an_endless_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    for content in (b"\xff\xfe\x00", b"[table\n"):
        path.write_bytes(content)
        with pytest.raises(BadConfig, match=r"table\.toml: "):
            load(path)
    for missing in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(BadConfig, match="name a configuration file"):
            load(missing)
    for read in (load, password):
        with pytest.raises(BadConfig, match="is it another file"):
            read("/dev/zero")


def test_the_password_is_the_first_line_of_its_file(tmp_path: Path) -> None:
    path, empty = tmp_path / "password", tmp_path / "empty"
    path.write_text("s3cret\nsecond line\n", encoding="utf-8")
    empty.touch()

    assert password(str(path)) == "s3cret"
    assert password("") is None
    for none in (empty, tmp_path / "missing"):
        with pytest.raises(BadConfig, match=r"broker\.password_file is '.*'; it"):
            password(str(none))


@pytest.mark.parametrize(
    ("text", "has_panel"),
    [
        ("", False),
        ('kind = "bridge"', False),
        ('kind = "bridge"\n[source.pi]\nbuzzer = 18', True),
        ('kind = "bridge"\n[source.pi]\nbuzzer = 0\nlights = []', False),
        ('kind = "bridge"\npanel = false\n[source.pi]\nbuzzer = 18', False),
        ('kind = "bridge"\npanel = true', True),
        ('kind = "pi"', True),
        ('kind = "twin"\n[source.pi]\nbuzzer = 18', False),
        ('kind = "twin"\npanel = true', True),
    ],
)
def test_a_bridge_has_a_panel_when_its_pins_are_named(text: str, *, has_panel: bool) -> None:
    source = parse(f'[source]\ncalibration = "c"\n{text}').source

    assert source.has_panel is has_panel
