"""Tables that are left where they are: what is estimated from them is what is estimated in memory, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import separatrix as sx
from separatrix.errors import CancelledError, DataWarning, InputError
from separatrix.evaluation import evaluate, learning_curve, permutation_test
from separatrix.progress import Cancellation, cancellable, listening
from separatrix.thresholds import Threshold

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


def counted_reads(function: Any, *given: Any, **named: Any) -> tuple[Any, int]:
    """Return what a function returns, and how often it read all rows of a table."""
    heard: list[str] = []
    with listening(lambda event: heard.append(event.detail) if event.task == "read" and event.finished else None):
        found = function(*given, **named)
    assert all(detail.startswith("300 rows, 0 of 0 MB") for detail in heard)
    return found, len(heard)


BOOTSTRAPS = [
    sx.Bootstrap(12, random_state=1),
    sx.Bootstrap(12, draw="poisson", random_state=1),
    sx.Bootstrap(12, key="id", random_state=1),
]


@pytest.mark.parametrize("plan", BOOTSTRAPS, ids=repr)
@pytest.mark.parametrize("model", [*MODELS[:2], sx.QuadraticDiscriminantAnalysis(), sx.NearestMean()], ids=repr)
def test_all_resamples_come_from_three_passes_and_are_those_in_memory(model: Any, plan: Any, frame: Any, tmp_path: Any, table: Any) -> None:
    X = frame[["a", "b", "c", "id"]] if plan.key else frame[["a", "b", "c"]]
    brute = evaluate(model, X, frame["y"], plan=plan, exact=True)
    for batch_rows in (70, 300):
        again = sx.open_table(tmp_path, target="y", columns=list("abc"), batch_rows=batch_rows)
        found, reads = counted_reads(evaluate, model, again, plan=plan)
        assert found.method == "exact algebra" and reads == 1 + 3  # the labels, then the columns
        assert found.scores == pytest.approx(brute.scores, abs=1e-8)
        assert_allclose(found.confusion, brute.confusion)
        assert_allclose(found.per_fold["error"], brute.per_fold["error"], atol=1e-12)


@pytest.mark.parametrize("plan", [sx.HashFold(3), sx.HashFold(3, key="id"), sx.Holdout(0.3, random_state=0)], ids=repr)
@pytest.mark.parametrize("model", [MODELS[0], sx.LeastSquaresClassifier(alpha=0.5)], ids=repr)
@pytest.mark.parametrize("statistic", ["error", "balanced_accuracy"])
def test_many_permutations_come_from_two_passes(statistic: str, model: Any, plan: Any, frame: Any, table: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("separatrix.evaluation.shuffled.STRETCH", 64)
    X = frame[["a", "b", "c", "id"]] if getattr(plan, "key", None) else frame[["a", "b", "c"]]
    brute = permutation_test(model, X, frame["y"], plan=plan, statistic=statistic, n_permutations=30)
    found, reads = counted_reads(permutation_test, model, table, plan=plan, statistic=statistic, n_permutations=30)
    assert (found.method, brute.method) == ("exact algebra", "refits") and reads == 1 + 2 + 1 + 2  # labels, the model itself, folds, all
    assert_allclose(found.permuted, brute.permuted, atol=1e-12)
    assert found.p == brute.p


@pytest.mark.parametrize("metric", ["error", "balanced_accuracy", "log_loss", "brier", "auc"])
@pytest.mark.parametrize("model", [MODELS[0], sx.QuadraticDiscriminantAnalysis()], ids=repr)
def test_all_sizes_of_all_folds_come_from_two_passes(model: Any, metric: str, frame: Any, table: Any) -> None:
    given = {"plan": sx.HashFold(3), "metric": metric, "sizes": [40, 0.5, 1.0]}
    here = learning_curve(model, frame[["a", "b", "c"]], frame["y"], **given)
    there, reads = counted_reads(learning_curve, model, table, **given)
    assert (reads == 1 + 2) == (metric != "auc") and there.method == "exact algebra"
    for name in ("sizes", "scores", "training", "intervals", "per_fold"):
        assert_allclose(getattr(there, name), getattr(here, name), atol=1e-10)


def test_models_without_moments_are_refitted_with_the_same_draws(frame: Any, table: Any) -> None:
    plan, model = sx.Bootstrap(3, draw="poisson", random_state=1), sx.BernoulliNB(binarize=0.3)
    there, here = (evaluate(model, *rows, plan=plan, metrics=["error", "auc"]) for rows in ((table,), (frame[["a", "b", "c"]], frame["y"])))
    assert there.method == "refits" and there.scores == pytest.approx(here.scores, abs=1e-8)


def test_calibration_and_comparison_take_tables(frame: Any, table: Any) -> None:
    model = sx.CalibratedClassifier(sx.LinearSVC(tol=1e-10), plan=sx.HashFold(3))
    X, y = frame[["a", "b", "c"]], frame["y"]
    there, here = sx.CalibratedClassifier(**model.get_params(deep=False)).fit(table), model.fit(X, y)
    assert_allclose(there.predict_proba(table), here.predict_proba(X), atol=1e-6)
    board = sx.compare(table, plan=sx.HashFold(3), models=[sx.LinearDiscriminantAnalysis(), sx.GaussianNB()])
    assert {entry.name for entry in board} == {"LinearDiscriminantAnalysis", "GaussianNB", "majority class"}


@pytest.mark.parametrize("plan", [sx.TimeSplit("a", 3), sx.TimeSplit(None, 3), sx.TimeSplit(1, 3, gap=0.1)], ids=repr)
def test_the_past_is_trained_on_in_tables_too(plan: Any, frame: Any, table: Any) -> None:
    there, here = evaluate(MODELS[0], table, plan=plan), evaluate(MODELS[0], frame[["a", "b", "c"]], frame["y"], plan=plan)
    assert_array_equal(there.confusion, here.confusion)


def test_columns_are_as_stable_in_tables(frame: Any, table: Any) -> None:
    selector = sx.StabilitySelection(sx.CorrelationFilter(k=2), n_subsamples=5, random_state=0)
    there, here = clone(selector).fit(table), selector.fit(frame[["a", "b", "c"]], frame["y"])
    assert_allclose(there.frequencies_, here.frequencies_)
    assert there.transform(table).feature_names == tuple(here.get_feature_names_out())


STEPS = [
    (StandardScaler(), sx.LogisticRegression(tol=1e-8)),
    (StandardScaler(with_mean=False), sx.AnovaFilter(k=2), sx.LinearDiscriminantAnalysis()),
    ("passthrough", MinMaxScaler(), PolynomialFeatures(2, include_bias=False), sx.LinearDiscriminantAnalysis(shrinkage=0.1)),
    (StandardScaler(), Nystroem(n_components=20, random_state=0), sx.LinearDiscriminantAnalysis(shrinkage=0.1)),
]


@pytest.mark.parametrize("plan", [sx.HashFold(3), sx.Bootstrap(2, random_state=0)], ids=repr)
@pytest.mark.parametrize("steps", STEPS, ids=lambda steps: str(steps[-2:])[:40])
def test_steps_before_a_model_are_learned_by_passes(steps: Any, plan: Any, frame: Any, table: Any) -> None:
    model = make_pipeline(*steps)
    there, here = evaluate(model, table, plan=plan), evaluate(model, frame[["a", "b", "c"]].to_numpy(), frame["y"], plan=plan)
    if not (isinstance(plan, sx.Bootstrap) and isinstance(steps[1], Nystroem)):  # rows drawn twice are other rows by number
        assert_allclose(there.posteriors, here.posteriors, atol=1e-5)
        assert there.error == pytest.approx(here.error, abs=1e-9)


def test_families_behind_scalers_are_compared_and_the_picked_one_takes_arrays(frame: Any, table: Any) -> None:
    models = [
        (make_pipeline(StandardScaler(), sx.LogisticRegression()), {"logisticregression__C": [0.1, 1.0]}),
        "shrinkage LDA",
        "nearest mean",
    ]
    given = {"models": models, "plan": sx.HashFold(2), "tune": sx.KFold(2), "random_state": 0}
    there, here = sx.compare(table, **given), sx.compare(frame[["a", "b", "c"]], frame["y"], **given)
    assert [(entry.name, entry.value, entry.points) for entry in there] == [(entry.name, entry.value, entry.points) for entry in here]
    assert not there.failures
    assert_array_equal(there.model.predict(frame[["a", "b", "c"]]), here.model.predict(frame[["a", "b", "c"]]))


@pytest.mark.parametrize(
    ("model", "plan", "message"),
    [
        (
            make_pipeline(RobustScaler(), MODELS[0]),
            sx.HashFold(3),
            "RobustScaler learns from rows in memory, and this table is left where it",
        ),
        (make_pipeline(StandardScaler(), DecisionTreeClassifier()), sx.HashFold(3), "DecisionTreeClassifier takes rows in memory, and"),
        (MODELS[0], sx.TimeSplit("day"), "Column 'day', the time, is not among the columns of numbers that the table was opened with"),
        (MODELS[0], sx.LeaveOneOut(), "Leaving each of 300 rows out alone needs them in memory"),
        (MODELS[0], sx.HashFold(3, key="ids"), "Column 'ids' .in key. is not in the table. Did you mean 'id'"),
    ],
)
def test_what_a_table_cannot_give_is_said(model: Any, plan: Any, message: str, table: Any) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(model, table, plan=plan)


def test_text_that_stays_where_it_is_is_said(tmp_path: Any, table: Any) -> None:
    with pytest.raises(
        InputError, match=r"left where it is, where columns of numbers alone are evaluated: Column 'id' holds text. Open it with"
    ):
        sx.compare(sx.open_table(tmp_path, target="y"), plan=sx.HashFold(3))


@pytest.mark.parametrize(
    "work",
    [
        lambda table: evaluate(MODELS[0], table, plan=sx.Bootstrap(3)),
        lambda table: permutation_test(MODELS[0], table, plan=sx.HashFold(3), n_permutations=9),
        lambda table: learning_curve(MODELS[0], table, plan=sx.HashFold(3)),
    ],
    ids=["resamples", "permutations", "curve"],
)
def test_work_on_tables_can_be_cancelled(work: Any, table: Any) -> None:
    token = Cancellation()

    def hear(event: Any) -> None:
        if event.done > 100:
            token.cancel("enough")

    with cancellable(token), listening(hear), pytest.raises(CancelledError, match="enough"):
        work(table)


COLUMNS = ["age", "town", "when", "on"]


@pytest.fixture
def mixed(rng: Any) -> Any:
    codes = rng.integers(0, 3, 400)
    towns = np.array(["Ulm", "Rom", "Oslo", None], dtype=object)
    return pd.DataFrame(
        {
            "age": np.where(rng.random(400) < 0.1, np.nan, rng.normal(size=400) + codes),
            "town": towns[np.where(rng.random(400) < 0.6, codes, rng.integers(0, 4, 400))],
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, 400) + 2 * codes, unit="D"),
            "on": rng.random(400) < 0.2 + 0.2 * codes,
            "id": [f"k{i // 2}" for i in range(400)],
            "y": np.array(["u", "v", "w"])[codes],
        }
    )


@pytest.fixture(params=["parquet", "csv"])
def too_large(request: Any, mixed: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a table with text, gaps and dates of which memory is to hold no rows, known before or found out as they come."""
    path = tmp_path / f"rows.{request.param}"
    mixed.to_parquet(path, row_group_size=90) if request.param == "parquet" else mixed.to_csv(path, index=False)
    for module in ("evaluation_rows", "table_rows"):
        monkeypatch.setattr(f"separatrix.evaluation.{module}.KEPT", Threshold(0))
    return sx.open_table(path, target="y", columns=COLUMNS, batch_rows=70)


