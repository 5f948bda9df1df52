"""How far an L1-penalised logistic loss is followed along a step: to where it falls enough, and on while it falls nearly as fast."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri8, wf8, wi8
from .l1_certificate import foretell, penalty
from .l1_quadratic import most_missed
from .l1_rows import COLUMNS_OF, ROWS_OF, evaluate, margins

ROUNDING = 1e-12
"""Share of the objective that sums over rows may be off by."""
ARMIJO, POOR, HALVINGS = 1e-4, 0.1, 12
"""As in gram_proximal: what a step has to bring, when half of it may do better, and how often it is halved."""
HOPEFUL = 0.5
"""Share of f from which on a step promises too much to be taken whole at once."""
STEEP, FLAT, MOST_FURTHER, FURTHER_ON = 0.25, 0.05, 8.0, 2
"""Share of a step's first slope at its end from which on it goes further, the share it goes for, how far at most, and how often."""


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


@kernel(types.float64(rf8(1), rf8(1), rf8(1), rf8(1), ri8(1), types.int64, wf8(1)))
def aim(theta, g, t, x, chosen, k, end):  # type: ignore[no-untyped-def]
    """Set the end of a step to θ with k chosen coefficients x; return by how much f falls at its start, for each of its length."""
    fall = 0.0
    for j in range(theta.size):
        end[j] = theta[j]
    for a in range(k):
        j = chosen[a]
        end[j] = x[a]
        fall += t[j] * (abs(theta[j]) - abs(x[a])) - g[j] * (x[a] - theta[j])
    return fall


@kernel(
    types.UniTuple(types.float64, 2)(
        *(*ROWS_OF, *COLUMNS_OF, rf8(1), types.float64, rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), rf8(2), wf8(1)),
        *(types.boolean, wf8(2), wi8(1), wf8(2), wf8(2), wf8(1), wf8(2), wf8(1)),
    )
)
def follow(  # type: ignore[no-untyped-def]
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
    rows,
    here,
    is_newton,
    new_rows,
    bits,
    work,
    lines,
    new_g,
    other_rows,
    out,
):
    """Follow a step; return whether it led to a better point, and what its quadratic did not foretell of the slopes of the rows there.

    Parameters
    ----------
    here : f, its largest violation, what the step promises, and how far margins may go; the last becomes the first length tried
    is_newton : whether the quadratic had the curvature of this point
    work : (4, q), the first of them becomes the coefficients of the new point
    lines : (5, n), the first of them the change of the margins, the last becomes the margins of the new point
    other_rows : (3, n), the first of them becomes the slopes foretold
    """
    value, fall, change, lost = here[0], here[2], lines[0], np.inf
    widest = max(change.max(), -change.min())
    here[3] = min(1.0, here[3] / max(widest, 1e-300)) if fall > HOPEFUL * value else 1.0
    is_found = search(
        *(Z, data, indices, indptr, codes, p, values, places, starts, weight, total, t, ridge, theta, end, margin, change, here),
        *(new_rows, bits, work[0], lines[4], new_g, out),
    )
    tried = out[1]
    if is_found and out[9] == 1.0 and fall > ROUNDING * value:
        go_further(
            *(Z, data, indices, indptr, codes, p, values, places, starts, weight, total, t, ridge, theta, fall),
            *(new_rows, bits, work[0], lines[4], new_g, other_rows, lines[:2], work[1:4], out),
        )
    if is_found and out[9] == 1.0 and out[1] == tried and is_newton:
        lost = foretell(rows, new_rows, change, codes, theta.size > p, weight, total, other_rows[0])
    return float(is_found), lost
