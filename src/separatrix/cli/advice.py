"""What to type, as the command line has it: alerts advise in Python, and the options of commands say the same."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable

from ..alerts import Alert

NAMES = r"\[(?P<names>'(?:[^'\\]|\\.)*'(?:, '(?:[^'\\]|\\.)*')*|\"[^\"]*\"(?:, \"[^\"]*\")*)\]"
PAIR = r"\{(?P<column>'(?:[^'\\]|\\.)*'|\"[^\"]*\"): '(?P<kind>\w+)'\}"


def _each(option: str) -> Callable[[re.Match[str]], str]:
    return lambda found: " ".join(f"{option} {shlex.quote(name)}" for name in ast.literal_eval(f"[{found['names']}]"))


OPTIONS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(rf"(?:TablePrep\()?keep={NAMES}\)?"), _each("--keep")),
    (re.compile(rf"(?:frame\.drop\(columns=|drop=){NAMES}\)?"), _each("--drop")),
    (re.compile(r"frame\.drop\(columns=\[…\]\)"), lambda found: "--drop COLUMN"),
    (re.compile(rf"kinds={PAIR}"), lambda found: "--kind " + shlex.quote(f"{ast.literal_eval(found['column'])}={found['kind']}")),
    (re.compile(r"metric='(?P<metric>\w+)'"), lambda found: f"--metric {found['metric']}"),
    (re.compile(r"plan=KFold\((?P<folds>\d+)\)"), lambda found: f"--folds {found['folds']}"),
)
"""Ways to say it in Python, and what stands for them on the command line."""


def as_typed(text: str) -> str:
    """Return advice with options in place of Python's arguments; what no option does stays as it is.

    Examples
    --------
    >>> as_typed("To keep it: keep=['customer id'].")
    "To keep it: --keep 'customer id'."
    >>> as_typed("As a category: kinds={'zip': 'category'}.")
    'As a category: --kind zip=category.'
    """
    for pattern, option in OPTIONS:
        text = pattern.sub(option, text)
    return text


def alert_line(alert: Alert) -> str:
    """Return an alert as a line of a command's output.

    Examples
    --------
    >>> alert_line(Alert("SPX002", "site", "Column 'site' has one value.", "It is left out.", "To keep it: keep=['site'].", "note"))
    "note: SPX002 Column 'site' has one value. It is left out. To keep it: --keep site."
    """
    return f"{alert.severity}: {alert.code} {alert.seen} {alert.why} {as_typed(alert.do)}"
