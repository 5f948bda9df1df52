"""Tables as people have them: how fast columns become numbers, how long `compare` takes on tables, and how well models do behind them.

Peers: scikit-learn's ColumnTransformer (impute, one-hot, scale) and skrub's TableVectorizer. Quality is the log-loss of a logistic
regression behind each preparation, C chosen inside, on the same repeated folds; the difference is paired by fold.

    python -m benchmarks.bench_tables [speed] [compare] [quality] [memory]
    python -m benchmarks.bench_tables quality penguins titanic    # some tables; the others as they were measured last on this machine
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.metrics import log_loss
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.harness import Peer, Row, once, publish, race, show
from separatrix import KFold, LogisticRegression, TablePrep, compare, open_table
from separatrix.data.whole_tables import whole_table
from separatrix.prepare.column_scaler import ColumnScaler
from separatrix.prepare.table_columns import TableColumns
from separatrix.selection.table_families import table_families

DATA = Path(os.environ.get("SEPARATRIX_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
ADULT = (
    "age workclass fnlwgt education education_num marital_status occupation relationship race sex capital_gain capital_loss "
    "hours_per_week native_country income"
).split()
CS = np.geomspace(0.001, 100, 6)
"""The values of C that `compare` tries behind a preparation; the peer has the same."""
PEER, LAST = (Path(tempfile.gettempdir()) / f"separatrix-bench-tables-{name}.json" for name in ("peer", "last"))


def tables() -> dict[str, tuple[pd.DataFrame, str]]:
    """Return the tables by name, each with its target."""
    spam = pd.read_csv(DATA / "sms_spam" / "SMSSpamCollection", sep="\t", header=None, names=["label", "message"], quoting=3)
    return {
        "telco_churn": (pd.read_csv(DATA / "telco_churn" / "telco_churn.csv"), "Churn"),
        "adult": (adult("train"), "income"),
        "titanic": (pd.read_csv(DATA / "titanic" / "titanic_kaggle_train.csv"), "Survived"),
        "sms_spam": (spam, "label"),
        "penguins": (pd.read_csv(DATA / "penguins" / "penguins.csv"), "species"),
    }


def adult(part: str) -> pd.DataFrame:
    frame = pd.read_csv(DATA / "adult" / f"adult-{part}.csv", header=None, names=ADULT, skipinitialspace=True).dropna(subset="income")
    return frame.assign(income=frame.income.str.rstrip("."))


def column_transformer() -> Any:
    """Return what scikit-learn's users write: impute, one-hot, scale."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")), (words, make_column_selector(dtype_exclude="number"))
    )


def speed() -> None:
    from skrub import TableVectorizer

    frame = adult("train")
    X, y = frame.drop(columns="income"), frame.income
    peers = [
        Peer("ColumnTransformer", lambda: column_transformer().fit_transform(X)),
        Peer("skrub TableVectorizer", lambda: TableVectorizer().fit_transform(X)),
    ]
    found = race("TablePrep().fit_transform, adult 32,561 × 14", lambda: TablePrep().fit_transform(X, y), peers, rounds=5)
    for name, run in (("TablePrep", lambda: TablePrep().fit_transform(X, y)), *((peer.name, peer.run) for peer in peers)):
        found.append(Row(f"peak memory above the start: {name}", f"{_peak(run) / 1e6:.0f} MB", "", ""))
    publish("Preparing a table", found)


def _peak(run: Callable[[], Any]) -> float:
    """Return the bytes that a call takes at most, in a child of its own."""
    context = get_context("fork")
    ours, theirs = context.Pipe()

    def child() -> None:
        start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        run()
        theirs.send(1024.0 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start))

    process = context.Process(target=child)
    process.start()
    found = float(ours.recv())
    process.join()
    return found


