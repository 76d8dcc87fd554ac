"""The bet on one target: exactly fair given the coins, and won too early with probability at most δ."""

from __future__ import annotations

import copy
import itertools
import math

import numpy as np
import pytest
from audit import small
from scipy.stats import binom

from activepu.audit.bet import Bet
from activepu.audit.targets import Target
from activepu.records import Note, Question

SIZES, INSIDE = (2, 4), (True, False)
STRATA = small.strata(SIZES, INSIDE)
WEIGHTS, GUESSES = np.array([0.4, 0.6]), np.array([0.4, 0.2])


def made(target: Target, rates: tuple[float, float]) -> Bet:
    sizes = np.array(SIZES, float)
    return Bet(target.coefficients(STRATA), sizes, target.limit(STRATA), rates)


@pytest.mark.parametrize("target", [Target("recall", 0.6), Target("error", 0.4), Target("precision", 0.5)])
@pytest.mark.parametrize("confirmable", list(itertools.product(range(3), range(5))))
def test_the_capital_grows_as_the_coins_allow(target: Target, confirmable: tuple[int, int]) -> None:
    """E[M e^{−L D⁺}] never grows, given all coins, for every cap; without D > 0 the capital itself never does."""
    bet = made(target, (0.7, 0.7))
    D = bet.start - float(bet.coefficients @ confirmable)
    start = np.exp(bet._logs)

    def expected(bet: Bet, depth: int) -> np.ndarray:
        if depth == 0:
            return np.exp(bet._logs - bet._spent * max(D, 0.0))
        left = bet.left > 0
        if not left.any():
            return np.exp(bet._logs - bet._spent * max(D, 0.0))
        weights = np.where(left, WEIGHTS, 0.0) / WEIGHTS[left].sum()
        total = np.zeros(len(start))
        for k in np.flatnonzero(left):
            p = (confirmable[k] - bet.revealed[k]) / bet.left[k]
            for revealed, chance in ((True, p), (False, 1 - p)):
                if chance > 0:
                    later = copy.deepcopy(bet)
                    later.fold(int(k), revealed, weights, GUESSES, np.array([0.6, 0.1]))
                    total += weights[k] * chance * expected(later, depth - 1)
        return total

    assert (expected(bet, 4) <= start * (1 + 1e-9)).all()


@pytest.mark.parametrize("target", [Target("recall", 0.6), Target("error", 0.4), Target("precision", 0.5)])
@pytest.mark.parametrize("rates", [(0.7, 0.7), (0.0, 1.0)])
def test_kappa_is_the_largest_expectation(target: Target, rates: tuple[float, float]) -> None:
    """E exp(L D⁺) over the coins, for every truth that misses the target and every rate, is at most κ."""
    bet = made(target, rates)
    for cap in (0.05, 0.5, 1.5):
        kappa = bet.kappa(cap)
        for positives in itertools.product(range(3), range(5)):
            if bet.coefficients @ positives < bet.limit - 1e-12:
                continue
            for rate in {min(max(rates[0], 0.1), 0.9), 0.5, 0.95, rates[1]} if rates[0] < rates[1] else {rates[0]}:
                if rates[0] <= rate <= rates[1]:
                    assert _expectation(bet, positives, rate, cap) <= kappa * (1 + 1e-9)


def _expectation(bet: Bet, positives: tuple[int, ...], rate: float, cap: float) -> float:
    total = 0.0
    for coins in itertools.product(*(range(a + 1) for a in positives)):
        chance = math.prod(float(binom.pmf(s, a, rate)) for s, a in zip(coins, positives, strict=True))
        total += chance * math.exp(cap * max(0.0, bet.start - float(bet.coefficients @ coins)))
    return total


@pytest.mark.parametrize("kind", ["recall", "error"])
def test_a_missed_target_is_seldom_certified(kind: str) -> None:
    """Exactly, over all coins, draws and answers, to the end of the pool."""
    delta, rate = 0.3, 0.7
    target = Target(kind, 0.6 if kind == "recall" else 0.3)
    worst = 0.0
    for positives in itertools.product(range(3), range(5)):
        bet = made(target, (rate, rate))
        if bet.coefficients @ positives < bet.limit - 1e-12:
            continue
        total = 0.0
        for coins in itertools.product(*(range(a + 1) for a in positives)):
            chance = math.prod(float(binom.pmf(s, a, rate)) for s, a in zip(coins, positives, strict=True))
            total += chance * _won(made(target, (rate, rate)), coins, -math.log(delta), 6)
        worst = max(worst, total)
    assert worst <= delta


