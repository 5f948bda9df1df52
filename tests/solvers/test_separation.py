"""Laws of the separation programs: every answer is checked by its own proof, on every case."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

from separatrix.errors import InputError
from separatrix.solvers.separation import configuration, separate

RNG = np.random.default_rng(7)
CUBE = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
CLOUD = RNG.normal(size=(400, 4))
SIDE = CLOUD @ [1.0, -2.0, 0.5, 0.0] + 0.3
WIDE = sp.random_array((300, 2000), density=0.02, rng=RNG, format="csr")
TALL = RNG.normal(size=(5000, 8))
BIG = RNG.normal(size=(1500, 210))

# name: (positive, negative, separable by construction)
CASES = {
    "and": (CUBE[3:], CUBE[:3], True),
    "xor": (CUBE[1:3], CUBE[[0, 3]], False),
    "one row each": ([[1.0, 5.0]], [[1.0, 4.0]], True),
    "the same row": ([[1.0, 5.0]], [[1.0, 5.0]], False),
    "on a line, touching": ([[2.0], [3.0]], [[1.0], [2.0]], False),
    "on a line, inside": ([[2.0]], [[1.0], [4.0]], False),
    "repeated rows": (np.repeat(CUBE[3:], 5, axis=0), np.repeat(CUBE[:3], 3, axis=0), True),
    "constant column": (np.c_[CUBE[3:], [7.0]], np.c_[CUBE[:3], np.full(3, 7.0)], True),
    "cloud": (CLOUD[SIDE > 0], CLOUD[SIDE <= 0], True),
    "cloud, one planted": (np.vstack([CLOUD[SIDE > 0], CLOUD[SIDE <= 0][:5].mean(axis=0)]), CLOUD[SIDE <= 0], False),
    "many rows": (TALL[TALL.sum(axis=1) > 0.01], TALL[TALL.sum(axis=1) < -0.01], True),
    "many rows, one far": (np.vstack([TALL[TALL[:, 0] > 0], [-1.5] + [0.0] * 7]), TALL[TALL[:, 0] < 0], False),
    "noise": (CLOUD[:200], CLOUD[200:], False),
    "mean 1e8": (CUBE[3:] + 1e8, CUBE[:3] + 1e8, True),
    "mean 1e8, xor": (CUBE[1:3] + 1e8, CUBE[[0, 3]] + 1e8, False),
    "wild units": (CLOUD[SIDE > 0] * [1e-9, 1e9, 1.0, 1e5], CLOUD[SIDE <= 0] * [1e-9, 1e9, 1.0, 1e5], True),
    "one wild row": (np.vstack([CUBE[3:], [[1e12, 1e12]]]), CUBE[:3], True),
    "more columns than rows": (WIDE[:150], WIDE[150:], True),
    "wide noise": (BIG[:750], BIG[750:], False),
}


def check(positive, negative, found):
    """The certificate itself: y f(x) ≥ 1, or equal mixtures of at most p + 2 rows."""
    if found:
        return min((positive @ found.w + found.w0).min(), -(negative @ found.w + found.w0).max()) >= 1
    c, p = found.conflict, positive.shape[1]
    above, below = (c.positive_rows, c.positive_weights, positive), (c.negative_rows, c.negative_weights, negative)
    for rows, weights, X in (above, below):
        assert (weights > 0).all() and weights.sum() == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(X[rows].T @ weights, c.point, rtol=1e-9, atol=1e-9)
    return p > 200 or len(c.positive_rows) + len(c.negative_rows) <= p + 2


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_verdict_and_certificate(name, kind):
    positive, negative, separable = CASES[name]
    if sp.issparse(positive) and kind is np.asarray:
        kind = sp.csr_array
    found = separate(kind(positive), kind(negative))
    assert bool(found) == separable
    assert check(sp.csr_array(positive), sp.csr_array(negative), found)


SMALL = [name for name, (positive, _, _) in CASES.items() if not sp.issparse(positive) and len(positive) < 1000]


@pytest.mark.parametrize("name", SMALL)
def test_moving_rescaling_swapping_and_repeating_change_no_verdict(name, rng):
    positive, negative, separable = (np.asarray(part) for part in CASES[name])
    p = positive.shape[1]
    scale, shift, order = 10.0 ** rng.integers(-6, 7, size=p), rng.integers(-3, 4, size=p), rng.permutation(p)
    changed = [(positive * scale, negative * scale), (positive + shift, negative + shift)]
    changed += [
        (positive[:, order], negative[:, order]),
        (negative, positive),
        (positive[[0, *range(len(positive))]], negative),
    ]
    for above, below in changed:
        assert bool(separate(above, below)) == separable


@pytest.mark.parametrize("name", [name for name in SMALL if not CASES[name][2]])
def test_the_rows_of_a_conflict_are_a_conflict_by_themselves(name):
    positive, negative, _ = (np.asarray(part) for part in CASES[name])
    c = separate(positive, negative).conflict
    assert not separate(positive[c.positive_rows], negative[c.negative_rows])


def test_a_point_in_both_classes_is_the_whole_conflict(rng):
    X = rng.normal(size=(60, 3))
    for kind in (np.asarray, sp.csr_array):
        c = separate(kind(X[:30]), kind(np.vstack([X[30:], X[17]]))).conflict
        assert (c.positive_rows.tolist(), c.negative_rows.tolist()) == ([17], [30])


def test_hulls_a_hair_apart_and_a_hair_into_each_other():
    for gap in 10.0 ** -np.arange(1, 9):
        assert separate([[gap, 0.0], [1.0, 1.0]], [[0.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]])
        assert not separate([[-gap, 0.0], [1.0, 1.0]], [[0.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]])


# name: (X, y, kind, strict rows, columns)
CONFIGURATIONS = {
    "complete on a line": ([[1], [2], [3]], [-1, -1, 1], "complete", [0, 1, 2], [0]),
    "one column does": ([[1, 5], [2, -5], [3, -5], [4, 5]], [-1, -1, 1, 1], "complete", [0, 1, 2, 3], [0]),
    "touching": ([[1], [2], [2], [3]], [-1, -1, 1, 1], "quasi", [0, 3], [0]),
    "one cell empty": ([[0, 0], [0, 1], [1, 0], [1, 1], [1, 0], [1, 1]], [-1, -1, -1, 1, 1, -1], "quasi", [0, 1], [0]),
    "overlap on a line": ([[1], [2], [3], [4]], [-1, 1, -1, 1], "overlap", [], []),
    "xor": (CUBE, [-1, 1, 1, -1], "overlap", [], []),
    "equal points": ([[1], [1]], [-1, 1], "overlap", [], []),
    "twice the same column": ([[1, 2], [2, 4], [2, 4], [3, 6]], [1, 1, -1, 1], "overlap", [], []),
    "two steps": (
        [[-1, 0], [1, 0], [0, -1], [0, 1], [0, 0], [0, 0]],
        [-1, 1, -1, 1, -1, 1],
        "quasi",
        [0, 1, 2, 3],
        [0, 1],
    ),
}


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_configuration(name, kind):
    X, y, verdict, strict, columns = CONFIGURATIONS[name]
    found = configuration(kind(np.asarray(X, dtype=float)), y)
    assert (found.kind, found.strict_rows.tolist(), found.columns.tolist()) == (verdict, strict, columns)
    assert found.boundary_rows.tolist() == [i for i in range(len(y)) if i not in strict]
    if verdict != "overlap":
        f = np.array(y) * (np.asarray(X) @ found.w + found.w0)
        assert (f[strict] >= 1).all() and np.allclose(f[found.boundary_rows], 0, atol=1e-9)


def strict_by_one_program(X, y, intercept):
    """max Σ t_i, 0 ≤ t_i ≤ 1, y_i f(x_i) ≥ t_i: t_i = 1 for the rows that can be strict, and 0 for the others."""
    A = np.c_[X, np.full(len(X), float(intercept))] * y[:, None]
    goal, limits = np.r_[np.zeros(A.shape[1]), -np.ones(len(X))], np.c_[-A, np.eye(len(X))]
    free = [(None, None)] * A.shape[1] + [(0, 1)] * len(X)
    return np.flatnonzero(linprog(goal, limits, np.zeros(len(X)), bounds=free).x[A.shape[1] :] > 0.5)


@pytest.mark.parametrize("intercept", [True, False])
def test_configuration_is_what_one_large_program_says(intercept, rng):
    seen = set()
    for _ in range(60):
        n, p = rng.integers(4, 20), rng.integers(1, 4)
        X, y = rng.integers(0, 3, size=(n, p)).astype(float), rng.choice([-1.0, 1.0], size=n)
        side = (X @ rng.integers(-2, 3, size=p) - 1) * rng.integers(0, 2)
        y[:2], y[side != 0] = [1, -1], np.sign(side[side != 0])
        if abs(y.sum()) < n:
            found = configuration(X * 10.0 ** rng.integers(-7, 7, size=p), y, intercept=intercept)
            strict = strict_by_one_program(X, y, intercept)
            assert found.strict_rows.tolist() == strict.tolist()
            assert found.kind == ("complete" if len(strict) == n else "quasi" if len(strict) else "overlap")
            seen.add(found.kind)
    assert seen == {"complete", "quasi", "overlap"} or not intercept


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_weight_zero_is_no_row_and_weight_two_is_two(name):
    X, y, verdict, strict, _ = CONFIGURATIONS[name]
    more, signs = np.vstack([X, X]), np.r_[y, -np.array(y)]
    found = configuration(more, signs, np.repeat([2.0, 0.0], len(y)))
    assert (found.kind, found.strict_rows.tolist()) == (verdict, strict)
    assert len(found.strict_rows) + len(found.boundary_rows) == len(y)
    assert configuration(np.vstack([X, X]), np.r_[y, y]).kind == verdict


@pytest.mark.parametrize("n", [3000, 30_000])
def test_many_rows_on_the_boundary(n, rng):
    X = np.c_[rng.integers(0, 3, size=n), rng.normal(size=(n, 3))]
    y = np.where(X[:, 0] == 1, rng.choice([-1.0, 1.0], size=n), X[:, 0] - 1)
    found = configuration(X, y)
    assert found.kind == "quasi" and found.columns.tolist() == [0]
    assert np.array_equal(found.boundary_rows, np.flatnonzero(X[:, 0] == 1))
    assert configuration(X, rng.choice([-1, 1], size=n)).kind == "overlap"


BAD = [
    (lambda: separate([[1.0, 2.0]], [[1.0]]), "positive has 2 columns, negative 1"),
    (lambda: separate([[np.nan]], [[1.0]]), "NaN or infinity"),
    (lambda: separate(sp.csr_array([[np.inf]]), [[1.0]]), "NaN or infinity"),
    (lambda: separate(np.empty((0, 2)), [[1.0, 2.0]]), "0 sample"),
    (lambda: configuration([[1.0], [2.0]], [1, 1]), "All 2 rows are of one class"),
    (lambda: configuration([[1.0], [2.0]], [1, -1, 1]), "X has 2 rows"),
    (lambda: configuration([[1.0], [2.0]], [1, -1], [1, -1]), "Negative values in sample_weight"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()
