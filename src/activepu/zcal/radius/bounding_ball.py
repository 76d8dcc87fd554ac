"""How far a member of V can be from the hypothesis returned.

An ĥ ∈ V errs on at most max_{h ∈ V} |h Δ ĥ| rows if the truth is in V. All members agree outside DIS(V), so only the
undecided rows count. But the radius can be far smaller than their number: under a cap a box may stretch on one side or
on another, but not on all sides at once.

- A chain (one bound on one coordinate): the middle member halves the undecided rows.
- Other box-like classes: the farthest member from the closure is the `largest`.
- Finite classes: the Chebyshev centre. For any set F of members, a centre c has a radius ≥ max_{f ∈ F} d(c, f). Take
  the c that makes this least, and add to F the member farthest from c. If it was in F before, no centre is better.
- Halfspaces of the plane under mass caps: a centre in the middle of members spread over V (`planar_centers`), and the
  member farthest from it by branch and bound (`planar`).
- Any other class: the radius is not known to be smaller than the number of undecided rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Hypothesis, Points
from activepu.hypotheses.boxlike import Box
from activepu.hypotheses.finite import WORD
from activepu.hypotheses.registration import registration
from activepu.version_spaces.base import VersionSpace
from activepu.version_spaces.boxlike import BoxVersionSpace
from activepu.version_spaces.finite import BLOCK_WORDS, FiniteVersionSpace, bit_counts
from activepu.version_spaces.halfspaces import HalfspaceVersionSpace
from activepu.zcal.radius.largest import EFFORT, largest
from activepu.zcal.radius.planar import farthest
from activepu.zcal.radius.planar_centers import Centers

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

SAMPLE = 1024
"""The size of the sample in which a far member is searched first."""
FEW_SIDES = 8
"""With up to this many sides a search is short, and the far members that it finds are better than old ones."""
COUNTED = 2**16
"""Up to this many rows are counted one by one; of more, a sample is counted first."""
CLEARLY = 1.2
"""A sample counts as clear evidence for "more" if it holds this many times the number that was asked for."""
ROUNDS = 64
"""The most members that the search for a Chebyshev centre tries."""
CHUNK = 2**16
"""How many coordinates are compared at once: what a core's cache holds."""
TURNS = 4
"""The most centres that are tried in the plane."""
SKETCH = 512
"""The number of rows on which these centres are compared."""
WORDS = 2**17
"""About how many words of packed rows the search for a Chebyshev centre reads in a round."""


@dataclass(frozen=True)
class Ball:
    """Every h ∈ V differs from `center` ∈ V on at most `radius` of the rows; if `exact`, some h on exactly that many.

    `witness` is the farthest member that was found: at the radius if `exact`, else perhaps only farther than `enough`.
    """

    center: Hypothesis
    radius: int
    exact: bool
    witness: Hypothesis | None = None
    complete: bool = True
    """Whether the search finished, rather than ran out of effort."""


def ball(
    V: VersionSpace, points: Points, enough: int | None = None, near: Ball | None = None, rows: Rows | None = None
) -> Ball:
    """Return a ball around all of V, counted on DIS(V): on these `rows` of the points, or on all of them.

    With `enough` the caller wants to know only whether the radius is ≤ enough, and the search ends when that is
    clear. `near` is the ball of an earlier V: its far member is tried first.
    """
    found: Ball = registration(V.hypotheses).radius(V, points, enough, near, rows)
    return found


def undecided_ball(
    V: VersionSpace, points: Points, enough: int | None = None, near: Ball | None = None, rows: Rows | None = None
) -> Ball:
    """Return a ball for any class; the only bound on its radius is the number of undecided rows."""
    undecided = points if rows is None else points[rows]
    center = near.center if near is not None and V.allows(near.center) else V.smallest(undecided)
    return Ball(center, len(undecided), exact=len(undecided) == 0)


