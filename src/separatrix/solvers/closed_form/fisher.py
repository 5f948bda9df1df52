"""Fisher's discriminant: directions that hold class means apart and classes together.

    J(w) = w'S_B w / w'S_W w,   S_W = Σ_k Σ_{i in k} (x_i − m_k)(x_i − m_k)',   S_B v = λ S_W v

Both matrices are scatters (sums), not variances: with classes of unequal size the direction would differ. For two classes
S_B = (m₂ − m₁)(m₂ − m₁)' and w = S_W⁻¹(m₂ − m₁); for more, S_B = Σ n_k (m_k − m)(m_k − m)', which at K = 2 is n₁n₂/n times the former.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Floats
from .discriminant import Discriminant, solve_discriminant
from .whitening import total_spread


def solve_fisher(counts: Floats, means: Floats, scatter: Floats, freedom: float, embedded: bool = False) -> Discriminant:
    """Return Fisher's directions as discriminants of the covariance S_W/ν with priors n_k/n.

    Parameters
    ----------
    counts, means, scatter : (K,), (K, p), (p, p)
    freedom : float
        ν > 0, which sets the length of the directions: unit variance within classes along each.
    embedded : bool
        Whether the columns are coordinates of an embedding, which have equal units already.

    Examples
    --------
    >>> means, S_W = np.array([[4.0, 2.0], [2.0, 5.0]]), np.array([[4.0, 2.0], [2.0, 2.0]])
    >>> found = solve_fisher(np.array([2.0, 2.0]), means, S_W, 2.0)
    >>> ((found.coef[1] - found.coef[0]) / 2.0).round(12).tolist()
    [-2.5, 4.0]
    """
    centre, spread = total_spread(counts, means, np.diag(scatter))
    if embedded:
        spread = np.ones(len(centre))
    known = np.where((counts > 0)[:, None] & (spread > 0), means, centre)
    return solve_discriminant(known, scatter / freedom, counts / counts.sum(), spread)


def criterion(w: Floats, counts: Floats, means: Floats, scatter: Floats) -> Floats:
    """Return J(w) of each row of w (m, p); infinite along a direction in which means differ and no class varies.

    Examples
    --------
    >>> means, S_W = np.array([[4.0, 2.0], [2.0, 5.0]]), np.array([[4.0, 2.0], [2.0, 2.0]])
    >>> criterion(np.array([[-2.0, 3.0], [-2.5, 4.0]]), np.array([2.0, 2.0]), means, S_W).round(12).tolist()
    [16.9, 17.0]
    """
    within = np.einsum("ij,jk,ik->i", w, scatter, w)
    projected = w @ (means - counts @ means / counts.sum()).T
    if len(counts) == 2:
        between = (projected[:, 1] - projected[:, 0]) ** 2
    else:
        between = projected**2 @ counts
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(between > 0, between / np.maximum(within, 0.0), 0.0)
