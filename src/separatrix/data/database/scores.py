"""Held-out scores from a database: one query in which each row is scored by the model of its fold, and only scores leave it.

WITH "rows" AS (…, f = the fold of the row's key),
"models" AS (the coefficients of each fold's model, as constants)
SELECT y, f, w, Σ_j c_0j x_j + b_0, … FROM "rows" JOIN "models" USING (f)
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from ...array_types import Codes, Floats
from ..files.arrow_columns import numbers
from ..sum_engine import FoldScores, KeyFolds, ModelWriter, NotSummed
from . import sql
from .given_query import subquery
from .groups import GroupedQuery
from .keys import fold_of, require_keys
from .sql import Expression

LABEL, FOLD, WEIGHT = "separatrix label", "separatrix fold", "separatrix weight"
"""Names that no column of a user's query is likely to have."""
BATCH = 65_536
"""Rows whose scores are fetched at once."""


def stream_scores(
    query: GroupedQuery, folds: KeyFolds, coef: Floats, intercept: Floats, coder: Callable[[Any], Codes]
) -> Generator[FoldScores]:
    """Yield labels, folds, weights and scores of all rows; `coef` is (F, R, p) and `intercept` (F, R)."""
    F, R, p = coef.shape
    if R * (p + 1) > query.dialect.columns - 16:
        raise NotSummed(f"{query.dialect.name} has fewer columns than these models have coefficients.")
    require_keys(query.connection, query.columns, folds)
    columns = query.columns
    rows = columns.rows(fold_of(folds, columns.kinds[folds.key], query.dialect))
    models = sql.union([_constants(query, f, coef[f], intercept[f]) for f in range(F)])
    told: dict[str, Expression] = {"y": sql.column("y", "rows"), "f": sql.column("f", "rows")}
    told |= {"w": sql.column("w", "rows")} if columns.weight is not None else {}
    for r in range(R):
        products = [sql.operation("*", sql.column(f"x{j}", "rows"), sql.column(f"c{r}_{j}", "models")) for j in range(p)]
        told[f"s{r}"] = sql.total([*products, sql.column(f"b{r}", "models")])
    same = sql.operation("=", sql.column("f", "rows"), sql.column("f", "models"))
    whole = sql.select(told, sql.table("rows"), named={"rows": rows, "models": models}, join=(sql.table("models"), same))
    label = "text" if columns.kinds[str(columns.target)] == "text" else "label"
    kinds = [label, "number", *(["number"] if columns.weight is not None else []), *["number"] * R]
    for batch in query.connection.stream(sql.written(whole, query.dialect), kinds, BATCH):
        weight = numbers(batch.column(2)).astype(np.float64) if columns.weight is not None else None
        first = 2 if weight is None else 3
        scores = np.column_stack([numbers(batch.column(first + r)) for r in range(R)]).astype(np.float64)
        yield FoldScores(coder(batch.column(0)), numbers(batch.column(1)).astype(np.int64), weight, scores)


def stream_posteriors(query: GroupedQuery, folds: KeyFolds, write: ModelWriter, coder: Callable[[Any], Codes]) -> Generator[FoldScores]:
    """Yield labels, folds, weights and logarithms of the posteriors of all rows, each by the model of its fold, which is written as SQL."""
    require_keys(query.connection, query.columns, folds)
    columns, kept = query.columns, [LABEL, FOLD, *([WEIGHT] if query.columns.weight is not None else [])]
    parts = []
    for f in range(folds.n_splits):
        fold = fold_of(folds, columns.kinds[folds.key], query.dialect)
        told: dict[str, Expression] = {name: columns.value(name) for name in columns.features}
        told |= {LABEL: columns.label(), FOLD: sql.integer(f)}
        told |= {WEIGHT: columns.value(columns.weight)} if columns.weight is not None else {}
        rows = sql.select(told, columns.given.copy(), sql.operation("=", fold, sql.integer(f)))
        scored = write(f, sql.written(rows, query.dialect), query.dialect.name, kept)
        parts.append(sql.select([sql.every_column()], subquery(scored, query.dialect, f"fold {f}")))
    label = "text" if columns.kinds[str(columns.target)] == "text" else "label"
    K, first = len(query.classes), len(kept) + 1  # a predicted label stands before the posteriors
    kinds = [label, "number", *["number"] * (len(kept) - 2), label, *["number"] * K]
    for batch in query.connection.stream(sql.written(sql.union(parts), query.dialect), kinds, BATCH):
        weight = numbers(batch.column(2)).astype(np.float64) if columns.weight is not None else None
        posteriors = np.column_stack([numbers(batch.column(first + k)) for k in range(K)]).astype(np.float64)
        with np.errstate(divide="ignore"):
            yield FoldScores(coder(batch.column(0)), numbers(batch.column(1)).astype(np.int64), weight, np.log(posteriors))


def _constants(query: GroupedQuery, fold: int, coef: Floats, intercept: Floats) -> Expression:
    columns: dict[str, Expression] = {"f": sql.integer(fold)}
    for r in range(len(coef)):
        columns |= {f"c{r}_{j}": query.double(value) for j, value in enumerate(coef[r])}
        columns[f"b{r}"] = query.double(intercept[r])
    return sql.select(columns, None)
