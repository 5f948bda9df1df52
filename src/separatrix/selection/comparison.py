"""Compare models on rows that none of them has seen."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..argument_types import is_listed
from ..arguments import PLAN, SILENT, answers_to
from ..data import as_rows
from ..data.opening import is_frame
from ..errors import InputError, InputTypeError, one_of, short_text
from ..evaluation.evaluation_rows import EvaluationRows, require_jobs, rows_to_evaluate
from ..evaluation.key_folds import key_apart, with_kept
from ..evaluation.plans import KFold, generator
from ..evaluation.prepared import needs_preparation, read_once
from ..evaluation.random_plans import Bootstrap
from ..evaluation.refits import without_numbers
from ..evaluation.row_groups import as_groups
from ..evaluation.splits import folds_of
from ..models import LogisticRegression
from ..prepare import Recipe, TablePrep
from ..summaries import ClassMoments
from .board import Board
from .board_entry import Entry
from .candidates import Candidate, baseline, check_candidates
from .cross_validation import CandidateRun, Setting, run
from .families import families
from .performance import ComparisonMetric, Performance
from .table_families import behind_prep, table_families

RULES = ("1se", "min")


@answers_to(
    cv=PLAN,
    scoring="use metric='roc_auc' or a scorer",
    metrics="one metric decides: use metric='auc' or a scorer; evaluate(model, X, y, metrics=[…]) has several",
    estimator="use models=[model, …]",
    estimators="use models=[model, …]",
    model="use models=[model, …]",
    param_grid="give it beside its model: models=[(LogisticRegression(), {'C': [0.1, 1, 10]})]",
    refit="`board.model` is the picked model fitted on all rows",
    verbose=SILENT,
)
def compare(
    X: Any,
    y: Any = None,
    *,
    models: Any = None,
    target: str | None = None,
    prep: Any = None,
    plan: Any = None,
    tune: Any = None,
    metric: Any = "error",
    rule: str = "1se",
    sample_weight: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    time_budget: float | None = None,
    random_state: Any = None,
) -> Board:
    """Compare models by their held-out performance, hyperparameters being chosen inside every training part.

    In each fold of `plan` every model sees the training rows alone: an inner plan chooses its hyperparameters by them, the model is fitted
    to them, and answers for the rows held out. All models face the same folds, so their differences are tested on the same rows: exactly
    by McNemar for errors, by DeLong for the area under the ROC curve of two classes, by paired losses or fold by fold elsewhere.

    Parameters
    ----------
    X : array, sparse matrix, pandas, polars or Arrow frame of n rows, or a table from `open_table`, which is read into memory
    y : (n,) labels; or leave it out and name the column of a frame in `target`
    models : list or dict of models, optional
        Any scikit-learn classifier or pipeline, (classifier, {parameter: values}) to tune one, or the name of a family. Put simple models
        first, and simple values first in a grid: the order is the order of simplicity. Default: all families that suit the data, from
        the nearest mean to kernels. The majority class is always compared too.
    target : column of X that holds the labels
    prep : TablePrep or a plan (`Recipe`), optional
        How the columns of a table are prepared; it is learned anew inside every training part. Default: TablePrep() for a table with text,
        dates or gaps, nothing for numbers.
    plan : a plan of this package, a scikit-learn splitter or an int; default KFold(10)
        An int is scikit-learn's StratifiedKFold, with the rows in their order, whatever `random_state` is.
    tune : inner plan; default KFold(5), with fewer folds where a class has fewer rows
    metric : "error", "log_loss", "brier", "auc", "balanced_accuracy", or any scikit-learn scorer
        What is tuned, ranked and tested by.
    rule : "1se" or "min"
        What is picked: the simplest model within one standard error of the best and not significantly worse, or the best. The majority
        class is there to be compared with, and never picked.
    sample_weight : (n,) weights, optional
        Used in training (of the last step of a pipeline) and in the scores; differences are then tested fold by fold.
    groups : (n,) groups for grouped plans; the inner plan keeps them together too
    n_jobs : int, optional
        Processes. The result does not depend on it.
    time_budget : seconds, optional
        The cheapest families come first, and no fold is begun later; models that are not finished are listed as such.
    random_state : int, RandomState or None
        For plans and models that have none of their own; None is 0; the seed used is in the board's title.

    Returns
    -------
    Board
        `best`, `picked`, `model` (the picked one fitted on all rows), `table()`; Ctrl-C returns what is finished.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from separatrix import LinearDiscriminantAnalysis, compare
    >>> X, y = load_iris(return_X_y=True)
    >>> board = compare(X, y, models=[LinearDiscriminantAnalysis(), (KNeighborsClassifier(), {"n_neighbors": [15, 5, 1]})], random_state=0)
    >>> [(entry.name, round(entry.value, 4)) for entry in board]
    [('LinearDiscriminantAnalysis', 0.02), ('KNeighborsClassifier', 0.0267), ('majority class', 0.6667)]

    References
    ----------
    Varma and Simon (2006), Bias in error estimation when using cross-validation for model selection, BMC Bioinformatics 7.
    """
    start = time.perf_counter()
    plan = KFold(10) if plan is None else plan
    _check(rule, time_budget, plan)
    require_jobs(n_jobs)
    plan, X = key_apart(plan, X, groups)
    rows = rows_to_evaluate(X, y, sample_weight, target)
    plan = with_kept(plan, rows.kept)
    rows.require_followed(plan)
    candidates = _candidates(models, rows, _prep(prep))
    seed, groups = _seed(random_state), as_groups(rows.of_kept(groups), rows.n)
    folds = folds_of(plan, rows.n, rows.labels, groups, seed, rows.X)
    setting = Setting(rows, plan, tuple(folds), tune, ComparisonMetric.of(metric), groups, seed)
    seeded = [candidate.seeded(seed) for candidate in [baseline(), *candidates]]
    order = sorted(range(len(seeded)), key=lambda c: seeded[c].cost if time_budget is not None else c)
    found, ended = run([seeded[c] for c in order], setting, n_jobs, time_budget)
    courses = [found[order.index(c)] for c in range(len(seeded))]
    return _board(courses, setting, rule, ended, start)


def _seed(random_state: Any) -> int:
    drawn = generator(random_state)
    if random_state is None or isinstance(random_state, int | np.integer):
        return int(random_state or 0)
    return int(drawn.randint(2**31 - 1))


def _check(rule: str, time_budget: float | None, plan: Any) -> None:
    if rule not in RULES:
        raise one_of("rule", rule, RULES)
    if time_budget is not None and not (isinstance(time_budget, int | float | np.number) and 0 < time_budget < 1e12):
        raise InputError(f"time_budget={short_text(time_budget)} must be a positive number of seconds, or None for no limit.")
    if isinstance(plan, Bootstrap):
        raise InputError(
            "A bootstrap holds rows out unevenly, so models cannot be paired on them; use KFold(10, repeats=5) or evaluate each."
        )


def _prep(given: Any) -> TablePrep | None:
    found = given.prep() if isinstance(given, Recipe) else given
    if found is not None and not isinstance(found, TablePrep):
        raise InputTypeError(f"prep is a {type(given).__name__}; give TablePrep(…), or a plan such as Recipe.plan(table, target=…).")
    return found


def _candidates(models: Any, rows: EvaluationRows, prep: TablePrep | None) -> list[Candidate]:
    is_table = needs_preparation(LogisticRegression(), rows.X) or (prep is not None and is_frame(rows.X))
    if prep is not None and not is_table:
        raise InputError("prep is for the columns of a table, and X is none: pass a frame, or leave prep out.")
    if models is None and is_table:
        return list(table_families(read_once(rows).X, prep).values())
    if models is None:
        # One pass that refuses infinite values and, of arrays, holes, which no family could learn from.
        moments = rows.source().reduce(ClassMoments.summarise(np.arange(len(rows.classes)), "diagonal"))
        if not moments.is_finite:
            rows.source().refuse_nonfinite()
        return list(families(as_rows(rows.X)).values())
    by_name = {}
    if _names_families(models):
        by_name = table_families(read_once(rows).X, prep) if is_table else families(as_rows(rows.X))
    found = check_candidates(models, by_name)
    asked = prep is not None  # then also where a model could read the numbers of the table
    unread = [not own.reads_tables and (needs_preparation(own.model, rows.X) or (asked and own.reads_numbers)) for own in found]
    return [behind_prep(own, prep) if needed else own for own, needed in zip(found, unread, strict=True)]


def _names_families(models: Any) -> bool:
    """Whether any model is asked for by name, so that the data have to be looked at."""
    if isinstance(models, str) or hasattr(models, "fit"):
        return isinstance(models, str)
    if not is_listed(models):
        raise InputTypeError(f"models={models!r:.60} holds no models; give one, a list of them, or a dict {{name: model}}.")
    items = models.values() if isinstance(models, Mapping) else models
    return any(isinstance(part, str) for item in items for part in (item if isinstance(item, tuple) else (item,)))


def _board(courses: list[CandidateRun], setting: Setting, rule: str, ended: str, start: float) -> Board:
    entries, failures = [], {}
    for place, course in enumerate(courses):
        if not course.is_finished:
            failures[course.candidate.name] = course.reason
            continue
        scored = Performance(setting.metric, setting.rows, course.held_out(setting))
        if not np.isfinite(scored.value):
            failures[course.candidate.name] = f"its {setting.metric.name} is not a number on these rows"
            continue
        entries.append(_entry(course, scored, place))
    if not entries and ended == "interrupted":
        raise KeyboardInterrupt
    if not entries and ended:
        raise InputError("time_budget was over before any model had a result, even the majority class; give it more seconds.")
    if not ended and not any(entry.is_contender for entry in entries):
        told = " ".join(f"{name}: {reason}" for name, reason in failures.items())
        raise InputError(f"No model has a result. {told}")
    entries.sort(key=lambda entry: (entry.scored.loss, entry.place))
    best = next((entry for entry in entries if entry.is_contender), entries[0])
    entries = [entry if entry is best else replace(entry, difference=entry.scored.against(best.scored)) for entry in entries]
    return Board(tuple(entries), failures, rule, setting, time.perf_counter() - start, ended)


def _entry(course: CandidateRun, scored: Performance, place: int) -> Entry:
    answers = course.answers
    notes = tuple({without_numbers(note): note for answer in answers for note in answer.notes}.values())
    points = tuple(answer.point for answer in answers if answer.point is not None)
    seconds = sum(answer.seconds for answer in answers)
    losses = tuple(answer.losses for answer in answers if answer.losses is not None)
    return Entry(course.candidate.name, course.candidate, scored, place, points, None, answers[0].method, seconds, notes, losses)
