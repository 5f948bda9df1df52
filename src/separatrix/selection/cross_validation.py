"""Cross-validation of all candidates of a comparison: one after the other or on several processes, within a time budget; a candidate that
fails, or a run that is interrupted, leaves the results of the others.

A fold of a tuned candidate is one job: choose a point by the training rows alone, fit, answer for the rows held out. A candidate without
anything to choose is one job per repeat, because the answers of all folds may come from one piece of algebra.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits

from ..array_types import Bools, Folds
from ..data.threads import single_threaded_blas
from ..evaluation.evaluation_rows import EvaluationRows
from ..evaluation.held_out import hold_out, method_of, require_classes_in
from ..evaluation.plans import KFold, LeaveOneOut
from ..evaluation.predictions import HeldOut, answers
from ..evaluation.prepared import read_once
from ..evaluation.time_split import TimeSplit, plan_inside, trained_on
from ..progress import muted, task
from .candidates import Candidate, Point
from .performance import ComparisonMetric
from .tuning import TunedPoint, tune_candidate

ALL = -1
"""In place of a fold: all folds of the repeat at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What every job shares: rows, outer plan and its folds (one array per repeat), inner plan, metric, groups and seed."""

    rows: EvaluationRows
    plan: Any
    repeats: tuple[Folds, ...]
    inner: Any
    metric: ComparisonMetric
    groups: Any
    seed: int

    def for_candidate(self, candidate: Candidate) -> Setting:
        """Return the setting in which a candidate reads the rows: numbers in one block, a table's columns once, or as they came."""
        if candidate.reads_numbers:
            return self.for_numbers()
        return replace(self, rows=read_once(self.rows)) if candidate.reads_tables else self

    def for_numbers(self) -> Setting:
        """Return the setting of candidates that read columns as numbers: a frame is converted once, not in every fold."""
        return replace(self, rows=self.rows.in_one_block())


