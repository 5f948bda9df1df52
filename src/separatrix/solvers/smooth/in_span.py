"""Fewer rows than columns: the problem in coordinates of the rows' span (`solvers/span.py`), where one of the other solvers solves it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from .. import choice
from ..problem import Problem
from ..rows import Rows
from ..solution import Solution, Status
from ..span import Span
from ..stopping import finish
from .objective import Objective

TIGHTER = 0.5
"""Share of the tolerance that is asked of the coordinates: passes are short there, and the way back must not cost what was asked."""


def solve(problem: Problem, tried: tuple[str, ...] = ()) -> Solution:
    """Minimise a smooth problem with an L2 penalty, by a solver that has not been tried in vain.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> rows = Rows.of(as_source([[0.0, 1.0, 0.0], [1.0, 1.0, 2.0]], [0, 1]))
    >>> found = solve(Problem(rows, np.ones(2), Logistic(), strength=0.25))
    >>> found.solver, found.coef.round(3).tolist()
    ("newton in the rows' span", [[0.471, 0.0, 0.942]])
    """
    spanned = Spanned.of(problem)
    return spanned.expanded(choice.solve(spanned.short, tried), problem.strength)


@dataclass(frozen=True, slots=True, eq=False)
class Spanned:
    """A problem, the same in coordinates of the rows' span, and the way back."""

    problem: Problem
    span: Span
    short: Problem

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the coordinates of a problem whose rows are held."""
        rows = problem.rows
        assert rows.codes is not None
        span = Span.of(rows.X)
        if not np.isfinite(span.coordinates).all():
            rows.source.refuse_nonfinite()
        start = None if problem.start is None else (span.shorten(problem.start[0]), problem.start[1])
        short = Rows.of_arrays(span.coordinates, rows.codes, rows.weight, rows.source)
        return cls(problem, span, replace(problem, rows=short, start=start, tol=TIGHTER * problem.tol))

    def expanded(self, found: Solution, strength: float) -> Solution:
        """Return a solution for the columns, with the certificate of the rows as given; `strength` is the λ it was found for."""
        objective = Objective(replace(self.problem, strength=strength))
        theta = np.column_stack([self.span.expand(found.coef), found.intercept])
        f, g = objective.at(theta)
        assert isinstance(found.status, Status)
        name = f"{found.solver} in the rows' span"
        whole = finish(objective, theta, f, g, status=found.status, iterations=found.iterations, solver=name)
        # The minimum is the same in both, so that the one's proof holds for the other, but for the rounding of f.
        return replace(whole, passes=found.passes + whole.passes, gap=min(whole.gap, found.gap + abs(f - found.objective)), why=found.why)
