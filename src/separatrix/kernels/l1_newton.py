"""Logistic loss of two classes with an L1 part, from the first step to the last in one call: calls from Python would take longer.

    f(θ) = (1/S) Σ_i s_i log(1 + e^(−m_i)) + Σ_j ½ ridge_j θ_j² + Σ_j t_j |θ_j|,    margins m_i = y_i z_i

Proximal Newton on the columns that have a coefficient or may want one. Their quadratic has its matrix (`l1_quadratic`) where that is little
work beside walks through the columns (`l1_column_step`): dense columns always, sparse ones where few values meet in a row.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, wf8, wi8
from .l1_certificate import certify, foretell, foretold_gap, furthest, missable, penalty
from .l1_column_step import step_by_walks
from .l1_gram import ROWS, gram_work, quadratic_work, scaled_gram
from .l1_quadratic import FACTORED, minimise_quadratic, most_missed
from .l1_rows import COLUMNS_OF, ROWS_OF, by_columns, evaluate, margins, slopes
from .margin_losses import centre

ROUNDING = 1e-12
"""Share of the objective that sums over rows may be off by."""
ARMIJO, POOR, HOPEFUL, MOST = 1e-4, 0.1, 0.5, 10.0
HALVINGS, FURTHER = 12, 4.0
"""As in gram_proximal: what a step has to bring, when half of it may do better, and how far a step may go that promises too much."""
STEEP, FLAT, MOST_FURTHER, FURTHER_ON = 0.25, 0.05, 8.0, 2
"""Share of a step's first slope at its end from which on it goes further, the share it goes for, how far at most, and how often."""
LOOSE = 0.05
"""Share of the violation to which a step with a matrix solves its quadratic far from the end."""
SOON = 0.9
"""Power of the gap asked, as what a quadratic did not foretell at the last step, from which on the next one may be the last."""
TIGHTEST, LAST = 1e-8, 0.3
"""Least such share of walks, and the share of the gap asked that the last one aims at."""
NEAR = 0.9
"""Share of its penalty from which the slope of a column lets it into the quadratic."""
AT_ONCE, BISECTIONS = 64, 20
"""Dense columns that may always be let in at once, and how closely the share that lets in no more is found."""
FRESH = 0.1
"""Share of the last violation above which the next step needs a Hessian of its own."""
DIGITS = 1e-15
"""Subgradient, in units of its column, that is as good as none."""
WALKS, COPIED, ROW = 20.0, 3.0, 6.0
"""Work of a step by walks for each value, of its copy by columns, and of a row's loss, in values read."""
LONGEST, UNSOLVED = 10.0, 6
"""Times the work that it mostly is, after which a quadratic ends, and how many such in a row show that others have to go on."""
CLOSE, LONGER = 1e-2, 2.0
"""Gap, as a share of f, that the last few steps take to the end, and how much more work these may be."""
PRODUCTS = 12.0
"""Products that a system is thought to take at first."""


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
    for turn in range(BISECTIONS):
        share, count = (low if turn == 0 else np.sqrt(low * high)), 0
        for j in range(g.size):
            count += theta[j] == 0.0 and t[j] > 0.0 and abs(g[j]) > share * t[j]
        if count > max(inside, AT_ONCE):
            low = share
        elif turn == 0:
            return share
        else:
            high = share
    return low


@kernel(types.int64(rf8(1), rf8(1), rf8(1), rf8(1), types.float64, wi8(1), wi8(1), wf8(2)))
def choose(g, theta, t, ridge, near, chosen, place, model):  # type: ignore[no-untyped-def]
    """List the columns with a coefficient, without a penalty, or with a slope above that share of it; return how many.

    model becomes coefficients, slopes, penalties and ridges of the columns chosen.
    """
    k = 0
    for j in range(g.size):
        place[j] = -1
        if theta[j] != 0.0 or t[j] == 0.0 or abs(g[j]) > near * t[j]:
            chosen[k], place[j] = j, k
            model[0, k], model[1, k], model[2, k], model[3, k] = theta[j], g[j], t[j], ridge[j]
            k += 1
    return k


@kernel(types.float64(rf8(2), rf8(1), rf8(2), types.int64, types.float64, types.float64, types.float64, wf8(1), wf8(2), wi8(1), wf8(2)))
def step_by_matrix(S, units, model, k, share, fine, most_work, x, L, index, work):  # type: ignore[no-untyped-def]
    """Move x to the minimum of a quadratic of unit diagonal, up to a share of the violation and of the penalties; return the work."""
    slope, soft = work[5, :k], work[6, :k]
    for a in range(k):
        x[a], slope[a], soft[a] = model[0, a] * units[a], model[1, a] / units[a], model[2, a] / units[a]
    worst, least = most_missed(slope, x[:k], soft), np.inf
    for a in range(k):
        least = min(least, soft[a]) if soft[a] > 0.0 else least
    enough = max(min(share * worst, fine * least) if fine > 0.0 else share * worst, DIGITS * worst)
    spent = minimise_quadratic(S[:k], soft, enough, most_work, x[:k], slope, L, index, work[:5])
    for a in range(k):
        x[a] /= units[a]
    return spent


