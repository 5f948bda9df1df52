"""What the columns that a pipeline hands to its last step stand for: columns of the table, levels of them, or words.

Every column z of the last step is traced back to one part u of the table, z = u·factor − shift: a column as it is ("number"), whether a
column has some level ("level"), how much of a word a text has ("word"), which category ("code"), whether a value is missing ("missing"), or
what a step made of a column ("other").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from ..array_types import Floats, Indices
from ..errors import InputTypeError
from ..prepare import TablePrep
from .recipe_parts import PartKind, recipe_parts


@dataclass(frozen=True, slots=True)
class Part:
    """One number that a table's row has: its name, the column it comes from (−1 for words and products), its kind, the text of a word."""

    name: str
    column: int
    kind: PartKind
    text: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The levels of a column, and what its parts are for each: (L, number of parts). A row of a level in `told` keeps it."""

    values: list[Any]
    patterns: Floats
    parts: Indices
    told: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns between two steps: z = u[part]·factor − shift."""

    part: Indices
    factor: Floats
    shift: Floats

    @classmethod
    def of(cls, parts: Sequence[int]) -> Self:
        """Return parts as they are."""
        return cls(np.array(parts, dtype=np.intp), np.ones(len(parts)), np.zeros(len(parts)))

    @classmethod
    def joined(cls, several: list[Self]) -> Self:
        """Return columns side by side."""
        empty = [cls.of([]), *several]
        return cls(*(np.concatenate([getattr(one, name) for one in empty]) for name in ("part", "factor", "shift")))

    def __len__(self) -> int:
        return len(self.part)

    def __getitem__(self, chosen: Any) -> Self:
        return replace(self, part=self.part[chosen], factor=self.factor[chosen], shift=self.shift[chosen])

    def scaled(self, by: Floats, at: Floats) -> Self:
        """Return (z − at)·by."""
        return replace(self, factor=self.factor * by, shift=(self.shift + at) * by)


