"""A module of the present, run with the packages of another tree: for `detection_before`.

    python -P served.py TREE MODULE.py '{"package.module": ["where it was before"]}'

A JSON object a line in (arguments of the module's `answer`), one a line out. Imports nothing but
the standard library: all else comes from the tree.
"""

import importlib
import importlib.util
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def serve(tree: Path, path: Path, moved: Mapping[str, Sequence[str]]) -> None:
    """Answer until there is nothing more to read.

    Args:
        tree: folder whose packages must be the ones in use.
        path: of the module.
        moved: modules that it imports -> where earlier trees have them, the latest first.
    """
    used = Path(importlib.import_module("engine.detect.detector").__file__ or "").resolve()
    if not used.is_relative_to(tree.resolve()):
        _say({"error": f"{used} was loaded instead of the one in {tree}"})
        return
    module = _loaded(tree, path, moved)
    _say({"ready": True})
    for line in sys.stdin:
        _say(module.answer(**json.loads(line)))


def _loaded(tree: Path, path: Path, moved: Mapping[str, Sequence[str]]) -> Any:
    for name, before in moved.items():
        sys.modules[name] = importlib.import_module(_first_in(tree, [name, *before]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _first_in(tree: Path, names: Sequence[str]) -> str:
    """Not by trying: a package that the tree lacks may be found elsewhere."""
    files = ((name, tree / f"{name.replace('.', '/')}.py") for name in names)
    return next((name for name, file in files if file.is_file()), names[-1])


def _say(answer: Any) -> None:
    print(json.dumps(answer, default=float), flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]))
