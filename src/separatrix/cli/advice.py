"""What to type, as the command line has it: alerts advise in Python, and the options of commands say the same."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ..alerts import Alert
from ..errors import InputError

NAMES = r"\[(?P<names>'(?:[^'\\]|\\.)*'(?:, '(?:[^'\\]|\\.)*')*|\"[^\"]*\"(?:, \"[^\"]*\")*)\]"
PAIR = r"\{(?P<column>'(?:[^'\\]|\\.)*'|\"[^\"]*\"): '(?P<kind>\w+)'\}"


def _each(option: str) -> Callable[[re.Match[str]], str]:
    return lambda found: " ".join(f"{option} {shlex.quote(str(name))}" for name in ast.literal_eval(f"[{found['names']}]"))


OPTIONS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(rf"(?:TablePrep\()?keep={NAMES}\)?"), _each("--keep")),
    (re.compile(rf"(?:frame\.drop\(columns=|drop=){NAMES}\)?"), _each("--drop")),
    (re.compile(r"frame\.drop\(columns=\[…\]\)"), lambda found: "--drop COLUMN"),
    (re.compile(rf"kinds={PAIR}"), lambda found: "--kind " + shlex.quote(f"{ast.literal_eval(found['column'])}={found['kind']}")),
    (re.compile(r"metric='(?P<metric>\w+)'"), lambda found: f"--metric {found['metric']}"),
    (re.compile(r"plan=KFold\((?P<folds>\d+)\)"), lambda found: f"--folds {found['folds']}"),
)
"""Ways to say it in Python, and what stands for them on the command line."""
SUMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(rf"(?<!\()columns={NAMES}"), _each("--columns")),
    (re.compile(r"(?<!\()columns=\[…\]"), lambda found: "--columns COLUMN"),
    (re.compile(r", or let TablePrep make numbers of all columns: make_pipeline\(TablePrep\(\), model\)"), lambda found: ""),
    (re.compile(r", fill them in, or have it done: make_pipeline\(TablePrep\(\), model\)"), lambda found: ", or fill them in"),
    (re.compile(r"partial_fit\(X, y, classes=\[…\]\) at the first call, or open_table\(…, classes=\[…\]\)"), lambda found: "--class LABEL"),
    (re.compile(rf"open_table\(…, classes={NAMES}\)"), _each("--class")),
    (re.compile(r"open_table\(…, classes=\[(?P<names>[^\]]*)\]\)"), _each("--class")),
)
"""The same for commands that take numbers as they are, where columns and classes are named by options."""


def as_typed(text: str, options: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = OPTIONS) -> str:
    """Return advice with options in place of Python's arguments; what no option does stays as it is.

    Examples
    --------
    >>> as_typed("To keep it: keep=['customer id'].")
    "To keep it: --keep 'customer id'."
    >>> as_typed("As a category: kinds={'zip': 'category'}.")
    'As a category: --kind zip=category.'
    >>> as_typed("Pass columns=[…], for instance columns=['age', 'pages'].", SUMS)
    'Pass --columns COLUMN, for instance --columns age --columns pages.'
    """
    for pattern, option in options:
        text = pattern.sub(option, text)
    return text


@contextmanager
def summing() -> Iterator[None]:
    """Let errors of the work inside advise with the options of commands that sum."""
    try:
        yield
    except InputError as error:
        raise InputError(as_typed(str(error), SUMS)) from error


def alert_line(alert: Alert) -> str:
    """Return an alert as a line of a command's output.

    Examples
    --------
    >>> alert_line(Alert("SPX002", "site", "Column 'site' has one value.", "It is left out.", "To keep it: keep=['site'].", "note"))
    "note: SPX002 Column 'site' has one value. It is left out. To keep it: --keep site."
    """
    return f"{alert.severity}: {alert.code} {alert.seen} {alert.why} {as_typed(alert.do)}"
