"""A few cases of the fuzzer as an ordinary test, and that the fuzzer sees what it is there to see. `make fuzz` runs many."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import separatrix
from separatrix.errors import InputError

from . import cases, runner
from .judge import Judge
from .runner import run

CASES = 200
SEED = 1
"""Seed 0 draws a search that refits a batch perceptron a thousand passes at a time, for a minute."""


def test_no_finding_in_a_few_cases() -> None:
    found = list(run(seed=SEED, cases=CASES, workers=1))
    assert not found, "\n".join(map(str, found))


def test_every_public_name_is_drawn() -> None:
    rng = np.random.default_rng(0)
    drawn = {cases.draw(rng) for _ in range(5000)}
    assert drawn == set(separatrix.__all__)


def test_a_case_is_always_the_same() -> None:
    trails = []
    for _ in range(2):
        judge = Judge()
        cases.play(0, 3, judge)
        trails.append(judge.trail)
    assert trails[0] == trails[1] and trails[0]


class Faulty:
    """One method per fault."""

    def raw(self) -> None:
        raise IndexError("list index out of range")

    def mute(self) -> None:
        raise InputError("Bad.")

    def warns(self) -> None:
        warnings.warn("invalid value", RuntimeWarning, stacklevel=1)

    def predict_proba(self) -> Any:
        return np.array([[0.5, 0.4]])

    def mean(self) -> Any:
        return {"mean": np.array([np.nan])}

    def writes(self, X: Any) -> None:
        X[0] = 7.0


@pytest.mark.parametrize(
    ("method", "wrong"),
    [("raw", "raw IndexError"), ("mute", "names no argument"), ("warns", "leaked RuntimeWarning"), ("predict_proba", "do not sum to 1")]
    + [("mean", "NaN in Faulty.mean"), ("writes", "changed what was passed")],
)
def test_the_judge_sees_faults(method: str, wrong: str) -> None:
    judge, faulty = Judge(), Faulty()
    judge.call(f"Faulty.{method}()", getattr(faulty, method), {"X": np.zeros(2)} if method == "writes" else {}, faulty)
    assert len(judge.findings) == 1 and wrong in judge.findings[0].wrong


def test_a_failed_call_that_changes_a_model_is_seen() -> None:
    model = separatrix.NearestMean().fit([[0.0], [1.0]], [0, 1])

    def fit() -> None:
        model.means_ = None
        raise InputError("X has no rows; give some.")

    judge = Judge()
    judge.call("NearestMean.fit()", fit, {}, model)
    assert [finding.wrong for finding in judge.findings] == ["the call changed the model"]


def test_a_crash_is_a_finding_with_its_case(monkeypatch: Any) -> None:
    monkeypatch.setattr(runner, "CHILD", ["-c", "import os; print('{\"case\": 5}', flush=True); os.abort()"])
    found = list(run(seed=0, cases=1, first=5, workers=1))
    assert [f.finding.wrong for f in found] == ["the process died: SIGABRT"]
    assert found[0].command == "python -m tests.fuzz --seed 0 --case 5"
