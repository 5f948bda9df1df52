"""Logistic loss with an L1 part on a small dense table, from the first step to the last in one call: calls from Python would take longer.

Proximal Newton as in solvers.sparse.gram_proximal, on the columns that have a coefficient or may want one. Columns lie together, times
y_i = ±1, less their mean where there is an intercept, and in units of their root mean square: margins are m = Z'θ, and

    f(θ) = (1/S) Σ_i s_i log(1 + e^(−m_i)) + Σ_j ½ ridge_j θ_j² + Σ_j t_j |θ_j|
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, ri8, wf8, wi8

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
ROWS = 256
"""Rows of which products are formed at a time: a column's share of them stays in the first cache."""
RIDGE = 1e-10
"""Added to the unit diagonal of a system, for columns that determine each other."""
SWEEPS, TURNS = 10, 12
"""Sweeps over the coordinates before a system on those that are not 0, and how often both take turns."""
ROUNDING = 1e-12
"""Share of the objective that sums over rows may be off by."""
ARMIJO, POOR, HOPEFUL, MOST = 1e-4, 0.1, 0.5, 10.0
HALVINGS, FURTHER = 12, 4.0
"""As in gram_proximal: what a step has to bring, when half of it may do better, and how far a step may go that promises too much."""
LOOSE = 0.05
"""Share of the violation to which a step solves its quadratic far from the end; near it, the violation's own share of the penalty."""
NEAR = 0.8
"""Share of its penalty from which the slope of a column lets it into the quadratic."""
AT_ONCE, BISECTIONS = 64, 20
"""Columns that may always be let in at once, and how closely the share that lets in no more is found."""
FRESH = 0.1
"""Share of the last violation above which the next step needs a Hessian of its own."""
DIGITS = 1e-15
"""Subgradient, in units of its column, that is as good as none."""


@kernel(types.boolean(rf8(2), ri4(1), rf8(1), types.boolean, wf8(2), wf8(1), wf8(1)))
def turn(X, codes, weight, intercept, Z, centre, units):  # type: ignore[no-untyped-def]
    """Fill Z (p, n), or (p + 1, n) with the intercept's row of y_i, means and units; return whether all is finite."""
    n, p = X.shape
    total = 0.0
    for i in range(n):
        s = 1.0 if weight.size == 0 else weight[i]
        total += s
        for j in range(p):
            centre[j] += s * X[i, j]
    for j in range(p):
        centre[j] = centre[j] / total if intercept else 0.0
    for i in range(n):
        s = 1.0 if weight.size == 0 else weight[i]
        for j in range(p):
            d = X[i, j] - centre[j]
            units[j] += s * d * d
    bad = 0.0
    for j in range(p):
        bad += 0.0 * units[j]
        units[j] = np.sqrt(units[j] / total) if units[j] > 1e-280 * total else 1.0
    for i in range(n):
        y = 1.0 if codes[i] == 1 else -1.0
        for j in range(p):
            Z[j, i] = y * (X[i, j] - centre[j]) / units[j]
        if intercept:
            Z[p, i] = y
    return bad == 0.0


@kernel(types.void(rf8(1), wf8(1), wi8(1)), gathers=True)
def exponentials(margin, e, bits):  # type: ignore[no-untyped-def]
    """e_i = exp(−|m_i|), within two units in the last place; below −700 it stays at e^−700."""
    for i in range(margin.size):
        x = -abs(margin[i])
        x = -700.0 if x < -700.0 else x
        k = np.floor(x * LOG2_E + 0.5)
        r = (x - k * LN2_HIGH) - k * LN2_LOW
        t = ((2.08767569878681e-09 * r + 2.505210838544172e-08) * r + 2.755731922398589e-07) * r + 2.755731922398589e-06
        t = ((t * r + 2.48015873015873e-05) * r + 1.984126984126984e-04) * r + 1.388888888888889e-03
        t = ((t * r + 8.333333333333333e-03) * r + 4.1666666666666664e-02) * r + 0.16666666666666666
        e[i] = ((t * r + 0.5) * r + 1.0) * r + 1.0
        bits[i] = (np.int64(k) + 1023) << 52
    powers = bits.view(np.float64)
    for i in range(margin.size):
        e[i] *= powers[i]


