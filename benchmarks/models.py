"""Real data, real models: every strategy through the channel, and what people do today, at 100, 200 and 300 questions.

    python benchmarks/models.py --data FOLDER [--only breastw,digits] [--rates 0.5,0.2] [--seeds 10] [--jobs 2]

FOLDER (or $ACTIVEPU_DATA) holds breastw.npz, cardio.npz, … with X and y; without it only scikit-learn's sets are run.
Each run learns on 70% of the rows and is judged on the other 30%. `--out FILE` keeps every run as a line of JSON, and
what is there already is not run again; `--report FILE` only prints the tables of such a file.

The peers: margin sampling of scikit-activeml with ★ read as negative, on the same forest; random asking with the
Elkan–Noto classifier of pulearn on a random forest, and with its bagging of trees, where π is estimated in the manner
of TIcE.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import activepu as apu

QUESTIONS = (100, 200, 300)
FILES = ("breastw", "cardio", "pageblocks", "thyroid", "pendigits", "shuttle")
OURS = ("information", "margin", "committee", "likely positive", "random")
"""Entropy and least confidence put two classes in the same order as margin."""
MARGIN_PEER, RANDOM_PEER = "margin, ★ = negative (scikit-activeml)", "random + Elkan–Noto (pulearn)"
BAGGING_PEER = "random + bagging (pulearn), TIcE-like π"
METHODS = (*OURS, MARGIN_PEER, RANDOM_PEER, BAGGING_PEER)
TREES = 50


def forest(seed: int | None = None) -> Any:
    return ExtraTreesClassifier(TREES, bootstrap=True, random_state=seed)


def load(name: str, folder: str | None) -> tuple[np.ndarray, np.ndarray]:
    if name == "breast cancer":
        data = load_breast_cancer()
        return data.data, data.target == 0
    if name == "digits":
        data = load_digits()
        return data.data, data.target == 8
    arrays = np.load(Path(folder or ".") / f"{name}.npz")
    return arrays["X"], arrays["y"] == 1


class World:
    """One split, one expert."""

    def __init__(self, name: str, rate: float, seed: int, folder: str | None) -> None:
        X, y = load(name, folder)
        self.X, self.X_test, self.y, self.y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
        self.expert = apu.SimulatedExpert(self.y, rate=rate, seed=seed)
        self.seed = seed

    def answers(self, items: Any) -> np.ndarray:
        return self.expert.answer(np.asarray(items), None)

    def judge(self, questions: int, predicted: np.ndarray, **more: Any) -> dict[str, Any]:
        error = float((predicted != self.y_test).mean())
        return {"questions": questions, "error": error, "f1": float(f1_score(self.y_test, predicted))} | more


def channel(world: World, strategy: str, batch: int) -> list[dict[str, Any]]:
    """One of our strategies."""
    run = apu.Run(apu.ModelLearner(forest(), strategy, patience=None), world.X, seed=world.seed)
    seen = []
    while run.n_answered < max(QUESTIONS):
        put = run.ask(batch)
        for question, answer in zip(put, world.answers([question.item for question in put]), strict=True):
            run.tell(question, answer)
        if run.n_answered in QUESTIONS or not put:
            result = run.result()
            bounds = [None if found is None else found.estimate for found in (result.rate, result.prior)]
            seen.append(world.judge(run.n_answered, result.predict(world.X_test), rate=bounds[0], prior=bounds[1]))
        if not put:
            break
    return seen


def margin_peer(world: World, strategy: str, batch: int) -> list[dict[str, Any]]:
    """scikit-activeml as its users would: every star is a label 0; the first questions by lot."""
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import UncertaintySampling

    rng = np.random.default_rng(world.seed)
    y = np.full(len(world.X), np.nan)
    chooser = UncertaintySampling(method="margin_sampling", random_state=world.seed)
    clf = SklearnClassifier(forest(world.seed), classes=[0, 1], random_state=world.seed)
    seen = []
    for asked in range(0, max(QUESTIONS) + 1, batch):
        if asked in QUESTIONS:
            seen.append(world.judge(asked, clf.fit(world.X, y).predict(world.X_test) == 1))
        if asked == max(QUESTIONS):
            break
        free = np.flatnonzero(np.isnan(y))
        candidates = rng.choice(free, min(2000, len(free)), replace=False)
        if np.nansum(y) == 0:
            picks = candidates[:batch]
        else:
            picks = chooser.query(world.X, y, clf, candidates=candidates, batch_size=batch)
        y[picks] = world.answers(picks)
    return seen


def elkan_noto(X: np.ndarray, s: np.ndarray, seed: int) -> tuple[Any, float]:
    """Elkan–Noto on a random forest, and its ω."""
    from pulearn import ElkanotoPuClassifier

    from activepu.adapters.pulearn import PulearnClassifier

    base = ElkanotoPuClassifier(RandomForestClassifier(100, random_state=seed), hold_out_ratio=0.2)
    clf = PulearnClassifier(base, random_state=seed).fit(X, np.where(s, 1, -1))
    return clf, float(clf.fitted_.c)


def bagging(X: np.ndarray, s: np.ndarray, seed: int) -> tuple[Any, float]:
    """Bagging of Mordelet and Vert, and ω in the manner of TIcE."""
    from pulearn import BaggingPuClassifier

    from activepu.adapters.pulearn import PulearnClassifier

    base = BaggingPuClassifier(DecisionTreeClassifier(), n_estimators=100, max_samples=max(1, int(s.sum())))
    return PulearnClassifier(base, random_state=seed).fit(X, np.where(s, 1, -1)), tice(X, s, seed)


def random_peer(world: World, method: str, batch: int) -> list[dict[str, Any]]:
    """A classifier of pulearn, from the answers to random questions."""
    fit = {RANDOM_PEER: elkan_noto, BAGGING_PEER: bagging}[method]
    order = np.random.default_rng(world.seed).permutation(len(world.X))
    seen = []
    for asked in QUESTIONS:
        items = order[:asked]
        s = world.answers(items)
        predicted, rate, prior = np.zeros(len(world.X_test), bool), None, None
        with contextlib.suppress(apu.InvalidInput):  # too few positives so far: nothing is called positive
            clf, rate = fit(world.X[items], s, world.seed)
            predicted, prior = clf.predict(world.X_test) == 1, min(1.0, float(s.mean()) / rate)
        seen.append(world.judge(asked, predicted, rate=rate, prior=prior))
    return seen


def tice(X: np.ndarray, s: np.ndarray, seed: int) -> float:
    """ω in the manner of TIcE (Bekker and Davis 2018): the largest share of reveals in a cell of a tree, bounded.

    The tree is grown on one half of the rows and read on the other, and then the other way round.
    """
    halves = np.array_split(np.random.default_rng(seed).permutation(len(s)), 2)
    found = []
    for grown, read in (halves, halves[::-1]):
        tree = DecisionTreeClassifier(max_depth=8, min_samples_leaf=5, random_state=seed).fit(X[grown], s[grown])
        cells = tree.decision_path(X[read])
        total, shown = np.asarray(cells.sum(axis=0)).ravel(), cells.T @ s[read].astype(float)
        delta = max(0.025, 1 / (1 + 0.004 * len(read)))
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = shown / total - np.sqrt(0.25 * (1 - delta) / (delta * total))
        found.append(max(float(np.nanmax(bound)), float(s[read].mean())))
    return max(float(np.mean(found)), 1e-3)


def run_one(name: str, rate: float, seed: int, method: str, folder: str | None, batch: int) -> dict[str, Any]:
    world = World(name, rate, seed, folder)
    peers = {MARGIN_PEER: margin_peer, RANDOM_PEER: random_peer, BAGGING_PEER: random_peer}
    how: Callable[..., Any] = peers.get(method, channel)
    started = time.perf_counter()
    with warnings.catch_warnings(), sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        warnings.simplefilter("ignore")
        seen = how(world, method, batch)
    took = time.perf_counter() - started
    share = float(np.mean(world.y))
    return {
        "set": name, "rate": rate, "seed": seed, "method": method, "share": share, "seconds": took, "seen": seen
    }  # fmt: skip


def tables(runs: list[dict[str, Any]]) -> None:
    """Mean errors by rate, set and method; how often each is best; how near the rates are."""
    names = list(dict.fromkeys(run["set"] for run in runs))
    methods = [method for method in METHODS if any(run["method"] == method for run in runs)]

    def mean(what: str, **where: Any) -> float:
        chosen = [run for run in runs if all(run[key] in value for key, value in where.items())]
        return float(np.mean([step[what] for run in chosen for step in run["seen"]])) if chosen else float("nan")

    rates = sorted({run["rate"] for run in runs}, reverse=True)
    for group in [[rate] for rate in rates] + ([[r for r in rates if r <= 0.5]] if min(rates) <= 0.5 else []):
        for what in ("error", "f1"):
            print(f"\n{what}, mean over 100, 200 and 300 questions, ω = {', '.join(f'{r:g}' for r in group)}")
            print(f"{'':42}" + "".join(f"{name[:10]:>11}" for name in names) + f"{'mean':>11}")
            for method in methods:
                row = [mean(what, rate=group, method=[method], set=[name]) for name in names]
                print(f"{method:42}" + "".join(f"{value:11.4f}" for value in [*row, float(np.mean(row))]))
        best = [
            min(methods, key=lambda m, name=name: mean("error", rate=group, method=[m], set=[name])) for name in names
        ]
        print(f"best: {', '.join(f'{name}: {who}' for name, who in zip(names, best, strict=True))}")
    print("\nω after 300 questions, as a share of the true one (median over seeds), and π likewise")
    for method in methods:
        for what in ("rate", "prior"):
            cells = []
            for rate in rates:
                near = []
                for name in names:
                    found = [
                        run["seen"][-1][what] / (rate if what == "rate" else run["share"])
                        for run in runs
                        if (run["method"], run["rate"], run["set"]) == (method, rate, name)
                        and run["seen"][-1].get(what)
                    ]
                    near.append(float(np.median(found)) if found else float("nan"))
                off = float(np.nanmedian(np.abs(np.array(near) - 1))) if np.isfinite(near).any() else float("nan")
                cells.append(f"{rate:g}: " + " ".join(f"{v:.2f}" for v in near) + f" (off by {off:.2f})")
            if any("nan)" not in cell for cell in cells):
                print(f"{method:42} {what:6}" + "   ".join(cells))
    print("\nseconds per question: " + ", ".join(
        f"{m} {np.mean([r['seconds'] for r in runs if r['method'] == m]) / max(QUESTIONS):.3f}" for m in methods
    ))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("ACTIVEPU_DATA"))
    parser.add_argument("--only", help="names of sets, separated by commas")
    parser.add_argument("--methods", help="some of the methods, separated by semicolons")
    parser.add_argument("--rates", default="1,0.5,0.2")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=300, help="lower ones were used while the learner was made")
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out")
    parser.add_argument("--report")
    options = parser.parse_args()
    if options.report:
        return tables([json.loads(line) for line in Path(options.report).read_text("utf-8").splitlines()])
    names = options.only.split(",") if options.only else [*(FILES if options.data else ()), "breast cancer", "digits"]
    methods = options.methods.split(";") if options.methods else METHODS
    kept = Path(options.out) if options.out else None
    runs = [json.loads(line) for line in kept.read_text("utf-8").splitlines()] if kept and kept.exists() else []
    done = {(run["set"], run["rate"], run["seed"], run["method"]) for run in runs}
    wanted = [
        (name, rate, seed, method)
        for seed in range(options.first_seed, options.first_seed + options.seeds)
        for rate in map(float, options.rates.split(","))
        for name in names
        for method in methods
        if (name, rate, seed, method) not in done
    ]
    work = (delayed(run_one)(*cell, options.data, options.batch) for cell in wanted)
    for run in Parallel(n_jobs=options.jobs, return_as="generator_unordered")(work):
        runs.append(run)
        if kept:
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(run) + "\n")
    tables(runs)


if __name__ == "__main__":
    main()
