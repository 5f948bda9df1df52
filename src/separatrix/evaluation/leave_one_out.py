"""Every row held out alone, without n refits: algebra on one fit, or the row taken out of the summary."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ..abilities import abilities_of, offered
from ..abilities.protocols import LeavesRowsOutOfSpan, SolvedFromSummary
from ..array_types import Codes, Floats, Folds
from ..data import Block
from ..progress import task
from ..solvers.closed_form.row_span import all_rows
from ..solvers.scores import largest, posteriors_of
from .evaluation_rows import EvaluationRows, from_summary, summary_of
from .predictions import HeldOut, answers, gather
from .refits import RepeatedWarnings

Part = tuple[Codes, Floats | None, Any]


def by_algebra(model: Any, summary: SolvedFromSummary, rows: EvaluationRows, folds: Folds) -> HeldOut:
    """Fit once, then score each row as the fit without it would; rows for which the algebra does not hold are refitted."""
    fitted, repeated = rows.fit(model), RepeatedWarnings()
    part, has = offered(abilities_of(fitted).leave_one_out), hasattr(fitted, "predict_proba")
    source = summary.source(rows.X, rows.codes, rows.weight, np.arange(len(rows.classes)))
    if isinstance(part, LeavesRowsOutOfSpan) and not summary.suffices(rows.n, rows.shape[1], rows.on_device):
        left_out = part.in_span(all_rows(source, copy=False))
    else:
        left_out = part.scores()

    def scored(block: Block) -> Part:
        found = left_out(block)
        return largest(found.scores), posteriors_of(found.scores) if has else None, found.refit

    parts = list(source.told(scored))
    codes = np.concatenate([own for own, _, _ in parts])
    posteriors = np.concatenate([own for _, own, _ in parts]) if has else None
    refit = np.flatnonzero(np.concatenate([again for _, _, again in parts]))
    with task("leave one out", total=len(refit)) as work:
        for i in refit:
            with repeated.recorded():
                own, probability = answers(rows.without_row(int(i)).fit(model), rows.take(np.array([i])))
            codes[i] = own[0]
            if posteriors is not None and probability is not None:
                posteriors[i] = probability[0]
            work.advance(f"row {i}")
    repeated.warn(len(refit))
    return HeldOut(folds, codes, posteriors, "exact algebra", fitted, len(refit))


def by_subtraction(model: Any, summary: SolvedFromSummary, rows: EvaluationRows, folds: Folds) -> HeldOut:
    """Take each row out of the summary of all and solve again: no pass over the other rows."""
    whole = summary_of(summary, rows)
    found = []
    with task("leave one out", total=rows.n) as work:
        for i in range(rows.n):
            row = rows.take(np.array([i]))
            found.append(answers(from_summary(clone(model), whole.subtract(summary_of(summary, row)), rows), row))
            work.advance(f"row {i}")
    return gather(rows, np.arange(rows.n), found, "exact algebra", from_summary(clone(model), whole, rows))