@kernel(types.float64(rf8(1), rf8(1), wf8(1), wf8(1), wf8(1), wi8(1)))
def losses(margin, weight, r, h, e, bits):  # type: ignore[no-untyped-def]
    """Return Σ s_i log(1 + e^(−m_i)); r_i = s_i q_i is minus the slope and h_i = s_i q_i (1 − q_i) the curvature, q = 1/(1 + e^m).

    log(1 + e) = 2 artanh u with u = e/(2 + e) ≤ ⅓: sixteen terms of its series, which is compiled to vector instructions.
    """
    exponentials(margin, e, bits)
    loss = 0.0
    for i in range(margin.size):
        s = 1.0 if weight.size == 0 else weight[i]
        u = e[i] / (2.0 + e[i])
        v = u * u
        t = (((1.0 / 33.0 * v + 1.0 / 31.0) * v + 1.0 / 29.0) * v + 1.0 / 27.0) * v + 1.0 / 25.0
        t = (((t * v + 1.0 / 23.0) * v + 1.0 / 21.0) * v + 1.0 / 19.0) * v + 1.0 / 17.0
        t = (((t * v + 1.0 / 15.0) * v + 1.0 / 13.0) * v + 1.0 / 11.0) * v + 1.0 / 9.0
        t = ((t * v + 1.0 / 7.0) * v + 1.0 / 5.0) * v + 1.0 / 3.0
        loss += s * (2.0 * u * (1.0 + t * v) + max(-margin[i], 0.0))
        share = 1.0 / (1.0 + e[i])
        r[i] = s * share * (1.0 if margin[i] < 0.0 else e[i])
        h[i] = s * share * share * e[i]
    return loss


@kernel(types.void(rf8(2), rf8(1), wf8(1)))
def margins(Z, theta, margin):  # type: ignore[no-untyped-def]
    """margin = Z'θ."""
    for i in range(margin.size):
        margin[i] = 0.0
    for j in range(theta.size):
        if theta[j] != 0.0:
            t, z = theta[j], Z[j]
            for i in range(margin.size):
                margin[i] += t * z[i]


@kernel(types.float64(rf8(2), rf8(1), types.float64, rf8(1), rf8(1), rf8(1), rf8(1), wf8(2), wi8(1), wf8(1)))
def evaluate(Z, weight, total, t, ridge, theta, margin, rows, bits, g):  # type: ignore[no-untyped-def]
    """Return f, and in g the slopes of its smooth part; rows[0] and rows[1] become r and h of `losses`."""
    r = rows[0]
    value = losses(margin, weight, r, rows[1], rows[2], bits) / total
    for j in range(theta.size):
        z, found = Z[j], 0.0
        for i in range(r.size):
            found += r[i] * z[i]
        g[j] = ridge[j] * theta[j] - found / total
        value += 0.5 * ridge[j] * theta[j] * theta[j] + t[j] * abs(theta[j])
    return value


