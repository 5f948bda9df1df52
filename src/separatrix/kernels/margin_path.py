"""The hinge without some rows: their multipliers fall to 0 while all other rows keep the conditions of optimality.

Specification: solvers.held_out.hinge_path. Rows X (n, q) are ordered by how soon they may meet their margin. A row is AT_ZERO, in the
BASIS (on its margin, its multiplier moves), AT_CAP, RESTING (on its margin, its multiplier between its bounds, but other rows determine it)
or GONE. R is the inverse of the matrix of the basis, with o = 1 for a free intercept, else 0:

    [ 0  1'       ]
    [ 1  x_f'x_g  ]      or x_f'x_g alone

Vectors of θ have q + 2 entries: w, b, and Σ v_i, which has to be 0 where the intercept is free.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import array, kernel, rf8, ri8, wf8, wi8

ri1, wi1 = array(types.int8, 1, True), array(types.int8, 1, False)
AT_ZERO, BASIS, AT_CAP, RESTING, GONE = 0, 1, 2, 3, 4
NOISE = 1e-10
"""Share of ‖x_j‖ ‖Σ v_d x_d‖ below which a margin does not move."""
DEPENDENT = 1e-13
"""Share of ‖x_j‖² below which a row's distance from the basis is rounding."""
BOUND = 1e-9
"""Distance from a bound, as a share of it, at which a multiplier is there."""
TURNS = 20
"""Turns of a path, for each column and root of a row that goes, after which rows are changing places for ever."""
WIDER, FEWER, FEWEST = 1.5, 0.9, 64
"""Rows looked at: those within so many times the last distance, at least a share of those of the last task, and of the first one."""


@kernel(types.float64(rf8(2), types.int64, rf8(1)))
def product(X, i, v):  # type: ignore[no-untyped-def]
    """Return x_i'v."""
    s = 0.0
    for a in range(X.shape[1]):
        s += X[i, a] * v[a]
    return s


@kernel(types.void(wf8(2), rf8(1), types.int64, wf8(1)))
def multiply(R, right, size, moves):  # type: ignore[no-untyped-def]
    """moves = R right of the first `size` entries; R is symmetric."""
    moves[:size] = 0.0
    for g in range(size):
        for a in range(size):
            moves[a] += right[g] * R[g, a]


@kernel(types.boolean(rf8(2), types.int64, wi8(1), types.int64, types.int64, wf8(2), wf8(1), wf8(1)))
def enter(X, j, basis, m, o, R, right, moves):  # type: ignore[no-untyped-def]
    """Put row j behind the m rows of the basis; return whether it is independent of them."""
    size, square = m + o, product(X, j, X[j])
    basis[m] = j
    if m == 0 and o == 1:
        R[0, 0], R[0, 1], R[1, 0], R[1, 1] = -square, 1.0, 1.0, 0.0
        return True
    right[0] = 1.0
    for a in range(m):
        right[a + o] = product(X, basis[a], X[j])
    multiply(R, right, size, moves)
    left = square
    for a in range(size):
        left -= moves[a] * right[a]
    if not left > DEPENDENT * square:
        return False
    for a in range(size):
        for g in range(size):
            R[a, g] += moves[a] * moves[g] / left
        R[a, size] = -moves[a] / left
        R[size, a] = -moves[a] / left
    R[size, size] = 1.0 / left
    return True


@kernel(types.boolean(types.int64, wi8(1), types.int64, types.int64, wf8(2)))
def leave(k, basis, m, o, R):  # type: ignore[no-untyped-def]
    """Take the k-th of the m rows out of the basis, the last one in its place; return whether numbers allow it."""
    last, k = m - 1 + o, k + o
    basis[k - o], basis[last - o] = basis[last - o], basis[k - o]
    for a in range(last + 1):
        R[a, k], R[a, last] = R[a, last], R[a, k]
    for a in range(last + 1):
        R[k, a], R[last, a] = R[last, a], R[k, a]
    if m == 1:
        return True
    pivot = R[last, last]
    for a in range(last):
        for g in range(last):
            R[a, g] -= R[a, last] * R[last, g] / pivot
    return pivot > 0.0