@dataclass(slots=True, eq=False)
class Trace:
    """The way of a table's columns through the steps of a pipeline.

    Attributes
    ----------
    names : of the table's columns; empty where rows are texts
    parts : all parts made on the way
    levels : {column: Levels} of columns that an encoder knows all levels of
    texts : columns that became words
    columns : what the last step gets
    prepared : whether a recipe made numbers of the table
    """

    names: list[str]
    parts: list[Part] = field(default_factory=list)
    levels: dict[int, Levels] = field(default_factory=dict)
    texts: set[int] = field(default_factory=set)
    columns: Columns = field(default_factory=lambda: Columns.of([]))
    prepared: bool = False

    @classmethod
    def through(cls, pipeline: Any, names: Sequence[str] | None) -> Self:
        """Trace a fitted pipeline up to its last step; names are those of the table, where the pipeline does not know them."""
        steps = [(label, step) for label, step in pipeline.steps[:-1] if step is not None and step != "passthrough"]
        if steps and _reads_text(steps[0][1]):
            found = cls([])
            columns = Columns.of([])
        else:
            found = cls(_own_names(pipeline, names))
            columns = found._fresh("number", [(name, j) for j, name in enumerate(found.names)])
        for label, step in steps:
            columns = found._step(label, step, columns)
        found.columns = columns
        return found

    @property
    def is_plain(self) -> bool:
        """Whether the steps did nothing but scale and select columns of numbers."""
        return not self.prepared and all(part.kind == "number" for part in self.parts)

    def _fresh(self, kind: Any, named: Sequence[tuple[str, int]]) -> Columns:
        """Add parts and return them as columns."""
        begin = len(self.parts)
        self.parts += [Part(name, column, kind) for name, column in named]
        return Columns.of(range(begin, len(self.parts)))

    def _step(self, label: str, step: Any, given: Columns) -> Columns:
        if step is None or isinstance(step, str):
            return given[[]] if step == "drop" else given
        if hasattr(step, "steps"):
            for name, inner in step.steps:
                given = self._step(name, inner, given)
            return given
        if isinstance(step, TablePrep):
            return self._by_recipe(step, given)
        if hasattr(step, "transformers_"):
            return self._side_by_side(step, given)
        if hasattr(step, "transformer_list"):
            return Columns.joined([self._step(name, inner, given) for name, inner in step.transformer_list])
        if _reads_text(step):
            return self._words(step, self.parts[given.part[0]].column if len(given) else -1)
        if hasattr(step, "get_support"):
            return given[np.asarray(step.get_support(), dtype=bool)]
        if hasattr(step, "drop_idx_") and hasattr(step, "categories_"):
            return self._one_hot(step, given)
        if hasattr(step, "categories_") and not hasattr(step, "encodings_"):
            return self._codes(step, given)
        if _fills_in(step):
            return self._filled(step, given)
        return self._by_column(label, step, given)

    def _by_recipe(self, step: TablePrep, given: Columns) -> Columns:
        self.prepared, found = True, []
        own = [self.parts[i] for i in given.part]
        for made in recipe_parts(step.recipe_, [part.name for part in own]):
            column = own[made.column].column if made.column >= 0 else -1
            is_text = any(kind == "word" for _, kind in made.named)
            begin = len(self.parts)
            text = self.names[column] if is_text else ""
            self.parts += [Part(name, -1 if is_text else column, kind, text) for name, kind in made.named]
            columns = Columns.of(range(begin, len(self.parts)))
            if is_text:
                self.texts.add(column)
            if made.levels:
                self._know(column, Levels(made.levels, made.patterns, columns.part, made.told))
            found.append(columns.scaled(made.factor, np.zeros(len(columns))))
        return Columns.joined(found)

    def _side_by_side(self, step: Any, given: Columns) -> Columns:
        known = list(getattr(step, "feature_names_in_", []))
        each = []
        for name, inner, chosen in step.transformers_:
            at = _positions(chosen, known, len(given))
            if len(at) and not (isinstance(inner, str) and inner == "drop"):
                each.append(self._step(name, inner, given[at]))
        return Columns.joined(each)

    def _words(self, step: Any, column: int) -> Columns:
        prefix = f"{self.names[column]}: " if column >= 0 else ""
        if column >= 0:
            self.texts.add(column)
        words = step.get_feature_names_out() if hasattr(step, "get_feature_names_out") else [f"bucket {i}" for i in range(step.n_features)]
        return self._fresh("word", [(f"{prefix}{word}", -1) for word in words])

    def _one_hot(self, step: Any, given: Columns) -> Columns:
        rare = getattr(step, "infrequent_categories_", [None] * len(given))
        found = []
        for j, values in enumerate(step.categories_):
            places = _places(values.tolist(), rare[j], None if step.drop_idx_ is None else step.drop_idx_[j])
            width = max(places) + 1
            own = self.parts[given.part[j]]
            of = [", ".join(str(v) for v, place in zip(values.tolist(), places) if place == i) for i in range(width)]
            made = self._fresh("level", [(f"{own.name}: {name}", own.column) for name in of])
            patterns = np.array([[float(place == i) for i in range(width)] for place in places]).reshape(len(places), width)
            self._know(own.column, Levels(values.tolist(), patterns, made.part))
            found.append(made)
        return Columns.joined(found)

    def _codes(self, step: Any, given: Columns) -> Columns:
        made = self._fresh("level", [(self.parts[i].name, self.parts[i].column) for i in given.part])
        for j, values in enumerate(step.categories_):
            self._know(
                self.parts[given.part[j]].column, Levels(values.tolist(), np.arange(len(values), dtype=np.float64)[:, None], made.part[[j]])
            )
        return made

    def _know(self, column: int, levels: Levels) -> None:
        if column in self.levels:  # encoded twice: no level can be changed in one place alone
            levels = Levels([], np.zeros((0, 0)), levels.parts)
        self.levels[column] = levels

    def _filled(self, step: Any, given: Columns) -> Columns:
        """Return columns whose holes are filled in; columns without any value are dropped, indicators of holes added."""
        known = getattr(step, "statistics_", None)
        empty = np.zeros(len(given), dtype=bool)
        if known is not None and not getattr(step, "keep_empty_features", False):
            empty = np.array([isinstance(value, float) and np.isnan(value) for value in known])
        holes = getattr(step, "indicator_", None)
        kept = given[~empty]
        if holes is None:
            return kept
        named = [(f"{self.parts[given.part[j]].name} missing", self.parts[given.part[j]].column) for j in holes.features_]
        return Columns.joined([kept, self._fresh("missing", named)])

    def _by_column(self, label: str, step: Any, given: Columns) -> Columns:
        """Return columns scaled one by one; or made into others one by one, which no line describes."""
        numbers = [getattr(step, name, None) for name in ("mean_", "center_", "min_", "scale_")]
        if any(value is not None and np.shape(value) == (len(given),) for value in numbers) and not hasattr(step, "components_"):
            return given.scaled(*_scaling(step, len(given)))
        same = getattr(step, "feature_names_out", None) == "one-to-one"
        if not (isinstance(step, OneToOneFeatureMixin) or same) or getattr(step, "target_type_", None) == "multiclass":
            raise InputTypeError(
                f"Step {label!r} of the pipeline ({type(step).__name__}) does not scale or select columns one by one, so weights cannot be "
                "carried back to them; explain the last step on the transformed columns."
            )
        kinds = {self.parts[i].kind for i in given.part}
        if kinds == {"word"}:  # weighed anew, words stay words
            return Columns.of(given.part.tolist())
        return self._fresh("other", [(self.parts[i].name, self.parts[i].column) for i in given.part])


