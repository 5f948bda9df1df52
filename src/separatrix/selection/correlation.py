"""Filters by differences of class means: correlation with the label, and the F test of an analysis of variance."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..array_types import Floats
from ..data import Source
from ..inference.class_differences import ColumnTests, moment_tests
from ..summaries import ClassMoments
from .filter import Filter


def _tests(source: Source) -> tuple[ClassMoments, ColumnTests]:
    """Return moments of the classes and the tests of the columns; those of a constant column are NaN."""
    moments = source.reduce(ClassMoments.summarise(source.classes, "diagonal"))
    if not moments.is_finite:
        source.refuse_nonfinite()
    return moments, moment_tests(moments.counts, moments.means, moments.to_diagonal_sums())


def _pvalues(tests: ColumnTests) -> Floats:
    return np.where(np.isnan(tests.r2), 1.0, tests.p)


class CorrelationFilter(Filter):
    """Keep the columns most correlated with the label, whatever the sign.

        two classes:  r_j = cov(x_j, y)/√(var(x_j) var(y)), y = 1 in `classes[1]`        more:  η_j = √(SSB_j/SST_j)

    With two classes η = |r|. The p-values are those of the F test that all class means are equal. A constant column has score 0.

    Parameters
    ----------
    k : int (count) or float (share of the columns), optional
        How many columns to keep, the best. Where none of k, threshold and fdr is given, half of them are kept.
    threshold : float, optional
        The least absolute score of a column that is kept.
    fdr : float, optional
        Expected share of columns kept that say nothing about the label (Benjamini and Hochberg).
    max_correlation : float, optional
        Skip a column whose absolute correlation with a better one that is kept is above this; `skipped_` says for which.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    scores_ : (p,) r or η
    pvalues_ : (p,)
    skipped_ : dict {column skipped: column kept in its place}
    support_ : (p,) booleans

    Examples
    --------
    >>> X, y = [[0, 5], [1, 3], [1, 5], [2, 3]], ["no", "no", "yes", "yes"]
    >>> CorrelationFilter(k=1).fit(X, y).scores_.round(4)
    array([0.7071, 0.    ])

    References
    ----------
    Guyon and Elisseeff (2003), An introduction to variable and feature selection, Journal of Machine Learning Research 3. Benjamini and
    Hochberg (1995), Controlling the false discovery rate, Journal of the Royal Statistical Society B 57.
    """

    _score_name: ClassVar[str] = "correlation"

    def _scores(self, source: Source) -> tuple[Floats, Floats | None]:
        moments, tests = _tests(source)
        scores = np.sqrt(np.where(np.isnan(tests.r2), 0.0, tests.r2))
        seen = np.flatnonzero(moments.counts > 0)
        if len(seen) == 2:
            scores = np.where(moments.means[seen[1]] < moments.means[seen[0]], -scores, scores)
        return scores, _pvalues(tests)


class AnovaFilter(Filter):
    """Keep the columns whose class means differ most, in units of their spread within classes.

        F_j = (SSB_j/(K − 1)) / (SSW_j/(n − K))

    Parameters
    ----------
    k, threshold, fdr, max_correlation, n_jobs : as in :class:`CorrelationFilter`, which ranks columns the same way

    Attributes
    ----------
    scores_ : (p,) F, infinite where a column does not vary within classes, 0 where it does not vary at all
    pvalues_ : (p,)
    skipped_ : dict {column skipped: column kept in its place}
    support_ : (p,) booleans

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> AnovaFilter(k=2).fit(*load_iris(return_X_y=True)).scores_.round(1)
    array([ 119.3,   49.2, 1180.2,  960. ])

    References
    ----------
    Fisher (1925), Statistical Methods for Research Workers, Oliver and Boyd.
    """

    _score_name: ClassVar[str] = "F"

    def _scores(self, source: Source) -> tuple[Floats, Floats | None]:
        _, tests = _tests(source)
        # Without degrees of freedom left F does not exist; the order of the columns is that of R² all the same.
        scores = tests.F if tests.df2 > 0 else tests.r2
        return np.where(np.isnan(scores), 0.0, scores), _pvalues(tests)
