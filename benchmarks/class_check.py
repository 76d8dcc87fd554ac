"""Does Z-CAL notice that its class is wrong, and does it stay quiet where the class is right?

    python benchmarks/class_check.py --data FOLDER [--runs 2] [--checks 40] [--only shuttle breastw]
        [--labels real]

Worlds: the tables `*.npz` (arrays X and y) of FOLDER with their rarer label as positive, the texts of `reviews.csv.gz`
and `headlines.csv.gz` as columns of TF-IDF and a singular value decomposition, and made-up transactions (amount, hour,
country, age) with 1.5% and 10% frauds. Up to 300 rows and the two most telling columns of each are used.
Classes: boxes, thresholds on the score of a forest that was fitted to other rows, and halfspaces of the plane.
The reveal rate is 0.5: told, told to lie between 0.4 and 0.6, unknown, or unknown with twenty positives given. The
table has, for every cell:

    flagged   runs that raised AssumptionsViolated: in the search, and by the check
    large     runs with a violation, among the items decided before the checks, as large as the certificate would print
    caught    how many of these the check flagged
    marked    how many of these the check flagged, or the certificate is doubtful
    doubted   certificates that are marked doubtful
    false     certificates with a true error above the bound
    silent    how many of these are not marked doubtful
    gross     how many of these have a true error above twice the bound

Then the same with labels of a member of the class: a flag there is a false alarm, in at most a share δ of the runs.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

import activepu as apu
from activepu.zcal import violations
from activepu.zcal.check import SHARE
from activepu.zcal.rates import Rates

ROWS, TEXTS, OMEGA, DELTA, EPSILON, MOST = 300, 1500, 0.5, 0.1, 0.15, 150
FORMS: dict[str, Any] = {"told": 0.5, "range": (0.4, 0.6), "unknown": None, "given": None}
COLUMNS = ("runs", "search", "check", "large", "caught", "marked", "doubted", "false", "silent", "gross")


class World(NamedTuple):
    """A class and its rows, labels that are real, and labels that a member of the class gives."""

    name: str
    hypotheses: apu.HypothesisClass
    rows: np.ndarray
    real: np.ndarray
    member: np.ndarray


def transactions(share: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Made-up transactions, of which the odd ones are frauds: no box and no line."""
    n = 4 * ROWS
    amount, hour = rng.lognormal(4, 1, n), rng.integers(0, 24, n)
    country, age = rng.integers(0, 20, n), rng.integers(18, 90, n)
    odd = np.log(amount / 60) + 2 * (hour < 6) + 1.5 * np.isin(country, (3, 7, 11)) - 0.02 * np.abs(age - 50)
    odd = odd + rng.logistic(0, 0.3, n)
    return np.column_stack([amount, hour, country, age]).astype(float), odd > np.quantile(odd, 1 - share)