TABLES = [
    sx.LinearDiscriminantAnalysis(),
    sx.MixedNB(missing="ignore"),
    sx.TableClassifier(sx.GaussianNB()),
    make_pipeline(sx.TablePrep(drop=["on"]), sx.LogisticRegression(tol=1e-8)),
    sx.CalibratedClassifier(sx.TableClassifier(sx.LinearDiscriminantAnalysis()), plan=sx.HashFold(3)),
]
ON_TABLES = [
    sx.HashFold(3),
    sx.HashFold(3, key="id"),
    sx.Bootstrap(3, draw="poisson", random_state=0),
    sx.TimeSplit("when", 3),
    sx.TimeSplit(None, 3),
]


@pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning")
@pytest.mark.parametrize("plan", ON_TABLES, ids=repr)
@pytest.mark.parametrize("model", TABLES, ids=lambda model: repr(model)[:40])
def test_tables_of_text_gaps_and_dates_are_judged_where_they_are(model: Any, plan: Any, mixed: Any, too_large: Any) -> None:
    columns = [name for name in COLUMNS if name != "when" or not isinstance(model, sx.MixedNB)]
    if isinstance(plan, sx.TimeSplit) and plan.column is not None and "when" not in columns:
        pytest.skip("its time is a column that the model cannot read")
    given = mixed[[*columns, "id"] if getattr(plan, "key", None) else columns]
    path = too_large.files[0]
    there = evaluate(model, sx.open_table(path, target="y", columns=columns, batch_rows=70), plan=plan)
    assert_allclose(there.confusion, evaluate(model, given, mixed["y"], plan=plan).confusion, atol=1e-9)


