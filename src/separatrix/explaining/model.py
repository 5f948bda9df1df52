"""What a model has learned: coefficients, how sure they are, and where its classes lie."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..argument_types import check_arguments
from ..data.labels import Labels
from ..errors import InputError, InputTypeError
from ..evaluation.plans import count_rows
from ..geometry import Hyperplane
from ..inference.collinearity import collinear_groups, collinearity_table
from ..inference.tables import Column, Table, Tables
from ..models.discriminant_summary import column_names
from ..summaries import Moments
from .contributions import finite_spread
from .reading import explainable, inside, remembered, require_fitted, view_of
from .refits import Refits, against_first, over_folds, over_resamples
from .regions import Regions, decision_regions
from .rows import open_rows
from .said import SaidInTables
from .views import LinearView, View

Floats = NDArray[np.float64]

SHOWN = 45
"""Boundaries written out: all pairs of ten classes."""
WIDE = 500
"""Columns up to which dependence among them is looked for."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelExplanation(SaidInTables):
    """What a model has learned; print it, or read the attributes.

    Attributes
    ----------
    names, classes : of the columns, and labels
    coefficients : Table, of each class against the first; None where scores are not linear
    boundaries : sentences, one for each pair of classes
    intervals : how intervals were found, or why there are none
    folds : Refits without each fold, or None
    collinearity, groups : Table of variance inflation factors, and groups of columns that nearly determine each other
    regions : Regions or None
    notes : sentences
    tables : Tables with all of it
    """

    model: str
    names: list[str]
    classes: list[Any]
    coefficients: Table | None
    boundaries: tuple[str, ...]
    intervals: str
    folds: Refits | None
    collinearity: Table | None
    groups: tuple[tuple[str, ...], ...]
    regions: Regions | None
    notes: tuple[str, ...]

    @property
    def tables(self) -> Tables:
        """Everything, as named tables with sentences above and below."""
        tables = {"coefficients": self.coefficients, "collinearity": self.collinearity}
        tables["regions"] = None if self.regions is None else self.regions.table
        facts = (f"{len(self.names)} columns, {len(self.classes)} classes", *self.boundaries)
        groups = tuple(f"Columns that nearly determine each other: {', '.join(group)}." for group in self.groups)
        notes = (self.intervals, *groups, *self.notes)
        shown = {name: table for name, table in tables.items() if table is not None}
        return Tables(f"What {self.model} has learned", shown, facts, tuple(note for note in notes if note))


def explain_model(
    model: Any, X: Any, y: Any, level: float, folds: int, resamples: int, regions: Any, grid: int, random_state: Any
) -> ModelExplanation:
    """Explain a model as a whole; the parameters are those of :func:`separatrix.explain`."""
    asked, model = model, explainable(model)
    view, refusal = _view(model, regions)
    _check(model, level, folds, resamples, X, y)
    names = column_names(model)
    spread = finite_spread(open_rows(model, X)).sd if X is not None else remembered(model)[1]
    classes, notes, table, said = model.classes_.tolist(), [], None, ""
    boundaries: tuple[str, ...] = ()
    found = None
    if isinstance(view, LinearView):
        found = over_folds(model, X, y, folds, random_state) if y is not None and folds else None
        ends, said, more = _intervals(model, X, y, level, resamples, random_state)
        notes += [
            f"{r.warned} of {len(r.weights)} refits warned; the first: {r.first}" for r in (found, more) if r is not None and r.warned
        ]
        table = _coefficient_table(classes, names, against_first(view), spread, ends, found, level)
        boundaries = tuple(_sentences(view, classes, names))
    else:
        notes.append(
            refusal or "The scores are not linear in the columns, so there are no coefficients; explain(model, X, 0) explains row 0."
        )
    together = X is not None and len(names) <= WIDE
    scatter = Moments.from_data(X).scatter if together else None
    return ModelExplanation(
        model=type(inside(model)).__name__,
        names=names,
        classes=classes,
        coefficients=table,
        boundaries=boundaries,
        intervals=said,
        folds=found,
        collinearity=None if scatter is None else collinearity_table(scatter, names),
        groups=() if scatter is None else tuple(tuple(names[j] for j in group) for group in collinear_groups(scatter)),
        regions=None if regions is None else decision_regions(model, X, y, regions, names, grid),
        notes=(*_decision_said(asked, model), *notes),
    )


def _view(model: Any, regions: Any) -> tuple[View | None, str]:
    """Return the model's view; where it has none, regions can be shown all the same, with the reason for the rest missing."""
    require_fitted(model)
    try:
        return view_of(model), ""
    except InputTypeError as error:
        if regions is None:
            raise
        return None, str(error)


