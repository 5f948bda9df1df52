"""Held-out predictions by refits: the model is fitted once per fold, which is right for every estimator. Their warnings are joined."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from ..abilities import abilities_of
from ..array_types import Codes, Floats, Folds, Indices
from ..progress import task
from .evaluation_rows import EvaluationRows
from .predictions import HeldOut, answers, gather

Warned = list[tuple[type[Warning], str]]


Answer = tuple[Codes, Floats | None]


def by_refits(
    model: Any, rows: EvaluationRows, folds: Folds, n_jobs: int | None, start: Any = None, trained_on: Sequence[Indices] | None = None
) -> HeldOut:
    """Fit a clone of the model on the other rows of each fold, on `n_jobs` processes, begun at the fit of all rows where given.

    `trained_on` has the training rows of each fold, where they are not all the others.
    """
    found = list(refitted(model, rows, folds, range(int(folds.max()) + 1), n_jobs, start, trained_on))
    return gather(rows, folds, found, "refits", start)


def refitted(
    model: Any,
    rows: EvaluationRows,
    folds: Folds,
    chosen: Iterable[int],
    n_jobs: int | None,
    start: Any = None,
    trained_on: Sequence[Indices] | None = None,
) -> Iterator[Answer]:
    """Yield what a refit without it says about each of some folds.

    Where coefficients of other rows may be a worse start than none, the first fold tells whether the others begin there.
    """
    chosen, repeated = list(chosen), RepeatedWarnings()
    if not chosen:
        return
    first, taken = _passes(start), 0
    tried = 1 if first else 0
    with task("evaluate", total=len(chosen)) as work:
        for part, jobs in ((chosen[:tried], 1), (chosen[tried:], n_jobs)):
            calls = (delayed(_one)(model, rows, folds, fold, start, None if trained_on is None else trained_on[fold]) for fold in part)
            for fold, (answer, warned, passes) in zip(part, Parallel(n_jobs=jobs, return_as="generator")(calls), strict=True):
                repeated.add(warned)
                yield answer
                work.advance(f"fold {fold}")
                taken = passes
            if taken > first:
                start = None
    repeated.warn(len(chosen))


def _one(model: Any, rows: EvaluationRows, folds: Folds, fold: int, start: Any, train: Indices | None) -> tuple[Answer, Warned, int]:
    held = folds == fold
    training = rows.take(np.flatnonzero(~held) if train is None else train)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = training.fit(model, start)
        answer = answers(fitted, rows.take(np.flatnonzero(held)))
    return answer, _said(caught), _passes(fitted)


def _passes(fitted: Any) -> int:
    """Return how many passes a fit took, where to begin there may be worse than not to; else 0."""
    warm = None if fitted is None else abilities_of(fitted).warm_start
    return warm.doubted() if warm and warm.doubted is not None else 0


def _said(caught: list[warnings.WarningMessage]) -> Warned:
    return [(warning.category, str(warning.message)) for warning in caught]


def without_numbers(text: str) -> str:
    """Return a text without its numbers: what is the same is said by fits that differ in little.

    Examples
    --------
    >>> without_numbers("stopped after 12 of 100 epochs") == without_numbers("stopped after 31 of 100 epochs")
    True
    """
    return re.sub(r"\d+(\.\d+)?", "#", text.split(" (so said by ")[0])


class RepeatedWarnings:
    """What refits warned of, told once: a hundred fits that warn of the same thing, with other numbers, are one warning."""

    def __init__(self) -> None:
        self.times: dict[tuple[type[Warning], str], int] = {}
        self.first: dict[tuple[type[Warning], str], str] = {}

    def add(self, warned: Warned) -> None:
        """Count what one fit warned of."""
        for key, text in {(category, without_numbers(text)): text for category, text in warned}.items():
            self.times[key] = self.times.get(key, 0) + 1
            self.first.setdefault(key, text)

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Count what one fit warns of, and keep it back."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        self.add(_said(caught))

    def warn(self, fits: int, stacklevel: int = 3) -> None:
        """Warn once of each, to the caller of this package."""
        for key, text in self.first.items():
            often = f" (so said by {self.times[key]} of {fits} refits)" if fits > 1 else ""
            warnings.warn(f"{text}{often}", key[0], stacklevel=stacklevel)
