"""What users may pass as models, and what they are told when it cannot be read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from separatrix import GaussianNB, LogisticRegression
from separatrix.data import as_rows
from separatrix.errors import InputError, InputTypeError, SeparatrixError, UnknownNameError
from separatrix.selection.candidates import Candidate, baseline, check_candidates
from separatrix.selection.families import families

FAMILIES = families(as_rows(np.random.default_rng(0).normal(size=(300, 4))))
GRID = {"C": [0.1, 1.0]}


@pytest.mark.parametrize(
    ("models", "names", "points"),
    [
        ([GaussianNB(), GaussianNB()], ["GaussianNB", "GaussianNB (2)"], [0, 0]),
        ([(SVC(), GRID)], ["SVC"], [2]),
        ([("mine", SVC(), [GRID, {"kernel": ["linear"]}])], ["mine"], [3]),
        ([("mine", SVC())], ["mine"], [0]),
        ({"a": SVC(), "b": (SVC(), GRID)}, ["a", "b"], [0, 2]),
        ([make_pipeline(StandardScaler(), SVC())], ["StandardScaler + SVC"], [0]),
        (["LDA", ("logistic L2", {"logisticregression__C": [1.0, 2.0]})], ["LDA", "logistic L2"], [0, 2]),
        ("QDA", ["QDA"], [5]),
        (SVC(), ["SVC"], [0]),
    ],
)
def test_models_are_read(models: Any, names: list[str], points: list[int]) -> None:
    found = check_candidates(models, FAMILIES)
    assert [c.name for c in found] == names and [len(c.grid) for c in found] == points


@pytest.mark.parametrize(
    ("models", "kind", "message"),
    [
        ([], InputError, "models is empty, so there is nothing to compare; leave it out"),
        (["LDAA"], UnknownNameError, "'LDAA' is not a family of models. Did you mean 'LDA'?"),
        ([SVC], InputTypeError, "SVC is a class, not a model; write SVC()"),
        ([3], InputTypeError, "3 is not a model; give a classifier with fit and predict"),
        (3, InputTypeError, "models=3 is neither a list nor a dict"),
        ([(SVC(), {"CC": [1]})], UnknownNameError, "SVC has no parameter 'CC'. Did you mean 'C'?"),
        ([(SVC(), {"C": 1})], InputError, "cannot be read: .*Write it as {'parameter': \\[values\\]}"),
        ([("a", SVC(), {}, 4)], InputError, "got 4 values"),
    ],
)
def test_what_cannot_be_read_is_refused(models: Any, kind: type[SeparatrixError], message: str) -> None:
    with pytest.raises(kind, match=message):
        check_candidates(models, FAMILIES)


def test_seeds_reach_every_open_random_state_and_no_other() -> None:
    inside = Candidate("p", make_pipeline(StandardScaler(), RandomForestClassifier())).seeded(7).model
    assert inside[-1].random_state == 7
    assert Candidate("f", RandomForestClassifier(random_state=3)).seeded(7).model.random_state == 3
    assert baseline().seeded(7).model.random_state == 7


@pytest.mark.parametrize(
    ("X", "has", "lacks"),
    [
        ([[0, 1], [1, 1]], {"Bernoulli naive Bayes"}, {"multinomial naive Bayes"}),
        ([[0, 3], [1, 1]], {"multinomial naive Bayes"}, {"Bernoulli naive Bayes"}),
        ([[0.5, -3], [1, 1]], {"polynomial LDA"}, {"Bernoulli naive Bayes", "multinomial naive Bayes", "kernel LDA (Nystroem)"}),
        (np.ones((3, 100)), {"QDA"}, {"polynomial LDA"}),
        (sp.csr_array(np.eye(300)), {"kernel LDA (Nystroem)"}, {"polynomial LDA"}),
    ],
)
def test_families_suit_the_data(X: Any, has: set[str], lacks: set[str]) -> None:
    found = set(families(as_rows(np.asarray(X) if isinstance(X, list) else X)))
    assert has <= found and not lacks & found


def test_a_point_leaves_the_model_alone() -> None:
    model = LogisticRegression()
    assert Candidate("l", model, ({"C": 5.0},)).at({"C": 5.0}).C == 5.0 and model.C == 1.0
