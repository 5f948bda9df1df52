"""What users call: a fitted model as SQL, as ONNX, as Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import InputTypeError, short_text
from .formula import formula_of
from .program.building import program_of


def to_sql(
    model: Any,
    dialect: str = "duckdb",
    *,
    table: str | Sequence[str] = "rows",
    query: str | None = None,
    keep: Sequence[str] = (),
    pretty: bool = False,
) -> str:
    """Return a fitted model as one SELECT for a database: the recipe, the scores, stable posteriors and the decision.

    The result has the columns `keep`, then `label`, `action` where a decision stands around the model, and a posterior `p_…` of every
    class (`score_…` for models without posteriors). NULL and NaN are missing, texts are compared byte by byte and without blanks at
    their ends; where the model has no rule for a missing value, the label is NULL. Names of columns are those of the training.

    Parameters
    ----------
    model : a fitted classifier of this package
    dialect : "duckdb", "postgres", "sqlite", "bigquery", "snowflake", "spark" or "tsql"
    table : name of the table, or of schema and table
    query : a SELECT whose rows are scored, in place of a table
    keep : columns to pass on, such as a key
    pretty : whether the text is broken into lines

    Examples
    --------
    >>> from separatrix import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["well", "well", "ill", "ill"])
    >>> import duckdb
    >>> rows = "SELECT 7 AS id, 0.25 AS x0"
    >>> duckdb.sql(to_sql(model, query=rows, keep=["id"])).fetchall()[0][:2]
    (7, 'well')
    """
    from ..data import sql  # which needs an extra
    from .sql_query import query_of

    known = sql.dialect_of(dialect)
    keep = [keep] if isinstance(keep, str) else list(keep)
    if not all(isinstance(name, str) for name in keep):
        raise InputTypeError(f"keep={short_text(keep)} must be a list of names of columns.")
    source = sql.table(table) if query is None else sql.subquery(query, known)
    return sql.written(query_of(program_of(formula_of(model)), source, known, keep), known, pretty)
