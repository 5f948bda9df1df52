"""score: the share of rows decided as they are labelled, with what cannot be compared refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from separatrix import CalibratedClassifier, GaussianNB, KFold, OneVsRest, Perceptron
from separatrix.errors import InputError

X = np.random.default_rng(0).normal(size=(30, 2))
Y = np.array(["ham", "spam", "eggs"])[np.arange(30) % 3]
MODELS = [GaussianNB(), OneVsRest(Perceptron(random_state=0, max_iter=5)), CalibratedClassifier(GaussianNB(), plan=KFold(3))]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_score_is_the_weighted_share_of_right_rows(model: Any) -> None:
    weight = np.arange(30) % 4
    model.fit(X, Y)
    assert model.score(X, Y, weight) == pytest.approx(accuracy_score(Y, model.predict(X), sample_weight=weight), rel=1e-12)
    assert model.score(X, np.full(30, "never")) == 0.0


@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [(None, None, "score requires y"), (Y[:9], None, "X has 30 rows, y has 9 labels. Pass one label per row")]
    + [(np.arange(30), None, "labels such as 0, but the model's classes are such as"), (Y, -np.ones(30), "must be ≥ 0")],
)
def test_what_cannot_be_compared_is_refused(y: Any, weight: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        GaussianNB().fit(X, Y).score(X, y, weight)
