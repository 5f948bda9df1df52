"""Should the result be trusted: how sure the number is, how rows were held out, what it is compared with, and what was noticed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..alerts import Alert
from ..artifacts.contents import Contents
from ..decisions import Reliability
from ..evaluation.time_split import TimeSplit
from ..facts import rule
from ..selection.board import Board
from ..selection.board_entry import Entry
from .curve_points import Curves
from .findings import Findings
from .not_computed import NotComputed
from .wording import count, listing, metric_name, metric_value, percent, span

Light = Literal["good", "care", "bad", "unknown"]


@dataclass(frozen=True, slots=True)
class Check:
    """A question about the result, how it stands, and the answer in a sentence."""

    question: str
    light: Light
    answer: str


@dataclass(frozen=True, slots=True)
class AlertPage:
    """An alert with the name of its code and when it is a false alarm."""

    code: str
    name: str
    subject: str
    seen: str
    why: str
    do: str
    severity: str
    false_alarm: str

    @classmethod
    def of(cls, alert: Alert) -> AlertPage:
        """Return an alert with its page of reasons."""
        page = rule(alert.code)
        return cls(alert.code, page.name, alert.subject, alert.seen, alert.why, alert.do, alert.severity, page.false_alarm)


@dataclass(frozen=True, slots=True)
class Trust:
    """Questions answered, alerts, and what was not looked at."""

    checks: tuple[Check, ...]
    alerts: tuple[AlertPage, ...]
    missing: tuple[NotComputed, ...] = ()


def trust_of_board(board: Board, alerts: tuple[Alert, ...], calibration: Reliability | NotComputed) -> Trust:
    """Return whether a comparison can be trusted.

    Parameters
    ----------
    board : what `compare` returned
    alerts : what was noticed in the table and in the result
    calibration : of its held-out posteriors
    """
    checks = [_sure(board), _held_out(board), _baseline(board)]
    reference = next((entry for entry in board.entries if entry.candidate.is_reference), None)
    missing = [] if reference is not None else [_no_reference(board)]
    checks += [_reference(board, reference)] if reference is not None else []
    checks += [calibrated(calibration)] if isinstance(calibration, Reliability) else []
    missing += [calibration] if isinstance(calibration, NotComputed) else []
    checks.append(_noticed(alerts))
    return Trust(tuple(checks), tuple(AlertPage.of(alert) for alert in alerts), tuple(missing))


def trust_of_file(found: Findings, contents: Contents) -> Trust:
    """Return whether the model of a file can be trusted on the rows given."""
    judged, estimate = found.judged, contents.estimate
    question = "Were the rows judged new to the model?"
    checks = []
    if judged is None:
        checks.append(Check(question, "bad", "No: these are the rows that it was trained on, so that nothing is counted from them."))
    elif contents.data_hash is None:
        checks.append(Check(question, "unknown", "The file does not say which rows it was trained on; you may know whether these are new."))
    else:
        checks.append(Check(question, "good", "This table is not the one trained on, as its hash says; single rows of it may still be."))
    if judged is not None:
        majority = float(judged.confusion.sum(axis=1).max() / judged.confusion.sum())
        better = judged.interval[1] < 1.0 - majority
        values = f"{percent(judged.error)} wrong beside {percent(1.0 - majority)}"
        checks.append(
            Check("Is it better than always saying the same?", "good" if better else "bad", f"{'Yes' if better else 'No'}: {values}.")
        )
    if estimate is not None and np.isfinite(estimate.value):
        value, around = metric_value(estimate.metric, estimate.value), span(estimate.metric, estimate.interval)
        said = f"The {metric_name(estimate.metric)} was {value} ({around}) on {estimate.rows:,.0f} held-out rows: {estimate.procedure}."
        checks.append(Check("What was found when it was fitted?", "good", said))
    if isinstance(found.curves, Curves) and isinstance(found.curves.calibration, Reliability):
        checks.append(calibrated(found.curves.calibration))
    checks.append(_noticed(contents.alerts))
    return Trust(tuple(checks), tuple(AlertPage.of(alert) for alert in contents.alerts))


def _sure(board: Board) -> Check:
    picked, metric = board.picked, board.setting.metric.name
    low, high = picked.interval
    if not np.isfinite(high - low):
        return Check("How sure is the number?", "unknown", "There is no interval: too few folds or rows to tell how far it may be off.")
    base = next((entry for entry in board.entries if entry.is_baseline), None)
    gain = abs(base.value - picked.value) if base is not None else np.inf
    light: Light = "good" if high - low <= gain else "care"
    between = span(metric, picked.interval).replace(" to ", " and ")
    said = f"The {metric_name(metric)} of new rows like these lies between {between}, 95 times in 100."
    more = "" if light == "good" else " That is wide beside what the model gains; more rows would tell more."
    return Check("How sure is the number?", light, said + more)


def _held_out(board: Board) -> Check:
    setting = board.setting
    repeats, folds = len(setting.repeats), int(setting.repeats[0].max()) + 1
    held = sum(int((fold >= 0).sum()) for fold in setting.repeats[:1])
    times = "once" if repeats == 1 else f"{repeats} times"
    if isinstance(setting.plan, TimeSplit):
        said = f"The past trained, the next stretch was held out, {count(folds, 'time')}: {held:,} of {setting.rows.n:,} rows were judged."
    else:
        each = "Each row was held out" if held == setting.rows.n else f"{held:,} of {setting.rows.n:,} rows were held out"
        said = f"{each} {times}, in {count(folds, 'part')}, and judged by models that had not seen it."
    kept = " Groups of rows stayed together." if setting.groups is not None else ""
    chosen = " Hyperparameters and the preparation of columns were chosen anew inside every training part."
    return Check("Were the rows judged new to the model?", "good", said + kept + chosen)


def _baseline(board: Board) -> Check:
    base = next((entry for entry in board.entries if entry.is_baseline), None)
    question = "Is it better than always saying the same?"
    if base is None:
        return Check(question, "unknown", "The majority class has no result here.")
    metric, found = board.setting.metric.name, base.difference
    values = f"{metric_value(metric, board.picked.value)} beside {metric_value(metric, base.value)}"
    if any(alert.code == "SPX011" for alert in board.alerts):
        return Check(question, "bad", f"Not by more than chance explains: {values}.")
    tested = "" if found is None else f" ({found.test}, {'p < 0.0001' if found.p < 1e-4 else f'p = {found.p:.4f}'})"
    return Check(question, "good", f"Yes: {values}{tested}.")


def _reference(board: Board, entry: Entry) -> Check:
    metric, best = board.setting.metric.name, board.best
    theirs, ours = (metric_value(metric, own.value) for own in (entry, best))
    values = f"{entry.name.removesuffix(' (reference)')} has {theirs}, the best model here {ours}"
    question = "What does a straight line cost?"
    if entry.scored.loss >= best.scored.loss:
        return Check(question, "good", f"Nothing that can be seen: {values}.")
    chance = entry.difference is not None and entry.difference.p >= 0.05
    if chance:
        return Check(question, "good", f"Nothing that chance does not explain: {values}.")
    return Check(question, "care", f"Something: {values}. Curves or interactions may close the gap.")


def _no_reference(board: Board) -> NotComputed:
    return NotComputed(
        "A reference of boosted trees",
        "It shows what a straight line costs, and was not part of this comparison.",
        "compare(table, target=…)  # all families, with the reference",
    )


def calibrated(found: Reliability) -> Check:
    """Return whether probabilities mean what they say."""
    low, high = found.error_interval
    fine = low <= found.noise * 1.5 or found.error < 0.02
    said = (
        f"They are off by {100 * found.error:.1f} points on average (95 % interval {100 * low:.1f} to {100 * high:.1f}; faultless ones "
        f"would be by {100 * found.noise:.1f} on so many rows)."
    )
    more = "" if fine else " CalibratedClassifier(model) mends that."
    return Check("Do its probabilities mean what they say?", "good" if fine else "care", said + more)


def _noticed(alerts: tuple[Alert, ...]) -> Check:
    warnings = [alert for alert in alerts if alert.severity == "warning"]
    if not alerts:
        return Check("Was anything odd noticed?", "good", "Nothing: no leaks, copies of rows, or values at the end of their list.")
    codes = listing(list(dict.fromkeys(alert.code for alert in alerts)))
    light: Light = "care" if warnings else "good"
    return Check("Was anything odd noticed?", light, f"{count(len(alerts), 'thing')}, listed below ({codes}).")
