"""The steps of a stepwise discriminant analysis: which column enters or leaves next, and the table of what happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_types import Indices
from ..errors import InputError
from ..inference.tables import Column, Table
from ..inference.wilks import PartialTests, SetTests, WilksSet
from ..progress import task
from .column_positions import column_name

HISTORY = {
    "step": "d",
    "in": "d",
    "entered": "",
    "removed": "",
    "partial R²": ".4f",
    "F": ".2f",
    "Pr > F": "p",
    "Wilks' lambda": ".8f",
    "Pr < lambda": "p",
    "ASCC": ".8f",
    "Pr > ASCC": "p",
}
"""The columns of the history and how they are printed."""


@dataclass(frozen=True, slots=True)
class EntryRule:
    """When a column enters and when it stays: by its F where a bound of F is given, else by its p-value; and how many at most."""

    direction: str
    p_enter: float
    p_remove: float
    f_enter: float | None
    f_remove: float | None
    most: int

    def enters(self, tests: PartialTests, j: int) -> bool:
        """Whether a column is good enough to enter."""
        return bool(tests.p_value(j) <= self.p_enter if self.f_enter is None else tests.F[j] >= self.f_enter)

    def stays(self, tests: PartialTests, j: int) -> bool:
        """Whether a column is good enough to stay."""
        return bool(tests.p_value(j) <= self.p_remove if self.f_remove is None else tests.F[j] >= self.f_remove)


class StepwiseSearch:
    """A search under way: the set, the order of entry, and the steps so far."""

    def __init__(self, columns: WilksSet, rule: EntryRule, include: Indices, names: tuple[str, ...] | None) -> None:
        self.rule, self.columns, self.names = rule, columns, names
        self.forced = np.zeros(len(columns.inside), dtype=bool)
        self.order: list[int] = []
        self.steps: list[tuple[int, bool, PartialTests, SetTests, int]] = []
        for j in include:
            if not columns.may_enter(int(j)):
                raise InputError(f"Column {self.name(j)!r} is to be included, but {self.why_not(j)}; leave it out of include.")
            columns.enter(int(j))
            self.order.append(int(j))
            self.forced[j] = True

    def name(self, j: int) -> str:
        """Return the name of a column."""
        return column_name(int(j), self.names)

    def run(self) -> None:
        """Enter and remove until nothing more is to be done, or a set comes up again."""
        if self.rule.direction == "backward":
            self._enter_all()
        seen = set()
        with task("stepwise") as work:
            while (state := self.columns.inside.tobytes()) not in seen:
                seen.add(state)
                if not (self._remove_one() or self._enter_one()):
                    break
                j, entered, *_ = self.steps[-1]
                work.advance(f"{self.name(j)} {'entered' if entered else 'removed'}")

    def _enter_all(self) -> None:
        columns = self.columns
        if columns.varies.sum() >= columns.n - columns.K:
            raise InputError(
                f"direction='backward' begins with all {len(self.forced)} columns, for which {columns.n:g} rows of {columns.K} classes "
                "are too few: more than columns + classes are needed. Use direction='forward' or 'both'."
            )
        for j in range(len(self.forced)):
            if columns.may_enter(int(j)):
                columns.enter(j)
                self.order.append(j)

    def _remove_one(self) -> bool:
        tests = self.columns.to_remove()
        F = np.where(self.forced, np.nan, tests.F)
        if self.rule.direction == "forward" or np.isnan(F).all():
            return False
        j = int(np.nanargmin(F))
        if self.rule.stays(tests, j) and self.columns.size <= self.rule.most:
            return False
        self.columns.remove(j)
        self.order.remove(j)
        self.steps.append((j, False, tests, self.columns.test(), self.columns.size))
        return True

    def _enter_one(self) -> bool:
        tests = self.columns.to_enter()
        if self.rule.direction == "backward" or self.columns.size >= self.rule.most or np.isnan(tests.F).all():
            return False
        j = int(np.nanargmax(tests.F))
        if not self.rule.enters(tests, j):
            return False
        self.columns.enter(j)
        self.order.append(j)
        self.steps.append((j, True, tests, self.columns.test(), self.columns.size))
        return True

    def why_not(self, j: int) -> str:
        """Return why a column outside the set cannot enter."""
        columns = self.columns
        if columns.t0[j] == 0 or not columns.varies[j]:
            return "it is constant" if columns.t0[j] == 0 else "it does not vary within the classes, so that no test exists"
        return f"the columns in the set determine it (tolerance {columns.tolerance:g})"

    def skipped(self) -> dict[str, str]:
        """Return the columns outside the set that cannot enter, and why."""
        free = self.columns.can_enter()
        return {self.name(int(j)): self.why_not(int(j)) for j in np.flatnonzero(~self.columns.inside & ~free)}

    def table(self) -> Table:
        """Return the steps as the table of PROC STEPDISC."""
        values: list[list[Any]] = [[] for _ in HISTORY]
        for number, (j, entered, tests, test, size) in enumerate(self.steps, 1):
            names = (self.name(j), "") if entered else ("", self.name(j))
            partial = tests.r2[j], tests.F[j], tests.p_value(j)
            row = (number, size, *names, *partial, test.wilks, test.wilks_p, test.ascc, test.ascc_p)
            for column, value in zip(values, row, strict=True):
                column.append(value)
        columns = [Column(name, column, form) for (name, form), column in zip(HISTORY.items(), values, strict=True)]
        note = "p-values are those of tests planned beforehand; a search makes them too small."
        return Table("Stepwise discriminant analysis", tuple(columns), note)
