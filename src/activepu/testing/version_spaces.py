"""The contract of every version space.

certain ⊆ possible and disagrees = possible \\ certain. V only shrinks, so possible shrinks and certain grows. No
operation changes the V that it is called on. Questions about an empty V raise.
"""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from activepu.errors import AssumptionsViolated
from activepu.hypotheses import Points
from activepu.testing.base import require
from activepu.version_spaces import VersionSpace, from_dict


def check_version_space(V: VersionSpace, points: Points, seed: int = 0) -> None:
    """Check that a version space keeps its contract on some points, while it shrinks in a few random ways.

    What is certain must be possible, and only grow; what is possible must only shrink; requirements and caps must do
    what they say, in any order, and never change the V that they are called on; an empty V must refuse to answer. Where
    ``V.method`` is "sampled", regions are not compared, because a sample does not know them exactly.

    Parameters
    ----------
    V : VersionSpace
        Must not be empty.
    points : array
        At least one encoded point.
    seed : int
        The randomness of the constraints.

    Raises
    ------
    AssertionError
        Something is broken; the message says what.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.testing import check_version_space
    >>> points = np.random.default_rng(0).random((20, 2))
    >>> check_version_space(apu.version_space(apu.Boxes(dim=2)), points)
    """
    require(len(points) > 0, "check_version_space needs at least one point.")
    require(not V.is_empty(), "check_version_space needs a version space that is not empty.")
    require(V.method in ("exact", "sampled"), f"method must be 'exact' or 'sampled', got {V.method!r}.")
    rng = np.random.default_rng(seed)
    _check_state(V, points)
    _check_empty(V.cap_mass(points, -1), points, "a cap of −1")
    for _ in range(3):
        before = _regions(V, points)
        shrunk = _check_require(V, points, rng)
        _check_cap_mass(V, points, rng)
        _check_cap_distance(V, points)
        _check_order(V, points, rng)
        after = _regions(V, points)
        require(
            all(np.array_equal(a, b) for a, b in zip(before, after, strict=True)),
            "require or a cap changed the version space that it was called on; return a new one.",
        )
        V = shrunk


def _regions(V: VersionSpace, points: Points) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return V.certain(points), V.possible(points)


def _check_state(V: VersionSpace, points: Points) -> None:
    certain, possible = _regions(V, points)
    for name, region in (("certain", certain), ("possible", possible)):
        require(region.dtype == bool and region.shape == (len(points),), f"{name} must give one boolean per point.")
    require(not (certain & ~possible).any(), f"A point is certain but not possible in {V!r}.")
    require(
        np.array_equal(V.disagrees(points), possible & ~certain), f"disagrees is not possible and not certain: {V!r}."
    )
    h = V.smallest(points)
    inside = h.contains(points)
    require(V.allows(h), f"smallest gave {h!r}, which {V!r} does not allow.")
    if V.method == "exact":
        require(not (certain & ~inside).any(), f"smallest gave {h!r}, which lacks points that are certain in {V!r}.")
        require(not (inside & ~possible).any(), f"smallest gave {h!r}, which has points that are impossible in {V!r}.")
    again = from_dict(V.hypotheses, json.loads(json.dumps(V.to_dict(), allow_nan=False)))
    require(again.allows(h), f"{h!r} is no longer allowed after to_dict and back.")
    if V.method == "exact":
        same = all(np.array_equal(a, b) for a, b in zip(_regions(again, points), (certain, possible), strict=True))
        require(same, f"{V!r} decides other points after to_dict and back.")


def _check_smaller(V: VersionSpace, W: VersionSpace, points: Points, how: str) -> None:
    _check_state(W, points)
    if V.method == W.method == "exact":
        (certain, possible), (certain_now, possible_now) = _regions(V, points), _regions(W, points)
        require(not (possible_now & ~possible).any(), f"{how} made impossible points possible again: {V!r} to {W!r}.")
        require(not (certain & ~certain_now).any(), f"{how} made certain points uncertain again: {V!r} to {W!r}.")


def _check_require(V: VersionSpace, points: Points, rng: np.random.Generator) -> VersionSpace:
    possible = V.possible(points)
    if V.method == "exact" and not possible.all():
        _check_empty(V.require(points[~possible][:1]), points, "requiring an impossible point")
    if not possible.any():
        return V
    x = points[[rng.choice(np.flatnonzero(possible))]]
    W = V.require(x)
    require(not W.is_empty(), f"Requiring a possible point left nothing of {V!r}.")
    require(W.certain(x).all(), f"A required point is not certain in {W!r}.")
    require(W.smallest(points).contains(x).all(), f"A required point is not in the smallest member of {W!r}.")
    _check_smaller(V, W, points, "require")
    return W


def _check_cap_mass(V: VersionSpace, points: Points, rng: np.random.Generator) -> None:
    sample = points[rng.integers(len(points), size=max(4, len(points) // 2))]
    least = int(V.smallest(sample).contains(sample).sum())
    most = int(V.possible(sample).sum())
    limit = int(rng.integers(least, most + 1)) if most > least else least
    W = V.cap_mass(sample, limit)
    require(not W.is_empty(), f"A cap of {limit}, which the smallest member keeps, left nothing of {V!r}.")
    inside = int(W.smallest(points).contains(sample).sum())
    require(inside <= limit, f"smallest has {inside} points of a sample that was capped at {limit}.")
    _check_smaller(V, W, points, "cap_mass")
    if V.method == "exact":
        _check_empty(
            V.cap_mass(sample, least - 1), points, f"a cap of {least - 1}, below the smallest member's {least},"
        )
        heavy = V.cap_mass(sample, 2 * limit, np.full(len(sample), 2))
        same = all(np.array_equal(a, b) for a, b in zip(_regions(heavy, points), _regions(W, points), strict=True))
        require(same, "A cap with all weights 2 and twice the limit differs from the plain cap.")


def _check_cap_distance(V: VersionSpace, points: Points) -> None:
    center = V.smallest(points)
    W = V.cap_distance(center, points, 0)
    require(W.allows(center), f"cap_distance around {center!r} does not allow its own centre.")
    if V.method == "exact":
        inside = center.contains(points)
        require(
            np.array_equal(W.certain(points), inside) and np.array_equal(W.possible(points), inside),
            f"Members at distance 0 from {center!r} do not all label the points as it does.",
        )
        _check_smaller(V, W, points, "cap_distance")


def _check_order(V: VersionSpace, points: Points, rng: np.random.Generator) -> None:
    """require and cap_mass commute."""
    if V.method != "exact" or not V.possible(points).any():
        return
    x = points[[rng.choice(np.flatnonzero(V.possible(points)))]]
    limit = int(V.require(x).smallest(points).contains(points).sum())
    one, other = V.require(x).cap_mass(points, limit), V.cap_mass(points, limit).require(x)
    same = all(np.array_equal(a, b) for a, b in zip(_regions(one, points), _regions(other, points), strict=True))
    require(same, f"require then cap_mass and cap_mass then require differ on {V!r}.")


def _check_empty(V: VersionSpace, points: Points, why: str) -> None:
    require(V.is_empty(), f"{V!r} should be empty after {why} and is not.")
    for question in (V.certain, V.possible, V.disagrees, V.smallest):
        try:
            question(points)
        except AssumptionsViolated:
            continue
        raise AssertionError(
            f"{question.__name__} answers for an empty version space; it must raise AssumptionsViolated."
        )
