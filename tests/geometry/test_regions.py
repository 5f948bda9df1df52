"""Bands cover the plane once, level lines lie on their level, ellipses hold their share."""

import numpy as np
import pytest

from separatrix import Hyperplane
from separatrix.errors import InputError
from separatrix.geometry.bands import bands
from separatrix.geometry.regions import ellipse, grid_points, leads, level_lines, line_in_box

X, Y = np.linspace(-3.0, 3.0, 41), np.linspace(-2.0, 2.0, 31)
POINTS = grid_points(X, Y)
W = np.array([[1.0, 0.5], [-1.0, 0.2], [0.1, -1.0]])

SCORES = {
    "linear": POINTS @ W.T + [0.2, 0.1, 0.0],
    "hole": np.column_stack([POINTS[:, 0] ** 2 + POINTS[:, 1] ** 2, np.full(len(POINTS), 1.0)]),
    "two holes": np.column_stack(
        [np.minimum(*(((POINTS - c) ** 2).sum(axis=1) for c in ([-1.5, 0.1], [1.4, 0.0]))), np.full(len(POINTS), 0.6)]
    ),
    "horizontal": np.column_stack([POINTS[:, 1], np.full(len(POINTS), 0.33)]),
    "saddle": np.column_stack([POINTS[:, 0] * POINTS[:, 1], np.full(len(POINTS), 0.1)]),
    "one class": np.column_stack([np.ones(len(POINTS)), np.zeros(len(POINTS))]),
    "noise": np.random.default_rng(0).normal(size=(len(POINTS), 4)),
}


def shaped(name):
    scores = SCORES[name].reshape(len(Y), len(X), -1)
    return scores.argmax(axis=-1), scores


@pytest.mark.parametrize("name", SCORES)
def test_bands_cover_the_plane_without_gap_or_overlap(name):
    codes, scores = shaped(name)
    found = bands(X, Y, codes, scores)
    area = sum(float(np.diff(b.y) @ ((b.right - b.left)[1:] + (b.right - b.left)[:-1])) / 2 for b in found)
    assert area == pytest.approx(24.0, rel=1e-12)
    assert all((b.right >= b.left - 1e-12).all() and (np.diff(b.y) > 0).all() for b in found)


@pytest.mark.parametrize("name", SCORES)
def test_every_point_of_the_grid_lies_in_a_band_of_its_code(name):
    codes, scores = shaped(name)
    found = bands(X, Y, codes, scores)
    for i in range(0, len(Y), 3):
        for j in range(0, len(X), 3):
            own = [b for b in found if b.code == codes[i, j] and Y[i] in b.y]
            spans = [(b.left[np.flatnonzero(b.y == Y[i])[0]], b.right[np.flatnonzero(b.y == Y[i])[0]]) for b in own]
            assert any(low - 1e-9 <= X[j] <= high + 1e-9 for low, high in spans)


def test_a_linear_model_has_one_band_for_each_class_and_exact_edges():
    codes, scores = shaped("linear")
    found = bands(X, Y, codes, scores)
    assert sorted(band.code for band in found) == [0, 1, 2]
    one = next(band for band in found if band.code == 1)
    inner = one.right < X[-1]
    edge = np.column_stack([one.right, one.y])[inner][1:-1]
    assert np.abs(leads(edge @ W.T + [0.2, 0.1, 0.0])[:, 1]).max() < 0.1  # exact but for the cells where three classes meet
    assert np.median(np.abs(leads(edge @ W.T + [0.2, 0.1, 0.0])[:, 1])) < 1e-12


@pytest.mark.parametrize("level", [-0.4, 0.0, 1.0])
def test_level_lines_of_a_plane_lie_on_it_and_are_one_line(level):
    plane = Hyperplane([1.0, -0.7], 0.3)
    lines = level_lines(X, Y, plane.score(POINTS).reshape(len(Y), len(X)), level)
    assert len(lines) == 1
    assert np.abs(plane.score(lines[0]) - level).max() < 1e-12


def test_level_lines_of_a_hole_are_closed():
    _, scores = shaped("two holes")
    lines = level_lines(X, Y, scores[..., 0] - scores[..., 1])
    assert len(lines) == 2 and all(np.array_equal(line[0], line[-1]) for line in lines)


def test_an_ellipse_holds_its_share_of_a_normal_distribution():
    rng, cov = np.random.default_rng(0), np.array([[2.0, 0.8], [0.8, 0.5]])
    rows = rng.multivariate_normal([1.0, 2.0], cov, 20_000) - [1.0, 2.0]
    edge = ellipse(np.zeros(2), cov, 0.8)
    reach = np.einsum("ij,ij->i", edge @ np.linalg.inv(cov), edge)
    assert np.ptp(reach) < 1e-9
    assert np.mean(np.einsum("ij,ij->i", rows @ np.linalg.inv(cov), rows) < reach[0]) == pytest.approx(0.8, abs=0.01)


def test_a_share_that_is_none_is_refused():
    with pytest.raises(InputError, match="share=1.0 of a distribution lies between 0 and 1"):
        ellipse(np.zeros(2), np.eye(2), 1.0)


@pytest.mark.parametrize(("w", "w0"), [([1.0, 0.0], -0.5), ([0.0, 2.0], -1.0), ([1.0, 1.0], -1.0), ([3.0, -1.0], 0.1)])
def test_a_line_in_a_box_lies_on_the_plane_and_the_edge(w, w0):
    plane = Hyperplane(w, w0)
    ends = line_in_box(plane, (0.0, 1.0), (0.0, 1.0))
    assert np.abs(plane.score(ends)).max() < 1e-9
    assert len(line_in_box(Hyperplane([1.0, 1.0], 5.0), (0.0, 1.0), (0.0, 1.0))) == 0
