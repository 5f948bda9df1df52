"""What is to be minimised: the given data of a solver, apart from its state and from what it reports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..array_types import Floats
from ..errors import InputError
from ..losses import Loss
from .rows import Rows

ORDINARY = 100.0
"""Size of a column up to which a penalised fit judges its gradient as it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Penalised mean loss of linear scores.

        f(W, b) = (1/S) Σ_i s_i ℓ(W x_i + b, y_i) + λ [ (1 − r)/2 ‖W‖² + r ‖W‖₁ ],    S = Σ_i s_i

    with W (R, p) and b (R,) of R = 1 for two classes (y = ±1, + for the second class), else R = K scores. The intercept b is
    not penalised. This is the only scaling inside; C becomes λ = 1/(C S) at the estimator's edge.

    Attributes
    ----------
    rows : Rows
        x_i, codes of y_i, and s_i (class weights included).
    counts : (K,) Σ s_i of each class
    loss : Loss
    strength : float
        λ; 0 for no penalty.
    l1_ratio : float
        r in [0, 1].
    fit_intercept : bool
    max_iter, tol : int, float
        Stop when max |gradient| ≤ tol, in units of each column, and the gap, as the solver estimates it, is below tol/100 of f; with an L1
        part, when the duality gap is below tol/10,000 of f.
    start : (W, b) or None
        Where to begin, for a warm start.
    seed : int
        Of the random choices a solver makes (a sample of rows, the order of coordinates).
    is_rough : bool
        Whether it is enough that what is left is likely below tol of f: a fit that serves a choice alone, of which nobody asks for a proof.
        Softmax by columns alone knows it; smooth losses left so far off choose another C on covertype.
    is_resumed : bool
        Whether a fit of this very problem stood at `start`, so that no sample of the rows knows a better point.
    units : (p + 1,) or (R, p + 1), or None for 1
        Sizes of the columns and of the intercept's 1, as the solver finds them: the gradient is judged in them.
    """

    rows: Rows
    counts: Floats
    loss: Loss
    strength: float
    l1_ratio: float = 0.0
    fit_intercept: bool = True
    max_iter: int = 100
    tol: float = 1e-4
    start: tuple[Floats, Floats] | None = None
    seed: int = 0
    units: Floats | None = None
    is_rough: bool = False
    is_resumed: bool = False

    @property
    def n_classes(self) -> int:
        """Number of classes K."""
        return len(self.counts)

    @property
    def n_scores(self) -> int:
        """Rows R of W: 1 for two classes, else K."""
        return 1 if len(self.counts) == 2 else len(self.counts)

    @property
    def n_features(self) -> int:
        """Columns p."""
        return self.rows.n_features

    @property
    def total(self) -> float:
        """S, the sum of all weights."""
        return float(self.counts.sum())

    def in_units(self, squares: Floats) -> Self:
        """Return the problem with the roots of the columns' mean squares as units; 1 where a column is 0 throughout.

        Without a penalty they are the only units there are. A penalty brings its own, in which a coefficient of 1 is ordinary: columns
        are then judged as they are, up to ORDINARY, and larger ones, whose gradients rounding keeps from getting as small, in its units.
        """
        own = squares / ORDINARY**2 if self.strength > 0.0 else squares
        return replace(self, units=np.sqrt(np.where(own > (1.0 if self.strength > 0.0 else 1e-280), own, 1.0)))

    def beginning(self) -> Floats:
        """Return the start as θ (R, p + 1): W and, in the last column, b; zeros where none is given."""
        theta = np.zeros((self.n_scores, self.n_features + 1))
        if self.start is not None:
            theta[:, :-1], theta[:, -1] = self.start
            if self.n_scores > 1 and self.strength * self.l1_ratio == 0.0:
                # Equal shifts of all scores change the loss nowhere; an L1 part settles them by itself, and would lose its zeros.
                theta -= theta.mean(axis=0)
        return theta


def strength(C: float, total: float) -> float:
    """Return λ = 1/(C S), which turns C Σ s_i ℓ_i + Ω(w) into the mean loss + λ Ω(w); 0 for C = inf.

    Examples
    --------
    >>> strength(0.5, 100.0), strength(np.inf, 100.0)
    (0.02, 0.0)
    """
    if np.isinf(C):
        return 0.0
    product = float(C) * total
    if not 1e-300 < product < 1e300:
        raise InputError(
            f"C={float(C):g} times the weights of the rows (sum {total:g}) is {product:g}, of which float64 holds no inverse; "
            f"{'lower' if product > 1.0 else 'raise'} C, or rescale sample_weight (divide it by its mean)."
        )
    return 1.0 / product
