"""Rows on a GPU: fits with a certificate, a path of C, evaluation, streaming; and many classes on the CPU beside scikit-learn.

    python -m benchmarks.bench_device [lda] [scatter] [logistic] [peers] [path] [half] [agree] [evaluate] [stream] [files] [cpu] [small]

Without arguments: all but `cpu`, in this order; a part that would begin after LAST seconds is left out. Everything is generated here from a
seed: Gaussian features whose spectrum decays, turned at random, and labels drawn from a true softmax model. Without a CUDA device the parts
that need one say "not measured"; `small` tries them on the CPU. Numbers go to the folder named by OUT as well, where it is set.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn asks for it before tensors

import numpy as np

from benchmarks.bench_many_classes import cpu
from benchmarks.device_peers import scikit_learn, torch_lbfgs
from benchmarks.harness import Row, publish, show
from separatrix import KFold, LeaveOneOut, evaluate, open_table, permutation_test, regularisation_path, shrinkage_path, streamed
from separatrix.models import (
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    NearestMean,
    QuadraticDiscriminantAnalysis,
)

STRENGTH = 1e-5
"""λ of the large fit: C = 1/(λn)."""
BLOCK = 65_536
LAST = 420.0
"""Seconds after which no further part is begun."""
PATIENCE = 50.0
"""Seconds that a peer may take."""


class Bench:
    """The machine, the sizes, and what was measured so far."""

    def __init__(self, small: bool) -> None:
        import torch

        self.torch, self.small = torch, small
        if small:
            torch.set_num_threads(1)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.rows: list[Row] = []
        self.numbers: dict[str, Any] = {}
        self.begun = time.perf_counter()
        self.large: tuple[Any, Any] | None = None
        self.objective = np.nan

    def size(self, whole: int, tried: int) -> int:
        return tried if self.small else whole

    def synchronize(self) -> None:
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def timed(self, run: Callable[[], Any], rounds: int, first: bool = True) -> tuple[float, Any, float]:
        """Return the best seconds of some rounds after a first one, the result, and the bytes taken beside what was there."""
        result = run() if first else None
        cuda = self.torch.cuda if self.device == "cuda" else None
        self.synchronize()
        before = 0
        if cuda is not None:
            cuda.empty_cache()
            cuda.reset_peak_memory_stats()
            before = cuda.memory_allocated()
        best = np.inf
        for _ in range(rounds):
            start = time.perf_counter()
            result = run()
            self.synchronize()
            best = min(best, time.perf_counter() - start)
        return best, result, 0.0 if cuda is None else float(cuda.max_memory_allocated() - before)

    def say(self, row: Row, **numbers: Any) -> None:
        self.rows.append(row)
        self.numbers[row.case] = {"ours": row.ours, "peer": row.peer, "measured": row.measured, "reached": row.reached, **numbers}
        print(f"[{time.perf_counter() - self.begun:.0f} s] " + " | ".join(cell for cell in row.cells() if cell), flush=True)

    def embeddings(self) -> tuple[Any, Any]:
        """Return float32 features and labels on the device, made once."""
        if self.large is None:
            shape = (2_000, 16, 5) if self.small else (1_280_000, 1_024, 1_000)
            self.large = embeddings(self.torch, self.device, *shape)
        return self.large


def embeddings(torch: Any, device: str, n: int, p: int, K: int, seed: int = 0) -> tuple[Any, Any]:
    rng = torch.Generator(device=device).manual_seed(seed)
    normal = {"generator": rng, "device": device}
    turn = torch.linalg.qr(torch.randn(p, p, **normal))[0] * torch.arange(1, p + 1, device=device)[:, None] ** -0.5
    W = torch.randn(p, K, **normal)
    X, y = torch.empty(n, p, device=device), torch.empty(n, dtype=torch.int64, device=device)
    size = 3.0 / float((torch.randn(min(BLOCK, n), p, **normal) @ turn @ W).std())
    for begin in range(0, n, BLOCK):
        part = slice(begin, min(begin + BLOCK, n))
        X[part] = torch.randn(part.stop - begin, p, **normal) @ turn
        noise = -torch.log(-torch.log(torch.rand(part.stop - begin, K, **normal).clamp_(1e-12, 1 - 1e-7)))
        y[part] = (size * (X[part] @ W) + noise).argmax(dim=1)
    return X, y


def gaussian(bench: Bench, n: int, p: int, K: int) -> tuple[Any, Any]:
    rng = bench.torch.Generator(device=bench.device).manual_seed(0)
    X = bench.torch.randn(n, p, generator=rng, device=bench.device) * 2.0 + 20.0
    y = bench.torch.randint(0, K, (n,), generator=rng, device=bench.device)
    X[:, 0] += y
    return X, y


def lda(bench: Bench) -> None:
    torch, n, p, K = bench.torch, bench.size(20_000_000, 10_000), 100, 10
    X, y = gaussian(bench, n, p, K)
    seconds, model, extra = bench.timed(lambda: LinearDiscriminantAnalysis().fit(X, y), 5)
    means = torch.zeros(K, p, dtype=torch.float64, device=bench.device)
    exact = torch.zeros(p, p, dtype=torch.float64, device=bench.device)
    for k in range(K):
        means[k] = X[y == k].double().mean(dim=0)
    for begin in range(0, n, 2_000_000):
        D = X[begin : begin + 2_000_000].double() - means[y[begin : begin + 2_000_000]]
        exact += D.T @ D
    error = float((torch.as_tensor(model.summary_.scatter, device=bench.device) - exact).abs().max() / exact.abs().max())
    plain, _, _ = bench.timed(lambda: plain_scatter(torch, X, 1 << 20), 3)
    said = f"scatter right to {error:.0e}; {extra / 1e9:.2f} GB beside X ({X.nbytes / 1e9:.1f} GB)"
    peer = f"plain torch, scatter alone in float64: {show(plain)}"
    bench.say(Row(f"LDA fit, {n:,} × {p} float32, K = {K}", show(seconds), peer, said, "≤ 40 ms", seconds <= 0.04 and error < 1e-9))
    profiled(bench, "LDA fit", lambda: LinearDiscriminantAnalysis().fit(X, y))


def plain_scatter(torch: Any, X: Any, rows: int) -> Any:
    """Return X'X about the first row, as one would write it: blocks in float64."""
    total = torch.zeros(X.shape[1], X.shape[1], dtype=torch.float64, device=X.device)
    for begin in range(0, len(X), rows):
        D = (X[begin : begin + rows] - X[0]).double()
        total += D.T @ D
    return total


