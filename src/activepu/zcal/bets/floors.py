"""Restarted bets for finite classes: the floor that the likelihood of each member must reach.

If one sequence of predictions serves all hypotheses, every h is charged for the cost of the search: Q_t falls below
L_t(ℓ) by about the logarithm of the number of members, some 9 nats for 10,000 members. But every h may have its own
numerator,

    N_t(h) = Σ_{s ≤ t} w_s · M_s(h) · Q_t / Q_s + (1 − Σ_{s ≤ t} w_s) · M_t(h),

where M_s(h) is the mean of L_s(h, ω) over a law of ω. In the s-th term h itself predicts the first s answers, and the
common predictions Q predict the following ones. For every h this is a law of the answers. So under (h, ω), whatever is
asked, N_t(h) / L_t(h, ω) is a nonnegative supermartingale that starts at 1. The confidence set keeps h as long as
max_ω L_t(h, ω) ≥ δ·N_t(h).

The bet that begins at time s has not paid for the search before s; it has paid ln(1/w_s) nats for the choice of its
starting time. With w_0 = 1, N_t is the common prediction Q_t.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from activepu.zcal.rates import Floats
from activepu.zcal.tuning import TUNING


@dataclass(frozen=True, eq=False)
class Floors:
    """ln δ + ln N, by member, in two parts.

    `begun` is the worth of the bets that have begun. The log share `waiting` has not, and is worth `own`, ln M, more.
    """

    begun: Floats
    own: Floats
    waiting: float

    @classmethod
    def start(cls, delta: float, members: int) -> Floors:
        """Return the floors before the first answer."""
        own = np.zeros(members)
        return cls(
            own + np.log(delta * TUNING.member_share), own, float(np.log(delta) + np.log1p(-TUNING.member_share))
        )

    @classmethod
    def common(cls, log_floor: float) -> Floors:
        """Return the floor of one common prediction for all members."""
        return cls(np.array(log_floor), np.zeros(()), -np.inf)

    @property
    def log_floor(self) -> Floats:
        """What ln L of each member must reach for the member to remain possible."""
        return np.asarray(np.logaddexp(self.begun, self.waiting + self.own))

    def of(self, members: Any) -> Floors:
        """Return the floors of some of the members."""
        return Floors(self.begun[members], self.own[members], self.waiting)

    def once(self, log_q: Floats, own: Any) -> Floats:
        """Return (members, answers): the floors after one more answer; the common prediction gave it probability q.

        `own` is ln M of each member after that answer.
        """
        return np.asarray(np.logaddexp(self.begun[..., None] + log_q, self.waiting + own))

    def after(self, log_q: float, own: Floats) -> Floors:
        """Return the floors after one more answer; then some waiting bets begin, which does not change the floors."""
        begun = np.logaddexp(self.begun + log_q, self.waiting + np.log(TUNING.member_restart) + own)
        return Floors(begun, own, float(self.waiting + np.log1p(-TUNING.member_restart)))
