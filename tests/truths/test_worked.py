"""The course's worked examples, step by step, in the exact numbers of the notes (their slips corrected)."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import pytest

from separatrix import worked

FOUR, CLASS = [[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2]
SIX, SIGNS = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
MEN = [(6, 180, 12), (5.92, 190, 11), (5.58, 170, 12), (5.92, 165, 10)]
WOMEN = [(5, 100, 6), (5.5, 150, 8), (5.42, 130, 7), (5.75, 150, 9)]


def holds(text: str, *drawn: str) -> bool:
    """Whether the drawings, each of one or more lines, stand in the text."""
    lines = [line.strip() for line in text.splitlines()]
    wanted = [[line.strip() for line in drawing.strip("\n").splitlines()] for drawing in drawn]
    return all(any(lines[i : i + len(w)] == w for i in range(len(lines))) for w in wanted)


def test_fisher_of_four_points() -> None:
    """m1 = (4, 2), m2 = (2, 5), S_W = [[4, 2], [2, 2]], w = (−2.5, 4), midpoint 6.5, J = 17."""
    by_hand = worked("fisher", FOUR, CLASS)
    result = by_hand.result
    assert result["means"] == {1: [4, 2], 2: [2, 5]} and result["S_W"] == [[4, 2], [2, 2]]
    assert result["w"] == [Fraction(-5, 2), 4] and result["b"] == Fraction(13, 2) and result["J"] == 17 and result["decisions"] == CLASS
    assert holds(
        by_hand.text,
        "m₁ = 1/2 ⎛⎡3⎤ + ⎡5⎤⎞ = ⎡4⎤\n⎝⎣2⎦   ⎣2⎦⎠   ⎣2⎦",
        "S₂ = ⎡−1⎤[−1  −1] + ⎡1⎤[1  1] = ⎡2  2⎤\n⎣−1⎦           ⎣1⎦         ⎣2  2⎦",
        "S_W = S₁ + S₂ = ⎡4  2⎤\n⎣2  2⎦",
        "det S_W = 4·2 − 2·2 = 4",
        "w = S_W⁻¹(m₂ − m₁) = ⎡ 1/2  −1/2⎤⎡−2⎤ = ⎡−5/2⎤\n⎣−1/2     1⎦⎣ 3⎦   ⎣   4⎦",
        "−2 + 15\nb = ─────── = 13/2\n2",
        "4    (3, 6)  33/2           10  2        ✓",
    )


def test_lda_with_a_singular_covariance() -> None:
    """μ1 = (3, 5), μ2 = (2, 7), Σ_ML = [[1, 1], [1, 1]]: said, and all four points right."""
    by_hand = worked("lda", [[2, 4], [4, 6], [1, 6], [3, 8]], CLASS, covariance="mle")
    result = by_hand.result
    assert result["means"] == {1: [3, 5], 2: [2, 7]} and result["covariance"] == [[1, 1], [1, 1]]
    assert result["w"] == [Fraction(-12, 13), Fraction(12, 13)] and result["w0"].value == Fraction(-42, 13) and result["w0"].log == 1
    assert result["decisions"] == CLASS and result["priors"] == {1: Fraction(1, 2), 2: Fraction(1, 2)}
    assert holds(
        by_hand.text,
        "det Σ = 0",
        "Σ ⎡ 1⎤ = ⎡0⎤\n⎣−1⎦   ⎣0⎦",
        "[1  −1](μ₂ − μ₁) = −3",
        "T = ⎡5/4  0⎤\n⎣  0  2⎦",
        "g₂ − g₁ = −12/13 x₁ + 12/13 x₂ − 42/13",
    )
    assert "There is no inverse: along this direction no class varies." in by_hand.text


def test_lda_of_one_variable_cuts_half_way() -> None:
    """Class 2 where x > (μ1 + μ2)/2: no division by 2σ."""
    by_hand = worked("lda", [[1], [3], [6], [8]], CLASS)
    assert holds(by_hand.text, "μ₁ + μ₂\nx₁ > ─────── = 9/2\n2") and by_hand.result["covariance"] == [[2]]
    assert -by_hand.result["w0"].value / by_hand.result["w"][0] == Fraction(9, 2)


def test_perceptron_without_bias() -> None:
    """w = (0, 0) → (1, −2) → (2, −1) → (3, 1); R² = 5, γ = 1, bound 5, 3 mistakes."""
    by_hand = worked("perceptron", SIX, SIGNS, bias=False)
    result = by_hand.result
    assert result["weights"] == [[0, 0], [1, -2], [2, -1], [3, 1]] and result["mistakes"] == 3 and result["epochs"] == 2
    assert (result["radius_squared"], result["margin_squared"], result["bound"]) == (5, 1, 5)
    assert holds(
        by_hand.text,
        "1      1     (−1, 2)  −1    0  mistake  (1, −2)\n1      2      (1, 0)  +1    1  right    (1, −2)\n"
        "1      3      (1, 1)  +1   −1  mistake  (2, −1)\n1      4     (−1, 0)  −1   −2  right    (2, −1)\n"
        "1      5    (−1, −2)  −1    0  mistake   (3, 1)\n1      6     (1, −1)  +1    2  right     (3, 1)",
        "R² = 5, γ = 1",
    )


def test_perceptron_with_the_bias_first() -> None:
    """(1, 5, 7)+ scores 2; (1, 2, 6)− scores 1, w becomes (−6, −2, −5), then (1, 5, 7) scores −51; after 7 updates (−6, 7, −2)."""
    by_hand = worked("perceptron", [[5, 7], [2, 6]], [1, -1], start=[-5, 0, 1])
    result = by_hand.result
    assert result["weights"][:2] == [[-5, 0, 1], [-6, -2, -5]] and result["weights"][-1] == [-6, 7, -2] and result["mistakes"] == 7
    assert (result["w"], result["b"], result["scores"]) == ([7, -2], -6, [15, -4])
    assert holds(
        by_hand.text,
        "1      1    (1, 5, 7)  +1    2  right      (−5, 0, 1)\n1      2    (1, 2, 6)  −1    1  mistake  (−6, −2, −5)\n"
        "2      1    (1, 5, 7)  +1  −51  mistake    (−5, 3, 2)",
        "f = 7 x₁ − 2 x₂ − 6",
    )
    assert result["bound"] == pytest.approx(
        float(result["radius_squared"] / result["margin_squared"]) + 2 * sqrt(26 / result["margin_squared"])
    )


def test_largest_margin_of_four_points() -> None:
    """w = (.5, −.5), b = .5, half-margin √2, multipliers ¼ on (3, 2) and (1, 4); (3, 6) on the margin with multiplier 0."""
    by_hand = worked("svm", FOUR, CLASS, positive=1)
    result = by_hand.result
    assert (result["w"], result["b"], result["half_margin_squared"]) == ([Fraction(1, 2), Fraction(-1, 2)], Fraction(1, 2), 2)
    assert (result["support"], result["multipliers"], result["on_margin"]) == ([1, 3], [Fraction(1, 4), Fraction(1, 4)], [1, 3, 4])
    assert result["decisions"] == CLASS
    assert holds(
        by_hand.text,
        "13 α₁ − 11 α₃ + b = 1",
        "11 α₁ − 17 α₃ + b = −1",
        "w = 1/4 ⎡3⎤ − 1/4 ⎡1⎤ = ⎡ 1/2⎤\n⎣2⎦       ⎣4⎦   ⎣−1/2⎦",
        "4    (3, 6)  −1    1    0  on the margin",
    )
    assert "= √2 ≈ 1.41421" in by_hand.text


def test_naive_bayes_of_heights_weights_and_feet() -> None:
    """Variances with n − 1; for (6, 130, 8) joint 6.19707e−09 (male), 5.37791e−04 (female), posterior male 1.1523e−05."""
    by_hand = worked("naive-bayes", MEN + WOMEN, ["male"] * 4 + ["female"] * 4, new=[(6, 130, 8)])
    result = by_hand.result
    assert [f"{float(v):.5g}" for v in result["variances"]["male"]] == ["0.035033", "122.92", "0.91667"]
    assert [f"{float(v):.5g}" for v in result["variances"]["female"]] == ["0.097225", "558.33", "1.6667"]
    assert result["means"]["male"] == [Fraction("5.855"), Fraction("176.25"), Fraction("11.25")]
    joint, posterior = result["joint"][0], result["posterior"][0]
    assert (f"{joint['male']:.6g}", f"{joint['female']:.6g}", f"{posterior['male']:.5g}") == ("6.19707e-09", "0.000537791", "1.1523e-05")
    assert result["decisions"] == ["female"]
    assert holds(by_hand.text, "2    5.92  190  11  male", "p(x, male) = 1/2·1.57888·5.98674e−06·0.00131122 = 6.19707e−09")
    assert "1675/3      5/3" in by_hand.text and "not yet a posterior" in by_hand.text