@kernel(types.void(rf8(2), rf8(1), ri8(1), types.int64, rf8(1), types.float64, wf8(2), wf8(1)))
def curvature(Z, h, chosen, k, ridge, total, H, buffer):  # type: ignore[no-untyped-def]
    """H (k, k) = Z diag(h) Z'/S + diag(ridge) of the columns chosen."""
    n = h.size
    for a in range(k):
        for b in range(a + 1):
            H[a, b] = 0.0
    for begin in range(0, n, ROWS):
        count = min(ROWS, n - begin)
        for a in range(k):
            z = Z[chosen[a], begin : begin + count]
            for i in range(count):
                buffer[i] = z[i] * h[begin + i]
            b = 0
            while b + 3 <= a:
                z0, z1 = Z[chosen[b], begin : begin + count], Z[chosen[b + 1], begin : begin + count]
                z2, z3 = Z[chosen[b + 2], begin : begin + count], Z[chosen[b + 3], begin : begin + count]
                s0 = s1 = s2 = s3 = 0.0
                for i in range(count):
                    value = buffer[i]
                    s0 += value * z0[i]
                    s1 += value * z1[i]
                    s2 += value * z2[i]
                    s3 += value * z3[i]
                H[a, b] += s0
                H[a, b + 1] += s1
                H[a, b + 2] += s2
                H[a, b + 3] += s3
                b += 4
            while b <= a:
                z0, s0 = Z[chosen[b], begin : begin + count], 0.0
                for i in range(count):
                    s0 += buffer[i] * z0[i]
                H[a, b] += s0
                b += 1
    for a in range(k):
        for b in range(a + 1):
            H[a, b] /= total
        H[a, a] += ridge[chosen[a]]
        for b in range(a):
            H[b, a] = H[a, b]


@kernel(types.float64(types.float64, types.float64, types.float64))
def missed(slope, x, t):  # type: ignore[no-untyped-def]
    """Return the least subgradient's size."""
    if x != 0.0:
        return abs(slope + (t if x > 0.0 else -t))
    return max(abs(slope) - t, 0.0)


@kernel(types.boolean(rf8(2), ri8(1), types.int64, wf8(2), rf8(1), wf8(1), wf8(1)))
def solve_system(H, index, m, L, right, x, left):  # type: ignore[no-untyped-def]
    """Solve H_AA x = right by Cholesky, H of unit diagonal, with a little ridge, whose effect one refinement takes back."""
    for a in range(m):
        for b in range(a + 1):
            total = H[index[a], index[b]] + (RIDGE if a == b else 0.0)
            la, lb = L[a], L[b]
            for c in range(b):
                total -= la[c] * lb[c]
            if b < a:
                L[a, b] = total / L[b, b]
            elif not total > 0.0:
                return False
            else:
                L[a, a] = np.sqrt(total)
    for turns in range(2):
        for a in range(m):
            total = right[a]
            if turns == 1:
                for b in range(m):
                    total -= H[index[a], index[b]] * x[b]
            for c in range(a):
                total -= L[a, c] * left[c]
            left[a] = total / L[a, a]
        for a in range(m - 1, -1, -1):
            left[a] /= L[a, a]
            la = L[a]
            for c in range(a):
                left[c] -= left[a] * la[c]
        for a in range(m):
            x[a] = left[a] if turns == 0 else x[a] + left[a]
    return True


@kernel(types.float64(rf8(1), rf8(1), rf8(1)))
def most_missed(slope, x, t):  # type: ignore[no-untyped-def]
    """Return the largest entry of the least subgradient."""
    most = 0.0
    for a in range(x.size):
        most = max(most, missed(slope[a], x[a], t[a]))
    return most


@kernel(types.void(rf8(2), rf8(1), types.float64, wf8(1), wf8(1)))
def sweep(H, t, enough, x, r):  # type: ignore[no-untyped-def]
    """Sweep over the coordinates of a quadratic of unit diagonal with slopes r at x until a sweep changes little."""
    for _ in range(SWEEPS):
        most = 0.0
        for a in range(x.size):
            u = x[a] - r[a]
            d = (u - t[a] if u > t[a] else (u + t[a] if u < -t[a] else 0.0)) - x[a]
            if d != 0.0:
                x[a] = 0.0 if d == -x[a] else x[a] + d
                most = max(most, abs(d))
                row = H[a]
                for b in range(x.size):
                    r[b] += d * row[b]
        if most <= 0.5 * enough:
            break


