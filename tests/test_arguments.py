"""Arguments that a function does not have are refused with what to write instead."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from separatrix import (
    Decision,
    Holdout,
    KFold,
    LinearDiscriminantAnalysis,
    RandomSubsampling,
    compare,
    evaluate,
    learning_curve,
    permutation_test,
    shrinkage_path,
)
from separatrix.errors import InputTypeError

X, Y = np.arange(24.0).reshape(12, 2), np.arange(12) % 2
LDA = LinearDiscriminantAnalysis()


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: evaluate(LDA, X, Y, cv=5), r"evaluate has no argument 'cv': use plan=KFold\(5\), LeaveOneOut"),
        (lambda: evaluate(LDA, X, Y, scoring="accuracy"), "evaluate has no argument 'scoring': use metrics='roc_auc'"),
        (lambda: evaluate(LDA, X, Y, plann=5), "evaluate has no argument 'plann'. Did you mean 'plan'. It has X, exact"),
        (lambda: compare(X, Y, scoring="accuracy"), "compare has no argument 'scoring': use metric='roc_auc'"),
        (lambda: compare(X, Y, cv=5), "compare has no argument 'cv': use plan="),
        (lambda: compare(X, Y, param_grid={}), r"models=\[\(LogisticRegression\(\), \{'C'"),
        (lambda: permutation_test(LDA, X, Y, scoring="accuracy"), "permutation_test has no argument 'scoring': use statistic="),
        (lambda: learning_curve(LDA, X, Y, train_sizes=[0.5]), "learning_curve has no argument 'train_sizes': use sizes="),
        (lambda: shrinkage_path(X, Y, cv=5), "shrinkage_path has no argument 'cv': use plan="),
        (lambda: KFold(5, shuffle=True), "KFold has no argument 'shuffle': rows are always dealt at random"),
        (lambda: Holdout(test_size=0.2), "Holdout has no argument 'test_size': use fraction=0.2"),
        (lambda: RandomSubsampling(n_repeats=3), "RandomSubsampling has no argument 'n_repeats': use repeats=5"),
        (lambda: Decision(threshold=0.2), r"Decision has no argument 'threshold': use Decision.threshold\(0.3\)"),
        (lambda: Decision(cost=[[0, 1], [1, 0]]), "Decision has no argument 'cost'. Did you mean 'costs'"),
        (lambda: evaluate(LDA, X, Y, KFold(5)), "takes model and X and y by their place, and 4 arguments were given.*by name: .*plan=…"),
        (lambda: compare(LDA, X, Y), "compare takes X and y by their place, and 3 arguments were given.*models=…"),
        (lambda: KFold(5, True), "KFold takes n_splits by their place, and 2 arguments were given.*stratified=…"),
    ],
)
def test_unknown_arguments_are_refused_with_their_replacement(action: Any, message: str) -> None:
    with pytest.raises(InputTypeError, match=message):
        action()


def test_signatures_stay_those_of_the_functions() -> None:
    assert list(inspect.signature(evaluate).parameters)[:3] == ["model", "X", "y"]
    assert next(iter(inspect.signature(KFold).parameters)) == "n_splits" and "costs" in inspect.signature(Decision).parameters
