"""What a report says of a model file and a table: rows that the model was trained on are known by their hash, and never judged."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..abilities import abilities_of
from ..artifacts.contents import Contents
from ..artifacts.model_file import made
from ..artifacts.training_data import data_hash
from ..data.frames import open_frame
from ..errors import InputError
from ..evaluation.evaluation_rows import EvaluationRows, rows_to_evaluate
from ..models import TableClassifier
from ..prepare import TablePrep
from ..selection import SavedBoard
from ..selection.candidates import Candidate
from .answer import answer_of_rows, answer_without_rows
from .column_use import column_use
from .curve_points import Curves
from .families import families_of, family_of
from .findings import NEW_ROWS, TRAINED_ON, Findings
from .leaderboard import Leaderboard
from .limits import limits_of_rows
from .mistakes import Mistakes
from .not_computed import NotComputed
from .page_model import page_model
from .preparation import prepared_columns
from .report_facts import ReportFacts, values_of
from .reproduction import reproduction_of_file
from .slices import worst_slices
from .threshold_counts import ThresholdCounts
from .trust import trust_of_file


def findings_of_file(contents: Contents, table: Any, target: str | None = None) -> Findings:
    """Return what is found with the model of a file and a labelled table.

    Parameters
    ----------
    contents : what `artifacts.contents.read` returned
    table : frame with the columns that the model reads, and the labels
    target : column of the labels; default: that of the fit
    """
    target = contents.target if target is None else target
    if target is None:
        raise InputError("The model file does not say which column holds the labels; name it: target='…', or --target COLUMN.")
    rows = rows_to_evaluate(table, target=target)
    saved = made(contents.saved)
    model = saved.model if isinstance(saved, SavedBoard) else saved
    _require_classes(model, rows, target)
    name = saved.picked_name if isinstance(saved, SavedBoard) else _called(model)
    return Findings.of_model(model, name, target, rows, is_training(contents, rows))


def is_training(contents: Contents, rows: EvaluationRows) -> bool:
    """Whether rows are those of the fit, by the hash of the columns that it had; more columns beside them change nothing."""
    names = [column.name for column in contents.column_facts or () if column.name != contents.target]
    if contents.data_hash is None or not names or contents.column_facts is None or contents.column_facts[0].rows != rows.n:
        return False
    frame = open_frame(rows.X)
    if any(name not in frame.columns for name in names):
        return False
    return data_hash(frame[names].to_native(), rows.labels) == contents.data_hash


def _require_classes(model: Any, rows: EvaluationRows, target: str) -> None:
    if not hasattr(model, "classes_"):
        raise InputError(f"A {type(model).__name__} predicts no classes, so there is nothing to report; give the file of a classifier.")
    known = model.classes_.tolist()
    unknown = [label for label in rows.classes.tolist() if label not in known]
    if unknown:
        raise InputError(f"Column {target!r} holds the label {unknown[0]!r}, which the model does not know; it knows {known}.")


def _called(model: Any) -> str:
    decision = abilities_of(model).decision
    own = decision.inside() if decision else model
    return type(own.estimator_ if isinstance(own, TableClassifier) else own).__name__


def facts_of_file(
    found: Findings, contents: Contents, title: str | None = None, include_rows: bool = False, command: str = ""
) -> ReportFacts:
    """Return what a report says of a model file and a table.

    Parameters
    ----------
    found : `findings_of_file(contents, table)`
    contents : of the file
    title : of the report; default: what is predicted
    include_rows : whether the values of misjudged rows are shown
    command : that makes the report again
    """
    judged, columns = found.judged, found.columns
    candidate = Candidate(found.name, found.model)
    recipe = found.model.recipe_ if isinstance(found.model, TableClassifier) else None
    reads_tables = recipe is not None and not isinstance(found.model.pipeline_.steps[0][1], TablePrep)
    used = columns if recipe is None else [column for column in columns if column.name in {step.column for step in recipe.steps}]
    return ReportFacts(
        title=f"Predicting {found.target}" if title is None else title,
        model=found.name,
        target=found.target,
        classes=tuple(map(str, found.rows.classes.tolist())),
        rows=found.rows.n,
        columns=int(np.shape(found.rows.X)[-1]),
        answer=(
            answer_without_rows(found.name, found.target, contents.estimate)
            if judged is None
            else answer_of_rows(found.name, judged, found.target)
        ),
        trust=trust_of_file(found, contents),
        leaderboard=_leaderboard(contents),
        thresholds=_not_trained_on("Thresholds and costs") if judged is None else ThresholdCounts.of(judged),
        curves=found.curves.with_few_points() if isinstance(found.curves, Curves) else found.curves,
        uses=column_use(found),
        slices=_not_trained_on("Parts of the table with more mistakes") if judged is None else worst_slices(columns, judged),
        mistakes=(_not_trained_on("Mistakes") if judged is None else Mistakes.of(judged, values_of(columns) if include_rows else None)),
        preparation=prepared_columns(used, recipe, reads_tables or family_of(candidate) == "naive Bayes"),
        what_if=page_model(found.model, columns, found.name),
        families=families_of([candidate]),
        reproduction=reproduction_of_file(contents, found.rows, command),
        limits=limits_of_rows(None if judged is None else (judged.n, judged.error)),
    )


def _not_trained_on(what: str) -> NotComputed:
    return NotComputed(what, TRAINED_ON, NEW_ROWS)


def _leaderboard(contents: Contents) -> Leaderboard | NotComputed:
    saved = made(contents.saved)
    if isinstance(saved, SavedBoard):
        return Leaderboard.of_saved(saved)
    return NotComputed(
        "A comparison with other models", "The file holds one model.", "separatrix fit TABLE --target COLUMN --report FILE.html"
    )
