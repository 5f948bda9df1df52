"""What is particular to Gaussian naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.naive_bayes import GaussianNB as Peer

from separatrix import GaussianNB
from separatrix.errors import DataWarning


def rows(rng: Any, n: int = 60) -> tuple[Any, Any]:
    y = np.arange(n) % 3
    return rng.normal(size=(n, 4)) * [1, 2, 3, 0.1] + y[:, None], y


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_agrees_with_scikit_learn(weighted: bool, priors: Any, rng: Any) -> None:
    X, y = rows(rng)
    w = rng.random(len(y)) if weighted else None
    ours, theirs = (model(priors=priors, var_smoothing=0).fit(X, y, sample_weight=w) for model in (GaussianNB, Peer))
    for name in ("theta_", "var_", "class_prior_", "class_count_"):
        assert_allclose(getattr(ours, name), getattr(theirs, name))
    assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X))
    assert_allclose(ours.predict_joint_log_proba(sp.csr_array(X)), theirs.predict_joint_log_proba(X), rtol=1e-9)


def test_smoothing_adds_a_share_of_the_largest_variance(rng: Any) -> None:
    X, y = rows(rng)
    ours, theirs = GaussianNB(var_smoothing=0.1).fit(X, y), Peer(var_smoothing=0.1).fit(X, y)
    assert_allclose((ours.epsilon_, ours.var_[0, 0]), (theirs.epsilon_, theirs.var_[0, 0]))


def test_columns_without_variance_are_said_and_usable() -> None:
    with pytest.warns(DataWarning, match="column 1 do not vary, and var_smoothing=0 leaves their variance at zero"):
        model = GaussianNB(var_smoothing=0).fit([[1.0, 5.0], [2.0, 5.0], [8.0, 7.0], [9.0, 6.0]], [0, 0, 1, 1])
    assert model.predict([[1.5, 5.0], [8.5, 6.5]]).tolist() == [0, 1]


def test_classes_with_too_few_rows_for_ddof_are_named() -> None:
    with pytest.warns(DataWarning, match=r"Classes \['b'\] have no more than ddof=1 rows"):
        GaussianNB(ddof=1).fit([[1.0], [2.0], [9.0]], ["a", "a", "b"])
