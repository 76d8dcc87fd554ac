"""The sequential rate test of Algorithm 3S: are reveals rarer than they would be if π ≥ (u + b)/2?

H0: every question is revealed with probability at least ρ0, given the past. Against it stands ρ1 = ρ0/4. The likelihood
ratio M_t = ∏ (ρ1/ρ0 if revealed else (1 − ρ1)/(1 − ρ0)) has, at any rate ρ ≥ ρ0,
E[M_{t+1}/M_t] = ρ·ρ1/ρ0 + (1 − ρ)(1 − ρ1)/(1 − ρ0) ≤ 1, because the first ratio is below the second one. M is then a
nonnegative supermartingale that starts at 1, and Ville's inequality gives P(∃t: M_t ≥ 1/α) ≤ α: the test may be looked
at after every answer. It replaces λ1 = 768 θ ln(8N/δ)/ω̂ questions of Algorithm 3.
"""

from __future__ import annotations

import math

from activepu import checks

RATIO = 4.0
"""ρ0/ρ1."""


class RateTest:
    """Tests that the reveal rate is at least `rho0`; ever rejects wrongly with probability at most `alpha`."""

    def __init__(self, rho0: float, alpha: float) -> None:
        self.rho0 = checks.rate("rho0", rho0)
        self.alpha = checks.open_unit("alpha", alpha)
        self.rho1 = self.rho0 / RATIO
        self.log_m = 0.0
        # At ρ0 = 1 a star is impossible under H0: one of them rejects.
        self._star = math.log1p(-self.rho1) - math.log1p(-self.rho0) if self.rho0 < 1.0 else math.inf

    def update(self, revealed: bool) -> None:
        """Folds one answer."""
        self.log_m += -math.log(RATIO) if revealed else self._star

    @property
    def rejects(self) -> bool:
        """Whether M ≥ 1/α now."""
        return self.log_m >= math.log(1.0 / self.alpha)

    @property
    def stars_to_reject(self) -> int:
        """How many stars reject from the start when nothing is revealed: ⌈ln(1/α) / ln((1 − ρ1)/(1 − ρ0))⌉."""
        return max(1, math.ceil(math.log(1.0 / self.alpha) / self._star))

    def expected_questions(self, rate: float) -> float:
        """Wald's ln(1/α)/drift at the true reveal rate, the overshoot neglected; infinite where M does not grow."""
        if self.rho0 == 1.0:
            return 1.0 / (1.0 - rate) if rate < 1.0 else math.inf
        drift = (1.0 - rate) * self._star - rate * math.log(RATIO)
        return math.log(1.0 / self.alpha) / drift if drift > 0.0 else math.inf

    def __repr__(self) -> str:
        return f"RateTest(rho0={self.rho0:.4g}, alpha={self.alpha:.4g}, log_m={self.log_m:.4g})"
