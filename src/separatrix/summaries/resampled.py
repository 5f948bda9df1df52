"""Class moments of many weightings of the same rows at once: a resample is a line of weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..array_types import Bools, Codes, Floats, Ints
from ..thresholds import HELD_SCORES, ROW_PRODUCTS
from .class_moments import ClassMoments, Kind

DIGITS = 1e-9
"""Share of the rows' variance below which that of a resample may be rounding."""


@dataclass(frozen=True, slots=True)
class ResampledMoments:
    """Counts (B, K), means (B, K, p) and scatters of B weightings: pooled (B, p, p), full (B, K, p, p) or diagonal (B, K, p)."""

    counts: Floats
    means: Floats
    scatter: Floats

    def varies(self, whole: Floats, kind: Kind) -> Bools:
        """Return for each weighting whether no column that varies in the rows, by sums of squares `whole`, has next to no variance left."""
        left = self.scatter if kind == "diagonal" else np.einsum("...jj->...j", self.scatter)
        low = (left <= DIGITS * whole) & (whole > 0)
        kept: Bools = ~np.any(low.reshape(len(left), -1), axis=1)
        return kept


@dataclass(frozen=True, slots=True, eq=False)
class WeightedSums:
    """Sums of rows about fixed centres of their classes under B weightings; those of two sets of rows add up.

    Attributes
    ----------
    counts, drawn : (B, K) sums of weights, and numbers of rows that have one
    sums : (B, K, p) Σ w u of each class, u = x − centre
    products : Σ w u_j u_l, j ≤ l, in one line: of all classes (B, P) if pooled, of each (B, K, P) if full; (B, K, p) squares if diagonal
    """

    counts: Floats
    drawn: Ints
    sums: Floats
    products: Floats

    def merge(self, other: Self) -> Self:
        """Return the sums of both sets of rows."""
        both = zip(self._parts, other._parts, strict=True)
        return type(self)(*(mine + theirs for mine, theirs in both))

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self.counts, self.drawn, self.sums, self.products

    def moments(self, centres: Floats, kind: Kind) -> ResampledMoments:
        """Return the moments about the means of each weighting; a class without weight keeps its centre."""
        shifts = self.sums / np.where(self.counts > 0, self.counts, 1.0)[:, :, None]
        scaled = np.sqrt(self.counts)[:, :, None] * shifts
        means = centres + shifts
        if kind == "diagonal":
            return ResampledMoments(self.counts, means, self.products - scaled**2)
        scatter = _unpacked(self.products, self.sums.shape[2])
        if kind == "pooled":
            scatter -= scaled.transpose(0, 2, 1) @ scaled
        else:
            scatter -= scaled[:, :, :, None] * scaled[:, :, None, :]
        return ResampledMoments(self.counts, means, scatter)


def _unpacked(lines: Floats, p: int) -> Floats:
    """Return symmetric matrices (…, p, p) from lines of their upper triangles."""
    above = np.triu_indices(p)
    place = np.empty((p, p), dtype=np.intp)
    place[above] = place[above[::-1]] = np.arange(len(above[0]))
    return lines.take(place.ravel(), axis=-1).reshape(*lines.shape[:-1], p, p)


