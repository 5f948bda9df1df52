"""Parameters of scikit-learn that ours do not have: refused by a sentence with the replacement, which the page for newcomers lists too."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils import all_estimators

import separatrix
from separatrix import GaussianNB, LinearDiscriminantAnalysis, LogisticRegression, OneVsRest, Perceptron
from separatrix.arguments import COUNTERPARTS, REPLACED
from separatrix.errors import InputError, InputTypeError
from tests.tables import ESTIMATORS

PEERS = dict(all_estimators())
PAGE = (Path(__file__).parents[1] / "docs" / "coming_from_scikit_learn.md").read_text(encoding="utf-8")


def missing() -> list[tuple[str, str]]:
    """Every parameter of a class of the same name, or of a counterpart, that ours has not."""
    found = []
    for name in separatrix.__all__:
        ours, theirs = getattr(separatrix, name), PEERS.get(COUNTERPARTS.get(name, name))
        if theirs is not None and isinstance(ours, type) and issubclass(ours, BaseEstimator):
            own = inspect.signature(ours).parameters
            found += [(name, p) for p in inspect.signature(theirs).parameters if p not in own]
    return found


@pytest.mark.parametrize(("name", "parameter"), missing())
def test_every_missing_parameter_names_its_replacement(name: str, parameter: str) -> None:
    with pytest.raises(InputTypeError, match=f"{name} has no parameter '{parameter}': .* "):
        getattr(separatrix, name)(**{parameter: None})
    assert f"`{parameter}" in PAGE


def test_the_table_holds_no_parameter_that_exists() -> None:
    for name, replaced in REPLACED.items():
        cls = getattr(separatrix, name, Perceptron)  # the perceptrons share what their base says
        assert not set(replaced) & set(inspect.signature(cls).parameters)
    assert set(COUNTERPARTS) <= set(separatrix.__all__) and set(COUNTERPARTS.values()) <= set(PEERS)


def test_what_nobody_has_is_met_by_the_closest_name() -> None:
    with pytest.raises(InputTypeError, match=r"GaussianNB has no parameter 'prior'. Did you mean 'priors'\? It has class_weight, ddof"):
        GaussianNB(prior=[0.5, 0.5])
    with pytest.raises(InputError, match="LinearDiscriminantAnalysis has no parameter 'solver': every attribute"):
        LinearDiscriminantAnalysis().set_params(solver="svd")
    with pytest.raises(InputError, match="OneVsRest has no parameter 'machine'. Did you mean 'machines'"):
        OneVsRest().set_params(machine__C=3)
    assert OneVsRest(LogisticRegression()).set_params(estimator__C=3.0).estimator.C == 3.0


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_signatures_are_those_of_the_constructor(estimator: Any) -> None:
    cls = type(estimator)
    assert list(inspect.signature(cls).parameters) == list(inspect.signature(cls.__init__).parameters)[1:]
    assert set(estimator.get_params(deep=False)) == set(inspect.signature(cls).parameters)
    assert repr(clone(estimator)) == repr(estimator)
