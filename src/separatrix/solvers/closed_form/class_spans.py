"""Quadratic discriminants of rows fewer than columns: a covariance is known in the span of its rows, and round outside of it.

In columns divided by units u, with Q (p, r) an orthonormal basis of the span,

    Σ_k = U [Q C_k Q' + v_k (I − QQ')] U,   U = diag(u),   C_k⁻¹ = B_k B_k'
    (x − μ_k)'Σ_k⁻¹(x − μ_k) = ‖B_k'y‖² + ‖e‖²/v_k,   z = U⁻¹(x − μ_k),  y = Q'z,  e = z − Qy

Q comes from the Gram matrix of the rows, n × n, so that no array is larger than the rows. Without pooling each class has the span of its
own rows, with it all classes share that of all rows. Where nothing shrinks a covariance, v_k stands for no variance, in units of the
total spread, as in :func:`~separatrix.solvers.closed_form.whitening.whiten`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...array_types import Bools, Floats, Ints
from ...data import Block
from ...summaries import ClassMoments
from ...summaries.class_moments import require_memory
from .eigenvectors import eigenvectors
from .quadratic import pool
from .row_span import embed
from .shrinkage import ledoit_wolf_alpha, oas_alpha
from .whitening import NULL_VARIANCE, TOLERANCE, total_spread

ABSENT = 1e-12
"""Share of a column, squared, outside all directions that vary, from which it is part of one that does not."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassSpan:
    """Covariances of m classes in one span of r dimensions.

    Attributes
    ----------
    codes : (m,) which classes
    centre, unit : (p,)
    basis : (p, r) Q
    shifts : (m, r)
        Coordinates of the class means, the centre being 0.
    whitening : (m, r, r) of B_k, or (m, r) of its diagonal where Q has the eigenvectors
    outside : (m,) v_k
    log_dets, ranks, alphas : (m,) log det Σ_k, directions in which the class varies, shrinkage
    involved : (p,) columns that directions without variance involve
    """

    codes: Ints
    centre: Floats
    unit: Floats
    basis: Floats
    shifts: Floats
    whitening: Floats
    outside: Floats
    log_dets: Floats
    ranks: Ints
    alphas: Floats
    involved: Bools

    @property
    def singular(self) -> Ints:
        """The classes that do not vary along some direction."""
        return self.codes[self.ranks < len(self.unit)]

    def distances(self, X: Floats) -> Floats:
        """Return (x − μ_k)'Σ_k⁻¹(x − μ_k) of dense rows, (n, m)."""
        z = (X - self.centre) / self.unit
        y = z @ self.basis
        if len(self.singular):
            # Divided by next to nothing, a difference of two large norms would keep no digit.
            e = z - y @ self.basis.T
            rest = np.einsum("ij,ij->i", e, e)
        else:
            rest = np.maximum(np.einsum("ij,ij->i", z, z) - np.einsum("ij,ij->i", y, y), 0.0)
        found = np.empty((len(X), len(self.codes)))
        for i in range(len(self.codes)):
            t = self._whitened(y - self.shifts[i], i)
            found[:, i] = np.einsum("ij,ij->i", t, t) + rest / self.outside[i]
        return found

    def precise(self, i: int, D: Floats) -> Floats:
        """Return Σ_k⁻¹d of differences D (n, p) for the class at place i."""
        z = D / self.unit
        y = z @ self.basis
        w = self.whitening[i]
        inside = self._whitened(y, i)
        inside = inside * w if w.ndim == 1 else inside @ w.T
        product: Floats = ((z - y @ self.basis.T) / self.outside[i] + inside @ self.basis.T) / self.unit
        return product

    def draw(self, i: int, n: int, rng: np.random.RandomState) -> Floats:
        """Return n rows of the class at place i."""
        g, w = rng.standard_normal((n, len(self.unit))), self.whitening[i]
        y = g @ self.basis
        off = 0.0 if self.ranks[i] < len(self.unit) else np.sqrt(self.outside[i])
        inside = y / w if w.ndim == 1 else y @ np.linalg.inv(w)
        rows: Floats = self.centre + self.unit * ((g - y @ self.basis.T) * off + (inside + self.shifts[i]) @ self.basis.T)
        return rows

    def _whitened(self, y: Floats, i: int) -> Floats:
        w = self.whitening[i]
        whitened: Floats = y * w if w.ndim == 1 else y @ w
        return whitened


@dataclass(frozen=True, slots=True)
class Regularisation:
    """λ, α (or its estimator) and r of a quadratic discriminant analysis."""

    pooling: float
    shrinkage: Any
    reg: float

    @property
    def is_none(self) -> bool:
        """Whether covariances stay as they are, but for pooling."""
        return not self.shrinkage and self.reg == 0.0

    def spread(self, values: Floats, alpha: float, p: int) -> tuple[Floats, float]:
        """Return the eigenvalues of (1 − r)[(1 − α)S + α(tr S/p)I] + rI, those in the span and that outside of it."""
        level = alpha * float(values.sum()) / p
        return (1.0 - self.reg) * ((1.0 - alpha) * values + level) + self.reg, (1.0 - self.reg) * level + self.reg


