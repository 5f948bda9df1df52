"""One protocol per ability: what a room above may ask of a model that has it.

Every part is built from the model's parameters when `model.abilities()` is called and is stored nowhere, so that `set_params`, `clone`,
pickle and `state()` never see one. Parts that need a fit say so; asked of a fitted model they answer from its fitted attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from ..array_types import Bools, Codes, Floats, Folds, Indices

if TYPE_CHECKING:
    from ..data import Block, Source
    from ..inference.parameters import Likelihood
    from ..solvers.held_out.leave_one_out import LeftOut
    from ..solvers.held_out.left_out_newton import LeftOutScores
    from ..solvers.held_out.permuted import TrainingTotals
    from ..solvers.subsets.criterion import DeterminantCriterion
    from ..solvers.subsets.scores import SubsetScores
    from ..summaries import ClassMoments
    from ..summaries.class_moments import Kind
    from ..summaries.resampled import ResampledMoments
    from .additive_scores import AdditiveScores


@runtime_checkable
class Part(Protocol):
    """What all parts share: a sentence for users, without its full stop."""

    @property
    def how(self) -> str:
        """How the model does it, as the table of abilities prints it."""
        ...


class SolvedFromSummary(Part, Protocol):
    """The fit is a function of a mergeable summary: rows are read once, folds are summaries, rows can be added and taken out."""

    @property
    def kind(self) -> Kind | None:
        """Which ClassMoments the model is solved from; None for a summary of its own, such as counts."""
        ...

    @property
    def adds_exactly(self) -> bool:
        """Whether rows added one part after the other give the model of all rows, also where `suffices` says no."""
        ...

    @property
    def on_subsets(self) -> bool:
        """Whether the parameters mean the same on fewer columns, so that moments of sets of columns may be solved."""
        ...

    def suffices(self, n_rows: int, n_features: int, on_device: bool = False) -> bool:
        """Return whether a fit of so many rows and columns is the fit of their summary (wide rows are fitted in their own span)."""
        ...

    def source(self, X: Any, y: Any, weight: Any, classes: NDArray[Any]) -> Source:
        """Return labelled rows as this model reads them, coded by the classes given."""
        ...

    def summarise(self, source: Source) -> Any:
        """Return the summary of rows that `source` made."""
        ...

    def stands(self, parts: Sequence[Source]) -> list[bool]:
        """Return, for each part of the rows, whether the fit without it is the fit of the other parts' summaries merged. After a fit."""
        ...


class LeavesRowsOut(Part, Protocol):
    """Leave-one-out from one fit."""

    def scores(self) -> Callable[[Block], LeftOut]:
        """Return the pass from a block to the scores of its rows under the fit without each of them. After a fit."""
        ...


@runtime_checkable
class LeavesRowsOutOfSpan(LeavesRowsOut, Protocol):
    """Leave-one-out from one fit, also where rows are no more than columns."""

    def in_span(self, rows: Block) -> Callable[[Block], LeftOut]:
        """Return the same pass for blocks of these rows, which are all that were fitted, without a scatter of the columns."""
        ...


class FollowsShrinkage(Part, Protocol):
    """Leave-one-out along a path of shrinkages from one decomposition."""

    def scores(self, shrinkages: Sequence[float]) -> Callable[[Block], Iterator[LeftOut]]:
        """Return the pass from a block to the left-out scores at each shrinkage. After a fit."""
        ...

    def in_span(self, rows: Block, shrinkages: Sequence[float]) -> Callable[[Block], Iterator[LeftOut]]:
        """Return the same pass for blocks of these rows, which are all that were fitted and no more than columns."""
        ...


class HoldsFoldsOut(Part, Protocol):
    """Rows or folds held out of a minimised loss by steps from the fit of all rows."""

    def scores(self, source: Source, folds: Folds, alone: bool) -> tuple[LeftOutScores, str] | None:
        """Return scores (n, R), which rows need a refit, and the method in words; None where these rows need refits. After a fit.

        Parameters
        ----------
        source : the rows of the fit, labelled by their codes
        folds : (n,) fold numbers, −1 for never
        alone : whether every fold is one row
        """
        ...


class Resamples(Part, Protocol):
    """All resamples of a bootstrap solved at once."""

    def solve(self, moments: ResampledMoments, classes: NDArray[Any]) -> tuple[Floats, Floats, Bools]:
        """Return coef (B, K, p) and intercept (B, K) of B weightings of the same rows, and which of them are certain."""
        ...


class Permutes(Part, Protocol):
    """Held-out answers under permuted labels without a refit."""

    def answers(self, X: Floats, folds: Folds, codes: Codes, classes: NDArray[Any]) -> Codes | None:
        """Return held-out classes (n, B) under B permutations of the codes (n, B); None where the algebra does not hold for X."""
        ...

    def solve(
        self, totals: TrainingTotals, sums: Floats, counts: Floats, scale: Floats, classes: NDArray[Any]
    ) -> tuple[Floats, Floats] | None:
        """Return coefficients (p, B, K) of z = (x − mean)/scale and offsets (B, K) of B permutations; None where the algebra does not hold.

        Parameters
        ----------
        totals : of the training rows, whatever their labels
        sums, counts : (p, B, K) sums of z over the training rows of each class, and their numbers (B, K)
        scale : (p,)
        classes : (K,)
        """
        ...


class ScoresSubsets(Part, Protocol):
    """Exact held-out scores of every neighbour of a set of columns, by updates."""

    @property
    def kind(self) -> Kind:
        """Which ClassMoments the training rows of each fold are summarised by."""
        ...

    def scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores:
        """Return the engine for moments of the training rows of each fold and the held-out rows of each fold."""
        ...


class FitsSubsets(Part, Protocol):
    """Many fits on sets of columns side by side."""

    def fits(
        self, X: Floats, codes: Codes, weight: Floats | None, classes: NDArray[Any], splits: list[tuple[Indices, Indices]]
    ) -> SubsetScores | None:
        """Return the engine for rows and their splits; None where these classes are not among those it can fit."""
        ...


class RanksColumns(Part, Protocol):
    """Which columns are worth a refit, from one fit of the current set."""

    def ranks(self, X: Floats, codes: Codes, weight: Floats | None, classes: NDArray[Any], columns: list[int], adding: bool) -> Floats:
        """Return what each column (p,) is expected to gain if taken in, or minus what it is expected to be missed by."""
        ...


class ComparesSubsets(Part, Protocol):
    """AIC and BIC that can be compared between sets of columns."""

    @property
    def kind(self) -> Kind:
        """Which ClassMoments all rows are summarised by."""
        ...

    def criterion(self, moments: ClassMoments) -> DeterminantCriterion:
        """Return the criterion of every set from the moments of all rows."""
        ...


class HasLikelihood(Part, Protocol):
    """Log-likelihood and parameters of a fit, for AIC and BIC."""

    @property
    def default(self) -> Likelihood:
        """The likelihood meant where none is named."""
        ...

    @property
    def of_labels_alone(self) -> bool:
        """Whether it is a likelihood of y given x, which can be compared between sets of columns."""
        ...

    def judge(self, source: Source | None, likelihood: Likelihood) -> tuple[float, float, float]:
        """Return log L, n = Σ w and the number of parameters k of rows, or without rows of those that were fitted. After a fit."""
        ...

    def parameters(self) -> float:
        """Return k of the default likelihood, from the fit alone. After a fit."""
        ...


class StartsWarm(Part, Protocol):
    """A fit may begin where another ended."""

    @property
    def parameter(self) -> str | None:
        """The parameter along which a path of such fits is walked in increasing order."""
        ...

    def begin_at(self, fitted: Any) -> None:
        """Let the next fit of this model begin at the coefficients of a fitted one."""
        ...

    @property
    def path(self) -> Callable[[Source, Floats], Iterator[Any]] | None:
        """From rows and increasing values of `parameter` to this model fitted at each; None where no parameter is named."""
        ...

    @property
    def be_rough(self) -> Callable[[], None] | None:
        """Let the next fit end where the objective is likely within its tolerance, unproven; None where there is no such end."""
        ...

    @property
    def doubted(self) -> Callable[[], int] | None:
        """How many passes the last fit took, where such a beginning may be worse than none; None where it hardly ever is."""
        ...


class Splits(Part, Protocol):
    """All machines of one class against the rest fitted in step, so that one pass serves all."""

    def against_rest(self, source: Source, targets: list[int]) -> list[Any] | None:
        """Return one fitted two-class machine per target class, by its code; None where these rows are better fitted one by one."""
        ...


class ScoresBlocks(Part, Protocol):
    """Scores of a block's rows, for many fits that score the same rows. After a fit."""

    def scores(self, block: Block) -> Floats:
        """Return (n, K) scores whose softmax are the posteriors, or (n, 1) for two classes."""
        ...

    def linear(self) -> tuple[Floats, Floats] | None:
        """Return coef (R, p) and intercept (R,) where the scores are linear in the rows as they are, else None."""
        ...


class ReadsAdditively(Part, Protocol):
    """A decision can be taken apart by columns."""

    @property
    def coded(self) -> bool:
        """Whether rows are those of a table, which `AdditiveScores.coded` turns into numbers first."""
        ...

    def reading(self) -> AdditiveScores:
        """Return the scores that add up. After a fit."""
        ...


class ComparesRows(Part, Protocol):
    """The metric in which the model sees rows as alike."""

    def metric(self, code: int) -> Floats | None:
        """Return the basis (p, r), or factors (p,), in which rows are compared within a class; None after a fit without one."""
        ...


class BoundsCoefficients(Part, Protocol):
    """Intervals of the coefficients."""

    def intervals(self, level: float) -> tuple[Floats, Floats] | None:
        """Return lower and upper bounds of the coefficients; None where this fit keeps none. After a fit."""
        ...


class ChangesPriors(Part, Protocol):
    """Other class priors, exactly and without a fit, also where a posterior has been rounded to 0 or 1."""

    def with_priors(self, priors: Any) -> Any:
        """Return the same model for a world in which the classes are otherwise common. After a fit."""
        ...


class Decides(Part, Protocol):
    """A decision around another model. After a fit, or around a fitted model."""

    def inside(self) -> Any:
        """Return the fitted model inside."""
        ...

    def log_factors(self, priors: bool = True) -> Floats | None:
        """Return log c_k where the rule is argmax_k c_k p_k (without the change of priors if not `priors`); None for other rules."""
        ...

    def most_probable(self) -> Any:
        """Return the same model and priors with the most probable class for decision."""
        ...

    def in_words(self) -> str:
        """Return the rule as a phrase."""
        ...

    def action_names(self) -> list[Any]:
        """Return the names of the actions; None stands for rejecting."""
        ...

    def around(self, other: Any) -> Any:
        """Return the same decision around another fitted model of the same classes and the same training."""
        ...
