"""Naive Bayes on tables: measurements, switches, counts and categories side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...abilities import Abilities, Refused
from ...abilities.additive_scores import NaiveScores
from ...abilities.counts_likelihood import MixedLikelihood
from ...abilities.parts import Reading
from ...argument_types import check_arguments
from ...array_types import Floats, Indices
from ...data import Block, Source
from ...data.arrays import as_array
from ...data.batch_table import BatchTable
from ...data.columns import ColumnBatch
from ...data.counts import CountSource
from ...decisions.class_weights import class_factors
from ...errors import InputError
from ...solvers.closed_form import column_likelihoods as columns
from ...solvers.closed_form.column_likelihoods import CategoryLikelihoods, CountLikelihoods
from ...solvers.closed_form.log_sums import LogSums, UnknownCategories
from ...summaries.categories import CategoryCounts
from ...summaries.column_kinds import check_kinds, choose_layout, kinds_stand, warn_of_identifiers
from ...summaries.column_moments import ColumnMoments
from ...summaries.columns import COUNT_KINDS, ColumnCounts, Layout
from ...summaries.counts import Counts
from ..base import too_large
from ..from_summary import FromSummary
from ..labelled_rows import require_weight
from .discrete import DiscreteNB
from .gaussian import positive_variances


class MixedNB(DiscreteNB):
    """Naive Bayes on a table whose columns are measurements, switches, counts and categories, each with its own likelihood.

        log p(x, k) = log π_k + Σ_j log p_j(x_j | k)

    with p_j normal ("gaussian"), on or off ("bernoulli"), "poisson", "categorical", or all columns of kind "multinomial" together a bag of
    words. It is :class:`GaussianNB`, :class:`BernoulliNB`, :class:`CategoricalNB` and :class:`MultinomialNB`, each on its columns.

    Takes frames as they are: numbers, booleans, text, categories, missing values. Columns without a given kind are looked at: text is
    "categorical"; 0 and 1 only is "bernoulli"; whole numbers from 0 on whose variance is at most four times their mean are "poisson"; the
    rest is "gaussian".

    Parameters
    ----------
    kinds : dict, str or None
        The kind of some columns by name (by number for an array), or one kind for all; `kinds_` has the outcome.
    alpha : float
        Smoothing of counts. A Poisson rate is (Σx + α m)/(n + α), with m the column's mean over all classes. 0 counts exactly.
    var_smoothing : float
        This share of the largest variance of the measurements is added to all of their variances.
    force_alpha : bool
        False replaces an alpha below 1e-10 by 1e-10, with a warning.
    fit_prior : bool
        Whether priors are the shares of the classes; else they are equal.
    class_prior : (K,) array, optional
        Given priors.
    missing : "error" or "ignore"
        Whether a missing value is refused, or left out of the sums and of the product.
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : as in scikit-learn
    kinds_ : (p,) the kind of each column
    theta_, var_, epsilon_ : as in GaussianNB, of the columns of kind "gaussian"
    counted_ : coefficients of the columns of kinds "bernoulli", "poisson" and "multinomial"
    categorical_ : log-probabilities of the columns of kind "categorical"
    summary_ : ColumnCounts

    Examples
    --------
    >>> import pandas as pd
    >>> from separatrix import MixedNB
    >>> X = pd.DataFrame({"age": [22.0, 38.5, 26.0, 35.5], "sex": ["m", "f", "f", "m"], "trips": [0, 2, 1, 0]})
    >>> model = MixedNB().fit(X, ["no", "yes", "yes", "no"])
    >>> model.kinds_.tolist(), model.predict(X).tolist()
    (['gaussian', 'categorical', 'poisson'], ['no', 'yes', 'yes', 'no'])
    >>> {sex: round(odds, 3) for sex, odds in model.feature_log_odds()["sex"].items()}
    {'f': 1.099, 'm': -1.099}

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 6.6.3.
    """

    theta_: Floats
    var_: Floats
    counted_: CountLikelihoods
    categorical_: CategoryLikelihoods
    _records: ClassVar[dict[str, type]] = {
        record.__name__: record
        for record in (ColumnCounts, Layout, ColumnMoments, Counts, CategoryCounts, CountLikelihoods, CategoryLikelihoods)
    }

    def __init__(
        self,
        kinds: Any = None,
        *,
        alpha: float = 1.0,
        var_smoothing: float = 1e-9,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        missing: str = "error",
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kinds = kinds
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.missing = missing
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        super()._check_params()
        check_kinds(self.kinds)
        if np.ndim(self.alpha) != 0:
            raise InputError(f"alpha={self.alpha!r} must be one number: the columns of a table share it.")
        if not self.var_smoothing >= 0:
            raise InputError(f"var_smoothing={self.var_smoothing!r} must be ≥ 0 (the default is 1e-9).")

    def _open(self, X: Any) -> Source:
        from ...data.opening import is_frame
        from ...data.tables import FrameTable, ObjectTable

        if isinstance(X, Source):
            return X.as_columns()
        if isinstance(X, ColumnBatch):
            return BatchTable(X, n_jobs=self.n_jobs)
        if is_frame(X):
            return FrameTable(X, n_jobs=self.n_jobs)
        if not sp.issparse(X) and as_array(X).dtype.kind in "OUS":
            return ObjectTable(X, n_jobs=self.n_jobs)
        return CountSource(X, distinct=True, n_jobs=self.n_jobs)

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.leave_one_out = Refused("the largest variance and the overall rates change with every row, and with them all classes")
        page.likelihood = MixedLikelihood(self, FromSummary(self))
        page.reading = Reading("each column adds its log-likelihood ratio", self._reading, coded=True)
        return page

    def _reading(self) -> NaiveScores:
        return replace(self._naive_reading(), coded=self._coded)

    def _coded(self, X: Any) -> Floats:
        """Return rows as numbers (n, p)."""
        layout, ignore = self.summary_.layout, self.missing == "ignore"
        batches = map(self._batch, self._rows(X).blocks())
        return np.concatenate([columns.coded_rows(batch, layout, self.categorical_, ignore) for batch in batches])

    def _batch(self, block: Any) -> ColumnBatch:
        names = vars(self).get("feature_names_in_")
        return ColumnBatch.of(block, None if names is None else tuple(names))

    def _column_ratios(self, block: Block, of: Indices, against: Indices) -> Floats:
        X, normal = np.asarray(block.dense(), dtype=np.float64), (self.theta_, self.var_)
        return columns.column_ratios(X, self.summary_.layout, normal, self.counted_, self.categorical_, of, against)

    def _fit_source(self, source: Source) -> dict[str, Any]:
        summary = self._count(source, self._layout(source))
        warn_of_identifiers(summary, source)
        return {"classes_": source.classes, "summary_": summary, **self._solve(summary, source)}

    def _summarise(self, source: Source) -> Any:
        return self._count(source, self.summary_.layout if hasattr(self, "summary_") else self._layout(source))

    def _layout(self, source: Source) -> Layout:
        from ...data.tables import FrameTable, ObjectTable

        from_files = source.origin is not None
        return choose_layout(self.kinds, source, from_files or isinstance(source, (BatchTable, FrameTable, ObjectTable)))

    def _merges_stand(self, parts: Sequence[Source]) -> list[bool]:
        return kinds_stand(self.kinds, self.summary_.layout, list(parts))

    def _count(self, source: Source, layout: Layout) -> ColumnCounts:
        counts = source.reduce(ColumnCounts.summarise(source.classes, layout, self.missing == "ignore", source.feature_names))
        if not counts.is_finite:
            raise too_large(type(self).__name__)
        require_weight(counts.counts)
        return counts

    def _solve(self, summary: Any, source: Source | None, growing: bool = False) -> dict[str, Any]:
        factors = class_factors(self.class_weight, summary.classes, summary.counts)
        counts: ColumnCounts = summary if factors is None else summary.scaled(factors)
        alpha = self._smoothing(counts.n_features)
        theta, variance, epsilon = columns.normal_parameters(counts, float(self.var_smoothing))
        if not (variance > 0).all():
            measured, largest = np.array(counts.layout.of("gaussian")), float(counts.moments.total[2].max())
            variance = positive_variances(variance, largest, measured, source, self.var_smoothing)
        kinds = counts.layout.kinds
        return {
            "class_count_": counts.counts,
            "class_log_prior_": self._log_priors(counts.counts, counts.classes),
            "kinds_": kinds,
            "theta_": theta,
            "var_": variance,
            "epsilon_": epsilon,
            "counted_": CountLikelihoods.solve(counts.totals, kinds[counts.layout.of(*COUNT_KINDS)], alpha),
            "categorical_": CategoryLikelihoods.solve(counts.categories, alpha),
        }

    def _own_summary(self, summary: Any) -> Any:
        if not isinstance(summary, ColumnCounts):
            raise InputError(f"fit_summary takes ColumnCounts, got {type(summary).__name__}; a fitted MixedNB keeps them in summary_.")
        return summary

    def _log_likelihood(self, block: Any, notes: UnknownCategories) -> LogSums:
        return self._log_sums(block, notes, whole=True)

    def _log_odds(self, block: Any, notes: UnknownCategories) -> LogSums:
        given = self._log_sums(block, notes, whole=False)
        return LogSums(given.value + self._finite_priors(), given.zeros)

    def _log_sums(self, block: Any, notes: UnknownCategories, whole: bool) -> LogSums:
        batch, layout = self._batch(block), self.summary_.layout
        parts = layout.split(batch, self.missing == "ignore")
        found, unknown = self.categorical_.log_sums(parts.categories, batch.n_rows)
        notes.unknown.extend((batch.name(j), rows) for j, rows in zip(layout.of("categorical"), unknown) if rows)
        if parts.counts.shape[1]:
            found = found.plus(self.counted_.log_sums(parts.counts, whole))
        if parts.measured.shape[1]:
            found = found.plus(columns.normal_logs(parts.measured, self.theta_, self.var_))
        return found

    def _refuse(self, source: Source) -> None:
        raise InputError("Input X contains values so large that their squares or sums are infinite in float64; rescale the columns.")

    def feature_log_odds(self, label: Any = None, against: Any = None) -> dict[Any, dict[Any, float]]:
        """Return what each column says for one class against another, log p_j(x_j | label) − log p_j(x_j | against).

        Parameters
        ----------
        label, against : classes; may stay out where there are two: `classes_[1]` against `classes_[0]`

        Returns
        -------
        odds : by column (its name, or number)
            By category for "categorical" and "bernoulli" (0 and 1); else by the terms of a polynomial in its value: "x²", "x", "1".
        """
        k, other = self._pair(label, against)
        layout = self.summary_.layout
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_)).tolist()
        found: dict[Any, dict[Any, float]] = {}
        for place, j in enumerate(layout.of("gaussian")):
            found[names[j]] = columns.normal_odds(self.theta_, self.var_, place, k, other)
        for place, j in enumerate(layout.of(*COUNT_KINDS)):
            found[names[j]] = self.counted_.odds(place, k, other)
        for place, j in enumerate(layout.of("categorical")):
            found[names[j]] = self.categorical_.odds(place, k, other)
        return {name: found[name] for name in names}

    def sample(self, n_samples: int = 1, random_state: Any = None, label: Any = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Draw rows as the model believes they arise: a class by its prior, then each column from its likelihood.

        Parameters
        ----------
        n_samples : int
        random_state : int, RandomState or None
        label : a class, optional
            Draw from this class only.

        Returns
        -------
        X, y : (n_samples, p) rows and their labels; X holds objects if a column holds text, else floats
        """
        check_arguments(MixedNB.sample, locals())
        X, y = super().sample(n_samples, random_state, label)
        layout = self.summary_.layout
        if not layout.text.any():
            return X, y
        objects = X.astype(object)
        for place, j in enumerate(layout.of("categorical")):
            if layout.text[j]:
                names = self.categorical_.counts.names(place)
                objects[:, j] = [names[int(c)] for c in X[:, j]]
        return objects, y

    def _draw(self, k: int, n: int, rng: np.random.RandomState) -> Floats:
        """Draw rows of class k, categories of text as their positions."""
        layout, X = self.summary_.layout, np.zeros((n, self.n_features_in_))
        own = layout.of("gaussian")
        X[:, own] = self.theta_[k] + rng.standard_normal((n, len(own))) * np.sqrt(self.var_[k])
        X[:, layout.of(*COUNT_KINDS)] = self.counted_.draw(k, n, rng)
        X[:, layout.of("categorical")] = self.categorical_.draw(k, n, rng, layout.text[layout.of("categorical")])
        return X
