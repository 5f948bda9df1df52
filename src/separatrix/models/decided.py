"""A classifier whose predictions obey a decision: costs, rejection, new priors. Nothing is refitted."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..abilities import Abilities, abilities_of
from ..arguments import KnownParameters
from ..array_types import Floats
from ..data.source import Source
from ..decisions.actions import factors_of
from ..decisions.decision import Decision
from ..decisions.priors import check_priors, prior_odds, require_priors
from ..errors import InputError
from .goodness_of_fit import labels_of_rows, labels_of_table, share_of
from .inner_estimator import or_logistic, require_posteriors
from .registry import require_model, restored, state_of
from .state import State, pack


def with_decision(self: Any, decision: Decision, trained_priors: Any = None) -> DecidedClassifier:
    """Return a classifier whose predictions obey a decision; this model stays as it is and nothing is refitted.

    Classifiers with posteriors adopt this function as a method.

    Parameters
    ----------
    decision : Decision
        Costs, the cost of rejecting, new priors.
    trained_priors : (K,), optional
        Class shares of the training, needed for new priors where the model does not know them.

    Examples
    --------
    >>> from separatrix import Decision, LinearDiscriminantAnalysis
    >>> model = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [2.0], [3.0]], ["well", "well", "ill", "ill"])
    >>> model.predict([[1.6]]).tolist(), model.with_decision(Decision([[0, 1], [99, 0]])).predict([[1.6]]).tolist()
    (['ill'], ['well'])
    """
    check_is_fitted(self)
    decided = DecidedClassifier(self, decision, trained_priors)
    decided._check(self)
    return decided


class DecidedClassifier(KnownParameters, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier with a decision: `predict` takes the action of least expected cost, `predict_proba` has the new priors.

    Parameters
    ----------
    estimator : classifier, optional
        Any classifier with `predict_proba`, of this package or of scikit-learn; default LogisticRegression(). A fitted one is used as it
        is; `fit` fits a clone.
    decision : Decision, optional
        Default: the most probable class.
    trained_priors : (K,) or {label: prior}, optional
        Class shares of the training, needed for new priors where the estimator does not know them.

    Attributes
    ----------
    estimator_ : the fitted clone, after `fit`
    classes_ : (K,) labels

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from separatrix.models import DecidedClassifier
    >>> from separatrix import Decision
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> labels = DecidedClassifier(tree, Decision(reject_cost=0.05)).predict(X)
    >>> int(sum(label is None for label in labels))
    54

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, IJCAI.
    """

    def __init__(self, estimator: Any = None, decision: Decision | None = None, trained_priors: Any = None) -> None:
        self.estimator = estimator
        self.decision = decision
        self.trained_priors = trained_priors

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit a clone of the estimator.

        Parameters
        ----------
        X, y : rows and labels, or a table from `open_table` where the estimator takes one
        sample_weight : (n,) weights, optional
        """
        estimator = or_logistic(self.estimator)
        require_posteriors(estimator)
        more = {} if sample_weight is None else {"sample_weight": sample_weight}
        fitted = clone(estimator).fit(X, y, **more)
        self._check(fitted)
        self.estimator_ = fitted
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the action for each row.

        Parameters
        ----------
        X : n rows

        Returns
        -------
        actions : (n,) labels or names of actions; an array of objects with None for rejected rows where there is a reject_cost
        """
        P, rule, labels = self.predict_proba(X), self._rule(), self.classes_
        return rule.names(labels)[rule.without_priors().codes(P, labels)]

    def predict_proba(self, X: Any) -> Floats:
        """Return the posteriors under the priors of the decision, (n, K).

        Parameters
        ----------
        X : n rows
        """
        model, rule = self._fitted(), self._rule()
        if rule.priors is None:
            return np.asarray(model.predict_proba(X))
        reweighing = abilities_of(model).priors
        if self.trained_priors is None and reweighing:
            # Exact also where a posterior has been rounded to 0 or 1.
            return np.asarray(reweighing.with_priors(rule.priors).predict_proba(X))
        return rule.posteriors(model.predict_proba(X), self.classes_, require_priors(model, self.classes_, self.trained_priors))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of `predict_proba`, (n, K).

        Parameters
        ----------
        X : n rows
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def expected_costs(self, X: Any) -> Floats:
        """Return the expected cost of each action for each row, the last column for rejecting where that is an option.

        Parameters
        ----------
        X : n rows
        """
        return self.predict_proba(X) @ self._rule().table(self.classes_)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of rows whose action is their class; rejected rows count as not right.

        Parameters
        ----------
        X, y, sample_weight : rows, labels and weights; a table from `open_table` has its own
        """
        if isinstance(X, Source) and y is None and X.classes is not None:
            X = X.settled()
            y, sample_weight = labels_of_table(X)
        actions = self.predict(X).tolist()
        labels = labels_of_rows(y, len(actions)).tolist()
        return share_of(np.array([action == label for action, label in zip(actions, labels, strict=True)], dtype=bool), sample_weight)

    @property
    def classes_(self) -> NDArray[Any]:
        """(K,) labels."""
        return np.asarray(self._fitted().classes_)

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return int(self._fitted().n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns, where they have names."""
        return np.asarray(self._fitted().feature_names_in_)

    def abilities(self) -> Abilities:
        """Return what this model can do beyond fit and predict: the decision around it; held-out rows are refitted."""
        none = Abilities.none(self, "the estimator inside is fitted again on the rows that are left")
        return replace(none, decision=DecisionAround(self))

    def _rule(self) -> Decision:
        given: Any = self.decision
        if given is None or isinstance(given, Decision):
            return Decision() if given is None else given
        raise InputError(f"decision is a {type(given).__name__} and no Decision; pass separatrix.Decision(costs=…), or tuned.decision.")

    def _fitted(self) -> Any:
        if hasattr(self, "estimator_"):
            return self.estimator_
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call fit, or pass a fitted estimator.")
        return self.estimator

    def _check(self, fitted: Any) -> None:
        require_posteriors(fitted)
        self._rule().check(fitted.classes_)
        self._odds(fitted)

    def _odds(self, fitted: Any) -> Floats:
        """Return the factors on the posteriors that the new priors stand for, (K,); 1 without new priors."""
        labels, new = np.asarray(fitted.classes_), self._rule().priors
        if new is None:
            return np.ones(len(labels))
        return prior_odds(check_priors(new, labels), require_priors(fitted, labels, self.trained_priors), labels)

    def state(self) -> State:
        """Return the fitted model as arrays and plain values; the estimator must be one of this package.

        Returns
        -------
        State
            `DecidedClassifier.restore(model.state())` is the same model.
        """
        plain = {name: listed(getattr(self._rule(), name)) for name in ("costs", "reject_cost", "priors", "actions", "truths")}
        params = {"trained_priors": listed(self.trained_priors), "decision": plain}
        return pack(type(self).__name__, params, {"estimator_": state_of(self._fitted(), type(self).__name__)})

    @classmethod
    def restore(cls, state: State) -> Self:
        """Return the model that a state describes."""
        require_model(state, cls)
        model = cls(restored(state.inside["estimator_"]), Decision(**state.params["decision"]), state.params["trained_priors"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it was said when the decision was made
            model._check(model.estimator)
        return model

    def __sklearn_is_fitted__(self) -> bool:
        if hasattr(self, "estimator_"):
            return True
        if self.estimator is None:
            return False
        try:
            check_is_fitted(self.estimator)
        except (NotFittedError, TypeError):  # TypeError: what was given as the estimator is none
            return False
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        estimator = or_logistic(self.estimator)
        if isinstance(estimator, BaseEstimator):
            tags.input_tags = get_tags(estimator).input_tags
        return tags


@dataclass(frozen=True, slots=True)
class DecisionAround:
    """The ability `Decides` of a decided classifier."""

    model: DecidedClassifier
    how: ClassVar[str] = "actions of least expected cost"

    def inside(self) -> Any:
        """Return the fitted model inside."""
        return self.model._fitted()

    def log_factors(self, priors: bool = True) -> Floats | None:
        """Return log c_k where the rule is argmax_k c_k p_k of the estimator's posteriors (of the new ones if not `priors`); else None."""
        rule = self.model._rule()
        found = None if rule.actions is not None else factors_of(rule.table(self.model.classes_))
        return None if found is None else np.log(found * (self.model._odds(self.inside()) if priors else 1.0))

    def most_probable(self) -> DecidedClassifier:
        """Return the same model and priors with the most probable class for decision."""
        return DecidedClassifier(self.inside(), Decision(priors=self.model._rule().priors), self.model.trained_priors)

    def in_words(self) -> str:
        """Return the rule as a phrase."""
        rule, labels = self.model._rule(), self.model.classes_.tolist()
        cut = rule.cutoff if len(labels) == 2 else None
        words = f"{rule!r}" if cut is None else f"{labels[1]!r} where its posterior is above {cut:.4g}"
        if cut is None or rule.priors is None:
            return words
        priors = zip(labels, check_priors(rule.priors, self.model.classes_), strict=True)
        return f"{words}, under priors " + ", ".join(f"{label!r} {p:.4g}" for label, p in priors)

    def action_names(self) -> list[Any]:
        """Return the names of the actions; None stands for rejecting."""
        names: list[Any] = self.model._rule().names(self.model.classes_).tolist()
        return names

    def around(self, other: Any) -> DecidedClassifier:
        """Return the same decision around another fitted model of the same classes and the same training."""
        rule, trained = self.model._rule(), self.model.trained_priors
        if rule.priors is not None:
            own = self.inside()
            trained = require_priors(own, np.asarray(own.classes_), trained)
        return DecidedClassifier(other, rule, trained)


def listed(value: Any) -> Any:
    """Return arrays and tuples as lists, anything else as it is."""
    return value.tolist() if isinstance(value, np.ndarray) else list(value) if isinstance(value, tuple) else value
