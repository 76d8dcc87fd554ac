"""The part of a hypothesis class's contract that is checked on a few rows before a run begins.

A class that breaks it is refused with a sentence that names the method. `activepu.testing.check_hypothesis_class`
checks the full contract, for the tests of a class of your own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.hypotheses.boxlike import BoxLike
from activepu.hypotheses.closed import ClosedClass, Closure

FEW = 6
"""The number of rows that are checked."""


def encoded(H: HypothesisClass, X: Any) -> Points:
    """Return the points of raw features; refuse a class whose `encode` does not return finite points row by row."""
    points, rows, name = H.encode(X), X.shape[0], type(H).__name__
    if not isinstance(points, np.ndarray) or points.ndim != 2 or len(points) != rows:
        raise InvalidInput(
            f"{name}.encode must return an array with one row per item, so {rows} rows of at least one column, got "
            f"{_brief(points)}."
        )
    if isinstance(H, BoxLike) and points.shape[1] != H.bound_dim:
        raise InvalidInput(
            f"{name}.encode must return {H.bound_dim} column(s), as many as the features have or the class says, got "
            f"{points.shape[1]}; write fixed_dim = {points.shape[1]} in the class, or define the property bound_dim."
        )
    if np.issubdtype(points.dtype, np.floating):
        checks.matrix(f"The points that {name}.encode returns", points)
    return points


def _brief(value: Any) -> str:
    return f"an array of shape {value.shape} of {value.dtype}" if isinstance(value, np.ndarray) else checks.brief(value)


def check_contains(h: Hypothesis, points: Points) -> None:
    """Refuse a hypothesis whose `contains` is not one boolean per point."""
    inside = h.contains(points)
    if not isinstance(inside, np.ndarray) or inside.dtype != np.bool_ or inside.shape != (len(points),):
        raise InvalidInput(
            f"{type(h).__name__}.contains must return an array with one boolean per point ({len(points)}), got "
            f"{_brief(inside)}."
        )


def check_members(H: HypothesisClass, method: str, members: Any, points: Points) -> None:
    """Refuse what `method` returned if it is no list of hypotheses, or if one of the first does not fit `contains`."""
    name = f"{type(H).__name__}.{method}"
    if not isinstance(members, (Sequence, np.ndarray)):
        raise InvalidInput(f"{name} must return a list of hypotheses, got {_brief(members)}.")
    for h in members[:FEW]:
        if not isinstance(h, Hypothesis):
            raise InvalidInput(f"{name} must return objects that extend Hypothesis, got {checks.brief(h)}.")
        check_contains(h, points)


def closure_of(H: ClosedClass, points: Points) -> Closure:
    """Return the closure of some points; refuse what is no `Closure`."""
    found = H.closure(points)
    if not isinstance(found, Closure):
        raise InvalidInput(
            f"{type(H).__name__}.closure must return an object that extends Closure, also for no points, got "
            f"{checks.brief(found)} for {len(points)} point(s)."
        )
    return found


def check_closure(H: ClosedClass, points: Points) -> None:
    """Refuse an intersection-closed class whose closure is not the least member around some points."""
    name, few = type(H).__name__, points[:FEW]
    least = closure_of(H, few[:0])
    check_contains(least, points)
    if least.contains(points).any():
        raise InvalidInput(f"{name}.closure of no points must be empty, got {least!s}, which contains some.")
    for n in range(1, len(few) + 1):
        grown = closure_of(H, few[:n])
        check_contains(grown, few)
        if not grown.contains(few[:n]).all():
            raise InvalidInput(
                f"{name}.closure must contain the {n} point(s) that it is given, got '{grown!s}', which does not."
            )
        for fault in (order_fault(H, few[: n - 1], grown, few), order_fault(H, few[:n], least, few)):
            if fault is not None:
                raise InvalidInput(fault)
        least = grown


def order_fault(H: ClosedClass, some: Points, member: Closure, points: Points) -> str | None:
    """Return a sentence if `closure`, `contains` and `within` contradict each other, else None.

    The closure of A is the least member around A. So a member contains A exactly if closure(A) lies within it, both by
    `within` and by what they contain of `points`. In particular closure(A) lies within closure(B) if A ⊆ B.
    """
    closure = H.closure(some)
    method, own = f"{type(closure).__name__}.within", f"{type(H).__name__}.closure"
    within, holds = closure.within(member), bool(member.contains(some).all())
    if not isinstance(within, (bool, np.bool_)):
        return f"{method} must return True or False, got {checks.brief(within)}."
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
    check_members(H, "sample", drawn, containing)
    for h in drawn[:FEW]:
        if not h.contains(containing).all():
            raise InvalidInput(
                f"{type(H).__name__}.sample must return members that hold every point of `containing`, got {h!s}, "
                "which does not."
            )
