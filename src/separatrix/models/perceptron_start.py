"""What every perceptron needs before it starts: checked parameters, the weights it starts from, and what it draws."""

from __future__ import annotations

import numbers
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..argument_types import as_numbers
from ..array_types import Floats
from ..data import Source
from ..errors import InputError, one_of


def check_number(name: str, value: Any, low: float, example: str, *, above: bool = False, whole: bool = False) -> None:
    """Raise an error unless a parameter is a finite number of at least `low` (`above` it, a `whole` one, if asked).

    Examples
    --------
    >>> check_number("eta0", 0.5, 0.0, "1.0", above=True)
    """
    kind = numbers.Integral if whole else numbers.Real
    good = not isinstance(value, bool) and isinstance(value, kind) and low <= float(value) < np.inf
    if not good or (above and value == low):
        needed = f"a {'whole ' if whole else ''}number {'>' if above else '≥'} {low:g}"
        raise InputError(f"{name}={value!r} must be {needed}; use {name}={example}.")


class Draws:
    """What a fit draws by its parameter `random_state`: weights, then the seed of its orders.

    None is 0: two fits on the same rows are the same. A generator of a whole number is made for random weights only, since making one takes
    as long as a small fit; the first seed that it would give is remembered.

    Examples
    --------
    >>> Draws(None).seed() == Draws(np.random.RandomState(0)).seed()
    True
    """

    def __init__(self, random_state: Any) -> None:
        given = 0 if random_state is None else random_state
        self._whole = int(given) if isinstance(given, numbers.Integral) else None
        self._rng: np.random.RandomState | None = None if self._whole is not None else check_random_state(given)

    def normal(self, shape: tuple[int, int]) -> Floats:
        """Return independent numbers with mean 0 and variance 1."""
        if self._rng is None:
            self._rng = np.random.RandomState(self._whole)
        return self._rng.standard_normal(shape)

    def seed(self) -> int:
        """Return a seed for the orders in which rows are visited."""
        return _first_seed(self._whole) if self._rng is None else _drawn_seed(self._rng)


@lru_cache(maxsize=1024)
def _first_seed(random_state: int | None) -> int:
    return _drawn_seed(np.random.RandomState(random_state))


def _drawn_seed(rng: np.random.RandomState) -> int:
    return int(rng.randint(1, 2**63 - 1, dtype=np.int64))


def start_weights(model: Any, source: Source, coef_init: Any, intercept_init: Any, draws: Draws) -> Floats:
    """Return the weights (R, p + 1) to start from, the intercept last: zeros, random ones, or those given.

    Random weights are independent and normal with variance 1. A threshold θ is an intercept of −θ, which stays.
    """
    if model.init not in ("zeros", "random"):
        raise one_of("init", model.init, ["zeros", "random"])
    K, p = len(source.classes), source.n_features  # type: ignore[arg-type]
    R, learned = 1 if K == 2 else K, model.threshold is None and bool(model.fit_intercept)
    weights = np.zeros((R, p + 1)) if model.init == "zeros" else draws.normal((R, p + 1))
    if not learned:
        weights[:, -1] = 0.0
    if coef_init is not None:
        weights[:, :-1] = _as_weights("coef_init", coef_init, (R, p), K)
        weights[:, -1] = 0.0
    if intercept_init is not None:
        weights[:, -1] = _as_weights("intercept_init", intercept_init, (R,), K)
    if model.threshold is not None:
        weights[:, -1] = -_threshold(model.threshold, K, intercept_init)
    return weights


def _threshold(threshold: Any, K: int, intercept_init: Any) -> float:
    if not (isinstance(threshold, numbers.Real) and np.isfinite(float(threshold))):
        raise InputError(f"threshold={threshold!r} must be a finite number, or None to learn an intercept.")
    if K > 2:
        raise InputError(
            f"threshold={threshold!r} is for two classes; among {K} classes the largest score wins, and a common threshold changes "
            "nothing. Use threshold=None."
        )
    if intercept_init is not None:
        raise InputError("threshold fixes the intercept at −threshold, so intercept_init cannot be given too; leave one of them out.")
    return float(threshold)


def _as_weights(name: str, value: Any, shape: tuple[int, ...], K: int) -> Floats:
    """Return weights given by the user in the shape asked; the first axis may be left out where it is 1."""
    array = as_numbers(name, value, f"give an array of shape {shape}.")
    if array.shape != shape and not (shape[0] == 1 and array.shape == shape[1:]):
        either = f"{shape[1:] if len(shape) > 1 else 'a number'} or {shape}" if shape[0] == 1 else f"{shape}"
        raise InputError(f"{name} has shape {array.shape}; {either} is needed for {K} classes (coef_init: one weight per column).")
    if not np.isfinite(array).all():
        raise InputError(f"{name} contains NaN or infinity; give finite weights.")
    return array.reshape(shape)
