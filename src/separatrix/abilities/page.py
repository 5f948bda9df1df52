"""The page of abilities: for each a typed part, or a sentence why a model refuses it; `abilities_of` answers for any estimator."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, TypeVar

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from ..errors import InputError, InputTypeError
from ..inference.tables import Column, Table
from ..notebook import view
from .protocols import (
    BoundsCoefficients,
    ChangesPriors,
    ComparesRows,
    ComparesSubsets,
    Decides,
    FitsSubsets,
    FollowsShrinkage,
    HasLikelihood,
    HoldsFoldsOut,
    LeavesRowsOut,
    Part,
    Permutes,
    RanksColumns,
    ReadsAdditively,
    Resamples,
    ScoresBlocks,
    ScoresSubsets,
    SolvedFromSummary,
    Splits,
    StartsWarm,
)

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Refused:
    """An ability that a model does not have, and why: a sentence without its full stop. It is false, a part is true.

    Examples
    --------
    >>> bool(Refused("class weights change with every row"))
    False
    """

    why: str

    def __bool__(self) -> Literal[False]:
        return False


def offered(part: P | Refused) -> P:
    """Return a part, or raise the reason why it is refused.

    Examples
    --------
    >>> offered(Refused("LinearSVC has no likelihood"))
    Traceback (most recent call last):
    separatrix.errors.InputError: LinearSVC has no likelihood.
    """
    if isinstance(part, Refused):
        raise InputError(f"{part.why}.")
    return part


def unless(refused: Refused | None, part: P) -> P | Refused:
    """Return a part, or the refusal where there is one. (`refused or part` would not do: a refusal is false.)"""
    return part if refused is None else refused


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: what an ability is called, what happens where a model refuses it, and why unless the model says more."""

    name: str
    instead: str
    why: str


ROWS = {
    "summary": Row("fit from one pass, partial_fit, forget", "all rows at every fit", "the fit is no function of a summary"),
    "leave_one_out": Row("leave-one-out", "refits", "no algebra takes a single row out of this fit"),
    "folds": Row("folds by steps from one fit", "no", "no minimised loss to take steps on"),
    "shrinkages": Row("leave-one-out along shrinkages", "no", "there is no path of shrinkages"),
    "resamples": Row("bootstrap", "refits", "no algebra solves all resamples at once"),
    "permutations": Row("permutation test", "refits", "no part of the fit is free of the labels"),
    "subsets": Row("held-out scores of column sets", "refits", "no update carries the fit from one set of columns to the next"),
    "subset_fits": Row("column sets fitted side by side", "one by one", "fits of this model do not advance together"),
    "ranking": Row("candidate columns ranked first", "all refitted", "no test says beforehand which column helps"),
    "criterion": Row("AIC and BIC of column sets", "none", "its likelihood cannot be compared between sets of columns"),
    "likelihood": Row("AIC and BIC", "none", "it is not a probabilistic model"),
    "warm_start": Row("fits that begin at another", "no", "the fit does not begin anywhere: it is solved at once"),
    "against_rest": Row("machines of OneVsRest together", "one by one", "two-class fits of this model share no pass"),
    "scores": Row("folds scored in one pass", "one by one", "its scores are not those of blocks"),
    "reading": Row("explain", "no", "its scores do not add up over columns"),
    "similarity": Row("rows alike in the model's metric", "standardised columns", "the model compares no rows"),
    "intervals": Row("intervals of coefficients", "none", "the fit keeps no standard errors"),
    "priors": Row("other class priors without a fit", "by posteriors", "it has no posteriors that priors could change"),
    "decision": Row("a decision around the model", "none", "predictions are the most probable classes"),
}
"""What the table prints, by field of `Abilities`."""
USUAL: dict[str, Any] = {name: Refused(row.why) for name, row in ROWS.items()}
"""What a model says of an ability that it does not have, unless it says more."""


