"""All machines of a problem, one per class or one for two classes: what each gets first, and what the first tells the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ...array_types import Codes, Floats
from ...data.threads import ordered_map, single_threaded_blas, thread_count
from ..problem import Problem
from ..rows import Rows
from ..smooth.centred_rows import CentredRows, each_row
from ..span import Span
from . import one_machine, small_hinge, small_margins
from .machine import Ended, Machine, certify
from .method import Method, choose
from .one_machine import ROUNDING
from .step_work import INTERIOR, NEWTON

PATIENCE = 0.4
"""Share of the seconds of a method with a matrix after which turns that have not arrived give way to it."""


@dataclass(frozen=True, slots=True, eq=False)
class Machines:
    """The machines of a problem.

    Attributes
    ----------
    problem : Problem
    codes, cost : (n,) class codes, and c_i = s_i/(λS), infinite for hard margins
    squared, ridge : as in `Machine`
    numbers : of the classes that have a machine
    shared : what machines of one table share; None where there is one machine
    """

    problem: Problem
    codes: Codes
    cost: Floats
    squared: bool
    ridge: float
    numbers: tuple[int, ...]
    shared: dict[str, Floats] | None

    @classmethod
    def of(cls, problem: Problem, ridge: float, squared: bool, scale: float = 1.0) -> Self:
        """Return the machines of all classes; `scale` multiplies their costs."""
        codes, cost = codes_and_costs(problem)
        numbers = (1,) if problem.n_classes == 2 else tuple(range(problem.n_classes))
        return cls(problem, codes, scale * cost, squared, ridge, numbers, {} if len(numbers) > 1 else None)

    def signs(self, k: int) -> Floats:
        """Return 1 for the rows of a class, −1 for others."""
        return np.where(self.codes == k, 1.0, -1.0)

    def machine(self, k: int) -> Machine:
        """Return the machine of a class."""
        given, is_first = self.problem, k == self.numbers[0]
        own = given.max_iter, given.tol, given.seed, self.shared, is_first
        return Machine(given.rows, self.signs(k), self.cost, self.squared, self.ridge, *own)

    def solve(self) -> tuple[list[Ended], Method]:
        """Return the end of every machine, and the method chosen.

        The first one is a trial: where turns have not arrived in the time of a method with a matrix, the others are spared them.
        """
        method = choose(self.problem, self.squared)
        if not method.in_turns:
            return self._by_matrix(method, {}), method
        begun = self._in_turns(self.numbers[:1], method)
        if self._has_arrived(begun[self.numbers[0]]) or not method.name:
            begun |= self._in_turns(self.numbers[1:], method)
        left = [k for k in self.numbers if k not in begun or not self._has_arrived(begun[k])] if method.name else []
        if left:
            found = replace(self, numbers=tuple(left))._by_matrix(method, begun)
            begun |= {k: begun[k].better(one) if k in begun else one for k, one in zip(left, found, strict=True)}
        return [begun[k] for k in self.numbers], method

    def _has_arrived(self, ended: Ended) -> bool:
        return ended.certificate.gap <= max(self.problem.tol, ROUNDING) * ended.certificate.primal

    def _in_turns(self, numbers: Sequence[int], method: Method) -> dict[int, Ended]:
        """Return what machines have after the seconds of a method with a matrix, side by side: each walks the rows on one thread."""
        threads = thread_count(self.problem.rows.source.n_jobs)
        run = lambda k: one_machine.in_turns(self.machine(k), PATIENCE * method.seconds)  # noqa: E731
        with single_threaded_blas():
            found = list(map(run, numbers) if threads == 1 or len(numbers) < 2 else ordered_map(run, numbers, threads))
        return dict(zip(numbers, found, strict=True))

    def _by_matrix(self, method: Method, begun: dict[int, Ended]) -> list[Ended]:
        """Return the ends by a method with a matrix; `begun` has what turns have left."""
        if method.in_span:
            return self._in_span()
        # Systems are small and passes run on threads of their own: BLAS threads would only wait for each other.
        with single_threaded_blas():
            found = self._at_once() if method.at_once else None
            return found or [one_machine.solve(self.machine(k), method.name, begun.get(k)) for k in self.numbers]

    def _at_once(self) -> list[Ended] | None:
        """Return the end of all machines on few dense rows, found some at once; None where that fails."""
        problem, count = self.problem, small_margins.at_once(self.problem.rows)
        # A row without weight has no place between 0 and c.
        if problem.max_iter < (small_margins if self.squared else small_hinge).STEPS or (not self.squared and self.cost.min() <= 0.0):
            return None
        signs, ended = np.array([self.signs(k) for k in self.numbers]), list[Ended]()
        for part in (signs[begin : begin + count] for begin in range(0, len(signs), count)):
            try:
                if self.squared:
                    found = small_margins.solve(problem.rows, part, self.cost, self.ridge)
                else:
                    found = small_hinge.solve(problem.rows, part, self.cost, self.ridge, max(problem.tol, ROUNDING))
            except np.linalg.LinAlgError:
                found = None
            if found is None:
                return None
            ended += found
        return [replace(one, solver=NEWTON if self.squared else INTERIOR) for one in ended]

    def _in_span(self) -> list[Ended]:
        """Return the ends in coordinates of the rows' span, certified on the rows as given."""
        rows = self.problem.rows
        assert rows.codes is not None
        span, about = Span.of(rows.X), CentredRows.of(rows, centred=False)
        held = Rows.of_arrays(span.coordinates, rows.codes, rows.weight, rows.source)
        inner = replace(self, problem=replace(self.problem, rows=held), shared=None if self.shared is None else {})
        found, ends = inner.solve()[0], []
        W = span.expand(np.array([one.coef for one in found]))
        for k, one, w in zip(self.numbers, found, W):
            machine, theta = self.machine(k), np.append(w, one.intercept)
            certificate = certify(machine, about, theta, machine.signs * about.scores(theta), one.certificate.alpha)
            end = Ended.of(about, certificate, one.iterations, one.passes + 2)
            ends.append(replace(end, solver=f"{one.solver} in the rows' span"))
        return ends


def codes_and_costs(problem: Problem) -> tuple[Codes, Floats]:
    """Return class codes and c_i = s_i/(λS) of all rows; infinite costs for hard margins."""
    rows = problem.rows
    codes = rows.codes if rows.codes is not None else each_row(rows, lambda block: block.codes)  # type: ignore[arg-type,return-value]
    if rows.held is not None:
        weight = np.ones(len(codes)) if rows.weight is None else rows.weight
    else:
        weight = each_row(rows, lambda block: np.ones(block.n_rows) if block.weight is None else block.weight)
    if problem.strength == 0.0:
        return codes, np.where(weight > 0.0, np.inf, 0.0)
    return codes, weight / (problem.strength * problem.total)
