"""The function `explain`: chooses between the explanation of one row and that of the model as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ..argument_types import is_among
from ..errors import InputError, one_of
from .encoded import encoded_model
from .model_explanation import ModelExplanation, explain_model
from .model_views import explainable
from .row_explanation import RowExplanation, explain_row
from .table_row_explanation import explain_table_row


def explain(
    model: Any,
    X: Any = None,
    row: Any = None,
    reference: Any = None,
    *,
    against: Any = None,
    to: Any = None,
    change: Iterable[Any] | None = None,
    fixed: Iterable[Any] = (),
    bounds: Mapping[Any, Any] | None = None,
    distance: Literal["standardised", "euclidean"] = "standardised",
    neighbours: int = 5,
    y: Any = None,
    level: float = 0.95,
    folds: int = 5,
    resamples: int = 100,
    regions: Any = None,
    grid: int = 100,
    random_state: Any = 0,
) -> RowExplanation | ModelExplanation:
    """Explain the decision about one row of X, or, without a row, the model.

    A row: what each column adds to the score of the predicted class against the runner-up,

        f_a(x) − f_b(x) = base + Σ_j c_j,

    with the distance to the boundary between the two, the nearest point on it, and the smallest change of the columns that may change which
    makes `predict` say something else: the exact minimum of Σ (δ_j/s_j)² within the bounds.

    The model: its boundaries in words, coefficients in the columns' own units and per standard deviation with intervals, their stability
    over folds, columns that nearly determine each other, and the decision regions of a plane.

    Parameters
    ----------
    model : fitted classifier
        Linear models of this package and of scikit-learn, and `OneVsRest` of such machines; pipelines that end in one, where scalers,
        selectors, imputers, encoders, vectorizers or a `TablePrep` come before it, told in the table's own columns and in words;
        `TableClassifier`, and what `compare(table, target)` returns; naive Bayes and
        quadratic discriminants are taken apart by columns too, without what needs a flat boundary. A
        decision around one of them moves its boundary (costs, thresholds, priors) or is said beside it (rejecting, other actions).
    X : rows
    row : int or label, optional
        Position of the row to be explained, or its label in the index of a frame.
    reference : rows, or (rows, labels), optional
        Training rows: their mean is what contributions are relative to, and those most like the row are listed, in the model's metric.
    against : label, optional
        Class to compare with; default: the runner-up.
    to : label, optional
        Class that the smallest change has to reach; default: any other than the predicted one.
    change, fixed : lists of columns, by name or number
        The columns that may change (default: all), and those that may not. A column that an encoder in the pipeline knows the levels of
        moves to another level, which counts as one unit of distance.
    bounds : {column: (lower, upper)}, optional
        None stands for no bound. Numbers of a table that a `TablePrep` prepared stay within the values of the rows, if not bounded here.
    distance : "standardised" or "euclidean"
        s_j is the standard deviation of column j, or 1.
    neighbours : int
        Reference rows listed.
    y : labels of X, optional
        For the model: folds, bootstrap intervals and the Fisher plane need the training rows and their labels.
    level : float
        Coverage of the intervals: Wald's where the model has a sampling theory, else percentiles of a bootstrap within the classes.
    folds, resamples : int
        Refits for the stability and for the intervals; 0 for none.
    regions : two columns, or "fisher"; optional
        Classify a grid of this plane: `explanation.regions`.
    grid : int
        Points along each axis of it.
    random_state : int or None
        For folds and resamples.

    Returns
    -------
    RowExplanation or ModelExplanation
        Print it; `.tables`, `.html`, and the numbers as attributes.

    Examples
    --------
    >>> from separatrix import FisherDiscriminant, explain
    >>> model = FisherDiscriminant().fit([[3, 2], [5, 2], [1, 4], [3, 6]], ["low", "low", "high", "high"])
    >>> why = explain(model, [[3, 2]], 0, fixed=["x0"], distance="euclidean")
    >>> why.predicted, round(why.distance, 4), why.contributions.round(4).tolist()
    ('low', 1.272, [0.0, 6.0])
    >>> print(why.flip)
    Smallest change that makes it 'high': x1 +1.5 to 3.5.

    References
    ----------
    Wachter, Mittelstadt and Russell (2018), Counterfactual explanations without opening the black box, Harvard J. of Law & Technology 31.
    """
    if row is None:
        return explain_model(model, X, y, level, folds, resamples, regions, grid, random_state)
    if not is_among(distance, ("standardised", "euclidean")):
        raise one_of("distance", distance, ["standardised", "euclidean"])
    if X is None:
        raise InputError("X is missing: pass the rows, as in explain(model, X, row=0).")
    around = encoded_model(explainable(model), X)
    if around is not None:
        return explain_table_row(model, around, X, row, reference, against, to, change, fixed, bounds, distance, neighbours)
    return explain_row(model, X, row, reference, against, to, change, fixed, bounds, distance, neighbours)