@dataclass(slots=True, kw_only=True)  # not frozen: each level of a family writes into one page, which costs a tenth of copying it
class Abilities:
    """What a model can do beyond fit and predict: a part for each ability, or the reason why not.

    `model` is the model asked; `print` shows the page as a table. A part is asked as `abilities.leave_one_out.scores()`; `Refused` is false
    and has `why`. A page is made anew for whoever asks.

    Examples
    --------
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> abilities = LinearDiscriminantAnalysis(shrinkage="auto").abilities()
    >>> abilities.leave_one_out.why
    'an estimated shrinkage changes with every row that is left out'
    """

    model: Any
    summary: SolvedFromSummary | Refused
    leave_one_out: LeavesRowsOut | Refused
    folds: HoldsFoldsOut | Refused
    shrinkages: FollowsShrinkage | Refused
    resamples: Resamples | Refused
    permutations: Permutes | Refused
    subsets: ScoresSubsets | Refused
    subset_fits: FitsSubsets | Refused
    ranking: RanksColumns | Refused
    criterion: ComparesSubsets | Refused
    likelihood: HasLikelihood | Refused
    warm_start: StartsWarm | Refused
    against_rest: Splits | Refused
    scores: ScoresBlocks | Refused
    reading: ReadsAdditively | Refused
    similarity: ComparesRows | Refused
    intervals: BoundsCoefficients | Refused
    priors: ChangesPriors | Refused
    decision: Decides | Refused

    @classmethod
    def none(cls, model: Any, why: str | None = None) -> Self:
        """Return the page of a model that has no ability of its own, for one reason or for the usual ones."""
        parts = USUAL if why is None else dict.fromkeys(USUAL, Refused(why))
        return cls(model=model, **parts)

    def rows(self) -> list[tuple[str, str, str]]:
        """Return ability, "yes" or what happens instead, and how or why not, for every field."""
        found = []
        for field in fields(self)[1:]:
            part: Part | Refused = getattr(self, field.name)
            row = ROWS[field.name]
            found.append((row.name, row.instead, part.why) if isinstance(part, Refused) else (row.name, "yes", part.how))
        return found

    def __str__(self) -> str:
        rows = self.rows()
        first, second = (max(len(row[i]) for row in rows) for i in (0, 1))
        return "\n".join([repr(self.model), *(f"  {name:<{first}}  {answer:<{second}}  {how}" for name, answer, how in rows)])

    def _repr_html_(self) -> str:
        names, answers, reasons = zip(*self.rows(), strict=True)
        columns = (Column("ability", names), Column("answer", answers), Column("how, or why not", reasons))
        return view(Table(repr(self.model), columns).html)


def abilities_of(model: Any) -> Abilities:
    """Return what an estimator can do beyond fit and predict: a table to print, and typed parts to ask.

    Models of this package say it themselves. Everything else is refitted for every fold, row or set of columns, which is always right.

    Parameters
    ----------
    model : estimator

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from separatrix import abilities_of
    >>> abilities_of(SVC()).leave_one_out.why
    'SVC is not of this package, so it is refitted'

    See Also
    --------
    separatrix.LinearDiscriminantAnalysis.abilities : the same as a method.
    """
    if isinstance(model, type) or not hasattr(model, "fit"):
        given = model.__name__ if isinstance(model, type) else repr(model)[:60]
        raise InputTypeError(f"model={given} is no estimator; pass one, as in abilities_of(LinearDiscriminantAnalysis()).")
    if isinstance(model, FrozenEstimator):  # which hands on every name of the model inside
        own, none = abilities_of(model.estimator), Abilities.none(model, "a frozen model is never fitted again")
        return replace(none, reading=own.reading, similarity=own.similarity, intervals=own.intervals, decision=own.decision)
    ask = getattr(model, "abilities", None)
    found = ask() if callable(ask) else None
    if isinstance(found, Abilities):
        return found
    if isinstance(model, Pipeline):
        return Abilities.none(model, "the steps before the classifier learn from the rows too, so the whole pipeline is refitted")
    return Abilities.none(model, f"{type(model).__name__} is not of this package, so it is refitted")
