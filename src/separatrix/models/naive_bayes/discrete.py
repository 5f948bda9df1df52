"""Naive Bayes from counts: what its models share. Smoothing, priors, probabilities of 0, and values that cannot be counted.

With α = 0 a probability counted as 0 stays 0. A row that meets one is impossible in that class: its joint probability is 0 and its
logarithm -inf. A row that is impossible in *every* class still gets posteriors: the limit of those with ever smaller α
(:mod:`separatrix.solvers.closed_form.smoothing`), so that no posterior is 0/0.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from ...abilities import Abilities, Refused
from ...abilities.additive_scores import NaiveScores
from ...argument_types import as_numbers
from ...array_types import Bools, Floats, Indices
from ...data import Source
from ...data.counts import CountSource, is_text
from ...data.opening import is_frame
from ...decisions.priors import check_priors
from ...errors import DataWarning, InputError, one_of
from ...solvers.closed_form.log_sums import LogSums, UnknownCategories, unbounded
from ...solvers.closed_form.smoothing import rule_out
from ...solvers.scores import codes_of, log_posteriors_of, per_class, posteriors_of
from ...summaries import Counts
from ..from_summary import SummaryClassifier
from ..generative import GenerativeClassifier
from ..labelled_rows import require_weight

SMALLEST_ALPHA = 1e-10
"""What scikit-learn puts in place of a smaller alpha when force_alpha=False."""


class DiscreteNB(SummaryClassifier, GenerativeClassifier):
    """Base of naive Bayes from counts. A subclass gives `_log_likelihood(block, notes)`, log p(x | k) of n rows in K classes."""

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    class_weight: Any
    missing: str
    class_log_prior_: Floats
    _records: ClassVar[dict[str, type]] = {"Counts": Counts}
    _distinct: ClassVar[bool] = False

    def _log_likelihood(self, block: Any, notes: UnknownCategories) -> LogSums:
        """Return log p(x | k), (n, K)."""
        raise TypeError(f"{type(self).__name__} must define _log_likelihood")

    def _log_odds(self, block: Any, notes: UnknownCategories) -> LogSums:
        """Return log p(x, k) up to what all classes share, (n, K); or, of two classes, the second minus the first, (n, 1)."""
        given = self._log_likelihood(block, notes)
        return LogSums(given.value + self._finite_priors(), given.zeros)

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.scores = Refused("rows are counted before they are scored, zeros apart")
        return page

    def _naive_reading(self) -> NaiveScores:
        """Return the scores that add up over columns; a subclass gives `_column_ratios`."""
        return NaiveScores(self._column_ratios, self.class_log_prior_, takes_gaps=self.missing == "ignore")

    def _column_ratios(self, block: Any, of: Indices, against: Indices) -> Floats:
        """Return log p(x_j | of) − log p(x_j | against) of each value, (n, p)."""
        raise TypeError(f"{type(self).__name__} must define _column_ratios")

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        """
        codes = self._evaluate(X, self._log_odds, lambda found: codes_of(self._ruled(found)))
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Return the posteriors p(k | x), (n, K), columns in the order of `classes_`.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        """
        return self._evaluate(X, self._log_odds, lambda found: posteriors_of(per_class(self._ruled(found))))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the posteriors; -inf where a posterior is exactly 0.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        """
        return self._evaluate(X, self._log_odds, lambda found: unbounded(log_posteriors_of(per_class(self._ruled(found)))))

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return log p(x, k) = log π_k + log p(x | k), (n, K); -inf where it is impossible.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        """
        return self._evaluate(X, self._log_likelihood, lambda found: found.exact + self.class_log_prior_)

    def log_density(self, X: Any, label: Any = None) -> Floats:
        """Return log p(x) = log Σ_k π_k p(x | k) of each row, or log p(x | label).

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        label : a class, optional
        """
        if label is None:
            return np.asarray(logsumexp(self.predict_joint_log_proba(X), axis=1))
        k = self._code(label)
        return self._evaluate(X, self._log_likelihood, lambda found: found.exact[:, k])

    def _evaluate(
        self, X: Any, log_sums: Callable[[Any, UnknownCategories], LogSums], function: Callable[[LogSums], NDArray[Any] | None]
    ) -> NDArray[Any]:
        """Return function(log_sums of the rows), all blocks in one array; refuse values that cannot be counted."""
        source, notes = self._rows(X), UnknownCategories()

        def quiet(block: Any) -> NDArray[Any] | None:
            with np.errstate(all="ignore"):  # per thread; what goes wrong shows in the values
                found = log_sums(block, notes)
                return function(found) if np.isfinite(found.value).all() else None

        parts = list(source.told(quiet))
        if not parts:
            raise source.no_rows()
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            self._refuse(source)
        notes.tell()
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _ruled(self, found: LogSums) -> Floats:
        never = np.isneginf(self.class_log_prior_)
        return rule_out(found.value, found.zeros, never if never.any() else None)

    def _finite_priors(self) -> Floats:
        return np.where(np.isneginf(self.class_log_prior_), 0.0, self.class_log_prior_)

    def _class_priors(self) -> Floats:
        return np.exp(self.class_log_prior_)

    def _log_priors(self, counts: Floats, classes: NDArray[Any]) -> Floats:
        if self.class_prior is not None:
            priors = check_priors(self.class_prior, classes, "class_prior")
        elif self.fit_prior:
            priors = counts / counts.sum()
        else:
            priors = np.full(len(classes), 1.0 / len(classes))
        with np.errstate(divide="ignore"):
            return np.log(priors)

    def _smoothing(self, n_features: int) -> Any:
        """Return alpha as a number, or as one number per column where it was given so."""
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim == 1 and len(alpha) != n_features:
            raise InputError(
                f"When alpha is an array, it should contains `n_features` values: got {len(alpha)} for {n_features} columns; pass one "
                "number per column, or one for all."
            )
        if alpha.min() < SMALLEST_ALPHA and not self.force_alpha:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {SMALLEST_ALPHA:.1e}. Use force_alpha=True, the default, "
                "to count exactly.",
                DataWarning,
                stacklevel=5,
            )
            alpha = np.maximum(alpha, SMALLEST_ALPHA)
        return float(alpha) if alpha.ndim == 0 else alpha

    def _check_params(self) -> None:
        if not (type(self.alpha) is float and 0.0 <= self.alpha < np.inf):
            alpha = as_numbers("alpha", self.alpha, "use 1.0 (add one to every count) or 0 (count exactly).")
            if alpha.ndim > 1 or not np.isfinite(alpha).all() or (alpha < 0).any():
                raise InputError(
                    f"alpha={self.alpha!r} must be ≥ 0: 1 adds one to every count (Laplace), 0 counts exactly and keeps zeros."
                )
        if self.missing not in ("error", "ignore"):
            raise one_of("missing", self.missing, ["error", "ignore"])

    def _open(self, X: Any) -> Source:
        """Return the source of rows; numbers stay of the type they are."""
        if isinstance(X, Source):
            X.require_numbers()
            return X
        if is_text(X):
            raise InputError(
                f"X holds texts such as {short(X)!r}, and {type(self).__name__} counts; could not convert string to float. Count their "
                "words first: sklearn.feature_extraction.text.CountVectorizer().fit_transform(X)."
            )
        n_jobs = getattr(self, "n_jobs", None)
        try:
            return self._frame(X, n_jobs) if is_frame(X) else CountSource(X, distinct=self._distinct, n_jobs=n_jobs)
        except InputError as error:
            if "convert string" not in str(error):
                raise
            raise InputError(f"{error} MixedNB takes columns of text as they are.") from None

    def _frame(self, X: Any, n_jobs: int | None) -> Source:
        from ...data.tables import NullableFrame

        return NullableFrame(X, n_jobs=n_jobs)

    def _summarise(self, source: Source) -> Any:
        summary = source.reduce(self._pass(source.classes))  # type: ignore[arg-type]
        if not summary.is_finite:
            self._refuse(source)
        require_weight(summary.counts)
        return summary

    def _refuse(self, source: Source) -> None:
        """Raise the error that names the first value which cannot be counted."""
        for bad, text in self._refusals():
            place = first_value(source, bad)
            if place is not None:
                row, column, value = place
                raise InputError(
                    text.format(name=type(self).__name__, row=source.row_label(row), column=source.column(column), value=value)
                )
        raise InputError("Input X contains values so large that their sums are infinite in float64; rescale the columns.")

    def _refusals(self) -> Iterator[tuple[Callable[[NDArray[Any]], Bools], str]]:
        """Yield what cannot be counted, and the error for it."""
        if self.missing == "error":
            yield (
                np.isnan,
                "Input X contains NaN: first at row {row}, {column}. Use {name}(missing='ignore') to leave missing values out of the "
                "product, or fill them in first, for instance with sklearn.impute.SimpleImputer.",
            )
        yield np.isinf, "Input X contains infinity: first at row {row}, {column}. {name} needs finite numbers; drop such rows."

    def _pair(self, label: Any, against: Any) -> tuple[int, int]:
        """Return the codes of the two classes whose odds are asked for."""
        check_is_fitted(self)
        if label is None and against is None and len(self.classes_) == 2:
            return 1, 0
        if label is None or against is None:
            raise InputError(
                f"There are {len(self.classes_)} classes; name both sides, as in feature_log_odds(label={self.classes_.tolist()[1]!r}, "
                f"against={self.classes_.tolist()[0]!r})."
            )
        k, other = self._code(label), self._code(against)
        if k == other:
            raise InputError(f"Odds need two different classes; both are {label!r}.")
        return k, other

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "ignore"
        tags.classifier_tags.poor_score = True  # on continuous columns, which are not counts
        return tags


def first_value(source: Source, bad: Callable[[NDArray[Any]], Bools]) -> tuple[int, int, Any] | None:
    """Return row, column and value of the first value that is bad, or None."""
    for block in source.blocks():
        X: Any = block.X.tocoo() if sp.issparse(block.X) else np.asarray(block.X)
        found = np.argwhere(bad(X.data if block.is_sparse else X))
        if len(found):
            row, column = (X.row[found[0, 0]], X.col[found[0, 0]]) if block.is_sparse else found[0]
            value = X.data[found[0, 0]] if block.is_sparse else X[row, column]
            return block.start + int(row), int(column), value.item()
    return None


def short(X: Any) -> str:
    """Return the beginning of the first text."""
    first = str(next(iter(X)))
    return first if len(first) <= 40 else f"{first[:40]}…"