@kernel(types.void(rf8(2), rf8(1), types.float64, wi8(1), types.int64, types.int64, wf8(2), wf8(1), wf8(1), wf8(1)))
def direct(X, gone, total, basis, m, o, R, right, moves, turn):  # type: ignore[no-untyped-def]
    """Put the changes of the basis' v for a unit less of the rows that go into moves, and those of θ into turn.

    gone (q,) = Σ v_d x_d and total = Σ v_d. Without a basis a free intercept moves alone, until a row can make up for the others.
    """
    q = gone.size
    turn[:] = 0.0
    if m == 0 and o == 1 and total != 0.0:
        turn[q] = -1.0 if total > 0.0 else 1.0
        return
    right[0] = total
    for a in range(m):
        right[a + o] = product(X, basis[a], gone)
    multiply(R, right, m + o if m > 0 else 0, moves)
    for e in range(q):
        turn[e] = -gone[e]
    for a in range(m):
        for e in range(q):
            turn[e] += moves[a + o] * X[basis[a], e]
    turn[q] = moves[0] if o == 1 and m > 0 else 0.0


@kernel(types.int64(rf8(2), rf8(1), rf8(1), types.float64, types.int64, wi1, wf8(1), wf8(1), wf8(1)))
def first_met(X, y, length, size, near, status, turn, margin, dm):  # type: ignore[no-untyped-def]
    """Put the changes of the nearest rows' margins into dm, and behind them the step to the first that is met; return its row, or −1."""
    found, step = -1, np.inf
    dm[near] = step
    if size == 0.0:
        dm[:near] = 0.0
        return found
    b = turn[X.shape[1]]
    for j in range(near):
        d = y[j] * (product(X, j, turn) + b)
        dm[j] = d
        piece = status[j]
        if piece in (BASIS, GONE) or abs(d) <= NOISE * length[j] * size:
            continue
        if piece == RESTING:
            t = 0.0
        elif (piece == AT_ZERO) == (d < 0.0):
            t = max((1.0 - margin[j]) / d, 0.0)
        else:
            continue
        if t < step:
            found, step = j, t
    dm[near] = step
    return found


@kernel(types.int64(rf8(1), rf8(1), wf8(1), wi8(1), types.int64, types.int64, wf8(1), wf8(1)))
def first_bound(y, cap, alpha, basis, m, o, moves, out):  # type: ignore[no-untyped-def]
    """Return which multiplier of the basis meets a bound before a step out[0], which becomes its own; −1 for none."""
    found = -1
    for a in range(m):
        j = basis[a]
        d = y[j] * moves[a + o]
        t = np.inf
        if d < 0.0:
            t = max(-alpha[j] / d, 0.0)
        elif d > 0.0:
            t = max((cap[j] - alpha[j]) / d, 0.0)
        if t < out[0]:
            found, out[0] = a, t
    return found


@kernel(types.float64(rf8(2), rf8(1), wi8(1), types.int64, types.int64, types.int64, wi1, wf8(2), wf8(1), wf8(1), wf8(1), wf8(1)))
def settle(X, y, basis, m, o, near, status, R, alpha, theta, right, moves):  # type: ignore[no-untyped-def]
    """Solve for the basis anew, against rounding; return by how much a near row misses its condition at the most."""
    q = X.shape[1]
    for _ in range(2 if m > 0 else 0):
        right[0] = -theta[q + 1]
        for a in range(m):
            right[a + o] = y[basis[a]] - product(X, basis[a], theta) - theta[q]
        multiply(R, right, m + o, moves)
        for a in range(m):
            j, d = basis[a], moves[a + o]
            alpha[j] += y[j] * d
            theta[q + 1] += d
            for e in range(q):
                theta[e] += d * X[j, e]
        theta[q] += moves[0] if o == 1 else 0.0
    worst = 0.0
    for j in range(near):
        short = 1.0 - y[j] * (product(X, j, theta) + theta[q])
        if status[j] == AT_ZERO:
            worst = max(worst, short)
        elif status[j] == AT_CAP:
            worst = max(worst, -short)
        elif status[j] != GONE:
            worst = max(worst, abs(short))
    return worst


