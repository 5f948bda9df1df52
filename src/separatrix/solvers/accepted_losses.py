"""Which losses a solver minimises: one table, asked by every solver before it begins.

Smooth solvers call the passes of the loss they are given (`losses/smooth_loss.py`), so that they minimise any smooth one. Others are the
mathematics of one loss, and refuse the rest.
"""

from __future__ import annotations

from ..errors import InputError
from ..losses import CrossEntropy, Hinge, Logistic, Loss, SmoothLoss, SquaredHinge
from .problem import Problem

ANY: tuple[type[Loss], ...] = (SmoothLoss,)

ACCEPTED: dict[str, tuple[type[Loss], ...]] = {
    "newton": ANY,
    "newton_cg": ANY,
    "whitened": ANY,
    "covariance": ANY,
    "curved": ANY,
    "proximal_newton": ANY,
    "dual_logistic": (Logistic,),
    "against_rest": (Logistic,),
    "likelihood": (CrossEntropy,),
    "svm": (Hinge, SquaredHinge),
    "crammer_singer": (Hinge,),
}
"""Losses that a solver takes, subclasses included. "svm" is LinearSVC's, "likelihood" that of Firth and of tables."""
ONE_PER_CLASS = ("against_rest", "svm", "crammer_singer")
"""Solvers that make scores of several classes out of a loss of two."""


def require_loss(problem: Problem, solver: str) -> None:
    """Raise an error where a solver does not minimise the loss of a problem; it names those that do.

    Examples
    --------
    >>> import numpy as np
    >>> require_loss(Problem(None, np.ones(2), Hinge(), strength=1.0), "newton")
    Traceback (most recent call last):
    separatrix.errors.InputError: The solver newton does not minimise the hinge loss; svm and crammer_singer do.
    """
    loss = problem.loss
    if not isinstance(loss, ACCEPTED[solver]):
        others = [name for name, kinds in ACCEPTED.items() if isinstance(loss, kinds)]
        named = " and ".join(others) + (" does" if len(others) == 1 else " do") if others else "none does"
        raise InputError(f"The solver {solver} does not minimise the {loss.name} loss; {named}.")
    if solver in ONE_PER_CLASS:
        return
    if loss.is_multiclass != (problem.n_scores > 1):
        instead = "Softmax(), or a problem for each class against the rest (OneVsRest around a model)"
        fits = "three classes or more; use Logistic()" if loss.is_multiclass else f"two classes; use {instead}"
        raise InputError(f"The rows have {problem.n_classes} classes, but the {loss.name} loss is one of {fits}.")
    if loss.is_multiclass and smooth_loss(problem).residuals.__func__ is SmoothLoss.residuals:  # type: ignore[attr-defined]
        raise InputError(f"The {loss.name} loss is one of several classes, which has to define `residuals`: see `SmoothLoss`.")


def smooth_loss(problem: Problem) -> SmoothLoss:
    """Return the loss of a problem that `require_loss` has let through to a smooth solver."""
    assert isinstance(problem.loss, SmoothLoss)
    return problem.loss
