"""Networks of two layers compute every Boolean function, with few hidden perceptrons."""

from itertools import product

import numpy as np
import pytest

from separatrix.errors import CapacityError, InputError
from separatrix.logic import network
from separatrix.logic.implicants import FREE, cover, prime_implicants
from separatrix.logic.truth_tables import all_inputs


def test_every_function_of_three_inputs():
    X, tables = all_inputs(3), list(product([0, 1], repeat=8))
    networks = [network(table) for table in tables]
    assert [tuple(net.predict(X)) for net in networks] == tables
    assert np.bincount([len(net.hidden) for net in networks])[:2].tolist() == [
        0,
        104,
    ]  # 104 are learnable by themselves
    assert max(len(net.hidden) for net in networks) == 3


@pytest.mark.parametrize("n", [1, 2, 4, 5, 7])
def test_random_functions(n, rng):
    for share in (0.2, 0.5, 0.8) * 5:
        table = rng.random(2**n) < share
        net = network(table)
        assert np.array_equal(net.predict(all_inputs(n)), table)
        assert len(net.hidden) <= max(1, 2 ** (n - 1))


def parity(n):
    return all_inputs(n).sum(axis=1) % 2


NUMBERS = [
    ("XOR", [0, 1, 1, 0], 2),
    ("XNOR", [1, 0, 0, 1], 2),
    ("AND", [0, 0, 0, 1], 1),
    ("constant", [1, 1], 1),
    ("parity of 3", parity(3), 3),
    ("parity of 6", parity(6), 6),
    ("either pair", all_inputs(4) @ [1, 1, 0, 0] // 2 | all_inputs(4) @ [0, 0, 1, 1] // 2, 2),
    ("not both pairs", 1 - (all_inputs(4) @ [1, 1, 0, 0] // 2 | all_inputs(4) @ [0, 0, 1, 1] // 2), 2),
    ("equal inputs", np.isin(all_inputs(5).sum(axis=1), [0, 5]), 2),
]


@pytest.mark.parametrize(("name", "table", "hidden"), NUMBERS, ids=[row[0] for row in NUMBERS])
def test_number_of_hidden_perceptrons(name, table, hidden):
    assert len(network(table).hidden) == hidden


def inside(cube, X):
    return ((cube == FREE) | (cube == X)).all(axis=1)


def test_prime_implicants_are_those_of_the_definition(rng):
    X, cubes = all_inputs(4), np.array(list(product([0, 1, FREE], repeat=4)))
    for _ in range(20):
        table = rng.integers(0, 2, size=16)
        implicants = [cube for cube in cubes if table[inside(cube, X)].all()]
        wider = [[np.all((b == FREE) | (b == a)) and not np.array_equal(a, b) for b in implicants] for a in implicants]
        expected = [a.tolist() for a, found in zip(implicants, wider) if not any(found)]
        assert prime_implicants(table).tolist() == expected


def test_cover_is_exact_and_without_superfluous_terms(rng):
    X = all_inputs(5)
    for _ in range(20):
        table = rng.integers(0, 2, size=32)
        held = np.array([inside(cube, X) for cube in cover(table)])
        assert np.array_equal(held.any(axis=0), table)
        assert all(not np.array_equal(np.delete(held, k, axis=0).any(axis=0), table) for k in range(len(held)))


def test_text_and_weights():
    xor = network([0, 1, 1, 0])
    assert [(gate.name, gate.w, gate.w0) for gate in xor.hidden] == [
        ("not x1 and x2", (-2, 2), -1),
        ("x1 and not x2", (2, -2), -1),
    ]
    assert (xor.output.w, xor.output.w0, xor.n_inputs) == ((2, 2), -1, 2)
    assert str(network([1, 1, 0, 0])).startswith("This function by 1 hidden perceptron and one output:\n  h1 = 1")


BAD = [
    (lambda: network([0, 1, 1]), InputError, "2ⁿ are needed"),
    (lambda: network([0, 1, 1, 7]), InputError, "contains 7"),
    (lambda: network([0, 1, 1, 0]).predict([[0, 1, 1]]), InputError, "inputs has 3 columns; 2 are needed"),
    (lambda: network([0, 1, 1, 0]).predict([[0, 0.5]]), InputError, "inputs contains 0.5"),
    (lambda: network(parity(13)), CapacityError, "13 inputs; at most 12"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