WALK = types.int64(
    *(rf8(2), rf8(1), rf8(1), rf8(1), rf8(1), types.float64, types.int64, types.int64, types.int64),
    *(wi8(1), types.int64, wf8(2), wi1, wf8(1), wf8(1), wf8(1), wf8(2)),
)


@kernel(WALK)
def walk(X, y, cap, length, gone, total, o, near, most, basis, m, R, status, alpha, margin, theta, work):  # type: ignore[no-untyped-def]
    """Let the multipliers of the rows that go fall from all of `gone` to nothing; return how many rows are in the basis at the end.

    −1 where numbers do not allow a step, or there were too many. status, alpha and margin are those of the nearest rows.
    """
    right, moves, turn, dm, out = work[0], work[1], work[2], work[3], work[4]
    q, rest = X.shape[1], 1.0
    size = np.sqrt(np.sum(gone * gone) + total * total)
    for _ in range(most):
        direct(X, gone, total, basis, m, o, R, right, moves, turn)
        alone = m == 0 and o == 1 and total != 0.0
        # As many rows as unknowns hold θ where it is.
        j = first_met(X, y, length, 1.0 if alone else 0.0 if m == q + o else size, near, status, turn, margin, dm)
        out[0] = dm[near]
        k = -1 if alone else first_bound(y, cap, alpha, basis, m, o, moves, out)
        step = out[0]
        if alone and j < 0:
            return -1
        is_last = not alone and step >= rest
        step = rest if is_last else step
        for i in range(near):
            margin[i] += step * dm[i]
        for e in range(q + 1):
            theta[e] += step * turn[e]
        if not alone:
            rest -= step
            for a in range(m):
                alpha[basis[a]] += step * y[basis[a]] * moves[a + o]
        if is_last:
            return m
        if k >= 0:
            left = basis[k]
            status[left] = AT_CAP if y[left] * moves[k + o] > 0.0 else AT_ZERO
            alpha[left] = cap[left] if status[left] == AT_CAP else 0.0
            if not leave(k, basis, m, o, R):
                return -1
            m -= 1
        else:
            status[j] = BASIS
            if m == basis.size or not enter(X, j, basis, m, o, R, right, moves):
                return -1
            m += 1
    return -1


START = types.int64(rf8(2), rf8(1), ri8(1), types.int64, types.int64, types.int64, wi8(1), types.int64, wf8(2), wi1, rf8(1), wf8(1))


@kernel(START)
def take_out(X, y, rows, begin, end, near, basis, m, R, status, alpha, gone):  # type: ignore[no-untyped-def]
    """Put Σ v_d x_d and Σ v_d of rows[begin:end] into gone (q + 1,), and take them out of the basis; return how many rows that has left."""
    o = R.shape[0] - basis.size
    gone[:] = 0.0
    for s in range(begin, end):
        d = rows[s]
        v = y[d] * alpha[d]
        gone[gone.size - 1] += v
        for e in range(gone.size - 1):
            gone[e] += v * X[d, e]
        if d < near:
            if status[d] == BASIS:
                k = 0
                while basis[k] != d:
                    k += 1
                leave(k, basis, m, o, R)
                m -= 1
            status[d] = GONE
    return m


@kernel(types.void(rf8(2), rf8(1), types.int64, ri1, rf8(1), rf8(1), wf8(1)))
def follow(X, y, near, status, alpha, multipliers, theta):  # type: ignore[no-untyped-def]
    """Add to w and Σ v what the near rows' multipliers have changed by."""
    q = X.shape[1]
    for j in range(near):
        if status[j] != GONE and alpha[j] != multipliers[j]:
            v = y[j] * (alpha[j] - multipliers[j])
            theta[q + 1] += v
            for e in range(q):
                theta[e] += v * X[j, e]


