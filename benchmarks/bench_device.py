"""Rows on a GPU: LDA, multinomial logistic regression with a certificate, a path of C; and many classes on the CPU beside scikit-learn.

    python -m benchmarks.bench_device [lda] [logistic] [path] [half] [cpu]        # all of them without arguments

Everything is generated here from a seed: Gaussian features whose spectrum decays, turned at random, and labels drawn from a true softmax
model. Without a CUDA device the parts that need one say "not measured".
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression as PeerLogistic

from benchmarks.harness import Peer, Row, publish, race, show
from separatrix import LinearDiscriminantAnalysis, LogisticRegression
from separatrix.selection.penalty_path import regularisation_path

STRENGTH = 1e-5
"""λ of the large fit: C = 1/(λn)."""
LARGE = (1_280_000, 1_024, 1_000)
BLOCK = 65_536
SCALE = 1e4
"""Factor on the objective of torch.optim.LBFGS, which leaves out pairs with s'y below 1e-10: those of a mean over a million rows."""
PATIENCE = 30.0
"""Seconds that a peer may take."""


def on_cuda() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def embeddings(torch: Any, n: int, p: int, K: int, seed: int = 0) -> tuple[Any, Any]:
    """Return float32 features and labels on the GPU."""
    rng = torch.Generator(device="cuda").manual_seed(seed)
    normal = {"generator": rng, "device": "cuda"}
    turn = torch.linalg.qr(torch.randn(p, p, **normal))[0] * torch.arange(1, p + 1, device="cuda")[:, None] ** -0.5
    W = torch.randn(p, K, **normal)
    X, y = torch.empty(n, p, device="cuda"), torch.empty(n, dtype=torch.int64, device="cuda")
    size = 3.0 / float((torch.randn(BLOCK, p, **normal) @ turn @ W).std())
    for begin in range(0, n, BLOCK):
        part = slice(begin, min(begin + BLOCK, n))
        X[part] = torch.randn(part.stop - begin, p, **normal) @ turn
        noise = -torch.log(-torch.log(torch.rand(part.stop - begin, K, **normal).clamp_(1e-12, 1 - 1e-7)))
        y[part] = (size * (X[part] @ W) + noise).argmax(dim=1)
    return X, y


def timed(torch: Any, run: Callable[[], Any], rounds: int) -> tuple[float, Any, float]:
    """Return the best seconds of some rounds after a first one, the result, and the gigabytes taken beside what was there."""
    result = run()
    best = np.inf
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    for _ in range(rounds):
        start = time.perf_counter()
        result = run()
        torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return best, result, (torch.cuda.max_memory_allocated() - before) / 1e9


def lda(torch: Any) -> list[Row]:
    n, p, K = 20_000_000, 100, 10
    rng = torch.Generator(device="cuda").manual_seed(0)
    X = torch.randn(n, p, generator=rng, device="cuda") * 2.0 + 20.0
    y = torch.randint(0, K, (n,), generator=rng, device="cuda")
    seconds, model, extra = timed(torch, lambda: LinearDiscriminantAnalysis().fit(X, y), 5)
    means = torch.zeros(K, p, dtype=torch.float64, device="cuda")
    exact = torch.zeros(p, p, dtype=torch.float64, device="cuda")
    for k in range(K):
        means[k] = X[y == k].double().mean(dim=0)
    for begin in range(0, n, 2_000_000):
        D = X[begin : begin + 2_000_000].double() - means[y[begin : begin + 2_000_000]]
        exact += D.T @ D
    found = torch.as_tensor(model.summary_.scatter, device="cuda")
    error = float((found - exact).abs().max() / exact.abs().max())
    seconds_plain, _, _ = timed(torch, lambda: plain_scatter(torch, X), 3)
    case = f"LDA fit, {n:,} × {p} float32, K = {K}"
    said = f"scatter right to {error:.0e}; {extra:.2f} GB beside X ({X.nbytes / 1e9:.1f} GB)"
    return [
        Row(case, show(seconds), f"plain torch, scatter alone: {show(seconds_plain)}", said, "≤ 40 ms", seconds <= 0.04 and error < 1e-9)
    ]


def plain_scatter(torch: Any, X: Any) -> Any:
    """Return X'X about the first row, as one would write it: blocks in float64."""
    total = torch.zeros(X.shape[1], X.shape[1], dtype=torch.float64, device="cuda")
    for begin in range(0, len(X), 1 << 20):
        D = (X[begin : begin + (1 << 20)] - X[0]).double()
        total += D.T @ D
    return total


def logistic(torch: Any, X: Any, y: Any, half: bool = False) -> list[Row]:
    n, p = X.shape
    K, C = int(y.max()) + 1, 1.0 / (STRENGTH * n)
    if half:
        X = X.to(torch.bfloat16)
    seconds, model, extra = timed(torch, lambda: LogisticRegression(C=C, max_iter=500).fit(X, y), 1 if half else 2)
    found = model.solution_
    relative = found.gap / found.objective
    said = f"relative gap ≤ {relative:.1e}, {found.passes} passes; {extra:.2f} GB beside X ({X.nbytes / 1e9:.1f} GB)"
    case = f"multinomial logistic, {n:,} × {p:,} × {K:,}{' bfloat16' if half else ''}, λ = {STRENGTH:g}"
    theirs = "" if half else torch_lbfgs(torch, X, y, K, found.objective)
    return [Row(case, show(seconds), theirs, said, "≤ 6 s, gap ≤ 1e-6", seconds <= 6.0 and relative <= 1e-6)]


