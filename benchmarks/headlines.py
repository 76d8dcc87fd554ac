"""An expert who is not equally likely to confirm all: a language model that looks for misinformation in headlines.

    python benchmarks/headlines.py headlines.csv.gz [--draws 200] [--runs 100] [--budget 400] [--checked]

The file has the columns `headline`, `topic`, `misinformation` (people's label, the truth) and `llm_says` (the recorded
answer of the model, here the expert: a reveal where it says yes). In each run 600 random headlines train a classifier
(TF-IDF and logistic regression), the others are audited with `groups="topic"`. Gold are known positives among the
training headlines, added to the pool. Two tables are printed:

1. How often the alarm fires, by the number of gold items, and how often if each was confirmed at one common rate.
2. How often a statement was false at one of the looks (every 100 questions), by rung, with the exact binomial
   probability of so many or more if each failed with probability δ. Rung 0 needs neither equal rates nor true reveals.

With `--checked` a person looks at every "yes" of the model and takes back those that are wrong. The story of one such
audit, step by step, is docs/headlines.md.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import activepu as apu
from activepu.audit.alarm import Cells, Known, alarm
from activepu.audit.groups import read as read_groups
from activepu.findings import Statement

TRAIN, DELTA, LOOKS = 600, 0.05, 100


class Headlines:
    """The file, as columns; of equal headlines the first is kept. If `checked`, only what is true is revealed."""

    def __init__(self, path: str, checked: bool = False) -> None:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = list({row["headline"]: row for row in reversed(list(csv.DictReader(file)))}.values())
        self.text = np.array([row["headline"] for row in rows])
        self.topic = np.array([row["topic"] for row in rows])
        self.truth = np.array([row["misinformation"] == "1" for row in rows])
        self.says = np.array([row["llm_says"] == "1" for row in rows]) & (self.truth | (not checked))


@dataclass(frozen=True)
class Case:
    """One split: rows of the file in the pool, the classifier's scores for them, and which of them are gold."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    gold: int

    @property
    def audit(self) -> apu.Audit:
        return apu.Audit(
            self.scores >= 0.5,
            score=self.scores,
            groups="topic",
            gold=range(len(self.rows) - self.gold, len(self.rows)),
        )


def split(data: Headlines, gold: int, rng: np.random.Generator) -> Case:
    """Train on some headlines, and add known positives among them to the others."""
    order = rng.permutation(len(data.text))
    train, rest = order[:TRAIN], order[TRAIN:]
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2)
    model = LogisticRegression(C=10.0).fit(words.fit_transform(data.text[train]), data.truth[train])
    rows = np.concatenate([rest, rng.permutation(train[data.truth[train]])[:gold]])
    return Case(rows, model.predict_proba(words.transform(data.text[rows]))[:, 1], gold)


def pool(data: Headlines, case: Case) -> apu.Pool:
    columns = {"headline": data.text[case.rows], "topic": data.topic[case.rows]}
    return apu.Pool(pa.table(columns), raw=True)


def alarms(data: Headlines, gold: int, seed: int) -> tuple[bool, bool]:
    """Whether the alarm fires on the recorded answers, and on coins with one rate."""
    rng = np.random.default_rng([seed, gold])
    case = split(data, gold, rng)
    items, audit = pool(data, case), case.audit
    judged, strata = audit.strata(items.draws(audit.hypotheses, seed))
    cells = Cells(read_groups("topic", items), judged.scores, strata.borders)
    asked = range(len(case.rows) - gold, len(case.rows))
    coins = rng.random(gold) < 0.63
    recorded = [Known(cells.of(item), bool(data.says[case.rows[item]])) for item in asked]
    equal = [Known(cells.of(item), bool(coin)) for item, coin in zip(asked, coins, strict=True)]
    return alarm(recorded, cells.kinds).fires(DELTA), alarm(equal, cells.kinds).fires(DELTA)


