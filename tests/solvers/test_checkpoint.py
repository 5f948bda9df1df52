from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from separatrix import LogisticRegression, OneVsOne, OneVsRest, open_table
from separatrix.errors import InputError
from separatrix.progress import listening
from separatrix.solvers.checkpoint import checkpoint
from separatrix.solvers.smooth.objective import Objective
from separatrix.thresholds import moved

pd = pytest.importorskip("pandas")


class Killed(BaseException):
    """What ends a process in the middle of a fit."""


@pytest.fixture
def table(tmp_path: Path, rng: Any) -> Any:
    X = rng.normal(size=(400, 6)) * [1, 1, 1, 5, 5, 20]
    y = (X @ rng.normal(size=6) + rng.logistic(size=400) > 0).astype(int)
    pd.DataFrame(X, columns=list("abcdef")).assign(y=y).to_parquet(tmp_path / "rows.parquet")
    return open_table(tmp_path / "rows.parquet", target="y")


def fit(table: Any) -> LogisticRegression:
    return LogisticRegression(tol=1e-9, C=100.0).fit(table)


def test_a_fit_that_is_killed_goes_on_from_where_it_stood(table: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, file, finished, passes = fit(table), tmp_path / "fit.checkpoint", Objective._finished, []

    def killing(self: Any, *given: Any) -> Any:
        passes.extend([1] * (self.problem.rows.held is None))
        if len(passes) == whole.solution_.passes - 2:
            raise Killed
        return finished(self, *given)

    monkeypatch.setattr(Objective, "_finished", killing)
    with pytest.raises(Killed), checkpoint(file):
        fit(table)
    assert file.exists()
    monkeypatch.setattr(Objective, "_finished", finished)
    with checkpoint(file):
        again = fit(table)
    assert not file.exists() and again.solution_.iterations <= whole.solution_.iterations
    assert_allclose(again.coef_, whole.coef_, rtol=1e-6)


def killing(number: int) -> tuple[list[str], Any]:
    """Return the passes heard, and a listener that ends the work when so many are over."""
    heard: list[str] = []

    def listen(event: Any) -> None:
        if event.task == "read" and event.finished:
            heard.append(event.detail)
            if len(heard) == number:
                raise Killed

    return heard, listen


FITS = [
    LogisticRegression(tol=1e-9, C=100.0),
    LogisticRegression(tol=1e-9, C=0.1, l1_ratio=1.0),
    LogisticRegression(tol=1e-9, C=0.1, l1_ratio=0.5, class_weight="balanced"),
    OneVsRest(LogisticRegression(tol=1e-9)),
    OneVsOne(LogisticRegression(tol=1e-9, l1_ratio=1.0)),
]


@pytest.mark.parametrize("share", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("model", FITS, ids=repr)
def test_every_fit_resumes_and_reads_less(model: Any, share: float, tmp_path: Path, rng: Any) -> None:
    X, y = rng.normal(size=(400, 4)), rng.integers(0, 3, 400)
    pd.DataFrame(X + y[:, None] * [1, 0.5, 0, -1], columns=list("abcd")).assign(y=y).to_parquet(tmp_path / "rows.parquet")
    table, file = open_table(tmp_path / "rows.parquet", target="y", n_jobs=1), tmp_path / "fit.checkpoint"
    with moved(0), listening((counted := killing(0))[1]):
        whole = clone(model).fit(table)
    with moved(0), pytest.raises(Killed), checkpoint(file), listening(killing(max(1, round(share * len(counted[0]))))[1]):
        clone(model).fit(table)
    with moved(0), checkpoint(file), listening((again := killing(0))[1]):
        resumed = clone(model).fit(table)
    assert not file.exists() and len(again[0]) <= len(counted[0]) + (share < 1.0)
    assert_allclose(resumed.decision_function(table), whole.decision_function(table), rtol=1e-5, atol=1e-6)


KILLED = """
import os, signal, sys
from separatrix import LogisticRegression, open_table
from separatrix.progress import listening
from separatrix.solvers.checkpoint import Checkpoint, checkpoint

keep = Checkpoint.keep
def keep_and_die(*given):
    keep(*given)
    os.kill(os.getpid(), signal.SIGKILL)
Checkpoint.keep = keep_and_die
with checkpoint(sys.argv[2]):
    LogisticRegression(tol=1e-9, C=100.0).fit(open_table(sys.argv[1], target="y"))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_killed_process_leaves_where_it_stood(table: Any, tmp_path: Path) -> None:
    file = tmp_path / "fit.checkpoint"
    ended = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "rows.parquet", file], check=False, capture_output=True, timeout=120)
    assert ended.returncode == -signal.SIGKILL and file.exists()
    with checkpoint(file):
        again = fit(table)
    assert_allclose(again.coef_, fit(table).coef_, rtol=1e-6)


def test_the_checkpoint_of_another_fit_is_refused(table: Any, tmp_path: Path) -> None:
    file = tmp_path / "fit.checkpoint"
    with contextlib.suppress(Killed), checkpoint(file):
        fit(table)
        raise Killed
    with pytest.raises(InputError, match="written by a fit of other rows, classes, weights or parameters"), checkpoint(file):
        LogisticRegression(C=3.0).fit(table)
    assert file.exists()


def test_rows_in_memory_leave_no_file(tmp_path: Path, rng: np.random.Generator) -> None:
    with checkpoint(tmp_path / "fit.checkpoint"):
        LogisticRegression().fit(rng.normal(size=(20, 2)), np.tile([0, 1], 10))
        assert not (tmp_path / "fit.checkpoint").exists()
