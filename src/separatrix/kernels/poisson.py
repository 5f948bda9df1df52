"""How often each row is drawn in each resample, by a hash."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, ru8, wf8


@kernel(types.void(ru8(1), ru8(1), ru8(1), wf8(2)))
def poisson_counts(rows, resamples, limits, out):  # type: ignore[no-untyped-def]
    """out[b, i] = #{k: limits_k ≤ h(rows_i + resamples_b)}, with h the end of splitmix64."""
    for b in range(len(resamples)):
        for i in range(len(rows)):
            z = (rows[i] + resamples[b] + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z = z ^ (z >> np.uint64(31))
            # Without branches up to 4: which way they go is as random as the hash.
            count = (limits[0] <= z) + (limits[1] <= z) + (limits[2] <= z) + (limits[3] <= z)
            while count >= 4 and count < len(limits) and limits[count] <= z:
                count += 1
            out[b, i] = count
