"""The held-out performance of a whole comparison: not of the model that was picked, but of picking one.

The picked model's own value is a little too good: it is the best of several, and luck is part of that. So the pick is held to account
too: for each fold a model is picked by the held-out rows of all other folds, by the same rule, and what that model said of the rows of the
fold counts. No model is fitted anew. What is left of the optimism is that the models of the other folds were trained on rows of this fold.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..array_types import Codes, Floats
from ..evaluation.evaluation_rows import EvaluationRows
from ..evaluation.metrics import METRICS, NEED_POSTERIORS
from ..evaluation.plans import NEVER
from ..evaluation.predictions import HeldOut
from ..notebook import Sentences
from .board import Board
from .board_entry import Entry
from .performance import ComparisonMetric, Performance


@dataclass(frozen=True, eq=False)
class ProcedureEstimate(Sentences):
    """How picking a model by a comparison does on rows that neither the models nor the pick have seen.

    Attributes
    ----------
    board : the comparison
    repeats : what the models picked said of the rows held out
    picks : name of the model picked for each fold of each repeat
    """

    board: Board
    repeats: tuple[HeldOut, ...]
    picks: tuple[str, ...]

    @property
    def rows(self) -> EvaluationRows:
        """The rows that were held out."""
        return self.board.setting.rows

    @cached_property
    def performance(self) -> dict[str, Performance]:
        """By name: the metric of the comparison first, then all others that can be computed."""
        criterion = self.board.setting.metric
        has = all(held.posteriors is not None for held in self.repeats)
        names = [name for name in METRICS if has or name not in NEED_POSTERIORS]
        found = {criterion.name: Performance(criterion, self.rows, self.repeats)}
        return found | {name: Performance(ComparisonMetric.of(name), self.rows, self.repeats) for name in names if name not in found}

    @property
    def scores(self) -> dict[str, float]:
        """Values of the metrics."""
        return {name: own.value for name, own in self.performance.items()}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """95 % intervals of the metrics."""
        return {name: own.interval for name, own in self.performance.items()}

    @property
    def procedure(self) -> str:
        """What was held to account, in words."""
        each = ", ".join(f"{name} ({times})" for name, times in Counter(self.picks).most_common())
        models = sum(entry.is_contender for entry in self.board)
        return f"picking one of {models} models anew without each fold (picked: {each})" if models > 1 else self.picks[0]

    def __str__(self) -> str:
        lines = [f"Held-out performance of the whole procedure, {self.procedure}"]
        for name, value in self.scores.items():
            low, high = self.intervals[name]
            span = f" (95 % interval {low:.4f} to {high:.4f})" if np.isfinite([low, high]).all() else ""
            lines.append(f"  {name:<18} {value:.4f}{span}")
        return "\n".join(lines)


def whole_procedure(board: Board) -> ProcedureEstimate:
    """Return the held-out performance of picking a model by a comparison.

    Parameters
    ----------
    board : what `compare` returned

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import GaussianNB, KFold, LinearDiscriminantAnalysis, compare
    >>> X, y = load_iris(return_X_y=True)
    >>> board = compare(X, y, models=[GaussianNB(), LinearDiscriminantAnalysis()], plan=KFold(5), random_state=0)
    >>> found = whole_procedure(board)
    >>> len(found.picks), round(found.scores["error"], 2)
    (5, 0.02)

    References
    ----------
    Tibshirani and Tibshirani (2009), A bias correction for the minimum error rate in cross-validation, Annals of Applied Statistics 3.
    """
    able = [entry for entry in board.entries if entry.is_contender] or list(board.entries)
    found, picks = [], []
    for r, first in enumerate(able[0].scored.repeats):
        codes: Codes = np.full(len(first.codes), -1, dtype=np.int32)
        posteriors: Floats = np.full((len(codes), len(board.setting.rows.classes)), np.nan)
        has = True  # where every model that is picked has posteriors
        for fold in range(int(first.folds.max()) + 1):
            picked = _picked_without(board, able, r, fold)
            said, inside = picked.scored.repeats[r], first.folds == fold
            codes[inside] = said.codes[inside]
            has = has and said.posteriors is not None
            if said.posteriors is not None:
                posteriors[inside] = said.posteriors[inside]
            picks.append(picked.name)
        found.append(HeldOut(first.folds, codes, posteriors if has else None, "the model picked without the fold"))
    return ProcedureEstimate(board, tuple(found), tuple(picks))


def _picked_without(board: Board, able: list[Entry], repeat: int, fold: int) -> Entry:
    """Return the model that the rule picks where the rows of one fold are not looked at."""
    seen = [replace(entry, scored=_without(entry.scored, repeat, fold), difference=None) for entry in able]
    seen.sort(key=lambda entry: (entry.scored.loss, entry.place))
    best = seen[0]
    others = [replace(entry, difference=entry.scored.against(best.scored)) for entry in seen[1:]]
    name = Board((best, *others), {}, board.rule, board.setting, 0.0).picked.name
    return next(entry for entry in able if entry.name == name)


def _without(scored: Performance, repeat: int, fold: int) -> Performance:
    """Return the performance in one repeat without the rows of a fold."""
    held = scored.repeats[repeat]
    folds = np.where(held.folds == fold, NEVER, held.folds - (held.folds > fold))
    return Performance(scored.criterion, scored.rows, (replace(held, folds=folds),))
