"""Boolean functions as truth tables: 2ⁿ values in counting order, the first input being the high bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.array_types import Ints
from separatrix.errors import InputError

Bits = Ints


def all_inputs(n: int) -> Bits:
    """Return the 2ⁿ input rows in counting order.

    Examples
    --------
    >>> all_inputs(2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return np.arange(2**n)[:, None] >> np.arange(n - 1, -1, -1) & 1


def check_table(truth_table: Any) -> Bits:
    """Return the 2ⁿ values of a truth table of n ≥ 1 inputs as 0 and 1.

    Examples
    --------
    >>> check_table([False, True, True, False])
    array([0, 1, 1, 0])
    >>> check_table([0, 1, 1])
    Traceback (most recent call last):
    separatrix.errors.InputError: The truth table has 3 values; 2ⁿ are needed for n inputs: 2 (1 input) or 4 (2 inputs).
    """
    values = check_bits("The truth table", truth_table)
    if values.ndim != 1:
        raise InputError(f"The truth table has shape {values.shape}; one dimension is needed: type np.ravel(table).")
    n = max(1, values.size.bit_length() - 1)
    if values.size != 2**n:
        near = [f"{2**k} ({k} input{'s' * (k > 1)})" for k in ([n] if values.size < 2 else [n, n + 1])]
        given = f"{values.size} value{'s' * (values.size != 1)}"
        raise InputError(f"The truth table has {given}; 2ⁿ are needed for n inputs: {' or '.join(near)}.")
    return values


def check_bits(what: str, values: Any) -> Bits:
    """Return values as an array of 0 and 1, or say which one is neither."""
    if hasattr(values, "toarray"):  # sparse
        from separatrix.data.arrays import refuse_corrupt  # here: gates are light without scipy

        refuse_corrupt(values)  # before compiled code writes where its places say
        values = values.toarray()
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{what} has rows of unequal length; give every row the same number of values.") from None
    numbers = array if array.dtype.kind in "biufO" else np.full(array.shape, np.nan)
    right = np.asarray(np.equal(numbers, 0) | np.equal(numbers, 1), dtype=bool)
    if not right.all():
        wrong = array[~right].tolist()[0]
        raise InputError(f"{what} contains {wrong!r}; only 0 and 1 (or False and True) are needed.")
    return array.astype(np.int64)


def check_rows(inputs: Any, n: int) -> Bits:
    """Return rows of n inputs each, (m, n), as 0 and 1."""
    rows = check_bits("inputs", inputs)
    if rows.ndim != 2:
        raise InputError(f"inputs has {rows.ndim} dimension(s); rows of {n} are needed: type [{[0] * n}] for one row.")
    if rows.shape[1] != n:
        raise InputError(f"inputs has {rows.shape[1]} columns; {n} are needed, one per input.")
    return rows


def function_name(values: Bits) -> str:
    """Return the usual name of the function, or "This function".

    Examples
    --------
    >>> function_name(check_table([0, 1, 1, 0])), function_name(check_table([0, 1, 1, 1, 1, 1, 1, 1]))
    ('XOR', 'OR of 3 inputs')
    """
    n = values.size.bit_length() - 1
    count = all_inputs(n).sum(axis=1)
    if n == 1:
        known = {"The identity": count == 1, "NOT": count == 0}
    else:
        known = {
            "AND": count == n,
            "OR": count > 0,
            "NAND": count < n,
            "NOR": count == 0,
            "XOR": count % 2 == 1,
            "XNOR": count % 2 == 0,
            "The majority": 2 * count > n,
        }
    known |= {"The constant 0": count < 0, "The constant 1": count >= 0}
    name = next((name for name, table in known.items() if np.array_equal(table, values)), "This function")
    return name if n <= 2 or name == "This function" else f"{name} of {n} inputs"
