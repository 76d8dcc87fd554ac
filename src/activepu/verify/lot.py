"""The lot, drawn again from the seed.

The seed is the user's plus the first 64 bits of the digest of the strata, so that two audits of one pool never share a
lot. Items are ordered within their stratum by a 64-bit key of (seed, row): splitmix64 (Steele, Lea and Flood 2014).
Question t takes the stratum into whose part of [0, 1), cut by the weights of the plan, the number of (seed, t) falls,
then the next item of that stratum. Plans begin at fixed numbers of questions. Where a study was continued by a version
whose plans differ, some strata are taken as recorded, and only the item is drawn again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from activepu.verify.evidence import Evidence

ALL = (1 << 64) - 1
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))

Keys = NDArray[np.uint64]
Rows = NDArray[np.int64]


def _mixed(x: Keys) -> Keys:
    x = (x ^ (x >> np.uint64(30))) * MIX[0]  # unsigned: all of it is modulo 2⁶⁴
    x = (x ^ (x >> np.uint64(27))) * MIX[1]
    return x ^ (x >> np.uint64(31))


def keys(seed: int, purpose: str, rows: Rows) -> Keys:
    """Return the keys of rows."""
    salt = int.from_bytes(purpose.encode()[:8].ljust(8), "little")
    first, second = _mixed(np.array([[seed & ALL], [salt]], np.uint64) + GOLDEN)
    start = _mixed(first ^ (second * MIX[0]))
    return _mixed(start + (rows.astype(np.uint64) + np.uint64(1)) * GOLDEN)


def salted(seed: int, digest: str) -> int:
    """Return the seed of the lot over strata with this digest."""
    return (seed + int(digest[:16], 16)) & ALL


def plan_of(question: int) -> int:
    """Return the number of the plan that drew a question: each holds for 10 questions, or 5% of those before."""
    number, begin = 0, 0
    while question >= (end := begin + max(10, begin // 20)):
        number, begin = number + 1, end
    return number


def digest(items: Sequence[Rows]) -> str:
    """Return SHA-256 of all rows in rising order and of their strata."""
    rows = np.concatenate(items).astype("<i8")
    strata = np.repeat(np.arange(len(items), dtype="<i8"), [len(members) for members in items])
    order = np.argsort(rows, kind="stable")
    return hashlib.sha256(np.stack([rows[order], strata[order]]).tobytes()).hexdigest()


def redraw(evidence: Evidence, items: Sequence[Rows]) -> tuple[list[NDArray[np.float64]], str]:
    """Draw every question again.

    Returns
    -------
    (list of array, str)
        The probabilities of the strata at every draw, and what is wrong, or "".
    """
    if [len(members) for members in items] != evidence.sizes:
        return [], "the strata do not have the sizes that the file states"
    every = np.sort(np.concatenate(items))
    if (every[1:] == every[:-1]).any():
        return [], "an item lies in two strata"
    seed = salted(evidence.seed, digest(items))
    order = [rows[np.argsort(keys(seed, "lot", rows))] for rows in items]
    chances = (keys(seed, "stratum", np.arange(len(evidence.draws))) >> np.uint64(11)) * 2.0**-53
    taken = [0] * len(order)
    drawn_by: list[NDArray[np.float64]] = []
    for t, draw in enumerate(evidence.draws):
        if (plan := plan_of(t)) >= len(evidence.plans):
            return drawn_by, f"the plan of question {t + 1} of the lot is missing"
        left = np.array([taken[k] < size for k, size in enumerate(evidence.sizes)])
        weights = np.where(left, evidence.plans[plan], 0.0)
        if not left.any() or (evidence.plans[plan] < 0).any():
            return drawn_by, f"question {t + 1} of the lot was drawn from nothing"
        weights = weights / weights.sum() if weights.sum() > 0 else left / left.sum()
        drawn_by.append(weights)
        k, total = 0, float(weights[0])
        last = int(np.flatnonzero(weights)[-1])
        while k < last and total <= chances[t]:
            k += 1
            total += float(weights[k])
        k = draw.stratum if t in evidence.recorded and left[draw.stratum] else k
        expected = int(order[k][taken[k]])
        if (draw.stratum, draw.item) != (k, expected):
            return drawn_by, (
                f"question {t + 1} of the lot was item {draw.item} of stratum {draw.stratum}, but the lot gave item "
                f"{expected} of stratum {k}"
            )
        taken[k] += 1
    return drawn_by, ""
