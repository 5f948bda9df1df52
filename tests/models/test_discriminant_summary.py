from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from separatrix import ClassMoments, LinearDiscriminantAnalysis
from separatrix.errors import CapacityError, InputError, SingularWarning
from separatrix.inference.discriminant_tables import ORDER
from tests.inference.test_canonical import rows

POOLED = [name for name in ORDER if name not in ("log_determinants", "box")]


def labelled(rng: Any) -> tuple[Any, Any]:
    X, y = rows(60, 4, 3, rng)
    return pd.DataFrame(X, columns=["age", "size", "pay", "<b>"]), np.array(["ham", "junk", "spam & eggs"])[y]


def values(summary: Any, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    return {name: table.to_dict() for name, table in summary.tables.items() if name not in leave_out}


def assert_same_tables(a: Any, b: Any, leave_out: tuple[str, ...] = ()) -> None:
    a, b = values(a, leave_out), values(b, leave_out)
    assert a.keys() == b.keys()
    for name in a:
        for column in a[name]:
            x, z = np.array(a[name][column]), np.array(b[name][column])
            assert_allclose(x, z, rtol=1e-6, atol=1e-8) if x.dtype.kind in "fi" else assert_array_equal(x, z)


def test_all_tables_are_there_in_every_form(rng: Any) -> None:
    X, y = labelled(rng)
    summary = LinearDiscriminantAnalysis().fit(X, y).summary(X, y)
    assert list(summary) == list(ORDER)
    for table in summary.tables.values():
        assert table.title in summary.text and len(table.to_frame()) == len(table.to_frame("polars")) == len(table)
    assert "60 rows, 4 columns, 3 classes" in summary.text and summary._repr_html_().count("<table>") == len(ORDER)
    assert "spam &amp; eggs" in summary.html and "&lt;b&gt;" in summary.html and "<b>" not in summary.html


def test_pooled_moments_give_all_but_boxs_m(rng: Any) -> None:
    X, y = labelled(rng)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    assert list(lda.summary()) == POOLED
    assert "Box's M needs one scatter per class: summary(X, y)" in lda.summary().text
    assert_same_tables(lda.summary(), lda.summary(X, y), ("log_determinants", "box"))
    assert_same_tables(lda.summary(X, y), lda.summary(ClassMoments.from_data(X, y)))
    assert list(LinearDiscriminantAnalysis(class_weight="balanced").fit(X, y).summary()) == list(ORDER)


def test_tests_are_of_the_rows_whatever_the_model(rng: Any) -> None:
    X, y = labelled(rng)
    plain = LinearDiscriminantAnalysis().fit(X, y).summary(X, y)
    for other in (
        LinearDiscriminantAnalysis(covariance="mle"),
        LinearDiscriminantAnalysis(shrinkage=0.3),
        LinearDiscriminantAnalysis(priors=[0.1, 0.2, 0.7]),
        LinearDiscriminantAnalysis(class_weight={"ham": 3.0}),
        LinearDiscriminantAnalysis(n_components=1),
    ):
        assert_same_tables(other.fit(X, y).summary(X, y), plain, ("classes", "functions"))
    assert "shrunk by 0.3" in LinearDiscriminantAnalysis(shrinkage=0.3).fit(X, y).summary().text
    assert "Class weights enter" in LinearDiscriminantAnalysis(class_weight={"ham": 3.0}).fit(X, y).summary().text


@pytest.mark.parametrize("more", [{}, {"priors": [0.1, 0.2, 0.7]}, {"shrinkage": 0.4}, {"class_weight": "balanced"}], ids=repr)
def test_the_largest_classification_function_is_the_prediction(more: Any, rng: Any) -> None:
    X, y = labelled(rng)
    lda = LinearDiscriminantAnalysis(**more).fit(X, y)
    table = lda.summary()["functions"]
    assert table["term"] == ["(constant)", *X.columns]
    scores = np.column_stack([np.ones(60), X]) @ np.array([table[label] for label in lda.classes_]).T
    assert_array_equal(lda.classes_[scores.argmax(axis=1)], lda.predict(X))
    assert_allclose(scores - scores[:, :1], lda.decision_function(X) - lda.decision_function(X)[:, :1], atol=1e-8)


def test_two_classes_have_functions_of_both(rng: Any) -> None:
    X, y = rows(40, 3, 2, rng)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    functions = lda.summary()["functions"]
    assert_allclose(np.subtract(functions["1"], functions["0"]), [lda.intercept_[0], *lda.coef_[0]])
    assert lda.summary()["manova"]["F is"] == ["exact"] * 4 and len(set(np.round(lda.summary()["manova"]["F"], 8))) == 1


def test_raw_coefficients_are_the_models_directions(rng: Any) -> None:
    X, y = labelled(rng)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    raw, centroids = lda.summary()["raw"], lda.summary()["centroids"]
    assert_allclose(np.array([raw["axis 1"], raw["axis 2"]]).T, lda.scalings_)
    Z = lda.transform(X)
    assert_allclose([centroids["axis 1"], centroids["axis 2"]], [[Z[y == k, i].mean() for k in lda.classes_] for i in (0, 1)])


def test_weights_are_repeated_rows_or_trust(rng: Any) -> None:
    X, y = labelled(rng)
    w = rng.integers(1, 4, 60)
    again = np.repeat(np.arange(60), w)
    a = LinearDiscriminantAnalysis().fit(X, y, sample_weight=w).summary(X, y, w)
    b = LinearDiscriminantAnalysis().fit(X.iloc[again], y[again]).summary(X.iloc[again], y[again])
    assert_same_tables(a, b)
    trust = LinearDiscriminantAnalysis(weights="reliability")
    small, large = (trust.fit(X, y, sample_weight=c * w).summary(X, y, c * w) for c in (1.0, 50.0))
    assert_same_tables(small, large)
    assert "60 rows" in small.text


def test_rows_added_later_are_in_the_tables(rng: Any) -> None:
    X, y = labelled(rng)
    grown = LinearDiscriminantAnalysis().fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    assert_same_tables(grown.summary(), LinearDiscriminantAnalysis().fit(X, y).summary())
    late = LinearDiscriminantAnalysis().partial_fit(X, y, classes=[*np.unique(y), "zebra"])
    assert_same_tables(late.summary(), LinearDiscriminantAnalysis().fit(X, y).summary())


def test_redundant_columns_are_said(rng: Any) -> None:
    X, y = labelled(rng)
    wide = X.assign(sum=X["age"] + X["size"])
    with pytest.warns(UserWarning, match="no inverse"):
        lda = LinearDiscriminantAnalysis().fit(wide, y)
    summary = lda.summary(wide, y)
    assert "rank 4 of 5" in summary.text and summary["box"]["num df"] == [20.0, 20.0]
    assert_same_tables(
        summary, LinearDiscriminantAnalysis().fit(X, y).summary(X, y),
        tuple(name for name in ORDER if name not in ("manova", "dimensions", "distances", "eigenvalues", "box", "classes")),
    )  # fmt: skip
    plain = LinearDiscriminantAnalysis().fit(X, y).summary()
    for name in ("raw", "standardised_within", "functions"):
        column = summary[name].columns[1].values
        assert_allclose(np.abs(column[:-1]), np.abs(plain[name].columns[1].values), rtol=1e-6)
        assert np.isnan(column[-1]) and "determined by the columns before it: sum." in summary.text


@pytest.mark.parametrize("shrinkage", [None, "auto", 0.3])
@pytest.mark.parametrize("K", [2, 3])
def test_constant_columns_have_a_table(K: int, shrinkage: Any, rng: Any) -> None:
    y, flat = np.arange(30) % K, np.full((30, 3), 0.1)
    one = np.column_stack([flat[:, 0], rng.normal(size=30) + y])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularWarning)
        nothing, some = (LinearDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y) for X in (flat, one))
    summary = nothing.summary(flat, y)
    assert summary["manova"]["value"] == [1, 0, 0, 0] and np.isnan(summary["manova"]["F"]).all() and "rank 0 of 3" in summary.text
    terms = some.summary()["functions"]
    scores = np.array([np.array(column.values)[[0, 2]] for column in terms.columns[1:]]) @ np.stack([np.ones(30), one[:, 1]])
    assert_array_equal(scores.argmax(axis=0), some.predict(one))


