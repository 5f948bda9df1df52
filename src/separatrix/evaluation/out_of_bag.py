"""What resamples that never drew a row say about it, added up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..array_types import Bools, Codes, Floats, Indices
from ..solvers.scores import posteriors_of
from .evaluation_rows import EvaluationRows
from .metrics import ScoredRows, brier_losses, log_losses

ROW_LOSSES = {"log_loss": log_losses, "brier": brier_losses}
BATCHED = ("error", "log_loss", "brier", "balanced_accuracy")
"""Scores of many resamples that are computed at once."""
EPS = float(np.finfo(np.float64).eps)


class OutOfBag:
    """Adds up, row by row, what resamples that never drew a row say about it.

    Attributes
    ----------
    times : (n,) resamples that left a row out
    votes, posteriors : (n, K) sums of what they said
    losses : (n,) sums of the losses of rows, by name
    right, held : one line (K,) for each resample: weights of the rows it left out, and of those among them that it got right, by class
    others : values of the scores that need all rows of a resample at once, by name
    """

    def __init__(self, rows: EvaluationRows, chosen: dict[str, Any], has: bool) -> None:
        n, K = rows.n, len(rows.classes)
        self.rows, self.chosen, self.used = rows, chosen, 0
        self.times, self.votes = np.zeros(n), np.zeros((n, K))
        self.posteriors = np.zeros((n, K)) if has else None
        self.losses = {name: np.zeros(n) for name in chosen if name in ROW_LOSSES}
        self.right, self.held = np.empty((0, K)), np.empty((0, K))
        self.others: dict[str, list[float]] = {name: [] for name in chosen if name not in BATCHED}
        self.base = np.ones(n) if rows.weight is None else rows.weight

    def add(self, out: Indices, codes: Codes, posteriors: Floats | None) -> None:
        """Add the answers of one resample about the rows it left out."""
        weight = None if self.rows.weight is None else self.rows.weight[out]
        truth, K = self.rows.codes[out], len(self.rows.classes)
        judged = ScoredRows(truth, codes, posteriors, weight, None, self.rows.classes)
        self.used += 1
        self.times[out] += 1
        self.votes[out, codes] += 1
        if self.posteriors is not None and posteriors is not None:
            self.posteriors[out] += posteriors
        for name, total in self.losses.items():
            total[out] += ROW_LOSSES[name](judged)
        right, held = (np.bincount(truth, w, minlength=K).astype(np.float64) for w in (self.base[out] * (codes == truth), self.base[out]))
        self._add_lines(right[None], held[None])
        for name, values in self.others.items():
            values.append(self.chosen[name](judged).value)

    def add_many(self, scores: Floats, out: Bools) -> None:
        """Add the scores (K, B, n) of many resamples at once, of which `out` (B, n) were left out."""
        if self.others:
            for b, own in enumerate(out):
                rows = np.flatnonzero(own)
                each = scores[:, b, rows].T
                self.add(rows, each.argmax(axis=1).astype(np.int32), None if self.posteriors is None else posteriors_of(each))
            return
        K, truth = len(scores), self.rows.codes
        codes = (scores[1] > scores[0]).astype(np.int8) if K == 2 else scores.argmax(axis=0)
        self.used += len(out)
        self.times += out.sum(axis=0)
        for k in range(K):
            self.votes[:, k] += ((codes == k) & out).sum(axis=0)
        of_class = np.eye(K)[truth] * self.base[:, None]
        self._add_lines(((codes == truth) & out).astype(np.float64) @ of_class, out.astype(np.float64) @ of_class)
        if self.posteriors is not None:
            self._add_posteriors(scores, out)

    def add_parts(self, parts: Iterable[tuple[int, OutOfBag]], n_resamples: int) -> None:
        """Add what the same resamples say about parts of the rows, each with the number of its first row."""
        right, held = np.zeros((2, n_resamples, len(self.rows.classes)))
        for begin, part in parts:
            own = slice(begin, begin + part.rows.n)
            self.times[own] += part.times
            self.votes[own] += part.votes
            if self.posteriors is not None and part.posteriors is not None:
                self.posteriors[own] += part.posteriors
            for name, total in self.losses.items():
                total[own] += part.losses[name]
            right += part.right
            held += part.held
        self.used += n_resamples
        self._add_lines(right, held)

    def _add_lines(self, right: Floats, held: Floats) -> None:
        self.right, self.held = np.concatenate([self.right, right]), np.concatenate([self.held, held])

    @property
    def per_resample(self) -> dict[str, Floats]:
        """Scores of each resample (B,), but for the losses of rows, whose mean counts each row once."""
        there = self.held > 0
        with np.errstate(invalid="ignore"):
            known = {
                "error": 1.0 - self.right.sum(axis=1) / self.held.sum(axis=1),
                "balanced_accuracy": np.where(there, self.right / np.where(there, self.held, 1.0), 0.0).sum(axis=1) / there.sum(axis=1),
            }
        return {name: known[name] if name in known else np.array(self.others[name]) for name in self.chosen if name not in ROW_LOSSES}

    def _add_posteriors(self, scores: Floats, out: Bools) -> None:
        assert self.posteriors is not None
        if len(scores) == 2:
            self._add_two(scores[1] - scores[0], out)
            return
        P = np.exp(scores - scores.max(axis=0))
        P /= P.sum(axis=0)
        P *= out
        self.posteriors += P.sum(axis=1).T
        own = np.take_along_axis(P, self.rows.codes[None, None], axis=0)[0]
        if "log_loss" in self.losses:
            logs = np.log(np.where(out, np.clip(own, EPS, 1.0 - EPS), 1.0))
            self.losses["log_loss"] -= logs.sum(axis=0)
        if "brier" in self.losses:
            squares = np.einsum("kbn,kbn->bn", P, P) - 2.0 * own + out
            self.losses["brier"] += squares.sum(axis=0)

    def _add_two(self, odds: Floats, out: Bools) -> None:
        """Add the posteriors of two classes: with t the log-odds of the true one, p = 1/(1 + e^−t) and −log p = log(1 + e^−t)."""
        assert self.posteriors is not None
        sign = np.where(self.rows.codes == 1, -1.0, 1.0)
        odds *= sign
        np.clip(odds, np.log(EPS), -np.log(EPS), out=odds)  # where the log-loss of the posteriors is cut off too
        np.exp(odds, out=odds)
        if "log_loss" in self.losses:
            self.losses["log_loss"] += np.einsum("bn,bn->n", np.log1p(odds), out)
        missed = odds / (1.0 + odds)
        missed *= out
        total = missed.sum(axis=0)
        both = np.stack([out.sum(axis=0) - total, total], axis=1)
        self.posteriors += np.where((self.rows.codes == 0)[:, None], both, both[:, ::-1])
        if "brier" in self.losses:
            self.losses["brier"] += np.einsum("bn,bn->n", missed, missed)

    @property
    def seen(self) -> Bools:
        """Rows that some resample left out."""
        return self.times > 0

    def mean(self, total: Floats) -> float:
        """Return the weighted mean over rows of a loss added up over resamples."""
        return float(np.average(total[self.seen] / self.times[self.seen], weights=self.base[self.seen]))

    @property
    def wrong(self) -> Floats:
        """Times each row was misclassified."""
        return self.times - self.votes[np.arange(len(self.times)), self.rows.codes]
