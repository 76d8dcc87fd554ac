"""The capital of a bet, recomputed answer by answer.

The target is missed if Σ c_k A_k ≥ v. With M_k items left, w the weights and g the guesses of the plan that drew the
item, and m_t = m − Σ c_j r_j, m the least value of ω v,

    Z = Σ_j c_j M_j g_j + c_k M_k (revealed − g_k) / w_k,     capital ← capital · (1 − λ (Z − m_t)).

λ is Kelly's: the best bet if Q's shares of reveals are right, at most 0.9 of what could lose everything. Each part of
the capital bets until its λ add up to its cap, and pays κ = E exp(cap · D⁺) at the start.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import binom

from activepu.verify.bounds import SET_SHARE, log_q
from activepu.verify.evidence import Evidence
from activepu.verify.lot import plan_of

PARTS = (0.1, 0.4, 0.3, 0.1, 0.1)
"""How the capital is divided among the caps."""
BOLD = 0.9

Floats = NDArray[np.float64]


def best_capital(evidence: Evidence, drawn_by: list[Floats]) -> float:
    """Return the largest ln of the capital that was ever reached; `drawn_by` are the weights of all draws."""
    assert evidence.bet is not None
    kind, value = evidence.targets[0]
    c, v = _inequality(kind, value, evidence)
    m = (evidence.high if v <= 0 else evidence.low) * v
    caps = [float(cap) for cap in evidence.bet["caps"]]
    logs = [math.log(p) - math.log(kappa(cap, c, v, m, evidence)) for p, cap in zip(PARTS, caps, strict=True)]
    spent, best = [0.0] * len(caps), -math.inf
    number = {draw.item: t for t, draw in enumerate(evidence.draws)}
    asked, revealed, left = [0] * len(c), [0] * len(c), np.array(evidence.sizes, np.float64)
    for item, answer in evidence.history:
        t = number[item]
        k, w, g = evidence.draws[t].stratum, drawn_by[t], evidence.guesses[plan_of(t)]
        rest = m - sum(c[j] * revealed[j] for j in range(len(c)))
        base = float(c @ (left * g))
        size = _kelly(c * left, w, g, _shares(evidence, asked, revealed), base - rest)
        Z = base + c[k] * left[k] * (bool(answer) - g[k]) / w[k]
        for i, cap in enumerate(caps):
            bet = min(size, cap - spent[i])
            logs[i] += math.log1p(-bet * (Z - rest))
            spent[i] += bet
        best = max(best, float(np.logaddexp.reduce(logs)))
        asked[k], revealed[k], left[k] = asked[k] + 1, revealed[k] + bool(answer), left[k] - 1
    return best


def needed(evidence: Evidence) -> float:
    """Return ln of the capital that certifies the target."""
    return -math.log((1 - SET_SHARE) * evidence.delta)


def _inequality(kind: str, value: float, evidence: Evidence) -> tuple[Floats, float]:
    inside = evidence.inside
    if kind == "recall":
        return value - inside.astype(np.float64), 0.0
    if kind == "precision":
        return np.where(inside, -1.0, 0.0), -value * evidence.called
    return np.where(inside, -1.0, 1.0), value * evidence.rows - evidence.called


def _shares(evidence: Evidence, asked: list[int], revealed: list[int]) -> Floats:
    """Return how likely the next answer in each stratum is a reveal, by Q: the quotient of Q after and before it."""
    K = len(asked)
    one_more = np.vstack([np.zeros(K), np.eye(K)])  # nothing more, then one reveal in each stratum
    logs = log_q(evidence, np.array(asked) + one_more, np.array(revealed) + one_more)
    return np.asarray(np.exp(logs[1:] - logs[0]))


def _kelly(pulls: Floats, w: Floats, g: Floats, shares: Floats, offset: float) -> float:
    """Return λ."""
    outcomes = [
        (weight * chance, offset + pull / weight * (said - guess))
        for pull, weight, guess, share in zip(pulls, w, g, shares, strict=True)
        if weight > 0
        for said, chance in ((0, 1 - share), (1, share))
    ]
    p, loss = np.array(outcomes).T
    if p @ loss >= 0:
        return 0.0
    if loss.max() <= 0:
        return math.inf
    most = BOLD / float(loss.max())

    def slope(size: float) -> float:
        return float(p @ (loss / (1 - size * loss)))

    return most if slope(most) <= 0 else float(brentq(slope, 0.0, most, xtol=1e-15 * most, rtol=1e-13))


def kappa(cap: float, c: Floats, v: float, m: float, evidence: Evidence) -> float:
    """Return κ for the worst truth that misses the target: as many positives as possible, on the border."""
    sizes = np.array(evidence.sizes)
    a, b = max(0.0, float(-c.min())), max(0.0, float(c.max()))
    inside, outside = int(sizes[c < 0].sum()), int(sizes[c > 0].sum())
    if b == 0:
        inside, outside = min(inside, math.ceil(-v / a)), 0
    elif (wanted := (v + a * inside) / b) <= outside:
        outside = max(0, math.floor(wanted))
    else:
        inside = min(inside, math.ceil((b * outside - v) / a))
    if evidence.low < evidence.high:  # Hoeffding's lemma, for every rate
        spread = cap * cap * (a * a * inside + b * b * outside) / 4
        s = np.linspace(1.005, 9.0, 20_000)
        return 1 + math.exp(min(700.0, float(((s - 1) * np.log(s - 1) - s * np.log(s) + s * s * spread / 2).min())))
    x, y = np.arange(inside + 1.0), np.arange(outside + 1.0)
    px, py = binom.pmf(x, inside, evidence.high), binom.pmf(y, outside, evidence.high)
    x, px, y, py = x[px > 1e-25], px[px > 1e-25], y[py > 1e-25], py[py > 1e-25]
    return sum(
        float(chance * (px @ np.exp(np.minimum(cap * np.maximum(m + a * x - b * silent, 0.0), 700.0))))
        for silent, chance in zip(y, py, strict=True)
    )
