"""Do the intervals of a model's estimates hold the truth? ω, π, precision, recall, average precision, and the forecast.

    python benchmarks/calibration.py [--seeds 100] [--first 1000] [--only .015,1] [--jobs 2] [--out FILE]
    python benchmarks/calibration.py --data FOLDER [--only shuttle,1] …
    python benchmarks/calibration.py --report FILE

A cell is a share of positives π and a reveal rate ω. Each of its runs has a table of 3,000 rows and 6 columns, of one
of three kinds, and asks 300 questions in batches of 20. What the result says after 100, 200 and 300 of them is held
against the truth, so that a cell has three lines per seed. The seed also decides whether ten positives are known
beforehand (picked at random), the strategy, and the model, a forest of 30 trees or a logistic regression.

- rule: the positives are a region with a bent border, without noise;
- blobs: two clusters of positives, of which one may never be found, in a cloud of negatives;
- noisy: a logistic truth, where the classes overlap.

With `--data` the tables are real: a cell is one of the sets of FOLDER (`X` and `y` in NAME.npz; at most 5,000 rows,
drawn by the seed) and a reveal rate. `--out FILE` keeps every line as JSON, and what is there is not run again.
`--report FILE` only prints the table. Seeds below 50 were used for tuning.

A line without any reveal states nothing, and is counted in "lines" alone. In brackets are the medians of the two ends,
as multiples of the truth; of the gain in average precision from 100 further questions, the forecast itself.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import activepu as apu

PRIORS, RATES, AT = (0.015, 0.05, 0.3), (1.0, 0.6, 0.3), (100, 200, 300)
ROWS, MOST, BATCH, TOP = 3000, 5000, 20, 50
KINDS = ("rule", "blobs", "noisy")
SHOWN = ("rate", "prior", "precision", "recall", "average_precision", "top", "gain")
TITLES = ("ω", "π", "precision", "recall", "average precision", f"top {TOP}", "gain of 100")


def table(kind: str, prior: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(ROWS, 6))
    if kind == "rule":
        score = np.minimum(X[:, 0], X[:, 1] + 0.5 * X[:, 2])
        return X, score > np.quantile(score, 1 - prior)
    if kind == "blobs":
        y, side = rng.random(ROWS) < prior, rng.random(ROWS) < 0.5
        centre = np.where(side[:, None], [2.2, 2.2, 0, 0, 0, 0], [0, 0, 2.5, -2.0, 0, 0])
        return np.where(y[:, None], 0.7 * X + centre, X), y
    score = X @ np.array([3, 2, -2, 1, 0, 0])
    shift = brentq(lambda b: expit(score + b).mean() - prior, -50, 20)
    return X, rng.random(ROWS) < expit(score + shift)


def real(file: Path, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    arrays = np.load(file)
    rows = np.sort(rng.permutation(len(arrays["y"]))[:MOST])
    return arrays["X"][rows].astype(float), arrays["y"][rows] == 1


def learner(seed: int) -> apu.ModelLearner:
    forest = ExtraTreesClassifier(30, bootstrap=True)
    model = forest if seed // 12 % 3 else make_pipeline(StandardScaler(), LogisticRegression())
    return apu.ModelLearner(model, ("likely positive", "information")[seed // 6 % 2], patience=None)


def held(guess: Any, truth: float) -> list[float] | None:
    return None if guess is None else [guess.low, guess.likely, guess.high, float(truth)]


def one(prior: float | str, rate: float, seed: int, folder: Path | None) -> list[dict[str, Any]]:
    rng = np.random.default_rng([22, seed])
    kind = KINDS[seed % 3]
    X, y = table(kind, prior, rng) if isinstance(prior, float) else real(Path(folder or ".") / f"{prior}.npz", rng)
    given = rng.permutation(np.flatnonzero(y))[: 10 * (seed // 3 % 2)]
    expert = apu.SimulatedExpert(y, rate=rate, seed=seed)
    run, lines = apu.Run(learner(seed), X, positives=given, seed=seed), []
    for at in AT:
        while len(run.questions) < at:
            for question in run.ask(BATCH):
                run.tell(question, bool(expert.answer([question.item], None)[0]))
        result = run.result()
        told, p = result.estimates, result.predict_proba(X)[:, 1]
        average = float(average_precision_score(y, p))
        line: dict[str, Any] = {"prior": prior, "rate": rate, "seed": seed, "kind": kind, "asked": at}
        line |= {"revealed": result.n_revealed, "known": len(given), "average": average, "held": {}, "forecast": None}
        if told is not None:
            called, order = p >= 0.5, np.argsort(-p, kind="stable")
            line["held"] = {
                "rate": held(told.rate, rate),
                "prior": held(told.prior, y.mean()),
                "precision": held(told.precision, y[called].mean() if called.any() else 0.0),
                "recall": held(told.recall, y[called].sum() / y.sum()),
                "average_precision": held(told.average_precision, average),
                "top": held(told.precision_at(TOP), y[order[:TOP]].mean()),
            }
            if told.forecast is not None:
                line["forecast"] = [told.forecast.low - told.forecast.now, told.forecast.high - told.forecast.now]
        if lines and lines[-1]["forecast"] is not None:
            low, high = lines[-1]["forecast"]
            lines[-1]["held"]["gain"] = [low, 0.0, high, average - lines[-1]["average"]]
        lines.append(line)
    return lines


def report(lines: list[dict[str, Any]]) -> None:
    """Print how often each interval holds, and in brackets its median ends."""
    cells: dict[tuple[Any, float], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        cells[line["prior"], line["rate"]].append(line)
    print(f"| π | ω | lines | {' | '.join(TITLES)} |\n|---|---|---|{'---|' * len(TITLES)}")
    for (prior, rate), told in sorted(cells.items()):
        row = []
        for name in SHOWN:
            each = np.array([line["held"][name] for line in told if line["held"].get(name) is not None])
            if not len(each):
                row.append("–")
                continue
            low, _, high, truth = each.T
            share = np.mean((low - 1e-9 <= truth) & (truth <= high + 1e-9))
            ends = each[:, [0, 2]] if name == "gain" else each[:, [0, 2]] / np.maximum(truth, 1e-9)[:, None]
            left, right = np.median(ends, axis=0)
            row.append(f"{100 * share:.0f}% of {len(each)} ({left:.2f} to {right:.2f})")
        print(f"| {prior} | {rate:g} | {len(told)} | {' | '.join(row)} |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--only", help="one cell, such as .015,1")
    parser.add_argument("--data", type=Path, help="a folder of real sets")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    file = options.report or options.out
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file is not None and file.exists() else []
    done = {(line["prior"], line["rate"], line["seed"]) for line in lines}
    kinds: list[Any] = sorted(file.stem for file in options.data.glob("*.npz")) if options.data else list(PRIORS)
    cells = list(itertools.product(kinds, RATES))
    if options.only:
        kind, rate = options.only.split(",")
        cells = [(kind if options.data else float(kind), float(rate))]
    seeds = range(options.first, options.first + (0 if options.report else options.seeds))
    left = [(*cell, seed) for seed in seeds for cell in cells if (*cell, seed) not in done]
    for made in Parallel(options.jobs, return_as="generator_unordered")(
        delayed(one)(*setting, options.data) for setting in left
    ):
        lines += made
        if options.out is not None:
            with options.out.open("a") as kept:
                kept.writelines(json.dumps(line) + "\n" for line in made)
    report(lines)


if __name__ == "__main__":
    main()
