"""Scores of every family as expressions of the numbers, or of the columns, that they are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...array_types import Floats
from ...errors import InputError
from ...prepare.cleaned_columns import ANOTHER, READ
from ...prepare.steps import Category, Dates, Numbers, Ordered
from ..formula.inputs import Inputs
from ..formula.scores import AgainstRest, Categories, Counted, Diagonal, Duels, Linear, Margin, Mixed, Quadratic, Scores, Voted
from .nodes import NOTHING, ZERO, Node, Program, as_number, choose, clipped, dot, minus, number, over, square, times, total, unary
from .steps import TableProgram, single

MOST_VOTES = 5_000
"""Weights of a voted perceptron that are written out."""
LARGE = 700.0
"""Exponents are held within ±LARGE: e^±700 is a double in every database, and beyond it a posterior is 0 or 1 to 300 digits."""


def scores_of(program: Program, inputs: Inputs, score: Scores, name: str = "s") -> list[Node]:
    """Add the scores of a formula to a program, and return them by name."""
    if isinstance(score, Mixed):
        return _staged(program, _mixed(program, inputs, score), name)
    if isinstance(score, AgainstRest | Duels):
        return _machines(program, inputs, score)
    if isinstance(score, Linear) and inputs.recipe is not None:
        coef, intercept = _unstandardised(inputs, score)
        table = TableProgram(program, inputs.recipe)
        found = table.linear(coef, intercept)
        table.close()
        return _staged(program, found, name)
    features = _features(program, inputs)
    if isinstance(score, Linear) and program.centred and inputs.centre is not None:
        centre = single(inputs.centre)
        features = program.stage({f"n{j}": minus(x, number(m)) for j, (x, m) in enumerate(zip(features, centre, strict=True))})
        score = Linear(score.coef, score.intercept + score.coef @ centre)
    return _staged(program, _of_numbers(program, features, score, name), name)


def _staged(program: Program, nodes: Sequence[Node], name: str) -> list[Node]:
    return program.stage({f"{name}{r}": node for r, node in enumerate(nodes)})


def _unstandardised(inputs: Inputs, score: Linear) -> tuple[Floats, Floats]:
    """Return the same scores of numbers that were not standardised."""
    if inputs.scale is None:
        return score.coef, score.intercept
    coef = score.coef / inputs.scale
    return coef, score.intercept if inputs.mean is None else score.intercept - coef @ inputs.mean


def _features(program: Program, inputs: Inputs) -> list[Node]:
    """Return the numbers that scores are computed from, by name where they are more than a column."""
    if inputs.recipe is None:
        return [program.read(name) for name in inputs.names]
    table = TableProgram(program, inputs.recipe)
    found = table.features()
    table.close()
    if inputs.scale is not None:
        shift = np.zeros(len(found)) if inputs.mean is None else inputs.mean
        found = [times(number(1.0 / s), minus(z, number(m))) for z, m, s in zip(found, shift.tolist(), inputs.scale.tolist(), strict=True)]
    return program.stage({f"n{j}": node for j, node in enumerate(found)})


def _of_numbers(program: Program, features: list[Node], score: Scores, name: str) -> list[Node]:
    if isinstance(score, Linear):
        return [dot(features, weights, constant) for weights, constant in zip(score.coef, score.intercept.tolist(), strict=True)]
    if isinstance(score, Diagonal):
        return _diagonal(program, features, score, name)
    if isinstance(score, Quadratic):
        return _quadratic(program, features, score, name)
    if isinstance(score, Counted):
        return _counted(features, score)
    if isinstance(score, Categories):
        return _categories(features, score)
    if isinstance(score, Voted):
        return _voted(program, features, score, name)
    assert isinstance(score, Margin)
    return _margin(program, _of_numbers(program, features, score.machine, f"{name}i"), score, name)


def _diagonal(program: Program, features: list[Node], score: Diagonal, name: str) -> list[Node]:
    places = [(k, j) for k in range(len(score.means)) for j in range(len(features))]
    away = program.stage({f"{name}d{k}_{j}": minus(features[j], number(score.means[k, j])) for k, j in places})
    squares = [square(d) for d in away]
    p = len(features)
    return [
        dot(squares[k * p : (k + 1) * p], -0.5 * precision, offset)
        for k, (precision, offset) in enumerate(zip(score.precision, score.offset.tolist(), strict=True))
    ]


def _quadratic(program: Program, features: list[Node], score: Quadratic, name: str) -> list[Node]:
    if score.bases is None:
        raise InputError(
            "This quadratic discriminant was fitted on fewer rows than columns, and its covariances are held in the span of these rows; "
            "no export writes them out. Fit with fewer columns, or use LinearDiscriminantAnalysis."
        )
    centre = score.means.mean(axis=0)  # first: else large means would cost digits
    away = program.stage({f"{name}c{j}": minus(x, number(m)) for j, (x, m) in enumerate(zip(features, centre, strict=True))})
    whitened: dict[str, Node] = {}
    for k, (basis, mean) in enumerate(zip(score.bases, score.means - centre, strict=True)):
        whitened |= {f"{name}w{k}_{r}": dot(away, basis[:, r], -float(mean @ basis[:, r])) for r in range(basis.shape[1])}
    squares, p = [square(z) for z in program.stage(whitened)], score.bases.shape[2]
    return [dot(squares[k * p : (k + 1) * p], np.full(p, -0.5), offset) for k, offset in enumerate(score.offset.tolist())]


def _require_plain(score: Any) -> None:
    if not score.is_plain:
        raise InputError(
            "With alpha=0, or a prior of 0, this naive Bayes rules classes out by counting probabilities of zero, which no export does; "
            "fit with alpha > 0 and positive priors."
        )


def _counted(features: list[Node], score: Counted) -> list[Node]:
    _require_plain(score)
    found = []
    offset = np.zeros_like(score.coef) if score.offset is None else score.offset
    for weights, gaps, constant in zip(score.coef, offset, score.intercept.tolist(), strict=True):
        terms = [_count(score, x, float(w), float(g)) for x, w, g in zip(features, weights, gaps, strict=True)]
        found.append(total([number(constant), *terms]))
    return found


def _count(score: Counted, x: Node, w: float, gap: float) -> Node:
    if score.rule.threshold is not None:
        value = choose(Node("less", (number(score.rule.threshold), x)), number(w), ZERO)
    elif score.rule.switches:
        value = Node("numbered", (x,), (((0.0, 0.0), (1.0, w)), None, None))
    else:
        value = choose(Node("at_most", (ZERO, x)), times(number(w), x), NOTHING) if score.rule.nonnegative else times(number(w), x)
    return choose(unary("present", x), value, number(-gap) if score.rule.skip_missing else NOTHING)


def _categories(features: list[Node], score: Categories) -> list[Node]:
    _require_plain(score)
    found = []
    for logs, prior in zip(score.logs, score.prior.tolist(), strict=True):
        terms = [number(prior)]
        for x, low, high in zip(features, score.starts[:-1].tolist(), score.starts[1:].tolist(), strict=True):
            cells = tuple((float(c), float(value)) for c, value in enumerate(logs[low:high]))
            terms.append(Node("numbered", (x,), (cells, 0.0, 0.0 if score.skip_missing else None)))
        found.append(total(terms))
    return found


def _mixed(program: Program, inputs: Inputs, score: Mixed) -> list[Node]:
    """Return the sums over columns of their log-likelihoods; columns come as a recipe cleans them, or as they are."""
    _require_plain(score)
    columns = _cleaned(program, inputs, score)
    K, skip = len(score.prior), ZERO if score.skip_missing else NOTHING
    terms: list[list[Node]] = [[number(prior)] for prior in score.prior.tolist()]
    for place, j in enumerate(score.layout.of("gaussian")):
        x = columns[j][0]
        for k in range(K):
            m, v = float(score.theta[k, place]), float(score.variance[k, place])
            away = minus(x, number(m))
            value = total([times(number(-0.5 / v), Node("product", (away, away))), number(-0.5 * np.log(2.0 * np.pi * v))])
            terms[k].append(choose(unary("present", x), value, skip))
    for place, j in enumerate(score.layout.of("bernoulli", "poisson", "multinomial")):
        x = columns[j][0]
        for k in range(K):
            value = total([times(number(score.counted.coef[k, place]), x), number(score.counted.offset[k, place])])
            terms[k].append(choose(unary("present", x), value, skip))
    starts = score.categorical.counts.starts
    for place, j in enumerate(score.layout.of("categorical")):
        names = score.categorical.counts.names(place)
        for k in range(K):
            logs = score.categorical.logs[k, starts[place] : starts[place + 1]].tolist()
            terms[k].append(_category(columns[j], dict(zip(names, logs, strict=True)), 0.0 if score.skip_missing else None))
    return [total(own) for own in terms]


def _category(read: tuple[Node, Any], logs: dict[Any, float], gap: float | None) -> Node:
    x, step = read
    if not isinstance(step, Category):
        if all(isinstance(level, float) for level in logs):
            return Node("numbered", (x,), (tuple(logs.items()), 0.0, gap))
        return Node("lookup", (x,), (tuple(logs.items()), 0.0, gap))
    known = {level: logs.get(level, 0.0) for level in (step.reference, *step.levels, *step.shared)}
    return Node("lookup", (x,), (tuple(known.items()), logs.get(ANOTHER, 0.0), gap))


def _cleaned(program: Program, inputs: Inputs, score: Mixed) -> list[tuple[Node, Any]]:
    """Return the columns, each with the step that cleans it."""
    if inputs.recipe is None:
        kinds: Any = ["text" if text else "number" for text in score.layout.text]
        return [(program.read(name, kind), None) for name, kind in zip(inputs.names, kinds, strict=True)]
    if not inputs.as_columns:  # the numbers that the recipe makes of them
        return [(x, None) for x in _features(program, inputs)]
    table = TableProgram(program, inputs.recipe)
    found: list[tuple[Node, Any]] = []
    for step in (step for step in inputs.recipe.steps if isinstance(step, READ)):
        if isinstance(step, Numbers):
            found.append((table.number(step), step))
        elif isinstance(step, Dates):
            found.append((table.days(step), step))
        elif isinstance(step, Ordered):
            found.append((table.of_step(step)[0], step))
        else:
            found.append((table.text(step), step))
    return found


def _voted(program: Program, features: list[Node], score: Voted, name: str) -> list[Node]:
    ballots = score.ballots
    if len(ballots.start) > 1 or len(ballots.survived) > MOST_VOTES:
        raise InputError(
            f"This voted perceptron has {len(ballots.survived):,} weights of {max(2, len(ballots.start))} classes, each with votes of its "
            f"own; exports write out up to {MOST_VOTES:,} weights of two classes. Use AveragedPerceptron, which has one."
        )
    weights = ballots.weights()
    own = program.stage({f"{name}v{t}": dot(features, w[:-1], float(w[-1])) for t, w in enumerate(weights)})
    signs = [choose(Node("less", (ZERO, f)), number(1.0), number(-1.0)) for f in own]
    return [dot(signs, ballots.survived / ballots.survived.sum())]


def _margin(program: Program, scores: list[Node], score: Margin, name: str) -> list[Node]:
    named = program.stage({f"{name}m{r}": node for r, node in enumerate(scores)})
    difference = named[0] if len(named) == 1 else minus(named[1], named[0])
    if not score.is_posterior:
        return [difference]
    (own,) = program.stage({f"{name}x": clipped(times(number(-1.0), difference), -LARGE, LARGE)})
    return [minus(over(number(1.0), total([unary("exp", own), number(1.0)])), number(0.5))]


def _machines(program: Program, inputs: Inputs, score: AgainstRest | Duels) -> list[Node]:
    features = _features(program, inputs)
    found = []
    for i, machine in enumerate(score.machines):
        if isinstance(machine, Mixed) or (isinstance(machine, Margin) and isinstance(machine.machine, Mixed)):
            raise InputError("Machines of MixedNB read columns of several kinds and have no export; use machines of numbers.")
        (own,) = _of_numbers(program, features, machine, f"g{i}")
        found.append(own)
    claims = program.stage({f"g{i}": node for i, node in enumerate(found)})
    if isinstance(score, AgainstRest):
        sized = [times(number(1.0 / size), claim) for claim, size in zip(claims, score.size.tolist(), strict=True)]
        return _staged(program, sized if score.n_classes == 2 or len(sized) == score.n_classes else [*sized, ZERO], "s")
    return _staged(program, claims if score.n_classes == 2 else _duels(program, claims, score.n_classes), "s")


def _duels(program: Program, claims: list[Node], K: int) -> list[Node]:
    won: list[list[Node]] = [[] for _ in range(K)]
    sums: list[list[Node]] = [[] for _ in range(K)]
    for (i, j), g in zip(combinations(range(K), 2), claims, strict=True):
        won[j].append(as_number(Node("less", (ZERO, g))))
        won[i].append(as_number(Node("at_most", (g, ZERO))))
        sums[j].append(g)
        sums[i].append(times(number(-1.0), g))
    totals = program.stage({f"t{k}": total(own) for k, own in enumerate(sums)})
    return [total([*won[k], over(times(number(1.0 / 3.0), t), total([unary("abs", t), number(1.0)]))]) for k, t in enumerate(totals)]
