"""Least squares and ridge regression of class targets, from class counts, means and the pooled scatter alone.

Row i of class k has the target t_k. With n = Σ n_k, x̄ = Σ n_k m_k/n, t̄ = Σ n_k t_k/n and v_k = m_k − x̄,

    minimise Σ_i ‖t_k(i) − A'x_i − a‖² + α‖A‖²   ⇔   (T + αI) A = Σ_k n_k v_k (t_k − t̄)',   a = t̄ − A'x̄

where T = W + Σ n_k v_k v_k' is the total scatter: no target of a single row is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from ...argument_types import as_numbers
from ...array_types import Floats
from ...errors import InputError, did_you_mean
from .eigenvectors import eigenvectors
from .factor import stable_factor
from .whitening import TOLERANCE, total_spread


@dataclass(frozen=True, slots=True)
class Regression:
    """Coefficients of T targets on p columns.

    Attributes
    ----------
    coef, intercept : (T, p), (T,)
    null : (p, r)
        Directions in which no row varies, orthonormal in units of the total spread; empty where the normal equations have one solution.
    """

    coef: Floats
    intercept: Floats
    null: Floats


@dataclass(frozen=True, slots=True)
class ClassProducts:
    """The normal equations of class targets: total scatter T (p, p), its product with the targets (p, T), and means and spread."""

    total: Floats
    right: Floats
    centre: Floats
    mean: Floats
    spread: Floats


def class_products(counts: Floats, means: Floats, scatter: Floats, targets: Floats) -> ClassProducts:
    """Return T and Σ_k n_k v_k (t_k − t̄)', with x̄, t̄ and the total standard deviations.

    Examples
    --------
    >>> found = class_products(np.array([2.0, 2.0]), np.array([[0.0], [2.0]]), np.array([[4.0]]), np.array([[-1.0], [1.0]]))
    >>> found.total.tolist(), found.right.tolist()
    ([[8.0]], [[4.0]])
    """
    centre, spread = total_spread(counts, means, np.diag(scatter))
    V = np.where(spread > 0, means - centre, 0.0) * (counts > 0)[:, None]
    mean = counts @ targets / counts.sum()
    scaled = np.sqrt(counts)[:, None] * V
    total = scaled.T @ scaled
    total += scatter
    return ClassProducts(total, V.T @ (counts[:, None] * (targets - mean)), centre, mean, spread)


def solve_least_squares(
    counts: Floats, means: Floats, scatter: Floats, targets: Floats, alpha: float = 0.0, embedded: bool = False
) -> Regression:
    """Return the regression of class targets on the columns, with an intercept that is not penalised.

    Where the normal equations have many solutions, the one of least norm in columns divided by their total standard deviation: unlike
    the one of least norm in the columns as they are, it does not depend on their units.

    Parameters
    ----------
    counts, means : (K,), (K, p)
    scatter : (p, p)
        Pooled scatter within the classes, W.
    targets : (K, T)
    alpha : float
        Ridge penalty on ‖A‖².
    embedded : bool
        Whether the columns are coordinates of an embedding, which have equal units already.

    Examples
    --------
    >>> found = solve_least_squares(np.array([2.0, 2.0]), np.array([[0.0], [2.0]]), np.array([[4.0]]), np.array([[-1.0], [1.0]]))
    >>> found.coef.round(12).tolist(), found.intercept.round(12).tolist()
    ([[0.5]], [-0.5])
    """
    given = class_products(counts, means, scatter, targets)
    n, spread, centre, mean, total, right = counts.sum(), given.spread, given.centre, given.mean, given.total, given.right
    total.flat[:: len(total) + 1] += alpha
    unit = np.sqrt(n * (spread.max(initial=0.0) if embedded else spread) ** 2 + alpha)
    unit = np.broadcast_to(np.where(unit > 0, unit, 1.0), spread.shape)
    total /= unit[:, None]
    total /= unit
    solved, null = _solve_scaled(total, right / unit[:, None])
    coef = (solved / unit[:, None]).T
    return Regression(np.ascontiguousarray(coef), mean - coef @ centre, null)


def _solve_scaled(A: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Return the least-norm solution of A Z = right for A ≥ 0 with a diagonal of at most one, and a basis of A's null space.

    A is written over.
    """
    factor = stable_factor(A)
    if factor is not None:
        return lapack.dpotrs(factor, right, lower=1)[0], np.empty((len(A), 0))
    values, vectors = eigenvectors(A, overwrite=True)
    varies = values > TOLERANCE * max(values[-1], 0.0)
    kept = vectors[:, varies]
    return kept @ ((kept.T @ right) / values[varies][:, None]), vectors[:, ~varies]


def class_targets(classes: NDArray[Any], coding: str, numbers: Any = None) -> Floats:
    """Return the target (K, T) of each class: ±1 indicators (one output for two classes), or one number per class.

    Examples
    --------
    >>> class_targets(np.array(["no", "yes"]), "indicator").tolist()
    [[-1.0], [1.0]]
    """
    K = len(classes)
    if coding == "numbers":
        return check_numbers(numbers, classes)[:, None]
    return np.array([[-1.0], [1.0]]) if K == 2 else 2.0 * np.eye(K) - 1.0


def check_numbers(numbers: Any, classes: NDArray[Any]) -> Floats:
    """Return the number of each class, 0 … K − 1 by default.

    Examples
    --------
    >>> check_numbers({"old": 2, "young": 0}, np.array(["old", "young"])).tolist()
    [2.0, 0.0]
    """
    labels = classes.tolist()
    if numbers is None:
        return np.arange(len(labels), dtype=np.float64)
    if isinstance(numbers, Mapping):
        for unknown in [label for label in numbers if label not in labels]:
            raise InputError(f"numbers names {unknown!r}, which is not a class.{did_you_mean(unknown, labels)} Classes: {labels}.")
        for missing in [label for label in labels if label not in numbers]:
            raise InputError(f"numbers has no number for class {missing!r}; give one for each of {labels}.")
        numbers = [numbers[label] for label in labels]
    given = as_numbers("numbers", numbers, "give one number for each class.")
    if given.shape != (len(labels),):
        raise InputError(f"numbers has shape {given.shape}, but there are {len(labels)} classes, {labels}; give one number for each.")
    if not np.isfinite(given).all() or len(np.unique(given)) < len(given):
        raise InputError(f"numbers={given.tolist()} must be finite and all different, or classes could not be told apart.")
    return given
