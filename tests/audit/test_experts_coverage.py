"""Two experts who differ, over many draws: a rate each holds as often as it says, one pooled rate does not."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np
import pytest
from audit import small
from scipy.special import xlog1py, xlogy
from scipy.stats import binomtest

from activepu.audit.confidence import ConfidenceSet, Gold, Rates, possible_range
from activepu.audit.joint_likelihood import Seen, log_likelihood
from activepu.audit.joint_prediction import JointPredictions
from activepu.audit.likelihood import Counts
from activepu.audit.per_expert import PerExpertSet
from activepu.audit.prediction import Predictions, log_gold
from activepu.audit.state import State
from activepu.audit.targets import Target, quantities
from activepu.records import GOLD, OVERLAP, Question

RATES = {"ann": 0.9, "bob": 0.3}
DELTA = 0.2
RUNS = 2000
SIZES, POSITIVES = (20, 20, 60), (14, 5, 3)
MEANS = (0.7, 0.25, 0.05)


class Turns:
    """The better expert as long as the last answers were silent: from answers only."""

    last: bool = False

    def __call__(self) -> Hashable:
        return "bob" if self.last else "ann"


def ever_excluded(seed: int) -> tuple[bool, bool]:
    """Whether the truth was ever outside the set of rung 1, and of rung 2, in one audit of all items."""
    rng = np.random.default_rng(seed)
    made, turns = small.strata(SIZES, (True, False, False), MEANS), Turns()
    truth = np.concatenate([rng.permutation(np.arange(n) < a) for n, a in zip(SIZES, POSITIVES, strict=True)])
    gold = 1000 + np.arange(4)
    state = State(made, seed, [Target("recall", 0.6)], Predictions(made.means), None, gold, None, asking=turns)
    predictions, rates = JointPredictions(made.means), np.array([list(RATES.values())])
    out = [False, False]
    while (step := state.next_question()) is not None:
        (item, note), who = step, turns()
        positive = note.phase in (GOLD, OVERLAP) or truth[item]
        turns.last = bool(positive and rng.random() < RATES[who])
        state.fold(Question(0, item, None, note, turns.last, expert=who))
        if state.folded % 5:
            continue
        order = [state.answers.experts.index(name) if name in state.answers.experts else -1 for name in RATES]
        seen = [
            Seen(part.size, *(tuple(0 if e < 0 else each[e] for e in order) for each in (part.asked, part.revealed)))
            for part in state.answers.seen()
        ]
        value = sum(
            log_likelihood(part, np.array([float(a)]), rates)[0, 0] for part, a in zip(seen, POSITIVES, strict=True)
        )
        floor = math.log(DELTA) + predictions.log_probability(seen)
        out[0] |= value < floor
        again = dict(zip(state.answers.experts, state.answers.again(GOLD, OVERLAP), strict=True))
        for name, rate in RATES.items():
            own = again.get(name, Gold())
            value += xlogy(own.revealed, rate) + xlog1py(own.asked - own.revealed, -rate)
            floor += log_gold(own.asked, own.revealed)
        out[1] |= value < floor
    return out[0], out[1]


@pytest.mark.slow
def test_the_truth_is_kept_to_the_last_item() -> None:
    """All items are asked, who is asked follows the answers, and nothing is excluded more often than δ."""
    found = np.array([ever_excluded(seed) for seed in range(RUNS)]).sum(axis=0)
    assert found.sum() > 0
    for count in found:
        assert binomtest(int(count), RUNS, DELTA, alternative="greater").pvalue > 1e-4


def recalls(rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether the recall lies above what is certified with a rate each, and with one rate: true (0.7) or not.

    The better expert was there when the items called positive were asked, the other one later.
    """
    sizes, positives, asked = (150, 600), (105, 45), ((110, 5), (5, 450))
    seen = []
    for size, a, (first, second) in zip(sizes, positives, asked, strict=True):
        drawn = rng.permutation(np.arange(size) < a)[: first + second]
        shown = (int(rng.binomial(drawn[:first].sum(), 0.9)), int(rng.binomial(drawn[first:].sum(), 0.3)))
        seen.append(Seen(size, (first, second), shown))
    means, inside, recall = np.array([0.7, 0.1]), np.array([True, False]), quantities(750.0, 150.0)["recall"]
    floor = math.log(DELTA) + JointPredictions(means).log_probability(seen)
    each = PerExpertSet(seen, np.ones(2), floor, [Gold(), Gold()])
    counts = [Counts(part.size, part.pooled.asked, part.pooled.revealed) for part in seen]
    floor = math.log(DELTA) + Predictions(means).log_probability(counts)
    revealed = sum(c.revealed for c in counts)
    pooled = ConfidenceSet(counts, np.ones(2), floor, Rates.between(*possible_range(counts, floor, 0.0, 1.0), revealed))
    low = [found.extremes(inside, recall.value, recall.up)[0] for found in (each, pooled)]
    return low[0] <= 0.7, low[1] <= 0.7


@pytest.mark.slow
def test_one_pooled_rate_is_wrong_where_each_expert_has_their_own() -> None:
    rng = np.random.default_rng(0)
    draws = 150
    each, pooled = np.array([recalls(rng) for _ in range(draws)]).sum(axis=0)
    assert binomtest(int(draws - each), draws, DELTA, alternative="greater").pvalue > 1e-4
    assert binomtest(int(draws - pooled), draws, DELTA, alternative="greater").pvalue < 1e-4
