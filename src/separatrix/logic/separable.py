"""Whether the classes of a data set can be separated by hyperplanes, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.array_types import Indices
from separatrix.errors import InputError

from ..notebook import Sentences

if TYPE_CHECKING:
    from separatrix.solvers.separation import Separation

SHOWN = 8
"""Rows of one class listed in a sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Separability(Sentences):
    """Truthy if every pair of classes is separable.

    Attributes
    ----------
    pairs : dict {(a, b): Separation}
        With f > 0 on the rows of b and f < 0 on those of a, or with a conflict whose rows are numbered as in X.
    """

    pairs: dict[tuple[Any, Any], Separation]

    def __bool__(self) -> bool:
        return all(self.pairs.values())

    @property
    def conflicting_rows(self) -> Indices:
        """The rows of X in the conflicts, in order: one proof per pair, not all rows that could be in one."""
        found = [pair.conflict for pair in self.pairs.values() if pair.conflict is not None]
        rows = [part for conflict in found for part in (conflict.negative_rows, conflict.positive_rows)]
        return np.unique(np.concatenate(rows)) if rows else np.empty(0, dtype=np.intp)

    def __str__(self) -> str:
        if self:
            classes = list(dict.fromkeys(label for pair in self.pairs for label in pair))
            names = f"{', '.join(map(repr, classes[:-1]))} and {classes[-1]!r}"
            return f"{names} are linearly separable{', pair by pair' * (len(classes) > 2)}."
        return "\n".join(_sentence(a, b, pair) for (a, b), pair in self.pairs.items() if not pair)


def is_separable(X: Any, y: Any, sample_weight: Any = None) -> Separability:
    """Decide by linear programming whether a hyperplane separates each pair of classes, and prove the answer.

    A pair is separable if some f(x) = w'x + w0 is ≥ 1 on one class and ≤ −1 on the other; it is not if a mixture of
    rows of one class, with weights that sum to 1, is the same point as a mixture of rows of the other.

    Parameters
    ----------
    X : array-like, data frame or scipy sparse of shape (n, p)
    y : array-like of shape (n,)
        Labels of two or more classes.
    sample_weight : array-like of shape (n,), optional
        Rows of weight 0 do not count.

    Examples
    --------
    >>> print(is_separable([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]))
    'no' and 'yes' are not linearly separable: a mixture of rows 0 and 3 ('no') is the same point
    as a mixture of rows 1 and 2 ('yes').
    >>> is_separable([[0, 1], [1, 2], [1, 0]], ["a", "a", "b"]).pairs["a", "b"].w.round(6)
    array([ 0., -2.])

    References
    ----------
    Boyd and Vandenberghe, Convex Optimization, Cambridge 2004, section 8.6.
    """
    from separatrix.data.arrays import as_array, with_rows
    from separatrix.data.labels import Labels
    from separatrix.data.opening import check_weights
    from separatrix.solvers.separation import separate

    matrix = with_rows(X) if hasattr(X, "tocsr") else as_array(X)
    labels = Labels.of(np.asarray(y))
    if matrix.shape[:1] != (len(labels),):
        raise InputError(f"X has shape {matrix.shape} and y {len(labels)} labels; give one label per row of X.")
    weight = check_weights(sample_weight, len(labels))
    codes, classes = labels.codes(0, len(labels)), labels.classes.tolist()
    rows = [np.flatnonzero((codes == k) & (weight is None or weight > 0)) for k in range(len(classes))]
    present = [k for k in range(len(classes)) if rows[k].size]
    if len(present) < 2:
        raise InputError(f"All rows are of class {classes[present[0]]!r}; rows of two or more classes are needed.")
    pairs = {}
    for a, b in combinations(present, 2):
        found = separate(positive=matrix[rows[b]], negative=matrix[rows[a]])
        if (clash := found.conflict) is not None:
            i, j = rows[b][clash.positive_rows], rows[a][clash.negative_rows]
            found = replace(found, conflict=replace(clash, positive_rows=i, negative_rows=j))
        pairs[classes[a], classes[b]] = found
    return Separability(pairs)


def _sentence(a: Any, b: Any, pair: Separation) -> str:
    assert pair.conflict is not None
    left, right = _side(pair.conflict.negative_rows.tolist(), a), _side(pair.conflict.positive_rows.tolist(), b)
    return f"{a!r} and {b!r} are not linearly separable: {left} is the same point as {right}."


def _side(rows: Sequence[int], label: Any) -> str:
    if len(rows) == 1:
        return f"row {rows[0]} ({label!r})"
    if len(rows) > SHOWN:
        return f"a mixture of {len(rows)} rows ({label!r}: {', '.join(map(str, rows[:SHOWN]))}, …)"
    return f"a mixture of rows {', '.join(map(str, rows[:-1]))} and {rows[-1]} ({label!r})"
