"""The .632 and .632+ estimates of error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BootstrapError:
    """Errors on the rows trained on and on those left out, and what they are combined to."""

    training: float
    out_of_bag: float
    no_information: float
    error_632: float
    error_632plus: float


def combine(training: float, out_of_bag: float, no_information: float) -> BootstrapError:
    """Combine the error `err` on all rows, the out-of-bag error Err1 and the error γ without information.

        .632  = .368 err + .632 Err1
        .632+ = .632 + (Err1' − err) · .368 · .632 · R/(1 − .368 R),   Err1' = min(Err1, γ),  R = (Err1' − err)/(γ − err) in [0, 1]

    R is 0 unless Err1' > err and γ > err. The result is never above max(err, Err1).

    References
    ----------
    Efron and Tibshirani (1997), Improvements on cross-validation: the .632+ bootstrap method, JASA 92.

    Examples
    --------
    >>> found = combine(0.0, 0.5, 0.5)
    >>> round(found.error_632, 3), round(found.error_632plus, 3)
    (0.316, 0.5)
    """
    plain = 0.368 * training + 0.632 * out_of_bag
    capped = min(out_of_bag, no_information)
    R = (capped - training) / (no_information - training) if capped > training and no_information > training else 0.0
    R = min(max(R, 0.0), 1.0)
    plus = plain + (capped - training) * 0.368 * 0.632 * R / (1.0 - 0.368 * R)
    return BootstrapError(training, out_of_bag, no_information, plain, plus)


def no_information_error(truth: Floats, predicted: Floats) -> float:
    """Return γ = Σ_k p_k (1 − q_k) from the shares of the classes and of the predictions.

    Examples
    --------
    >>> no_information_error(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    0.5
    """
    return float(truth @ (1.0 - predicted))
