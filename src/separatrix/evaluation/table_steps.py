"""Steps of a pipeline learned from rows that are not in memory: by moments, by a range, by a few rows, or from no rows at all.

| step | learned from |
|---|---|
| StandardScaler | means and variances of the columns |
| MinMaxScaler, MaxAbsScaler | the smallest and the largest value of each column |
| Nystroem | the rows that stand for all, drawn by number as in memory |
| PolynomialFeatures, and all steps that need no fit | the number of columns |
| selectors of this package | the table itself |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.utils import check_random_state, get_tags

from ..array_types import Codes, Floats
from ..data import Block, Source
from ..data.transformed import Transformed
from ..errors import InputError
from ..prepare import TablePrep
from ..prepare.prepared_table import PreparedTable
from ..summaries import ClassMoments

EPS = float(np.finfo(np.float64).eps)


def fit_steps(steps: list[tuple[str, Any]], source: Source, weighted: bool) -> tuple[list[tuple[str, Any]], Source]:
    """Return the steps fitted one after the other, and the rows behind them.

    Parameters
    ----------
    steps : names and transformers, "passthrough" or None among them
    source : labelled rows
    weighted : whether weights are copies of rows, which every step counts; else only the last step of a pipeline sees weights
    """
    fitted = []
    for name, step in steps:
        if step is None or step == "passthrough":
            fitted.append((name, step))
            continue
        own = fit_step(clone(step), source, weighted)
        # In a fit a row has the shares of classes among other rows, else it would tell its own label.
        trained = isinstance(own, TablePrep) and own.recipe_.looks_at_labels
        source = PreparedTable(source.as_columns(), own.recipe_, is_training=True) if trained else behind(own, source)
        fitted.append((name, own))
    return fitted, source


def behind(fitted: Any, source: Source) -> Source:
    """Return the rows behind a fitted step; selectors of this package leave columns out before they are read."""
    if fitted is None or fitted == "passthrough":
        return source
    if _is_ours(fitted):
        found: Source = fitted.transform(source)
        return found
    return Transformed(source, fitted)


def fit_step(step: Any, source: Source, weighted: bool) -> Any:
    """Return a step fitted on a table, or refuse one that needs all rows in memory."""
    for kind, fit in _FITS.items():
        if type(step) is kind:
            return _named(fit(step, source, weighted), source)
    if _is_ours(step):
        return step.fit(source)
    if not get_tags(step).requires_fit:
        return _named(step.fit(np.zeros((1, source.n_features))), source)
    raise InputError(
        f"{type(step).__name__} learns from rows in memory, and this table is left where it is; use StandardScaler(), MinMaxScaler(), "
        "PolynomialFeatures(), Nystroem() or a selector of this package, or fewer rows: open_table(…, where=[…])."
    )


def _is_ours(step: Any) -> bool:
    return type(step).__module__.startswith("separatrix.")


def _named(step: Any, source: Source) -> Any:
    if source.feature_names is not None:
        step.feature_names_in_ = np.array(source.feature_names, dtype=object)
    return step


def _standardised(step: StandardScaler, source: Source, weighted: bool) -> Any:
    """Set what StandardScaler finds by reading all rows; a column whose variance is rounding has the scale 1, as there."""
    moments = source.reduce(Counted(ClassMoments.summarise(source.classes, "diagonal"), weighted))
    if not moments.is_finite:
        source.refuse_nonfinite()
    n, mean = float(moments.counts.sum()), moments.grand_mean
    spread = moments.scatter.sum(axis=0) + moments.counts @ (moments.means - mean) ** 2
    variance: Floats = spread / n
    still = variance <= n * EPS * variance + (n * mean * EPS) ** 2
    step.n_features_in_, step.n_samples_seen_ = source.n_features, round(n)
    step.mean_ = mean if step.with_mean or step.with_std else None
    step.var_ = variance if step.with_std else None
    step.scale_ = np.where(still, 1.0, np.sqrt(variance)) if step.with_std else None
    return step


def _ranged(step: Any, source: Source, weighted: bool) -> Any:
    """Fit a scaler that looks at the smallest and the largest values alone on two rows that have them."""
    ends = source.reduce(Ends.of)
    if not np.isfinite(ends.values).all():
        source.refuse_nonfinite()
    return step.fit(ends.values)


def _of_landmarks(step: Nystroem, source: Source, weighted: bool) -> Any:
    """Fit a kernel on the rows that it would draw in memory, which are the only ones it looks at."""
    n = sum(source.told(lambda block: block.n_rows)) if source.n_rows is None else source.n_rows
    drawn = check_random_state(step.random_state).permutation(n)[: step.n_components]
    rows = np.concatenate(list(source.told(RowsTaken(np.sort(drawn)))))
    return step.fit(rows)


_FITS: dict[type, Callable[[Any, Source, bool], Any]] = {
    StandardScaler: _standardised,
    MinMaxScaler: _ranged,
    MaxAbsScaler: _ranged,
    Nystroem: _of_landmarks,
    PolynomialFeatures: lambda step, source, weighted: step.fit(np.zeros((1, source.n_features))),
}


@dataclass(frozen=True, slots=True)
class Counted:
    """A pass that sees weights only where they are copies of rows."""

    function: Callable[[Block], Any]
    weighted: bool

    def __call__(self, block: Block) -> Any:
        """Return the value of a block."""
        return self.function(block if self.weighted else replace(block, weight=None))


@dataclass(frozen=True, slots=True)
class Ends:
    """Smallest and largest values of the columns, (2, p)."""

    values: Floats

    @classmethod
    def of(cls, block: Block) -> Self:
        """Summarise a block."""
        X = block.dense()
        return cls(np.stack([X.min(axis=0), X.max(axis=0)]).astype(np.float64))

    def merge(self, other: Self) -> Self:
        """Return the values of both sets of rows."""
        low, high = np.minimum(self.values[0], other.values[0]), np.maximum(self.values[1], other.values[1])
        return type(self)(np.stack([low, high]))


@dataclass(frozen=True, slots=True)
class RowsTaken:
    """The pass to some rows, by their numbers in increasing order."""

    numbers: Codes | Any

    def __call__(self, block: Block) -> Floats:
        """Return those of a block."""
        begin, end = np.searchsorted(self.numbers, [block.start, block.start + block.n_rows])
        return np.asarray(block.dense()[self.numbers[begin:end] - block.start], dtype=np.float64)