@kernel(types.boolean(rf8(2), rf8(1), wf8(1), wf8(1), wf8(2), wi8(1), wf8(2)))
def step_on_support(H, t, x, r, L, index, work):  # type: ignore[no-untyped-def]
    """Move to the minimum on the coordinates that are not 0, or on the way to where the first of them is; return whether one is now."""
    right, step, left = work[0], work[1], work[2]
    m = 0
    for a in range(x.size):
        if x[a] != 0.0 or t[a] == 0.0:
            index[m] = a
            right[m] = -r[a] - (t[a] if x[a] > 0.0 else -t[a])
            m += 1
    if not solve_system(H, index, m, L, right, step, left):
        return False
    share, first = 1.0, -1
    for c in range(m):
        a = index[c]
        if t[a] > 0.0 and (x[a] + step[c]) * x[a] <= 0.0 and -x[a] / step[c] < share:
            share, first = -x[a] / step[c], a
    for c in range(m):
        a = index[c]
        d = share * step[c] if a != first else -x[a]
        x[a] = x[a] + d if a != first else 0.0
        row = H[a]
        for b in range(x.size):
            r[b] += d * row[b]
    return first >= 0


@kernel(types.void(rf8(2), rf8(1), types.float64, wf8(1), wf8(1), wf8(2), wi8(1), wf8(2)))
def minimise_quadratic(H, t, enough, x, r, L, index, work):  # type: ignore[no-untyped-def]
    """Move x towards the minimum of a quadratic of unit diagonal with slopes r at x, plus Σ t|x|, until no subgradient exceeds `enough`.

    Sweeps find which coordinates are 0; systems on the others give the digits.
    """
    for _ in range(TURNS):
        sweep(H, t, enough, x, r)
        if most_missed(r, x, t) <= enough:
            break
        while step_on_support(H, t, x, r, L, index, work):
            pass
        if most_missed(r, x, t) <= enough:
            break


@kernel(types.float64(rf8(1)))
def summed(values):  # type: ignore[no-untyped-def]
    """Return the sum."""
    total = 0.0
    for i in range(values.size):
        total += values[i]
    return total


@kernel(types.float64(rf8(1)))
def widest(values):  # type: ignore[no-untyped-def]
    """Return the largest size."""
    most = 0.0
    for i in range(values.size):
        most = max(most, abs(values[i]))
    return most


@kernel(types.float64(rf8(1), rf8(1), rf8(1), types.float64, types.float64))
def furthest(g, theta, t, strength, digits):  # type: ignore[no-untyped-def]
    """Return the largest subgradient as a share of its penalty, `strength` where there is none; those up to `digits` count as 0."""
    share = 0.0
    for j in range(g.size):
        miss = missed(g[j], theta[j], t[j])
        if miss > digits:
            share = max(share, miss / (t[j] if t[j] > 0.0 else strength))
    return share


@kernel(types.float64(rf8(1), rf8(1), rf8(1)))
def entry(g, theta, t):  # type: ignore[no-untyped-def]
    """Return the share of its penalty from which the slope of a column lets it in: at most as many as there are already, or AT_ONCE."""
    inside, most = 0, NEAR
    for j in range(g.size):
        if theta[j] != 0.0 or t[j] == 0.0:
            inside += 1
        else:
            most = max(most, abs(g[j]) / t[j])
    low, high = NEAR, most
    for turns in range(BISECTIONS):
        share, count = (low if turns == 0 else np.sqrt(low * high)), 0
        for j in range(g.size):
            count += theta[j] == 0.0 and t[j] > 0.0 and abs(g[j]) > share * t[j]
        if count > max(inside, AT_ONCE):
            low = share
        elif turns == 0:
            return share
        else:
            high = share
    return low


