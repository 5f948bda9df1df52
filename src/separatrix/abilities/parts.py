"""Parts that hold no more than what a model hands over: a sentence and the function that does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ..array_types import Codes, Floats, Folds
from .page import Refused

if TYPE_CHECKING:
    from ..data import Block, Source
    from ..solvers.held_out.leave_one_out import LeftOut
    from ..solvers.held_out.left_out_newton import LeftOutScores
    from ..solvers.held_out.permuted import TrainingTotals
    from .additive_scores import AdditiveScores

BALANCED = Refused("class weights that balance the classes change with every row that is left out")
WEIGHTED = Refused("with class weights each row is taken out of the summary and the model solved again")
SOLVED_AGAIN = Refused("each row is taken out of the summary and the model solved again, without a pass over the other rows")
ESTIMATED = Refused("an estimated shrinkage changes with every row that is left out")


@dataclass(frozen=True, slots=True)
class RowsLeftOut:
    """`LeavesRowsOut` by a pass of the model's own."""

    how: str
    scores: Callable[[], Callable[[Block], LeftOut]]


@dataclass(frozen=True, slots=True)
class SpanRowsLeftOut:
    """`LeavesRowsOutOfSpan` by passes of the model's own."""

    how: str
    scores: Callable[[], Callable[[Block], LeftOut]]
    in_span: Callable[[Block], Callable[[Block], LeftOut]]


@dataclass(frozen=True, slots=True)
class FoldsHeldOut:
    """`HoldsFoldsOut` by a function of the model's own."""

    how: str
    scores: Callable[[Source, Folds, bool], tuple[LeftOutScores, str] | None]


@dataclass(frozen=True, slots=True)
class Permuted:
    """`Permutes` by functions of the model's own."""

    how: str
    answers: Callable[[Floats, Folds, Codes, NDArray[Any]], Codes | None]
    solve: Callable[[TrainingTotals, Floats, Floats, Floats, NDArray[Any]], tuple[Floats, Floats] | None]


@dataclass(frozen=True, slots=True)
class BlockScores:
    """`ScoresBlocks` by the model's own scores."""

    scores: Callable[[Block], Floats]
    linear: Callable[[], tuple[Floats, Floats] | None]
    how: str = "every row by the fit of its fold"


@dataclass(frozen=True, slots=True)
class Reading:
    """`ReadsAdditively` by a function of the model's own."""

    how: str
    reading: Callable[[], AdditiveScores]
    coded: bool = False


@dataclass(frozen=True, slots=True)
class Similarity:
    """`ComparesRows` by a function of the model's own."""

    how: str
    metric: Callable[[int], Floats | None]


@dataclass(frozen=True, slots=True)
class CoefficientBounds:
    """`BoundsCoefficients` by a function of the model's own."""

    how: str
    intervals: Callable[[float], tuple[Floats, Floats] | None]


@dataclass(frozen=True, slots=True)
class PriorsChanged:
    """`ChangesPriors` by the model's own method."""

    with_priors: Callable[[Any], Any]
    how: str = "exact: other intercepts"


@dataclass(frozen=True, slots=True)
class Machines:
    """`Splits` by a function of the model's own."""

    how: str
    against_rest: Callable[[Source, list[int]], list[Any] | None]


@dataclass(frozen=True, slots=True)
class WarmStart:
    """`StartsWarm` by a function of the model's own."""

    how: str
    parameter: str | None
    begin_at: Callable[[Any], Any]
    path: Callable[[Source, Floats], Iterator[Any]] | None = None
    be_rough: Callable[[], None] | None = None
    doubted: Callable[[], int] | None = None
