"""Arguments and parameters that do not exist: an error that says what to write instead, above all to those who come from scikit-learn.

`answers_to` is for functions, `KnownParameters` for estimators.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache, wraps
from typing import Any, ClassVar, ParamSpec, Self, TypeVar

from .argument_types import check_parameters
from .errors import InputError, InputTypeError, did_you_mean

P = ParamSpec("P")
R = TypeVar("R")

PLAN = "use plan=KFold(5), LeaveOneOut() or a scikit-learn splitter"
SILENT = "long work shows a bar in a terminal by itself; leave it out"


def answers_to(**replaced: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator by which a function, or the `__init__` of a class, refuses unknown arguments in words.

    Parameters
    ----------
    replaced : what to write in place of arguments that other libraries have

    Examples
    --------
    >>> @answers_to(cv=PLAN)
    ... def judge(model, plan=None):
    ...     return plan
    >>> judge("LDA", cv=5)
    Traceback (most recent call last):
    ...
    separatrix.errors.InputTypeError: judge has no argument 'cv': use plan=KFold(5), LeaveOneOut() or a scikit-learn splitter.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        known = frozenset(parameters)
        in_order = [name for name, parameter in parameters.items() if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]

        @wraps(function)
        def checked(*args: P.args, **given: P.kwargs) -> R:
            if not known.issuperset(given):
                raise _unknown(function.__qualname__.removesuffix(".__init__"), given, known - {"self"}, replaced)
            if len(args) > len(in_order):
                raise _too_many(function.__qualname__.removesuffix(".__init__"), len(args), in_order, parameters)
            return function(*args, **given)

        return checked

    return decorate


def _unknown(name: str, given: Iterable[str], known: Set[str], replaced: Mapping[str, str]) -> InputTypeError:
    first = next(argument for argument in given if argument not in known)
    if first in replaced:
        return InputTypeError(f"{name} has no argument {first!r}: {replaced[first]}.")
    return InputTypeError(f"{name} has no argument {first!r}.{did_you_mean(first, known)} It has {', '.join(sorted(known))}.")


def _too_many(name: str, given: int, in_order: Sequence[str], parameters: Iterable[str]) -> InputTypeError:
    bound = "self" in in_order
    by_name = ", ".join(f"{other}=…" for other in parameters if other not in in_order)
    return InputTypeError(
        f"{name} takes {' and '.join(in_order[bound:])} by their place, and {given - bound} arguments were given. "
        f"Give the others by name: {by_name or 'there are none'}."
    )


COUNTERPARTS = {
    "BackwardSelection": "SequentialFeatureSelector",
    "CalibratedClassifier": "CalibratedClassifierCV",
    "DecidedClassifier": "FixedThresholdClassifier",
    "ForwardSelection": "SequentialFeatureSelector",
    "LeastSquaresClassifier": "RidgeClassifier",
    "NearestMean": "NearestCentroid",
    "OneVsOne": "OneVsOneClassifier",
    "OneVsRest": "OneVsRestClassifier",
}
"""Classes of scikit-learn that ours stand for under another name."""

_SILENT = "long work shows a bar in a terminal, and `solution_` or `status_` holds the report; leave it out"
_GAUSSIAN = {
    "solver": "every attribute is computed from one decomposition, and shrinkage needs no other solver; leave it out",
    "store_covariance": "`covariance_` is always there; leave it out",
    "tol": "directions without variance are found in the units of each column; leave it out, or use shrinkage='auto'",
    "covariance_estimator": "use shrinkage='auto' (Ledoit and Wolf), shrinkage='oas' or shrinkage=0.1",
}
_SEARCH = {
    "n_features_to_select": "use n_features=3 (a number), n_features=0.5 (a share), 'best' or '1se'",
    "tol": "the whole path is searched; choose from it by n_features='best' or '1se'",
    "scoring": "use metric='error', 'log_loss', 'roc_auc', 'aic', …",
    "cv": "use plan=KFold(5), LeaveOneOut() or a scikit-learn splitter",
    "direction": "the class says it: ForwardSelection or BackwardSelection",
}
_RIDGE = "the solution is exact, from one decomposition"

_PERCEPTRON = {
    "penalty": "a perceptron has no penalty; separatrix.LinearSVC(C=…) and LogisticRegression(C=…) have one",
    "alpha": "a perceptron has no penalty to multiply; separatrix.LinearSVC(C=…) and LogisticRegression(C=…) have one",
    "l1_ratio": "a perceptron has no penalty; separatrix.LogisticRegression(l1_ratio=…) has one",
    "verbose": _SILENT,
    "early_stopping": "learning stops at an epoch without a mistake, or by tol=…; AveragedPerceptron depends less on when it stops",
    "validation_fraction": "no rows are set aside; separatrix.evaluate(model, X, y) tells the error on held-out rows",
    "warm_start": "pass coef_init=model.coef_ and intercept_init=model.intercept_ to fit, or use partial_fit",
}

REPLACED: dict[str, dict[str, str]] = {
    "BackwardSelection": _SEARCH,
    "BatchPerceptron": _PERCEPTRON,
    "CalibratedClassifier": {
        "cv": "use plan=KFold(5), LeaveOneOut() or a scikit-learn splitter",
        "ensemble": "the estimator is fitted on all rows and the map on held-out ones, as ensemble=False does; leave it out",
        "base_estimator": "use estimator=…",
    },
    "DecidedClassifier": {
        "threshold": "use decision=Decision.threshold(0.3) or Decision(costs=[[0, 1], [5, 0]])",
        "pos_label": "costs, priors and thresholds are given by label: DecidedClassifier(model, Decision(…))",
        "response_method": "decisions weigh posteriors; separatrix.CalibratedClassifier(model) gives any model some",
    },
    "ForwardSelection": _SEARCH,
    "LeastSquaresClassifier": {
        "fit_intercept": "the intercept is always fitted and never penalised; centre nothing, leave it out",
        "copy_X": "X is never changed; leave it out",
        "max_iter": f"{_RIDGE}; leave it out",
        "tol": f"{_RIDGE}; leave it out",
        "solver": f"{_RIDGE}; leave it out",
        "positive": "coefficients of either sign are fitted; sklearn.linear_model.RidgeClassifier(positive=True) bounds them",
        "random_state": f"{_RIDGE}, and nothing is drawn; leave it out",
    },
    "LinearDiscriminantAnalysis": _GAUSSIAN,
    "LinearSVC": {
        "dual": "primal or dual is chosen from the data; `solution_.solver` and `solution_.why` say which ran and why",
        "penalty": "the penalty is always ½‖w‖²; separatrix.LogisticRegression(l1_ratio=1) fits sparse coefficients",
        "verbose": "`solution_` holds the solver's report; leave it out",
    },
    "LogisticRegression": {
        "solver": "the solver is chosen from the data; `solution_.solver` and `solution_.why` say which ran and why",
        "penalty": "use C=np.inf for no penalty, l1_ratio=0 (the default) for 'l2', l1_ratio=1 for 'l1', a number between for 'elasticnet'",
        "dual": "primal or dual is chosen from the data; leave it out",
        "multi_class": "more than two classes are always fitted together; separatrix.OneVsRest fits one model per class",
        "intercept_scaling": "the intercept is never penalised, so it needs no scaling; leave it out",
        "verbose": "`solution_` holds the solver's report; leave it out",
    },
    "NearestMean": {
        "shrink_threshold": "means are not shrunk; separatrix.AnovaFilter(k=10) keeps the columns in which they differ most",
    },
    "OneVsRest": {"verbose": _SILENT},
    "OnlinePerceptron": _PERCEPTRON,
    "QuadraticDiscriminantAnalysis": _GAUSSIAN,
}
"""What to write instead of a parameter that scikit-learn's class of the same name, or its counterpart, has and ours has not."""


