"""Decisions for many rows of posteriors, beside the same in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.harness import Peer, Row, publish, race
from separatrix import Decision


def decisions(rng: Any, n: int, K: int) -> list[Row]:
    P = rng.random((n, K))
    P /= P.sum(axis=1, keepdims=True)
    C = rng.random((K, K)) * (1 - np.eye(K))
    rule, labels = Decision(C), np.arange(K)
    assert np.array_equal(rule.codes(P[:100_000], labels), np.argmin(P[:100_000] @ C, axis=1))
    peer = Peer("np.argmin(P @ C, axis=1)", lambda: np.argmin(P @ C, axis=1))
    rows = race(f"actions of least cost, {n:,} × {K}", lambda: rule.codes(P, labels), [peer], {peer.name: 0.5}, rounds=4)
    named = np.array([f"class {k}" for k in range(K)])
    peer = Peer("names[np.argmin(P @ C, axis=1)]", lambda: named[np.argmin(P @ C, axis=1)])
    return [*rows, *race(f"labels of least cost, {n:,} × {K}", lambda: rule.decide(P, named), [peer], rounds=2)]


def main() -> None:
    """Race and publish."""
    publish("decisions", decisions(np.random.default_rng(0), 10_000_000, 5))


if __name__ == "__main__":
    main()
