"""Naive Bayes on categories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...abilities import Abilities
from ...abilities.counts_likelihood import CategoriesLikelihood
from ...abilities.parts import BALANCED, Reading
from ...array_types import Bools, Floats, Indices, Ints
from ...data import Block, Source
from ...decisions.class_weights import class_factors
from ...errors import InputError
from ...solvers.closed_form.category_scores import category_logs, category_scores
from ...solvers.closed_form.log_sums import LogSums, UnknownCategories, log_odds
from ...solvers.closed_form.smoothing import LogProbability
from ...solvers.scores import folded_classes
from ...summaries.categories import LARGEST, CategoryCounts
from ..from_summary import FromSummary
from .discrete import DiscreteNB
from .left_out import CategoriesLeftOut


class CategoricalNB(DiscreteNB):
    """Naive Bayes on columns of categories, numbered 0, 1, … in each column.

        p_kjc = (N_kjc + α)/(n_kj + α L_j)        log p(x, k) = log π_k + Σ_j log p_kj,x_j

    N_kjc counts the rows of class k with category c in column j, n_kj is their sum over c, and L_j the number of categories: one more than
    the largest seen. One pass; X is read where it lies. For text categories and mixed tables see :class:`MixedNB`.

    A category that was never seen says nothing when predicting: its column is left out of the product for that row, with one warning.

    Parameters
    ----------
    alpha : float
        Added to every count. 0 counts exactly: a category never seen in a class rules that class out; rows ruled out everywhere get the
        limit of ever smaller alpha.
    force_alpha : bool
        False replaces an alpha below 1e-10 by 1e-10, with a warning.
    fit_prior : bool
        Whether priors are the shares of the classes; else they are equal.
    class_prior : (K,) array, optional
        Given priors.
    min_categories : int or (p,) array of int, optional
        At least so many categories in each column, also where fewer are seen.
    missing : "error" or "ignore"
        Whether a NaN is refused, or left out of the counts and of the product.
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, category_count_, feature_log_prob_, n_categories_ : as in scikit-learn
    categories_ : CategoryCounts, weighted by class, with the categories of `min_categories`
    category_log_prob_ : (K, cells), the columns' feature_log_prob_ side by side, finite
    category_zeros_ : (K, cells), 1 where the probability is 0; None if there are none
    summary_ : CategoryCounts

    Examples
    --------
    >>> from separatrix import CategoricalNB
    >>> weather, play = [[0, 1], [0, 0], [1, 1], [2, 1], [2, 0], [1, 0]], ["no", "no", "yes", "yes", "yes", "yes"]
    >>> model = CategoricalNB(alpha=0).fit(weather, play)
    >>> model.predict_proba([[0, 1]]).tolist(), model.category_count_[0].tolist()
    ([[1.0, 0.0]], [[2.0, 0.0, 0.0], [0.0, 2.0, 2.0]])

    References
    ----------
    Hand and Yu (2001), Idiot's Bayes: not so stupid after all?, International Statistical Review 69.
    """

    categories_: CategoryCounts
    category_log_prob_: Floats
    category_zeros_: Floats | None
    n_categories_: Ints
    _records: ClassVar[dict[str, type]] = {"CategoryCounts": CategoryCounts}

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        missing: str = "error",
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.missing = missing
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        super()._check_params()
        if np.ndim(self.alpha) != 0:
            raise InputError(f"alpha={self.alpha!r} must be one number: columns of categories share it.")

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.leave_one_out = BALANCED if isinstance(self.class_weight, str) else CategoriesLeftOut(self)
        page.likelihood = CategoriesLikelihood(self, FromSummary(self))
        page.reading = Reading("each column adds its log-likelihood ratio", self._naive_reading)
        return page

    def _least(self, p: int) -> Ints:
        if self.min_categories is None:
            return np.zeros(p, dtype=np.int64)
        least = np.asarray(self.min_categories)
        if least.dtype.kind not in "iu":
            raise InputError(f"'min_categories' should have integral type. Got {least.dtype} instead; pass whole numbers.")
        if least.ndim > 1 or (least.ndim == 1 and len(least) != p):
            raise InputError(f"'min_categories' should have shape ({p},) when an array-like is provided. Got {least.shape} instead.")
        if (least < 1).any():
            raise InputError(f"min_categories={self.min_categories!r} must be at least 1 in every column.")
        return np.broadcast_to(least, p).astype(np.int64)

    def _pass(self, classes: NDArray[Any]) -> Callable[[Block], CategoryCounts]:
        return CategoryCounts.summarise(classes, skip_missing=self.missing == "ignore")

    def _solve(self, summary: Any, source: Source | None, growing: bool = False) -> dict[str, Any]:
        factors = class_factors(self.class_weight, summary.classes, summary.counts)
        counts: CategoryCounts = summary if factors is None else summary.scaled(factors)
        counts = counts.widened(self._least(counts.n_features))
        logs = category_logs(counts, self._smoothing(counts.n_features))
        return {
            "class_count_": counts.counts,
            "class_log_prior_": self._log_priors(counts.counts, counts.classes),
            "categories_": counts,
            "n_categories_": counts.n_categories,
            "category_log_prob_": logs.value,
            "category_zeros_": logs.zeros,
        }

    def _own_summary(self, summary: Any) -> Any:
        if not isinstance(summary, CategoryCounts) or summary.levels is not None:
            raise InputError(
                f"fit_summary takes CategoryCounts of numbered categories, got {type(summary).__name__}; make them with "
                "separatrix.summaries.CategoryCounts.from_data(X, y)."
            )
        return summary

    @property
    def category_count_(self) -> list[Floats]:
        """Counts of each column's categories, a list of p arrays (K, L_j)."""
        return [self.categories_.column(j) for j in range(self.categories_.n_features)]

    @property
    def feature_log_prob_(self) -> list[Floats]:
        """Log-probabilities of each column's categories, a list of p arrays (K, L_j); -inf for probabilities of 0."""
        exact = LogProbability(self.category_log_prob_, self.category_zeros_).exact
        return [exact[:, a:b] for a, b in zip(self.categories_.starts[:-1], self.categories_.starts[1:])]

    def _log_likelihood(self, block: Block, notes: UnknownCategories) -> LogSums:
        return self._log_sums(block, notes, self.category_log_prob_, self.category_zeros_)

    def _log_odds(self, block: Block, notes: UnknownCategories) -> LogSums:
        if len(self.classes_) > 2 or np.isneginf(self.class_log_prior_).any():
            return super()._log_odds(block, notes)
        zeros = None if self.category_zeros_ is None else folded_classes(self.category_zeros_)
        found = self._log_sums(block, notes, folded_classes(self.category_log_prob_), zeros)
        return LogSums(found.value + folded_classes(self.class_log_prior_), found.zeros)

    def _log_sums(self, block: Block, notes: UnknownCategories, logs: Floats, zeros: Floats | None) -> LogSums:
        starts, skip = self.categories_.starts, self.missing == "ignore"
        value, unknown = category_scores(block, starts, logs, skip)
        names = getattr(self, "feature_names_in_", None)
        for j in np.flatnonzero(unknown):
            notes.unknown.append((f"column {j}" if names is None else f"column {names[j]!r}", int(unknown[j])))
        return LogSums(value, None if zeros is None else category_scores(block, starts, zeros, skip)[0])

    def feature_log_odds(self, label: Any = None, against: Any = None) -> list[Floats]:
        """Return what each category says for one class against another: log p_jc(label) − log p_jc(against).

        Parameters
        ----------
        label, against : classes; may stay out where there are two: `classes_[1]` against `classes_[0]`

        Returns
        -------
        odds : a list of p arrays (L_j,); 0 where neither class ever had the category
        """
        k, other = self._pair(label, against)
        return [log_odds(logs[k], logs[other]) for logs in self.feature_log_prob_]

    def _column_ratios(self, block: Block, of: Indices, against: Indices) -> Floats:
        """Return log p(x_j | of) − log p(x_j | against) of each value, (n, p), for the pair of classes of each row or one of all."""
        X = np.asarray(block.dense(), dtype=np.float64)
        found, of, against = np.zeros(X.shape), np.broadcast_to(of, len(X)), np.broadcast_to(against, len(X))
        for j, logs in enumerate(self.feature_log_prob_):
            known = (X[:, j] >= 0) & (X[:, j] < logs.shape[1])  # an unseen category says nothing
            cell = X[known, j].astype(np.int64)
            found[known, j] = log_odds(logs[of[known], cell], logs[against[known], cell])
        return found

    def _refusals(self) -> Iterator[tuple[Callable[[NDArray[Any]], Bools], str]]:
        yield from super()._refusals()
        yield (
            lambda x: x < 0,
            "Negative values in data passed to {name}: row {row}, {column} holds {value}. Categories are numbered 0, 1, …; encode them "
            "with sklearn.preprocessing.OrdinalEncoder, or use missing='ignore' with NaN in place of a code for missing values.",
        )
        yield (
            lambda x: (x != np.floor(x)) & ~np.isnan(x),
            "Row {row}, {column} holds {value}, which is no category: {name} takes whole numbers 0, 1, …. Encode categories with "
            "sklearn.preprocessing.OrdinalEncoder; for columns of measurements use MixedNB.",
        )
        yield (
            lambda x: x > LARGEST,
            "Row {row}, {column} holds category {value}: {name} keeps a count for every number up to the largest, so this looks like an "
            "identifier. Drop the column, or number its values with sklearn.preprocessing.OrdinalEncoder.",
        )

    def _draw(self, k: int, n: int, rng: np.random.RandomState) -> Floats:
        X = np.zeros((n, self.n_features_in_))
        for j, logs in enumerate(self.feature_log_prob_):
            share = np.exp(logs[k])
            if len(share):
                X[:, j] = rng.choice(len(share), size=n, p=share / share.sum())
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags
