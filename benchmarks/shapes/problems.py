"""Draws random problems: any number of rows, columns and classes, dense and sparse, in any units, with any trouble users have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

KINDS = ("dense", "float32", "one-hot", "tf-idf", "counts")
VALUES = 2e7
"""Stored values that a problem may have."""
SCORES = 2e7
"""Rows × classes that a problem may have, and columns × classes."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Rows, codes 0 … K − 1, weights or None, C, and what is hard about them."""

    seed: int
    number: int
    kind: str
    X: Any
    y: Any
    weight: Any
    C: float
    trouble: tuple[str, ...]

    @property
    def n_classes(self) -> int:
        """Number of classes K."""
        return int(self.y.max()) + 1

    @property
    def is_sparse(self) -> bool:
        return sp.issparse(self.X)

    @property
    def values(self) -> int:
        """Stored values."""
        return int(self.X.nnz if self.is_sparse else self.X.size)

    @property
    def nbytes(self) -> int:
        """Bytes of the rows."""
        return int(self.X.data.nbytes + self.X.indices.nbytes + self.X.indptr.nbytes if self.is_sparse else self.X.nbytes)

    @property
    def name(self) -> str:
        n, p = self.X.shape
        return f"{self.kind} {n:,} × {p:,}, K = {self.n_classes}, C = {self.C:.1e}" + "".join(f", {word}" for word in self.trouble)


def draw(seed: int, number: int, largest: float = VALUES) -> Shape:
    """Return the problem of a number, the same for the same seed."""
    rng = np.random.default_rng([seed, number])
    kind = str(rng.choice(KINDS, p=(0.4, 0.1, 0.2, 0.15, 0.15)))
    K = 2 if rng.random() < 0.5 else _between(rng, 3, 200)
    n = max(_between(rng, 50, 1_000_000), 5 * K)
    per_row = 1 if kind in ("dense", "float32") else _between(rng, 3, 60)
    p = _between(rng, 2 if per_row == 1 else 2 * per_row, 20_000)
    while n * (p if per_row == 1 else per_row) > largest or n * K > SCORES:
        n //= 2
    K = max(2, min(K, n // 5, int(SCORES) // p))
    X = ROWS[kind](rng, n, p, per_row)
    trouble, y, weight = [], _labels(rng, X, K), None
    if rng.random() < 0.25:
        trouble.append(units := f"units {10 ** rng.uniform(1, 6):.0e}")
        factors = float(units.split()[1]) ** rng.uniform(-0.5, 0.5, p)
        X = sp.csr_array(X @ sp.diags_array(factors)) if sp.issparse(X) else (X * factors).astype(X.dtype)
    if rng.random() < 0.2:
        trouble.append("separable")
    else:
        moved = rng.random(n) < rng.uniform(0.02, 0.4)
        y = np.where(moved, rng.integers(0, K, n), y)
    if rng.random() < 0.15:
        trouble.append("imbalanced")
        y = np.where((y == K - 1) & (rng.random(n) > max(1e-4, 10 / n)), 0, y)
    y[rng.permutation(n)[: 3 * K]] = np.tile(np.arange(K), 3)
    if rng.random() < 0.2:
        trouble.append("weights")
        weight = rng.gamma(2.0, 0.5, n)
    if sp.issparse(X):  # as vectorisers give them; liblinear takes no others
        X = sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)
    return Shape(seed, number, kind, X, y.astype(np.int64), weight, float(10 ** rng.uniform(-4, 6)), tuple(trouble))


def _between(rng: np.random.Generator, low: int, high: int) -> int:
    """Return a whole number from low to high whose logarithm is uniform."""
    return int(np.exp(rng.uniform(np.log(low), np.log(high + 1))))


def _labels(rng: np.random.Generator, X: Any, K: int) -> Any:
    """Return the class of largest score, scores linear in at most fifty columns."""
    p = X.shape[1]
    chosen = rng.permutation(p)[:50]
    part = X[:, chosen]
    part = part.toarray() if sp.issparse(part) else np.asarray(part, dtype=np.float64)
    part = part / np.maximum(part.std(axis=0), 1e-12)
    return (part @ rng.normal(size=(len(chosen), K)) + 1e-3 * rng.normal(size=(len(part), K))).argmax(axis=1)


def _dense(rng: np.random.Generator, n: int, p: int, per_row: int) -> Any:
    """Return normal or heavy-tailed columns, often correlated: a few factors whose sizes fall to 1/condition."""
    X = rng.standard_t(2, (n, p)) if rng.random() < 0.15 else rng.standard_normal((n, p))
    if rng.random() < 0.5:
        q = min(p, 20)
        sizes = 10 ** -np.linspace(0, rng.uniform(0, 6), q)
        X = X * sizes.min() + (rng.standard_normal((n, q)) * sizes) @ rng.standard_normal((q, p))
    return X + rng.choice([0.0, 0.0, 10.0])


def _float32(rng: np.random.Generator, n: int, p: int, per_row: int) -> Any:
    return _dense(rng, n, p, per_row).astype(np.float32)


def _one_hot(rng: np.random.Generator, n: int, p: int, per_row: int) -> Any:
    """Return the levels of `per_row` factors, levels of very unequal frequency."""
    edges = np.sort(rng.choice(np.arange(1, p), per_row - 1, replace=False)) if per_row > 1 else np.empty(0, int)
    first, width = np.append(0, edges), np.diff(np.append(np.append(0, edges), p))
    codes = first + np.floor(rng.random((n, per_row)) ** 2 * width).astype(int)
    return sp.csr_array((np.ones(n * per_row), codes.ravel(), np.arange(0, n * per_row + 1, per_row)), (n, p))


def _counts(rng: np.random.Generator, n: int, p: int, per_row: int) -> Any:
    """Return how often words occur, words drawn as in texts: few often, most rarely."""
    words = np.floor(p ** rng.random((n, per_row)) - 1).clip(0, p - 1).astype(int)
    X = sp.csr_array((np.ones(words.size), words.ravel(), np.arange(0, words.size + 1, per_row)), (n, p))
    X.sum_duplicates()
    return X


def _tf_idf(rng: np.random.Generator, n: int, p: int, per_row: int) -> Any:
    """Return rows of length 1 of counts weighted by log(n/number of rows with the word) + 1."""
    X = _counts(rng, n, p, per_row)
    rarity = np.log(n / np.maximum(np.bincount(X.indices, minlength=p), 1)) + 1.0
    X = sp.csr_array(X @ sp.diags_array(rarity))
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sp.csr_array(sp.diags_array(1.0 / np.maximum(lengths, 1e-300)) @ X)


ROWS = {"dense": _dense, "float32": _float32, "one-hot": _one_hot, "tf-idf": _tf_idf, "counts": _counts}
