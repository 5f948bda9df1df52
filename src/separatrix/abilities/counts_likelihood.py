"""AIC and BIC of naive Bayes by counting: probabilities as counted, without smoothing."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..data import Source
from ..errors import InputError
from ..inference.likelihood import counts_log_likelihood, shares, varying_cells
from ..inference.parameters import Family, Likelihood
from .likelihood import SummaryLikelihood, sum_over_rows


class CountsLikelihood(SummaryLikelihood):
    """Likelihoods at alpha = 0: Σ N log p over what was counted, in which a count of zero adds nothing."""

    maximum: ClassVar[dict[str, Any]] = {"alpha": 0.0, "force_alpha": True, "class_weight": None}

    def priors_given(self) -> Any:
        """Return the priors that were given, or None where they are estimated."""
        if self.model.class_prior is not None:
            return self.model.class_prior
        return None if self.model.fit_prior else np.full(len(self.model.classes_), 1.0 / len(self.model.classes_))


class SwitchesLikelihood(CountsLikelihood):
    """Each column on or off, p_kj = N_kj/n_k: one parameter for each column in each class."""

    family: ClassVar[Family] = "switches"

    def density(self, given: Any) -> float:
        """Return Σ w_i log p(x_i | class of i) of the rows that a summary stands for."""
        return counts_log_likelihood(given.totals, shares(self.model.summary_.totals, self.model.summary_.present)) + counts_log_likelihood(
            off(given), shares(off(self.model.summary_), self.model.summary_.present)
        )


class WordsLikelihood(CountsLikelihood):
    """Words drawn one by one, p_kj = N_kj/Σ_j N_kj: p − 1 parameters in each class. The multinomial coefficient is left out."""

    family: ClassVar[Family] = "words"

    def density(self, given: Any) -> float:
        """Return Σ w_i log p(x_i | class of i) of the rows that a summary stands for."""
        own = self.model.summary_.totals
        return counts_log_likelihood(given.totals, shares(own, own.sum(axis=1, keepdims=True)))


class CategoriesLikelihood(CountsLikelihood):
    """One of the categories of each column, p_kjc = N_kjc/n_kj: L_j − 1 parameters in each class, L_j the number of categories seen."""

    family: ClassVar[Family] = "switches"

    def dimension(self) -> int:
        """Return the number of columns that count."""
        return free_categories(self.model.summary_)

    def density(self, given: Any) -> float:
        """Return Σ w_i log p(x_i | class of i) of the rows that a summary stands for."""
        own, nothing = self.model.summary_, np.zeros(len(given.counts))
        # Each may have categories that the other has not: merged with nothing of the other, both have all.
        mine, theirs = given.scaled(nothing).merge(own), own.scaled(nothing).merge(given)
        return counts_log_likelihood(theirs.cells, shares(mine.cells, np.repeat(mine.present, mine.n_categories, axis=1)))


class MixedLikelihood(CountsLikelihood):
    """Columns of several kinds: the parameters of each kind, and the likelihood of the rows, which a Poisson column needs for log x!."""

    maximum: ClassVar[dict[str, Any]] = {"alpha": 0.0, "force_alpha": True, "var_smoothing": 0.0, "class_weight": None}

    def free_parameters(self, likelihood: Likelihood) -> float:
        """Return k of a likelihood."""
        own = self.model.summary_
        kinds: list[str] = own.layout.kinds.tolist()
        K = int((own.counts > 0).sum())
        words = kinds.count("multinomial")
        each = 2 * kinds.count("gaussian") + kinds.count("bernoulli") + kinds.count("poisson") + free_categories(own.categories)
        joint = K * (each + max(words - 1, 0))
        if likelihood == "joint":
            return joint + (0 if self.priors_given() is not None else K - 1)
        return min((K - 1) * (1 + each + words), joint + K - 1)

    def refuse(self, likelihood: Likelihood) -> None:
        """Raise the error of a fit whose likelihood or parameters cannot be had."""
        own, columns = self.model.summary_.moments, self.model.summary_.layout.of("gaussian")
        names = self.column_names()
        listed = [names[j] if names else f"column {j}" for j in columns]
        varies = varying_cells(own.counts, own.means, own.scatter, np.sqrt(own.total[2]), self.model.classes_, listed)
        if not varies.all():
            flat = listed[int(varies.argmin())]
            raise InputError(f"Within the classes {flat!r} does not vary: its density has no maximum. Leave the column out.")

    def joint(self, source: Source | None) -> tuple[float, float]:
        """Return Σ w_i log p(x_i, y_i) and Σ w_i."""
        if source is None:
            raise InputError(f"The likelihood of a {type(self.model).__name__} needs the rows, not only their counts: aic(X, y).")
        return sum_over_rows(self.maximum_model().predict_joint_log_proba(source), source)

    def conditional(self, source: Source) -> tuple[float, float]:
        """Return Σ w_i log p(y_i | x_i) and Σ w_i."""
        return sum_over_rows(self.maximum_model().predict_log_proba(source), source)


def off(counts: Any) -> Any:
    """Return how often each switch was off, (K, p); sums of the same weights in another order leave rounding, which is zero."""
    left = counts.present - counts.totals
    return np.where(left > 1e-12 * counts.present, left, 0.0)


def free_categories(counts: Any) -> int:
    """Return Σ_j (L_j − 1) with L_j the number of categories seen in column j."""
    levels = np.bincount(counts.columns[counts.cells.any(axis=0)], minlength=counts.n_features)
    return int(np.maximum(levels - 1, 0).sum())
