"""May we stop? The audit of what was found, beside the stopping rules of technology-assisted review, in one run.

    python benchmarks/stopping_rules.py --data reviews.csv.gz [--seeds 40] [--blind 0.2] [--out runs.jsonl]
    python benchmarks/stopping_rules.py --report runs.jsonl
    python benchmarks/stopping_rules.py --self-test

The table has the columns review, title, abstract and screened_in. A reviewer would confirm a record that was screened
in with probability ω, fixed by a coin per record and run. They read 2% of the records at random, then always the 2%
that a logistic regression on TF-IDF, fitted to the answers so far, finds likeliest: the same order for all rules. A
rule *misses* if it stops with a recall below its target among the records that this reviewer would confirm (rung 0).
The rules are in `_stopping.py`; `--self-test`, and no data, checks each where its publication gives a guarantee.
`--blind 0.2` hides a fifth of the positives from the model: to it they read like other records.
`--out` keeps every run as a line of JSON, and what is there is not run again.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import _stopping as rules
import _stopping_check
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import beta, binom
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import activepu as apu

TARGETS = (0.8, 0.9, 0.95)
BATCH = 0.02
"""Of the records, between two fits of the model."""
RULES: dict[str, rules.Rule] = {
    "by rank, if one knew when": rules.oracle(),
    "half by rank": rules.share(0.5),
    "50 in a row not confirmed": rules.in_a_row(50),
    "point estimate, 50 positives": rules.point_estimate(50),
    "buscar, ranked: one look, at half": rules.buscar_ranked(),
    "buscar, ranked: a look every 2%": rules.buscar_ranked(every=0.02),
    "buscar, ranked, bias 5: a look every 2%": rules.buscar_ranked(every=0.02, bias=5.0),
    "half, then buscar's sample: a look every record": rules.sample_of_rest(rules.hypergeometric, "every"),
    "half, then Clopper–Pearson: a look every record": rules.sample_of_rest(rules.clopper_pearson, "every"),
    "half, then buscar's sample: one look": rules.sample_of_rest(rules.hypergeometric, "one"),
    "half, then Clopper–Pearson: one look": rules.sample_of_rest(rules.clopper_pearson, "one"),
    "target method": rules.target_method(),
    "QBCB, 50 positives": rules.qbcb(50),
}
AUDITS = {"half, then our audit: a look every record": 0.5}
"""The audit of what was found, and how much is read by rank before it."""
NAMES = [*RULES, *AUDITS]


@dataclass(frozen=True)
class Reading:
    """One review, read in the order of a model by one reviewer."""

    X: Any
    truth: NDArray[np.bool_]
    confirmable: NDArray[np.bool_]
    order: NDArray[np.int64]

    def read_at_stop(self, rule: str, recall: float, delta: float, seed: int) -> NDArray[np.int64]:
        """Which records a rule has read when it stops."""
        if rule in AUDITS:
            return self.audited(AUDITS[rule], recall, delta, seed)
        rng = np.random.default_rng([12, seed, NAMES.index(rule)])
        return self.order[RULES[rule](self.shown, recall, delta, rng)]

    def audited(self, depth: float, recall: float, delta: float, seed: int) -> NDArray[np.int64]:
        """Read a share `depth` by rank, then let the audit ask, ranked by the model that was fitted last."""
        begun = self.order[: math.ceil(depth * len(self.order))]
        likely = probabilities(self.X, begun, self.confirmable[begun])
        found = begun[self.confirmable[begun]]
        rest = np.concatenate([found, self.order[len(begun) :]])  # of the records read, the found ones alone matter
        run = apu.Run(
            apu.Audit("found", recall=recall, delta=delta, score=likely[rest]),
            rest[:, None],
            positives=range(len(found)),
            seed=seed,
        )
        while not run.finished:
            for question in run.ask(5):
                run.tell(question, self.confirmable[rest[question.item]])
        return np.concatenate([begun, rest[run.result().history["item"]]])

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Whether the i-th record of the order would be confirmed."""
        return self.confirmable[self.order]


def reviews(path: str) -> Iterator[tuple[str, Any, NDArray[np.bool_]]]:
    """Each review's name, its records as TF-IDF, and which were screened in."""
    for name, part in pd.read_csv(path).groupby("review", sort=False):
        text = part["title"].fillna("") + " " + part["abstract"].fillna("")
        words = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2, max_features=5_000)
        yield str(name), words.fit_transform(text), part["screened_in"].to_numpy() == 1


def probabilities(X: Any, read: NDArray[np.int64], answers: NDArray[np.bool_]) -> NDArray[np.float64]:
    """P(confirmed) of every record by a model fitted to the records read; one half before both answers came."""
    if answers.all() or not answers.any():
        return np.full(X.shape[0], 0.5)
    model = LogisticRegression(solver="liblinear", class_weight="balanced")
    return model.fit(X[read], answers).predict_proba(X)[:, 1]


