"""Iterative parameter mixing: a perceptron on rows that lie on other machines.

Every block of rows is visited once, from the common weights w, on the machine where it lies. The new weights are the mean of those that
the blocks end with, each counted by the mistakes it made:

    w ← Σ_b m_b w_b / Σ_b m_b

Separable classes come to an epoch without a mistake after as many mistakes, counted this way, as Novikoff's bound allows, whatever the
number of blocks. Only weights travel. The blocks depend on the partitions, and not on the number of workers.

References
----------
McDonald, Hall and Mann (2010), Distributed training strategies for the structured perceptron, NAACL.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ...array_types import Floats
from ...data import Block, Source
from ...errors import InputError
from .perceptron_rows import Learner, fitting, kept_rows, one_epoch, weighted


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """What one epoch over some blocks gave.

    Attributes
    ----------
    ends : (R, p + 1) Σ_b m_b w_b
    mistakes : Σ_b m_b
    sums : (R, p + 1) weights added up over all visits
    clock, loss : visits, each counted by its weight, and losses
    rows : number of the last row and one
    finite : whether all scores were
    """

    ends: Floats
    mistakes: float
    sums: Floats
    clock: float
    loss: float
    rows: int
    finite: bool

    def merge(self, other: Self) -> Self:
        """Return what an epoch over both sets of blocks gave."""
        return replace(
            self,
            ends=self.ends + other.ends,
            mistakes=self.mistakes + other.mistakes,
            sums=self.sums + other.sums,
            clock=self.clock + other.clock,
            loss=self.loss + other.loss,
            rows=max(self.rows, other.rows),
            finite=self.finite and other.finite,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """One epoch over a block, from given weights."""

    weights: Floats
    eta: float
    unit: float
    shuffle: bool
    seed: int
    epoch: int
    factors: Floats | None

    def __call__(self, block: Block) -> Mixture:
        """Return what the visits of the block's rows give."""
        from ...kernels.perceptron import CLOCK, LOSS, MISTAKES

        block = weighted(replace(block, X=fitting(block.X)), self.factors)
        dice = np.random.default_rng([self.seed, self.epoch, block.start]).integers(0, 2**63, 1, dtype=np.uint64)
        learner = Learner(self.weights.copy(), np.zeros_like(self.weights), np.zeros(7), dice, self.eta, self.unit, self.shuffle, False)
        order = learner.order(kept_rows(block))
        finite = not len(order) or learner.visit(block, order, None, self.epoch, block.start)
        learner.turn(is_sparse=False)
        clock, mistakes, end = float(learner.tally[CLOCK]), float(learner.tally[MISTAKES]), learner.weights
        sums = clock * end - learner.memory
        return Mixture(mistakes * end, mistakes, sums, clock, float(learner.tally[LOSS]), block.start + block.n_rows, finite)


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """The road to rows on other machines."""

    source: Source
    factors: Floats | None

    def run(self, learner: Learner, epochs: int) -> bool:
        """See `Road.run`; one epoch."""
        from ...kernels.perceptron import CLOCK, LOSS, MISTAKES

        if learner.record:
            raise InputError(
                "Updates row by row are not recorded where rows lie on other machines: leave trace=True out, and use AveragedPerceptron in "
                "place of VotedPerceptron."
            )
        with one_epoch(learner) as epoch:
            shard = Shard(
                learner.weights, learner.eta, learner.unit, learner.shuffle, int(learner.dice[0] >> np.uint64(1)), epoch, self.factors
            )
            found = self.source.reduce(shard)
            learner.rows = found.rows
            learner.tally[LOSS] += found.loss
            learner.tally[MISTAKES] += found.mistakes
            self._mix(learner, found, float(learner.tally[CLOCK]))
            learner.tally[CLOCK] += found.clock
        return found.finite

    def _mix(self, learner: Learner, found: Mixture, clock: float) -> None:
        """Set the common weights, and what their mean over all visits is computed from."""
        averages = bool(learner.memory.size)
        sums = clock * learner.weights - learner.memory + found.sums if averages else None
        if found.mistakes:
            learner.weights = found.ends / found.mistakes
        if sums is not None:
            learner.memory = (clock + found.clock) * learner.weights - sums
