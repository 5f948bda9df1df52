"""Arguments of the wrong type are refused by name, wherever they are given."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

import separatrix as s
from separatrix.argument_types import check, check_parameters, rule_of
from separatrix.decisions import tune
from separatrix.errors import InputError

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.array([0, 1] * 6)
DAMAGED = sp.dok_array(np.eye(3))
DAMAGED._dict[99, 0] = 1.0  # as a file written by other hands may hold it

WRONG: list[tuple[Any, str]] = [
    (lambda: s.MutualInformationFilter(k=1).fit(X, Y, np.full(12, 1e200)), "sample_weight weights, too large to square in float64"),
    (lambda: s.worked("fisher", DAMAGED, [0, 1, 1]), "The sparse X is damaged"),
    (lambda: s.risk_coverage(np.full((12, 2), 1e308), Y), "Row 0 of the posteriors is no distribution: .* sums to inf"),
    (lambda: s.logic.is_separable([[1.0], [2.0, 3.0]], [0, 1]), "The rows of X are of different lengths"),
    (lambda: s.contributions(s.NearestMean().fit(X, Y), pl.LazyFrame(X)), r"X is a LazyFrame, .* pass X.collect\(\)"),
    (lambda: s.MixedNB().fit(X, Y).predict([[np.inf, 1.0]]), "X contains infinity: .* drop such rows"),
    (lambda: tune(np.eye(2)[1 - Y], Y, recall=Fraction(1, 2)), "No threshold reaches a recall of 1 ≥ 0.5"),
    (lambda: s.ForwardSelection(s.GaussianNB(), plan=[]).fit(X, Y), r"The plan \[\] holds no row out; give at least one pair"),
    (lambda: s.ForwardSelection(s.GaussianNB(), plan=[([0.5], [0.2])]).fit(X, Y), "Split 0 trains on no row of class 1"),
    (lambda: s.GaussianNB().fit(X, Y, np.tile([1e308, -1e308], 6)), "Negative values in sample_weight: row 1 has -1e.308"),
    (lambda: s.GaussianNB().fit(X, Y, np.full(12, 1e308)), "The sum of sample_weight is infinite in float64"),
    (
        lambda: s.StabilitySelection(s.AnovaFilter(k=1), threshold=Fraction(1), n_subsamples=20, random_state=0).fit(X, Y),
        "None was chosen in 100% of the subsamples",
    ),
    (lambda: s.GaussianNB(var_smoothing="").fit(X, Y), "var_smoothing='' must be a number, not of type str"),
    (lambda: s.LinearDiscriminantAnalysis(n_components=[]).fit(X, Y), r"n_components=\[\] must be a whole number or None"),
    (lambda: s.FisherDiscriminant(n_components=10**400).fit(X, Y), "n_components=1000.*… must be a whole number"),
    (lambda: s.LinearSVC(C=float("nan")).fit(X, Y), "C=nan must be a number"),
    (lambda: s.LinearSVC(loss=np.zeros(2)).fit(X, Y), "loss=array.* is not known; use one of 'squared_hinge', 'hinge'"),
    (lambda: s.Perceptron(random_state="x").fit(X, Y), "random_state='x' cannot be used to seed .*; give a whole number"),
    (lambda: s.LogisticRegression(fit_intercept="no").fit(X, Y), "fit_intercept='no' must be True or False"),
    (lambda: s.StepwiseDiscriminant(p_enter=10**400).fit(X, Y), "p_enter=.* must be a number"),
    (lambda: s.StabilitySelection(s.AnovaFilter(k=1), fraction={}).fit(X, Y), "fraction={} must be a number"),
    (lambda: s.reliability([0.5] * 12, Y, bins=[0.5]), r"bins=\[0.5\] must be a whole number"),  # type: ignore[arg-type]
    (lambda: s.separation(X, Y, fit_intercept=b"x"), "fit_intercept=b'x' must be True or False"),  # type: ignore[arg-type]
    (lambda: s.GaussianNB().fit(X, Y).sample("many"), "n='many' must be a whole number"),  # type: ignore[arg-type]
    (lambda: s.logic.majority([]), r"n=\[\] must be a whole number"),
    (lambda: s.regularisation_path(X, Y, Cs="best"), "Cs='best' does not hold real numbers; give positive numbers"),
    (lambda: s.shrinkage_path(X, Y, shrinkages="best"), r"shrinkages='best' does not hold real numbers; give numbers in \[0, 1\]"),
    (lambda: s.Perceptron().fit(X, Y, coef_init=[[1], [2, 3]]), "coef_init=.* does not hold real numbers; give an array of shape"),
    (lambda: s.Decision(priors=[0.5, 1j]), "priors=.* does not hold real numbers"),
    (lambda: s.MultinomialNB(alpha=10**400).fit(np.abs(X), Y), "alpha=.* does not hold real numbers; use 1.0"),
    (lambda: s.shrinkage_path(X, Y, plan=s.Bootstrap(3)), "A bootstrap draws rows with replacement and has no folds"),
    (lambda: s.StepwiseDiscriminant(include=0.5).fit(X, Y), "columns=0.5 are no columns; list names or numbers"),
    (lambda: s.explain(s.GaussianNB().fit(X, Y), X, y=Y, resamples=[0]), r"resamples=\[0\] must be a whole number"),  # type: ignore[list-item]
    (lambda: s.OneVsRest(s.GaussianNB(), n_jobs=0).fit(X, Y), "n_jobs=0 asks for no thread"),
    (lambda: s.GaussianNB().fit(X, Y).aic(X, Y, likelihood=X), "likelihood=array"),
    (lambda: s.AnovaFilter(k=1).fit(X, Y).inverse_transform(X), "X cannot be used: X has a different shape .*; give the 1 columns kept"),
    (lambda: s.AnovaFilter(k=1).fit(X, Y).get_feature_names_out(["a"]), "input_features cannot be used: .*; give the names of all columns"),
    (lambda: s.AnovaFilter(k=1).fit(X, Y).get_support(X), "indices=array.* must be True or False"),
    (lambda: s.Hyperplane([1.0], 0.0).angle(3), "other of type int is no Hyperplane"),  # type: ignore[arg-type]
    (lambda: s.ClassMoments.from_data(X, Y).merge(3), "ClassMoments go together with ClassMoments only"),  # type: ignore[arg-type]
    (lambda: next(s.KFold(2).split(3.5)), "X of type float holds no rows"),
    (lambda: s.logic.AND.formula(["a"]), "a list of 2 names is needed"),
    (lambda: s.Hyperplane([1.0], 0.0).equation(3), "names=3 cannot be used; a list of 1 names"),  # type: ignore[arg-type]
    (lambda: s.Hyperplane([1.0], 0.0).same_boundary(s.Hyperplane([1.0], 0.0), rtol=-1), "rtol=-1 .* must be at least 0"),
    (lambda: s.Moments.from_data(X).subtract(3), "Moments go together with Moments only"),  # type: ignore[arg-type]
    (lambda: s.Decision().check(3), "classes=3 is no list of labels"),
    (lambda: s.Decision(reject_cost=10**400), "reject_cost=1.* does not hold real numbers"),
    (lambda: s.Decision(priors=[None]), "holds NaN; pass one number per class"),
    (lambda: s.net_benefit([0.5] * 12, Y, "low"), "thresholds='low' does not hold real numbers"),
    (lambda: s.net_benefit([0.5] * 12, Y, positive=np.zeros(2)), "positive=array.* is not a class"),
    (lambda: s.KFold(int).get_n_splits(), "n_splits=<class 'int'> must be a whole number"),  # type: ignore[arg-type]
    (lambda: s.Bootstrap(3, random_state="x").resamples(5), "random_state='x' is no seed"),
    (lambda: s.OneVsRest(n_jobs=10**9).fit(X, Y), "n_jobs=1000000000 must be at most 10000"),
    (lambda: s.ForwardSelection(s.GaussianNB(), n_jobs=False).fit(X, Y), "n_jobs=0 asks for no thread"),
    (lambda: s.ForwardSelection(s.GaussianNB(), plan=0.5).fit(X, Y), "plan=0.5 must be a whole number"),
    (lambda: s.FisherDiscriminant().fit(X, Y).get_feature_names_out(3), "input_features cannot be used: .*; leave it out"),
    (lambda: s.FisherDiscriminant().fit(X, Y).criterion("w"), "w='w' does not hold real numbers; give one weight per column"),
    (lambda: s.CalibratedClassifier().fit(3.5, Y), "X of type float holds no rows that can be taken by number"),
    (lambda: s.regularisation_path(s.LogisticRegression(), X), "X is a LogisticRegression, which is a model and no table; give rows"),
    (lambda: s.OneVsOne().fit(X, Y).predict(X, np.zeros(99)), "ambiguous=array.{,60}… is not known; use one of 'argmax'"),
    (lambda: s.explain(s.OneVsOne(s.LogisticRegression()).fit(X, Y), X), r"the LogisticRegression inside it, model.estimators_\[0\]"),
    (lambda: s.compare(X, Y, models=3), "models=3 holds no models"),
    (lambda: s.LeastSquaresClassifier(coding="numbers", numbers="ab").fit(X, Y), "numbers='ab' does not hold real numbers; give one"),
    (lambda: s.evaluate(s.GaussianNB(), X, Y, plan=3, metrics=int), "is not a metric; give a name such as 'error'"),
    (lambda: s.permutation_test(s.GaussianNB(), X, Y, statistic=[]), r"\[\] is not one metric"),
    (lambda: s.evaluate(s.GaussianNB(), X, Y, exact=X), "exact=array.* must be True or False"),  # type: ignore[arg-type]
    (lambda: s.evaluate(s.GaussianNB(), [[1.0], [2.0, 3.0]], [0, 1]), "The rows of X are of different lengths"),
    (lambda: s.explain(s.GaussianNB().fit(X, Y), X, regions=int), "does not name two columns"),
    (lambda: s.AnovaFilter(k=1).fit(np.array([[(1, 2), 1.0], [1.0, 2.0]], dtype=object), [0, 1]), "X holds"),
    (lambda: s.LogisticRegression().fit(X, np.arange(12) % 4).summary(1e200 * X, np.arange(12) % 4), "rescale the columns of X"),
    (lambda: s.LinearDiscriminantAnalysis().fit(X, Y).predict(X, rank="1"), "rank='1' must be a whole number"),  # type: ignore[arg-type]
    (lambda: s.explain(s.GaussianNB().fit(X, Y), X, row=0, fixed=0), "fixed=0 must be a list of columns"),  # type: ignore[arg-type]
    (lambda: s.explain(s.GaussianNB().fit(X, Y), X, row=0, distance=X), "distance=array"),  # type: ignore[arg-type]
    (lambda: s.logic.is_separable(np.full((4, 1), 1e308), [0, 1, 0, 1]), "beyond 4e.307.* rescale its column"),
]


@pytest.mark.parametrize(("action", "message"), WRONG, ids=[message[:40] for _, message in WRONG])
def test_wrong_types_are_named(action: Any, message: str) -> None:
    with pytest.raises((InputError, s.errors.InputTypeError), match=message):
        action()


@pytest.mark.parametrize("value", [1, 0.5, np.float32(0.5), np.int8(1), True, float("inf")])
def test_every_kind_of_number_is_a_number(value: Any) -> None:
    check(rule_of("C", "float"), value)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name in s.__all__ if hasattr(getattr(s, name), "get_params")])
def test_defaults_are_of_the_types_they_name(name: str) -> None:
    given = {"estimator": s.GaussianNB(), "selector": s.AnovaFilter(k=1)}
    needed = {key: value for key, value in given.items() if key in getattr(s, name).__init__.__annotations__}
    check_parameters(getattr(s, name)(**needed))


@pytest.mark.parametrize("curve", [s.cost_curve, s.net_benefit, s.reliability])
def test_only_ratios_of_weights_count_where_rows_are_judged(curve: Any) -> None:
    given = np.linspace(0.1, 0.9, 12)
    tiny, usual = (curve(given, Y, sample_weight=np.full(12, w)) for w in (1e-300, 1.0))
    assert str(tiny) == str(usual)