def tables(folder: Path, rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for file in sorted(folder.glob("*.npz")):
        data = np.load(file)
        y = data["y"].astype(bool)
        yield file.stem, data["X"].astype(float), y if y.mean() <= 0.5 else ~y
    for name, positive in (("reviews", "screened_in"), ("headlines", "misinformation")):
        table = pd.read_csv(folder / f"{name}.csv.gz").sample(TEXTS, random_state=0)
        texts = table[["title", "abstract"] if name == "reviews" else ["headline"]].fillna("").agg(" ".join, axis=1)
        columns = make_pipeline(TfidfVectorizer(min_df=3, sublinear_tf=True), TruncatedSVD(12, random_state=0))
        yield name, columns.fit_transform(texts), table[positive].to_numpy(bool)
    for share in (0.015, 0.1):
        yield f"transactions {share:.1%}", *transactions(share, rng)


def worlds(folder: Path, only: list[str]) -> Iterator[World]:
    rng = np.random.default_rng(5)
    for name, X, y in tables(folder, rng):
        if only and not any(word in name for word in only):
            continue
        order = rng.permutation(len(X))
        own, other = order[: min(ROWS, len(X) // 2)], order[len(X) // 2 :][: 2 * ROWS]
        forest = RandomForestClassifier(60, min_samples_leaf=3, random_state=0).fit(X[other], y[other])
        best = np.argsort(-forest.feature_importances_)[:2]
        plane = X[own][:, best]
        plane = (plane - plane.mean(axis=0)) / (plane.std(axis=0) + 1e-12) + 1e-9 * rng.random((len(own), 2))
        low, high = np.quantile(plane, [0.2, 0.8], axis=0)
        yield World(f"{name}, boxes", apu.Boxes(), plane, y[own], ((plane >= low) & (plane <= high)).all(axis=1))
        score = (forest.predict_proba(X[own])[:, 1] + 1e-6 * rng.random(len(own)))[:, None]
        yield World(f"{name}, score", apu.Thresholds(), score, y[own], score[:, 0] >= np.quantile(score, 0.8))
        few, side = plane[:150], plane[:150] @ [0.6, 0.8]
        yield World(f"{name}, lines", apu.Halfspaces(), few, y[own][:150], side >= np.quantile(side, 0.7))


def visible(result: apu.Result, share: float, rate: Any, checks: int) -> tuple[float, float]:
    """The smallest shares of missed and of false positives that the certificate would print after so many checks."""
    assert result.rate is not None
    false = None
    if rate is not None:
        needed = math.log(SHARE / DELTA) - math.log(0.5)
        false = violations.falling(checks // 2, share, Rates.parse(rate), needed)
    missed = violations.missed(checks // 2, 1 - share, result.rate.low)
    return 1.1 if missed is None else missed, 1.1 if false is None else false


def one(world: World, y: np.ndarray, form: str, checks: int | None, seed: int) -> Counter[str]:
    """One run."""
    given = np.random.default_rng(seed).permutation(np.flatnonzero(y))[:20] if form == "given" else ()
    learner = apu.ZCal(world.hypotheses, EPSILON, DELTA, rate=FORMS[form], check=checks)
    checks = learner.check
    run, expert = apu.Run(learner, world.rows, positives=given, seed=seed), apu.SimulatedExpert(y, OMEGA, seed)
    seen, checking, large = Counter(runs=1), False, False
    try:
        while not run.finished and (checking or run.n_answered < MOST):
            put = run.ask(10)
            if not checking and put and put[0].note.phase == "check":
                checking, found = True, run.result()
                missed, false = y[found.items("negative")].sum(), (~y[found.items("positive")]).sum()
                positive, decided = len(found.items("positive")), len(y) - len(found.items("undecided"))
                limits = visible(found, positive / decided, FORMS[form], checks)
                large = missed / decided >= limits[0] or false / decided >= limits[1]
            for question, answer in zip(put, expert.answer([q.item for q in put], None), strict=True):
                run.tell(question, bool(answer))
    except apu.AssumptionsViolated:
        seen["check" if checking else "search"] += 1
        return seen + Counter(large=int(large), caught=int(large), marked=int(large))
    result = run.result()
    error, bound = (result.predict(world.rows) != y).mean(), result.certificate.error_bound
    doubted = bool(result.certificate.doubt)
    seen += Counter(large=int(large), marked=int(large and doubted), doubted=int(doubted), false=int(error > bound))
    return seen + Counter(silent=int(error > bound and not doubted), gross=int(error > 2 * bound and not doubted))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--checks", type=int)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--labels", nargs="*", default=["real", "member"])
    options = parser.parse_args()
    print(f"{'':34}{'rate':8}" + "".join(f"{name:>8}" for name in COLUMNS), flush=True)
    totals = {"real": Counter[str](), "member": Counter[str]()}
    for world in worlds(options.data, options.only):
        for kind, form in product(options.labels, FORMS):
            y = getattr(world, kind)
            seen = Counter[str]()
            for seed in range(options.runs):
                seen += one(world, y, form, options.checks, seed)
            totals[kind] += seen
            name = f"{world.name}{' (true)' if kind == 'member' else ''}"
            print(f"{name:34}{form:8}" + "".join(f"{seen[column]:8}" for column in COLUMNS), flush=True)
    for kind, seen in totals.items():
        print(f"{'all, ' + kind:42}" + "".join(f"{seen[column]:8}" for column in COLUMNS))
    alarms, runs = totals["member"]["search"] + totals["member"]["check"], totals["member"]["runs"]
    if runs:
        p = binomtest(alarms, runs, DELTA, alternative="greater").pvalue
        print(f"true classes: {alarms} of {runs} flagged; P(as many or more | delta = {DELTA:g}) = {p:.2g}")
    real = totals["real"]
    for words, part, whole in (
        ("large violations that were refused", "caught", "large"),
        ("large violations that were refused or marked", "marked", "large"),
        ("false certificates that were not marked", "silent", "false"),
    ):
        if real[whole]:
            low, high = binomtest(real[part], real[whole]).proportion_ci()
            print(f"{words}: {real[part]} of {real[whole]} (95% interval {low:.1%} to {high:.1%})")


if __name__ == "__main__":
    main()
