"""Newton's direction by preconditioned conjugate gradients: products with the Hessian, never the Hessian. X d adds up on the way."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal

from ...array_types import Floats
from ...losses import CrossEntropy
from ..stopping import GAP_SHARE, still_to_gain
from . import class_blocks
from .constant_direction import ConstantDirection
from .heavy_block import HeavyBlock, cost_of_products, factored, worth
from .single_products import is_apart
from .system import Point, System

NEAR, ENOUGH = 1e-2, 0.3
"""Estimated gap, as a share of f, below which a step goes for the tolerance; and the share of the gap asked that it leaves."""
LEFT_SPARSE, LEFT_DENSE = 0.9, 0.3
"""Share of tol that a last step leaves of the gradient. Dense columns may lie far from 0, where M says little of what is left to gain."""
NEARER = 0.03
"""Share of the gradient that such a step leaves at least."""
INNER = 2_000
"""Most products within one step; twice HOPELESS where a block may make the next one short."""
HOPELESS = 250
"""Products of one direction above which a diagonal is not enough; texts with next to no penalty need 200."""
MANY, CARE = 30, 5.0
"""Products above which conjugate gradients are slow, and the factor by which their gains then understate what is left."""
BELIEVED = 20
"""Products before a direction near the minimum is believed where a block was needed: what is left lies outside it, and comes late."""
LEFT_SLOW = 1e-2
"""Share of a direction's gain that it may then miss."""

Direction = tuple[Floats, Floats, Floats, float, float]
"""d, its intercept part, X d + d_c, ½ g'd, and what of that gain the direction misses."""
ELSEWHERE = 1e300
"""Diagonal of the coefficients whose part of the preconditioner is not diagonal."""


@dataclass(slots=True, eq=False)
class Lanczos:
    """The tridiagonal matrix that conjugate gradients make of the preconditioned Hessian: its least eigenvalue is near the Hessian's."""

    diagonal: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)
    last: tuple[float, float] = (1.0, 0.0)

    def add(self, alpha: float, beta: float) -> None:
        """Add a step of length α, after which residuals are β times as large, squared."""
        before, turned = self.last
        self.diagonal.append(1.0 / alpha + turned / before)
        self.beside.append(float(np.sqrt(beta)) / alpha)
        self.last = alpha, beta

    def least(self) -> float:
        """Return the least eigenvalue.

        Examples
        --------
        >>> lanczos, H = Lanczos(), np.diag([1.0, 4.0])
        >>> d, r = np.ones(2), np.ones(2)
        >>> for _ in range(2):
        ...     alpha = float(r @ r / (d @ H @ d))
        ...     new = r - alpha * H @ d
        ...     lanczos.add(alpha, float(new @ new / (r @ r)))
        ...     d, r = new + float(new @ new / (r @ r)) * d, new
        >>> round(lanczos.least(), 9)
        1.0
        """
        if not np.isfinite(self.diagonal).all():
            return np.inf
        found = float(eigvalsh_tridiagonal(self.diagonal, self.beside[:-1], select="i", select_range=(0, 0))[0])
        return max(found, 0.0)


@dataclass(slots=True, eq=False)
class Scales:
    """The preconditioner M/λ = 1 + a h, a (p, 1) or (p, R), h (R,), that of the intercepts (R,), and of some pairs a block."""

    a: Floats
    h: Floats
    hc: Floats
    ridge: float
    block: HeavyBlock | class_blocks.ClassBlocks | None = None

    def take(self, block: HeavyBlock | class_blocks.ClassBlocks | None) -> None:
        """Leave the pairs of a block to it."""
        self.block = block
        if block is not None:
            self.a.ravel()[block.pairs] = ELSEWHERE

    def solved(self, r: Floats) -> Floats:
        """Return λM⁻¹r (m,) on the pairs of the block."""
        return np.empty(0) if self.block is None else self.ridge * self.block.solve(r)

    def add(self, part: Floats, p: Floats) -> None:
        """Add what `solved` has to p (p, R)."""
        if self.block is not None:
            p.ravel()[self.block.pairs] += part

    def along(self, part: Floats, r: Floats) -> float:
        """Return what `solved` has along r (p, R)."""
        return 0.0 if self.block is None else float(part @ r.ravel()[self.block.pairs])

    def inverse(self, r: Floats, rc: Floats) -> tuple[Floats, Floats]:
        """Return λM⁻¹r (p, R) and of the intercepts (R,)."""
        z = r / (1.0 + self.a * self.h)
        self.add(self.solved(r), z)
        return z, rc / self.hc


def preconditioner(system: System, point: Point) -> Scales:
    """Return the preconditioner: M/λ = 1 + squares_j h_k/λ, h_k the mean curvature of score k; once directions have been slow, the
    diagonal of the Hessian itself, which costs a product. Rows all but certain have next to no curvature, and columns may be theirs alone.
    """
    h = system.mean_diagonal(point.P)
    hc = np.maximum(h / system.ridge, 1e-300) if system.problem.fit_intercept else np.ones_like(h)
    if not system.is_slow:
        return Scales(system.squares[:, None] / system.ridge, h, hc, system.ridge)
    system.passes += 1
    a = system.products.squares_times(system.diagonal(point.P)) / (system.problem.total * system.ridge)
    scales = Scales(a, np.ones_like(h), hc, system.ridge)
    scales.take(system.block)
    return scales


