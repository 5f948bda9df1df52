"""The formula of a fitted model: what it reads, its scores, how they become posteriors, and what is decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Codes, Floats
from ...data.columns import ColumnBatch
from ...errors import InputError
from ...loading import maker
from ...solvers.scores import largest
from .inputs import Inputs
from .links import Link, Rule
from .scores import Scores


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What a formula says of some rows; everything comes from scores that were computed once.

    Attributes
    ----------
    scores : (n, R); one column for two classes where they share one
    posteriors : (n, K), or None where the model has none
    codes : (n,) places of the labels in `classes`
    labels : (n,)
    actions : (n,) labels or names of actions, None for rejected rows; the labels where nothing else was decided
    """

    scores: Floats
    posteriors: Floats | None
    codes: Codes
    labels: NDArray[Any]
    actions: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Formula:
    """How a fitted model computes, as data: read from the model's state, and evaluated without the model.

        rows ── inputs ──► numbers ── score ──► (n, R) ── link ──► posteriors (n, K) ── rule ──► actions

    Attributes
    ----------
    model : name of the model's class
    classes : (K,) labels
    inputs : Inputs
    score : one of the families of `scores`
    link : Softmax or Calibrated; None where the model has no posteriors
    rule : the decision around the model, or None for the largest score

    Examples
    --------
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> from separatrix.artifacts.formula import formula_of
    >>> model = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [2.0], [3.0]], ["well", "well", "ill", "ill"])
    >>> formula = formula_of(model)
    >>> formula.labels(np.array([[0.2], [2.9]])).tolist()
    ['well', 'ill']
    """

    model: str
    classes: NDArray[Any]
    inputs: Inputs
    score: Scores
    link: Link | None = None
    rule: Rule | None = None

    def scores(self, rows: Any) -> Floats:
        """Return the scores (n, R) of rows: an array or CSR array of numbers, or a `ColumnBatch` of a table's columns."""
        found = list(self._parts(rows))
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _parts(self, rows: Any) -> Iterator[Floats]:
        for block in self.inputs.blocks(rows):
            with np.errstate(all="ignore"):  # what goes wrong shows in the scores
                scores = self.score.of(block)
            if not np.isfinite(scores).all():
                self._refuse(block, scores)
            yield scores

    def _refuse(self, block: Any, scores: Floats) -> None:
        row = int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0])
        place = f"row {block.start + row}"
        if not isinstance(block, ColumnBatch):
            x = np.asarray(block.part(row, row + 1).dense(), dtype=np.float64)[0]
            bad = np.flatnonzero(~np.isfinite(x))
            place += f", column {self.inputs.names[int(bad[0])]!r}" if len(bad) and self.inputs.recipe is None else ""
        raise InputError(
            f"The scores of {place} are not finite: a value is missing, infinite or cannot be counted, and {self.model} has no rule for "
            "it. Fill such values in, or fit separatrix.TableClassifier, which learns what to do with gaps."
        )

    def posteriors(self, rows: Any) -> Floats:
        """Return the posteriors (n, K), columns in the order of `classes`."""
        return self._link().posteriors(self.scores(rows))

    def _link(self) -> Link:
        if self.link is None:
            raise InputError(
                f"{self.model} has no posteriors; calibrate it first: separatrix.CalibratedClassifier({self.model}()).fit(X, y)."
            )
        return self.link

    def labels(self, rows: Any) -> NDArray[Any]:
        """Return the most probable label of each row, or that of the largest score; what is decided is `actions`."""
        return self.predictions(rows).labels

    def actions(self, rows: Any) -> NDArray[Any]:
        """Return what is decided for each row: what `predict` of the model returns."""
        return self.predictions(rows).actions

    def predictions(self, rows: Any) -> Predictions:
        """Return scores, posteriors, labels and actions of rows, from one pass over them."""
        scores = self.scores(rows)
        posteriors = None if self.link is None else self.link.posteriors(scores)
        codes = self._codes(scores, posteriors)
        labels = self.classes[codes]
        if self.rule is None or posteriors is None:
            return Predictions(scores, posteriors, codes, labels, labels)
        return Predictions(scores, posteriors, codes, labels, self.rule.names[self.rule.codes(posteriors)])

    def to_json(self, indent: int | None = None) -> str:
        """Return the formula as JSON: columns, recipe, numbers of the scores, link and rule."""
        found: str = maker("artifacts.description.described")(self, indent)
        return found

    def _codes(self, scores: Floats, posteriors: Floats | None) -> Codes:
        """Return the classes of rows: by scores, which tell more than posteriors that round to 0 or 1, unless a map changed their order."""
        if self.link is None:
            return largest(scores)
        if hasattr(self.link, "map"):
            assert posteriors is not None
            found: Codes = posteriors.argmax(axis=1).astype(np.int32)
            return found
        return largest(scores if self.link.shift is None else scores + self.link.shift)
