"""The quadratic of a proximal Newton step with its matrix at hand: sweeps find which coordinates are 0, systems on the others the digits.

minimise over x    r'(x − x₀) + ½(x − x₀)'H(x − x₀) + Σ_a t_a |x_a|,    H of unit diagonal, t_a = 0 without a penalty
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri8, wf8, wi8

RIDGE = 1e-10
"""Added to the unit diagonal of a system, for columns that determine each other."""
CLOSER = 0.3
"""Share of the subgradient wanted to which systems are solved."""
FLAT = 1e-14
"""Curvature along a direction, as a share of what its coordinates would have one by one, that is rounding."""
SWEEPS, SYSTEMS, TURNS = 10, 4, 12
"""Sweeps before the systems, systems before further sweeps, and how often both take turns."""
FACTORED, DIRECT, PRODUCTS = 2_000, 100, 200
"""Coordinates up to which a factor has room, and up to which it comes at once; products with the matrix at most, beyond."""
CUBE, SQUARE, ENTRY = 0.017, 0.3, 0.2
"""Work, in values read, of a factor for m³, of a product for m², and of a coordinate moved for each other one."""


@kernel(types.float64(types.float64, types.float64, types.float64))
def missed(slope, x, t):  # type: ignore[no-untyped-def]
    """Return the least subgradient's size."""
    if x != 0.0:
        return abs(slope + (t if x > 0.0 else -t))
    return max(abs(slope) - t, 0.0)


@kernel(types.float64(rf8(1), rf8(1), rf8(1)))
def most_missed(slope, x, t):  # type: ignore[no-untyped-def]
    """Return the largest entry of the least subgradient."""
    most = 0.0
    for a in range(x.size):
        most = max(most, missed(slope[a], x[a], t[a]))
    return most


@kernel(types.boolean(rf8(2), ri8(1), types.int64, wf8(2), rf8(1), wf8(1), wf8(1)))
def solve_by_factor(H, index, m, L, right, x, left):  # type: ignore[no-untyped-def]
    """Solve H_AA x = right by Cholesky with a little ridge, whose effect one refinement takes back; return whether there is a factor."""
    for a in range(m):
        for b in range(a + 1):
            L[a, b] = H[index[a], index[b]]
        L[a, a] += RIDGE
    for a in range(m):
        la = L[a]
        for b in range(a):
            lb, total = L[b], la[b]
            for c in range(b):
                total -= la[c] * lb[c]
            la[b] = total / lb[b]
        total = la[a]
        for c in range(a):
            total -= la[c] * la[c]
        if not total > 0.0:
            return False
        la[a] = np.sqrt(total)
    for turn in range(2):
        for a in range(m):
            la, total = L[a], right[a]
            if turn == 1:
                row = H[index[a]]
                for b in range(m):
                    total -= row[index[b]] * x[b]
            for c in range(a):
                total -= la[c] * left[c]
            left[a] = total / la[a]
        for a in range(m - 1, -1, -1):
            left[a] /= L[a, a]
            la = L[a]
            for c in range(a):
                left[c] -= left[a] * la[c]
        for a in range(m):
            x[a] = left[a] if turn == 0 else x[a] + left[a]
    return True


@kernel(types.int64(rf8(2), ri8(1), types.int64, types.float64, types.int64, rf8(1), wf8(1), wf8(2)))
def solve_by_products(H, index, m, enough, products, right, x, work):  # type: ignore[no-untyped-def]
    """Solve H_AA x = right by conjugate gradients until no entry of the residual exceeds `enough`; return the products, −1 if too few."""
    r, d, Hd, square = work[0], work[1], work[2], 0.0
    for a in range(m):
        x[a], r[a], d[a] = 0.0, right[a], right[a]
        square += right[a] * right[a]
    for taken in range(products):
        most, along, size = 0.0, 0.0, 0.0
        for a in range(m):
            most = max(most, abs(r[a]))
        if most <= enough:
            return taken
        for a in range(m):
            row, total = H[index[a]], 0.0
            for b in range(m):
                total += row[index[b]] * d[b]
            Hd[a] = total
            along += d[a] * total
            size += d[a] * d[a]
        if along <= FLAT * size:
            return -1
        step, before = square / along, square
        square = 0.0
        for a in range(m):
            x[a] += step * d[a]
            r[a] -= step * Hd[a]
            square += r[a] * r[a]
        for a in range(m):
            d[a] = r[a] + square / before * d[a]
    return -1


@kernel(types.float64(rf8(1), rf8(1), rf8(1), ri8(1), types.int64, types.float64, types.float64))
def best_length(x, step, t, index, m, slope, curvature):  # type: ignore[no-untyped-def]
    """Return the length s in [0, 1] for which slope s + ½ curvature s² + Σ_c t_c |x_c + s step_c| is least, x and t by `index`.

    The slope rises by 2 t |step| wherever a coefficient changes its sign; it may pass 0 at such a place or between two.
    """
    for c in range(m):
        a = index[c]
        slope += t[a] * (step[c] if x[a] > 0.0 else -step[c])
    at = 0.0
    while slope + curvature * at < 0.0:
        end, rise = 1.0, 0.0
        for c in range(m):
            a = index[c]
            if t[a] > 0.0 and x[a] * step[c] < 0.0:
                place = -x[a] / step[c]
                if at < place < end:
                    end, rise = place, 0.0
                if place == end:
                    rise += 2.0 * t[a] * abs(step[c])
        if slope + curvature * end >= 0.0:
            return min(max(-slope / curvature, at), end)
        if end == 1.0:
            return 1.0
        slope += rise
        at = end
    return at


