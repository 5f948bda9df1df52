"""A worked example: numbered steps of sentences, formulas and tables, as text, Markdown, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from textwrap import fill
from typing import Any

from ..notebook import view
from .expressions import Node, box, node, text
from .markup import latex, mathml, tex_text

WIDTH = 96
"""Letters of a line of text."""


@dataclass(frozen=True)
class Grid:
    """A table: heads and cells are words or formulas of one line."""

    heads: tuple[Any, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Step:
    """A title, a sentence of what is done and why, and its sentences, formulas and tables in order."""

    title: str
    why: str
    parts: tuple[Any, ...] = ()


@dataclass(frozen=True, repr=False, eq=False)
class Worked:
    """A calculation written out.

    Attributes
    ----------
    title : str
    steps : tuple of Step
    result : dict of the exact numbers found, by name
    text, markdown, latex, html : the whole calculation
    """

    title: str
    steps: tuple[Step, ...]
    result: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The calculation in fixed-width letters."""
        parts = [f"{self.title}\n{'=' * len(self.title)}"]
        for number, step in enumerate(self.steps, 1):
            parts.append(f"Step {number}.  {step.title}\n{fill(step.why, WIDTH)}")
            parts += [_text_part(part) for part in step.parts]
        return "\n\n".join(parts)

    @property
    def markdown(self) -> str:
        """The calculation as Markdown with LaTeX formulas, as notebooks and most sites show it."""
        parts = [f"# {_md(self.title)}"]
        for number, step in enumerate(self.steps, 1):
            parts += [f"## Step {number}. {_md(step.title)}", _md(step.why)]
            parts += [_markdown_part(part) for part in step.parts]
        return "\n\n".join(parts)

    @property
    def latex(self) -> str:
        r"""The calculation as a fragment of LaTeX (amsmath, amssymb), to be put between \begin{document} and \end{document}."""
        parts = [rf"\section*{{{tex_text(self.title)}}}"]
        for number, step in enumerate(self.steps, 1):
            parts.append(f"\\subsection*{{Step {number}. {tex_text(step.title)}}}\n{tex_text(step.why)}")
            parts += [_latex_part(part) for part in step.parts]
        return "\n\n".join(parts)

    @property
    def html(self) -> str:
        """The calculation as one HTML element with MathML formulas; names and labels are escaped."""
        parts = [f"<section><h2>{escape(self.title)}</h2><ol>"]
        for step in self.steps:
            body = "".join(_html_part(part) for part in step.parts)
            parts.append(f"<li><h3>{escape(step.title)}</h3><p>{escape(step.why)}</p>{body}</li>")
        return "".join([*parts, "</ol></section>"])

    def _repr_html_(self) -> str:
        return view(self.html)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def _is_formula(cell: Any) -> bool:
    return isinstance(cell, Node) or not isinstance(cell, str)


def _line(cell: Any) -> str:
    return box(node(cell)).lines[0].strip() if _is_formula(cell) else str(cell)


def _text_part(part: Any) -> str:
    if isinstance(part, str):
        return fill(part, WIDTH)
    if not isinstance(part, Grid):
        return "\n".join(f"    {line}".rstrip() for line in text(part).splitlines())
    cells = [[_line(cell) for cell in line] for line in (part.heads, *part.rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    left = [all(not _is_formula(line[j]) for line in part.rows) for j in range(len(widths))]
    lines = ["  ".join(c.ljust(w) if keep else c.rjust(w) for c, w, keep in zip(line, widths, left)).rstrip() for line in cells]
    rule = "  ".join("─" * width for width in widths)
    return "\n".join(f"    {line}" for line in [lines[0], rule, *lines[1:]])


def _markdown_part(part: Any) -> str:
    if isinstance(part, str):
        return _md(part)
    if not isinstance(part, Grid):
        return f"$$\n{latex(part)}\n$$"
    cells = [[f"${latex(c)}$" if _is_formula(c) else _md(c) for c in line] for line in (part.heads, *part.rows)]
    lines = [f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in cells]
    return "\n".join([lines[0], "|" + " --- |" * len(part.heads), *lines[1:]])


def _latex_part(part: Any) -> str:
    if isinstance(part, str):
        return tex_text(part)
    if not isinstance(part, Grid):
        return f"\\[\n{latex(part)}\n\\]"
    cells = [[f"${latex(c)}$" if _is_formula(c) else tex_text(c) for c in line] for line in (part.heads, *part.rows)]
    head, *body = [" & ".join(line) + r" \\" for line in cells]
    form = "r" * len(part.heads)
    return "\n".join([rf"\begin{{center}}\begin{{tabular}}{{{form}}}", head, r"\hline", *body, r"\end{tabular}\end{center}"])


def _html_part(part: Any) -> str:
    if isinstance(part, str):
        return f"<p>{escape(part)}</p>"
    if not isinstance(part, Grid):
        return f'<math display="block" style="margin:.6em 0">{mathml(part)}</math>'
    sides = ["right" if any(_is_formula(line[j]) for line in part.rows) else "left" for j in range(len(part.heads))]
    styles = [f'style="text-align:{side};padding:.15em .6em"' for side in sides]
    heads = "".join(f'<th scope="col" {style}>{_html_cell(cell)}</th>' for cell, style in zip(part.heads, styles))
    lines = ("".join(f"<td {style}>{_html_cell(cell)}</td>" for cell, style in zip(line, styles)) for line in part.rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(cell: Any) -> str:
    return f"<math>{mathml(cell)}</math>" if _is_formula(cell) else escape(cell)


def _md(words: str) -> str:
    """Escape what Markdown would take for markup."""
    return "".join("\\" + letter if letter in "*_`<>[]$\\" else letter for letter in words)
