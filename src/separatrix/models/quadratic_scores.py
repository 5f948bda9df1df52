"""Scores of rows under classes with covariances of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..array_types import Floats
from ..data import Block
from ..solvers.closed_form.class_spans import ClassSpan
from ..solvers.closed_form.quadratic import whitening_parts
from ..thresholds import SCORES

SCORED = 125_000
"""Whitened coordinates held at once while scoring: a megabyte, to stay in a core's cache."""


def quadratic_scores(block: Block, means: Floats, bases: Floats, offset: Floats) -> Floats:
    """Return offset_k − ½ ‖B_k'(x − μ_k)‖² of each row, whitening for all classes at once."""
    K, p, _ = bases.shape
    # Absent values of sparse rows stay absent; dense rows are exact also where the means are huge beside the distances.
    centre = np.zeros(p) if block.is_sparse else means.mean(axis=0)
    parts = whitening_parts(means - centre, bases, whole=block.is_sparse)
    distances = np.zeros((block.n_rows, K))
    for tile in block.tiles(max(SCORED // (K * p), 16)):
        rows = tile.X if tile.is_sparse else tile.X - centre
        own = distances[tile.start - block.start :][: tile.n_rows]
        for part in parts:
            z = np.asarray((rows if part.columns == p else rows[:, : part.columns]) @ part.basis)
            _add_distances(z, part.centres, own, small=not SCORES.reached(block.n_rows * p))
    return offset - 0.5 * distances


def span_scores(block: Block, spans: Sequence[ClassSpan], offset: Floats) -> Floats:
    """Return the same scores of covariances held in the span of their rows."""
    distances = np.zeros((block.n_rows, len(offset)))
    for tile in block.tiles(max(8 * SCORED // block.n_features, 16)):
        X = tile.dense().astype(np.float64, copy=False)
        own = distances[tile.start - block.start :][: tile.n_rows]
        for span in spans:
            own[:, span.codes] = span.distances(X)
    return offset - 0.5 * distances


def place_of(spans: Sequence[ClassSpan], k: int) -> tuple[ClassSpan, int]:
    """Return the span that holds a class, and the class's place in it."""
    return next((span, int(np.flatnonzero(span.codes == k)[0])) for span in spans if k in span.codes)


def _add_distances(z: Floats, centres: Floats, distances: Floats, small: bool) -> None:
    if small:
        d = z.reshape(-1, *centres.shape) - centres
        distances += np.einsum("ikw,ikw->ik", d, d)
        return
    from ..kernels.quadratic import add_distances

    add_distances(np.ascontiguousarray(z), centres, distances)
