"""From a formula to a program: scores, stable posteriors, labels and actions."""

from __future__ import annotations

from typing import Any

from ..formula.links import Calibrated, Softmax
from ..formula.parts import Formula
from .families import LARGE, scores_of
from .nodes import ONE, ZERO, Node, Program, choose, clipped, dot, minus, number, over, times, total, unary


def program_of(formula: Formula, centred: bool = False) -> Program:
    """Return the program of a formula.

    Parameters
    ----------
    centred : whether columns are centred before they are weighted, which single precision needs

    Examples
    --------
    >>> from separatrix import LogisticRegression
    >>> from separatrix.artifacts.formula import formula_of
    >>> program = program_of(formula_of(LogisticRegression().fit([[0.0], [1.0], [2.0]], ["a", "b", "b"])))
    >>> program.columns, program.posteriors, [list(stage) for stage in program.stages]
    ({'x0': Read(kind='number', written='')}, ['p0', 'p1'], [['s0'], ['p0', 'p1']])
    """
    program = Program(classes=formula.classes.tolist(), finite=formula.inputs.recipe is not None, model=formula.model, centred=centred)
    scores = scores_of(program, formula.inputs, formula.score)
    program.scores = [score.value for score in scores]
    link, compared = formula.link, scores
    if isinstance(link, Softmax):
        if link.shift is not None:
            compared = program.stage({f"r{i}": total([s, number(d)]) for i, (s, d) in enumerate(zip(scores, link.shift, strict=True))})
        posteriors = _softmax(program, compared, "p")
    elif isinstance(link, Calibrated):
        posteriors = compared = _calibrated(program, scores, link)
    else:
        posteriors = []
    program.posteriors = [p.value for p in posteriors]
    how = "positive" if len(compared) == 1 else "largest"
    program.label = ([score.value for score in compared], program.classes, how)
    if formula.rule is not None and posteriors:
        costs = program.stage({f"c{a}": dot(posteriors, own) for a, own in enumerate(formula.rule.costs.T)})
        program.action = ([cost.value for cost in costs], list(formula.rule.names), "smallest")
    return program


def _softmax(program: Program, scores: list[Node], name: str) -> list[Node]:
    """Return p_k ∝ e^s_k with exponents that overflow nowhere."""
    if len(scores) == 1:
        s = scores[0]
        sides = (clipped(s, -LARGE, LARGE), clipped(times(number(-1.0), s), -LARGE, LARGE))
        return program.stage({f"{name}{k}": over(ONE, total([unary("exp", side), ONE])) for k, side in enumerate(sides)})
    (top,) = program.stage({f"{name}m": Node("largest", tuple(scores))})
    powers = program.stage({f"{name}e{k}": unary("exp", Node("largest", (minus(s, top), number(-LARGE)))) for k, s in enumerate(scores)})
    (whole,) = program.stage({f"{name}t": total(powers)})
    return program.stage({f"{name}{k}": over(power, whole) for k, power in enumerate(powers)})


def _calibrated(program: Program, scores: list[Node], link: Calibrated) -> list[Node]:
    inner = link.inner
    if inner is not None:
        if inner.shift is not None:
            scores = program.stage({f"i{i}": total([s, number(d)]) for i, (s, d) in enumerate(zip(scores, inner.shift, strict=True))})
        scores = _log_odds(program, _softmax(program, scores, "q"), link)
    found = _mapped(program, scores, link)
    if link.odds is None:
        return found
    weighted = program.stage({f"o{k}": times(number(c), p) for k, (c, p) in enumerate(zip(link.odds, found, strict=True))})
    (whole,) = program.stage({"ot": total(weighted)})
    return program.stage({f"ow{k}": over(p, whole) for k, p in enumerate(weighted)})


def _log_odds(program: Program, posteriors: list[Node], link: Calibrated) -> list[Node]:
    """Return what of posteriors goes into the map: log-odds of each class against the others, or logarithms."""
    floored = program.stage({f"u{k}": Node("largest", (p, number(link.floor))) for k, p in enumerate(posteriors)})
    logs = program.stage({f"l{k}": unary("log", p) for k, p in enumerate(floored)})
    if len(logs) == 2:
        return program.stage({"y0": minus(logs[1], logs[0])})
    if link.map.method == "temperature":
        return logs
    others = [unary("log", total(p for i, p in enumerate(floored) if i != k)) for k in range(len(logs))]
    return program.stage({f"y{k}": minus(log, other) for k, (log, other) in enumerate(zip(logs, others, strict=True))})


def _mapped(program: Program, scores: list[Node], link: Calibrated) -> list[Node]:
    own = link.map
    if own.method == "temperature":
        scaled = program.stage({f"h{k}": times(number(own.parameters[0, 0]), s) for k, s in enumerate(scores)})
        return _softmax(program, scaled, "p")
    shares = program.stage({f"m{k}": _one(program, own, s, k) for k, s in enumerate(scores)})
    if len(shares) == 1:
        return program.stage({"p0": minus(ONE, shares[0]), "p1": times(ONE, shares[0])})
    (whole,) = program.stage({"mt": total(shares)})
    none = Node("at_most", (whole, ZERO))  # no class claims the row
    return program.stage({f"p{k}": choose(none, number(1.0 / len(shares)), over(share, whole)) for k, share in enumerate(shares)})


def _one(program: Program, own: Any, s: Node, k: int) -> Node:
    if own.method == "isotonic":
        levels, values = own.parameters[:, own.starts[k] : own.starts[k + 1]]
        return Node("interpolate", (s,), (tuple(levels.tolist()), tuple(values.tolist())))
    a = own.parameters[k].tolist()
    if own.method == "sigmoid":
        z = total([times(number(a[0]), s), number(a[1])])
    else:
        # log σ(f) and −log(1 − σ(f)): max(f, 0) + log(1 + e^−|f|), with exponents that overflow nowhere.
        (soft,) = program.stage({f"b{k}": unary("log1p", unary("exp", clipped(times(number(-1.0), unary("abs", s)), -LARGE, 0.0)))})
        low = total([Node("largest", (times(number(-1.0), s), ZERO)), soft])
        high = total([Node("largest", (s, ZERO)), soft])
        z = total([times(number(-a[0]), low), times(number(a[1]), high), number(a[2])])
    (named,) = program.stage({f"k{k}": clipped(times(number(-1.0), z), -LARGE, LARGE)})
    return over(ONE, total([unary("exp", named), ONE]))
