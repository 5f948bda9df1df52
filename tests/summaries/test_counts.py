"""Counts: what is counted how, and what cannot have been counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.data import Block
from separatrix.errors import InputError
from separatrix.summaries import Counts
from separatrix.summaries.counting import PIECE, CountingRule, stored
from separatrix.thresholds import Threshold

ROADS = pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])
READINGS = [
    CountingRule(),
    CountingRule(nonnegative=True),
    CountingRule(threshold=1.0),
    CountingRule(nonnegative=True, skip_missing=True),
    CountingRule(threshold=0.0, skip_missing=True),
]


def block(rng: Any, holes: bool, n: int = 50) -> Block:
    X = rng.poisson(0.8, size=(n, 5)).astype(float)
    if holes:
        X[rng.random(X.shape) < 0.2] = np.nan
    return Block(X, rng.integers(0, 3, n).astype(np.int32), rng.random(n))


@ROADS
@pytest.mark.parametrize("reading", READINGS, ids=str)
@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, lambda X: X.astype(np.float32), sp.csr_array])
def test_every_reading_on_every_road(reading: CountingRule, convert: Any, small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    rows = block(rng, reading.skip_missing)
    found = Counts.summarise(np.arange(3), reading)(Block(convert(rows.X), rows.codes, rows.weight))
    values = rows.X if reading.threshold is None else np.where(np.isnan(rows.X), np.nan, np.greater(rows.X, reading.threshold))
    share = rows.weight[:, None] * (rows.codes[:, None] == np.arange(3))
    assert_allclose(found.counts, share.sum(axis=0))
    assert_allclose(found.totals, share.T @ np.nan_to_num(values), atol=1e-12)
    assert_allclose(np.broadcast_to(found.present, (3, 5)), share.T @ ~np.isnan(values))
    assert found.is_finite and found.n_features == 5


@ROADS
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("reading", "value"),
    [
        (CountingRule(), np.nan),
        (CountingRule(nonnegative=True), -1.0),
        (CountingRule(threshold=0.0), np.inf),
        (CountingRule(switches=True), 2.0),
    ],
)
def test_what_cannot_be_counted_shows(reading: CountingRule, value: float, sparse: bool, small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    rows = block(rng, holes=False)
    X = np.minimum(rows.X, 1.0)
    X[7, 2] = value
    found = Counts.summarise(np.arange(3), reading)(Block(sp.csr_array(X) if sparse else X, rows.codes))
    assert not found.is_finite


def test_subtract_refuses_what_was_not_there(rng: Any) -> None:
    whole = Counts.from_data([[1, 0], [2, 3], [0, 1]], [0, 0, 1])
    assert whole.subtract(whole).totals.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    with pytest.raises(InputError, match="a count would become negative"):
        whole.subtract(Counts.from_data([[4, 0], [0, 1]], [0, 1]))
    with pytest.raises(InputError, match="2 columns and classes .* do not go together with 1 columns"):
        whole.merge(Counts.from_data([[1], [1]], [0, 1]))


def test_missing_weights_merge_and_subtract(rng: Any) -> None:
    reading = CountingRule(skip_missing=True)
    full, holes = block(rng, holes=False), block(rng, holes=True)
    a, b = (Counts.summarise(np.arange(3), reading)(rows) for rows in (full, holes))
    assert a.missing is None and b.missing is not None
    assert_allclose(a.merge(b).missing, b.missing)
    assert_allclose(b.merge(a).subtract(a).missing, b.missing)
    assert a.merge(b).subtract(b).missing is None
    assert_allclose(b.scaled(np.array([2.0, 1.0, 0.5])).present, b.present * [[2.0], [1.0], [0.5]])


def test_empty_is_the_neutral_element(rng: Any) -> None:
    counts = Counts.summarise(np.arange(3))(block(rng, holes=False))
    empty = Counts.empty(np.arange(3), 5)
    for both in (counts.merge(empty), empty.merge(counts)):
        assert_array_equal(both.totals, counts.totals)
        assert_array_equal(both.counts, counts.counts)


def test_stored_values_come_in_pieces_and_whole_where_nothing_is_turned(rng: Any) -> None:
    X = sp.random_array((3000, 400), density=0.3, format="csr", rng=rng)
    assert len(list(stored(Block(X), CountingRule()))) == 1
    pieces = list(stored(Block(X), CountingRule(threshold=0.5)))
    assert len(pieces) > 1 and max(len(piece.data) for piece in pieces) < 1.2 * PIECE
    assert_array_equal(np.concatenate([piece.data for piece in pieces]), X.data > 0.5)
    assert_array_equal(sp.vstack([piece.matrix(400) for piece in pieces]).indices, X.indices)
