"""The exceptions and warnings of Separatrix.

Every error says what was given, what is needed and what to type::

    SeparatrixError
    ├── InputError (ValueError)          the data or a parameter cannot be used
    │   ├── DamagedFileError             a file cannot be trusted: cut off, changed, of another kind or version
    │   ├── MissingFileError (FileNotFoundError)  a file that does not exist; says which one was probably meant
    │   ├── NoFeatureLeftError           a selector keeps no column; says what to loosen
    │   └── UnknownNameError (KeyError)  a name that does not exist; says which one was probably meant
    ├── InputTypeError (TypeError)       an argument of a type that cannot be used
    │   └── ParameterError (InputError)  a parameter of an estimator is of such a type, or a number out of all range
    ├── CapacityError (MemoryError)      what was asked for does not fit into memory
    ├── ClusterError (RuntimeError)      workers or their scheduler are gone, or lost rows that nobody can compute again
    ├── DatabaseError (RuntimeError)     a database refused or broke off a query, or its rows changed; says which query
    ├── CancelledError                   the work was cancelled from outside, by a token of separatrix.progress
    ├── MissingExtraError (ImportError)  an optional package is not installed; says how to install it
    └── WriteError (OSError)             a file cannot be written; what stood there is unchanged

    SeparatrixWarning (UserWarning)
    ├── SingularWarning                  a covariance has no inverse; says which columns and what was done
    ├── DataWarning                      the data are usable, but something about them is worth knowing
    └── SelectionWarning                 columns were picked by the labels of the same rows; estimates and p-values are too good
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class SeparatrixError(Exception):
    """Base of all errors raised on purpose by this package."""


class InputError(SeparatrixError, ValueError):
    """The data or a parameter cannot be used as given."""


class DamagedFileError(InputError):
    """A file cannot be trusted: it is cut off, changed, or of another kind or version."""


class MissingFileError(InputError, FileNotFoundError):
    """A file does not exist."""


class NoFeatureLeftError(InputError):
    """A selector or a recipe would keep no column at all."""


class UnknownNameError(InputError, KeyError):
    """A name that does not exist among the known ones."""

    # KeyError prints the repr of its argument; the sentence is what people should read.
    __str__ = Exception.__str__


class InputTypeError(SeparatrixError, TypeError):
    """An argument is of a type that cannot be used."""


class ParameterError(InputError, InputTypeError):
    """A parameter of an estimator is of a kind that cannot be used; a ValueError and a TypeError, as scikit-learn's own is."""


class DatabaseError(SeparatrixError, RuntimeError):
    """A database refused a query or broke it off, or its rows changed between two of them."""


class CapacityError(SeparatrixError, MemoryError):
    """What was asked for does not fit into memory."""


class ClusterError(SeparatrixError, RuntimeError):
    """Workers of a cluster, or its scheduler, are gone, or rows that they held cannot be computed again."""


class CancelledError(SeparatrixError):
    """Work was cancelled from outside; what stood before it stands still."""


class MissingExtraError(SeparatrixError, ImportError):
    """An optional package is not installed."""


class WriteError(SeparatrixError, OSError):
    """A file cannot be written; what stood under its name is unchanged."""


class SeparatrixWarning(UserWarning):
    """Base of all warnings issued by this package."""


class SingularWarning(SeparatrixWarning):
    """A covariance matrix has no inverse; the message says what was done about it."""


class DataWarning(SeparatrixWarning):
    """The data can be used, but something about them is worth knowing."""


class SelectionWarning(SeparatrixWarning):
    """Columns were picked by the labels of the same rows, so that what is estimated or tested on these rows is too good."""


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return " Did you mean 'x'?" for the closest known name, small and large letters alike, or an empty string.

    Examples
    --------
    >>> did_you_mean("chrn", ["churn", "tenure"])
    " Did you mean 'churn'?"
    >>> did_you_mean("lda", ["QDA", "LDA"])
    " Did you mean 'LDA'?"
    """
    names = [str(own) for own in known]
    small = {own.casefold(): own for own in reversed(names)}
    close = get_close_matches(str(name), names, n=1) or [small[own] for own in get_close_matches(str(name).casefold(), small, n=1)]
    return f" Did you mean {close[0]!r}?" if close else ""


def one_of(parameter: str, given: object, allowed: Iterable[str]) -> InputError:
    """Build the error for a choice that does not exist.

    Examples
    --------
    >>> print(one_of("covariance", "mel", ["mle", "unbiased"]))
    covariance='mel' is not known; use one of 'mle', 'unbiased'. Did you mean 'mle'?
    """
    allowed = list(allowed)
    listed = ", ".join(repr(a) for a in allowed)
    return InputError(f"{parameter}={short_text(given)} is not known; use one of {listed}.{did_you_mean(given, allowed)}")


def no_rows() -> InputError:
    """Return the error that a table has none."""
    return InputError("There are no rows in the data; at least one is needed.")


def short_text(given: Any, most: int = 60) -> str:
    """Return a value as text of one short line.

    Examples
    --------
    >>> short_text(10**400), short_text("a" * 90, 12)
    ('an integer of about 401 digits', "'aaaaaaaaaa…")
    """
    if is_huge(given):
        return f"an integer of about {int(given.bit_length() * 0.30103) + 1} digits"
    text = " ".join(repr(given).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def is_huge(given: Any) -> bool:
    """Return whether a value is an integer that would fill the line."""
    return isinstance(given, int) and given.bit_length() > 128
