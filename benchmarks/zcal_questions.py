"""How many questions does Z-CAL need until its certificate says: error ≤ ε?

    python benchmarks/zcal_questions.py [--seeds 50] [--jobs 2] [--only boxes] [--budget 3000]

A pool of 20,000 items, δ = .05, a share of positives near .3 (near .01 in the rare world), the truth drawn anew for
every seed. One line per world, with the reveal rate ω known or not:

    mean, 90%   questions until the certificate; a run that used up its budget counts as the budget, and makes it "≥"
    limit       log2(#) / C_Z(ω), what no learner can beat by much: # hypotheses that differ by ε or more are told apart
                through a channel of capacity C_Z. Counted are (1/ε)^sides: 1 for thresholds, 2 for intervals, a line
                and each axis of a box, 1 for each axis of an orthant; and 10,000 for the finite class.
    target      what is aimed at
    lost        the share of runs in which the truth fell out of the version space, which must be ≤ δ (but for chance)
    err/bound   the largest quotient of the actual error on the pool and the certified one, where the truth was kept
    open        runs that used up the budget
    random      the mean of the same learner if it asks any undecided item: same predictions, same confidence set, same
                certificate
    plain       the same until no more than a share ε is undecided: without the radius of what stands

Ctrl-C ends it with the table of what is there. `--keep FILE` notes every run there, and does not repeat those that are
there already. Times are those of a process of its own with one thread.
"""

from __future__ import annotations

import os

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

import argparse
import fnmatch
import json
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import activepu as apu
from activepu.channel import capacity
from activepu.hypotheses.boxlike import BoxLike
from activepu.hypotheses.halfspaces import Halfspace
from activepu.zcal import learner as zcal
from activepu.zcal.acquisition import Acquisition, Open
from activepu.zcal.posteriors import Posterior
from activepu.zcal.radius import ball

POOL, DELTA, PRIOR = 20_000, 0.05, 0.3
MEMBERS = 10_000
LEAST_RATIO = 2.0
"""How many times as many questions the random choice must need."""

Rng = np.random.Generator
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """A class, a pool, and the truth: its number in a finite class, a rule, or else the labels alone."""

    hypotheses: apu.HypothesisClass
    points: Floats
    labels: NDArray[np.bool_]
    truth: int | Halfspace | None = None

    def stands(self, V: apu.VersionSpace) -> bool:
        """Whether the truth is in V."""
        H = V.hypotheses
        if isinstance(self.truth, int):
            assert isinstance(H, apu.FiniteClass)
            return V.allows(H.member(self.truth))
        if isinstance(H, BoxLike):
            return V.allows(H.closure(H.encode(self.points[self.labels])))
        assert self.truth is not None
        return V.allows(self.truth)


def thresholds(rng: Rng, prior: float = PRIOR) -> Problem:
    x = rng.random((POOL, 1))
    return Problem(apu.Thresholds(), x, x[:, 0] >= 1 - prior * (1 + 0.3 * (rng.random() - 0.5)))


def boxes(rng: Rng, dim: int, hypotheses: Callable[[], apu.HypothesisClass] = apu.Boxes) -> Problem:
    x, sides = rng.random((POOL, dim)), _sides(rng, dim)
    low = rng.random(dim) * (1 - sides)
    return Problem(hypotheses(), x, ((x >= low) & (x <= low + sides)).all(axis=1))


def orthants(rng: Rng, dim: int) -> Problem:
    x = rng.random((POOL, dim))
    return Problem(apu.Orthants(), x, (x >= 1 - _sides(rng, dim)).all(axis=1))


def _sides(rng: Rng, dim: int) -> Floats:
    """Lengths that differ a little, with the prior as their product."""
    shares = rng.dirichlet(np.full(dim, 20.0))
    return np.asarray(PRIOR**shares)


def halfspaces(rng: Rng) -> Problem:
    x, angle = rng.normal(size=(POOL, 2)), 2 * np.pi * rng.random()
    truth = Halfspace(apu.Halfspaces(2), [np.cos(angle), np.sin(angle)], 0.524 + 0.1 * (rng.random() - 0.5))
    return Problem(apu.Halfspaces(), x, truth.contains(x), truth)


def finite(rng: Rng) -> Problem:
    """10,000 boxes of the plane with random corners; the truth is one of those that hold about the prior."""
    x = rng.random((POOL, 2))
    corners = np.sort(rng.random((MEMBERS, 2, 2)), axis=1)
    mass = np.prod(corners[:, 1] - corners[:, 0], axis=1)
    truth = int(rng.choice(np.flatnonzero(abs(mass - PRIOR) < 0.03)))
    return Problem(
        apu.FiniteClass([partial(_inside, low, high) for low, high in corners]), x, _inside(*corners[truth], x), truth
    )


