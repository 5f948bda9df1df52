"""A report as a file: written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..argument_types import check_arguments
from ..errors import InputError
from ..storage.atomic import atomic_file, path_text

if TYPE_CHECKING:
    from ..artifacts.contents import Contents
    from ..selection.board import Board


def write_board_report(board: Board, path: str | os.PathLike[str], *, title: str | None = None, include_rows: bool = False) -> Path:
    """Write the report of a comparison as one HTML file, and return its path; called as `board.report(path)`.

    Parameters
    ----------
    board : what `compare` returned
    path : of the file, ending in .html; a failed write leaves the old file
    title : of the report; default: what is predicted
    include_rows : whether the values of misjudged rows stand in the file; else their numbers do
    """
    check_arguments(write_board_report, locals())
    target = html_path(path)
    from .figures import figures_of
    from .findings import Findings
    from .rendering import rendered
    from .report_facts import facts_of_board

    found = Findings.of_board(board)
    return write_page(rendered(facts_of_board(found, title, include_rows, target.name), figures_of(found)), target)


def write_file_report(
    contents: Contents,
    table: Any,
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
    title: str | None = None,
    include_rows: bool = False,
    command: str = "",
) -> Path:
    """Write the report of a model file on a labelled table, and return its path.

    Rows that the model was trained on are known by the hash of their table, and nothing is counted from them.

    Parameters
    ----------
    contents : what `artifacts.contents.read(path)` returned
    table : frame with the columns that the model reads, and the labels
    path : of the report, ending in .html
    target : column of the labels; default: that of the fit
    title : of the report; default: what is predicted
    include_rows : whether the values of misjudged rows stand in the file
    command : that makes the report again
    """
    target_path = html_path(path)
    from .figures import figures_of
    from .file_facts import facts_of_file, findings_of_file
    from .rendering import rendered

    found = findings_of_file(contents, table, target)
    return write_page(rendered(facts_of_file(found, contents, title, include_rows, command), figures_of(found)), target_path)


def html_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a report, which ends in .html.

    Examples
    --------
    >>> html_path("churn.pdf")
    Traceback (most recent call last):
    ...
    separatrix.errors.InputError: 'churn.pdf' is no HTML file; name the report churn.html.
    """
    found = Path(path_text(path))
    if found.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{str(found)!r} is no HTML file; name the report {found.with_suffix('.html').name}.")
    return found


def write_page(page: str, target: Path) -> Path:
    """Write a page; letters that are none (lone surrogates) become question marks."""
    with atomic_file(target) as file:
        file.write(page.encode("utf-8", "replace"))
    return target
