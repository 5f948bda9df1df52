"""A loss as CONTRIBUTING.md says to add one, in no table of the library: three formulas and a name."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.losses import SmoothLoss


class SmoothedHinge(SmoothLoss):
    """½ − m for m ≤ 0, ½(1 − m)² up to 1, then 0, m = yz: straight where a fit begins."""

    name = "smoothed hinge"

    def value(self, z: Any, y: Any) -> Any:
        gap = np.maximum(0.0, 1.0 - y * z)
        return np.where(gap < 1.0, 0.5 * gap**2, gap - 0.5)

    def slope(self, z: Any, y: Any) -> Any:
        return -y * np.clip(1.0 - y * z, 0.0, 1.0)

    def curvature(self, z: Any, y: Any) -> Any:
        return ((y * z > 0.0) & (y * z < 1.0)).astype(float)
