"""The bound of growth against every reach."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from activepu.hypotheses.boxes import Boxes
from activepu.version_spaces.boxlike import BoxVersionSpace
from activepu.zcal.radius.growth import Growth
from activepu.zcal.radius.largest import EFFORT, largest


@st.composite
def situations(draw: st.DrawFn) -> tuple[Any, ...]:
    """Some of the stars are beyond `low` on one side only, as questions near a box are."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sides, n, m = draw(st.integers(1, 4)), draw(st.integers(1, 12)), draw(st.integers(1, 8))
    size = rng.integers(2, 5, sides)
    low = (rng.integers(0, 3, sides) * rng.integers(0, 2, sides)).clip(max=size - 1).astype(np.int32)
    stars, rows = (rng.integers(0, size[:, None], (sides, k)).astype(np.int32) for k in (m, n))
    near = rng.random((sides, m)) < draw(st.sampled_from([0.0, 0.6]))
    stars = np.where(near, np.minimum(stars, low[:, None]), stars)
    weights = rng.integers(0, 3, (draw(st.integers(1, 3)), m)).astype(float)
    limits = weights @ (stars <= low[:, None]).all(axis=0) + rng.integers(0, 4, len(weights))
    counts = rng.integers(1, 4, n).astype(float)
    return size, low, stars, weights, limits, rows, counts


@settings(max_examples=300)
@given(situations())
def test_no_reach_holds_more_and_no_possible_row_is_dropped(situation: tuple[Any, ...]) -> None:
    size, low, stars, weights, limits, rows, counts = situation
    growth = Growth(low, np.insert(np.cumsum(size), 0, 0).astype(np.int32), stars, weights, limits)
    before = growth.stars_before(rows)
    possible = growth.possible(before)
    assume((before[:, possible] >= 0).any())
    grown = growth.bound(rows[:, possible], before[:, possible], counts[possible])
    for t in product(*(range(a, b) for a, b in zip(low, size, strict=True))):
        reach = np.array(t)[:, None]
        if np.all(weights @ (stars <= reach).all(axis=0) <= limits):
            held = (rows <= reach).all(axis=0)
            assert possible[held].all()
            assert counts[held].sum() <= grown.bound
    assert all(np.all(reach >= low) for reach in grown.reaches)
    side, level = grown.split
    assert low[side] < level < size[side]


def test_stars_beyond_single_sides_settle_many_sides() -> None:
    rng = np.random.default_rng(0)
    V = BoxVersionSpace(Boxes(5)).require(np.array([[0.2] * 5, [0.8] * 5]))
    stars = 0.2 + 0.6 * rng.random((400, 5))
    stars[np.arange(400), rng.integers(0, 5, 400)] = rng.choice([0.0, 0.8], 400) + 0.2 * rng.random(400)
    V = V.cap_mass(stars, 100)
    X = rng.random((10_000, 5))
    undecided = X[V.disagrees(X)]
    found = largest(V, undecided, len(undecided) // 3, EFFORT // 8)
    assert found.complete
    assert found.value <= found.bound <= len(undecided) // 3 < len(undecided) // 2
