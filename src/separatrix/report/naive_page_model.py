"""Naive Bayes on a table as the page computes it: a likelihood for each column, written as numbers that are weighed.

    log p(x, k) = log π_k + Σ_j log p_j(x_j | k)

A normal column is weighed as 1, d and d² with d = x − centre, a count as 1 and x, a category as whether it is each level; a missing value
adds nothing. So the scores are linear in these numbers, as those of every model of the page are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import softmax

from ..array_types import Floats
from ..artifacts.formula import formula_of
from ..artifacts.formula.scores import Mixed
from ..data.columns import Column, ColumnBatch
from ..models import TableClassifier
from ..prepare.cleaned_columns import ANOTHER, READ, cleaned_columns
from .form_fields import FormField, field_of
from .page_model import CLOSE, PageModel


def naive_page_model(model: TableClassifier, rows: ColumnBatch) -> PageModel | None:
    """Return a fitted naive Bayes of a table as the page computes it; None where the page cannot.

    Parameters
    ----------
    model : whose classifier is a MixedNB
    rows : some rows of the table, on which the page's answers are compared with the model's own

    Examples
    --------
    >>> import pandas as pd
    >>> from separatrix import MixedNB
    >>> from separatrix.data.whole_tables import whole_table
    >>> from separatrix.prepare.table_columns import TableColumns
    >>> table = pd.DataFrame({"age": [21.5, 30.1, 44.7, 61.2] * 9, "plan": ["a", "a", "b", None] * 9})
    >>> model = TableClassifier(MixedNB(missing="ignore"), prep=TableColumns()).fit(table, ["no", "no", "yes", "yes"] * 9)
    >>> found = naive_page_model(model, whole_table(table))
    >>> [(field.name, field.width) for field in found.fields]
    [('age', 3), ('plan', 2)]
    """
    score = formula_of(model).score
    if not isinstance(score, Mixed) or not score.is_plain or not score.skip_missing:
        return None
    steps = [step for step in model.recipe_.steps if isinstance(step, READ)]
    cleaned = cleaned_columns(model.recipe_, rows)
    fields, weights, outputs = [], [], []
    for j, (step, column) in enumerate(zip(steps, cleaned, strict=True)):
        made = _column(score, j, column)
        if made is None:
            return None
        likelihood, own, numbers = made
        fields.append(_field(field_of(step, rows), likelihood, own.shape[1]))
        weights.append(own)
        outputs.append(numbers)
    W, Z = np.concatenate(weights, axis=1), np.concatenate(outputs, axis=1)
    if np.abs(softmax(Z @ W.T + score.prior, axis=1) - model.predict_proba(rows)).max() > CLOSE:
        return None
    classes = tuple(str(label) for label in model.classes_.tolist())
    return PageModel(tuple(fields), (), tuple(map(tuple, W.tolist())), tuple(score.prior.tolist()), classes, True)


def _column(score: Mixed, j: int, column: Column) -> tuple[dict[str, Any], Floats, Floats] | None:
    """Return the likelihood of column j as the page reads it, its weights (K, outputs), and its outputs for some rows."""
    kind = str(score.layout.kinds[j])
    if kind == "gaussian":
        return _normal(score, score.layout.of("gaussian").index(j), column.numbers())
    if kind in ("bernoulli", "poisson"):
        place = score.layout.of("bernoulli", "poisson", "multinomial").index(j)
        own = np.stack([score.counted.offset[:, place], score.counted.coef[:, place]], axis=1)
        x = column.numbers()
        here = ~np.isnan(x)
        return {"kind": "count"}, own, np.stack([here, np.where(here, x, 0.0)], axis=1)
    return _levels(score, score.layout.of("categorical").index(j), column) if score.layout.text[j] else None


def _normal(score: Mixed, place: int, x: Floats) -> tuple[dict[str, Any], Floats, Floats]:
    centre = float(score.theta[:, place].mean())
    delta, variance = score.theta[:, place] - centre, score.variance[:, place]
    constant = -0.5 * np.log(2.0 * np.pi * variance) - delta**2 / (2.0 * variance)
    d = np.where(np.isnan(x), 0.0, x - centre)
    outputs = np.stack([~np.isnan(x), d, d * d], axis=1)
    return {"kind": "normal", "centre": centre}, np.stack([constant, delta / variance, -0.5 / variance], axis=1), outputs


def _levels(score: Mixed, place: int, column: Column) -> tuple[dict[str, Any], Floats, Floats]:
    """Return the likelihood of a category: its levels, and last the one that rare and unseen ones are."""
    counts = score.categorical.counts
    names, start = list(counts.names(place)), int(counts.starts[place])
    kept = [name for name in names if name != ANOTHER]
    order = [names.index(name) for name in kept] + ([names.index(ANOTHER)] if ANOTHER in names else [])
    own = score.categorical.logs[:, start : start + len(names)][:, order]
    codes, levels = column.categories()
    known = {name: i for i, name in enumerate([*kept, *([ANOTHER] if ANOTHER in names else [])])}
    at = np.array([*(known.get(level, -1) for level in levels), -1])[codes]
    return {"kind": "levels", "levels": kept, "grouped": ANOTHER in names}, own, (at[:, None] == np.arange(len(order))).astype(np.float64)


def _field(field: FormField, likelihood: dict[str, Any], width: int) -> FormField:
    """Return a field of the form whose outputs are those of a likelihood."""
    if likelihood["kind"] == "levels":
        step = {"reference": None, "levels": likelihood["levels"], "missing": False, "shared": [], "grouped": likelihood["grouped"]}
        return replace(field, step=step, width=width)
    return replace(field, step=field.step | {"likelihood": likelihood}, width=width)