def read_by_rank(X: Any, confirmable: NDArray[np.bool_], seed: int) -> NDArray[np.int64]:
    """The order in which all records are read."""
    size = len(confirmable)
    batch = max(5, round(BATCH * size))
    order = np.random.default_rng([11, seed]).permutation(size)
    for read in range(batch, size, batch):
        known, rest = order[:read], order[read:]
        likely = probabilities(X, known, confirmable[known])[rest]
        order = np.concatenate([known, rest[np.argsort(-likely, kind="stable")]])
    return order


def blinded(X: Any, truth: NDArray[np.bool_], blind: float, seed: int) -> Any:
    """The records as the model sees them if this share of the positives reads like others, chosen at random."""
    rng = np.random.default_rng([13, seed])
    seen = np.arange(len(truth))
    hidden = rng.choice(np.flatnonzero(truth), round(blind * truth.sum()), replace=False)
    seen[hidden] = rng.choice(np.flatnonzero(~truth), len(hidden))
    return X[seen]


def run_one(
    X: Any, truth: NDArray[np.bool_], rate: float, seed: int, delta: float, wanted: list[str]
) -> Iterator[dict[str, Any]]:
    """What every rule reads and finds, for every target."""
    confirmable = np.asarray(apu.SimulatedExpert(truth, rate=rate, seed=seed).answer(np.arange(len(truth)), None), bool)
    reading = Reading(X, truth, confirmable, read_by_rank(X, confirmable, seed))
    for rule in wanted:
        for recall in TARGETS:
            read = reading.read_at_stop(rule, recall, delta, seed)
            found = confirmable[read].sum()
            shares = {
                "read": len(read) / len(truth),
                "recall": found / confirmable.sum(),
                "of all": found / truth.sum(),
            }
            yield {"rule": rule, "target": recall} | shares


def table(runs: pd.DataFrame, delta: float) -> str:
    """One table for each target, in Markdown: how often each rule missed it, and what it read."""
    text = []
    for target, at in runs.groupby("target"):
        rates = sorted(at["rate"].unique(), reverse=True)
        cells = at.groupby(["rule", "rate"])
        text += [f"\nRecall ≥ {target:g} at {1 - delta:.0%}, {cells.size().min()} runs a cell:\n"]
        heads = [head for rate in rates for head in (f"ω = {rate:g}: missed", "read")]
        text += [f"| rule | {' | '.join(heads)} | recall of all positives |", "|---" * (len(heads) + 2) + "|"]
        for rule in [rule for rule in NAMES if rule in set(at["rule"])]:
            line = [rule]
            for rate in rates:
                cell = cells.get_group((rule, rate))
                count = int((cell["recall"] < target - 1e-9).sum())
                line += [missed(count, len(cell), delta), f"{cell['read'].mean():.0%}"]
            text += [f"| {' | '.join(line)} | {cell['of all'].mean():.0%} |"]
    return "\n".join(text)


def missed(count: int, runs: int, delta: float) -> str:
    """A share of the runs with its exact 95% interval; bold if an exact test at 1% says that it is above δ."""
    low = beta.ppf(0.025, count, runs - count + 1) if count else 0.0
    high = beta.ppf(0.975, count + 1, runs - count) if count < runs else 1.0
    shown = f"{count / runs:.0%} ({low:.0%}–{high:.0%})".replace("%–", "–")
    return f"**{shown}**" if binom.sf(count - 1, runs, delta) < 0.01 else shown


def main() -> None:
    """Run what is not there yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("ACTIVEPU_REVIEWS"))
    parser.add_argument("--rates", default="1,0.8,0.5")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first-seed", type=int, default=500, help="lower ones were used while the audit was made")
    parser.add_argument("--delta", type=float, default=0.1)
    parser.add_argument("--blind", type=float, default=0.0, help="share of the positives that the model cannot see")
    parser.add_argument("--rules", default="", help="only rules whose name holds this")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--self-test", action="store_true")
    given = parser.parse_args()
    if given.self_test or not (given.data or given.report):
        _stopping_check.check()
    kept = given.report or given.out
    lines = [json.loads(line) for line in kept.read_text("utf-8").splitlines()] if kept and kept.exists() else []
    settings = {"delta": given.delta, "blind": given.blind}
    done = {(line["review"], line["rate"], line["seed"], line["rule"]) for line in lines}
    for name, X, truth in reviews(given.data) if given.data else ():
        for rate, seed in product(
            map(float, given.rates.split(",")), range(given.first_seed, given.first_seed + given.seeds)
        ):
            wanted = [rule for rule in NAMES if given.rules in rule and (name, rate, seed, rule) not in done]
            cell = {"review": name, "rate": rate, "seed": seed} | settings
            seen = blinded(X, truth, given.blind, seed)
            new = [cell | line for line in run_one(seen, truth, rate, seed, given.delta, wanted)] if wanted else []
            lines += new
            if given.out:
                with given.out.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(line) + "\n" for line in new)
    if lines:
        print(table(pd.DataFrame(lines), lines[0]["delta"]))


if __name__ == "__main__":
    main()
