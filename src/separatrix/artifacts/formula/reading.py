"""From the state of a fitted model to its formula: a reader per family, all by name, so that a model file is enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Floats
from ...decisions.calibration import CalibrationMap
from ...decisions.decision import Decision
from ...decisions.priors import check_priors, prior_odds
from ...errors import InputError, InputTypeError, did_you_mean
from ...loading import maker
from ...models.state import State, unpack
from ...prepare.recipe import Recipe
from ...solvers.closed_form.class_spans import ClassSpan
from ...solvers.closed_form.column_likelihoods import CategoryLikelihoods, CountLikelihoods
from ...solvers.closed_form.discriminant import log_priors
from ...solvers.mistakes.perceptron_votes import Ballots, SparseRows
from ...solvers.scores import folded_classes
from ...summaries.categories import CategoryCounts
from ...summaries.columns import Layout
from ...summaries.counting import CountingRule
from .inputs import Inputs
from .links import Calibrated, Rule, Softmax
from .parts import Formula
from .scaling import scaled
from .scores import AgainstRest, Categories, Counted, Diagonal, Duels, Linear, Margin, Mixed, Quadratic, Scores, Voted

RECORDS: Mapping[str, type] = {
    record.__name__: record
    for record in (Ballots, CalibrationMap, CategoryCounts, CategoryLikelihoods, ClassSpan, CountLikelihoods, Layout, SparseRows)
}


def formula_of(model: Any) -> Formula:
    """Return the formula of a fitted model, or of the state of one.

    Parameters
    ----------
    model : a fitted classifier of this package, its `State`, or anything with `state()`

    Examples
    --------
    >>> from separatrix import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    >>> formula_of(model).posteriors(np.array([[2.0]])).round(3).tolist() == model.predict_proba([[2.0]]).round(3).tolist()
    True
    """
    if not isinstance(model, State):
        if not hasattr(model, "state") and type(model).__name__ != "Pipeline":  # names: the contract of every model of this package
            raise InputTypeError(
                f"{type(model).__name__} is no model of this package, so its arithmetic is not known; fit one of separatrix's, for "
                "instance separatrix.LogisticRegression()."
            )
        model = maker("models.registry.state_of")(model)  # which knows the steps of scikit-learn that are arithmetic
    reader = READERS.get(model.model)
    if reader is None:
        raise InputTypeError(
            f"A {model.model} predicts nothing, so it has no formula.{did_you_mean(model.model, READERS)} Pass a classifier."
        )
    return reader(model)


def attribute(state: State, name: str) -> Any:
    """Return one fitted attribute of a state, with the records that formulas use."""
    found = unpack(_only(state, name), dict(RECORDS))
    if name not in found:
        raise InputError(f"The state of this {state.model} lacks {name}; it was not fitted, or written by another version.")
    return found[name]


def _only(state: State, name: str, prefix: str = "") -> State:
    """Return a state with one of the attributes alone, and without what stands before its name."""
    whole = f"{prefix}{name}"

    def own(held: Mapping[str, Any]) -> dict[str, Any]:
        return {key.removeprefix(prefix): value for key, value in held.items() if key == whole or key.startswith(f"{whole}.")}

    return State(state.model, state.schema, {}, own(state.arrays), own(state.values))


def _classes(state: State) -> NDArray[Any]:
    return np.asarray(attribute(state, "classes_"))


def _inputs(state: State) -> Inputs:
    """Return columns of numbers, by the names they had in training or by number."""
    means = state.arrays.get("xbar_", state.arrays.get("means_"))
    centre = None if means is None else np.atleast_2d(means).mean(axis=0)
    if state.values.get("feature_names_in_") is not None:
        return Inputs(tuple(str(name) for name in attribute(state, "feature_names_in_")), centre=centre)
    n = int(attribute(state, "n_features_in_"))
    return Inputs(tuple(f"x{j}" for j in range(n)), is_named=False, centre=centre)


def _linear(state: State, link: bool) -> Formula:
    score = Linear(np.ascontiguousarray(attribute(state, "coef_"), dtype=np.float64), np.asarray(attribute(state, "intercept_")))
    return Formula(state.model, _classes(state), _inputs(state), score, Softmax() if link else None)


def _gaussian(state: State) -> Formula:
    variance = np.asarray(attribute(state, "var_"))
    offset = log_priors(attribute(state, "class_prior_")) - 0.5 * np.log(2.0 * np.pi * variance).sum(axis=1)
    score = Diagonal(np.asarray(attribute(state, "theta_")), 1.0 / variance, offset)
    return Formula(state.model, _classes(state), _inputs(state), score, Softmax())


def _quadratic(state: State) -> Formula:
    offset = log_priors(attribute(state, "priors_")) - 0.5 * np.asarray(attribute(state, "log_det_"))
    spans = attribute(state, "spans_")
    bases = None if spans else np.asarray(attribute(state, "basis_"))
    score = Quadratic(np.asarray(attribute(state, "means_")), bases, offset, spans)
    return Formula(state.model, _classes(state), _inputs(state), score, Softmax())


def _never(priors: Floats) -> Any:
    never = np.isneginf(priors)
    return never if never.any() else None


def _finite(priors: Floats) -> Floats:
    return np.where(np.isneginf(priors), 0.0, priors)


def _counted(state: State) -> Formula:
    switches, skip = state.model == "BernoulliNB", state.params["missing"] == "ignore"
    binarize = state.params.get("binarize")
    rule = CountingRule(binarize, switches and binarize is None, not switches, skip)
    priors, zeros = np.asarray(attribute(state, "class_log_prior_")), attribute(state, "zero_coef_")
    coef, intercept = np.asarray(attribute(state, "coef_")), np.asarray(attribute(state, "intercept_"))
    off = attribute(state, "absent_log_prob_") if switches else None
    never = _never(priors)
    if len(coef) == 1 and never is not None:
        coef, intercept, off = _whole(attribute(state, "feature_log_prob_"), off, _finite(priors), zeros is not None)
    elif off is not None:
        finite = attribute(state, "zero_offset_")
        off = off if finite is None else finite
        off = folded_classes(off) if len(coef) == 1 else off
    gaps = None if not switches or zeros is None else np.isneginf(attribute(state, "absent_log_prob_")).astype(np.float64)
    levels = None if zeros is None else attribute(state, "zero_intercept_")
    score = Counted(rule, coef, intercept, off if skip else None, zeros, levels, gaps, never)
    return Formula(state.model, _classes(state), _inputs(state), score, Softmax())


def _whole(on: Floats, off: Floats | None, priors: Floats, has_zeros: bool) -> tuple[Floats, Floats, Floats | None]:
    """Return coefficients, intercepts and offsets of both of two classes, where a difference of the two cannot say which is impossible."""
    on = np.where(np.isneginf(on), 0.0, on) if has_zeros else on
    if off is None:
        return on, priors, None
    off = np.where(np.isneginf(off), 0.0, off) if has_zeros else off
    return on - off, priors + off.sum(axis=1), off


def _categorical(state: State) -> Formula:
    priors, classes = np.asarray(attribute(state, "class_log_prior_")), _classes(state)
    logs, zeros, starts = (
        attribute(state, "category_log_prob_"),
        attribute(state, "category_zeros_"),
        attribute(state, "categories_").starts,
    )
    never = _never(priors)
    prior = _finite(priors)
    if len(classes) == 2 and never is None:
        logs, zeros, prior = folded_classes(logs), None if zeros is None else folded_classes(zeros), folded_classes(prior)
    score = Categories(starts, logs, zeros, prior, state.params["missing"] == "ignore", never)
    return Formula(state.model, classes, _inputs(state), score, Softmax())


def _mixed(state: State) -> Formula:
    priors, inputs = np.asarray(attribute(state, "class_log_prior_")), _inputs(state)
    layout = unpack(_only(state, "layout", "summary_."), dict(RECORDS))["layout"]
    theta, variance = np.asarray(attribute(state, "theta_")), np.asarray(attribute(state, "var_"))
    counted, categorical, skip = attribute(state, "counted_"), attribute(state, "categorical_"), state.params["missing"] == "ignore"
    names = inputs.names if inputs.is_named else None
    score = Mixed(layout, theta, variance, counted, categorical, _finite(priors), skip, _never(priors), names)
    return Formula(state.model, _classes(state), replace(inputs, as_columns=True), score, Softmax())


def _voted(state: State) -> Formula:
    return Formula(state.model, _classes(state), _inputs(state), Voted(attribute(state, "ballots_")))


def _table(state: State) -> Formula:
    inner = formula_of(state.inside["estimator_"])
    recipe = Recipe.from_json(state.values["recipe_"])
    scale = attribute(state, "scale_") if state.params["standardise"] else None
    mean = None if scale is None else attribute(state, "mean_")
    inputs = Inputs(tuple(recipe.columns), recipe, state.params["prep"] == "TableColumns", mean, scale)
    return replace(inner, inputs=inputs)


def _calibrated(state: State) -> Formula:
    inner = formula_of(state.inside["estimator_"])
    if isinstance(inner.link, Calibrated):
        raise InputError("A calibration of a calibrated classifier has no formula here; calibrate the classifier itself.")
    link = Calibrated(attribute(state, "calibration_"), inner.link, float(attribute(state, "floor_")))
    return replace(inner, model=state.model, classes=_classes(state), link=link, rule=None)


def _decided(state: State) -> Formula:
    held = state.inside["estimator_"]
    inner, rule = formula_of(held), Decision(**state.params["decision"])
    if inner.link is None:
        raise InputError(f"A decision weighs posteriors, and {inner.model} has none; calibrate it first.")
    labels = inner.classes
    link = inner.link
    if rule.priors is not None:
        given = state.params["trained_priors"]
        old = _priors_of(held) if given is None else check_priors(given, labels, "trained_priors")
        n_scores = 1 if len(labels) == 2 and not _has_two_scores(inner.score) else len(labels)
        link = link.reweighted(prior_odds(check_priors(rule.priors, labels), old, labels), n_scores)
    return replace(inner, link=link, rule=Rule(rule.table(labels), rule.names(labels)))


def _has_two_scores(score: Scores) -> bool:
    rows = getattr(score, "coef", getattr(score, "logs", None))
    return rows is None or len(rows) == 2


def _priors_of(state: State) -> Floats:
    for name in ("priors_", "class_prior_"):
        if name in state.arrays:
            return np.asarray(state.arrays[name], dtype=np.float64)
    if "class_log_prior_" in state.arrays:
        return np.exp(np.asarray(state.arrays["class_log_prior_"], dtype=np.float64))
    raise InputError(f"New priors need the old ones, and {state.model} does not keep them; fit with trained_priors=….")


def _machines(state: State) -> tuple[list[Formula], NDArray[Any]]:
    return [formula_of(machine) for machine in state.machines], _classes(state)


def _margin(machine: Formula) -> Scores:
    """Return the one score of a two-class machine, positive for its second class."""
    if isinstance(machine.score, Linear | Voted):
        return machine.score
    return Margin(machine.score, is_posterior=not isinstance(machine.score, Counted | Quadratic))


def _against_rest(state: State) -> Formula:
    machines, classes = _machines(state)
    size = np.ones(len(machines))
    if state.params["scores"] == "distance":
        norms = np.array([np.linalg.norm(machine.score.coef) for machine in machines])  # type: ignore[attr-defined]
        size = np.where(norms > 0, norms, 1.0)
    score: Scores = AgainstRest(tuple(map(_margin, machines)), size, len(classes))
    if all(isinstance(machine.score, Linear) and len(machine.score.coef) == 1 for machine in machines):
        score = _joined(machines, size, len(classes))
    return Formula(state.model, classes, _inputs(state), score)


def _joined(machines: list[Formula], size: Floats, n_classes: int) -> Linear:
    coef = np.vstack([machine.score.coef for machine in machines]) / size[:, None]  # type: ignore[attr-defined]
    intercept = np.concatenate([machine.score.intercept for machine in machines]) / size  # type: ignore[attr-defined]
    if n_classes > 2 and len(coef) < n_classes:  # the class without a machine scores 0
        coef, intercept = np.vstack([coef, np.zeros_like(coef[:1])]), np.append(intercept, 0.0)
    return Linear(np.ascontiguousarray(coef), intercept)


def _duels(state: State) -> Formula:
    machines, classes = _machines(state)
    assert len(machines) == len(list(combinations(range(len(classes)), 2)))
    return Formula(state.model, classes, _inputs(state), Duels(tuple(map(_margin, machines)), len(classes)))


def _pipeline(state: State) -> Formula:
    """Return the formula of scaled, chosen or multiplied columns and a classifier, in terms of the columns that go in."""
    *steps, last = (state.inside[f"steps.{i}"] for i in range(len(state.inside)))
    found = formula_of(last)
    for step in reversed(steps):
        if step.model == "TablePrep" and step is steps[0]:
            recipe = Recipe.from_json(step.values["recipe_"])
            return replace(found, inputs=Inputs(tuple(recipe.columns), recipe))
        found = replace(found, score=before(found.score, step), inputs=_inputs(step))
    return found


def before(score: Scores, step: State) -> Scores:
    """Return scores of columns as scores of what a step makes these columns of."""
    if step.model == "StandardScaler":
        scale, mean = attribute(step, "scale_"), attribute(step, "mean_")
        p = int(attribute(step, "n_features_in_"))
        scale = np.ones(p) if scale is None else np.asarray(scale)
        return scaled(score, scale, np.zeros(p) if mean is None or not step.params["with_mean"] else np.asarray(mean))
    if "support_" in step.arrays and isinstance(score, Linear):
        coef = np.zeros((len(score.coef), len(step.arrays["support_"])))
        coef[:, step.arrays["support_"].astype(bool)] = score.coef
        return Linear(coef, score.intercept)
    raise InputTypeError(
        f"A pipeline with {step.model} before {type(score).__name__.lower()} scores has no formula; use TableClassifier, whose recipe has "
        "one."
    )


LINEAR = (
    "AveragedPerceptron", "BatchPerceptron", "FisherDiscriminant", "LeastSquaresClassifier", "LinearSVC", "NearestMean", "Perceptron",
)  # fmt: skip
"""Linear models without posteriors."""
READERS: dict[str, Callable[[State], Formula]] = {
    **dict.fromkeys(LINEAR, lambda state: _linear(state, link=False)),
    **dict.fromkeys(("LinearDiscriminantAnalysis", "LogisticRegression"), lambda state: _linear(state, link=True)),
    **dict.fromkeys(("BernoulliNB", "MultinomialNB"), _counted),
    **dict.fromkeys(("Board", "SavedBoard"), lambda state: formula_of(state.inside["model_"])),
    "CalibratedClassifier": _calibrated,
    "CategoricalNB": _categorical,
    "DecidedClassifier": _decided,
    "GaussianNB": _gaussian,
    "MixedNB": _mixed,
    "OneVsOne": _duels,
    "OneVsRest": _against_rest,
    "Pipeline": _pipeline,
    "QuadraticDiscriminantAnalysis": _quadratic,
    "TableClassifier": _table,
    "VotedPerceptron": _voted,
}
