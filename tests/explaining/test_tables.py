"""Explanations of tables: pipelines of encoders and vectorizers, naive Bayes on mixed columns, rows by their labels."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, OrdinalEncoder, QuantileTransformer, StandardScaler

from separatrix import DecidedClassifier, Decision, LinearDiscriminantAnalysis, LogisticRegression, MixedNB, contributions, explain
from separatrix.errors import InputError, InputTypeError, UnknownNameError

RNG = np.random.default_rng(0)
N = 120
PEOPLE = pd.DataFrame(
    {
        "age": np.where(RNG.random(N) < 0.1, np.nan, RNG.normal(40, 10, N)),
        "sex": RNG.choice(["f", "m"], N),
        "pay": RNG.normal(30.0, 10.0, N),
        "town": RNG.choice(["Bern", "Oslo", "Rome", "Ulm"], N),
    },
    index=[f"person {i}" for i in range(N)],
)
LEANING = PEOPLE["age"].fillna(40) / 10 + 2 * (PEOPLE["sex"] == "m") + 2 * (PEOPLE["town"] == "Oslo") + RNG.normal(size=N)
TWO = np.where(LEANING > 5.5, "yes", "no")
THREE = np.array(["high", "low", "middle"])[np.where(LEANING > 6.5, 0, np.where(LEANING < 4.5, 1, 2))]
NUMBERS, NAMED = ["pay", "age"], ["sex", "town"]
TEXTS = ["a good day", "a bad day", "good good night", "bad night", "a day", "good"]
MOODS = [1, 0, 1, 0, 0, 1]


def prepared(*more: Any, encoder: Any = None, model: Any = None) -> Any:
    filled = make_pipeline(SimpleImputer(), StandardScaler())
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False) if encoder is None else encoder
    return make_pipeline(make_column_transformer((filled, NUMBERS), (encoder, NAMED)), *more, model or PeerLogistic(max_iter=1000))


PIPELINES = {
    "one-hot": prepared(),
    "sparse": prepared(encoder=OneHotEncoder()),
    "dropped": prepared(encoder=OneHotEncoder(drop="first", sparse_output=False)),
    "rare": prepared(encoder=OneHotEncoder(max_categories=3, sparse_output=False)),
    "codes": prepared(encoder=OrdinalEncoder()),
    "scaled": prepared(StandardScaler()),
    "selected": prepared(SelectKBest(k=4)),
    "ours": prepared(model=LogisticRegression()),
    "discriminant": prepared(encoder=OneHotEncoder(drop="first", sparse_output=False), model=LinearDiscriminantAnalysis()),
}
CASES = pytest.mark.parametrize("model", PIPELINES.values(), ids=PIPELINES.keys())
LABELS = pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])


@CASES
@LABELS
def test_columns_of_the_table_add_up_to_the_score(model: Any, y: Any) -> None:
    scores = model.fit(PEOPLE, y).decision_function(PEOPLE)
    a, b = model.classes_[[1, 0]]
    scores = scores if scores.ndim == 1 else scores[:, 1] - scores[:, 0]
    found = contributions(model, PEOPLE, of=a, against=b)
    assert found.shape == PEOPLE.shape
    base = scores - found.sum(axis=1)
    assert_allclose(base, base[0], rtol=1e-8, atol=1e-8)
    assert_allclose(base[0], scores.mean(), rtol=1e-8, atol=1e-8)  # relative to the mean row


@CASES
@LABELS
def test_flips_move_between_levels_and_change_what_is_predicted(model: Any, y: Any) -> None:
    model.fit(PEOPLE, y)
    for row in (0, 7, 23):
        why: Any = explain(model, PEOPLE, row)
        changed = pd.DataFrame([why.flip.point], columns=PEOPLE.columns).astype({"age": float, "pay": float})
        assert why.predicted == model.predict(PEOPLE)[row]
        assert why.flip.found and model.predict(changed)[0] == why.flip.label != why.predicted
        assert set(changed["sex"]) <= {"f", "m"} and set(changed["town"]) <= set(PEOPLE["town"])
        assert why.names == ["age", "sex", "pay", "town"] and why.label == f"person {row}"
        assert why.score == pytest.approx(why.base + why.contributions.sum())


@LABELS
def test_the_smallest_change_is_the_smallest_of_all_levels(y: Any) -> None:
    model = prepared().fit(PEOPLE, y)
    for row, target in product((1, 5, 40), (None, *model.classes_)):
        if target == model.predict(PEOPLE)[row]:
            continue
        flip: Any = explain(model, PEOPLE, row, to=target, fixed=NUMBERS).flip
        reached = []
        for sex, town in product("fm", sorted(set(PEOPLE["town"]))):
            moved = PEOPLE.iloc[[row]].assign(sex=sex, town=town)
            label, changes = model.predict(moved)[0], int((moved.iloc[0][NAMED] != PEOPLE.iloc[row][NAMED]).sum())
            reached += [changes] if (label == target if target else label != model.predict(PEOPLE)[row]) else []
        assert flip.found == bool(reached) and (not reached or flip.cost == pytest.approx(np.sqrt(min(reached))))


def test_a_change_of_numbers_and_levels_together_beats_each_alone() -> None:
    model = prepared().fit(PEOPLE, TWO)
    for row in range(0, 60, 5):
        free, numbers, levels = (explain(model, PEOPLE, row, fixed=kept).flip for kept in ((), NAMED, NUMBERS))
        assert free.cost <= numbers.cost * (1 + 1e-9) and (not levels.found or free.cost <= levels.cost * (1 + 1e-9))
        assert np.isnan(free.change).sum() <= 2


@pytest.mark.parametrize(
    "steps", [[TfidfVectorizer()], [CountVectorizer(), TfidfTransformer()], [CountVectorizer(), MaxAbsScaler()]], ids=str
)
def test_words_and_what_they_add(steps: Any) -> None:
    model = make_pipeline(*steps, PeerLogistic()).fit(TEXTS, MOODS)
    found = contributions(model, TEXTS)
    assert sp.issparse(found) and found.shape == (6, len(model[0].vocabulary_))
    assert_allclose(found.sum(axis=1) + model[-1].intercept_, model.decision_function(TEXTS))
    why: Any = explain(model, TEXTS, 0, (TEXTS, MOODS))
    assert dict(zip(why.names, why.contributions))["bad"] == 0.0 and why.tables["contributions"]["column"][0] == "good"
    assert why.origin == "without a word" and why.flip is None and "read off their contributions" in why.text
    assert why.similar["row"][0] == 0 and why.similar["class"][0] == 1
    assert explain(model).coefficients.row("good")["estimate"] > 0


def test_words_beside_columns_and_in_unions() -> None:
    frame = pd.DataFrame({"text": TEXTS, "stars": [4.0, 1, 5, 2, 3, 4]})
    model = make_pipeline(make_column_transformer((TfidfVectorizer(), "text"), (StandardScaler(), ["stars"])), PeerLogistic()).fit(
        frame, MOODS
    )
    why: Any = explain(model, frame, 0)
    assert why.names[:2] == ["stars", "text: bad"] and why.flip.found and why.flip.point[0] < 4
    assert_allclose(contributions(model, frame).sum(axis=1) + why.base, model.decision_function(frame), rtol=1e-9)
    union = FeatureUnion([("words", TfidfVectorizer()), ("hashed", HashingVectorizer(n_features=8))])
    both = make_pipeline(union, PeerLogistic()).fit(TEXTS, MOODS)
    assert_allclose(contributions(both, TEXTS).sum(axis=1) + both[-1].intercept_, both.decision_function(TEXTS))


@LABELS
def test_mixed_naive_bayes_adds_up(y: Any) -> None:
    model = MixedNB(missing="ignore").fit(PEOPLE, y)
    logs, prior = model.predict_log_proba(PEOPLE), model.class_log_prior_
    found = contributions(model, PEOPLE, of=model.classes_[1], against=model.classes_[0])
    assert_allclose(found.sum(axis=1) + prior[1] - prior[0], logs[:, 1] - logs[:, 0], rtol=1e-9, atol=1e-9)
    why: Any = explain(model, PEOPLE, "person 3", (PEOPLE, y))
    assert why.predicted == model.predict(PEOPLE)[3] and why.unit == "log-odds" and why.values.tolist()[1] == PEOPLE["sex"].iloc[3]
    assert why.similar["label"][0] == "person 3" and why.similar["distance"][0] == 0.0
    assert "not linear in the columns" in explain(model, PEOPLE).text


def test_a_decision_around_a_pipeline_is_what_is_explained() -> None:
    model = prepared().fit(PEOPLE, TWO)
    decided = DecidedClassifier(model, Decision([[0, 1], [9, 0]]))
    row = int(np.flatnonzero(decided.predict(PEOPLE) != model.predict(PEOPLE))[0])
    why: Any = explain(decided, PEOPLE, row)
    assert why.predicted == "yes" and "posterior is above 0.1" in why.text
    changed = pd.DataFrame([why.flip.point], columns=PEOPLE.columns).astype({"age": float, "pay": float})
    assert decided.predict(changed)[0] == "no"
    rejecting: Any = explain(DecidedClassifier(model, Decision(reject_cost=0.4)), PEOPLE, row)
    assert "expected costs" in rejecting.text


def test_a_model_of_a_table_is_described_in_its_levels() -> None:
    model = prepared().fit(PEOPLE, TWO)
    found: Any = explain(model, PEOPLE, y=TWO, folds=3, resamples=5, regions=("age", "pay"), grid=5)
    assert found.coefficients["coefficient"] == ["age", "pay", "sex: f", "sex: m", "town: Bern", "town: Oslo", "town: Rome", "town: Ulm"]
    assert found.coefficients.row("sex: m")["same sign"] == "3 of 3" and found.groups == ()
    assert found.collinearity["column"] == ["age", "pay"] and found.regions.axes == ("age", "pay")


def test_names_come_from_the_frame_given() -> None:
    numbers = PEOPLE[["age", "pay"]].fillna(40.0)
    for model in (LinearDiscriminantAnalysis(), make_pipeline(StandardScaler(), PeerLogistic())):
        model.fit(numbers.to_numpy(), TWO)
        assert explain(model, numbers, 0, fixed=["pay"]).names == ["age", "pay"]
        assert explain(model, numbers).coefficients["coefficient"] == ["age", "pay"]
        assert explain(model, numbers.to_numpy(), 0).names == ["x0", "x1"]


def test_rows_are_found_by_label_and_both_are_said() -> None:
    numbers = PEOPLE[["age", "pay"]].fillna(40.0)
    model = LinearDiscriminantAnalysis().fit(numbers, TWO)
    why: Any = explain(model, numbers, "person 7", (numbers, TWO))
    assert (why.row, why.label) == (7, "person 7") and why.text.startswith("Row 7 ('person 7'): ")
    assert why.similar["row"][0] == 7 and why.similar["label"][0] == "person 7"
    with pytest.raises(UnknownNameError, match="row='persn 7' is not in the index of X. Did you mean 'person 7'"):
        explain(model, numbers, "persn 7")
    twice = numbers.set_axis(["a", "a", *numbers.index[2:]])
    with pytest.raises(InputError, match=r"row='a' is the label of 2 rows, at \[0, 1\]; give the position of one: row=0"):
        explain(model, twice, "a")
    table = LogisticRegression(C=np.inf).fit(numbers, TWO).summary(numbers, TWO)["influence"]
    assert table["label"] == [f"person {i}" for i in table["row"]]


def test_what_a_pipeline_cannot_take_is_named() -> None:
    model = prepared().fit(PEOPLE, TWO)
    with pytest.raises(InputError, match="The steps of the pipeline cannot take X: .*age"):
        explain(model, PEOPLE.drop(columns="age"), 0)
    with pytest.raises(InputError, match="bounds name 'sex', a column of levels"):
        explain(model, PEOPLE, 0, bounds={"sex": (0, 1)})
    with pytest.raises(InputError, match="relative to a mean row.* pass reference=X_train"):
        explain(model, PEOPLE[:1], 0)
    with pytest.raises(UnknownNameError, match="fixed names the column 'twon', which is not in X. Did you mean 'town'"):
        explain(model, PEOPLE, 0, fixed=["twon"])
    bent: Any = explain(make_pipeline(QuantileTransformer(n_quantiles=9), PeerLogistic()).fit(PEOPLE[["pay"]], TWO), PEOPLE[["pay"]], 0)
    assert bent.flip is None and "no line or level" in bent.text
    with pytest.raises(InputTypeError, match=r"Step 'pca' of the pipeline \(PCA\) does not scale or select columns one by one"):
        explain(make_pipeline(OneHotEncoder(sparse_output=False), PCA(2), PeerLogistic()).fit(PEOPLE[NAMED], TWO), PEOPLE[NAMED], 0)
