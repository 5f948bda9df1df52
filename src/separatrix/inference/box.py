"""Box's M: do the classes have one covariance?

With ν_k = n_k − 1, ν = Σ ν_k, S_k = W_k/ν_k and S = Σ W_k/ν in p columns,

    M = ν log det S − Σ ν_k log det S_k
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc

from ..array_types import Floats
from ..errors import InputError
from ..solvers.closed_form.whitening import total_spread
from ..summaries import ClassMoments
from .normal import Normal


@dataclass(frozen=True, slots=True, eq=False)
class BoxTest:
    """Box's M with its χ² and F approximations, and the log determinants behind it.

    Attributes
    ----------
    M : float
    chi2, df, p : Box's χ² with its degrees of freedom and p-value
    F, df1, df2, F_p : Box's F, closer where classes are small
    log_dets : (K,) log det S_k, classes in the order of `classes`
    log_det : log det S
    classes : labels of the classes that have rows
    rank : number of directions in which the classes vary; p unless columns are redundant
    """

    M: float
    chi2: float
    df: float
    p: float
    F: float
    df1: float
    df2: float
    F_p: float
    log_dets: Floats
    log_det: float
    classes: NDArray[Any]
    rank: int


def box_test(moments: ClassMoments) -> BoxTest:
    """Return Box's test that all classes have the same covariance; it also rejects where columns are far from normal.

    Parameters
    ----------
    moments : ClassMoments of kind "full"

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> found = box_test(ClassMoments.from_data(*load_iris(return_X_y=True)))
    >>> round(found.M, 3), round(found.chi2, 2), found.df
    (146.663, 140.94, 20.0)

    References
    ----------
    Box (1949), A general distribution theory for a class of likelihood criteria, Biometrika 36.
    """
    if moments.kind != "full":
        raise InputError(
            f"Box's M needs one scatter per class, and these moments are of kind {moments.kind!r}: ClassMoments.from_data(X, y) keeps them."
        )
    seen = moments.counts > 0
    classes, freedom, scatters = moments.classes[seen], moments.counts[seen] - 1.0, moments.scatter[seen]
    spread = total_spread(moments.counts, moments.means, moments.to_diagonal_sums())[1]
    pooled = Normal.of(scatters.sum(axis=0) / max(freedom.sum(), 1.0), spread)
    r = pooled.rank
    if len(classes) < 2 or r == 0:
        raise InputError(f"Box's M needs two classes and columns that vary within them; there are {len(classes)} class(es) and {r} such.")
    for label, W, nu in zip(classes.tolist(), scatters, freedom, strict=True):
        if nu <= 0 or Normal.of(W / nu, spread).rank < r:
            raise InputError(
                f"Box's M needs an inverse of every class covariance; class {label!r} ({nu + 1:g} rows) does not vary in all of the "
                f"{r} directions in which the classes vary together. Give it more rows, or leave columns out."
            )
    whitened = pooled.basis.T @ scatters @ pooled.basis / freedom[:, None, None]
    # In the basis of the pooled covariance log det S = 0: M is a sum of small numbers, not a difference of large ones.
    relative = np.log(np.linalg.eigvalsh(whitened)).sum(axis=1)
    M = max(0.0, -float(freedom @ relative))
    return BoxTest(M, *box_tails(M, freedom, r), relative + pooled.log_det, pooled.log_det, classes, r)


def box_tails(M: float, freedom: Floats, p: int) -> tuple[float, float, float, float, float, float, float]:
    """Return χ², its degrees of freedom and p-value, and F, its two and its p-value, of M for classes with ν_k degrees of freedom.

    Examples
    --------
    >>> [round(v, 2) for v in box_tails(146.6632, np.array([49.0, 49.0, 49.0]), 4)]
    [140.94, 20.0, 0.0, 7.05, 20.0, 77566.75, 0.0]
    """
    K, nu = len(freedom), float(freedom.sum())
    df = p * (p + 1) * (K - 1) / 2.0
    c1 = (np.sum(1.0 / freedom) - 1.0 / nu) * (2 * p**2 + 3 * p - 1) / (6.0 * (p + 1) * (K - 1))
    c2 = (np.sum(1.0 / freedom**2) - 1.0 / nu**2) * (p - 1) * (p + 2) / (6.0 * (K - 1))
    chi2 = max(0.0, (1.0 - c1) * M)
    gap = float(c2 - c1**2)
    df2 = (df + 2.0) / abs(gap)
    if gap > 0:
        F = float(M * (1.0 - c1 - df / df2) / df)
    else:
        b = df2 / (1.0 - c1 + 2.0 / df2)
        F = float(df2 * M / (df * (b - M))) if b > M else np.inf
    F = max(0.0, F)
    return float(chi2), df, float(chdtrc(df, chi2)), F, df, float(df2), float(fdtrc(df, df2, F))