def torch_lbfgs(torch: Any, X: Any, y: Any, K: int, target: float) -> str:
    """Return how long torch.optim.LBFGS takes to the same objective, relatively 1e-6, in TF32 and then float32."""
    theta = torch.zeros(K, X.shape[1] + 1, device="cuda", requires_grad=True)
    passes, reached = 0, None

    def closure() -> Any:
        nonlocal passes
        passes += 1
        value = 0.0
        gradient = torch.zeros_like(theta)
        with torch.no_grad():
            W, b = theta[:, :-1], theta[:, -1]
            for begin in range(0, len(X), BLOCK):
                part, own = X[begin : begin + BLOCK], y[begin : begin + BLOCK]
                Z = torch.addmm(b, part, W.T)
                logs = torch.log_softmax(Z, dim=1)
                value += float(-logs.gather(1, own[:, None]).sum(dtype=torch.float64))
                P = logs.exp_()
                P[torch.arange(len(own), device="cuda"), own] -= 1.0
                gradient[:, :-1] += P.T @ part
                gradient[:, -1] += P.sum(dim=0)
            gradient /= len(X)
            gradient[:, :-1] += STRENGTH * W
            theta.grad = SCALE * gradient
            return torch.tensor(SCALE * (value / len(X) + 0.5 * STRENGTH * float((W.double() ** 2).sum())))

    start = time.perf_counter()
    method = torch.optim.LBFGS([theta], lr=1.0, max_iter=1, history_size=20, line_search_fn="strong_wolfe", tolerance_change=0.0)
    value = np.inf
    while time.perf_counter() - start < PATIENCE:
        value = float(method.step(closure)) / SCALE
        if value <= target * (1.0 + 1e-6):
            reached = time.perf_counter() - start
            break
    done = (
        f"{reached:.1f} s"
        if reached is not None
        else f"not there after {time.perf_counter() - start:.0f} s ({value / target - 1:.0e} above)"
    )
    return f"torch.optim.LBFGS, float32: {done}, {passes} passes"


def path(torch: Any, X: Any, y: Any) -> list[Row]:
    n = len(X)
    Cs = 1.0 / (np.geomspace(1e-2, 1e-8, 20) * n)
    start = time.perf_counter()
    found = regularisation_path(X, y, Cs=Cs, tol=1e-4, max_iter=500)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    said = "relative gaps " + ", ".join(f"{g:.0e}" for g in (found.gap / found.log_loss)[::4])
    return [Row("path of 20 C over six decades, the same rows", show(seconds), "", said, "≤ 45 s", seconds <= 45.0)]


def on_cpu(n: int, p: int, K: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((p, p)))[0] * np.arange(1, p + 1)[:, None] ** -0.5
    X = (rng.standard_normal((n, p)) @ turn).astype(np.float32)
    Z = X @ rng.standard_normal((p, K))
    return X, (3.0 * Z / Z.std() + rng.gumbel(size=(n, K))).argmax(axis=1)


def objective(model: Any, X: Any, y: Any, C: float = 1.0) -> float:
    """Return the mean loss plus penalty in float64."""
    Z = X.astype(np.float64) @ np.asarray(model.coef_, dtype=np.float64).T + model.intercept_
    Z -= Z.max(axis=1, keepdims=True)
    losses = np.log(np.exp(Z).sum(axis=1)) - Z[np.arange(len(y)), y]
    return float(losses.mean() + 0.5 * np.sum(np.asarray(model.coef_, dtype=np.float64) ** 2) / (C * len(y)))


def cpu(n: int, p: int, K: int) -> list[Row]:
    """Race scikit-learn's default, allowed to converge: ours at the loosest tolerance whose objective is no worse, and at its default."""
    X, y = on_cpu(n, p, K)
    peer = PeerLogistic(max_iter=100_000)
    theirs = objective(peer.fit(X, y), X, y)
    tolerances = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
    enough = next((tol for tol in tolerances if objective(LogisticRegression(tol=tol).fit(X, y), X, y) <= theirs), 1e-5)
    rows = []
    for tol in dict.fromkeys((enough, 1e-4)):
        ours = LogisticRegression(tol=tol).fit(X, y)
        above = objective(ours, X, y) - theirs
        said = f"{int(peer.n_iter_[0])} iterations; ours {above:+.1e} of its objective after {ours.solution_.passes} passes"
        contestant = Peer("scikit-learn", lambda: peer.fit(X, y), lambda _, said=said: said)
        asked = {"scikit-learn": 5.0} if tol == enough else None
        fit = partial(LogisticRegression(tol=tol).fit, X, y)
        rows += race(f"{n:,} × {p} × {K} float32, tol = {tol:g}", fit, [contestant], asked, 1)
    return rows


def main(wanted: list[str] | None = None) -> None:
    parts = set(wanted or ["lda", "logistic", "path", "half", "cpu"])
    rows: list[Row] = []
    if not on_cuda():
        rows.append(Row("LDA, logistic regression and path of C on a GPU", "not measured", "", "no CUDA device here"))
    else:
        import torch

        rows += lda(torch) if "lda" in parts else []
        torch.cuda.empty_cache()
        if parts & {"logistic", "path", "half"}:
            X, y = embeddings(torch, *LARGE)
            rows += logistic(torch, X, y) if "logistic" in parts else []
            rows += path(torch, X, y) if "path" in parts else []
            rows += logistic(torch, X, y, half=True) if "half" in parts else []
    if "cpu" in parts:
        rows += cpu(50_000, 512, 10) + cpu(20_000, 768, 100)
    publish("Rows on a device, and many classes", rows)


if __name__ == "__main__":
    main(sys.argv[1:])