@kernel(types.int64(rf8(2), rf8(1), types.float64, wf8(1), wf8(1)))
def sweep(H, t, enough, x, r):  # type: ignore[no-untyped-def]
    """Sweep over the coordinates with slopes r at x until a sweep changes little; return how often one moved."""
    moved = 0
    for _ in range(SWEEPS):
        most = 0.0
        for a in range(x.size):
            u = x[a] - r[a]
            d = (u - t[a] if u > t[a] else (u + t[a] if u < -t[a] else 0.0)) - x[a]
            if d != 0.0:
                x[a] = 0.0 if d == -x[a] else x[a] + d
                most = max(most, abs(d))
                moved += 1
                row = H[a]
                for b in range(x.size):
                    r[b] += d * row[b]
        if most <= 0.5 * enough:
            break
    return moved


@kernel(
    types.float64(rf8(2), rf8(1), rf8(1), rf8(1), ri8(1), types.int64, types.float64, types.float64, types.float64, wf8(1), wf8(1), wf8(1))
)
def stop_at_zero(H, t, x, r, index, m, length, slope, curvature, step, change, other):  # type: ignore[no-untyped-def]
    """Let coordinates that the step takes across 0 stop there, if that is better than the best length; return the length to go.

    change = H step is kept up to date; a step whose coordinates keep their signs is left as it is.
    """
    gain, crossing = length * (slope + 0.5 * length * curvature), False
    for c in range(m):
        a = index[c]
        gain += t[a] * (abs(x[a] + length * step[c]) - abs(x[a]))
        crossing = crossing or (t[a] > 0.0 and (x[a] + step[c]) * x[a] < 0.0)
    if not crossing:
        return length
    for b in range(x.size):
        other[b] = change[b]
    for c in range(m):
        a = index[c]
        beyond = x[a] + step[c]
        if t[a] > 0.0 and beyond * x[a] < 0.0:
            row = H[a]
            for b in range(x.size):
                other[b] -= beyond * row[b]
    found = 0.0
    for c in range(m):
        a = index[c]
        d = -x[a] if t[a] > 0.0 and (x[a] + step[c]) * x[a] < 0.0 else step[c]
        found += d * (r[a] + 0.5 * other[a]) + t[a] * (abs(x[a] + d) - abs(x[a]))
    if found > gain:
        return length
    for c in range(m):
        a = index[c]
        if t[a] > 0.0 and (x[a] + step[c]) * x[a] < 0.0:
            step[c] = -x[a]
    for b in range(x.size):
        change[b] = other[b]
    return 1.0


@kernel(types.float64(rf8(2), rf8(1), types.float64, wf8(1), wf8(1), wf8(2), wi8(1), wf8(2)))
def step_on_support(H, t, enough, x, r, L, index, work):  # type: ignore[no-untyped-def]
    """Go towards the minimum on the coordinates that are not 0, as far as is best.

    Products with the matrix may take half the time of a factor. Return the work, as a negative number where no sign has changed.
    """
    right, step, left, change = work[0], work[1], work[2], work[3]
    m = 0
    for a in range(x.size):
        if x[a] != 0.0 or t[a] == 0.0:
            index[m] = a
            right[m] = -r[a] - (t[a] if x[a] > 0.0 else -t[a])
            m += 1
    products = PRODUCTS if m > FACTORED else int(0.5 * CUBE * m / SQUARE) if m > DIRECT else 0
    taken = solve_by_products(H, index, m, CLOSER * enough, products, right, step, work[2:5])
    spent = SQUARE * m * m * (products if taken < 0 else taken) + SQUARE * m * x.size
    if taken < 0 and m <= FACTORED:
        spent += CUBE * m * m * m
        if not solve_by_factor(H, index, m, L, right, step, left):
            solve_by_products(H, index, m, CLOSER * enough, PRODUCTS, right, step, work[2:5])
    slope, curvature = 0.0, 0.0
    for b in range(x.size):
        change[b] = 0.0
    for c in range(m):
        d, row = step[c], H[index[c]]
        slope += r[index[c]] * d
        for b in range(x.size):
            change[b] += d * row[b]
    for c in range(m):
        curvature += step[c] * change[index[c]]
    length = best_length(x, step, t, index, m, slope, curvature)
    length = stop_at_zero(H, t, x, r, index, m, length, slope, curvature, step, change, work[4])
    crossed = False
    for c in range(m):
        a = index[c]
        new = x[a] + length * step[c]
        if t[a] > 0.0:
            new = 0.0 if abs(new) <= 1e-12 * abs(x[a]) else new
            crossed = crossed or new * x[a] <= 0.0
        x[a] = new
    for b in range(x.size):
        r[b] += length * change[b]
    return spent if crossed and length > 0.0 else -spent


@kernel(types.float64(rf8(2), rf8(1), types.float64, types.float64, wf8(1), wf8(1), wf8(2), wi8(1), wf8(2)))
def minimise_quadratic(H, t, enough, most_work, x, r, L, index, work):  # type: ignore[no-untyped-def]
    """Move x, with slopes r there, until no entry of the least subgradient exceeds `enough`, or rounding is at work.

    Return the work, which ends it where it is too much.

    Parameters
    ----------
    L, index, work : (m, m), (q,), (5, q) to work in, m = min(q, FACTORED)
    """
    spent = 0.0
    for _ in range(TURNS):
        spent += ENTRY * x.size * sweep(H, t, enough, x, r)
        if most_missed(r, x, t) <= enough or spent > most_work:
            break
        for _ in range(SYSTEMS):
            system = step_on_support(H, t, enough, x, r, L, index, work)
            spent += abs(system)
            if system <= 0.0:
                break
        if most_missed(r, x, t) <= enough or spent > most_work:
            break
    return spent
