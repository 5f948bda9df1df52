from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix import LogisticRegression, open_table
from separatrix.errors import InputError
from separatrix.solvers.checkpoint import checkpoint
from separatrix.solvers.smooth.objective import Objective

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
