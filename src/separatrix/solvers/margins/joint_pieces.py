"""The smoothed losses of the machine of Crammer and Singer, and its multipliers.

With levels t_ik = z_ik + [k ≠ y_i] and multipliers u_i ≥ 0, Σ_k u_ik = c_i, the loss of a row smoothed about base_i is

    M_i = max_u (u − c_i e_y)'t_i − ‖u − base_i‖²/2σ_i,    u_i = the nearest point to base_i + σ_i t_i on its simplex

It is linear where one class has all of c_i; else curved in the differences of the classes that have some.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class JointPieces:
    """The row losses of a joint machine.

    Attributes
    ----------
    base : (n, K)
    sigma, cost : (n,) σ_i and c_i; a row of c_i = 0 has no loss
    codes : (n,)

    Examples
    --------
    >>> pieces = JointPieces(np.zeros((1, 3)), np.ones(1), np.ones(1), np.zeros(1, dtype=np.int32))
    >>> pieces.multipliers(np.array([[0.0, 0.5, -3.0]])).tolist()
    [[0.25, 0.75, 0.0]]
    """

    base: Floats
    sigma: Floats
    cost: Floats
    codes: Codes

    def multipliers(self, levels: Floats) -> Floats:
        """Return u (n, K)."""
        from ...kernels.simplex import multipliers

        U = np.empty_like(self.base)
        multipliers(levels, self.base, self.sigma, self.cost, U)
        return U

    def along(self, levels: Floats, dz: Floats, t: float) -> tuple[float, float]:
        """Return the first two derivatives in t of the sum of losses at levels + t dz."""
        from ...kernels.simplex import along

        out = np.empty(2)
        along(levels, dz, t, self.base, self.sigma, self.cost, self.codes, out)
        return float(out[0]), float(out[1])
