"""Counts, means and scatters of the classes: all that a Gaussian or a linear closed-form model needs of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..argument_types import check_arguments
from ..array_types import Floats, Ints
from ..data import Block, as_source
from ..data.sum_engine import SumEngine
from ..errors import CapacityError, InputError, InputTypeError
from ..thresholds import physical_memory
from .grouped import Grouping, grouped_moments, rows_per_class
from .remainder import ROUNDING, never_learned, remaining
from .stored import Stored, announce, require_array, require_classes

Kind = Literal["full", "pooled", "diagonal"]
KINDS: tuple[Kind, ...] = ("full", "pooled", "diagonal")

TINY = float(np.finfo(np.float64).tiny)
"""Smallest divisor."""
NOISE = 32.0 * float(np.finfo(np.float64).eps)
"""Rounding errors of a subtraction, in units of the numbers it subtracts."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassMoments(Stored):
    """Weighted counts, means and centred scatters of K classes in p columns.

        counts_k = Σ w_i    means_k = Σ w_i x_i / counts_k    W_k = Σ w_i (x_i − means_k)(x_i − means_k)'    (i in class k)

    Merging uses Chan's correction, never raw sums: with N = n_a + n_b and δ = m_b − m_a,
    m = m_a + δ n_b/N and W = W_a + W_b + δδ' n_a n_b/N. All sums are float64, whatever the data.

    Attributes
    ----------
    classes : (K,) labels in sorted order
    counts : (K,) sums of weights
    means : (K, p); zeros for a class without rows
    scatter : (K, p, p) for kind "full", (p, p) = Σ W_k for "pooled", (K, p) of the diagonals for "diagonal"
    kind : "full", "pooled" or "diagonal"
    rows : (K,) numbers of rows that have a weight
    feature_names : names of the columns, where they have any
    recipe : hash of the recipe by which the columns were made, where there is one

    Examples
    --------
    >>> moments = ClassMoments.from_data([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2], pooled=True)
    >>> moments.means.tolist(), moments.scatter.tolist()
    ([[4.0, 2.0], [2.0, 5.0]], [[4.0, 2.0], [2.0, 2.0]])

    References
    ----------
    Chan, Golub and LeVeque (1983), Algorithms for computing the sample variance, The American Statistician 37.
    """

    classes: NDArray[Any]
    counts: Floats
    means: Floats
    scatter: Floats
    kind: Kind
    rows: Ints
    feature_names: tuple[str, ...] | None = None
    recipe: str | None = None

    @classmethod
    def from_data(cls, X: Any, y: Any = None, sample_weight: Any = None, pooled: bool = False, diagonal: bool = False) -> ClassMoments:
        """Summarise rows in memory or a table (then without y); `diagonal` keeps variances only."""
        check_arguments(ClassMoments.from_data, locals())
        source = as_source(X, y, sample_weight)
        kind: Kind = "diagonal" if diagonal else "pooled" if pooled else "full"
        moments = source.reduce(cls.summarise(source.classes, kind))
        if not moments.is_finite:
            source.refuse_nonfinite()
        return replace(moments, feature_names=source.feature_names)

    @classmethod
    def summarise(cls, classes: Any, kind: Kind) -> MomentsPass:
        """Return the pass: a function from a block to its moments."""
        K = len(classes)
        n_slots = K if kind == "full" else 1
        slots = np.arange(K) if kind == "full" else np.zeros(K, dtype=np.int64)
        return MomentsPass(classes, kind, Grouping(K, slots, n_slots, diagonal=kind == "diagonal"))

    @classmethod
    def empty(cls, classes: Any, n_features: int, kind: Kind) -> Self:
        """Return the moments of no rows."""
        K, p = len(classes), n_features
        scatter = np.zeros(scatter_shape(kind, K, p))
        return cls(np.asarray(classes), np.zeros(K), np.zeros((K, p)), scatter, kind, np.zeros(K, dtype=np.int64))

    @property
    def n_features(self) -> int:
        """Number of columns p."""
        p: int = self.means.shape[1]
        return p

    @property
    def is_finite(self) -> bool:
        """False if any value summarised was NaN or infinite, or so large that the total sums of squares are infinite."""
        # The scatter says nothing of how far apart the means are; einsum adds up without numpy's warnings.
        between = np.einsum("k,kj,kj->", self.counts, self.means, self.means)
        return bool(np.isfinite(between)) and bool(np.isfinite(self.scatter).all())

    def merge(self, other: Self) -> Self:
        """Return the moments of both sets of rows together."""
        self._check_fits(other)
        counts = self.counts + other.counts
        share = other.counts / np.where(counts > 0, counts, 1.0)
        delta = other.means - self.means
        means = np.where(self.counts[:, None] > 0, self.means + share[:, None] * delta, other.means)
        scatter = self._moved(self.scatter + other.scatter, self.counts * share, delta)
        names, recipe = self._same_columns(other)
        rows = self.rows + other.rows
        return replace(self, counts=counts, means=means, scatter=scatter, rows=rows, feature_names=names, recipe=recipe)

    def subtract(self, other: Self) -> Self:
        """Return the moments without rows that are really among those summarised; the inverse of `merge`."""
        self._check_fits(other)
        counts, rows = remaining(self.classes, self.counts, self.rows, other.counts, other.rows)
        share = other.counts / np.where(counts > 0, counts, 1.0)
        means = np.where(counts[:, None] > 0, self.means + share[:, None] * (self.means - other.means), 0.0)
        delta = np.where(counts[:, None] > 0, other.means - means, 0.0)
        apart = counts * (other.counts / np.where(self.counts > 0, self.counts, 1.0))
        scatter = self._moved(self.scatter - other.scatter, -apart, delta)
        left = replace(self, counts=counts, means=means, scatter=scatter, rows=rows)
        left._check_remainder(self, other)
        return left._without_noise(self, other)

    def _moved(self, scatter: Floats, factor: Floats, delta: Floats) -> Floats:
        """Add factor_k δ_k δ_k', all of one sign, to a scatter in place."""
        if self.kind == "diagonal":
            scatter += factor[:, None] * delta * delta
        elif self.kind == "full":
            for own, scaled, d in zip(scatter, factor[:, None] * delta, delta, strict=True):  # one p × p product at a time
                own += scaled[:, None] * d
        else:
            scaled = np.sqrt(np.abs(factor))[:, None] * delta
            product = scaled.T @ scaled
            scatter += product if (factor >= 0.0).all() else -product
        return scatter

    def _check_fits(self, other: Self) -> None:
        if not isinstance(other, ClassMoments):
            raise InputTypeError(f"other is of type {type(other).__name__}; ClassMoments go together with ClassMoments only.")
        if self.kind != other.kind or self.means.shape != other.means.shape or not np.array_equal(self.classes, other.classes):
            raise InputError(
                f"Moments of kind {self.kind!r} with {self.n_features} columns and classes {self.classes.tolist()} do not go together "
                f"with kind {other.kind!r}, {other.n_features} columns and classes {other.classes.tolist()}; summarise both "
                "with the same columns, classes and kind." + announce(self.classes, other.classes)
            )

    def _check_remainder(self, before: Self, taken: Self) -> None:
        """Refuse what no rows could have left behind: variances below zero, or classes without rows whose sums are not those taken out."""
        scale = before.to_diagonal_sums() + np.einsum("kp,k->p", (before.means - before.grand_mean) ** 2, before.counts)
        gone = (self.rows == 0) & (before.rows > 0)
        apart = (before.means[gone] - taken.means[gone]) ** 2 * before.counts[gone, None]
        size = scale + before.counts[gone, None] * before.means[gone] ** 2
        kept = np.abs(self.diagonals()[gone]) if self.kind != "pooled" else np.zeros(1)
        if (apart > ROUNDING**2 * size).any() or (kept > ROUNDING * scale).any():
            raise never_learned(f"class {self.classes[gone].tolist()[0]!r} would have none left, but its mean or variance is another")
        if (self.to_diagonal_sums() < -ROUNDING * scale).any() or not self._is_possible(scale):
            raise never_learned("without them a variance would be negative")

    def _without_noise(self, before: Self, taken: Self) -> Self:
        """Return the moments with zeros for what rounding alone could have left: no variance is below zero then, and a column of which
        nothing but zeros is left has means of zero.
        """
        sizes = np.maximum(np.abs(before.means), np.abs(taken.means))
        growth = (before.counts / np.where(self.counts > 0, self.counts, before.counts + 1.0))[:, None]
        means = np.where(np.abs(self.means) > NOISE * growth * sizes, self.means, 0.0)
        moved = taken.counts[:, None] * growth * np.abs(before.means - taken.means) * sizes
        varies = self.diagonals() > NOISE * (before.diagonals() + (moved.sum(axis=0) if self.kind == "pooled" else moved))
        kept = varies if self.kind == "diagonal" else varies[..., :, None] & varies[..., None, :]
        return replace(self, means=means, scatter=self.scatter if varies.all() else np.where(kept, self.scatter, 0.0))

    def _is_possible(self, scale: Floats) -> bool:
        """Whether the scatter has no negative eigenvalue, in units of each column's spread before."""
        if self.kind == "diagonal":
            return bool((self.scatter >= -ROUNDING * scale).all())
        root = np.sqrt(np.where(scale > 0, scale, 1.0))
        matrices = self.scatter if self.kind == "full" else self.scatter[None]
        return all(np.linalg.eigvalsh(m / root[:, None] / root)[0] >= -ROUNDING * len(root) for m in matrices)

    @property
    def grand_mean(self) -> Floats:
        """Mean of all rows, Σ counts_k means_k / Σ counts_k."""
        mean: Floats = self.counts @ self.means / max(self.counts.sum(), TINY)
        return mean

    def diagonals(self) -> Floats:
        """Return the sums of squares of each column: (K, p) within each class, or (p,) within all where the scatter is pooled."""
        return self.scatter if self.kind == "diagonal" else np.einsum("...jj->...j", self.scatter)

    def to_diagonal_sums(self) -> Floats:
        """Return the within-class sums of squares of each column, Σ_k diag W_k, of shape (p,)."""
        return self.diagonals() if self.kind == "pooled" else self.diagonals().sum(axis=0)

    def to(self, kind: Kind) -> Self:
        """Return these moments as another kind that they determine: full gives all three; the others only themselves."""
        if kind == self.kind:
            return self
        if self.kind != "full":
            raise InputError(
                f"Moments of kind {self.kind!r} cannot be turned into {kind!r}; summarise with ClassMoments.from_data(X, y), "
                "which keeps one scatter per class and serves every model."
            )
        scatter = self.scatter.sum(axis=0) if kind == "pooled" else np.einsum("kjj->kj", self.scatter)
        return replace(self, scatter=scatter, kind=kind)

    def only(self, codes: Any) -> Self:
        """Return the moments of some classes alone (kind "full" or "diagonal")."""
        self._refuse_pooled()
        chosen = np.asarray(codes)
        return replace(
            self,
            classes=self.classes[chosen],
            counts=self.counts[chosen],
            means=self.means[chosen],
            scatter=self.scatter[chosen],
            rows=self.rows[chosen],
        )

    def columns(self, columns: Any) -> Self:
        """Return the moments of some columns alone."""
        own = np.asarray(columns, dtype=np.intp)
        scatter = self.scatter[:, own] if self.kind == "diagonal" else self.scatter[..., own[:, None], own]
        names = None if self.feature_names is None else tuple(self.feature_names[j] for j in np.arange(self.n_features)[own])
        return replace(self, means=self.means[:, own], scatter=np.ascontiguousarray(scatter), feature_names=names)

    def against(self, k: int) -> Self:
        """Return the moments of two classes: 0, all classes but k merged into one, and 1, class k (kind "full" or "diagonal")."""
        self._refuse_pooled()
        rest = self.only(np.flatnonzero(np.arange(len(self.classes)) != k))
        centre = rest.grand_mean
        scatter = rest._moved(rest.scatter.copy(), rest.counts, rest.means - centre).sum(axis=0)
        return replace(
            self,
            classes=np.array([0, 1]),
            counts=np.array([rest.counts.sum(), self.counts[k]]),
            means=np.stack([centre, self.means[k]]),
            scatter=np.stack([scatter, self.scatter[k]]),
            rows=np.array([rest.rows.sum(), self.rows[k]]),
        )

    def _require_shapes(self) -> None:
        K, p = require_classes(self.classes, self.counts, self.rows), np.shape(self.means)[1]
        require_array(self.means, (K, p), "means")
        require_array(self.scatter, {"full": (K, p, p), "pooled": (p, p), "diagonal": (K, p)}[self.kind], "scatter")
        require_array(self.diagonals(), self.diagonals().shape, "variances", 0.0)
        self._require_names()

    def _refuse_pooled(self) -> None:
        if self.kind == "pooled":
            raise InputError("A pooled scatter no longer knows its classes apart; summarise with pooled=False.")

    def scaled(self, factors: Floats) -> Self:
        """Return the moments after multiplying the weights of class k by factors_k (kind "full" or "diagonal")."""
        self._refuse_pooled()
        shaped = factors.reshape(-1, *[1] * (self.scatter.ndim - 1))
        return replace(self, counts=self.counts * factors, scatter=self.scatter * shaped)


