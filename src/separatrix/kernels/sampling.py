"""How far each row of a tile is from the mean."""

from __future__ import annotations

from numba import types

from .jit import kernel, rf4, rf8, wf8


@kernel(
    types.void(rf8(2), rf8(1), rf8(1), wf8(1)),
    types.void(rf4(2), rf8(1), rf8(1), wf8(1)),
)
def leverages(X, mean, inverse, out):  # type: ignore[no-untyped-def]
    """out[i] = Σ_j (x_ij − mean_j)² inverse_j."""
    n, p = X.shape
    for i in range(n):
        total = 0.0
        for j in range(p):
            d = X[i, j] - mean[j]
            total += inverse[j] * d * d
        out[i] = total
