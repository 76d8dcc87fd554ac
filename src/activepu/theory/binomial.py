"""Exact statements about a binomial count: Clopper–Pearson, its quantile, and sampling until the T-th success.

Everything rests on P(Bin(n, p) ≥ k) = I_p(k, n − k + 1), the regularised incomplete Beta function. No bound here is
asymptotic.

Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26
(1934).
"""

from __future__ import annotations

from functools import cache

from scipy.special import bdtr, bdtrc, betaincinv, gammainc, gammaincc

from activepu.errors import InvalidInput


def _check(k: int, n: int) -> None:
    if not 0 <= k <= n:
        raise InvalidInput(f"a count must lie between 0 and the number of trials, got {k} of {n}.")


def upper(k: int, n: int, alpha: float) -> float:
    """Return the one-sided Clopper–Pearson upper bound for p after k successes in n independent trials.

    It is false with probability ≤ α. It solves P(Bin(n, p) ≤ k) = α: the (1 − α)-quantile of Beta(k + 1, n − k).

    Parameters
    ----------
    k, n : int
        Successes and trials.
    alpha : float
        The probability that the bound is false.

    Returns
    -------
    float
        1 if k = n.

    Examples
    --------
    >>> import activepu as apu
    >>> round(apu.theory.binomial.upper(3, 100, 0.05), 4)
    0.0757
    """
    _check(k, n)
    return 1.0 if k == n else float(betaincinv(k + 1, n - k, 1.0 - alpha))


def lower(k: int, n: int, alpha: float) -> float:
    """Return the one-sided Clopper–Pearson lower bound for p after k successes in n independent trials.

    It is false with probability ≤ α. It solves P(Bin(n, p) ≥ k) = α: the α-quantile of Beta(k, n − k + 1).

    Parameters
    ----------
    k, n : int
        Successes and trials.
    alpha : float
        The probability that the bound is false.

    Returns
    -------
    float
        0 if k = 0.

    Examples
    --------
    >>> import activepu as apu
    >>> round(apu.theory.binomial.lower(3, 100, 0.05), 4)
    0.0082
    """
    _check(k, n)
    return 0.0 if k == 0 else float(betaincinv(k, n - k + 1, alpha))


def quantile(n: int, p: float, level: float) -> int:
    """Return the smallest q with P(Bin(n, p) ≤ q) ≥ `level`, found by bisection on the survival function.

    Parameters
    ----------
    n : int
        Trials.
    p, level : float
        The probability of a success, and that of at most q of them.

    Returns
    -------
    int
        A count from 0 to n.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.binomial.quantile(1000, 0.3, 0.975)
    329
    """
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
    """Return (low, high) for a rate ω if sampling stopped at the T-th success, on trial n.

    Each bound is false with probability ≤ α. With N the trial of the T-th success, N ≤ n ⇔ Bin(n, ω) ≥ T and N ≥ n ⇔
    Bin(n − 1, ω) ≤ T − 1, hence low = BetaInv(α; T, n − T + 1) and high = BetaInv(1 − α; T, n − T), which is 1 if n =
    T.

    Parameters
    ----------
    successes, trials : int
        T and n; the last trial was a success.
    alpha : float
        The probability that either bound is false.

    Examples
    --------
    >>> import activepu as apu
    >>> low, high = apu.theory.binomial.bounds_at_success(10, 20, 0.05)
    >>> round(low, 3), round(high, 3)
    (0.302, 0.68)
    """
    _check(successes, trials)
    if successes < 1:
        raise InvalidInput("sampling that stops at a success has at least 1 of them, got 0.")
    low = float(betaincinv(successes, trials - successes + 1, alpha))
    high = 1.0 if trials == successes else float(betaincinv(successes, trials - successes, 1.0 - alpha))
    return low, high


@cache
def successes_for_factor_two(delta: float) -> int:
    """Return the smallest T for which T/N ∈ [ω/2, 2ω] fails with probability ≤ δ, whatever ω is.

    N is the trial of the T-th success. The worst case is ω → 0, where ωN → Gamma(T): failure is P(Gamma(T) > 2T) +
    P(Gamma(T) < T/2). It replaces the 8 ln(8/δ) of Algorithm 2: 7 in place of 36 at δ = 0.1, 15 in place of 52 at δ =
    0.0125.

    Parameters
    ----------
    delta : float
        The probability that the estimate is off by more than a factor of two.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.binomial.successes_for_factor_two(0.1)
    7
    """
    if not 0.0 < delta < 1.0:
        raise InvalidInput(f"delta must lie strictly between 0 and 1, got {delta!r}.")
    successes = 1
    while gammaincc(successes, 2.0 * successes) + gammainc(successes, successes / 2.0) > delta:
        successes += 1
    return successes


def trials_for_successes(successes: int, rate: float, delta: float) -> int:
    """Return the smallest n with P(Bin(n, rate) < successes) ≤ δ: the trials that almost surely give these successes.

    Parameters
    ----------
    successes : int
        Successes that are wanted.
    rate : float
        The probability of a success.
    delta : float
        The probability that there are fewer.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.binomial.trials_for_successes(10, 0.5, 0.05)
    28
    """
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
