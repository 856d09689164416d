"""All kinds of trouble that a table publishes: the codes in `status`, `health` and `fault`."""

from collections.abc import Iterable, Mapping
from types import ModuleType

import controller.common.troubles
import engine.troubles
import firmware_bridge.troubles
import hw.troubles
from engine.trouble import TroubleKind
from firmware_bridge.troubles import LinkKind

MODULES = (engine.troubles, hw.troubles, firmware_bridge.troubles, controller.common.troubles)


def _kinds(modules: Iterable[ModuleType]) -> dict[str, str]:
    values = [value for module in modules for value in vars(module).values()]
    return {kind.code: kind.english for kind in values if isinstance(kind, TroubleKind | LinkKind)}


ENGLISH: Mapping[str, str] = _kinds(MODULES)
"""Code -> sentence, with `{name}` for each argument."""
