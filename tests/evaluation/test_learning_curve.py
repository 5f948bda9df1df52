"""Learning curves: merged summaries equal refits on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from separatrix import BernoulliNB, Bootstrap, GaussianNB, Holdout, KFold, LinearDiscriminantAnalysis, LogisticRegression, learning_curve
from separatrix.errors import InputError
from separatrix.evaluation.learning_curve import grown
from separatrix.evaluation.splits import folds_of

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("convert", [np.asarray, lambda X: pd.DataFrame(X, columns=list("abcd"))], ids=["array", "frame"])
@pytest.mark.parametrize(
    ("model", "method"),
    [
        (LinearDiscriminantAnalysis(), "exact algebra"),
        (GaussianNB(), "exact algebra"),
        (BernoulliNB(binarize=3.0), "exact algebra"),
        (LogisticRegression(), "refits"),
        (KNeighborsClassifier(), "refits"),
    ],
    ids=lambda value: str(value),
)
def test_every_point_is_a_refit_on_its_rows(model: Any, method: str, convert: Any) -> None:
    curve = learning_curve(model, convert(X), Y, sizes=[15, 0.5, 100], plan=KFold(3), metric="log_loss", random_state=2)
    assert curve.method == method and curve.sizes.tolist() == [15, 50, 100]
    rng = np.random.RandomState(2)
    (folds,) = folds_of(KFold(3), 150, Y, None, rng)
    orders = [grown(Y.astype(np.int32), np.flatnonzero(folds != f), rng) for f in range(3)]
    for m, size in enumerate(curve.sizes):
        for f, order in enumerate(orders):
            held, fitted = folds == f, type(model)(**model.get_params()).fit(X[order[:size]], Y[order[:size]])
            P = np.clip(fitted.predict_proba(X[held])[np.arange(held.sum()), Y[held]], np.finfo(float).eps, 1)
            assert curve.per_fold[m, f] == pytest.approx(-np.log(P).mean(), rel=1e-4)


def test_beginnings_have_the_class_shares_of_the_whole(rng: Any) -> None:
    codes = np.repeat([0, 1, 2], [60, 30, 10]).astype(np.int32)
    order = grown(codes, np.arange(100), rng)
    assert sorted(order) == list(range(100))
    for size in (10, 20, 50):
        assert_allclose(np.bincount(codes[order[:size]], minlength=3) / size, [0.6, 0.3, 0.1], atol=0.1)


def test_the_last_point_is_the_plan_and_more_rows_help() -> None:
    curve = learning_curve(LinearDiscriminantAnalysis(), X, Y, random_state=0)
    assert curve.sizes[-1] == 120 and curve.scores[-1] <= curve.scores[0] and (curve.intervals[:, 0] <= curve.scores).all()
    assert "exact algebra" in str(curve) and curve.table()["rows"] == curve.sizes.tolist() and "<table>" in curve._repr_html_()
    again = learning_curve(KNeighborsClassifier(), X, Y, plan=Holdout(0.3), metric="auc", random_state=0, n_jobs=2)
    assert again.per_fold.shape == (6, 1) and np.isnan(again.intervals).all()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"sizes": [2]}, "The smallest size, 2 rows, holds no row of class \\d in some fold; use sizes of at least 3 rows"),
        ({"sizes": [500]}, "size 500 is not between 1 and 120, the rows left to train on"),
        ({"sizes": [1.5]}, "size 1.5 is a share of the training rows"),
        ({"sizes": []}, "sizes is empty"),
        ({"plan": Bootstrap()}, "not a bootstrap"),
    ],
)
def test_bad_input_is_refused(more: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        learning_curve(GaussianNB(), X, Y, random_state=0, **more)