@kernel(
    types.float64(
        *(*ROWS_OF, *COLUMNS_OF, rf8(1), types.float64, rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), rf8(1)),
        *(wf8(2), wi8(1), wf8(1), wf8(1), wf8(1), wf8(1)),
    )
)
def search(  # type: ignore[no-untyped-def]
    Z,
    data,
    indices,
    indptr,
    codes,
    p,
    values,
    places,
    starts,
    weight,
    total,
    t,
    ridge,
    theta,
    end,
    margin,
    change,
    here,
    rows,
    bits,
    new_theta,
    new_margin,
    new_g,
    out,
):
    """Find a point on the way to the end, at the first length, half of it, …, that lowers f enough; return whether there is one.

    Parameters
    ----------
    change : of the margins on the whole way
    here : f, its largest violation, what the whole way promises, and the first length
    new_theta, new_margin, rows, new_g : become those of the point; out[0] its f, out[8] its loss, out[9] the length
    """
    value, worst, fall, length = here[0], here[1], here[2], here[3]
    best, best_length, is_found = np.inf, 0.0, False
    for _ in range(HALVINGS):
        for i in range(margin.size):
            new_margin[i] = margin[i] + length * change[i]
        for j in range(theta.size):
            new_theta[j] = end[j] if length == 1.0 else theta[j] + length * (end[j] - theta[j])
        out[8] = evaluate(
            Z, data, indices, indptr, codes, p, values, places, starts, weight, total, ridge, new_theta, new_margin, rows, bits, new_g
        )
        new = out[8] + penalty(new_theta, t, ridge)
        out[1] += 1.0
        if is_found:
            break
        if new >= best:  # twice as far was better: back there
            length, is_found = best_length, True
            continue
        hoped = length * fall
        if hoped <= ROUNDING * value or abs(new - value) <= ROUNDING * value:
            # In the last digits the objective no longer tells points apart, the subgradient still does.
            is_found = abs(new - value) <= ROUNDING * value and most_missed(new_g, new_theta, t) < 0.5 * worst
            break
        if new <= value - ARMIJO * hoped:
            best, best_length = new, length
            is_found = new <= value - POOR * hoped
            if is_found:
                break
        length *= 0.5
    out[0], out[9] = new, length
    return is_found


@kernel(
    types.void(
        *(*ROWS_OF, *COLUMNS_OF, rf8(1), types.float64, rf8(1), rf8(1), rf8(1), types.float64),
        *(wf8(2), wi8(1), wf8(1), wf8(1), wf8(1), wf8(2), wf8(2), wf8(2), wf8(1)),
    )
)
def go_further(  # type: ignore[no-untyped-def]
    Z,
    data,
    indices,
    indptr,
    codes,
    p,
    values,
    places,
    starts,
    weight,
    total,
    t,
    ridge,
    theta,
    fall,
    rows,
    bits,
    new_theta,
    new_margin,
    new_g,
    other_rows,
    lines,
    work,
    out,
):
    """Go on in the direction of a whole step while f falls nearly as fast as at its start.

    Rows that are nearly certain lose e^(−m), and a step of Newton's method takes e off that, however far there is to go. Coefficients that
    come to 0 stay there.

    Parameters
    ----------
    fall : by how much f falls at the start of the step, for each of its length
    rows, new_theta, new_margin, new_g : at its end, and then at the end of this; out[0] and out[8] as in `search`
    other_rows, lines, work : (3, n), (2, n), (3, q) to work in
    """
    d, far_theta, far_g, change, far_margin, length = work[0], work[1], work[2], lines[0], lines[1], 1.0
    for turn in range(FURTHER_ON):
        slope = 0.0
        for j in range(d.size):
            if turn == 0:
                d[j] = new_theta[j] - theta[j]
                if t[j] > 0.0 and d[j] * new_theta[j] <= 0.0:
                    d[j] = 0.0
            slope += d[j] * (new_g[j] + (t[j] if new_theta[j] > 0.0 else -t[j]))
        left = -slope / fall
        if not left > STEEP:
            break
        if turn == 0:
            margins(Z, data, indices, indptr, codes, p, d, change)
            out[2] += 0.5 * data.size
        # As far as leaves a share FLAT of the first slope, if it goes on to fall by as much as the step let it fall.
        length = min(np.log(FLAT) / np.log(min(left, 0.9)) - 1.0, MOST_FURTHER) if turn == 0 else length
        for i in range(change.size):
            far_margin[i] = new_margin[i] + length * change[i]
        for j in range(d.size):
            far_theta[j] = new_theta[j] + length * d[j]
        loss = evaluate(
            Z, data, indices, indptr, codes, p, values, places, starts, weight, total, ridge, far_theta, far_margin, other_rows, bits, far_g
        )
        value = loss + penalty(far_theta, t, ridge)
        out[1] += 1.0
        if not value < out[0]:
            break
        out[0], out[8] = value, loss
        for i in range(change.size):
            new_margin[i], rows[0, i], rows[1, i] = far_margin[i], other_rows[0, i], other_rows[1, i]
        for j in range(d.size):
            new_theta[j], new_g[j] = far_theta[j], far_g[j]


