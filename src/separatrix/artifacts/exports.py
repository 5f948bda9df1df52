"""What users call: a fitted model as SQL, as ONNX, as Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ..argument_types import check_arguments
from ..errors import one_of
from ..prepare.wishes import names_of
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
    given = locals()
    from ..data.database import sql  # which needs an extra
    from ..data.database.given_query import subquery
    from .sql_query import query_of

    check_arguments(to_sql, given)
    known, keep = sql.dialect_of(dialect), names_of(keep, "keep")
    source = sql.table(table) if query is None else subquery(query, known)
    return sql.written(query_of(program_of(formula_of(model)), source, known, keep), known, pretty)


def to_python(model: Any, *, on: Literal["rows", "numpy"] = "rows") -> str:
    """Return a fitted model as Python source: one function `predict`, recipe and decision included.

    The function of rows takes {name of column: value} and needs the standard library alone; that of columns takes {name: array} and needs
    numpy. Both return the label, the action where a decision stands around the model, and posteriors (or scores) by label. Columns without
    names are x0, x1, …. Where the model has no rule for a missing value, a ValueError is raised.

    Parameters
    ----------
    model : a fitted classifier of this package
    on : "rows" or "numpy"

    Examples
    --------
    >>> from separatrix import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["well", "well", "ill", "ill"])
    >>> space = {}
    >>> exec(to_python(model), space)
    >>> space["predict"]({"x0": 0.25})["label"]
    'well'
    """
    check_arguments(to_python, locals())
    from .. import __version__
    from .python_export import source_of

    if on not in ("rows", "numpy"):
        raise one_of("on", on, ["rows", "numpy"])
    return source_of(program_of(formula_of(model)), on == "numpy", __version__)


def to_onnx(model: Any, path: Any = None, *, float32: bool = False) -> bytes:
    """Return a fitted model as an ONNX model: recipe, scores, posteriors and decision, of standard operators.

    A model of numbers has one input `X` (rows, columns). A model of a table has an input (rows, 1) per column, `in0`, `in1`, …; which is
    which stands in the model's metadata (`inputs`, JSON), with how each is read (`kinds`): numbers, NaN where missing, also those that were
    written as text; texts without blanks at their ends, empty where missing; dates as days since 1970-01-01. Outputs are `label`, `action`
    where a decision stands around the model (an empty text for rejected rows), and `posteriors` or `scores`.

    Parameters
    ----------
    model : a fitted classifier of this package
    path : where to write it, optional
    float32 : whether it computes in single precision; columns are then centred first, and posteriors right to about 1e-5

    Examples
    --------
    >>> from separatrix import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["well", "well", "ill", "ill"])
    >>> import numpy as np, onnxruntime
    >>> session = onnxruntime.InferenceSession(to_onnx(model), providers=["CPUExecutionProvider"])
    >>> session.run(["label"], {"X": np.array([[0.25]])})[0].tolist()
    ['well']
    """
    check_arguments(to_onnx, locals())
    from .. import __version__
    from .onnx_export import model_of  # which needs an extra

    found: bytes = model_of(program_of(formula_of(model), centred=float32), not float32, __version__).SerializeToString()
    if path is not None:
        from ..storage import atomic_file

        with atomic_file(path) as file:
            file.write(found)
    return found
