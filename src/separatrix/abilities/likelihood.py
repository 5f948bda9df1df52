"""Log-likelihood and number of parameters of models that are solved from a summary, for AIC and BIC.

    p(x, k) = π_k p(x | k) at the maximum-likelihood estimate from the rows that were fitted

Divisors, smoothing and class weights of the fit do not matter here: the criteria are about the family of models and the rows. Given
priors and shrinkage are part of the family.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..array_types import Floats
from ..data import Source
from ..decisions.class_weights import effective_priors
from ..errors import InputError, SeparatrixWarning
from ..inference.likelihood import prior_likelihood
from ..inference.parameters import Family, Likelihood, count_parameters
from .page import Refused
from .protocols import SolvedFromSummary


class Fitted(Protocol):
    """What is read of a model that is solved from a summary."""

    classes_: NDArray[Any]
    summary_: Any
    n_features_in_: int


@dataclass(frozen=True)
class SummaryLikelihood:
    """`HasLikelihood` of a model that is solved from a summary. A family gives three things::

        family = "words"                        # its row in inference.parameters
        maximum = {"alpha": 0, …}               # parameters under which fit_summary gives the maximum-likelihood estimate
        def density(self, given):               # Σ w_i log p(x_i | class of i) of the rows that a summary stands for

    and, where the number of columns is not what counts, `dimension`.

    Parameters
    ----------
    model : the model
    solved_from : its ability to summarise rows
    """

    model: Any
    solved_from: SolvedFromSummary
    how: ClassVar[str] = "joint likelihood p(x, y) from the summary; conditional p(y | x) from the rows"
    default: ClassVar[Likelihood] = "joint"
    of_labels_alone: ClassVar[bool] = False
    family: ClassVar[Family]
    maximum: ClassVar[dict[str, Any]]

    def density(self, given: Any) -> float:
        """Return Σ w_i log p(x_i | class of i) of the rows that a summary stands for."""
        raise TypeError(f"{type(self).__name__} must define density")

    def dimension(self) -> int:
        """Return the number of columns that count: their rank."""
        return int(self.model.n_features_in_)

    def priors_given(self) -> Any:
        """Return the priors that were given, or None where they are estimated."""
        return self.model.priors

    def refuse(self, likelihood: Likelihood) -> None:
        """Raise the error of a fit whose likelihood or parameters cannot be had."""

    def column_names(self) -> list[str] | None:
        """Return the names of the columns, where the fit had some."""
        names = vars(self.model).get("feature_names_in_")
        return None if names is None else list(names)

    def judge(self, source: Source | None, likelihood: Likelihood) -> tuple[float, float, float]:
        """Return log L, n = Σ w and the number of parameters of rows, or of those that were fitted."""
        self.refuse(likelihood)
        if source is None and likelihood == "conditional":
            raise InputError(
                "likelihood='conditional' needs rows and labels here: aic(X, y, likelihood='conditional'). Only the joint likelihood of "
                "the rows that were fitted needs none: aic()."
            )
        log_l, n = self.joint(source) if likelihood == "joint" else self.conditional(source)  # type: ignore[arg-type]
        return log_l, n, self.free_parameters(likelihood)

    def parameters(self) -> float:
        """Return the number of parameters of the joint likelihood."""
        self.refuse("joint")
        return self.free_parameters("joint")

    def free_parameters(self, likelihood: Likelihood) -> float:
        """Return k of a likelihood."""
        K = int((self.model.summary_.counts > 0).sum())
        return count_parameters(self.family, K, self.dimension(), likelihood, self.priors_given() is not None)

    def joint(self, source: Source | None) -> tuple[float, float]:
        """Return Σ w_i log p(x_i, y_i) and Σ w_i."""
        model = self.model
        given = model.summary_ if source is None else self.solved_from.summarise(source)
        priors = effective_priors(self.priors_given(), model.classes_, model.summary_.counts)
        return prior_likelihood(given.counts, priors) + self.density(given), float(given.counts.sum())

    def maximum_model(self) -> Any:
        """Return the model at its maximum-likelihood estimate, for posteriors."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SeparatrixWarning)  # what the fit said already
            return clone(self.model).set_params(**self.maximum).fit_summary(self.model.summary_)

    def conditional(self, source: Source) -> tuple[float, float]:
        """Return Σ w_i log p(y_i | x_i) and Σ w_i."""
        self.density(self.model.summary_)  # an estimate that does not exist is refused here
        return sum_over_rows(self.maximum_model().predict_log_proba(source), source)


def sum_over_rows(logs: Floats, source: Source) -> tuple[float, float]:
    """Return Σ w_i logs[i, class of i] and Σ w_i."""
    blocks = list(source.map(lambda block: (block.codes, np.ones(block.n_rows) if block.weight is None else block.weight)))
    codes, weight = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    own = np.take_along_axis(logs, codes[:, None].astype(np.intp), axis=1)[:, 0]
    return float(weight[weight > 0] @ own[weight > 0]), float(weight.sum())


def no_likelihood(name: str, because: str) -> Refused:
    """Return the refusal of AIC and BIC; `because` is the end of a sentence that begins with the model's name.

    Examples
    --------
    >>> no_likelihood("LinearSVC", "charges rows for their margins").why[:82]
    'LinearSVC is not a probabilistic model and has no AIC or BIC: it charges rows for '
    """
    return Refused(
        f"{name} is not a probabilistic model and has no AIC or BIC: it {because}. Compare such models by cross-validation, or use "
        "LinearDiscriminantAnalysis, which has a likelihood"
    )