def box_ball(
    V: BoxVersionSpace, points: Points, enough: int | None = None, near: Ball | None = None, rows: Rows | None = None
) -> Ball:
    """Return a ball for box-like classes, around the closure; around the middle member for a chain."""
    rows = np.arange(len(points)) if rows is None else rows
    center = V.smallest(points[:0])
    n = len(rows)
    if n == 0:
        return Ball(center, 0, exact=True, witness=center)
    if V.hypotheses.is_chain:
        return _middle(V, points[rows, 0])
    if enough is not None:
        sample = points[rows[:: -(-n // SAMPLE)]]
        some = enough * len(sample) // n
        if near is not None and near.witness is not None:
            far = _hull(near.witness, V.closure)
            if V.hypotheses.n_sides > FEW_SIDES and not V.allows(far):
                far = largest(V, sample[far.contains(sample)], some, EFFORT // 64).member  # is enough of it left?
            if V.allows(far) and _holds_more(far, points, rows, enough):
                return Ball(center, n, exact=False, witness=far)
        if n > SAMPLE:
            sketch = largest(V, sample, some, EFFORT // 8)
            if not sketch.complete or _holds_more(sketch.member, points, rows, enough):
                return Ball(center, n, exact=False, witness=sketch.member, complete=sketch.complete)
    found = largest(V, points[rows], enough)
    return Ball(center, found.bound, found.bound == found.value and not V.costs, found.member, found.complete)


def _middle(V: BoxVersionSpace, values: Floats) -> Ball:
    """Return the ball around the middle of a chain; a cut at the value of any undecided row is in V."""
    n = len(values)
    median = np.partition(values, n // 2)[n // 2]
    cuts = values[values > median], values[values >= median]  # equal values cannot be parted
    kept = min(cuts, key=lambda inside: max(len(inside), n - len(inside)))
    farthest = V.closure if 2 * len(kept) > n else V.closure.grow(values[:, None])
    return Ball(V.closure.grow(kept[:, None]), max(len(kept), n - len(kept)), exact=True, witness=farthest)


def _hull(one: Any, other: Box) -> Box:
    return Box(one.hypotheses, np.minimum(one.low, other.low), np.maximum(one.high, other.high))


def _holds_more(h: Box, points: Points, rows: Rows, than: int) -> bool:
    """Return whether h contains more rows than this; stop counting as soon as that is clear.

    With very many rows it suffices that a sample holds clearly more. A wrong yes, which is next to impossible, only
    means that the run goes on.
    """
    if len(rows) > COUNTED:
        sample = rows[np.random.default_rng(0).integers(len(rows), size=2 * SAMPLE)]
        if _count(h, points, sample) * len(rows) > CLEARLY * (than + 1) * len(sample):
            return True
    found, start = 0, 0
    most = max(1, CHUNK // points.shape[1])
    step = min(most, 4 * (than + 1))
    while start < len(rows):
        found += _count(h, points, rows[start : start + step])
        if found > than:
            return True
        start, step = start + step, min(most, 2 * step)
    return False


def _count(h: Box, points: Points, rows: Rows) -> int:
    return int(np.count_nonzero(h.contains(points[rows])))


def finite_ball(
    V: FiniteVersionSpace, points: Points, enough: int | None = None, near: Ball | None = None, rows: Rows | None = None
) -> Ball:
    """Return a ball for finite classes, around a Chebyshev centre."""
    undecided = points if rows is None else points[rows]
    if enough is not None and near is not None and near.witness is not None:
        ends = near.center, near.witness
        apart = np.count_nonzero(ends[0].contains(undecided) != ends[1].contains(undecided))
        if apart > 2 * enough and all(V.allows(h) for h in ends):  # no centre is near both
            return Ball(near.center, len(undecided), exact=False, witness=near.witness)
    center = _chebyshev(V, undecided, enough, near)
    away = _distances(V, undecided, center)
    farthest = V.indices[np.argmax(away)]
    return Ball(center, int(away.max()), exact=True, witness=V.hypotheses.member(int(farthest)))


def _chebyshev(V: FiniteVersionSpace, rows: Points, enough: int | None, near: Ball | None) -> Hypothesis:
    """Return the centre of the smallest ball; if there are many rows, of a sample and after at most `ROUNDS` rounds."""
    first = V.smallest(rows[:0]) if near is None or not V.allows(near.center) else near.center
    words = np.count_nonzero(V.alive)
    sample = rows[:: max(1, len(rows) * words // WORDS)]
    enough = len(rows) if enough is None else enough * len(sample) // max(1, len(rows))
    live = V.indices
    least = np.zeros(len(live), np.int64)  # a lower bound on the radius around each member
    center = tried = first
    smallest = len(rows) + 1
    for _ in range(ROUNDS):
        away = _distances(V, sample, tried)
        if away.max() < smallest:
            center, smallest = tried, int(away.max())
        if smallest <= least.min() or least.min() > enough:
            break
        far = V.hypotheses.member(int(live[np.argmax(away)]))
        least = np.maximum(least, _distances(V, sample, far))
        tried = V.hypotheses.member(int(live[np.argmin(least)]))
    return center


def _distances(V: FiniteVersionSpace, rows: Points, center: Hypothesis) -> NDArray[np.int64]:
    """Return |h Δ center| of every member that is left."""
    inside = center.contains(rows)
    words = np.flatnonzero(V.alive)
    counts = np.zeros((len(V.alive), WORD), np.int64)
    step = max(1, BLOCK_WORDS // len(words))
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        some = rows[block].take(words, axis=1)
        apart = np.where(inside[block, None], ~some, some)
        counts[words] += bit_counts(apart).reshape(-1, WORD)
    return counts.reshape(-1)[V.indices]


def halfspace_ball(
    V: HalfspaceVersionSpace,
    points: Points,
    enough: int | None = None,
    near: Ball | None = None,
    rows: Rows | None = None,
) -> Ball:
    """Return a ball for halfspaces: in the plane around the middle of V, otherwise by the number of undecided rows."""
    undecided = points if rows is None else points[rows]
    n = len(undecided)
    wish = near.center if near is not None and V.allows(near.center) else None
    plane = V.plane
    if n == 0 or plane is None:
        center = wish or V.smallest(undecided)
        return Ball(center, n, exact=n == 0, witness=None if n else center)
    V.certain(undecided[:0])  # refuses an empty V
    far = [near.witness] if near is not None and near.witness is not None and V.allows(near.witness) else []
    if enough is not None and wish is not None and far and _count_differing(wish, far[0], undecided) > 2 * enough:
        return Ball(wish, n, exact=False, witness=far[0])  # no centre is near both
    centers = Centers(plane, undecided[:: -(-n // SKETCH)], wish)
    for turn in range(TURNS):
        center, witness = centers.best(far, enough / n if enough is not None and turn < TURNS // 2 else 0.0)
        if not V.allows(center):  # V is too thin for rounding
            center = V.smallest(undecided)
        if enough is not None and _count_differing(center, witness, undecided) > enough:
            found = Ball(center, n, exact=False, witness=witness)
        else:
            most = farthest(plane, undecided, center, enough)
            found = Ball(center, most.bound, most.bound == most.value, most.member)
            if enough is None or most.bound <= enough or most.value <= enough:
                break
            witness = most.member
        far.append(witness)
    return found


def _count_differing(one: Hypothesis, other: Hypothesis, rows: Points) -> int:
    return int(np.count_nonzero(one.contains(rows) != other.contains(rows)))
