"""AIC and BIC of naive Bayes by counting: probabilities as counted, without smoothing."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..data import Source
from ..errors import InputError
from ..inference.likelihood import counted, shares, varying_cells
from ..inference.parameters import Family, Likelihood
from .information import InformationCriteria, sum_over_rows


class CountedCriteria(InformationCriteria):
    """Likelihoods at alpha = 0: Σ N log p over what was counted, in which a count of zero adds nothing."""

    _maximum: ClassVar[dict[str, Any]] = {"alpha": 0.0, "force_alpha": True, "class_weight": None}
    class_prior: Any
    fit_prior: bool

    def _priors_given(self) -> Any:
        if self.class_prior is not None:
            return self.class_prior
        return None if self.fit_prior else np.full(len(self.classes_), 1.0 / len(self.classes_))


class SwitchesCriteria(CountedCriteria):
    """Each column on or off, p_kj = N_kj/n_k: one parameter for each column in each class."""

    _family: ClassVar[Family] = "switches"

    def _density_likelihood(self, given: Any) -> float:
        return counted(given.totals, shares(self.summary_.totals, self.summary_.present)) + counted(
            off(given), shares(off(self.summary_), self.summary_.present)
        )


class WordsCriteria(CountedCriteria):
    """Words drawn one by one, p_kj = N_kj/Σ_j N_kj: p − 1 parameters in each class. The multinomial coefficient is left out."""

    _family: ClassVar[Family] = "words"

    def _density_likelihood(self, given: Any) -> float:
        own = self.summary_.totals
        return counted(given.totals, shares(own, own.sum(axis=1, keepdims=True)))


class CategoriesCriteria(CountedCriteria):
    """One of the categories of each column, p_kjc = N_kjc/n_kj: L_j − 1 parameters in each class, L_j the number of categories seen."""

    _family: ClassVar[Family] = "switches"

    def _dimension(self) -> int:
        return free_categories(self.summary_)

    def _density_likelihood(self, given: Any) -> float:
        own, nothing = self.summary_, np.zeros(len(given.counts))
        # Each may have categories that the other has not: merged with nothing of the other, both have all.
        mine, theirs = given.scaled(nothing).merge(own), own.scaled(nothing).merge(given)
        return counted(theirs.cells, shares(mine.cells, np.repeat(mine.present, mine.n_categories, axis=1)))


class MixedCriteria(CountedCriteria):
    """Columns of several kinds: the parameters of each kind, and the likelihood of the rows, which a Poisson column needs for log x!."""

    _maximum: ClassVar[dict[str, Any]] = {"alpha": 0.0, "force_alpha": True, "var_smoothing": 0.0, "class_weight": None}

    def _free_parameters(self, likelihood: Likelihood) -> float:
        own = self.summary_
        kinds, K = own.layout.kinds.tolist(), int((own.counts > 0).sum())
        words = kinds.count("multinomial")
        each = 2 * kinds.count("gaussian") + kinds.count("bernoulli") + kinds.count("poisson") + free_categories(own.categories)
        joint = K * (each + max(words - 1, 0))
        if likelihood == "joint":
            return joint + (0 if self._priors_given() is not None else K - 1)
        return min((K - 1) * (1 + each + words), joint + K - 1)

    def _refuse_criteria(self, likelihood: Likelihood) -> None:
        own, columns = self.summary_.moments, self.summary_.layout.of("gaussian")
        names = self._column_names()
        listed = [names[j] if names else f"column {j}" for j in columns]
        varies = varying_cells(own.counts, own.means, own.scatter, np.sqrt(own.total[2]), self.classes_, listed)
        if not varies.all():
            flat = listed[int(varies.argmin())]
            raise InputError(f"Within the classes {flat!r} does not vary: its density has no maximum. Leave the column out.")

    def _joint_of(self, source: Source | None) -> tuple[float, float]:
        if source is None:
            raise InputError(f"The likelihood of a {type(self).__name__} needs the rows, not only their counts: aic(X, y).")
        return sum_over_rows(self._maximum_model().predict_joint_log_proba(source), source)

    def _conditional_of(self, source: Source) -> tuple[float, float]:
        return sum_over_rows(self._maximum_model().predict_log_proba(source), source)


def off(counts: Any) -> Any:
    """Return how often each switch was off, (K, p); sums of the same weights in another order leave rounding, which is zero."""
    left = counts.present - counts.totals
    return np.where(left > 1e-12 * counts.present, left, 0.0)


def free_categories(counts: Any) -> int:
    """Return Σ_j (L_j − 1) with L_j the number of categories seen in column j."""
    levels = np.bincount(counts.columns[counts.cells.any(axis=0)], minlength=counts.n_features)
    return int(np.maximum(levels - 1, 0).sum())
