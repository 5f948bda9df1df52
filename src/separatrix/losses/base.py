"""What a loss must offer, and the error that names what it does not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Floats = NDArray[np.float64]


class Loss:
    """A convex loss ℓ(z, y) of a score z and a target y, row by row.

    Margin losses take z (n,) and y (n,) = ±1. The softmax takes z (n, K) and y (n,) class codes. `slope` is dℓ/dz in the shape of
    z, any subgradient on a kink; `curvature` is d²ℓ/dz², (n,) or (n, K, K); `curvature_bound` bounds it (its largest eigenvalue);
    `conjugate` is ℓ*(a, y) = sup_z a'z − ℓ(z, y), infinite outside its domain.

    `offers` lists what there is, of "value", "slope", "curvature", "curvature_bound", "conjugate".
    """

    name: ClassVar[str]
    offers: ClassVar[tuple[str, ...]] = ("value", "slope", "conjugate")
    is_multiclass: ClassVar[bool] = False
    curvature_bound: ClassVar[float]

    def value(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return ℓ(z, y) of each row."""
        raise missing(self, "value")

    def slope(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return dℓ/dz."""
        raise missing(self, "slope")

    def curvature(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return d²ℓ/dz²."""
        raise missing(self, "curvature")

    def conjugate(self, a: Floats, y: NDArray[Any]) -> Floats:
        """Return ℓ*(a, y) of each row."""
        raise missing(self, "conjugate")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def missing(loss: Loss, what: str, solver: str = "This solver") -> InputError:
    """Build the error for something a loss does not offer."""
    return InputError(f"{solver} needs the {what} of the loss, but the {loss.name} loss offers only {', '.join(loss.offers)}.")


def require(loss: Loss, requires: Iterable[str], solver: str) -> None:
    """Raise an error that names the first capability a solver needs and the loss does not offer.

    Examples
    --------
    >>> from separatrix.losses import Hinge
    >>> require(Hinge(), ("slope", "curvature"), "newton")
    Traceback (most recent call last):
    separatrix.errors.InputError: newton needs the curvature of the loss, but the hinge loss offers only value, slope, conjugate.
    """
    for what in requires:
        if what not in loss.offers:
            raise missing(loss, what, solver)
