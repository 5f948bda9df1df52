"""The search itself: one column or group at a time, in or out, with or without going back."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..array_types import Floats, Indices
from ..errors import InputError
from ..evaluation.estimate import corrected_resampled_t
from ..inference.shares import wilson
from ..progress import Task
from .history import History, Move
from .search_by_algebra import CriterionRoad, Road, Way
from .search_rows import SearchRows

CLOSE = 1e-12
"""Relative difference below which two scores are the same."""
FLAT = "does not vary, in some training fold at least"
COLLINEAR = "can be computed from the columns taken before it"


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """What can move.

    Attributes
    ----------
    names, groups : names and columns of all groups, in the order of their first columns
    forced, banned : numbers of the groups that stay in, and of those that stay out
    moved : columns of numbers that move with each group, where columns of a table became several; None: the groups themselves
    """

    names: list[str]
    groups: list[Indices]
    forced: frozenset[int]
    banned: frozenset[int]
    moved: list[Indices] | None = None

    def columns(self, members: Sequence[int]) -> list[int]:
        """Return the columns of some groups."""
        return [int(j) for g in members for j in self.groups[g]]

    def movable(self) -> list[int]:
        """Return the groups that may be in or out."""
        return [g for g in range(len(self.groups)) if g not in self.banned and g not in self.forced]


@dataclass
class Search:
    """A search under way: where it stands, and all moves so far.

    A neighbour is taken if its score is the best; among equal scores the one with the lower log-loss, and then the first column.
    """

    field: SearchSpace
    road: Road
    rows: SearchRows
    metric: str
    moves: list[Move] = dataclasses.field(default_factory=list)
    members: list[int] = dataclasses.field(default_factory=list)
    skipped: dict[int, str] = dataclasses.field(default_factory=dict)
    best_of_size: dict[int, float] = dataclasses.field(default_factory=dict)
    interrupted: bool = False
    moving: list[Indices] = dataclasses.field(default_factory=list)
    begun: float = dataclasses.field(default_factory=time.perf_counter)

    def begin(self, members: Sequence[int], earlier: History | None = None) -> None:
        """Go to a set of groups, leaving out those that add nothing to the ones before them."""
        # All indicators of a category sum to one: the last of them adds nothing, but comes along.
        self.moving = self.road.without_aliases(self.field.groups if self.field.moved is None else self.field.moved)
        order = sorted(members, key=lambda g: (g not in self.field.forced, g)) if earlier is None else list(members)
        groups = [self.moving[g] for g in order]
        usable, flat = self.road.independent(groups), self.road.dependent(groups)
        self.skipped |= {g: FLAT if bad else COLLINEAR for g, ok, bad in zip(order, usable, flat, strict=True) if not ok}
        self.members = [g for g, ok in zip(order, usable, strict=True) if ok]
        self.road.begin([int(j) for g in self.members for j in self.moving[g]])
        if earlier is not None:
            self.moves = list(earlier.moves)
            self.best_of_size = {size: move.score for size, move in earlier.sets().items()}
            self.begun -= earlier.moves[-1].seconds if earlier.moves else 0.0
        if not self.moves:
            self._record("start", "", self.road.now(), {})

    def run(self, way: Way, target: int, floating: bool, work: Task) -> None:
        """Move until the set has the wanted size, nothing is left to move, or someone presses Ctrl-C."""
        try:
            while len(self.members) < target if way == "in" else len(self.members) > target:
                moved = self._advance(way)
                if moved is None:
                    break
                work.advance(f"{self.moves[-1].size} columns, {self.metric} {self.moves[-1].score:.4f}")
                if floating:
                    self._turn_back("out" if way == "in" else "in", moved)
        except KeyboardInterrupt:
            self.interrupted = True

    def _advance(self, way: Way) -> int | None:
        inside = set(self.members)
        options = [g for g in self.field.movable() if (g not in inside) == (way == "in")]
        found = self._look(way, options)
        if found is None:
            return None
        self._go(way, *found)
        return found[0]

    def _turn_back(self, way: Way, moved: int) -> None:
        """Undo earlier moves while that gives the best set of its size seen so far."""
        step = 1 if way == "in" else -1
        while True:
            inside = set(self.members)
            options = [g for g in self.field.movable() if (g not in inside) == (way == "in") and g != moved]
            size = len(self.members) + step
            found = self._look(way, options) if size >= 1 and size in self.best_of_size else None
            if found is None or not self._better(float(found[1].mean()), self.best_of_size[size]):
                return
            self._go(way, *found)

    def _look(self, way: Way, options: list[int]) -> tuple[int, Floats, dict[str, float]] | None:
        """Return the best group to move, its scores per split, and the scores of all; None where nothing can move."""
        if way == "in" and options:
            gone = self.road.dependent([self.moving[g] for g in options])
            reason = COLLINEAR if self.members else FLAT
            self.skipped |= {g: reason for g, bad in zip(options, gone, strict=True) if bad and g not in self.skipped}
            options = [g for g, bad in zip(options, gone, strict=True) if not bad]
        if not options:
            return None
        groups = [self.moving[g] for g in options]
        values = self.road.judge(way, groups)
        scores = values.mean(axis=1)
        if np.isnan(scores).all():
            raise InputError(f"{self.metric} is not a number for every candidate: some held-out part may lack a class. Use fewer folds.")
        pick = self._best(way, groups, scores)
        names = [self.field.names[g] for g in options]
        return options[pick], values[pick], dict(zip(names, scores.tolist(), strict=True))

    def _best(self, way: Way, groups: list[Indices], scores: Floats) -> int:
        adjusted = np.where(np.isnan(scores), -np.inf, self.road.sign * scores)
        tied = np.flatnonzero(adjusted >= adjusted.max() - CLOSE * max(1.0, abs(adjusted.max())))
        if len(tied) > 1:
            losses = self.road.log_loss(way, [groups[g] for g in tied])
            if losses is not None:
                tied = tied[losses <= losses.min() + CLOSE]
        return int(tied[0])

    def _go(self, way: Way, g: int, values: Floats, candidates: dict[str, float]) -> None:
        self.road.take(way, self.moving[g])
        self.members = [*self.members, g] if way == "in" else [m for m in self.members if m != g]
        self._record(way, self.field.names[g], values, candidates)

    def _record(self, action: str, name: str, values: Floats, candidates: dict[str, float]) -> None:
        score = float(values.mean())
        interval, error = self._uncertainty(values)
        size = len(self.members)
        if np.isfinite(score) and (size not in self.best_of_size or self._better(score, self.best_of_size[size])):
            self.best_of_size[size] = score
        test = self.road.test() if isinstance(self.road, CriterionRoad) and action != "start" else None
        groups = tuple(self.field.names[g] for g in self.members)
        columns = tuple(self.field.columns(self.members))
        seconds = time.perf_counter() - self.begun
        self.moves.append(Move(len(self.moves), action, name, columns, groups, score, interval, error, seconds, candidates, test))

    def _better(self, score: float, than: float) -> bool:
        return self.road.sign * (score - than) > CLOSE * max(1.0, abs(than))

    def _uncertainty(self, values: Floats) -> tuple[tuple[float, float], float]:
        """Return the 95 % interval and the standard error of the mean score of the splits."""
        nan, score, F = float("nan"), float(values.mean()), len(values)
        splits = self.rows.splits
        if not splits or not np.isfinite(values).all():
            return (nan, nan), nan
        held = sum(len(split.test) for split in splits)
        error = float(values.std(ddof=1) / np.sqrt(F)) if F > 1 else nan
        if self.metric == "error" and held <= self.rows.n:
            return wilson(score, held), error if F > 1 else float(np.sqrt(score * (1.0 - score) / held))
        return corrected_resampled_t(values, held / F / self.rows.n), error

    def history(self) -> History:
        """Return the moves so far."""
        return History(self.metric, self.road.sign, tuple(self.moves))
