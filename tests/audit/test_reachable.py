"""Targets that no number of questions can certify are refused before the first one, and no others are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from audit import small
from audit.test_validity import Bounds
from scipy.optimize import linprog
from scipy.stats import binom

import activepu as apu
from activepu.audit.knowledge import Knowledge
from activepu.audit.likelihood import Counts
from activepu.audit.prediction import Predictions
from activepu.audit.reachable import CHANCE, Limits
from activepu.audit.targets import Target, quantities
from activepu.errors import InvalidInput

RATES = np.unique([0.04, *(k / n for n in range(1, 9) for k in range(1, n + 1))])
"""The least favourable rate of a missed truth is the quotient of two small numbers."""


def met(target: Target, called: int, others: int, found: int, lost: int) -> bool:
    """Whether a truth with so many positives inside and outside meets the target."""
    value = quantities(called + others, called)[target.kind].value(np.array([found]), np.array([lost]))[0]
    return bool(value <= target.value + 1e-12 if target.kind == "error" else value >= target.value - 1e-12)


def probabilities(limits: Limits, found: int, lost: int, rate: float) -> np.ndarray:
    """How likely so many reveals are inside, outside and among gold, once every item was asked."""
    parts = [
        binom.pmf(np.arange(n + 1), a, rate)
        for n, a in ((limits.called, found), (limits.others, lost), (limits.gold, limits.gold))
    ]
    return np.einsum("i,j,k->ijk", *parts).ravel()


def largest_power(limits: Limits, target: Target) -> float:
    """The best of all tests, by linear programming: no missed truth passes more often than δ, at any of the rates."""
    truths = list(itertools.product(range(limits.called + 1), range(limits.others + 1)))
    good = [t for t in truths if met(target, limits.called, limits.others, *t)]
    missed = [t for t in truths if t not in good]
    rates = np.unique(np.clip(RATES, limits.low, limits.high))
    excluded = RATES if target.kind == "recall" else rates  # recall is stated whatever the rate
    nulls = np.array([probabilities(limits, *t, rate) for t in missed for rate in excluded])
    best = 0.0
    for truth, rate in itertools.product(good, {rates[-1], rates[len(rates) // 2]}):
        wins = probabilities(limits, *truth, rate)
        found = linprog(-wins, nulls, np.full(len(nulls), limits.delta), bounds=(0, 1))
        best = max(best, -found.fun)
    return best


CASES = [
    (Limits(3, 4, 0.0, 1.0, 0.05), "recall", (0.7, 0.8, 0.99)),
    (Limits(1, 4, 0.0, 1.0, 0.1), "recall", (0.3, 0.6)),
    (Limits(3, 3, 0.0, 1.0, 0.05, gold=2), "recall", (0.8,)),
    (Limits(3, 4, 0.5, 0.5, 0.1), "recall", (0.7, 0.8, 0.99)),
    (Limits(6, 1, 0.5, 0.5, 0.1), "precision", (0.3, 0.6, 0.99)),
    (Limits(5, 1, 0.3, 0.8, 0.1), "precision", (0.5, 0.9)),
    (Limits(4, 4, 0.5, 0.5, 0.1), "error", (0.1, 0.3, 0.6)),
    (Limits(3, 4, 0.3, 0.8, 0.1), "error", (0.1, 0.3)),
    (Limits(2, 4, 0.0, 1.0, 0.05), "error", (0.1, 0.2, 0.5)),
]


@pytest.mark.parametrize(("limits", "kind", "values"), CASES)
def test_the_bound_is_what_the_best_of_all_methods_reaches(
    limits: Limits, kind: str, values: tuple[float, ...]
) -> None:
    """So what is refused is out of reach of every method, and what is in reach of some method is not refused."""
    for target in (Target(kind, value) for value in values):
        power, bound = largest_power(limits, target), limits.chance(target)
        assert power <= bound + 1e-6
        assert power >= bound - (0.16 if kind == "error" else 0.06)


@pytest.mark.parametrize(
    ("sizes", "target", "rates", "delta"),
    [
        ((3, 4), Target("recall", 0.8), (0.0, 1.0), 0.05),
        ((1, 5), Target("recall", 0.6), (0.0, 1.0), 0.1),
        ((5, 1), Target("precision", 0.99), (0.5, 0.5), 0.1),
        ((2, 4), Target("error", 0.1), (0.5, 0.5), 0.1),
    ],
)
def test_what_is_refused_is_seldom_certified_by_any_answers(
    sizes: tuple[int, int], target: Target, rates: tuple[float, float], delta: float
) -> None:
    """Every truth and every sequence of answers, to the end of the pool."""
    limits = Limits(*sizes, *rates, delta)
    assert limits.chance(target) < CHANCE
    strata, known = small.strata(sizes, (True, False), (0.9, 0.02)), rates[0] if rates[0] == rates[1] else None
    tree = small.every_path(small.state(strata, 1, [target], known))
    predictions = Predictions(strata.means) if known is None else Predictions(strata.means, (known,))
    bounds = Bounds(small.state(strata, 1, [target], known), predictions, Knowledge(*rates), delta)

    def certified(counts: tuple[Counts, ...]) -> bool:
        return target.met(*bounds(counts)[target.kind])

    for truth in small.truths(sizes):
        for rate in {max(rates[0], 0.5), rates[1]}:
            if met(target, *sizes, *truth):
                assert small.ever(tree, truth, rate, certified) <= limits.chance(target) + 1e-9


@pytest.mark.parametrize(
    ("called", "settings", "said"),
    [
        (3, {"recall": 0.99}, "certify recall at least 99% .* at least 52% of .* within reach is recall at least 75%"),
        (20, {"precision": 0.99, "rate": 0.5}, "within reach is precision at least"),
        (4, {"error": 0.01, "rate": 0.1}, "within reach is error at most"),
        (50, {"recall": 0.9, "delta": 1e-40}, "delta = 1e-40: .* within reach is recall at least"),
        (1, {"precision": 0.5, "rate": 0.01}, "no precision is within reach"),
    ],
)
def test_a_target_out_of_reach_is_refused_with_one_that_is_not(
    called: int, settings: dict[str, float], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        apu.Run(apu.Audit(np.arange(100) < called, **settings), np.arange(100.0))


@pytest.mark.parametrize("kind", ["recall", "precision", "error"])
@pytest.mark.parametrize("delta", [0.05, 1e-300])
def test_the_bound_of_a_large_pool_is_a_probability(kind: str, delta: float) -> None:
    limits = Limits(100_000, 900_000, 0.5, 0.5, delta)
    for value in (0.001, 0.3, 0.9, 0.999):
        assert 0 <= limits.chance(Target(kind, value)) <= 1


@pytest.mark.parametrize("kind", ["recall", "precision", "error"])
def test_the_value_that_is_named_is_the_nearest(kind: str) -> None:
    limits = Limits(3, 60, 0.3, 0.6, 0.05)
    hard = Target(kind, 0.001 if kind == "error" else 0.999)
    value = limits.reachable(hard)
    assert value is not None
    nearer = value + (-0.001 if kind == "error" else 0.001)
    assert limits.chance(Target(kind, nearer)) < CHANCE <= limits.chance(Target(kind, value))


def test_rows_that_look_alike_are_not_looked_into() -> None:
    pool = apu.Pool(np.repeat(np.arange(50.0), 2)[:, None])
    with pytest.warns(UserWarning, match="rows look the same"):
        assert apu.Run(apu.Audit(np.arange(100) < 4, recall=0.99), pool).ask()
