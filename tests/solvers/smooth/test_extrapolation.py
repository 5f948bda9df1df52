"""Polynomials through the last points: exact for polynomials, and the kind that served is taken again."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.solvers.smooth.extrapolation import DEGREE, Track

PLACES = np.cumsum([0.0, 0.5, 1.1, 0.2, 0.7, 0.4])


@pytest.mark.parametrize("degree", range(1, DEGREE + 1))
def test_a_polynomial_is_continued(degree: int) -> None:
    track = Track()
    for t in PLACES[:-1]:
        track.add(float(t), np.array([t**degree, 1.0 - t]))
    guesses = track.guesses(float(PLACES[-1]))
    assert len(guesses) == DEGREE
    for guess in guesses[degree - 1 :]:
        np.testing.assert_allclose(guess, [PLACES[-1] ** degree, 1.0 - PLACES[-1]], rtol=1e-9)


def test_a_place_met_twice_is_kept_once() -> None:
    track = Track()
    for t, x in ((0.0, 9.0), (0.0, 0.0), (1.0, 1.0)):
        track.add(t, np.array([x]))
    assert [guess.tolist() for guess in track.guesses(2.0)] == [[2.0]]


def test_the_guess_that_was_best_is_taken_again_or_one_of_higher_degree() -> None:
    track = Track()
    three = [np.array([x]) for x in (5.0, 2.0, 1.0)]
    assert track.choose(three)[0] == 5.0  # nothing was compared yet: the first
    track.compare(three, np.array([2.1]), lambda e: float(e @ e))
    assert track.choose(three)[0] == 2.0
    track.compare(three, np.array([0.9]), lambda e: float(e @ e))
    assert track.choose(three)[0] == 1.0
    assert track.choose([*three, np.array([0.0])])[0] == 0.0