class KnownParameters:
    """Base of all estimators: a parameter they do not have is refused when they are made, by a sentence with its replacement.

    `__new__` looks at the names and `__init__` keeps the signature that scikit-learn reads: once a class, not at each of the clones that
    folds are fitted by.
    """

    _known: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = list(inspect.signature(cls.__init__).parameters.values())[1:]
        cls.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
        cls._known = frozenset(p.name for p in own if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))

    def __new__(cls, *args: Any, **given: Any) -> Self:
        """Refuse parameters that do not exist."""
        if not cls._known.issuperset(given):
            raise InputTypeError(unknown_parameter(cls, given))
        return object.__new__(cls)

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        names: list[str] = super()._get_param_names()  # type: ignore[misc]
        return names

    def _check_given(self) -> None:
        """Raise an error for parameters that no data could make sense of."""
        check_parameters(self)
        self._check_params()

    def _check_params(self) -> None:
        """Raise an error for values that have the right kind and no meaning."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters.

        Parameters
        ----------
        params : by name; `estimator__C=1` sets the parameter C of the estimator inside
        """
        names = [name.partition("__")[0] for name in params]
        if not self._known.issuperset(names):
            raise InputError(unknown_parameter(type(self), names))
        model: Self = super().set_params(**params)  # type: ignore[misc]
        return model


def require_given(estimator: KnownParameters) -> None:
    """Raise an error for an estimator whose parameters no data could make sense of, as `fit` would."""
    estimator._check_given()


def unknown_parameter(cls: type, given: Any) -> str:
    """Return the sentence about the first parameter that a class does not have.

    Examples
    --------
    >>> from separatrix import GaussianNB
    >>> unknown_parameter(GaussianNB, ["prior"])
    "GaussianNB has no parameter 'prior'. Did you mean 'priors'? It has class_weight, ddof, n_jobs, priors, var_smoothing."
    """
    known = cls._known  # type: ignore[attr-defined]
    name = next(name for name in given if name not in known)
    for base in cls.__mro__:
        if name in REPLACED.get(base.__name__, {}):
            return f"{cls.__name__} has no parameter {name!r}: {REPLACED[base.__name__][name]}."
    return f"{cls.__name__} has no parameter {name!r}.{did_you_mean(name, known)} It has {', '.join(sorted(known))}."