def can_resample(n: int, p: int, kind: Kind = "pooled") -> bool:
    """Return whether the products of n rows of p columns fit; of kind "diagonal" there are only squares.

    Examples
    --------
    >>> can_resample(569, 30), can_resample(200_000, 50), can_resample(200_000, 50, "diagonal")
    (True, False, True)
    """
    return not ROW_PRODUCTS.reached(n * p if kind == "diagonal" else n * p * (p + 1) // 2)


def resampled_moments(X: Floats, codes: Codes, weights: Floats, n_classes: int) -> ResampledMoments:
    """Return the pooled class moments of rows under each line of weights (B, n), by matrix products.

        n_bk = Σ w_bi,   m_bk = m_k + Σ w_bi u_i/n_bk,   W_b = Σ_i w_bi u_i u_i' − Σ_k n_bk δ_bk δ_bk',   u_i = x_i − m_k,  δ = m_bk − m_k

    The products u u' are made once for all weightings. Every class needs weight in every line.

    Parameters
    ----------
    X : (n, p) float64
    codes : (n,)
    weights : (B, n)
    n_classes : int

    Examples
    --------
    >>> X, codes = np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1], dtype=np.int32)
    >>> found = resampled_moments(X, codes, np.array([[1.0, 1.0, 1.0, 1.0], [2.0, 1.0, 1.0, 0.0]]), 2)
    >>> found.scatter.round(6).ravel().tolist(), found.means[1].round(6).ravel().tolist()
    ([4.0, 2.666667], [0.666667, 5.0])
    """
    rows = SortedRows(X, codes, n_classes)
    return rows.pooled(weights)


def resampled_summaries(X: Floats, codes: Codes, weights: Floats, classes: NDArray[Any], kind: Kind) -> Iterator[ClassMoments | None]:
    """Yield the class moments of rows under each line of weights (B, n), None where a column that varies would be left without digits.

    Parameters
    ----------
    X : (n, p) float64
    codes : (n,)
    weights : (B, n)
    classes : (K,)
    kind : "full", "pooled" or "diagonal"

    Examples
    --------
    >>> X, codes = np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1], dtype=np.int32)
    >>> found = list(resampled_summaries(X, codes, np.array([[2.0, 1.0, 1.0, 1.0], [2.0, 0.0, 1.0, 1.0]]), np.arange(2), "diagonal"))
    >>> found[0].scatter.round(6).tolist(), found[1]
    ([[2.666667], [2.0]], None)
    """
    rows, K, p = SortedRows(X, codes, len(classes)), len(classes), X.shape[1]
    there = (weights > 0).astype(np.float64) @ np.eye(K)[codes]
    size = HELD_SCORES.portion(K * p * (p if kind == "full" else 1) + (p * p if kind == "pooled" else 0))
    for begin in range(0, len(weights), size):
        found = rows.moments(weights[begin : begin + size], kind)
        sure = rows.varies(found, kind)
        for b, certain in enumerate(sure):
            number = there[begin + b].astype(np.int64)
            yield ClassMoments(classes, found.counts[b], found.means[b], found.scatter[b], kind, number) if certain else None


class SortedRows:
    """Rows sorted by class, each minus the centre of its class (its mean where none is given), for sums under many weights."""

    def __init__(self, X: Floats, codes: Codes, n_classes: int, centres: Floats | None = None) -> None:
        self.order = np.argsort(codes, kind="stable")
        edges = np.searchsorted(codes[self.order], np.arange(n_classes + 1)).tolist()
        self.own = [slice(begin, end) for begin, end in pairwise(edges)]
        self.U = X[self.order]
        self.centres = np.stack([self.U[own].mean(axis=0) for own in self.own]) if centres is None else centres
        for k, own in enumerate(self.own):
            self.U[own] -= self.centres[k]

    def moments(self, weights: Floats, kind: Kind) -> ResampledMoments:
        """Return the moments of any kind."""
        return self.sums(weights, kind).moments(self.centres, kind)

    def pooled(self, weights: Floats) -> ResampledMoments:
        """Return the moments with one scatter for all classes."""
        return self.moments(weights, "pooled")

    def varies(self, found: ResampledMoments, kind: Kind) -> Bools:
        """Return for each weighting whether no column that varies in the rows, within a class or all, has next to no variance left."""
        squares = np.stack([(self.U[own] ** 2).sum(axis=0) for own in self.own])
        return found.varies(squares.sum(axis=0) if kind == "pooled" else squares, kind)

    def sums(self, weights: Floats, kind: Kind) -> WeightedSums:
        """Return the sums of the rows and of their products."""
        W = np.ascontiguousarray(weights[:, self.order])
        counts = np.stack([W[:, own].sum(axis=1) for own in self.own], axis=1)
        drawn = np.stack([np.count_nonzero(W[:, own], axis=1) for own in self.own], axis=1)
        sums = np.stack([W[:, own] @ self.U[own] for own in self.own], axis=1)
        if kind == "pooled":
            return WeightedSums(counts, drawn, sums, W @ _products(self.U).T)
        parts = [W[:, own] @ (self.U[own] ** 2 if kind == "diagonal" else _products(self.U[own]).T) for own in self.own]
        return WeightedSums(counts, drawn, sums, np.stack(parts, axis=1))


def _products(U: Floats) -> Floats:
    """Return u_j u_l for j ≤ l, one line (n,) for each pair in the order of np.triu_indices."""
    n, p = U.shape
    columns, found, begin = np.ascontiguousarray(U.T), np.empty((p * (p + 1) // 2, n)), 0
    for j in range(p):
        np.multiply(columns[j], columns[j:], out=found[begin : begin + p - j])
        begin += p - j
    return found
