"""Gaussian naive Bayes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...abilities import Abilities
from ...abilities.additive_scores import NaiveScores
from ...abilities.column_sets import NaiveSets, naive_criterion
from ...abilities.gaussian_likelihood import OwnVariancesLikelihood
from ...abilities.parts import WEIGHTED, Reading, RowsLeftOut, Similarity
from ...array_types import Floats, Indices
from ...data import Block, Source
from ...decisions.class_weights import class_factors, effective_priors, stand_in
from ...errors import DataWarning, InputError
from ...solvers.closed_form.discriminant import log_priors
from ...solvers.held_out.leave_one_out import LeftOut, tiled
from ...solvers.held_out.leave_one_out_naive import naive_left_out
from ...solvers.scores import diagonal_scores
from ..from_summary import FromSummary, SummaryClassifier
from ..generative import GenerativeClassifier


class GaussianNB(SummaryClassifier, GenerativeClassifier):
    """Naive Bayes with a normal density for each column in each class.

        log p(x, k) = log π_k − ½ Σ_j [log(2π σ²_kj) + (x_j − θ_kj)²/σ²_kj]

    Parameters
    ----------
    priors : (K,) array, optional
        Class probabilities; default: shares of the rows.
    var_smoothing : float
        This share of the largest column variance is added to all variances.
    ddof : float
        Variances are divided by n_k − ddof: 0 is maximum likelihood, 1 unbiased.
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_, class_count_, class_prior_, theta_, var_, epsilon_ : as in scikit-learn
    n_parameters_ : k of `aic` and `bic`
    summary_ : ClassMoments

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GaussianNB().fit(X[:100], y[:100]).forget(X[:10], y[:10])
    >>> model.class_count_.tolist()
    [40.0, 50.0]

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 6.6.3.
    """

    class_prior_: Floats
    theta_: Floats
    var_: Floats
    _on_device = True
    _kind = "diagonal"
    _finite: ClassVar[tuple[str, ...]] = ("class_prior_", "theta_", "var_")

    def __init__(
        self,
        priors: Any = None,
        var_smoothing: float = 1e-9,
        ddof: float = 0,
        *,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.ddof = ddof
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        if not self.var_smoothing >= 0:
            raise InputError(f"var_smoothing={self.var_smoothing!r} must be ≥ 0 (scikit-learn's default is 1e-9).")
        if not self.ddof >= 0:
            raise InputError(f"ddof={self.ddof!r} must be ≥ 0: 0 divides variances by n_k, 1 by n_k - 1.")

    def _solve(self, summary: Any, source: Source | None, growing: bool = False) -> dict[str, Any]:
        factors = class_factors(self.class_weight, summary.classes, summary.counts)
        moments = summary if factors is None else summary.scaled(factors)
        n, counts = moments.counts.sum(), moments.counts
        priors = effective_priors(self.priors, moments.classes, counts)
        theta = stand_in(moments.means, counts)
        total = (moments.scatter.sum(axis=0) + counts @ (theta - moments.grand_mean) ** 2) / n
        epsilon = self.var_smoothing * float(total.max())
        freedom = counts - float(self.ddof)
        if (freedom[counts > 0] <= 0).any() and not growing:
            self._warn_few(moments.classes[(counts > 0) & (freedom <= 0)])
        divisor = np.where(freedom > 0, freedom, np.where(counts > 0, counts, 1.0))
        variance = stand_in(moments.scatter / divisor[:, None], counts) + epsilon
        if not (variance > 0).all():
            variance = positive_variances(variance, float(total.max()), np.arange(len(total)), source, self.var_smoothing)
        return {"class_count_": counts, "class_prior_": priors, "theta_": theta, "var_": variance, "epsilon_": epsilon}

    def _warn_few(self, classes: NDArray[Any]) -> None:
        warnings.warn(
            f"Classes {classes.tolist()} have no more than ddof={self.ddof} rows, so their variances are divided by the number of rows. "
            "Give more rows or use ddof=0.",
            DataWarning,
            stacklevel=4,
        )

    def _joint(self, block: Block) -> Floats:
        precision = 1.0 / self.var_
        offset = log_priors(self.class_prior_) - 0.5 * np.log(2.0 * np.pi * self.var_).sum(axis=1)
        return diagonal_scores(block, self.theta_, precision, offset)

    _scores = _joint

    def _column_ratios(self, block: Block, of: Indices, against: Indices) -> Floats:
        """Return log p(x_j | of) − log p(x_j | against) of each value, (n, p), for the pair of classes of each row or one of all."""
        X = np.asarray(block.dense(), dtype=np.float64)
        near, far = ((X - self.theta_[k]) ** 2 / self.var_[k] + np.log(self.var_[k]) for k in (of, against))
        ratios: Floats = 0.5 * (far - near)
        return ratios

    def _score_gradient(self, X: Floats, of: Indices, against: Indices) -> Floats:
        """Return the gradient of log p(x, of) − log p(x, against) at each row of X (n, p), for the pair of classes of each row."""
        gradient: Floats = (X - self.theta_[against]) / self.var_[against] - (X - self.theta_[of]) / self.var_[of]
        return gradient

    def _abilities(self) -> Abilities:
        rows = RowsLeftOut("exact algebra: means and variances of its own class change", self._left_out)
        page = super()._abilities()
        page.leave_one_out = rows if self.class_weight is None else WEIGHTED
        page.subsets = NaiveSets(self)
        page.criterion = naive_criterion(self)
        page.likelihood = OwnVariancesLikelihood(self, FromSummary(self))
        page.reading = Reading("each column adds its log-likelihood ratio", self._reading)
        page.similarity = Similarity(
            "columns divided by their standard deviations in the class", lambda code: 1.0 / np.sqrt(self.var_[code])
        )
        return page

    def _reading(self) -> NaiveScores:
        with np.errstate(divide="ignore"):
            return NaiveScores(self._column_ratios, np.log(self.class_prior_), self._score_gradient)

    def _left_out(self) -> Callable[[Block], LeftOut]:
        """Return the pass to the scores of each row under the fit without it."""
        m, fixed = self.summary_, None if self.priors is None else self.class_prior_
        arrays = m.counts, m.means, m.scatter, float(self.ddof), float(self.var_smoothing), fixed
        return tiled(lambda tile, X, weight: naive_left_out(X, tile.codes, weight, *arrays))  # type: ignore[arg-type]

    def _draw(self, k: int, n: int, rng: np.random.RandomState) -> Floats:
        drawn: Floats = self.theta_[k] + rng.standard_normal((n, self.n_features_in_)) * np.sqrt(self.var_[k])
        return drawn

    def _class_priors(self) -> Floats:
        return self.class_prior_


def positive_variances(variance: Floats, largest: float, columns: NDArray[Any], source: Source | None, var_smoothing: Any) -> Floats:
    """Return variances (K, a) in which a billionth of the largest one stands for 0, with a warning at the line that called `fit`.

    Parameters
    ----------
    columns : (a,) their numbers in the source
    """
    flat = columns[(variance <= 0).any(axis=0)]
    names = [source.column(int(j)) if source is not None else f"column {j}" for j in flat[:8]]
    warnings.warn(
        f"Within a class {', '.join(names)} {'and more ' if len(flat) > 8 else ''}do not vary, and var_smoothing={var_smoothing!r} leaves "
        "their variance at zero; a billionth of the largest variance stands in there. Use var_smoothing=1e-9, or drop these columns.",
        DataWarning,
        stacklevel=5,
    )
    floor = 1e-9 * largest
    return np.where(variance > 0, variance, floor if floor > 0 else 1e-9)
