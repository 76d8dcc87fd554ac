"""How well π, the share of positives, is known: estimates after 200 questions, and what a bound of it saves.

    python benchmarks/prior.py [--seeds 10] [--questions 200] [--jobs 2]

The named comparison is CAPe: Perini, Vercruyssen and Davis, "Class prior estimation in active positive and unlabeled
learning", IJCAI 2020. **This is our reading of it from secondary sources**: its abstract, a published review, and the
authors' public repository, which was read to see what is computed; nothing is copied. The paper was not at hand.

    rank the items that the model calls positive: first the asked ones in their order, then the least certain ones
    e(x) = ω · P(x is asked), if n of the ranked items are drawn at random with x among them, and questions are put in
           the order of the ranks until k are revealed; averaged over n from 8% to 15% of the ranked items
    π̂   = the mean over all items of 1 where revealed, elsewhere p(x)(1 − e(x))/(1 − p(x)e(x)), p(x) = P(y = 1 | x)

k is the number of reveals so far. The last line is E[y | x, revealed or not] if e is the propensity. Read in two ways:
- "e / Σe": the propensities divided by their sum, as the authors' program does. They are then of the order 1/N.
- "e": the propensities as they are.
What CAPe gets here is better than what its authors give it: p is fitted through the channel, and ω is the true one.

Beside it: `ModelLearner` by margin, as CAPe, and with its own strategy, both without ω: an estimate, with an interval
that is not proved; and Z-CAL where its class holds the truth: a confidence set at 95%, and its middle as the estimate.
It stops once its error is at most 5%.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import binom, hypergeom
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import ExtraTreesClassifier

import activepu as apu

RATES = (1.0, 0.5, 0.2)
DELTA = 0.05
METHODS = ("CAPe, e / Σe", "CAPe, e", "ModelLearner, margin", "ModelLearner, information", "Z-CAL")


def worlds(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, apu.HypothesisClass | None]:
    """Rows, labels, and a class that holds the truth where there is one."""
    rng = np.random.default_rng([7, seed])
    if name == "box":
        X = rng.random((2000, 2))
        return X, ((X > 0.2) & (X < 0.75)).all(axis=1), apu.Boxes()
    if name == "two Gaussians":
        y = rng.random(2000) < 0.3
        return rng.normal(size=(2000, 5)) + np.where(y, 1.0, 0.0)[:, None], y, None
    data = {"breast cancer": load_breast_cancer, "digits": load_digits}[name]()
    return data.data, data.target == {"breast cancer": 0, "digits": 8}[name], None


def propensities(ranks: int, reveals: int, rate: float, certain: float) -> np.ndarray:
    """e for every rank: rate · P(fewer than `reveals` of the earlier items are revealed, each with chance `certain`).

    Of n items with x among them, j ~ Hypergeometric(ranks − 1, rank, n − 1) come before x.
    """
    found = np.zeros(ranks)
    sizes = np.unique(np.linspace(0.08 * ranks, 0.15 * ranks, 8).astype(int).clip(1))
    for n in sizes:
        j = np.arange(n)
        asked = binom.cdf(reveals - 1, j, certain)
        found += hypergeom.pmf(j[None, :], ranks - 1, np.arange(ranks)[:, None], n - 1) @ asked
    return rate * found / len(sizes)


def cape(p: np.ndarray, asked: list[int], revealed: np.ndarray, rate: float) -> dict[str, float]:
    """π̂, with the propensities divided by their sum and as they are; see the head of the file."""
    first = np.full(len(p), len(asked))
    first[asked] = np.arange(len(asked))
    ranking = np.lexsort([np.abs(p - 0.5), first])
    ranking = ranking[(p[ranking] >= 0.5) | revealed[ranking]]
    e = np.zeros(len(p))
    e[ranking] = propensities(len(ranking), int(revealed.sum()), rate, rate * float(p[ranking].mean()))
    total = max(e.sum(), 1e-12)
    return {
        name: float(np.where(revealed, 1.0, p * (1 - own) / np.maximum(1 - p * own, 1e-12)).mean())
        for name, own in (("CAPe, e / Σe", e / total), ("CAPe, e", e))
    }


def forest() -> Any:
    return ExtraTreesClassifier(50, bootstrap=True)


def one(name: str, rate: float, seed: int, questions: int) -> dict[str, tuple[float, float, float]]:
    """Per method: estimate, and the interval where there is one."""
    X, y, H = worlds(name, seed)
    expert, found = apu.SimulatedExpert(y, rate=rate, seed=seed), {}

    def run(learner: Any, batch: int = 10) -> Any:
        return apu.learn(learner, X, expert, seed=seed, budget=questions, batch=batch)

    for strategy in ("margin", "information"):
        result = run(apu.ModelLearner(forest(), strategy, patience=None))
        prior = result.prior or apu.Bounds(0.0, 1.0, 0.0, 0.0)  # no positive is known yet
        found[f"ModelLearner, {strategy}"] = prior.estimate, prior.low, prior.high
    told = run(apu.ModelLearner(forest(), "margin", rate=rate, patience=None))
    revealed = np.zeros(len(X), bool)
    revealed[[i for i, a in zip(told.history["item"], told.history["answer"], strict=True) if a]] = True
    p = told.predict_proba(X)[:, 1]
    for method, estimate in cape(p, told.history["item"], revealed, rate).items():
        found[method] = estimate, np.nan, np.nan
    if H is not None:
        prior = run(apu.ZCal(H, 0.05, DELTA, check=0), batch=1).prior
        found["Z-CAL"] = (prior.low + prior.high) / 2, prior.low, prior.high
    return {method: tuple(value - y.mean() for value in values) for method, values in found.items()}


def estimates(seeds: int, questions: int, jobs: int) -> None:
    print(f"\n|π̂ − π| after {questions} questions, mean of {seeds} seeds (width of the interval, how often it holds π)")
    print(f"| world | ω | {' | '.join(METHODS)} |\n|---|---|{'---|' * len(METHODS)}")
    for name in ("box", "two Gaussians", "breast cancer", "digits"):
        for rate in RATES:
            runs = Parallel(jobs)(delayed(one)(name, rate, seed, questions) for seed in range(seeds))
            cells = []
            for method in METHODS:
                if method not in runs[0]:
                    cells.append("–")
                    continue
                off, low, high = np.array([run[method] for run in runs]).T
                cell = f"{np.abs(off).mean():.3f}"
                if np.isfinite(low).all():
                    cell += f" ({(high - low).mean():.2f}, {((low <= 0) & (high >= 0)).sum()}/{seeds})"
                cells.append(cell)
            share = worlds(name, 0)[1].mean()
            print(f"| {name}, π = {share:.2f} | {rate:g} | {' | '.join(cells)} |", flush=True)


def savings(seeds: int, jobs: int) -> None:
    """What a bound of π saves passive learning: ω = 0.5, 2-D boxes of mass π in the unit square."""

    def asked(prior: float, epsilon: float, told: float | None, seed: int) -> int:
        side = prior**0.5
        sampler = apu.Sampler(lambda n, rng: rng.random((n, 2)), 2)
        expert = apu.SimulatedExpert(lambda X: (side > X).all(axis=1), rate=0.5, seed=seed)
        return apu.learn(apu.PassivePU(apu.Boxes(), epsilon, 0.1, told), sampler, expert, seed=seed).n_queries

    print(f"\nPassivePU, mean questions of {seeds} seeds: π may be 1, is observed, or is given")
    print("| π | ε | prior=1 | prior=None | prior=π |\n|---|---|---|---|---|")
    for prior, epsilon in ((0.3, 0.1), (0.3, 0.02), (0.1, 0.02), (0.02, 0.01)):
        means = [
            np.mean(Parallel(jobs)(delayed(asked)(prior, epsilon, told, seed) for seed in range(seeds)))
            for told in (1.0, None, prior)
        ]
        print(f"| {prior:g} | {epsilon:g} | {' | '.join(f'{mean:,.0f}' for mean in means)} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    savings(options.seeds, options.jobs)
    estimates(options.seeds, options.questions, options.jobs)
