"""The smallest violation of the class that the checks would have shown, with 90% probability.

**The claim.** The lot was fixed before the first check: a certain positives and b certain negatives, none of which was
asked or known beforehand, no two of which share a coin. n of the a and m of the b were drawn, without replacement and
whatever the answers were. Nothing is assumed about the class. It is assumed that each positive is revealed with one and
the same probability ω, independently, and other items with probability η (`false_reveal`) at most; ω is within what was
told.
Where some checks are not answered in time and others take their place, it is also assumed that positives are late as
often as other items, which the certificate itself does not need: else fewer of the k are among those that are answered.
(`doubts` says so.)

- *Missed positives*: k of the b are positive. H of them are drawn, with a hypergeometric law. Each is revealed with
  probability ω, and if η = 0, one reveal contradicts the class:

      P(alarm) ≥ 1 − E[(1 − ω)^H],

  which grows with k and ω. If η > 0 the alarm needs a number c of reveals, and P(alarm) ≥ P(Bin(H, ω) ≥ c).
- *False positives*: k of the a are not positive. Of n draws T are true positives, hypergeometric too, and

      P(alarm) ≥ P(Bin(T, ω) + Bin(n − T, η) ≤ c),

  which grows with k and falls with ω: the worst case is the upper end of what was told. If nothing was told, any
  share of reveals fits some rate, and nothing is claimed.

Fewer reveals than c = c(n) raise the alarm: with the likelihood of r reveals in n answers, e is at most 1 where r/n is
a possible rate, and below that ln e is convex in r, so that {r : e ≥ 5/δ} begins at 0. The same holds above. The search
may have narrowed the possible rates, and e is an average with the tests of several cells; both can only add alarms. So
can looking before the last answer. All of this is exact: nothing is taken to be drawn with replacement.

**An unknown ω.** The chance to see missed positives falls with ω. A lower bound from the search would rest on the class
that is in question. So the bound is `Check.lowest_rate`: it uses the checks alone, and fails with probability ≤ α = 1%.
Let v(ω) be the smallest k that shows with probability ≥ 91%; it falls with ω. If k ≥ v(bound) is printed and the bound
holds, k ≥ v(ω), a number that was fixed when the checks began. So

    P(k ≥ what is printed, no alarm) ≤ P(bound > ω) + P(no alarm, k ≥ v(ω)) ≤ 1% + 9%.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.stats import binom, hypergeom

from activepu.version_spaces.frontier import NEGATIVE, POSITIVE
from activepu.zcal.check import Check
from activepu.zcal.rates import Floats, Rates

SURE = 0.9
"""The probability with which a violation is to show."""
ALPHA = 0.01
"""The probability that the lower bound on an unknown rate fails."""


class Visible(NamedTuple):
    """The smallest violations that show, in items of the lot; None if not even the largest one does."""

    missed: int | None
    false: int | None


def visible(check: Check, inside: int, outside: int, rate: float | None = None) -> Visible:
    """Return what so many checks of certain positives and of certain negatives show.

    Parameters
    ----------
    check : Check
        The lot, and what is known about the rate.
    inside, outside : int
        The number of certain positives and of certain negatives that are checked.
    rate : float, optional
        ω. By default the lower bound that the checks give, at its price.
    """
    exact = check.rates.known or rate is not None
    rate = check.lowest_rate(ALPHA) if rate is None else rate
    sure, sizes = SURE if exact else SURE + ALPHA, {kind: len(rows) for kind, rows in check.lot.items()}
    fewest = 1
    if check.false_reveal:
        fewest = highest(outside, Rates(0.0, check.false_reveal), check.log_needed - math.log(0.5))
    missed = _missed(sizes[NEGATIVE], outside, rate, fewest, sure)
    if not check.told:
        return Visible(missed, None)
    most = lowest(inside, check.rates, check.log_needed - math.log(check.share_of_one_cell))
    return Visible(missed, _false(sizes[POSITIVE], inside, check.rates.high, check.false_reveal, most))


@lru_cache(maxsize=64)
def _missed(size: int, drawn: int, rate: float, fewest: int, sure: float) -> int | None:
    return smallest(size, sure, lambda k: rising(size, k, drawn, rate, fewest))


@lru_cache(maxsize=64)
def _false(size: int, drawn: int, rate: float, others: float, most: int) -> int | None:
    return smallest(size, SURE, lambda k: falling(size, k, drawn, rate, others, most))


def smallest(size: int, sure: float, chance: Callable[[int], float]) -> int | None:
    """Bisect for the smallest k in 1, …, size with a chance of at least `sure`; the chance grows with k."""
    if size == 0 or chance(size) < sure:
        return None
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if chance(middle) >= sure else (middle, high)
    return high


def rising(size: int, wrong: int, drawn: int, rate: float, fewest: int) -> float:
    """Return P(at least `fewest` reveals), if `drawn` of `size` items are drawn and `wrong` of them are positive."""
    hit = np.arange(drawn + 1)
    return float(hypergeom.pmf(hit, size, wrong, drawn) @ binom.sf(fewest - 1, hit, rate))


def falling(size: int, wrong: int, drawn: int, rate: float, others: float, most: int) -> float:
    """Return P(at most `most` reveals), if `wrong` of the items are not positive and are revealed at the rate `others`.

    The law of the number of wrong ones that are drawn is that of `rising`.
    """
    hit = np.arange(drawn + 1)
    mistaken = hit[:, None] if others else hit[:1, None]
    among = np.asarray(binom.pmf(mistaken, hit, others) * binom.cdf(most - mistaken, drawn - hit, rate))
    return float(hypergeom.pmf(hit, size, wrong, drawn) @ among.sum(axis=0))


def _log_e(checks: int, null: Rates) -> Floats:
    """Return ln e of the test with one cell after so many answers, for every number of reveals."""
    r = np.arange(checks + 1)
    return np.asarray(Rates().log_mean(r, checks - r) - null.log_likelihood(r, checks - r))


def lowest(checks: int, null: Rates, log_needed: float) -> int:
    """Return the largest c such that 0, …, c reveals all raise an alarm, as being too few; −1 if there is none."""
    few = (_log_e(checks, null) >= log_needed) & (np.arange(checks + 1) < null.low * checks)
    return int(np.argmin(np.append(few, False))) - 1


def highest(checks: int, null: Rates, log_needed: float) -> int:
    """Return the smallest c such that c, …, n reveals all raise an alarm, as being too many; n + 1 if there is none."""
    many = (_log_e(checks, null) >= log_needed) & (np.arange(checks + 1) > null.high * checks)
    return checks + 1 - int(np.argmin(np.append(many[::-1], False)))