def scatter(bench: Bench) -> None:
    """Time ways to sum the squares of 110 float64 columns: in which blocks, and how many of them side by side."""
    torch, n, p = bench.torch, bench.size(2_000_000, 5_000), 110
    A = torch.randn(n, p, dtype=torch.float64, device=bench.device)
    ways: dict[str, Callable[[], Any]] = {}
    for rows in (65_536, 305_000, 1_000_000):
        ways[f"blocks of {rows:,}"] = lambda rows=rows: [A[b : b + rows].T @ A[b : b + rows] for b in range(0, n, rows)]
    for side in (64, 128, 256, 512):
        m = n // side
        B = A[: side * m].view(side, m, p)
        ways[f"{side} side by side"] = lambda B=B: torch.bmm(B.transpose(1, 2), B).sum(dim=0)
    found = {name: bench.timed(way, 5)[0] for name, way in ways.items()}
    said = ", ".join(f"{name} {show(seconds)}" for name, seconds in found.items())
    bench.say(Row(f"scatter of {n:,} × {p} float64", show(min(found.values())), "", said), ways=found)
    X = torch.randn(n, 100, device=bench.device)
    out, pilot = torch.empty(n, p, dtype=torch.float64, device=bench.device), X[0].double()
    seconds, _, _ = bench.timed(lambda: torch.sub(X, pilot, out=out[:, :100]), 5)
    bench.say(Row(f"float32 rows minus their pilot, {n:,} × 100, to float64", show(seconds), "", ""))


