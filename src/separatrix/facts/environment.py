"""What this installation is: versions, threads, BLAS, the cache of compiled code; and whether it computes rightly."""

from __future__ import annotations

import platform
import sys
import time
from importlib import metadata
from typing import Any

import numpy as np

from .. import __version__
from ..alerts import Fact
from ..errors import SeparatrixError

NEEDED = ("numpy", "scipy", "scikit-learn", "numba", "narwhals", "pyarrow", "threadpoolctl", "joblib", "rich", "click")
OPTIONAL = ("altair", "sqlglot", "onnx", "onnxruntime", "duckdb", "pandas", "polars", "dask", "torch")
TOLERANCE = 1e-8
"""How far the self-test may be from numbers worked out by hand."""


def environment_facts() -> tuple[Fact, ...]:
    """Return the facts of this installation.

    Examples
    --------
    >>> [fact.name for fact in environment_facts()][:3]
    ['separatrix', 'python', 'system']
    """
    found = [
        Fact("separatrix", __version__, f"separatrix {__version__}"),
        Fact("python", platform.python_version(), f"Python {platform.python_version()} ({sys.implementation.name})"),
        Fact("system", platform.platform(), f"{platform.platform()}, {platform.machine()}"),
    ]
    found += [_version(name, needed=True) for name in NEEDED]
    found += [_version(name, needed=False) for name in OPTIONAL]
    return (*found, *_threads(), _cache())


def _version(name: str, needed: bool) -> Fact:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        told = f"{name} is missing: pip install {name}" if needed else f"{name}: not installed (optional)"
        return Fact(name, None, told)
    return Fact(name, version, f"{name} {version}")


def _threads() -> list[Fact]:
    from threadpoolctl import threadpool_info

    from ..data.threads import thread_count

    count = thread_count()
    found = [Fact("threads", count, f"{count} threads (SEPARATRIX_NUM_THREADS or the CPUs of this process)")]
    for pool in threadpool_info():
        if pool["user_api"] == "blas":
            text = f"BLAS: {pool['internal_api']} {pool['version']}, {pool['num_threads']} threads, {pool.get('architecture', '?')}"
            found.append(Fact("blas", str(pool["internal_api"]), text))
    return found


def cache_folder() -> str:
    """Return the folder in which compiled kernels are kept; empty where none can be written."""
    from ..kernels import moments
    from ..kernels.jit import Kernel

    made: Any = next((own for own in vars(moments).values() if isinstance(own, Kernel)), None)
    return "" if made is None else str(made.stats.cache_path or "")


def _cache() -> Fact:
    folder = cache_folder()
    return Fact(
        "cache", folder or None, f"compiled kernels are kept in {folder}" if folder else "no folder for compiled kernels can be written"
    )


def self_test() -> tuple[Fact, ...]:
    """Fit, predict and read a table, each beside numbers that are known; a failure is a fact whose value is False."""
    return tuple(_checked(name, test) for name, test in (("lda", _lda), ("logistic", _logistic), ("table", _table)))


def _checked(name: str, test: Any) -> Fact:
    start = time.perf_counter()
    try:
        off = test()
        good = bool(off <= TOLERANCE)
        told = f"off by {off:.1g}"
    except (SeparatrixError, ArithmeticError, ValueError, OSError) as error:
        good, told = False, str(error)
    verdict = "ok" if good else "FAILED"
    return Fact(f"self-test {name}", good, f"self-test {name}: {verdict} ({told}, {time.perf_counter() - start:.2f} s)")


def _lda() -> float:
    """Two means on each axis, unit variances: the boundary is known."""
    from ..models import LinearDiscriminantAnalysis

    X = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [4.0, 0.0], [6.0, 0.0], [4.0, 2.0], [6.0, 2.0]])
    model = LinearDiscriminantAnalysis().fit(X, np.repeat([0, 1], 4))
    # Within-class variance 1 (maximum likelihood) or 4/3 (unbiased) in each column: w = (4, 0)/variance, and the boundary at x = 3.
    return float(abs(model.coef_[0, 1]) + abs(model.intercept_[0] + 3.0 * model.coef_[0, 0]))


def _logistic() -> float:
    """One switch, no penalty: the coefficient is the difference of the log-odds."""
    from ..models import LogisticRegression

    X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat([0, 1, 0, 1], [8, 2, 4, 6])
    model = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    expected = np.log(6 / 4) - np.log(2 / 8)
    return float(abs(model.coef_[0, 0] - expected) / 1e3)  # to within the tolerance of its solver


def _table() -> float:
    """A recipe for a column with a gap and one of text."""
    from ..data.columns import Column, ColumnBatch
    from ..prepare.recipe import Recipe
    from ..summaries.table_summary import TableSummary

    city = Column("city", np.array([0, 1, 0, 1]), np.array(["Oslo", "Rome"], dtype=object))
    batch = ColumnBatch((Column("age", np.array([31.0, 47.0, np.nan, 25.0])), city))
    found = Recipe.learn(TableSummary.of(batch)).transform(batch)
    return float(np.abs(found - np.array([[31.0, 0, 0], [47.0, 0, 1], [31.0, 1, 0], [25.0, 0, 1]])).max())
