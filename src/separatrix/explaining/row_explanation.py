"""Why one row is decided as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..abilities import abilities_of
from ..abilities.additive_scores import AdditiveScores, LinearScores, pairs
from ..array_types import Floats
from ..data import Block, Source
from ..data.labels import Labels
from ..data.row_labels import row_label, row_labels
from ..errors import InputError
from ..geometry import Hyperplane
from ..inference.tables import Column, Table, Tables
from ..loading import maker
from .columns import limits
from .contributions import finite_spread, mean_row
from .explained_rows import log_posteriors, open_rows, row_number, take
from .explanation import Explanation
from .flip import Flip, smallest_flip
from .model_views import check_reading, code_of, explainable, names_of, remembered, view_of
from .notes import binary_column_notes, decision_notes
from .similar import similar_rows

CURVED = "The boundary is not flat in the columns: the nearest point on it and the smallest change across it need a linear model."
SHOWN = 50
"""Words listed in the table of contributions."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowExplanation(Explanation):
    """Why a row is given to one class and not to another; print it, or read the attributes.

    Attributes
    ----------
    row, label : its position in X, and its label where the index of a frame has labels
    predicted, against : the class predicted, and the one it is compared with
    score : f_predicted(x) − f_against(x) = base + Σ contributions; positive
    unit : "log-odds", "log-odds beyond the threshold" of a decision, or "score"
    base, origin, contributions : what no column adds, and where: "at the mean row", "from the priors"; and what each column adds (p,)
    names, values, mean : of the columns; the mean row to which contributions are relative, or None
    posteriors : {label: p} or None
    boundary : Hyperplane between the two, positive on the side of `predicted`; None where it is curved
    distance : float, of the row from the boundary; None where that is curved
    nearest : (p,) the point of the boundary nearest to the row, or None
    gradient : (p,) of the score at the row
    flip : Flip, the smallest change that changes the decision, or None where boundaries are curved
    similar : Table of the reference rows most like it, or None
    said : further sentences: the decision around the model, and columns of 0 and 1 that the change would put between
    levels : Table of what each level and word adds, where steps make numbers of a table; None elsewhere
    unused : columns of the table that the model does not use
    tables : Tables with all of it
    """

    row: int
    predicted: Any
    against: Any
    score: float
    unit: str
    base: float
    contributions: Floats
    names: list[str]
    values: NDArray[Any]
    mean: Floats | None
    posteriors: dict[Any, float] | None
    boundary: Hyperplane | None
    nearest: Floats | None
    gradient: Floats | None
    flip: Flip | None
    similar: Table | None
    said: tuple[str, ...] = ()
    label: Any = None
    origin: str = "at the mean row"
    levels: Table | None = None
    unused: tuple[str, ...] = ()

    @property
    def distance(self) -> float | None:
        """Distance from the boundary in the units of the columns."""
        return None if self.boundary is None else float(self.boundary.distance(self.values))

    @property
    def tables(self) -> Tables:
        """Everything, as named tables with sentences above and below."""
        tables = {"contributions": self._contribution_table()}
        if self.nearest is not None:
            tables["boundary"] = self._boundary_table(self.nearest)
        if self.similar is not None:
            tables["similar"] = self.similar
        called = f"Row {self.row}" if self.label is None else f"Row {self.row} ({self.label!r})"
        return Tables(f"{called}: {self.predicted!r} rather than {self.against!r}", tables, self._facts(), self._notes())

    def chart(self, most: int = 12) -> Any:
        """Return the contributions of the columns as an Altair chart; needs `separatrix[charts]`.

        Parameters
        ----------
        most : columns drawn, those that add most
        """
        return maker("charts.waterfall.waterfall")(self, most)

    def _facts(self) -> tuple[str, ...]:
        total = self.score - self.base
        facts = [
            f"{self.unit} of {self.predicted!r} against {self.against!r}: {self.score:.4g} = {self.base:.4g} {self.origin} "
            f"{_signed(total)} from the columns"
        ]
        if self.posteriors is not None:
            shown = sorted(self.posteriors.items(), key=lambda item: -item[1])[:5]
            facts.append("posteriors: " + ", ".join(f"{label!r} {p:.4g}" for label, p in shown))
        if self.distance is not None:
            facts.append(f"distance to the boundary between the two: {self.distance:.4g} in the units of the columns")
        return tuple(facts)

    def _notes(self) -> tuple[str, ...]:
        unused = (f"Not used by the model: {', '.join(self.unused)}.",) if self.unused else ()
        return (*(() if self.flip is None else (str(self.flip),)), *self.said, *unused)

    def _contribution_table(self) -> Table:
        order = np.argsort(-np.abs(self.contributions), kind="stable")
        order = order[[self.names[j] not in self.unused for j in order]]
        # Words by the thousand: those that add something, the strongest first.
        listed = order if len(order) <= SHOWN else order[self.contributions[order] != 0.0][:SHOWN]
        values = [_shown(value) for value in self.values[listed].tolist()]
        columns = [Column("column", [self.names[j] for j in listed]), Column("value", values)]
        if self.mean is not None and not np.isnan(self.mean).all():
            columns.append(Column("mean row", self.mean[listed], ".6g"))
        columns.append(Column("contribution", self.contributions[listed], "+.4f"))
        if self.boundary is None and self.gradient is not None:
            columns.append(Column("gradient here", self.gradient[listed], "+.4g"))
        note = f"Positive: for {self.predicted!r}; negative: for {self.against!r}."
        return Table(f"What each column adds to the {self.unit}", tuple(columns), note)

    def _boundary_table(self, nearest: Floats) -> Table:
        columns = [Column("column", self.names), Column("value", self.values, ".6g"), Column("nearest point", nearest, ".6g")]
        if self.flip is not None and self.flip.found:
            columns += [Column("smallest change", self.flip.change, "+.4g"), Column("becomes", self.flip.point, ".6g")]
        return Table(f"To the boundary with {self.against!r}, and across", tuple(columns))


