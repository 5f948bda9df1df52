"""The page as users and other rooms see it."""

from __future__ import annotations

import pickle

import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from separatrix import LinearDiscriminantAnalysis, LinearSVC, abilities_of
from separatrix.abilities import Refused, offered, unless
from separatrix.errors import InputError, InputTypeError
from separatrix.models.from_summary import SummaryClassifier
from separatrix.models.generative import GenerativeClassifier


def test_the_table_says_what_is_exact_and_why_the_rest_is_not() -> None:
    said = str(LinearDiscriminantAnalysis(shrinkage="auto").abilities())
    assert "leave-one-out                           refits" in said
    assert "an estimated shrinkage changes with every row that is left out" in said
    assert "leave-one-out</th><td>refits</td>" in LinearDiscriminantAnalysis(shrinkage="auto").abilities()._repr_html_()


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (SVC(), "SVC is not of this package"),
        (make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()), "the whole pipeline is refitted"),
        (FrozenEstimator(LinearDiscriminantAnalysis()), "a frozen model is never fitted again"),
    ],
    ids=str,
)
def test_other_estimators_are_refitted(model: object, why: str) -> None:
    assert why in abilities_of(model).leave_one_out.why  # type: ignore[union-attr]


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis, None, 3.0])
def test_what_is_no_estimator_is_refused(model: object) -> None:
    with pytest.raises(InputTypeError, match="is no estimator; pass one"):
        abilities_of(model)


def test_abilities_follow_parameters_and_are_stored_nowhere() -> None:
    model = LinearDiscriminantAnalysis()
    assert model.abilities().leave_one_out and "leave_one_out" not in vars(model)
    model.set_params(shrinkage="auto")
    assert not model.abilities().leave_one_out
    assert not pickle.loads(pickle.dumps(clone(model))).abilities().leave_one_out


class Newcomer(SummaryClassifier, GenerativeClassifier):
    """A model that gives no part of its own."""


def test_a_new_model_is_told_what_really_happens_to_it() -> None:
    page = Newcomer().abilities()
    assert isinstance(page.leave_one_out, Refused) and "each row is taken out of the summary" in page.leave_one_out.why
    with pytest.raises(InputError, match="Newcomer does not count its parameters"):
        offered(page.likelihood)


def test_a_refusal_is_raised_where_the_ability_is_needed() -> None:
    with pytest.raises(InputError, match="LinearSVC is not a probabilistic model and has no AIC or BIC: it charges rows"):
        offered(LinearSVC().abilities().likelihood)
    refused = Refused("because")
    assert unless(refused, 1) is refused and unless(None, 1) == 1 and not refused
