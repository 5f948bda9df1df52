"""Rows in the order of their scores, and how much of the other side stands below each."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ru4, ru8, wf8, wu4, wu8

BITS = 11
SIZE = 1 << BITS


@kernel(types.void(rf8(1), wu8(1)))
def sortable(score, keys):  # type: ignore[no-untyped-def]
    """keys[i] = score[i] as an integer of the same order; −0 is 0, a NaN comes last."""
    bits = score.view(np.uint64)
    top = np.uint64(1) << np.uint64(63)
    for i in range(score.size):
        # Not score + 0.0, by which −0 would become 0: fast arithmetic folds it away.
        keys[i] = top if score[i] == 0.0 else ~bits[i] if bits[i] & top else bits[i] | top


@kernel(types.void(wu8(1), wu4(1), wu8(1), wu4(1)))
def radix_sort(keys, order, other_keys, other_order):  # type: ignore[no-untyped-def]
    """Sort keys in place and the numbers beside them, stably, eleven bits at a time; bits that all keys share are skipped."""
    n = keys.size
    counts = np.zeros((6, SIZE), dtype=np.int64)
    mask = np.uint64(SIZE - 1)
    for i in range(n):
        for step in range(6):
            counts[step, np.uint64(keys[i] >> np.uint64(BITS * step)) & mask] += 1
    for step in range(6):
        shift, place = np.uint64(BITS * step), counts[step]
        if place.max() == n:
            continue
        total = 0
        for digit in range(SIZE):
            total, place[digit] = total + place[digit], total
        for i in range(n):
            digit = (keys[i] >> shift) & mask
            at = np.uint64(place[digit])
            place[digit] += 1
            other_keys[at], other_order[at] = keys[i], order[i]
        for i in range(n):
            keys[i], order[i] = other_keys[i], other_order[i]


@kernel(types.void(ru8(1), ru4(1), rf8(1), rf8(1), wf8(1)))
def other_side_below(keys, order, positive, weight, below):  # type: ignore[no-untyped-def]
    """below[i] = weight of the other side that stands below row i, half of what is tied with it included; keys are sorted.

    positive[i] is 1 or 0; an empty weight means all ones.
    """
    n, begin = keys.size, 0
    low_pos = low_neg = 0.0
    while begin < n:
        end, pos, neg = begin, 0.0, 0.0
        while end < n and keys[end] == keys[begin]:
            i = order[end]
            w = 1.0 if weight.size == 0 else weight[i]
            pos += w * positive[i]
            neg += w * (1.0 - positive[i])
            end += 1
        for at in range(begin, end):
            i = order[at]
            below[i] = low_neg + 0.5 * neg if positive[i] > 0.0 else low_pos + 0.5 * pos
        low_pos, low_neg, begin = low_pos + pos, low_neg + neg, end
