"""Numbers of the course on perceptrons: worked by hand there, recomputed here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from examples import letters, spam
from separatrix import AveragedPerceptron, BatchPerceptron, Perceptron, VotedPerceptron

SIX = np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]), np.array([-1, 1, 1, -1, -1, 1])
"""The first example: no bias, from zero."""
TWO = np.array([[5, 7], [2, 6]]), np.array([1, -1])
"""The second: bias −5 and weights (0, 1) to begin with."""


def test_free_money_scores_three() -> None:
    X, y = [[1, 1], [0, 1], [0, 0]], ["spam", "ham", "ham"]
    model = Perceptron().fit(X, y, coef_init=[4, 2], intercept_init=-3)
    assert (model.coef_.tolist(), model.intercept_.tolist(), model.status_.n_mistakes) == ([[4, 2]], [-3], 0)
    assert model.decision_function(X).tolist() == [3, -1, -3] and model.predict([[1, 1]]) == "spam"
    plane = model.boundary("ham", "spam")
    assert plane == spam.by_hand() and plane.origin_distance == pytest.approx(-3 / np.sqrt(20))
    for factor, labels in ((7.0, y), (-1.0, ["ham", "spam", "spam"])):
        scaled = Perceptron().fit(X, labels, coef_init=[4 * factor, 2 * factor], intercept_init=-3 * factor)
        assert scaled.status_.n_mistakes == 0 and scaled.predict(X).tolist() == labels


def test_a_bias_is_the_weight_of_a_constant_feature() -> None:
    X, y = SIX
    biased = Perceptron(random_state=0).fit(X, y)
    constant = Perceptron(fit_intercept=False, random_state=0).fit(np.column_stack([np.ones(6), X]), y)
    assert_array_equal(np.column_stack([biased.intercept_, biased.coef_]), constant.coef_)


def test_first_worked_example() -> None:
    X, y = SIX
    model = Perceptron(fit_intercept=False, shuffle=False, trace=True).fit(X, y)
    coefs, intercepts = model.replay(X)
    assert coefs[:, 0].tolist() == [[0, 0], [1, -2], [2, -1], [3, 1]] and not intercepts.any()
    assert model.history_["row"].tolist() == [0, 2, 4] and model.history_["score"].tolist() == [0, -1, 0]
    bound = model.mistake_bound(X, y)
    assert_allclose([bound.radius**2, bound.margin, bound.bound], [5, 1, 5])
    assert (bound.mistakes, model.status_.n_mistakes, model.n_iter_, model.status_.converged) == (3, 3, 2, True)
    assert bound.margin_found == pytest.approx(1 / np.sqrt(10))


def test_second_worked_example_first_epoch() -> None:
    X, y = TWO
    start = {"coef_init": [0, 1], "intercept_init": -5}
    with pytest.warns(UserWarning, match="stopped at max_iter=1 with 1 mistakes in the last epoch"):
        model = Perceptron(shuffle=False, max_iter=1, trace=True).fit(X, y, **start)
    assert model.history_["row"].tolist() == [1] and model.history_["score"].tolist() == [1]  # (1, 5, 7) scored 2: no change
    assert [*model.intercept_, *model.coef_[0]] == [-6, -2, -5]
    assert model.decision_function([[5, 7]]).tolist() == [-51]


def test_second_worked_example_to_the_end() -> None:
    X, y = TWO
    model = Perceptron(shuffle=False, trace=True).fit(X, y, coef_init=[0, 1], intercept_init=-5)
    assert len(model.history_) == 7 and [*model.intercept_, *model.coef_[0]] == [-6, 7, -2]
    bound = model.mistake_bound(X, y)
    assert bound.start_norm == pytest.approx(np.sqrt(26))
    assert bound.bound == pytest.approx((bound.radius / bound.margin) ** 2 + 2 * np.sqrt(26) / bound.margin) and bound.bound >= 7


@pytest.mark.parametrize("random_state", range(5))
def test_an_update_is_half_the_difference_and_raises_the_score_by_the_squared_norm(random_state: int) -> None:
    X, y = SIX
    model = Perceptron(init="random", random_state=random_state, trace=True).fit(X, y)
    coefs, intercepts = model.replay(X)
    for t, update in enumerate(model.history_):
        x, sign = X[update["row"]], y[update["row"]]
        before, after = coefs[t, 0] @ x + intercepts[t, 0], coefs[t + 1, 0] @ x + intercepts[t + 1, 0]
        assert before == pytest.approx(update["score"]) and sign * before <= 0
        assert sign * after == pytest.approx(sign * before + x @ x + 1)
        h = -sign  # what the machine answered
        assert_allclose(coefs[t + 1, 0], coefs[t, 0] - 0.5 * (h - sign) * x)


def test_a_threshold_stands_in_for_the_bias() -> None:
    X, y = SIX
    model = Perceptron(threshold=0.5, random_state=0, trace=True).fit(X, y)
    assert model.intercept_.tolist() == [-0.5] and model.status_.converged
    assert ((X @ model.coef_[0] > 0.5) == (y == 1)).all() and (model.replay(X)[1] == -0.5).all()


@pytest.mark.parametrize("seed", range(3))
def test_online_and_batch_end_without_a_mistake_on_separable_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(300, 3)), rng.normal(size=3)
    X = X[np.abs(X @ w + 0.3) > 0.2]
    y = np.where(X @ w + 0.3 > 0, "b", "a")
    for model in (Perceptron(random_state=0), BatchPerceptron()):
        model.fit(X, y)
        assert model.status_.converged and model.status_.last_mistakes == 0 and (model.predict(X) == y).all()
    for other in (AveragedPerceptron(random_state=0), VotedPerceptron(random_state=0)):  # these may leave some
        assert other.fit(X, y).status_.last_mistakes == 0


def test_the_batch_step_by_hand() -> None:
    X, y = SIX
    with pytest.warns(UserWarning, match="max_iter=1 with 6 rows wrong"):
        model = BatchPerceptron(max_iter=1).fit(X, y)
    assert_allclose(model.coef_[0], (y[:, None] * X).mean(axis=0))
    assert_allclose(model.intercept_, y.mean())


def test_a_fixed_epsilon_stops_too_early_with_many_rows() -> None:
    rng = np.random.default_rng(0)
    far = rng.normal(size=(1000, 2)) + np.where(rng.random(1000) < 0.5, 6.0, -6.0)[:, None]
    X, y = np.vstack([far, [[0.5, -0.2]]]), np.append(far.sum(axis=1) > 0, False)
    early, late = BatchPerceptron(epsilon=1e-2).fit(X, y), BatchPerceptron(max_iter=10_000).fit(X, y)
    assert (early.status_.last_mistakes, late.status_.last_mistakes) == (1, 0)
    assert "lower epsilon" in early.status_.message


def test_sse_of_hard_outputs_is_four_times_the_mistakes(rng: Any) -> None:
    X, y = rng.normal(size=(200, 3)), np.where(rng.random(200) < 0.5, 1, -1)
    model = Perceptron(tol=1e-3, random_state=0).fit(X, y)
    output = model.predict(X)
    assert ((y - output) ** 2).sum() == 4 * (output != y).sum() == 4 * (y * model.decision_function(X) <= 0).sum()


def test_letters_of_many_fonts_are_told_apart(rng: Any) -> None:
    seen, unseen = letters.split(letters.fonts())
    assert len(seen) >= 15 and len(unseen) >= 5 and not set(seen) & set(unseen)
    X, y = letters.images(seen, 2, rng)
    model = Perceptron(random_state=0).fit(X, y)
    assert X.shape[1] == 24 * 24 and model.status_.converged and (model.predict(X) == y).all()
    rows, labels = letters.images(unseen, 4, rng)
    wrong = (model.predict(rows) != labels).mean()
    # Coin tosses are wrong on half of these images, give or take a thirtieth.
    assert wrong < 0.25


def test_the_examples_run(capsys: Any, tmp_path: Any) -> None:
    spam.main()
    letters.main(["--save", str(tmp_path / "letters.png")])
    said = capsys.readouterr().out
    assert "'free money' scores +3: spam" in said and "wrong on fonts never seen" in said
    assert (tmp_path / "letters.png").stat().st_size > 1000
