"""Which Boolean functions one perceptron can represent, and why the others cannot be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.array_types import Floats, Indices
from separatrix.logic.gates import Gate
from separatrix.logic.truth_tables import Bits, all_inputs, check_table, function_name

from ..notebook import Sentences

if TYPE_CHECKING:
    from separatrix.solvers.separation import Conflict


MULTIPLES = 24
"""Multiples of the weights tried in search of whole ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Representation(Sentences):
    """Truthy with weights, w'x + w0 ≥ 1 where the function is 1 and ≤ −1 where it is 0; or falsy with a conflict.

    Rows of the conflict are inputs, numbered in counting order: 2 is 10 of two inputs.
    """

    truth_table: Bits
    w: Floats | None
    w0: float | None
    conflict: Conflict | None

    def __bool__(self) -> bool:
        return self.conflict is None

    @property
    def gate(self) -> Gate | None:
        """The perceptron, or None if there is none."""
        if self.w is None or self.w0 is None:
            return None
        return Gate(function_name(self.truth_table), tuple(self.w.tolist()), self.w0)

    def __str__(self) -> str:
        name, gate = function_name(self.truth_table), self.gate
        if gate is not None:
            return f"{name} can be represented by one perceptron: it gives 1 where {gate.formula()}"
        assert self.conflict is not None
        n = self.truth_table.size.bit_length() - 1
        no = _mixture(self.conflict.negative_rows, self.conflict.negative_weights, n, "inputs ")
        yes = _mixture(self.conflict.positive_rows, self.conflict.positive_weights, n)
        return f"{name} cannot be represented by one perceptron: {no}, which must give 0, is {yes}, which must give 1"


def learnable(truth_table: Any) -> Representation:
    """Decide by linear programming whether one perceptron can represent a Boolean function.

    It can if some (w, w0) has w'x + w0 > 0 exactly where the function is 1; it cannot if a mixture of inputs that must
    give 1 is also a mixture of inputs that must give 0. Weights are small whole numbers where rounding finds them.

    Parameters
    ----------
    truth_table : array-like of 2ⁿ values 0 or 1
        In counting order of the inputs, the first input being the high bit: 00, 01, 10, 11.

    Examples
    --------
    >>> print(learnable([0, 0, 0, 1]))
    AND can be represented by one perceptron: it gives 1 where 2·x1 + 2·x2 − 3 > 0
    >>> print(learnable([0, 1, 1, 0]))
    XOR cannot be represented by one perceptron: the midpoint of inputs 00 and 11, which must give 0,
    is the midpoint of 01 and 10, which must give 1

    References
    ----------
    Minsky and Papert, Perceptrons, MIT Press 1969.
    """
    from separatrix.solvers.separation import separate

    values = check_table(truth_table)
    values.setflags(write=False)
    X = all_inputs(values.size.bit_length() - 1)
    if values.min() == values.max():
        return Representation(values, np.zeros(X.shape[1]), float(2 * values[0] - 1), None)
    ones, zeros = np.flatnonzero(values == 1), np.flatnonzero(values == 0)
    found = separate(X[ones], X[zeros])
    if found.w is not None and found.w0 is not None:
        return Representation(values, *_whole(found.w, found.w0, X, 2 * values - 1), None)
    assert found.conflict is not None
    i, j = ones[found.conflict.positive_rows], zeros[found.conflict.negative_rows]
    return Representation(values, None, None, replace(found.conflict, positive_rows=i, negative_rows=j))


def _whole(w: Floats, w0: float, X: Bits, y: Bits) -> tuple[Floats, float]:
    """The smallest multiple of (w, w0) that, rounded, still has y (w'x + w0) ≥ 1; (w, w0) itself if none has."""
    for multiple in range(1, MULTIPLES + 1):
        v, v0 = np.rint(multiple * w) + 0.0, float(np.rint(multiple * w0))  # + 0.0 turns -0 into 0
        if np.all(y * (X @ v + v0) >= 1):
            return v, v0
    return w, w0


def _mixture(rows: Indices, weights: Floats, n: int, noun: str = "") -> str:
    """Name a convex combination of inputs, with weights as fractions."""
    inputs = [f"{row:0{n}b}" for row in rows.tolist()]
    if np.allclose(weights, weights[0], rtol=1e-9):
        listed = f"{', '.join(inputs[:-1])} and {inputs[-1]}"
        return f"the {'midpoint' if len(inputs) == 2 else 'mean'} of {noun}{listed}"
    parts = [Fraction(weight).limit_denominator(1000) for weight in weights.tolist()]
    if not np.allclose([float(part) for part in parts], weights, rtol=1e-9, atol=0):
        shares = [f"{weight:.4g}" for weight in weights]
    else:
        shares = [str(part) for part in parts]
    return f"the mixture {' + '.join(f'{s} of {i}' for s, i in zip(shares, inputs))}"
