"""Bets that begin anew: what the likelihood of each member of a finite class must reach.

One prediction for all charges every h for what the search cost: Q_t falls below L_t(ℓ) by about the logarithm of the
number of members, some 9 nats of 10,000. But every h may have a numerator of its own,

    N_t(h) = Σ_{s ≤ t} w_s · M_s(h) · Q_t / Q_s + (1 − Σ_{s ≤ t} w_s) · M_t(h),

M_s(h) being the mean of L_s(h, ω) over a law of ω: the first s answers are foreseen by h itself, those that follow by
the predictions that were made for all. For every h this is a law of the answers. So under (h, ω), whatever is asked,
N_t(h) / L_t(h, ω) is a nonnegative supermartingale that begins at 1, and h stands while max_ω L_t(h, ω) ≥ δ·N_t(h).

The bet that begins at s has not paid for the search before s, but ln(1/w_s) nats for its moment. With w_0 = 1 it is the
one prediction for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from activepu.zcal.rates import Floats
from activepu.zcal.tuning import TUNING


@dataclass(frozen=True, eq=False)
class Floors:
    """ln δ + ln N, by member: what has `begun`, and what is `waiting`, whose worth is each member's `own`, ln M."""

    begun: Floats
    own: Floats
    waiting: float

    @classmethod
    def start(cls, delta: float, members: int) -> Floors:
        """Before the first answer."""
        own = np.zeros(members)
        return cls(
            own + np.log(delta * TUNING.member_share), own, float(np.log(delta) + np.log1p(-TUNING.member_share))
        )

    @classmethod
    def common(cls, log_floor: float) -> Floors:
        """One prediction for all."""
        return cls(np.array(log_floor), np.zeros(()), -np.inf)

    @property
    def log_floor(self) -> Floats:
        """What ln L of each member must reach for it to stand."""
        return np.asarray(np.logaddexp(self.begun, self.waiting + self.own))

    def of(self, members: Any) -> Floors:
        """Of some of them."""
        return Floors(self.begun[members], self.own[members], self.waiting)

    def once(self, log_q: Floats, own: Any) -> Floats:
        """(members, answers): the floors after one more answer, which was foreseen with q, and by h as `own` says."""
        return np.asarray(np.logaddexp(self.begun[..., None] + log_q, self.waiting + own))

    def after(self, log_q: float, own: Floats) -> Floors:
        """The same for good; then some of what is waiting begins, which leaves the floors as they are."""
        begun = np.logaddexp(self.begun + log_q, self.waiting + np.log(TUNING.member_restart) + own)
        return Floors(begun, own, float(self.waiting + np.log1p(-TUNING.member_restart)))
