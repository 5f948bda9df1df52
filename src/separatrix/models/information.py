"""AIC and BIC of classifiers, and why some have none."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..argument_types import is_among
from ..data import Source
from ..errors import InputError, SeparatrixError, SeparatrixWarning, did_you_mean, one_of
from ..inference.likelihood import aic, bic, prior_likelihood
from ..inference.parameters import Family, Likelihood, count_parameters
from .priors import effective_priors

if TYPE_CHECKING:
    from .from_summary import SummaryClassifier as Base
else:
    Base = object

Floats = NDArray[np.float64]


class InformationCriteria(Base):
    """AIC and BIC of a model that is solved from a summary: p(x, k) = π_k p(x | k) at its maximum-likelihood estimate.

    Divisors, smoothing and class weights of the fit do not matter here: the criteria are about the family of models and the rows.
    Given priors and shrinkage are part of the family. A model joins by three declarations::

        _family = "words"                       # its row in inference.parameters
        _maximum = {"alpha": 0, …}              # parameters under which fit_summary gives the maximum-likelihood estimate
        def _density_likelihood(self, given):   # Σ w_i log p(x_i | class of i) of the rows that a summary stands for

    and, where the number of columns is not what counts, `_dimension()`.
    """

    _family: ClassVar[Family]
    _maximum: ClassVar[dict[str, Any]]

    def _density_likelihood(self, given: Any) -> float:
        raise TypeError(f"{type(self).__name__} must define _density_likelihood")

    def _dimension(self) -> int:
        """Return the number of columns that count: their rank."""
        return self.n_features_in_

    def _priors_given(self) -> Any:
        """Return the priors that were given, or None where they are estimated."""
        return self.priors

    def _column_names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)

    def _free_parameters(self, likelihood: Likelihood) -> float:
        K = int((self.summary_.counts > 0).sum())
        return count_parameters(self._family, K, self._dimension(), likelihood, self._priors_given() is not None)

    def _refuse_criteria(self, likelihood: Likelihood) -> None:
        """Raise the error of a fit whose likelihood or parameters cannot be had."""

    @property
    def n_parameters_(self) -> float:
        """Number of parameters of the joint likelihood, k in AIC and BIC; where shrunk, the effective number."""
        check_is_fitted(self)
        try:
            self._refuse_criteria("joint")
            return self._free_parameters("joint")
        except SeparatrixError as error:  # a property that is not there: hasattr says no, and the reason can be read
            raise AttributeError(f"{type(self).__name__} has no n_parameters_ here. {error}") from error

    def log_likelihood(self, X: Any = None, y: Any = None, *, likelihood: Likelihood = "joint", sample_weight: Any = None) -> float:
        """Return the log-likelihood of rows at the maximum-likelihood estimate from the rows that were fitted.

            joint: Σ w_i log p(x_i, y_i)        conditional: Σ w_i log p(y_i | x_i), not maximised ("plug-in")

        Parameters
        ----------
        X, y : rows and their labels, or a table; default: the rows that were fitted, for which the summary stands
        likelihood : "joint" or "conditional"
            "conditional" needs the rows.
        sample_weight : (n,) weights, optional
            Frequencies.
        """
        return self._judged(X, y, likelihood, sample_weight)[0]

    def aic(self, X: Any = None, y: Any = None, *, likelihood: Likelihood = "joint", sample_weight: Any = None) -> float:
        """Return Akaike's information criterion, 2k − 2 log L; smaller is better.

        Compare criteria of the same rows and the same likelihood only: joint and conditional ones have nothing to do with each other.

        Parameters
        ----------
        X, y : rows and their labels, or a table; default: the rows that were fitted, for which the summary stands
        likelihood : "joint" or "conditional"
            log p(x, y), or log p(y | x), which needs the rows and is not maximised ("plug-in").
        sample_weight : (n,) weights, optional
            Frequencies.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from separatrix import GaussianNB, LinearDiscriminantAnalysis
        >>> X, y = load_iris(return_X_y=True)
        >>> models = [model.fit(X, y) for model in (LinearDiscriminantAnalysis(), GaussianNB())]
        >>> [(model.n_parameters_, round(model.aic(X, y), 4)) for model in models]
        [(24, 574.4075), (26, 704.1002)]

        References
        ----------
        Akaike (1974), A new look at the statistical model identification, IEEE Trans. Automatic Control 19.
        """
        log_likelihood, _ = self._judged(X, y, likelihood, sample_weight)
        return aic(log_likelihood, self._free_parameters(likelihood))

    def bic(self, X: Any = None, y: Any = None, *, likelihood: Likelihood = "joint", sample_weight: Any = None) -> float:
        """Return Schwarz's Bayesian information criterion, k log n − 2 log L with n = Σ w; smaller is better.

        Parameters
        ----------
        X, y, likelihood, sample_weight : as in `aic`

        References
        ----------
        Schwarz (1978), Estimating the dimension of a model, Annals of Statistics 6.
        """
        log_likelihood, n = self._judged(X, y, likelihood, sample_weight)
        return bic(log_likelihood, self._free_parameters(likelihood), n)

    def _judged(self, X: Any, y: Any, likelihood: str, sample_weight: Any) -> tuple[float, float]:
        """Return log L and n."""
        if not is_among(likelihood, ("joint", "conditional")):
            raise one_of("likelihood", likelihood, ["joint", "conditional"])
        check_is_fitted(self)
        self._refuse_criteria(likelihood)  # type: ignore[arg-type]
        if X is None and (y is not None or sample_weight is not None or likelihood == "conditional"):
            raise InputError(
                f"likelihood={likelihood!r} needs rows and labels here: aic(X, y, likelihood={likelihood!r}). Only the joint likelihood of "
                "the rows that were fitted needs none: aic()."
            )
        source = None if X is None else labelled_rows(self, X, y, sample_weight)
        return self._joint_of(source) if likelihood == "joint" else self._conditional_of(source)  # type: ignore[arg-type]

    def _joint_of(self, source: Source | None) -> tuple[float, float]:
        given = self.summary_ if source is None else self._summarise(source)
        priors = effective_priors(self._priors_given(), self.classes_, self.summary_.counts)
        return prior_likelihood(given.counts, priors) + self._density_likelihood(given), float(given.counts.sum())

    def _maximum_model(self) -> Any:
        """Return this model at its maximum-likelihood estimate, for posteriors."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SeparatrixWarning)  # what the fit said already
            return clone(self).set_params(**self._maximum).fit_summary(self.summary_)

    def _conditional_of(self, source: Source) -> tuple[float, float]:
        self._density_likelihood(self.summary_)  # an estimate that does not exist is refused here
        return sum_over_rows(self._maximum_model().predict_log_proba(source), source)


