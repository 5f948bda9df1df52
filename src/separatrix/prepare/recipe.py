"""A recipe: what is done with each column of a table so that it becomes numbers. A value, not code."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..alerts import Alert
from ..array_types import Codes, Floats
from ..data import Block, Source
from ..data.columns import Column, ColumnBatch
from ..errors import InputError, InputTypeError, NoFeatureLeftError
from ..inference.tables import Column as TableColumn
from ..inference.tables import Table, distinct
from ..notebook import view
from .applying import encoded, inner_folds, products, used_columns, warn_of_unread
from .outputs import Output, side_by_side
from .recipe_document import Document, document_of
from .steps import Category, Dates, Dropped, Numbers, Step, TargetStatistics
from .steps.base import level_text
from .steps.dates import unread
from .wishes import Wishes, known_wishes, levels_of, listed_names, pairs_of, unit_of

if TYPE_CHECKING:
    from ..summaries.table_summary import TableSummary

MOST_PRODUCTS = 10_000
"""Columns that an interaction may have."""
SPARSE, LARGE = 0.5, 16e6
"""Rows are sparse where dense ones would take more bytes than LARGE, and sparse ones at most this share of them: many a classifier takes
dense rows alone."""


@dataclass(frozen=True, eq=False, repr=False)
class Recipe:
    """What is done with each column of a table.

    `Recipe.plan(table, target=…)` looks at a table and shows what would be done; `TablePrep` and everything that takes tables learn a
    recipe of their own from the rows they train on, by the same rules and wishes. `to_json` writes what was learned, `from_json` reads it.

    Attributes
    ----------
    steps : what is done with each column, in the order of the table
    interactions : pairs of columns whose products are columns too
    classes : labels as text, where they are known
    rows : rows it was learned from
    alerts : what was noticed

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [31, 47, None, 25], "city": ["Oslo", "Rome", "Oslo", "Oslo"], "buys": ["no", "yes", "no", "no"]})
    >>> recipe = Recipe.plan(table, target="buys")
    >>> print(recipe)
    Recipe: 2 columns become 3
    column  done
    age     number, gaps → 31 and marked
    city    switch, against 'Oslo'
    >>> recipe.names
    ['age', 'age missing', 'city = Rome']
    >>> recipe.transform(table).tolist()
    [[31.0, 0.0, 0.0], [47.0, 0.0, 1.0], [31.0, 1.0, 0.0], [25.0, 0.0, 0.0]]
    """

    steps: tuple[Step, ...]
    interactions: tuple[tuple[str, str], ...] = ()
    classes: tuple[str, ...] = ()
    rows: float = 0.0
    alerts: tuple[Alert, ...] = ()
    wishes: Wishes = field(default_factory=Wishes)
    summary: TableSummary | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.steps, tuple) or not all(isinstance(step, Step) for step in self.steps):
            raise InputTypeError("A recipe holds steps; make it with Recipe.plan(table), TablePrep().fit(table) or Recipe.from_json(text).")

    def __eq__(self, other: object) -> bool:
        """Whether both do the same with every column: what is written down, not how it came about."""
        return isinstance(other, Recipe) and self._document.to_plain() == other._document.to_plain()

    def __hash__(self) -> int:
        return hash((self.rows, self.interactions, tuple(step.column for step in self.steps)))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "outputs"}  # which is computed when first asked for

    @property
    def _document(self) -> Document:
        return Document(self.steps, self.interactions, self.classes, self.rows)

    @classmethod
    def learn(cls, summary: TableSummary, wishes: Wishes | None = None, has_labels: bool = False, classes: Sequence[Any] = ()) -> Recipe:
        """Return the recipe for a summarised table; shares of classes come by `with_statistics`, from a second pass.

        Parameters
        ----------
        summary : of the columns without the target
        wishes : what is asked for, optional
        has_labels : whether there are labels, so that columns of many levels may become shares of the classes
        classes : the labels there are, as far as they are known; the number of columns that come out depends on them
        """
        from ..summaries.table_summary import TableSummary  # here: a recipe that is only used learns nothing
        from .learning import learn_steps

        wishes = wishes or Wishes()
        if not isinstance(summary, TableSummary) or not isinstance(wishes, Wishes):
            raise InputTypeError("A recipe is learned from the summary of a table; use Recipe.plan(table), which makes one.")
        known = tuple(str(label) for label in classes)
        steps, alerts = learn_steps(summary, wishes, has_labels or bool(known))
        steps = tuple(replace(step, classes=known) if isinstance(step, TargetStatistics) else step for step in steps)
        return cls(steps, wishes.interactions, known, summary.rows, alerts, wishes, summary)

    @classmethod
    def plan(cls, table: Any, target: str | None = None, **wishes: Any) -> Recipe:
        """Return what would be done with a table's columns; print it.

        Parameters
        ----------
        table : frame, array, or a table from `open_table`
        target : column of the labels, left out of the recipe
        wishes : as in `TablePrep`: kinds, shapes, drop, keep, …
        """
        from .table_prep import TablePrep

        prep, y = TablePrep(**known_wishes(wishes)), None
        if target is not None and isinstance(table, Source):
            raise InputError("The table of files has its own target: open_table(…, target=…); leave target out here.")
        if target is not None:
            from ..data.targets import split_target

            table, y, _ = split_target(table, target)
        return prep.planned(table, y)

    @cached_property
    def outputs(self) -> tuple[Output, ...]:
        """What each column of numbers stands for."""
        made = [output for step in self.steps for output in step.outputs]
        by_column = {step.column: step.outputs for step in self.steps}
        for one, two in self.interactions:
            if len(by_column[one]) * len(by_column[two]) > MOST_PRODUCTS:
                raise InputError(
                    f"The interaction of {one!r} and {two!r} has {len(by_column[one]) * len(by_column[two]):,} columns; at most "
                    f"{MOST_PRODUCTS:,} are made. Use columns of fewer levels."
                )
            made += [Output(f"{a.name} × {b.name}", one, "other") for a in by_column[one] for b in by_column[two]]
        return tuple(made)

    @property
    def names(self) -> list[str]:
        """How the columns of numbers are said, each in its own way."""
        return distinct([output.name for output in self.outputs])

    @property
    def columns(self) -> list[str]:
        """The table's columns that are used."""
        return [step.column for step in self.steps if not isinstance(step, Dropped)]

    def require_outputs(self) -> None:
        """Raise an error where no column is left to learn from."""
        if not self.outputs and not self.looks_at_labels:  # whose shares of classes are counted in a second pass
            why = "; ".join(f"{step.column!r} {step.said}" for step in self.steps[:5])
            raise NoFeatureLeftError(
                f"No column of the table is left to learn from (n_samples = {self.rows:g}): {why}{' …' if len(self.steps) > 5 else ''}. "
                f"Keep one that tells something: TablePrep(keep=[{self.steps[0].column!r}])."
            )

    @property
    def looks_at_labels(self) -> bool:
        """Whether any step was learned from the labels."""
        return any(isinstance(step, TargetStatistics) for step in self.steps)

    @property
    def is_sparse(self) -> bool:
        """Whether rows come out sparse: where dense ones would take megabytes, and sparse ones at most half of them."""
        width = len(self.outputs)
        stored = sum(step.filled_share * len(step.outputs) for step in self.steps) + width - sum(len(step.outputs) for step in self.steps)
        return 8.0 * width * self.rows > LARGE and 12.0 * stored + 4.0 < SPARSE * 8.0 * width

    def with_statistics(
        self, batch: ColumnBatch, codes: Codes, weight: Floats | None, classes: Sequence[Any], by_place: bool = False
    ) -> Recipe:
        """Return the recipe with the labels of some rows counted, where a step asks for them."""
        known = tuple(str(label) for label in classes)
        if not self.looks_at_labels:
            return replace(self, classes=known)
        own = self.columns_of(batch)
        weight = np.ones(batch.n_rows) if weight is None else weight
        folds = inner_folds(self.columns_of(batch), batch, by_place)
        steps = tuple(
            step.counted(own[step.column], codes, folds, weight, known) if isinstance(step, TargetStatistics) else step
            for step in self.steps
        )
        return replace(self, steps=steps, classes=known)

    def transform(self, table: Any, sparse: bool | None = None) -> Any:
        """Return the rows of a table as numbers, an array or CSR.

        Columns are found by name; others are ignored. Levels that were not there in training are known as such (`unseen`).
        """
        from ..data.whole_tables import whole_table  # here: batches of files are recoded without any library of frames

        batch = whole_table(table, self.columns)
        warn_of_unread(self.steps, self.columns_of(batch), batch.n_rows)
        return self._numbers(batch, None, sparse)

    def transform_training(self, batch: ColumnBatch, sparse: bool | None = None, by_place: bool = False) -> Any:
        """Return the rows that the recipe was learned from: shares of classes come from other rows than the row itself."""
        return self._numbers(batch, inner_folds(self.columns_of(batch), batch, by_place) if self.looks_at_labels else None, sparse)

    def block(self, batch: ColumnBatch) -> Block:
        """Return a batch as a block."""
        return Block(self._numbers(batch, None, None), batch.codes, batch.weight, batch.start)

    def _numbers(self, batch: ColumnBatch, folds: NDArray[Any] | None, sparse: bool | None) -> Any:
        self._require_counts()
        pieces = encoded(self.steps, self.columns_of(batch), folds)
        crossed = [products(pieces[one], pieces[two], batch.n_rows) for one, two in self.interactions]
        return side_by_side([*pieces.values(), *crossed], batch.n_rows, self.is_sparse if sparse is None else sparse)

    def _require_counts(self) -> None:
        waiting = [step.column for step in self.steps if isinstance(step, TargetStatistics) and step.counts is None]
        if waiting:
            raise InputError(
                f"Column {waiting[0]!r} has many levels and becomes shares of the classes, which this plan has not counted; fit it: "
                "plan.prep().fit(X, y)."
            )

    def columns_of(self, batch: ColumnBatch) -> dict[str, Column]:
        """Return the columns that are used, by name; one that is not there is an error."""
        return used_columns(batch, self.columns)

    def unseen(self, table: Any) -> dict[str, dict[str, int]]:
        """Return, by column, the levels that were not there in training and how often each stands in a table.

        Of columns of numbers and dates: texts that cannot be read as such, which count as gaps.
        """
        from ..data.whole_tables import whole_table

        own = self.columns_of(whole_table(table))
        found = {step.column: step.unseen(own[step.column]) for step in self.steps if isinstance(step, Category)}
        found |= {step.column: unread(step, own[step.column]) for step in self.steps if isinstance(step, Numbers | Dates)}
        return {name: levels for name, levels in found.items() if levels}

    def with_kind(self, column: str, kind: str) -> Recipe:
        """Return the recipe with a column as another kind: number, category, ordered, levels, hash, date, text or drop."""
        return self._again(kinds={**self.wishes.kinds, column: kind})

    def with_shape(self, column: str, shape: str) -> Recipe:
        """Return the recipe with a column as a line, log, root, squash, spline or bins."""
        if self.wishes.shapes == "auto":
            raise InputError("This plan has shapes='auto' for all columns; use Recipe.plan(table, shapes={column: shape}) for one of them.")
        known = dict(self.wishes.shapes)
        return self._again(shapes={**known, column: shape})

    def with_unit(self, column: str, unit: str, per: float = 1.0) -> Recipe:
        """Return the recipe with a unit to be said with a column, and how many of it a coefficient is for."""
        return self._again(units={**self.wishes.units, column: unit_of((unit, per))})

    def with_reference(self, column: str, level: Any) -> Recipe:
        """Return the recipe with the level that the others of a column are compared with."""
        return self._again(references={**self.wishes.references, column: level_text(level)})

    def with_order(self, column: str, levels: Sequence[Any]) -> Recipe:
        """Return the recipe with a column as ordered levels."""
        return self._again(orders={**self.wishes.orders, column: levels_of(levels, "levels")})

    def with_interaction(self, one: str, two: str) -> Recipe:
        """Return the recipe with the products of two columns."""
        return self._again(interactions=(*self.wishes.interactions, *pairs_of([(one, two)])))

    def drop(self, *columns: Any) -> Recipe:
        """Return the recipe without some columns."""
        columns = listed_names(columns)
        return self._again(drop=(*self.wishes.drop, *columns), keep=tuple(c for c in self.wishes.keep if c not in columns))

    def keep(self, *columns: Any) -> Recipe:
        """Return the recipe with some columns, whatever they look like."""
        columns = listed_names(columns)
        return self._again(keep=(*self.wishes.keep, *columns), drop=tuple(c for c in self.wishes.drop if c not in columns))

    def _again(self, **changed: Any) -> Recipe:
        if self.summary is None:
            raise InputError(
                "This recipe was read from JSON and no longer knows the rows it was learned from. Edit its JSON, or use "
                "Recipe.plan(table, target=…) to learn it anew."
            )
        return Recipe.learn(self.summary, replace(self.wishes, **changed), self.looks_at_labels, self.classes)

    def prep(self) -> Any:
        """Return the `TablePrep` that learns a recipe anew, by the wishes of this one: for pipelines, `TableClassifier` and `compare`.

        Examples
        --------
        >>> import pandas as pd
        >>> plan = Recipe.plan(pd.DataFrame({"age": [31, 47, 25], "sex": ["m", "f", "f"]})).with_kind("age", "category")
        >>> plan.prep()
        TablePrep(kinds={'age': 'category'})
        """
        from .table_prep import TablePrep

        defaults, given = Wishes(), {own.name: getattr(self.wishes, own.name) for own in fields(Wishes)}
        return TablePrep(**{name: value for name, value in given.items() if value != getattr(defaults, name)})

    def to_json(self, indent: int | None = 1) -> str:
        """Return the recipe as JSON that can be read and edited."""
        self._require_counts()
        return json.dumps(self._document.to_plain(), ensure_ascii=False, indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Recipe:
        """Return the recipe that JSON describes; whatever does not fit is refused by name."""
        written = document_of(text)
        found = cls(written.steps, written.interactions, written.classes, written.rows)
        found.outputs  # noqa: B018 — refuses more products than are made
        return found

    def as_stored(self) -> dict[str, Any]:
        """Return the JSON and the alerts as a state has them; `stored` makes the recipe of them again."""
        return {"recipe_": self.to_json(None), "alerts_": [alert.to_dict() for alert in self.alerts]}

    @classmethod
    def stored(cls, text: str, alerts: Sequence[Mapping[str, Any]]) -> Recipe:
        """Return the recipe that JSON describes, with the alerts that were made when it was learned, as dicts."""
        return replace(cls.from_json(text), alerts=tuple(Alert(**alert) for alert in alerts))

    def table(self) -> Table:
        """Return the plan as a table."""
        columns = (
            TableColumn("column", [step.column for step in self.steps]),
            TableColumn("done", [step.said for step in self.steps]),
        )
        n = len(self.outputs)
        title = f"Recipe: {len(self.steps)} column{'s' * (len(self.steps) != 1)} become{'s' * (len(self.steps) == 1)} {n:,}"
        crossed = [f"{one} × {two}: their products are columns too." for one, two in self.interactions]
        return Table(title, columns, "\n".join([*crossed, *map(str, self.alerts)]))

    def __str__(self) -> str:
        return self.table().text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return view(self.table().html)
