"""Why one row of a table is decided as it is, where a pipeline or naive Bayes makes numbers of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from ..abilities import abilities_of
from ..abilities.additive_scores import LinearScores
from ..array_types import Bools, Floats
from ..data import Block
from ..data.row_labels import row_label
from ..errors import InputError
from ..evaluation.plans import count_rows
from ..inference.tables import Column, Table
from .columns import column_number, limits
from .encoded import CodedNaiveBayes, EncodedPipeline, Terms, check_encoding
from .explained_rows import row_number
from .explained_table import ExplainedTable
from .flip import Flip
from .level_flips import TableRow, smallest_table_flip
from .model_views import code_of
from .notes import decision_notes
from .row_explanation import CURVED, RowExplanation, chosen_pair, is_gap, posteriors_of, unit_of

WORDS = "What words add is read off their contributions; a smallest change is that of columns of numbers and levels, and there are none."
BENT = "Held as they are, because no line or level leads from one value to another: {}."
GAPS = "Held as they are, because their values are missing: {}."
TOLD = "Held as they are, because another column tells their levels: {}."
SEEN = "Numbers stay within the values of the rows; bounds={{{!r}: (None, None)}} lets one go further."


def explain_table_row(
    asked: Any,
    around: tuple[Any, EncodedPipeline | CodedNaiveBayes],
    X: Any,
    row: Any,
    reference: Any,
    against: Any,
    to: Any,
    change: Iterable[Any] | None,
    fixed: Iterable[Any],
    bounds: Mapping[Any, Any] | None,
    distance: str,
    neighbours: int,
) -> RowExplanation:
    """Explain the decision about one row of a table; the parameters are those of :func:`separatrix.explain`."""
    (model, encoding), fixed = around, list(fixed)
    i = row_number(X, row, count_rows(X))
    table = ExplainedTable(model, encoding, X, reference)
    x, view, terms = table.row(i), table.view, table.terms
    check_encoding(_undecided(asked, model), model, X, table.parts, [i])
    a, b = chosen_pair(model, view, Block(x[None]), against)
    values, mean = table.values(i, x), table.mean()
    sd = table.spread(needed=distance == "standardised" and isinstance(view, LinearScores) and bool(terms.numbers))
    if isinstance(view, LinearScores):
        flip, said = _flip(table, x, values, (change, fixed, bounds), sd if distance == "standardised" else np.ones(len(x)), a, to)
    elif to is not None or change is not None or bounds or fixed:
        raise InputError(
            f"{type(encoding.last).__name__} has boundaries that are not flat; to, change, fixed and bounds need a linear model."
        )
    else:
        flip, said = None, CURVED
    similar = None if table.reference is None else table.similar(x, neighbours, sd)
    sentences = (*decision_notes(asked, _safe_indexing(X, [i])), *([said] if said else []))
    return replace(_row_explanation(table, i, x, values, mean, (a, b)), flip=flip, similar=similar, said=sentences)


def _row_explanation(table: ExplainedTable, i: int, x: Floats, values: NDArray[Any], mean: Floats, pair: tuple[int, int]) -> RowExplanation:
    """Take the score of one class against the other apart by terms."""
    (a, b), view, terms = pair, table.view, table.terms
    parts, labels = np.empty((1, len(x))), table.model.classes_.tolist()
    view.parts(Block(x[None]), np.array([a]), np.array([b]), mean, parts)
    posteriors, base = posteriors_of(table.model, x), view.base(a, b, mean)
    score = base + float(parts.sum())
    return RowExplanation(
        row=i,
        label=row_label(table.X, i),
        predicted=labels[a],
        against=labels[b],
        score=score,
        unit=unit_of(table.model, posteriors, score, a, b),
        base=base,
        contributions=np.asarray(terms.folded(parts))[0],
        levels=_level_table(terms, x, mean, parts[0], view.relative),
        unused=table.encoding.unused,
        names=terms.names,
        values=values,
        mean=_shown_mean(terms, mean) if view.relative else None,
        posteriors=None if posteriors is None else dict(zip(labels, np.exp(posteriors).tolist())),
        boundary=None,
        nearest=None,
        gradient=None,
        flip=None,
        similar=None,
        origin="without a word" if terms.words.all() else "at the mean row" if view.relative else "from the priors",
    )


def _level_table(terms: Terms, x: Floats, mean: Floats, parts: Floats, is_relative: bool) -> Table:
    """Return what each part adds, the strongest first; parts that add nothing are left out."""
    order = np.argsort(-np.abs(parts), kind="stable")
    order = order[parts[order] != 0.0]
    columns = [Column("part", [terms.parts[i].name for i in order]), Column("number", x[order], ".6g")]
    if is_relative:
        columns.append(Column("mean row", mean[order], ".6g"))
    return Table("What each level, word and number adds", (*columns, Column("contribution", parts[order], "+.4f")))


def _undecided(asked: Any, model: Any) -> Any:
    """Return the model asked about, without costs that are no matter of scores alone."""
    decision = abilities_of(asked).decision
    return decision.most_probable() if decision and decision.log_factors() is None else asked


def _flip(
    table: ExplainedTable, x: Floats, values: NDArray[Any], allowed: tuple[Any, list[Any], Any], units: Floats, a: int, to: Any
) -> tuple[Flip | None, str]:
    """Return the smallest change of numbers and levels, and what is to be said about columns that stay as they are."""
    terms = table.terms
    free, low, high = limits(terms.names, np.zeros(len(terms.names)), *allowed)
    if table.encoding.prepared:
        asked = [column_number(terms.names, key, "bounds") for key in allowed[2] or ()]
        terms, low, high = _as_seen(table, free, low, high, asked)
    for t in [t for t in terms.levels if np.isfinite([low[t], high[t]]).any() and free[t]]:
        raise InputError(
            f"bounds name {terms.names[t]!r}, a column of levels: {terms.levels[t].values[:8]}; use fixed to keep it as it is."
        )
    said = " ".join(_held(terms, x, values, free))
    free[list(_gaps(terms, x, values))] = False
    if not terms.numbers and not terms.levels:
        return None, said or WORDS
    scale, lower, upper = np.zeros(len(x)), np.full(len(x), -np.inf), np.full(len(x), np.inf)
    for t, part in terms.numbers.items():
        if free[t]:
            scale[part], lower[part], upper[part] = units[part], low[t], high[t]
    row = TableRow(terms, x, values, free, scale, lower, upper)
    assert isinstance(table.view, LinearScores)
    flip = smallest_table_flip(table.model, table.view, row, a, code_of(table.model, "to", to))
    seen = [terms.names[t] for t in terms.numbers if free[t]] if table.encoding.prepared and not flip.found else []
    return flip, f"{said} {SEEN.format(seen[0])}".strip() if seen else said


def _as_seen(table: ExplainedTable, free: Bools, low: Floats, high: Floats, asked: list[int]) -> tuple[Terms, Floats, Floats]:
    """Return terms and bounds of a table as people have it: columns of 0 and 1 are levels, and numbers stay among those seen.

    Neither holds for columns with bounds asked for.
    """
    rows = table.parts if table.reference is None else table.reference
    bounded = np.isfinite(low) | np.isfinite(high) | np.isin(np.arange(len(free)), asked)
    terms = table.terms.with_switches(rows, free & bounded)
    for t, (least, most) in terms.ranges(rows).items() if rows.shape[0] > 1 else ():
        if free[t] and not bounded[t]:
            low[t], high[t] = least, most
    return terms, low, high


def _gaps(terms: Terms, x: Floats, values: NDArray[Any]) -> set[int]:
    """Return the terms whose value is missing: marked as such, or filled in where another column's mark says the same."""
    return terms.gaps(x) | {t for t, value in enumerate(values.tolist()) if terms.columns[t] >= 0 and is_gap(value)}


def _held(terms: Terms, x: Floats, values: NDArray[Any], free: Bools) -> list[str]:
    """Return which columns that may change stay as they are all the same, and why."""
    gaps = _gaps(terms, x, values)
    why = {
        BENT: [t for t in np.unique(terms.term) if terms.columns[t] >= 0 and t not in terms.numbers and t not in terms.levels],
        GAPS: sorted(gaps),
        TOLD: [t for t, known in terms.levels.items() if str(values[t]) in known.told],
    }
    named = {reason: [terms.names[t] for t in which if free[t] and (reason == GAPS or t not in gaps)] for reason, which in why.items()}
    return [reason.format(", ".join(names[:8]) + (", …" if len(names) > 8 else "")) for reason, names in named.items() if names]


def _shown_mean(terms: Terms, mean: Floats) -> Floats:
    """Return the mean of each term that is one number, NaN for the others."""
    found = np.full(len(terms.names), np.nan)
    for t, part in terms.numbers.items():
        found[t] = mean[part]
    return found
