"""How many questions an audit takes, beside the fewest that any test could take, and what a fixed sample would take.

    python benchmarks/audit.py [--seeds 20] [--first-seed 100] [--worlds 0,1,2] [--wrong] [--engine bet|set|both]

A world is a pool of 20,000 items in five bands, as a model with this recall and precision would make them: two bands
are called positive (60% sure, 40% less sure, with nine in ten of the wrong ones), three are not (the 5% just below the
cut, the next 20% and the rest, with 80%, 15% and 5% of the missed positives). The limit is ln(1/δ)/τ of
`activepu.audit.allocation`: no test at level δ needs fewer questions on average. The uniform sample has no guarantee
that holds while looking: it is the size at which the normal approximation is as narrow.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import activepu as apu
from activepu.audit.allocation import worst_case
from activepu.audit.targets import Target

N, DELTA = 20_000, 0.05


@dataclass(frozen=True)
class World:
    """A pool and a model: the share of positives, the model's recall and precision, and the expert's rate."""

    prior: float
    recall: float
    precision: float
    rate: float

    def bands(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sizes of the bands, from the highest score to the lowest, and the positives in them."""
        positives = self.prior * N
        found = self.recall * positives
        called = found / self.precision
        wrong, missed, others = called - found, positives - found, N - called
        sizes = np.round([0.6 * called, 0.4 * called, 0.05 * others, 0.2 * others, 0.75 * others]).astype(int)
        inside = [0.6 * called - 0.1 * wrong, 0.4 * called - 0.9 * wrong]
        return sizes, np.minimum(np.round([*inside, 0.8 * missed, 0.15 * missed, 0.05 * missed]).astype(int), sizes)


WORLDS = [
    World(0.1, 0.95, 0.9, 1.0),
    World(0.1, 0.95, 0.9, 0.5),
    World(0.1, 0.95, 0.9, 0.2),
    World(0.3, 0.95, 0.95, 0.5),
    World(0.05, 0.9, 0.9, 0.5),
]
WRONG = np.array([0.9, 0.5, 0.3, 0.1, 0.01])
"""What a wrong model says about the bands, whatever is true."""


@dataclass(frozen=True)
class Case:
    """A world, a target, and what is known about the rate."""

    world: World
    target: Target
    limit: float
    uniform: float


def cases(world: World) -> list[Case]:
    """Error and recall a little worse than they are."""
    sizes, positives = world.bands()
    inside = np.array([True, True, False, False, False])
    called, found = sizes[inside].sum(), positives[inside].sum()
    error, recall = (called - found + positives[~inside].sum()) / sizes.sum(), found / positives.sum()
    made = []
    for target in (
        Target("error", error + 0.03),
        Target("error", error + 0.02),
        Target("recall", recall - 0.1),
        Target("recall", recall - 0.05),
    ):
        c = np.where(inside, -1.0, 1.0) if target.kind == "error" else target.value - inside
        v = target.value * sizes.sum() - called if target.kind == "error" else 0.0
        worst = worst_case(world.rate * positives / sizes, c * sizes, world.rate * v, world.rate)
        made.append(Case(world, target, worst.least_questions(DELTA), _uniform(world, target, error)))
    return made


def _uniform(world: World, target: Target, error: float) -> float:
    """The size of a uniform sample whose one-sided normal bound on the error is as narrow; none for recall."""
    if target.kind != "error":
        return float("nan")
    spread = world.prior * world.rate / world.rate**2  # the variance of ±reveal/ω is about π/ω
    return 1.645**2 * spread / (target.value - error) ** 2


def questions(case: Case, engine: str, seed: int, wrong: bool) -> int:
    """How many questions one audit takes."""
    sizes, positives = case.world.bands()
    rng = np.random.default_rng([7, seed])
    truth = np.concatenate([rng.permutation(np.arange(n) < a) for n, a in zip(sizes, positives, strict=True)])
    said = WRONG if wrong else positives / sizes
    band = np.repeat(np.arange(5), sizes)
    score = said[band] + 1e-6 * (4 - band)
    known = case.world.rate if case.target.kind == "error" else None
    learner = apu.Audit(
        band < 2,
        score=score,
        bands=np.unique(score)[1:].tolist(),
        delta=DELTA,
        rate=known,
        **{case.target.kind: case.target.value},
    )
    learner.engine = engine
    expert = apu.SimulatedExpert(truth, rate=case.world.rate, seed=seed)
    result = apu.learn(learner, np.arange(len(truth))[:, None], expert, seed=seed, budget=12_000)
    return result.n_queries


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--worlds", default="0,1,2,3,4")
    parser.add_argument("--targets", default="0,1,2,3")
    parser.add_argument("--engine", default="both", choices=["bet", "set", "both"])
    parser.add_argument("--wrong", action="store_true")
    given = parser.parse_args()
    engines = ["bet", "set"] if given.engine == "both" else [given.engine]
    print(f"mean questions over {given.seeds} seeds{', with a wrong model' if given.wrong else ''}")
    for number in given.worlds.split(","):
        world = WORLDS[int(number)]
        print(f"\nπ = {world.prior}, recall {world.recall}, precision {world.precision}, ω = {world.rate}")
        for k, case in enumerate(cases(world)):
            if str(k) not in given.targets.split(","):
                continue
            line = f"  {case.target!s:24} limit {case.limit:6.0f}"
            for engine in engines:
                took = [questions(case, engine, given.first_seed + s, given.wrong) for s in range(given.seeds)]
                error = np.std(took, ddof=1) / np.sqrt(len(took)) if len(took) > 1 else 0.0
                line += f"   {engine} {np.mean(took):6.0f} ± {error:4.0f} ({np.mean(took) / case.limit:4.2f})"
            print(line + ("" if np.isnan(case.uniform) else f"   uniform {case.uniform:6.0f}"), flush=True)


if __name__ == "__main__":
    main()
