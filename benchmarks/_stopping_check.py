"""Each rule of `_stopping.py` in the setting of its publication: where it promises something, does it hold?

The chances are exact: a sample without replacement is followed answer by answer. Only the rules as a whole are
simulated, on a random order, with a reviewer who confirms every positive.
"""

from __future__ import annotations

import math

import _stopping as rules
import numpy as np
from scipy.stats import beta, hypergeom

DELTA, RUNS = 0.1, 1_000
PUBLISHED = {14: 14, 22: 21, 30: 28, 50: 45, 158: 135, 457: 380}
"""QBCB's r and j for recall 0.8 at 95%: Table 1 of Lewis, Yang and Frieder."""


def qbcb_misses(positives: int, sample: int, recall: float, delta: float) -> float:
    """P(the j-th of a random sample of all positives comes before the recall is reached), exactly."""
    too_early = math.ceil(recall * positives - 1e-9) - 1
    return float(hypergeom.sf(rules.stop_at(sample, recall, delta) - 1, positives, too_early, sample))


def sample_misses(
    test: rules.Test, found: int, hidden: int, rest: int, looks: range, recall: float, delta: float
) -> float:
    """P(a sample of the rest passes the test at one of the looks while the recall is below its target), exactly.

    The state is how many of the draws were confirmed, among the runs that were not stopped yet.
    """
    chance, missed = np.zeros(hidden + 1), 0.0
    chance[0] = 1.0
    hits = np.arange(hidden + 1)
    for drawn in range(1, looks[-1] + 1):
        up = (hidden - hits) / (rest - drawn + 1)
        chance = chance * (1 - up) + np.concatenate([[0.0], (chance * up)[:-1]])
        if drawn in looks:
            passes = test(found, hits, np.full(hidden + 1, drawn), rest, recall, delta) & (hits <= drawn)
            missed += float(chance[passes & (found + hidden >= rules.missed_from(found + hits, recall))].sum())
            chance = np.where(passes, 0.0, chance)
    return missed


def simulated_misses(rule: rules.Rule, size: int, positives: int, recall: float, delta: float, runs: int) -> int:
    """How many runs on a random order end below the recall."""
    rng = np.random.default_rng(5)
    missed = 0
    for _ in range(runs):
        shown = rng.permutation(np.arange(size) < positives)
        missed += bool(shown[rule(shown, recall, delta, rng)].sum() < recall * positives - 1e-9)
    return missed


def check() -> None:
    """Print what holds and what does not; raise if a guarantee of a publication fails here."""
    if (computed := {r: rules.stop_at(r, 0.8, 0.05) for r in PUBLISHED}) != PUBLISHED:
        raise AssertionError(f"QBCB stops at {computed}, not at {PUBLISHED} as published: mend `stop_at`.")
    settings = [
        (t, d, r) for t in (0.8, 0.9, 0.95) for d in (0.1, 0.05) for r in (30, 50) if rules.stop_at(r, t, d) <= r
    ]
    worst = max(qbcb_misses(n, r, t, d) / d for t, d, r in settings for n in range(r, 400))
    says("QBCB, stopped as published", 0.1 * worst, promised=True)
    for test in (rules.clopper_pearson, rules.hypergeometric):
        one = max(
            sample_misses(test, found, hidden, rest, range(n, n + 1), recall, DELTA)
            for rest, found, recall in ((60, 20, 0.8), (40, 30, 0.9), (150, 60, 0.9))
            for hidden in range(1, 25)
            for n in range(5, rest, rest // 12)
        )
        says(f"a sample of the rest, {test.__name__}, one look", one, promised=True)
        every = sample_misses(test, 400, 56, 1_000, range(1, 1_001), 0.9, DELTA)
        says(f"a sample of the rest, {test.__name__}, a look every record", every, promised=False)
    for name, rule, promised in (
        ("target method", rules.target_method(), True),
        ("QBCB, 50 positives", rules.qbcb(50), True),
        ("a third, then buscar's test, one look", rules.sample_of_rest(rules.hypergeometric, "one", 0.33), True),
        ("buscar, ranked, a look every 2%", rules.buscar_ranked(every=0.02), False),
    ):
        missed = simulated_misses(rule, 400, 80, 0.9, DELTA, RUNS)
        surely = float(beta.ppf(1e-4, missed, RUNS - missed + 1)) if missed else 0.0
        says(f"{name}, a random order, simulated", missed / RUNS, promised, surely)


def says(what: str, misses: float, promised: bool, surely: float | None = None) -> None:
    """Print how often a rule misses at δ = 0.1; refuse what is (surely) more than what was promised."""
    print(f"{what}: misses in {misses:.3f} of the runs" + ("" if promised else ", nothing was promised"))
    if promised and (misses if surely is None else surely) > DELTA:
        raise AssertionError(f"{what}: misses in {misses:.3f}, not in {DELTA} of the runs: look in _stopping.py.")
