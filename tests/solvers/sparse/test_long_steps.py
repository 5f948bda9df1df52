"""Steps that promise far more than they keep are shortened: far out, rows have no curvature left and no step leads back."""

from benchmarks.shapes.problems import draw
from separatrix import LogisticRegression


def test_an_l1_softmax_without_intercept_is_not_thrown_where_no_row_has_curvature() -> None:
    shape = draw(44, 10, 1e6)
    found = LogisticRegression(C=300.0, l1_ratio=1.0, fit_intercept=False).fit(shape.X[:600], shape.y[:600]).solution_
    assert found.is_converged
    assert found.gap <= 1e-7 * found.objective
