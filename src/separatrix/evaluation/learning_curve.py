"""How the held-out score changes with the number of rows trained on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from ..abilities import abilities_of, offered
from ..arguments import PLAN, SILENT, answers_to
from ..array_types import Codes, Floats, Indices, Ints
from ..data import Source
from ..data.threads import single_threaded_blas
from ..errors import InputError, short_text
from ..inference.shares import wilson
from ..inference.tables import Column, Table
from ..loading import maker
from ..notebook import view
from ..progress import task
from .estimate import corrected_resampled_t
from .evaluation_rows import EvaluationRows, from_summary, require_classifier, require_jobs, rows_to_evaluate, summary_of
from .grown_passes import by_passes
from .key_folds import key_apart, with_kept
from .metrics import Metric, ScoredRows, bounded
from .plans import KFold, generator
from .predictions import answers, as_trained
from .prepared import prepared
from .random_plans import Bootstrap
from .scorers import one_metric
from .splits import folds_of
from .table_rows import TableRows

SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)

Said = tuple[Codes, Floats | None]


@dataclass(frozen=True, slots=True, eq=False)
class LearningCurve:
    """Held-out and training scores for growing numbers of training rows.

    Attributes
    ----------
    metric : name of the score
    sizes : (m,) rows trained on
    scores, training : (m,) score of held-out rows, and of the rows trained on
    intervals : (m, 2), 95 % intervals of `scores`
    per_fold : (m, F) held-out score of each fold
    method : "exact algebra" or "refits"
    seconds : float
    """

    metric: str
    sizes: Ints
    scores: Floats
    training: Floats
    intervals: Floats
    per_fold: Floats
    method: str
    seconds: float

    def table(self) -> Table:
        """Return one line per size."""
        columns = (
            Column("rows", self.sizes, "d"),
            Column(self.metric, self.scores, ".4f"),
            Column("95 % low", self.intervals[:, 0], ".4f"),
            Column("high", self.intervals[:, 1], ".4f"),
            Column("on training rows", self.training, ".4f"),
        )
        return Table("Learning curve", columns, f"{self.method}, {self.seconds:.2f} s")

    def chart(self) -> Any:
        """Return the curve with its band as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.paths.learning")(self)

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw it on axes of matplotlib, new ones by default, and return them.

        Parameters
        ----------
        ax : axes of matplotlib, optional
        style : of the line of held-out rows, such as color="black"
        """
        return maker("charts.axes.learning")(self, ax, **style)

    def __str__(self) -> str:
        return self.table().text

    def _repr_html_(self) -> str:
        return view(self.table().html)


@answers_to(
    cv=PLAN,
    scoring="use metric='roc_auc' or a scorer",
    train_sizes="use sizes=[0.1, 0.5, 1.0] (shares) or sizes=[50, 100] (rows)",
    estimator="the model is the first argument: learning_curve(model, X, y)",
    shuffle="training rows are always shuffled, by random_state=0; leave it out",
    exploit_incremental_learning="rows are added to what was learned of fewer wherever that is exact; leave it out",
    verbose=SILENT,
)
def learning_curve(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    sizes: Any = None,
    plan: Any = None,
    metric: Any = "error",
    n_jobs: int | None = None,
    random_state: Any = None,
) -> LearningCurve:
    """Score the rows held out by models trained on more and more of the others.

    In each fold the training rows are put into one random order in which every beginning has the class shares of the whole; a larger size
    adds rows to a smaller one. A model solved from a summary reads each row once: the summary of a size is that of the last one, merged
    with that of the rows between. A table that is not in memory is read twice for all folds and sizes: for summaries and for scores.

    Parameters
    ----------
    model : classifier
    X, y : rows and labels; or a table from `open_table` alone
    target : column of a frame X that holds the labels, in place of y
    sizes : list of ints (rows) or floats (shares of the training rows), optional
        Default 0.1, 0.2, 0.4, 0.6, 0.8, 1.0.
    plan : a plan of this package, a scikit-learn splitter or an int; default KFold(5)
    metric : "error", "balanced_accuracy", "log_loss", "brier", "auc", or any scikit-learn scorer
    n_jobs : int, optional
        Processes for refits.
    random_state : int, RandomState or None
        None is 0: the same call gives the same result.

    Returns
    -------
    LearningCurve

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearDiscriminantAnalysis, learning_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = learning_curve(LinearDiscriminantAnalysis(), X, y, sizes=[30, 60, 120], random_state=0)
    >>> curve.sizes.tolist(), curve.method
    ([30, 60, 120], 'exact algebra')

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 7.10.
    """
    start = time.perf_counter()
    require_classifier(model)
    require_jobs(n_jobs)
    plan, X = key_apart(plan, X)
    rows, rng = rows_to_evaluate(X, y, target=target, takes_columns=True), generator(random_state)
    model, rows = prepared(model, rows)
    plan = KFold(5) if plan is None else with_kept(plan, rows.kept)
    if isinstance(plan, Bootstrap):
        raise InputError("A learning curve needs a plan that holds rows out, such as KFold(5); not a bootstrap.")
    asked = one_metric(metric, hasattr(model, "predict_proba"), type(model).__name__)
    value = asked.metric
    parts = [(folds == f) for folds in folds_of(plan, rows.n, rows.labels, None, rng) for f in range(int(folds.max()) + 1)]
    counts = check_sizes(sizes, min(int((~held).sum()) for held in parts))
    orders = [grown(rows.codes, np.flatnonzero(~held), rng) for held in parts]
    _require_classes(rows, orders, counts)
    passed = by_passes(model, rows, parts, orders, counts, asked.own) if isinstance(rows, TableRows) else None
    (scores, pooled), method = (passed, "exact algebra") if passed else _scored(model, rows, parts, orders, counts, value, n_jobs)
    share = float(np.mean([part.mean() for part in parts]))
    spans = [_interval(asked.own, pooled[m], scores[0, m], sum(map(np.sum, parts)), rows, share) for m in range(len(counts))]
    short_text, training, per_fold = (asked.of(values) for values in (pooled, scores[1].mean(axis=1), scores[0]))
    intervals = np.array([asked.span(span) for span in spans])
    return LearningCurve(asked.name, counts, short_text, training, intervals, per_fold, method, time.perf_counter() - start)


def check_sizes(sizes: Any, most: int) -> Ints:
    """Return numbers of rows, increasing: ints count, floats are shares of the training rows.

    Examples
    --------
    >>> check_sizes([0.5, 10, 1.0], 40).tolist()
    [10, 20, 40]
    """
    given = list(SHARES if sizes is None else np.atleast_1d(np.asarray(sizes, dtype=object)))
    if not given:
        raise InputError("sizes is empty; give numbers of rows such as [50, 100], or shares such as [0.1, 0.5, 1.0].")
    found = []
    for size in given:
        if isinstance(size, bool) or not isinstance(size, int | float | np.number):
            raise InputError(f"size {short_text(size)} is no number; give numbers of rows such as 50, or shares such as 0.5.")
        share = isinstance(size, float | np.floating)
        if share and not 0.0 < size <= 1.0:
            raise InputError(f"size {size!r} is a share of the training rows, above 0 and at most 1.0; write an int for a number of rows.")
        rows = round(size * most) if share else int(size)
        if not 1 <= rows <= most:
            raise InputError(
                f"size {short_text(size)} is not between 1 and {most}, the rows left to train on; use fewer rows, or shares such as 0.5."
            )
        found.append(rows)
    return np.unique(np.array(found, dtype=np.int64))


def grown(codes: Codes, training: Indices, rng: Any) -> Indices:
    """Return the training rows in a random order whose beginnings all have the class shares of the whole, as nearly as can be."""
    shuffled = training[rng.permutation(len(training))]
    own = codes[shuffled]
    place = np.empty(len(shuffled))
    for k in np.unique(own):
        inside = own == k
        place[inside] = (np.arange(int(inside.sum())) + 0.5) / inside.sum()
    order: Indices = shuffled[np.argsort(place, kind="stable")]
    return order


def _require_classes(rows: EvaluationRows, orders: list[Indices], counts: Ints) -> None:
    for order in orders:
        missing = np.setdiff1d(np.arange(len(rows.classes)), rows.codes[order[: counts[0]]])
        if len(missing):
            first = max(int(np.flatnonzero(rows.codes[order] == k)[0]) + 1 if (rows.codes[order] == k).any() else 0 for k in missing)
            raise InputError(
                f"The smallest size, {counts[0]} rows, holds no row of class {rows.classes.tolist()[missing[0]]!r} in some fold; "
                f"use sizes of at least {max(first, int(counts[0]) + 1)} rows."
            )


def _scored(
    model: Any, rows: EvaluationRows, parts: list[Any], orders: list[Any], counts: Ints, value: Metric, n_jobs: int | None
) -> tuple[tuple[Floats, Floats], str]:
    """Return the scores (2, m, F) of rows held out and trained on, those of all rows held out (m,), and how they were found."""
    found, method = _answers(model, rows, parts, orders, counts, n_jobs)
    scores, pooled = np.empty((2, len(counts), len(parts))), np.empty(len(counts))
    for m, count in enumerate(counts):
        held = [ScoredRows(rows.codes[p], *found[f][m][0], None, None, rows.classes) for f, p in enumerate(parts)]
        seen = [ScoredRows(rows.codes[rows.taken(o[:count])], *found[f][m][1], None, None, rows.classes) for f, o in enumerate(orders)]
        scores[:, m] = [[value(part).value for part in side] for side in (held, seen)]
        pooled[m] = value(_all(held)).value
    return (scores, pooled), method


def _answers(
    model: Any, rows: EvaluationRows, parts: list[Any], orders: list[Any], counts: Ints, n_jobs: int | None
) -> tuple[list[list[tuple[Said, Said]]], str]:
    """Return, for each fold and size, what was said of the rows held out and of those trained on; and how."""
    summary = abilities_of(model).summary
    merges = adds = False
    if summary:
        merges = summary.kind is not None and summary.suffices(rows.n, rows.shape[1])
        adds = not merges and summary.adds_exactly
    jobs = list(zip(parts, orders, strict=True))
    found: list[list[tuple[Said, Said]]] = []
    with task("learning curve", total=len(jobs)) as work:
        if merges or adds:
            results: Iterator[Any] = (_grow(model, rows, held, order, counts, merges) for held, order in jobs)
        else:
            n_jobs = None if isinstance(rows.X, Source) else n_jobs
            results = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(_refit)(model, rows, *job, counts) for job in jobs)
        for result in results:
            found.append(result)
            work.advance(f"fold {len(found)}")
    return found, "exact algebra" if merges or adds else "refits"


def _grow(model: Any, rows: EvaluationRows, held: Any, order: Any, counts: Ints, merges: bool) -> list[tuple[Said, Said]]:
    """Add the rows between two sizes to what was learned of the smaller one."""
    found, summary, fitted = [], None, clone(model)
    for begin, end in zip([0, *counts[:-1]], counts, strict=True):
        more = rows.take(order[begin:end])
        if merges:
            own = summary_of(offered(abilities_of(model).summary), more)
            summary = own if summary is None else summary.merge(own)
            fitted = from_summary(clone(model), summary, rows)
        else:
            labels = None if isinstance(more.X, Source) else more.labels
            fitted = deepcopy(fitted).partial_fit(more.X, labels, classes=rows.classes)
        found.append((answers(fitted, rows.take(np.flatnonzero(held))), answers(fitted, rows.take(order[:end]))))
    return found


def _refit(model: Any, rows: EvaluationRows, held: Any, order: Any, counts: Ints) -> list[tuple[Said, Said]]:
    found = []
    with single_threaded_blas():
        for end in counts:
            seen = rows.take(order[:end])
            fitted = seen.fit(model)
            found.append((answers(fitted, rows.take(np.flatnonzero(held))), answers(*as_trained(fitted, seen))))
    return found


def _all(parts: list[ScoredRows]) -> ScoredRows:
    posteriors = None if parts[0].posteriors is None else np.concatenate([part.posteriors for part in parts])
    truth, predicted = (np.concatenate([getattr(part, name) for part in parts]) for name in ("truth", "predicted"))
    fits = np.repeat(np.arange(len(parts)), [len(part.truth) for part in parts])
    return ScoredRows(truth, predicted, posteriors, None, None, parts[0].classes, fits)


def _interval(name: str, value: float, per_fold: Floats, held: int, rows: EvaluationRows, share: float) -> tuple[float, float]:
    if name == "error" and held <= rows.n:
        return wilson(value, held)
    if len(per_fold) < 2 or not np.isfinite(per_fold).all():
        return float("nan"), float("nan")
    low, high = corrected_resampled_t(per_fold, share)
    return bounded(name, (value - (high - low) / 2.0, value + (high - low) / 2.0), len(rows.classes))
