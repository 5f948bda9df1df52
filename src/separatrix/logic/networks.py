"""Two layers of perceptrons for any Boolean function."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from separatrix.errors import CapacityError
from separatrix.logic.gates import Gate, threshold
from separatrix.logic.implicants import FREE, cover
from separatrix.logic.representable import learnable
from separatrix.logic.truth_tables import Bits, all_inputs, check_rows, check_table, function_name

from ..notebook import Sentences

MOST_INPUTS = 12
"""Inputs up to which the 3ⁿ cubes of a function are looked through in seconds."""


@dataclass(frozen=True, slots=True)
class Network(Sentences):
    """Hidden perceptrons h_k(x) of n inputs each, and an output perceptron of all h_k.

    Attributes
    ----------
    name : str
    hidden : tuple of Gate, each with `w`, `w0`
    output : Gate
    """

    name: str
    hidden: tuple[Gate, ...]
    output: Gate

    @property
    def n_inputs(self) -> int:
        """The number of inputs, n."""
        return self.hidden[0].n_inputs

    @property
    def truth_table(self) -> Bits:
        """The 2ⁿ outputs in counting order of the inputs."""
        return self.predict(all_inputs(self.n_inputs))

    def predict(self, inputs: Any) -> Bits:
        """Return the output for each row of inputs (m, n)."""
        rows = check_rows(inputs, self.n_inputs)
        return self.output.predict(np.column_stack([gate.predict(rows) for gate in self.hidden]))

    def __str__(self) -> str:
        names = [f"h{k + 1}" for k in range(len(self.hidden))]
        lines = [f"{self.name} by {len(names)} hidden perceptron{'s' * (len(names) > 1)} and one output:"]
        lines += [f"  {h} = 1 where {gate.formula()}  ({gate.name})" for h, gate in zip(names, self.hidden)]
        return "\n".join([*lines, f"  output = 1 where {self.output.formula(names)}  ({self.output.name})"])


def network(truth_table: Any) -> Network:
    """Build two layers of perceptrons that compute a Boolean function, with few hidden ones.

    The smallest of: the function itself, if one perceptron can represent it; a short "or" of "and" terms, from prime
    implicants; the same for the complement, as an "and" of "or" clauses; and, if only the number of ones among the
    inputs matters, one threshold per change.

    Parameters
    ----------
    truth_table : array-like of 2ⁿ values 0 or 1, n ≤ 12
        In counting order of the inputs, the first input being the high bit: 00, 01, 10, 11.

    Examples
    --------
    >>> xor = network([0, 1, 1, 0])
    >>> xor.predict([[0, 0], [0, 1], [1, 0], [1, 1]])
    array([0, 1, 1, 0])
    >>> print(xor)
    XOR by 2 hidden perceptrons and one output:
      h1 = 1 where −2·x1 + 2·x2 − 1 > 0  (not x1 and x2)
      h2 = 1 where 2·x1 − 2·x2 − 1 > 0  (x1 and not x2)
      output = 1 where 2·h1 + 2·h2 − 1 > 0  (any)

    References
    ----------
    McCluskey, Minimization of Boolean functions, Bell System Technical Journal 35 (1956).
    """
    values = check_table(truth_table)
    n, name = values.size.bit_length() - 1, function_name(values)
    if n > MOST_INPUTS:
        raise CapacityError(f"The truth table has {n} inputs; at most {MOST_INPUTS} can be minimised here.")
    if (gate := learnable(values).gate) is not None:
        return Network(name, (replace(gate, name="the function itself"),), Gate("the same", (2,), -1))
    terms = tuple(_term(cube) for cube in cover(values))
    clauses = tuple(_negated(_term(cube)) for cube in cover(1 - values))
    found = [
        Network(name, terms, Gate("any", (2,) * len(terms), -1)),
        Network(name, clauses, Gate("all", (2,) * len(clauses), 1 - 2 * len(clauses))),
    ]
    counted = _counting(values, name)
    return min([*found, counted] if counted else found, key=lambda network: len(network.hidden))


def _term(cube: Bits) -> Gate:
    """f = 1 if every fixed input agrees with the cube, and 2 less for each that does not."""
    words = [f"{'' if bit else 'not '}x{j + 1}" for j, bit in enumerate(cube.tolist()) if bit != FREE]
    w = tuple({0: -2, 1: 2, FREE: 0}[bit] for bit in cube.tolist())
    return Gate(" and ".join(words), w, 1 - 2 * cube.tolist().count(1))


def _negated(term: Gate) -> Gate:
    """The clause that is 0 where the term is 1."""
    words = [f"not {word}".removeprefix("not not ") for word in term.name.split(" and ")]
    return Gate(" or ".join(words), tuple(-weight for weight in term.w), -term.w0)


def _counting(values: Bits, name: str) -> Network | None:
    """One threshold for each change along the number k of ones: g(k) = g(0) + h_1 − h_2 + h_3 …, or the same with −."""
    n = values.size.bit_length() - 1
    count = all_inputs(n).sum(axis=1)
    g = np.array([values[count == k][0] for k in range(n + 1)])
    if not np.array_equal(g[count], values):
        return None
    changes = np.diff(g)
    hidden = tuple(threshold(n, int(k) + 1) for k in np.flatnonzero(changes))
    return Network(name, hidden, Gate("in turn", tuple((2 * changes[changes != 0]).tolist()), int(2 * g[0] - 1)))
