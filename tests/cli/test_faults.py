"""What breaks from outside: readers that go away, signals, folders that cannot be written, kills in the middle of a file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from separatrix.cli import exits
from separatrix.progress import Event, listening

from .conftest import FIT, Call

COMMAND = [sys.executable, "-m", "separatrix"]


@pytest.fixture(scope="module")
def many(folder: Path) -> Path:
    """So many rows that writing them takes a while."""
    import pandas as pd

    frame = pd.concat([pd.read_csv(folder / "new.csv")] * 600, ignore_index=True)
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), folder / "many.parquet")
    return folder / "many.parquet"


def started(folder: Path, *words: str, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*COMMAND, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def test_a_reader_that_goes_away_is_no_error(folder: Path, many: Path) -> None:
    process = started(folder, "predict", "churn.sptx", str(many))
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    with process.stderr:
        assert (process.wait(60), process.stderr.read()) == (exits.BROKEN_PIPE, b"")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=["kill", "terminate", "interrupt"])
def test_nothing_half_written_appears_under_the_name(number: signal.Signals, folder: Path, many: Path) -> None:
    out = folder / "scored.csv"
    out.write_text("old")
    process = started(folder, "predict", "churn.sptx", str(many), "-o", out.name)
    end = time.monotonic() + 60
    while not list(folder.glob(".scored.csv.*.part")) and time.monotonic() < end and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert out.read_text() == "old"
    codes = {signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: exits.TERMINATED, signal.SIGINT: exits.INTERRUPTED}
    assert process.returncode == codes[number]
    left = list(folder.glob(".scored.csv.*.part"))
    assert bool(left) <= (number == signal.SIGKILL)
    for part in left:
        part.unlink()


def test_a_fit_that_fails_leaves_the_old_model(call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = (folder / "churn.sptx").read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    code, _, err = call("fit", "customers.csv", *FIT, "-o", "churn.sptx")
    assert code == exits.DATA and "the disk is full" in err
    assert (folder / "churn.sptx").read_bytes() == old and not list(folder.glob(".churn*.part"))


def test_an_interrupt_keeps_the_models_that_are_finished(call: Call, folder: Path) -> None:
    def interrupt(event: Event) -> None:
        if event.task == "compare" and event.done == 6 and not event.finished:  # the baseline and the first model
            raise KeyboardInterrupt

    with listening(interrupt):
        code, out, err = call("fit", "customers.csv", *FIT, "-o", "early.sptx")
    assert code == exits.INTERRUPTED and "nearest mean" in out and "what was finished is stored in early.sptx" in err
    assert call("predict", "early.sptx", "new.csv")[0] == 0


def test_an_interrupt_before_anything_is_finished_stores_nothing(call: Call, folder: Path) -> None:
    def interrupt(event: Event) -> None:
        if event.task == "compare" and event.done == 3 and not event.finished:
            raise KeyboardInterrupt

    with listening(interrupt):
        code, _, err = call("fit", "customers.csv", *FIT, "-o", "never.sptx")
    assert code == exits.INTERRUPTED and "nothing is stored" in err and not (folder / "never.sptx").exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told_before_the_work(call: Call, folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o500)
    code, _, err = call("predict", "churn.sptx", "new.csv", "-o", "closed/a.csv")
    assert code == exits.USAGE and "may not be written to" in err


def test_unknown_columns_and_empty_tables_are_data_errors(call: Call, folder: Path) -> None:
    (folder / "empty.csv").write_text("")
    pq.write_table(pa.table({"a": np.arange(3)}), folder / "other.parquet")
    for words, told in ((["look", "empty.csv"], "empty"), (["predict", "churn.sptx", "other.parquet"], "region")):
        code, out, err = call(*words)
        assert code == exits.DATA and out == "" and told in err
