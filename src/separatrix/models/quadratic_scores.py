"""Classes with covariances of their own: scores of rows, and what a fit says of the covariances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..data import Block
from ..data.device import is_on_device
from ..decisions.class_weights import NEVER
from ..solvers import device_scores
from ..solvers.closed_form.class_spans import ClassSpan
from ..solvers.closed_form.quadratic import whitening_parts
from ..solvers.closed_form.whitening import Whitening
from ..thresholds import SCORES

SCORED = 125_000
"""Whitened coordinates held at once while scoring: a megabyte, to stay in a core's cache."""
CACHED, SHARING = 500_000, 160
"""Numbers of the bases, 4 MB, above which every tile fetches them anew, and the rows of a tile that are then worth it."""


def quadratic_scores(block: Block, means: Floats, bases: Floats, offset: Floats) -> Floats:
    """Return offset_k − ½ ‖B_k'(x − μ_k)‖² of each row, whitening for all classes at once."""
    if is_on_device(block):
        return device_scores.quadratic_scores(block, means, bases, offset)  # type: ignore[no-any-return]
    K, p, _ = bases.shape
    # Absent values of sparse rows stay absent; dense rows are exact also where the means are huge beside the distances.
    centre = np.zeros(p) if block.is_sparse else means.mean(axis=0)
    parts = whitening_parts(means - centre, bases, whole=block.is_sparse)
    distances = np.zeros((block.n_rows, K))
    for tile in block.tiles(max(SCORED // (K * p), SHARING if bases.size > CACHED else 16)):
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


def span_attributes(spans: Sequence[ClassSpan], K: int) -> dict[str, Any]:
    """Return log_det_, rank_ and shrinkage_ of K classes; one without rows has a density of 0 everywhere."""
    log_dets, ranks, alphas = np.full(K, -2.0 * NEVER), np.zeros(K, dtype=int), np.zeros(K)
    for span in spans:
        log_dets[span.codes], ranks[span.codes], alphas[span.codes] = span.log_dets, span.ranks, span.alphas
    return {"log_det_": log_dets, "rank_": ranks, "shrinkage_": alphas}


def class_bases(found: Sequence[Whitening], counts: Floats) -> Floats:
    """Return the bases (K, p, p) of the whitenings of classes."""
    bases = np.stack([w.basis for w in found])
    bases[counts <= 0] = 0.0  # a class not seen yet is spread over everything, so that its density is 0 everywhere
    return bases


def singular_classes(classes: NDArray[Any], columns: str) -> str:
    """Say which classes do not vary along which columns."""
    names = ", ".join(repr(label) for label in classes[:4].tolist()) + (f" and {len(classes) - 4} more" if len(classes) > 4 else "")
    return (
        f"The covariance of class {names} has no inverse: along direction(s) involving {columns} the class does not vary (collinear or "
        "constant columns, or too few rows for a covariance of its own). Rows off its plane then count as very far from the class, rows "
        "on it as very close. Use shrinkage='auto', pooling=0.5 or LinearDiscriminantAnalysis, or drop such columns."
    )
