"""A sample of rows: enough to know the Hessian roughly.

`spaced` takes about every n/m-th row, without a pass over the others, and says where that would not do: columns or classes that few of
its rows know. `draw` reads all rows and keeps rare and far-out ones:

row i is drawn with probability min(1, m s_i (½ + ½ ℓ_i/p)/S) and weighted by s_i over it, where ℓ_i = Σ_j (x_ij − μ_j)²/σ_j², of mean
p, stands for its leverage: a column that is nonzero in few rows is kept by those rows. (The true leverage, with all covariances, takes
p times the work and saved no pass on covertype.)

`near` draws by the losses at a point instead, with probability min(1, m s_i (¼ + ¾ ℓ_i/f)/S): where most rows are far on their side, few
rows say where the minimum is, and it keeps those. (Local case-control sampling, Fithian and Hastie, 2014, with losses in place of
residuals, because their mean is f, which is known.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...array_types import Codes, Floats
from ...data import Block
from ...summaries.grouped import tile_rows
from ...thresholds import LOSSES
from ..problem import Problem
from ..rows import Rows
from .objective import Objective

KNOWN = 200
"""Rows that must tell of a column's variance, or have a class, for a spaced sample to do: its share of the Hessian is then right to 7 %."""
LOOKED_AT = 5_000
"""Rows of a spaced sample in which its columns are looked at."""


def spaced(problem: Problem, m: int) -> Problem | None:
    """Return the problem on m rows, one from each of m windows of equal length; None where such a sample would miss something.

    How many rows tell of column j is (Σ d²)²/Σ d⁴ with d² = s_i (x_ij − mean_j)²: n/3 for a normal column, the number of ones for a
    column of few ones; and of the weights themselves it is (Σ s)²/Σ s².
    """
    X, codes, weight = problem.rows.X, problem.rows.codes, problem.rows.weight
    if X is None or problem.rows.is_sparse or len(X) < 4 * m:
        return None
    assert codes is not None
    edges = np.linspace(0, len(X), m + 1).astype(np.int64)
    rows = edges[:-1] + (np.random.default_rng(problem.seed).random(m) * np.diff(edges)).astype(np.int64)
    # take, not X[rows], which looks at every row twice
    some, own = X.take(rows, axis=0).astype(np.float64, copy=False), codes[rows]
    s = np.full(m, len(X) / m) if weight is None else weight[rows] * (len(X) / m)
    counts = np.bincount(own, weights=s, minlength=problem.n_classes).astype(np.float64)
    if (np.bincount(own[s > 0.0], minlength=problem.n_classes) < KNOWN).any() or float(s.sum()) ** 2 < KNOWN * float(s @ s):
        return None
    every = max(1, m // LOOKED_AT)
    part, s_part = some[::every], s[::every]
    with np.errstate(invalid="ignore", over="ignore"):
        d = (part - s_part @ part / s_part.sum()) ** 2
        d *= s_part[:, None]
        told = d.sum(axis=0) ** 2 / np.einsum("ij,ij->j", d, d)
    if not (told >= KNOWN / every).all():
        return None
    return replace(problem, rows=Rows.of_arrays(some, own, s, problem.rows.source), counts=counts, start=None)


def draw(problem: Problem, m: int, mean: Floats, sd: Floats) -> Problem:
    """Return the problem on about m rows; its loss is an unbiased estimate of that of all rows.

    Parameters
    ----------
    m : int
    mean : (p,) column means
    sd : (p,) their standard deviations
    """
    inverse = np.where(sd > 0.0, 1.0 / np.where(sd > 0.0, sd, 1.0) ** 2, 0.0)
    return _picked(problem, m, lambda block: 0.5 + 0.5 * leverages(block, mean, inverse) / len(sd), (problem.seed,))


def near(objective: Objective, theta: Floats, f: float, m: int, number: int) -> Problem:
    """Return the problem on at most about m rows, chosen by their losses at θ, where f is the value of the objective.

    Parameters
    ----------
    number : int
        Of the sample: each draws other rows.
    """
    problem, at = objective.problem, objective.losses(theta)
    mean = max(f - 0.5 * problem.strength * float(np.vdot(theta[:, :-1], theta[:, :-1])), np.finfo(float).tiny)
    return _picked(problem, m, lambda block: 0.25 + 0.75 * at(block) / mean, (problem.seed, number))


def _picked(problem: Problem, m: int, shares: Callable[[Block], Floats], seed: tuple[int, ...]) -> Problem:
    """Return the problem on rows that are drawn with probability m s_i/S times their shares, of mean 1, in one pass."""

    def pick(block: Block) -> tuple[Any, Codes, Floats]:
        assert block.codes is not None
        rng = np.random.default_rng((*seed, block.start))
        weight = np.ones(block.n_rows) if block.weight is None else block.weight
        chance = np.minimum(1.0, m / problem.total * weight * shares(block))
        rows = np.flatnonzero(rng.random(block.n_rows) < chance)
        X = block.X[rows]
        X = X.toarray() if block.is_sparse else X
        return X.astype(np.float64, copy=False), block.codes[rows], weight[rows] / chance[rows]

    parts = list(problem.rows.map(pick))
    X = np.concatenate([part[0] for part in parts])
    codes = np.concatenate([part[1] for part in parts])
    weight = np.concatenate([part[2] for part in parts])
    counts = np.bincount(codes, weights=weight, minlength=problem.n_classes).astype(np.float64)
    return replace(problem, rows=Rows.of_arrays(X, codes, weight, problem.rows.source), counts=counts, start=None)


def leverages(block: Block, mean: Floats, inverse: Floats) -> Floats:
    """Return Σ_j (x_ij − mean_j)² inverse_j of each row."""
    out = np.empty(block.n_rows)
    small = not LOSSES.reached(block.n_rows * block.n_features)
    for tile in block.tiles(tile_rows(block.n_features)):
        own = out[tile.start - block.start :][: tile.n_rows]
        X = np.ascontiguousarray(tile.dense())
        if small:
            own[:] = (X - mean) ** 2 @ inverse
        else:
            from ...kernels.sampling import leverages as kernel

            kernel(X, mean, inverse, own)
    return out
