"""AIC and BIC of classifiers with Gaussian classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..array_types import Floats
from ..errors import CapacityError, InputError
from ..inference.likelihood import own_covariances, own_normals, own_variances, shared_covariance, shared_normal, shrunk, varying
from ..inference.normal import Normal
from ..inference.parameters import Family, Likelihood, effective_parameters
from .likelihood import SummaryLikelihood
from .page import Refused
from .protocols import SolvedFromSummary


class SharedCovarianceLikelihood(SummaryLikelihood):
    """One covariance W/n for all classes, shrunk by `shrinkage_`; p is its rank."""

    family: ClassVar[Family] = "shared covariance"
    maximum: ClassVar[dict[str, Any]] = {"covariance": "mle", "shrinkage": None, "class_weight": None}

    def refuse(self, likelihood: Likelihood) -> None:
        """Raise the error of a fit whose likelihood or parameters cannot be had."""
        _require_moments(self.model)
        counts, rows = self.model.summary_.counts, self.model.summary_.rows
        if self.model.weights == "reliability" and not np.allclose(counts, rows):
            raise InputError(
                "Weights that say how far to trust a row do not count rows, so there is no likelihood of n rows; fit with "
                "weights='frequency', or without weights."
            )
        if likelihood == "conditional" and self.model.shrinkage_ > 0:
            raise _uncounted("shrinkage")

    def _unit(self) -> Floats | None:
        """Return the units in which the covariance was shrunk: standard deviations within classes, or None for the columns as they are."""
        own = self.model.summary_.to("pooled")
        return standard_deviations(own.scatter, own.counts.sum()) if isinstance(self.model.shrinkage, str) else None

    def _normal(self) -> Normal:
        return shared_normal(self.model.summary_.to("pooled"), self.model.shrinkage_, self._unit())

    def dimension(self) -> int:
        """Return the number of columns that count."""
        return self._normal().rank

    def density(self, given: Any) -> float:
        """Return Σ w_i log p(x_i | class of i) of the rows that a summary stands for."""
        return shared_covariance(self.model.summary_.to("pooled"), given.to("pooled"), self._normal())

    def free_parameters(self, likelihood: Likelihood) -> float:
        """Return k of a likelihood."""
        if not self.model.shrinkage_ > 0:
            return super().free_parameters(likelihood)
        counts = self.model.summary_.counts
        S, K = self.model.summary_.to("pooled").scatter / counts.sum(), int((counts > 0).sum())
        used = shrunk(S, self.model.shrinkage_, self._unit())
        priors = 0 if self.priors_given() is not None else K - 1
        return effective_parameters(S, used, K, self.model.shrinkage_, own_scale=isinstance(self.model.shrinkage, str)) + priors


class OwnCovariancesLikelihood(SummaryLikelihood):
    """A covariance W_k/n_k for each class, shrunk by `shrinkage_` and `reg_param`; p is the rank they all have."""

    family: ClassVar[Family] = "own covariances"
    maximum: ClassVar[dict[str, Any]] = {"covariance": "mle", "shrinkage": None, "class_weight": None}

    @property
    def _is_shrunk(self) -> bool:
        return bool(self.model.reg_param > 0 or (self.model.shrinkage_ > 0).any())

    def refuse(self, likelihood: Likelihood) -> None:
        """Raise the error of a fit whose likelihood or parameters cannot be had."""
        _require_moments(self.model)
        if likelihood == "conditional" and self._is_shrunk:
            raise _uncounted("shrinkage or reg_param")

    def _covariances(self) -> tuple[Floats, Floats]:
        """Return the maximum-likelihood covariances (K, p, p), and those after shrinking."""
        counts = np.where(self.model.summary_.counts > 0, self.model.summary_.counts, 1.0)
        plain = self.model.summary_.scatter / counts[:, None, None]
        units = [standard_deviations(S, 1.0) if isinstance(self.model.shrinkage, str) else None for S in plain]
        used = [shrunk(S, alpha, u, self.model.reg_param) for S, alpha, u in zip(plain, self.model.shrinkage_.tolist(), units, strict=True)]
        return plain, np.stack(used)

    def dimension(self) -> int:
        """Return the number of columns that count."""
        return own_normals(self.model.summary_, self._covariances()[1], self.column_names())[0].rank

    def density(self, given: Any) -> float:
        """Return Σ w_i log p(x_i | class of i) of the rows that a summary stands for."""
        normals = own_normals(self.model.summary_, self._covariances()[1], self.column_names())
        return own_covariances(self.model.summary_, given, normals)

    def free_parameters(self, likelihood: Likelihood) -> float:
        """Return k of a likelihood."""
        if not self._is_shrunk:
            return super().free_parameters(likelihood)
        seen = np.flatnonzero(self.model.summary_.counts > 0)
        plain, used = self._covariances()
        scale, r = isinstance(self.model.shrinkage, str), float(self.model.reg_param)
        total = sum(effective_parameters(plain[k], used[k], 1, float(self.model.shrinkage_[k]), scale, r) for k in seen)
        return total + (0 if self.priors_given() is not None else len(seen) - 1)


def own_covariances_likelihood(model: Any, summary: SolvedFromSummary) -> OwnCovariancesLikelihood | Refused:
    """Return the likelihood of quadratic discriminants, or why there is none."""
    return Refused(str(_uncounted("pooling")).rstrip(".")) if model.pooling else OwnCovariancesLikelihood(model, summary)


class OwnVariancesLikelihood(SummaryLikelihood):
    """A variance for each column in each class, divided by n_k and not smoothed; p is the number of columns that vary."""

    family: ClassVar[Family] = "own variances"
    maximum: ClassVar[dict[str, Any]] = {"ddof": 0, "var_smoothing": 0.0, "class_weight": None}

    def dimension(self) -> int:
        """Return the number of columns that count."""
        return int(varying(self.model.summary_, self.column_names()).sum())

    def density(self, given: Any) -> float:
        """Return Σ w_i log p(x_i | class of i) of the rows that a summary stands for."""
        return own_variances(self.model.summary_, given, varying(self.model.summary_, self.column_names()))


def standard_deviations(scatter: Floats, n: float) -> Floats:
    """Return the square roots of a scatter's diagonal divided by n, 1 where a column does not vary."""
    sd = np.sqrt(np.diag(scatter) / n)
    return np.where(sd > 0, sd, 1.0)


def _require_moments(model: Any) -> None:
    if model.summary_ is None:
        raise CapacityError(
            f"This model was fitted in the span of its rows, because {model.n_features_in_:,} columns exceed the rows, and keeps no "
            "moments to compute a likelihood from. Keep fewer columns."
        )


def _uncounted(what: str) -> InputError:
    return InputError(
        f"The parameters that {what} leaves free cannot be counted for this likelihood, so there is no AIC or BIC of it; use "
        "likelihood='joint' with shrinkage, or fit without."
    )
