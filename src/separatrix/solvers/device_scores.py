"""Scores of rows on another device and what follows from them, in array-API code and float64; arrays of the same kind come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..array_types import Floats
from ..data import Block
from ..data.device import CPU_VALUES, DEVICE_VALUES
from ..data.namespaces import device_of, like, namespace


def linear_scores(block: Block, coef: Floats, intercept: Floats) -> Any:
    """Return X coef' + intercept (n, R)."""
    W, b = like(coef.T, block.X), like(intercept, block.X)
    return _byfloat64_tiles(block, len(coef), lambda X: X @ W + b)


def linear_codes(block: Block, coef: Floats, intercept: Floats) -> Any:
    """Return the code of the largest score of each row (one score: whether it is above 0), or None if a score is not finite."""
    W, b = like(coef.T, block.X), like(intercept, block.X)
    xp = namespace(block.X)
    parts = [codes_of(X @ W + b) for X in float64_tiles(block, len(coef))]
    return None if any(part is None for part in parts) else parts[0] if len(parts) == 1 else xp.concat(parts)


def diagonal_scores(block: Block, means: Floats, precision: Floats, offset: Floats) -> Any:
    """Return offset_k − ½ Σ_j precision_kj (x_j − means_kj)² of each row, a class at a time: nothing of n × K × p is made."""
    xp = namespace(block.X)
    centres, weights, start = (like(values, block.X) for values in (means, precision, offset))

    def of(X: Any) -> Any:
        return xp.stack([start[k] - 0.5 * ((X - centres[k, :]) ** 2 @ weights[k, :]) for k in range(len(means))], axis=1)

    return _byfloat64_tiles(block, len(means), of)


def quadratic_scores(block: Block, means: Floats, bases: Floats, offset: Floats) -> Any:
    """Return offset_k − ½ ‖B_k'(x − μ_k)‖² of each row."""
    xp = namespace(block.X)
    centres, turned, start = (like(values, block.X) for values in (means, bases, offset))

    def of(X: Any) -> Any:
        distances = [xp.sum(((X - centres[k, :]) @ turned[k, :, :]) ** 2, axis=1) for k in range(len(means))]
        return start - 0.5 * xp.stack(distances, axis=1)

    return _byfloat64_tiles(block, block.n_features, of)


def codes_of(scores: Any) -> Any:
    """Return the class code of each row of scores, the first among equals; None if a score is not finite."""
    xp = namespace(scores)
    if not bool(xp.all(xp.isfinite(scores))):
        return None
    found = scores[:, 0] > 0 if scores.shape[1] == 1 else xp.argmax(scores, axis=1)
    return xp.astype(found, xp.int64)


def posteriors_of(scores: Any) -> Any:
    """Return softmax of scores (n, K) by rows."""
    xp = namespace(scores)
    shares = xp.exp(scores - xp.max(scores, axis=1, keepdims=True))
    return shares / xp.sum(shares, axis=1, keepdims=True)


def log_posteriors_of(scores: Any) -> Any:
    """Return the logarithm of the softmax of scores (n, K) by rows."""
    xp = namespace(scores)
    below = scores - xp.max(scores, axis=1, keepdims=True)
    return below - xp.log(xp.sum(xp.exp(below), axis=1, keepdims=True))


def per_class(scores: Any) -> Any:
    """Return one score per class (n, K), also where two classes share one (n, 1)."""
    xp = namespace(scores)
    return xp.concat([xp.zeros_like(scores), scores], axis=1) if scores.shape[1] == 1 else scores


def float64_tiles(block: Block, width: int) -> Any:
    """Yield rows in float64, as many at a time as `width` numbers each leave room for."""
    xp = namespace(block.X)
    values = CPU_VALUES if "cpu" in str(device_of(block.X)).lower() else DEVICE_VALUES
    size = max(values // max(width, block.n_features), 1)
    return (xp.astype(block.X[begin : min(begin + size, block.n_rows), :], xp.float64) for begin in range(0, block.n_rows, size))


def _byfloat64_tiles(block: Block, width: int, function: Callable[[Any], Any]) -> Any:
    parts = [function(X) for X in float64_tiles(block, width)]
    return parts[0] if len(parts) == 1 else namespace(block.X).concat(parts)
