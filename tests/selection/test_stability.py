from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest

from separatrix.errors import InputError, InputTypeError, SeparatrixWarning
from separatrix.progress import Event, listening
from separatrix.selection import AnovaFilter, CorrelationFilter, StabilitySelection
from separatrix.selection.stability import subsamples


@pytest.fixture
def rows(rng: np.random.Generator) -> tuple[Any, Any]:
    y = rng.integers(0, 2, 200)
    X = rng.standard_normal((200, 30))
    X[:, :2] += 1.5 * y[:, None]
    return X, y


@pytest.mark.parametrize("selector", [CorrelationFilter(k=4), SelectKBest(k=4)])
def test_what_is_real_is_chosen_every_time_and_noise_is_not(rows: Any, selector: Any) -> None:
    X, y = rows
    found = StabilitySelection(selector, n_subsamples=40, threshold=0.9, random_state=0).fit(X, y)
    assert found.frequencies_[:2].tolist() == [1.0, 1.0] and found.get_support(indices=True).tolist() == [0, 1]
    assert_allclose(found.frequencies_.sum(), 4.0)
    assert_allclose(found.expected_false_, 16 / (0.8 * 30))


def test_frequencies_by_hand(rows: Any) -> None:
    X, y = rows
    found = StabilitySelection(CorrelationFilter(k=5), n_subsamples=7, fraction=0.4, random_state=3).fit(X, y)
    parts = subsamples(y.astype(np.int32), 7, 0.4, 3)
    assert_allclose(found.frequencies_, np.mean([CorrelationFilter(k=5).fit(X[part], y[part]).support_ for part in parts], axis=0))


def test_subsamples_hold_their_share_of_every_class(rng: np.random.Generator) -> None:
    codes = np.repeat([0, 1, 2], [100, 30, 1]).astype(np.int32)
    for part in subsamples(codes, 5, 0.5, rng.integers(100)):
        assert np.bincount(codes[part]).tolist() == [50, 15, 1] and len(np.unique(part)) == len(part)


def test_processes_sparse_rows_and_frames_change_nothing(rows: Any) -> None:
    X, y = rows
    selector = StabilitySelection(CorrelationFilter(k=3), n_subsamples=8, random_state=1)
    one = clone(selector).fit(X, y)
    for other in (
        clone(selector).set_params(n_jobs=2).fit(X, y),
        clone(selector).fit(sp.csr_array(X), y),
        clone(selector).fit(pd.DataFrame(X).add_prefix("c"), np.array(["no", "yes"])[y]),
        clone(selector).fit(X, y, sample_weight=np.full(200, 2.0)),
        clone(selector).fit(X.tolist(), y.tolist()),
    ):
        assert_allclose(other.frequencies_, one.frequencies_)


def test_nothing_chosen_in_a_subsample_counts_as_nothing(rows: Any) -> None:
    X, y = rows
    found = StabilitySelection(AnovaFilter(fdr=1e-12), n_subsamples=10, threshold=0.1, random_state=0).fit(X, y)
    assert 0 < found.frequencies_[:2].sum() < 2 and found.n_subsamples_ == 10


class Interrupted(CorrelationFilter):
    """Presses Ctrl-C in the fourth fit."""

    fits = 0

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        type(self).fits += 1
        if type(self).fits == 4:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_progress_is_told_and_ctrl_c_keeps_what_is_finished(rows: Any) -> None:
    events: list[Event] = []
    with listening(events.append), pytest.warns(SeparatrixWarning, match="Stopped after 3 of 9 subsamples"):
        found = StabilitySelection(Interrupted(k=2), n_subsamples=9, random_state=0).fit(*rows)
    assert found.n_subsamples_ == 3 and events[-1].done == 3 and events[-1].total == 9
    assert found.table()["column"][:2] == ["x0", "x1"]


@pytest.mark.parametrize(
    ("selector", "error", "message"),
    [
        (StabilitySelection("filter"), InputTypeError, "selector='filter' must be a selector with get_support"),
        (StabilitySelection(CorrelationFilter(), n_subsamples=0), InputError, "n_subsamples=0 must be a whole number"),
        (StabilitySelection(CorrelationFilter(), fraction=1.5), InputError, "fraction=1.5 must lie above 0 and up to 1"),
        (StabilitySelection(CorrelationFilter(fdr=1e-300)), InputError, "No feature is left: .* chosen in 60% of the subsamples; lower"),
    ],
)
def test_what_cannot_be_asked(rows: Any, selector: StabilitySelection, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        selector.fit(*rows)
