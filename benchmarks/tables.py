"""A table as it comes: how long its features take, and how well each kind of model learns from them.

    python benchmarks/tables.py [--rows 50000] [--questions 300] [--seeds 3]

50,000 made-up transactions: amount, hour, country, the merchant as text, the age with gaps, the date, and columns that
tell nothing. About 1.5% are fraud, by a rule over the merchant's kind, the amount, the country, the hour and the age.
The expert reveals 60% of the fraud; ten cases are known beforehand. Average precision on the rows that were not asked,
beside that of the same model fitted to all labels of one half of the rows and judged on the other.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

import activepu as apu
from activepu.features.reading import reading
from activepu.features.trial import seeded

KINDS = ["grocery", "fuel", "pharmacy", "books", "electronics", "travel", "restaurant", "wire transfer", "gift card"]
KINDS += ["crypto exchange"]
PLACES = ["Berlin", "Paris", "London", "Utrecht", "Gdansk", "Lagos", "Milano"]
COUNTRIES = ["DE", "FR", "GB", "NL", "US", "PL", "RO", "NG", "BR", "IT"]


def transactions(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """The table, and which rows are fraud."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(len(KINDS), n, p=[0.3, 0.12, 0.08, 0.08, 0.1, 0.07, 0.12, 0.06, 0.04, 0.03])
    amount, hour = np.round(np.exp(rng.normal(3.5, 1.2, n)), 2), rng.integers(0, 24, n)
    country = rng.choice(COUNTRIES, n, p=[0.3, 0.15, 0.12, 0.1, 0.1, 0.08, 0.05, 0.03, 0.03, 0.04])
    age = rng.normal(45, 15, n).clip(18, 95).round()
    risky = (kind >= 7) & ((amount > 90) | np.isin(country, ["NG", "RO"]))
    fraud = risky & ((hour < 7) | (hour > 21) | (age > 65)) | (rng.random(n) < 0.0005)
    age[rng.random(n) < 0.12] = np.nan
    merchants = zip(kind, rng.choice(PLACES, n), rng.integers(1, 3000, n), strict=True)
    columns = {
        "account": [f"T{row:06d}" for row in range(n)],
        "amount": amount,
        "hour": hour,
        "country": country,
        "merchant": [f"{KINDS[k]} {place} {number}" for k, place, number in merchants],
        "age": age,
        "when": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 180 * 86400, n), unit="s"),
        "currency": "EUR",
        "note": None,
    }
    return pd.DataFrame(columns), fraud


def models() -> dict[str, Any]:
    """The models, by name."""
    return {
        "forest (default)": ExtraTreesClassifier(100, bootstrap=True),
        "random forest": RandomForestClassifier(100),
        "logistic regression": LogisticRegression(max_iter=1000),
        "histogram boosting": HistGradientBoostingClassifier(),
        "ChannelLogistic": apu.models.ChannelLogistic(),
    }


def ceiling(estimator: Any, pool: apu.Pool, fraud: np.ndarray) -> float:
    """Average precision of the model fitted to all labels of every second row."""
    read = reading(estimator, pool)
    train, test = np.arange(0, len(pool), 2), np.arange(1, len(pool), 2)
    fitted = seeded(read.estimator, 0).fit(read.rows(train), fraud[train].astype(int))
    return float(average_precision_score(fraud[test], fitted.predict_proba(read.rows(test))[:, 1]))


def main() -> None:
    """Print the time of the features and a table of the models."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--strategy", default="likely positive")
    parser.add_argument("--model", choices=list(models()), default=None)
    options = parser.parse_args()
    for way in ("trees", "native", "linear"):
        table, fraud = transactions(options.rows, 0)
        start = time.process_time()
        made = apu.TableFeatures(way).fit(table)
        fitted = time.process_time()
        shape = made.compact(table).shape
        took = (fitted - start, time.process_time() - fitted)
        print(f"{way:7} {shape[1]:5} features: fit {took[0]:.2f} s, transform {took[1]:.2f} s", flush=True)
    print(made, f"{fraud.mean():.2%} fraud", sep="\n", flush=True)
    print(f"{'model':20} {'AP':>6} {'ceiling':>8} {'revealed':>9} {'s a question':>13}")
    for name, estimator in models().items():
        if options.model not in (None, name):
            continue
        found = [one(estimator, options, seed) for seed in range(options.seeds)]
        ap, revealed, seconds = np.mean(found, axis=0)
        table, fraud = transactions(options.rows, 0)
        top = ceiling(estimator, apu.Pool(table, raw=True), fraud)
        print(f"{name:20} {ap:6.3f} {top:8.3f} {revealed:9.0f} {seconds:13.3f}", flush=True)


def one(estimator: Any, options: argparse.Namespace, seed: int) -> tuple[float, int, float]:
    """Average precision on the rows that were not asked, the reveals, and the processor's seconds a question."""
    table, fraud = transactions(options.rows, seed)
    known = np.random.default_rng(seed).choice(np.flatnonzero(fraud), 10, replace=False)
    expert = apu.SimulatedExpert(fraud, rate=0.6, seed=seed)
    learner = apu.ModelLearner(estimator, options.strategy, patience=None)
    pool = apu.Pool(table, raw=True)
    learner.features(pool)  # not counted as a question
    start = time.process_time()
    result = apu.learn(learner, pool, expert, positives=known, seed=seed, budget=options.questions, batch=10)
    took = (time.process_time() - start) / options.questions
    rest = np.setdiff1d(np.arange(len(table)), [*result.history["item"], *known])
    p = result.predict_proba(table.iloc[rest])[:, 1]
    return float(average_precision_score(fraud[rest], p)), result.n_revealed, took


if __name__ == "__main__":
    main()
