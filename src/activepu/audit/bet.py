"""A bet on one target that was fixed beforehand: it needs fewer questions than a set that states everything at once.

The target is missed if Σ c_k A_k ≥ v. Let S_k be the *confirmable* items of a stratum, those whose coin says "reveal",
and m a number that ω v is never below. A question picks stratum k with probability w_k, then a random item of it; f
says whether it is revealed. With M_k items left, any g and the capital M = 1 at the start,

    Z = Σ_j c_j M_j g_j + c_k M_k (f − g_k) / w_k,        M ← M · (1 − λ (Z − m_t)),        m_t = m − Σ_j c_j r_j.

Given all coins, E[Z] = Σ_j c_j (S_j − r_j): the factor's mean is 1 + λ D with D = m − Σ_j c_j S_j. If D ≤ 0 the capital
is a supermartingale, whatever the reveal rates are. In general M e^{−L D⁺} is one, L being the sum of the λ so far. So
if betting ends when L reaches a cap L*, the capital ever reaches κ/δ with probability at most δ,

    κ = E exp(L* D⁺),       largest over the missed targets where all that is called positive is, on the boundary.

Several caps share the capital.

Shekhar et al. (2023); Waudby-Smith and Ramdas (2024); Spertus, Sridhar and Stark (2024).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import binom

COSTS = (0.1, 0.4, 1.0, 2.0, 4.0)
"""ln κ of the caps: a larger cap costs more at the start, and goes on where bad luck has used up the smaller ones."""
WEIGHTS = (0.1, 0.4, 0.3, 0.1, 0.1)
"""How the capital is divided among these caps at the start."""
LARGEST = 300.0
"""No cap is larger than this over the largest coefficient; with ω = 1 a cap would cost nothing, however large."""
SET_SHARE = 0.2
"""The part of δ that pays for all other statements, which come from the set of counts."""
BOLD = 0.9
"""How much of the largest bet that cannot lose everything is made at most."""

Floats = NDArray[np.float64]


@dataclass
class Bet:
    """The capital of one bet.

    Parameters
    ----------
    coefficients : array
        c, by stratum.
    sizes : array
        N, by stratum.
    limit : float
        v.
    rates : (float, float)
        The lowest and the highest reveal rate that is possible.
    """

    coefficients: Floats
    sizes: Floats
    limit: float
    rates: tuple[float, float]
    revealed: Floats = field(init=False)
    left: Floats = field(init=False)

    def __post_init__(self) -> None:
        low, high = self.rates
        self.start = (high if self.limit <= 0 else low) * self.limit  # m
        self.revealed, self.left = np.zeros(len(self.sizes)), np.array(self.sizes, np.float64)
        self.caps = self._caps()
        self._spent = np.zeros(len(self.caps))
        self.best = -math.inf
        """The largest ln of the capital so far."""
        self.void = False
        """Whether the bet was given up, for good. It then certifies nothing, which is always right."""
        self._logs = -np.array([math.log(self.kappa(cap)) for cap in self.caps]) + np.log(WEIGHTS)

    @property
    def log_capital(self) -> float:
        """ln of the capital, κ paid: the target holds at level δ once it was ever ln(1/δ)."""
        return float(np.logaddexp.reduce(self._logs))

    def won(self, delta: float) -> bool:
        """Whether the target was ever certified at this δ, of which the set of counts gets its share."""
        return not self.void and self.best >= -math.log((1 - SET_SHARE) * delta)

    @property
    def still_to_lose(self) -> float:
        """m_t, what the reveals to come must not add up to."""
        return float(self.start - self.coefficients @ self.revealed)

    def fold(self, stratum: int, revealed: bool, weights: Floats, guesses: Floats, shares: Floats) -> None:
        """Take in one answer.

        Parameters
        ----------
        stratum : int
            Where the item was drawn.
        revealed : bool
            The answer.
        weights : array
            w, the probabilities with which the strata were drawn; fixed before that, like the next two.
        guesses : array
            g, the shares of reveals that are guessed.
        shares : array
            How likely a reveal seems in each stratum; λ is the best bet if these are right.
        """
        c, M, m = self.coefficients, self.left, self.still_to_lose
        base = float(c @ (M * guesses))
        open_ = weights > 0
        pull = (c * M)[open_] / weights[open_]
        loss = base - m + np.concatenate([-pull * guesses[open_], pull * (1 - guesses[open_])])
        likely = np.concatenate([(weights * (1 - shares))[open_], (weights * shares)[open_]])
        size = _kelly(loss, likely)
        Z = base + c[stratum] * M[stratum] * (revealed - guesses[stratum]) / weights[stratum]
        sizes = np.minimum(size, self.caps - self._spent)
        self._logs = self._logs + np.log1p(-sizes * (Z - m))
        self.best = max(self.best, self.log_capital)
        self._spent = self._spent + sizes
        self.note(stratum, revealed)

    def end(self) -> None:
        """Give the bet up, with all that it has certified."""
        self.void = True

    def note(self, stratum: int, revealed: bool) -> None:
        """Take in an answer on which nothing was bet."""
        self.revealed[stratum] += revealed
        self.left[stratum] -= 1

    def kappa(self, cap: float) -> float:
        """Return the largest E exp(L* D⁺) over all truths that miss the target."""
        a, b, inside, outside = self._sides()
        if self.rates[0] < self.rates[1]:
            return _for_every_rate(cap * cap * (a * a * inside + b * b * outside) / 4)
        return _expected(cap, self.start, a, b, math.ceil(inside - 1e-9), math.floor(outside), self.rates[1])

    def _sides(self) -> tuple[float, float, float, float]:
        """Return |c| inside and outside, and the positives on either side in the worst truth that misses the target."""
        c, N = self.coefficients, self.sizes
        a, b = float(-c.min(initial=0.0)), float(c.max(initial=0.0))
        inside, outside = float(N[c < 0].sum()), float(N[c > 0].sum())
        if b == 0:
            return a, b, min(inside, -self.limit / a), 0.0
        wanted = (self.limit + a * inside) / b
        if wanted <= outside:
            return a, b, inside, max(0.0, wanted)
        return a, b, min(inside, (b * outside - self.limit) / a), outside

    def _caps(self) -> Floats:
        """Return caps L* with ln κ of about `COSTS`; the κ that is paid is computed from each."""
        log_kappa = cache(lambda log_cap: math.log(self.kappa(math.exp(log_cap))))
        most = math.log(LARGEST / float(np.abs(self.coefficients).max()))
        found = []
        for cost in COSTS:
            low, high = -30.0, -29.0
            while log_kappa(high) < cost and high < most:
                low, high = high, min(high + 2, most)
            over = log_kappa(high) > cost
            found.append(brentq(lambda at, c: log_kappa(at) - c, low, high, (cost,), xtol=0.02) if over else high)
        return np.exp(found)


def _for_every_rate(variance: float) -> float:
    """Return a bound of E exp(L D⁺) that holds for every rate; `variance` is L² Σ c² A / 4 on the boundary.

    On the boundary the numbers A need not be whole. A truth beyond it has fewer, larger steps towards D > 0 only: with
    the coefficients outside made smaller until it lies on the boundary, D is no smaller and Σ c² A no larger.

    max(1, e^x) ≤ 1 + e^{s x} (s − 1)^{s−1} / s^s for every s > 1, and E e^{s L D} ≤ e^{s² variance / 2} by Hoeffding's
    lemma. The best s of some is taken.
    """
    s = np.linspace(1.02, 8.0, 200)
    exponent = float(((s - 1) * np.log(s - 1) - s * np.log(s) + s * s * variance / 2).min())
    return 1 + math.exp(min(exponent, 700.0))


def _expected(cap: float, m: float, a: float, b: float, inside: int, outside: int, rate: float) -> float:
    """Return E exp(L (m + a X − b Y)⁺), X ~ Bin(inside, ω), Y ~ Bin(outside, ω) independent.

    For fixed Y it is the sum of a binomial tail and of the tail of a tilted binomial.
    """
    middle, reach = outside * rate, 12 * math.sqrt(outside * rate * (1 - rate)) + 30
    y = np.arange(max(0, math.floor(middle - reach)), min(outside, math.ceil(middle + reach)) + 1.0)
    chance = binom.pmf(y, outside, rate)
    y, chance = y[chance > 0], chance[chance > 0]  # what never happens may be infinite
    none = np.floor((b * y - m) / a) if a > 0 else np.where(b * y >= m, np.inf, -1.0)  # D ≤ 0 up to this X
    log_tilt = inside * math.log1p(rate * math.expm1(cap * a))
    tilted = min(1.0, rate * math.exp(cap * a) / (1 + rate * math.expm1(cap * a)))
    with np.errstate(over="ignore"):
        beyond = np.exp(cap * (m - b * y) + log_tilt + binom.logsf(none, inside, tilted))
    return float(chance @ (binom.cdf(none, inside, rate) + beyond))


def _kelly(loss: Floats, probability: Floats) -> float:
    """Return the λ ≥ 0 that maximises Σ probability · ln(1 − λ loss), so small that no outcome loses everything."""
    worst = loss.max(initial=0.0)
    if probability @ loss >= 0:
        return 0.0
    if worst <= 0:
        return math.inf  # every outcome gains; the caps limit it
    low, high = 0.0, BOLD / worst
    if probability @ (loss / (1 - high * loss)) <= 0:
        return float(high)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if probability @ (loss / (1 - middle * loss)) < 0 else (low, middle)
    return low