def strengthened(system: System, point: Point) -> bool:
    """Whether the last direction was so slow that exact Hessians are worth their price, now factored: those of the heaviest coefficients of
    sparse rows, and those of each class of dense ones.
    """
    if not isinstance(system.loss_function, CrossEntropy):
        return False
    if not system.products.is_sparse:
        if not class_blocks.worth(system, system.last):
            return False
        system.block, system.is_slow, system.flattest = class_blocks.ClassBlocks.at(system, point), True, 1.0
        return True
    if not (system.block is not None or system.longest > HOPELESS):
        return False
    P, s = point.P, system.weight
    bent = P * (1.0 - P) if s.size == 0 else s[:, None] * P * (1.0 - P)
    pairs = worth(system, system.products.squares_times(bent) / (system.problem.total * system.ridge), system.spent)
    if pairs is None:
        return False
    system.block, system.longest, system.flattest = factored(system, point, pairs), 0, 1.0
    return True


def norm(point: Point, scales: Scales) -> float:
    """Return √(g'M⁻¹g), in the units of M/λ."""
    z, zc = scales.inverse(point.g, point.gc)
    return float(np.sqrt(np.vdot(point.g, z) + point.gc @ zc))


def direction(system: System, point: Point, scales: Scales, forcing: float) -> Direction:
    """Return d ≈ H⁻¹g by preconditioned conjugate gradients."""
    problem, scale, hc = system.problem, (scales.a, scales.h), scales.hc
    lam = system.ridge
    d, dc = np.zeros_like(point.W), np.zeros_like(point.c)
    r, rc = point.g.copy(), point.gc.copy()
    p, pc, Hp = np.zeros_like(r), np.zeros_like(rc), np.empty_like(r)
    system.turn(0.0, r, scale, p)
    scales.add(scales.solved(r), p)
    pc = rc / hc
    rz = float(np.vdot(r, p) + rc @ pc)
    # ½ r'M⁻¹r estimates what the quadratic model would still gain: beyond the gap asked for, more products are wasted; and near the
    # minimum, where the model is exact, fewer would cost another step.
    gap = ENOUGH * system.share * GAP_SHARE * problem.tol * point.f
    # A step from afar is not worth more than a share of itself, though: the model is off by as much.
    wanted = max(2.0 * lam * gap, NEARER**2 * rz)
    asked = wanted * system.flattest
    near = rz <= 2.0 * lam * NEAR * point.f and (system.is_exact or not system.is_slow)
    target = asked if near else max(asked, forcing**2 * rz)
    gains: list[float] = []
    lanczos = Lanczos()
    least = max(system.longest // 4, BELIEVED if near and scales.block is not None else 0)
    most = INNER if scales.block is not None or problem.strength == 0.0 else 2 * HOPELESS
    for _ in range(min(most, max(system.most - system.passes, MANY))):
        pHp, Hpc = system.product(point.P, p, pc, Hp)
        system.passes += 1
        if pHp <= 0.0:
            break
        alpha = rz / pHp
        gains.append(0.5 * alpha * rz)
        new = system.advance(alpha, p, Hp, scale, d, r)
        dc += alpha * pc
        rc -= alpha * Hpc
        heavy = scales.solved(r)
        new += float(rc @ (rc / hc)) + scales.along(heavy, r)
        lanczos.add(alpha, new / rz)
        if new <= target and len(gains) >= least and not (near and _is_far(system, gains, gap, r, rc)):
            # The flattest direction met so far tells what a residual of this size may still hide.
            system.flattest = min(system.flattest, lanczos.least() / lam)
            target = min(target, wanted * system.flattest) if near else target
            if new <= target:
                break
        system.turn(new / rz, r, scale, p)
        scales.add(heavy, p)
        pc = rc / hc + new / rz * pc
        rz = new
    # Another preconditioner begins with the next direction, and directions have other lengths.
    system.longest = max(system.longest, len(gains)) if system.is_slow or len(gains) <= MANY else 0
    if len(gains) > MANY and not system.is_slow:
        system.is_slow, system.flattest = True, 1.0
    system.spent, system.last = cost_of_products(system, len(gains)) if system.products.is_sparse else 0.0, len(gains)
    slope = float(np.vdot(point.g, d) + point.gc @ dc)
    gain, form = 0.5 * slope, slope
    if problem.fit_intercept:
        move = constant_direction(system).move(system, point, r, rc)
        form += 2.0 * float(np.vdot(move.d, point.g - r) + move.dc @ (point.gc - rc)) + 2.0 * move.gain
        d, dc, gain = d + move.d, dc + move.dc, gain + move.gain
    Xd = system.products.times(d)
    Xd += dc
    if system.rough is not None and is_apart(system.form(point.P, d, Xd), form):
        system.leave_single()
        return direction(system, point, scales, forcing)
    return d, dc, Xd, gain, _missed(gains)


def constant_direction(system: System) -> ConstantDirection:
    """Return the direction of columns that together say what the intercept says; found once."""
    if system.constant is None:
        system.constant = ConstantDirection.of(system)
    return system.constant


def _is_far(system: System, gains: list[float], gap: float, r: Floats, rc: Floats) -> bool:
    """Whether a direction near the minimum leaves more than the gap, or a larger gradient (in units of each column), than it should.

    Directions of little curvature come last: a step much shorter than others before it has not seen them. Where they are slow, a model
    that is not exact yet is not worth all of them.
    """
    if len(gains) > MANY:
        return _missed(gains) > max(gap, LEFT_SLOW * sum(gains))
    left = system.problem.tol * system.share * (LEFT_SPARSE if system.problem.rows.is_sparse else LEFT_DENSE)
    return _missed(gains) > gap or max(float(np.abs(r / system.units[:, None]).max()), float(np.abs(rc).max())) > left


def _missed(gains: list[float]) -> float:
    """Return what conjugate gradients have left of the quadratic model's gain; with care where they are slow, since they pause then."""
    return still_to_gain(gains) * (CARE if len(gains) > MANY else 1.0)
