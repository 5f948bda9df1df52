"""Summaries on disk: several places give the exact joint model, files say what they are, and nothing else is merged or read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix import (
    BernoulliNB,
    CategoricalNB,
    ClassMoments,
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    Moments,
    QuadraticDiscriminantAnalysis,
    StepwiseDiscriminant,
)
from separatrix.errors import DamagedFileError, InputError, MissingFileError
from separatrix.storage import read_container, write_container
from separatrix.summaries import CategoryCounts, Counts
from tests.models.test_laws import outputs

MODELS = [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB(), LeastSquaresClassifier(), FisherDiscriminant()]


def a_frame(seed: int, n: int = 60, labels: Any = ("ham", "spam")) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    y = np.array(labels)[np.arange(n) % len(labels)]
    return pd.DataFrame(rng.integers(0, 2, (n, 3)) * 1.0, columns=["age", "pages", "tenure"]) + 0.0, y


def summaries(X: Any, y: Any) -> list[Any]:
    kinds: list[Any] = [
        ClassMoments.from_data(X, y),
        ClassMoments.from_data(X, y, pooled=True),
        ClassMoments.from_data(X, y, diagonal=True),
    ]
    return [*kinds, Counts.from_data(X, y), CategoryCounts.from_data(X, y), Moments.from_data(X)]


def same(one: Any, other: Any) -> bool:
    names = list(type(one).__dataclass_fields__)
    return type(one) is type(other) and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.parametrize("labels", [("ham", "spam"), (0, 7), (False, True), (-1.0, 2.0)])
@pytest.mark.parametrize("which", range(6))
def test_what_is_loaded_is_what_was_saved(which: int, labels: Any, tmp_path: Any) -> None:
    summary = summaries(*a_frame(0, labels=labels))[which].named(["age", "pages", "tenure"], recipe='{"columns": []}')
    summary.save(tmp_path / "a.moments")
    found = type(summary).load(tmp_path / "a.moments")
    assert same(found, summary) and found.feature_names == ("age", "pages", "tenure") and len(found.recipe) == 64


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_hospitals_fit_the_joint_model_without_sharing_a_row(model: Any, tmp_path: Any) -> None:
    rng, (_, y) = np.random.default_rng(1), a_frame(1, 150)
    X = pd.DataFrame(rng.normal(size=(150, 3)) + (y == "spam")[:, None], columns=["age", "pages", "tenure"])
    for part in range(3):
        ClassMoments.from_data(X[part::3], y[part::3]).save(tmp_path / f"{part}.moments")
    joint = ClassMoments.load(tmp_path / "0.moments")
    for part in (1, 2):
        joint = joint.merge(ClassMoments.load(tmp_path / f"{part}.moments"))
    found, expected = model.fit_summary(joint), type(model)(**model.get_params()).fit(X, y)
    assert_allclose(outputs(found, X), outputs(expected, X), rtol=1e-10, atol=1e-10)
    assert_array_equal(found.feature_names_in_, X.columns)


def test_columns_are_chosen_and_counted_from_files(tmp_path: Any) -> None:
    rng, (B, y) = np.random.default_rng(2), a_frame(2, 120)
    X = pd.DataFrame(rng.normal(size=(120, 3)) + (y == "spam")[:, None], columns=B.columns)
    for name, kind, rows in (("m", ClassMoments, X), ("c", Counts, B), ("k", CategoryCounts, B)):
        kind.from_data(rows[:70], y[:70]).save(tmp_path / f"{name}0")
        kind.from_data(rows[70:], y[70:]).save(tmp_path / f"{name}1")
    joint = {
        n: k.load(tmp_path / f"{n}0").merge(k.load(tmp_path / f"{n}1"))
        for n, k in (("m", ClassMoments), ("c", Counts), ("k", CategoryCounts))
    }
    stepwise = StepwiseDiscriminant().fit_summary(joint["m"])
    assert_allclose(stepwise.history_["F"], StepwiseDiscriminant().fit(X, y).history_["F"], rtol=1e-10)
    assert_allclose(BernoulliNB().fit_summary(joint["c"]).predict_proba(B), BernoulliNB().fit(B, y).predict_proba(B), rtol=1e-12)
    assert_allclose(CategoricalNB().fit_summary(joint["k"]).predict_proba(B), CategoricalNB().fit(B, y).predict_proba(B), rtol=1e-12)


@pytest.mark.parametrize("which", range(6))
@pytest.mark.parametrize(
    ("other", "said"),
    [({"feature_names": ["age", "pages", "size"]}, "same columns: 'tenure' and 'size'"), ({"recipe": "{}"}, "same recipe: .*… and ")],
)
def test_summaries_of_other_columns_do_not_merge(which: int, other: dict[str, Any], said: str) -> None:
    names = {"feature_names": ["age", "pages", "tenure"], "recipe": "[]"}
    one, two = (summaries(*a_frame(seed))[which] for seed in (0, 1))
    with pytest.raises(InputError, match=said):
        one.named(**names).merge(two.named(**{**names, **other}))
    assert one.named(**names).merge(two.named(None)).feature_names == ("age", "pages", "tenure")


def test_summaries_of_other_classes_do_not_merge(tmp_path: Any) -> None:
    for name, labels in (("a", ("ham", "spam")), ("b", ("eggs", "spam"))):
        ClassMoments.from_data(*a_frame(0, labels=labels)).save(tmp_path / name)
    with pytest.raises(InputError, match="do not go together"):
        ClassMoments.load(tmp_path / "a").merge(ClassMoments.load(tmp_path / "b"))


@pytest.mark.parametrize("which", range(5))
def test_few_rows_are_saved_only_where_it_is_asked_for(which: int, tmp_path: Any) -> None:
    summary = summaries(*a_frame(0, 19))[which]
    with pytest.raises(InputError, match="Class 'spam' has 9 rows, fewer than 10: .* pass save.path, minimum=9"):
        summary.save(tmp_path / "a.moments")
    assert not list(tmp_path.iterdir())
    for wrong in (0, -1, 2.5, True, None, "ten"):
        with pytest.raises(InputError, match="minimum=.* must be a whole number of rows, 1 or more"):
            summary.save(tmp_path / "a.moments", minimum=wrong)
    summary.save(tmp_path / "a.moments", minimum=9)
    assert same(type(summary).load(tmp_path / "a.moments"), summary)


@pytest.mark.parametrize(
    ("field", "value"),
    [("counts", np.array([1.0, -2.0])), ("counts", np.array([np.nan, 1.0])), ("means", np.zeros((3, 3))), ("scatter", np.zeros((2, 3, 2))),
     ("rows", np.array([1.0, 2.0])), ("scatter", -np.ones((2, 3, 3)))],
)  # fmt: skip
def test_sums_that_no_rows_have_are_not_read(field: str, value: Any, tmp_path: Any) -> None:
    ClassMoments.from_data(*a_frame(0)).save(path := tmp_path / "a.moments")
    found = read_container(path, "moments")
    write_container(path, "moments", found.document, {**found.arrays, field: value})
    with pytest.raises(DamagedFileError, match="its sums do not fit together"):
        ClassMoments.load(path)


@pytest.mark.parametrize(
    "change",
    [{"kind": "round"}, {"kind": ["full"]}, {"classes": {"dtype": "<i8", "values": [1, "a"]}}, {"classes": None}, {"recipe": 4},
     {"more": 1}, {"classes": {"dtype": "O", "values": ["b", "a"]}}, {"classes": {"dtype": "V8", "values": []}}, {"feature_names": ["a"]},
     {"feature_names": 3}],
)  # fmt: skip
def test_documents_that_say_something_else_are_not_read(change: dict[str, Any], tmp_path: Any) -> None:
    ClassMoments.from_data(*a_frame(0)).save(path := tmp_path / "a.moments")
    found = read_container(path, "moments")
    write_container(path, "moments", {**found.document, **change}, found.arrays)
    with pytest.raises(DamagedFileError, match="is damaged"):
        ClassMoments.load(path)


def test_files_of_another_kind(tmp_path: Any) -> None:
    Counts.from_data(*a_frame(0)).save(tmp_path / "a.moments")
    with pytest.raises(InputError, match="holds 'Counts', and ClassMoments were asked for"):
        ClassMoments.load(tmp_path / "a.moments")
    with pytest.raises(MissingFileError, match="Did you mean 'a.moments'"):
        ClassMoments.load(tmp_path / "b.moments")
    with pytest.raises(InputError, match="feature_names has 2 names, and the summary 3 columns"):
        ClassMoments.from_data(*a_frame(0)).named(["a", "b"])
