"""What one rest is asked for by hypothesis after hypothesis is computed once.

A rest is explained under two dozen hypotheses. Most densities depend on the rest alone, or on it
and the moment that a hypothesis compares it with: of nine calls eight ask for a known one.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from engine.detect.back.account import Account


class Remembers(Protocol):
    """Keeps what has been computed; made anew for each rest.

    Attributes:
        known: results by method and arguments.
    """

    known: dict[tuple[Any, ...], Any]


Self = TypeVar("Self", bound=Remembers)
P = ParamSpec("P")
R = TypeVar("R")


def remembered(method: Callable[Concatenate[Self, P], R]) -> Callable[Concatenate[Self, P], R]:
    """Compute a method once for each set of arguments."""

    @wraps(method)
    def recalled(self: Self, /, *args: P.args, **named: P.kwargs) -> R:
        key = (method, *args, *named.items()) if named else (method, *args)
        if key not in self.known:
            self.known[key] = method(self, *args, **named)
        found: R = self.known[key]
        return found

    return recalled


def remembered_by_moment(
    method: Callable[Concatenate[Self, Account, P], R],
) -> Callable[Concatenate[Self, Account, P], R]:
    """The same for one that uses nothing of its account but `carried_gmm`."""

    @wraps(method)
    def recalled(self: Self, account: Account, /, *args: P.args, **named: P.kwargs) -> R:
        key = (method, account.carried_gmm, *args, *named.items())
        if key not in self.known:
            self.known[key] = method(self, account, *args, **named)
        found: R = self.known[key]
        return found

    return recalled
