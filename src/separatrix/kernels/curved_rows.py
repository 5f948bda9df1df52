"""Newton's system of a squared hinge over the curved rows, D + Σ_F σ_i x̃_i x̃_i' with x̃_i = (x_i, 1), by conjugate gradients.

Rows are CSR parts with unsigned indices. A row is read once for its score and, while it is in the cache, once more for its sum.
Specification: solvers.margins.conjugate.conjugate_gradients.
"""

from __future__ import annotations

from numba import types

from .jit import kernel, rf8, ri8, ru4, ru8, wf8


@kernel(*(types.void(rf8(1), index, index, ri8(1), rf8(1), types.float64, wf8(1)) for index in (ru4(1), ru8(1))), gathers=True)
def add_squares(data, indices, indptr, chosen, sigma, constant, out):  # type: ignore[no-untyped-def]
    """out (p + 1,) += Σ σ_s x̃_s ∘ x̃_s over the rows chosen, whose σ are given."""
    p = out.size - 1
    for s in range(chosen.size):
        i = chosen[s]
        for a in range(indptr[i], indptr[i + 1]):
            out[indices[a]] += sigma[s] * data[a] * data[a]
        out[p] += sigma[s] * constant


@kernel(
    *(types.void(rf8(1), index, index, ri8(1), rf8(1), types.float64, rf8(1), rf8(1), wf8(1)) for index in (ru4(1), ru8(1))), gathers=True
)
def curved_times(data, indices, indptr, chosen, sigma, constant, D, v, out):  # type: ignore[no-untyped-def]
    """out (p + 1,) = Dv + Σ σ_s x̃_s x̃_s'v over the rows chosen, whose last value is `constant`."""
    p = out.size - 1
    total = 0.0
    for j in range(out.size):
        out[j] = D[j] * v[j]
    last = constant * v[p]
    for s in range(chosen.size):
        i = chosen[s]
        low, high = indptr[i], indptr[i + 1]
        z = last
        for a in range(low, high):
            z += data[a] * v[indices[a]]
        z *= sigma[s]
        total += z
        for a in range(low, high):
            out[indices[a]] += z * data[a]
    out[p] += constant * total


STEPS = [
    types.int64(
        *(rf8(1), index, index, ri8(1), rf8(1), types.float64, rf8(1), rf8(1), types.float64, types.float64, types.int64),
        *(wf8(1), wf8(1), wf8(1), wf8(1), wf8(1)),
    )
    for index in (ru4(1), ru8(1))
]


@kernel(*STEPS)
def conjugate_steps(  # type: ignore[no-untyped-def]
    data, indices, indptr, chosen, sigma, constant, D, diagonal, share, least, most, d, r, q, Hq, sizes
):
    """Go on with conjugate gradients on H d = −g, at most so many products; return how many were taken.

    r is what is left of the right side, q the direction searched last; sizes = r'M⁻¹r now and at first, M the diagonal. The end is
    r'M⁻¹r ≤ share² of the first, or ½ r'D⁻¹r ≤ least: then the model's minimum is known as well as asked, and `sizes[0]` is put to 0.
    A free intercept has D = 0, and counts by its curvature in M: without it, a step that is right in w alone would end at once.
    """
    p = d.size - 1
    for count in range(most):
        left = 0.0
        for j in range(p):
            left += r[j] * r[j]
        left += r[p] * r[p] / (D[p] if D[p] > 0.0 else diagonal[p])
        if sizes[0] <= share * share * sizes[1] or 0.5 * left <= least:
            sizes[0] = 0.0
            return count
        curved_times(data, indices, indptr, chosen, sigma, constant, D, q, Hq)
        bend = 0.0
        for j in range(d.size):
            bend += q[j] * Hq[j]
        if not bend > 0.0:
            sizes[0] = 0.0
            return count + 1
        length = sizes[0] / bend
        size = 0.0
        for j in range(d.size):
            d[j] += length * q[j]
            r[j] -= length * Hq[j]
            size += r[j] * r[j] / diagonal[j]
        turned = size / sizes[0]
        for j in range(d.size):
            q[j] = r[j] / diagonal[j] + turned * q[j]
        sizes[0] = size
    return most
