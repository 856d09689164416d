"""Wheels of this tree, for the table that is installed."""

from tests.deploy.conftest import wheel, wheelhouse

__all__ = ["wheel", "wheelhouse"]
