"""Linear support vector machines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..abilities import Abilities, Refused, unless
from ..abilities.likelihood import no_likelihood
from ..abilities.parts import BALANCED, FoldsHeldOut
from ..array_types import Floats, Folds, Ints
from ..data import Source, unchanged
from ..data.device import DeviceSource
from ..errors import InputError, one_of
from ..losses import Hinge, Loss, SquaredHinge
from ..solvers.held_out.left_out_hinge import hinge_scores
from ..solvers.held_out.left_out_margins import MarginRows, certified_scores, in_span
from ..solvers.held_out.left_out_newton import LeftOutScores, with_constant
from ..solvers.margins import by_passes, svm
from ..solvers.margins.method import refits_are_cheaper
from ..solvers.problem import Problem
from ..solvers.solution import Solution
from ..solvers.stopping import GAP_SHARE
from .loss_model import LossModel

MOST = 2_000
"""Columns up to which held-out rows are found by algebra on a Hessian."""


class LinearSVC(LossModel):
    """The hyperplane with the widest margin, rows that violate it being charged.

        minimise ½‖w‖² + C Σ_i s_i ℓ(y_i(w'x_i + b)),   ℓ(m) = max(0, 1 − m)² or max(0, 1 − m),   y_i = ±1

    for each class against the rest (one machine for two classes). The intercept is not penalised, unlike in liblinear. As C grows
    this becomes the hard margin, which `C=np.inf` asks for: y_i(w'x_i + b) ≥ 1 for all rows.

    multi_class="crammer_singer" fits all classes in one problem, ½‖W‖² + C Σ_i s_i max_k([k ≠ y_i] + z_ik − z_iy), whatever `loss` says.

    Parameters
    ----------
    C : float
        Price of violations; `np.inf` for none at all, which needs classes that a hyperplane separates.
    loss : "squared_hinge" or "hinge"
    multi_class : "ovr" or "crammer_singer"
    penalize_intercept : bool
        Whether (b/intercept_scaling)²/2 is added to the penalty, as in liblinear and scikit-learn.
    fit_intercept : bool
    intercept_scaling : float
        Used with penalize_intercept=True alone.
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    max_iter : int
        Most iterations (Newton steps, or epochs of coordinate descent) of a machine.
    tol : float
        A machine is done when its duality gap, a proven bound on what is left, is at most this share of its objective.
    store_dual : bool
        Whether `support_` and `dual_coef_` are kept; they make a fitted model, and its pickle, grow with the rows.
    random_state : int, RandomState or None
        Of the order of coordinates or a sample to start with; None is a fixed one.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_ : (K,) labels
    coef_, intercept_ : (1, p), (1,) for two classes, else (K, p), (K,)
    support_ : (S,) rows with a multiplier in some machine; with `store_dual=True`
    dual_coef_ : (1 or K, S) multipliers times y: coef_ = dual_coef_ @ X[support_]; with `store_dual=True`
    margin_ : (1 or K,) half-widths 1/‖w_k‖ ("crammer_singer": the smallest 1/‖w_k − w_j‖)
    n_iter_ : int
    solution_ : Solution
        Objective, duality gap, passes, which solver ran and why; the mean loss + λ/2‖w‖² with λ = 1/(C Σ s_i), summed over the
        machines (½‖w‖² for hard margins).

    Examples
    --------
    >>> from separatrix.models.svm import LinearSVC
    >>> X, y = [[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 0, 0]
    >>> model = LinearSVC(C=float("inf"), store_dual=True).fit(X, y)
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist(), model.dual_coef_.round(6).tolist()
    ([[0.5, -0.5]], [0.5], [[0.25, -0.25]])

    References
    ----------
    Vapnik (1995), The Nature of Statistical Learning Theory, chapter 5.
    """

    _on_device = True
    l1_ratio = 0.0
    warm_start = False
    support_: Ints
    dual_coef_: Floats
    margin_: Floats
    solution_: Solution

    def __init__(
        self,
        C: float = 1.0,
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        *,
        multi_class: Literal["ovr", "crammer_singer"] = "ovr",
        penalize_intercept: bool = False,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        max_iter: int = 1000,
        tol: float = 1e-6,
        store_dual: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.loss = loss
        self.multi_class = multi_class
        self.penalize_intercept = penalize_intercept
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.store_dual = store_dual
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __getattr__(self, name: str) -> Any:
        # Called for attributes that are not there.
        if name in ("support_", "dual_coef_") and "coef_" in vars(self):
            raise AttributeError(f"{name} is kept by LinearSVC(store_dual=True) alone, for it grows with the rows; fit again with that.")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _check_params(self) -> None:
        if not (isinstance(self.C, int | float | np.number) and self.C > 0):
            raise InputError(f"C={self.C!r} must be a positive number; use C=np.inf for a hard margin.")
        if self.loss not in ("squared_hinge", "hinge"):
            raise one_of("loss", self.loss, ["squared_hinge", "hinge"])
        if self.multi_class not in ("ovr", "crammer_singer"):
            raise one_of("multi_class", self.multi_class, ["ovr", "crammer_singer"])
        if self.multi_class == "crammer_singer" and np.isinf(self.C):
            raise InputError("C=inf (hard margins) is for multi_class='ovr'; use a finite C with multi_class='crammer_singer'.")
        if not (isinstance(self.intercept_scaling, int | float | np.number) and 0 < self.intercept_scaling < np.inf):
            raise InputError(f"intercept_scaling={self.intercept_scaling!r} must be a positive number.")
        if self.intercept_scaling != 1 and not self.penalize_intercept:
            raise InputError(
                f"intercept_scaling={self.intercept_scaling!r} changes nothing while the intercept is not penalised; add "
                "penalize_intercept=True, or leave it out."
            )
        super()._check_params()

    def _loss(self, n_classes: int) -> Loss:
        return SquaredHinge() if self.loss == "squared_hinge" else Hinge()

    def _ridge(self) -> float:
        """Return ρ, the weight of b² in the penalty: 0 for a free intercept, infinite for none."""
        if not self.fit_intercept:
            return np.inf
        return float(self.intercept_scaling) ** -2 if self.penalize_intercept else 0.0

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the machines.

        Parameters
        ----------
        X : array, sparse matrix, frame of n rows, or a table from `open_table` (then y stays out)
        y : (n,) labels
        sample_weight : (n,) weights, optional
            Frequencies: a row of weight 2 counts as two rows, so that C becomes 2C for it.
        """
        self._check_given()
        with unchanged(X):
            source = self._rows_to_fit(X, y, sample_weight)
            self._check_device(source)
            problem = self._problem(source)
            joint = self.multi_class == "crammer_singer"
            assert source.classes is not None
            found = None
            if isinstance(source, DeviceSource):
                solution = self._on_its_device(problem)
            elif not joint and by_passes.are_too_many(problem.rows):
                solution = self._by_passes(problem)
            else:
                found = self._machines(problem, joint, source.classes)
                solution = found.solution
            self._report(solution, source)
            return self._adopt(
                source,
                {
                    "classes_": source.classes,
                    "coef_": solution.coef,
                    "intercept_": solution.intercept,
                    **({"support_": found.support, "dual_coef_": found.dual} if self.store_dual and found is not None else {}),
                    "margin_": half_widths(solution.coef, joint),
                    "n_iter_": max(1, solution.iterations),
                    "solution_": solution,
                },
            )

    def _machines(self, problem: Problem, joint: bool, classes: NDArray[Any]) -> svm.Found:
        return svm.solve(replace(problem, loss=Hinge()) if joint else problem, self._ridge(), joint, classes)

    def _on_its_device(self, problem: Problem) -> Solution:
        """Return all machines of rows on a device, which share every pass."""
        from ..solvers.smooth import kronecker

        own = replace(problem, tol=float(self.tol) / GAP_SHARE)
        return replace(kronecker.solve(own), why="the rows stay on their device: all machines share every pass")

    def _by_passes(self, problem: Problem) -> Solution:
        """Return all machines of rows that are too many for numbers of each."""
        asked = self._needs_host()
        if asked is not None:
            raise by_passes.no_room(f"LinearSVC({asked})")
        return by_passes.solve(replace(problem, tol=float(self.tol) / GAP_SHARE))

    def _needs_host(self) -> str | None:
        asked = {
            "loss='hinge'": self.loss != "squared_hinge",
            "multi_class='crammer_singer'": self.multi_class != "ovr",
            "C=inf": np.isinf(self.C),
            "penalize_intercept=True": self.penalize_intercept,
            "store_dual=True": self.store_dual,
        }
        return next((name for name, is_asked in asked.items() if is_asked), None)

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.folds = unless(
            self._refusal(), FoldsHeldOut("certified scores from the fit of all rows, refits where in doubt", self._hold_out)
        )
        page.likelihood = no_likelihood(type(self).__name__, "charges rows for their margins, which gives no class a probability")
        return page

    def _refusal(self) -> Refused | None:
        """Return why rows cannot be held out without refits, or None where they can."""
        if self.multi_class != "ovr" or np.isinf(self.C):
            return Refused("costs are needed that bound what a row can do, in one machine a class: a finite C with multi_class='ovr'")
        return BALANCED if isinstance(self.class_weight, str) else None

    def _hold_out(self, source: Source, folds: Folds, alone: bool) -> tuple[LeftOutScores, str] | None:
        """Return the scores (n, R) of rows held out of this fit, which of them need a refit, and how they were found; None where the
        rows are not held in memory, their columns are many, or refits cost less.

        Parameters
        ----------
        source : the rows of the fit, labelled by their codes
        folds : (n,) fold numbers, −1 for never
        alone : bool
            Whether every fold is one row.
        """
        problem = self._problem(source)
        X, codes, rho = problem.rows.X, problem.rows.codes, self._ridge()
        if X is None or codes is None or self.n_features_in_ > MOST:
            return None
        if self.loss == "hinge":
            scores = hinge_scores(problem, rho, self.coef_, self.intercept_, folds, self.n_jobs)
            return None if scores is None else (scores, "certified")
        if not alone and refits_are_cheaper(problem):
            return None
        s = np.full(len(codes), float(self.C)) if problem.rows.weight is None else self.C * problem.rows.weight
        centre = np.zeros(X.shape[1]) if rho > 0.0 or problem.rows.is_sparse else X.mean(axis=0, dtype=np.float64)
        own_rows, own_centre, coef = in_span(X, centre, self.coef_)
        Z, q = with_constant(own_rows, own_centre, float(np.isfinite(rho))), len(own_centre) + 1
        ridge, free = np.ones((1, q)), np.ones((1, q), dtype=bool)
        ridge[0, -1], free[0, -1] = rho if np.isfinite(rho) else 0.0, np.isfinite(rho)
        found = []
        for k, (w, b) in enumerate(zip(coef, self.intercept_ + self.coef_ @ centre, strict=True)):
            own = (codes == (1 if len(self.coef_) == 1 else k)).astype(np.int32)
            theta = np.append(w, b)[None]
            rows = MarginRows(Z, own, s, theta, ridge, np.zeros_like(ridge), free, np.empty((0, 0)))
            found.append(certified_scores(rows, folds, alone))
        refit = np.logical_or.reduce([one.refit for one in found])
        return LeftOutScores(np.hstack([one.scores for one in found]), refit, True), "certified"


def half_widths(coef: Floats, joint: bool) -> Floats:
    """Return 1/‖w_k‖, or for joint machines of several classes the smallest 1/‖w_k − w_j‖ over j; infinite where w is 0.

    Examples
    --------
    >>> half_widths(np.array([[3.0, 4.0]]), joint=False)
    array([0.2])
    """
    if joint and len(coef) > 1:
        lengths = np.array([max(np.linalg.norm(coef - w, axis=1)) for w in coef])
    else:
        lengths = np.linalg.norm(coef, axis=1)
    with np.errstate(divide="ignore"):
        return 1.0 / lengths
