"""The rows of a table as the parts that a model scores: means, spreads, values, neighbours, contributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from ..abilities.additive_scores import AdditiveScores, LinearScores, pairs
from ..array_types import Floats
from ..data import Block
from ..data.labels import Labels
from ..data.row_labels import row_labels
from ..errors import InputError
from ..inference.tables import Column, Table
from .encoded import CodedNaiveBayes, EncodedPipeline, column_labels
from .explained_rows import Spread, predict_rows
from .model_views import view_of
from .similar import row_columns


class ExplainedTable:
    """Rows of a table for a model of their parts.

    Parameters
    ----------
    model, encoding : as `encoded` returns them
    X : rows, as the model takes them
    reference : rows, (rows, labels) or None
    """

    def __init__(self, model: Any, encoding: EncodedPipeline | CodedNaiveBayes, X: Any, reference: Any = None) -> None:
        self.model, self.encoding, self.terms, self.X = model, encoding, encoding.terms, X
        self.view: AdditiveScores = view_of(model)
        self.parts: Any = encoding.encode(X)
        self.called: Any = None
        self.reference, self.labels = self._reference(reference)

    def _reference(self, reference: Any) -> tuple[Any, Labels | None]:
        if reference is None:
            return None, None
        rows, labels = reference if isinstance(reference, tuple) and len(reference) == 2 else (reference, None)
        self.called = row_labels(rows)
        found, given = self.encoding.encode(rows, "reference"), None if labels is None else Labels.of(labels)
        if given is not None and len(given) != found.shape[0]:
            raise InputError(f"reference has {found.shape[0]} rows and {len(given)} labels; give one label per row.")
        return found, given

    def mean(self) -> Floats:
        """Return the mean row of the parts; 0 for words, so that a word that is not there adds nothing."""
        rows, words = self.parts if self.reference is None else self.reference, self.terms.words
        if not self.view.relative or words.all():
            return np.zeros(len(words))
        if self.reference is None and rows.shape[0] == 1:
            raise InputError("Contributions are relative to a mean row, and the model does not remember it; pass reference=X_train.")
        return np.where(words, 0.0, np.asarray(rows.mean(axis=0)).ravel())

    def row(self, i: int) -> Floats:
        """Return the parts of one row."""
        x = self.parts[[i]]
        x = (x.toarray() if sp.issparse(x) else x)[0]
        bad = ~np.isfinite(x) & ~(self.view.takes_gaps & np.isnan(x))
        if bad.any():
            name = self.terms.names[self.terms.term[int(bad.argmax())]]
            raise InputError(f"Column {name!r} of this row is missing or infinite; fill it in first.")
        return np.asarray(x)

    def values(self, i: int, x: Floats) -> NDArray[Any]:
        """Return what the table holds for each term, (T,) objects, None where it is marked as missing; for words their numbers."""
        found, gaps = np.empty(len(self.terms.names), dtype=object), self.terms.gaps(x)
        if (self.terms.columns >= 0).any():
            one = _safe_indexing(self.X, [i])
            held = _held(one)
            place = {name: j for j, name in enumerate(column_labels(self.X) or [])}  # a table may have its columns in another order
            for t in [t for t in np.flatnonzero(self.terms.columns >= 0) if t not in gaps]:
                value = held[place.get(self.terms.names[t], self.terms.columns[t])]
                found[t] = value.item() if isinstance(value, np.generic) and value.dtype.kind != "M" else value
        for t, part in zip(self.terms.term, range(len(x)), strict=True):
            if self.terms.columns[t] < 0:
                found[t] = float(x[part])
        return found

    def similar(self, x: Floats, n: int, sd: Floats) -> Table:
        """Return the reference rows nearest to x, in standard deviations of each part, or in the words' own numbers."""
        if n < 1:
            raise InputError(f"neighbours={n!r}: at least one is needed.")
        units = np.where(self.terms.words, 1.0, np.where(sd > 0, 1.0 / np.where(sd > 0, sd, 1.0), 0.0))
        distances = _sparse_distances(self.reference, x, units) if sp.issparse(self.reference) else self._distances(x, units)
        nearest = np.argsort(distances, kind="stable")[:n]
        found = self.reference[nearest]
        columns = [*row_columns(self.called, nearest), Column("distance", distances[nearest], ".4g")]
        if self.labels is not None:
            columns.append(Column("class", [self.labels.classes[self.labels.codes(int(i), int(i) + 1)[0]] for i in nearest]))
        dense = found.toarray() if sp.issparse(found) else found
        columns.append(Column("predicted", predict_rows(self.model, dense).tolist()))
        return Table("Reference rows most like this one", tuple(columns), self._units())

    def _units(self) -> str:
        return (
            "Distances in the words' own numbers." if self.terms.words.all() else "Distances in standard deviations; a level counts as one."
        )

    def _distances(self, x: Floats, units: Floats) -> Floats:
        away = (self.reference - x) * units
        coded = np.array([part.kind == "code" for part in self.terms.parts])
        away[:, coded] = self.reference[:, coded] != x[coded]
        gap = np.isnan(self.reference) | np.isnan(x)
        distances: Floats = np.linalg.norm(np.where(gap, 0.0, away), axis=1)  # a value that is missing is no difference
        return distances

    def spread(self, needed: bool) -> Floats:
        """Return the standard deviation of each part, 0 where it is not needed and not known."""
        rows = self.parts if self.reference is None else self.reference
        n = rows.shape[0]
        if n == 1:
            if needed:
                raise InputError(
                    "distance='standardised' needs the spread of the columns: pass reference=X_train, or distance='euclidean'."
                )
            return np.zeros(rows.shape[1])
        if sp.issparse(rows):
            mean = np.asarray(rows.mean(axis=0)).ravel()
            squares = n * (np.asarray(rows.multiply(rows).mean(axis=0)).ravel() - mean**2)
            return np.asarray(np.sqrt(np.maximum(squares, 0.0) / (n - 1.0)))
        there = ~np.isnan(rows)
        count = np.maximum(there.sum(axis=0), 1)
        mean = np.where(there, rows, 0.0).sum(axis=0) / count
        return Spread(0.0, mean, np.where(there, (rows - mean) ** 2, 0.0).sum(axis=0)).over(count)


