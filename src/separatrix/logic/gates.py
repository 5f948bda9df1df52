"""Logic gates as perceptrons: output 1 where w'x + w0 > 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.argument_types import check_arguments
from separatrix.errors import InputError
from separatrix.logic.truth_tables import Bits, all_inputs, check_bits, check_rows

from ..notebook import Sentences


@dataclass(frozen=True, slots=True)
class Gate(Sentences):
    """A perceptron on 0/1 inputs: g(x) = 1 if f(x) = w'x + w0 > 0, else 0.

    The gates of this package keep |f| ≥ 1 on all inputs: none is near the boundary.

    Parameters
    ----------
    name : str
    w : tuple of n numbers
    w0 : float

    Examples
    --------
    >>> AND(1, 0), AND(1, 1), AND([0, 1], 1)
    (0, 1, array([0, 1]))
    >>> print(AND)
    AND: 1 where 2·x1 + 2·x2 − 3 > 0

    References
    ----------
    McCulloch and Pitts, A logical calculus of the ideas immanent in nervous activity, 1943.
    """

    name: str
    w: tuple[float, ...]
    w0: float

    @property
    def n_inputs(self) -> int:
        """The number of inputs, n."""
        return len(self.w)

    @property
    def truth_table(self) -> Bits:
        """The 2ⁿ outputs in counting order of the inputs."""
        return self.predict(all_inputs(self.n_inputs))

    def __call__(self, *inputs: Any) -> Any:
        """Return the output for n inputs, each a number or an array of 0 and 1."""
        if len(inputs) != self.n_inputs:
            raise InputError(f"{self.name} was given {len(inputs)} inputs; {self.n_inputs} are needed, one per weight.")
        columns = np.broadcast_arrays(*(check_bits("An input", values) for values in inputs))
        rows = np.stack(columns, axis=-1)
        output = self.predict(rows.reshape(-1, self.n_inputs)).reshape(rows.shape[:-1])
        return output if output.ndim else int(output)

    def predict(self, inputs: Any) -> Bits:
        """Return the output for each row of inputs (m, n)."""
        rows = check_rows(inputs, self.n_inputs)
        return (rows @ np.asarray(self.w, dtype=np.float64) + self.w0 > 0).astype(np.int64)

    def formula(self, names: Sequence[str] | None = None) -> str:
        """Write f > 0 as text; inputs are x1, x2, … unless named."""
        names = [f"x{j + 1}" for j in range(self.n_inputs)] if names is None else names
        if not isinstance(names, Sequence) or len(names) != self.n_inputs:
            raise InputError(f"names={names!r}: a list of {self.n_inputs} names is needed, one per input.")
        text = ""
        for weight, name in zip([*self.w, self.w0], [*names, ""], strict=True):
            if weight or (not name and not text):
                size = f"{abs(weight):g}"
                term = size if not name else name if size == "1" else f"{size}·{name}"
                sign = "−" if weight < 0 else "+"
                text += f" {sign} {term}" if text else f"{sign.strip('+')}{term}"
        return f"{text} > 0"

    def __str__(self) -> str:
        return f"{self.name}: 1 where {self.formula()}"


def threshold(n: int, k: int) -> Gate:
    """Return the gate of n inputs that gives 1 if at least k of them are 1: f(x) = 2 Σ x_j + 1 − 2k.

    Examples
    --------
    >>> threshold(3, 2)(1, 0, 1)
    1
    """
    check_arguments(threshold, locals())
    if n < 1:
        raise InputError(f"n={n} inputs were asked for; at least 1 is needed.")
    return Gate(f"at least {k} of {n}", (2,) * n, 1 - 2 * k)


def majority(n: int) -> Gate:
    """Return the gate of n inputs that gives 1 if more than half of them are 1.

    Examples
    --------
    >>> majority(3).truth_table
    array([0, 0, 0, 1, 0, 1, 1, 1])
    """
    check_arguments(majority, locals())
    return Gate(f"majority of {n}", threshold(n, n // 2 + 1).w, -1 - 2 * (n // 2))


AND = Gate("AND", (2, 2), -3)
OR = Gate("OR", (2, 2), -1)
NOT = Gate("NOT", (-2,), 1)
NAND = Gate("NAND", (-2, -2), 3)
NOR = Gate("NOR", (-2, -2), 1)
