"""A proximal Newton step by walks through sparse columns, and by systems on those in use where walks gain little."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri8, ru4, wf8, wi8, wu4
from .l1_gram import gram_work, quadratic_work, scaled_gram
from .l1_quadratic import FACTORED, minimise_quadratic, missed, most_missed
from .l1_rows import COLUMNS_OF, ROWS_OF, dot
from .l1_walks import FLOOR, add, polish, shuffle, walk, weigh

SWEEPS, PATIENCE, MOST = 300, 4, 100.0
"""Sweeps at most, after how many a system follows where they gain little, and the work, for each value, after which a step ends."""
SLOW, SETTLED, FAR = 0.6, 0.01, 8.0
"""Share of the violation that is left by a sweep that gains little; share of the columns that come or go in one that finds no more, and
violation, beside the one wanted, from which a system is less work than more of them."""
WALKED, TIGHTEST = 0.3, 1e-9
"""Share of the violation to which a quadratic is solved far from the end, and the least."""
AHEAD = 40
"""Products that a system may always take."""
LONGEST = 3.0
"""Times the work that it mostly is, after which a quadratic on the columns in use is left to walks again."""
CLOSER = 0.3
"""Share of the violation wanted to which systems are solved."""


@kernel(
    types.float64(
        *(
            *ROWS_OF,
            rf8(1),
            types.float64,
            rf8(1),
            ru4(1),
            ri8(1),
            rf8(2),
            ri8(1),
            types.int64,
            types.float64,
            types.float64,
            types.float64,
        ),
        *(wi8(2), wf8(1), wf8(2), wf8(1)),
    )
)
def settle(  # type: ignore[no-untyped-def]
    Z, data, indices, indptr, codes, p, h, total, A, sources, begins, model, chosen, k, enough, fine, products, ints, x, lines, out
):
    """Go towards the minimum on the columns in use, by a factor of their Gram matrix or by products, whichever is less work.

    Return how many products a further system may take; out[2] counts the work, out[8] says whether `enough` was reached.

    Parameters
    ----------
    model : x at the start, slopes there, penalties, ridges and curvatures of the k columns chosen
    enough, fine, products : violation that counts as none, in units of the columns, or as a share of the penalties, and products that a
        system may take
    lines : A(x − start), and two more (n,) to work in
    """
    start, g, t, ridge, square, v = model[0], model[1], model[2], model[3], model[4], lines[0]
    used, place, near, index = ints[0], ints[1], ints[2], ints[3]
    m, inside = 0, 0
    for j in range(place.size):
        place[j] = -1
    for c in range(k):
        if (x[c] != 0.0 or t[c] == 0.0) and square[c] > 0.0:
            used[m], place[chosen[c]] = c, m
            m += 1
            inside += begins[c + 1] - begins[c]
    out[8] = 0.0
    if m == 0:
        return products
    product, gram, most = (
        2.0 * inside + h.size,
        gram_work(float(data.size), float(m), float(inside), float(h.size)),
        quadratic_work(float(m)),
    )
    if gram + most > products * product:
        # Too few products are twice as many the next time: until a factor is less work than all that were in vain, about.
        ahead = max(AHEAD, int(products))
        taken = polish(A, sources, begins, square, ridge, g, start, t, used, m, enough, fine, ahead, x, v, np.empty((3, m)), lines[1:3])
        out[2] += abs(taken) * product
        out[8] = 1.0 if 0 <= taken < ahead else 0.0
        return 2.0 * ahead if abs(taken) == ahead else abs(taken) + 1.0
    S, L, small = np.empty((m, m)), np.empty((min(m, FACTORED), min(m, FACTORED))), np.empty((10, m))
    end, slope, soft, own, units = small[5], small[6], small[7], small[8], small[9]
    for q in range(m):
        own[q] = ridge[used[q]]
    scaled_gram(Z, data, indices, indptr, codes, p, h, chosen, m, place, own, total, S, units, near, np.empty(near.size))
    for q in range(m):
        c = used[q]
        end[q], soft[q] = x[c] * units[q], t[c] / units[q]
        slope[q] = (g[c] + ridge[c] * (x[c] - start[c]) + dot(A, sources, begins[c], begins[c + 1], v)) / units[q]
    out[2] += gram + 2.0 * inside + minimise_quadratic(S, soft, enough, LONGEST * most, end, slope, L, index, small[:5])
    out[8] = 1.0 if most_missed(slope, end, soft) <= enough else 0.0
    for q in range(m):
        c = used[q]
        d = end[q] / units[q] - x[c]
        if d != 0.0:
            x[c] += d
            x[c] = 0.0 if end[q] == 0.0 else x[c]
            add(A, sources, begins[c], begins[c + 1], d, v)
    return products


@kernel(
    types.float64(
        *(*ROWS_OF, rf8(1), types.float64, *COLUMNS_OF, ri8(1), types.int64, types.float64, types.float64, types.float64),
        *(wf8(2), wi8(2), wf8(1), wu4(1), wi8(1), wf8(1), wf8(2), wf8(1), wf8(1)),
    )
)
def step_by_walks(  # type: ignore[no-untyped-def]
    Z,
    data,
    indices,
    indptr,
    codes,
    p,
    h,
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
    A,
    sources,
    state,
    x,
    lines,
    pace,
    out,
):
    """Move x to the minimum of the quadratic of the columns chosen; lines[0] becomes what that changes the margins by.

    Parameters as in `settle`, but for

    Parameters
    ----------
    floor, fine : share of the violation, in units of the columns, √ of their curvatures, that is tight enough;
        or of the penalties, near the end
    pace : violation at the last step, what its quadratic left of it, and the share of it that it was to leave; then those of this one
    """
    start, g, t, ridge, square, change, root, order = model[0], model[1], model[2], model[3], model[4], lines[0], lines[3], ints[6]
    begins, least, worst, soft = np.empty(k + 1, dtype=np.int64), FLOOR * h.max(), 0.0, np.inf
    for i in range(h.size):
        root[i], change[i] = np.sqrt(max(h[i], least) / total), 0.0
    weigh(values, places, starts, chosen, k, root, A, sources, begins, square)
    for c in range(k):
        square[c] += ridge[c]
        order[c] = c
        if square[c] > 0.0:
            worst = max(worst, missed(g[c], x[c], t[c]) / np.sqrt(square[c]))
            soft = min(soft, t[c] / np.sqrt(square[c])) if t[c] > 0.0 else soft
    # How well the last quadratic foretold the violation says how far this one is worth solving (Eisenstat and Walker's first choice).
    share = WALKED
    if pace[0] > 0.0:
        share = min(max(abs(worst - pace[1]) / pace[0], pace[2] * pace[2]), WALKED)
    share = max(share, floor)
    if fine > 0.0:
        share = min(share, max(fine * soft / max(worst, 1e-300), TIGHTEST))
    before, wanted, active, limit, since, gained, visited = out[2], share * worst, k, np.inf, 0, np.inf, np.zeros(3)
    for _ in range(SWEEPS):
        shuffle(order, active, state)
        is_whole = active == k
        active = walk(A, sources, begins, square, ridge, g, start, t, order, active, limit, x, change, visited)
        limit, since = visited[0], since + 1
        if visited[0] <= wanted:
            if is_whole:
                break
            active, limit = k, np.inf
        elif (visited[1] <= SETTLED * active + 1.0 and visited[0] > FAR * wanted) or (since >= PATIENCE and visited[0] > SLOW * gained):
            products = settle(
                *(Z, data, indices, indptr, codes, p, h, total, A, sources, begins, model, chosen, k, CLOSER * wanted, fine, products),
                *(ints, x, lines, out),
            )
            if out[8] > 0.0:
                visited[0] = wanted
                break
            if out[2] - before + visited[2] > MOST * begins[k]:  # another quadratic is worth more than the rest of this one
                break
            active, limit, since = k, np.inf, 0
        gained = visited[0]
    for i in range(h.size):
        change[i] /= root[i]
    out[2] += visited[2] + begins[k]
    pace[0], pace[1], pace[2] = worst, visited[0], share
    return products
