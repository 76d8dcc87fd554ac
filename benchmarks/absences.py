"""What an absence costs: how many questions are saved by answers that wait for an expert who is away.

    python benchmarks/absences.py [--seeds 20] [--first-seed 0] [--answers 60]

Boxes of the plane, ω = 0.5 and unknown, ε = 0.05, δ = 0.05, 10,000 items. After a third of the questions that the run
takes without an absence, an expert is shown a question and leaves. Others answer 60 more questions, which cannot count
yet. Then the question is over, because of its deadline, and the run goes on. *Saved* is how many fewer questions
follow than would have followed without those 60; at most 60, apart from chance. Runs of fewer than 150 questions are
left out.
"""

from __future__ import annotations

import os

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

import argparse

import numpy as np

import activepu as apu
from activepu.hashing import uniforms

FEWEST = 150


class World:
    """A box, and an expert whose coins depend on the item alone."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.rows, sides = rng.random((10_000, 2)), rng.uniform(0.45, 0.65, 2)
        low = rng.random(2) * (1 - sides)
        self.positive = ((self.rows >= low) & (self.rows <= low + sides)).all(axis=1)
        self.revealed = self.positive & (uniforms(seed, "coin", np.arange(10_000)) < 0.5)
        self.learner = apu.ZCal(apu.Boxes(), 0.05, 0.05, check=0)
        self.seed = seed

    def run(self) -> apu.Run:
        return apu.Run(self.learner, self.rows, seed=self.seed)

    def answer(self, run: apu.Run, n: int) -> int:
        """Answer n questions, one after another; how many were put."""
        for k in range(n):
            put = run.ask()
            if not put:
                return k
            run.tell(put[0], bool(self.revealed[put[0].item]))
        return n


def saved(seed: int, answers: int) -> tuple[int, int]:
    """Questions without an absence, and how many were saved by the answers that came during one."""
    world = World(seed)
    calm = world.answer(world.run(), 10**6)
    if calm < FEWEST:
        return calm, 0
    before = calm // 3
    run = world.run()
    world.answer(run, before)
    (held,) = run.ask()
    world.answer(run, answers)
    run.tell(held, apu.TIMEOUT)
    return calm, calm - before - world.answer(run, 10**6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--answers", type=int, default=60)
    options = parser.parse_args()
    found = []
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        calm, fewer = saved(seed, options.answers)
        if calm >= FEWEST:
            found.append(fewer)
            print(f"seed {seed:3}: {calm:4} questions without an absence, {fewer:4} saved", flush=True)
    error = np.std(found, ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.nan
    print(f"{len(found)} runs of {FEWEST} questions or more: saved {np.mean(found):.1f} ± {error:.1f}; aim: 45 or more")


if __name__ == "__main__":
    main()
