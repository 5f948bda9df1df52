"""Are the rows that a model is used on still like those it was made from? Answered from the model file and the new rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..alerts import Alert
from ..array_types import Floats
from ..data.columns import ColumnBatch
from ..data.table_opening import open_table
from ..decisions.shift import PriorShift, prior_shift
from ..errors import InputError, did_you_mean
from ..inference.drift import Change, alerts_of_changes, counts_moved, gaps_moved
from ..inference.tables import Column, Table
from ..prepare.recipe import Recipe
from ..prepare.steps import Dropped
from ..prepare.steps.base import level_text
from ..prepare.written_levels import texts_of
from .column_facts import ColumnFacts
from .contents import Contents
from .formula import Formula, formula_of
from .scoring import predictions_of
from .training_columns import ColumnTally, steps_of

LEVEL = 0.01
"""Probability of a false alarm about the shares of the classes."""


@dataclass(frozen=True, eq=False)
class Watch:
    """What has changed since the fit.

    Attributes
    ----------
    rows : number of new rows
    changes : of all columns and their gaps
    alerts : for columns whose change is large and no chance
    shift : the shares of the classes among the new rows beside those of the training; None where the model has no posteriors
    """

    rows: int
    changes: tuple[Change, ...]
    alerts: tuple[Alert, ...]
    shift: PriorShift | None

    @property
    def is_quiet(self) -> bool:
        """Whether neither columns nor shares of classes have changed by more than chance explains."""
        return not self.alerts and not self.has_shifted

    @property
    def has_shifted(self) -> bool:
        """Whether the classes are otherwise common than in the fit, by more than chance explains."""
        return self.shift is not None and self.shift.p_value < LEVEL

    def table(self) -> Table:
        """Return how far each column has moved, the farthest first."""
        order = sorted(self.changes, key=lambda change: -change.index)
        columns = (
            Column("column", [change.name for change in order]),
            Column("index", [change.index for change in order], ".3f"),
            Column("p", [change.p for change in order], "p"),
            Column("seen", [change.seen for change in order]),
        )
        return Table(f"{self.rows:,} rows beside those of the fit, by stability index", columns)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        shift = self.shift
        return {
            "rows": self.rows,
            "quiet": self.is_quiet,
            "columns": [{"column": own.name, "index": own.index, "p": own.p, "seen": own.seen} for own in self.changes],
            "alerts": [alert.to_dict() for alert in self.alerts],
            "priors": None
            if shift is None
            else {"classes": shift.classes, "trained": shift.trained_priors, "now": shift.priors, "p": shift.p_value},
        }


def watch(contents: Contents, path: Any) -> Watch:
    """Compare the rows of some files with the facts that a model file has of its training rows.

    Parameters
    ----------
    contents : what `contents.read` returned
    path : files of new rows, with or without labels
    """
    facts = _facts(contents)
    recipe = None if contents.recipe is None else Recipe.from_json(contents.recipe)
    tallies, rows = _tallies(facts, recipe, path)
    changes = tuple(change for own, tally in zip(facts, tallies, strict=True) for change in _changes(own, tally))
    return Watch(rows, changes, alerts_of_changes(changes), _shift(contents, formula_of(contents.state), path))


def _facts(contents: Contents) -> tuple[ColumnFacts, ...]:
    if contents.column_facts is None:
        raise InputError("This model file has no facts of its training columns (--no-data-facts); fit it anew with them.")
    steps = {} if contents.recipe is None else steps_of(Recipe.from_json(contents.recipe))
    left_out = {name for name, step in steps.items() if isinstance(step, Dropped)}
    return tuple(own for own in contents.column_facts if own.name != contents.target and own.name not in left_out)


def _tallies(facts: Sequence[ColumnFacts], recipe: Recipe | None, path: Any) -> tuple[list[ColumnTally], int]:
    names = [own.name for own in facts]
    known = open_table(path).feature_names
    lost = [name for name in names if name not in known]
    if lost:
        raise InputError(f"The table lacks column {lost[0]!r}, which the model was made with.{did_you_mean(lost[0], known)}")
    steps = steps_of(recipe)

    def tally(batch: ColumnBatch) -> _Tallies:
        return _Tallies([ColumnTally.of(batch.column(j), own, steps.get(own.name)) for j, own in enumerate(facts)])

    found: _Tallies = open_table(path, columns=names).with_text(texts_of(recipe)).as_columns().reduce(tally)
    return found.columns, int(found.columns[0].rows) if found.columns else 0


@dataclass(frozen=True, eq=False)
class _Tallies:
    columns: list[ColumnTally]

    def merge(self, other: _Tallies) -> _Tallies:
        return _Tallies([one.merge(two) for one, two in zip(self.columns, other.columns, strict=True)])


def _changes(facts: ColumnFacts, tally: ColumnTally) -> list[Change]:
    found = gaps_moved(facts.name, np.array([facts.missing, tally.missing]), np.array([facts.rows, tally.rows]))
    if facts.kind == "date" or tally.counts.sum() == 0 or tally.rows == 0:  # dates always move on
        return found
    if facts.kind == "level" and facts.levels:
        counts = np.array([[*(count for _, count in facts.levels), facts.rare], tally.counts])
        said = [*(f"Level {level!r}" for level, _ in facts.levels), "What is none of the common levels"]
    elif facts.cells:
        counts, said = np.array([facts.cells, tally.counts]), _cells_said(np.unique(facts.quantiles))
    else:
        return found
    present = counts.sum(axis=0) > 0
    return [*found, counts_moved(facts.name, counts[:, present], [text for text, own in zip(said, present, strict=True) if own])]


def _cells_said(cuts: Floats) -> list[str]:
    between = [f"The part from {low:.4g} to {high:.4g}" for low, high in pairwise(cuts)]
    return [f"The part up to {cuts[0]:.4g}", *between, f"The part above {cuts[-1]:.4g}"]


def _shift(contents: Contents, formula: Formula, path: Any) -> PriorShift | None:
    """Return the shares of the classes now; None where there are no posteriors, or those of the training are not known."""
    known = next((dict(own.levels) for own in contents.column_facts or () if own.name == contents.target), {})
    counts = np.array([known.get(level_text(label), 0.0) for label in formula.classes.tolist()])
    if formula.link is None or not counts.all():
        return None
    posteriors = np.concatenate([part.posteriors for part in predictions_of(formula, path) if part.posteriors is not None])
    return prior_shift(posteriors, trained_priors=counts / counts.sum(), classes=formula.classes)