def _held(one: Any) -> Any:
    """Return the values of a table of one row."""
    if hasattr(one, "to_pylist"):  # np.asarray of an Arrow table takes a gap of a dictionary for its last level
        return [column[0].as_py() for column in one.columns]
    return (one.toarray() if sp.issparse(one) else np.asarray(one, dtype=object))[0]


def _sparse_distances(rows: Any, x: Floats, units: Floats) -> Floats:
    scaled, own = sp.csr_array(rows.multiply(units[None])), x * units
    squares = np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel()
    distances: Floats = np.sqrt(np.maximum(squares - 2.0 * (scaled @ own) + own @ own, 0.0))
    return distances


def table_contributions(table: ExplainedTable, pair: tuple[int | None, int | None]) -> Any:
    """Return what each term adds, (n, T), for every row; sparse where some terms are words."""
    parts, mean, words = table.parts, table.mean(), table.terms.words
    if not isinstance(table.view, LinearScores):
        block, found = Block(parts), np.empty(parts.shape)
        table.view.parts(block, *pairs(table.view, block, pair), mean, found)
        return np.asarray(table.terms.folded(found))
    of, against = pairs(table.view, Block(parts), pair)
    weights = table.view.weights
    if not words.any():
        dense = parts.toarray() if sp.issparse(parts) else parts
        return np.asarray(table.terms.folded((dense - mean) * (weights[of] - weights[against])))
    rows = sp.csr_array(parts)
    fill = weights[of, :][:, ~words] - weights[against, :][:, ~words]
    others = sp.csr_array((rows[:, ~words].toarray() - mean[~words]) * fill)
    own = sp.coo_array(rows[:, words])
    factor = weights[:, words]
    data = own.data * (factor[of[own.row], own.col] - factor[against[own.row], own.col])
    told = sp.csr_array((data, (own.row, own.col)), shape=own.shape)
    order = np.argsort(np.concatenate([np.flatnonzero(~words), np.flatnonzero(words)]))
    return sp.csr_array(table.terms.folded(sp.hstack([others, told], format="csr")[:, order]))


def column_table(table: ExplainedTable) -> Table:
    """Return how much each column moves the score, over all rows: the mean size of what it adds, the largest first; a text as a whole."""
    each, terms = table_contributions(table, (1, 0) if len(table.model.classes_) == 2 else (None, None)), table.terms
    owners = {int(t): part.text or terms.names[t] for t, part in zip(terms.term, terms.parts, strict=True)}
    names = list(dict.fromkeys(owners.values()))
    place = np.array([names.index(owner) for owner in owners.values()], dtype=np.intp)
    together = sp.csr_array((np.ones(len(owners)), (list(owners), place)), shape=(len(terms.names), len(names)))
    size = np.asarray(abs(each @ together).mean(axis=0)).ravel()
    order = np.argsort(-size, kind="stable")
    columns = (Column("column", [names[i] for i in order]), Column("mean contribution", size[order], ".4f"))
    beside = " beside its mean," if table.view.relative else ""
    note = f"The size of what a column adds to the score of one class against the other,{beside} on average over these rows."
    return Table("How much each column moves the decision", columns, note)
