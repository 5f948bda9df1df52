"""Gates against Python's own logic, truth tables and their errors."""

import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array

from separatrix.errors import InputError
from separatrix.logic import AND, NAND, NOR, NOT, OR, Gate, majority, threshold
from separatrix.logic.truth_tables import all_inputs, check_table, function_name

GATES = [
    (AND, lambda a, b: a and b),
    (OR, lambda a, b: a or b),
    (NAND, lambda a, b: not (a and b)),
    (NOR, lambda a, b: not (a or b)),
    (NOT, lambda a: not a),
    *((majority(n), lambda *x: 2 * sum(x) > len(x)) for n in (1, 2, 3, 4, 7)),
    *((threshold(4, k), lambda *x, k=k: sum(x) >= k) for k in range(6)),
]


@pytest.mark.parametrize(("gate", "truth"), GATES, ids=lambda x: getattr(x, "name", ""))
def test_gate_is_the_python_expression(gate, truth):
    rows = list(product([0, 1], repeat=gate.n_inputs))
    expected = [int(truth(*row)) for row in rows]
    assert [gate(*row) for row in rows] == expected
    assert gate(*np.array(rows).T).tolist() == gate.predict(rows).tolist() == gate.truth_table.tolist() == expected


@pytest.mark.parametrize(("gate", "truth"), GATES, ids=lambda x: getattr(x, "name", ""))
def test_no_input_is_near_the_boundary(gate, truth):
    assert (np.abs(all_inputs(gate.n_inputs) @ gate.w + gate.w0) >= 1).all()


@pytest.mark.parametrize("n", range(1, 6))
def test_inputs_count_with_the_first_as_high_bit(n):
    assert (all_inputs(n) @ 2 ** np.arange(n)[::-1]).tolist() == list(range(2**n))


NAMES = [
    ("0001", "AND"),
    ("0110", "XOR"),
    ("10", "NOT"),
    ("01", "The identity"),
    ("0010", "This function"),
    ("01101001", "XOR of 3 inputs"),
    ("00010111", "The majority of 3 inputs"),
    ("1111", "The constant 1"),
]


@pytest.mark.parametrize(("bits", "name"), NAMES)
def test_names(bits, name):
    assert function_name(check_table([int(bit) for bit in bits])) == name


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda t: np.array(t) == 1, lambda t: np.array(t) / 1.0])
def test_tables_of_any_kind(kind):
    assert check_table(kind([0, 1, 1, 0])).tolist() == [0, 1, 1, 0]


def test_text():
    assert str(NOT) == "NOT: 1 where −2·x1 + 1 > 0"
    assert Gate("g", (1, 0, -0.5), 0).formula("abc") == "a − 0.5·c > 0"
    assert Gate("never", (0, 0), 0).formula() == "0 > 0"


BAD = [
    (lambda: check_table([0, 1, 1]), r"has 3 values; .* 2 \(1 input\) or 4 \(2 inputs\)"),
    (lambda: check_table(np.zeros(9)), r"has 9 values; .* 8 \(3 inputs\) or 16 \(4 inputs\)"),
    (lambda: check_table([1]), r"has 1 value; .* 2 \(1 input\)\."),
    (lambda: check_table([]), r"has 0 values; .* 2 \(1 input\)\."),
    (lambda: check_table([0, 1, 2, 0]), "contains 2; only 0 and 1"),
    (lambda: check_table([0, 1, np.nan, 0]), "contains nan"),
    (lambda: check_table("0110"), "contains '0110'"),
    (lambda: check_table([0, 1, None, 0]), "contains None"),
    (lambda: check_table([[0, 1], [1, 0]]), "one dimension is needed"),
    (lambda: check_table([[0, 1], [1]]), "unequal length"),
    (lambda: AND(1), "AND was given 1 inputs; 2 are needed"),
    (lambda: AND(1, 3), "contains 3"),
    (lambda: AND.predict([[0, 1, 1]]), "inputs has 3 columns; 2 are needed"),
    (lambda: AND.predict([0, 1]), r"inputs has 1 dimension\(s\).*type \[\[0, 0\]\]"),
    (lambda: majority(0), "n=0 inputs"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_importing_logic_is_cheap():
    code = "import sys, separatrix.logic; print([m for m in ('scipy', 'numba', 'pandas') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_damaged_sparse_inputs_are_refused():
    rows = csr_array(np.array([[0, 1], [1, 1]]))
    rows.indices = np.full_like(rows.indices, 10**9)
    with pytest.raises(InputError, match="The sparse X is damaged"):
        AND.predict(rows)
