"""Where columns are cut before they are counted: between all their values, or at their quantiles."""

from __future__ import annotations

import numpy as np

from ..array_types import Bools, Floats, Indices, Ints
from ..data import Source
from ..errors import InputError
from ..summaries.cells import Cuts, quantile_cuts
from ..summaries.column_screen import ColumnScreen
from ..summaries.distinct_values import DistinctValues
from ..summaries.row_sample import RowSample

SAMPLE_ROWS = 10_000
SAMPLE_VALUES = 20_000_000
LEAST_ROWS = 1_000
"""Rows from which quantiles are taken: all up to SAMPLE_ROWS, fewer where that were more than SAMPLE_VALUES, but LEAST_ROWS always."""
MOST_VALUES = 100_000
"""Distinct values of a column that are counted one by one."""


def find_cuts(source: Source, screen: ColumnScreen, columns: Indices, discrete: Bools | None, bins: int) -> tuple[Cuts, Bools]:
    """Return where columns are cut, and which of them are measurements: cut at quantiles, so that their counts are an estimate.

    Parameters
    ----------
    screen : of the same source
    columns : numbers of the columns to cut
    discrete : (p,) which columns are cut between all their values; None: those with no more than `bins` distinct ones
    bins : cells of a measurement
    """
    levels = np.where(screen.broken == 0, screen.high - screen.low + 1.0, np.inf)
    in_a_row = levels <= bins if discrete is None else discrete & (levels <= MOST_VALUES)
    points: dict[int, Floats] = {int(j): np.arange(screen.low[j], screen.high[j]) for j in columns[in_a_row[columns]]}
    left = columns[~in_a_row[columns]]
    listed = left[:0] if discrete is None else left[discrete[left]]
    measured = np.setdiff1d(left, listed)
    points.update(_between_all(source, listed))
    at_quantiles, distinct = _at_quantiles(source, measured, bins)
    points.update(at_quantiles)
    if discrete is None:
        # Few values with fractions, 0.5, 1.0 and 1.5: each has a cell of its own then, and the counts are exact.
        measured = measured[distinct > bins]
    return Cuts(columns, [points[int(j)] for j in columns]), np.isin(columns, measured)


def _between_all(source: Source, columns: Indices) -> dict[int, Floats]:
    if len(columns) == 0:
        return {}
    found = source.reduce(DistinctValues.summarise(MOST_VALUES, columns)).values
    cuts = {}
    for j, values in zip(columns.tolist(), found, strict=True):
        if values is None:
            raise InputError(
                f"{source.column(j).capitalize()} is said to be discrete, but has more than {MOST_VALUES:,} distinct values; "
                "leave it out of discrete_features."
            )
        cuts[j] = values[:-1]
    return cuts


def _at_quantiles(source: Source, columns: Indices, bins: int) -> tuple[dict[int, Floats], Ints]:
    """Return the cuts, and the number of distinct values seen, of each column."""
    distinct = np.zeros(len(columns), dtype=np.int64)
    if len(columns) == 0:
        return {}, distinct
    rows = max(LEAST_ROWS, min(SAMPLE_ROWS, SAMPLE_VALUES // len(columns)))
    sample = source.reduce(RowSample.summarise(rows, columns))
    cuts = {}
    for c, (j, (values, weight)) in enumerate(zip(columns.tolist(), sample.columns(), strict=True)):
        cuts[j], distinct[c] = quantile_cuts(values, weight, bins), len(values)
    return cuts, distinct
