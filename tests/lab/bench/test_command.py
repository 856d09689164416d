"""What `topple-table bench` says when it cannot play, and what it leaves unsaid."""

from pathlib import Path

import pytest

from controller import cli

Capture = pytest.CaptureFixture[str]

SHORT = """about: A red piece on d4 is seen there.
steps:
  - turns: [3 d4]
expect:
  - placed: d4
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of somebody's own, with a scenario in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ok.yaml").write_text(SHORT)
    return tmp_path


RIG = ("place_one", "--target", "rig")


@pytest.mark.parametrize(
    ("table", "words", "said"),
    [
        ("", [], "no table is installed here; name its configuration: --config FILE"),
        ("", ["--config", "t.toml"], "t.toml: No such file or directory; name a configuration"),
        ("[", ["--config", "t.toml"], "t.toml: "),
        ('[source]\nkind = "serial"', ["--config", "t.toml"], "t.toml: source.kind is 'serial'"),
    ],
)
def test_a_table_that_is_not_configured_is_refused_in_one_line_before_anything_is_played(
    folder: Path, table: str, words: list[str], said: str, capfd: Capture
) -> None:
    if table:
        (folder / "t.toml").write_text(table)

    assert cli.main(["bench", *RIG, *words]) == 2

    out, err = capfd.readouterr()
    assert out == ""
    assert said in err
    assert len(err.splitlines()) == 1


def test_a_table_whose_sensors_cannot_be_had_ends_the_run_with_the_reason(
    folder: Path, capfd: Capture
) -> None:
    (folder / "t.toml").write_text('[source]\nkind = "recording"\npath = "none.mcap"\n')

    assert cli.main(["bench", "rule_stack", *RIG, "--config", "t.toml"]) == 2

    out, err = capfd.readouterr()
    assert "none.mcap" in out
    assert "Traceback" not in out
    assert "StopIteration" not in out
    assert "nothing was judged; why is said above" in err


def test_a_file_that_is_no_yaml_and_a_choice_of_nothing_are_named(
    folder: Path, capfd: Capture
) -> None:
    (folder / "a.txt").write_text(SHORT)

    assert cli.main(["bench", "a.txt"]) == 2
    assert "a.txt: a scenario ends in .yaml or .yml" in capfd.readouterr().err
    assert cli.main(["bench", "ok.yaml", "--", "-k", "nothing"]) == 2
    assert "-k nothing: no case has that" in capfd.readouterr().err


def test_an_option_of_pytest_before_the_dashes_is_told_where_it_belongs(capfd: Capture) -> None:
    assert cli.main(["bench", "place_one", "-k", "power"]) == 2
    assert "No such option: -k; pytest's own come after --; see" in capfd.readouterr().err

    assert cli.main(["replay", "-k"]) == 2
    assert "pytest" not in capfd.readouterr().err


def test_who_has_asked_for_no_report_is_told_how_to_see_what_happened(
    folder: Path, capfd: Capture
) -> None:
    (folder / "bad.yaml").write_text(SHORT.replace("placed: d4", "placed: e5"))
    hint = "What happened, and when: add --report out --record"

    assert cli.main(["bench", "ok.yaml", "bad.yaml"]) == 1
    assert capfd.readouterr().out.count(hint) == 1
    assert cli.main(["bench", "bad.yaml", "--report", "out", "--record"]) == 1
    assert hint not in capfd.readouterr().out
    assert cli.main(["bench", "ok.yaml"]) == 0
    assert hint not in capfd.readouterr().out


def test_a_run_without_trouble_speaks_of_no_warning(folder: Path, capfd: Capture) -> None:
    assert cli.main(["bench", str(folder / "ok.yaml")]) == 0

    assert "warning" not in capfd.readouterr().out


def test_a_name_that_the_locale_cannot_write_is_no_hindrance(folder: Path, capfd: Capture) -> None:
    odd = folder / "ok\udcf0.yaml"  # half of an emoji, as LC_ALL=C reads it
    odd.write_text(SHORT)

    assert cli.main(["bench", str(odd), "--report", "out", "--junit", "out/j.xml"]) == 0
    assert "ok?.yaml::ok? PASSED" in capfd.readouterr().out
