"""Every dense pass in a few lines of array-API code.

This is the kernels' specification in the tests, the road for small blocks (where compiling would cost more than the work),
and the road for arrays that live on another device.
"""

from __future__ import annotations

from typing import Any


def grouped_moments(X: Any, codes: Any, weight: Any, n_groups: int, slots: Any, n_slots: int, diagonal: bool) -> tuple[Any, Any, Any]:
    """Return weighted counts (G,), means (G, p) and centred scatters of groups of rows.

        counts_g = Σ w_i    means_g = Σ w_i x_i / counts_g    scatter_s = Σ_{g in slot s} Σ_{i in g} w_i d_i d_i',  d_i = x_i − means_g

    With `diagonal` the scatter of each group is Σ w_i d_i² of shape (G, p); else it is (S, p, p), group g adding to slot slots[g].
    `slots` None puts all groups into the one slot there is.
    """
    xp = X.__array_namespace__()
    X = xp.astype(X, xp.float64)
    member = xp.astype(codes[:, None] == xp.arange(n_groups, dtype=codes.dtype)[None, :], xp.float64)
    share = member if weight is None else member * weight[:, None]
    counts = xp.sum(share, axis=0)
    divisor = xp.where(counts > 0, counts, xp.ones_like(counts))[:, None]
    means = (share.T @ X) / divisor
    centred = X - member @ means
    # The mean of 1e8 + small is known to 1e-8 only; the mean of what is left over corrects it.
    correction = (share.T @ centred) / divisor
    means = means + correction
    centred = centred - member @ correction
    if diagonal:
        return counts, means, share.T @ (centred * centred)
    if slots is None:
        scaled = centred if weight is None else centred * weight[:, None]
        return counts, means, (scaled.T @ centred)[None, :, :]
    scatters = []
    for s in range(n_slots):
        inside = xp.astype(slots == s, xp.float64)
        scatters.append((centred * (share @ inside)[:, None]).T @ centred)
    return counts, means, xp.stack(scatters)


def grouped_sums(X: Any, codes: Any, weight: Any, n_groups: int) -> tuple[Any, Any]:
    """Return weighted counts (G,) and sums Σ w_i x_i (G, p) of groups of rows."""
    xp = X.__array_namespace__()
    member = xp.astype(codes[:, None] == xp.arange(n_groups, dtype=codes.dtype)[None, :], xp.float64)
    share = member if weight is None else member * weight[:, None]
    return xp.sum(share, axis=0), share.T @ xp.astype(X, xp.float64)
