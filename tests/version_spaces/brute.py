"""An oracle for intersection-closed classes: every dichotomy of a small universe, filtered one constraint at a time.

It knows nothing of closures: a member is a pair of bounds per axis (or ∅), a constraint keeps or drops each member, and
"certain" and "possible" are read off the members that are left. Bounds need only be taken from the universe's own
coordinates, since moving a bound to the nearest point inside changes no label.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from activepu.hypotheses.boxes import Boxes
from activepu.hypotheses.boxlike import Box, BoxLike
from activepu.hypotheses.conjunctions import Conjunctions
from activepu.hypotheses.intervals import Intervals
from activepu.hypotheses.orthants import Orthants
from activepu.hypotheses.thresholds import Thresholds

AWKWARD = [0.0, -0.0, 0.1 + 0.2, 0.3, 1.0, 1.0 + 2**-52, 1e-17, 2e-17, -1e300, 1e300, 5e-324]


class Brute:
    """The members of a class on `universe` (raw features), with `signs` −1 on axes where less is more positive."""

    def __init__(self, universe: NDArray[np.float64], two_sided: bool, signs: NDArray[np.float64]) -> None:
        self.points = universe
        sides = []
        for column, sign in zip(universe.T, signs, strict=True):
            values = np.unique(column)
            if two_sided:
                sides.append([(a, b) for a in values for b in values if a <= b])
            else:
                sides.append([(a, np.inf) if sign > 0 else (-np.inf, a) for a in values])
        bounds = np.array(list(product(*sides)))
        self.low, self.high = bounds[:, :, 0], bounds[:, :, 1]
        inside = (universe >= self.low[:, None]) & (universe <= self.high[:, None])
        # ∅ is a member of every class; it is the last row.
        self.labels = np.vstack([inside.all(axis=2), np.zeros((1, len(universe)), bool)])
        self.alive = np.ones(len(self.labels), bool)
        self.required: list[int] = []

    def __repr__(self) -> str:
        return f"Brute({self.points.tolist()})"

    def closures(self, hypotheses: BoxLike, signs: NDArray[np.float64]) -> list[Box]:
        """Every member as the library writes it, in the order of `labels`."""
        low = np.where(signs > 0, self.low, -self.high)
        high = np.where(signs > 0, self.high, -self.low)
        return [*(Box(hypotheses, a, b) for a, b in zip(low, high, strict=True)), hypotheses.empty]

    def require(self, items: list[int]) -> None:
        self.required += items
        self.alive &= self.labels[:, items].all(axis=1)

    def cap(self, items: list[int], limit: int, weights: list[int] | None = None) -> None:
        self.alive &= self.labels[:, items] @ np.array(weights or [1] * len(items), int) <= limit

    def cap_distance(self, center: NDArray[np.bool_], items: list[int], limit: int) -> None:
        self.alive &= (self.labels[:, items] != center[items]).sum(axis=1) <= limit

    def least(self) -> NDArray[np.bool_]:
        """What all members share that contain the required items, caps aside."""
        return self.labels[self.labels[:, self.required].all(axis=1)].all(axis=0)

    @property
    def empty(self) -> bool:
        return not self.alive.any()

    @property
    def certain(self) -> NDArray[np.bool_]:
        return self.labels[self.alive].all(axis=0)

    @property
    def possible(self) -> NDArray[np.bool_]:
        return self.labels[self.alive].any(axis=0)


@st.composite
def problems(draw: st.DrawFn) -> tuple[BoxLike, Brute, NDArray[np.float64]]:
    """A class, the oracle of a universe for it, and the signs of the axes. Small grids, so that ties abound."""
    kind = draw(st.sampled_from(["thresholds", "intervals", "boxes", "orthants", "conjunctions"]))
    dim = 1 if kind in ("thresholds", "intervals") else draw(st.integers(1, 3))
    if kind == "conjunctions":
        value = st.sampled_from([0.0, 1.0])
    else:
        value = draw(st.sampled_from([st.integers(0, 2 if dim == 3 else 4).map(float), st.sampled_from(AWKWARD)]))
    n = draw(st.integers(1, 4 if dim == 3 and kind == "boxes" else 8))
    universe = np.array(draw(st.lists(st.tuples(*[value] * dim), min_size=n, max_size=n)))
    signs = np.ones(dim)
    hypotheses: BoxLike
    if kind == "thresholds":
        signs[0] = draw(st.sampled_from([1.0, -1.0]))
        hypotheses = Thresholds(above=bool(signs[0] > 0)).bind(1)
    elif kind == "orthants":
        signs = np.array(draw(st.tuples(*[st.sampled_from([1.0, -1.0])] * dim)))
        hypotheses = Orthants(signs=[int(s) for s in signs])
    else:
        made = {"intervals": Intervals, "boxes": lambda: Boxes(dim), "conjunctions": lambda: Conjunctions(dim)}
        hypotheses = made[kind]()
    return hypotheses, Brute(universe, kind in ("intervals", "boxes"), signs), signs


@st.composite
def constraints(draw: st.DrawFn, n: int) -> list[tuple[Any, ...]]:
    """A sequence of require, cap, weighted cap and cap_distance on items 0…n−1; items of caps may repeat."""
    items = st.integers(0, n - 1)
    steps: list[tuple[Any, ...]] = []
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["require", "cap", "weighted", "distance"]))
        if kind == "require":
            steps.append((kind, draw(st.lists(items, max_size=2))))
            continue
        chosen = draw(st.lists(items, max_size=10))
        limit = draw(st.integers(-1 if draw(st.integers(0, 9)) == 0 else 0, 6))
        weights = [draw(st.integers(0, 4)) for _ in chosen] if kind == "weighted" else None
        steps.append((kind, chosen, limit, weights, draw(st.integers(0, 3))))
    return steps


def plain_counts(
    points: NDArray[np.float64],
    cap: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    weights: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """The weight of `cap` in [min(low, x), max(high, x)], point by point."""
    least, most = np.minimum(low, points), np.maximum(high, points)
    weights = np.ones(len(cap), np.int64) if weights is None else weights
    return np.array(
        [weights[((cap >= a) & (cap <= b)).all(axis=1)].sum() for a, b in zip(least, most, strict=True)], np.int64
    )


def heights(sites, weights, limit, u):
    """T(u) by sorting, one column per direction."""
    values = sites @ u.T
    order = np.argsort(-values, axis=0)
    place = np.argmax(np.cumsum(weights[order], axis=0) > limit, axis=0)
    return np.take_along_axis(np.take_along_axis(values, order, axis=0), place[None], axis=0)[0]
