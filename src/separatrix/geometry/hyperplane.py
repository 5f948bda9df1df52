"""The boundary f(x) = w'x + w0 = 0 as a value: sides, distances, projections."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from separatrix.argument_types import check_arguments, is_among, is_listed
from separatrix.array_types import Floats, Ints
from separatrix.data.arrays import refuse_corrupt
from separatrix.errors import InputError, one_of
from separatrix.notebook import code, view


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Hyperplane:
    """A linear discriminant f(x) = w'x + w0, whose sign decides the side of x.

    w (p,) is normal to the boundary f = 0 and points to the positive side. A positive factor on (w, w0)
    changes neither sides nor distances; a negative one swaps the sides.

    Every method that takes ``X`` accepts one row (p,) or many rows (n, p), dense or scipy sparse, with finite
    values, computes in float64, and returns one result per row: an array of shape () or (n,).

    Parameters
    ----------
    w : array-like of shape (p,)
        Weights: finite, not all zero. Stored as a read-only copy.
    w0 : float
        Bias (also called intercept or threshold weight).

    Examples
    --------
    Words in a message, "free" and "money"; positive means spam.

    >>> spam = Hyperplane(w=[4, 2], w0=-3)
    >>> spam.score([[1, 1], [0, 1]])
    array([ 3., -1.])
    >>> spam.side([[1, 1], [0, 1]])
    array([ 1, -1])
    >>> print(spam.equation(["free", "money"]))
    4·free + 2·money − 3 = 0

    References
    ----------
    Duda, Hart and Stork, Pattern Classification, 2nd ed., Wiley 2001, section 5.2.
    """

    w: Floats
    w0: float

    def __init__(self, w: ArrayLike, w0: float) -> None:
        w, bias = _vector("w", w), _floats("w0", w0)
        if bias.ndim != 0:
            raise InputError(f"w0 has shape {bias.shape}; one number is needed: type float(w0[0]) for the first.")
        if not w.any():
            raise InputError(f"w is all zero ({w.size} weights), so there is no boundary; give a weight other than 0.")
        w.setflags(write=False)
        object.__setattr__(self, "w", w)
        object.__setattr__(self, "w0", float(bias))
        if not math.isfinite(self.origin_distance):
            given = f"w0 = {self.w0:g} and the largest weight {np.abs(w).max():g}"
            raise InputError(f"{given} put the plane at w0/‖w‖ = ∞; a finite distance is needed: type a larger w.")

    @classmethod
    def from_means(cls, m1: ArrayLike, m2: ArrayLike) -> Hyperplane:
        """Bisect m1 m2 at a right angle, positive towards m2: w = m2 − m1, w0 = −w'(m1 + m2)/2."""
        a, b = _vector("m1", m1), _vector("m2", m2)
        if a.size != b.size:
            raise InputError(f"m1 has {a.size} values and m2 has {b.size}; give both the same features.")
        if np.array_equal(a, b):
            raise InputError("m1 and m2 are equal, so no plane lies between them; give two different means.")
        with np.errstate(over="ignore", invalid="ignore"):
            w = b - a
            w0 = -float(w @ (a / 2 + b / 2))
        if not (np.isfinite(w).all() and math.isfinite(w0)):
            raise InputError("m1 and m2 are so large that w0 = −w'(m1 + m2)/2 overflows; divide both by a constant.")
        return cls(w, w0)

    @classmethod
    def from_augmented(cls, v: ArrayLike) -> Hyperplane:
        """Read (w0, w) from one vector v (1 + p,), the bias first."""
        if (v := _vector("v", v)).size < 2:
            raise InputError("v has 1 value; the bias and at least one weight are needed: type [w0, *w].")
        return cls(v[1:], v[0])

    @property
    def augmented(self) -> Floats:
        """(w0, w): the bias as the weight of a constant first feature, f(x) = augmented'(1, x)."""
        return np.concatenate(([self.w0], self.w))

    @property
    def n_features(self) -> int:
        """The number of weights, p."""
        return self.w.size

    @property
    def origin_distance(self) -> float:
        """f(0)/‖w‖ = w0/‖w‖, the signed distance of the origin from the plane."""
        _, w0, norm = self._scaled()
        return w0 / norm

    def score(self, X: Any) -> Floats:
        """Evaluate f(x) = w'x + w0 for each row."""
        return self._evaluate(X, self.w, self.w0)

    def side(self, X: Any, ties: Literal["negative", "positive"] = "negative") -> Ints:
        """Give +1 or −1, the sign of f, for each row.

        Parameters
        ----------
        X : array-like or sparse of shape (p,) or (n, p)
        ties : {"negative", "positive"}
            Where f = 0 goes: "negative" is scikit-learn's habit (``classes_[0]``), "positive" the rule f ≥ 0.
        """
        if not is_among(ties, ("negative", "positive")):
            raise one_of("ties", ties, ["negative", "positive"])
        w, w0, _ = self._scaled()
        f = self._evaluate(X, w, w0)
        return np.where(f >= 0 if ties == "positive" else f > 0, np.int64(1), np.int64(-1))

    def distance(self, X: Any) -> Floats:
        """Measure f(x)/‖w‖, the distance of each row from the plane, negative on the negative side."""
        w, w0, norm = self._scaled()
        return np.asarray(self._evaluate(X, w, w0) / norm)

    def project(self, X: Any) -> Floats:
        """Find the nearest point of the plane to each row, x − (f(x)/‖w‖²) w: a dense array of X's shape."""
        w, w0, norm = self._scaled()
        rows = _rows(X, self.n_features)
        dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
        return np.asarray(dense - np.multiply.outer((rows @ w + w0) / norm, w / norm))

    def normalized(self) -> Hyperplane:
        """Divide (w, w0) by ‖w‖: the same sides, and f is now the distance."""
        w, w0, norm = self._scaled()
        return Hyperplane(w / norm, w0 / norm)

    def flipped(self) -> Hyperplane:
        """Negate (w, w0): the same boundary with its sides swapped."""
        return Hyperplane(0.0 - self.w, 0.0 - self.w0)  # not -w: would turn 0 into -0

    def angle(self, other: Hyperplane) -> float:
        """Angle between the two normals in radians, 0 to π; the planes themselves meet at min(a, π − a)."""
        a, b = self._unit_normals(other)
        # Not arccos(a'b): that loses half the digits near 0 and π (Kahan).
        return 2 * math.atan2(float(np.linalg.norm(a - b)), float(np.linalg.norm(a + b)))

    def same_boundary(self, other: Hyperplane, *, rtol: float = 1e-12, atol: float = 0.0) -> bool:
        """Tell whether (w, w0) are equal up to a positive factor, to rounding.

        w/‖w‖ may differ by ``rtol``; w0/‖w‖ by ``rtol`` of its size, or by ``atol`` in the units of X.
        """
        check_arguments(Hyperplane.same_boundary, locals())
        if not (rtol >= 0 and atol >= 0):
            raise InputError(f"rtol={rtol!r} and atol={atol!r} must be at least 0, such as rtol=1e-9.")
        a, b = self._unit_normals(other)
        same_offset = math.isclose(self.origin_distance, other.origin_distance, rel_tol=rtol, abs_tol=atol)
        return same_offset and bool(np.linalg.norm(a - b) <= rtol)

    def equation(self, names: Iterable[object] | None = None) -> str:
        """Write f = 0 as text, to six digits and without zero weights; features are x1, x2, … unless named."""
        labels = [f"x{j + 1}" for j in range(self.n_features)] if names is None else [str(n) for n in (names if is_listed(names) else ())]
        if len(labels) != self.n_features:
            raise InputError(f"names={names!r:.80} cannot be used; a list of {self.n_features} names is needed.")
        text = ""
        for weight, label in zip([*self.w.tolist(), self.w0], [*labels, None], strict=True):
            if weight != 0:
                size, sign = f"{abs(weight):.6g}", "−" if weight < 0 else "+"
                term = size if label is None else label if size == "1" else f"{size}·{label}"
                text += f" {sign} {term}" if text else f"{sign}{term}"
        return f"{text.removeprefix('+')} = 0"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hyperplane):
            return NotImplemented
        return self.w0 == other.w0 and np.array_equal(self.w, other.w)

    def __hash__(self) -> int:
        return hash((self.w0, *self.w.tolist()))

    def __repr__(self) -> str:
        w = np.array2string(self.w, separator=", ", threshold=12, max_line_width=10_000)
        return f"Hyperplane(w={w}, w0={self.w0!r})"

    def _repr_html_(self) -> str:
        from separatrix.inference.tables import Column, Table  # a boundary is needed more often than its view

        columns = (Column("feature", [f"x{j + 1}" for j in range(self.n_features)]), Column("weight", self.w, ".6g"))
        table = Table("Hyperplane w'x + w0 = 0", columns, f"w0 = {self.w0:.6g}; the origin lies at {self.origin_distance:.6g}.")
        return view(table.html) if self.n_features > 12 else view(code(self.equation()), table.html)

    def __reduce__(self) -> tuple[type[Hyperplane], tuple[Floats, float]]:
        return Hyperplane, (self.w, self.w0)  # through __init__: a pickled array forgets that it is read-only

    def _scaled(self) -> tuple[Floats, float, float]:
        """(w, w0) times the power of two that brings max|w| into [½, 1), and ‖w‖ of the result.

        Exact, so ties stay ties, and squares of weights like 1e200 or 1e-200 stay within the float range. (A term that
        underflows here moves no point by more than about 1e-300.)
        """
        _, exponent = np.frexp(np.abs(self.w).max())
        with np.errstate(over="ignore"):
            w, w0 = np.ldexp(self.w, -exponent), float(np.ldexp(self.w0, -exponent))
        return w, w0, float(np.linalg.norm(w))

    def _evaluate(self, X: Any, w: Floats, w0: float) -> Floats:
        return np.asarray(_rows(X, self.n_features) @ w + w0)

    def _unit_normals(self, other: Hyperplane) -> tuple[Floats, Floats]:
        if not isinstance(other, Hyperplane):
            raise InputError(f"other of type {type(other).__name__} is no Hyperplane; give one, such as Hyperplane([1, 0], 0).")
        if self.n_features != other.n_features:
            raise InputError(f"The planes have {self.n_features} and {other.n_features} weights; give equally many.")
        return self.normalized().w, other.normalized().w


