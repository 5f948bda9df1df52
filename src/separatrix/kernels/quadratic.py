"""Squared distances of whitened rows from the class means."""

from __future__ import annotations

from numba import types

from .jit import kernel, rf8, wf8


@kernel(types.void(rf8(2), rf8(2), wf8(2)))
def add_distances(z, centres, distances):  # type: ignore[no-untyped-def]
    """distances[i, k] += Σ_j (z[i, kw + j] − centres[k, j])²: coordinates of class k stand in columns kw to (k + 1)w."""
    classes, w = centres.shape
    for i in range(z.shape[0]):
        for k in range(classes):
            total = 0.0
            for j in range(w):
                d = z[i, k * w + j] - centres[k, j]
                total += d * d
            distances[i, k] += total
