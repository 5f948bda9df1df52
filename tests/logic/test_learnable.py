"""What one perceptron can represent, on every truth table of up to three inputs."""

from itertools import product

import numpy as np
import pytest

from separatrix.logic import AND, NAND, NOR, NOT, OR, learnable, majority, threshold
from separatrix.logic.truth_tables import all_inputs


def check(found):
    """The proof itself: |w'x + w0| ≥ 1 on the right side, or the same point from both."""
    X, y = all_inputs(found.truth_table.size.bit_length() - 1), 2 * found.truth_table - 1
    if found:
        assert np.array_equal(found.w, np.rint(found.w)) and (y * (X @ found.w + found.w0) >= 1).all()
        return found.gate.truth_table.tolist() == found.truth_table.tolist()
    c = found.conflict
    assert (y[c.positive_rows] == 1).all() and (y[c.negative_rows] == -1).all() and found.gate is None
    for rows, weights in [(c.positive_rows, c.positive_weights), (c.negative_rows, c.negative_weights)]:
        assert (weights > 0).all() and weights.sum() == pytest.approx(1)
        np.testing.assert_allclose(weights @ X[rows], c.point, atol=1e-12)
    return "cannot be represented" in str(found)


@pytest.mark.parametrize(("n", "number"), [(1, 4), (2, 14), (3, 104)])
def test_number_of_learnable_functions(n, number):
    found = [learnable(table) for table in product([0, 1], repeat=2**n)]
    assert sum(map(bool, found)) == number
    assert all(check(one) for one in found)


@pytest.mark.parametrize("gate", [AND, OR, NOT, NAND, NOR, majority(3), majority(5), threshold(4, 2)], ids=str)
def test_gates_are_found_again(gate):
    found = learnable(gate.truth_table)
    assert (tuple(found.w), found.w0) == (gate.w, gate.w0)


def test_random_perceptrons_are_learnable_with_whole_weights(rng):
    for n in (4, 5, 6, 7) * 5:
        X = all_inputs(n)
        assert check(learnable(X @ rng.integers(-4, 5, size=n) + rng.integers(-4, 4) + 0.5 > 0))


@pytest.mark.parametrize("n", [4, 6, 9])
def test_parity_is_not_learnable(n):
    assert check(found := learnable(all_inputs(n).sum(axis=1) % 2)) and not found


SENTENCES = [
    ("0001", "AND can be represented by one perceptron: it gives 1 where 2·x1 + 2·x2 − 3 > 0"),
    ("0110", "XOR", "the midpoint of inputs 00 and 11", "the midpoint of 01 and 10"),
    ("1001", "XNOR", "the midpoint of inputs 01 and 10", "the midpoint of 00 and 11"),
    ("00010110", "This function", "the mixture 1/3 of 000 + 2/3 of 111", "the mean of 011, 101 and 110"),
]
NO = "{} cannot be represented by one perceptron: {}, which must give 0, is {}, which must give 1"


@pytest.mark.parametrize(("bits", "text"), [(bits, NO.format(*t) if t[1:] else t[0]) for bits, *t in SENTENCES])
def test_text(bits, text):
    assert str(learnable([int(bit) for bit in bits])) == text
