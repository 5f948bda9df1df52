"""Leverage, residuals and influence of single rows in logistic regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_types import Codes, Floats
from ..data import Block
from ..loading import maker
from ..notebook import view
from ..solvers.smooth.firth import probabilities, quadratic_forms
from ..solvers.smooth.likelihood import Likelihood
from ..solvers.smooth.objective import TILE_VALUES
from .logistic import FisherInformation
from .tables import Column, Table


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """What single rows do to a fit; row i is left out with all its weight.

    Attributes
    ----------
    leverage : (n,) h_i = s_i tr(D_i Q_i), summing to the number of coefficients
    cook : (n,) Δ'IΔ/(number of coefficients), Δ the one-step change of the coefficients when the row is left out
    pearson : (n,) (y − p)/√(p(1 − p)); for K > 2 √Σ_k (y_k − p_k)²/p_k
    deviance : (n,) ±√(−2 log p of the row's class); for K > 2 without sign
    dfbetas : (n, m, q) Δ divided by the standard errors; intercepts (at x = 0) in the last column; None where not asked
    labels : (n,) of the rows, where the index of a frame has some

    Examples
    --------
    >>> found = Influence(np.array([0.2, 0.8]), np.array([0.1, 3.0]), np.array([0.5, -2.0]), np.array([0.4, -1.5]), None)
    >>> print(found.table(1).text)
    Rows of greatest influence
    row   Cook  leverage  Pearson  deviance
    1    3.000    0.8000   -2.000    -1.500
    """

    leverage: Floats
    cook: Floats
    pearson: Floats
    deviance: Floats
    dfbetas: Floats | None
    labels: Any = None

    def _repr_html_(self) -> str:
        return view(self.table().html)

    def chart(self) -> Any:
        """Return leverage, residuals and Cook's distances as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.diagnostics.influence")(self)

    def table(self, most: int = 10) -> Table:
        """Return the rows with the largest Cook distances, numbered from 0."""
        most = min(most, len(self.cook))
        rows = np.sort(np.argpartition(-self.cook, most - 1)[:most])  # a sort of all rows would cost more than the pass
        rows = rows[np.argsort(-self.cook[rows], kind="stable")]
        values = [("Cook", self.cook, ".3f"), ("leverage", self.leverage, ".4f"), ("Pearson", self.pearson, ".3f")]
        columns = [Column(name, value[rows], form) for name, value, form in [*values, ("deviance", self.deviance, ".3f")]]
        labels = [] if self.labels is None else [Column("label", [self.labels[int(i)] for i in rows])]
        return Table("Rows of greatest influence", (Column("row", rows), *labels, *columns))


def influence(likelihood: Likelihood, fisher: FisherInformation, inverse: Floats, dfbetas: bool = True) -> Influence:
    """Return the influence of every row, from one pass.

    With Q = (I⊗z)'V(I⊗z), D = diag(p) − pp' and r = y − p: e = (I − sDQ)⁻¹ s r, Δ = V(I⊗z)e, Cook = e'Qe/(mq). With two classes
    these are Pregibon's: h = s p(1 − p) z'Vz, Cook = r_P² h/(1 − h)²/q.

    Parameters
    ----------
    likelihood, fisher : of the rows, and of the fit
    inverse : (mq, mq) V = I⁻¹, intercepts at the centre
    dfbetas : bool
        Whether to compute these too: n(K − 1)(p + 1) numbers.

    References
    ----------
    Pregibon (1981), Logistic regression diagnostics, Annals of Statistics 9.
    """
    m, q = fisher.gamma.shape
    one = float(fisher.fit_intercept)
    V = inverse.reshape(m, q, m, q)
    errors = np.sqrt(np.diag(fisher.at_zero(inverse))).reshape(m, q)

    def part(block: Block) -> list[tuple[Floats, ...]]:
        found = []
        for tile in block.tiles(max(TILE_VALUES // (m * q), 256)):
            Z = np.column_stack([tile.dense().astype(np.float64, copy=False) - fisher.centre, np.full(tile.n_rows, one)])
            assert tile.codes is not None
            found.append(_of_tile(Z, tile.codes, tile.weight, fisher, V, errors if dfbetas else None))
        return found

    parts = [values for chunk in likelihood.problem.rows.map(part) for values in chunk]
    merged = [np.concatenate(values) for values in zip(*parts, strict=True)]
    leverage, cook, pearson, deviance = merged[:4]
    return Influence(leverage, cook, pearson, deviance, merged[4] if dfbetas else None)


def hat(P: Floats, Q: Floats, s: Floats) -> Floats:
    """Return s (diag(p) − pp') Q (n, R, R) of each row: its trace is the leverage."""
    return np.asarray(s[:, None, None] * P[:, :, None] * (Q - np.einsum("il,ilk->ik", P, Q)[:, None, :]))


def leverage_removed(DQ: Floats, r: Floats) -> Floats:
    """Return (I − DQ)⁻¹r (n, R) of each row: what its own pull on the fit had hidden."""
    if r.shape[1] == 1:
        return np.asarray(r / (1.0 - DQ[:, :, 0]))  # many systems of one equation are slow to solve one by one
    return np.asarray(np.linalg.solve(np.eye(r.shape[1]) - DQ, r[:, :, None])[:, :, 0])


def _of_tile(
    Z: Floats, codes: Codes, weight: Floats | None, fisher: FisherInformation, V: Floats, errors: Floats | None
) -> tuple[Floats, ...]:
    m, q = fisher.gamma.shape
    P = probabilities(Z @ fisher.gamma.T)
    first = np.maximum(1.0 - P.sum(axis=1), np.finfo(float).tiny)
    s = np.ones(len(Z)) if weight is None else weight
    Q = quadratic_forms(Z, V)
    r = (codes[:, None] == np.arange(1, m + 1)) - P
    own = np.where(codes == 0, first, np.take_along_axis(P, np.maximum(codes[:, None] - 1, 0).astype(np.intp), axis=1)[:, 0])
    DQ = hat(P, Q, s)
    e = leverage_removed(DQ, s[:, None] * r)
    leverage = np.einsum("ikk->i", DQ)
    cook = np.einsum("ik,ikl,il->i", e, Q, e) / fisher.n_parameters
    deviance = np.sqrt(np.maximum(0.0, -2.0 * np.log(own)))
    if m == 1:
        pearson, deviance = r[:, 0] / np.sqrt(P[:, 0] * first), np.where(codes == 1, deviance, -deviance)
    else:
        pearson = np.sqrt(1.0 / own - 1.0)  # Σ_k (y_k − p_k)²/p_k = 1/p_y − 1
    found = leverage, cook, pearson, deviance
    if errors is None:
        return found
    change = np.zeros((len(Z), m, q))
    for k in range(m):
        change += ((Z * e[:, k, None]) @ V[:, :, k].transpose(2, 0, 1).reshape(q, -1)).reshape(change.shape)
    change[..., -1] -= change[..., :-1] @ fisher.centre
    if not fisher.fit_intercept:
        change = change[..., :-1]
        errors = errors[:, :-1]
    return (*found, change / errors)
