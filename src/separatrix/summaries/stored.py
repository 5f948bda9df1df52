"""Summaries on disk: `.moments` files, which several places can merge into the exact joint summary without sharing a row.

A file says of which columns and classes it is the summary, and by which recipe its columns were made; summaries that differ in one of
these do not merge. It holds sums, and sums of few rows tell the rows: a class of one row is its mean. So saving refuses classes of fewer
than ten rows. That is a guard against mishaps and no promise of privacy: two files that differ in one row subtract to that row.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..argument_types import is_listed
from ..errors import DamagedFileError, InputError, InputTypeError, short_text
from ..storage import path_text, read_container, write_container

MINIMUM = 10
"""Rows that a class must have to be saved unasked."""
_DTYPES = "biufU"


class Stored:
    """What summaries have in common that can be saved: columns, the recipe that made them, `save`, `load`."""

    __slots__ = ()
    feature_names: tuple[str, ...] | None
    recipe: str | None
    _labels: ClassVar[tuple[str, ...]] = ("classes",)
    """Fields that hold labels of any type."""

    def named(self, feature_names: Any, recipe: Any = None) -> Self:
        """Return the same summary with the names of its columns, and the recipe by which they were made.

        Parameters
        ----------
        feature_names : list of p names, or None
        recipe : Recipe, its JSON, or None
        """
        if feature_names is not None and not is_listed(feature_names):
            raise InputTypeError(f"feature_names={feature_names!r:.60} must be a list of names, one per column, or None.")
        names = None if feature_names is None else tuple(str(name) for name in feature_names)
        if names is not None and len(names) != self.n_features:  # type: ignore[attr-defined]
            raise InputError(
                f"feature_names has {len(names)} names, and the summary {self.n_features} columns; give one name per column."  # type: ignore[attr-defined]
            )
        return replace(self, feature_names=names, recipe=recipe_hash(recipe))  # type: ignore[type-var]

    def save(self, path: Any, *, minimum: int = MINIMUM) -> None:
        """Write the summary to a `.moments` file, whole or not at all.

        Parameters
        ----------
        path : name of the file
        minimum : int
            A class of fewer rows is refused; 1 saves it nevertheless.
        """
        self._require_rows(path, minimum)
        arrays: dict[str, NDArray[Any]] = {}
        document: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.name in self._labels and value is not None:
                document[field.name] = _written_labels(value)
            elif isinstance(value, np.ndarray):
                arrays[field.name] = value
            else:
                document[field.name] = list(value) if isinstance(value, tuple) else value
        write_container(path, "moments", {"summary": type(self).__name__, **document}, arrays)

    def _require_rows(self, path: Any, minimum: int) -> None:
        if isinstance(minimum, bool) or not isinstance(minimum, int | np.integer) or minimum < 1:
            raise InputError(
                f"minimum={short_text(minimum)} must be a whole number of rows, 1 or more; 1 saves every class that has a row."
            )
        rows, classes = np.atleast_1d(self.rows), getattr(self, "classes", None)  # type: ignore[attr-defined]
        for k in np.flatnonzero((rows > 0) & (rows < minimum)):
            whose = "The summary" if classes is None else f"Class {classes.tolist()[k]!r}"
            raise InputError(
                f"{whose} has {rows[k]} rows, fewer than {minimum}: their sums nearly tell the rows. To write {path_text(path)!r} "
                f"nevertheless, pass save(path, minimum={rows[k]}), or --minimum {rows[k]} to separatrix."
            )

    @classmethod
    def load(cls, path: Any) -> Self:
        """Return the summary that a file holds; one of another kind, or a damaged one, is an error."""
        found = read_container(path, "moments")
        document = found.document if isinstance(found.document, dict) else {}
        kind, name = document.pop("summary", None), path_text(path)
        if kind != cls.__name__:
            raise InputError(f"{name!r} holds {short_text(kind)}, and {cls.__name__} were asked for; load it as what it is.")
        values = {**document, **found.arrays}
        known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        if not values.keys() <= known:
            raise DamagedFileError(f"{name!r} is damaged: it holds {short_text(min(values.keys() - known))}, which no {cls.__name__} has.")
        try:
            for field in cls._labels:
                values[field] = None if values.get(field) is None else _read_labels(values[field])
            names = values.get("feature_names")
            values["feature_names"] = None if names is None else tuple(names)
            summary = cls(**values)
            summary._require_shapes()
        except (TypeError, KeyError, ValueError, IndexError, OverflowError) as error:
            raise DamagedFileError(f"{name!r} is damaged: its sums do not fit together ({error}); write it anew.") from error
        return summary

    def _require_shapes(self) -> None:
        """Raise an error for fields that cannot belong together."""
        raise TypeError(f"{type(self).__name__} must define _require_shapes")

    def _require_names(self) -> None:
        names, recipe = self.feature_names, self.recipe
        _demand(names is None or (len(names) == self.n_features and all(isinstance(n, str) for n in names)), "names of columns")  # type: ignore[attr-defined]
        _demand(recipe is None or isinstance(recipe, str), "recipe")

    def _same_columns(self, other: Any) -> tuple[tuple[str, ...] | None, str | None]:
        """Return the names and the recipe of both summaries, of which one may have none; others are refused."""
        for what, one, two in (("columns", self.feature_names, other.feature_names), ("recipe", self.recipe, other.recipe)):
            if one is not None and two is not None and one != two:
                raise InputError(f"The summaries are not of the same {what}: {_differing(one, two)}. Summarise both in the same way.")
        names = self.feature_names if self.feature_names is not None else other.feature_names
        return names, self.recipe if self.recipe is not None else other.recipe


def announce(one: NDArray[Any], other: NDArray[Any]) -> str:
    """Return what to do where summaries have other classes, with a space before it; nothing where they have the same.

    Examples
    --------
    >>> announce(np.array([0, 1]), np.array([0, 1, 2]))
    ' A class that one of them has no row of is announced there: open_table(…, classes=[0, 1, 2]).'
    """
    if np.array_equal(one, other):
        return ""
    try:
        every = sorted({*one.tolist(), *other.tolist()})
    except TypeError:  # text here and numbers there, which no table has together
        return ""
    listed = ", ".join(repr(label) for label in every[:10]) + (", …" if len(every) > 10 else "")
    return f" A class that one of them has no row of is announced there: open_table(…, classes=[{listed}])."


def _differing(one: Any, two: Any) -> str:
    if isinstance(one, str):
        return f"{one[:12]}… and {two[:12]}…"
    pairs = [(a, b) for a, b in zip(one, two) if a != b]
    return f"{pairs[0][0]!r} and {pairs[0][1]!r}" if pairs else f"{len(one)} and {len(two)} of them"


def recipe_hash(recipe: Any) -> str | None:
    """Return what tells a recipe from others: the SHA-256 of its JSON.

    Examples
    --------
    >>> recipe_hash('{"columns": []}')[:8]
    '9b8f4e8d'
    """
    if recipe is None:
        return None
    text = recipe if isinstance(recipe, str) else recipe.to_json(indent=None) if hasattr(recipe, "to_json") else None
    if text is None:
        raise InputTypeError(f"recipe is a {type(recipe).__name__}; pass a Recipe, or its JSON: recipe.to_json().")
    return hashlib.sha256(text.encode()).hexdigest()


def _written_labels(labels: NDArray[Any]) -> dict[str, Any]:
    values = [label.item() if isinstance(label, np.generic) else label for label in labels.tolist()]
    if not all(isinstance(value, bool | int | float | str) for value in values):
        raise InputError(f"Labels such as {short_text(values[0])} cannot be saved; use text, whole numbers or booleans.")
    return {"dtype": "O" if labels.dtype.kind == "O" else labels.dtype.str, "values": values}


def _read_labels(given: dict[str, Any]) -> NDArray[Any]:
    dtype, values = str(given["dtype"]), given["values"]
    _demand(isinstance(values, list) and all(isinstance(value, bool | int | float | str) for value in values), "labels")
    _demand(dtype == "O" or (dtype.lstrip("<>|=")[:1] in tuple(_DTYPES) and len(dtype) < 12), "type of the labels")
    if dtype != "O":
        kind = {"b": bool, "i": int, "u": int, "f": float, "U": str}[dtype.lstrip("<>|=")[0]]
        _demand(all(type(value) is kind for value in values), "labels")
        return np.array(values, dtype=dtype if kind is not str else None)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _demand(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def require_array(value: Any, shape: tuple[int, ...], what: str, least: float = -np.inf) -> None:
    """Raise an error unless a value is an array of finite numbers of this shape, none below the least."""
    _demand(isinstance(value, np.ndarray) and value.shape == shape and value.dtype.kind in "fi", what)
    _demand(bool(np.isfinite(value).all()) and not (value < least).any(), what)


def require_classes(classes: Any, counts: Any, rows: Any) -> int:
    """Raise an error unless labels are sorted and different, and counts and rows of each are possible; their number K."""
    _demand(isinstance(classes, np.ndarray) and classes.ndim == 1 and len(set(classes.tolist())) == len(classes), "classes")
    _demand(classes.tolist() == sorted(classes.tolist()), "order of the classes")
    K = len(classes)
    require_array(counts, (K,), "counts", 0.0)
    require_array(rows, (K,), "numbers of rows", 0)
    _demand(rows.dtype.kind == "i" and bool(((rows > 0) == (counts > 0)).all()), "numbers of rows")
    return K
