"""Newton's method on piecewise quadratic losses of margins by conjugate gradients, step after step in one call.

With x̃_i = (x_i, constant), D = diag(1, …, 1, ρ), margins m_i = y_i x̃_i'θ and the pieces of solvers.margins.pieces, a step solves

    (D + Σ_F σ_i x̃_i x̃_i') d = −g,    g = Dθ − Σ a_i y_i x̃_i,    a_i = clip(base_i + σ_i(1 − m_i), 0, cap_i)

over the rows F whose a_i lies between its bounds, and goes along d to the exact minimum. Rows are CSR parts with unsigned indices; empty
`indices` means dense rows, `data` being all of X in C order. A row is read once for its score and, while it is in the cache, once more for
its sum. Specification: solvers.margins.semismooth.Descent.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ru4, ru8, wf8, wi8

UNSIGNED = (ru4(1), ru8(1))
EVALUATIONS = 60
"""Of the slope along a line."""
LINE = 1e-3
"""Share of its slope that a line search may leave."""
FORCING = 0.1
"""Share of the gradient, in units of the diagonal, that a step may leave."""
SHARE = 10
"""Values of a root that count as one of the rows."""
ROUNDING, IDLE = 1e-15, 10
"""Share of F below which what a step promises is rounding, and how many such steps may follow each other without a smaller gradient."""


@kernel(types.void(rf8(1), rf8(1), types.float64, rf8(1), wf8(1)))
def dense_margins(data, signs, constant, theta, out):  # type: ignore[no-untyped-def]
    """out (n,) = y_i x̃_i'θ of dense rows."""
    p = np.uint64(theta.size - 1)
    low = np.uint64(0)
    for i in range(out.size):
        z = constant * theta[p]
        for a in range(p):
            z += data[low + a] * theta[a]
        low += p
        out[i] = signs[i] * z


@kernel(*(types.void(rf8(1), index, index, rf8(1), types.float64, rf8(1), wf8(1)) for index in UNSIGNED), gathers=True)
def margins(data, indices, indptr, signs, constant, theta, out):  # type: ignore[no-untyped-def]
    """out (n,) = y_i x̃_i'θ."""
    if indices.size == 0:
        dense_margins(data, signs, constant, theta, out)
        return
    last = constant * theta[theta.size - 1]
    for i in range(out.size):
        z = last
        for a in range(indptr[i], indptr[i + 1]):
            z += data[a] * theta[indices[a]]
        out[i] = signs[i] * z


@kernel(types.float64(rf8(1), wi8(1), types.int64, rf8(1), types.float64, rf8(1), wf8(1)))
def dense_times(data, chosen, curved, sigma, last, v, out):  # type: ignore[no-untyped-def]
    """out (p + 1,) += Σ z_i x_i, z_i = σ_i (x_i'v + last), over the first `curved` of the dense rows chosen; return Σ z_i."""
    p, total = np.uint64(v.size - 1), 0.0
    for s in range(curved):
        i = chosen[s]
        low, z = np.uint64(i) * p, last
        for a in range(p):
            z += data[low + a] * v[a]
        z *= sigma[i]
        total += z
        for a in range(p):
            out[a] += z * data[low + a]
    return total


PRODUCT = [types.void(rf8(1), index, index, wi8(1), types.int64, rf8(1), types.float64, rf8(1), rf8(1), wf8(1)) for index in UNSIGNED]


@kernel(*PRODUCT, gathers=True)
def curved_times(data, indices, indptr, chosen, curved, sigma, constant, D, v, out):  # type: ignore[no-untyped-def]
    """out (p + 1,) = Dv + Σ σ_i x̃_i x̃_i'v over the first `curved` of the rows chosen."""
    p = out.size - 1
    for j in range(out.size):
        out[j] = D[j] * v[j]
    last = constant * v[p]
    if indices.size == 0:
        out[p] += constant * dense_times(data, chosen, curved, sigma, last, v, out)
        return
    total = 0.0
    for s in range(curved):
        i = chosen[s]
        low, high, z = indptr[i], indptr[i + 1], last
        for a in range(low, high):
            z += data[a] * v[indices[a]]
        z *= sigma[i]
        total += z
        for a in range(low, high):
            out[indices[a]] += z * data[a]
    out[p] += constant * total


GRADIENT = [
    types.int64(rf8(1), index, index, rf8(1), rf8(1), rf8(1), rf8(1), types.float64, rf8(1), rf8(1), rf8(1), wf8(2), wi8(1), wf8(1))
    for index in UNSIGNED
]


