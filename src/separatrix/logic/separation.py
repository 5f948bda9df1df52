"""Whether the classes can be separated, by which columns, on which rows, and what to do then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from ..alerts import Alert
from ..argument_types import check_arguments
from ..array_types import Floats, Indices
from ..data import as_source
from ..errors import InputError
from ..notebook import Sentences
from ..solvers.rows import Rows
from ..solvers.separation import Configuration, configuration

SHOWN = 8
"""Rows and columns listed in a sentence."""
ADVICE = (
    "The maximum-likelihood estimate does not exist: without a penalty their coefficients grow without bound, and standard errors and "
    "p-values mean nothing. Use LogisticRegression(firth=True), whose estimate is always finite, or a finite C, such as C=1.0."
)


@dataclass(frozen=True, slots=True, eq=False)
class SeparationDiagnosis(Sentences):
    """How the rows of the classes lie; truthy if they are separated, completely or not quite.

    Attributes
    ----------
    kind : "complete", "quasi" or "overlap"
        Complete: a linear score puts every row strictly on the side of its class. Quasi: some rows strictly, the others on the
        boundary. Overlap: neither, and the maximum-likelihood estimate exists.
    columns : names (or numbers) of the columns whose coefficients are without bound
    alone : those of them that separate two classes completely by themselves
    rows, boundary_rows : numbers of the rows strictly on their side, and of those on a boundary
    pairs : pairs of classes between which rows are strictly on their side
    direction, intercept : (K − 1, p), (K − 1,) or None
        Add any multiple to the coefficients of the logits against the first class, and the likelihood does not fall.
    """

    kind: Literal["complete", "quasi", "overlap"]
    columns: tuple[Any, ...]
    alone: tuple[Any, ...]
    rows: Indices
    boundary_rows: Indices
    pairs: tuple[tuple[Any, Any], ...]
    direction: Floats | None
    intercept: Floats | None

    def __bool__(self) -> bool:
        return self.kind != "overlap"

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes that are separated from others."""
        return tuple(dict.fromkeys(label for pair in self.pairs for label in pair))

    @property
    def advice(self) -> str:
        """What to do; empty where nothing needs to be done."""
        return ADVICE if self else ""

    @property
    def text(self) -> str:
        """The finding and the advice, in sentences."""
        if not self:
            return "The classes overlap: no linear score separates rows, and the maximum-likelihood estimate exists."
        between = ", ".join(f"{a!r} and {b!r}" for a, b in self.pairs[:SHOWN])
        what = f"{'Columns' if len(self.columns) > 1 else 'Column'} {_listed([repr(c) for c in self.columns])}"
        if self.kind == "complete":
            found = f"Complete separation of {between}: {what} put every row strictly on the side of its class."
        else:
            total = len(self.rows) + len(self.boundary_rows)
            side = "their class" if self.direction is None or len(self.direction) == 1 else "their class against another"
            found = (
                f"Quasi-complete separation of {between}: {what} put {len(self.rows)} of {total} rows strictly on the side of {side} "
                f"(rows {_listed([str(i) for i in self.rows])}) and none on the wrong side."
            )
        does = "does" if self.kind == "complete" and len(self.pairs) == 1 else "separates two classes completely"
        alone = f" By itself each of these {does}: {_listed([repr(c) for c in self.alone])}." if self.alone else ""
        return f"{found}{alone} {ADVICE}"

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """The finding as an alert (SPX009); none where the classes overlap."""
        if not self:
            return ()
        why, do = ADVICE.split(" Use ")
        seen = self.text.removesuffix(f" {ADVICE}")
        subject = str((*self.alone, *self.columns, "")[0])
        return (Alert("SPX009", subject, seen, why, f"Use {do}"),)

    def __str__(self) -> str:
        return self.text


def separation(X: Any, y: Any = None, sample_weight: Any = None, *, fit_intercept: bool = True) -> SeparationDiagnosis:
    """Find out by linear programming whether classes are separated, before or after a fit, and by which columns and rows.

    With baseline logits γ_k against the first class (γ_0 = 0) the estimate does not exist if some γ ≠ 0 has
    (γ_(y_i) − γ_k)'(x_i, 1) ≥ 0 for every row i and class k, and > 0 for one.

    Parameters
    ----------
    X : array, sparse matrix or frame of n rows
    y : (n,) labels
    sample_weight : (n,) weights, optional
        Rows of weight 0 do not count.
    fit_intercept : bool
        Whether the scores have an intercept.

    Returns
    -------
    SeparationDiagnosis
        Truthy if separated; `.kind`, `.columns`, `.rows`, `.pairs`, `.text`.

    Examples
    --------
    >>> found = separation([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3]], ["a", "b", "a", "b", "b"])
    >>> found.kind, found.columns, found.rows.tolist()
    ('quasi', (0,), [3, 4])
    >>> print(found.text)
    Quasi-complete separation of 'a' and 'b': Column 0 put 2 of 5 rows strictly on the side of their class (rows 3, 4) and none on the ...

    References
    ----------
    Albert and Anderson (1984), On the existence of maximum likelihood estimates in logistic regression models, Biometrika 71.
    """
    check_arguments(separation, locals())
    source = as_source(X, y, sample_weight)
    rows = Rows.of(source)
    if rows.X is None or rows.codes is None or source.classes is None:
        raise InputError("separation reads all rows at once; pass an array, a frame or a sparse matrix, or a sample of the table.")
    weight = np.ones(len(rows.codes)) if rows.weight is None else rows.weight
    present = np.flatnonzero(np.bincount(rows.codes, weights=weight, minlength=len(source.classes)) > 0)
    if len(present) < 2:
        raise InputError(f"All rows are of class {source.classes.tolist()[present[0]]!r}; rows of two or more classes are needed.")
    kept = np.flatnonzero(weight > 0)
    codes = np.searchsorted(present, rows.codes[kept])
    labels = source.classes[present].tolist()
    names = list(range(source.n_features)) if source.feature_names is None else list(source.feature_names)
    return _diagnosis(rows.X[kept], codes, kept, labels, names, fit_intercept)


