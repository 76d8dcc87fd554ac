"""The smallest violation of the class that a number of checks would show, with 90% probability.

A share v of the decided items is wrong; p is the share of certain positives among them. Certain positives
and certain negatives were drawn by lot, a number of each.

- Missed positives (certain negatives that are positive) are revealed with probability ω each. If no reveal can be
  wrong, one is enough: N checks of certain negatives show them with probability 1 − (1 − ωv/(1 − p))^N.
- False positives (certain positives that are not positive) lower the reveal rate inside, from ω to ω(1 − v/p).
  Only a rate that was told can contradict that. The worst case is ω at the upper end of what was told.

The alarm of the test with one cell depends on the number of answers and of reveals alone. So its probability is exact:
a walk over these two numbers that ends where e reaches 5/δ. The draws are taken to be with replacement, and the tests
with several cells are left out: both can only add to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from activepu.zcal.rates import Floats, Rates

SURE = 0.9
"""The probability with which a violation is to show."""
HALVINGS = 20


def missed(checks: int, share: float, rate: float) -> float | None:
    """Return the smallest share of missed positives that shows if no reveal can be wrong; None if none does."""
    if checks == 0 or rate <= 0:
        return None
    found = (1 - (1 - SURE) ** (1 / checks)) / rate
    return share * found if found <= 1 else None


def falling(checks: int, share: float, null: Rates, log_needed: float) -> float | None:
    """Return the smallest share of false positives that shows in so many checks of certain positives."""
    return _smallest(share, lambda v: shown(checks, null.high * (1 - v / share), null, log_needed))


def rising(checks: int, share: float, rate: float, null: Rates, log_needed: float) -> float | None:
    """Return the smallest share of missed positives that shows if others may be revealed too, at a rate in `null`."""
    return _smallest(share, lambda v: shown(checks, rate * v / share, null, log_needed))


def _smallest(most: float, chance: Callable[[float], float]) -> float | None:
    """Bisect for the smallest v in (0, most] with a chance of at least SURE."""
    if most <= 0 or chance(most) < SURE:
        return None
    low, high = 0.0, most
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if chance(middle) >= SURE else (middle, high)
    return high


def shown(checks: int, rate: float, null: Rates, log_needed: float) -> float:
    """Return P(e ≥ 5/δ at some time) if each check of the tested kind is revealed at `rate`."""
    alarms = _alarms(checks, null, log_needed)
    alive, crossed = np.zeros(checks + 2), 0.0
    alive[0] = 1.0
    for n in range(1, checks + 1):
        alive[1:] = alive[1:] * (1 - rate) + alive[:-1] * rate
        alive[0] *= 1 - rate
        crossed += float(alive[:-1][alarms[n]].sum())
        alive[:-1][alarms[n]] = 0.0
    return crossed


@lru_cache(maxsize=16)
def _alarms(checks: int, null: Rates, log_needed: float) -> NDArray[np.bool_]:
    """Return (n, r): whether e reaches what is needed after n answers with r reveals."""
    n, r = np.arange(checks + 1)[:, None], np.arange(checks + 1)[None, :]
    silent: Floats = np.maximum(n - r, 0).astype(np.float64)
    log_e = Rates().log_mean(r, silent) - null.log_likelihood(r, silent)
    return np.asarray((log_e >= log_needed) & (r <= n))
