"""Laws of the hyperplane f(x) = w'x + w0 (course row C1)."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from separatrix.errors import InputError
from separatrix.geometry import Hyperplane

SPAM = Hyperplane(w=[4, 2], w0=-3)  # features: free, money
WORDS = {"free money": ([1, 1], 3), "free": ([1, 0], 1), "money": ([0, 1], -1), "": ([0, 0], -3)}

# One plane per trap: through the origin, one feature, a zero weight, far away, huge and tiny weights.
PLANES = [
    SPAM,
    Hyperplane([1.0, 1.0], 0.0),
    Hyperplane([-2.0], 5.0),
    Hyperplane([0.0, 3.0, -4.0], 10.0),
    Hyperplane([1.0, -1.0], 1e8),
    Hyperplane([3e200, -4e200], 5e200),
    Hyperplane([3e-200, -4e-200], 5e-200),
    Hyperplane([5e-324, 0.0], 5e-324),
]
SPARSE = [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.coo_matrix, sp.lil_array]
every_plane = pytest.mark.parametrize("plane", PLANES, ids=repr)

numbers = st.floats(-1e3, 1e3).map(lambda v: round(v, 3))
weights = st.integers(1, 5).flatmap(lambda p: arrays(float, p, elements=numbers)).filter(np.any)
planes = st.builds(Hyperplane, weights, numbers)


def points(plane, n=20, seed=0):
    return np.random.default_rng(seed).normal(size=(n, plane.n_features)) * 3


@pytest.mark.parametrize(("x", "score"), WORDS.values(), ids=WORDS.keys())
def test_spam_example_of_the_course(x, score):
    assert SPAM.score(x) == score
    assert SPAM.side(x) == np.sign(score)
    assert SPAM.distance(x) == pytest.approx(score / math.sqrt(20))


@given(planes, st.integers(-60, 60))
def test_power_of_two_changes_no_side_and_no_distance(plane, k):
    scaled, X = Hyperplane(plane.w * 2.0**k, plane.w0 * 2.0**k), points(plane)
    assert np.array_equal(scaled.side(X), plane.side(X))
    assert np.array_equal(scaled.distance(X), plane.distance(X))


@given(planes, st.floats(1e-6, 1e6))
def test_positive_factor_keeps_boundary_and_distance(plane, c):
    scaled, X = Hyperplane(c * plane.w, c * plane.w0), points(plane)
    assert plane.same_boundary(scaled)
    assert scaled.same_boundary(plane)
    np.testing.assert_allclose(scaled.distance(X), plane.distance(X), rtol=1e-9, atol=1e-9)


@given(planes, st.floats(1e-6, 1e6))
def test_negative_factor_swaps(plane, c):
    swapped, X = Hyperplane(-c * plane.w, -c * plane.w0), points(plane)
    assert not plane.same_boundary(swapped)
    assert plane.flipped().same_boundary(swapped)
    np.testing.assert_allclose(swapped.distance(X), -plane.distance(X), rtol=1e-9, atol=1e-9)


@every_plane
def test_flipped_swaps_sides_and_ties(plane):
    X = np.vstack([points(plane), np.zeros(plane.n_features)])
    assert np.array_equal(plane.flipped().side(X, ties="positive"), -plane.side(X))
    assert plane.flipped().flipped() == plane


@every_plane
def test_normalized_has_unit_normal_and_same_boundary(plane):
    unit, X = plane.normalized(), points(plane)
    assert np.linalg.norm(unit.w) == pytest.approx(1, rel=1e-15)
    assert unit.same_boundary(plane)
    np.testing.assert_allclose(unit.score(X), plane.distance(X), rtol=1e-9, atol=1e-12)


@every_plane
def test_sides_are_signs_of_distance(plane):
    X = points(plane)
    assert np.array_equal(plane.side(X), np.sign(plane.distance(X)))


@every_plane
def test_projection_lies_on_plane_and_moves_along_w(plane):
    X = points(plane)
    P, u = plane.project(X), plane.normalized().w
    size = 1 + abs(plane.origin_distance)
    np.testing.assert_allclose(plane.distance(P), 0, atol=1e-14 * size)
    np.testing.assert_allclose(X - P, np.outer(plane.distance(X), u), atol=1e-14 * size)


@given(planes, st.integers(0, 100))
def test_distance_is_the_smallest_to_any_point_of_the_plane(plane, seed):
    X = points(plane, seed=seed)
    on_plane, d = plane.project(points(plane, seed=seed + 1)), np.abs(plane.distance(X))
    tolerance = 1e-12 * (1 + abs(plane.origin_distance))
    assert np.all(np.linalg.norm(X - on_plane, axis=1) >= d - tolerance)
    np.testing.assert_allclose(np.linalg.norm(X - plane.project(X), axis=1), d, atol=tolerance)


@every_plane
def test_origin_distance_is_the_distance_of_the_origin(plane):
    assert plane.origin_distance == plane.distance(np.zeros(plane.n_features))


@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200, 1e308 / 4, 2.0**-1072])
def test_3_4_5_triangle_at_any_scale(scale):
    plane = Hyperplane([3 * scale, 4 * scale], 5 * scale)
    assert plane.origin_distance == pytest.approx(1)
    np.testing.assert_allclose(plane.project([0, 0]), [-0.6, -0.8])
    np.testing.assert_allclose(plane.normalized().augmented, [1, 0.6, 0.8])


def test_norm_beyond_the_largest_float():
    plane = Hyperplane([1.7e308, 1.7e308, 1.7e308], -1.7e308)
    assert plane.origin_distance == pytest.approx(-1 / math.sqrt(3))
    np.testing.assert_allclose(plane.project([2, 2, 2]), [1 / 3, 1 / 3, 1 / 3])


def test_huge_weights_times_huge_rows():
    plane, X = Hyperplane([1e200, -1e200], 0.0), [[2e200, 1e200], [1e200, 2e200]]
    assert plane.side(X).tolist() == [1, -1]
    np.testing.assert_allclose(plane.distance(X), [1e200 / math.sqrt(2), -1e200 / math.sqrt(2)])


@given(weights, st.integers(0, 100))
def test_from_means_bisects_towards_m2(m1, seed):
    m2 = m1 + np.random.default_rng(seed).normal(size=m1.size)
    plane = Hyperplane.from_means(m1, m2)
    assert np.array_equal(plane.w, m2 - m1)
    assert plane.side([m1, m2]).tolist() == [-1, 1]
    np.testing.assert_allclose(plane.distance((m1 + m2) / 2), 0, atol=1e-9)
    half = np.linalg.norm(m2 - m1) / 2
    np.testing.assert_allclose(plane.distance([m1, m2]), [-half, half], atol=1e-9)


def test_from_means_by_hand():
    assert Hyperplane.from_means([0, 0], [2, 4]) == Hyperplane([2, 4], -10)


@pytest.mark.parametrize(("ties", "side"), [("negative", -1), ("positive", 1)])
def test_ties(ties, side):
    plane = Hyperplane([1, 1], -1)
    assert plane.side([[1, 0], [0, 1], [2, 0], [0, 0]], ties=ties).tolist() == [side, side, 1, -1]
    assert plane.side([0.5, 0.5]) == -1


@every_plane
@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_equals_dense(plane, kind):
    X = np.round(points(plane)) * (points(plane, seed=1) > 0)
    for method in (plane.side, plane.distance, plane.score, plane.project):
        out = method(kind(X))
        assert type(out) is np.ndarray
        np.testing.assert_allclose(out, method(X), rtol=1e-12, atol=1e-12 * (1 + abs(plane.origin_distance)))


@every_plane
def test_one_row_equals_that_row_of_many(plane):
    X = np.round(points(plane))
    for method in (plane.side, plane.distance, plane.score, plane.project):
        one, many = method(X[3]), method(X)
        assert one.shape == many.shape[1:]
        np.testing.assert_allclose(one, many[3], rtol=1e-12, atol=1e-12 * (1 + abs(plane.origin_distance)))


def test_one_sparse_row_and_no_rows():
    assert SPAM.score(sp.coo_array(np.array([1, 1]))) == 3
    assert SPAM.project(sp.coo_array(np.array([1, 1]))).shape == (2,)
    assert SPAM.side(np.empty((0, 2))).shape == (0,)
    assert SPAM.project(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.float16, np.float32, object])
def test_any_number_type_gives_float64_and_int64(dtype):
    X = np.array([[1, 1], [0, 1]], dtype=dtype)
    assert SPAM.score(X).dtype == np.float64
    assert SPAM.score(X).tolist() == [3, -1]
    assert SPAM.side(X).dtype == np.int64
    assert SPAM.project(X).dtype == np.float64


@given(planes)
def test_bias_is_the_weight_of_a_constant_feature(plane):
    X = points(plane)
    np.testing.assert_allclose(np.insert(X, 0, 1, axis=1) @ plane.augmented, plane.score(X), atol=1e-9)
    assert Hyperplane.from_augmented(plane.augmented) == plane


ANGLES = [([1, 0], 0), ([1, 1], math.pi / 4), ([0, 2], math.pi / 2), ([-3, 0], math.pi), ([1, 1e-10], 1e-10)]


@pytest.mark.parametrize(("w", "angle"), ANGLES)
@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200])
def test_angle(w, angle, scale):
    a, b = Hyperplane([1, 0], 7), Hyperplane(scale * np.array(w), 0)
    assert a.angle(b) == b.angle(a) == pytest.approx(angle, rel=1e-14)
    assert a.angle(b.flipped()) == pytest.approx(math.pi - angle)


OTHERS = [([4, 2], -3.001), ([4, 2.001], -3), ([2, 4], -3), ([-4, -2], 3), ([4, 2], 3), ([2, 1], -3)]


@pytest.mark.parametrize("other", OTHERS)
def test_different_boundaries(other):
    assert not SPAM.same_boundary(Hyperplane(*other))
    assert Hyperplane(*other) != SPAM


def test_same_boundary_tolerances():
    near = Hyperplane([4, 2], -3 + 1e-9)
    assert not SPAM.same_boundary(near)
    assert SPAM.same_boundary(near, rtol=1e-8)
    assert Hyperplane([1], 0).same_boundary(Hyperplane([2], 1e-15), atol=1e-14)


def test_equality_and_hash_by_value():
    same = Hyperplane(np.array([4.0, 2.0]), np.float64(-3))
    assert same == SPAM
    assert len({same, SPAM, SPAM.flipped()}) == 2
    assert hash(Hyperplane([1, 0.0], -0.0)) == hash(Hyperplane([1, -0.0], 0.0))
    assert Hyperplane([8, 4], -6) != SPAM  # the same boundary, another value
    assert Hyperplane([4, 2, 0], -3) != SPAM
    assert SPAM != "spam"


@pytest.mark.parametrize("road", [copy.copy, copy.deepcopy, lambda plane: pickle.loads(pickle.dumps(plane))])
def test_copies_are_equal_and_read_only(road):
    assert road(SPAM) == SPAM
    assert not road(SPAM).w.flags.writeable


def test_frozen_slotted_and_apart_from_its_input():
    w = np.array([4.0, 2.0])
    plane = Hyperplane(w, -3)
    w[0] = 99
    assert plane == SPAM
    assert not hasattr(plane, "__dict__")
    with pytest.raises(ValueError, match="read-only"):
        plane.w[0] = 1
    with pytest.raises(FrozenInstanceError):
        plane.w0 = 1.0


EQUATIONS = [
    (([2, 4], -3), ["free", "money"], "2·free + 4·money − 3 = 0"),
    (([1, -0.5, 0], 2), None, "x1 − 0.5·x2 + 2 = 0"),
    (([-1, 1], 0), None, "−x1 + x2 = 0"),
    (([0, -2.5], 1), ["a", "b"], "−2.5·b + 1 = 0"),
    (([1 / 3], 1e-7), ["x"], "0.333333·x + 1e-07 = 0"),
    (([3], 1), np.array(["x"]), "3·x + 1 = 0"),
]


@pytest.mark.parametrize(("plane", "names", "text"), EQUATIONS)
def test_equation(plane, names, text):
    assert Hyperplane(*plane).equation(names) == text


def test_repr():
    assert repr(SPAM) == "Hyperplane(w=[4., 2.], w0=-3.0)"
    assert repr(Hyperplane([1, 0], 0).flipped()) == "Hyperplane(w=[-1.,  0.], w0=0.0)"  # no -0
    assert len(repr(Hyperplane(np.arange(100_000.0), 1))) < 120


BAD_PLANES = [
    (([0, 0], 1), r"w is all zero \(2 weights\).*give a weight other than 0"),
    (([], 1), "w is empty; at least one value"),
    (([[4, 2]], -3), r"w has shape \(1, 2\); one dimension is needed: type np.ravel\(w\) or w\[0\]"),
    ((4, -3), r"w has shape \(\)"),
    (([1, np.nan], 0), r"w\[1\] is nan; finite numbers are needed"),
    (([np.inf, 1], 0), r"w\[0\] is inf"),
    (([1, 2], np.nan), "w0 is nan"),
    (([1, 2], [3]), r"w0 has shape \(1,\); one number is needed: type float\(w0\[0\]\)"),
    ((["a", "b"], 0), "w of type list does not hold real numbers"),
    (([1j, 1], 0), "w of type list does not hold real numbers"),
    (([[1], [1, 2]], 0), "w of type list does not hold real numbers"),
    (([10**400, 1], 0), "w of type list does not hold real numbers"),
    (([1, 2], None), "w0 is nan"),
    (([1, 2], "3"), "w0 of type str does not hold real numbers"),
    (([1e-300], 1e300), "w0 = 1e[+]300 and the largest weight 1e-300 put the plane at"),
]


@pytest.mark.parametrize(("plane", "match"), BAD_PLANES)
def test_bad_planes(plane, match):
    with pytest.raises(InputError, match=match):
        Hyperplane(*plane)


BAD_ROWS = [
    (SPAM, [[1, 2, 3]], r"X has 3 columns; 2 are needed, one per weight: type X\[:, columns\]"),
    (SPAM, [1, 2, 3], "X has 3 columns; 2 are needed"),
    (SPAM, sp.csr_array(np.eye(3)), "X has 3 columns; 2 are needed"),
    (Hyperplane([1], 0), [1, 2, 3], r"type X.reshape\(-1, 1\)"),
    (SPAM, np.zeros((1, 1, 2)), r"X has 3 dimensions; one row \(2,\) or many \(n, 2\)"),
    (SPAM, 7, "X has 0 dimensions"),
    (SPAM, [[1, 1], [np.nan, 1]], r"X\[1, 0\] is nan; finite numbers are needed"),
    (SPAM, sp.csr_array([[1, np.inf]]), r"X.data\[1\] is inf"),
    (SPAM, [["a", "b"]], "X of type list does not hold real numbers"),
]


@pytest.mark.parametrize(("plane", "X", "match"), BAD_ROWS)
@pytest.mark.parametrize("method", ["score", "side", "distance", "project"])
def test_bad_rows(plane, X, match, method):
    with pytest.raises(InputError, match=match):
        getattr(plane, method)(X)


BAD_CALLS = [
    (lambda: SPAM.side([1, 1], ties="postive"), "ties='postive' is not known.*Did you mean 'positive'"),
    (lambda: SPAM.angle(Hyperplane([1], 0)), "The planes have 2 and 1 weights"),
    (lambda: SPAM.same_boundary(Hyperplane([1], 0)), "The planes have 2 and 1 weights"),
    (lambda: SPAM.equation(["free"]), "names=.'free'. cannot be used; a list of 2 names"),
    (lambda: SPAM.equation("ab"), "names='ab' cannot be used; a list of 2 names"),
    (lambda: Hyperplane.from_means([1, 2], [1]), "m1 has 2 values and m2 has 1"),
    (lambda: Hyperplane.from_means([1, 2], [1, 2]), "m1 and m2 are equal"),
    (lambda: Hyperplane.from_means([1e200], [3e200]), "overflows; divide both by a constant"),
    (lambda: Hyperplane.from_means([[1]], [2]), r"m1 has shape \(1, 1\)"),
    (lambda: Hyperplane.from_augmented([1]), r"v has 1 value.*type \[w0, \*w\]"),
    (lambda: Hyperplane.from_augmented([1, 0]), "w is all zero"),
]


@pytest.mark.parametrize(("call", "match"), BAD_CALLS)
def test_bad_calls(call, match):
    with pytest.raises(InputError, match=match):
        call()
