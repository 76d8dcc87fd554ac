"""Q for several experts with a reveal rate each: what the answers must compete with.

All experts look at the same strata, so that the share of positives a_k is common to them and only the rates differ:

    Q = mean over ω₁ … ω_E and i of Π_k Σ_a v_ik(a) · Π_e (ω_e a)^{r_ke} (1 − ω_e a)^{s_ke},

with the rates ω_e from a few values each, and shares a from a grid. The weights v_ik are the Beta distributions of
`prediction`, one per strength, on this grid. A second part knows no model and no common share: Jeffreys' mixture for
each expert in each stratum. Both are mixtures of distributions that were fixed before the first question, and an expert
who comes later changes nothing in what was predicted before: any such Q is valid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln, logsumexp, xlog1py, xlogy

from activepu.audit.joint_likelihood import Seen
from activepu.audit.prediction import LEAST, RATES, SAME, STRENGTHS, WEIGHTS

SHARES = 64
"""How many shares of positives the grid has, even in the angle arcsin √a."""
FREE = 0.1
"""The weight of the part that knows nothing."""

JOINT = 4
"""Further experts are not expected to see the same share of positives: the mean over all their rates would be long."""

Floats = NDArray[np.float64]


class JointPredictions:
    """The predictions of one audit: the expected share of positives of each stratum, whoever answers."""

    def __init__(self, means: Floats) -> None:
        edges = np.sin(np.linspace(0, math.pi / 2, SHARES + 1)) ** 2
        self._shares = np.sin((np.arange(SHARES) + 0.5) / SHARES * math.pi / 2) ** 2
        priors = [(np.maximum(s * means, LEAST), np.maximum(s * (1 - means), LEAST)) for s in STRENGTHS]
        priors.append((np.full(len(means), 0.5), np.full(len(means), 0.5)))
        of_strength = np.stack([np.diff(betainc(a[:, None], b[:, None], edges), axis=1) for a, b in priors])
        mixed = np.tensordot(WEIGHTS, of_strength, axes=1)
        self._weights = SAME * of_strength + (1 - SAME) * mixed  # strengths × strata × shares

    def log_probability(self, seen: Sequence[Seen]) -> float:
        """Return ln Q of the answers so far."""
        r, s = np.array([part.revealed for part in seen]), np.array([part.silent for part in seen])
        free = betaln(r + 0.5, s + 0.5) - betaln(0.5, 0.5)
        common = self._common(r[:, :JOINT], s[:, :JOINT]) + float(free[:, JOINT:].sum())
        return float(np.logaddexp(math.log(FREE) + float(free.sum()), math.log1p(-FREE) + common))

    def _common(self, r: NDArray[np.int64], s: NDArray[np.int64]) -> float:
        chance = np.outer(RATES, self._shares)
        logs = np.zeros((len(r), 1, SHARES))  # strata × rates of the experts so far × shares
        for e in range(r.shape[1]):
            own = xlogy(r[:, e, None, None], chance) + xlog1py(s[:, e, None, None], -chance)
            logs = (logs[:, :, None, :] + own[:, None, :, :]).reshape(len(r), -1, SHARES)
        top = logs.max(axis=2, keepdims=True)
        each = np.log(np.einsum("kwa,ika->ikw", np.exp(logs - top), self._weights)) + top[None, :, :, 0]
        total = each.sum(axis=1) + np.log(WEIGHTS)[:, None]
        return float(logsumexp(total) - math.log(total.shape[1]))
