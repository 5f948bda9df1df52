"""How much a column of categories says about the class, in nats, from a table of counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, xlogy

from ..array_types import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class MutualInformation:
    """Mutual information of columns with the class.

    Attributes
    ----------
    nats : (p,) as the counts have it, and never below 0
    bias : (p,) by how much it is expected to be too large (Miller and Madow), −(m_x + m_y − m_xy − 1)/(2n) with m the occupied cells
    p : (p,) of the test G = 2n·I ~ χ²((m_x − 1)(m_y − 1)) that column and class are independent
    """

    nats: Floats
    bias: Floats
    p: Floats

    @property
    def corrected(self) -> Floats:
        """The estimate without its bias, (p,), and never below 0."""
        return np.maximum(self.nats - self.bias, 0.0)


def mutual_information(cells: Floats, starts: Ints) -> MutualInformation:
    """Return the mutual information of each column with the class.

        I = Σ P(x, y) log P(x, y)/(P(x)P(y)) = Σ_kc (N_kc/n) log(N_kc n/(N_k· N_·c))

    Parameters
    ----------
    cells : (K, Σ L_j) weighted counts, the cells of all p columns side by side
    starts : (p + 1,) where each column's cells begin; every column has one at least

    Examples
    --------
    >>> found = mutual_information(np.array([[2.0, 2.0, 4.0, 0.0], [2.0, 2.0, 0.0, 4.0]]), np.array([0, 2, 4]))
    >>> found.nats
    array([0.        , 0.69314718])

    References
    ----------
    Cover and Thomas (2006), Elements of Information Theory, chapter 2. Miller (1955), Note on the bias of information estimates.
    """
    first = starts[:-1]
    by_class = np.add.reduceat(cells, first, axis=1)
    n = by_class.sum(axis=0)
    column = np.repeat(np.arange(len(first)), np.diff(starts))
    totals = cells.sum(axis=0)
    # As one ratio: where class and column are independent, it is 1 and its logarithm 0 to the last bit.
    expected = by_class[:, column] * totals
    ratio = np.divide(cells * n[column], expected, out=np.ones_like(cells), where=expected > 0)
    nats = np.maximum(np.add.reduceat(xlogy(cells, ratio).sum(axis=0), first) / n, 0.0)
    occupied = np.add.reduceat((totals > 0).astype(np.float64), first)
    classes = (by_class > 0).sum(axis=0)
    both = np.add.reduceat((cells > 0).sum(axis=0).astype(np.float64), first)
    freedom = (occupied - 1.0) * (classes - 1.0)
    p = np.where(freedom > 0, chdtrc(np.maximum(freedom, 1.0), 2.0 * n * nats), 1.0)
    return MutualInformation(nats, (both + 1.0 - occupied - classes) / (2.0 * n), p)
