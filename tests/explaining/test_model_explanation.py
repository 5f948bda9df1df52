"""What a model has learned: intervals, stability, words, groups, regions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import FisherDiscriminant, GaussianNB, KFold, LinearDiscriminantAnalysis, LogisticRegression, OneVsOne, OneVsRest, explain
from separatrix.errors import InputError, InputTypeError, UnknownNameError
from separatrix.inference.collinearity import collinear_groups

FRAME = load_iris(as_frame=True).data.rename(columns=lambda name: name.removesuffix(" (cm)"))
X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


def test_intervals_of_a_likelihood_are_those_of_its_summary() -> None:
    model = LogisticRegression(C=np.inf).fit(FRAME[50:], NAMES[50:])
    table, summary = explain(model, FRAME[50:]).coefficients, model.summary()["coefficients"]
    for column in ("estimate", "lower 95 %", "upper 95 %"):
        assert_allclose(table[column], summary[column][1:])
    assert_allclose(table["per std. dev."], model.coef_[0] * X[50:].std(axis=0, ddof=1))


def test_folds_are_refits_without_them() -> None:
    model = LinearDiscriminantAnalysis().fit(X[50:], Y[50:])
    found = explain(model, X[50:], y=Y[50:], resamples=0, random_state=3)
    expected = [LinearDiscriminantAnalysis().fit(X[50:][t], Y[50:][t]).coef_ for t, _ in KFold(5, random_state=3).split(X[50:], Y[50:])]
    assert_allclose(found.folds.weights, expected)
    assert_allclose(found.coefficients["std. dev. over folds"], np.std(expected, axis=0, ddof=1)[0])
    assert found.coefficients["same sign"] == ["5 of 5"] * 4 and "No intervals" in found.text


def test_bootstrap_intervals_are_near_walds() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(800, 2))
    labels = rng.random(800) < 1 / (1 + np.exp(-rows @ [1.0, -2.0]))
    exact = explain(LogisticRegression(C=np.inf).fit(rows, labels)).coefficients
    table = explain(LogisticRegression(C=1e6).fit(rows, labels), rows, y=labels, resamples=200).coefficients
    for side in ("lower 95 %", "upper 95 %"):
        assert_allclose(table[side], exact[side], atol=0.1)


def test_boundaries_in_words() -> None:
    model = FisherDiscriminant().fit([[3, 2], [5, 2], [1, 4], [3, 6]], ["a", "a", "b", "b"])
    assert explain(model).boundaries == ("class 'b' where −2.5·x0 + 4·x1 > 6.5",)
    assert (
        explain(LinearDiscriminantAnalysis().fit(FRAME, NAMES)).boundaries[2].startswith("class 'virginica' rather than 'versicolor' where")
    )


def test_collinear_groups() -> None:
    rng = np.random.default_rng(1)
    a, b, c, d, noise = rng.normal(size=(5, 200))
    columns = np.stack([a, b, a - b + 0.01 * noise, c, d, d + 0.01 * noise**2, np.ones(200)])
    assert collinear_groups(np.cov(columns)) == [[0, 1, 2], [4, 5]]
    assert collinear_groups(np.cov(np.stack([a, b, a + b]))) == [[0, 1, 2]]
    assert collinear_groups(np.zeros((2, 2))) == []


def test_regions_of_two_columns_are_predictions() -> None:
    model = LinearDiscriminantAnalysis().fit(FRAME, NAMES)
    regions = explain(model, FRAME, regions=("petal length", "sepal width"), grid=30).regions
    rows = FRAME.mean().to_frame().T.loc[[0] * 900].reset_index(drop=True)
    rows["petal length"], rows["sepal width"] = np.tile(regions.x, 30), np.repeat(regions.y, 30)
    assert_array_equal(regions.labels.ravel(), model.predict(rows))
    top = np.sort(model.predict_proba(rows), axis=1)
    assert_array_equal(regions.ambiguous.ravel(), top[:, 2] - top[:, 1] < 0.2)
    assert regions.held.keys() == {"sepal length", "petal width"} and sum(regions.table["share"]) == pytest.approx(1.0)


def test_regions_of_the_fisher_plane_are_those_of_the_scores() -> None:
    model = LinearDiscriminantAnalysis().fit(X, NAMES)
    regions = explain(model, X, y=NAMES, regions="fisher", grid=20, resamples=0, folds=0).regions
    flat = regions.rows.reshape(-1, 4)
    back = np.abs(model.transform(flat))  # up to the sign of each direction
    points = np.abs(np.stack(np.meshgrid(regions.x, regions.y), axis=-1).reshape(-1, 2))
    assert_allclose(back, points, atol=1e-9)
    assert_array_equal(regions.labels.ravel(), model.predict(flat))


def test_ambiguous_regions_of_machines_are_their_own() -> None:
    for model in (OneVsRest(LinearDiscriminantAnalysis()), OneVsOne(LinearDiscriminantAnalysis())):
        found = explain(model.fit(FRAME, NAMES), FRAME, regions=(0, 1), grid=15)
        flat = found.regions.rows.reshape(-1, 4)
        assert_array_equal(found.regions.ambiguous.ravel(), model.fit(X, NAMES).ambiguous(flat))
        assert (found.coefficients is None) == isinstance(model, OneVsOne)


def test_a_model_without_rows_says_what_it_can() -> None:
    text = explain(LinearDiscriminantAnalysis().fit(FRAME, NAMES)).text
    assert text.startswith("What LinearDiscriminantAnalysis has learned\n") and "per std. dev." in text and "No intervals" in text
    assert "not linear in the columns" in explain(GaussianNB().fit(X, Y)).text
    piped = explain(make_pipeline(StandardScaler(), PeerLogistic()).fit(FRAME, NAMES))
    inner = piped.coefficients["per std. dev."]
    assert_allclose(inner[:4], (lambda c: c[1] - c[0])(make_pipeline(StandardScaler(), PeerLogistic()).fit(X, Y)[-1].coef_))
    assert "<table>" in piped._repr_html_() and str(piped) == piped.text


def test_warnings_of_refits_are_counted() -> None:
    rows = np.column_stack([X[50:], X[50:, 0]])
    with pytest.warns(UserWarning, match="no inverse"):
        model = LinearDiscriminantAnalysis().fit(rows, Y[50:])
    found = explain(model, rows, y=Y[50:], resamples=3)
    assert found.notes[0].startswith("5 of 5 refits warned; the first: The covariance has no inverse")


def test_bad_input_is_named() -> None:
    model = LinearDiscriminantAnalysis().fit(FRAME, NAMES)
    with pytest.raises(InputError, match="level=95 must be a number between 0 and 1"):
        explain(model, level=95)
    with pytest.raises(InputError, match="y without X"):
        explain(model, y=NAMES)
    with pytest.raises(InputError, match="X has 150 rows and y has 149 labels"):
        explain(model, FRAME, y=NAMES[1:])
    with pytest.raises(InputError, match="y has the classes .* pass the rows and labels that the model was fitted on"):
        explain(model, FRAME, y=Y)
    with pytest.raises(InputError, match="folds=5 needs 5 rows of every class, and one has 3; use folds=3"):
        explain(model, FRAME[::17], y=NAMES[::17])
    with pytest.raises(InputError, match="folds=1"):
        explain(model, FRAME, folds=1)
    with pytest.raises(UnknownNameError, match="regions names the column 'petal'"):
        explain(model, FRAME, regions=("petal", "sepal width"))
    with pytest.raises(InputError, match="names one column twice"):
        explain(model, FRAME, regions=(0, "sepal length"))
    with pytest.raises(InputError, match="regions='fischer' is not known; use 'fisher' or two columns"):
        explain(model, FRAME, regions="fischer")
    with pytest.raises(InputError, match="regions='fisher' needs rows and labels"):
        explain(model, FRAME, regions="fisher")
    with pytest.raises(InputError, match="Two classes differ along one Fisher direction"):
        explain(LinearDiscriminantAnalysis().fit(X[50:], Y[50:]), X[50:], y=Y[50:], regions="fisher", resamples=0)
    with pytest.raises(InputTypeError, match="OneVsOne has no scores that add up"):
        explain(OneVsOne(LinearDiscriminantAnalysis()).fit(X, Y))