@kernel(
    types.int64(
        *(*ROWS_OF, rf8(1), types.float64, rf8(1), rf8(1), rf8(1), rf8(1)),
        *(wf8(1), wf8(1), wf8(1), wf8(2), wi8(1), wf8(1)),
    )
)
def minimise(  # type: ignore[no-untyped-def]
    Z, data, indices, indptr, codes, p, weight, total, t, ridge, units, asked, theta, g, margin, rows, bits, out
):
    """Minimise f; return the steps taken.

    Parameters
    ----------
    Z, data, indices, indptr, codes, p : rows as in `l1_rows`
    total : S
    units : root mean squares of the columns
    asked : λ of a coefficient without a penalty; gap, as a share of f, and subgradient, in units of the columns, to stop at; most steps,
        and most work in values read
    theta, g, margin, rows : where to begin, then where it ended, with what `evaluate` finds there
    out : (10,) at the end f, passes, work, then gap and subgradient in out[4] and out[5], and in out[6] the gap by slopes foretold
    """
    q, n, is_sparse = theta.size, margin.size, Z.shape[0] == 0
    work, ints, lines, new_rows = np.empty((17, q)), np.empty((7, q + 1), dtype=np.int64), np.empty((5, n)), np.empty((3, n))
    other_rows = np.empty((3, n))
    model, x, end, new_g, scales, here = work[:5], work[5], work[6], work[7], work[8], np.empty(4)
    chosen, had, place, stored = ints[4, :q], ints[5, :q], np.empty(q, dtype=np.int64), np.zeros(q, dtype=np.int64)
    S, L, buffer = np.empty((0, 0)), np.empty((0, 0)), np.empty(max(ROWS, q))
    values, places, starts = np.empty(0), np.empty(0, dtype=np.uint32), np.zeros(1, dtype=np.int64)
    A, sources, state = np.empty(0), np.empty(0, dtype=np.uint32), np.array([88172645463325252])
    for a in range(indices.size):
        stored[np.uint32(indices[a])] += 1
    if is_sparse and p < q:
        stored[p] = n
    every = float(stored.sum())
    margins(Z, data, indices, indptr, codes, p, theta, margin)
    loss = evaluate(Z, data, indices, indptr, codes, p, values, places, starts, weight, total, ridge, theta, margin, rows, bits, g)
    value, steps, k, before, reach, walks = loss + penalty(theta, t, ridge), 0, 0, np.inf, MOST, False
    is_exact, is_even, products, walked, unsolved, pace, lost, out[1], out[2] = (
        False,
        False,
        PRODUCTS,
        0.0,
        0,
        np.zeros(3),
        np.inf,
        1.0,
        2.0 * every,
    )
    while True:
        for j in range(q):
            work[10, j] = g[j] - ridge[j] * theta[j]
        certify(theta, work[10], t, ridge, units, loss, margin, weight, rows, total, asked[1], out[4:])
        out[6] = np.inf
        if out[4] > asked[1] * value >= 2.0 * lost:
            slopes(Z, data, indices, indptr, codes, p, values, places, starts, other_rows[0], total, work[10])
            out[6] = foretold_gap(theta, work[10], t, ridge, units, loss, other_rows[0], rows, total)
            out[4], out[2] = min(out[4], out[6]), out[2] + every
        is_close = out[4] <= CLOSE * value
        is_done = out[4] <= asked[1] * value and out[5] <= asked[2]
        if is_done and q > p and not (is_even or out[6] <= asked[1] * value):
            # The bound takes the slope of the intercept for small beside what it does to the others: at its own minimum there is none.
            theta[p] += centre(codes, weight, margin, rows, bits)
            loss = evaluate(Z, data, indices, indptr, codes, p, values, places, starts, weight, total, ridge, theta, margin, rows, bits, g)
            value, is_even = loss + penalty(theta, t, ridge), True
            continue
        if is_done or steps == asked[3] or unsolved == UNSOLVED or out[2] > (LONGER if is_close else 1.0) * asked[4]:
            break
        # Near the end a quadratic is solved so closely that the slopes which it foretells may prove the point that it leads to.
        fine = missable(LAST * asked[1] * value, value - loss, rows, total) if lost <= asked[1] ** SOON * value else 0.0
        share, worst = furthest(g, theta, t, asked[0], DIGITS * rows[0].sum() / total), most_missed(g, theta, t)
        known, is_fresh, inside = k, worst > FRESH * before or walks or is_exact, 0.0
        k = choose(g, theta, t, ridge, NEAR if is_sparse else entry(g, theta, t), chosen, place, model)
        for a in range(k):
            is_fresh = is_fresh or k != known or had[a] != chosen[a]
            had[a], inside, x[a] = chosen[a], inside + stored[chosen[a]], theta[chosen[a]]
        gram, quadratic = gram_work(every, float(k), inside, float(n)), quadratic_work(float(k))
        walks = is_sparse and gram + quadratic > max(WALKS * inside, walked)
        is_fresh = is_fresh or (is_sparse and gram <= 2.0 * (2.0 * every + ROW * n))
        if not walks:
            if S.shape[0] < k:
                S, L = np.empty((k, k)), np.empty((min(k, FACTORED), min(k, FACTORED)))
            if is_fresh:
                scaled_gram(*(Z, data, indices, indptr, codes, p, rows[1], chosen, k, place, model[3], total, S, scales, ints[0], buffer))
                out[2] += gram
            spent = step_by_matrix(S, scales, model, k, min(LOOSE, share), fine, LONGEST * quadratic, x, L, ints[0], work[10:])
            out[2] += spent
            unsolved = unsolved + 1 if spent > LONGEST * quadratic else 0
        else:
            if values.size == 0:
                values, places, starts = np.empty(int(every)), np.empty(int(every), dtype=np.uint32), np.empty(q + 1, dtype=np.int64)
                A, sources = np.empty(values.size), np.empty(values.size, dtype=np.uint32)
                by_columns(data, indices, indptr, codes, values, places, starts)
                out[2] += COPIED * every
            floor = TIGHTEST if is_exact else max(min(LAST * asked[1] * value / out[4], 0.5), TIGHTEST)
            walked = -out[2]
            products = step_by_walks(
                *(
                    Z,
                    data,
                    indices,
                    indptr,
                    codes,
                    p,
                    rows[1],
                    total,
                    values,
                    places,
                    starts,
                    chosen,
                    k,
                    floor,
                    fine,
                    products,
                    model,
                    ints,
                ),
                *(A, sources, state, x, lines, pace, out),
            )
            walked += out[2]
        fall = 0.0
        for j in range(q):
            end[j] = theta[j]
        for a in range(k):
            j = chosen[a]
            end[j] = x[a]
            fall += t[j] * (abs(theta[j]) - abs(x[a])) - g[j] * (x[a] - theta[j])
        if not walks:
            for j in range(q):
                work[9, j] = end[j] - theta[j]
            margins(Z, data, indices, indptr, codes, p, work[9], lines[0])
            out[2] += every
        widest = max(lines[0].max(), -lines[0].min())
        first = min(1.0, reach / max(widest, 1e-300)) if fall > HOPEFUL * value else 1.0
        here[0], here[1], here[2], here[3] = value, worst, fall, first
        passes = out[1]
        is_found = search(
            *(Z, data, indices, indptr, codes, p, values, places, starts, weight, total, t, ridge, theta, end, margin, lines[0], here),
            *(new_rows, bits, work[9], lines[4], new_g, out),
        )
        tried, lost = out[1], np.inf
        if is_found and out[9] == 1.0 and fall > ROUNDING * value:
            go_further(
                *(Z, data, indices, indptr, codes, p, values, places, starts, weight, total, t, ridge, theta, fall),
                *(new_rows, bits, work[9], lines[4], new_g, other_rows, lines[:2], work[10:13], out),
            )
        if is_found and out[9] == 1.0 and out[1] == tried and (walks or is_fresh):
            lost = foretell(rows, new_rows, lines[0], codes, q > p, weight, total, other_rows[0])
        out[2] += (out[1] - passes) * (every + ROW * n)
        steps += 1
        before = worst
        if is_found:
            loss, value, is_exact, is_even = out[8], out[0], False, False
            for i in range(n):
                margin[i], rows[0, i], rows[1, i] = lines[4, i], new_rows[0, i], new_rows[1, i]
            for j in range(q):
                theta[j], g[j] = work[9, j], new_g[j]
            reach *= FURTHER if out[9] == first < 1.0 else 1.0
        elif (walks and not is_exact) or not (walks or is_fresh):
            is_exact = True  # the next step has a Hessian of its own, and its quadratic is solved to the end
        else:
            break
    out[0] = value
    return steps
