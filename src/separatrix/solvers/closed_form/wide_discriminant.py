"""Linear discriminants of rows fewer than columns from products of rows, by one Cholesky factor: n × n in place of p × p.

In columns divided by their total spread, let C have the rows minus the means of their classes, times √(w/ν), so that the covariance is
C'C, and v_k = μ_k − x̄. Where no class varies, ε stands for the variance:

    Σ⁻¹v = C'(CC')⁻²Cv + (v − C'(CC')⁻¹Cv)/ε

CC' is 0 along the √w of each class, where anything may stand. Where it is 0 elsewhere too, or means hardly differ outside the span of C,
digits would be lost, and the eigenvectors of :mod:`row_span` have to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...array_types import Floats
from ...data import Block
from ...summaries import ClassMoments
from ...summaries.class_moments import require_memory
from .discriminant import Discriminant, log_priors
from .factor import stable_factor
from .row_span import WideSolution, centred_gram, solve_wide
from .whitening import NULL_VARIANCE, Whitening, total_spread

NONE = np.empty((0, 0))
APART = 1e-6
"""Share of their distance, squared, by which class means must differ where no class varies, and of the largest such in each direction."""


def solve_wide_discriminant(
    rows: Block,
    moments: ClassMoments,
    factors: Floats | None,
    shrinkage: Any,
    solve: Callable[[ClassMoments, float, Floats | None, int, bool], tuple[Discriminant, Floats]],
    given: Callable[[ClassMoments], tuple[float, Floats]],
) -> WideSolution:
    """Return the discriminants on the columns: from products of rows where nothing shrinks, else by `solve` in the span of the rows.

    Parameters
    ----------
    rows, moments, factors, shrinkage, solve : as in :func:`~separatrix.solvers.closed_form.row_span.solve_wide`
    given : moments → divisor of the scatter, and priors (K,)
    """
    if not shrinkage and rows.codes is not None:
        require_memory((rows.n_rows, rows.n_rows))
        weight = np.ones(rows.n_rows) if rows.weight is None else rows.weight
        weight = weight if factors is None else weight * factors[rows.codes]
        centre, spread = total_spread(moments.counts, moments.means, moments.to_diagonal_sums())
        nu, priors = given(moments)
        found = discriminant_by_products(rows, weight, moments, centre, np.where(spread > 0, spread, 1.0), nu, priors)
        if found is not None:
            return WideSolution(found, moments.means, priors, 0.0, len(centre) - found.whitening.rank)
    return solve_wide(rows, moments, factors, shrinkage, solve)


def discriminant_by_products(
    rows: Block, weight: Floats, moments: ClassMoments, centre: Floats, scale: Floats, nu: float, priors: Floats
) -> Discriminant | None:
    """Return the discriminants on the columns, or None where eigenvectors are needed.

    Parameters
    ----------
    rows : all rows, with codes
    weight : (n,) class weights included
    moments : ClassMoments of any kind, for counts and means
    centre, scale : (p,) a point among the rows, and the units of the columns
    nu : float
        Divisor of the scatter.
    priors : (K,)
    """
    codes, K, p = rows.codes, len(priors), len(scale)
    if codes is None or not moments.counts.all() or not weight.all() or len(codes) <= K:
        return None
    G = centred_gram(rows.X, centre, scale)
    share = np.where(codes == np.arange(K)[:, None], weight, 0.0) / moments.counts[:, None]
    mean = share @ G  # products of the class means with the rows, and with each other
    among = mean @ share.T
    root, apart = np.sqrt(weight / nu), np.eye(K) - priors
    h = root[:, None] * (mean.T - among[codes]) @ apart.T
    G -= mean[codes]
    G -= mean[codes].T
    G += among[codes][:, codes]
    G *= root * root[:, None]
    solved = _solve_twice(G, h, np.sqrt(share.T))
    if solved is None:
        return None
    y, z, log_det = solved
    whole = apart @ among @ apart.T
    outside = whole - h.T @ y
    M = y.T @ y + outside / NULL_VARIANCE
    values, vectors = np.linalg.eigh(np.sqrt(priors) * M * np.sqrt(priors)[:, None])
    values, vectors = values[:0:-1], vectors[:, :0:-1]  # the last is 0: Σ π_k v_k = 0
    if (np.diag(outside) <= APART * np.diag(whole)).any() or values[-1] <= APART * values[0]:
        return None
    mix = root[:, None] * (z - y / NULL_VARIANCE) + share.T @ apart.T / NULL_VARIANCE
    coef = (np.asarray((rows.X.T @ mix).T) - mix.sum(axis=0)[:, None] * centre) / scale**2
    scalings = coef.T @ (np.sqrt(priors)[:, None] * vectors) / np.sqrt(values)
    signs = np.sign(scalings[np.abs(scalings).argmax(axis=0), np.arange(K - 1)])
    middle, rank = priors @ moments.means, len(codes) - K
    intercept = log_priors(priors) - 0.5 * np.diag(M) - coef @ middle
    log_det += (p - rank) * float(np.log(NULL_VARIANCE)) + 2.0 * float(np.log(scale).sum())
    return Discriminant(coef, intercept, scalings * signs, values / values.sum(), middle, np.nan, Whitening(NONE, log_det, rank, NONE))


def _solve_twice(A: Floats, right: Floats, null: Floats) -> tuple[Floats, Floats, float] | None:
    """Return A⁺right, A⁺A⁺right and the log of the product of A's eigenvalues but those along `null`; None where more are 0."""
    fill = float(np.trace(A)) / len(A)
    A += fill * (null @ null.T)
    factor = stable_factor(A)
    if factor is None:
        return None
    from scipy.linalg import lapack

    y = lapack.dpotrs(factor, right, lower=1)[0]
    log_det = 2.0 * float(np.log(np.diag(factor)).sum()) - null.shape[1] * float(np.log(fill))
    return y, lapack.dpotrs(factor, y, lower=1)[0], log_det
