"""The part of a hypothesis class's contract that is checked on a few rows before a run begins.

A class that breaks it is refused with a sentence that names the method. `activepu.testing.check_hypothesis_class`
checks the full contract, for the tests of a class of your own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points

FEW = 6
"""The number of rows that are checked."""


def encoded(H: HypothesisClass, X: Any) -> Points:
    """Return the points of raw features; refuse a class that does not encode row by row."""
    points, rows = H.encode(X), X.shape[0]
    if not isinstance(points, np.ndarray) or points.ndim != 2 or len(points) != rows:
        got = f"an array of shape {points.shape}" if isinstance(points, np.ndarray) else f"{type(points).__name__}"
        raise InvalidInput(
            f"{type(H).__name__}.encode must return an array with one row per item, so {rows} rows of at least one "
            f"column, got {got}."
        )
    return points


def check_contains(h: Hypothesis, points: Points) -> None:
    """Refuse a hypothesis whose `contains` is not one boolean per point."""
    inside = h.contains(points)
    if not isinstance(inside, np.ndarray) or inside.dtype != np.bool_ or inside.shape != (len(points),):
        raise InvalidInput(
            f"{type(h).__name__}.contains must return one boolean per point ({len(points)}), got {inside!r}."
        )


def check_closure(H: Any, points: Points) -> None:
    """Refuse an intersection-closed class whose closure is not the least member around some points."""
    name, few = type(H).__name__, points[:FEW]
    least = H.closure(few[:0])
    check_contains(least, points)
    if least.contains(points).any():
        raise InvalidInput(f"{name}.closure of no points must be empty, got {least!s}, which contains some.")
    for n in range(1, len(few) + 1):
        grown = H.closure(few[:n])
        check_contains(grown, few)
        if not grown.contains(few[:n]).all():
            raise InvalidInput(
                f"{name}.closure must contain the {n} points it is given, got {grown!s}, which does not."
            )
        for fault in (order_fault(H, few[: n - 1], grown, few), order_fault(H, few[:n], least, few)):
            if fault is not None:
                raise InvalidInput(fault)
        least = grown


def order_fault(H: Any, some: Points, member: Any, points: Points) -> str | None:
    """Return a sentence if `closure`, `contains` and `within` contradict each other, else None.

    The closure of A is the least member around A. So a member contains A exactly if closure(A) lies within it, both by
    `within` and by what they contain of `points`. In particular closure(A) lies within closure(B) if A ⊆ B.
    """
    closure = H.closure(some)
    method, own = f"{type(closure).__name__}.within", f"{type(H).__name__}.closure"
    within, holds = bool(closure.within(member)), bool(member.contains(some).all())
    inside = not (closure.contains(points) & ~member.contains(points)).any()
    if holds and not inside:
        return (
            f"{own} must be monotone: the closure of {len(some)} points, '{closure!s}', contains more than "
            f"'{member!s}', which contains these points."
        )
    if within and not inside:
        return f"{method} says that '{closure!s}' is within '{member!s}', but by contains it has other points."
    if within != holds:
        return (
            f"{method} says that '{closure!s}' is {'' if within else 'not '}within '{member!s}', but the first is "
            f"{own} of {len(some)} points, and the second contains {'them all' if holds else 'not all of them'}."
        )
    return None


def check_sample(H: HypothesisClass, drawn: Any, containing: Points) -> None:
    """Refuse a class whose `sample` returns members that lack a point that they must hold."""
    for h in drawn[:FEW]:
        check_contains(h, containing)
        if not h.contains(containing).all():
            raise InvalidInput(
                f"{type(H).__name__}.sample must return members that hold every point of `containing`, got {h!s}, "
                "which does not."
            )