def _won(bet: Bet, confirmable: tuple[int, ...], needed: float, depth: int) -> float:
    """The probability that the capital ever reaches what is needed."""
    if bet.best >= needed:
        return 1.0
    left = bet.left > 0
    if depth == 0 or not left.any():
        return 0.0
    weights = np.where(left, WEIGHTS, 0.0) / WEIGHTS[left].sum()
    total = 0.0
    for k in np.flatnonzero(left):
        p = (confirmable[k] - bet.revealed[k]) / bet.left[k]
        for revealed, chance in ((True, p), (False, 1 - p)):
            if chance > 0:
                later = copy.deepcopy(bet)
                later.fold(int(k), revealed, weights, GUESSES, np.array([0.6, 0.1]))
                total += weights[k] * chance * _won(later, confirmable, needed, depth - 1)
    return total


def test_a_target_that_holds_is_won() -> None:
    """Recall 0.95 against a target of 0.8, in a pool of 5,000."""
    rng = np.random.default_rng(0)
    strata = small.strata((600, 400, 4000), (True, True, False))
    target = Target("recall", 0.8)
    bet = Bet(target.coefficients(strata), strata.sizes.astype(float), 0.0, (0.0, 1.0))
    confirmable = [rng.permutation(np.arange(n) < s) for n, s in ((600, 300), (400, 100), (4000, 20))]
    weights, asked = np.array([0.2, 0.3, 0.5]), [0, 0, 0]
    for _ in range(1500):
        k = int(rng.choice(3, p=weights))
        bet.fold(k, bool(confirmable[k][asked[k]]), weights, np.array([0.45, 0.22, 0.02]), np.array([0.5, 0.25, 0.005]))
        asked[k] += 1
        if bet.won(0.05):
            break
    assert bet.won(0.05)


@pytest.mark.parametrize("target", [Target("recall", 0.6), Target("error", 0.29), Target("precision", 0.5)])
def test_an_expert_who_reveals_every_positive(target: Target) -> None:
    """With ω = 1 the coins are no chance: D is never above 0, and the caps cost nothing."""
    strata = small.strata((30, 20, 50), (True, True, False))
    bet = Bet(target.coefficients(strata), strata.sizes.astype(float), target.limit(strata), (1.0, 1.0))
    assert np.isfinite(bet.caps).all()
    assert bet.kappa(0.5) <= math.exp(1.0)
    bet.fold(0, True, np.array([0.5, 0.3, 0.2]), np.array([0.6, 0.4, 0.1]), np.array([0.8, 0.6, 0.05]))
    assert np.isfinite(bet.log_capital)


@pytest.mark.parametrize("value", [0.0455, 0.045501, 0.1])
def test_a_bet_on_the_error_of_a_large_pool_with_a_rate_of_one(value: float) -> None:
    """D = m − Σ c S is known, and at most a fraction of an item: no cap may cost less than exp(L D)."""
    strata = small.strata((1267, 844, 17889), (True, True, False))
    target = Target("error", value)
    bet = Bet(target.coefficients(strata), strata.sizes.astype(float), target.limit(strata), (1.0, 1.0))
    D = target.limit(strata) + 2111 - math.floor(target.limit(strata) + 2111 + 1e-9)
    assert np.isfinite(bet.log_capital)
    for cap in bet.caps:
        assert math.log(bet.kappa(cap)) == pytest.approx(max(0.0, cap * D), abs=1e-6)


@pytest.mark.parametrize("value", [0.8, 0.85, 0.95])
def test_kappa_holds_between_whole_numbers_of_positives(value: float) -> None:
    """With the rate unknown, for recalls whose boundary lies between two whole numbers of missed positives."""
    strata, target = small.strata((9, 4), INSIDE), Target("recall", value)
    bet = Bet(target.coefficients(strata), np.array([9.0, 4.0]), 0.0, (0.0, 1.0))
    for cap in (*bet.caps, 2.0):
        for positives in itertools.product(range(10), range(5)):
            if bet.coefficients @ positives >= -1e-12:
                for rate in (0.3, 0.7, 0.95):
                    assert _expectation(bet, positives, rate, cap) <= bet.kappa(cap) * (1 + 1e-9)


def test_nothing_is_bet_on_an_answer_that_comes_late() -> None:
    """A skipped item that is asked again was not drawn by lot; nor is anything while only skipped items are left."""
    strata = small.strata((3, 3), INSIDE)
    bet = made(Target("recall", 0.6), (0.0, 1.0))
    state = small.state(strata, 1, [Target("recall", 0.6)], None, bet)
    bet.left = np.array([3.0, 3.0])
    items = [next(state.questions())[0] for _ in range(6)]
    spent = bet._spent.copy()
    for item in items[1:]:
        state.fold(Question(0, item, None, Note("lot", -1), True))
    before = bet._spent.copy()
    state.fold(Question(0, items[0], None, Note("lot", -1), True))
    assert (bet._spent == before).all()
    assert (before >= spent).all()
    assert bet.left.sum() == 0
