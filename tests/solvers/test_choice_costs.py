"""Law: on both sides of every switch between solvers the estimated work is about the same, within three times."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from separatrix.losses import Logistic
from separatrix.solvers import choice
from separatrix.solvers.smooth.objective import DENSE_ENOUGH
from separatrix.solvers.smooth.whitened import EXPLICIT, SAMPLE
from separatrix.solvers.smooth.work import EXACT, Work

STIFFNESS = [1e1, 1e4, 1e7, 1e10]
ALIKE, ROOM = 3.0, 5.0
"""Times that one side may cost the other, and where not time but the memory of a p × p matrix draws the line."""


def seconds(n: int, p: int, R: int, stiffness: float, per_row: float = np.inf) -> float:
    """Return the estimated seconds of the solver that is chosen."""
    dense = Work(n, p, R, n * p, n * p**2, False, stiffness)
    sparse = Work(n, p, R, n * min(per_row, p), n * min(per_row, p) ** 2, True, stiffness)
    rows = SimpleNamespace(X=np.broadcast_to(0.0, (n, p)), values=n * min(per_row, p))
    held = [sparse if per_row < DENSE_ENOUGH * p else dense]
    ways = [sparse, dense] if np.isfinite(per_row) and choice._has_room(rows) else held
    return choice.least(SimpleNamespace(loss=Logistic() if R == 1 else None), ways)[0]


def switches() -> list[tuple[str, tuple[int, int, int, float], tuple[int, int, int, float]]]:
    """Return the name of a switch and a shape on either side of it: rows, columns, scores, values of a row."""
    many, dense = [500, 3_000, 15_000, 100_000], np.inf
    sides = [("coefficients", (n, EXPLICIT // R - 1, R, w), (n, EXPLICIT // R, R, w)) for n, R, w in product(many, (1, 5), (dense, 30.0))]
    sides += [("sample", (SAMPLE - 1, p, R, dense), (SAMPLE, p, R, dense)) for p, R in product((3, 30, 250), (1, 5))]
    sides += [("factor", (n, choice.FACTORED, 1, dense), (n, choice.FACTORED + 1, 1, dense)) for n in (5_000, 50_000)]
    sides += [("exact", (n, EXACT // R - 2, R, dense), (n, EXACT // R, R, dense)) for n, R in product((500, 3_000, 15_000), (1, 5))]
    sides += [("rows", (n, n - 1, 1, dense), (n - 1, n, 1, dense)) for n in (100, 600, 1_900)]
    sides += [("span", (choice.SPANNED, p, R, dense), (choice.SPANNED + 1, p, R, dense)) for p, R in product((8_000, 20_000), (1, 5))]
    sides += [("density", (n, 300, R, 59.9), (n, 300, R, 60.1)) for n, R in product((500, 5_000, 15_000), (1, 4))]
    sides += [("sparsest", (n, 300, R, 8.9), (n, 300, R, 9.1)) for n, R in product((500, 5_000, 15_000), (1, 4))]
    sides += [("room", (n, 300, R, 50.0), (n + 1, 300, R, 50.0)) for n, R in product((20_000,), (1, 4))]
    return sides


@pytest.mark.parametrize("stiffness", STIFFNESS)
@pytest.mark.parametrize(("name", "below", "above"), switches())
def test_both_sides_of_a_switch_cost_about_the_same(name, below, above, stiffness):
    one, other = (seconds(n, p, R, stiffness, w) for n, p, R, w in (below, above))
    alike = ROOM if name == "factor" else ALIKE
    assert max(one, other) <= alike * min(one, other), f"{name}: {one:.2e} s and {other:.2e} s"


@pytest.mark.parametrize("stiffness", STIFFNESS)
@pytest.mark.parametrize("n", [50, 500, 5_000])
def test_newton_is_preferred_for_its_digits_only_while_it_is_short(n, stiffness):
    least = [min(choice._roads(_logistic(), _dense(n, p, stiffness)).values()) for p in (2, 5, 10, 20, 40, 80)]
    chosen = [seconds(n, p, 1, stiffness) for p in (2, 5, 10, 20, 40, 80)]
    assert all(c == a or c <= choice.SMALL for a, c in zip(least, chosen))


def _logistic() -> SimpleNamespace:
    return SimpleNamespace(rows=SimpleNamespace(is_sparse=False), loss=Logistic())


def _dense(n: int, p: int, stiffness: float) -> Work:
    return Work(n, p, 1, n * p, n * p**2, False, stiffness)