def labelled_rows(model: Base, X: Any, y: Any, sample_weight: Any) -> Source:
    """Return rows for a fitted model, their columns and labels checked against those of the fit."""
    source = model._labelled(model._rows(X), y, sample_weight)
    known, found = model.classes_.tolist(), source.classes.tolist()  # type: ignore[union-attr]
    for label in [label for label in found if label not in known]:
        hint = did_you_mean(label, known)
        raise InputError(f"y contains the label {label!r}, which is not a class of this model.{hint} Classes: {known}.")
    return source.with_classes(model.classes_)


def sum_over_rows(logs: Floats, source: Source) -> tuple[float, float]:
    """Return Σ w_i logs[i, class of i] and Σ w_i."""
    blocks = list(source.map(lambda block: (block.codes, np.ones(block.n_rows) if block.weight is None else block.weight)))
    codes, weight = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    own = np.take_along_axis(logs, codes[:, None].astype(np.intp), axis=1)[:, 0]
    return float(weight[weight > 0] @ own[weight > 0]), float(weight.sum())


class NoLikelihood:
    """Refuses AIC and BIC, with the reason. A model joins by `_no_likelihood = "…"`, the end of a sentence that begins with its name."""

    _no_likelihood: ClassVar[str]

    def aic(self, X: Any = None, y: Any = None, *, likelihood: str = "joint", sample_weight: Any = None) -> float:
        """Raise an error: there is no likelihood, so there is no AIC."""
        raise self._no_criterion("AIC")

    def bic(self, X: Any = None, y: Any = None, *, likelihood: str = "joint", sample_weight: Any = None) -> float:
        """Raise an error: there is no likelihood, so there is no BIC."""
        raise self._no_criterion("BIC")

    def _no_criterion(self, name: str) -> InputError:
        return InputError(
            f"{type(self).__name__} is not a probabilistic model and has no {name}: it {self._no_likelihood}. Compare such models by "
            "cross-validation, or use LinearDiscriminantAnalysis, which has a likelihood."
        )
