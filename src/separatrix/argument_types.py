"""Arguments are of the type that their annotation says, or an error names them: checked once, for functions, methods and parameters.

An annotation is a union of `int`, `float`, `bool`, `str`, `None` and `Literal[…]`; one that holds anything else (`Any`, a class) is
not checked here. Which numbers and words are possible, the code that uses them says; here is only what would fail there in
Python's own words: text where a number is needed, NaN, an integer that no float can hold.
"""

from __future__ import annotations

import inspect
import numbers
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .array_types import Floats
from .errors import InputError, InputTypeError, ParameterError, SeparatrixError, one_of

QUICK: dict[str, tuple[type, ...]] = {
    "int": (int, bool),
    "float": (float, int, bool),
    "bool": (bool,),
    "str": (str,),
    "None": (type(None),),
}
"""Types that need no second look (but for NaN, and integers beyond any float)."""
LITERAL = r"Literal\[[^]]*\]"
MOST_JOBS = 10_000
"""More threads or processes than that no machine has."""
NOUNS = {"int": "a whole number", "float": "a number", "bool": "True or False", "str": "text", "None": "None"}


class Rule(NamedTuple):
    """What an argument may be: `quick` holds the types that are taken at once."""

    name: str
    quick: frozenset[type]
    kinds: tuple[str, ...]
    words: tuple[str, ...]


def rule_of(name: str, annotation: str) -> Rule | None:
    """Return the rule that an annotation makes, or None where it allows anything.

    Examples
    --------
    >>> rule_of("shrinkage", "float | Literal['auto', 'oas'] | None").kinds
    ('float', 'None')
    >>> rule_of("priors", "Any") is None
    True
    """
    if name == "random_state":
        return Rule(name, frozenset({type(None)}), ("seed",), ())
    words = tuple(word for literal in re.findall(LITERAL, annotation) for word in re.findall(r"""["']([^"']+)["']""", literal))
    kinds = tuple(part.strip() for part in re.sub(LITERAL, "", annotation).split("|") if part.strip())
    if not set(kinds) <= QUICK.keys() or not (kinds or words):
        return None
    quick = {each for kind in kinds for each in QUICK[kind]} | ({str} if words else set())
    return Rule(name, frozenset(quick), kinds, words)


@cache
def rules_of(function: Callable[..., Any]) -> tuple[Rule, ...]:
    """Return the rules of all annotated arguments of a function."""
    made = (rule_of(p.name, str(p.annotation)) for p in inspect.signature(function).parameters.values())
    return tuple(rule for rule in made if rule is not None)


def check(rule: Rule, value: Any) -> None:
    """Raise an error unless a value keeps the rule.

    Examples
    --------
    >>> check(rule_of("max_iter", "int"), "many")
    Traceback (most recent call last):
    separatrix.errors.ParameterError: max_iter='many' must be a whole number, not of type str.
    """
    if (
        type(value) in rule.quick
        and value == value
        and (rule.name != "n_jobs" or value is None or 0 < abs(value) <= MOST_JOBS)
        and not (type(value) is int and abs(value) > 2**63)
    ):
        return
    if rule.name == "n_jobs" and value is not None and _is("int", value) and int(value) == 0:
        raise ParameterError("n_jobs=0 asks for no thread; use n_jobs=1, a number of threads, or -1 for all processors.")
    if rule.name == "n_jobs" and value is not None and _is("int", value) and abs(int(value)) > MOST_JOBS:
        raise ParameterError(f"n_jobs={_shown(value)} must be at most {MOST_JOBS}; use -1 for all processors.")
    if rule.kinds == ("seed",):
        _check_seed(rule.name, value)
    elif not any(_is(kind, value) for kind in rule.kinds) and not (rule.words and isinstance(value, str)):
        if rule.words and not rule.kinds:
            raise one_of(rule.name, value, rule.words)
        needed = " or ".join([*map(repr, rule.words), *(NOUNS[kind] for kind in rule.kinds)])
        raise ParameterError(f"{rule.name}={_shown(value)} must be {needed}, {_but(value)}.")


def _but(value: Any) -> str:
    if isinstance(value, numbers.Integral) and abs(int(value)) > 2**63:
        return "of at most 64 bits"
    return "not NaN" if isinstance(value, numbers.Real) and value != value else f"not of type {type(value).__name__}"


