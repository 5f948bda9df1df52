"""Logistic loss of two classes with an L1 part, from the first step to the last in one call: calls from Python would take longer.

    f(θ) = (1/S) Σ_i s_i log(1 + e^(−m_i)) + Σ_j ½ ridge_j θ_j² + Σ_j t_j |θ_j|,    margins m_i = y_i z_i

Proximal Newton on the columns that have a coefficient or may want one. Their quadratic has its matrix (`l1_quadratic`) where that is little
work beside walks through the columns (`l1_column_step`): dense columns always, sparse ones where few values meet in a row.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, wf8, wi8
from .l1_certificate import furthest, missable, penalty
from .l1_column_step import step_by_walks
from .l1_entry import NEAR, choose, entry
from .l1_gram import ROWS, gram_work, quadratic_work, scaled_gram
from .l1_line_search import aim, follow
from .l1_matrix_step import DIGITS, step_by_matrix
from .l1_proof import prove
from .l1_quadratic import FACTORED, most_missed
from .l1_rows import ROWS_OF, by_columns, count_stored, evaluate, margins
from .margin_losses import centre

MOST, FURTHER = 10.0, 4.0
"""How far the margins may go by the first step that promises too much, and how much further by the next."""
LOOSE = 0.05
"""Share of the violation to which a step with a matrix solves its quadratic far from the end."""
SOON = 0.9
"""Power of the gap asked, as what a quadratic did not foretell at the last step, from which on the next one may be the last."""
TIGHTEST, LAST = 1e-8, 0.3
"""Least such share of walks, and the share of the gap asked that the last one aims at."""
FRESH = 0.1
"""Share of the last violation above which the next step needs a Hessian of its own."""
WALKS, COPIED, ROW = 20.0, 3.0, 6.0
"""Work of a step by walks for each value, of its copy by columns, and of a row's loss, in values read."""
LONGEST, UNSOLVED = 10.0, 6
"""Times the work that it mostly is, after which a quadratic ends, and how many such in a row show that others have to go on."""
CLOSE, LONGER = 1e-2, 2.0
"""Gap, as a share of f, that the last few steps take to the end, and how much more work these may be."""
PRODUCTS = 12.0
"""Products that a system is thought to take at first."""


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
    every = float(count_stored(indices, p, n, stored)) if is_sparse else 0.0
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
        here[0], here[1] = value, loss
        prove(
            *(Z, data, indices, indptr, codes, p, values, places, starts, weight, total, t, ridge, units, theta, g, margin, rows, asked[1]),
            *(lost, here, other_rows[0], every, work[10], out),
        )
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
        fall = aim(theta, g, t, x, chosen, k, end)
        if not walks:
            for j in range(q):
                work[9, j] = end[j] - theta[j]
            margins(Z, data, indices, indptr, codes, p, work[9], lines[0])
            out[2] += every
        here[0], here[1], here[2], here[3] = value, worst, fall, reach
        passes, is_newton = out[1], walks or is_fresh
        is_found, lost = follow(
            *(Z, data, indices, indptr, codes, p, values, places, starts, weight, total, t, ridge, theta, end, margin, rows, here),
            *(is_newton, new_rows, bits, work[9:13], lines, new_g, other_rows, out),
        )
        out[2] += (out[1] - passes) * (every + ROW * n)
        steps, before, first = steps + 1, worst, here[3]
        if is_found > 0.0:
            loss, value, is_exact, is_even = out[8], out[0], False, False
            for i in range(n):
                margin[i], rows[0, i], rows[1, i] = lines[4, i], new_rows[0, i], new_rows[1, i]
            for j in range(q):
                theta[j], g[j] = work[9, j], new_g[j]
            reach *= FURTHER if out[9] == first < 1.0 else 1.0
        elif (walks and not is_exact) or not is_newton:
            is_exact = True  # the next step has a Hessian of its own, and its quadratic is solved to the end
        else:
            break
    out[0] = value
    return steps
