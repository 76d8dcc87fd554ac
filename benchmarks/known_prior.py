"""What a smaller capped sample S costs `KnownPrior` over halfspaces off a table: questions, and seconds per question.

    python benchmarks/known_prior.py [--seeds 3]

D is normal, π = 0.3, ω = 0.5, δ = 0.1, at most 400 questions; seconds of the processor. A run that does not reach ε is
counted with its 400 questions.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy.stats import norm

import activepu as apu
from activepu.version_spaces import halfspaces

PRIOR = 0.3
CELLS = {
    (2, 0.1): (1_000, 3_000, 10_000, 30_000, 100_000),
    (2, 0.03): (10_000, 30_000, 100_000),
    (3, 0.1): (300, 1_000, 3_000),
    (5, 0.1): (300, 1_000, 3_000),
}


def one(dim: int, epsilon: float, seed: int) -> tuple[int, float, bool]:
    """Questions, seconds, and whether ε was reached."""
    direction, cut = np.ones(dim) / dim**0.5, norm.isf(PRIOR)
    sampler = apu.Sampler(lambda n, rng: rng.standard_normal((n, dim)), dim)
    expert = apu.SimulatedExpert(lambda X: X @ direction >= cut, rate=0.5, seed=seed)
    start = time.process_time()
    result = apu.learn(apu.KnownPrior(apu.Halfspaces(), epsilon, 0.1, PRIOR), sampler, expert, seed=seed, budget=400)
    return result.n_queries, time.process_time() - start, result.certificate.error_bound <= epsilon


def main(seeds: int) -> None:
    print("| dimensions | ε | rows of S | questions | seconds per question | reached ε |\n|---|---|---|---|---|---|")
    for (dim, epsilon), sizes in CELLS.items():
        for size in sizes:
            halfspaces.MOST_PLANAR = halfspaces.MOST_SAMPLED = size
            asked, took, reached = np.array([one(dim, epsilon, seed) for seed in range(seeds)]).T
            each = took.sum() / asked.sum()
            met = f"{reached.sum():.0f} of {seeds}"
            print(f"| {dim} | {epsilon:g} | {size:,} | {asked.mean():.0f} | {each:.3f} | {met} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    main(parser.parse_args().seeds)