def _diagnosis(X: Any, codes: Indices, kept: Indices, labels: list[Any], names: list[Any], intercept: bool) -> SeparationDiagnosis:
    p, K = X.shape[1], len(labels)
    if K == 2:
        found = configuration(X, np.where(codes == 1, 1, -1), intercept=intercept)
        own, rival = codes, 1 - codes
        W, b = (None, None) if found.w is None else (found.w[None], np.array([found.w0]))
    else:
        centre = np.median(X, axis=0).astype(np.float64) if intercept and not sp.issparse(X) else np.zeros(p)
        Z, own, rival = _duels(X, codes, K, intercept, centre)
        found = configuration(Z, np.ones(len(own)), intercept=False)
        W, b = _of_duels(found, K, centre)
    n = len(codes)
    row = np.tile(np.arange(n), len(own) // n)
    strict = np.unique(row[found.strict_rows])
    boundary = np.setdiff1d(np.arange(n), strict)
    pairs = sorted({(int(min(a, c)), int(max(a, c))) for a, c in zip(own[found.strict_rows], rival[found.strict_rows])})
    columns = [] if W is None else np.flatnonzero((W != 0.0).any(axis=0)).tolist() if K > 2 else found.columns.tolist()
    alone = [names[j] for j in columns if _separates(X, j, codes, pairs)]
    return SeparationDiagnosis(
        kind=found.kind,
        columns=tuple(names[j] for j in columns),
        alone=tuple(alone) if intercept else (),
        rows=kept[strict],
        boundary_rows=kept[boundary],
        pairs=tuple((labels[a], labels[c]) for a, c in pairs),
        direction=W,
        intercept=b,
    )


def _duels(X: Any, codes: Indices, K: int, intercept: bool, centre: Floats) -> tuple[Any, Indices, Indices]:
    """Return a row (e_y − e_k) ⊗ (x − centre, 1) for each row and each of the K − 1 other classes k, and the classes y and k of each.

    Class 0 has no columns. The program that decides two classes then decides K.
    """
    n = X.shape[0]
    if not sp.issparse(X):
        X = X - centre
    rows = sp.csr_array(sp.hstack([sp.csr_array(X), np.full((n, 1), float(intercept))]) if intercept else sp.csr_array(X))
    own = np.tile(codes, K - 1)
    rival = np.concatenate([(codes + shift) % K for shift in range(1, K)])
    blocks = []
    for shift in range(1, K):
        other = (codes + shift) % K
        signs = [sp.diags_array((codes == k).astype(float) - (other == k)) @ rows for k in range(1, K)]
        blocks.append(sp.hstack(signs, format="csr"))
    return sp.vstack(blocks, format="csr"), own, rival


def _of_duels(found: Configuration, K: int, centre: Floats) -> tuple[Floats | None, Floats | None]:
    """Return weights (K − 1, p) and intercepts (K − 1,) of the direction, what is rounding set to 0."""
    if found.w is None:
        return None, None
    grid, p = found.w.reshape(K - 1, -1), len(centre)
    weights = np.zeros((K - 1, p))
    used = np.isin(np.arange(found.w.size), found.columns).reshape(grid.shape)[:, :p]
    weights[used] = grid[:, :p][used]
    return weights, (grid[:, p] if grid.shape[1] > p else np.zeros(K - 1)) - weights @ centre


def _separates(X: Any, j: int, codes: Indices, pairs: list[tuple[int, int]]) -> bool:
    """Whether a threshold on column j puts all rows of the two classes of a pair strictly on different sides."""
    x = X[:, [j]].toarray()[:, 0] if sp.issparse(X) else X[:, j]
    for a, b in pairs:
        u, v = x[codes == a], x[codes == b]
        if u.max() < v.min() or v.max() < u.min():
            return True
    return False


def _listed(items: list[str]) -> str:
    return ", ".join(items[:SHOWN]) + (f", … ({len(items)} in all)" if len(items) > SHOWN else "")