@dataclass(frozen=True, slots=True, eq=False)
class MomentsPass:
    """The pass from a block to its moments, for which an engine that holds the rows may be asked instead."""

    classes: NDArray[Any]
    kind: Kind
    grouping: Grouping

    def __call__(self, block: Block) -> ClassMoments:
        """Summarise a block."""
        require_memory(self.grouping.shape(block.n_features))
        assert block.codes is not None
        counts, means, scatter = grouped_moments(block, block.codes, self.grouping)
        rows = rows_per_class(block.codes, block.weight, len(self.classes))
        return ClassMoments(self.classes, counts, means, scatter[0] if self.kind == "pooled" else scatter, self.kind, rows)

    def ask(self, engine: SumEngine) -> ClassMoments:
        """Return the moments as an engine sums them."""
        found = engine.moments(self.kind)
        return ClassMoments(self.classes, found.counts, found.means, found.scatter, self.kind, found.rows)


def require_memory(shape: tuple[int, ...]) -> None:
    """Raise an error that names the size if three arrays of this shape would not fit into memory."""
    needed = 3 * 8 * math.prod(map(int, shape))
    there = physical_memory()
    if needed > there:
        size = " × ".join(f"{s:,}" for s in shape)
        raise CapacityError(
            f"A scatter of {size} numbers needs about {needed / 2**30:,.1f} GiB with the room to work on it; "
            f"this machine has {there / 2**30:,.1f} GiB. Keep fewer columns "
            "(for instance sklearn.feature_selection.SelectKBest), or project them first (sklearn.decomposition.TruncatedSVD)."
        )


def scatter_shape(kind: Kind, n_classes: int, n_features: int) -> tuple[int, ...]:
    """Return the shape of a scatter.

    Examples
    --------
    >>> scatter_shape("full", 3, 10)
    (3, 10, 10)
    """
    K, p = n_classes, n_features
    return {"full": (K, p, p), "pooled": (p, p), "diagonal": (K, p)}[kind]


def summary_kind(kind: Kind, class_weight: Any) -> Kind:
    """Return the moments a model needs: class weights scale classes, so each class keeps its own scatter."""
    return "full" if kind == "pooled" and class_weight is not None else kind