def profiled(bench: Bench, case: str, run: Callable[[], Any]) -> None:
    """Print where the time of a run goes, kernel by kernel."""
    if bench.device == "cuda":
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as found:
            run()
            bench.synchronize()
        print(f"--- {case}\n{found.key_averages().table(sort_by='cuda_time_total', row_limit=12, max_name_column_width=60)}", flush=True)


def logistic(bench: Bench, half: bool = False) -> None:
    torch = bench.torch
    X, y = bench.embeddings()
    n, p = X.shape
    K, C = int(y.max()) + 1, 1.0 / (STRENGTH * n)
    X = X.to(torch.bfloat16) if half else X
    seconds, model, extra = bench.timed(lambda: LogisticRegression(C=C, max_iter=500).fit(X, y), 2)
    found, share = model.solution_, extra / X.nbytes
    relative = found.gap / found.objective
    if not half:
        bench.objective = found.objective
    said = f"relative gap ≤ {relative:.1e}, {found.passes} passes; {extra / 1e9:.2f} GB beside X, {share:.0%} of it"
    case = f"multinomial logistic, {n:,} × {p:,} × {K:,}{' bfloat16' if half else ''}, λ = {STRENGTH:g}"
    reached = seconds <= 6.0 and relative <= 1e-6 and share <= 0.25
    bench.say(Row(case, show(seconds), "", said, "≤ 6 s, gap ≤ 1e-6, X + 25 %", reached), passes=found.passes, share=share)
    if not half:
        profiled(bench, case, lambda: LogisticRegression(C=C, max_iter=500).fit(X, y))


def peers(bench: Bench) -> None:
    X, y = bench.embeddings()
    K = int(y.max()) + 1
    if np.isnan(bench.objective):
        bench.objective = LogisticRegression(C=1.0 / (STRENGTH * len(X)), max_iter=500).fit(X, y).solution_.objective
    found = torch_lbfgs(bench.torch, X, y, K, STRENGTH, bench.objective, PATIENCE)
    levels = ", ".join(f"{level} above after {passes} passes, {seconds} s" for level, (passes, seconds) in found["reached"].items())
    said = f"{found['ended']} after {found['passes']} passes, {found['seconds']:.1f} s, {found['above']:.1e} above; {levels}"
    bench.say(Row("torch.optim.LBFGS to the same objective", "", said, f"largest gradient {found['gradient']:.0e}"), **found)
    theirs = scikit_learn(bench.torch, X, y, STRENGTH, bench.objective, PATIENCE)
    said = f"{theirs['seconds']:.1f} s, {theirs['iterations']} of {theirs['allowed']} iterations, {theirs['above']:.1e} above"
    bench.say(Row("scikit-learn's LogisticRegression on tensors, its tolerance", "", said, ""), **theirs)


def path(bench: Bench) -> None:
    X, y = bench.embeddings()
    strengths = np.geomspace(1e-2, 1e-8, 20)
    Cs = 1.0 / (strengths * len(X))
    start = time.perf_counter()
    found = regularisation_path(X, y, Cs=Cs, tol=1e-4, max_iter=500)
    bench.synchronize()
    seconds = time.perf_counter() - start
    penalty = 0.5 * strengths * np.einsum("mkj,mkj->m", found.coef, found.coef)
    gaps = found.gap / (found.log_loss + penalty)
    said = "relative gaps " + ", ".join(f"{gap:.0e}" for gap in gaps)
    reached = seconds <= 45.0 and bool((gaps <= 1e-6).all())
    bench.say(
        Row("path of 20 C over six decades, the same rows", show(seconds), "", said, "≤ 45 s, gaps ≤ 1e-6", reached), gaps=gaps.tolist()
    )


