"""What a solver returns: the coefficients, how good they are, which solver ran and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from sklearn.exceptions import ConvergenceWarning as SklearnConvergenceWarning

from ..array_types import Floats, Ints
from ..errors import SeparatrixWarning


class ConvergenceWarning(SeparatrixWarning, SklearnConvergenceWarning):
    """A solver stopped before it reached the tolerance asked; the message says how far it came and what to change."""


class SeparableWarning(ConvergenceWarning):
    """The classes can be separated and nothing is penalised: the coefficients grow without bound."""


class Status(StrEnum):
    """How a solver ended. `advice` says what to change; it is empty where nothing needs to be.

    Examples
    --------
    >>> Status("max_iter").advice
    'Raise max_iter, raise tol, lower C, or bring the columns to one scale (sklearn.preprocessing.StandardScaler).'
    """

    CONVERGED = "converged"
    MAX_ITER = "max_iter"
    STALLED = "stalled"
    SEPARABLE = "separable"

    @property
    def advice(self) -> str:
        """What to change."""
        return _ADVICE[self]

    @property
    def sentence(self) -> str:
        """What happened."""
        return _SENTENCES[self]


_SENTENCES = {
    Status.CONVERGED: "converged",
    Status.MAX_ITER: "stopped at max_iter before the tolerance was reached",
    Status.STALLED: "stopped where rounding let no step improve the objective any further",
    Status.SEPARABLE: "stopped because the coefficients grow without bound: a hyperplane separates some of the classes, so that the "
    "maximum-likelihood estimate does not exist",
}
_ADVICE = {
    Status.CONVERGED: "",
    Status.MAX_ITER: "Raise max_iter, raise tol, lower C, or bring the columns to one scale (sklearn.preprocessing.StandardScaler).",
    Status.STALLED: "Raise tol or lower C, or bring the columns to one scale (sklearn.preprocessing.StandardScaler).",
    Status.SEPARABLE: "Set C to a finite number, such as C=1.0, or firth=True; separatrix.separation(X, y) names the columns and rows. "
    "Predictions are usable, coefficients and their sizes are not.",
}


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The end of a solver's work.

    Attributes
    ----------
    coef, intercept : (R, p), (R,)
        R = 1 for two classes, else K.
    status : Status
    iterations : int
    passes : int
        Times that all rows were read.
    objective : float
        mean loss + λ penalty at the coefficients.
    gradient_norm : float
        Largest absolute entry of the gradient (of the least subgradient, where the objective has kinks).
    gap : float
        Bound on objective − minimum: a duality gap, the intercept included; infinite where nothing is penalised, or where the intercept
        is so far off that there is no such bound.
    solver : str
        Name of the solver that ran.
    why : str
        Why it was chosen.
    dependent : (r,) columns that others determine, where nothing is penalised; else empty

    Examples
    --------
    >>> found = Solution(np.zeros((1, 2)), np.zeros(1), "converged", 3, 4, 0.5, 1e-9, 1e-12, "newton", "few columns")
    >>> found.status, found.is_converged
    (<Status.CONVERGED: 'converged'>, True)
    """

    coef: Floats
    intercept: Floats
    status: Status | str
    iterations: int
    passes: int
    objective: float
    gradient_norm: float
    gap: float
    solver: str
    why: str = ""
    dependent: Ints | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", Status(self.status))

    @property
    def is_converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.status is Status.CONVERGED

    def describe(self) -> str:
        """Return one sentence for messages: what happened, how far it came, what to change."""
        status = Status(self.status)
        reached = f"gradient norm {self.gradient_norm:.2g}" + (f", gap ≤ {self.gap:.2g}" if np.isfinite(self.gap) else "")
        return f"{self.solver} {status.sentence}, after {self.passes} passes, with {reached}. {status.advice}".rstrip()
