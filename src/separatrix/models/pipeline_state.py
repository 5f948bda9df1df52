"""States of the few steps of scikit-learn that this package itself puts around its models: pipelines, scaled columns, polynomials.

Each is arithmetic on arrays that is known here; every other estimator of scikit-learn is refused, because writing it would mean a pickle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import DamagedFileError, InputTypeError
from .state import State, pack, unpack

STEPS = {"Pipeline": "sklearn.pipeline", "PolynomialFeatures": "sklearn.preprocessing", "StandardScaler": "sklearn.preprocessing"}
"""Classes of scikit-learn that have a state, and their packages."""
SCALER = ("with_mean", "with_std")
POLYNOMIAL = ("degree", "interaction_only", "include_bias")


def is_step(model: Any) -> bool:
    """Return whether a model is one of scikit-learn's steps that have a state; a class derived from one is not."""
    package = STEPS.get(type(model).__name__)
    return package is not None and type(model).__module__.startswith(package)


def state_of_step(step: Any, state_of: Callable[[Any, str], State]) -> State:
    """Return the state of a fitted step; `state_of` gives those of a pipeline's own steps."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(step)
    name = type(step).__name__
    if name == "Pipeline":
        for called, part in step.steps:
            if part is None or isinstance(part, str):
                raise InputTypeError(
                    f"The step {called!r} of the pipeline does nothing ({part!r}); leave it out, then the pipeline can be stored."
                )
        parts = {f"steps.{i}": state_of(part, name) for i, (_, part) in enumerate(step.steps)}
        return pack(name, {}, {"names": [called for called, _ in step.steps], **parts})
    names = SCALER if name == "StandardScaler" else POLYNOMIAL
    own = {key: getattr(step, key, None) for key in ("n_features_in_", "feature_names_in_")}
    if name == "StandardScaler":
        own |= {key: getattr(step, key) for key in ("mean_", "var_", "scale_", "n_samples_seen_")}
    return pack(name, {key: getattr(step, key) for key in names}, own)


def restored_step(state: State, restored: Callable[[State], Any]) -> Any:
    """Return the fitted step that a state describes; `restored` gives a pipeline's own steps."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    if state.model == "Pipeline":
        names = state.values["names"]["plain"]
        found = Pipeline([(name, restored(state.inside[f"steps.{i}"])) for i, name in enumerate(names)])
        require_chain([step for _, step in found.steps])
        return found
    own = {name: value for name, value in unpack(state, {}).items() if value is not None or name in ("mean_", "var_", "scale_")}
    if state.model == "StandardScaler":
        scaler = StandardScaler(**state.params)
        vars(scaler).update(own)
        return scaler
    try:
        basis = PolynomialFeatures(**state.params).fit(np.zeros((1, int(own["n_features_in_"]))))
    except ValueError as error:
        raise DamagedFileError("The model file has a polynomial basis of more columns than can be counted; write it anew.") from error
    vars(basis).update(own)
    return basis


def require_chain(steps: Sequence[Any]) -> None:
    """Raise an error unless each step takes what the one before it gives."""
    for step, after in pairwise(steps):
        name = type(after).__name__
        if not hasattr(step, "transform"):
            raise DamagedFileError(f"The step {type(step).__name__} transforms nothing, and {name} follows it.")
        known = [getattr(step, name) for name in ("n_outputs", "n_output_features_") if hasattr(step, name)]
        width = known[0] if known else len(step.get_feature_names_out())  # names of many products would take their memory first
        if width != after.n_features_in_:
            raise DamagedFileError(f"{name} takes {after.n_features_in_} columns, and the step before it gives {width}.")
        if name == "StandardScaler" and after.with_mean and getattr(step, "is_sparse", False):
            raise DamagedFileError("StandardScaler centres columns, and the step before it gives sparse ones.")
