"""How a stored model does on labelled rows of files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..array_types import Codes, Floats
from ..data.table_opening import open_table
from ..errors import InputError, did_you_mean
from ..evaluation.evaluation_rows import EvaluationRows
from ..evaluation.metrics import METRICS, NEED_POSTERIORS
from ..evaluation.predictions import HeldOut
from ..inference.tables import Column, Table
from ..notebook import Sentences
from ..prepare.steps.base import level_text
from ..selection.performance import ComparisonMetric, Performance
from .contents import Contents
from .formula import Formula, formula_of
from .scoring import all_predictions
from .training_data import data_hash


@dataclass(frozen=True, eq=False)
class Judgement(Sentences):
    """What a model said of labelled rows, and how good that is.

    Attributes
    ----------
    rows : the labelled rows
    held : what was said of them
    is_training : whether these are the very files that the model was fitted on
    unlabelled : rows without a label, which are left out
    """

    rows: EvaluationRows
    held: HeldOut
    is_training: bool = False
    unlabelled: int = 0

    @cached_property
    def performance(self) -> dict[str, Performance]:
        """By metric."""
        names = [name for name in METRICS if self.held.posteriors is not None or name not in NEED_POSTERIORS]
        return {name: Performance(ComparisonMetric.of(name), self.rows, (self.held,)) for name in names}

    @property
    def scores(self) -> dict[str, float]:
        """Values of the metrics."""
        return {name: own.value for name, own in self.performance.items()}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """95 % intervals of the metrics."""
        return {name: own.interval for name, own in self.performance.items()}

    @property
    def confusion(self) -> Floats:
        """(K, K) counts, rows are the truth."""
        K = len(self.rows.classes)
        return np.bincount(self.rows.codes * K + self.held.codes, minlength=K * K).reshape(K, K).astype(np.float64)

    def tables(self) -> tuple[Table, Table]:
        """Return the metrics, and the counts of truth against label."""
        names, spans = list(self.scores), list(self.intervals.values())
        metrics = (
            Column("metric", names),
            Column("value", list(self.scores.values()), ".4f"),
            Column("95 % low", [low for low, _ in spans], ".4f"),
            Column("high", [high for _, high in spans], ".4f"),
        )
        labels = [str(label) for label in self.rows.classes.tolist()]
        counts = [Column(f"said {label}", self.confusion[:, k], ".6g") for k, label in enumerate(labels)]
        return Table(f"{self.rows.n:,} labelled rows", metrics), Table("Truth down, label across", (Column("truth", labels), *counts))

    def __str__(self) -> str:
        lost = f"\n{self.unlabelled:,} rows without a label were left out." if self.unlabelled else ""
        return "\n\n".join(table.text for table in self.tables()) + lost

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return {
            "rows": self.rows.n,
            "unlabelled": self.unlabelled,
            "is_training": self.is_training,
            "scores": self.scores,
            "intervals": self.intervals,
            "classes": self.rows.classes,
            "confusion": self.confusion,
        }


def judge(contents: Contents, paths: Sequence[str], target: str | None = None) -> Judgement:
    """Return how the model of a file does on labelled rows.

    Parameters
    ----------
    contents : what `contents.read` returned
    paths : files of labelled rows
    target : column of the labels; default: that of the fit
    """
    formula = formula_of(contents.state)
    truth, target = labels_of(formula, paths, contents.target if target is None else target)
    codes, posteriors = all_predictions(formula, paths)
    known = np.flatnonzero(truth >= 0)
    rows = EvaluationRows(None, truth[known], None, formula.classes, None, target)
    held = HeldOut(
        np.zeros(len(known), dtype=np.int64), codes[known], None if posteriors is None else posteriors[known], "the stored model"
    )
    return Judgement(rows, held, _is_training(contents, paths, len(known)), len(truth) - len(known))


def _is_training(contents: Contents, paths: Sequence[str], n: int) -> bool:
    """Return whether the rows are those of the fit: told by their hash, which is looked at where there are as many of them."""
    facts, target = contents.column_facts, contents.target
    if contents.data_hash is None or not facts or target is None or facts[0].rows != n:
        return False
    known = open_table(list(paths)).feature_names
    names = [own.name for own in facts if own.name != target]
    if any(name not in known for name in names):
        return False
    rows = open_table(list(paths), target=target, columns=names).arrow()
    return data_hash(rows.drop_columns([target]), rows.column(target).to_numpy(zero_copy_only=False)) == contents.data_hash


def labels_of(formula: Formula, paths: Sequence[str], target: str | None) -> tuple[Codes, str]:
    """Return the class codes of all rows, −1 where there is no label, and the column they stand in."""
    names = open_table(list(paths)).feature_names
    if target is None:
        raise InputError("The model file does not say which column holds the labels; name it: --target COLUMN.")
    if target not in names:
        raise InputError(
            f"Column {target!r} of the labels is not in the table.{did_you_mean(target, names)} It has {', '.join(names[:8])}."
        )
    place = {level_text(label): code for code, label in enumerate(formula.classes.tolist())}
    parts = []
    for batch in open_table(list(paths), columns=[target]).as_columns().blocks():
        codes, levels = batch.column(0).categories()
        texts = [level_text(level) for level in levels]
        unknown = [
            text
            for text, count in zip(texts, np.bincount(codes[codes >= 0], minlength=len(texts)), strict=True)
            if count and text not in place
        ]
        if unknown:
            raise InputError(
                f"Column {target!r} holds the label {unknown[0]!r}, which the model does not know.{did_you_mean(unknown[0], place)} "
                f"It knows {', '.join(map(repr, place))}."
            )
        parts.append(np.array([*(place.get(text, -1) for text in texts), -1], dtype=np.int32)[codes])
    found: Codes = np.concatenate(parts)
    if not (found >= 0).any():
        raise InputError(f"No row has a label: column {target!r} is empty.")
    return found, target
