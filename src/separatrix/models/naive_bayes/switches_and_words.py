"""Naive Bayes on counts and on switches: both are linear in what they count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...abilities import Abilities
from ...abilities.additive_scores import LinearScores
from ...abilities.counts_likelihood import SwitchesLikelihood, WordsLikelihood
from ...abilities.parts import BALANCED, Reading
from ...array_types import Bools, Floats, Indices
from ...data import Block
from ...errors import InputError
from ...solvers.closed_form.log_sums import log_odds
from ...solvers.closed_form.smoothing import LogProbability, bernoulli_logs, multinomial_logs
from ...solvers.scores import unfolded
from ...summaries import Counts
from ...summaries.counting import CountingRule
from ...summaries.remainder import never_learned
from ..from_summary import FromSummary
from .left_out import SwitchesLeftOut, WordsLeftOut
from .linear import LinearNB


class BernoulliNB(LinearNB):
    """Naive Bayes on switches: each column is on or off, and both say something.

        p_kj = (N_kj + α)/(n_k + 2α)        log p(x, k) = log π_k + Σ_j [b_j log p_kj + (1 − b_j) log(1 − p_kj)],   b_j = [x_j > binarize]

    N_kj counts the rows of class k in which column j is on. One pass; X is never copied, binarised or not.

    Parameters
    ----------
    alpha : float or (p,) array
        Added to the counts of on and of off. 0 counts exactly: a switch never on in a class rules that class out for rows where it is on;
        rows ruled out everywhere get the limit of ever smaller alpha.
    force_alpha : bool
        False replaces an alpha below 1e-10 by 1e-10, with a warning.
    binarize : float ≥ 0 or None
        Values above it are on. None: X holds 0 and 1 only.
    fit_prior : bool
        Whether priors are the shares of the classes; else they are equal.
    class_prior : (K,) array, optional
        Given priors.
    missing : "error" or "ignore"
        Whether a NaN is refused, or left out of the counts and of the product.
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, feature_count_, feature_log_prob_ : as in scikit-learn
    absent_log_prob_ : (K, p), log(1 − p_kj)
    coef_, intercept_ : scores in terms of switches; one row for two classes
    zero_coef_, zero_intercept_ : how many probabilities of 0 a row meets, in the same terms, (K, p) and (K,); None if there are none
    zero_offset_ : (K, p), absent_log_prob_ with its finite limit where that is -inf; None if no probability is 0
    summary_ : Counts

    Examples
    --------
    >>> from separatrix import BernoulliNB
    >>> X, y = [[1, 1], [1, 0], [0, 1], [0, 0]], ["spam", "spam", "ham", "ham"]
    >>> BernoulliNB(alpha=0).fit(X, y).predict_proba([[1, 1]]).tolist()
    [[0.0, 1.0]]

    References
    ----------
    McCallum and Nigam (1998), A comparison of event models for naive Bayes text classification, AAAI-98 workshop.
    """

    absent_log_prob_: Floats
    _distinct = True  # two stored halves of one value may each lie below the threshold

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        missing: str = "error",
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.missing = missing
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        super()._check_params()
        if self.binarize is not None and not self.binarize >= 0:
            raise InputError(f"binarize={self.binarize!r} must be ≥ 0, so that what a sparse row leaves out is off; or None for 0 and 1.")

    def _reading(self) -> CountingRule:
        return CountingRule(threshold=self.binarize, switches=self.binarize is None, skip_missing=self.missing == "ignore")

    def _probabilities(self, counts: Counts, alpha: Any) -> tuple[LogProbability, LogProbability | None]:
        return bernoulli_logs(counts.totals, counts.present, alpha)

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.leave_one_out = BALANCED if isinstance(self.class_weight, str) else SwitchesLeftOut(self)
        page.likelihood = SwitchesLikelihood(self, FromSummary(self))
        page.reading = Reading("each column adds its log-likelihood ratio", self._naive_reading)
        return page

    def _own_summary(self, summary: Any) -> Any:
        counts = super()._own_summary(summary)
        if not counts.are_switches:
            raise InputError(
                "These Counts add up values, not switches: a total is larger than the number of rows. Count what is on: "
                "Counts.from_data(X, y, binarize=0.0)."
            )
        return counts

    def _check_left(self, summary: Any) -> None:
        super()._check_left(summary)
        if not summary.are_switches:
            raise never_learned("a switch would be on in more rows than are left")

    def _absent(self) -> Floats | None:
        return self.absent_log_prob_

    def feature_log_odds(self, label: Any = None, against: Any = None) -> Floats:
        """Return what each switch says for one class against another: log p(b_j | label) − log p(b_j | against).

        Parameters
        ----------
        label, against : classes; may stay out where there are two: `classes_[1]` against `classes_[0]`

        Returns
        -------
        odds : (2, p), of a switch that is off and of one that is on; 0 where neither class ever had it so
        """
        k, other = self._pair(label, against)
        pairs = (self.absent_log_prob_, self.feature_log_prob_)
        return np.stack([log_odds(logs[k], logs[other]) for logs in pairs])

    def _column_ratios(self, block: Block, of: Indices, against: Indices) -> Floats:
        """Return log p(b_j | of) − log p(b_j | against) of each switch, (n, p), for the pair of classes of each row or one of all."""
        on, gaps = self._reading().values(np.asarray(block.dense()))
        without, with_ = (log_odds(logs[of], logs[against]) for logs in (self.absent_log_prob_, self.feature_log_prob_))
        found = np.where(on > 0, with_, without)
        return found if gaps is None else np.where(gaps, 0.0, found)

    def _refusals(self) -> Iterator[tuple[Callable[[NDArray[Any]], Bools], str]]:
        yield from super()._refusals()
        yield (
            lambda x: (x != 0) & (x != 1) & ~np.isnan(x),
            "Row {row}, {column} holds {value}, and with binarize=None {name} takes 0 and 1 only; use binarize=0.0 to switch on above 0.",
        )

    def _draw(self, k: int, n: int, rng: np.random.RandomState) -> Floats:
        drawn: Floats = (rng.random_sample((n, self.n_features_in_)) < np.exp(self.feature_log_prob_[k])).astype(np.float64)
        return drawn


class MultinomialNB(LinearNB):
    """Naive Bayes on counts: a row is a bag of words drawn one by one.

        p_kj = (N_kj + α)/Σ_j (N_kj + α)        log p(x, k) = log π_k + Σ_j x_j log p_kj

    N_kj adds up column j over the rows of class k. Fractions (tf-idf) work too. The multinomial coefficient, which all classes share,
    is left out. One pass; X is never copied.

    Parameters
    ----------
    alpha : float or (p,) array
        Added to every count. 0 counts exactly: a word never seen in a class rules that class out; rows ruled out everywhere get the limit
        of ever smaller alpha.
    force_alpha : bool
        False replaces an alpha below 1e-10 by 1e-10, with a warning.
    fit_prior : bool
        Whether priors are the shares of the classes; else they are equal.
    class_prior : (K,) array, optional
        Given priors.
    missing : "error" or "ignore"
        Whether a NaN is refused, or left out of the counts and of the product, as if it were 0.
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, feature_count_, feature_log_prob_ : as in scikit-learn
    coef_, intercept_ : scores; one row for two classes
    zero_coef_, zero_intercept_ : how many probabilities of 0 a row meets, in the same terms, (K, p) and (K,); None if there are none
    summary_ : Counts

    Examples
    --------
    >>> from separatrix import MultinomialNB
    >>> words = ["free", "money", "lunch"]
    >>> X, y = [[2, 1, 0], [1, 1, 0], [1, 0, 2]], ["spam", "spam", "ham"]
    >>> model = MultinomialNB().fit(X, y)
    >>> dict(zip(words, model.feature_log_odds().round(3).tolist()))
    {'free': 0.405, 'money': 0.811, 'lunch': -1.386}

    References
    ----------
    McCallum and Nigam (1998), A comparison of event models for naive Bayes text classification, AAAI-98 workshop.
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        missing: str = "error",
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.missing = missing
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _reading(self) -> CountingRule:
        return CountingRule(nonnegative=True, skip_missing=self.missing == "ignore")

    def _probabilities(self, counts: Counts, alpha: Any) -> tuple[LogProbability, LogProbability | None]:
        return multinomial_logs(counts.totals, alpha), None

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.leave_one_out = BALANCED if isinstance(self.class_weight, str) else WordsLeftOut(self)
        page.likelihood = WordsLikelihood(self, FromSummary(self))
        page.reading = Reading("linear scores: log-probabilities times counts", self._linear_reading)
        return page

    def _linear_reading(self) -> LinearScores:
        if self.zero_coef_ is not None:
            raise InputError("With alpha=0 some weights of this model are infinite, so contributions do not add up; fit with alpha > 0.")
        return LinearScores(*unfolded(self.coef_, self.intercept_))

    def feature_log_odds(self, label: Any = None, against: Any = None) -> Floats:
        """Return what one count in each column says for one class against another: log p_j(label) − log p_j(against).

        Parameters
        ----------
        label, against : classes; may stay out where there are two: `classes_[1]` against `classes_[0]`

        Returns
        -------
        odds : (p,); 0 where neither class ever had the word
        """
        k, other = self._pair(label, against)
        return log_odds(self.feature_log_prob_[k], self.feature_log_prob_[other])

    def _refusals(self) -> Iterator[tuple[Callable[[NDArray[Any]], Bools], str]]:
        yield from super()._refusals()
        yield (
            lambda x: x < 0,
            "Negative values in data passed to {name}: row {row}, {column} holds {value}. Counts are ≥ 0; for values of either sign use "
            "GaussianNB.",
        )

    def _draw(self, k: int, n: int, rng: np.random.RandomState) -> Floats:
        """Draw rows whose length is Poisson with the mean length of the class: then the counts are independent Poisson."""
        rows = self.class_count_[k]
        length = self.feature_count_[k].sum() / rows if rows > 0 else 0.0
        return rng.poisson(length * np.exp(self.feature_log_prob_[k]), size=(n, self.n_features_in_)).astype(np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
