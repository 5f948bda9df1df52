"""What is particular to linear discriminant analysis: shrinkage, singular covariances, wide data, numbers far from zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.covariance import ledoit_wolf, oas
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Peer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import ClassMoments, LinearDiscriminantAnalysis
from separatrix.errors import CapacityError, SingularWarning
from separatrix.thresholds import Threshold


def rows(rng: Any, n: int = 90, p: int = 5) -> tuple[Any, Any]:
    y = np.arange(n) % 3
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + (y == 2)[:, None], y


@pytest.mark.parametrize("shrinkage", [None, 0.0, 0.3, 1.0])
def test_agrees_with_scikit_learn(shrinkage: Any, rng: Any) -> None:
    X, y = rows(rng)
    ours, theirs = (
        LinearDiscriminantAnalysis(covariance="mle", shrinkage=shrinkage).fit(X, y),
        Peer(solver="lsqr", shrinkage=shrinkage).fit(X, y),
    )
    assert_allclose(ours.covariance_, theirs.covariance_)
    assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-8)
    svd = Peer().fit(X, y)
    if not shrinkage:
        assert_allclose(ours.coef_, svd.coef_, atol=1e-9)
        assert_allclose(ours.decision_function(X), svd.decision_function(X), atol=1e-8)
        assert_allclose(ours.explained_variance_ratio_, svd.explained_variance_ratio_)


@pytest.mark.parametrize(("name", "peer"), [("auto", ledoit_wolf), ("oas", oas)])
def test_automatic_shrinkage_is_that_of_the_standardised_residuals(name: Any, peer: Any, rng: Any) -> None:
    X, y = rows(rng, n=30, p=6)
    residuals = X - np.stack([X[y == k].mean(axis=0) for k in range(3)])[y]
    sd = residuals.std(axis=0)
    covariance, alpha = peer(residuals / sd, assume_centered=True)
    model = LinearDiscriminantAnalysis(shrinkage=name, covariance="mle").fit(X, y)
    assert_allclose(model.shrinkage_, alpha)
    assert_allclose(model.covariance_, covariance * sd * sd[:, None])


def test_units_do_not_matter_to_automatic_shrinkage(rng: Any) -> None:
    X, y = rows(rng)
    units = np.array([1e-3, 1.0, 50.0, 1e4, 7.0])
    for name in ("auto", "oas"):
        a, b = (LinearDiscriminantAnalysis(shrinkage=name).fit(Z, y) for Z in (X, X * units))
        assert_allclose(a.predict_proba(X), b.predict_proba(X * units), atol=1e-9)


def test_weights_shape_automatic_shrinkage_as_repetition_does(rng: Any) -> None:
    X, y = rows(rng)
    w = rng.integers(1, 4, len(y))
    again = np.repeat(np.arange(len(y)), w)
    model = LinearDiscriminantAnalysis(shrinkage="auto")
    weighted = model.fit(X, y, sample_weight=w).shrinkage_
    assert_allclose(weighted, model.fit(X[again], y[again]).shrinkage_)
    assert_allclose(weighted, model.fit(sp.csr_array(X), y, sample_weight=w).shrinkage_)
    by_class = LinearDiscriminantAnalysis(shrinkage="auto", class_weight={2: 3.0}).fit(X, y)
    assert_allclose(by_class.shrinkage_, model.fit(X, y, sample_weight=np.where(y == 2, 3.0, 1.0)).shrinkage_)


def test_collinear_columns_change_nothing_but_warn(rng: Any) -> None:
    X, y = rows(rng)
    plain = LinearDiscriminantAnalysis().fit(X, y)
    more = np.column_stack([X, X[:, 0] * 1e3 - X[:, 1], np.full(len(y), 7.0)])
    with pytest.warns(SingularWarning, match="2 direction.*column 0, column 1, column 5, column 6"):
        model = LinearDiscriminantAnalysis().fit(more, y)
    assert_allclose(model.predict_proba(more), plain.predict_proba(X), atol=1e-7)
    assert model.rank_ == 5


@pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")
def test_units_do_not_change_labels_where_rows_are_few(rng: Any) -> None:
    X, y = rng.normal(size=(12, 40)), np.arange(12) % 3
    X[y == 1, :5] += 2.0
    new = rng.normal(size=(200, 40))
    units = 10.0 ** rng.uniform(-3, 3, 40)
    a, b = (LinearDiscriminantAnalysis().fit(Z, y) for Z in (X, X * units))
    assert_array_equal(a.predict(new), b.predict(new * units))
    assert_array_equal(a.predict(X), y)


@pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")
def test_one_row_per_class_is_the_nearest_row_in_units_of_spread(rng: Any) -> None:
    X = rng.normal(size=(3, 4)) * [1, 10, 100, 1000]
    model = LinearDiscriminantAnalysis(covariance="mle").fit(X, ["a", "b", "c"])
    new = rng.normal(size=(50, 4)) * [1, 10, 100, 1000]
    nearest = np.argmin((((new[:, None] - X) / X.std(axis=0)) ** 2).sum(axis=2), axis=1)
    assert_array_equal(model.predict(new), model.classes_[nearest])


def test_a_constant_column_of_rounded_numbers_gets_no_weight(rng: Any) -> None:
    X, y = rows(rng)
    with pytest.warns(SingularWarning, match="1 direction.*involving column 5 no class varies"):
        model = LinearDiscriminantAnalysis().fit(np.column_stack([X, np.full(len(y), 0.1)]), y)
    assert_allclose(model.coef_[:, 5], 0.0, atol=1e-6)


def test_classes_a_hundred_million_deviations_apart_are_not_singular(rng: Any) -> None:
    X, y = rows(rng)
    far = X + 1e8 * (y == 1)[:, None]
    assert_allclose(LinearDiscriminantAnalysis().fit(far, y).covariance_, LinearDiscriminantAnalysis().fit(X, y).covariance_, rtol=1e-5)


def test_means_of_1e8_keep_six_digits_of_the_coefficients(rng: Any) -> None:
    X, y = rows(rng, n=3000)
    far = (X + 1e8).round(6)
    near = far - 1e8
    assert_allclose(LinearDiscriminantAnalysis().fit(far, y).coef_, LinearDiscriminantAnalysis().fit(near, y).coef_, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")
@pytest.mark.parametrize("shrinkage", [None, 0.2, "auto", "oas"])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("balanced", [None, "balanced"])
def test_wide_rows_give_what_the_covariance_gives(shrinkage: Any, convert: Any, balanced: Any, rng: Any, monkeypatch: Any) -> None:
    X, y = rng.normal(size=(25, 60)) + 3.0, np.arange(25) % 3
    X[y == 1, :5] += 2.0
    w, new = rng.integers(1, 3, 25), rng.normal(size=(30, 60)) + 3.0
    tall = LinearDiscriminantAnalysis(shrinkage=shrinkage, class_weight=balanced).fit(X, y, sample_weight=w)
    monkeypatch.setattr(Threshold, "everywhere", 10)
    found = LinearDiscriminantAnalysis(shrinkage=shrinkage, class_weight=balanced).fit(convert(X), y, sample_weight=w)
    assert_allclose(found.shrinkage_, tall.shrinkage_)
    assert_array_equal(found.predict(new), tall.predict(new))
    scale = np.abs(tall.decision_function(new)).max()
    assert_allclose(found.decision_function(convert(new)) / scale, tall.decision_function(new) / scale, atol=1e-9)
    assert_allclose(np.abs(found.transform(new)), np.abs(tall.transform(new)), rtol=1e-6, atol=1e-6 * np.abs(tall.transform(new)).max())


def test_wide_models_say_what_they_cannot_do(rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", 10)
    X, y = rng.normal(size=(12, 20)), np.arange(12) % 2
    model = LinearDiscriminantAnalysis(shrinkage=0.1).fit(X, y)
    for action in (lambda: model.log_density(X), lambda: model.sample(2), lambda: model.partial_fit(X, y), lambda: model.forget(X, y)):
        with pytest.raises(CapacityError, match="fitted in the span of its rows, because 20 columns exceed the rows"):
            action()


def test_reliability_weights_only_matter_relative_to_each_other(rng: Any) -> None:
    X, y = rows(rng)
    w = rng.random(len(y))
    a, b = (LinearDiscriminantAnalysis(weights="reliability").fit(X, y, sample_weight=c * w) for c in (1.0, 17.0))
    assert_allclose(a.predict_joint_log_proba(X), b.predict_joint_log_proba(X))
    plain = LinearDiscriminantAnalysis(weights="reliability").fit(X, y)
    assert_allclose(plain.covariance_, LinearDiscriminantAnalysis().fit(X, y).covariance_)


def test_output_can_be_a_frame(rng: Any) -> None:
    X, y = rows(rng)
    frame = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()).set_output(transform="pandas").fit(X, y).transform(X)
    assert list(frame.columns) == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]


def test_pooled_moments_are_enough(rng: Any) -> None:
    X, y = rows(rng)
    model = LinearDiscriminantAnalysis().fit_summary(ClassMoments.from_data(X, y, pooled=True))
    assert_allclose(model.coef_, LinearDiscriminantAnalysis().fit(X, y).coef_)
