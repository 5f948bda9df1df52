"""The action of least expected cost for many rows of posteriors."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..argument_types import as_numbers, is_listed
from ..array_types import Codes, Floats
from ..data.threads import ordered_map, thread_count
from ..errors import InputError, UnknownNameError, did_you_mean, short_text
from ..thresholds import COSTS
from .posteriors import refuse_no_distribution, tolerance_of

CHUNK = 262_144
"""Rows of a chunk: the same for any number of threads."""


def cheapest(P: NDArray[np.floating], costs: Floats, n_jobs: int | None = None) -> Codes:
    """Return the first action a of least expected cost Σ_k P[i, k] costs[k, a] of each row.

    Parameters
    ----------
    P : (n, K) posteriors; rows that are no distribution are refused
    costs : (K, A), rows are the truth
    n_jobs : int, optional
        Threads.

    Examples
    --------
    >>> cheapest(np.array([[0.8, 0.2], [0.95, 0.05]]), np.array([[0.0, 1.0], [9.0, 0.0]])).tolist()
    [1, 0]
    """
    if not COSTS.reached(P.size):
        refuse_no_distribution(P)
        actions: Codes = np.argmin(P @ costs, axis=1).astype(np.int32)
        return actions
    from ..kernels.decisions import least_cost

    rows, by_action = np.ascontiguousarray(P), np.ascontiguousarray(costs.T)
    codes, tolerance = np.empty(len(P), dtype=np.int32), tolerance_of(P)

    def chunk(begin: int) -> bool:
        return bool(least_cost(rows[begin : begin + CHUNK], by_action, tolerance, codes[begin : begin + CHUNK]))

    if not all(list(ordered_map(chunk, range(0, len(P), CHUNK), thread_count(n_jobs)))):
        refuse_no_distribution(P)
    return codes


def check_costs(costs: Any) -> Floats:
    """Return a matrix of costs (K, A), rows are the truth, as finite float64."""
    C = as_numbers("costs", costs, "pass a matrix of numbers, one row per true class and one column per action.").copy()
    if C.ndim != 2 or len(C) < 2 or C.shape[1] < 1:
        raise InputError(
            f"costs has shape {C.shape}; a matrix with one row per true class and one column per action is needed, such as "
            "[[0, 1], [5, 0]]: 5 for calling the second class the first."
        )
    if not np.isfinite(C).all():
        raise InputError("costs must be finite numbers; give what must never be done a large cost, such as 1e6.")
    C.flags.writeable = False
    return C


def labelled_costs(costs: Any, truths: Any, actions: Any) -> tuple[Floats, tuple[Any, ...] | None, tuple[Any, ...] | None]:
    """Return costs (K, A) with the labels of rows and columns, if any, from a matrix or from a pandas frame that has its own.

    Rows with labels are sorted by them, as classes are; columns with the same labels alike.
    """
    C = check_costs(costs)
    if truths is None and hasattr(costs, "iloc") and type(costs.index).__name__ != "RangeIndex":
        truths = costs.index.tolist()
        if actions is None and type(costs.columns).__name__ != "RangeIndex":
            actions = costs.columns.tolist()
    truths, actions = _named("truths", truths, "row"), _named("actions", actions, "column")
    if truths is None or len(truths) != len(C) or (actions is not None and len(actions) != C.shape[1]):
        return C, truths, actions
    if actions is not None and set(actions) == set(truths):
        C, actions = C[:, [actions.index(label) for label in truths]], None
    try:
        ordered = tuple(sorted(truths))
    except TypeError:
        return C, truths, actions
    return check_costs(costs_of(list(ordered), C, truths, actions)), ordered, actions


def _named(what: str, names: Any, each: str) -> tuple[Any, ...] | None:
    """Return names as a tuple, or refuse what is no list of them."""
    if names is None:
        return None
    named = tuple(names.tolist() if hasattr(names, "tolist") else names) if is_listed(names) else None
    if named is None or not all(isinstance(name, Hashable) for name in named):
        raise InputError(f"{what}={short_text(names)} must be a list of names, one per {each} of costs.")
    return named


def costs_of(classes: list[Any], costs: Floats, truths: Sequence[Any], actions: Sequence[Any] | None) -> Floats:
    """Return the costs with rows, and columns where they stand for classes too, in the order of the classes."""
    names = list(truths)
    for label in names:
        if label not in classes:
            hint = did_you_mean(label, classes)
            raise UnknownNameError(f"costs has a row for {label!r}, which is not a class.{hint} Classes: {classes}.")
    order = [names.index(label) for label in classes]
    return np.asarray(costs[order] if actions is not None or costs.shape[1] != len(classes) else costs[np.ix_(order, order)])


def factors_of(costs: Floats) -> Floats | None:
    """Return c (K,) with which the cheapest action is argmax_k c_k p_k; None where costs (K, A) are no such rule.

    They are where all mistakes about class k cost c_k > 0 more than getting it right does.

    Examples
    --------
    >>> factors_of(np.array([[0.0, 1.0], [9.0, 0.0]])).tolist()
    [1.0, 9.0]
    """
    K, A = costs.shape
    if K != A:
        return None
    more = (costs - np.diag(costs)[:, None])[~np.eye(K, dtype=bool)].reshape(K, K - 1)
    same = (more[:, 0] > 0).all() and np.allclose(more, more[:, :1], rtol=1e-12, atol=0.0)
    return np.asarray(more[:, 0]) if same else None


def minimax_cost(costs: Floats) -> float:
    """Return max_p min_a Σ_k p_k costs[k, a]: the expected cost of the best action where the classes are hardest to tell.

    It is the value of a game against nature, by linear programming; for 0-1 costs 1 − 1/K.

    Examples
    --------
    >>> round(minimax_cost(1.0 - np.eye(4)), 12)
    0.75
    """
    from scipy.optimize import linprog

    K, A = costs.shape
    # Variables p_1 … p_K, v; maximise v under v ≤ p'costs_a for every action a.
    found = linprog(
        np.append(np.zeros(K), -1.0),
        A_ub=np.column_stack([-costs.T, np.ones(A)]),
        b_ub=np.zeros(A),
        A_eq=np.append(np.ones(K), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * K + [(None, None)],
    )
    return -float(found.fun)