@kernel(types.boolean(rf8(1), rf8(1), wi8(1), types.int64))
def is_held(cap, alpha, basis, m):  # type: ignore[no-untyped-def]
    """Whether a multiplier between its bounds holds a free intercept, which could be another number otherwise."""
    for a in range(m):
        j = basis[a]
        if alpha[j] > BOUND * cap[j] and alpha[j] < (1.0 - BOUND) * cap[j]:
            return True
    return False


@kernel(types.float64(rf8(2), rf8(1), rf8(1)))
def distance(root, theta, centre):  # type: ignore[no-untyped-def]
    """Return ‖root'(θ − centre)‖."""
    total = 0.0
    for a in range(centre.size):
        s = 0.0
        for e in range(a, centre.size):
            s += root[e, a] * (theta[e] - centre[e])
        total += s * s
    return np.sqrt(total)


LEFT_OUT = types.void(
    *(rf8(2), rf8(1), rf8(1), rf8(1), rf8(1), rf8(2), ri8(1), rf8(2), ri1, rf8(1), rf8(1), rf8(1)),
    *(types.int64, ri8(1), ri8(1), wf8(2), wf8(1)),
)


@kernel(LEFT_OUT)
def leave_out(  # type: ignore[no-untyped-def]
    X, y, cap, length, reach, root, first, inverse, pieces, multipliers, margins, centre, o, starts, rows, found, worst
):
    """found (T, q + 1) = θ without rows[starts[t]:starts[t + 1]]; worst (T,) by how much that misses a condition, or infinity.

    centre is θ of all rows, first the basis and inverse its R there. reach (n,) rises: a row keeps its side while ‖root'(θ − centre)‖ is
    smaller, so that only the nearest rows are looked at, and more of them where θ turns out to be farther.
    """
    n, q = X.shape
    most_basis = min(n, q + 1)
    basis, R = np.empty(most_basis, dtype=np.int64), np.empty((most_basis + o, most_basis + o))
    status, alpha, margin = np.empty(n, dtype=np.int8), np.empty(n), np.empty(n)
    theta, gone, work = np.empty(q + 2), np.empty(q + 1), np.empty((5, max(n, q, most_basis) + 2))
    near = min(n, 2 * first.size + FEWEST)
    for t in range(starts.size - 1):
        while True:
            status[:near], alpha[:near], margin[:near] = pieces[:near], multipliers[:near], margins[:near]
            basis[: first.size], R[: first.size + o, : first.size + o] = first, inverse
            m = take_out(X, y, rows, starts[t], starts[t + 1], near, basis, first.size, R, status, multipliers, gone)
            theta[: q + 1] = centre
            most = int(TURNS * (q + 1) * np.sqrt(starts[t + 1] - starts[t] + 1.0))
            m = walk(X, y, cap, length, gone[:q], gone[q], o, near, most, basis, m, R, status, alpha, margin, theta, work)
            worst[t] = np.inf
            if m < 0 and near == n:
                break
            if m < 0:
                near = min(n, 2 * near)
                continue
            # w and Σ v of the multipliers, which by now are exactly on their bounds.
            theta[:q], theta[q + 1] = centre[:q] - gone[:q], -gone[q]
            follow(X, y, near, status, alpha, multipliers, theta)
            missed = settle(X, y, basis, m, o, near, status, R, alpha, theta, work[0], work[1])
            worst[t] = missed if o == 0 or is_held(cap, alpha, basis, m) else np.inf
            found[t] = theta[: q + 1]
            moved = distance(root, theta, centre)
            if near == n or moved <= reach[near]:
                near = max(np.searchsorted(reach, WIDER * moved), int(FEWER * near), first.size)
                break
            near = min(n, 2 * near)
