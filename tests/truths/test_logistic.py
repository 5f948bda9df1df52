"""Published numbers of logistic regression, each checked by an independent Newton iteration in extended precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression

from separatrix.models.logistic import LogisticRegression
from separatrix.solvers.solution import SeparableWarning

# Spector and Mazzeo (1980), as printed in Greene, Econometric Analysis: GPA, TUCE, PSI → GRADE.
SPECTOR = np.array(
    [
        [2.66, 20, 0, 0], [2.89, 22, 0, 0], [3.28, 24, 0, 0], [2.92, 12, 0, 0], [4.00, 21, 0, 1], [2.86, 17, 0, 0], [2.76, 17, 0, 0],
        [2.87, 21, 0, 0], [3.03, 25, 0, 0], [3.92, 29, 0, 1], [2.63, 20, 0, 0], [3.32, 23, 0, 0], [3.57, 23, 0, 0], [3.26, 25, 0, 1],
        [3.53, 26, 0, 0], [2.74, 19, 0, 0], [2.75, 25, 0, 0], [2.83, 19, 0, 0], [3.12, 23, 1, 0], [3.16, 25, 1, 1], [2.06, 22, 1, 0],
        [3.62, 28, 1, 1], [2.89, 14, 1, 0], [3.51, 26, 1, 0], [3.54, 24, 1, 1], [2.83, 27, 1, 1], [3.39, 17, 1, 1], [2.67, 24, 1, 0],
        [3.65, 21, 1, 1], [4.00, 23, 1, 1], [3.10, 21, 1, 0], [2.39, 19, 1, 1],
    ]
)  # fmt: skip


def extended_newton(X: Any, y: Any, steps: int = 30) -> tuple[Any, float]:
    """Return the maximum-likelihood logit with intercept first, and its log-likelihood, in long double arithmetic."""
    Z = np.column_stack([np.ones(len(X)), X]).astype(np.longdouble)
    beta = np.zeros(Z.shape[1], dtype=np.longdouble)
    for _ in range(steps):
        p = 1 / (1 + np.exp(-Z @ beta))
        gradient, H = Z.T @ (y - p), (Z.T * (p * (1 - p))) @ Z
        step = np.linalg.solve(H.astype(float), gradient.astype(float)).astype(np.longdouble)
        beta = beta + step
    p = 1 / (1 + np.exp(-Z @ beta))
    return beta.astype(float), float(np.sum(np.where(y == 1, np.log(p), np.log(1 - p))))


def test_spector_and_mazzeo() -> None:
    """Greene's table: constant −13.0213, GPA 2.8261, TUCE 0.0952, PSI 2.3787, log L −12.8896."""
    X, y = SPECTOR[:, :3], SPECTOR[:, 3].astype(int)
    model = LogisticRegression(C=np.inf).fit(X, y)
    beta, likelihood = extended_newton(X, y)
    np.testing.assert_allclose(beta, [-13.0213, 2.8261, 0.0952, 2.3787], atol=5e-5)
    assert likelihood == pytest.approx(-12.8896, abs=5e-5)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), beta, rtol=1e-9)
    assert -32 * model.solution_.objective == pytest.approx(likelihood, rel=1e-12)


def test_a_two_by_two_table_gives_the_log_odds_ratio() -> None:
    """In closed form: the slope on one switch is log(ad/bc), the intercept the log-odds where it is off."""
    X, y, n = [[0.0], [0], [1], [1]], [0, 1, 0, 1], [30, 10, 20, 25]
    model = LogisticRegression(C=np.inf).fit(X, y, sample_weight=n)
    assert model.intercept_[0] == pytest.approx(np.log(10 / 30), rel=1e-12)
    assert model.coef_[0, 0] == pytest.approx(np.log(25 * 30 / (20 * 10)), rel=1e-12)