def comparisons() -> None:
    rng = np.random.default_rng(0)
    n = 50_000
    numbers = {f"x{j}": np.where(rng.random(n) < 0.05, np.nan, rng.normal(size=n)) for j in range(12)}
    words = {f"c{j}": rng.choice([f"level {i}" for i in range(2 + j % 5)], n) for j in range(8)}
    made = pd.DataFrame({**numbers, **words})
    score = made.x0.fillna(0) + (made.c1 == "level 1") - 0.5 * made.x1.fillna(0) ** 2
    made["y"] = np.where(score + rng.logistic(size=n) > 0, "yes", "no")
    found = []
    for name, (frame, target), limit in (("50,000 × 20", (made, "y"), 120.0), ("telco_churn", tables()["telco_churn"], 20.0)):
        compare(frame.head(2000), target=target, plan=KFold(2), n_jobs=2)  # compiles
        seconds, board = once(lambda frame=frame, target=target: compare(frame, target=target, plan=KFold(5), n_jobs=2))
        print(board)
        case = f"compare, default families, nested 5-fold, {name}, 2 processes"
        found.append(Row(case, show(seconds), "", show(seconds), f"< {limit:.0f} s", seconds < limit and not board.failures))
    publish("Comparing on tables", found)


def quality(*names: str) -> None:
    """Publish the differences of all tables, those of the tables named being measured anew; others as they were measured last."""
    rows = {name: quality_row(name, *table) for name, table in tables().items() if not names or name in names}
    known = json.loads(LAST.read_text(encoding="utf-8")) if LAST.exists() else {}
    known |= {name: row.__dict__ for name, row in rows.items()}
    if not names or "curves" in names:
        known["curves"] = _curves().__dict__
    LAST.write_text(json.dumps(known), encoding="utf-8")
    publish("How well models do behind a preparation", [Row(**known[name]) for name in (*tables(), "curves") if name in known])


