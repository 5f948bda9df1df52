"""Why one row is decided as it is: distances, flips, neighbours, and what is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import (
    FisherDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    NearestMean,
    OneVsRest,
    QuadraticDiscriminantAnalysis,
    explain,
)
from separatrix.errors import InputError, InputTypeError, UnknownNameError

FRAME = load_iris(as_frame=True).data.rename(columns=lambda name: name.removesuffix(" (cm)"))
X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
LINEAR = [
    LinearDiscriminantAnalysis(),
    NearestMean(),
    LogisticRegression(),
    LinearSVC(),
    OneVsRest(FisherDiscriminant()),
    make_pipeline(StandardScaler(), PeerLogistic()),
]


@pytest.mark.parametrize("model", LINEAR, ids=lambda m: type(m).__name__)
def test_the_parts_fit_together(model: Any) -> None:
    model.fit(X, NAMES)
    for row in (0, 70, 133):
        why = explain(model, X, row, reference=X)
        scores = dict(zip(model.classes_, model.decision_function(X[[row]])[0]))
        assert why.predicted == model.predict(X[[row]])[0]
        assert why.score == pytest.approx(scores[why.predicted] - scores[why.against])
        assert why.score == pytest.approx(why.base + why.contributions.sum())
        assert why.distance == pytest.approx(np.linalg.norm(why.values - why.nearest))
        assert_allclose(why.boundary.score(why.nearest), 0.0, atol=1e-8)
        assert_allclose(why.gradient, why.boundary.w)


@pytest.mark.parametrize("model", LINEAR, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("distance", ["standardised", "euclidean"])
def test_a_flip_changes_the_prediction_and_nothing_smaller_does(model: Any, distance: Any, rng: Any) -> None:
    model.fit(X, NAMES)
    spread = X.std(axis=0, ddof=1) if distance == "standardised" else np.ones(4)
    bounds = {2: (1.0, 7.0), 3: (0.1, 2.5)}
    for row in (0, 70, 133):
        flip = explain(model, X, row, reference=X, distance=distance, fixed=[0], bounds=bounds).flip
        assert flip.found and flip.change[0] == 0 and 1.0 <= flip.point[2] <= 7.0 and 0.1 <= flip.point[3] <= 2.5
        assert model.predict(flip.point[None])[0] == flip.label != model.predict(X[[row]])[0]
        assert flip.cost == pytest.approx(np.linalg.norm(flip.change / spread))
        away = rng.normal(size=(2000, 4)) * [0, 1, 1, 1]
        near = X[row] + away / np.linalg.norm(away, axis=1, keepdims=True) * flip.cost * spread * 0.999
        inside = (near[:, 2] >= 1.0) & (near[:, 2] <= 7.0) & (near[:, 3] >= 0.1) & (near[:, 3] <= 2.5)
        assert (model.predict(near[inside]) == model.predict(X[[row]])[0]).all()


def test_a_flip_into_a_given_class_beats_all_others() -> None:
    model = LinearDiscriminantAnalysis().fit(X, NAMES)
    for row, to in ((0, "virginica"), (133, "setosa"), (70, "setosa")):
        flip = explain(model, X, row, to=to).flip
        assert flip.found and flip.label == to == model.predict(flip.point[None])[0]
        assert flip.cost >= explain(model, X, row).flip.cost


def test_a_flip_that_the_bounds_forbid_says_how_far_it_gets() -> None:
    model = LinearDiscriminantAnalysis().fit(FRAME, NAMES)
    row = FRAME.iloc[0]
    flip = explain(model, FRAME, 0, change=["petal length"], bounds={"petal length": (0, row["petal length"] + 1)}).flip
    assert not flip.found and flip.label == "versicolor" and flip.point[2] == pytest.approx(row["petal length"] + 1)
    scores = model.decision_function(FRAME.iloc[[0]].assign(**{"petal length": flip.point[2]}))[0]
    assert flip.shortfall == pytest.approx(scores[0] - scores[1])
    said = "No change within the bounds changes the decision: with petal length [+]1 to 2.4 the score of 'versicolor' still lacks"
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(str(flip))
    still = explain(model, FRAME, 0, to="virginica", bounds={name: (value, value) for name, value in row.items()}).flip
    assert not still.found and still.label == "virginica" and "nothing that may change matters" in str(still)


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), GaussianNB()], ids=lambda m: type(m).__name__)
def test_labels_of_a_frame_are_python_objects(model: Any) -> None:
    labels = NAMES.astype(object)
    why, plain = explain(model.fit(FRAME, labels), FRAME, 70, (FRAME, labels)), explain(model.fit(X, NAMES), X, 70, (X, NAMES))
    assert (why.predicted, why.against) == (plain.predicted, plain.against)
    assert why.flip is None or why.flip.label == plain.flip.label
    assert why.score == pytest.approx(plain.score)


def test_unit_is_log_odds_only_where_posteriors_say_so() -> None:
    units = {type(m).__name__: explain(m.fit(X, Y), X, 70).unit for m in (*LINEAR, GaussianNB(), QuadraticDiscriminantAnalysis())}
    assert units.pop("OneVsRest") == units.pop("LinearSVC") == units.pop("NearestMean") == "score"
    assert set(units.values()) == {"log-odds"}


def test_posteriors_and_log_odds_agree() -> None:
    for model in (GaussianNB(), QuadraticDiscriminantAnalysis(), LinearDiscriminantAnalysis()):
        why = explain(model.fit(X, NAMES), X, 70)
        assert np.log(why.posteriors[why.predicted] / why.posteriors[why.against]) == pytest.approx(why.score)


@pytest.mark.parametrize("model", [GaussianNB(), QuadraticDiscriminantAnalysis()], ids=lambda m: type(m).__name__)
def test_curved_models_have_a_gradient_and_say_what_they_lack(model: Any) -> None:
    model.fit(X, NAMES)
    why = explain(model, X, 70)
    step = 1e-6 * np.eye(4)
    logs = [model.predict_log_proba(X[70] + sign * step) for sign in (1, -1)]
    a, b = model.classes_.tolist().index(why.predicted), model.classes_.tolist().index(why.against)
    numeric = ((logs[0] - logs[1])[:, a] - (logs[0] - logs[1])[:, b]) / 2e-6
    assert_allclose(why.gradient, numeric, rtol=1e-5)
    assert why.flip is why.nearest is why.distance is None and "The boundary is not flat" in why.text
    with pytest.raises(InputError, match="has boundaries that are not flat; to, change, fixed and bounds need a linear model"):
        explain(model, X, 70, fixed=[1])


def test_similar_rows_are_near_in_the_models_metric() -> None:
    model = LinearDiscriminantAnalysis().fit(X, NAMES)
    table = explain(model, X, 70, (X, NAMES), neighbours=6).similar
    inverse = np.linalg.inv(model.covariance_)
    distances = np.sqrt(np.einsum("ij,jk,ik->i", X - X[70], inverse, X - X[70]))
    assert table["row"] == np.argsort(distances, kind="stable")[:6].tolist()
    assert_allclose(table["distance"], np.sort(distances)[:6], atol=1e-9)
    assert table["class"][0] == "versicolor" and table["predicted"][0] == "virginica"
    for other in (GaussianNB(), QuadraticDiscriminantAnalysis(), NearestMean(), FisherDiscriminant(), PeerLogistic(max_iter=999)):
        found = explain(other.fit(X, NAMES), X, 70, X).similar
        assert found["row"][0] == 70 and found["distance"][0] == 0 and len(found) == 5


def test_what_is_said_and_shown() -> None:
    model = LinearDiscriminantAnalysis().fit(FRAME, NAMES)
    why = explain(model, FRAME, 70, (FRAME, NAMES))
    assert why.text.startswith("Row 70: 'virginica' rather than 'versicolor'\n") and str(why) == why.text == repr(why)
    assert "log-odds of 'virginica' against 'versicolor': 1.081 = -14.92 at the mean row + 16 from the columns" in why.text
    assert "Smallest change that makes it 'versicolor': petal length" in why.text
    assert why.tables["contributions"]["column"][0] == "petal width"
    rude = FRAME.rename(columns={"petal width": "<b>width"})
    html = explain(LinearDiscriminantAnalysis().fit(rude, NAMES), rude, 70)._repr_html_()
    assert "&lt;b&gt;width" in html and "<b>" not in html
    with pytest.raises(AttributeError):
        why.score = 3.0


def test_many_columns_of_real_rows() -> None:
    rows, labels = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(rows, labels)
    for row in range(0, 569, 60):
        why = explain(model, rows, row, fixed=range(10), bounds=dict.fromkeys(range(30), (0.0, None)))
        assert why.flip.found and (why.flip.point >= 0).all() and not why.flip.change[:10].any()


def test_bad_input_is_named() -> None:
    model = LinearDiscriminantAnalysis().fit(FRAME, NAMES)
    for bad in (150, -151):
        with pytest.raises(InputError, match=f"row={bad} is not a row of X, which has 150: use 0 to 149"):
            explain(model, FRAME, bad)
    with pytest.raises(InputTypeError, match="row='first' must be the number of a row of X"):
        explain(model, FRAME, "first")
    with pytest.raises(UnknownNameError, match="fixed names the column 'petal lenght', which is not in X. Did you mean 'petal length'"):
        explain(model, FRAME, 0, fixed=["petal lenght"])
    with pytest.raises(UnknownNameError, match="bounds names the column 'sepal with'.* Did you mean 'sepal width'"):
        explain(model, FRAME, 0, bounds={"sepal with": (0, 1)})
    with pytest.raises(InputTypeError, match=r"fixed='petal width' must be a list of columns; write fixed=\['petal width'\]"):
        explain(model, FRAME, 0, fixed="petal width")
    with pytest.raises(InputTypeError, match=r"bounds\['sepal width'\]=3 must be \(lower, upper\)"):
        explain(model, FRAME, 0, bounds={"sepal width": 3})
    with pytest.raises(InputError, match=r"bounds\['sepal width'\]=\(3, 1\) hold no number"):
        explain(model, FRAME, 0, bounds={"sepal width": (3, 1)})
    with pytest.raises(InputError, match="No column may change"):
        explain(model, FRAME, 0, fixed=list(FRAME.columns))
    with pytest.raises(InputError, match="distance='manhattan' is not known"):
        explain(model, FRAME, 0, distance="manhattan")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="to='setosa' is what the row is predicted to be already"):
        explain(model, FRAME, 0, to="setosa")
    with pytest.raises(InputError, match="against='setosa' is what the row is predicted to be; name another class"):
        explain(model, FRAME, 0, against="setosa")
    with pytest.raises(InputError, match="reference has 150 rows and 3 labels"):
        explain(model, FRAME, 0, (FRAME, [0, 1, 2]))
    with pytest.raises(InputError, match="reference has 2 columns; the model was fitted on 4"):
        explain(model, FRAME, 0, FRAME.iloc[:, :2])
    with pytest.raises(InputError, match="X is missing: pass the rows"):
        explain(model, row=0)


def test_what_is_no_fitted_model_is_named() -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        explain(LinearDiscriminantAnalysis(), X, 0)
    with pytest.raises(InputTypeError, match="model=LinearDiscriminantAnalysis is not a fitted classifier; pass one"):
        explain(LinearDiscriminantAnalysis, X, 0)
    with pytest.raises(InputTypeError, match="StandardScaler has no classes_, so it is not a classifier"):
        explain(StandardScaler().fit(X), X, 0)