def agree(bench: Bench) -> None:
    """Hold what is evaluated on the device to NumPy, model by model."""
    X, y = gaussian(bench, bench.size(3_000, 200), 12, 4)
    X = X.double()
    A, b = X.cpu().numpy(), y.cpu().numpy()
    models = [
        *(LinearDiscriminantAnalysis(shrinkage=s) for s in (None, 0.3)),
        *(QuadraticDiscriminantAnalysis(shrinkage=s) for s in (None, 0.3)),
        *(GaussianNB(), NearestMean(), LeastSquaresClassifier(alpha=0.5), FisherDiscriminant()),
    ]
    worst = 0.0
    for model in models:
        for plan in (KFold(5), LeaveOneOut()):
            here, there = evaluate(model, A, b, plan=plan), evaluate(model, X, y, plan=plan)
            worst = max(worst, abs(here.error - there.error))
            if here.posteriors is not None:
                worst = max(worst, float(np.abs(here.posteriors - there.posteriors).max()))
    tests = [permutation_test(LinearDiscriminantAnalysis(), *rows, n_permutations=50).permuted for rows in ((A, b), (X, y))]
    paths = [shrinkage_path(*rows, shrinkages=[0.0, 0.1, 0.5]).log_loss for rows in ((A, b), (X, y))]
    worst = max(worst, float(np.abs(tests[0] - tests[1]).max()), float(np.abs(paths[0] - paths[1]).max()))
    bench.say(
        Row(
            "8 models evaluated by folds and leave-one-out, on the device and in NumPy",
            "",
            "",
            f"{worst:.0e} apart",
            "≤ 1e-9",
            worst <= 1e-9,
        )
    )


def evaluations(bench: Bench) -> None:
    n = bench.size(2_000_000, 2_000)
    X, y = gaussian(bench, n, 100, 10)
    model = LinearDiscriminantAnalysis(shrinkage=0.1)
    for name, run in {
        "10-fold": lambda: evaluate(model, X, y, plan=KFold(10)),
        "leave-one-out": lambda: evaluate(model, X, y, plan=LeaveOneOut()),
        "20 shrinkages, leave-one-out": lambda: shrinkage_path(X, y, shrinkages=np.linspace(0, 0.5, 20)),
    }.items():
        seconds, _, extra = bench.timed(run, 1, first=bench.small)
        bench.say(Row(f"LDA, {n:,} × 100, K = 10: {name}", show(seconds), "", f"{extra / X.nbytes:.0%} of X beside it"))
    few = bench.size(100_000, 500)
    seconds, found, _ = bench.timed(
        lambda: permutation_test(LinearDiscriminantAnalysis(), X[:few], y[:few], n_permutations=1_000), 1, first=False
    )
    bench.say(Row(f"LDA, {few:,} × 100, K = 10: 1,000 permutations", show(seconds), "", found.method))
    part = bench.size(200_000, 2_000)
    E, codes = bench.embeddings()
    top = codes[:part] % 50
    seconds, found, extra = bench.timed(lambda: evaluate(LogisticRegression(C=1e-2), E[:part], top, plan=KFold(5)), 1, first=False)
    bench.say(Row(f"logistic, {part:,} × {E.shape[1]:,}, K = 50: 5-fold", show(seconds), "", f"{found.method}, error {found.error:.3f}"))


def stream(bench: Bench) -> None:
    """Rows in host memory: pinned and not; what the copies alone and the fit on the device alone take."""
    X, y = bench.embeddings()
    labels, C = y.cpu().numpy(), 1.0 / (STRENGTH * len(X))
    host = X.cpu()
    pinned = host.pin_memory() if bench.device == "cuda" else host
    copied, _, _ = bench.timed(
        lambda: [pinned[b : b + BLOCK].to(bench.device, non_blocking=True).sum() for b in range(0, len(X), BLOCK)], 1
    )
    there, _, _ = bench.timed(lambda: LinearDiscriminantAnalysis(shrinkage=0.1).fit(X, y), 1)
    fitted = LogisticRegression(C=C, max_iter=500).fit(X, y).coef_
    for name, rows in {"pinned tensor": pinned, "NumPy array": host.numpy()}.items():
        source = streamed(rows, labels, device=bench.device)
        seconds, _, _ = bench.timed(lambda source=source: LinearDiscriminantAnalysis(shrinkage=0.1).fit(source), 1)
        said = f"copies alone {show(copied)}, fit on the device alone {show(there)}"
        bench.say(Row(f"LDA of streamed rows, {name}, {X.nbytes / 1e9:.1f} GB", show(seconds), "", said))
        seconds, model, extra = bench.timed(lambda source=source: LogisticRegression(C=C, max_iter=500).fit(source), 1, first=False)
        found = model.solution_
        apart = float(np.abs(model.coef_ - fitted).max() / np.abs(fitted).max())
        said = (
            f"{found.passes} passes, relative gap {found.gap / found.objective:.0e}, coefficients {apart:.0e} apart, {extra / 1e9:.2f} GB"
        )
        bench.say(Row(f"logistic of streamed rows, {name}", show(seconds), "", said))


