"""Formulas as LaTeX (amsmath) and as MathML, which browsers draw without any library."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from .expressions import Dec, Frac, Mat, Num, Op, Paren, Root, Row, Sym, Tup, node

LETTERS = {
    "σ": r"\sigma",
    "μ": r"\mu",
    "Σ": r"\Sigma",
    "π": r"\pi",
    "δ": r"\delta",
    "α": r"\alpha",
    "γ": r"\gamma",
    "‖w‖": r"\lVert w\rVert",
}
SIGNS = {
    "−": "-",
    "≈": r"\approx ",
    "≥": r"\ge ",
    "≤": r"\le ",
    "→": r"\to ",
    "∝": r"\propto ",
    "⇒": r"\Rightarrow ",
    "·": r"\cdot ",
    "|": r"\mid ",
    "…": r"\dots ",
    ",": r",\; ",
    "≠": r"\ne ",
    "¦": r"\; ",
}
FUNCTIONS = {"ln", "exp", "det"}
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", **{c: "\\" + c for c in "&%$#_{}"}}
UNICODE = {
    "−": "$-$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "≠": r"$\neq$",
    "Σ": r"$\Sigma$",
    "✓": r"\checkmark{}",
    "✗": r"$\times$",
    "→": r"$\to$",
    "·": r"$\cdot$",
    "±": r"$\pm$",
    "≈": r"$\approx$",
    "×": r"$\times$",
    "½": r"$\tfrac12$",
    "¹": "$^1$",
    "²": "$^2$",
    "⁻": "$^-$",
    "ᵀ": r"$^\top$",
    "‖": r"$\|$",
    "α": r"$\alpha$",
    "γ": r"$\gamma$",
    "δ": r"$\delta$",
    "ε": r"$\varepsilon$",
    "μ": r"$\mu$",
    "π": r"$\pi$",
    "σ": r"$\sigma$",
}


def latex(value: Any) -> str:
    r"""Return a formula as LaTeX for math mode.

    Examples
    --------
    >>> from separatrix.hand.expressions import row
    >>> print(latex(row("w", "=", "S_W^-1", Paren(row("m_2", "−", "m_1")))))
    w = S_{W}^{-1}\left(m_{2} - m_{1}\right)
    """
    match node(value):
        case Sym(name, sub, sup):
            low = f"_{{{_name(sub)}}}" if sub else ""
            high = rf"^{{{_tex_sup(sup)}}}" if sup else ""
            return _name(name) + low + high
        case Op(sign):
            return f" {SIGNS.get(sign, sign)} ".replace("  ", " ") if sign not in "()" else sign
        case Num() as number:
            shown, whole = number.shown
            if whole is None:
                return shown.replace("−", "-").replace("≈", r"\approx ")
            return rf"{'-' if whole < 0 else ''}\tfrac{{{abs(whole.numerator)}}}{{{whole.denominator}}}"
        case Dec() as number:
            digits, power = number.shown
            return digits.replace("−", "-") + ("" if power is None else rf"\cdot 10^{{{power}}}")
        case Mat(rows):
            body = r" \\ ".join(" & ".join(latex(item) for item in line) for line in rows)
            return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"
        case Tup(items):
            return f"({', '.join(latex(item) for item in items)})"
        case Frac(top, bottom):
            return rf"\frac{{{latex(top)}}}{{{latex(bottom)}}}"
        case Paren(inside, sup):
            return rf"\left({latex(inside)}\right)" + (f"^{{{_tex_sup(sup)}}}" if sup else "")
        case Root(inside):
            return rf"\sqrt{{{latex(inside)}}}"
        case Row(items):
            return "".join(latex(item) for item in items).strip().replace("  ", " ")
    raise TypeError(f"{value!r} is no part of a formula")


def _name(name: str) -> str:
    if name in LETTERS:
        return LETTERS[name] + (" " if name != "‖w‖" else "")
    if name in FUNCTIONS:
        return rf"\{name} "
    plain = name.replace("−", "-")
    if len(plain) == 1 or plain.lstrip("-").isdigit():
        return plain
    return rf"\text{{{tex_text(name)}}}"


def _tex_sup(sup: str) -> str:
    return r"\top" if sup == "T" else sup.replace("−", "-")


def tex_text(words: str) -> str:
    r"""Return words with everything escaped that LaTeX would take for a command.

    Examples
    --------
    >>> print(tex_text("50 % of x_1"))
    50 \% of x\_1
    """
    letters = "".join(SPECIAL.get(letter, UNICODE.get(letter, letter)) for letter in words)
    # Two formulas side by side are one: $$ would begin a display.
    return re.sub(r"(?<!\\)\$\$", "", letters)


def mathml(value: Any) -> str:
    """Return a formula as MathML, without the <math> around it.

    Examples
    --------
    >>> mathml("m_1")
    '<msub><mi>m</mi><mn>1</mn></msub>'
    """
    match node(value):
        case Sym(name, sub, sup):
            base, low, high = f"<mi>{escape(name)}</mi>", _small(sub), _small(_sup(sup))
            if sub and sup:
                return f"<msubsup>{base}{low}{high}</msubsup>"
            return f"<msub>{base}{low}</msub>" if sub else f"<msup>{base}{high}</msup>" if sup else base
        case Op(sign):
            return "<mspace width='0.5em'/>" if sign == "¦" else f"<mo>{escape(sign)}</mo>"
        case Num() as number:
            shown, whole = number.shown
            if whole is None:
                return f"<mn>{shown}</mn>"
            sign = "<mo>−</mo>" if whole < 0 else ""
            return f"<mrow>{sign}<mfrac><mn>{abs(whole.numerator)}</mn><mn>{whole.denominator}</mn></mfrac></mrow>"
        case Dec() as number:
            digits, power = number.shown
            ten = "" if power is None else f"<mo>·</mo><msup><mn>10</mn><mn>{str(power).replace('-', '−')}</mn></msup>"
            return f"<mrow><mn>{digits}</mn>{ten}</mrow>"
        case Mat(rows):
            body = "".join("<mtr>" + "".join(f"<mtd>{mathml(item)}</mtd>" for item in line) + "</mtr>" for line in rows)
            return f"<mrow><mo>(</mo><mtable>{body}</mtable><mo>)</mo></mrow>"
        case Tup(items):
            return f"<mrow><mo>(</mo>{'<mo>,</mo>'.join(mathml(item) for item in items)}<mo>)</mo></mrow>"
        case Frac(top, bottom):
            return f"<mfrac><mrow>{mathml(top)}</mrow><mrow>{mathml(bottom)}</mrow></mfrac>"
        case Paren(inside, sup):
            held = f"<mrow><mo>(</mo>{mathml(inside)}<mo>)</mo></mrow>"
            return f"<msup>{held}{_small(_sup(sup))}</msup>" if sup else held
        case Root(inside):
            return f"<msqrt>{mathml(inside)}</msqrt>"
        case Row(items):
            return f"<mrow>{''.join(mathml(item) for item in items)}</mrow>"
    raise TypeError(f"{value!r} is no part of a formula")


def _sup(sup: str) -> str:
    return "⊤" if sup == "T" else sup.replace("-", "−")


def _small(text: str) -> str:
    return f"<mn>{escape(text)}</mn>" if text.lstrip("−").isdigit() else f"<mi>{escape(text)}</mi>"
