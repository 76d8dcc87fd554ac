"""A search over many runs: what it ever says of the confirmable items is false in a δ share of them at most.

Every run draws a pool, what the expert would confirm, a ranking, and how answers come: in batches, out of order, some
skipped because of what they are, with questions of somebody's own in between who knows every coin. Bounds of a run only
tighten, so that the last ones are false if any were.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from worlds import assert_holds

import activepu as apu

RUNS = int(os.environ.get("FOUND_RUNS", "500"))
DELTA = 0.2

Bools = NDArray[np.bool_]
Chooser = Callable[[Bools, NDArray[np.int64], np.random.Generator], NDArray[np.int64]]
"""Which of the items that were not asked to ask: from all coins, these items, and chance."""

OWN: dict[str, Chooser] = {
    "nobody": lambda confirms, left, rng: left[:0],
    "at random": lambda confirms, left, rng: rng.permutation(left),
    "takes what is confirmable": lambda confirms, left, rng: left[confirms[left]],
    "takes what is silent": lambda confirms, left, rng: left[~confirms[left]],
}


def _scores(kind: str, confirms: Bools, X: NDArray[np.float64]) -> Any:
    """The ranking: by what is true, by noise, upside down, or by a classifier that is fitted as answers come."""
    noise = X[:, 1]
    return {"good": confirms + noise, "noise": noise, "upside down": noise - confirms, "learns": LogisticRegression()}[
        kind
    ]


def outcome(kind: str, seed: int) -> tuple[bool, bool]:
    """Make one run: do its bounds exclude the true number of confirmable rows, and do they say more than answers do?"""
    rng = np.random.default_rng([seed, 77])
    n = int(rng.integers(200, 601))
    alike = np.sort(rng.integers(0, n, n)) if rng.random() < 0.3 else np.arange(n)
    confirms = (rng.random(n) < rng.choice([0.0, 0.01, 0.04, 0.15]))[alike]
    X = np.column_stack([confirms + rng.normal(size=n), rng.random(n)])[alike]
    bands = int(rng.integers(2, 4)) if kind != "learns" and rng.random() < 0.3 else None
    audit = apu.Audit(
        "found", recall=rng.choice([0.5, 0.8, 0.95, 0.999]), delta=DELTA, score=_scores(kind, confirms, X), bands=bands
    )
    run = apu.Run(audit, X, seed=seed)
    batch, own = int(rng.integers(1, 20)), OWN[rng.choice(list(OWN))]
    skips = dict(zip((False, True), ((0.0, 0.0), (0.1, 0.1), (0.0, 0.7), (0.1, 0.0))[rng.integers(4)], strict=True))
    most = int(rng.integers(n // 4, 2 * n))  # of the questions; some runs end early
    while not run.finished and len(run.questions) < most and (put := run.ask(batch)):
        for question in rng.permutation(np.array(put, object)):
            run.tell(
                question,
                apu.SKIP if rng.random() < skips[bool(confirms[question.item])] else bool(confirms[question.item]),
            )
        asked = {run.coin(question.item) for question in run.questions}
        left = np.array([item for item in range(n) if run.coin(item) not in asked], np.int64)
        for item in own(confirms, left, rng)[:1] if rng.random() < 0.5 else ():
            run.record(int(item), bool(confirms[item]))
    evidence = run.result().findings.evidence
    low, high = evidence["confirmable"]
    counts = zip(*(evidence[key] for key in ("weights", "sizes", "asked", "revealed")), strict=True)
    possible = sum(weight * (size - asked + revealed) for weight, size, asked, revealed in counts)
    return not low <= confirms.sum() <= high, bool(high < possible)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["good", "noise", "upside down", "learns"])
def test_what_a_search_ever_says_is_false_in_a_share_of_delta_at_most(kind: str) -> None:
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        seen = list(workers.map(outcome, (kind,) * RUNS, range(RUNS), chunksize=10))
    false, telling = (sum(column) for column in zip(*seen, strict=True))
    print(f"\nA search, ranking {kind}: false in {false} of {RUNS} runs (δ = {DELTA}), telling in {telling}")
    assert telling > 0.3 * RUNS
    assert_holds(false, RUNS, DELTA)
