"""One condition on rows of files, `(column, operator, value)`, and how Arrow computes it.

A value that is missing, null or NaN, meets no condition on its column, also none that begins with "not". Arrow alone would let nulls meet
"not in", and NaN meet "!=" but not where the statistics of a row group show one value: which rows are read would then depend on how they
were written.
"""

from __future__ import annotations

import datetime
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from ...argument_types import is_listed
from ...errors import InputError, InputTypeError, one_of, short_text
from ..features import require_column
from .arrow_types import kind_of

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
OPERATORS = (*COMPARISONS, "in", "not in")
EXAMPLES = {"date": "datetime.date(2024, 1, 31)", "timestamp": "datetime.datetime(2024, 1, 31, 12, 0)", "bool": "True"}
"""Values to compare with, where the name of a column's type does not say how they are written."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A column, an operator, and the value, or the list of values, of the column's type that it compares with.

    Examples
    --------
    >>> condition = Condition.of(("age", ">", 30.5), pa.schema([("age", pa.int64())]))
    >>> pa.table({"age": [30, 31, None]}).filter(condition.expression)["age"].to_pylist()
    [31]
    """

    name: str
    operator: str
    value: Any
    type: Any

    @classmethod
    def of(cls, given: Any, schema: Any) -> Condition:
        """Return the condition that a user's tuple names, checked against the columns."""
        if not is_condition(given):
            raise InputTypeError(
                f"{short_text(given)} in where is no condition; write (column, operator, value), such as ('year', '>=', 2023)."
            )
        name, operator, value = given
        require_column("where", name, schema.names)
        if operator not in OPERATORS:
            raise one_of(f"where=[{short_text(given)}]: the operator", operator, OPERATORS)
        value = _listed(given) if operator in ("in", "not in") else value
        for each in value if operator in ("in", "not in") else [value]:
            _refuse_missing(given, each)
        condition = cls(name, operator, value, compared_type(schema.field(name).type))
        try:
            pa.table({name: pa.array([], condition.type)}).filter(condition.expression)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            raise _other_type(given, schema.field(name).type) from None
        return condition

    def __str__(self) -> str:
        return str((self.name, self.operator, self.value))

    @property
    def expression(self) -> Any:
        """The condition as Arrow computes it."""
        column = pc.field(self.name)
        known = ~column.is_null(nan_is_null=True)
        if isinstance(self.value, list):
            found = column.isin(pa.array(_members(self.value, self.type), self.type))
            return known & (found if self.operator == "in" else ~found)
        if types.is_integer(self.type) and isinstance(self.value, float) and not self.value.is_integer():
            return known & _compared_whole(column, self.operator, self.value, self.type)
        return known & COMPARISONS[self.operator](column, _scalar(self.value, self.type))


def is_condition(given: Any) -> bool:
    """Whether something has the form of a condition: three things, the name of a column first.

    Examples
    --------
    >>> is_condition(("year", ">=", 2023)), is_condition([("year", ">=", 2023)])
    (True, False)
    """
    return isinstance(given, tuple | list) and len(given) == 3 and isinstance(given[0], str)


def compared_type(type_: Any) -> Any:
    """Return the type as which a column is compared: that of its categories, and one that Arrow can compare.

    Examples
    --------
    >>> str(compared_type(pa.dictionary(pa.int8(), pa.string()))), str(compared_type(pa.float16()))
    ('string', 'float')
    """
    if types.is_dictionary(type_):
        return compared_type(type_.value_type)
    if kind_of(type_) == "text":
        return pa.string()
    return pa.float32() if types.is_float16(type_) else type_


def _listed(given: Any) -> list[Any]:
    name, operator, value = given
    if not is_listed(value):
        raise InputTypeError(f"{short_text(given)} in where needs a list of values: ({name!r}, {operator!r}, [{short_text(value)}]).")
    return list(value)


def _refuse_missing(given: Any, value: Any) -> None:
    if getattr(value, "shape", ()) != () or is_listed(value):
        raise InputTypeError(f"{short_text(given)} in where needs one value; for several write ({given[0]!r}, 'in', […]).")
    try:
        missing = value is None or bool(value != value)
    except (TypeError, ArithmeticError):  # pandas.NA and a signalling NaN are neither equal to themselves nor not
        missing = True
    if missing:
        raise InputError(f"{short_text(given)} in where: a missing value meets no condition; compare column {given[0]!r} with a value.")


def _other_type(given: Any, type_: Any) -> InputError:
    example = next((f", such as {EXAMPLES[start]}" for start in EXAMPLES if str(compared_type(type_)).startswith(start)), "")
    return InputError(
        f"{short_text(given)} in where compares {short_text(given[2])} with column {given[0]!r}, which is {type_}; give a value of that "
        f"type{example}."
    )


def _compared_whole(column: Any, compare: str, value: float, type_: Any) -> Any:
    """Return how whole numbers compare with a number that is none: those above 2.5 are at least 3.

    Arrow would compare them as floats, and raise an error at the first that a float does not hold.
    """
    if compare in ("=", "==", "!="):
        return pc.scalar(compare == "!=")
    below = compare[0] == "<"
    if math.isinf(value):
        return pc.scalar(below == (value > 0))
    floor = pa.scalar(math.floor(value), type_)
    return column <= floor if below else column > floor


def _members(values: list[Any], type_: Any) -> list[Any]:
    """Return what a list of values has that a column may hold; zero has two signs, which Arrow's lists tell apart."""
    if types.is_integer(type_):
        return [int(value) if isinstance(value, float) else value for value in values if not isinstance(value, float) or value.is_integer()]
    if types.is_floating(type_):
        found = [_scalar(value, type_).as_py() for value in values]
        return [*found, *([0.0, -0.0] if 0 in found else [])]
    return [_scalar(value, type_).as_py() for value in values]


def _scalar(value: Any, type_: Any) -> Any:
    """Return a value as Arrow compares it with a column of this type."""
    if types.is_integer(type_):
        return pa.scalar(int(value) if isinstance(value, float) else value, type_)
    if types.is_floating(type_) or types.is_decimal(type_):
        if isinstance(value, bool) or not isinstance(value, Real | Decimal):
            raise TypeError("no number")
        if types.is_decimal(type_) and isinstance(value, Integral):
            value = Decimal(int(value))
        return pa.scalar(value if isinstance(value, Decimal) else float(value))
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if types.is_date(type_) or types.is_timestamp(type_):
        return pa.scalar(_moment(value, type_), pa.date32() if types.is_date(type_) else pa.timestamp("us", type_.tz))
    return pa.scalar(value, type_)


def _moment(value: Any, type_: Any) -> Any:
    """Return a day or a time of a column's kind; Arrow would cut the time off and leave time zones out."""
    has_time = isinstance(value, datetime.datetime)
    if types.is_date(type_):
        if has_time and value != datetime.datetime.combine(value, datetime.time()):
            raise TypeError("a time is compared with days")
        return value.date() if has_time else value
    if isinstance(value, datetime.date) and not has_time:
        value = datetime.datetime.combine(value, datetime.time(), datetime.UTC if type_.tz else None)
    if (value.tzinfo is None) != (type_.tz is None):
        raise TypeError("times of a zone are compared with times without one")
    return value
