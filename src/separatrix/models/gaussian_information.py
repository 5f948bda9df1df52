"""AIC and BIC of classifiers with Gaussian classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import CapacityError, InputError
from ..inference.likelihood import own_covariances, own_normals, own_variances, shared_covariance, shared_normal, shrunk, varying
from ..inference.normal import Normal
from ..inference.parameters import Family, Likelihood, effective_parameters
from .information import InformationCriteria

Floats = NDArray[np.float64]


class SharedCovarianceCriteria(InformationCriteria):
    """One covariance W/n for all classes, shrunk by `shrinkage_`; p is its rank."""

    _family: ClassVar[Family] = "shared covariance"
    _maximum: ClassVar[dict[str, Any]] = {"covariance": "mle", "shrinkage": None, "class_weight": None}
    shrinkage: Any
    weights: str
    shrinkage_: float

    def _refuse_criteria(self, likelihood: Likelihood) -> None:
        if self.summary_ is None:
            raise CapacityError(
                f"This model was fitted in the span of its rows, because {self.n_features_in_:,} columns exceed the rows, and keeps no "
                "moments to compute a likelihood from. Keep fewer columns."
            )
        counts, rows = self.summary_.counts, self.summary_.rows
        if self.weights == "reliability" and not np.allclose(counts, rows):
            raise InputError(
                "Weights that say how far to trust a row do not count rows, so there is no likelihood of n rows; fit with "
                "weights='frequency', or without weights."
            )
        if likelihood == "conditional" and self.shrinkage_ > 0:
            raise _uncounted("shrinkage")

    def _unit(self) -> Floats | None:
        """Return the units in which the covariance was shrunk: standard deviations within classes, or None for the columns as they are."""
        own = self.summary_.to("pooled")
        return standard_deviations(own.scatter, own.counts.sum()) if isinstance(self.shrinkage, str) else None

    def _normal(self) -> Normal:
        return shared_normal(self.summary_.to("pooled"), self.shrinkage_, self._unit())

    def _dimension(self) -> int:
        return self._normal().rank

    def _density_likelihood(self, given: Any) -> float:
        return shared_covariance(self.summary_.to("pooled"), given.to("pooled"), self._normal())

    def _free_parameters(self, likelihood: Likelihood) -> float:
        if not self.shrinkage_ > 0:
            return super()._free_parameters(likelihood)
        counts = self.summary_.counts
        S, K = self.summary_.to("pooled").scatter / counts.sum(), int((counts > 0).sum())
        used = shrunk(S, self.shrinkage_, self._unit())
        priors = 0 if self._priors_given() is not None else K - 1
        return effective_parameters(S, used, K, self.shrinkage_, own_scale=isinstance(self.shrinkage, str)) + priors


class OwnCovariancesCriteria(InformationCriteria):
    """A covariance W_k/n_k for each class, shrunk by `shrinkage_` and `reg_param`; p is the rank they all have."""

    _family: ClassVar[Family] = "own covariances"
    _maximum: ClassVar[dict[str, Any]] = {"covariance": "mle", "shrinkage": None, "class_weight": None}
    shrinkage: Any
    pooling: float | None
    reg_param: float
    shrinkage_: Floats

    @property
    def _is_shrunk(self) -> bool:
        return bool(self.reg_param > 0 or (self.shrinkage_ > 0).any())

    def _refuse_criteria(self, likelihood: Likelihood) -> None:
        if self.pooling:
            raise _uncounted("pooling")
        if likelihood == "conditional" and self._is_shrunk:
            raise _uncounted("shrinkage or reg_param")

    def _covariances(self) -> tuple[Floats, Floats]:
        """Return the maximum-likelihood covariances (K, p, p), and those after shrinking."""
        counts = np.where(self.summary_.counts > 0, self.summary_.counts, 1.0)
        plain = self.summary_.scatter / counts[:, None, None]
        units = [standard_deviations(S, 1.0) if isinstance(self.shrinkage, str) else None for S in plain]
        used = [shrunk(S, alpha, u, self.reg_param) for S, alpha, u in zip(plain, self.shrinkage_.tolist(), units, strict=True)]
        return plain, np.stack(used)

    def _dimension(self) -> int:
        return own_normals(self.summary_, self._covariances()[1], self._column_names())[0].rank

    def _density_likelihood(self, given: Any) -> float:
        normals = own_normals(self.summary_, self._covariances()[1], self._column_names())
        return own_covariances(self.summary_, given, normals)

    def _free_parameters(self, likelihood: Likelihood) -> float:
        if not self._is_shrunk:
            return super()._free_parameters(likelihood)
        seen = np.flatnonzero(self.summary_.counts > 0)
        plain, used = self._covariances()
        scale, r = isinstance(self.shrinkage, str), float(self.reg_param)
        total = sum(effective_parameters(plain[k], used[k], 1, float(self.shrinkage_[k]), scale, r) for k in seen)
        return total + (0 if self._priors_given() is not None else len(seen) - 1)


class OwnVariancesCriteria(InformationCriteria):
    """A variance for each column in each class, divided by n_k and not smoothed; p is the number of columns that vary."""

    _family: ClassVar[Family] = "own variances"
    _maximum: ClassVar[dict[str, Any]] = {"ddof": 0, "var_smoothing": 0.0, "class_weight": None}

    def _dimension(self) -> int:
        return int(varying(self.summary_, self._column_names()).sum())

    def _density_likelihood(self, given: Any) -> float:
        return own_variances(self.summary_, given, varying(self.summary_, self._column_names()))


def standard_deviations(scatter: Floats, n: float) -> Floats:
    """Return the square roots of a scatter's diagonal divided by n, 1 where a column does not vary."""
    sd = np.sqrt(np.diag(scatter) / n)
    return np.where(sd > 0, sd, 1.0)


def _uncounted(what: str) -> InputError:
    return InputError(
        f"The parameters that {what} leaves free cannot be counted for this likelihood, so there is no AIC or BIC of it; use "
        "likelihood='joint' with shrinkage, or fit without."
    )