def _inside(low: Floats, high: Floats, x: Floats) -> NDArray[np.bool_]:
    return np.asarray(((x >= low) & (x <= high)).all(axis=1))


@dataclass(frozen=True)
class World:
    """A problem with its rate and ε, the targets with ω known and unknown, and whether random choice is tried too."""

    name: str
    make: Callable[[Rng], Problem]
    omega: float
    epsilon: float
    sides: int | None
    targets: tuple[float | None, float | None] = (None, None)
    against_random: bool = False

    @property
    def limit(self) -> float:
        bits = np.log2(MEMBERS) if self.sides is None else self.sides * np.log2(1 / self.epsilon)
        return float(bits / capacity(self.omega))


THRESHOLDS = [
    (1.0, 0.1, 3, 25),
    (1.0, 0.01, 6, 28),
    (0.5, 0.1, 12, 56),
    (0.5, 0.01, 26, 66),
    (0.2, 0.1, 39, 180),
    (0.2, 0.01, 79, 200),
]
WORLDS = [
    *(World("thresholds", thresholds, omega, eps, 1, goals) for omega, eps, *goals in THRESHOLDS),
    World("rare thresholds", partial(thresholds, prior=0.01), 0.5, 0.002, 1),
    World("intervals", partial(boxes, dim=1, hypotheses=apu.Intervals), 0.5, 0.05, 2, (65, 110)),
    World("2-D boxes", partial(boxes, dim=2), 0.5, 0.05, 4, (180, 260)),
    World("5-D boxes", partial(boxes, dim=5), 0.5, 0.1, 10, against_random=True),
    World("5-D orthants", partial(orthants, dim=5), 0.5, 0.1, 5, against_random=True),
    World("halfspaces", halfspaces, 0.5, 0.1, 2, against_random=True),
    World("finite class", finite, 0.5, 0.05, None, against_random=True),
]


class RandomChoice(Acquisition):
    """Any undecided item, as likely as any other."""

    def best(self, posterior: Posterior, group: int, waiting: list[Open]) -> tuple[int, float] | None:
        rows = self._some(self.standing.undecided, 1)
        return (int(rows[0]), float(posterior.predict(self.points[rows], group).q[0])) if len(rows) else None


@dataclass(frozen=True)
class Cell:
    """One mean of the table: a world (by number), what the learner knows, and how it chooses and is certified."""

    world: int
    known: bool
    random: bool = False
    plain: bool = False

    def __str__(self) -> str:
        world = WORLDS[self.world]
        how = " random" * self.random + " plain" * self.plain
        return f"{world.name} ω={world.omega:g} ε={world.epsilon:g} {'known' if self.known else 'unknown'}{how}"


@dataclass(frozen=True)
class Outcome:
    """`questions` is the budget in a run that did not finish; `quotient` is actual error / bound."""

    questions: int
    lost: bool
    finished: bool
    quotient: float
    seconds: float


def outcome(cell: Cell, seed: int, budget: int) -> Outcome:
    world = WORLDS[cell.world]
    problem = world.make(np.random.default_rng([seed, 2024]))
    learner = apu.ZCal(problem.hypotheses, world.epsilon, DELTA, rate=world.omega if cell.known else None, check=0)
    expert = apu.SimulatedExpert(problem.labels, rate=world.omega, seed=seed)
    asked = 0

    def count(run: apu.Run) -> None:
        nonlocal asked
        asked = run.n_answered

    start = time.perf_counter()
    try:
        with (
            patch.object(zcal, "Acquisition", RandomChoice if cell.random else Acquisition),
            patch.object(zcal, "ball", ball.dispatch(object) if cell.plain else ball),
        ):
            result = apu.learn(learner, problem.points, expert, seed=seed, budget=budget, progress=count)
    except apu.AssumptionsViolated:
        return Outcome(asked + 1, True, True, np.nan, time.perf_counter() - start)
    seconds = time.perf_counter() - start
    bound = result.certificate.error_bound
    wrong = float(np.mean(result.predict(problem.points) != problem.labels))
    finished = bound <= world.epsilon
    quotient = wrong / max(bound, 1e-300) if wrong else 0.0
    return Outcome(asked if finished else budget, not problem.stands(result.version_space), finished, quotient, seconds)


Job = tuple[Cell, int, int]
"""A cell, a seed and a budget."""


def task(job: Job) -> tuple[Job, Outcome]:
    return job, outcome(*job)