@kernel(*GRADIENT, gathers=True)
def gradient(data, indices, indptr, signs, base, sigma, cap, constant, D, theta, m, vectors, chosen, out):  # type: ignore[no-untyped-def]
    """vectors[0], vectors[1] = g and the diagonal of the Hessian; return how many rows are curved, which are `chosen` first.

    out = F of the losses that are smoothed, ½ g'D⁻¹g, and what multipliers a with the sum they ought to have leave of F − D.
    """
    g, diagonal = vectors[0], vectors[1]
    dense = indices.size == 0
    p, curved, value, rest, bend = theta.size - 1, 0, 0.0, 0.0, 0.0
    for j in range(p + 1):
        g[j] = D[j] * theta[j]
        diagonal[j] = D[j]
        value += 0.5 * g[j] * theta[j]
    for i in range(m.size):
        short = 1.0 - m[i]
        a = base[i] + sigma[i] * short
        if a > 0.0:
            low, high = indptr[i], indptr[i + 1]
            if a < cap[i]:
                chosen[curved] = i
                curved += 1
                bend += sigma[i]
                if dense:
                    for j in range(high - low):
                        diagonal[j] += sigma[i] * data[low + j] * data[low + j]
                else:
                    for j in range(low, high):
                        diagonal[indices[j]] += sigma[i] * data[j] * data[j]
            else:
                a = cap[i]
            v = -a * signs[i]
            if dense:
                for j in range(high - low):
                    g[j] += v * data[low + j]
            else:
                for j in range(low, high):
                    g[indices[j]] += v * data[j]
            g[p] += constant * v
        else:
            a = 0.0
        loss = max(short, 0.0)
        if cap[i] < np.inf:
            loss *= cap[i]
            rest += loss - a * short
        else:
            loss *= 0.5 * sigma[i] * loss
        value += loss
    diagonal[p] += constant * bend
    # No curved row has a say about a free intercept: any curvature will do, the line search finds how far to go.
    diagonal[p] = diagonal[p] if diagonal[p] > 0.0 else 1.0
    out[0], out[1], out[2] = value, half_norm(g, D, diagonal), rest
    return curved


@kernel(types.float64(rf8(1), rf8(1), rf8(1)))
def half_norm(g, D, diagonal):  # type: ignore[no-untyped-def]
    """Return ½ g'D⁻¹g; a free intercept, D = 0, counts by its curvature: what it could gain alone."""
    p, total = g.size - 1, 0.0
    for j in range(p):
        total += g[j] * g[j]
    return 0.5 * (total + g[p] * g[p] / (D[p] if D[p] > 0.0 else diagonal[p]))


@kernel(types.void(rf8(1), rf8(1), rf8(2), wf8(1)))
def scaled(r, diagonal, root, out):  # type: ignore[no-untyped-def]
    """out = M⁻¹r, M = LL' with L the root given, the diagonal of the Hessian where there is none."""
    n = r.size
    if root.size == 0:
        for j in range(n):
            out[j] = r[j] / diagonal[j]
        return
    # Flat, with unsigned places: a third of the time.
    flat, low, one = root.ravel(), np.uint64(0), np.uint64(1)
    for j in range(np.uint64(n)):
        total = 0.0
        for k in range(j):
            total += flat[low + k] * out[k]
        out[j] = (r[j] - total) / flat[low + j]
        low += np.uint64(n)
    for i in range(np.uint64(n)):
        low -= np.uint64(n)
        last = np.uint64(n) - one - i
        v = out[last] / flat[low + last]
        out[last] = v
        for k in range(last):
            out[k] -= flat[low + k] * v


DIRECTION = [
    types.int64(rf8(1), index, index, wi8(1), types.int64, rf8(1), types.float64, rf8(1), rf8(2), types.float64, types.int64, wf8(2))
    for index in UNSIGNED
]


@kernel(*DIRECTION)
def direction(data, indices, indptr, chosen, curved, sigma, constant, D, root, least, most, vectors):  # type: ignore[no-untyped-def]
    """vectors[2] = d of a Newton step, solved until ½ r'D⁻¹r ≤ least, or the residual r is a share of g in units of M (`scaled`); return
    how many products that took.
    """
    g, diagonal, d, r, q, Hq = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5]
    last = g.size - 1
    for j in range(g.size):
        d[j] = 0.0
        r[j] = -g[j]
    scaled(r, diagonal, root, q)
    size = 0.0
    for j in range(g.size):
        size += r[j] * q[j]
    first = size
    for count in range(most):
        if not size > FORCING * FORCING * first or half_norm(r, D, diagonal) <= least:
            return count
        curved_times(data, indices, indptr, chosen, curved, sigma, constant, D, q, Hq)
        if curved == 0:  # the curvature that a free intercept was given
            Hq[last] = diagonal[last] * q[last]
        bend = 0.0
        for j in range(g.size):
            bend += q[j] * Hq[j]
        if not bend > 0.0:
            return count + 1
        length, before = size / bend, size
        for j in range(g.size):
            d[j] += length * q[j]
            r[j] -= length * Hq[j]
        scaled(r, diagonal, root, Hq)
        size = 0.0
        for j in range(g.size):
            size += r[j] * Hq[j]
        for j in range(g.size):
            q[j] = Hq[j] + size / before * q[j]
    return most


