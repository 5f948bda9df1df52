"""Rows that stream from the host to a device: the fits of rows in memory, whatever they come from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from separatrix import open_table, regularisation_path, streamed
from separatrix.data import streamed as module
from separatrix.errors import InputError, InputTypeError
from separatrix.evaluation import KFold, LeaveOneOut, evaluate
from separatrix.models import GaussianNB, LinearDiscriminantAnalysis, LinearSVC, LogisticRegression, NearestMean
from tests.libraries import torch

MODELS = [LinearDiscriminantAnalysis(), GaussianNB(), LogisticRegression(tol=1e-10, max_iter=1000), LinearSVC(tol=1e-10, max_iter=3000)]


def rows() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(1)
    y = np.arange(90) % 3
    return rng.normal(size=(90, 4)) + rng.normal(size=(3, 4))[y], y, rng.integers(1, 3, 90).astype(float)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: Any) -> None:
    torch(0.0)  # skips where there is no torch
    monkeypatch.setattr(module, "PIECE", 640)


@pytest.fixture(params=["array", "read-only", "tensor", "files"])
def source(request: Any, tmp_path: Any) -> Any:
    X, y, w = rows()
    if request.param == "files":
        pandas = pytest.importorskip("pandas")
        for part in range(2):
            own = slice(45 * part, 45 * (part + 1))
            frame = pandas.DataFrame(X[own], columns=list("abcd")).assign(y=y[own], w=w[own])
            frame.to_parquet(tmp_path / f"{part}.parquet")
        return streamed(open_table(tmp_path, target="y", weight="w"), device="cpu")
    X.flags.writeable = request.param != "read-only"
    return streamed(torch(X) if request.param == "tensor" else X, y, w, device="cpu")


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_fits_and_predictions(model: Any, source: Any) -> None:
    X, y, w = rows()
    here, there = clone(model).fit(X, y, w), clone(model).fit(source)
    for name in [name for name in ("coef_", "theta_") if hasattr(here, name)]:
        assert_allclose(getattr(there, name), getattr(here, name), rtol=1e-7, atol=1e-7)
    assert_array_equal(there.predict(source), here.predict(X))
    assert isinstance(there.predict(streamed(X, device="cpu")), np.ndarray)


@pytest.mark.parametrize(
    ("model", "plan"),
    [*((model, KFold(3)) for model in MODELS), *((model, LeaveOneOut()) for model in MODELS[:2])],
    ids=lambda v: str(v)[:24],
)
def test_evaluation(model: Any, plan: Any, source: Any) -> None:
    X, y, w = rows()
    alone = isinstance(plan, LeaveOneOut)
    here, there = evaluate(model, X, y, sample_weight=w, plan=plan, exact=not alone), evaluate(model, source, plan=plan)
    assert there.error == here.error
    if here.posteriors is not None:
        assert_allclose(there.posteriors, here.posteriors, atol=1e-8)


def test_pieces_views_samples_and_other_classes() -> None:
    X, y, w = rows()
    source = streamed(X, y, w, device="cpu")
    assert [block.n_rows for block in source.blocks()] == [20, 20, 20, 20, 10]
    view = source.take(np.array([3, 25, 26, 81])).take(np.array([1, 3])).with_classes([0, 1, 2, 5])
    blocks = list(view.blocks())
    assert_array_equal(np.concatenate([block.X.numpy() for block in blocks]), X[[25, 81]])
    assert [block.start for block in blocks] == [0, 1] and [block.codes.tolist() for block in blocks] == [[1], [0]]
    assert_array_equal(source.every(7).X.numpy(), X[::7])
    assert_array_equal(source.every(7).codes.numpy(), y[::7])


def test_half_precision_integers_and_paths() -> None:
    X, y, _ = rows()
    for tensor in (torch(X).bfloat16(), torch(np.round(9 * X)).int()):
        here, there = LogisticRegression().fit(tensor, torch(y)), LogisticRegression().fit(streamed(tensor, y, device="cpu"))
        assert_allclose(there.coef_, here.coef_, atol=1e-4)
    path = regularisation_path(streamed(X, y, device="cpu"), Cs=[0.1, 1.0])
    assert (path.gap <= 1e-8).all()


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda X, y: streamed(X, y, device="nowhere"), InputError, "device='nowhere' is none that torch can use here"),
        (lambda X, y: streamed(X, y[:-1], device="cpu"), InputError, "90 rows, y has 89 labels"),
        (lambda X, y: streamed(X, torch(y), device="cpu"), InputError, "on the host: pass NumPy arrays"),
        (lambda X, y: streamed(torch(X).to("meta"), y, device="cpu"), InputTypeError, "streamed from the host"),
        (lambda X, y: streamed(streamed(X, y, device="cpu")), (InputTypeError, InputError), "on a device already|none that torch"),
        (lambda X, y: NearestMean().fit(streamed(X, device="cpu")), InputError, "on the host: pass NumPy arrays"),
        (lambda X, y: NearestMean().fit(streamed(np.where(X[33, 2] == X, np.nan, X), y, device="cpu")), InputError, "row 33, column 2"),
    ],
)
def test_what_is_refused(make: Any, error: Any, match: str) -> None:
    X, y, _ = rows()
    with pytest.raises(error, match=match):
        make(X, y)
