"""Rows fewer than columns: the same geometry in at most n − 1 coordinates, from the n × n Gram matrix.

Everything a discriminant can see lies in the span of the centred rows. In an orthonormal basis of that span the rows have
coordinates Y (n, r); distances, scatters and means carry over, and a coefficient vector there maps back to the columns. X is never
centred or made dense.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh

Floats = NDArray[np.float64]

TOLERANCE = 1e-12
"""Smallest share of the largest Gram eigenvalue that counts as a direction of the span."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Coordinates of rows (x − centre)/scale in an orthonormal basis of their span.

    Attributes
    ----------
    coordinates : (n, r)
    rows : (n, p) dense or sparse, as given
    combine : (n, r)
        Basis vector r is Σ_i combine[i, r] (x_i − centre)/scale.
    """

    coordinates: Floats
    rows: Any
    combine: Floats
    centre: Floats
    scale: Floats

    def to_columns(self, coef: Floats) -> Floats:
        """Map coefficients (K, r) on the coordinates to coefficients (K, p) on x itself."""
        mix = coef @ self.combine.T
        back = (self.rows.T @ (mix.T)).T - mix.sum(axis=1)[:, None] * self.centre
        return np.asarray(back / self.scale**2)


def embed(rows: Any, centre: Floats, scale: Floats) -> Embedding:
    """Return the embedding of rows, dense or sparse, centred and scaled by columns.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 1.0]])
    >>> embedding = embed(X, X.mean(axis=0), np.ones(3))
    >>> embedding.coordinates.shape, embedding.to_columns(np.array([[1.0]])).round(12).tolist()
    ((2, 1), [[0.0, -1.0, 0.0]])
    """
    gram: Floats
    if sp.issparse(rows):
        scaled = rows.multiply(1.0 / scale).tocsr()
        gram = np.asarray((scaled @ scaled.T).todense(), dtype=np.float64)
        cross = np.asarray(scaled @ (centre / scale))
        gram = gram - cross[:, None] - cross[None, :] + np.sum((centre / scale) ** 2)
    else:
        centred = (rows - centre) / scale
        gram = centred @ centred.T
    values, vectors = eigh(gram, check_finite=False)
    kept = values > TOLERANCE * max(values[-1], 0.0)
    root = np.sqrt(values[kept])
    # The sign of an eigenvector is arbitrary; fix it so that the same rows give the same coordinates everywhere.
    vectors = vectors[:, kept] * np.sign(vectors[np.abs(vectors[:, kept]).argmax(axis=0), np.flatnonzero(kept)])
    return Embedding(vectors * root, rows, vectors / root, centre, scale)
