"""What every loss has: its value and its slope, row by row."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import NDArray

from ..array_types import Floats


class Loss:
    """A convex loss ℓ(z, y) ≥ 0 of a score z and a target y, row by row.

    Margin losses take z (n,) and y (n,) = ±1. A multi-class loss takes z (n, K) and y (n,) class codes, and depends on differences of
    scores only. A loss with a second derivative inherits from `SmoothLoss`, and every smooth solver then minimises it.

    Attributes
    ----------
    name : str
        For messages: "the … loss".
    is_multiclass : bool
    """

    name: ClassVar[str]
    is_multiclass: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        named = [base.__name__ for base in cls.__bases__ if hasattr(base, "name")]
        if named:
            raise TypeError(
                f"{cls.__name__} inherits from {named[0]}, but kernels and solvers know the formulas of that loss; inherit from "
                "SmoothLoss, or from Loss where the slope jumps."
            )

    def value(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return ℓ(z, y) of each row."""
        raise TypeError(f"{type(self).__name__} must define value")

    def slope(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return dℓ/dz in the shape of z; on a kink, any subgradient."""
        raise TypeError(f"{type(self).__name__} must define slope")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
