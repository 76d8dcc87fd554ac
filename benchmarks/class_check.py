"""Does Z-CAL notice that its class is wrong, and does it stay quiet where the class is right?

    python benchmarks/class_check.py --data FOLDER [--runs 2] [--checks 40] [--only shuttle breastw]
        [--labels real member island hole] [--seed 0]

Worlds: the tables `*.npz` (arrays X and y) of FOLDER with their rarer label as positive, the texts of `reviews.csv.gz`
and `headlines.csv.gz` as columns of TF-IDF and a singular value decomposition, and made-up transactions (amount, hour,
country, age) with 1.5% and 10% frauds. Up to 300 rows and the two most telling columns of each are used.
Classes: boxes, thresholds on the score of a forest that was fitted to other rows, and halfspaces of the plane.
The reveal rate is 0.5: told, told to lie between 0.4 and 0.6, unknown, or unknown with twenty positives given. The
table has, for every cell:

    search    runs that raised AssumptionsViolated in the search
    unasked   runs that ended before the first check
    check     runs that raised AssumptionsViolated in the checks
    large     runs whose lot has a violation that so many checks show with 90% probability, by the code that prints it,
              at the true rate: so one as large as the certificate prints is large, unless it overrates the rate
    caught    how many of these the checks flagged
    marked    how many of these the checks flagged, or the certificate is doubtful
    printed   certificates that print a violation no larger than the true one
    over      certificates whose checks give a lower bound on the rate that is above the true one
    doubted   certificates that are marked doubtful
    false     certificates with a true error above the bound
    silent    how many of these are not marked doubtful
    gross     how many of these have a true error above twice the bound

The labels are real; those of a member of the class, where a flag is a false alarm, in at most a share δ of the runs;
those of the member and of an island far outside; and those of the member without its core.
"""

from __future__ import annotations

import argparse
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
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE
from activepu.zcal import learner as zcal
from activepu.zcal import violations
from activepu.zcal.state import State

ROWS, TEXTS, OMEGA, DELTA, MOST = 300, 1500, 0.5, 0.1, 150
FORMS: dict[str, Any] = {"told": 0.5, "range": (0.4, 0.6), "unknown": None, "given": None}
KINDS = ("real", "member", "island", "hole")
COLUMNS = (
    *("runs", "search", "unasked", "check", "large", "caught", "marked", "printed", "over"),
    *("doubted", "false", "silent", "gross"),
)


class World(NamedTuple):
    """A class, its rows, their real labels, how deep they lie inside a member of the class, and ε."""

    name: str
    hypotheses: apu.HypothesisClass
    rows: np.ndarray
    real: np.ndarray
    depth: np.ndarray
    epsilon: float

    def labels(self, kind: str) -> np.ndarray:
        """Real labels; those of the member; of the member and a fifth of the rows, far outside; or without its core."""
        if kind == "real":
            return self.real
        inside = self.depth >= 0
        if kind == "island":
            return inside | (self.depth <= np.quantile(self.depth, 0.2))
        return inside & (self.depth < np.quantile(self.depth[inside], 0.1)) if kind == "hole" else inside


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
        depth = np.minimum(plane - low, high - plane).min(axis=1)
        yield World(f"{name}, boxes", apu.Boxes(), plane, y[own], depth, 0.3)
        score = (forest.predict_proba(X[own])[:, 1] + 1e-6 * rng.random(len(own)))[:, None]
        yield World(f"{name}, score", apu.Thresholds(), score, y[own], score[:, 0] - np.quantile(score, 0.8), 0.15)
        few, side = plane[:150], plane[:150] @ [0.6, 0.8]
        yield World(f"{name}, lines", apu.Halfspaces(), few, y[own][:150], side - np.quantile(side, 0.7), 0.15)


class Watched(State):
    """The state of a run, kept to read its lot."""

    last: State

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        Watched.last = self


