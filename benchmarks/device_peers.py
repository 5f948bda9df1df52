"""Peers of the large multinomial fit on a GPU: torch.optim.LBFGS over the whole data, and scikit-learn's LogisticRegression on tensors."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

BLOCK = 65_536
"""Rows whose scores the pass of torch.optim.LBFGS holds at once."""


class _EnoughError(Exception):
    """The objective is reached, or the time is up."""


def objective(torch: Any, X: Any, y: Any, W: Any, b: Any, strength: float) -> tuple[float, Any, Any]:
    """Return the mean loss plus λ/2‖W‖², and its gradient in W and b; products in float32."""
    value, gW, gb = 0.0, torch.zeros_like(W), torch.zeros_like(b)
    for begin in range(0, len(X), BLOCK):
        part, own = X[begin : begin + BLOCK], y[begin : begin + BLOCK]
        logs = torch.log_softmax(torch.addmm(b, part, W.T), dim=1)
        value += -logs.gather(1, own[:, None]).sum(dtype=torch.float64)
        P = logs.exp_()
        P[torch.arange(len(own), device=X.device), own] -= 1.0
        gW += P.T @ part
        gb += P.sum(dim=0)
    f = float(value) / len(X) + 0.5 * strength * float((W.double() ** 2).sum())
    return f, gW / len(X) + strength * W, gb / len(X)


def torch_lbfgs(torch: Any, X: Any, y: Any, K: int, strength: float, target: float, patience: float) -> dict[str, Any]:
    """Return passes and seconds of torch.optim.LBFGS to the objective given, relatively 1e-3 … 1e-6 above.

    Full batch, strong Wolfe line search, history 10, mean loss, float32, begun at 0, no tolerance: it goes on until it is there.
    """
    theta = torch.zeros(K, X.shape[1] + 1, device=X.device, requires_grad=True)
    found: dict[str, Any] = {"passes": 0, "reached": {}, "above": np.inf}
    start = time.perf_counter()

    def closure() -> Any:
        found["passes"] += 1
        with torch.no_grad():
            f, gW, gb = objective(torch, X, y, theta[:, :-1].contiguous(), theta[:, -1].contiguous(), strength)
            theta.grad = torch.cat([gW, gb[:, None]], dim=1)
        found["seconds"], found["above"] = time.perf_counter() - start, min(found["above"], f / target - 1.0)
        found["gradient"] = float(theta.grad.abs().max())
        for level in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
            if f <= target * (1.0 + level):
                found["reached"].setdefault(f"{level:g}", (found["passes"], round(found["seconds"], 2)))
        if f <= target * (1.0 + 1e-6) or found["seconds"] > patience:
            raise _EnoughError
        return torch.tensor(f, dtype=torch.float64)

    method = torch.optim.LBFGS(
        [theta],
        lr=1.0,
        max_iter=10_000,
        max_eval=100_000,
        history_size=10,
        line_search_fn="strong_wolfe",
        tolerance_grad=0.0,
        tolerance_change=0.0,
    )
    try:
        method.step(closure)
        found["ended"] = "by itself"
    except _EnoughError:
        found["ended"] = "there" if found["above"] <= 1e-6 else "time was up"
    return found


def scikit_learn(torch: Any, X: Any, y: Any, strength: float, target: float, patience: float) -> dict[str, Any]:
    """Return seconds and objective of scikit-learn's LogisticRegression on tensors, allowed as many iterations as the time may hold."""
    import sklearn
    from sklearn.linear_model import LogisticRegression

    C = 1.0 / (strength * len(X))
    with sklearn.config_context(array_api_dispatch=True):
        start = time.perf_counter()
        LogisticRegression(C=C, max_iter=4, tol=1e-12).fit(X, y)
        each = (time.perf_counter() - start) / 5.0
        iterations = max(int(patience / each), 10)
        start = time.perf_counter()
        model = LogisticRegression(C=C, max_iter=iterations).fit(X, y)
        seconds = time.perf_counter() - start
    W, b = (torch.as_tensor(part, device=X.device, dtype=X.dtype) for part in (model.coef_, model.intercept_))
    with torch.no_grad():
        f = objective(torch, X, y, W.contiguous(), b.contiguous(), strength)[0]
    return {"seconds": seconds, "iterations": int(model.n_iter_[0]), "allowed": iterations, "above": f / target - 1.0}