def quality_row(name: str, frame: pd.DataFrame, target: str) -> Row:
    """Return the paired difference of log-losses on the same 5 × 5 folds, C being picked by log-loss inside every training part."""
    X, y = frame.drop(columns=target), frame[target].to_numpy()
    folds = list(RepeatedStratifiedKFold(n_splits=5, n_repeats=5, random_state=0).split(X, y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = np.array([nested_loss(our_pipeline(X.iloc[train]), X, y, train, held) for train, held in folds])
        parts = [partial(nested_loss, peer_pipeline(), X, y, train, held) for train, held in folds]
        peer = np.array([_kept(f"{name} {fold}", part) for fold, part in enumerate(parts)])
    loss = own - peer
    error = float(np.sqrt((1 / len(loss) + 0.25) * loss.var(ddof=1)))  # Nadeau and Bengio, test share 1/5
    limit = 0.005 if name == "penguins" else max(0.005 * float(np.mean(peer)), error)
    case = f"log-loss, {name}, {len(loss)} folds: ours {np.mean(own):.4f}, skrub {np.mean(peer):.4f}"
    found = Row(case, f"{loss.mean():+.4f}", f"± {error:.4f}", "", f"≤ {limit:.4f}", bool(loss.mean() <= limit))
    print(found, flush=True)
    return found


def our_pipeline(X: pd.DataFrame) -> Any:
    """Return the logistic regression that `compare` takes for a table."""
    return table_families(whole_table(X))["logistic L2"].model


def peer_pipeline() -> Any:
    from skrub import tabular_pipeline

    return tabular_pipeline(PeerLogistic(max_iter=1000))


def nested_loss(pipeline: Any, X: pd.DataFrame, y: Any, train: Any, held: Any) -> float:
    """Return the held-out log-loss of a pipeline whose last step has the C that did best in three inner folds.

    The same as scikit-learn's GridSearchCV, with the steps before the last one fitted once for all values of C.
    """
    inner = np.mean([_losses(pipeline, X, y, train[a], train[b], CS) for a, b in StratifiedKFold(3).split(train, y[train])], axis=0)
    return float(_losses(pipeline, X, y, train, held, [CS[inner.argmin()]])[0])


def _losses(pipeline: Any, X: pd.DataFrame, y: Any, train: Any, held: Any, values: Any) -> list[float]:
    steps = clone(pipeline[:-1])
    A, B = steps.fit_transform(X.iloc[train], y[train]), steps.transform(X.iloc[held])
    models = [clone(pipeline[-1]).set_params(C=C).fit(A, y[train]) for C in values]
    return [log_loss(y[held], model.predict_proba(B), labels=model.classes_) for model in models]


def _kept(key: str, measure: Callable[[], float]) -> float:
    """Return what the peer got in a fold, measured once on a machine: it does not change with ours."""
    known = json.loads(PEER.read_text(encoding="utf-8")) if PEER.exists() else {}
    if key not in known:
        known[key] = measure()
        PEER.write_text(json.dumps(known), encoding="utf-8")
    return float(known[key])


def _curves() -> Row:
    """Return how much of the way from straight lines to gradient boosting `shapes="auto"` goes on adult's test file."""
    train, test = adult("train"), adult("test")
    X, y, Z, z = train.drop(columns="income"), train.income, test.drop(columns="income"), test.income
    models = {
        "plain": make_pipeline(TablePrep(), ColumnScaler(with_mean=False), LogisticRegression()),
        "auto": make_pipeline(TablePrep(shapes="auto"), ColumnScaler(with_mean=False), LogisticRegression()),
        "boosting": make_pipeline(TableColumns(as_numbers=True), HistGradientBoostingClassifier(random_state=0)),
    }
    loss = {name: log_loss(z, model.fit(X, y).predict_proba(Z)) for name, model in models.items()}
    way = (loss["plain"] - loss["auto"]) / (loss["plain"] - loss["boosting"])
    said = ", ".join(f"{name} {value:.4f}" for name, value in loss.items())
    return Row(f"adult's test file, log-loss: {said}", f"{way:.2f} of the way", "", "", "≥ 0.5", way >= 0.5)


def memory() -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, n = np.random.default_rng(0), 500_000
    towns, words = np.array([f"town {i}" for i in range(5_000)]), np.array([f"w{i}" for i in range(3_000)])
    with tempfile.TemporaryDirectory() as folder:
        file, writer = f"{folder}/rows.parquet", None
        for part in range(10):
            columns: dict[str, Any] = {f"x{j}": rng.normal(size=n) for j in range(10)}
            columns |= {f"c{j}": rng.choice([f"level {i}" for i in range(20)], n) for j in range(6)}
            columns |= {"town": towns[rng.integers(0, 5_000, n)], "id": [f"{part}-{i}" for i in range(n)]}
            columns |= {"text": [" ".join(text) for text in words[rng.integers(0, 3_000, (n, 4))].tolist()]}
            columns |= {"when": np.datetime64("2020-01-01") + rng.integers(0, 900, n), "y": rng.choice(["no", "yes"], n)}
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(file, table.schema)
            writer.write_table(table)
        assert writer is not None
        writer.close()
        del table, columns
        start = time.perf_counter()
        peak = _peak(lambda: TablePrep().fit(open_table(file, target="y")))
        seconds = f"{time.perf_counter() - start:.0f} s"
    publish(
        "A recipe of 5,000,000 rows", [Row("5,000,000 × 20 Parquet with text", f"{peak / 1e6:.0f} MB", seconds, "", "≤ 400 MB", peak < 4e8)]
    )


def main() -> None:
    if not DATA.exists():
        print(f"{DATA} is not there: the tables that this compares on are not part of the project.")
        return
    parts = {"speed": speed, "compare": comparisons, "quality": quality, "memory": memory}
    if sys.argv[1:2] == ["quality"]:
        quality(*sys.argv[2:])
        return
    for name in sys.argv[1:] or list(parts):
        parts[name]()


if __name__ == "__main__":
    main()
