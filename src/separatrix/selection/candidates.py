"""Candidates of a comparison: a name, a model, and the values its hyperparameters may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline

from ..argument_types import is_listed
from ..errors import InputError, InputTypeError, UnknownNameError, did_you_mean
from ..inference.tables import distinct
from ..models import MixedNB
from ..models.base import Classifier
from ..prepare import TablePrep

Point = dict[str, Any]

BASELINE = "majority class"
"""Name of the candidate that looks at no column; every comparison has it."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A model to compare.

    Attributes
    ----------
    name : what the table calls it
    model : classifier, never fitted itself
    grid : points, each a value for some parameters, the simplest first; empty: nothing to choose
    reads_numbers : whether columns are numbers to it, whatever the types of a frame's columns
    reads_tables : whether it takes a table whose columns were read once, as `TablePrep` does
    is_reference : whether it stands outside the contest, to be compared with and never picked
    cost : what its fits take, in rough steps: where time is limited the cheapest come first
    rough : parameters of fits to many values that serve the choice of a point alone

    Examples
    --------
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> Candidate("LDA", LinearDiscriminantAnalysis(), ({"shrinkage": 0.5}, {"shrinkage": 0.1})).at({"shrinkage": 0.1})
    LinearDiscriminantAnalysis(shrinkage=0.1)
    """

    name: str
    model: Any
    grid: tuple[Point, ...] = ()
    reads_numbers: bool = False
    reads_tables: bool = False
    is_reference: bool = False
    cost: int = 0
    rough: Point = field(default_factory=dict)

    @property
    def is_tuned(self) -> bool:
        """Whether there is anything to choose."""
        return len(self.grid) > 1

    @property
    def preps(self) -> list[TablePrep]:
        """The preparations among its steps."""
        steps = self.model.steps if isinstance(self.model, Pipeline) else []
        return [step for _, step in steps if isinstance(step, TablePrep)]

    def at(self, point: Point) -> Any:
        """Return an unfitted clone of the model with the parameters of a point."""
        return clone(self.model).set_params(**point)

    def seeded(self, seed: int) -> Candidate:
        """Return the candidate with a seed wherever its model would draw one by itself: every run is then the same."""
        model = clone(self.model)
        open_seeds = [name for name, value in model.get_params().items() if name.split("__")[-1] == "random_state" and value is None]
        return replace(self, model=model.set_params(**dict.fromkeys(sorted(open_seeds), seed)))


def baseline() -> Candidate:
    """Return the candidate that always says the most frequent class, with the shares of the classes as probabilities."""
    return Candidate(BASELINE, DummyClassifier(strategy="prior"))


def check_candidates(models: Any, families: Mapping[str, Candidate]) -> list[Candidate]:
    """Return the candidates that a user asked for.

    Parameters
    ----------
    models : list or dict {name: …} of estimators, (estimator, grid), names of families; (name, estimator[, grid]) too in a list
        A grid is a dict {parameter: values} or a list of such dicts, as in scikit-learn's GridSearchCV.
    families : candidates that can be asked for by name

    Examples
    --------
    >>> from separatrix import GaussianNB, LogisticRegression
    >>> [c.name for c in check_candidates([GaussianNB(), ("tuned", LogisticRegression(), {"C": [0.1, 1]})], {})]
    ['GaussianNB', 'tuned']
    """
    if isinstance(models, Mapping):
        given: list[Any] = [_named(name, value) for name, value in models.items()]
    elif isinstance(models, str) or hasattr(models, "fit"):
        given = [models]
    elif is_listed(models):
        given = list(models)
    else:
        raise InputTypeError(f"models={models!r} is neither a list nor a dict of models.")
    if not given:
        raise InputError("models is empty, so there is nothing to compare; leave it out to compare all families that suit the data.")
    found = [_candidate(item, families) for item in given]
    return [replace(c, name=name) for c, name in zip(found, distinct([c.name for c in found], taken=[BASELINE]), strict=True)]


def _named(name: Any, value: Any) -> Any:
    return (str(name), *value) if isinstance(value, tuple) else (str(name), value, None)


def _candidate(item: Any, families: Mapping[str, Candidate]) -> Candidate:
    if isinstance(item, Candidate):
        return item
    if isinstance(item, str):
        if item not in families:
            raise UnknownNameError(
                f"{item!r} is not a family of models.{did_you_mean(item, families)} "
                f"Name one of the families {', '.join(families)}, or give a model."
            )
        return families[item]
    name, model, grid = _unpack(item)
    if isinstance(model, str):
        family = _candidate(model, families)
        return replace(family, name=name or model, grid=family.grid if grid is None else _points(family.model, grid))
    if isinstance(model, type):
        raise InputTypeError(f"{model.__name__} is a class, not a model; write {model.__name__}().")
    if not (hasattr(model, "fit") and hasattr(model, "predict") and hasattr(model, "get_params")):
        raise InputTypeError(
            f"{item!r} is not a model; give a classifier with fit and predict, or (classifier, {{'parameter': [values]}}) to have it tuned."
        )
    return Candidate(name or _name_of(model), model, _points(model, grid), _reads_numbers(model))


def _reads_numbers(model: Any) -> bool:
    """Whether a model is one of ours that makes numbers of any column; models around others leave that to them."""
    return isinstance(model, Classifier) and not isinstance(model, MixedNB) and "estimator" not in model.get_params(deep=False)


def _unpack(item: Any) -> tuple[str | None, Any, Any]:
    """Return name, model and grid of a model, (model, grid), (name, model) or (name, model, grid); a model may be a family's name."""
    if not isinstance(item, tuple):
        return None, item, None
    if len(item) == 3:
        return str(item[0]), item[1], item[2]
    if len(item) == 2:
        named = isinstance(item[0], str) and (isinstance(item[1], str) or hasattr(item[1], "fit"))
        return (item[0], item[1], None) if named else (None, item[0], item[1])
    raise InputError(f"A candidate is (estimator, grid) or (name, estimator, grid); got {len(item)} values: {item!r}.")


def _name_of(model: Any) -> str:
    if isinstance(model, Pipeline):
        return " + ".join(type(step).__name__ for _, step in model.steps if step not in (None, "passthrough"))
    return type(model).__name__


def _points(model: Any, grid: Any) -> tuple[Point, ...]:
    if grid is None:
        return ()
    try:
        points = tuple(ParameterGrid(grid))
    except (TypeError, ValueError) as problem:
        raise InputError(f"The grid {grid!r} cannot be read: {problem} Write it as {{'parameter': [values]}}.") from None
    return _known(model, points)


def _known(model: Any, points: tuple[Point, ...]) -> tuple[Point, ...]:
    parameters = model.get_params()
    for name in {name for point in points for name in point}:
        if name not in parameters:
            raise UnknownNameError(
                f"{type(model).__name__} has no parameter {name!r}.{did_you_mean(name, parameters)} It has {', '.join(sorted(parameters))}."
            )
    return points
