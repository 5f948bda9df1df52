"""How far coefficients move when the rows change: folds and resamples."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ..abilities.additive_scores import LinearScores
from ..array_types import Floats, Indices
from ..data.labels import Labels
from ..errors import InputError
from ..evaluation import KFold
from ..prepare import TablePrep
from ..prepare.steps import Category
from ..progress import task
from .encoded import encoded_model
from .model_views import inside, view_of


@dataclass(frozen=True, slots=True, eq=False)
class Refits:
    """Coefficients of refits.

    Attributes
    ----------
    weights : (m, K − 1, p) against the first class
    warned : int
        How many of the refits warned.
    first : str
        What the first warning said.
    """

    weights: Floats
    warned: int
    first: str

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Return the percentiles of the refits, (K − 1, p) each."""
        low, high = np.quantile(self.weights, [0.5 - level / 2, 0.5 + level / 2], axis=0)
        return low, high


def against_first(view: LinearScores) -> Floats:
    """Return the weights of each class but the first, minus those of the first, (K − 1, p)."""
    return np.asarray(view.weights[1:] - view.weights[0])


def over_folds(model: Any, X: Any, y: Any, folds: int, random_state: Any, names: list[str]) -> Refits:
    """Refit without each of the folds, classes kept in proportion."""
    rows = [training for training, _ in KFold(folds, random_state=random_state).split(X, y)]
    return _refit(model, X, y, rows, "stability over folds", names)


def over_resamples(model: Any, X: Any, y: Any, resamples: int, random_state: Any, names: list[str]) -> Refits:
    """Refit on rows drawn with replacement within each class (stratified bootstrap)."""
    labels = Labels.of(y)
    codes, rng = labels.codes(0, len(labels)), np.random.default_rng(random_state)
    own = [np.flatnonzero(codes == k) for k in range(len(labels.classes))]
    rows = [np.concatenate([rng.choice(part, len(part)) for part in own]) for _ in range(resamples)]
    return _refit(model, X, y, rows, "resamples for intervals", names)


def _refit(model: Any, X: Any, y: Any, parts: Iterable[Indices], name: str, names: list[str]) -> Refits:
    parts, found, said = list(parts), [], []
    labels = np.asarray(y)
    with task(name, total=len(parts)) as work:
        for rows in parts:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                again = _unfitted(model).fit(_safe_indexing(X, rows), labels[rows])
            if len(again.classes_) != len(model.classes_):
                raise InputError("A refit lost a class: give more rows of the smallest class, or use folds=0 and resamples=0.")
            found.append(_weights(again, X, names))
            said += [str(caught[0].message)] if caught else []
            work.advance()
    return Refits(np.stack(found), len(said), said[0] if said else "")


def _unfitted(model: Any) -> Any:
    """Return a clone whose recipe, where it has one, compares levels with the same ones: else coefficients would mean other things."""
    fresh, own = clone(model), inside(model)
    prep = getattr(own, "pipeline_", own)
    prep = prep.steps[0][1] if hasattr(prep, "named_steps") else None
    if not isinstance(prep, TablePrep):
        return fresh
    references = {step.column: step.reference for step in prep.recipe_.steps if isinstance(step, Category)}
    place = "" if own is model else "estimator__"
    name = "prep" if hasattr(own, "pipeline_") else own.steps[0][0]
    return fresh.set_params(**{place + name: clone(prep).set_params(references=references)})


def _weights(model: Any, X: Any, names: list[str]) -> Floats:
    """Return the weights (K − 1, p) of a refit for the columns, levels and words named; 0 for those that its rows do not have."""
    around = encoded_model(model, X)
    view = view_of(model if around is None else around[0])
    assert isinstance(view, LinearScores)
    if around is None:
        return against_first(view)
    place = {part.name: i for i, part in enumerate(around[1].terms.parts)}
    found = np.zeros((len(view.weights) - 1, len(names)))
    known = [j for j, name in enumerate(names) if name in place]
    found[:, known] = against_first(view)[:, [place[names[j]] for j in known]]
    return found
