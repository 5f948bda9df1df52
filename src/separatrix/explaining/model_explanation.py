"""What a model has learned: coefficients, how sure they are, and where its classes lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from ..abilities import abilities_of
from ..abilities.additive_scores import AdditiveScores, LinearScores
from ..argument_types import check_arguments
from ..array_types import Bools, Floats
from ..data.labels import Labels
from ..errors import InputError, InputTypeError
from ..evaluation.plans import count_rows
from ..geometry import Hyperplane
from ..inference.collinearity import collinear_groups, collinearity_table, total_scatter
from ..inference.tables import Column, Table, Tables
from ..loading import maker
from ..summaries import Moments
from .coefficient_stability import Refits, against_first, over_folds, over_resamples
from .contributions import finite_spread
from .encoded import Terms, encoded_model
from .explained_rows import open_rows
from .explained_table import ExplainedTable, column_table
from .explanation import Explanation
from .model_views import explainable, inside, names_of, remembered, require_fitted, view_of
from .regions import Regions, decision_regions

SHOWN = 45
"""Boundaries written out: all pairs of ten classes."""
WIDE = 500
"""Columns up to which dependence among them is looked for."""
WORDS = 50
"""Coefficients of words listed: the largest."""
READABLE = 12
"""Numbers made of a table's columns up to which a boundary is written out."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelExplanation(Explanation):
    """What a model has learned; print it, or read the attributes.

    Attributes
    ----------
    names, classes : of the columns, and labels
    coefficients : Table, of each class against the first; None where scores are not linear
    columns : Table of how much each column of a table moves the score, where steps make numbers of it; None elsewhere
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
    columns: Table | None = None

    def chart(self, most: int = 25) -> Any:
        """Return the coefficients with their intervals as an Altair chart; needs `separatrix[charts]`.

        Parameters
        ----------
        most : columns drawn, those with the largest coefficients
        """
        return maker("charts.coefficients.coefficients")(self, most)

    @property
    def tables(self) -> Tables:
        """Everything, as named tables with sentences above and below."""
        tables = {"columns": self.columns, "coefficients": self.coefficients, "collinearity": self.collinearity}
        tables["regions"] = None if self.regions is None else self.regions.table
        what = "columns" if self.columns is None else "numbers made of the table's columns"
        facts = (f"{len(self.names)} {what}, {len(self.classes)} classes", *self.boundaries)
        groups = tuple(f"Columns that nearly determine each other: {', '.join(group)}." for group in self.groups)
        notes = (self.intervals, *groups, *self.notes)
        shown = {name: table for name, table in tables.items() if table is not None}
        return Tables(f"What {self.model} has learned", shown, facts, tuple(note for note in notes if note))


def explain_model(
    model: Any, X: Any, y: Any, level: float, folds: int, resamples: int, regions: Any, grid: int, random_state: Any
) -> ModelExplanation:
    """Explain a model as a whole; the parameters are those of :func:`separatrix.explain`."""
    asked, model = model, explainable(model)
    seen = _seen(model, X, regions)
    view, names, spread = seen.view, seen.names, seen.spread
    _check(model, level, folds, resamples, X, y)
    classes, notes, table, said = model.classes_.tolist(), [], None, ""
    boundaries: tuple[str, ...] = ()
    found = None
    if isinstance(view, LinearScores):
        found = over_folds(model, X, y, folds, random_state, names) if y is not None and folds else None
        ends, said, more = _intervals(model, X, y, level, resamples, random_state, names)
        notes += [
            f"{r.warned} of {len(r.weights)} refits warned; the first: {r.first}" for r in (found, more) if r is not None and r.warned
        ]
        table = _coefficient_table(classes, names, against_first(view), spread, ends, found, level, seen.words)
        boundaries = tuple(_sentences(view, classes, seen.spoken)) if seen.is_readable else ()
    else:
        notes.append(
            seen.refusal or "The scores are not linear in the columns, so there are no coefficients; explain(model, X, 0) explains row 0."
        )
    scatter = None if seen.numbers is None else total_scatter(Moments.from_data(seen.numbers))
    own = names if seen.measured is None else [names[j] for j in seen.measured]
    return ModelExplanation(
        model=seen.called,
        names=names,
        classes=classes,
        coefficients=table,
        boundaries=boundaries,
        intervals=said,
        folds=found,
        collinearity=None if scatter is None else collinearity_table(scatter, own),
        groups=() if scatter is None else tuple(tuple(own[j] for j in group) for group in collinear_groups(scatter)),
        regions=None if regions is None else decision_regions(seen.model, seen.rows, y, regions, names, grid),
        notes=(*_decision_notes(asked, model), *notes),
        columns=seen.columns,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """A model of numbers and the rows in these numbers; numbers: columns whose dependence is sought, measured: which."""

    model: Any
    view: AdditiveScores | None
    refusal: str
    names: list[str]
    spread: Floats | None
    rows: Any
    numbers: Any
    measured: list[int] | None = None
    terms: Terms | None = None
    prepared: bool = False
    columns: Table | None = None
    called: str = ""

    @property
    def words(self) -> Bools:
        """Which numbers are words."""
        return np.zeros(len(self.names), dtype=bool) if self.terms is None else self.terms.words

    @property
    def is_readable(self) -> bool:
        """Whether boundaries are written out."""
        return not self.words.any() and (not self.prepared or len(self.names) <= READABLE)

    @property
    def spoken(self) -> list[str]:
        """Names as they stand in an inequality: whether a column has a level, in brackets."""
        return [f"[{name}]" if self.prepared and (" = " in name or name.endswith(" missing")) else name for name in self.names]


def _seen(model: Any, X: Any, regions: Any) -> _Seen:
    """Return the model as scores of numbers: the table's own, or the parts that steps or naive Bayes make of them."""
    require_fitted(model)
    around = encoded_model(model, X)
    if around is None:
        view, refusal = _view(model, regions)
        source = None if X is None else open_rows(model, X)
        names = names_of(model, source)
        spread = finite_spread(source).sd if source is not None else remembered(model)[1]
        called = type(inside(model)).__name__
        return _Seen(model, view, refusal, names, spread, X, X if len(names) <= WIDE else None, called=called)
    inner, encoding = around
    names, terms, called = [part.name for part in encoding.terms.parts], encoding.terms, type(encoding.last).__name__
    if X is None:
        return _Seen(inner, view_of(inner), "", names, None, None, None, None, terms, encoding.prepared, called=called)
    table = ExplainedTable(inner, encoding, X)
    measured = [i for i, part in enumerate(terms.parts) if part.kind == "number"]
    numbers = table.parts[:, measured] if 0 < len(measured) <= WIDE else None
    columns = column_table(table) if encoding.prepared and table.parts.shape[0] > 1 else None
    return _Seen(
        inner, table.view, "", names, table.spread(needed=False), table.parts, numbers, measured, terms, encoding.prepared, columns, called
    )


