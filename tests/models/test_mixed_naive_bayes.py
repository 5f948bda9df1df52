"""MixedNB: the sum of its parts, kinds of columns, real tables, and what it refuses."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm, poisson

from separatrix import GaussianNB, open_table
from separatrix.errors import DataWarning, InputError, InputTypeError, UnknownNameError
from separatrix.models import BernoulliNB, CategoricalNB, MixedNB, MultinomialNB


def table(rng: Any, n: int = 150) -> tuple[pd.DataFrame, Any]:
    y = np.array(["no", "perhaps", "yes"])[np.arange(n) % 3]
    k = np.arange(n)[:, None] % 3
    frame = pd.DataFrame(rng.normal(size=(n, 2)) * [1, 30] + k, columns=["height", "income"])
    frame["member"] = (rng.random(n) < 0.2 + 0.3 * k[:, 0]).astype(bool)
    frame["visits"] = rng.poisson(1.0 + k[:, 0])
    frame["city"] = np.array(["Oslo", "Rome", "Wien", "Bern"])[(rng.integers(0, 3, n) + (k[:, 0] > 1)) % 4]
    return frame, y


@pytest.mark.parametrize(
    ("kind", "part"),
    [("gaussian", GaussianNB()), ("bernoulli", BernoulliNB()), ("categorical", CategoricalNB()), ("multinomial", MultinomialNB())],
)
@pytest.mark.parametrize("sparse", [False, True])
def test_columns_of_one_kind_are_that_model(kind: str, part: Any, sparse: bool, rng: Any) -> None:
    y = np.arange(90) % 3
    X = rng.integers(0, 2 if kind == "bernoulli" else 4, size=(90, 5)) * (1.5 if kind == "gaussian" else 1.0)
    w = rng.random(90)
    rows = sp.csr_array(X) if sparse else X
    ours = MixedNB(kind).fit(rows, y, w)
    part.fit(X, y, w)
    assert_allclose(ours.predict_joint_log_proba(rows), part.predict_joint_log_proba(X), rtol=1e-10)
    assert_array_equal(ours.predict(rows), part.predict(X))


def test_a_mixed_table_is_the_sum_of_its_parts(rng: Any) -> None:
    X, y = table(rng)
    model = MixedNB().fit(X, y)
    assert model.kinds_.tolist() == ["gaussian", "gaussian", "bernoulli", "poisson", "categorical"]
    city = X[["city"]].apply(lambda c: c.map({name: code for code, name in enumerate(sorted(set(c)))}))
    parts = [(GaussianNB(), X[["height", "income"]]), (BernoulliNB(), X[["member"]]), (CategoricalNB(), city)]
    joint = sum(part.fit(columns, y).predict_joint_log_proba(columns) for part, columns in parts) - 2 * model.class_log_prior_
    visits = [X.visits[y == label] for label in model.classes_]
    rates = [(own.sum() + X.visits.mean()) / (len(own) + 1) for own in visits]
    joint += np.stack([poisson.logpmf(X.visits, rate) for rate in rates], axis=1)
    assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-10)


def test_with_alpha_zero_rates_and_shares_are_exact(rng: Any) -> None:
    X, y = table(rng)
    X.loc[y == "no", "visits"] = 0
    model = MixedNB(alpha=0).fit(X[["visits", "city"]], y)
    row = pd.DataFrame({"visits": [2], "city": ["Rome"]})
    rate = X.visits[y == "yes"].mean()
    share = (X.city[y == "yes"] == "Rome").mean()
    joint = model.predict_joint_log_proba(row)
    assert_allclose(joint[0, 2], np.log(1 / 3) + poisson.logpmf(2, rate) + np.log(share))
    assert np.isneginf(joint[0, 0]) and model.predict_proba(row)[0, 0] == 0.0


def test_missing_values_are_left_out_column_by_column(rng: Any) -> None:
    X, y = table(rng)
    hole = X.astype(object).mask(rng.random(X.shape) < 0.2)
    hole = hole.assign(height=hole.height.astype(float), income=hole.income.astype(float), visits=hole.visits.astype("Int64"))
    model = MixedNB(missing="ignore").fit(hole, y)
    assert model.kinds_.tolist() == ["gaussian", "gaussian", "bernoulli", "poisson", "categorical"]
    joint = np.tile(model.class_log_prior_, (len(X), 1))
    for name in X.columns:
        known = hole[name].notna().to_numpy()
        column = X.loc[known, [name]]
        alone = MixedNB(var_smoothing=0).fit(column, y[known])
        joint[known] += np.stack([alone.log_density(column, label) for label in model.classes_], axis=1)
    assert_allclose(model.predict_joint_log_proba(hole), joint, rtol=1e-6)
    grown = MixedNB(missing="ignore").partial_fit(hole[:90], y[:90], classes=["no", "perhaps", "yes"]).partial_fit(hole[90:], y[90:])
    assert_allclose(grown.predict_joint_log_proba(hole), model.predict_joint_log_proba(hole), rtol=1e-9)
    back = grown.forget(hole[90:], y[90:])
    assert_allclose(
        back.predict_joint_log_proba(hole[:90]), MixedNB(missing="ignore").fit(hole[:90], y[:90]).predict_joint_log_proba(hole[:90])
    )


def test_frames_of_any_library_agree(rng: Any) -> None:
    X, y = table(rng)
    expected = MixedNB().fit(X, y).predict_joint_log_proba(X)
    roads = [pl.from_pandas(X), pa.Table.from_pandas(X), X.astype({"city": "category"}), X.convert_dtypes(), X.astype({"city": object})]
    for road in [*roads, pl.from_pandas(X).cast({"city": pl.Categorical})]:
        assert_allclose(MixedNB().fit(road, y).predict_joint_log_proba(road), expected)
    objects = X.to_numpy(dtype=object)
    assert_allclose(MixedNB().fit(objects, y).predict_joint_log_proba(objects), expected)
    assert_allclose(MixedNB().fit(objects.tolist(), y).predict_joint_log_proba(objects.tolist()), expected)


def test_files_of_numbers_agree(rng: Any, tmp_path: Any) -> None:
    X, y = table(rng)
    X = X.drop(columns="city").astype(float)
    X.assign(answer=y).to_parquet(tmp_path / "rows.parquet")
    rows = open_table(tmp_path / "rows.parquet", target="answer", batch_rows=40)
    model = MixedNB({"visits": "categorical"}).fit(rows)
    assert_allclose(model.predict_proba(rows), MixedNB({"visits": "categorical"}).fit(X, y).predict_proba(X))


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "jsonl"])
@pytest.mark.parametrize("batch_rows", [37, None])
def test_files_with_text_and_gaps_agree(ending: str, batch_rows: int | None, rng: Any, tmp_path: Any) -> None:
    X, y = table(rng)
    X = X.round(6).mask(rng.random(X.shape) < 0.2)
    path = tmp_path / f"rows.{ending}"
    write = {"parquet": X.assign(answer=y).to_parquet, "jsonl": partial(X.assign(answer=y).to_json, orient="records", lines=True)}
    write.get(ending, partial(X.assign(answer=y).to_csv, index=False))(path)
    rows = open_table(path, target="answer", batch_rows=batch_rows)
    frame = X.convert_dtypes()
    expected, model = MixedNB(missing="ignore").fit(frame, y), MixedNB(missing="ignore").fit(rows)
    assert model.kinds_.tolist() == expected.kinds_.tolist() and model.kinds_[-1] == "categorical"
    for given in (rows, open_table(path, columns=list(X.columns)), frame):
        assert_allclose(model.predict_joint_log_proba(given), expected.predict_joint_log_proba(frame), rtol=1e-9)
    with pytest.raises(InputError, match=r"NaN: row \d+, column '.*' is missing. Use missing='ignore'"):
        MixedNB().fit(rows)


def test_rows_of_files_without_a_label_are_left_out_and_told(rng: Any, tmp_path: Any) -> None:
    X, y = table(rng)
    labels = pd.Series(y, dtype=object).where(np.arange(len(y)) % 9 != 4)
    X.assign(answer=labels).to_csv(tmp_path / "rows.csv", index=False)
    rows, known = open_table(tmp_path, target="answer"), labels.notna().to_numpy()
    with pytest.warns(DataWarning, match=rf"{(~known).sum()} rows have no label and are left out.*as_columns\(\)\.unlabelled") as told:
        model = MixedNB().fit(rows)
    assert told[0].filename == __file__
    assert_allclose(model.predict_proba(rows), MixedNB().fit(X[known], y[known]).predict_proba(X), rtol=1e-9)


def test_dates_have_no_likelihood(rng: Any, tmp_path: Any) -> None:
    X, y = table(rng)
    X.assign(answer=y, day=pd.Timestamp("2020-01-01")).to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(InputError, match=r"Column 'day' holds dates.*columns=\[…\]"):
        MixedNB().fit(open_table(tmp_path, target="answer"))


def test_a_few_of_many_categories_are_found() -> None:
    X, y = pd.DataFrame({"code": [f"level {i // 4}" for i in range(400)]}), np.arange(400) % 2
    model = MixedNB().fit(X, y)
    with pytest.warns(DataWarning, match=r"'code' \(2 rows\)"):
        few = model.predict_joint_log_proba(pd.DataFrame({"code": ["zzz", "level 7", "a"]}))
    assert_allclose(few[1], model.predict_joint_log_proba(X)[28])
    assert_allclose(few[[0, 2]], np.log([[0.5, 0.5]] * 2))


def test_kinds_are_chosen_by_what_columns_hold(rng: Any) -> None:
    n = 400
    X = pd.DataFrame(
        {
            "measured": rng.normal(size=n),
            "switch": rng.integers(0, 2, n).astype(float),
            "count": rng.poisson(3, n),
            "count with holes": np.where(np.arange(n) < 9, np.nan, rng.poisson(3, n)),
            "year": 1990 + rng.integers(0, 30, n),
            "spread": rng.integers(0, 500, n),
            "text": np.array(list("ab"))[rng.integers(0, 2, n)],
            "flag": rng.random(n) < 0.5,
            "nothing": np.full(n, np.nan),
        }
    )
    chosen = MixedNB(missing="ignore").fit(X, np.arange(n) % 2).kinds_.tolist()
    expected = ["gaussian", "bernoulli", "poisson", "poisson", "gaussian", "gaussian", "categorical", "bernoulli", "gaussian"]
    assert chosen == expected
    given = MixedNB({"year": "categorical", "switch": "gaussian"}, missing="ignore").fit(X, np.arange(n) % 2).kinds_.tolist()
    assert given == ["gaussian", "gaussian", *expected[2:4], "categorical", *expected[5:]]


def test_rows_of_weight_zero_do_not_choose_kinds() -> None:
    X, y = np.array([[0.0], [1.0], [0.0], [1.0], [2.5]]), [0, 1, 1, 0, 1]
    model = MixedNB().fit(X, y, sample_weight=[1, 1, 1, 2, 0])
    assert model.kinds_.tolist() == ["bernoulli"]
    assert_allclose(model.predict_proba(X[:4]), MixedNB().fit(X[[0, 1, 2, 3, 3]], [0, 1, 1, 0, 0]).predict_proba(X[:4]))
    with pytest.raises(InputError, match=r"row 4, column 0 holds 2.5; name another kind: kinds=\{0: 'poisson'\}"):
        model.predict(X)


def test_an_unknown_category_says_nothing_and_is_told_once(rng: Any) -> None:
    X, y = table(rng)
    model = MixedNB().fit(X, y)
    strange = X.assign(city=np.where(np.arange(len(X)) < 5, "Lima", X.city))
    with pytest.warns(DataWarning, match=r"column 'city' \(5 rows\)") as told:
        found = model.predict_proba(strange)
    assert len(told) == 1 and told[0].filename == __file__
    others = X.drop(columns="city")
    assert_allclose(found[:5], MixedNB().fit(others, y).predict_proba(others)[:5])


def test_odds_of_columns_add_up_to_the_odds_of_the_row(rng: Any) -> None:
    X, y = table(rng)
    model = MixedNB().fit(X, y)
    odds = model.feature_log_odds("yes", "no")
    told = np.full(len(X), model.class_log_prior_[2] - model.class_log_prior_[0])
    for name, column in odds.items():
        x = X[name].to_numpy()
        if "1" in column:
            told += column.get("x²", 0.0) * x**2 + column["x"] * x + column["1"]
        else:
            told += [column[v if isinstance(v, str) else float(v)] for v in x.tolist()]
    joint = model.predict_joint_log_proba(X)
    assert_allclose(told, joint[:, 2] - joint[:, 0], atol=1e-9)


def test_samples_look_like_the_table(rng: Any) -> None:
    X, y = table(rng)
    model = MixedNB().fit(X, y)
    drawn, labels = model.sample(20_000, random_state=1)
    again = MixedNB().fit(pd.DataFrame(drawn, columns=X.columns).infer_objects(), labels)
    assert again.kinds_.tolist() == model.kinds_.tolist()
    assert_allclose(again.theta_, model.theta_, atol=1.5)
    assert_allclose(again.categorical_.exact, model.categorical_.exact, atol=0.1)
    assert_allclose(again.counted_.coef, model.counted_.coef, atol=0.1)


def test_state_holds_the_categories(rng: Any) -> None:
    X, y = table(rng)
    model = MixedNB({"visits": "categorical"}).fit(X, y)
    back = MixedNB.restore(model.state())
    assert back.state() == model.state()
    assert_array_equal(back.predict_proba(X), model.predict_proba(X))
    assert back.feature_log_odds("yes", "no") == model.feature_log_odds("yes", "no")


def test_a_class_without_a_value_in_a_column_has_the_overall_one() -> None:
    X = pd.DataFrame({"a": [1.0, 3.0, np.nan, np.nan], "c": ["u", "v", None, None]})
    model = MixedNB(missing="ignore", var_smoothing=0).fit(X, [0, 0, 1, 1])
    assert model.theta_.tolist() == [[2.0], [2.0]] and model.var_.tolist() == [[1.0], [1.0]]
    assert_allclose(np.exp(model.categorical_.exact), 0.5)
    assert_allclose(model.log_density(X[:1], 1), norm.logpdf(-1.0) + np.log(0.5))


def test_titanic_as_a_user_has_it(real_data: Any) -> None:
    X = pd.read_csv(real_data / "titanic" / "titanic_kaggle_train.csv")
    y = X.pop("Survived")
    with pytest.raises(InputError, match="row 5, column 'Age' is missing.*missing='ignore'"):
        MixedNB().fit(X.drop(columns=["Name", "Ticket", "Cabin"]), y)
    with pytest.warns(DataWarning, match="columns 'Name', 'Ticket', 'Cabin' are different from each other"):
        model = MixedNB(missing="ignore").fit(X, y)
    assert dict(zip(X.columns, model.kinds_))["SibSp"] == "poisson"
    odds = model.feature_log_odds()["Sex"]
    women, men = 233 + 1, 109 + 1  # survivors, and one more by smoothing
    assert_allclose(odds["female"], np.log(women / (342 + 2)) - np.log((81 + 1) / (549 + 2)))
    assert_allclose(odds["male"], np.log(men / (342 + 2)) - np.log((468 + 1) / (549 + 2)))


@pytest.mark.parametrize(
    ("change", "model", "error", "match"),
    [
        ({}, MixedNB({"citty": "categorical"}), UnknownNameError, "column 'citty', which is not in X. Did you mean 'city'"),
        ({}, MixedNB({"city": "category"}), InputError, "kind='category' is not known.*Did you mean 'categorical'"),
        ({}, MixedNB({"city": "bernoulli"}), InputError, "Column 'city' holds text.*use 'categorical' .for two categories"),
        ({}, MixedNB(["gaussian"]), InputTypeError, "must be a dict"),
        ({}, MixedNB({"visits": "bernoulli"}), InputError, "'bernoulli' column holds 0 and 1 only, but row .*column 'visits'"),
        ({}, MixedNB({"height": "poisson"}), InputError, "'poisson' column holds counts.*column 'height'.*'gaussian'"),
        ({}, MixedNB({"height": "multinomial"}), InputError, "'multinomial' column holds counts ≥ 0"),
        ({}, MixedNB(alpha=-0.1), InputError, "alpha=-0.1 must be ≥ 0"),
        ({}, MixedNB(alpha=[1, 1]), InputError, "must be a number"),
        ({}, MixedNB(var_smoothing=-1), InputError, "var_smoothing=-1 must be ≥ 0"),
        ({"city": None}, MixedNB(), InputError, "row 0, column 'city' is missing. Use missing='ignore'"),
        ({"born": pd.Timestamp("1990-01-01")}, MixedNB(), InputError, "Column 'born' is of type Datetime.*X.drop"),
        ({"born": date(1990, 1, 1)}, MixedNB(), InputTypeError, "Column 'born' holds objects"),
        ({"height": np.inf}, MixedNB(), InputError, "contains infinity: row 0, column 'height'"),
    ],
)
def test_bad_input_is_named(change: Any, model: Any, error: Any, match: str, rng: Any) -> None:
    X, y = table(rng)
    with pytest.raises(error, match=match):
        model.fit(X.assign(**change), y)


def test_a_column_that_changes_its_type_is_named(rng: Any) -> None:
    X, y = table(rng)
    model = MixedNB().fit(X, y)
    with pytest.raises(InputError, match="Column 'visits' held numbers .*'poisson'.* now holds text such as 'many'"):
        model.partial_fit(X.assign(visits="many"), y)
    with pytest.raises(InputError, match="Column 'city' held text .* now holds numbers"):
        model.predict(X.assign(city=3))
    with pytest.raises(InputError, match="Column 'b' mixes text and numbers, such as 'x' and 1"):
        MixedNB().fit(pd.DataFrame({"b": pd.Series([1, "x"], dtype=object)}), [0, 1])
    open_eyed = MixedNB(missing="ignore").fit(X, y)
    others = X.drop(columns="city")
    assert_allclose(open_eyed.predict_proba(X.assign(city=np.nan)), MixedNB().fit(others, y).predict_proba(others))
    texts = X.to_numpy(dtype=object)
    with pytest.raises(InputError, match="fitted on columns of text, such as column 4; X holds numbers only"):
        MixedNB().fit(texts, y).predict(np.ones((3, 5)))


def test_columns_that_do_not_vary_are_named(rng: Any) -> None:
    X = pd.DataFrame({"same": [5.5, 5.5, 5.5, 5.5], "other": rng.normal(size=4)})
    with pytest.warns(DataWarning, match="column 'same' do not vary"):
        MixedNB(var_smoothing=0).fit(X, [0, 0, 1, 1])
