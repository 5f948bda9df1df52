"""Naive Bayes on a table: the likelihood p(x_j | k) of each column, by its kind: normal, of counts, or of categories."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...array_types import Bools, Codes, Floats, Indices, Ints
from ...data import Block
from ...data.columns import ColumnBatch
from ...summaries.categories import CategoryCounts
from ...summaries.columns import COUNT_KINDS, ColumnCounts, Layout
from ...summaries.counting import CountingRule
from ...summaries.counts import Counts
from ..scores import diagonal_scores
from .category_scores import category_logs
from .count_scores import count_scores
from .log_sums import LogSums, log_odds
from .smoothing import LogProbability, bernoulli_logs, log_rate, multinomial_logs

LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, slots=True, eq=False)
class CountLikelihoods:
    """log p(x_j | k) = x_j coef_kj + offset_kj of b columns of switches or counts; probabilities of 0 are kept apart, in the same terms.

    Attributes
    ----------
    kinds : (b,) "bernoulli", "poisson" or "multinomial"
    coef, offset : (K, b)
    zero_coef, zero_offset : (K, b) or None
    length : (K,) mean sum of the multinomial columns in a row, for samples
    """

    kinds: NDArray[Any]
    coef: Floats
    offset: Floats
    zero_coef: Floats | None
    zero_offset: Floats | None
    length: Floats

    @classmethod
    def solve(cls, totals: Counts, kinds: NDArray[Any], alpha: float) -> CountLikelihoods:
        """Return the likelihoods of columns from their totals by class."""
        shape = totals.totals.shape
        coef, offset, zero_coef, zero_offset = (np.zeros(shape) for _ in range(4))
        present = np.broadcast_to(totals.present, shape)
        for kind in COUNT_KINDS:
            own = np.flatnonzero(kinds == kind)
            on, off = count_logs(kind, totals.totals[:, own], present[:, own], alpha)
            coef[:, own], offset[:, own] = on.value, off.value
            zero_coef[:, own] = 0.0 if on.zeros is None else on.zeros
            zero_offset[:, own] = 0.0 if off.zeros is None else off.zeros
        switch = kinds == "bernoulli"  # on excludes off there: x on + (1 − x) off
        coef[:, switch] -= offset[:, switch]
        zero_coef[:, switch] -= zero_offset[:, switch]
        none = not zero_coef.any() and not zero_offset.any()
        words = totals.totals[:, kinds == "multinomial"].sum(axis=1)
        length = np.where(totals.counts > 0, words / np.where(totals.counts > 0, totals.counts, 1.0), 0.0)
        return cls(kinds, coef, offset, None if none else zero_coef, None if none else zero_offset, length)

    def log_sums(self, X: Any, whole: bool) -> LogSums:
        """Return log p(x | k) of rows; with `whole` also the terms that all classes share, -log x! of the Poisson columns."""
        block, reading = Block(X), CountingRule(skip_missing=True)
        value = count_scores(block, reading, self.coef, self.offset.sum(axis=1), self.offset)
        own = np.flatnonzero(self.kinds == "poisson")
        if whole and len(own):
            counts = X[:, own].toarray() if sp.issparse(X) else X[:, own]
            from scipy.special import gammaln

            value -= np.nansum(gammaln(counts + 1.0), axis=1)[:, None]
        if self.zero_coef is None or self.zero_offset is None:
            return LogSums(value)
        return LogSums(value, count_scores(block, reading, self.zero_coef, self.zero_offset.sum(axis=1), self.zero_offset))

    def exact_logs(self, X: Floats, k: Indices) -> Floats:
        """Return log p(x_j | k) of each value (n, b), −inf for what is impossible; k is one class or one per row."""
        value = X * self.coef[k] + self.offset[k]
        if self.zero_coef is None or self.zero_offset is None:
            return value
        return np.where(X * self.zero_coef[k] + self.zero_offset[k] > 0, -np.inf, value)

    def draw(self, k: int, n: int, rng: np.random.RandomState) -> Floats:
        """Draw n rows of class k."""
        X = np.zeros((n, len(self.kinds)))
        on, _ = self.logs(k)
        for kind in COUNT_KINDS:
            own = np.flatnonzero(self.kinds == kind)
            if kind == "bernoulli":
                X[:, own] = rng.random_sample((n, len(own))) < np.exp(on[own])
            else:
                rate = np.exp(on[own]) * (1.0 if kind == "poisson" else self.length[k])
                X[:, own] = rng.poisson(rate, size=(n, len(own)))
        return X

    def logs(self, k: int) -> tuple[Floats, Floats]:
        """Return log p of a column that is on (a rate, a share) and the term without x, both exact, in class k."""
        switch = self.kinds == "bernoulli"
        on, off = self.coef[k] + np.where(switch, self.offset[k], 0.0), self.offset[k]
        if self.zero_coef is None or self.zero_offset is None:
            return on, off
        zero_on = self.zero_coef[k] + np.where(switch, self.zero_offset[k], 0.0)
        return np.where(zero_on > 0, -np.inf, on), np.where(self.zero_offset[k] > 0, -np.inf, off)

    def odds(self, place: int, k: int, other: int) -> dict[Any, float]:
        """Return what one column says for class k against another."""
        (on, off), (their_on, their_off) = self.logs(k), self.logs(other)
        per_count, constant = float(log_odds(on, their_on)[place]), float(log_odds(off, their_off)[place])
        if self.kinds[place] == "bernoulli":
            return {0.0: constant, 1.0: per_count}
        return {"x": per_count, "1": constant}


@dataclass(frozen=True, slots=True, eq=False)
class CategoryLikelihoods:
    """log p(x_j = c | k) of the columns of categories.

    Attributes
    ----------
    counts : CategoryCounts
    logs : (K, cells), finite
    zeros : (K, cells), 1 where the probability is 0, or None
    """

    counts: CategoryCounts
    logs: Floats
    zeros: Floats | None

    @classmethod
    def solve(cls, counts: CategoryCounts, alpha: float) -> CategoryLikelihoods:
        """Return the likelihoods of columns of categories from their counts by class."""
        found = category_logs(counts, alpha)
        return cls(counts, found.value, found.zeros)

    @property
    def exact(self) -> Floats:
        """Log-probabilities of all cells, -inf for 0."""
        return LogProbability(self.logs, self.zeros).exact

    def log_sums(self, columns: list[tuple[Codes, list[Any]]], n_rows: int) -> tuple[LogSums, list[int]]:
        """Return log p(x | k) of rows, and in how many rows each column holds a category never seen; those say nothing."""
        K = len(self.logs)
        value, zeros = np.zeros((n_rows, K)), None if self.zeros is None else np.zeros((n_rows, K))
        unknown = []
        for j, (codes, levels) in enumerate(columns):
            places = np.array([*places_in(self.counts.names(j), levels), 0], dtype=np.int64)
            known, cells = places >= 0, self.counts.starts[j] + places
            known[-1] = False  # the last stands for missing values: a code of -1 finds it
            unknown.append(int(np.count_nonzero(~known[codes] & (codes >= 0))))
            value += _rows_of(self.logs, cells, known)[codes]
            if zeros is not None and self.zeros is not None:
                zeros += _rows_of(self.zeros, cells, known)[codes]
        return LogSums(value, zeros), unknown

    def draw(self, k: int, n: int, rng: np.random.RandomState, text: Bools) -> Floats:
        """Draw n rows of class k: categories of text by position, others as the numbers they are."""
        X, starts, shares = np.zeros((n, len(text))), self.counts.starts, np.exp(self.exact[k])
        for j in range(len(text)):
            share = shares[starts[j] : starts[j + 1]]
            drawn = rng.choice(len(share), size=n, p=share / share.sum())
            X[:, j] = drawn if text[j] else np.array(self.counts.names(j), dtype=np.float64)[drawn]
        return X

    def odds(self, j: int, k: int, other: int) -> dict[Any, float]:
        """Return what each category of a column says for class k against another."""
        logs = self.exact[:, self.counts.starts[j] : self.counts.starts[j + 1]]
        return dict(zip(self.counts.names(j), log_odds(logs[k], logs[other]).tolist()))


def places_in(names: list[Any], levels: list[Any]) -> list[int]:
    """Return the place of each level in a sorted list of names, -1 where it is not there.

    Examples
    --------
    >>> places_in(["Oslo", "Rome", "Ulm"], ["Ulm", "Lima"])
    [2, -1]
    """
    if len(names) < 8 * len(levels):
        where = {name: c for c, name in enumerate(names)}
        return [where.get(level, -1) for level in levels]
    found = [bisect_left(names, level) for level in levels]  # a few of many: numbering all names would take longer
    return [c if c < len(names) and names[c] == level else -1 for c, level in zip(found, levels, strict=True)]


def _rows_of(cells: Floats, places: Ints, known: Bools) -> Floats:
    """Return the columns (K,) of some cells as rows, zeros where they are not known."""
    found = np.zeros((len(places), len(cells)))
    found[known] = cells[:, places[known]].T
    return found


def count_logs(kind: str, sums: Floats, present: Floats, alpha: float) -> tuple[LogProbability, LogProbability]:
    """Return the logarithm of the probability, rate or share of columns of one kind, and the term of log p(x | k) without x."""
    if kind == "bernoulli":
        return bernoulli_logs(sums, present, alpha)
    if kind == "multinomial":
        return multinomial_logs(sums, alpha), LogProbability(np.zeros_like(sums), None)
    rows = present.sum(axis=0)
    rate = log_rate(sums, present, sums.sum(axis=0) / np.where(rows > 0, rows, 1.0), alpha)
    return rate, LogProbability(-np.exp(rate.exact), None)


def normal_parameters(summary: ColumnCounts, var_smoothing: float) -> tuple[Floats, Floats, float]:
    """Return means and variances (K, a) of the columns of measurements, and what was added to the variances; as GaussianNB has them."""
    moments = summary.moments
    _, centre, total = moments.total
    epsilon = var_smoothing * float(total.max(initial=0.0))
    seen = moments.counts > 0
    theta = np.where(seen, moments.means, centre)
    variance = np.where(seen, moments.scatter / np.where(seen, moments.counts, 1.0), total) + epsilon
    return theta, variance, epsilon


def normal_logs(X: Any, theta: Floats, variance: Floats) -> LogSums:
    """Return log p(x | k) of columns of measurements; missing values are left out."""
    if not np.isnan(X.data if sp.issparse(X) else X).any():
        return LogSums(diagonal_scores(Block(X), theta, 1.0 / variance, -0.5 * np.log(2.0 * np.pi * variance).sum(axis=1)))
    X = X.toarray() if sp.issparse(X) else X
    scores = [np.nansum(-0.5 * (LOG_2PI + np.log(v) + (X - m) ** 2 / v), axis=1) for m, v in zip(theta, variance)]
    return LogSums(np.stack(scores, axis=1))


def normal_odds(theta: Floats, variance: Floats, place: int, k: int, other: int) -> dict[Any, float]:
    """Return the log-odds of a column of measurements as a polynomial: its coefficients of x², x and 1."""
    m, v = theta[[k, other], place], variance[[k, other], place]
    terms = np.stack([-0.5 / v, m / v, -0.5 * (np.log(v) + m**2 / v)])
    return dict(zip(("x²", "x", "1"), (terms[:, 0] - terms[:, 1]).tolist()))


def coded_rows(batch: ColumnBatch, layout: Layout, categories: CategoryLikelihoods, skip_missing: bool) -> Floats:
    """Return the rows of a table as numbers (n, p): categories by position, −1 for those never seen, NaN for missing values."""
    parts = layout.split(batch, skip_missing)
    found = np.empty((batch.n_rows, len(layout.kinds)))
    found[:, layout.of("gaussian")] = parts.measured.toarray() if sp.issparse(parts.measured) else parts.measured
    found[:, layout.of(*COUNT_KINDS)] = parts.counts.toarray() if sp.issparse(parts.counts) else parts.counts
    for place, (j, (codes, levels)) in enumerate(zip(layout.of("categorical"), parts.categories, strict=True)):
        where = {name: c for c, name in enumerate(categories.counts.names(place))}
        found[:, j] = np.array([*(where.get(level, -1) for level in levels), np.nan])[codes]
    return found


def column_ratios(
    X: Floats,
    layout: Layout,
    normal: tuple[Floats, Floats],
    counts: CountLikelihoods,
    categories: CategoryLikelihoods,
    of: Indices,
    against: Indices,
) -> Floats:
    """Return log p(x_j | of) − log p(x_j | against) of each value of `coded_rows`, (n, p), for the two classes of each row or of all.

    Parameters
    ----------
    X : (n, p)
    normal : means and variances (K, a) of the columns of measurements
    """
    found, measured, counted = np.zeros(X.shape), layout.of("gaussian"), layout.of(*COUNT_KINDS)
    theta, variance = normal
    near, far = ((X[:, measured] - theta[k]) ** 2 / variance[k] + np.log(variance[k]) for k in (of, against))
    found[:, measured] = 0.5 * (far - near)
    found[:, counted] = log_odds(*(counts.exact_logs(X[:, counted], k) for k in (of, against)))
    of, against = np.broadcast_to(of, len(X)), np.broadcast_to(against, len(X))
    starts, logs = categories.counts.starts, categories.exact
    for place, j in enumerate(layout.of("categorical")):
        known = X[:, j] >= 0
        cell = starts[place] + X[known, j].astype(np.int64)
        found[known, j] = log_odds(logs[of[known], cell], logs[against[known], cell])
    return np.where(np.isnan(X), 0.0, found)