def _decision_said(asked: Any, model: Any) -> tuple[str, ...]:
    """Return the decision around the model asked about, if there is one, and whether the explanation is of it."""
    if not hasattr(asked, "_log_factors"):
        return ()
    return (f"The decision: {asked._in_words()}." + ("" if asked is model else " The rest is about the most probable class."),)


def _check(model: Any, level: float, folds: int, resamples: int, X: Any, y: Any) -> None:
    check_arguments(_check, locals())
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level!r} must be a number between 0 and 1, such as 0.95.")
    if folds < 0 or folds == 1 or resamples < 0:
        raise InputError(f"folds={folds!r}, resamples={resamples!r}: use 0 for none, else at least 2 folds.")
    if y is None:
        return
    if X is None:
        raise InputError("y without X: pass the rows too, as in explain(model, X, y=y).")
    rows, labels = count_rows(X), Labels.of(y)
    if rows != len(labels):
        raise InputError(f"X has {rows} rows and y has {len(labels)} labels; give one label per row.")
    known, found = model.classes_.tolist(), labels.classes.tolist()
    if known != found:
        raise InputError(f"y has the classes {found}, the model {known}; pass the rows and labels that the model was fitted on.")
    fewest = int(np.bincount(labels.codes(0, rows)).min())
    if folds > fewest:
        raise InputError(f"folds={folds} needs {folds} rows of every class, and one has {fewest}; use folds={fewest if fewest > 1 else 0}.")


def _intervals(
    model: Any, X: Any, y: Any, level: float, resamples: int, random_state: Any
) -> tuple[tuple[Floats, Floats] | None, str, Refits | None]:
    """Return intervals (lower, upper), how they were found, and the refits behind them if any."""
    known = getattr(inside(model), "_coefficient_intervals", lambda level: None)(level)
    if known is not None:
        return known, "Intervals: Wald's, from the Fisher information of the fit.", None
    if y is None or resamples == 0:
        return None, "No intervals: pass the training rows, explain(model, X, y=y), for those of a bootstrap.", None
    refits = over_resamples(model, X, y, resamples, random_state)
    return refits.interval(level), f"Intervals: percentiles of {resamples} bootstrap refits, rows drawn within each class.", refits


def _coefficient_table(
    classes: list[Any],
    names: list[str],
    weights: Floats,
    spread: Floats | None,
    ends: tuple[Floats, Floats] | None,
    folds: Refits | None,
    level: float,
) -> Table:
    several = len(classes) > 2
    rows = [f"{label}: {name}" if several else name for label in classes[1:] for name in names]
    columns = [Column("coefficient", rows), Column("estimate", weights.ravel(), ".5g")]
    if spread is not None:
        columns.append(Column("per std. dev.", (weights * spread).ravel(), ".5g"))
    if ends is not None:
        columns += [Column(f"{side} {100 * level:g} %", end.ravel(), ".5g") for side, end in zip(("lower", "upper"), ends)]
    if folds is not None:
        same = (np.sign(folds.weights) == np.sign(weights)).sum(axis=0).ravel()
        columns.append(Column("std. dev. over folds", folds.weights.std(axis=0, ddof=1).ravel(), ".3g"))
        columns.append(Column("same sign", [f"{count} of {len(folds.weights)}" for count in same]))
    title = (
        f"Coefficients: score of {classes[1]!r} against {classes[0]!r}" if not several else f"Coefficients: scores against {classes[0]!r}"
    )
    return Table(title, tuple(columns))


def _sentences(view: View, classes: list[Any], names: list[str]) -> list[str]:
    """Return the boundary of each pair of classes in words."""
    found = []
    pairs = list(combinations(range(len(classes)), 2))
    for j, k in pairs[:SHOWN]:
        plane = view.plane(j, k)
        if plane is None:
            found.append(f"{classes[j]!r} and {classes[k]!r} have the same weights: no boundary between them")
        else:
            rather = f" rather than {classes[j]!r}" if len(classes) > 2 else ""
            found.append(f"class {classes[k]!r}{rather} where {in_words(plane, names)}")
    return found + ([f"… and {len(pairs) - SHOWN} more pairs"] if len(pairs) > SHOWN else [])


def in_words(plane: Hyperplane, names: list[str]) -> str:
    """Return the positive side of a plane as an inequality, to four digits.

    Examples
    --------
    >>> in_words(Hyperplane([0.53, -1.2], -3.1), ["petal length", "width"])
    '0.53·petal length − 1.2·width > 3.1'
    """
    rounded = [float(f"{weight:.4g}") for weight in plane.w]
    level = 0.0 - float(f"{plane.w0:.4g}")
    left = Hyperplane(rounded, 0.0).equation(names).removesuffix(" = 0")
    return f"{left} > {level:.4g}".replace("> -", "> −")