def truth(data: Headlines, case: Case, statement: Statement) -> float | None:
    """What is true of the audited headlines; None for a rate, which is not one number here."""
    rows, called = case.rows[: len(case.rows) - case.gold], case.scores[: len(case.rows) - case.gold] >= 0.5
    if statement.group is not None:
        mine = data.topic[rows] == statement.group
        rows, called = rows[mine], called[mine]
    positive = data.says[rows] if statement.what == "confirmable recall" else data.truth[rows]
    values = {
        "recall": (positive & called).sum() / positive.sum(),
        "confirmable recall": (positive & called).sum() / positive.sum(),
        "error": (positive != called).mean(),
        "precision": positive[called].mean(),
        "prior": positive.mean(),
    }
    return values.get(statement.what)


def false_kinds(data: Headlines, gold: int, budget: int, seed: int) -> Iterator[str]:
    """Run an audit, and name the kinds of statements that were false at some look."""
    case = split(data, gold, np.random.default_rng([seed, gold, 1]))
    run = apu.Run(case.audit, pool(data, case), seed=seed)
    for look in range(LOOKS, budget + 1, LOOKS):
        while run.n_answered < look and not run.finished:
            for question in run.ask(min(20, look - run.n_answered)):
                run.tell(question, bool(data.says[case.rows[question.item]]))
        if run.n_answered == look:
            for statement in run.result().statements():
                true = truth(data, case, statement)
                if true is not None and not statement.low - 1e-9 <= true <= statement.high + 1e-9:
                    yield kind(statement)


def kind(statement: Statement) -> str:
    about = "all items" if statement.group is None else "a topic"
    if statement.rung == "0":
        return f"rung 0, confirmable recall of {about}"
    return f"rung 1, recall of {about}" if statement.what == "recall" else f"rung 2g, others of {about}"


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("path")
    reader.add_argument("--draws", type=int, default=200)
    reader.add_argument("--runs", type=int, default=100)
    reader.add_argument("--budget", type=int, default=400)
    reader.add_argument("--first-seed", type=int, default=0)
    reader.add_argument("--checked", action="store_true")
    given: Any = reader.parse_args()
    data = Headlines(given.path, given.checked)
    for topic in np.unique(data.topic):
        mine = data.topic == topic
        confirmed, wrong = data.says[mine & data.truth].mean(), data.says[mine & ~data.truth].mean()
        print(f"{topic}: {mine.sum():,} headlines, {data.truth[mine].mean():.0%} misinformation, of which the expert "
              f"confirms {confirmed:.0%}, and {wrong:.0%} of the others")  # fmt: skip
    wrong = (data.says & ~data.truth).sum()
    print(f"{wrong} of the {data.says.sum()} reveals are wrong, {wrong / data.says.sum():.0%}")
    print(f"\nthe alarm fires, share of {given.draws} draws (δ = {DELTA})\n gold  recorded  one rate")
    for gold in (40, 80, 120):
        fired = np.array([alarms(data, gold, given.first_seed + k) for k in range(given.draws)])
        print(f"{gold:5d}  {fired[:, 0].mean():8.1%}  {fired[:, 1].mean():8.1%}", flush=True)
    false: Counter[str] = Counter()
    for k in range(given.runs):
        false.update(set(false_kinds(data, 120, given.budget, given.first_seed + k)))
    print(f"\nfalse at some look, of {given.runs} runs of {given.budget} questions with 120 gold (δ = {DELTA})")
    for what in ("rung 0, confirmable recall", "rung 1, recall", "rung 2g, others"):
        for about in ("all items", "a topic"):
            count = false[f"{what} of {about}"]
            p = binomtest(count, given.runs, DELTA, alternative="greater").pvalue
            print(f"{what} of {about:9s}  {count:4d}  {count / given.runs:6.1%}  p = {p:.2g}")


if __name__ == "__main__":
    main()
