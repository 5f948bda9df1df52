"""The perceptron's visits to rows, one after the other: score a row, and step where the score is wrong.

W has the weights of the columns and last the intercept, whose feature is `unit`: 1, or 0 where the intercept stays as it is. It is
(p + 1,) for two classes, else (K, p + 1). A row x of class y and weight c:

    two classes   f = w'(x, 1)    a mistake unless ±f > 0                w += ± eta c (x, unit)
    more          f = W (x, 1)    a mistake unless f_y > f_k, all k ≠ y  w_y += eta c (x, unit), w_k −= the same, k the best rival

The clock is the weight of the rows visited so far. U, where it is not empty, adds up clock · step, the clock being that before
the visit: the mean of W over all visits is then W − U / clock, and no visit without a mistake costs anything.
Sparse rows use the transposes V (p + 1, K) of W and U: the weights of one column for all classes lie side by side.

NaN and infinity count as mistakes, and a visit returns False at the first of them. (Not found by numpy.isfinite: that is compiled
as x − x, and free to reorder additions the compiler may cancel a sum against itself.)
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import array, kernel, rf4, rf8, ri4, ri8, wf8, wi8

CLOCK, LOSS, MISTAKES, LAST, EPOCHS, LOGGED, UNUSED = range(7)
"""Places in `tally`: LOSS and LAST (mistakes) are those of the last epoch."""
ROW, SCORE, OWN, RIVAL, STEP, WHEN = range(6)
"""Columns of `log`."""
SHORT = 256
"""Values of a row up to which rows are fetched ahead: a window of 4,096 of them stays in the cache; longer ones come fast by themselves."""

_DICE = array(types.uint64, 1, False)
# Columns unsigned: a negative one would count from the end, and looking for that takes a tenth of the time.
_DENSE, _SPARSE = (rf8(2), rf4(2)), (rf8(1), array(types.uint32, 1, True), ri4(1))
# X is either dense rows or, with one dimension, the stored values of CSR rows: the compiler leaves out the branches for the other.
_ROWS = [(rows, *_SPARSE[1:]) for rows in (*_DENSE, _SPARSE[0])]
_ORDER = (ri4(1), rf8(1), ri8(1))
_STATES = [(types.float64, types.float64, wf8(ndim), wf8(ndim), wf8(1), wf8(2)) for ndim in (1, 2)]
_TWO, _MANY = [(*_ORDER, *state) for state in _STATES]
_EPOCHS = (*_ORDER, wi8(1), types.int64, types.int64, _DICE, types.int64)


@kernel(types.void(wf8(1), wf8(2), types.int64, types.float64, types.int32, types.int32, types.float64, types.float64))
def note(tally, log, row, score, own, rival, step, clock):  # type: ignore[no-untyped-def]
    """Log a mistake."""
    at = int(tally[LOGGED])
    log[at, ROW], log[at, SCORE] = row, score
    log[at, OWN], log[at, RIVAL] = own, rival
    log[at, STEP], log[at, WHEN] = step, clock
    tally[LOGGED] += 1.0


@kernel(*[types.boolean(rows, *_TWO) for rows in _DENSE])
def visit_two(X, codes, weight, order, eta, unit, W, U, tally, log):  # type: ignore[no-untyped-def]
    """Visit dense rows of two classes in the order given. An empty weight means all ones."""
    p = X.shape[1]
    # Local, not in tally: a store for every row would cost a tenth of the time.
    clock, loss, mistakes = tally[CLOCK], tally[LOSS], tally[MISTAKES]
    for i in order:
        f = W[p]
        for j in range(p):
            f += W[j] * X[i, j]
        c = weight[i] if weight.size else 1.0
        sign = 2.0 * codes[i] - 1.0
        if not 0.0 < sign * f < np.inf:
            if not -np.inf < f < np.inf:
                return False
            mistakes += 1.0
            loss -= c * sign * f
            step = sign * eta * c
            for j in range(p):
                W[j] += step * X[i, j]
            W[p] += step * unit
            if U.size:
                late = clock * step
                for j in range(p):
                    U[j] += late * X[i, j]
                U[p] += late * unit
            if log.size:
                note(tally, log, i, f, codes[i], 1 - codes[i], eta * c, clock)
        clock += c
    tally[CLOCK], tally[LOSS], tally[MISTAKES] = clock, loss, mistakes
    return True


@kernel(types.int32(rf8(1), types.int32))
def best_rival(f, own):  # type: ignore[no-untyped-def]
    """Return the class with the largest score but for `own`, the first among equals."""
    rival = 1 if own == 0 else 0
    for k in range(f.size):
        if k != own and f[k] > f[rival]:
            rival = k
    return rival


@kernel(*[types.boolean(rows, *_MANY) for rows in _DENSE])
def visit_many(X, codes, weight, order, eta, unit, W, U, tally, log):  # type: ignore[no-untyped-def]
    """Visit dense rows of several classes in the order given."""
    p = X.shape[1]
    f = np.empty(W.shape[0])
    clock, loss, mistakes = tally[CLOCK], tally[LOSS], tally[MISTAKES]
    for i in order:
        for k in range(f.size):
            total = W[k, p]
            for j in range(p):
                total += W[k, j] * X[i, j]
            f[k] = total
        own = codes[i]
        rival = best_rival(f, own)
        margin = f[own] - f[rival]
        c = weight[i] if weight.size else 1.0
        if not 0.0 < margin < np.inf:
            if not -np.inf < margin < np.inf:
                return False
            mistakes += 1.0
            loss -= c * margin
            if log.size:
                note(tally, log, i, margin, own, rival, eta * c, clock)
            for k, step in ((own, eta * c), (rival, -eta * c)):
                for j in range(p):
                    W[k, j] += step * X[i, j]
                W[k, p] += step * unit
                if U.size:
                    late = clock * step
                    for j in range(p):
                        U[k, j] += late * X[i, j]
                    U[k, p] += late * unit
        clock += c
    tally[CLOCK], tally[LOSS], tally[MISTAKES] = clock, loss, mistakes
    return True


@kernel(types.boolean(*_SPARSE, *_TWO), gathers=True)
def visit_two_sparse(data, indices, indptr, codes, weight, order, eta, unit, V, U, tally, log):  # type: ignore[no-untyped-def]
    """Visit CSR rows of two classes in the order given."""
    p = V.shape[0] - 1
    clock, loss, mistakes = tally[CLOCK], tally[LOSS], tally[MISTAKES]
    for i in order:
        first, last = indptr[i], indptr[i + 1]
        middle = first + (last - first) // 4 * 4
        f, f1, f2, f3 = V[p], 0.0, 0.0, 0.0
        # Four sums, for each addition waits for the one before it.
        for a in range(first, middle, 4):
            f += data[a] * V[indices[a]]
            f1 += data[a + 1] * V[indices[a + 1]]
            f2 += data[a + 2] * V[indices[a + 2]]
            f3 += data[a + 3] * V[indices[a + 3]]
        for a in range(middle, last):
            f += data[a] * V[indices[a]]
        f += f1 + (f2 + f3)
        c = weight[i] if weight.size else 1.0
        sign = 2.0 * codes[i] - 1.0
        if not 0.0 < sign * f < np.inf:
            if not -np.inf < f < np.inf:
                return False
            mistakes += 1.0
            loss -= c * sign * f
            step = sign * eta * c
            late = clock * step
            for a in range(first, last):
                V[indices[a]] += step * data[a]
                if U.size:
                    U[indices[a]] += late * data[a]
            V[p] += step * unit
            if U.size:
                U[p] += late * unit
            if log.size:
                note(tally, log, i, f, codes[i], 1 - codes[i], eta * c, clock)
        clock += c
    tally[CLOCK], tally[LOSS], tally[MISTAKES] = clock, loss, mistakes
    return True


@kernel(types.boolean(*_SPARSE, *_MANY))
def visit_many_sparse(data, indices, indptr, codes, weight, order, eta, unit, V, U, tally, log):  # type: ignore[no-untyped-def]
    """Visit CSR rows of several classes in the order given."""
    p = V.shape[0] - 1
    f = np.empty(V.shape[1])
    clock, loss, mistakes = tally[CLOCK], tally[LOSS], tally[MISTAKES]
    for i in order:
        for k in range(f.size):
            f[k] = V[p, k]
        for a in range(indptr[i], indptr[i + 1]):
            for k in range(f.size):
                f[k] += data[a] * V[indices[a], k]
        own = codes[i]
        rival = best_rival(f, own)
        margin = f[own] - f[rival]
        c = weight[i] if weight.size else 1.0
        if not 0.0 < margin < np.inf:
            if not -np.inf < margin < np.inf:
                return False
            mistakes += 1.0
            loss -= c * margin
            if log.size:
                note(tally, log, i, margin, own, rival, eta * c, clock)
            for k, step in ((own, eta * c), (rival, -eta * c)):
                late = clock * step
                for a in range(indptr[i], indptr[i + 1]):
                    V[indices[a], k] += step * data[a]
                    if U.size:
                        U[indices[a], k] += late * data[a]
                V[p, k] += step * unit
                if U.size:
                    U[p, k] += late * unit
        clock += c
    tally[CLOCK], tally[LOSS], tally[MISTAKES] = clock, loss, mistakes
    return True


@kernel(types.void(wi8(1), types.int64, types.int64, _DICE))
def deal(order, start, stop, dice):  # type: ignore[no-untyped-def]
    """Shuffle order[start:stop] (Fisher and Yates, with Vigna's xorshift64* generator)."""
    x = dice[0]
    for k in range(stop - 1, start, -1):
        x ^= x >> np.uint64(12)
        x ^= x << np.uint64(25)
        x ^= x >> np.uint64(27)
        high = (x * np.uint64(2685821657736338717)) >> np.uint64(32)
        r = start + np.int64((high * np.uint64(k - start + 1)) >> np.uint64(32))
        order[k], order[r] = order[r], order[k]
    dice[0] = x


@kernel(types.int64(ri8(1), wi8(1), types.int64, ri8(1), types.int64))
def fill(rows, order, at, blocks, block):  # type: ignore[no-untyped-def]
    """Put the rows of some blocks of consecutive rows into order[at:]; return where they end."""
    for b in blocks:
        for i in range(b * block, min((b + 1) * block, rows.size)):
            order[at] = rows[i]
            at += 1
    return at


@kernel(types.void(ri8(1), wi8(1), types.int64, types.int64, _DICE))
def shuffle_rows(rows, order, block, window, dice):  # type: ignore[no-untyped-def]
    """Fill order with the rows: blocks of consecutive rows in random order, then every `window` blocks shuffled together."""
    blocks = np.arange((rows.size + block - 1) // block)
    deal(blocks, 0, blocks.size, dice)
    at = 0
    for q in range(0, blocks.size, window):
        stop = fill(rows, order, at, blocks[q : q + window], block)
        deal(order, at, stop, dice)
        at = stop


@kernel(*[types.float64(*rows, ri8(1)) for rows in _ROWS])
def fetch(X, indices, indptr, order):  # type: ignore[no-untyped-def]
    """Read short rows into the cache; return a sum that nobody needs, without which the compiler would leave out the reading."""
    total = 0.0
    if X.ndim == 2:
        if X.shape[1] <= SHORT:
            for i in order:
                for j in range(0, X.shape[1], 8):
                    total += X[i, j]
    elif X.size <= SHORT * (indptr.size - 1):
        for i in order:
            for a in range(indptr[i], indptr[i + 1], 8):
                total += X[a] + indices[a]
    return total


@kernel(*[types.boolean(*rows, *rest) for rows in _ROWS for rest in (_TWO, _MANY)])
def visit(X, indices, indptr, codes, weight, order, eta, unit, W, U, tally, log):  # type: ignore[no-untyped-def]
    """Visit rows in the order given: those of X, or CSR rows whose values X has."""
    if X.ndim == 2:
        if W.ndim == 1:
            return visit_two(X, codes, weight, order, eta, unit, W, U, tally, log)
        return visit_many(X, codes, weight, order, eta, unit, W, U, tally, log)
    if W.ndim == 1:
        return visit_two_sparse(X, indices, indptr, codes, weight, order, eta, unit, W, U, tally, log)
    return visit_many_sparse(X, indices, indptr, codes, weight, order, eta, unit, W, U, tally, log)


@kernel(*[types.boolean(*rows, *_EPOCHS, *state) for rows in _ROWS for state in _STATES])
def train(X, indices, indptr, codes, weight, rows, order, block, window, dice, epochs, eta, unit, W, U, tally, log):  # type: ignore[no-untyped-def]
    """Visit rows for some epochs, or until one has no mistake; with block = 0 in the order given, else shuffled anew.

    The order is that of `shuffle_rows`, made window by window: a window's rows are read in runs before they are visited at random.
    """
    blocks = np.empty((rows.size + block - 1) // block if block > 0 else 0, dtype=np.int64)
    for _ in range(epochs):
        before, tally[LOSS] = tally[MISTAKES], 0.0
        for b in range(blocks.size):
            blocks[b] = b
        deal(blocks, 0, blocks.size, dice)
        at, stop = 0, order.size
        for q in range(0, max(blocks.size, 1), window):
            if block > 0:
                stop = fill(rows, order, at, blocks[q : q + window], block)
                tally[UNUSED] = fetch(X, indices, indptr, order[at:stop])
                deal(order, at, stop, dice)
            if not visit(X, indices, indptr, codes, weight, order[at:stop], eta, unit, W, U, tally, log):
                return False
            at = stop
        tally[EPOCHS] += 1.0
        tally[LAST] = tally[MISTAKES] - before
        if tally[LAST] == 0.0:
            break
    return True
