"""Every error says what was given and what to type; the model keeps its last good state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from separatrix import ClassMoments, GaussianNB, LinearDiscriminantAnalysis
from separatrix.errors import InputError, InputTypeError, UnknownNameError
from separatrix.summaries import Counts
from tests.tables import ESTIMATORS, MODELS

EVERY = pytest.mark.parametrize("model", MODELS, ids=repr)
X = np.random.default_rng(0).normal(size=(12, 3))
Y = np.array([0, 1] * 6)
NAN = np.where(np.arange(36).reshape(12, 3) == 4, np.nan, X)

BAD_FITS: list[tuple[str, Any, dict[str, Any], str]] = [
    ("NaN", NAN, {"y": Y}, "contains NaN: first at row 1, column 1"),
    ("infinity", np.where(np.isnan(NAN), np.inf, X), {"y": Y}, "contains infinity: first at row 1, column 1"),
    ("no rows", np.empty((0, 3)), {"y": []}, r"0 sample\(s\)"),
    ("no columns", np.empty((12, 0)), {"y": Y}, r"0 feature\(s\)"),
    ("one class", X, {"y": np.zeros(12)}, "greater than one; got 1 class, 0.0"),
    ("lengths", X, {"y": Y[:5]}, "X has 12 rows, y has 5 labels"),
    ("no labels", X, {}, "requires y to be passed"),
    ("missing label", X, {"y": np.where(np.arange(12) == 3, np.nan, Y)}, r"Input y contains NaN \(first at row 3\)"),
    ("None label", X, {"y": [None, *"ababababab", "a"]}, r"NaN or None \(first at row 0\)"),
    ("mixed labels", X, {"y": [1, *"ababababab", "a"]}, "mixes labels of types int, str; use one type"),
    ("two-column labels", X, {"y": np.c_[Y, Y]}, "should be a 1d array, got an array of shape"),
    ("continuous labels", X, {"y": X[:, 0]}, "Unknown label type: continuous"),
    ("negative weight", X, {"y": Y, "sample_weight": [-1.0] + [1.0] * 11}, r"row 0 has -1.0.*forget\(X, y\)"),
    ("zero weights", X, {"y": Y, "sample_weight": np.zeros(12)}, "All entries of sample_weight are zero"),
    ("NaN weight", X, {"y": Y, "sample_weight": [np.nan] + [1.0] * 11}, "sample_weight contains NaN"),
    ("weights' length", X, {"y": Y, "sample_weight": np.ones(5)}, "X has 12 rows, sample_weight has 5"),
    ("complex", X + 1j, {"y": Y}, "Complex data not supported: X must hold real numbers"),
    ("sparse complex", sp.csr_array(X + 1j), {"y": Y}, "Complex data not supported"),
    ("text array", np.full((12, 3), "cat"), {"y": Y}, "X holds .*'cat'.* which is not a number"),
    ("text frame", pd.DataFrame({"age": X[:, 0], "town": "Ulm"}), {"y": Y}, "Columns 'town' hold text"),
    ("null in frame", pd.DataFrame({"age": pd.array([None] + [1] * 11, dtype="Int64")}), {"y": Y}, "missing values.*column 'age'"),
    ("NaN in frame", pd.DataFrame(NAN, columns=list("abc")), {"y": Y}, "contains NaN: first at row 1, column 'b'"),
]


@EVERY
@pytest.mark.parametrize(("data", "more", "message"), [case[1:] for case in BAD_FITS], ids=[case[0] for case in BAD_FITS])
def test_bad_rows_are_refused_and_the_model_kept(model: Any, data: Any, more: Any, message: str) -> None:
    model = clone(model).fit(X, Y)
    before = model.state()
    with pytest.raises(InputError, match=message):
        model.fit(data, **more)
    assert model.state() == before


@EVERY
def test_objects_that_are_not_numbers_are_a_type_error(model: Any) -> None:
    with pytest.raises(InputTypeError, match="X holds objects that are not numbers"):
        clone(model).fit(np.array([[{}, 1]] * 4, dtype=object), [0, 1, 0, 1])


BAD_PARAMETERS: list[tuple[Any, str]] = [
    (LinearDiscriminantAnalysis(priors=[0.5, 0.2]), "sum of the priors should be 1, got 0.7; pass priors"),
    (LinearDiscriminantAnalysis(priors=[0.5, 0.3, 0.2]), r"shape \(3,\), but there are 2 classes \(0, 1\)"),
    (LinearDiscriminantAnalysis(priors=[1.5, -0.5]), "must be non-negative"),
    (LinearDiscriminantAnalysis(n_components=2), "cannot be larger than min.* = 1; use 1 or None"),
    (LinearDiscriminantAnalysis(n_components=0), "must be at least 1"),
    (LinearDiscriminantAnalysis(shrinkage=1.2), r"outside \[0, 1\]"),
    (LinearDiscriminantAnalysis(shrinkage="autoo"), "Did you mean 'auto'"),
    (LinearDiscriminantAnalysis(covariance="mel"), "Did you mean 'mle'"),
    (LinearDiscriminantAnalysis(weights="frequencies"), "Did you mean 'frequency'"),
    (LinearDiscriminantAnalysis(class_weight="balance"), "Did you mean 'balanced'"),
    (LinearDiscriminantAnalysis(class_weight={2: 1.0}), "names 2, which is not a class"),
    (LinearDiscriminantAnalysis(class_weight={0: -1.0}), "finite weights ≥ 0"),
    (LinearDiscriminantAnalysis(class_weight=[1, 2]), "must be a dict"),
    (LinearDiscriminantAnalysis(n_jobs=0), "n_jobs=0 asks for no thread"),
    (GaussianNB(priors=[0.5, 0.2]), "sum of the priors should be 1"),
    (GaussianNB(var_smoothing=-1), "var_smoothing=-1 must be ≥ 0"),
    (GaussianNB(ddof=-1), "ddof=-1 must be ≥ 0"),
]


@pytest.mark.parametrize(("model", "message"), BAD_PARAMETERS, ids=[repr(model) for model, _ in BAD_PARAMETERS])
def test_bad_parameters_are_refused(model: Any, message: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("separatrix.data.source.CHUNK_BYTES", 24)
    with pytest.raises(InputError, match=message):
        model.fit(X, Y)
    assert not hasattr(model, "classes_")


@EVERY
def test_a_class_not_announced_is_refused(model: Any) -> None:
    model = clone(model).partial_fit(X, Y, classes=[0, 1])
    before = model.state()
    with pytest.raises(InputError, match="label 2, which is not among the classes announced"):
        model.partial_fit(X[:2], [1, 2])
    with pytest.raises(InputError, match=r"classes=\[0, 1, 2\] is not the same as on the last call"):
        model.partial_fit(X[:2], [1, 1], classes=[0, 1, 2])
    assert model.state() == before
    with pytest.raises(InputError, match="classes must be passed on the first call"):
        clone(model).partial_fit(X, Y)


@EVERY
def test_one_class_announced_is_refused(model: Any) -> None:
    with pytest.raises(InputError, match="The number of classes has to be greater than one; got 1 class, 0"):
        clone(model).partial_fit(X, np.zeros(len(X), dtype=int), classes=[0])


@pytest.mark.parametrize("model", ESTIMATORS, ids=str)
@pytest.mark.parametrize("frame", [pd.DataFrame(index=range(12)), pa.table({"a": Y}).select([])], ids=["pandas", "Arrow"])
def test_a_frame_of_rows_without_columns_is_refused(model: Any, frame: Any) -> None:
    with pytest.raises((InputError, InputTypeError), match=r"0 feature|no column|column|y has 12 labels"):
        clone(model).fit(frame, Y)


@EVERY
def test_other_columns_are_refused(model: Any) -> None:
    model = clone(model).fit(X, Y)
    for action in (model.predict, lambda Z: model.partial_fit(Z, Y), lambda Z: model.forget(Z, Y)):
        with pytest.raises(ValueError, match="has 2 features, but .* is expecting 3 features as input; give the columns of the fit"):
            action(X[:, :2])


@EVERY
def test_predicting_needs_finite_rows(model: Any) -> None:
    model = clone(model).fit(X, Y)
    for method in ("predict", "decision_function", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "log_density"):
        if not hasattr(model, method):
            continue
        with pytest.raises(InputError, match="contains NaN: first at row 1, column 1"):
            getattr(model, method)(NAN)


@EVERY
def test_forgetting_what_was_never_learned_is_refused(model: Any) -> None:
    with pytest.raises(InputError, match="nothing to forget yet"):
        clone(model).forget(X, Y)
    model = clone(model).fit(X, Y)
    before = model.state()
    with pytest.raises(InputError, match="cannot have been among those learned|cannot be taken out"):
        model.forget(X[:3] + 40.0, Y[:3])
    assert model.state() == before


def test_too_few_rows_for_the_unbiased_covariance_name_the_other() -> None:
    with pytest.raises(InputError, match="n = 2 with K = 2 classes. Use covariance='mle'"):
        LinearDiscriminantAnalysis().fit(X[:2], Y[:2])


def test_automatic_shrinkage_needs_rows() -> None:
    model = LinearDiscriminantAnalysis(shrinkage="auto")
    for action in (lambda: model.fit_summary(ClassMoments.from_data(X, Y)), lambda: model.partial_fit(X, Y, classes=[0, 1])):
        with pytest.raises(InputError, match=r"a number in \[0, 1\] or shrinkage='oas'"):
            action()


def test_labels_that_do_not_exist_are_named() -> None:
    model = LinearDiscriminantAnalysis().fit(X, np.array(["ham", "spam"])[Y])
    with pytest.raises(UnknownNameError, match="'spma' is not a class of this model. Did you mean 'spam'"):
        model.boundary("ham", "spma")
    with pytest.raises(InputError, match="two different classes; both are 'ham'"):
        model.boundary("ham", "ham")
    with pytest.raises(UnknownNameError, match="Did you mean 'ham'"):
        model.sample(3, label="hamm")
    with pytest.raises(InputError, match="n=0: at least one row"):
        model.sample(0)


def test_other_things_refused() -> None:
    model = LinearDiscriminantAnalysis().fit(X, Y)
    with pytest.raises(InputError, match="rank=2 must be between 1 and 1"):
        model.predict(X, rank=2)
    with pytest.raises(InputError, match="fit_summary takes ClassMoments, got Counts"):
        GaussianNB().fit_summary(Counts.from_data(X, Y))
    with pytest.raises(InputError, match="state of a LinearDiscriminantAnalysis, not of a GaussianNB"):
        GaussianNB.restore(model.state())