def exceeds(state: State, y: np.ndarray, limits: violations.Visible) -> bool:
    """Whether the lot of a run has as many missed or false positives as these."""
    lot = {kind: y[state.items[rows]] for kind, rows in state.check.lot.items()}
    found = (np.count_nonzero(lot[NEGATIVE]), np.count_nonzero(~lot[POSITIVE]))
    return any(limit is not None and number >= limit for number, limit in zip(found, limits, strict=True))


def one(world: World, y: np.ndarray, form: str, checks: int | None, seed: int) -> Counter[str]:
    """One run."""
    given = np.random.default_rng(seed).permutation(np.flatnonzero(y))[:20] if form == "given" else ()
    learner = apu.ZCal(world.hypotheses, world.epsilon, DELTA, rate=FORMS[form], check=checks)
    run, expert = apu.Run(learner, world.rows, positives=given, seed=seed), apu.SimulatedExpert(y, OMEGA, seed)
    state = Watched.last
    check, seen, refused = state.check, Counter(runs=1), False
    try:
        while not run.finished and (check.fixed or run.n_answered < MOST):
            put = run.ask(10)
            for question, answer in zip(put, expert.answer([q.item for q in put], None), strict=True):
                run.tell(question, bool(answer))
    except apu.AssumptionsViolated:
        refused = True
    if refused and not check.begun:
        return seen + Counter(search=1)
    large = check.begun and exceeds(state, y, violations.visible(check, *check.planned, OMEGA))
    if refused:
        return seen + Counter(check=1, large=int(large), caught=int(large), marked=int(large))
    if check.begun:
        printed = exceeds(state, y, violations.visible(check, check.inside[0], check.outside))
        seen += Counter(printed=int(printed), over=int(check.lowest_rate(violations.ALPHA) > OMEGA))
    result = run.result()
    doubted, bound = bool(result.certificate.doubt), result.certificate.error_bound
    error = (result.predict(world.rows) != y).mean()
    seen += Counter(unasked=int(not check.begun), large=int(large), marked=int(large and doubted))
    seen += Counter(doubted=int(doubted), false=int(error > bound))
    silent = Counter(silent=1, gross=int(error > 2 * bound))
    return seen + silent if error > bound and not doubted else seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--checks", type=int)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--labels", nargs="*", default=KINDS, choices=KINDS)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    zcal.State = Watched  # type: ignore[attr-defined]
    print(f"{'':38}{'rate':8}" + "".join(f"{name:>8}" for name in COLUMNS), flush=True)
    totals = {kind: Counter[str]() for kind in KINDS}
    for world in worlds(options.data, options.only):
        for kind, form in product(options.labels, FORMS):
            y, seen = world.labels(kind), Counter[str]()
            for seed in range(options.seed, options.seed + options.runs):
                seen += one(world, y, form, options.checks, seed)
            totals[kind] += seen
            print(
                f"{f'{world.name}, {kind}':38}{form:8}" + "".join(f"{seen[column]:8}" for column in COLUMNS), flush=True
            )
    for kind, seen in totals.items():
        print(f"{'all, ' + kind:46}" + "".join(f"{seen[column]:8}" for column in COLUMNS))
    alarms, runs = totals["member"]["search"] + totals["member"]["check"], totals["member"]["runs"]
    if runs:
        p = binomtest(alarms, runs, DELTA, alternative="greater").pvalue
        print(f"true classes: {alarms} of {runs} flagged; P(as many or more | delta = {DELTA:g}) = {p:.2g}")
    wrong = totals["real"] + totals["island"] + totals["hole"]
    for words, seen, part, whole in (
        ("real labels: large violations that were refused", totals["real"], "caught", "large"),
        ("all wrong classes: large violations that were refused", wrong, "caught", "large"),
        ("all wrong classes: … refused or marked", wrong, "marked", "large"),
        ("real labels: false certificates that were not marked", totals["real"], "silent", "false"),
        ("all wrong classes: false certificates that were not marked", wrong, "silent", "false"),
    ):
        if seen[whole]:
            low, high = binomtest(seen[part], seen[whole]).proportion_ci()
            print(f"{words}: {seen[part]} of {seen[whole]} (95% interval {low:.1%} to {high:.1%})")


if __name__ == "__main__":
    main()
