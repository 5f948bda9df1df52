"""The maximum of a concave quadratic within bounds, by projected Newton steps. Specification: solvers.margins.dual_face."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri8, wf8, wi8


@kernel(types.int64(rf8(2), ri8(1), types.int64, types.float64, wf8(2)))
def factor(H, chosen, m, raised, L):  # type: ignore[no-untyped-def]
    """Cholesky factor of H over the first m indices chosen, its diagonal raised by a share; return 0 where it is not positive definite."""
    for i in range(m):
        for j in range(i + 1):
            total = H[chosen[i], chosen[j]]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if j < i:
                L[i, j] = total / L[j, j]
            else:
                total += raised * H[chosen[i], chosen[i]]
                if not total > 0.0:
                    return 0
                L[i, i] = np.sqrt(total)
    return 1


@kernel(types.void(wf8(2), types.int64, wf8(1)))
def solve(L, m, x):  # type: ignore[no-untyped-def]
    """x (m,) ← (LL')⁻¹ x."""
    for i in range(m):
        total = x[i]
        for k in range(i):
            total -= L[i, k] * x[k]
        x[i] = total / L[i, i]
    for i in range(m - 1, -1, -1):
        x[i] /= L[i, i]
        for k in range(i):
            x[k] -= L[i, k] * x[i]


@kernel(types.float64(rf8(2), rf8(1), rf8(1), rf8(1), rf8(1), types.float64, wf8(1), wf8(1)))
def gain(H, g, alpha, cap, d, t, move, bent):  # type: ignore[no-untyped-def]
    """move = clip(α + td, 0, cap) − α, bent = H move; return g'move − ½ move'H move."""
    m, total = g.size, 0.0
    for i in range(m):
        move[i] = min(max(alpha[i] + t * d[i], 0.0), cap[i]) - alpha[i]
        bent[i] = 0.0
    for i in range(m):
        if move[i] != 0.0:
            for j in range(m):
                bent[j] += H[i, j] * move[i]
    for i in range(m):
        total += (g[i] - 0.5 * bent[i]) * move[i]
    return total


@kernel(types.int64(rf8(2), wf8(1), wf8(1), rf8(1), types.float64, types.float64, types.int64, types.int64, wf8(2), wi8(1)))
def maximum(H, g, alpha, cap, enough, raised, steps, halvings, L, chosen):  # type: ignore[no-untyped-def]
    """Move α within 0 ≤ α ≤ cap towards the maximum of g'(α − α₀) − ½(α − α₀)'H(α − α₀), g following; return the steps taken.

    A step that gains less than `enough` is the last. L (m, m) and chosen (m,) are scratch.
    """
    m = g.size
    d, move, bent, x = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    held = np.zeros(m, dtype=np.bool_)
    for step in range(steps):
        inside = 0
        for i in range(m):
            d[i] = 0.0
            if not held[i]:
                chosen[inside] = i
                x[inside] = g[i]
                inside += 1
        if inside == 0 or factor(H, chosen, inside, raised, L) == 0:
            return step
        solve(L, inside, x)
        for s in range(inside):
            d[chosen[s]] = x[s]
        t, gained = 1.0, 0.0
        for _ in range(halvings):
            gained = gain(H, g, alpha, cap, d, t, move, bent)
            if gained > 0.0:
                break
            t *= 0.5
        if not gained > 0.0:
            return step
        changed = False
        for i in range(m):
            alpha[i] = min(max(alpha[i] + t * d[i], 0.0), cap[i])
            g[i] -= bent[i]
            holds = (alpha[i] <= 0.0 and g[i] < 0.0) or (alpha[i] >= cap[i] and g[i] > 0.0)
            changed = changed or holds != held[i]
            held[i] = holds
        if gained <= enough or (t == 1.0 and not changed):
            return step + 1
    return steps
