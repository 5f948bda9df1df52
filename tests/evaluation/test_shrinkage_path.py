"""A path of shrinkages is one evaluation for each of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from separatrix import GaussianNB, LinearDiscriminantAnalysis
from separatrix.errors import InputError
from separatrix.evaluation import KFold, LeaveOneOut, evaluate, shrinkage_path
from separatrix.thresholds import in_span

pytestmark = pytest.mark.usefixtures("roads")

VALUES = [0.0, 0.001, 0.3, 1.0]


@pytest.mark.parametrize("plan", [None, LeaveOneOut(), KFold(4, random_state=0)], ids=repr)
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(covariance="mle", priors=[0.2, 0.3, 0.5])])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_a_path_is_many_evaluations(plan: Any, model: Any, convert: Any, rng: Any) -> None:
    y = np.repeat([0, 1, 2], [9, 14, 22])
    X, w = convert(rng.normal(size=(45, 4)) + 0.7 * y[:, None]), rng.integers(1, 3, 45).astype(float)
    path = shrinkage_path(X, y, shrinkages=VALUES, model=model, plan=plan, sample_weight=w)
    for a, alpha in enumerate(VALUES):
        one = evaluate(model.set_params(shrinkage=alpha), X, y, plan=plan or LeaveOneOut(), sample_weight=w, exact=True)
        assert (path.error[a], path.log_loss[a]) == pytest.approx((one.error, one.scores["log_loss"]), rel=1e-6)


@pytest.mark.filterwarnings("ignore:The covariance has no inverse")
def test_rows_fewer_than_columns(rng: Any) -> None:
    X, y = rng.normal(size=(14, 20)), np.arange(14) % 2
    path = shrinkage_path(X, y, shrinkages=[0.0, 0.5])
    assert path.refitted.tolist() == ([0, 0] if in_span(14, 20) else [14, 0])
    for a, alpha in enumerate([0.0, 0.5]):
        one = evaluate(LinearDiscriminantAnalysis(shrinkage=alpha), X, y, plan=LeaveOneOut(), exact=True)
        assert path.error[a] == pytest.approx(one.error)


@pytest.mark.filterwarnings("ignore:The covariance has no inverse")
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_where_no_class_varies_each_row_is_refitted_once_for_all_shrinkages(convert: Any, monkeypatch: Any) -> None:
    X, y, fits = np.zeros((12, 3)), np.arange(12) % 3, []
    X[:, 1] = y == 2
    fit = LinearDiscriminantAnalysis.fit
    monkeypatch.setattr(LinearDiscriminantAnalysis, "fit", lambda self, *given, **more: fits.append(1) or fit(self, *given, **more))
    path = shrinkage_path(convert(X), y, shrinkages=VALUES)
    assert path.refitted.tolist() == [12] * 4
    assert len(fits) <= 1 + 2 * 12  # a second one where sums of sparse columns leave rounding in the covariance; one per shrinkage: 49
    for a, alpha in enumerate(VALUES):
        one = evaluate(LinearDiscriminantAnalysis(shrinkage=alpha), convert(X), y, plan=LeaveOneOut(), exact=True)
        assert (path.error[a], path.log_loss[a]) == pytest.approx((one.error, one.scores["log_loss"]))


def test_the_best_is_the_smallest_loss() -> None:
    path = shrinkage_path(*load_iris(return_X_y=True))
    assert len(path.shrinkages) == 50 and path.best() == path.shrinkages[path.log_loss.argmin()]
    assert path.error[path.shrinkages == path.best("error")][0] == path.error.min()
    assert "best by log-loss" in str(path)
    with pytest.raises(InputError, match="by='eror' is not"):
        path.best("eror")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"shrinkages": [0.5, 2.0]}, r"must be numbers in \[0, 1\]"),
        ({"model": GaussianNB()}, "is for LinearDiscriminantAnalysis; got GaussianNB"),
    ],
)
def test_bad_input_is_refused(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        shrinkage_path(*load_iris(return_X_y=True), **given)


def test_weights_that_have_no_square_are_refused(rng: Any) -> None:
    weight = np.where(np.arange(30) == 3, 1e155, 1.0)
    with pytest.raises(InputError, match=r"sample_weight holds 1e\+155.*divide them by their mean"):
        shrinkage_path(rng.normal(size=(30, 2)), np.arange(30) % 2, sample_weight=weight)
