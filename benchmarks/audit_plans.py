"""How many questions does an audit take, and how many did its plan say?

    python benchmarks/audit_plans.py [--seeds 10] [--rate 0.6]

Each world is a pool with true labels and a classifier. `plan(Audit(…), pool=…)` sees the pool and the classifier; the
audits are run with the true labels and an expert who confirms a positive with the given probability, one question at a
time, as in the plan. `lower by 10` is the plan's row for a recall and a precision that are ten points lower, `told` the
plan that is told the true recall and precision. An audit that asks about every item without its end counts with all of
them. The worlds:

- digits: an 8 or not, by a logistic regression that was fitted on half of the rows; the pool is the other half.
- cancer: the same with the breast cancer table; benign is positive.
- rare: 8,000 made-up rows, 1.5% of them positive, by a model that was fitted on another 8,000.
- wrong: the same table and score, but the model calls half of its sure items negative and is too sure of the others.
- shifted: 4,000 rows in which the model's log-odds are 1.5 too low.
"""

from __future__ import annotations

import os

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

import argparse
from typing import Any

import numpy as np
from scipy.special import expit, logit
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import activepu as apu

World = tuple[np.ndarray, np.ndarray, np.ndarray, float]
"""The pool, its labels, the probabilities that the model gives, and the recall to certify."""


def fitted(X: np.ndarray, y: np.ndarray, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit on one half; return the other one, its labels and its probabilities."""
    half = np.random.default_rng(seed).random(len(X)) < 0.5
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[half], y[half])
    return X[~half], y[~half], model.predict_proba(X[~half])[:, 1]


def made_up(n: int, prior: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows with skewed columns, of which this share is positive."""
    rng = np.random.default_rng(1)
    X = rng.lognormal(0, 1, (n, 5))
    odd = 4 * np.log(X[:, 0]) + 3 * np.log(X[:, 1]) + 0.6 * rng.logistic(size=n)
    return np.log(X), odd > np.quantile(odd, 1 - prior)


def worlds() -> dict[str, World]:
    """Return the worlds by name."""
    digits, cancer = load_digits(), load_breast_cancer()
    rare = fitted(*made_up(16_000, 0.015))
    X, y, p = fitted(*made_up(8_000, 0.1))
    sure = (rare[2] > 0.5) & (np.arange(len(rare[2])) % 2 == 0)
    wrong = np.where(sure, 0.2, np.clip(1.5 * rare[2], 0, 0.999))
    return {
        "digits": (*fitted(digits.data, digits.target == 8), 0.5),
        "cancer": (*fitted(cancer.data, cancer.target == 1), 0.9),
        "rare": (*rare, 0.4),
        "wrong": (rare[0], rare[1], wrong, 0.2),
        "shifted": (X, y, expit(logit(p) - 1.5), 0.4),
    }


def audit_of(p: np.ndarray, recall: float) -> apu.Audit:
    """Return the audit of a model with these probabilities."""
    return apu.Audit(p > 0.5, score=p, recall=recall)


def asked(world: World, rate: float, seed: int) -> tuple[int, bool]:
    """Return the questions of an audit with the true labels, and whether it came to its end."""
    X, y, p, recall = world
    expert = apu.SimulatedExpert(y, rate=rate, seed=seed)
    result: Any = apu.learn(audit_of(p, recall), X, expert, seed=seed)
    return result.n_queries, "certified" in str(result.stop_reason)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rate", type=float, default=0.6)
    parser.add_argument("--worlds", default=",".join(worlds()))
    given = parser.parse_args()
    print("world     items  positive  true recall (said)  target  planned  lower by 10  told  real  certified")
    for name in given.worlds.split(","):
        world = worlds()[name]
        X, y, p, recall = world
        found = [asked(world, given.rate, seed) for seed in range(given.seeds)]
        plan = apu.plan(audit_of(p, recall), pool=X, rate=given.rate, runs=given.seeds)
        true = {"model_recall": y[p > 0.5].sum() / y.sum(), "model_precision": y[p > 0.5].mean()}
        told = apu.plan(audit_of(p, recall), pool=X, rate=given.rate, runs=given.seeds, **true)
        (planned, *_), (lower, *_), (right, *_) = (
            [row.questions for row in each.rows if row.kind == "simulated" and row.method.startswith(method)] or [None]
            for each, method in ((plan, "Audit"), (plan, "10"), (told, "Audit"))
        )
        print(
            f"{name:8} {len(X):6,} {y.mean():9.1%} {true['model_recall']:9.2f} ({plan.guess.model_recall:.2f})"
            f" {recall:12.2f} {planned!s:>8} {lower!s:>11} {right!s:>5} {np.mean([n for n, _ in found]):5.0f}"
            f" {np.mean([end for _, end in found]):9.0%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
