"""Seconds and memory of a finite class: `python benchmarks/finite_class.py [hypotheses] [points]`.

20,000 random halfspaces on 100,000 points of R^4; memory is the peak of the resident set beyond the data itself.
"""

import resource
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from activepu.hypotheses.finite import FiniteClass
from activepu.version_spaces.finite import FiniteVersionSpace

DIM = 4
CAPPED = 20_000
LIMIT_MB = 1000


def halfspace(w, b, X):
    return X @ w >= b


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(name: str, work: Callable):
    start = time.perf_counter()
    value = work()
    print(f"{name:<28}{time.perf_counter() - start:8.2f} s")
    return value


def main(size: int = 20_000, points: int = 100_000) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(points, DIM))
    weights, offsets = rng.normal(size=(size, DIM)), rng.normal(size=size)
    hypotheses = FiniteClass([partial(halfspace, w, b) for w, b in zip(weights, offsets, strict=True)]).bind(DIM)
    before = peak_mb()
    encoded = timed("encode", lambda: hypotheses.encode(X))
    space = FiniteVersionSpace(hypotheses)
    truth = hypotheses.member(int(np.argsort(offsets)[size // 2]))
    inside = np.flatnonzero(truth.contains(encoded))
    capped = encoded[:CAPPED]
    limit = int(truth.contains(capped).sum())
    timed("disagrees, all alive", lambda: space.disagrees(encoded))
    timed(f"cap_mass on {len(capped)} points", lambda: space.cap_mass(capped, limit))
    timed("the same, weighted", lambda: space.cap_mass(capped, 8 * limit, rng.integers(0, 16, len(capped))))
    space = timed("require 3 points", lambda: space.require(encoded[inside[:3]]))
    space = timed("cap_mass after it", lambda: space.cap_mass(capped, limit))
    undecided = timed("disagrees after both", lambda: space.disagrees(encoded))
    print(f"members left {len(space.indices)}, undecided {undecided.mean():.1%}, truth kept {space.allows(truth)}")
    beyond = peak_mb() - before
    print(f"packed {encoded.nbytes / 1e6:.0f} MB, peak beyond the data {beyond:.0f} MB (limit {LIMIT_MB})")
    if beyond > LIMIT_MB:
        raise SystemExit(1)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
