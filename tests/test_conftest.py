"""The rules of the test run, tried on a small run of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

SUITE = """
import pytest

def test_passes():
    pass

def test_wants_a_package():
    pytest.skip("frobnicate is not installed")

@pytest.mark.xfail(reason="known")
def test_expected_to_fail():
    assert False

@pytest.mark.rig
def test_on_real_hardware():
    pass

@pytest.mark.slow
def test_of_a_whole_evening():
    pass

@pytest.mark.soak
def test_long():
    pass

@pytest.mark.slow
@pytest.mark.soak
def test_of_many_evenings():
    pass
"""


def run_suite(folder: Path, text: str, *options: str, ci: bool = False) -> tuple[int, str]:
    """Run one test file under the project's root conftest; exit code and output."""
    shutil.copy(ROOT / "conftest.py", folder)
    (folder / "pytest.ini").write_text(
        "[pytest]\nmarkers =\n  rig: r\n  slow: l\n  soak: s\n  recordings_apart: a\n"
    )
    (folder / "test_suite.py").write_text(text)
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    # The plugins of what else is installed have no part in it, and take longest to begin.
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env=environment | ({"CI": "true"} if ci else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_developer_may_lack_a_package_and_sees_its_name(tmp_path: Path) -> None:
    code, output = run_suite(tmp_path, SUITE)

    assert code == 0
    assert "1 passed, 1 skipped, 4 deselected, 1 xfailed" in output
    assert "frobnicate is not installed" in output


def test_in_ci_a_skipped_test_is_a_failure_with_the_reason(tmp_path: Path) -> None:
    code, output = run_suite(tmp_path, SUITE, ci=True)

    assert code == 1
    assert "1 failed, 1 passed, 4 deselected, 1 xfailed" in output
    assert "skipped in CI, where nothing may be: Skipped: frobnicate is not installed" in output


def test_what_licences_keep_away_may_be_skipped_even_in_ci(tmp_path: Path) -> None:
    mark = "@pytest.mark.recordings_apart\ndef test_wants_a_package"
    suite = SUITE.replace("def test_wants_a_package", mark)
    code, output = run_suite(tmp_path, suite, ci=True)

    assert code == 0
    assert "1 passed, 1 skipped, 4 deselected, 1 xfailed" in output


def test_in_ci_a_module_that_skips_itself_is_a_failure_too(tmp_path: Path) -> None:
    text = "import pytest\npytest.importorskip('no_such_package_here')\ndef test_it(): pass\n"

    assert run_suite(tmp_path, text)[0] == 5  # no test was run
    assert run_suite(tmp_path, text, ci=True)[0] not in (0, 5)


@pytest.mark.parametrize(
    ("mark", "passed"), [("rig", 1), ("slow", 1), ("soak", 2), ("slow or soak", 3)]
)
def test_opt_in_tests_run_when_asked_for(tmp_path: Path, mark: str, passed: int) -> None:
    code, output = run_suite(tmp_path, SUITE, f"--{mark.rsplit(maxsplit=1)[-1]}", "-m", mark)

    assert code == 0
    assert f"{passed} passed, {7 - passed} deselected" in output


EXAMPLES = """
from hypothesis import given, settings, strategies as st

@given(st.integers())
def test_law(number):
    pass

def test_count():
    assert settings().max_examples == {expected}
    assert settings().deadline is None
"""


@pytest.mark.parametrize(
    ("option", "expected", "ci"), [("-q", 25, False), ("--slow", 100, True), ("--soak", 2000, True)]
)
def test_longer_runs_look_for_counter_examples_longer(
    tmp_path: Path, option: str, expected: int, ci: bool
) -> None:
    code, output = run_suite(tmp_path, EXAMPLES.format(expected=expected), option, ci=ci)

    assert code == 0, output