def _floats(name: str, value: object) -> Floats:
    """Value as a float64 array of finite numbers, not copied where it already is one."""
    try:
        raw = np.asarray(value)
        if raw.dtype.kind not in "biufO":  # complex, text and dates would be cut down in silence
            raise TypeError
        numbers = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} of type {type(value).__name__} does not hold real numbers; give numbers.") from None
    if not (finite := np.isfinite(numbers)).all():
        where = tuple(np.argwhere(~finite)[0].tolist())
        at = f"{name}{list(where)}" if where else name
        raise InputError(f"{at} is {numbers[where]}; finite numbers are needed: fill in or drop it first.")
    return numbers


def _vector(name: str, value: object) -> Floats:
    """Copy value into a 1-d array of our own, with at least one number."""
    v = _floats(name, value)
    if v.size == 0:
        raise InputError(f"{name} is empty; at least one value is needed: type {name}=[1.0] for one feature.")
    if v.ndim != 1:
        raise InputError(f"{name} has shape {v.shape}; one dimension is needed: type np.ravel({name}) or {name}[0].")
    return v.copy()


def _rows(X: Any, n_features: int) -> Any:
    """X (p,) or (n, p) as finite float64: CSR where X is sparse, otherwise an array."""
    is_sparse: bool = sp.issparse(X)
    refuse_corrupt(X)
    rows: Any = sp.csr_array(X) if is_sparse else _floats("X", X)
    if is_sparse:
        _floats("X.data", rows.data)
        rows = rows.astype(np.float64, copy=False)
    if rows.ndim not in (1, 2):
        raise InputError(f"X has {rows.ndim} dimensions; one row ({n_features},) or many (n, {n_features}) are needed.")
    if rows.shape[-1] != n_features:
        advice = "X.reshape(-1, 1)" if n_features == 1 and rows.ndim == 1 else "X[:, columns] with the plane's columns"
        raise InputError(f"X has {rows.shape[-1]} columns; {n_features} are needed, one per weight: type {advice}.")
    return rows