def _view(model: Any, regions: Any) -> tuple[AdditiveScores | None, str]:
    """Return the model's view; where it has none, regions can be shown all the same, with the reason for the rest missing."""
    try:
        return view_of(model), ""
    except InputTypeError as error:
        if regions is None:
            raise
        return None, str(error)


def _decision_notes(asked: Any, model: Any) -> tuple[str, ...]:
    """Return the decision around the model asked about, if there is one, and whether the explanation is of it."""
    decision = abilities_of(asked).decision
    if not decision:
        return ()
    return (f"The decision: {decision.in_words()}." + ("" if asked is model else " The rest is about the most probable class."),)


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
    model: Any, X: Any, y: Any, level: float, resamples: int, random_state: Any, names: list[str]
) -> tuple[tuple[Floats, Floats] | None, str, Refits | None]:
    """Return intervals (lower, upper), how they were found, and the refits behind them if any."""
    bounds = abilities_of(inside(model)).intervals
    known = bounds.intervals(level) if bounds else None
    if known is not None:
        return known, "Intervals: Wald's, from the Fisher information of the fit.", None
    if y is None or resamples == 0:
        return None, "No intervals: pass the training rows, explain(model, X, y=y), for those of a bootstrap.", None
    refits = over_resamples(model, X, y, resamples, random_state, names)
    return refits.interval(level), f"Intervals: percentiles of {resamples} bootstrap refits, rows drawn within each class.", refits


def _coefficient_table(
    classes: list[Any],
    names: list[str],
    weights: Floats,
    spread: Floats | None,
    ends: tuple[Floats, Floats] | None,
    folds: Refits | None,
    level: float,
    words: Bools,
) -> Table:
    several = len(classes) > 2
    order = np.argsort(-np.abs(weights).max(axis=0), kind="stable")
    strong = np.sort(np.concatenate([np.flatnonzero(~words), order[words[order]][:WORDS]]))
    note = f"Of {int(words.sum())} words the {WORDS} with the largest coefficients." if len(names) > len(strong) else ""
    names, weights = [names[j] for j in strong], weights[:, strong]
    spread = None if spread is None else spread[strong]
    ends = None if ends is None else (ends[0][:, strong], ends[1][:, strong])
    folds = None if folds is None else replace(folds, weights=folds.weights[..., strong])
    rows = [f"{label}: {name}" if several else name for label in classes[1:] for name in names]
    columns = [Column("coefficient", rows), Column("estimate", weights.ravel(), ".5g")]
    if spread is not None:
        columns.append(Column("per std. dev.", (weights * spread).ravel(), ".5g"))
    if ends is not None:
        columns += [Column(f"{side} {100 * level:g} %", end.ravel(), ".5g") for side, end in zip(("lower", "upper"), ends)]
    if folds is not None:
        same = (np.sign(folds.weights) == np.sign(weights)).sum(axis=0).ravel()
        with np.errstate(over="ignore", invalid="ignore"):  # weights of 1e160 belong to columns of 1e-160
            columns.append(Column("std. dev. over folds", folds.weights.std(axis=0, ddof=1).ravel(), ".3g"))
        columns.append(Column("same sign", [f"{count} of {len(folds.weights)}" for count in same]))
    title = (
        f"Coefficients: score of {classes[1]!r} against {classes[0]!r}" if not several else f"Coefficients: scores against {classes[0]!r}"
    )
    return Table(title, tuple(columns), note)


def _sentences(view: AdditiveScores, classes: list[Any], names: list[str]) -> list[str]:
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
