"""Classifiers that model how each class generates its rows: joint densities, posteriors, samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..abilities import Abilities, Refused
from ..argument_types import check_arguments
from ..array_types import Floats
from ..data import Block
from ..errors import InputError
from ..solvers.closed_form.discriminant import log_priors
from .base import Classifier, finite_or_none
from .posteriors import predict_log_proba, predict_proba


class GenerativeClassifier(Classifier):
    """p(x, k) = π_k p(x | k). A subclass gives `_joint(block)` = log p(x, k), `_draw(k, n, rng)` and `_class_priors()`.

    Posteriors and densities are float64 for any X: a float32 posterior cannot tell 1 from 1 − 1e-8.
    Posteriors come from `_posterior_scores(block)`: log p(x, k) up to a term that all classes share.
    """

    _reweighs = True
    predict_proba, predict_log_proba = predict_proba, predict_log_proba

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.likelihood = Refused(f"{type(self).__name__} does not count its parameters")
        return page

    def _prior_attributes(self, priors: Floats, shift: Floats) -> dict[str, Any]:
        """Return the priors under the names of this model, as given and as used: a new fit keeps them."""
        names = [name for name in ("priors", "class_prior", "priors_", "class_prior_") if hasattr(self, name)]
        found = {**super()._prior_attributes(priors, shift), **dict.fromkeys(names, priors)}
        if hasattr(self, "class_log_prior_"):
            with np.errstate(divide="ignore"):
                found["class_log_prior_"] = np.log(priors)
        return found

    def _joint(self, block: Block) -> Floats:
        raise TypeError(f"{type(self).__name__} must define _joint")

    def _posterior_scores(self, block: Block) -> Floats:
        return self._joint(block)

    def _draw(self, k: int, n: int, rng: np.random.RandomState) -> Floats:
        raise TypeError(f"{type(self).__name__} must define _draw")

    def _class_priors(self) -> Floats:
        raise TypeError(f"{type(self).__name__} must define _class_priors")

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return log p(x, k) = log π_k + log p(x | k).

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows

        Returns
        -------
        joint : (n, K)
        """
        return self._collect(X, lambda block: finite_or_none(self._joint(block)))

    def log_density(self, X: Any, label: Any = None) -> Floats:
        """Return the log density of each row, log p(x) = log Σ_k π_k p(x | k), or that within one class.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        label : a class, optional
            Return log p(x | label) instead.

        Returns
        -------
        densities : (n,)
        """
        joint = self.predict_joint_log_proba(X)
        if label is None:
            densities: Floats = logsumexp(joint, axis=1)
            return densities
        k = self._code(label)
        within: Floats = joint[:, k] - log_priors(self._class_priors())[k]
        return within

    def sample(self, n: int = 1, random_state: Any = None, label: Any = None) -> tuple[Floats, NDArray[Any]]:
        """Draw rows as the model believes they arise: a class by its prior, then x from that class.

        Parameters
        ----------
        n : int
        random_state : int, RandomState or None
        label : a class, optional
            Draw from this class only.

        Returns
        -------
        X, y : (n, p) rows and their labels
        """
        check_arguments(GenerativeClassifier.sample, locals())
        check_is_fitted(self)
        if n < 1:
            raise InputError(f"n={n}: at least one row must be drawn.")
        n, rng = int(n), check_random_state(random_state)
        priors = self._class_priors()
        codes = rng.choice(len(priors), size=n, p=priors) if label is None else np.full(n, self._code(label))
        X = np.empty((n, self.n_features_in_))
        for k in np.unique(codes):
            own = codes == k
            X[own] = self._draw(int(k), int(own.sum()), rng)
        return X, self.classes_[codes]