def _own_names(pipeline: Any, names: Sequence[str] | None) -> list[str]:
    known = getattr(pipeline, "feature_names_in_", None)
    if known is not None:
        return [str(name) for name in known]
    p = int(pipeline.n_features_in_)
    if names is None or len(names) != p or isinstance(pipeline.steps[0][1], TablePrep):  # whose recipe calls them so
        return [f"x{j}" for j in range(p)]
    return [str(name) for name in names]


def _reads_text(step: Any) -> bool:
    """Whether a step takes texts, or dicts, and not a table."""
    if hasattr(step, "steps"):
        return bool(step.steps) and _reads_text(step.steps[0][1])
    if hasattr(step, "transformer_list"):
        return all(_reads_text(inner) for _, inner in step.transformer_list)
    return hasattr(step, "vocabulary_") or (hasattr(step, "build_analyzer") and hasattr(step, "n_features"))


def _fills_in(step: Any) -> bool:
    return hasattr(step, "missing_values") and hasattr(step, "add_indicator")


def _positions(chosen: Any, known: list[Any], p: int) -> Indices:
    """Return the numbers of columns given by name, number, slice or mask."""
    if callable(chosen):
        raise InputTypeError("The ColumnTransformer of the pipeline is not fitted: its columns are still to be chosen.")
    if isinstance(chosen, slice) and any(isinstance(end, str) for end in (chosen.start, chosen.stop)):
        begin = 0 if chosen.start is None else known.index(chosen.start)
        chosen = slice(begin, p if chosen.stop is None else known.index(chosen.stop) + 1)
    if isinstance(chosen, slice):
        return np.arange(p)[chosen]
    several = [chosen] if isinstance(chosen, (str, int, np.integer)) else list(chosen)
    if several and all(isinstance(one, (bool, np.bool_)) for one in several):
        return np.flatnonzero(np.array(several, dtype=bool))
    return np.array([known.index(one) if isinstance(one, str) else range(p)[int(one)] for one in several], dtype=np.intp)


def _places(values: list[Any], rare: Any, dropped: Any) -> list[int]:
    """Return the column of each level among those that an encoder makes; −1 for the level that it drops."""
    seldom = set() if rare is None else set(rare.tolist())
    often = [value for value in values if value not in seldom]
    column = [len(often) if value in seldom else often.index(value) for value in values]
    if dropped is None:
        return column
    gone = column[int(dropped)]
    return [-1 if place == gone else place - (place > gone) for place in column]


def _scaling(step: Any, p: int) -> tuple[Floats, Floats]:
    """Return factors and shifts of a scaler that maps x to (x − shift)·factor, column by column."""
    scale = getattr(step, "scale_", None)
    if getattr(step, "min_", None) is not None:  # x·scale + min
        return np.asarray(scale), -np.asarray(step.min_) / np.asarray(scale)
    factor = np.ones(p) if scale is None else 1.0 / np.asarray(scale)
    # A StandardScaler keeps mean_ also where it does not subtract it.
    used = [getattr(step, name, None) for name in ("mean_", "center_")] if getattr(step, "with_mean", True) else []
    centre = next((value for value in used if value is not None), np.zeros(p))
    return factor, np.asarray(centre)
