"""May we stop? How many records `Audit("found")` has read when it certifies its recall, on reviews of literature.

    python benchmarks/may_we_stop.py --data reviews.csv.gz [--seeds 10] [--first-seed 0] [--rate 0.8] [--delta 0.1]
                                     [--recalls 0.8,0.9] [--reviews ADHD,NSAIDS]

The table has the columns review, title, abstract and screened_in. A reviewer confirms a record that was screened in
with probability ω, by a coin per record and seed, and is silent otherwise. A logistic regression on TF-IDF learns from
the answers. Every question counts, from the first. Beside it: reading half of the records by rank (random ones until
the model can be fitted), and then one band by lot. The floor is 1 − δ^{1/(m+1)}: the share of the records not read by
rank that any rule must draw, with the m misses that are allowed at the end. *False* is the share of runs in which less
than the certified recall was in hand: at most δ.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

import activepu as apu
from activepu.audit.depth import floor
from activepu.audit.refitted import Refitted


@dataclass(frozen=True)
class Review:
    """The records of one review: their row numbers as a pool, a model of them, and which were screened in."""

    name: str
    rows: NDArray[np.float64]
    model: Pipeline
    relevant: NDArray[np.bool_]

    @classmethod
    def read(cls, path: Path, name: str) -> Review:
        table = pd.read_csv(path)
        table = table[table["review"] == name]
        text = table["title"].fillna("") + " " + table["abstract"].fillna("")
        words = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english").fit_transform(text)
        look_up = FunctionTransformer(lambda rows: words[np.asarray(rows)[:, 0].astype(int)])
        model = make_pipeline(look_up, LogisticRegression(C=10.0, class_weight="balanced", max_iter=300))
        return cls(name, np.arange(float(len(table)))[:, None], model, table["screened_in"].to_numpy(bool))


@dataclass(frozen=True)
class Outcome:
    """One run: the shares of the records that were read, and drawn by lot, and whether what was certified is false."""

    read: float
    drawn: float
    floor: float
    false: bool


def outcome(result: apu.Result, confirmable: NDArray[np.bool_], recall: float, delta: float) -> Outcome:
    n, drawn = len(confirmable), result.history["phase"].count("lot")
    misses = (1 - recall) / recall * len(result.found)
    false = len(result.found) < result.recall.low * confirmable.sum() - 1e-9
    return Outcome(result.n_queries / n, drawn / n, floor(delta, misses), bool(false))


def found(review: Review, expert: apu.SimulatedExpert, recall: float, delta: float, seed: int) -> apu.Result:
    audit = apu.Audit("found", recall=recall, delta=delta, score=review.model)
    return apu.learn(audit, review.rows, expert, seed=seed)


def half_by_rank(review: Review, expert: apu.SimulatedExpert, recall: float, delta: float, seed: int) -> apu.Result:
    run = apu.Run(apu.Audit("found", recall=recall, delta=delta), review.rows, seed=seed)
    opinion, n = Refitted(review.model, apu.Pool(review.rows)), len(review.rows)
    scores, items, answers = np.random.default_rng(seed).random(n), [], []
    while len(items) < n // 2:
        item = int(np.argmax(np.where(np.isin(np.arange(n), items), -np.inf, scores)))
        items.append(item)
        answers.append(bool(expert.answer(np.array([item]), None)[0]))
        run.record(item, answers[-1])
        new = opinion(items, answers)
        scores = scores if new is None else new
    while not run.finished:
        for question in run.ask():
            run.tell(question, bool(expert.answer(np.array([question.item]), None)[0]))
    return run.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=0.8)
    parser.add_argument("--delta", type=float, default=0.1)
    parser.add_argument("--recalls", default="0.8,0.9")
    parser.add_argument("--reviews", default="ADHD,NSAIDS,Nagtegaal_2019,Triptans,UrinaryIncontinence")
    given = parser.parse_args()
    reviews = [Review.read(given.data, name) for name in given.reviews.split(",")]
    print(f"{'review':22}{'recall':>7}  {'found: read':>12}{'by lot':>8}{'floor':>7}{'false':>7}  "
          f"{'half: read':>11}{'by lot':>8}{'false':>7}")  # fmt: skip
    for recall in [float(word) for word in given.recalls.split(",")]:
        for review in reviews:
            runs: dict[str, list[Outcome]] = {"found": [], "half": []}
            for seed in range(given.first_seed, given.first_seed + given.seeds):
                expert = apu.SimulatedExpert(review.relevant, rate=given.rate, seed=seed)
                confirmable = np.asarray(expert.answer(np.arange(len(review.rows)), None), bool)
                for name, rule in (("found", found), ("half", half_by_rank)):
                    result = rule(review, expert, recall, given.delta, seed)
                    runs[name].append(outcome(result, confirmable, recall, given.delta))
            ours, half = (
                {key: np.mean([getattr(run, key) for run in of]) for key in ("read", "drawn", "floor", "false")}
                for of in (runs["found"], runs["half"])
            )
            print(f"{review.name:22}{recall:>7.0%}  {ours['read']:>12.1%}{ours['drawn']:>8.1%}{ours['floor']:>7.0%}"
                  f"{ours['false']:>7.0%}  {half['read']:>11.1%}{half['drawn']:>8.1%}{half['false']:>7.0%}",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
