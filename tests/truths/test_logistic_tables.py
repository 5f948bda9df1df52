"""Published logistic regressions, digit by digit, and the same numbers by Newton's method in extended precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from separatrix.logic.separation import separation
from separatrix.models.logistic import LogisticRegression
from separatrix.solvers.solution import SeparableWarning

HOURS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 4, 4.25, 4.5, 4.75, 5, 5.5]
PASSED = [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1]
WEIGHT = [
    2.620, 2.875, 2.320, 3.215, 3.440, 3.460, 3.570, 3.190, 3.150, 3.440, 3.440, 4.070, 3.730, 3.780, 5.250, 5.424, 5.345, 2.200, 1.615,
    1.835, 2.465, 3.520, 3.435, 3.840, 3.845, 1.935, 2.140, 1.513, 3.170, 2.770, 3.570, 2.780,
]  # fmt: skip
MANUAL = [1] * 3 + [0] * 14 + [1] * 3 + [0] * 5 + [1] * 7
PUBLISHED = {
    # Hours of study and passing an exam: estimate, standard error, z, p of intercept and hours.
    "hours": (HOURS, PASSED, [[-4.0777, 1.7610, -2.316, 0.0206], [1.5046, 0.6287, 2.393, 0.0167]], 4),
    # R's mtcars, glm(am ~ wt, binomial).
    "cars": (WEIGHT, MANUAL, [[12.040, 4.510, 2.670, 0.00759], [-4.024, 1.436, -2.801, 0.00509]], 3),
}


def by_newton(x: Any, y: Any) -> tuple[Any, Any, float]:
    """Return coefficients, standard errors and log L of one column, in extended precision, from nothing but the formulas."""
    x, y = np.asarray(x, dtype=np.longdouble), np.asarray(y, dtype=np.longdouble)
    b = np.zeros(2, dtype=np.longdouble)
    for _ in range(40):
        p = 1 / (1 + np.exp(-(b[0] + b[1] * x)))
        v, r = p * (1 - p), y - p
        s0, s1, s2 = v.sum(), (v * x).sum(), (v * x * x).sum()
        det = s0 * s2 - s1 * s1
        b = b + np.array([s2 * r.sum() - s1 * (r * x).sum(), s0 * (r * x).sum() - s1 * r.sum()]) / det
    return b, np.sqrt(np.array([s2, s0]) / det), float(np.sum(y * np.log(p) + (1 - y) * np.log(1 - p)))


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_coefficients(name: str) -> None:
    x, y, expected, digits = PUBLISHED[name]
    X = np.array(x)[:, None]
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    for table in (model.summary()["coefficients"], model.summary(X, y)["coefficients"]):
        found = np.column_stack([table["estimate"], table["std. error"]])
        assert_allclose(found, np.array(expected)[:, :2], atol=0.6 * 10.0**-digits)
        assert_allclose(table["z"], [row[2] for row in expected], atol=6e-4)
        assert_allclose(table["Pr > |z|"], [row[3] for row in expected], atol=6e-5)
    b, errors, log_l = by_newton(x, y)
    assert_allclose(found, np.column_stack([b, errors]).astype(float), rtol=1e-8)
    assert_allclose(model.log_likelihood(), log_l, rtol=1e-12)


def test_deviances_of_cars() -> None:
    """R prints null deviance 43.230, residual deviance 19.176, AIC 23.176."""
    X = np.array(WEIGHT)[:, None]
    summary = LogisticRegression(C=np.inf).fit(X, MANUAL).summary()
    fit = dict(zip(summary["fit"]["measure"], summary["fit"]["value"], strict=True))
    assert_allclose([fit["null deviance"], fit["deviance"], fit["AIC"]], [43.230, 19.176, 23.176], atol=5e-4)


def test_multinomial_iris() -> None:
    """C19: k = 10 and AIC 31.8985, though setosa is apart from the others and no estimate exists (C13)."""
    X, y = load_iris(return_X_y=True)
    with pytest.warns(SeparableWarning, match="does not exist"):
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert model.n_parameters_ == 10
    assert_allclose(model.aic(X, y), 31.8985, atol=5e-5)
    assert_allclose(model.bic(X, y), 31.8985 + 10 * (np.log(150) - 2), atol=5e-5)
    # The limit is the likelihood of the two species that overlap.
    two = LogisticRegression(C=np.inf).fit(X[50:], y[50:])
    assert_allclose(two.aic() + 10, model.aic(X, y), atol=5e-5)
    assert separation(X, y).kind == "quasi"


def test_an_empty_cell() -> None:
    """C13: 0 of 5 against 4 of 7. No maximum-likelihood estimate; Firth's is that of the table with ½ more in every cell."""
    X, y = np.repeat([[0.0], [1.0]], [5, 7], axis=0), np.repeat([0, 0, 1], [5, 3, 4])
    with pytest.warns(SeparableWarning):
        LogisticRegression(C=np.inf).fit(X, y)
    assert separation(X, y).kind == "quasi"
    model = LogisticRegression(firth=True).fit(X, y)
    assert_allclose(model.coef_[0, 0], np.log((4.5 / 3.5) / (0.5 / 5.5)), rtol=1e-8)
    assert_allclose(model.intercept_[0], np.log(0.5 / 5.5), rtol=1e-8)