@dataclass(frozen=True, slots=True)
class Job:
    """A candidate, a repeat and a fold of it (or ALL)."""

    candidate: int
    repeat: int
    fold: int
    steps: int


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a job found for the rows it held out, or why it could not."""

    job: Job
    codes: Any = None
    posteriors: Any = None
    point: Point | None = None
    method: str = ""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    reason: str = ""
    interrupted: bool = False
    losses: Any = None


@dataclass(slots=True, eq=False)
class CandidateRun:
    """What is known of a candidate so far."""

    candidate: Candidate
    answers: list[Answer] = field(default_factory=list)
    jobs: int = 0
    reason: str = ""

    @property
    def is_finished(self) -> bool:
        """Whether all its jobs are done and none failed."""
        return not self.reason and len(self.answers) == self.jobs

    def held_out(self, setting: Setting) -> tuple[HeldOut, ...]:
        """Return the answers for all rows, one `HeldOut` per repeat."""
        return tuple(self._repeat(setting, r) for r in range(len(setting.repeats)))

    def _repeat(self, setting: Setting, repeat: int) -> HeldOut:
        folds, rows = setting.repeats[repeat], setting.rows
        own = [answer for answer in self.answers if answer.job.repeat == repeat]
        codes = np.full(rows.n, -1, dtype=np.int32)
        posteriors = None if own[0].posteriors is None else np.full((rows.n, len(rows.classes)), np.nan)
        for answer in own:
            inside = _held(folds, answer.job.fold)
            codes[inside] = answer.codes
            if posteriors is not None:
                posteriors[inside] = answer.posteriors
        return HeldOut(folds, codes, posteriors, own[0].method)


def run(candidates: Sequence[Candidate], setting: Setting, n_jobs: int | None, budget: float | None) -> tuple[list[CandidateRun], str]:
    """Run all jobs; return what every candidate came to, and why the run ended early, if it did.

    Parameters
    ----------
    candidates : in the order in which they are to run
    setting : what the jobs share
    n_jobs : processes; None is one, unless a joblib context says otherwise
    budget : seconds after which no job is begun
    """
    runs = [CandidateRun(candidate) for candidate in candidates]
    jobs = [job for c, candidate in enumerate(candidates) for job in _jobs(c, candidate, setting)]
    for job in jobs:
        runs[job.candidate].jobs += 1
    deadline = float("inf") if budget is None else time.perf_counter() + budget
    stop = Event()
    with task("compare", total=sum(job.steps for job in jobs)) as work:
        try:
            for answer in _answers(jobs, runs, setting, n_jobs, deadline, stop):
                if answer.interrupted:
                    stop.set()  # what other processes have begun is still waited for
                    continue
                candidate_run = runs[answer.job.candidate]
                candidate_run.answers.append(answer)
                candidate_run.reason = candidate_run.reason or answer.reason
                work.advance(_detail(candidate_run.candidate.name, answer.job), answer.job.steps)
        except KeyboardInterrupt:
            stop.set()
    ended = "interrupted" if stop.is_set() else ""
    if (
        not ended
        and time.perf_counter() > deadline
        and not all(candidate_run.is_finished or candidate_run.reason for candidate_run in runs)
    ):
        ended = f"time budget of {budget:g} s used up"
    for c, candidate_run in enumerate(runs):
        if not candidate_run.is_finished and not candidate_run.reason:
            done, asked = sum(answer.job.steps for answer in candidate_run.answers), sum(job.steps for job in jobs if job.candidate == c)
            candidate_run.reason = f"{ended} after {done} of {asked} folds"
    return runs, ended


def _jobs(c: int, candidate: Candidate, setting: Setting) -> Iterator[Job]:
    for r, folds in enumerate(setting.repeats):
        n_folds = int(folds.max()) + 1
        if candidate.is_tuned:
            yield from (Job(c, r, fold, 1) for fold in range(n_folds))
        else:
            yield Job(c, r, ALL, n_folds)


def _answers(
    jobs: list[Job], runs: list[CandidateRun], setting: Setting, n_jobs: int | None, deadline: float, stop: Event
) -> Iterator[Answer]:
    # Frames are converted once for all candidates that read them the same way.
    ways: dict[tuple[bool, bool], Setting] = {}

    def call(job: Job) -> tuple[Candidate, Job, Setting]:
        candidate = runs[job.candidate].candidate
        way = candidate.reads_numbers, candidate.reads_tables
        if way not in ways:
            ways[way] = setting.for_candidate(candidate)
        return candidate, job, ways[way]

    def waiting() -> Iterator[Job]:
        for job in jobs:
            if stop.is_set() or time.perf_counter() > deadline:
                return
            if not runs[job.candidate].reason:
                yield job

    if effective_n_jobs(n_jobs) == 1:
        yield from (answer(*call(job)) for job in waiting())
    else:
        calls = (delayed(answer)(*call(job)) for job in waiting())
        yield from Parallel(n_jobs=n_jobs, return_as="generator", pre_dispatch="2*n_jobs", batch_size=1)(calls)


def answer(candidate: Candidate, job: Job, setting: Setting) -> Answer:
    """Do one job. Whatever fails is said in the answer, and Ctrl-C too: raised in a process, it would overtake results that are ready."""
    start = time.perf_counter()
    # BLAS on one thread: with another number of them the last bits differ, and with them, now and then, a choice.
    with warnings.catch_warnings(record=True) as caught, single_threaded_blas(), muted():
        warnings.simplefilter("always")
        try:
            codes, posteriors, tuned, method = _do(candidate, job, setting)
        except KeyboardInterrupt:
            return Answer(job, interrupted=True)
        except Exception as problem:
            text = str(problem) if isinstance(problem, ValueError) else f"{type(problem).__name__}: {problem}"
            return Answer(job, reason=" ".join(text.split()), seconds=time.perf_counter() - start)
    notes = tuple(dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught))
    point, losses = (None, None) if tuned is None else (tuned.point, tuned.so_far)
    return Answer(job, codes, posteriors, point, method, time.perf_counter() - start, notes, losses=losses)


def _do(candidate: Candidate, job: Job, setting: Setting) -> tuple[Any, Any, TunedPoint | None, str]:
    setting.metric.require(candidate.model)
    if candidate.is_reference:  # whose own threads would wait for cores that other jobs keep busy
        with threadpool_limits(1, "openmp"):
            return _done(candidate, job, setting)
    return _done(candidate, job, setting)


def _done(candidate: Candidate, job: Job, setting: Setting) -> tuple[Any, Any, TunedPoint | None, str]:
    rows, folds = setting.rows, setting.repeats[job.repeat]
    if job.fold == ALL:
        model = candidate.at(candidate.grid[0]) if candidate.grid else candidate.model
        held = hold_out(model, rows, setting.plan, folds)
        inside = _held(folds, ALL)
        return held.codes[inside], None if held.posteriors is None else held.posteriors[inside], None, method_of([held])
    inside = _held(folds, job.fold)
    training_rows = np.flatnonzero(~inside)
    if isinstance(setting.plan, TimeSplit):
        training_rows = trained_on(setting.plan, rows.X, folds)[job.fold]
        require_classes_in(rows, training_rows, f"Split {job.fold} of {setting.plan!r}")
    training = rows.take(training_rows)
    groups = None if setting.groups is None else setting.groups[training_rows]
    plan = inner_plan(setting.inner, training, groups, setting.plan)
    metric = setting.metric
    tuned = tune_candidate(candidate, training, plan, metric.loss, groups, setting.seed + job.repeat, metric.row_losses(training))
    fitted = training.fit(candidate.at(tuned.point), tuned.start)
    return *answers(fitted, rows.take(np.flatnonzero(inside))), tuned, tuned.method


def inner_plan(given: Any, training: EvaluationRows, groups: Any, outer: Any = None) -> Any:
    """Return the plan by which hyperparameters are chosen: the given one, or five folds, fewer where a class has fewer rows.

    Where the outer plan goes along time, the inner one does too.
    """
    if given is not None:
        return given
    if isinstance(outer, TimeSplit):
        return plan_inside(outer, training.X, training.codes, len(training.classes))
    smallest = int(np.bincount(training.codes, minlength=len(training.classes)).min())
    if groups is not None:
        return KFold(min(5, len(np.unique(groups))), grouped=True)
    return KFold(min(5, smallest)) if smallest > 1 else LeaveOneOut()


def _held(folds: Folds, fold: int) -> Bools:
    return folds >= 0 if fold == ALL else folds == fold


def _detail(name: str, job: Job) -> str:
    return name if job.fold == ALL else f"{name}, fold {job.fold + 1}"