def test_sizes_and_permutations_of_such_tables(mixed: Any, too_large: Any) -> None:
    model, X, y = sx.LinearDiscriminantAnalysis(), mixed[COLUMNS], mixed["y"]
    given = {"plan": sx.HashFold(3), "sizes": [0.5, 1.0]}
    assert_allclose(learning_curve(model, too_large, **given).scores, learning_curve(model, X, y, **given).scores, atol=1e-12)
    given = {"plan": sx.HashFold(3), "n_permutations": 4}
    assert_allclose(permutation_test(model, too_large, **given).permuted, permutation_test(model, X, y, **given).permuted, atol=1e-12)


def test_what_reads_numbers_alone_says_so_of_such_tables(too_large: Any) -> None:
    for call in (sx.compare, lambda table: sx.CalibratedClassifier(sx.GaussianNB()).fit(table)):
        with pytest.raises(InputError, match="columns of numbers alone are evaluated: Columns 'town', 'when' hold dates or text"):
            call(too_large)


def test_rows_without_a_label_are_left_out_of_such_tables(mixed: Any, too_large: Any, tmp_path: Any) -> None:
    mixed.loc[[3, 390], "y"] = None
    mixed.to_parquet(tmp_path / "gaps.parquet")
    table = sx.open_table(tmp_path / "gaps.parquet", target="y", columns=COLUMNS)
    with pytest.warns(DataWarning, match="2 of 400 rows have no label"):
        found = evaluate(TABLES[2], table, plan=sx.TimeSplit("when", 3))
    kept = mixed.dropna(subset="y")
    assert_allclose(found.confusion, evaluate(TABLES[2], kept[COLUMNS], kept["y"], plan=sx.TimeSplit("when", 3)).confusion)