def files(bench: Bench) -> None:
    """Rows in a folder of Parquet files."""
    import pyarrow as pa
    from pyarrow import parquet

    n, p = bench.size(400_000, 4_000), bench.size(256, 16)
    X, y = embeddings(bench.torch, bench.device, n, p, 100)
    A, b = X.cpu().numpy(), y.cpu().numpy()
    with tempfile.TemporaryDirectory() as folder:
        for part in range(4):
            own = slice(part * n // 4, (part + 1) * n // 4)
            table = pa.table({**{f"x{j}": A[own, j] for j in range(p)}, "y": b[own]})
            parquet.write_table(table, Path(folder) / f"{part}.parquet")
        start = time.perf_counter()
        source = streamed(open_table(folder, target="y"), device=bench.device)
        opened = time.perf_counter() - start
        seconds, model, _ = bench.timed(lambda: LogisticRegression(C=1e-2).fit(source), 1)
    there, expected, _ = bench.timed(lambda: LogisticRegression(C=1e-2).fit(X, y), 1)
    apart = float(np.abs(model.coef_ - expected.coef_).max() / np.abs(expected.coef_).max())
    said = f"first reading {show(opened)}; on the device {show(there)}; coefficients {apart:.0e} apart"
    bench.say(Row(f"logistic of a Parquet folder, {n:,} × {p}, K = 100", show(seconds), "", said))


PARTS: dict[str, Callable[[Bench], None]] = {
    "lda": lda,
    "scatter": scatter,
    "logistic": logistic,
    "half": lambda bench: logistic(bench, half=True),
    "path": path,
    "agree": agree,
    "stream": stream,
    "peers": peers,
    "evaluate": evaluations,
    "files": files,
}
LIMITS = {"path": 100, "peers": 160, "stream": 100}
"""Seconds that a part may take, where not 60."""


def guarded(bench: Bench, name: str) -> None:
    """Run a part under its limit; what goes wrong is said, and the next part begins."""

    def up(*_: Any) -> None:
        raise TimeoutError(f"{name} took more than {LIMITS.get(name, 60)} s")

    if time.perf_counter() - bench.begun > LAST:
        bench.say(Row(name, "not measured", "", f"{LAST:.0f} s had passed"))
        return
    signal.signal(signal.SIGALRM, up)
    signal.alarm(LIMITS.get(name, 60))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            PARTS[name](bench)
    except Exception as error:
        traceback.print_exc()
        bench.say(Row(name, "failed", "", f"{type(error).__name__}: {str(error)[:200]}", "", False))
    finally:
        signal.alarm(0)
        if bench.device == "cuda":
            bench.torch.cuda.empty_cache()


def on_device(wanted: list[str], small: bool) -> list[Row]:
    try:
        bench = Bench(small)
    except ImportError:
        return [Row("rows on a GPU", "not measured", "", "no torch here")]
    if bench.device == "cpu" and not small:
        return [Row("rows on a GPU", "not measured", "", "no CUDA device here")]
    for name in wanted:
        guarded(bench, name)
        if os.environ.get("OUT"):
            Path(os.environ["OUT"], "bench_device.json").write_text(json.dumps(bench.numbers, indent=1, default=str), encoding="utf-8")
    return bench.rows


def main(wanted: list[str] | None = None) -> None:
    given = list(wanted or [])
    small = "small" in given
    asked = [name for name in given if name != "small"] or list(PARTS)
    rows = on_device([name for name in asked if name in PARTS], small)
    if "cpu" in asked:
        rows += cpu(50_000, 512, 10) + cpu(20_000, 768, 100)
    publish("Rows on a device, and many classes", rows)


if __name__ == "__main__":
    main(sys.argv[1:])
