"""Hostile arrays, labels, weights and scalars. Each maker turns something good into something that people really pass, or might."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

Maker = Callable[[np.random.Generator, Any], Any]
HUGE = 10**400


class LongerThanItIs(list[Any]):
    """Says that it holds one item more than it does."""

    def __len__(self) -> int:
        return super().__len__() + 1


def at(value: Any) -> Maker:
    """Put a value at one place, drawn at random."""

    def make(rng: np.random.Generator, good: Any) -> Any:
        hostile = np.array(good, dtype=object if not isinstance(value, float) else float)
        hostile.flat[rng.integers(hostile.size)] = value
        return hostile

    return make


def everywhere(value: Any) -> Maker:
    """Put a value at all places."""
    return lambda rng, good: np.full(np.shape(good), value)


def as_type(dtype: str) -> Maker:
    """Give the array another type, as far as its values go."""
    return lambda rng, good: np.asarray(good).astype(dtype)


def scaled(low: float, high: float) -> Maker:
    """Multiply each column (each row of weights) by a power of ten."""
    return lambda rng, good: good * 10.0 ** rng.uniform(low, high, size=np.shape(good)[-1])


def items(rng: np.random.Generator, good: Any) -> Iterator[Any]:
    """Give out the items once."""
    return (row for row in np.asarray(good).tolist())


def read_only(rng: np.random.Generator, good: Any) -> Any:
    """Forbid writing."""
    array = np.array(good)
    array.setflags(write=False)
    return array


def structured(rng: np.random.Generator, good: Any) -> Any:
    """Name the columns inside the dtype."""
    good = np.atleast_2d(good)
    return np.array([tuple(row) for row in good], dtype=[(f"c{j}", float) for j in range(good.shape[1])])


def ragged(rng: np.random.Generator, good: Any) -> Any:
    """Leave the last item out of the last row."""
    rows = np.atleast_2d(good).tolist()
    return [*rows[:-1], rows[-1][:-1]]


def column_repeated(rng: np.random.Generator, good: Any) -> Any:
    """Put one column in all places."""
    return np.repeat(good[:, :1], good.shape[1], axis=1)


def collinear(rng: np.random.Generator, good: Any) -> Any:
    """Make the last column a sum of the others, almost."""
    return np.c_[good[:, :-1], good[:, :-1].sum(axis=1) * (1 + 1e-14 * rng.normal(size=len(good)))]


ANYTHING: dict[str, Maker] = {
    "None": lambda rng, good: None,
    "a number": lambda rng, good: 3.5,
    "text": lambda rng, good: "rows",
    "bytes": lambda rng, good: b"rows",
    "a dict": lambda rng, good: {"a": [1, 2]},
    "a set": lambda rng, good: {1, 2},
    "a type": lambda rng, good: int,
    "an object": lambda rng, good: object(),
    "a generator": items,
    "an empty list": lambda rng, good: [],
    "too long a list": lambda rng, good: LongerThanItIs(np.asarray(good).tolist()),
    "a list": lambda rng, good: np.asarray(good).tolist(),
    "a tuple": lambda rng, good: tuple(np.asarray(good).tolist()),
    "0-d": lambda rng, good: np.asarray(good).ravel()[0],
    "3-d": lambda rng, good: np.asarray(good)[..., None, None],
    "one row less": lambda rng, good: good[:-1],
    "one row more": lambda rng, good: np.concatenate([good, good[:1]]),
    "one row": lambda rng, good: good[:1],
    "no rows": lambda rng, good: good[:0],
    "backwards": lambda rng, good: np.repeat(good, 2, axis=0)[::-2],
    "read-only": read_only,
    "masked": lambda rng, good: np.ma.masked_array(good, mask=rng.random(np.shape(good)) < 0.2),
    "complex": lambda rng, good: np.zeros(np.shape(good)) + 1j,
    "None at one place": at(None),
    "text at one place": at("town"),
    "too large an integer": at(HUGE),
    "a nested list at one place": at((1, 2)),
    "dates": lambda rng, good: np.full(np.shape(good), np.datetime64("2020-01-01")),
    "not a time": lambda rng, good: np.full(np.shape(good), np.timedelta64("NaT")),
}
"""What stands in for anything: rows, labels or weights."""

NUMBERS: dict[str, Maker] = {
    "NaN at one place": at(np.nan),
    "infinity at one place": at(np.inf),
    "-infinity at one place": at(-np.inf),
    "NaN": everywhere(np.nan),
    "zeros": everywhere(0.0),
    "-1": everywhere(-1.0),
    "1e300 at one place": at(1e300),
    "1e155 at one place": at(1e155),
    "1e-300 at one place": at(1e-300),
    "-0.0 at one place": at(-0.0),
    "1e308": everywhere(1e308),
    "1e-300": everywhere(1e-300),
    "±1e308": lambda rng, good: np.where(rng.random(np.shape(good)) < 0.5, -1e308, 1e308),
    "1e-320": everywhere(1e-320),
    "times 1e200": lambda rng, good: good * 1e200,
    "times 1e-200": lambda rng, good: good * 1e-200,
    "scales of 1e±12": scaled(-12, 12),
    "scales of 1e±150": scaled(-150, 150),
    "float16": as_type("float16"),
    "float32": as_type("float32"),
    "float32 of 1e37": lambda rng, good: (np.sign(good) * 1e37).astype("float32"),
    "longdouble": as_type("longdouble"),
    "big-endian": as_type(">f8"),
    "int8": as_type("int8"),
    "uint64": lambda rng, good: np.abs(good).astype("uint64") + np.uint64(2**63),
    "bool": as_type("bool"),
    "objects": as_type("O"),
    "decimals": lambda rng, good: np.vectorize(lambda v: Decimal(float(v)), otypes=["O"])(good),
    "fractions": lambda rng, good: np.vectorize(lambda v: Fraction(float(v)), otypes=["O"])(good),
    "text of numbers": lambda rng, good: np.asarray(good).astype("U"),
    "bytes of numbers": lambda rng, good: np.asarray(good).astype("S"),
}

ROWS: dict[str, Maker] = {
    **ANYTHING,
    **NUMBERS,
    "one dimension": lambda rng, good: good[:, 0],
    "no columns": lambda rng, good: good[:, :0],
    "one column": lambda rng, good: good[:, :1],
    "one column more": lambda rng, good: np.c_[good, good[:, 0]],
    "constant columns": lambda rng, good: np.repeat(good[:1], len(good), axis=0),
    "one constant column": lambda rng, good: np.c_[good[:, :-1], np.ones(len(good))],
    "one column in all places": column_repeated,
    "collinear": collinear,
    "rows by columns": lambda rng, good: np.asfortranarray(good),
    "every other column": lambda rng, good: np.repeat(good, 2, axis=1)[:, ::2],
    "far from zero": lambda rng, good: good + 1e8,
    "whole numbers": lambda rng, good: np.round(good * 3),
    "counts": lambda rng, good: np.abs(np.round(good * 3)).astype(int),
    "structured": structured,
    "ragged": ragged,
    "a matrix": lambda rng, good: np.asmatrix(good),
    "two equal columns": lambda rng, good: np.c_[good, good[:, -1]][:, 1:],
    "equal rows": lambda rng, good: np.repeat(good[: len(good) // 2 + 1], 2, axis=0)[: len(good)],
    "one value repeated without memory": lambda rng, good: np.broadcast_to(good[:1], np.shape(good)),
    "masked everywhere": lambda rng, good: np.ma.masked_array(good, mask=True),
}

LABELS: dict[str, Maker] = {
    **ANYTHING,
    "one class": lambda rng, good: np.zeros(len(good), dtype=int),
    "a class for each row": lambda rng, good: np.arange(len(good)),
    "one row of the last class": lambda rng, good: np.where(np.arange(len(good)) == 0, 1, 0),
    "continuous": lambda rng, good: rng.normal(size=len(good)),
    "NaN at one place": at(np.nan),
    "floats": as_type("float64"),
    "infinity at one place": at(np.inf),
    "signed zeros": lambda rng, good: np.where(np.asarray(good) == good[0], -0.0, 1.0),
    "bool": lambda rng, good: np.asarray(good) == good[0],
    "text": lambda rng, good: np.asarray(good).astype("U"),
    "bytes": lambda rng, good: np.asarray(good).astype("S"),
    "odd text": lambda rng, good: np.array(["", "a\0b", "ü 🙂", " ", "nan"], dtype=object)[np.unique(good, return_inverse=True)[1] % 5],
    "objects": as_type("O"),
    "mixed types": lambda rng, good: np.where(np.arange(len(good)) % 2, "a", np.asarray(good).astype("O")),
    "int8, wide": lambda rng, good: np.where(np.asarray(good) == good[0], -120, 120).astype(np.int8),
    "int16, wide": lambda rng, good: np.where(np.asarray(good) == good[0], -(2**15), 2**15 - 1).astype(np.int16),
    "int64, wide": lambda rng, good: np.where(np.asarray(good) == good[0], -(2**63), 2**63 - 1),
    "uint64": lambda rng, good: np.asarray(good == good[0]).astype("uint64") + np.uint64(2**64 - 2),
    "float16": as_type("float16"),
    "a column": lambda rng, good: np.asarray(good)[:, None],
    "two columns": lambda rng, good: np.c_[good, good],
    "one-hot": lambda rng, good: np.eye(len(good))[np.unique(good, return_inverse=True)[1]],
    "dates": lambda rng, good: np.datetime64("2020-01-01") + np.unique(good, return_inverse=True)[1],
    "tuples": lambda rng, good: [(int(v), "x") for v in np.unique(good, return_inverse=True)[1]],
    "decimals": lambda rng, good: [Decimal(int(v)) for v in np.unique(good, return_inverse=True)[1]],
    "backwards": lambda rng, good: -np.unique(good, return_inverse=True)[1],
}

WEIGHTS: dict[str, Maker] = {
    **ANYTHING,
    **NUMBERS,
    "one positive": lambda rng, good: np.where(np.arange(len(good)) == 0, 1.0, 0.0),
    "one negative": lambda rng, good: np.where(np.arange(len(good)) == 0, -1.0, good),
    "one class only": lambda rng, good: (np.arange(len(good)) % 2).astype(float),
    "halves": lambda rng, good: good / 2,
    "a column": lambda rng, good: np.asarray(good)[:, None],
}

SCALARS: dict[str, Any] = {
    **{repr(v): v for v in (None, True, False, 0, -1, 1, 2, 7, 10**9, HUGE, 0.0, -0.0, 0.5, 1.5, -0.5, 1e-300, 1e308, 1j)},
    **{
        repr(v): v
        for v in (float("nan"), float("inf"), -float("inf"), "", "auto", "best", "x0", b"x", [], (), {}, [0.5, 0.5], [0.2, 0.3, 0.5])
    },
    **{repr(v): v for v in ({0: 0.5, 1: 0.5}, [None], ["x0"], [0], {"a"}, Decimal("0.5"), Fraction(1, 2), np.float32(0.5), np.int64(3))},
    "np.array([1, 2])": np.array([1, 2]),
    "np.array(nan)": np.array(np.nan),
    "np.zeros((2, 2))": np.zeros((2, 2)),
    "object()": object(),
    "int": int,
}
"""Hostile values of any other argument."""
SCALARS["10**400"] = SCALARS.pop(repr(HUGE))