@kernel(types.void(rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), types.float64, wf8(1)))
def along(m, dm, base, sigma, cap, t, out):  # type: ignore[no-untyped-def]
    """out = Σ a_i dm_i and Σ_F σ_i dm_i² at m + t dm."""
    slope = curvature = 0.0
    for i in range(m.size):
        d = dm[i]
        v = base[i] + sigma[i] * (1.0 - m[i] - t * d)
        slope += min(max(v, 0.0), cap[i]) * d
        curvature += sigma[i] * d * d if (v > 0.0) & (v < cap[i]) else 0.0
    out[0] = slope
    out[1] = curvature


@kernel(types.float64(rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), rf8(2)))
def line_minimum(m, dm, base, sigma, cap, D, theta, vectors):  # type: ignore[no-untyped-def]
    """Return the t > 0 that minimises along d: Newton's method on a slope that rises in straight pieces, kept inside a bracket."""
    g, d = vectors[0], vectors[2]
    start = slope = bend = 0.0
    for j in range(d.size):
        start += g[j] * d[j]
        slope += D[j] * theta[j] * d[j]
        bend += D[j] * d[j] * d[j]
    low, high, t, out = 0.0, np.inf, 1.0, np.empty(2)
    for _ in range(EVALUATIONS):
        along(m, dm, base, sigma, cap, t, out)
        h, k = slope + t * bend - out[0], bend + out[1]
        if abs(h) <= LINE * abs(start):
            break
        if h < 0.0:
            low = t
        else:
            high = t
        step = t - h / k if k > 0.0 else np.inf
        if not (low < step) & (step < high):
            # Beyond a kink the curvature says nothing: bisect, or double while there is no upper end.
            step = 0.5 * (low + high) if high < np.inf else 2.0 * t
        if step == t or t > 1e12:
            break
        t = step
    return t


NEWTON = [
    types.int64(
        *(rf8(1), index, index, rf8(1), rf8(1), rf8(1), rf8(1), types.float64, rf8(1), rf8(2), types.float64),
        *(types.float64, types.float64, types.int64, types.int64, wf8(1), wf8(1), wf8(1), wf8(2), wi8(1), wi8(1), wf8(1)),
    )
    for index in UNSIGNED
]


@kernel(*NEWTON)
def newton(  # type: ignore[no-untyped-def]
    data, indices, indptr, signs, base, sigma, cap, constant, D, L, share, tol, enough, steps, most, theta, m, dm, vectors, rows, tally, out
):
    """Take steps from θ, whose margins are m, until ½ g'D⁻¹g ≤ share max(rest, tol F); return 1 then, 0 after so many steps or after `most`
    values were read, −1 where only rounding is left.

    out: as in `gradient`; tally = steps, products, values read of rows and of L. A step is solved to `enough` of what is asked of the
    gradient; L, which may be empty, is the `root` of a matrix near the Hessian. Scratch: dm (n,), vectors (6, p + 1), of which the first is
    g, rows (n,), those that are curved first.
    """
    begin, first, each = tally[2], tally[3], max(1, data.size // m.size)
    last, idle, best = tally[0] + steps, 0, np.inf
    while True:
        curved = gradient(data, indices, indptr, signs, base, sigma, cap, constant, D, theta, m, vectors, rows, out)
        asked = share * max(out[2], tol * out[0])
        if out[1] <= asked:
            return 1
        if not out[1] < np.inf:
            return -1
        left = most - (tally[2] - begin) - (tally[3] - first) // SHARE
        if tally[0] >= last or left <= 0:
            return 0
        left = max(1, left // (each * max(curved, 1) + L.size // SHARE))
        count = direction(data, indices, indptr, rows, curved, sigma, constant, D, L, enough * asked, left, vectors)
        margins(data, indices, indptr, signs, constant, vectors[2], dm)
        slope = 0.0
        for j in range(theta.size):
            slope += vectors[0, j] * vectors[2, j]
        if -slope > ROUNDING * out[0]:
            t, idle = line_minimum(m, dm, base, sigma, cap, D, theta, vectors), 0
        else:  # F tells no more, but the gradient, by which the gap is known, may still become smaller
            t, idle = 1.0, idle + 1
            if out[1] < best:
                best, idle = out[1], 0
            if idle == IDLE:
                return -1
        tally[0] += 1
        tally[1] += count
        tally[2] += each * (2 * m.size + (count + 1) * curved) + 2 * theta.size * (count + 1)
        tally[3] += L.size * (count + 1)
        for j in range(theta.size):
            theta[j] += t * vectors[2, j]
        for i in range(m.size):
            m[i] += t * dm[i]
