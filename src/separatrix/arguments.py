"""Arguments that a function does not have: an error that says what to write instead, above all to those who come from scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from .errors import InputTypeError, did_you_mean

P = ParamSpec("P")
R = TypeVar("R")

PLAN = "use plan=KFold(5), LeaveOneOut() or a scikit-learn splitter"
SILENT = "long work shows a bar in a terminal by itself; leave it out"


def answers_to(**replaced: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator by which a function, or the `__init__` of a class, refuses unknown arguments in words.

    Parameters
    ----------
    replaced : what to write in place of arguments that other libraries have

    Examples
    --------
    >>> @answers_to(cv=PLAN)
    ... def judge(model, plan=None):
    ...     return plan
    >>> judge("LDA", cv=5)
    Traceback (most recent call last):
    ...
    separatrix.errors.InputTypeError: judge has no argument 'cv': use plan=KFold(5), LeaveOneOut() or a scikit-learn splitter.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        known = frozenset(signature(function).parameters)

        @wraps(function)
        def checked(*args: P.args, **given: P.kwargs) -> R:
            if not known.issuperset(given):
                raise _unknown(function.__qualname__.removesuffix(".__init__"), given, known - {"self"}, replaced)
            return function(*args, **given)

        return checked

    return decorate


def _unknown(name: str, given: Iterable[str], known: Set[str], replaced: Mapping[str, str]) -> InputTypeError:
    first = next(argument for argument in given if argument not in known)
    if first in replaced:
        return InputTypeError(f"{name} has no argument {first!r}: {replaced[first]}.")
    return InputTypeError(f"{name} has no argument {first!r}.{did_you_mean(first, known)} It has {', '.join(sorted(known))}.")