def explain_row(
    model: Any,
    X: Any,
    row: Any,
    reference: Any,
    against: Any,
    to: Any,
    change: Iterable[Any] | None,
    fixed: Iterable[Any],
    bounds: Mapping[Any, Any] | None,
    distance: Literal["standardised", "euclidean"],
    neighbours: int,
) -> RowExplanation:
    """Explain the decision about one row; the parameters are those of :func:`separatrix.explain`."""
    asked, model = model, explainable(model)
    view, source = view_of(model), open_rows(model, X)
    names, i = names_of(model, source), row_number(X, row, source.n_rows)
    x = take(source, i, view.takes_gaps)
    check_reading(model, view, x[None])
    free, lower, upper = limits(names, x, change, fixed, bounds)
    training, labels = _reference(model, reference)
    mean = mean_row(model, view, source, training)
    a, b = chosen_pair(model, view, Block(x[None]), against)
    flip, similar = None, None
    if isinstance(view, LinearScores):
        scale = np.where(free, _units(model, source, training, distance), 0.0)
        flip = smallest_flip(model, view, x, a, code_of(model, "to", to), scale, lower, upper, names)
    elif to is not None or change is not None or bounds or list(fixed):
        raise InputError(f"{type(model).__name__} has boundaries that are not flat; to, change, fixed and bounds need a linear model.")
    if training is not None:
        rows = reference[0] if isinstance(reference, tuple) else reference
        similar = similar_rows(model, x, a, training, labels, finite_spread(training).sd, neighbours, row_labels(rows))
    said = (*decision_notes(asked, x[None]), *binary_column_notes(flip, training or source, names), *([CURVED] if flip is None else []))
    return replace(_gather(model, view, names, i, x, mean, (a, b), flip, similar), said=said, label=row_label(X, i))