def ignore_interrupts() -> None:
    """Ctrl-C is for the process that prints."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def outcomes(jobs: list[Job], processes: int, keep: Path | None) -> dict[Cell, list[Outcome]]:
    """As many as there is patience for."""
    found: dict[Cell, list[Outcome]] = {}
    there = kept(keep) if keep is not None and keep.exists() else {}
    for cell, *rest in jobs:
        if (str(cell), *rest) in there:
            found.setdefault(cell, []).append(there[str(cell), *rest])
    jobs = [job for job in jobs if (str(job[0]), *job[1:]) not in there]
    start = time.perf_counter()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with multiprocessing.get_context("spawn").Pool(processes, ignore_interrupts) as pool:
        try:
            for done, (job, out) in enumerate(pool.imap_unordered(task, jobs), 1):
                found.setdefault(job[0], []).append(out)
                if keep is not None:
                    with keep.open("a", encoding="utf-8") as file:
                        print(json.dumps([str(job[0]), *job[1:], asdict(out)]), file=file)
                spent = time.perf_counter() - start
                print(f"\r{done}/{len(jobs)} runs, {spent / 60:.1f} min  ", end="", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            print("\nInterrupted; this is what there is.", file=sys.stderr)
            pool.terminate()
    print(file=sys.stderr)
    return found


def kept(file: Path) -> dict[tuple[str, ...], Outcome]:
    """What `--keep` has noted, by line, seed and budget; a line that a kill cut short does not count."""
    whole = [line for line in file.read_text(encoding="utf-8").splitlines() if line.endswith("}]")]
    return {tuple(key): Outcome(**out) for *key, out in map(json.loads, whole)}


def mean(outs: list[Outcome]) -> tuple[float, str]:
    """Of the runs that kept the truth; with ≥ if some did not finish."""
    kept = [out for out in outs if not out.lost] or outs
    value = float(np.mean([out.questions for out in kept]))
    return value, ("" if all(out.finished for out in kept) else "≥") + f"{value:.1f}"


def lines(found: dict[Cell, list[Outcome]]) -> Iterator[str]:
    yield (
        f"{'world':<17}{'ω':>4}{'':>9}{'ε':>7}{'runs':>6}{'mean':>9}{'90%':>7}{'limit':>8}{'×':>6}{'target':>8}{'':>8}"
        f"{'lost':>7}{'err/bound':>11}{'open':>6}{'ms/q':>7}{'random':>9}{'×':>7}{'':7}{'plain':>9}{'×':>7}"
    )
    for cell in sorted((cell for cell in found if not cell.random), key=lambda cell: (cell.world, not cell.known)):
        world, outs = WORLDS[cell.world], found[cell]
        value, text = mean(outs)
        late = np.quantile([out.questions for out in outs], 0.9)
        target = world.targets[0 if cell.known else 1]
        verdict = "" if target is None else "met" if value <= target else "MISSED"
        quotients = [out.quotient for out in outs if not out.lost]
        pace = 1000 * sum(out.seconds for out in outs) / max(1, sum(out.questions for out in outs))
        knowledge = "known" if cell.known else "unknown"
        line = (
            f"{world.name:<17}{world.omega:>4g}  {knowledge:<7}{world.epsilon:>7g}{len(outs):>6}"
            f"{text:>9}{late:>7.0f}{world.limit:>8.1f}{value / world.limit:>6.1f}{target or '':>8}{verdict:>8}"
            f"{np.mean([out.lost for out in outs]):>7.0%}{max(quotients, default=np.nan):>11.2f}"
            f"{sum(not out.finished for out in outs):>6}{pace:>7.1f}"
        )
        for plain in (False, True):
            if others := found.get(Cell(cell.world, cell.known, random=True, plain=plain)):
                much, text = mean(others)
                line += f"{text:>9}{much / value:>7.1f}{'' if much >= LEAST_RATIO * value else ' MISSED':7}"
        yield line.rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--random-seeds", type=int, help="runs of the random choice: a fifth of the seeds if not given")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", default="", help="lines whose name, ω, ε and knowledge contain this, or match its *")
    parser.add_argument("--budget", type=int, default=3000, help="questions after which a run is given up")
    parser.add_argument("--keep", type=Path, help="a file to which every run is added, and from which it is taken")
    chosen = parser.parse_args()
    cells = [Cell(k, known) for k in range(len(WORLDS)) for known in (True, False)]
    cells += [
        Cell(c.world, c.known, True, plain) for c in cells if WORLDS[c.world].against_random for plain in (False, True)
    ]
    cells = [cell for cell in cells if fnmatch.fnmatchcase(str(cell), f"*{chosen.only}*")]
    if not cells:
        sys.exit(f"No line matches --only {chosen.only!r}; there are, among others: {Cell(0, True)}, {Cell(8, False)}.")
    few = max(1, chosen.seeds // 5) if chosen.random_seeds is None else chosen.random_seeds
    jobs = [
        (cell, seed, chosen.budget)
        for seed in range(max(chosen.seeds, few))
        for cell in cells
        if seed < (few if cell.random else chosen.seeds)
    ]
    for line in lines(outcomes(jobs, chosen.jobs, chosen.keep)):
        print(line)


if __name__ == "__main__":
    main()
