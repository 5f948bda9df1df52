"""A table of customers, and a model of it that the commands have made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from separatrix.cli.program import run
from separatrix.data.customers import customers_csv

Called = tuple[int, str, str]
Call = Callable[..., Called]
FIT = ["--target", "churn", "--drop", "retention_credit", "--drop", "signup_date", "--folds", "3", "--models", "nearest mean,LDA"]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with customers.csv, new.csv and churn.sptx."""
    found = tmp_path_factory.mktemp("cli")
    (found / "customers.csv").write_text(customers_csv(400, 0))
    (found / "new.csv").write_text(customers_csv(500, 1))
    assert run(["fit", str(found / "customers.csv"), *FIT, "--metric", "auc", "-o", str(found / "churn.sptx"), "-q"]) == 0
    return found


@pytest.fixture
def call(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command in that folder; return its exit code, results and messages."""
    monkeypatch.chdir(folder)
    capsys.readouterr()

    def called(*words: str) -> Called:
        code = run(list(words))
        return code, *capsys.readouterr()

    return called