@kernel(
    types.int64(
        *(rf8(2), rf8(1), types.float64, rf8(1), rf8(1), types.float64, types.float64, types.int64),
        *(wf8(1), wf8(1), wf8(1), wf8(2), wi8(1), wf8(1)),
    )
)
def minimise(Z, weight, total, t, ridge, strength, slack, max_iter, theta, g, margin, rows, bits, out):  # type: ignore[no-untyped-def]
    """Minimise f; return the steps taken.

    Parameters
    ----------
    total, strength : S, and λ of a coefficient without a penalty
    slack : subgradient that is as good as none, as a share of the penalty
    theta, g, margin, rows : where to begin, then where it ended, with what `evaluate` finds there
    out : (2,) f there; at the end also the passes
    """
    q, n = Z.shape
    new_rows, line = np.empty((3, n)), np.empty((2, n))
    H, S, L, work, chosen = np.empty((q, q)), np.empty((q, q)), np.empty((q, q)), np.empty((10, q)), np.empty((3, q), dtype=np.int64)
    now, had, buffer, new_margin, change = chosen[0], chosen[1], np.empty(ROWS), line[0], line[1]
    d, units, new_theta, new_g = work[3], work[4], work[5], work[6]
    value, passes, steps, k, before, reach = out[0], 0.0, 0, 0, np.inf, MOST
    while True:
        digits = DIGITS * summed(rows[0]) / total
        share, worst = furthest(g, theta, t, strength, digits), most_missed(g, theta, t)
        if share <= slack or steps == max_iter:
            break
        known, k, is_fresh = k, 0, worst > FRESH * before
        near = entry(g, theta, t)
        for j in range(q):
            if theta[j] != 0.0 or t[j] == 0.0 or abs(g[j]) > near * t[j]:
                is_fresh = is_fresh or k >= known or had[k] != j
                now[k] = j
                k += 1
        is_fresh = is_fresh or k < known
        if is_fresh:
            curvature(Z, rows[1], now, k, ridge, total, H, buffer)
            for a in range(k):
                had[a] = now[a]
                units[a] = np.sqrt(H[a, a]) if H[a, a] > 1e-280 else 1.0
            for a in range(k):
                for b in range(k):
                    S[a, b] = H[a, b] / (units[a] * units[b])
        x, slope, penalty = work[7, :k], work[8, :k], work[9, :k]
        for a in range(k):
            j = now[a]
            x[a], slope[a], penalty[a] = theta[j] * units[a], g[j] / units[a], t[j] / units[a]
        enough = max(min(LOOSE, share), DIGITS) * most_missed(slope, x, penalty)
        minimise_quadratic(S[:k], penalty, enough, x, slope, L, chosen[2], work)
        fall = 0.0
        for j in range(q):
            d[j] = 0.0
        for a in range(k):
            j = now[a]
            d[j] = x[a] / units[a] - theta[j]
            fall += t[j] * (abs(theta[j]) - abs(theta[j] + d[j])) - g[j] * d[j]
        margins(Z, d, change)
        first = min(1.0, reach / max(widest(change), 1e-300)) if fall > HOPEFUL * value else 1.0
        length, best, best_length, moved, before = first, np.inf, 0.0, False, worst
        for _ in range(HALVINGS):
            for i in range(n):
                new_margin[i] = margin[i] + length * change[i]
            for j in range(q):
                new_theta[j] = theta[j] + length * d[j]
            new = evaluate(Z, weight, total, t, ridge, new_theta, new_margin, new_rows, bits, new_g)
            passes += 1.0
            if moved:
                break
            if new >= best:  # twice as far was better: back there
                length, moved = best_length, True
                continue
            hoped = length * fall
            if hoped <= ROUNDING * value or abs(new - value) <= ROUNDING * value:
                # In the last digits the objective no longer tells points apart, the subgradient still does.
                moved = abs(new - value) <= ROUNDING * value and most_missed(new_g, new_theta, t) < 0.5 * worst
                break
            if new <= value - ARMIJO * hoped:
                best, best_length = new, length
                moved = new <= value - POOR * hoped
                if moved:
                    break
            length *= 0.5
        steps += 1
        if moved:
            value = new
            for i in range(n):
                margin[i], rows[0, i], rows[1, i] = new_margin[i], new_rows[0, i], new_rows[1, i]
            for j in range(q):
                theta[j], g[j] = new_theta[j], new_g[j]
            reach *= FURTHER if length == first < 1.0 else 1.0
        elif is_fresh:
            break
        else:
            before = 0.0  # the next step has a Hessian of its own
    out[0], out[1] = value, passes
    return steps
