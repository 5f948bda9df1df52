"""How well a fitted model agrees with rows: accuracy, log-likelihood, AIC and BIC.

`Classifier` takes these functions as methods (`score = score` in its body), so that they need no base class of their own. A model without
a likelihood says why it has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..abilities import offered
from ..argument_types import is_among
from ..array_types import Bools, Floats
from ..data.labels import check_labels
from ..data.opening import check_weights
from ..data.source import Source, unchanged
from ..errors import InputError, SeparatrixError, one_of
from ..inference import likelihood as criteria
from ..inference.parameters import Likelihood

if TYPE_CHECKING:
    from .base import Classifier


def score(self: Any, X: Any, y: Any = None, sample_weight: Any = None) -> float:
    """Return the share of rows whose predicted class is their label.

    Parameters
    ----------
    X : n rows, or a table from `open_table` (then y stays out)
    y : (n,) labels
    sample_weight : (n,) weights, optional

    Returns
    -------
    accuracy : float in [0, 1]
    """
    with unchanged(X):
        if isinstance(X, Source) and y is None and X.classes is not None:
            X = X.settled()
            y, sample_weight = labels_of_table(X)
        predicted = self.predict(X)
        labels = labels_of_rows(y, len(predicted))
        if _is_text(labels) != _is_text(predicted):
            raise InputError(
                f"y holds labels such as {labels[:1].tolist()[0]!r}, but the model's classes are such as "
                f"{predicted[:1].tolist()[0]!r}; give labels of the type they had in fit."
            )
        return share_of(np.asarray(labels == predicted, dtype=bool), sample_weight)


def labels_of_table(table: Source) -> tuple[NDArray[Any], Floats | None]:
    """Return the labels of a table, and its weights where it has some, from one pass that reads no more than a column of it."""
    narrow = table if table.feature_names is None else table.only([0])
    narrow = narrow if narrow.origin is None else narrow.as_columns()
    parts = list(narrow.told(lambda block: (block.codes, block.weight)))
    if not parts:
        raise table.no_rows()
    weights = [weight for _, weight in parts if weight is not None]
    return cast(NDArray[Any], table.classes)[np.concatenate([codes for codes, _ in parts])], np.concatenate(weights) if weights else None


def labels_of_rows(y: Any, n: int) -> NDArray[Any]:
    """Return labels as an array, one for each of n rows."""
    if y is None:
        raise InputError(
            "score requires y to be passed, but the target y is None: pass one label per row of X, as in score(X, y), "
            "or a table that was opened with a target."
        )
    labels = check_labels(y)
    if len(labels) != n:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: X has {n} rows, y has {len(labels)} labels. "
            "Pass one label per row."
        )
    return labels


def share_of(right: Bools, sample_weight: Any) -> float:
    """Return the weighted share of rows that are right.

    Examples
    --------
    >>> share_of(np.array([True, False]), [3, 1])
    0.75
    """
    weight = check_weights(sample_weight, len(right))
    # relative to the largest: weights of 1e308 have no sum
    return float(right.mean()) if weight is None else float(np.average(right, weights=weight / weight.max()))


def _is_text(labels: Any) -> bool:
    return bool(labels.dtype.kind in "US" or (labels.dtype.kind in "OT" and isinstance(labels[0], (str, bytes))))


def log_likelihood(
    self: Classifier, X: Any = None, y: Any = None, *, likelihood: Likelihood | None = None, sample_weight: Any = None
) -> float:
    """Return the log-likelihood of rows at the maximum-likelihood estimate from the rows that were fitted.

        joint: Σ w_i log p(x_i, y_i)        conditional: Σ w_i log p(y_i | x_i)

    Generative models maximise the joint likelihood ("conditional" is then "plug-in"), logistic regression the conditional one.

    Parameters
    ----------
    X, y : rows and their labels, or a table; default: the rows that were fitted, where the fit keeps what is needed
    likelihood : "joint" or "conditional"; default: the one this model maximises
    sample_weight : (n,) weights, optional
        Frequencies.
    """
    return _judged(self, X, y, likelihood, sample_weight)[0]


def aic(self: Classifier, X: Any = None, y: Any = None, *, likelihood: Likelihood | None = None, sample_weight: Any = None) -> float:
    """Return Akaike's information criterion, 2k − 2 log L; smaller is better.

    Compare criteria of the same rows and the same likelihood only: joint and conditional ones have nothing to do with each other. With an
    L2 penalty or shrinkage k is the effective number of parameters, with L1 the number of coefficients that are not 0.

    Parameters
    ----------
    X, y : rows and their labels, or a table; default: the rows that were fitted, where the fit keeps what is needed
    likelihood : "joint" or "conditional"; default: the one this model maximises
    sample_weight : (n,) weights, optional
        Frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import GaussianNB, LinearDiscriminantAnalysis, LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> models = [model.fit(X, y) for model in (LinearDiscriminantAnalysis(), GaussianNB())]
    >>> [(model.n_parameters_, round(model.aic(X, y), 4)) for model in models]
    [(24, 574.4075), (26, 704.1002)]
    >>> model = LogisticRegression(C=np.inf).fit(X[50:], y[50:])  # versicolor and virginica; setosa can be separated
    >>> model.n_parameters_, round(model.aic(), 4)
    (5, 21.8985)

    References
    ----------
    Akaike (1974), A new look at the statistical model identification, IEEE Trans. Automatic Control 19.
    """
    log_l, _, k = _judged(self, X, y, likelihood, sample_weight)
    return criteria.aic(log_l, k)


def bic(self: Classifier, X: Any = None, y: Any = None, *, likelihood: Likelihood | None = None, sample_weight: Any = None) -> float:
    """Return Schwarz's Bayesian information criterion, k log n − 2 log L with n = Σ w; smaller is better.

    Parameters
    ----------
    X, y, likelihood, sample_weight : as in `aic`

    References
    ----------
    Schwarz (1978), Estimating the dimension of a model, Annals of Statistics 6.
    """
    log_l, n, k = _judged(self, X, y, likelihood, sample_weight)
    return criteria.bic(log_l, k, n)


def n_parameters(self: Classifier) -> float:
    """Number of parameters of the likelihood the model maximises, k in AIC and BIC; where shrunk, the effective number."""
    check_is_fitted(self)
    try:
        return offered(self.abilities().likelihood).parameters()
    except SeparatrixError as error:  # a property that is not there: hasattr says no, and the reason can be read
        raise AttributeError(f"{type(self).__name__} has no n_parameters_ here. {error}") from error


def _judged(model: Classifier, X: Any, y: Any, likelihood: Any, sample_weight: Any) -> tuple[float, float, float]:
    """Return log L, n and k."""
    part = offered(model.abilities().likelihood)
    check_is_fitted(model)
    wanted = part.default if likelihood is None else likelihood
    if not is_among(wanted, ("joint", "conditional")):
        raise one_of("likelihood", wanted, ["joint", "conditional"])
    if X is None and (y is not None or sample_weight is not None):
        raise InputError(
            f"likelihood={wanted!r} needs rows and labels here: aic(X, y, likelihood={wanted!r}). y and sample_weight belong to rows; pass "
            "nothing at all for the rows that were fitted."
        )
    return part.judge(None if X is None else model._rows_of_fit(X, y, sample_weight), wanted)
