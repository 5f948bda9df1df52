"""Notes to the explanation of a row: the decision rule around the model, and changes that put a binary column between 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..abilities import abilities_of
from ..data import Source
from .contributions import first_rows
from .explained_rows import call_model
from .flip import Flip

LOOKED_AT = 10_000
"""Rows in which columns of 0 and 1 are looked for."""


def decision_notes(model: Any, row: Any) -> tuple[str, ...]:
    """Return what is to be said about the decision around a model, if there is one; row is that row alone."""
    decision = abilities_of(model).decision
    if not decision:
        return ()
    rule = f"The decision: {decision.in_words()}."
    if decision.log_factors() is not None:
        return (rule,)
    costs = call_model(model, "expected_costs", row)[0]
    names = [repr(name) if name is not None else "rejecting" for name in decision.action_names()]
    each = ", ".join(f"{name} {cost:.4g}" for name, cost in zip(names, costs, strict=True))
    return rule, f"It takes {names[int(costs.argmin())]} for this row; expected costs: {each}. The rest is about the most probable class."


def binary_column_notes(flip: Flip | None, source: Source, names: list[str]) -> tuple[str, ...]:
    """Return a sentence about columns of 0 and 1 that a flip puts between the two."""
    if flip is None or not flip.found:
        return ()
    rows = first_rows(source, LOOKED_AT)
    switches = ((rows == 0) | (rows == 1)).all(axis=0) & (flip.point != 0) & (flip.point != 1)
    held = [names[j] for j in np.flatnonzero(switches) if len(rows) > 1]
    if not held:
        return ()
    return (f"Only 0 and 1 were seen in {', '.join(held)}, and the change puts them elsewhere: fixed={held!r} keeps them.",)