def _is(kind: str, value: Any) -> bool:
    if kind == "None":
        return value is None
    if kind == "str":
        return isinstance(value, str)
    if kind == "bool":
        return isinstance(value, (bool, np.bool_)) or (isinstance(value, numbers.Integral) and value in (0, 1))
    if kind == "int":
        return isinstance(value, numbers.Integral) and abs(int(value)) <= 2**63
    if not isinstance(value, numbers.Real):
        return False
    try:
        return float(value) == float(value)
    except OverflowError:
        return False


def _check_seed(name: str, value: Any) -> None:
    seed = isinstance(value, numbers.Integral) and 0 <= int(value) < 2**32
    if not seed and not isinstance(value, (np.random.RandomState, np.random.Generator, type(None))) and value is not np.random:
        raise ParameterError(
            f"{name}={_shown(value)} cannot be used to seed random numbers; give a whole number from 0 to 4294967295, a "
            "numpy.random.RandomState or numpy.random.Generator, or None."
        )


def _shown(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # an integer of more than 4,300 digits
        return "a huge integer"
    return text if len(text) <= 60 else f"{text[:57]}…"


def as_numbers(name: str, value: Any, needed: str) -> Floats:
    """Return a value as an array of float64, or say which argument does not hold real numbers and what is needed.

    Examples
    --------
    >>> as_numbers("Cs", [1, 2], "give numbers > 0.")
    array([1., 2.])
    >>> as_numbers("Cs", "few", "give numbers > 0.")
    Traceback (most recent call last):
    separatrix.errors.InputError: Cs='few' does not hold real numbers; give numbers > 0.
    """
    try:
        array = np.asarray(value)
        if array.dtype.kind in "biufO":  # complex numbers, text and dates would be cut down in silence
            return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{name}={_shown(value)} does not hold real numbers; {needed}")


@contextmanager
def refused_as(name: str, needed: str) -> Iterator[None]:
    """Raise what scikit-learn says about an argument as an error of ours, with what is needed.

    Examples
    --------
    >>> with refused_as("X", "give rows as in fit."):
    ...     raise ValueError("X has a different shape than during fitting.")
    Traceback (most recent call last):
    separatrix.errors.InputError: X cannot be used: X has a different shape than during fitting; give rows as in fit.
    """
    from sklearn.exceptions import NotFittedError  # here: gates and plans are light without scikit-learn

    try:
        yield
    except (SeparatrixError, NotFittedError):
        raise
    except (TypeError, ValueError, OverflowError) as error:
        kind = InputTypeError if isinstance(error, TypeError) else InputError
        reason = str(error).rstrip()
        # A list, as of names, ends where its last line ends: the advice begins the next one.
        told = f"{reason}\n{needed[0].upper()}{needed[1:]}" if "\n" in reason else f"{reason.rstrip('.')}; {needed}"
        raise kind(f"{name} cannot be used: {told}") from error


def is_among(value: Any, known: Sequence[Any]) -> bool:
    """Whether a value is one of the known labels; one that cannot be compared with them is not."""
    try:
        return bool(value in known)
    except (TypeError, ValueError):  # an array is equal to a label in some places
        return False


def is_listed(value: Any) -> bool:
    """Whether a value holds others that can be named one by one: not text, and not an array of no dimension.

    Examples
    --------
    >>> is_listed(("age", "pages")), is_listed("age"), is_listed(np.array(3)), is_listed(3)
    (True, False, False, False)
    """
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, type)) and getattr(value, "shape", None) != ()


def check_parameters(estimator: Any) -> None:
    """Raise an error for the first parameter of an estimator that is not of the type its constructor names."""
    given = vars(estimator)
    for rule in rules_of(type(estimator).__init__):
        if rule.name in given:
            value = given[rule.name]
            if type(value) not in rule.quick or value != value or type(value) is int or rule.name == "n_jobs":
                check(rule, value)


def check_arguments(function: Callable[..., Any], given: dict[str, Any]) -> None:
    """Raise an error for the first argument of a call that is not of the type its annotation names.

    Parameters
    ----------
    function : the function that asks
    given : its `locals()`, in the first line of its body

    Examples
    --------
    >>> def double(n: int, *, quickly: bool = True) -> int:
    ...     check_arguments(double, locals())
    ...     return 2 * n
    >>> double(4)
    8
    >>> double(4, quickly="no")
    Traceback (most recent call last):
    separatrix.errors.ParameterError: quickly='no' must be True or False, not of type str.
    """
    for rule in rules_of(function):
        check(rule, given[rule.name])
