"""Exact statements about a binomial count: Clopper–Pearson, its quantile, and sampling until the T-th success.

Everything rests on P(Bin(n, p) ≥ k) = I_p(k, n − k + 1), the regularised incomplete Beta function (Clopper and Pearson
1934). No bound here is asymptotic.
"""

from __future__ import annotations

from functools import cache

from scipy.special import bdtr, bdtrc, betaincinv, gammainc, gammaincc

from activepu.errors import InvalidInput


def _check(k: int, n: int) -> None:
    if not 0 <= k <= n:
        raise InvalidInput(f"a count must lie between 0 and the number of trials, got {k} of {n}.")


def upper(k: int, n: int, alpha: float) -> float:
    """The one-sided Clopper–Pearson upper bound for p after k successes in n trials; false with probability ≤ α.

    It solves P(Bin(n, p) ≤ k) = α: the (1 − α)-quantile of Beta(k + 1, n − k); 1 if k = n.
    """
    _check(k, n)
    return 1.0 if k == n else float(betaincinv(k + 1, n - k, 1.0 - alpha))


def lower(k: int, n: int, alpha: float) -> float:
    """The one-sided Clopper–Pearson lower bound for p after k successes in n trials; false with probability ≤ α.

    It solves P(Bin(n, p) ≥ k) = α: the α-quantile of Beta(k, n − k + 1); 0 if k = 0.
    """
    _check(k, n)
    return 0.0 if k == 0 else float(betaincinv(k, n - k + 1, alpha))


def quantile(n: int, p: float, level: float) -> int:
    """The smallest q with P(Bin(n, p) ≤ q) ≥ `level`, found by bisection on the survival function."""
    if n < 0 or not 0.0 <= p <= 1.0 or not 0.0 <= level <= 1.0:
        raise InvalidInput(f"quantile needs n ≥ 0 and p, level in [0, 1], got n={n!r}, p={p!r}, level={level!r}.")
    low, high = -1, n  # P(> low) > 1 − level (or low = −1) and P(> high) ≤ 1 − level
    while high - low > 1:
        middle = (low + high) // 2
        if bdtrc(middle, n, p) <= 1.0 - level:
            high = middle
        else:
            low = middle
    return high


def bounds_at_success(successes: int, trials: int, alpha: float) -> tuple[float, float]:
    """(low, high) for a rate if sampling stopped at the T-th success, on trial n; each is false with probability ≤ α.

    N ≤ n ⇔ Bin(n, ω) ≥ T and N ≥ n ⇔ Bin(n − 1, ω) ≤ T − 1, hence
    low = BetaInv(α; T, n − T + 1) and high = BetaInv(1 − α; T, n − T), which is 1 if n = T.
    """
    _check(successes, trials)
    if successes < 1:
        raise InvalidInput("sampling that stops at a success has at least 1 of them, got 0.")
    low = float(betaincinv(successes, trials - successes + 1, alpha))
    high = 1.0 if trials == successes else float(betaincinv(successes, trials - successes, 1.0 - alpha))
    return low, high


@cache
def successes_for_factor_two(delta: float) -> int:
    """The smallest T for which T/N ∈ [ω/2, 2ω] fails with probability ≤ δ whatever ω, N being the T-th success's trial.

    The worst case is ω → 0, where ωN → Gamma(T): failure is P(Gamma(T) > 2T) + P(Gamma(T) < T/2).
    It replaces the 8 ln(8/δ) of Algorithm 2: 7 for 36 at δ = 0.1, 15 for 52 at δ = 0.0125.
    """
    if not 0.0 < delta < 1.0:
        raise InvalidInput(f"delta must lie strictly between 0 and 1, got {delta!r}.")
    successes = 1
    while gammaincc(successes, 2.0 * successes) + gammainc(successes, successes / 2.0) > delta:
        successes += 1
    return successes


def trials_for_successes(successes: int, rate: float, delta: float) -> int:
    """The smallest n with P(Bin(n, rate) < successes) ≤ δ: enough trials for so many successes."""
    if successes <= 0:
        return 0
    low, high = successes - 1, successes
    while bdtr(successes - 1, high, rate) > delta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if bdtr(successes - 1, middle, rate) > delta:
            low = middle
        else:
            high = middle
    return high