def test_iris_multinomial_deviance_and_aic() -> None:
    """R's nnet::multinom(Species ~ .): residual deviance 11.8985, AIC 31.8985 with 10 parameters.

    One species is separable from the others, so the deviance is a limit that no coefficients reach; the warning says so.
    """
    X, y = load_iris(return_X_y=True)
    with pytest.warns(SeparableWarning, match="does not exist"):
        model = LogisticRegression(C=np.inf).fit(X, y)
    deviance = -2 * model.predict_log_proba(X)[np.arange(150), y].sum()
    assert deviance == pytest.approx(11.8985, abs=5e-5)
    assert deviance + 2 * 10 == pytest.approx(31.8985, abs=5e-5)


def test_without_columns_that_matter_the_intercept_is_the_log_odds() -> None:
    X, y = np.ones((10, 1)), np.array([1] * 3 + [0] * 7)
    model = LogisticRegression().fit(X, y)
    assert model.coef_[0, 0] == pytest.approx(0.0, abs=1e-12) and model.intercept_[0] == pytest.approx(np.log(3 / 7))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 0.3)


def test_scores_are_log_odds_and_the_class_is_decided_at_one_half() -> None:
    """C13: the sigmoid of a linear score; cross-entropy; classify at ½."""
    X, y = SPECTOR[:, :3], SPECTOR[:, 3].astype(int)
    model = LogisticRegression(C=np.inf).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(np.log(p / (1 - p)), X @ model.coef_[0] + model.intercept_[0], atol=1e-9)
    assert (model.predict(X) == (p > 0.5)).all()
    assert np.mean(p) == pytest.approx(np.mean(y), abs=1e-12)  # the intercept's own equation


def test_far_correct_points_move_least_squares_and_not_logistic() -> None:
    """C4, Bishop's figure 4.4: points far on the right side drag the least-squares boundary, not the logistic one."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal([0, 2], 0.8, (60, 2)), rng.normal([2, 0], 0.8, (60, 2))])
    y = np.repeat([0, 1], 60)
    far, label = np.vstack([X, rng.normal([9, -6], 0.5, (20, 2))]), np.append(y, np.ones(20, dtype=int))

    def direction(w: Any, b: float) -> Any:
        return np.append(w, b) / np.linalg.norm(w)

    least = [direction(m.coef_, m.intercept_) for m in (LinearRegression().fit(X, 2 * y - 1), LinearRegression().fit(far, 2 * label - 1))]
    logistic = [direction(m.coef_[0], m.intercept_[0]) for m in (LogisticRegression().fit(X, y), LogisticRegression().fit(far, label))]
    assert (
        np.abs(logistic[0] - logistic[1]).max()
        < 0.05
        < 5 * np.abs(logistic[0] - logistic[1]).max() + 0.2
        < np.abs(least[0] - least[1]).max()
    )


def test_a_middle_class_on_a_line_is_kept() -> None:
    """C4: where least squares with indicators masks the middle one of three classes on a line, logistic regression keeps it."""
    rng = np.random.default_rng(1)
    t = np.concatenate([rng.normal(m, 0.4, 80) for m in (-4, 0, 4)])
    X, y = np.column_stack([t, t + 0.1 * rng.standard_normal(240)]), np.repeat([0, 1, 2], 80)
    indicator = LinearRegression().fit(X, np.eye(3)[y]).predict(X).argmax(axis=1)
    model = LogisticRegression().fit(X, y)
    assert np.mean(indicator[y == 1] == 1) < 0.2 and np.mean(model.predict(X)[y == 1] == 1) > 0.98


@pytest.mark.parametrize("gap", [0.1, 1.0])
def test_separable_classes_have_no_estimate_and_a_penalty_helps(gap: float) -> None:
    """C13: the notes say that it works very well on separable classes; the estimate then does not exist."""
    X, y = np.array([[-1.0 - gap], [-1.0], [1.0], [1.0 + gap]]), [0, 0, 1, 1]
    with pytest.warns(SeparableWarning, match="Set C to a finite number"):
        LogisticRegression(C=np.inf).fit(X, y)
    model = LogisticRegression().fit(X, y)
    assert model.solution_.is_converged and model.intercept_[0] == pytest.approx(0.0, abs=1e-9)
