"""Progress events: order, remaining time, and the bar."""

from __future__ import annotations

import io

import pytest

from separatrix import progress
from separatrix.progress import Bar, Event, listening, task


def failing_work() -> None:
    with task("work", total=3) as work:
        work.advance("a")
        raise KeyError


def test_events_come_in_order_and_end_when_the_work_fails():
    heard: list[Event] = []
    with listening(heard.append), pytest.raises(KeyError):
        failing_work()
    assert [(e.done, e.detail, e.finished) for e in heard] == [(0, "", False), (1, "a", False), (1, "a", True)]


def test_nested_work_reaches_the_same_listener():
    heard: list[Event] = []
    with listening(heard.append), task("outer", total=1), task("inner") as inner:
        inner.advance("x")
    assert [e.task for e in heard] == ["outer", "inner", "inner", "inner", "outer"]


def test_remaining_is_unknown_before_the_first_step():
    assert Event("w", 0, 5).remaining is None
    assert Event("w", 2, None, seconds=1.0).remaining is None


def test_nobody_hears_anything_after_listening_ends():
    heard: list[Event] = []
    with listening(heard.append):
        pass
    with task("later", total=1) as work:
        work.advance()
    assert heard == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_appears_in_a_terminal_once_patience_is_over(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with task("compare", total=2) as work:
        work.advance("LDA, fold 1")
        work.advance("LDA, fold 2")
    assert "compare" in stream.getvalue()


def test_short_work_draws_nothing(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    with task("quick", total=1) as work:
        work.advance()
    assert stream.getvalue() == ""


def test_a_bar_without_events_stops_quietly():
    with Bar() as bar:
        pass
    assert bar.drawing is None