def test_a_class_too_small_for_boxs_m_is_said(rng: Any) -> None:
    X, y = labelled(rng)
    own = np.r_[np.flatnonzero(y != "ham"), np.flatnonzero(y == "ham")[:3]]
    summary = LinearDiscriminantAnalysis().fit(X.iloc[own], y[own]).summary(X.iloc[own], y[own])
    assert list(summary) == POOLED and "class 'ham' (3 rows) does not vary in all of the 4 directions" in summary.text


def test_bad_input_says_what_to_do(rng: Any) -> None:
    X, y = labelled(rng)
    with pytest.raises(NotFittedError):
        LinearDiscriminantAnalysis().summary()
    lda = LinearDiscriminantAnalysis().fit(X, y)
    other = X.to_numpy() + 1.0
    for given, message in [
        ((pd.DataFrame(other, columns=X.columns), y), "not the rows this model was fitted on"),
        ((X[:30], y[:30]), "not the rows this model was fitted on"),
        ((ClassMoments.from_data(X.to_numpy()[:, :2], y),), "not the rows this model was fitted on"),
        ((ClassMoments.from_data(X, y, diagonal=True),), "cannot be turned into 'pooled'"),
        ((X, np.where(y == "ham", "hamm", y)), "'hamm', which is not a class of this model. Did you mean 'ham'"),
        ((X.where(X > 5), y), "contains NaN"),
        ((X,), "requires y"),
    ]:
        with pytest.raises(InputError, match=message):
            lda.summary(*given)


def test_models_without_tests_say_why(rng: Any) -> None:
    wide = LinearDiscriminantAnalysis(shrinkage=0.5).fit(rng.normal(size=(6, 2001)), [0, 1] * 3)
    with pytest.raises(CapacityError, match="no test between classes exists. Keep fewer columns"):
        wide.summary()
    with pytest.warns(UserWarning, match="no inverse"):
        flat = LinearDiscriminantAnalysis(covariance="mle").fit([[2, 4], [4, 6], [1, 6], [3, 8]], [1, 1, 2, 2])
    with pytest.raises(InputError, match="no class varies, involving 'x0', 'x1': Wilks' lambda is 0"):
        flat.summary()
    with pytest.warns(UserWarning, match="no inverse"):
        few = LinearDiscriminantAnalysis(covariance="mle").fit([[1.0, 2.0], [3.0, 1.0]], [0, 1])
    with pytest.raises(InputError, match="n = 2 rows of 2 class"):
        few.summary()


def test_a_class_may_have_any_name(rng: Any) -> None:
    X, y = rows(40, 3, 2, rng)
    names = np.array(["term", "column"])[y]
    summary = LinearDiscriminantAnalysis().fit(X, names).summary(X, names)
    assert list(summary["functions"].to_dict()) == ["term", "column", "term (2)"]
