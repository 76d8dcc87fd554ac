"""Learn a model, then audit it, in one run: is the certified recall true, and how many questions did it take?

    python benchmarks/learn_then_audit.py --data FOLDER [--runs 20] [--budget 1200] [tables …]

The folder has `.npz` files with `X` and `y`, such as those of ADBench. Every run learns with a forest, by default from
at most 200 answers or a third of the table, then audits the model with the questions that are left of the budget. A
line per table and reveal rate: in how many runs the recall was certified, in how many a statement was false (of the
recall at rung 1, and of the two at rung 0), and the questions.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

import activepu as apu

TABLES = ("breastw", "cardio", "pageblocks")
RATES = (0.5, 0.8)


def truth(result: apu.Result, y: Any, expert: apu.SimulatedExpert, X: Any) -> dict[str, float]:
    """The true recalls of the model on the items that its audit speaks of."""
    pool = apu.Pool(X)
    phases = np.array(result.history["phase"])
    asked = np.array(result.history["item"])[phases == "model"]
    rest = ~np.isin(pool.coins, pool.coins[asked])
    called = result.predict(X)
    confirmable = expert.answer(pool.coins, None).astype(bool)
    in_hand = int((confirmable & ~rest).sum())

    def recall(of: Any, found: int = 0) -> float:
        return float((found + (of & called & rest).sum()) / max(1, found + (of & rest).sum()))

    return {
        "recall": recall(y),
        "confirmable recall": recall(confirmable),
        "overall confirmable recall": recall(confirmable, in_hand),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--budget", type=int, default=1200)
    parser.add_argument("--recall", type=float, default=0.7)
    parser.add_argument("--delta", type=float, default=0.05)
    options = parser.parse_args()
    print("table       rate  true recall  certified  false  learning  audit (median)  rows")
    for name in options.tables:
        data = np.load(options.data / f"{name}.npz")
        X, y = data["X"], data["y"].astype(bool)
        for rate in RATES:
            certified = false = 0
            learning, audit, recalls = [], [], []
            for seed in range(options.runs):
                settings = {"recall": options.recall, "delta": options.delta}
                learner = apu.ModelLearner(ExtraTreesClassifier(30, bootstrap=True), audit=settings)
                expert = apu.SimulatedExpert(y, rate=rate, seed=seed)
                result = apu.learn(learner, X, expert, seed=seed, budget=options.budget, batch=20)
                learned = result.history["phase"].count("model")
                learning.append(learned)
                if learned == result.n_queries:
                    continue
                audit.append(result.n_queries - learned)
                true = truth(result, y, expert, X)
                recalls.append(true["recall"])
                certified += result.recall.low >= options.recall
                stated = [s for s in result.statements() if s.what in true]
                false += any(not s.low - 1e-9 <= true[s.what] <= s.high + 1e-9 for s in stated)
            print(
                f"{name:11s} {rate:4.1f}  {statistics.median(recalls):11.3f}  {certified:4d}/{options.runs:<4d}  "
                f"{false:5d}  {statistics.median(learning):8.0f}  {statistics.median(audit):14.0f}  {len(X):5d}",
                flush=True,
            )


if __name__ == "__main__":
    main()
