"""Scores that take long are computed when they are looked at, and nobody can tell."""

from __future__ import annotations

import copy
import importlib
import json
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from separatrix import KFold, LinearDiscriminantAnalysis, evaluate
from separatrix.evaluation.asked_for import AskedFor


@pytest.mark.parametrize(
    "look",
    [
        dict,
        lambda d: {**d},
        lambda d: d | {},
        lambda d: {} | d,
        lambda d: d.copy(),
        lambda d: dict(d.items()),
        lambda d: dict(zip(d, d.values(), strict=True)),
        lambda d: json.loads(json.dumps(d)),
        lambda d: pickle.loads(pickle.dumps(d)),
        copy.deepcopy,
        lambda d: eval(repr(d)),
        lambda d: {name: d.get(name) for name in d},
    ],
)
def test_every_way_of_looking_finds_the_value(look: Any) -> None:
    fresh = AskedFor({"a": 1.0, "b": 0.0, "c": 3.0}, {"b": lambda: 2.0})
    assert look(fresh) == {"a": 1.0, "b": 2.0, "c": 3.0} and list(fresh) == ["a", "b", "c"]
    assert fresh == {"a": 1.0, "b": 2.0, "c": 3.0} and fresh.get("d") is None


def test_areas_are_computed_once_and_only_where_looked_at(monkeypatch: Any) -> None:
    X, y = load_iris(return_X_y=True)
    calls: list[int] = []
    module = importlib.import_module("separatrix.evaluation.evaluate")  # which its function hides
    auc = module.auc
    monkeypatch.setattr(module, "auc", lambda rows: calls.append(1) or auc(rows))
    found = evaluate(LinearDiscriminantAnalysis(), X, y, plan=KFold(5, random_state=0))
    assert found.error == found.scores["error"] and "auc" in found.scores and "auc" in found.intervals and not calls
    low, high = found.intervals["auc"]
    assert low <= found.scores["auc"] <= high and len(calls) == 1
    again = evaluate(LinearDiscriminantAnalysis(), X, y, plan=KFold(5, random_state=0), metrics="auc")
    assert found.scores["auc"] == again.scores["auc"]
    assert np.isfinite(list(found.scores.values())).all()
