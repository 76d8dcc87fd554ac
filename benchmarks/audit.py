"""How many questions an audit takes, beside the fewest that any test could take, and what a fixed sample would take.

    python benchmarks/audit.py [--seeds 20] [--first-seed 100] [--worlds 0,1,2] [--wrong] [--engine bet|set|both]

A world is a pool of 20,000 items in five bands, as a model with this recall and precision would make them
(`activepu.planning.audits.bands`). The limit is ln(1/δ)/τ of `activepu.audit.allocation`: no test at level δ needs
fewer questions on average. The fixed sample has no guarantee that holds while looking: at this size, chosen before, a
uniform sample shows the target nine times in ten.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, replace

import numpy as np

from activepu.audit.targets import Target
from activepu.planning.audits.bands import Bands, guessed
from activepu.planning.audits.formulas import Formulas
from activepu.planning.audits.simulate import AuditSimulation

N, DELTA = 20_000, 0.05


@dataclass(frozen=True)
class World:
    """A pool and a model: the share of positives, the model's recall and precision, and the expert's rate."""

    prior: float
    recall: float
    precision: float
    rate: float

    @property
    def bands(self) -> Bands:
        """The pool."""
        return guessed(self.prior, self.recall, self.precision, N)


WORLDS = [
    World(0.1, 0.95, 0.9, 1.0),
    World(0.1, 0.95, 0.9, 0.5),
    World(0.1, 0.95, 0.9, 0.2),
    World(0.3, 0.95, 0.95, 0.5),
    World(0.05, 0.9, 0.9, 0.5),
]
WRONG = (0.9, 0.5, 0.3, 0.1, 0.01)
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
    bands = world.bands
    error, recall = bands.value("error"), bands.value("recall")
    formulas = Formulas(bands, world.rate, (world.rate, world.rate), DELTA)
    return [
        Case(world, target, formulas.limit(target), formulas.fixed(target) or math.nan)
        for target in (
            Target("error", error + 0.03),
            Target("error", error + 0.02),
            Target("recall", recall - 0.1),
            Target("recall", recall - 0.05),
        )
    ]


def questions(case: Case, engine: str, seed: int, wrong: bool) -> int:
    """How many questions one audit takes."""
    rate, target = case.world.rate, case.target
    bands = replace(case.world.bands, means=WRONG) if wrong else case.world.bands
    known = (rate, rate) if target.kind == "error" else None
    targets = ((target.kind, target.value),)
    return AuditSimulation(bands, rate, targets, DELTA, known, 0, None, 12_000, engine=engine).trial(seed).asked


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
            print(line + ("" if np.isnan(case.uniform) else f"   fixed sample {case.uniform:6.0f}"), flush=True)


if __name__ == "__main__":
    main()
