"""A table whose rows are on a cluster: partitions, how they become blocks, and passes that travel to them.

Only what a pass gives travels: sums, coefficients, gradients, and for logistic fits a sample of rows that is bounded. The tree of merges
depends on the number of partitions alone, and a partition is cut into blocks as everywhere, so the number of workers changes no result.
Rows that are needed for many passes stay on the workers after the first where half of their memory holds them, and are read or computed
again where not; so they are where a worker dies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..array_types import Ints
from ..errors import InputError, InputTypeError, no_rows
from .features import refuse_text, require_column
from .labels import check_classes
from .merging import M
from .partitions import (
    ArrayLoader,
    FileLoader,
    FrameLoader,
    blocks_of,
    joined_classes,
    keys_of,
    labels_of,
    merged,
    merged_values,
    over_part,
    values_of,
)
from .source import Block, Source

R = TypeVar("R")

FAN_IN = 8
"""Values merged by one task of the tree."""
HELD_SHARE = 0.5
"""Share of the workers' memory that rows may take."""


class Engine(Protocol):
    """What runs tasks on other machines."""

    def later(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the task of calling a function; arguments may be tasks."""
        ...

    def packed(self, function: Callable[[Block], Any]) -> Any:
        """Return the task that gives a function on any worker, as often as it is asked for."""
        ...

    def begun(self, tasks: Sequence[Any]) -> list[Any]:
        """Return tasks that run from now on, and whose results stay on the workers."""
        ...

    def results(self, tasks: Sequence[Any], name: str) -> Iterator[Any]:
        """Yield what tasks give, in their order."""
        ...

    def last(self, tasks: Sequence[Any], root: Any) -> Any:
        """Return what the last task gives, once the others are done."""
        ...

    def memory(self) -> float:
        """Return the bytes of memory of all workers."""
        ...


class ClusterTable(Source):
    """Rows in partitions on a cluster, as :func:`separatrix.open_table` gives them for Dask collections and for `cluster=`."""

    is_remote = True

    def __init__(self, engine: Engine, parts: Sequence[Any], loader: Any) -> None:
        self.engine, self.parts, self.loader = engine, list(parts), loader
        self.label_parts = self.parts
        self.known: NDArray[Any] | None = None
        self.rows_known: list[int | None] = [None] * len(self.parts)
        self.files: Any = None
        self.kinds: dict[str, str] = {}
        self.column_parts: Callable[[str], list[Any]] = _without_names
        self.held: list[Any] | None = None
        self.is_labelled = self.keeps = False

    @classmethod
    def of_files(cls, engine: Engine, files: Any) -> ClusterTable:
        """Return a table of files that workers read, some row groups or a file each."""
        portions = files.portions()
        table = cls(engine, portions, FileLoader())
        table.n_features, table.feature_names, table.origin = files.n_features, files.feature_names, files.origin
        table.rows_known, table.is_labelled, table.files = [part.stored_rows for part in portions], files.target is not None, files
        return table

    def __getstate__(self) -> dict[str, Any]:
        # A pass may refer to the table it runs over: what travels is what a worker can use, which is neither engine nor tasks.
        return {**vars(self), "engine": None, "parts": [], "label_parts": [], "held": None, "files": None, "column_parts": None}

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """Number of rows, counted when first asked for."""
        if None in self.rows_known:
            self._count()
        return sum(n for n in self.rows_known if n is not None)

    @property
    def classes(self) -> NDArray[Any] | None:  # type: ignore[override]
        """Sorted labels, found by a pass over the labels when first asked for."""
        if self.known is None and self.is_labelled:
            self._count()
        return self.known

    def _count(self) -> None:
        """Find the rows of each partition and the classes, in one pass over the labels."""
        leaves = [self.engine.later(labels_of, part, self.loader, i) for i, part in enumerate(self.label_parts)]
        found = list(self.engine.results(leaves, "count rows"))
        self.rows_known = [n for n, _ in found]
        if self.is_labelled and self.known is None:
            if not any(self.rows_known):
                raise self._no_rows()
            self.known = joined_classes(labels for _, labels in found)

    def key_numbers(self, name: str, seed: int = 0) -> Ints:
        """Return a number for each row by the hash of its key, computed on the workers."""
        if self.files is not None:
            require_column("key", name, self.files.schema.names)
        parts = self.parts if self.files is not None else self.column_parts(name)
        found = list(self.engine.results([self.engine.later(keys_of, part, name, seed) for part in parts], "keys"))
        return np.concatenate(found)

    def with_classes(self, classes: Any) -> Self:
        """Return the same rows with codes in terms of the classes given."""
        if not self.is_labelled:
            raise InputError(f"classes={classes!r} needs a target; name its column: open_table(…, target='y').")
        return self._changed(known=check_classes(classes))

    def without_labels(self) -> Self:
        """Return rows to predict, whose labels and weights are not asked for."""
        loader = self.loader
        if isinstance(loader, FrameLoader):
            loader = replace(loader, target=None, weight=None)
        elif isinstance(loader, ArrayLoader):
            loader = replace(loader, labelled=False)
        else:
            return self._of_other_files(self.files.without_labels())
        return self._changed(loader=loader, is_labelled=False, known=None)

    def only(self, columns: Any) -> Self:
        """Return the same rows with some of their columns, by number."""
        loader, names = self.loader, self.feature_names
        if isinstance(loader, FrameLoader):
            loader = replace(loader, features=tuple(loader.features[j] for j in columns))
        elif isinstance(loader, ArrayLoader):
            before = range(self.n_features) if loader.columns is None else loader.columns
            loader = replace(loader, columns=tuple(before[j] for j in columns))
        else:
            return self._of_other_files(self.files.only(columns))
        chosen = None if names is None else tuple(names[j] for j in columns)
        return self._changed(loader=loader, n_features=len(list(columns)), feature_names=chosen)

    def as_columns(self) -> Source:
        """Return the same rows as batches of columns."""
        if self.files is not None:
            self.files.as_columns()  # what is not to be had as columns is refused here
        return self._changed(loader=replace(self.loader, as_columns=True))

    def require_numbers(self) -> None:
        """Raise an error that names columns which are not numbers, before any row is read."""
        if self.files is not None:
            self.files.require_numbers()
        elif self.feature_names is not None:
            refuse_text(self.feature_names, self.kinds)

    def persisted(self) -> Self:
        """Return the same rows for many passes: they stay on the workers after the first, where these have room."""
        return self if self.keeps else self._changed(keeps=self._fits())

    def _fits(self) -> bool:
        return 8.0 * (self.n_features + 2) * float(self.n_rows or 0) <= HELD_SHARE * self.engine.memory()

    def _changed(self, **attributes: Any) -> Self:
        table = object.__new__(type(self))  # not copy.copy, which would leave out what does not travel
        vars(table).update({**vars(self), "held": None, **attributes})
        return table

    def _of_other_files(self, files: Any) -> Self:
        table = ClusterTable.of_files(self.engine, files)
        known = self.known if files.target is not None else None
        loader = replace(table.loader, as_columns=self.loader.as_columns)
        return self._changed(**{**vars(table), "known": known, "loader": loader, "keeps": self.keeps})

    def blocks(self) -> Iterator[Block]:
        """Yield all rows, block by block: they travel here, a partition at a time."""
        for blocks in self.engine.results([self._loaded(i) for i in range(len(self.parts))], "fetch rows"):
            yield from blocks

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) in order; blocks stay where they are."""
        for values in self.engine.results(self._leaves(values_of, function), "pass"):
            yield from (value for value in values if value is not None)

    def reduce(self, pass_: Callable[[Block], M]) -> M:
        """Run a pass on every block and merge what comes back: within a partition, then partitions in a tree of fixed form."""
        if not callable(pass_):
            raise InputTypeError(f"pass_={pass_!r:.60} must be a function of a block that returns a summary, such as lambda block: ….")
        leaves = self._leaves(merged_values, pass_)
        level = leaves
        while len(level) > 1:
            level = [self.engine.later(merged, level[i : i + FAN_IN]) for i in range(0, len(level), FAN_IN)]
        found: M | None = self.engine.last(leaves, level[0])
        if found is None:
            raise self._no_rows()
        return found

    def _no_rows(self) -> InputError:
        found: InputError = no_rows() if self.files is None else self.files.no_rows()
        return found

    def _leaves(self, over: Callable[..., Any], function: Callable[[Block], Any]) -> list[Any]:
        """Return a task for each partition; the function is packed once and is a task itself, which can be computed again."""
        packed, places = self.engine.packed(function), range(len(self.parts))
        if self.keeps:
            return [self.engine.later(over, self._loaded(i), packed) for i in places]
        return [self.engine.later(over_part, self.parts[i], *self._how(i), over, packed) for i in places]

    def _loaded(self, i: int) -> Any:
        """Return the task, or the future, of the blocks of a partition."""
        if self.held is None and self.keeps:
            self.held = self.engine.begun([self._loading(i) for i in range(len(self.parts))])
        return self._loading(i) if self.held is None else self.held[i]

    def _loading(self, i: int) -> Any:
        return self.engine.later(blocks_of, self.parts[i], *self._how(i))

    def _how(self, i: int) -> tuple[Any, int, int]:
        """Return how a partition becomes blocks: the loader, the partition's number and that of its first row."""
        classes = self.classes
        if None in self.rows_known:
            self._count()
        loader = self.loader if classes is None else replace(self.loader, classes=classes)
        return loader, i, sum(n or 0 for n in self.rows_known[:i])


def _without_names(name: str) -> list[Any]:
    raise InputError(f"An array has no column {name!r} to take keys from; leave key= out to fold by the numbers of the rows.")
