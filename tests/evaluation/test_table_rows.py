"""Tables that are left where they are: what is estimated from them is what is estimated in memory, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import separatrix as sx
from separatrix.errors import InputError
from separatrix.evaluation import evaluate, learning_curve, permutation_test

pd = pytest.importorskip("pandas")

MODELS = [
    sx.LinearDiscriminantAnalysis(),
    sx.GaussianNB(),
    sx.BernoulliNB(binarize=0.3),
    sx.LogisticRegression(tol=1e-8),
    sx.OneVsRest(sx.LinearDiscriminantAnalysis()),
]
PLANS = [sx.HashFold(3), sx.HashFold(3, key="id", seed=2), sx.KFold(3, random_state=0), sx.Holdout(0.3, random_state=0)]


@pytest.fixture
def frame(rng: Any) -> Any:
    codes = rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 3)) + 0.8 * codes[:, None]
    return pd.DataFrame(X, columns=list("abc")).assign(id=[f"k{i // 2}" for i in range(300)], y=np.array(["u", "v", "w"])[codes])


@pytest.fixture
def table(frame: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=50)
    monkeypatch.setattr("separatrix.evaluation.table_rows.is_large", lambda table: True)
    return sx.open_table(tmp_path, target="y", columns=list("abc"), batch_rows=70)


@pytest.mark.parametrize("plan", PLANS, ids=repr)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_held_out_rows_are_judged_as_in_memory(model: Any, plan: Any, frame: Any, table: Any) -> None:
    X = frame[["a", "b", "c", "id"]] if getattr(plan, "key", None) else frame[["a", "b", "c"]]
    there, here = evaluate(model, table, plan=plan), evaluate(model, X, frame["y"], plan=plan)
    assert_array_equal(there.confusion, here.confusion)
    if here.posteriors is not None:
        assert_allclose(there.posteriors, here.posteriors, atol=1e-5)


def test_a_key_that_is_a_feature_is_not_shown_to_the_model(frame: Any, table: Any, tmp_path: Any) -> None:
    whole = sx.open_table(tmp_path, target="y")
    plan = sx.HashFold(3, key="id")
    assert evaluate(MODELS[0], whole, plan=plan).error == evaluate(MODELS[0], table, plan=plan).error
    by_array = evaluate(MODELS[0], frame[["a", "b", "c"]].to_numpy(), frame["y"], plan=plan, groups=frame["id"])
    assert by_array.error == evaluate(MODELS[0], table, plan=plan).error


def test_curves_permutations_and_resamples_are_those_in_memory(frame: Any, table: Any) -> None:
    model, X, y = MODELS[0], frame[["a", "b", "c"]], frame["y"]
    plan = sx.HashFold(3)
    assert_allclose(learning_curve(model, table, plan=plan).scores, learning_curve(model, X, y, plan=plan).scores)
    there, here = (permutation_test(model, *rows, plan=plan, n_permutations=9) for rows in ((table,), (X, y)))
    assert_allclose(there.permuted, here.permuted, atol=1e-12)
    assert evaluate(model, table, plan=sx.Bootstrap(5)).error == pytest.approx(evaluate(model, X, y, plan=sx.Bootstrap(5)).error)


def test_calibration_and_comparison_take_tables(frame: Any, table: Any) -> None:
    model = sx.CalibratedClassifier(sx.LinearSVC(tol=1e-10), plan=sx.HashFold(3))
    X, y = frame[["a", "b", "c"]], frame["y"]
    there, here = sx.CalibratedClassifier(**model.get_params(deep=False)).fit(table), model.fit(X, y)
    assert_allclose(there.predict_proba(table), here.predict_proba(X), atol=1e-6)
    board = sx.compare(table, plan=sx.HashFold(3), models=[sx.LinearDiscriminantAnalysis(), sx.GaussianNB()])
    assert {entry.name for entry in board} == {"LinearDiscriminantAnalysis", "GaussianNB", "majority class"}


@pytest.mark.parametrize(
    ("model", "plan", "message"),
    [
        (make_pipeline(StandardScaler(), MODELS[0]), sx.HashFold(3), "Pipeline takes rows in memory, and this table is left where it is"),
        (MODELS[0], sx.LeaveOneOut(), "Leaving each of 300 rows out alone needs them in memory"),
        (MODELS[0], sx.HashFold(3, key="ids"), "Column 'ids' .in key. is not in the table. Did you mean 'id'"),
    ],
)
def test_what_a_table_cannot_give_is_said(model: Any, plan: Any, message: str, table: Any) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(model, table, plan=plan)
