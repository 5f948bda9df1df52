"""Sparse rows: every format gives the same rows, and places outside the shape are refused before compiled code reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone

import separatrix
from separatrix import LinearDiscriminantAnalysis, LogisticRegression
from separatrix.data import as_rows
from separatrix.data.arrays import as_csr, refuse_corrupt
from separatrix.data.counts import CountSource
from separatrix.errors import InputError
from tests.tables import COUNT_MODELS, LOSS_MODELS, MISTAKE_MODELS, MODELS

FORMATS = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]
DENSE = np.random.default_rng(0).integers(0, 3, (24, 6)) * 1.0
Y = (DENSE[:, 0] + DENSE[:, 1] > 2).astype(int)


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_gives_the_same_rows(format_: str) -> None:
    X = sp.csr_array(DENSE).asformat(format_)  # type: ignore[call-overload]
    for source in (as_rows(X), CountSource(X, distinct=True)):
        assert_array_equal(next(source.blocks()).X.toarray(), DENSE)


def damaged(format_: str, name: str, change: Callable[[Any], Any]) -> Any:
    """Return DENSE in a sparse format, one of whose arrays was changed behind scipy's back."""
    X: Any = sp.csr_array(DENSE).asformat(format_) if format_ != "bsr" else sp.bsr_array(DENSE, blocksize=(2, 3))  # type: ignore[call-overload]
    if format_ == "coo":
        coords = [part.copy() for part in X.coords]
        coords[("row", "col").index(name)] = change(coords[("row", "col").index(name)])
        X.coords = tuple(coords)
    else:
        setattr(X, name, change(getattr(X, name).copy()))
    return X


def put(place: int, value: Any) -> Callable[[Any], Any]:
    def change(values: Any) -> Any:
        values[place] = value
        return values

    return change


DAMAGES = {
    "column 99": ("csr", "indices", put(3, 99), r"X.indices\[3\] is 99, where 0 to 5 is possible"),
    "column 1e9": ("csr", "indices", put(0, 10**9), r"X.indices\[0\] is 1000000000"),
    "column -1": ("csr", "indices", put(-1, -1), "is -1, where 0 to 5"),
    "float columns": ("csr", "indices", lambda v: v.astype(float), "X.indices is of dtype float64"),
    "few columns": ("csr", "indices", lambda v: v[:-2], "X.indices has shape .* X.data"),
    "indptr falls": ("csr", "indptr", put(2, 1), "X.indptr does not begin at 0 or does not rise"),
    "indptr begins late": ("csr", "indptr", put(0, 1), "X.indptr does not begin at 0"),
    "indptr too far": ("csr", "indptr", put(-1, 10**6), r"X.indptr\[24\] is 1000000"),
    "indptr below 0": ("csr", "indptr", put(1, -5), r"X.indptr\[1\] is -5"),
    "indptr short": ("csr", "indptr", lambda v: v[:-1], r"X.indptr has shape \(24,\), where \(25,\)"),
    "row 99": ("csc", "indices", put(0, 99), "is 99, where 0 to 23"),
    "block 9": ("bsr", "indices", put(0, 9), "is 9, where 0 to 1"),
    "blocks too wide": ("bsr", "data", lambda v: np.concatenate([v, v[:, :, :1]], axis=2), "its blocks of shape"),
    "coo row": ("coo", "row", put(0, 99), r"X.row\[0\] is 99, where 0 to 23"),
    "coo column": ("coo", "col", put(0, -2), r"X.col\[0\] is -2, where 0 to 5"),
    "coo short": ("coo", "col", lambda v: v[1:], "X.col has .* entries"),
    "lil column": ("lil", "rows", lambda v: put(0, [77] * len(v[0]))(v), "is 77"),
    "lil short": ("lil", "rows", put(0, [1]), "lists of different lengths"),
    "lil rows": ("lil", "rows", lambda v: v[:2], "lists of different lengths"),
    "dia": ("dia", "offsets", lambda v: v[:2], "X.offsets"),
    "dok": ("dok", "_dict", lambda v: v | {(0, 99): 1.0}, "99"),
}


@pytest.mark.parametrize("case", DAMAGES.values(), ids=DAMAGES.keys())
def test_places_outside_the_shape_are_refused(case: tuple[Any, ...]) -> None:
    *how, message = case
    X = damaged(*how)
    for read in (as_rows, CountSource, as_csr):
        with pytest.raises(InputError, match=f"The sparse X is damaged: .*{message}.*Build it anew"):
            read(X)


ESTIMATORS = [
    *{type(model).__name__: model for model in [*MODELS, *COUNT_MODELS, *LOSS_MODELS, *MISTAKE_MODELS]}.values(),
    separatrix.OneVsRest(LogisticRegression()),
    separatrix.OneVsOne(LogisticRegression()),
    separatrix.DecidedClassifier(LogisticRegression()),
    separatrix.CalibratedClassifier(LinearDiscriminantAnalysis(), plan=separatrix.KFold(2)),
    separatrix.AnovaFilter(),
    separatrix.StabilitySelection(separatrix.AnovaFilter(), n_subsamples=2),
    separatrix.ForwardSelection(LinearDiscriminantAnalysis(shrinkage=0.5), n_features=1),
    separatrix.RareBinaryFilter(),
]


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_no_estimator_reads_outside_its_rows(model: Any) -> None:
    bad = damaged("csr", "indices", put(3, 99))
    with pytest.raises(InputError, match="The sparse X is damaged"):
        clone(model).fit(bad, Y)
    fitted = clone(model).fit(sp.csr_array(DENSE), Y)
    with pytest.raises(InputError, match="The sparse X is damaged"):
        (fitted.predict if hasattr(fitted, "predict") else fitted.transform)(bad)


LDA = LinearDiscriminantAnalysis(shrinkage=0.5)
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda X: separatrix.evaluate(LDA, X, Y, plan=separatrix.KFold(2)),
    "learning_curve": lambda X: separatrix.learning_curve(LDA, X, Y),
    "permutation_test": lambda X: separatrix.permutation_test(LDA, X, Y, n_permutations=2),
    "compare": lambda X: separatrix.compare(X, Y),
    "separation": lambda X: separatrix.separation(X, Y),
    "is_separable": lambda X: separatrix.is_separable(X, Y),
    "contributions": lambda X: separatrix.contributions(LogisticRegression().fit(DENSE, Y), X),
    "explain": lambda X: separatrix.explain(LogisticRegression().fit(DENSE, Y), X, 0),
    "regularisation_path": lambda X: separatrix.regularisation_path(X, Y),
    "shrinkage_path": lambda X: separatrix.shrinkage_path(X, Y),
    "choose_covariance": lambda X: separatrix.choose_covariance(X, Y),
    "Moments": lambda X: separatrix.Moments.from_data(X),
    "Hyperplane": lambda X: separatrix.Hyperplane(np.ones(6), 0.0).distance(X),
    "worked": lambda X: separatrix.worked("fisher", X, Y),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_no_function_reads_outside_its_rows(function: Callable[[Any], Any]) -> None:
    with pytest.raises(InputError, match="The sparse X is damaged"):
        function(damaged("csr", "indices", put(3, 99)))


def test_entries_beyond_the_last_row_do_not_matter() -> None:
    X = sp.csr_array(np.eye(3))
    X.indices, X.data = np.append(X.indices, 77).astype(np.int32), np.append(X.data, 1.0)
    refuse_corrupt(X)
    assert_array_equal(as_csr(X).toarray(), np.eye(3))