def class_spans(
    rows: Block, moments: ClassMoments, factors: Floats | None, divisors: Floats, given: Regularisation
) -> tuple[ClassSpan, ...]:
    """Return the covariances of all classes that have rows.

    Parameters
    ----------
    rows : all rows, with codes
    moments : ClassMoments of kind "diagonal", class weights applied
    factors : (K,) class weights
    divisors : (K,) of the scatters
    given : Regularisation
    """
    weight = np.ones(rows.n_rows) if rows.weight is None else rows.weight
    weight = weight if factors is None or rows.codes is None else weight * factors[rows.codes]
    _, spread = total_spread(moments.counts, moments.means, moments.to_diagonal_sums())
    total = np.where(spread > 0, spread, 1.0)
    if given.pooling:
        return (_shared_span(Block(rows.X, rows.codes, weight), moments, divisors, total, given),)
    seen = np.flatnonzero(moments.counts > 0)
    return tuple(_own_span(rows, weight, moments, int(k), float(divisors[k]), total, given) for k in seen)


def _own_span(
    rows: Block, weight: Floats, moments: ClassMoments, k: int, divisor: float, total: Floats, given: Regularisation
) -> ClassSpan:
    """Return the covariance of one class in the span of its rows."""
    own = np.flatnonzero((rows.codes == k) & (weight > 0))
    X, w, n, p = rows.X[own], weight[own], float(moments.counts[k]), len(total)
    unit = total if given.is_none else np.ones(p)
    estimated = isinstance(given.shrinkage, str)
    if estimated:
        sd = np.sqrt(moments.scatter[k] / n)
        unit = np.where(sd > 0, sd, 1.0)
    found = embed(X, moments.means[k], unit, w / divisor)
    if estimated:
        covariance = np.diag(found.values * divisor / n)
        fourth = float(w @ np.einsum("ij,ij->i", found.coordinates, found.coordinates) ** 2)
        alpha = oas_alpha(covariance, n, p) if given.shrinkage == "oas" else ledoit_wolf_alpha(covariance, fourth, n, p)
    else:
        alpha = float(given.shrinkage or 0.0)
    if estimated and given.reg > 0.0:
        # Two spheres of different units are one in the units of their sum.
        level = alpha * float(found.values.sum()) / p
        unit = np.sqrt((1.0 - given.reg) * level * unit**2 + given.reg)
        found = embed(X, moments.means[k], unit, w / divisor)
        variances, outside = (1.0 - given.reg) * (1.0 - alpha) * found.values + 1.0, 1.0
    else:
        variances, outside = given.spread(found.values, alpha, p)
    if outside <= TOLERANCE * variances.max(initial=0.0):
        unit, outside = total, NULL_VARIANCE
        found = found if given.is_none else embed(X, moments.means[k], unit, w / divisor)
        variances = (1.0 - given.reg) * (1.0 - alpha) * found.values
    basis, singular = found.basis(), outside == NULL_VARIANCE
    return ClassSpan(
        np.array([k]),
        moments.means[k],
        unit,
        basis,
        np.zeros((1, basis.shape[1])),
        1.0 / np.sqrt(variances)[None],
        np.array([outside]),
        np.array([_log_det(unit, variances, outside)]),
        np.array([len(variances) if singular else p]),
        np.array([alpha]),
        _absent(basis) if singular else np.zeros(p, dtype=bool),
    )


def _shared_span(rows: Block, moments: ClassMoments, divisors: Floats, total: Floats, given: Regularisation) -> ClassSpan:
    """Return the covariances of all classes, pooled, in the span of all rows."""
    p, alpha = len(total), float(given.shrinkage or 0.0)
    unit = total if given.is_none else np.ones(p)
    found = embed(rows.X, moments.grand_mean, unit)
    r = found.coordinates.shape[1]
    require_memory((len(divisors), r, r))
    inside = ClassMoments.summarise(moments.classes, "full")(Block(found.coordinates, rows.codes, rows.weight))
    seen, basis = np.flatnonzero(moments.counts > 0), found.basis()
    whitening, outside, log_dets, ranks = np.empty((len(seen), r, r)), np.empty(len(seen)), np.empty(len(seen)), np.full(len(seen), p)
    involved = np.zeros(p, dtype=bool)
    for i, covariance in enumerate(pool(inside.scatter, divisors, given.pooling)[seen]):
        values, vectors = eigenvectors(covariance)
        variances, outside[i] = given.spread(np.maximum(values, 0.0), alpha, p)
        varies = variances > TOLERANCE * variances.max(initial=0.0)
        if outside[i] <= TOLERANCE * variances.max(initial=0.0):
            if not given.is_none:  # no class varies at all
                return _shared_span(rows, moments, divisors, total, Regularisation(given.pooling, None, 0.0))
            outside[i], ranks[i] = NULL_VARIANCE, int(varies.sum())
            variances = np.where(varies, variances, NULL_VARIANCE)
            involved = involved if involved.any() else _absent(basis @ vectors[:, varies])
        whitening[i], log_dets[i] = vectors / np.sqrt(variances), _log_det(unit, variances, float(outside[i]))
    alphas = np.full(len(seen), alpha)
    return ClassSpan(seen, moments.grand_mean, unit, basis, inside.means[seen], whitening, outside, log_dets, ranks, alphas, involved)


def _log_det(unit: Floats, variances: Floats, outside: float) -> float:
    return float(2.0 * np.log(unit).sum() + np.log(variances).sum() + (len(unit) - len(variances)) * np.log(outside))


def _absent(basis: Floats) -> Bools:
    """Return which columns the directions of an orthonormal basis (p, r) do not hold whole."""
    absent: Bools = 1.0 - np.einsum("jr,jr->j", basis, basis) > ABSENT
    return absent
