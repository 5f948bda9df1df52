"""The model as the page computes it: what is done with each column, and linear scores of the numbers that come of it.

    f_k(x) = offsets_k + Σ_i weights_ki z_i(x),   p_k = exp f_k / Σ_l exp f_l

The scripts of the page (page/model.js) apply the same steps as the recipe does; a reading is compared with the model's own answers before
it is given away.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.pipeline import Pipeline

from ..abilities.additive_scores import LinearScores
from ..array_types import Floats
from ..data.columns import Column, ColumnBatch
from ..errors import InputTypeError
from ..explaining.model_views import inside, view_of
from ..inference.column_values import measurements, row_sample
from ..models import TableClassifier
from ..prepare import Recipe, TablePrep
from ..prepare.steps import Dropped, Numbers
from ..solvers.scores import per_class
from .form_fields import FormField, field_of
from .not_computed import NotComputed

CHECKED = 200
"""Rows on which the scores of the page are compared with the model's own answers."""
CLOSE = 1e-8
"""How far they may be apart, as probabilities and relative to the size of the scores."""
MOST_NUMBERS = 20_000
"""Weights that a page may carry."""


@dataclass(frozen=True, slots=True)
class PageModel:
    """What the page needs to answer for a row.

    Attributes
    ----------
    fields : a field of the form for each column, in the order of the recipe
    interactions : pairs of fields whose products are numbers too
    weights, offsets : (K, number of outputs) and (K,)
    classes : labels as text
    has_probabilities : whether the softmax of the scores is the model's posterior
    """

    fields: tuple[FormField, ...]
    interactions: tuple[tuple[int, int], ...]
    weights: tuple[tuple[float, ...], ...]
    offsets: tuple[float, ...]
    classes: tuple[str, ...]
    has_probabilities: bool

    def scores(self, Z: Floats) -> Floats:
        """Return the scores (n, K) of rows of outputs."""
        return np.asarray(Z @ np.array(self.weights).T + np.array(self.offsets))


def page_model(model: Any, columns: Sequence[Column], name: str) -> PageModel | NotComputed:
    """Return a fitted model as the page computes it, or why the page cannot.

    Parameters
    ----------
    model : fitted classifier
    columns : of the table, without the target; where the model takes a matrix, its columns
    name : what the model is called

    Examples
    --------
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> model = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> found = page_model(model, [Column("age", np.array([0.0, 1.0, 4.0, 5.0]))], "LDA")
    >>> found.fields[0].name, found.has_probabilities, found.scores(np.array([[2.5]])).round(9).tolist()
    ('age', True, [[0.0, 0.0]])
    """
    own = inside(model)
    batch = ColumnBatch(tuple(columns))
    recipe, rest = _parts(own, columns)
    if recipe is None:
        return _refused(name, "It reads columns as they are and weighs each by a likelihood of its own.")
    try:
        view = view_of(rest)
    except InputTypeError as problem:
        return _refused(name, str(problem))
    if not isinstance(view, LinearScores):
        return _refused(name, "Its scores are not linear in the numbers that the columns become.")
    if view.weights.size > MOST_NUMBERS:
        return _refused(name, f"It has {view.weights.size:,} weights, more than a page should carry.")
    some = batch.take(row_sample(batch.n_rows, CHECKED))
    Z = np.asarray(recipe.transform(some, sparse=False), dtype=np.float64)
    if Z.shape[1] != view.weights.shape[1]:
        return _refused(name, "Steps between the columns and the model make other numbers of them.")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")  # the numbers of a recipe have none
        agreed = _agrees(rest, view, Z)
    if agreed is None:
        return _refused(name, "It does not decide by the largest of its linear scores.")
    fields = tuple(field_of(step, some) for step in recipe.steps if not isinstance(step, Dropped))
    place = {field.name: i for i, field in enumerate(fields)}
    pairs = tuple((place[one], place[two]) for one, two in recipe.interactions)
    classes = tuple(str(label) for label in rest.classes_.tolist())
    return PageModel(fields, pairs, tuple(map(tuple, view.weights.tolist())), tuple(view.offsets.tolist()), classes, agreed)


def _parts(model: Any, columns: Sequence[Column]) -> tuple[Recipe | None, Any]:
    """Return the recipe and the model of the numbers it makes; of a model of numbers a recipe that leaves columns as they are."""
    pipeline = model.pipeline_ if isinstance(model, TableClassifier) else model if isinstance(model, Pipeline) else None
    if pipeline is not None and isinstance(pipeline.steps[0][1], TablePrep):
        rest = pipeline.steps[1:]
        return pipeline.steps[0][1].recipe_, rest[0][1] if len(rest) == 1 else Pipeline(rest)
    if isinstance(model, TableClassifier):
        return None, model
    return Recipe(tuple(Numbers(column.name, _median(column)) for column in columns)), model


def _median(column: Column) -> float:
    values = measurements(column)
    known = np.empty(0) if values is None else values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else 0.0


def _agrees(model: Any, view: LinearScores, Z: Floats) -> bool | None:
    """Return whether the softmax of the scores is the model's posterior; None where not even its decisions follow from them."""
    scores = Z @ view.weights.T + view.offsets
    if hasattr(model, "predict_proba"):
        theirs = np.asarray(model.predict_proba(Z))
        if np.abs(theirs - softmax(scores, axis=1)).max() <= CLOSE:
            return True
    codes = np.searchsorted(model.classes_, model.predict(Z))
    lost = scores.max(axis=1) - scores[np.arange(len(Z)), codes]
    if (lost > CLOSE * (1.0 + np.abs(scores).max(axis=1))).any():
        return None
    if hasattr(model, "decision_function"):
        theirs = np.asarray(model.decision_function(Z))
        theirs = per_class(theirs[:, None] if theirs.ndim == 1 else theirs)
        if np.abs((theirs - theirs[:, :1]) - (scores - scores[:, :1])).max() > CLOSE * (1.0 + np.abs(scores).max()):
            return None
    return False


def _refused(name: str, why: str) -> NotComputed:
    return NotComputed(f"What-if for {name}", why, "model = board.fit('logistic L2'); model.predict_proba(rows)")
