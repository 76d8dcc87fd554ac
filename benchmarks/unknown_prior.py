"""Questions of UnknownPrior and PassivePU when nothing is known: `python benchmarks/unknown_prior.py [--seeds 20]`.

D is uniform on the cube, δ = 0.1. Both count every question, those for the reveal rate too. "lost": runs whose version
space does not hold the truth at the end; "wrong": runs whose error exceeds ε; both may happen in a δ share.
"""

import argparse
import itertools
import math
import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

import activepu as apu
from activepu.hypotheses import Box
from activepu.hypotheses.halfspaces import Halfspace

DELTA = 0.1
FIRST_SEED = 1000
"""The settings of UnknownPrior were tuned on seeds below."""
LEARNERS = {"UnknownPrior": apu.UnknownPrior, "PassivePU": apu.PassivePU}


@dataclass(frozen=True)
class World:
    hypotheses: apu.hypotheses.HypothesisClass
    truth: apu.hypotheses.Hypothesis
    dim: int


def closed(H, low, high) -> World:
    return World(H, Box(H.bind(len(low)), np.array(low), np.array(high)), len(low))


def tail(w, b, X):
    return X @ w >= b


def outside(a, b, X):
    return (X[:, 0] < a) | (X[:, 0] > b)


def sparse(prior: float) -> World:
    """300 random halfspaces of R^4, far from each other."""
    rng = np.random.default_rng(7)
    W, X = rng.normal(size=(300, 4)), rng.random((50_000, 4))
    shares = np.append(prior, rng.uniform(0.02, 0.6, 299))
    H = apu.FiniteClass([partial(tail, w, np.quantile(X @ w, 1 - share)) for w, share in zip(W, shares, strict=True)])
    return World(H, H.bind(4).member(0), 4)


def dense(prior: float) -> World:
    """210 complements of intervals, ends on a grid: each rule has near neighbours."""
    ends = list(itertools.combinations(range(21), 2))
    H = apu.FiniteClass([partial(outside, a / 20, b / 20) for a, b in ends])
    first = 3 if prior == 0.3 else 1
    return World(H, H.bind(1).member(ends.index((first, first + round(20 * (1 - prior))))), 1)


def halfspaces(prior: float) -> World:
    H = apu.Halfspaces()
    return World(H, Halfspace(H.bind(2), [1.0, 1.0], 2 - math.sqrt(2 * prior)), 2)


WORLDS: dict[str, Callable[[float], World]] = {
    "thresholds": lambda p: closed(apu.Thresholds(), [1 - p], [math.inf]),
    "intervals": lambda p: closed(apu.Intervals(), [0.35], [0.35 + p]),
    "boxes": lambda p: closed(apu.Boxes(), [0.2, 0.25], [0.2 + p**0.5, 0.25 + p**0.5]),
    "orthants": lambda p: closed(apu.Orthants(), [1 - p**0.5] * 2, [math.inf] * 2),
    "halfspaces": halfspaces,
    "finite, sparse": sparse,
    "finite, dense": dense,
}


@cache
def world(name: str, prior: float) -> World:
    return WORLDS[name](prior)


Cell = tuple[str, str, float, float, float]


def outcome(job: tuple[Cell, int]) -> tuple[Cell, int, float, bool]:
    (learner, name, prior, epsilon, rate), seed = job
    w = world(name, prior)
    sampler = apu.Sampler(lambda n, rng: rng.random((n, w.dim)), w.dim)
    expert = apu.SimulatedExpert(w.truth.predict, rate, seed)
    result = apu.learn(LEARNERS[learner](w.hypotheses, epsilon, DELTA), sampler, expert, seed=seed)
    X = np.random.default_rng([seed, 5]).random((50_000, w.dim))
    error = float((result.predict(X) != w.truth.predict(X)).mean())
    return job[0], result.n_queries, error, result.version_space.allows(w.truth)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", default="", help="worlds whose name contains this")
    parser.add_argument("--epsilon", type=float, nargs="+", default=(0.1, 0.05))
    parser.add_argument("--learner", choices=LEARNERS, action="append")
    chosen = parser.parse_args()
    names = [name for name in WORLDS if chosen.only in name]
    cells = list(itertools.product(chosen.learner or LEARNERS, names, (0.3, 0.1), chosen.epsilon, (1.0, 0.5, 0.2)))
    print(
        f"{'learner':<14}{'class':<16}{'π':>5}{'ε':>6}{'ω':>5}{'mean':>9}{'±':>7}{'largest':>9}{'wrong':>7}{'lost':>6}"
    )
    with multiprocessing.get_context("spawn").Pool(chosen.jobs) as pool:
        for cell in cells:
            seeds = range(FIRST_SEED, FIRST_SEED + chosen.seeds)
            outs = pool.map(outcome, [(cell, seed) for seed in seeds], chunksize=1)
            counts = np.array([count for _, count, _, _ in outs])
            spread = counts.std(ddof=1) / math.sqrt(len(counts)) if len(counts) > 1 else math.nan
            wrong, lost = sum(error > cell[3] for _, _, error, _ in outs), sum(not kept for *_, kept in outs)
            learner, name, prior, epsilon, rate = cell
            print(
                f"{learner:<14}{name:<16}{prior:>5g}{epsilon:>6g}{rate:>5g}{counts.mean():>9.0f}{spread:>7.1f}"
                f"{counts.max():>9}{wrong:>7}{lost:>6}",
                flush=True,
            )


if __name__ == "__main__":
    main()
