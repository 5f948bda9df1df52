"""The rows of a table scored by a formula, batch after batch, as columns to be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.columns import ColumnBatch
from ..data.files.file_table import FileTable
from ..data.files.table_writer import coded_column
from ..data.table_opening import open_table
from ..errors import InputError, UnknownNameError, did_you_mean
from ..prepare.written_levels import texts_of
from .formula import Formula, Predictions
from .reasons import Reasons

Columns = dict[str, Any]

BATCH_BYTES, LEAST_ROWS = 2_500_000, 4_096
"""Numbers of a batch, and the fewest rows. About five batches are under way, as Arrow's and as arrays, beside some fifty megabytes that
decoding Parquet holds; larger ones are hardly faster."""


@dataclass(frozen=True, eq=False)
class Scoring:
    """What is written for each row.

    Attributes
    ----------
    formula : how the model computes
    keep : columns of the table that are written as they are
    posteriors : whether those of all classes are written
    reasons : which columns speak for the label, or None
    """

    formula: Formula
    keep: tuple[str, ...] = ()
    posteriors: bool = True
    reasons: Reasons | None = None

    @property
    def names(self) -> list[str]:
        """Names of the columns that are made."""
        made = ["label"] if self.formula.rule is None else ["label", "action"]
        if self.posteriors and self.formula.link is not None:
            made += [f"p_{label}" for label in self.formula.classes.tolist()]
        return made + [f"reason_{i + 1}" for i in range(0 if self.reasons is None else self.reasons.count)]

    def open(self, path: Any, n_jobs: int | None = None) -> FileTable:
        """Return the table of some files with the columns that the formula reads, and those to be kept beside them."""
        known = open_table(path).feature_names
        for name in self.keep:
            if name not in known:
                raise UnknownNameError(f"Column {name!r} is not in the table.{did_you_mean(name, known)} It has {', '.join(known[:8])}.")
        twice = [name for name in self.keep if name in self.names]
        if twice:
            raise InputError(f"The table's column {twice[0]!r} is called like one that is written; leave it out of those to be kept.")
        inputs = self.formula.inputs
        rows = max(LEAST_ROWS, BATCH_BYTES // (8 * max(1, len(inputs.columns))))
        table: FileTable = open_table(path, columns=inputs.columns if inputs.is_named else None, batch_rows=rows, n_jobs=n_jobs)
        beside = table.with_text(texts_of(inputs.recipe)).with_beside(self.keep)
        beside.one_decoder = True
        plain = inputs.recipe is None and not inputs.as_columns
        return beside if plain else beside.as_columns()

    def batches(self, table: FileTable) -> Iterator[Columns]:
        """Yield the columns to be written, in the order of the rows."""
        for found, kept in table.map_beside(self.columns):
            yield {name: kept[name] for name in self.keep} | found

    def columns(self, block: Any) -> Columns:
        """Return the columns made of a block or batch of rows."""
        rows = block if isinstance(block, ColumnBatch) else block.X
        said = self.formula.predictions(rows)
        made = dict(zip(self.names, self._values(said), strict=False))
        if self.reasons is not None:
            made |= self.reasons.columns(rows, said.codes)
        return made

    def _values(self, said: Predictions) -> list[Any]:
        classes = self.formula.classes.tolist()
        values = [coded_column(said.codes, classes)]
        if self.formula.rule is not None and said.posteriors is not None:
            values.append(coded_column(self.formula.rule.codes(said.posteriors), self.formula.rule.names.tolist()))
        if self.posteriors and said.posteriors is not None:
            values += [np.ascontiguousarray(said.posteriors[:, k]) for k in range(len(classes))]
        return values


def predictions_of(formula: Formula, path: Any, n_jobs: int | None = None) -> Iterator[Predictions]:
    """Yield what a formula says of the rows of some files, batch after batch."""
    table = Scoring(formula).open(path, n_jobs)

    def predicted(block: Any) -> Predictions:
        return formula.predictions(block if isinstance(block, ColumnBatch) else block.X)

    yield from table.map(predicted)


def all_predictions(formula: Formula, path: Any) -> tuple[Any, Any]:
    """Return the codes (n,) and posteriors (n, K), or None, of all rows of some files."""
    parts: Sequence[Predictions] = list(predictions_of(formula, path))
    codes = np.concatenate([part.codes for part in parts])
    return codes, None if formula.link is None else np.concatenate([part.posteriors for part in parts])