def _gather(
    model: Any,
    view: AdditiveScores,
    names: list[str],
    row: int,
    x: Floats,
    mean: Floats,
    pair: tuple[int, int],
    flip: Flip | None,
    similar: Table | None,
) -> RowExplanation:
    """Take the score of one class against the other apart, and put all that is known together."""
    (a, b), parts = pair, np.empty((1, len(x)))
    view.parts(Block(x[None]), np.array([a]), np.array([b]), mean, parts)
    base, plane, posteriors = view.base(a, b, mean), view.plane(b, a), posteriors_of(model, x)
    score = base + float(parts.sum())
    return RowExplanation(
        row=row,
        predicted=model.classes_.tolist()[a],
        against=model.classes_.tolist()[b],
        score=score,
        unit=unit_of(model, posteriors, score, a, b),
        base=base,
        contributions=parts[0],
        names=names,
        values=x,
        mean=mean if view.relative else None,
        posteriors=None if posteriors is None else dict(zip(model.classes_.tolist(), np.exp(posteriors).tolist())),
        boundary=plane,
        nearest=None if plane is None else plane.project(x),
        gradient=_gradient(view, plane, x, a, b),
        flip=flip,
        similar=similar,
        origin="at the mean row" if view.relative else "from the priors",
    )


def chosen_pair(model: Any, view: AdditiveScores, block: Block, against: Any) -> tuple[int, int]:
    """Return the codes of the class predicted and of the one it is compared with."""
    of, runner_up = pairs(view, block, (None, None))
    other = code_of(model, "against", against)
    if other == of[0]:
        raise InputError(f"against={against!r} is what the row is predicted to be; name another class, or leave it out for the runner-up.")
    return int(of[0]), int(runner_up[0]) if other is None else other


def _reference(model: Any, reference: Any) -> tuple[Source | None, Labels | None]:
    """Return the source of reference rows and their labels: reference is X, or (X, y)."""
    if reference is None:
        return None, None
    if not isinstance(reference, tuple):
        return open_rows(model, reference, "reference"), None
    if len(reference) != 2:
        raise InputError(f"reference is a tuple of {len(reference)}; pass rows, or (rows, labels).")
    source, labels = open_rows(model, reference[0], "reference"), Labels.of(reference[1])
    if source.n_rows != len(labels):
        raise InputError(f"reference has {source.n_rows} rows and {len(labels)} labels; give one label per row.")
    return source, labels


def _units(model: Any, source: Source, training: Source | None, distance: str) -> Floats:
    """Return the unit in which changes of each column are measured."""
    if distance == "euclidean":
        return np.ones(source.n_features)
    if training is not None:
        return finite_spread(training).sd
    known = remembered(model)[1]
    if known is not None:
        return known
    if source.n_rows == 1:
        raise InputError("distance='standardised' needs the spread of the columns: pass reference=X_train, or distance='euclidean'.")
    return finite_spread(source).sd


def posteriors_of(model: Any, x: Floats) -> Floats | None:
    """Return the log posteriors of a row, None where the model has none."""
    found = log_posteriors(model, x[None])
    return None if found is None else found[0]


def unit_of(model: Any, posteriors: Floats | None, score: float, a: int, b: int) -> str:
    """Return whether differences of scores are log-odds of the model's own posteriors."""
    if posteriors is None:
        return "score"
    decision = abilities_of(model).decision
    factors = decision.log_factors(priors=False) if decision else None
    beyond = np.zeros(2) if factors is None else factors[[a, b]]
    name = "log-odds" if beyond[0] == beyond[1] else "log-odds beyond the threshold"
    own = posteriors[[a, b]] + beyond
    return name if not np.isfinite(own).all() or abs(own[0] - own[1] - score) <= 1e-6 * (1.0 + abs(score)) else "score"


def _gradient(view: AdditiveScores, plane: Hyperplane | None, x: Floats, a: int, b: int) -> Floats | None:
    if plane is not None:
        return plane.w
    return None if view.gradient is None else np.asarray(view.gradient(x[None], np.array([a]), np.array([b])))[0]


def _signed(value: float, form: Sequence[str] = ("+", "−")) -> str:
    return f"{form[value < 0]} {abs(value):.4g}"


def is_gap(value: Any) -> bool:
    """Whether a value of a row is missing."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # a missing value of pandas does not know whether it is one
        return True


def _shown(value: Any) -> str:
    """Return a value of a row as it is printed."""
    if is_gap(value):
        return "missing"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return format(value, ".6g")
    return str(value).removesuffix(" 00:00:00")
