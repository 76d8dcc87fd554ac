"""How long does the disagreement of a large pool take? Boxes in R⁴ and R¹⁰ under a cap on 20,000 sample points.

    python benchmarks/disagreement.py

The scenario: items uniform in the cube, the truth a box of mass .3, the closure of 30 of its points, and a sample that
may lie in a hypothesis up to a limit. Reported per dimension: seconds (best of three, preparing the cap included), the
extra memory at its peak, and the speed against plain NumPy, which compares one item at a time with all cap points; its
answer on a slice must be the same.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from math import ceil

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.boxes import Boxes
from activepu.version_spaces.boxlike import BoxVersionSpace

SAMPLE = 20_000
SLICE = 2_000
# The second limit of R¹⁰ lies near the closure's own mass, where more items are hard to tell.
SCENARIOS = [(4, 0.33), (10, 0.33), (10, 0.18)]


def scenario(dim: int, share: float, items: int) -> tuple[NDArray[np.float64], BoxVersionSpace]:
    rng = np.random.default_rng(dim)
    side = 0.3 ** (1 / dim)
    positives = (1 - side) / 2 + side * rng.random((30, dim))
    V = BoxVersionSpace(Boxes(dim)).require(positives).cap_mass(rng.random((SAMPLE, dim)), ceil(share * SAMPLE))
    return rng.random((items, dim)), V


def seconds(dim: int, share: float, items: int) -> float:
    best = np.inf
    for _ in range(3):
        pool, V = scenario(dim, share, items)  # a new V each time: nothing is prepared
        start = time.perf_counter()
        V.disagrees(pool)
        best = min(best, time.perf_counter() - start)
    return best


def plain(V: BoxVersionSpace, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    cap = V.caps[0]
    answer = np.empty(len(points), bool)
    for i, x in enumerate(points):
        low, high = np.minimum(V.closure.low, x), np.maximum(V.closure.high, x)
        count = ((cap.points >= low) & (cap.points <= high)).all(axis=1).sum()
        outside = (x < V.closure.low).any() or (x > V.closure.high).any()
        answer[i] = outside and count <= cap.limit
    return answer


def extra_memory(dim: int, share: float, items: int) -> float:
    """MB at the peak, beyond the pool and the cap's points; NumPy reports its arrays to tracemalloc."""
    pool, V = scenario(dim, share, items)
    tracemalloc.start()
    V.disagrees(pool)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20


def main() -> None:
    print(f"{'':>16}{'items':>10}{'seconds':>9}{'µs/item':>9}{'extra MB':>10}{'× plain':>9}{'in DIS':>8}")
    for dim, share in SCENARIOS:
        pool, V = scenario(dim, share, 1_000_000)
        start = time.perf_counter()
        expected = plain(V, pool[:SLICE])
        per_item = (time.perf_counter() - start) / SLICE
        answer = V.disagrees(pool)
        if not np.array_equal(answer[:SLICE], expected):
            sys.exit(f"R^{dim}: the answer differs from plain NumPy's on {np.sum(answer[:SLICE] != expected)} items.")
        for items in (100_000, 300_000, 1_000_000):
            took = seconds(dim, share, items)
            memory = extra_memory(dim, share, items)
            print(
                f"R^{dim:<3} limit {share:>5.0%}{items:>10,}{took:>9.2f}{took / items * 1e6:>9.2f}{memory:>10.0f}"
                f"{per_item * items / took:>9.0f}{answer.mean():>8.1%}"
            )


if __name__ == "__main__":
    main()
