"""Rare positives: which of them are found, and how well the rest are ranked, after 100, 300 and 1,000 questions.

    python benchmarks/rare.py --out runs.jsonl [--data FOLDER] [--only payments,thyroid] [--seeds 100-109] [--jobs 2]
    python benchmarks/rare.py --report runs.jsonl

Every run is appended to the file as a line of JSON, and what is there already is not run again, so that the script can
be stopped and started. FOLDER (or $ACTIVEPU_DATA) holds thyroid.npz, shuttle.npz, … with X and y; without it only the
made tables are run. All methods of a cell see the same table, the same known positives and the same coins.

What is measured, over the items of the pool that were not known before:

- ap: average precision of the list that a user has in hand: what was revealed, then all other items by the model;
- reviewed: recall at the reviewed depth, the share of the positives among the items that were asked;
- new: average precision of the model on rows that nobody was asked about.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from _rare_worlds import MADE, REAL, shares, world
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, IsolationForest
from sklearn.metrics import average_precision_score

import activepu as apu

QUESTIONS = (100, 300, 1000)
RATES = (1.0, 0.6, 0.3)
STARTS = (0, 10)
PEER, ISOLATION = "margin, ★ = negative (scikit-activeml)", "isolation forest, in order"
METHODS = ("auto", "likely positive", "information", "random", PEER, ISOLATION)
TREES = 50
CLEARLY, MATTERS, ALLOWED = 2.0, 0.02, 0.05
"""Behind: by more than so many standard errors and so much. In how many of the cells that may happen."""
MEASURES = ("ap", "reviewed", "new")
Run = dict[str, Any]


def batch(asked: int) -> int:
    """More at a time as the answers grow."""
    return 10 if asked < 100 else 20 if asked < 300 else 50


class Cell:
    """One table, one expert, and what was known beforehand."""

    def __init__(self, name: str, share: float, rate: float, known: int, seed: int, folder: str | None) -> None:
        (self.X, self.y), (self.new, self.y_new) = world(name, share, seed, folder)
        self.expert = apu.SimulatedExpert(self.y, rate=rate, seed=seed)
        positive = np.random.default_rng([seed, 3]).permutation(np.flatnonzero(self.y))
        self.known, self.seed = positive[:known], seed
        self.others = np.setdiff1d(np.arange(len(self.y)), self.known)

    def answers(self, items: Any) -> NDArray[np.bool_]:
        return np.asarray(self.expert.answer(np.asarray(items), None), bool)

    def judge(self, items: Any, score: NDArray[np.float64], new: NDArray[np.float64]) -> dict[str, Any]:
        """What is in hand after questions about these items: scores of the pool, and of new rows."""
        asked, score = np.asarray(items, int), np.array(score, float)
        revealed = asked[self.answers(asked)]
        score[revealed] += 2.0 + score.max()
        left = int(self.y[self.others].sum())
        return {
            "questions": len(asked),
            "revealed": len(revealed),
            "found": int(self.y[asked].sum()),
            "ap": float(average_precision_score(self.y[self.others], score[self.others])),
            "reviewed": float(self.y[asked].sum() / left),
            "new": float(average_precision_score(self.y_new, new)),
        }


def forest(seed: int | None = None) -> Any:
    return ExtraTreesClassifier(TREES, bootstrap=True, random_state=seed)


def ours(cell: Cell, strategy: str) -> Iterator[dict[str, Any]]:
    """One of our strategies."""
    run = apu.Run(apu.ModelLearner(forest(), strategy, patience=None), cell.X, positives=cell.known, seed=cell.seed)
    while run.n_answered < min(QUESTIONS[-1], len(cell.others)):
        put = run.ask(batch(run.n_answered))
        for question, answer in zip(put, cell.answers([question.item for question in put]), strict=True):
            run.tell(question, bool(answer))
        if run.n_answered in QUESTIONS or not put:
            rule = run.result().hypothesis
            p, new = (rule.predict_proba(table)[:, 1] for table in (cell.X, cell.new))
            yield cell.judge([question.item for question in run.questions], p, new)
        if not put:
            return


def margin_peer(cell: Cell, method: str) -> Iterator[dict[str, Any]]:
    """scikit-activeml as its users would: every star is a label 0; questions by lot until both labels are seen."""
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import UncertaintySampling

    rng = np.random.default_rng(cell.seed)
    y = np.full(len(cell.X), np.nan)
    y[cell.known] = 1
    chooser = UncertaintySampling(method="margin_sampling", random_state=cell.seed)
    clf = SklearnClassifier(forest(cell.seed), classes=[0, 1], random_state=cell.seed)
    asked: list[int] = []
    while len(asked) < min(QUESTIONS[-1], len(cell.others)):
        free = np.flatnonzero(np.isnan(y))
        candidates = rng.choice(free, min(2000, len(free)), replace=False)
        n = min(batch(len(asked)), len(free))
        both = (y == 1).any() and (y == 0).any()
        picks = chooser.query(cell.X, y, clf, candidates=candidates, batch_size=n) if both else candidates[:n]
        y[picks] = cell.answers(picks)
        asked += [int(item) for item in picks]
        if len(asked) in QUESTIONS:
            clf.fit(cell.X, y)
            yield cell.judge(asked, *(clf.predict_proba(table)[:, 1] for table in (cell.X, cell.new)))


def isolation(cell: Cell, method: str) -> Iterator[dict[str, Any]]:
    """Nothing is learned: the items in the order of an isolation forest."""
    found = IsolationForest(n_estimators=100, random_state=cell.seed).fit(cell.X)
    score, new = -found.score_samples(cell.X), -found.score_samples(cell.new)
    order = cell.others[np.argsort(-score[cell.others])]
    for n in QUESTIONS:
        yield cell.judge(order[:n], score, new)


def run_one(name: str, share: float, rate: float, known: int, seed: int, method: str, folder: str | None) -> Run:
    cell = Cell(name, share, rate, known, seed, folder)
    how: Callable[..., Iterator[dict[str, Any]]] = {PEER: margin_peer, ISOLATION: isolation}.get(method, ours)
    started = time.perf_counter()
    with warnings.catch_warnings(), sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        warnings.simplefilter("ignore")
        seen = list(how(cell, method))
    return {
        "set": name, "share": share, "rate": rate, "known": known, "seed": seed, "method": method,
        "rows": len(cell.y), "seconds": round(time.perf_counter() - started, 2), "seen": seen,
    }  # fmt: skip


Key = tuple[str, float, float, int]
"""A set, its share of positives, ω and how many positives were known beforehand."""


class Runs:
    """What is in a file of runs: values by measure, number of questions, cell, method and seed."""

    def __init__(self, lines: list[Run]) -> None:
        self.lines = lines
        self.cells: list[Key] = sorted({(r["set"], r["share"], r["rate"], r["known"]) for r in lines})
        self._values = {
            (key, step["questions"], what, run["method"], run["seed"]): step[what]
            for run in lines
            for key in [(run["set"], run["share"], run["rate"], run["known"])]
            for step in run["seen"]
            for what in (*MEASURES, "found", "revealed")
        }

    def of(self, key: Key, questions: int, what: str, method: str) -> dict[int, float]:
        """The values by seed."""
        seeds = {run["seed"] for run in self.lines}
        return {
            seed: self._values[place]
            for seed in sorted(seeds)
            if (place := (key, questions, what, method, seed)) in self._values
        }

    def mean(self, key: Key, questions: int, what: str, method: str) -> float:
        values = list(self.of(key, questions, what, method).values())
        return float(np.mean(values)) if values else float("nan")

    def behind(self, key: Key, questions: int, what: str, method: str, other: str) -> tuple[float, float]:
        """By how much a method is behind another on the same seeds, with the standard error."""
        ours, theirs = (self.of(key, questions, what, name) for name in (method, other))
        gaps = np.array([theirs[seed] - ours[seed] for seed in ours.keys() & theirs.keys()])
        if len(gaps) < 2:
            return float("nan"), float("nan")
        return float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps)))


def table(runs: Runs, methods: list[str]) -> None:
    """Every cell: ap, recall at the reviewed depth, and positives found, by method and questions."""
    for what in (*MEASURES, "found"):
        print(f"\n{what}: " + "; ".join(methods))
        for key in runs.cells:
            parts = []
            for questions in QUESTIONS:
                values = [runs.mean(key, questions, what, method) for method in methods]
                if not np.isnan(values).all():
                    shown = " ".join(f"{v:6.1f}" if what == "found" else f"{v:.3f}" for v in values)
                    parts.append(f"{questions:>5}: {shown}")
            name, share, rate, known = key
            print(f"{name:11} π={share:<5g} ω={rate:<3g} known={known:<2} " + "  ".join(parts))


def criteria(runs: Runs, methods: list[str]) -> None:
    """How often auto is clearly behind the best, and what it finds from a cold start."""
    for what in MEASURES:
        judged, late = 0, []
        for key in runs.cells:
            for questions in QUESTIONS:
                seeds = runs.of(key, questions, what, "auto").keys()
                full = [m for m in methods if seeds and runs.of(key, questions, what, m).keys() >= seeds]
                means = {m: runs.mean(key, questions, what, m) for m in full}
                if len(means) < 2 or len(seeds) < 2:  # a single seed tells nothing
                    continue
                best = max(means, key=lambda m: means[m])
                gap, error = runs.behind(key, questions, what, "auto", best) if best != "auto" else (0.0, 0.0)
                judged += 1
                if gap > MATTERS and gap > CLEARLY * error:
                    late.append((gap, error, key, questions, best))
        if judged:
            met = "met" if len(late) <= ALLOWED * judged else "NOT met"
            criterion = "" if what == "new" else f" (at most {ALLOWED:.0%}: {met})"
            print(f"\n{what}: auto is clearly behind the best in {len(late)} of {judged} cells{criterion}")
            for gap, error, key, questions, best in sorted(late, reverse=True):
                print(f"    {gap:.3f} ± {error:.3f} behind {best}: {key} after {questions}")
    cold = [key for key in runs.cells if not key[3]]
    missed = []
    for key in cold:
        found = {m: runs.mean(key, 100, "found", m) for m in methods}
        goal = 2 * 100 * key[1]  # what random asking finds is known
        if max(value for value in found.values() if not np.isnan(value)) >= goal > found.get("auto", np.nan):
            missed.append((key, found["auto"], goal / 2))
    print(f"\nfrom cold, 100 questions: auto finds less than twice random's in {len(missed)} of {len(cold)} cells "
          "where any method does that")  # fmt: skip
    for key, ours_found, by_chance in missed:
        print(f"    {key}: {ours_found:.1f} found, by chance {by_chance:.1f}")


def report(lines: list[Run]) -> None:
    runs = Runs(lines)
    methods = [method for method in METHODS if any(line["method"] == method for line in lines)]
    seeds = sorted({line["seed"] for line in lines})
    print(f"{len(lines)} runs, {len(runs.cells)} cells, seeds {seeds[0]} to {seeds[-1]}")
    table(runs, methods)
    criteria(runs, methods)
    took = {m: np.mean([line["seconds"] for line in lines if line["method"] == m]) for m in methods}
    print("\nseconds a run: " + ", ".join(f"{m} {value:.1f}" for m, value in took.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("ACTIVEPU_DATA"))
    parser.add_argument("--only", help="names of sets, separated by commas")
    parser.add_argument("--methods", help="some of the methods, separated by semicolons")
    parser.add_argument("--shares", help="some of the shares of positives, separated by commas")
    parser.add_argument("--rates", default=",".join(map(str, RATES)))
    parser.add_argument("--known", default=",".join(map(str, STARTS)))
    parser.add_argument("--seeds", default="100-109", help="from-to; 0 to 9 were used while the learner was made")
    parser.add_argument("--jobs", type=int, default=-1, help="processes; by default one for each core")
    parser.add_argument("--out", help="the file to which runs are appended")
    parser.add_argument("--report", help="only print the tables of such a file")
    options = parser.parse_args()
    if options.report:
        return report(read(options.report))
    names = options.only.split(",") if options.only else [*MADE, *(REAL if options.data else ())]
    methods = options.methods.split(";") if options.methods else list(METHODS)
    first, _, last = options.seeds.partition("-")
    runs = read(options.out) if options.out else []
    done = {(r["set"], r["share"], r["rate"], r["known"], r["seed"], r["method"]) for r in runs}
    wanted = [
        (name, share, float(rate), int(known), seed, method)
        for seed in range(int(first), int(last or first) + 1)
        for name in names
        for share in shares(name, options.data)
        if not options.shares or share in map(float, options.shares.split(","))
        for rate in options.rates.split(",")
        for known in options.known.split(",")
        for method in methods
    ]
    work = (delayed(run_one)(*cell, options.data) for cell in wanted if cell not in done)
    for run in Parallel(n_jobs=options.jobs, return_as="generator_unordered")(work):
        runs.append(run)
        if options.out:
            with Path(options.out).open("a", encoding="utf-8") as file:
                file.write(json.dumps(run) + "\n")
    chosen = set(wanted)
    report([r for r in runs if (r["set"], r["share"], r["rate"], r["known"], r["seed"], r["method"]) in chosen])


def read(file: str) -> list[Run]:
    """The runs of a file, without a last line that was cut off."""
    runs = []
    for line in Path(file).read_text("utf-8").splitlines() if Path(file).exists() else []:
        try:
            runs.append(json.loads(line))
        except json.JSONDecodeError:
            print(f"left out: {line[:60]!r}")
    return runs


if __name__ == "__main__":
    main()
