"""Which libraries of a wiring are missing, by importing them in a process of their own."""

import os
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hw.drivers.libraries import NEEDED, cannot_import, how_to_get, not_installed

ROOT = Path(__file__).parents[3]
A_PI = {"BLINKA_FORCEBOARD": "RASPBERRY_PI_4B", "BLINKA_FORCECHIP": "BCM2XXX"}
DEFERRED = ["lgpio"]
"""Not among the tools of development: it has no wheel for each Python."""


def tried(extra: str, *hidden: str, **settings: str) -> dict[str, str]:
    """What `python -m hw.drivers.libraries` says of an extra, where modules cannot be found."""
    hide = "".join(f"sys.modules[{name!r}] = None; " for name in hidden)
    code = (
        f"import sys; {hide}from hw.drivers import libraries; sys.exit(libraries.main({extra!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | settings, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = (line.partition(": ") for line in done.stdout.splitlines())
    missing = {name: why for name, colon, why in lines if colon and name in NEEDED[extra]}
    assert done.returncode == (1 if missing else 0), done.stderr
    return {name: why for name, why in missing.items() if name not in DEFERRED}


@pytest.mark.parametrize("board", ["RASPBERRY_PI_3B", "RASPBERRY_PI_4B", "RASPBERRY_PI_5"])
def test_the_pins_of_every_pi_are_imported_by_the_real_libraries(board: str) -> None:
    """Blinka takes them by gpiod since release 9, and does not ask for it."""
    assert tried("pi", **(A_PI | {"BLINKA_FORCEBOARD": board})) == {}


def test_a_pi_without_gpiod_is_told_so() -> None:
    missing = tried("pi", "gpiod", **A_PI)

    assert list(missing) == [
        "gpiod",
        "board",
        "digitalio",
        "microcontroller",
        "adafruit_hx711.hx711",
    ]
    assert "gpiod" in missing["board"]


def test_the_line_to_the_microcontroller_needs_two_libraries() -> None:
    assert tried("bridge") == {}
    assert list(tried("bridge", "cobs")) == ["cobs.cobs"]


def test_the_panel_needs_a_part_of_what_the_pins_need() -> None:
    assert set(NEEDED["panel"]) < set(NEEDED["pi"])
    assert how_to_get("panel") == how_to_get("pi")


def test_every_library_that_an_extra_names_is_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    providers = metadata.packages_distributions()
    of_extras = {name: modules for name, modules in NEEDED.items() if name != "panel"}
    for extra, modules in of_extras.items():
        asked = {
            canonicalize_name(Requirement(line).name)
            for line in project["optional-dependencies"][extra]
        }
        tops = {module.partition(".")[0] for module in modules}
        given = {canonicalize_name(name) for top in tops for name in providers.get(top, [top])}
        assert asked <= given


def test_blinka_asks_nobody_at_the_terminal_whether_it_may_install_something(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("BLINKA_SKIP_DEPENDENCY_CHECK", raising=False)

    cannot_import([])

    assert os.environ["BLINKA_SKIP_DEPENDENCY_CHECK"] == "1"


def test_the_way_to_get_a_library_is_a_path_and_never_a_name_on_a_package_index() -> None:
    words = how_to_get("pi")

    assert words.endswith(
        f"pip install 'dist/topple_table-{metadata.version('topple-table')}-py3-none-any.whl[pi]'"
    )
    assert "topple-table[" not in words


def test_an_import_error_without_a_name_speaks_for_itself() -> None:
    assert not_installed(ImportError("no bindings"), "pi").startswith("no bindings; in the folder")
    missing = ModuleNotFoundError("No module named 'x'", name="x")
    assert not_installed(missing, "pi").startswith("x is not installed; ")
