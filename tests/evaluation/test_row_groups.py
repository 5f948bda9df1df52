"""Groups of rows in any form: the same folds for the same groups, and a sentence for what does not name one group per row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.model_selection import GroupKFold

from separatrix import CalibratedClassifier, ForwardSelection, LinearDiscriminantAnalysis, NearestMean, compare, evaluate, shrinkage_path
from separatrix.errors import InputError
from separatrix.evaluation import KFold

N = 24
Y = np.arange(N) % 2
X = np.random.default_rng(0).normal(size=(N, 2)) + Y[:, None]
GROUPS = np.arange(N) // 3
HOLES = np.where(np.arange(N) == 5, np.nan, GROUPS)
SOME = np.where(np.arange(N) == 7, 0.0, 1.0)

SAME = {
    "list": GROUPS.tolist(),
    "one column": GROUPS[:, None],
    "series": pd.Series(GROUPS),
    "categories": pd.Series(GROUPS).astype("category"),
    "objects": GROUPS.astype(object),
    "words and numbers": np.array([f"g{g}" if g % 2 else g for g in GROUPS.tolist()], dtype=object),
}
WRONG: dict[str, tuple[Any, str]] = {
    "sparse": (sp.csr_array(X), "is not a list of groups; give the group of each of the 24 rows"),
    "number": (np.array(3), "is not a list of groups"),
    "dict": ({"a": 1}, "is not a list of groups"),
    "two columns": (X, "is not a list of groups"),
    "ragged": ([[1], [2, 3]] * 12, "is not a list of groups"),
    "few": (GROUPS[:5], "groups has 5 entries, but there are 24 rows"),
    "NaN": (HOLES, "groups has no group for row 5, but nan"),
    "None": ([None if np.isnan(g) else g for g in HOLES.tolist()], "groups has no group for row 5, but None"),
    "sets": (np.array([{g} for g in GROUPS.tolist()]), "groups holds lists or arrays; give one word or number"),
    "name": ("site", "is the name of a column"),
}
CALLS: dict[str, Any] = {
    "split": lambda plan, groups: list(plan.split(X, Y, groups)),
    "evaluate": lambda plan, groups: evaluate(NearestMean(), X, Y, plan=plan, groups=groups),
    "compare": lambda plan, groups: compare(X, Y, models=[NearestMean()], plan=plan, groups=groups),
    "shrinkage_path": lambda plan, groups: shrinkage_path(X, Y, plan=plan, groups=groups),
    "calibrate": lambda plan, groups: CalibratedClassifier(LinearDiscriminantAnalysis(), plan=plan).fit(X, Y, groups=groups),
    "calibrate, weights": lambda plan, groups: CalibratedClassifier(NearestMean(), plan=plan).fit(X, Y, SOME, groups=groups),
    "select": lambda plan, groups: ForwardSelection(NearestMean(), plan=plan).fit(X, Y, groups=groups),
}


@pytest.mark.parametrize("form", SAME)
@pytest.mark.parametrize("stratified", [True, False])
def test_groups_in_any_form_stay_together(form: str, stratified: bool) -> None:
    plan = KFold(3, grouped=True, stratified=stratified, random_state=0)
    (folds,) = plan.folds(N, Y, SAME[form])
    assert all(len(np.unique(folds[g == GROUPS])) == 1 for g in range(8)) and len(np.unique(folds)) == 3
    if form != "words and numbers":  # which have no order that they could share with numbers
        assert_array_equal(folds, plan.folds(N, Y, GROUPS)[0])


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("wrong", WRONG)
def test_what_names_no_group_per_row_is_refused(call: str, wrong: str) -> None:
    groups, message = WRONG[wrong]
    for plan in (KFold(3, grouped=True, random_state=0), GroupKFold(3)):
        if call != "split" or isinstance(plan, KFold):  # a splitter of scikit-learn answers for itself
            with pytest.raises(InputError, match=message):
                CALLS[call](plan, groups)
