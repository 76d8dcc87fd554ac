"""The set of an audit with a reveal rate per expert, recomputed plainly.

In a stratum expert e was asked n_e items and revealed r_e, s_e = n_e − r_e. With c_J the coefficient of z^J in
Π_e (1 + (1 − ω_e) z)^{s_e}, multiplied out in logarithms,

    Λ(A, ω₁ … ω_E) = Π_e ω_e^{r_e} · Σ_J c_J (A)_{r+J} (N − A)_{n−r−J} / (N)_n          (r = Σ r_e, n = Σ n_e),

summed term by term. Known positives add ω_e^{k_e} (1 − ω_e)^{g_e − k_e}. The rates are those of a grid: once over all
that is possible, then over the part of it in which something fits. A grid leaves rates out, so that the set is too
small, as in `bounds`.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln, gammaln, logsumexp, xlog1py, xlogy

from activepu.verify.bounds import LEAST, MIXTURE, RATES, SAME, STRENGTHS, PlainSet, least_positives, level, tried
from activepu.verify.evidence import Answers, Evidence

SHARES, FREE, JOINT = 64, 0.1, 4
"""The constants of Q: shares of positives, the weight of the part that knows nothing, the experts seen together."""
NATS = 200.0
"""How far terms of one sum may shrink against each other where several counts are added up together."""
GRID = {1: 40, 2: 14, 3: 7}
"""How many rates are tried for each expert; 5 with more experts."""

Floats = NDArray[np.float64]


def log_q(evidence: Evidence, answers: Answers) -> float:
    """Return ln Q of the answers in the lot: a common share in each stratum, and a rate for each expert."""
    r = np.array([own.revealed for own in answers.experts.values()], np.float64)  # experts × strata
    s = np.array([own.asked for own in answers.experts.values()], np.float64) - r
    free = betaln(r + 0.5, s + 0.5) - betaln(0.5, 0.5)
    angles = np.linspace(0, math.pi / 2, SHARES + 1)
    shares, edges = np.sin((angles[1:] + angles[:-1]) / 2) ** 2, np.sin(angles) ** 2
    found = []
    for rates in product(RATES, repeat=min(len(r), JOINT)):
        logs = sum(xlogy(r[e][:, None], w * shares) + xlog1py(s[e][:, None], -w * shares) for e, w in enumerate(rates))
        found.append(logs)
    logs = np.array(found)  # rates × strata × shares
    priors = []
    for strength in STRENGTHS:
        yes, no = np.maximum(strength * evidence.means, LEAST), np.maximum(strength * (1 - evidence.means), LEAST)
        priors.append(np.diff(betainc(yes[:, None], no[:, None], edges), axis=1))
    priors.append(np.diff(betainc(0.5, 0.5, np.tile(edges, (len(evidence.means), 1))), axis=1))
    mixed = sum(weight * prior for weight, prior in zip(MIXTURE, priors, strict=True))
    together = [
        math.log(weight) + logsumexp(logs, axis=2, b=SAME * prior + (1 - SAME) * mixed).sum(axis=1)
        for weight, prior in zip(MIXTURE, priors, strict=True)
    ]
    common = float(logsumexp(together)) - math.log(len(logs)) + float(free[JOINT:].sum())
    return float(np.logaddexp(math.log(1 - FREE) + common, math.log(FREE) + float(free.sum())))


def log_likelihood(size: int, asked: list[int], revealed: list[int], positives: Floats, rates: Floats) -> Floats:
    """Return ln Λ, one row per vector of rates and one column per number of positives."""
    N, n, r = size, sum(asked), sum(revealed)
    log_c = np.zeros((len(rates), 1))
    for e, (own, shown) in enumerate(zip(asked, revealed, strict=True)):
        i = np.arange(own - shown + 1.0)
        one = gammaln(own - shown + 1) - gammaln(i + 1) - gammaln(own - shown - i + 1) + xlogy(i, 1 - rates[:, e, None])
        log_c = _multiplied(log_c, one)
    A, J = positives[:, None], np.arange(0.0, n - r + 1)
    possible = (A - r - J >= 0) & (N - A - (n - r) + J >= 0)
    falling = gammaln(A + 1) - gammaln(np.maximum(A - r - J, 0) + 1)
    falling += gammaln(N - A + 1) - gammaln(np.maximum(N - A - (n - r) + J, 0) + 1)
    falling = np.where(possible, falling - gammaln(N + 1) + gammaln(N - n + 1), -np.inf)
    sums = np.concatenate([_summed(falling[near], log_c, J) for near in _alike(A, N, n - r)], axis=1)
    return np.asarray(sums + xlogy(np.array(revealed), rates).sum(axis=1)[:, None])


def _alike(positives: Floats, size: int, silent: int) -> list[NDArray[np.intp]]:
    """Return the rows of counts whose odds A/(N − A) differ by less than e^{NATS/s}, group by group."""
    odds = np.log(np.maximum(positives[:, 0], 0.5)) - np.log(np.maximum(size - positives[:, 0], 0.5))
    group = np.floor(odds * (silent + 1) / NATS)
    return np.split(np.arange(len(group)), np.flatnonzero(np.diff(group)) + 1)


def _summed(falling: Floats, log_c: Floats, J: Floats) -> Floats:
    """Return ln Σ_J c_J e^falling, one row per vector of rates and one column per count.

    The sum is a product of matrices. Before that, the factor of each count is multiplied with z^J and c_J with z^{−J},
    so that the factor of the middle count is alike at both ends. What underflows even so is left out: the set is then
    smaller.
    """
    middle = falling[len(falling) // 2]
    at = np.flatnonzero(np.isfinite(middle))
    z = (middle[at[0]] - middle[at[-1]]) / max(at[-1] - at[0], 1)  # ln z: both ends are then alike
    parts = [log_c - z * J, falling + z * J]
    tops = [part.max(axis=1, keepdims=True) for part in parts]
    tops = [np.where(np.isfinite(top), top, 0.0) for top in tops]
    one, other = (np.exp(part - top) for part, top in zip(parts, tops, strict=True))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(one @ other.T) + tops[0] + tops[1].T)


def _multiplied(a: Floats, b: Floats) -> Floats:
    """Return the logarithms of the coefficients of a product of two polynomials, row by row."""
    found = np.full((len(a), a.shape[1] + b.shape[1] - 1), -np.inf)
    for k in range(a.shape[1]):
        place = slice(k, k + b.shape[1])
        found[:, place] = np.logaddexp(found[:, place], a[:, k : k + 1] + b)
    return found


def experts_set(evidence: Evidence, answers: Answers, rung: str) -> PlainSet:
    """Return the set of a rung after some answers; its rates have one column per expert."""
    known = rung not in ("0", "1")
    again = np.array([own.again if known else (0, 0) for own in answers.experts.values()])
    floor = math.log(level(evidence)) + log_q(evidence, answers)
    floor += float((betaln(again[:, 1] + 0.5, again[:, 0] - again[:, 1] + 0.5) - betaln(0.5, 0.5)).sum())
    least = least_positives(evidence, known)
    positives = [tried(*each) for each in zip(evidence.sizes, answers.asked, answers.revealed, least, strict=True)]
    shown = [sum(own.revealed) + int(g[1]) for own, g in zip(answers.experts.values(), again, strict=True)]
    each = GRID.get(len(shown), 5)
    # an expert who revealed nothing is the better explained the lower their rate is
    spans = [(math.exp(max(floor / R, -30.0)), 0.9999) if R else (1e-9, 1e-9) for R in shown]
    if rung == "0":
        spans = [(1.0, 1.0)] * len(shown)

    def over(spans: list[tuple[float, float]]) -> PlainSet:
        lines = [np.unique([low, high, *np.linspace(low, high, each)]) for low, high in spans]
        rates = np.array(list(product(*lines)))
        floors = floor - (xlogy(again[:, 1], rates) + xlog1py(again[:, 0] - again[:, 1], -rates)).sum(axis=1)
        logs = []
        for k, N in enumerate(evidence.sizes):
            asked, revealed = (
                [getattr(own, what)[k] for own in answers.experts.values()] for what in ("asked", "revealed")
            )
            logs.append(log_likelihood(N, asked, revealed, positives[k], rates))
        return PlainSet(rates, positives, logs, floors, evidence.weights)

    wide = over(spans)
    kept = wide.rates[wide.possible]
    if not len(kept):
        return wide
    steps = [(high - low) / (each - 1) for low, high in spans]
    spans = [
        (max(span[0], float(column.min()) - step), min(span[1], float(column.max()) + step))
        for span, column, step in zip(spans, kept.T, steps, strict=True)
    ]
    return over(spans)
